// Hierarchical timers: sums, events, the cost of fine timers.
#include "support/check.h"

#include "base/clock.h"
#include "base/text.h"
#include "scene/timer.h"

enum { PRODUCTS = 20 };
static const double spin = 2e-5;   // s

static void work(void)
{
  for (double until = dv_now() + spin; dv_now() < until;) continue;
}

static void nest(dvTimers *t, int rounds)
{
  for (int i = 0; i < rounds; i++) {
    dv_timer_begin(t, "step");
    dv_timer_begin(t, "solve");
    for (int k = 0; k < PRODUCTS; k++) {
      dv_timer_begin_fine(t, "product");
      work();
      dv_timer_end_fine(t);
    }
    dv_timer_end(t);
    dv_timer_begin(t, "visual");
    work();
    dv_timer_end(t);
    dv_timer_end(t);
  }
}

// what the clock said at begin and end: at least what was spun away inside, parts within the whole, all within `wall`
static void check_readings(const dvTimers *t, double wall, int rounds)
{
  double children = 0;
  for (size_t i = 0; i < t->list.count; i++) {
    const dvTimer *timer = &t->list.data[i];
    double least = dv_same(timer->name, "visual") ? 1 : dv_same(timer->name, "step") ? PRODUCTS + 1 : PRODUCTS;
    assert_true(timer->total >= rounds * least * spin);
    assert_true(timer->total <= wall);
    if (timer->parent == 0) children += timer->total;
    if (timer->parent > 0) assert_true(timer->total <= t->list.data[timer->parent].total);
  }
  assert_true(children <= t->list.data[0].total);
}

static int index_of(const dvTimers *t, const char *name)
{
  for (size_t i = 0; i < t->list.count; i++)
    if (dv_same(t->list.data[i].name, name)) return (int)i;
  return -1;
}

static void a_timer_holds_what_happened_inside(void **state)
{
  DV_UNUSED(state);
  enum { ROUNDS = 50 };
  for (int fine = 0; fine < 2; fine++) {
    dvTimers *t = dv_timers_create();
    if (fine) dv_timers_refine(t);
    double began = dv_now();
    nest(t, ROUNDS);
    double wall = dv_now() - began;
    assert_int_equal(t->list.count, fine ? 4 : 3);
    assert_int_equal(t->list.data[index_of(t, "step")].count, ROUNDS);
    assert_int_equal(t->list.data[index_of(t, "solve")].parent, index_of(t, "step"));
    assert_int_equal(t->list.data[index_of(t, "visual")].parent, index_of(t, "step"));
    if (fine) assert_int_equal(t->list.data[index_of(t, "product")].parent, index_of(t, "solve"));
    if (fine) assert_int_equal(t->list.data[index_of(t, "product")].count, ROUNDS * PRODUCTS);
    check_readings(t, wall, ROUNDS);
    if (!fine) check_close(dv_timer_seconds(t, 0), t->list.data[0].total, 1e-9);   // nothing to take out
    dv_timers_clear(t);
    assert_true(dv_timer_seconds(t, 0) == 0);
    dv_timers_destroy(&t);
  }
}

static void the_cost_of_fine_timers_is_taken_out(void **state)
{
  DV_UNUSED(state);
  dvTimers *t = dv_timers_create();
  dv_timers_refine(t);
  assert_true(t->cost > t->cost_inside && t->cost_inside > 0);
  // made-up times: a step of 1 s that spends exactly the cost of its 1000 timers and nothing else
  dv_timer_begin(t, "step");
  dv_timer_begin(t, "nothing");
  dv_timer_end(t);
  dv_timer_end(t);
  t->list.data[1].count = 1000, t->list.data[1].total = 1000 * t->cost_inside;
  t->list.data[0].count = 1, t->list.data[0].total = 1 + 1000 * t->cost + t->cost_inside;
  check_close(dv_timer_seconds(t, 1), 0, 1e-12);
  check_close(dv_timer_seconds(t, 0), 1, 1e-9);
  dv_timers_destroy(&t);
}

static void events_are_kept_up_to_the_limit(void **state)
{
  DV_UNUSED(state);
  dvTimers *t = dv_timers_create();
  assert_true(dv_timers_record(t, 4));
  nest(t, 2);   // three events each: solve, visual, step
  assert_int_equal(t->events.count, 4);
  assert_int_equal(t->events_lost, 2);
  const dvTimerEvent *solve = &t->events.data[0], *visual = &t->events.data[1], *step = &t->events.data[2];
  assert_string_equal(t->list.data[solve->timer].name, "solve");
  assert_string_equal(t->list.data[step->timer].name, "step");
  assert_true(step->began <= solve->began && solve->began + solve->seconds <= visual->began);
  assert_true(visual->began + visual->seconds <= step->began + step->seconds);
  dv_timers_destroy(&t);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_timer_holds_what_happened_inside),
      cmocka_unit_test(the_cost_of_fine_timers_is_taken_out),
      cmocka_unit_test(events_are_kept_up_to_the_limit),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

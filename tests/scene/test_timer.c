// Hierarchical timers: sums, events, the cost of fine timers.
#include "support/check.h"

#include "base/text.h"
#include "scene/timer.h"

static void work(double *sink)
{
  for (int i = 0; i < 2000; i++) *sink += 1 / (1.0 + i);
}

static void nest(dvTimers *t, int rounds)
{
  double sink = 0;
  for (int i = 0; i < rounds; i++) {
    dv_timer_begin(t, "step");
    dv_timer_begin(t, "solve");
    for (int k = 0; k < 20; k++) {
      dv_timer_begin_fine(t, "product");
      work(&sink);
      dv_timer_end_fine(t);
    }
    dv_timer_end(t);
    dv_timer_begin(t, "visual");
    work(&sink);
    dv_timer_end(t);
    dv_timer_end(t);
  }
  assert_true(sink > 0);
}

static void check_sums(const dvTimers *t)
{
  for (size_t i = 0; i < t->list.count; i++) {
    double children = 0, own = dv_timer_seconds(t, (int)i);
    for (int k = t->list.data[i].first_child; k >= 0; k = t->list.data[k].next) children += dv_timer_seconds(t, k);
    if (own < children) print_error("%s: %.17g s, its parts %.17g s\n", t->list.data[i].name, own, children);
    assert_true(own >= children);
  }
}

static void a_timer_is_at_least_the_sum_of_its_parts(void **state)
{
  DV_UNUSED(state);
  for (int fine = 0; fine < 2; fine++) {
    dvTimers *t = dv_timers_create();
    if (fine) dv_timers_refine(t);
    nest(t, 50);
    assert_int_equal(t->list.count, fine ? 4 : 3);
    assert_int_equal(t->list.data[0].count, 50);
    if (fine) assert_int_equal(t->list.data[2].count, 1000);
    check_sums(t);
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
      cmocka_unit_test(a_timer_is_at_least_the_sum_of_its_parts),
      cmocka_unit_test(the_cost_of_fine_timers_is_taken_out),
      cmocka_unit_test(events_are_kept_up_to_the_limit),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

// The worker pool: every index once, nested calls, many short jobs, workers that do not pay.
#include "support/check.h"

#include "base/pool.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct Counts {
  unsigned char hits[10000];
  dvPool *pool;
  long inner;
} Counts;

static void hit(void *user, size_t begin, size_t end)
{
  Counts *c = user;
  for (size_t i = begin; i < end; i++) c->hits[i]++;
}

static void every_index_once(void **state)
{
  DV_UNUSED(state);
  for (int threads = 1; threads <= 4; threads++) {
    dvPool *pool = dv_pool_create(threads);
    Counts c = {0};
    for (int round = 0; round < 200; round++) dv_parallel_for(pool, DV_COUNT(c.hits), 7, hit, &c);
    for (size_t i = 0; i < DV_COUNT(c.hits); i++) assert_int_equal(c.hits[i], 200);
    dv_pool_destroy(&pool);
    assert_null(pool);
  }
}

static void nested_body(void *user, size_t begin, size_t end)
{
  Counts *c = user;
  for (size_t i = begin; i < end; i++) {
    Counts inner = {0};
    dv_parallel_for(c->pool, 100, 10, hit, &inner);
    for (int k = 0; k < 100; k++) c->hits[i] = (unsigned char)(c->hits[i] + inner.hits[k]);
  }
}

static void nested_calls_run(void **state)
{
  DV_UNUSED(state);
  Counts c = {.pool = dv_pool_create(3)};
  dv_parallel_for(c.pool, 20, 1, nested_body, &c);
  for (int i = 0; i < 20; i++) assert_int_equal(c.hits[i], 100);
  dv_pool_destroy(&c.pool);
}

// a loop whose items sleep: as long as is said for the caller, and for a worker
typedef struct Sleepers {
  pthread_t caller;
  useconds_t mine, theirs;
  atomic_int helped;
} Sleepers;

static void sleep_body(void *user, size_t begin, size_t end)
{
  Sleepers *s = user;
  bool worker = !pthread_equal(pthread_self(), s->caller);
  if (worker) s->helped++;
  for (size_t i = begin; i < end; i++) usleep(worker ? s->theirs : s->mine);
}

// in how many of the last `last` of `loops` loops a worker helped
static int loops_with_help(useconds_t mine, useconds_t theirs, int loops, int last)
{
  setenv("DIVAN_HAND_OVER", "40000", 1);
  dvPool *pool = dv_pool_create(2);
  Sleepers s = {pthread_self(), mine, theirs, 0};
  int with = 0;
  for (int i = 0; i < loops; i++) {
    s.helped = 0;
    dv_parallel_for(pool, 8, 1, sleep_body, &s);
    if (i >= loops - last && s.helped > 0) with++;
  }
  dv_pool_destroy(&pool);
  return with;
}

// a worker that loses its core with an item in hand is a sleeping one
static void workers_that_do_not_pay_are_left_out(void **state)
{
  DV_UNUSED(state);
  int with = loops_with_help(20, 5000, 400, 200);
  if (with > 60) print_error("workers cost more than they did and still helped in %d of 200 loops\n", with);
  assert_true(with <= 60);
}

static void workers_that_pay_are_used(void **state)
{
  DV_UNUSED(state);
  int with = loops_with_help(2000, 2000, 60, 40);
  if (with < 20) print_error("workers halve the time and helped in %d of 40 loops only\n", with);
  assert_true(with >= 20);
}

enum { SHORT = 40 };   // loops that follow each other

static int rounds_with_help(dvPool *pool, Sleepers *s, int rounds)
{
  int with = 0;
  for (int i = 0; i < rounds * SHORT; i++) {
    s->helped = 0;
    dv_parallel_for(pool, (size_t)(8 + i % SHORT), 2, sleep_body, s);
    if (s->helped > 0) with++;
  }
  return with;
}

// when a program begins to use the worker's core, not every one of many loops has to find that out for itself
static void a_core_that_is_lost_is_noticed_by_all_loops(void **state)
{
  DV_UNUSED(state);
  setenv("DIVAN_HAND_OVER", "40000", 1);
  dvPool *pool = dv_pool_create(2);
  Sleepers s = {pthread_self(), 100, 100, 0};
  int first = rounds_with_help(pool, &s, 12);
  s.theirs = 20000;
  int lost = rounds_with_help(pool, &s, 5);
  if (lost > 2 * SHORT)
    print_error("a worker that had lost its core was waited for in %d of %d loops\n", lost, 5 * SHORT);
  assert_true(lost <= 2 * SHORT);
  s.theirs = 100;
  int last = 0;   // a core that is free again may be found late, and lost again where other programs run
  for (int tries = 0; tries < 60 && 2 * last < first; tries++) last = rounds_with_help(pool, &s, 12);
  if (2 * last < first) print_error("with a free core it helped in %d loops, and in %d later\n", first, last);
  assert_true(2 * last >= first);
  dv_pool_destroy(&pool);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_index_once), cmocka_unit_test(nested_calls_run),
                                     cmocka_unit_test(workers_that_do_not_pay_are_left_out),
                                     cmocka_unit_test(workers_that_pay_are_used),
                                     cmocka_unit_test(a_core_that_is_lost_is_noticed_by_all_loops)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

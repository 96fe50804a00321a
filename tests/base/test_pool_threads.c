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

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_index_once), cmocka_unit_test(nested_calls_run),
                                     cmocka_unit_test(workers_that_do_not_pay_are_left_out),
                                     cmocka_unit_test(workers_that_pay_are_used)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

// The worker pool: every index once, nested calls, many short jobs.
#include "support/check.h"

#include "base/pool.h"

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

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_index_once), cmocka_unit_test(nested_calls_run)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

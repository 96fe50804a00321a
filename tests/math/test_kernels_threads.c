// Vector operations have the same bits for 1, 2 and 3 threads.
#include "support/check.h"

#include "math/kernels.h"

#include <string.h>

enum { LENGTH = 300007 };

typedef struct {
  double x[LENGTH], r[LENGTH], dot, norm, step;
} Result;

static void run(int threads, Result *out)
{
  dvPool *pool = dv_pool_create(threads);
  double *p = dv_alloc(LENGTH * sizeof *p), *q = dv_alloc(LENGTH * sizeof *q);
  for (size_t i = 0; i < LENGTH; i++) {
    p[i] = sin((double)i);
    q[i] = cos(0.3 * (double)i);
  }
  dv_fill(pool, 0.1, out->x, LENGTH);
  dv_copy(pool, q, out->r, LENGTH);
  dv_axpy(pool, 1.7, p, out->r, LENGTH);
  dv_xpay(pool, p, 0.4, out->r, LENGTH);
  dv_scale(pool, 1.1, out->x, LENGTH);
  out->step = dv_cg_step(pool, 0.01, p, q, out->x, out->r, LENGTH);
  dv_combine(pool, out->x, out->step * 1e-6, q, out->x, LENGTH);
  out->dot = dv_dot(pool, out->x, out->r, LENGTH);
  out->norm = dv_norm2(pool, out->x, LENGTH);
  dv_free(p);
  dv_free(q);
  dv_pool_destroy(&pool);
}

static void same_bits_for_any_number_of_threads(void **state)
{
  DV_UNUSED(state);
  Result *one = dv_alloc(sizeof *one), *more = dv_alloc(sizeof *more);
  run(1, one);
  for (int threads = 2; threads <= 3; threads++) {
    run(threads, more);
    assert_memory_equal(one, more, sizeof *one);
  }
  dv_free(one);
  dv_free(more);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(same_bits_for_any_number_of_threads)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

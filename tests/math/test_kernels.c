// Vector operations against plain loops, for lengths around every border.
#include "support/check.h"

#include "math/kernels.h"

static const size_t lengths[] = {0, 1, 3, 4, 5, 15, 16, 17, 63, 2047, 2048, 2049, 6150, 70001};

static double *numbers(size_t n, uint64_t seed)
{
  double *x = dv_alloc((n + 1) * sizeof *x);
  for (size_t i = 0; i < n; i++) {
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    x[i] = (double)(int64_t)seed * 0x1p-63;
  }
  return x;
}

static void sums_equal_plain_loops(void **state)
{
  DV_UNUSED(state);
  for (size_t l = 0; l < DV_COUNT(lengths); l++) {
    size_t n = lengths[l];
    double *a = numbers(n, 1), *b = numbers(n, 2);
    long double dot = 0, norm = 0;
    for (size_t i = 0; i < n; i++) dot += (long double)a[i] * b[i], norm += (long double)a[i] * a[i];
    check_close(dv_dot(NULL, a, b, n), (double)dot, 1e-15 * (double)n);
    check_close(dv_norm2(NULL, a, n), (double)norm, 1e-15 * (double)n);
    dv_free(a);
    dv_free(b);
  }
}

static void plain_operations_do_what_they_say(void **state)
{
  DV_UNUSED(state);
  for (size_t l = 0; l < DV_COUNT(lengths); l++) {
    size_t n = lengths[l];
    double *a = numbers(n, 1), *b = numbers(n, 2), *y = numbers(n, 3), *y0 = numbers(n, 3), *r = numbers(n, 4);
    dv_axpy(NULL, 0.7, a, y, n);
    for (size_t i = 0; i < n; i++) check_close(y[i], y0[i] + 0.7 * a[i], 4e-16);
    dv_copy(NULL, y0, y, n);
    for (size_t i = 0; i < n; i++) check_close(y[i], y0[i], 0);
    dv_xpay(NULL, a, -0.3, y, n);
    for (size_t i = 0; i < n; i++) check_close(y[i], a[i] - 0.3 * y0[i], 4e-16);
    dv_combine(NULL, a, 0.5, b, r, n);
    for (size_t i = 0; i < n; i++) check_close(r[i], a[i] + 0.5 * b[i], 4e-16);
    dv_combine(NULL, r, -0.5, b, r, n);   // in place
    for (size_t i = 0; i < n; i++) check_close(r[i], a[i], 4e-16);
    dv_scale(NULL, 4, y0, n);
    dv_fill(NULL, 2.5, y, n);
    double *again = numbers(n, 3);
    for (size_t i = 0; i < n; i++) {
      check_close(y[i], 2.5, 0);
      check_close(y0[i], 4 * again[i], 0);
    }
    assert_true(r[n] == 0 && y[n] == 0);   // nothing behind the end
    double *all[] = {a, b, y, y0, r, again};
    for (size_t i = 0; i < DV_COUNT(all); i++) dv_free(all[i]);
  }
}

static void cg_step_equals_its_parts(void **state)
{
  DV_UNUSED(state);
  for (size_t l = 0; l < DV_COUNT(lengths); l++) {
    size_t n = lengths[l];
    double *p = numbers(n, 1), *q = numbers(n, 2), *x = numbers(n, 3), *r = numbers(n, 4);
    double *x0 = numbers(n, 3), *r0 = numbers(n, 4), alpha = 0.8;
    double sum = dv_cg_step(NULL, alpha, p, q, x, r, n);
    dv_axpy(NULL, alpha, p, x0, n);
    dv_axpy(NULL, -alpha, q, r0, n);
    for (size_t i = 0; i < n; i++) {
      check_close(x[i], x0[i], 0);
      check_close(r[i], r0[i], 0);
    }
    check_close(sum, dv_norm2(NULL, r, n), 0);
    double *all[] = {p, q, x, r, x0, r0};
    for (size_t i = 0; i < DV_COUNT(all); i++) dv_free(all[i]);
  }
}

// numbers of a point first, then from the first point to the last: 1e16 swallows what comes one by one
static void points_are_summed_in_order(void **state)
{
  (void)state;
  const double a[12] = {1e16, 0, 0, 1, 0, 0, 1, 0, 0, -1e16, 0, 0}, one[12] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
  check_close(dv_dot_of_points(a, one, 4, 3, 3), 0, 0);   // (1e16 + 1) + 1 - 1e16
  check_close(dv_dot_of_points(a + 3, one, 2, 3, 3), 2, 0);
  check_close(dv_dot_of_points(a, one, 2, 6, 6), 0, 0);   // 1 + 0 + 0 - 1e16 has lost its 1, too
  const double frame[6] = {1e16, 0, 0, 1, 1, 0};
  check_close(dv_dot_of_points(frame, one, 1, 6, 3), 1e16 + 2, 0);   // a rotation on its own
  check_close(dv_dot_of_points(frame, one, 1, 6, 6), 1e16, 0);
  check_close(dv_dot_of_points(frame, one, 0, 3, 3), 0, 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sums_equal_plain_loops),
      cmocka_unit_test(plain_operations_do_what_they_say),
      cmocka_unit_test(cg_step_equals_its_parts),
      cmocka_unit_test(points_are_summed_in_order),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

// Dense factorisations: solutions against what was put in, singular values against known ones.
#include "support/check.h"
#include "support/matrix.h"

#include "math/dense.h"

#include <string.h>

enum { N = 40 };

static void lu_solves(void **state)
{
  DV_UNUSED(state);
  double a[N * N], lu[N * N], x[N], b[N], back[N];
  int32_t exchange[N];
  uint64_t seed = 1;
  size_t bad;
  check_random_vector(&seed, a, N * N);
  check_random_vector(&seed, x, N);
  memcpy(lu, a, sizeof a);
  assert_true(dv_dense_lu(lu, exchange, N, 1e-14, &bad));
  dv_dense_product(a, N, N, x, b);
  dv_dense_lu_solve(lu, exchange, N, b);
  for (int i = 0; i < N; i++) check_close(b[i], x[i], 1e-10);
  memset(back, 0, sizeof back);
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) back[j] += a[i * N + j] * x[i];
  dv_dense_lu_solve_transposed(lu, exchange, N, back);
  for (int i = 0; i < N; i++) check_close(back[i], x[i], 1e-10);
}

static void lu_finds_singular_columns(void **state)
{
  DV_UNUSED(state);
  double a[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  int32_t exchange[3];
  size_t bad = 7;
  assert_false(dv_dense_lu(a, exchange, 3, 1e-14, &bad));
  assert_int_equal(bad, 2);
}

static void cholesky_solves_and_refuses(void **state)
{
  DV_UNUSED(state);
  double r[N * N], a[N * N], x[N], b[N];
  uint64_t seed = 2;
  size_t bad;
  check_random_vector(&seed, r, N * N);
  check_random_vector(&seed, x, N);
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      a[i * N + j] = i == j ? 0.1 : 0;
      for (int k = 0; k < N; k++) a[i * N + j] += r[k * N + i] * r[k * N + j];
    }
  dv_dense_product(a, N, N, x, b);
  assert_true(dv_dense_cholesky(a, N, &bad));
  dv_dense_cholesky_solve(a, N, b);
  for (int i = 0; i < N; i++) check_close(b[i], x[i], 1e-10);
  double indefinite[4] = {1, 2, 2, 1};
  assert_false(dv_dense_cholesky(indefinite, 2, &bad));
  assert_int_equal(bad, 1);
}

static void singular_values(void **state)
{
  DV_UNUSED(state);
  double a[N * N], ut[N * N], vt[N * N], sigma[N];
  uint64_t seed = 3;
  check_random_vector(&seed, a, N * N);
  for (int j = 0; j < N; j++) a[5 * N + j] = a[4 * N + j];   // rank N - 1
  memcpy(ut, a, sizeof a);
  dv_dense_svd(ut, vt, sigma, N);
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      double sum = 0;
      for (int k = 0; k < N; k++) sum += ut[k * N + i] * sigma[k] * vt[k * N + j];
      check_close(sum, a[i * N + j], 1e-13 * sigma[0]);
    }
  for (int k = 1; k < N; k++) assert_true(sigma[k - 1] >= sigma[k]);
  check_close(sigma[N - 1], 0, 1e-14 * sigma[0]);
  // a diagonal matrix over twelve decades: all digits of the small ones
  double d[16] = {1e6, 0, 0, 0, 0, 0, -1e-6, 0, 0, 1, 0, 0, 0, 0, 0, 1e3}, v[16], s[4];
  dv_dense_svd(d, v, s, 4);
  check_close(s[0], 1e6, 1e-9);
  check_close(s[1], 1e3, 1e-12);
  check_close(s[2], 1, 1e-15);
  check_close(s[3], 1e-6, 1e-21);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lu_solves),
      cmocka_unit_test(lu_finds_singular_columns),
      cmocka_unit_test(cholesky_solves_and_refuses),
      cmocka_unit_test(singular_values),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

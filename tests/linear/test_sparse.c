// Sparse LU and QR of matrices that are not symmetric, against dense solutions.
#include "support/check.h"
#include "support/matrix.h"

#include "linear/direct/sparse_lu.h"
#include "linear/direct/sparse_qr.h"
#include "math/dense.h"

#include <string.h>

static const int blocks[] = {1, 3, 6};
static const dvOrder orders[] = {DV_ORDER_NATURAL, DV_ORDER_AMD};

// positive definite, then shaken: not symmetric, with zeros on the diagonal
static void unsymmetric(dvBlockMatrix *a, int block, size_t rows, uint64_t seed)
{
  check_random_spd(a, block, rows, 2, seed);
  size_t numbers = dv_pattern_count(&a->pattern) * (size_t)(block * block);
  for (size_t i = 0; i < numbers; i++) a->values[i] += 2 * check_random(&seed);
  for (size_t r = 0; r < rows; r += 4) dv_block_matrix_at(a, dv_pattern_find(&a->pattern, r, r))[0] = 0;
}

static void check_solution(const dvBlockMatrix *a, const double *b, const double *x, double tolerance)
{
  size_t n = dv_block_matrix_rows(a);
  double *y = dv_alloc(n * sizeof *y);
  check_dense_solve(a, b, y);
  check_close(check_distance(x, y, n), 0, tolerance);
  check_close(check_residual(a, x, b), 0, 1e-13);
  dv_free(y);
}

static void unsymmetric_systems(void **state)
{
  DV_UNUSED(state);
  for (size_t k = 0; k < DV_COUNT(blocks); k++)
    for (size_t o = 0; o < DV_COUNT(orders); o++) {
      dvBlockMatrix a = {0};
      unsymmetric(&a, blocks[k], 40, 3 + k);
      size_t n = dv_block_matrix_rows(&a), column;
      double *b = dv_alloc(n * sizeof *b), *x = dv_alloc(n * sizeof *x);
      uint64_t seed = 77;
      check_random_vector(&seed, b, n);
      dvSparseLu lu = {0};
      assert_true(dv_sparse_lu_analyse(&lu, &a, orders[o]));
      for (int again = 0; again < 2; again++) assert_true(dv_sparse_lu_factorise(&lu, &a, 1e-13, &column));
      dv_sparse_lu_solve(&lu, b, x);
      check_solution(&a, b, x, 1e-9);
      dvSparseQr qr = {0};
      assert_true(dv_sparse_qr_analyse(&qr, &a, orders[o]));
      for (int again = 0; again < 2; again++) dv_sparse_qr_factorise(&qr, &a, 1e-13);
      assert_int_equal(qr.rank, n);
      dv_sparse_qr_solve(&qr, b, x);
      check_solution(&a, b, x, 1e-9);
      dv_sparse_lu_free(&lu);
      dv_sparse_qr_free(&qr);
      dv_block_matrix_free(&a);
      dv_free(b);
      dv_free(x);
    }
}

static void lu_refuses_singular_matrices(void **state)
{
  DV_UNUSED(state);
  for (size_t k = 0; k < DV_COUNT(blocks); k++) {
    dvBlockMatrix a = {0};
    dvSparseLu lu = {0};
    size_t column;
    check_chain(&a, blocks[k], 30, 0);
    assert_true(dv_sparse_lu_analyse(&lu, &a, DV_ORDER_AMD));
    assert_false(dv_sparse_lu_factorise(&lu, &a, 1e-13, &column));
    assert_true(column < dv_block_matrix_rows(&a));
    dv_sparse_lu_free(&lu);
    dv_block_matrix_free(&a);
  }
}

// a free chain pulled apart by forces that balance has solutions; one that is pushed as a whole has none, and gets the
// best one
static void qr_solves_singular_systems_by_least_squares(void **state)
{
  DV_UNUSED(state);
  for (size_t k = 0; k < DV_COUNT(blocks); k++)
    for (size_t o = 0; o < DV_COUNT(orders); o++) {
      dvBlockMatrix a = {0};
      dvSparseQr qr = {0};
      check_chain(&a, blocks[k], 30, 0);
      size_t n = dv_block_matrix_rows(&a), b = (size_t)blocks[k];
      double *rhs = dv_alloc(n * sizeof *rhs), *x = dv_alloc(n * sizeof *x), *r = dv_alloc(n * sizeof *r),
             *g = dv_alloc(n * sizeof *g);
      assert_true(dv_sparse_qr_analyse(&qr, &a, orders[o]));
      dv_sparse_qr_factorise(&qr, &a, 1e-12);
      assert_int_equal(qr.rank, n - b);
      rhs[0] = -1;
      rhs[n - b] = 1;
      dv_sparse_qr_solve(&qr, rhs, x);
      check_close(check_residual(&a, x, rhs), 0, 1e-13);
      check_close(x[n - b] - x[0], 29, 1e-10);
      for (size_t i = 0; i < n; i++) rhs[i] = sin((double)i);
      dv_sparse_qr_solve(&qr, rhs, x);
      dv_block_matrix_product(&a, NULL, x, r);
      for (size_t i = 0; i < n; i++) r[i] -= rhs[i];
      dv_block_matrix_product_transposed(&a, r, g);   // the gradient of |A x - b|^2 vanishes
      for (size_t i = 0; i < n; i++) check_close(g[i], 0, 1e-10);
      dv_sparse_qr_free(&qr);
      dv_block_matrix_free(&a);
      dv_free(rhs);
      dv_free(x);
      dv_free(r);
      dv_free(g);
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(unsymmetric_systems),
      cmocka_unit_test(lu_refuses_singular_matrices),
      cmocka_unit_test(qr_solves_singular_systems_by_least_squares),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

// Sparse rows: settling against a dense sum, products, memory that is kept.
#include "math/sparse_rows.h"
#include "support/check.h"
#include "support/matrix.h"

#include <string.h>

enum { ROWS = 23, COLS = 61 };

static void fill(dvSparseRows *r, double *dense, uint64_t *seed, size_t entries)
{
  memset(dense, 0, ROWS * COLS * sizeof *dense);
  for (size_t i = 0; i < entries; i++) {
    int32_t row = (int32_t)((check_random(seed) + 1) / 2.001 * ROWS),
            col = (int32_t)((check_random(seed) + 1) / 2.001 * COLS);
    if (row == 7) continue;   // a row without entries
    double value = check_random(seed);
    dv_sparse_rows_add(r, row, col, value);
    dense[row * COLS + col] += value;
  }
}

// rows in order, columns ascend, equal entries are summed in the order they came: the same bits as the dense sum
static void settles(void **state)
{
  DV_UNUSED(state);
  static double dense[ROWS * COLS], got[ROWS * COLS];
  uint64_t seed = 3;
  dvSparseRows r = {0};
  for (size_t entries = 0; entries < 4000; entries = 3 * entries + 1) {
    dv_sparse_rows_clear(&r);
    fill(&r, dense, &seed, entries);
    dv_sparse_rows_settle(&r, ROWS);
    assert_int_equal(r.count, ROWS);
    memset(got, 0, sizeof got);
    for (size_t i = 0; i < r.count; i++)
      for (size_t e = r.start.data[i]; e < r.start.data[i + 1]; e++) {
        if (e > r.start.data[i]) assert_true(r.col.data[e] > r.col.data[e - 1]);
        assert_int_equal(r.row.data[e], i);
        got[i * COLS + (size_t)r.col.data[e]] = r.value.data[e];
      }
    assert_memory_equal(got, dense, sizeof dense);
  }
  dv_sparse_rows_free(&r);
}

static void products(void **state)
{
  DV_UNUSED(state);
  static double dense[ROWS * COLS];
  double x[COLS], y[ROWS], up[COLS] = {0};
  uint64_t seed = 5;
  dvSparseRows r = {0};
  fill(&r, dense, &seed, 300);
  dv_sparse_rows_settle(&r, ROWS);
  for (int i = 0; i < COLS; i++) x[i] = check_random(&seed);
  dv_sparse_rows_product(&r, x, y);
  dv_sparse_rows_add_transposed(&r, y, up);
  for (int i = 0; i < ROWS; i++) {
    double sum = 0;
    for (int j = 0; j < COLS; j++) sum += dense[i * COLS + j] * x[j];
    check_close(y[i], sum, 1e-14);
  }
  for (int j = 0; j < COLS; j++) {
    double sum = 0;
    for (int i = 0; i < ROWS; i++) sum += dense[i * COLS + j] * y[i];
    check_close(up[j], sum, 1e-14);
  }
  dv_sparse_rows_free(&r);
}

// settled rows may get more entries and be settled again
static void settles_again(void **state)
{
  DV_UNUSED(state);
  dvSparseRows r = {0};
  const double two[2] = {1, 2};
  dv_sparse_rows_add_many(&r, 1, 4, two, 2, 10);
  dv_sparse_rows_settle(&r, 0);
  assert_int_equal(r.count, 2);
  dv_sparse_rows_add(&r, 0, 9, 3);
  dv_sparse_rows_add(&r, 1, 5, 1);
  dv_sparse_rows_settle(&r, 5);
  assert_int_equal(r.count, 5);
  assert_int_equal(r.col.count, 3);
  check_close(r.value.data[0], 3, 0);
  check_close(r.value.data[1], 10, 0);
  check_close(r.value.data[2], 21, 0);
  dv_sparse_rows_free(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(settles), cmocka_unit_test(products),
                                     cmocka_unit_test(settles_again)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

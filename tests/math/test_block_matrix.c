// Patterns against brute force, products against dense ones, files.
#include "support/check.h"
#include "support/matrix.h"

#include "base/file.h"

#include <string.h>

static void pattern_holds_each_pair_once(void **state)
{
  DV_UNUSED(state);
  enum { ROWS = 17, COLS = 23, COUNT = 400 };
  uint64_t pairs[COUNT], seed = 3;
  int32_t place[COUNT];
  bool there[ROWS][COLS] = {{false}};
  for (int i = 0; i < COUNT; i++) {
    size_t r = (size_t)((check_random(&seed) + 1) * 0.4999 * ROWS),
           c = (size_t)((check_random(&seed) + 1) * 0.4999 * COLS);
    bool none = i % 31 == 0;
    pairs[i] = none ? DV_PAIR_NONE : dv_pair(r, c);
    if (!none) there[r][c] = true;
  }
  dvPattern p = {0};
  assert_true(dv_pattern_build(&p, ROWS, COLS, pairs, COUNT, place));
  size_t count = 0;
  for (size_t r = 0; r < ROWS; r++)
    for (size_t c = 0; c < COLS; c++) {
      assert_int_equal(dv_pattern_find(&p, r, c) >= 0, there[r][c]);
      count += there[r][c];
    }
  assert_int_equal(dv_pattern_count(&p), count);
  for (int i = 0; i < COUNT; i++) {
    if (pairs[i] == DV_PAIR_NONE) assert_int_equal(place[i], -1);
    else assert_int_equal(place[i], dv_pattern_find(&p, dv_pair_row(pairs[i]), dv_pair_col(pairs[i])));
  }
  for (size_t r = 0; r < ROWS; r++)
    for (int32_t e = p.row_start[r] + 1; e < p.row_start[r + 1]; e++) assert_true(p.col[e - 1] < p.col[e]);
  dvPattern t = {0}, back = {0};
  assert_true(dv_pattern_transpose(&t, &p, NULL));
  assert_true(dv_pattern_transpose(&back, &t, NULL));
  assert_true(dv_pattern_same(&p, &back));
  assert_true(dv_pattern_find(&t, (size_t)p.col[0], 0) >= 0 || p.row_start[1] == 0);
  dv_pattern_free(&p);
  dv_pattern_free(&t);
  dv_pattern_free(&back);
}

static void empty_pattern(void **state)
{
  DV_UNUSED(state);
  dvPattern p = {0};
  assert_true(dv_pattern_build(&p, 0, 0, NULL, 0, NULL));
  assert_int_equal(dv_pattern_count(&p), 0);
  dv_pattern_free(&p);
}

// a rectangular matrix with random entries
static void random_matrix(dvBlockMatrix *a, int block, size_t rows, size_t cols)
{
  uint64_t seed = 11, pairs[200];
  for (int i = 0; i < 200; i++)
    pairs[i] = dv_pair((size_t)((check_random(&seed) + 1) * 0.4999 * (double)rows),
                       (size_t)((check_random(&seed) + 1) * 0.4999 * (double)cols));
  dvPattern p = {0};
  assert_true(dv_pattern_build(&p, rows, cols, pairs, 200, NULL));
  assert_true(dv_block_matrix_init(a, block, &p));
  check_random_vector(&seed, a->values, dv_pattern_count(&a->pattern) * (size_t)(block * block));
}

static void products_agree_with_dense(void **state)
{
  DV_UNUSED(state);
  static const int blocks[] = {1, 3, 6};
  for (size_t k = 0; k < DV_COUNT(blocks); k++) {
    dvBlockMatrix a = {0};
    random_matrix(&a, blocks[k], 31, 19);
    size_t rows = dv_block_matrix_rows(&a), cols = dv_block_matrix_cols(&a);
    double *dense = dv_alloc(rows * cols * sizeof *dense), *x = dv_alloc(rows * sizeof *x),
           *y = dv_alloc(rows * sizeof *y);
    uint64_t seed = 5;
    dv_block_matrix_to_dense(&a, dense);
    check_random_vector(&seed, x, cols);
    dv_block_matrix_product(&a, NULL, x, y);
    for (size_t i = 0; i < rows; i++) {
      double sum = 0;
      for (size_t j = 0; j < cols; j++) sum += dense[i * cols + j] * x[j];
      check_close(y[i], sum, 1e-14 * 50);
    }
    check_random_vector(&seed, x, rows);
    dv_block_matrix_product_transposed(&a, x, y);
    for (size_t j = 0; j < cols; j++) {
      double sum = 0;
      for (size_t i = 0; i < rows; i++) sum += dense[i * cols + j] * x[i];
      check_close(y[j], sum, 1e-14 * 50);
    }
    check_close(dv_block_matrix_entry(&a, 7, 5), dense[7 * cols + 5], 0);
    dv_free(dense);
    dv_free(x);
    dv_free(y);
    dv_block_matrix_free(&a);
  }
}

static void symmetry_is_measured(void **state)
{
  DV_UNUSED(state);
  dvBlockMatrix a = {0};
  check_random_spd(&a, 3, 20, 3, 1);
  check_close(dv_block_matrix_asymmetry(&a), 0, 1e-15);
  double *v = dv_block_matrix_at(&a, 0);
  v[1] += 10;
  assert_true(dv_block_matrix_asymmetry(&a) > 0.1);
  dv_block_matrix_free(&a);
}

static void files_show_the_entries(void **state)
{
  DV_UNUSED(state);
  char *directory = check_mkdir();
  char *mtx = dv_path_join(directory, "a.mtx"), *picture = dv_path_join(directory, "a.pgm");
  dvBlockMatrix a = {0};
  check_chain(&a, 1, 3, 1);
  assert_true(dv_block_matrix_write_mtx(&a, mtx));
  assert_true(dv_block_matrix_write_picture(&a, picture, 100));
  size_t length;
  char *text = dv_file_read(mtx, &length);
  assert_string_equal(
      text,
      "%%MatrixMarket matrix coordinate real general\n3 3 7\n1 1 2\n1 2 -1\n2 1 -1\n2 2 2\n2 3 -1\n3 2 -1\n3 3 2\n");
  dv_free(text);
  text = dv_file_read(picture, &length);
  assert_int_equal(length, strlen("P5\n3 3\n255\n") + 9);
  assert_memory_equal(text, "P5\n3 3\n255\n\0\x60\xff\x60\0\x60\xff\x60\0", length);
  dv_free(text);
  dv_block_matrix_free(&a);
  assert_false(dv_block_matrix_write_mtx(&a, "/nowhere/at/all.mtx"));
  dv_free(mtx);
  dv_free(picture);
  check_rmdir(directory);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pattern_holds_each_pair_once), cmocka_unit_test(empty_pattern),
      cmocka_unit_test(products_agree_with_dense),    cmocka_unit_test(symmetry_is_measured),
      cmocka_unit_test(files_show_the_entries),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

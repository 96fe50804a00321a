// Many right-hand sides and compliance matrices against single solves, with several threads.
#include "support/check.h"
#include "support/matrix.h"

#include "linear/direct/ldl_batch.h"

#include <string.h>

enum { ROWS = 83 };

typedef struct Setup {
  dvBlockMatrix a;
  dvLdl f;
  size_t n;
  double *work;
} Setup;

static void set_up(Setup *s, int block, size_t side)
{
  size_t pivot;
  *s = (Setup){0};
  check_grid(&s->a, block, side, 0.1);
  assert_true(dv_ldl_analyse(&s->f, &s->a.pattern, block, DV_ORDER_BEST));
  assert_true(dv_ldl_factorise(&s->f, &s->a, NULL, DV_LDL_SMALL, &pivot));
  s->n = dv_ldl_rows(&s->f);
  s->work = dv_alloc(dv_ldl_work(&s->f) * sizeof *s->work);
}

static void tear_down(Setup *s)
{
  dv_free(s->work);
  dv_ldl_free(&s->f);
  dv_block_matrix_free(&s->a);
}

static void many_right_hand_sides(void **state)
{
  DV_UNUSED(state);
  static const int blocks[] = {1, 3, 6};
  for (size_t k = 0; k < DV_COUNT(blocks); k++) {
    Setup s;
    set_up(&s, blocks[k], 21);
    double *b = dv_alloc(ROWS * s.n * sizeof *b), *x = dv_alloc(ROWS * s.n * sizeof *x),
           *one = dv_alloc(ROWS * s.n * sizeof *one), *y = dv_alloc(s.n * sizeof *y);
    uint64_t seed = 3;
    check_random_vector(&seed, b, ROWS * s.n);
    dvLdlBatch *batch = dv_ldl_batch_create();
    for (int threads = 1; threads <= 3; threads++) {
      dvPool *pool = dv_pool_create(threads);
      for (size_t count = 1; count <= ROWS; count += 41) {
        assert_true(dv_ldl_solve_many(&s.f, batch, pool, count, b, x));
        for (size_t i = 0; i < count; i++) {
          dv_ldl_solve(&s.f, b + i * s.n, y, s.work);
          check_close(check_distance(x + i * s.n, y, s.n), 0, 1e-13);
        }
      }
      if (threads == 1) memcpy(one, x, ROWS * s.n * sizeof *one);
      assert_memory_equal(x, one, ROWS * s.n * sizeof *one);
      dv_pool_destroy(&pool);
    }
    dv_ldl_batch_destroy(&batch);
    dv_free(b), dv_free(x), dv_free(one), dv_free(y);
    tear_down(&s);
  }
}

// rows that touch up to four of the first n unknowns, one that touches none
static void make_rows(size_t n, dvSparseRows *rows)
{
  uint64_t seed = 12;
  for (size_t i = 0; i < ROWS; i++)
    for (size_t k = 0; k < i % 5; k++) {
      int32_t col = (int32_t)((check_random(&seed) + 1) / 2.001 * (double)n);
      dv_sparse_rows_add(rows, (int32_t)i, col, check_random(&seed));
    }
  dv_sparse_rows_settle(rows, ROWS);
}

static void add_row(const dvSparseRows *rows, size_t row, double *to)
{
  for (size_t e = rows->start.data[row]; e < rows->start.data[row + 1]; e++)
    to[rows->col.data[e]] += rows->value.data[e];
}

// rows that share few unknowns, as those of contacts do, are made of what these say
static void check_compliance(size_t unknowns)
{
  Setup s;
  set_up(&s, 3, 40);
  double *h = dv_alloc(s.n * sizeof *h), *x = dv_alloc(s.n * sizeof *x);
  static double w[ROWS * ROWS], first[ROWS * ROWS], y[ROWS];
  dvSparseRows rows = {0};
  make_rows(dv_min_size(unknowns, s.n), &rows);
  dvLdlBatch *batch = dv_ldl_batch_create();
  for (int threads = 1; threads <= 3; threads++) {
    dvPool *pool = dv_pool_create(threads);
    for (int again = 0; again < 2; again++) {
      memset(w, 255, sizeof w);
      assert_true(dv_ldl_compliance(&s.f, batch, pool, &rows, w));
      if (threads == 1 && again == 0) memcpy(first, w, sizeof w);
      assert_memory_equal(w, first, sizeof w);
    }
    dv_pool_destroy(&pool);
  }
  for (size_t i = 0; i < ROWS; i++) {
    memset(h, 0, s.n * sizeof *h);
    add_row(&rows, i, h);
    dv_ldl_solve(&s.f, h, x, s.work);
    dv_sparse_rows_product(&rows, x, y);
    for (size_t k = 0; k < ROWS; k++) {
      check_close(w[k * ROWS + i], y[k], 1e-13);
      check_close(w[k * ROWS + i], w[i * ROWS + k], 0);
    }
  }
  dv_sparse_rows_free(&rows);
  dv_ldl_batch_destroy(&batch);
  dv_free(h), dv_free(x);
  tear_down(&s);
}

static void compliance(void **state)
{
  DV_UNUSED(state);
  check_compliance(SIZE_MAX);
  check_compliance(ROWS / 3);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(many_right_hand_sides), cmocka_unit_test(compliance)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

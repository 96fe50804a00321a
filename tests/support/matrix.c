// See matrix.h.
#include "support/check.h"

#include "support/matrix.h"

#include "base/array.h"
#include "math/dense.h"

double check_random(uint64_t *seed)
{
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(int64_t)(*seed ^ *seed >> 29) / 9223372036854775808.0;
}

void check_random_vector(uint64_t *seed, double *x, size_t n)
{
  for (size_t i = 0; i < n; i++) x[i] = check_random(seed);
}

typedef DV_ARRAY(uint64_t) Pairs;

static void make(dvBlockMatrix *a, int block, size_t rows, const Pairs *edges)
{
  Pairs pairs = {0};
  for (size_t i = 0; i < rows; i++) dv_push(&pairs, dv_pair(i, i));
  for (size_t i = 0; i < edges->count; i++) {
    dv_push(&pairs, edges->data[i]);
    dv_push(&pairs, dv_pair(dv_pair_col(edges->data[i]), dv_pair_row(edges->data[i])));
  }
  dvPattern pattern = {0};
  assert_true(dv_pattern_build(&pattern, rows, rows, pairs.data, pairs.count, NULL));
  assert_true(dv_block_matrix_init(a, block, &pattern));
  dv_array_free(&pairs);
}

static void add(dvBlockMatrix *a, size_t row, size_t col, const double *block, double factor)
{
  double *to = dv_block_matrix_at(a, dv_pattern_find(&a->pattern, row, col));
  for (int i = 0; i < a->block * a->block; i++) to[i] += factor * block[i];
}

static void add_spring(dvBlockMatrix *a, size_t i, size_t j, const double *block)
{
  add(a, i, i, block, 1);
  add(a, j, j, block, 1);
  add(a, i, j, block, -1);
  add(a, j, i, block, -1);
}

static void identity(double *block, int n)
{
  for (int i = 0; i < n * n; i++) block[i] = i % (n + 1) == 0;
}

// R^T R for a random R: symmetric, not negative
static void random_block(double *block, int n, uint64_t *seed)
{
  double r[DV_MAX_BLOCK * DV_MAX_BLOCK];
  check_random_vector(seed, r, (size_t)(n * n));
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      block[i * n + j] = 0;
      for (int k = 0; k < n; k++) block[i * n + j] += r[k * n + i] * r[k * n + j];
    }
}

void check_random_spd(dvBlockMatrix *a, int block, size_t rows, int neighbours, uint64_t seed)
{
  Pairs edges = {0};
  for (size_t i = 0; i < rows; i++)
    for (int k = 0; k < neighbours; k++) {
      size_t j = (size_t)((0.5 + 0.49999 * check_random(&seed)) * (double)rows);
      if (j != i) dv_push(&edges, dv_pair(i, j));
    }
  make(a, block, rows, &edges);
  double b[DV_MAX_BLOCK * DV_MAX_BLOCK];
  for (size_t e = 0; e < edges.count; e++) {
    random_block(b, block, &seed);
    add_spring(a, dv_pair_row(edges.data[e]), dv_pair_col(edges.data[e]), b);
  }
  identity(b, block);
  for (size_t i = 0; i < rows; i++) add(a, i, i, b, 1);
  dv_array_free(&edges);
}

void check_chain(dvBlockMatrix *a, int block, size_t rows, double hold)
{
  Pairs edges = {0};
  double b[DV_MAX_BLOCK * DV_MAX_BLOCK];
  for (size_t i = 0; i + 1 < rows; i++) dv_push(&edges, dv_pair(i, i + 1));
  make(a, block, rows, &edges);
  identity(b, block);
  for (size_t i = 0; i + 1 < rows; i++) add_spring(a, i, i + 1, b);
  add(a, 0, 0, b, hold);
  add(a, rows - 1, rows - 1, b, hold);
  dv_array_free(&edges);
}

void check_grid(dvBlockMatrix *a, int block, size_t side, double hold)
{
  Pairs edges = {0};
  double b[DV_MAX_BLOCK * DV_MAX_BLOCK];
  for (size_t i = 0; i < side * side; i++) {
    if ((i + 1) % side) dv_push(&edges, dv_pair(i, i + 1));
    if (i + side < side * side) dv_push(&edges, dv_pair(i, i + side));
  }
  make(a, block, side * side, &edges);
  identity(b, block);
  for (size_t e = 0; e < edges.count; e++) add_spring(a, dv_pair_row(edges.data[e]), dv_pair_col(edges.data[e]), b);
  for (size_t i = 0; i < side * side; i++) add(a, i, i, b, hold);
  dv_array_free(&edges);
}

void check_scale(dvBlockMatrix *a, double decades, uint64_t seed)
{
  size_t n = dv_block_matrix_rows(a), b = (size_t)a->block;
  double *s = dv_alloc(n * sizeof *s);
  for (size_t i = 0; i < n; i++) s[i] = pow(10, decades * check_random(&seed));
  for (size_t r = 0; r < a->pattern.rows; r++)
    for (int32_t e = a->pattern.row_start[r]; e < a->pattern.row_start[r + 1]; e++)
      for (size_t i = 0; i < b; i++)
        for (size_t j = 0; j < b; j++)
          dv_block_matrix_at(a, e)[i * b + j] *= s[r * b + i] * s[(size_t)a->pattern.col[e] * b + j];
  dv_free(s);
}

void check_dense_solve(const dvBlockMatrix *a, const double *rhs, double *x)
{
  size_t n = dv_block_matrix_rows(a), bad;
  double *dense = dv_alloc(n * n * sizeof *dense);
  int32_t *exchange = dv_alloc(n * sizeof *exchange);
  dv_block_matrix_to_dense(a, dense);
  assert_true(dv_dense_lu(dense, exchange, n, 0, &bad));
  for (size_t i = 0; i < n; i++) x[i] = rhs[i];
  dv_dense_lu_solve(dense, exchange, n, x);
  dv_free(dense);
  dv_free(exchange);
}

static double largest(const double *x, size_t n)
{
  double most = 0;
  for (size_t i = 0; i < n; i++) most = isnan(x[i]) ? INFINITY : fmax(most, fabs(x[i]));
  return most;
}

double check_residual(const dvBlockMatrix *a, const double *x, const double *b)
{
  size_t n = dv_block_matrix_rows(a), square = (size_t)(a->block * a->block);
  double *r = dv_alloc(n * sizeof *r), norm = 0;
  dv_block_matrix_product(a, NULL, x, r);
  for (size_t i = 0; i < n; i++) r[i] -= b[i];
  for (size_t i = 0; i < dv_pattern_count(&a->pattern) * square; i++) norm = fmax(norm, fabs(a->values[i]));
  double result = largest(r, n) / (norm * largest(x, n) + largest(b, n));
  dv_free(r);
  return result;
}

double check_distance(const double *x, const double *y, size_t n)
{
  double most = 0;
  for (size_t i = 0; i < n; i++) most = isnan(x[i]) ? INFINITY : fmax(most, fabs(x[i] - y[i]));
  return most / largest(y, n);
}

// IncompleteCholeskyPreconditioner: L D L^T without fill, on blocks: L has the pattern of the lower triangle of the
// matrix.
//
//   L_ij = (A_ij - sum_k L_ik D_k L_jk^T) D_j^-1,   D_i = A_ii - sum_k L_ik D_k L_ik^T,   k over the columns that both
//   rows have
//
// A pivot block that is not positive definite is replaced by the one of the matrix itself, which keeps the
// preconditioner usable.
#include "linear/classes.h"
#include "linear/solver.h"

#include "math/dense.h"

#include <string.h>

typedef struct Incomplete {
  dvLinearSolver solver;
  const dvBlockMatrix *matrix;
  DV_ARRAY(double) lower;       // W = L D at the places of the matrix's lower triangle
  DV_ARRAY(double) inverse;     // D^-1, a block a row
  DV_ARRAY(int32_t) diagonal;   // place of each row's diagonal block
  DV_ARRAY(double) work;
} Incomplete;

static dvStatus incomplete_init(dvObject *o)
{
  return dv_linear_solver_init(o, DV_SYSTEM_MATRIX, &dv_matrix_system_class);
}

// c -= a d b^T
static void subtract_product(int n, const double *a, const double *d, const double *b, double *c)
{
  double ad[DV_MAX_BLOCK * DV_MAX_BLOCK];
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double sum = 0;
      for (int k = 0; k < n; k++) sum += a[i * n + k] * d[k * n + j];
      ad[i * n + j] = sum;
    }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++) c[i * n + j] -= ad[i * n + k] * b[j * n + k];
}

static bool invert_positive(int n, const double *block, double *inverse)
{
  double l[DV_MAX_BLOCK * DV_MAX_BLOCK];
  size_t bad;
  memcpy(l, block, (size_t)(n * n) * sizeof *l);
  if (!dv_dense_cholesky(l, (size_t)n, &bad)) return false;
  for (int c = 0; c < n; c++) {
    double column[DV_MAX_BLOCK] = {0};
    column[c] = 1;
    dv_dense_cholesky_solve(l, (size_t)n, column);
    for (int r = 0; r < n; r++) inverse[r * n + c] = column[r];
  }
  return true;
}

// W_ij = A_ij - sum W_ik D_k^-1 W_jk^T over common columns k < j
static void eliminate(Incomplete *f, size_t i, int32_t e)
{
  const dvBlockMatrix *a = f->matrix;
  int n = a->block;
  size_t square = (size_t)(n * n), j = (size_t)a->pattern.col[e];
  int32_t p = a->pattern.row_start[i], q = a->pattern.row_start[j];
  double *w = f->lower.data + (size_t)e * square;
  while (p < e && q < f->diagonal.data[j]) {
    int32_t cp = a->pattern.col[p], cq = a->pattern.col[q];
    if (cp == cq)
      subtract_product(n, f->lower.data + (size_t)p * square, f->inverse.data + (size_t)cp * square,
                       f->lower.data + (size_t)q * square, w);
    p += cp <= cq;
    q += cq <= cp;
  }
}

static dvStatus incomplete_prepare(dvObject *o)
{
  Incomplete *f = (Incomplete *)o;
  bool changed;
  DV_TRY(dv_linear_solver_matrix(o, &f->matrix, &changed));
  if (!changed) return DV_OK;
  const dvBlockMatrix *a = f->matrix;
  int n = a->block;
  size_t square = (size_t)(n * n), rows = a->pattern.rows;
  dv_array_resize(&f->lower, dv_pattern_count(&a->pattern) * square);
  dv_array_resize(&f->inverse, rows * square);
  dv_array_resize(&f->diagonal, rows);
  dv_array_resize(&f->work, rows * (size_t)n);
  memcpy(f->lower.data, a->values, f->lower.count * sizeof(double));
  for (size_t i = 0; i < rows; i++) {
    int32_t d = f->diagonal.data[i] = dv_pattern_find(&a->pattern, i, i);
    for (int32_t e = a->pattern.row_start[i]; e <= d; e++) eliminate(f, i, e);
    double *inverse = f->inverse.data + i * square;
    if (!invert_positive(n, f->lower.data + (size_t)d * square, inverse) &&
        !invert_positive(n, dv_block_matrix_at(a, d), inverse))
      return dv_linear_solver_singular(o, i * (size_t)n, NULL);
  }
  return DV_OK;
}

static void multiply(int n, const double *block, const double *x, double *y)
{
  for (int i = 0; i < n; i++) {
    y[i] = 0;
    for (int j = 0; j < n; j++) y[i] += block[i * n + j] * x[j];
  }
}

// (W + D) D^-1 (W + D)^T x = rhs: y_i = D_i^-1 (rhs_i - sum W_ij y_j) down, x_j -= D_j^-1 W_ij^T x_i up
static void incomplete_apply(dvObject *o, double *x, const double *rhs)
{
  Incomplete *f = (Incomplete *)o;
  const dvBlockMatrix *a = f->matrix;
  int n = a->block;
  size_t b = (size_t)n, square = b * b;
  double *y = f->work.data, t[DV_MAX_BLOCK], s[DV_MAX_BLOCK];
  for (size_t i = 0; i < a->pattern.rows; i++) {
    memcpy(t, rhs + i * b, b * sizeof *t);
    for (int32_t e = a->pattern.row_start[i]; e < f->diagonal.data[i]; e++) {
      multiply(n, f->lower.data + (size_t)e * square, y + (size_t)a->pattern.col[e] * b, s);
      for (size_t k = 0; k < b; k++) t[k] -= s[k];
    }
    multiply(n, f->inverse.data + i * square, t, y + i * b);
  }
  for (size_t i = a->pattern.rows; i-- > 0;) {
    memcpy(x + i * b, y + i * b, b * sizeof *x);
    for (int32_t e = a->pattern.row_start[i]; e < f->diagonal.data[i]; e++) {
      const double *w = f->lower.data + (size_t)e * square;
      size_t j = (size_t)a->pattern.col[e];
      for (size_t k = 0; k < b; k++) {
        t[k] = 0;
        for (size_t r = 0; r < b; r++) t[k] += w[r * b + k] * x[i * b + r];
      }
      multiply(n, f->inverse.data + j * square, t, s);
      for (size_t k = 0; k < b; k++) y[j * b + k] -= s[k];
    }
  }
}

static void incomplete_destroy(dvObject *o)
{
  Incomplete *f = (Incomplete *)o;
  dv_array_free(&f->lower);
  dv_array_free(&f->inverse);
  dv_array_free(&f->diagonal);
  dv_array_free(&f->work);
  dv_linear_solver_destroy(o);
}

static const dvLinearSolverOps incomplete_ops = {
    .solve = dv_linear_solver_solve, .prepare = incomplete_prepare, .apply = incomplete_apply};

const dvClass dv_incomplete_class = {
    .struct_size = sizeof(dvClass),
    .name = "IncompleteCholeskyPreconditioner",
    .help = "preconditioner: a factorisation without fill; strong where block Jacobi and SSOR need many iterations",
    .size = sizeof(Incomplete),
    .blocks = {&dv_object_block, &dv_linear_solver_block},
    .ops = {[DV_ROLE_LINEAR_SOLVER] = &incomplete_ops},
    .init = incomplete_init,
    .destroy = incomplete_destroy,
    .remember = dv_linear_solver_remember,
    .restored = dv_linear_solver_restored,
};

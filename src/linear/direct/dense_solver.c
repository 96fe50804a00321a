// Direct solvers on the full matrix: CholeskySolver (A = L L^T), LULinearSolver (P A = L U, for matrices that need not
// be symmetric) and SVDLinearSolver (A = U S V^T, singular values up to minSingularValue count as zero).
//
// The SVD costs some ten times n^3. The largest and the smallest singular value come from a few iterations with A and
// with its LU factor; only when the smallest may have to be left out is the whole decomposition made, else A^-1 is what
// it would give.
#include "linear/classes.h"
#include "linear/solver.h"

#include "math/dense.h"

#include <math.h>
#include <string.h>

#define SVD_FIELDS(X)                                                                                  \
  X(bool, verbose, "0", "", "accepted for compatibility", .flags = DV_HIDDEN)                          \
  X(real, minSingularValue, "1e-6", "", "singular values up to this one are left out of the solution") \
  X(real, conditionNumber, "0", "", "largest over smallest singular value of the last matrix", .flags = DV_READ_ONLY)

typedef struct Dense {
  dvLinearSolver solver;
  SVD_FIELDS(DV_MEMBER)
  size_t n;
  bool prepared, decomposed;        // there is a factor; it is an SVD
  DV_ARRAY(double) factor, right;   // LU, L, or rows of left and of right singular vectors
  DV_ARRAY(double) sigma, work;
  DV_ARRAY(int32_t) exchange;
} Dense;

#define SELF Dense
static const dvFieldDesc svd_fields[] = {SVD_FIELDS(DV_DESCRIBE)};
#undef SELF

static dvStatus dense_init(dvObject *o) { return dv_linear_solver_init(o, DV_SYSTEM_MATRIX, &dv_matrix_system_class); }

static dvStatus cholesky_parse(dvObject *o, dvAttributes *a)
{
  if (dv_attribute_take(a, "verbose")) dv_note(o, "verbose has no meaning here");
  return DV_OK;
}

// copies the matrix; *again is true when there is a new one to factorise
static dvStatus take_matrix(Dense *d, const dvBlockMatrix **a, bool *again)
{
  dvObject *o = &d->solver.base;
  DV_TRY(dv_linear_solver_matrix(o, a, again));
  *again = *again || !d->prepared;
  if (!*again) return DV_OK;
  size_t n = dv_block_matrix_rows(*a);
  if (n > 20000) return dv_error(o, "use SparseLDLSolver", "%zu unknowns are too many for a full matrix", n);
  d->n = n;
  d->prepared = false;
  dv_array_resize(&d->factor, n * n);
  dv_array_resize(&d->work, n);
  dv_block_matrix_to_dense(*a, d->factor.data);
  return DV_OK;
}

// --- Cholesky ------------------------------------------------------------------------------------

static dvStatus cholesky_prepare(dvObject *o)
{
  Dense *d = (Dense *)o;
  const dvBlockMatrix *a;
  bool again;
  size_t bad;
  DV_TRY(take_matrix(d, &a, &again));
  if (!again) return DV_OK;
  if (!dv_dense_cholesky(d->factor.data, d->n, &bad)) return dv_linear_solver_singular(o, bad, NULL);
  d->prepared = true;
  return DV_OK;
}

static void cholesky_apply(dvObject *o, double *x, const double *rhs)
{
  const Dense *d = (const Dense *)o;
  memcpy(x, rhs, d->n * sizeof *x);
  dv_dense_cholesky_solve(d->factor.data, d->n, x);
}

// --- LU ------------------------------------------------------------------------------------------

static dvStatus lu_prepare(dvObject *o)
{
  Dense *d = (Dense *)o;
  const dvBlockMatrix *a;
  bool again;
  size_t bad;
  DV_TRY(take_matrix(d, &a, &again));
  if (!again) return DV_OK;
  dv_array_resize(&d->exchange, d->n);
  if (!dv_dense_lu(d->factor.data, d->exchange.data, d->n, 1e-15, &bad)) return dv_linear_solver_singular(o, bad, NULL);
  d->prepared = true;
  return DV_OK;
}

static void lu_apply(dvObject *o, double *x, const double *rhs)
{
  const Dense *d = (const Dense *)o;
  memcpy(x, rhs, d->n * sizeof *x);
  dv_dense_lu_solve(d->factor.data, d->exchange.data, d->n, x);
}

// --- singular values -----------------------------------------------------------------------------

static double normalise(double *x, size_t n)
{
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += x[i] * x[i];
  double length = sqrt(sum);
  for (size_t i = 0; i < n && length > 0; i++) x[i] /= length;
  return length;
}

// by power iteration: with A^T A for the largest, with its inverse for the smallest
static double extreme_singular_value(Dense *d, const dvBlockMatrix *a, bool largest)
{
  enum { ITERATIONS = 40 };
  double *x = d->work.data, value = 0, *y = d->right.data;
  for (size_t i = 0; i < d->n; i++) x[i] = 1 + 0.5 * sin((double)i);
  normalise(x, d->n);
  for (int k = 0; k < ITERATIONS; k++) {
    if (largest) {
      dv_block_matrix_product(a, NULL, x, y);
      dv_block_matrix_product_transposed(a, y, x);
    } else {
      dv_dense_lu_solve_transposed(d->factor.data, d->exchange.data, d->n, x);
      dv_dense_lu_solve(d->factor.data, d->exchange.data, d->n, x);
    }
    double before = value;
    value = normalise(x, d->n);
    if (fabs(value - before) <= 1e-6 * value) break;
  }
  return largest ? sqrt(value) : 1 / sqrt(value);
}

static dvStatus svd_prepare(dvObject *o)
{
  Dense *d = (Dense *)o;
  const dvBlockMatrix *a;
  bool again;
  size_t bad;
  DV_TRY(take_matrix(d, &a, &again));
  if (!again) return DV_OK;
  dv_array_resize(&d->exchange, d->n);
  dv_array_resize(&d->right, d->n);
  d->decomposed = true;
  if (dv_dense_lu(d->factor.data, d->exchange.data, d->n, 1e-14, &bad)) {
    double smallest = extreme_singular_value(d, a, false);
    d->conditionNumber = extreme_singular_value(d, a, true) / smallest;
    d->decomposed = smallest < 10 * d->minSingularValue;
  }
  if (d->decomposed) {
    dv_array_resize(&d->right, d->n * d->n);
    dv_array_resize(&d->sigma, d->n);
    dv_block_matrix_to_dense(a, d->factor.data);
    dv_dense_svd(d->factor.data, d->right.data, d->sigma.data, d->n);
    d->conditionNumber = d->sigma.data[0] / d->sigma.data[d->n - 1];
  }
  d->prepared = true;
  return DV_OK;
}

static void svd_apply(dvObject *o, double *x, const double *rhs)
{
  Dense *d = (Dense *)o;
  size_t n = d->n;
  if (!d->decomposed) {
    memcpy(x, rhs, n * sizeof *x);
    dv_dense_lu_solve(d->factor.data, d->exchange.data, n, x);
    return;
  }
  dv_dense_product(d->factor.data, n, n, rhs, d->work.data);
  memset(x, 0, n * sizeof *x);
  for (size_t k = 0; k < n && d->sigma.data[k] > d->minSingularValue; k++)
    for (size_t i = 0; i < n; i++) x[i] += d->right.data[k * n + i] * (d->work.data[k] / d->sigma.data[k]);
}

static void dense_destroy(dvObject *o)
{
  Dense *d = (Dense *)o;
  dv_array_free(&d->factor);
  dv_array_free(&d->right);
  dv_array_free(&d->sigma);
  dv_array_free(&d->work);
  dv_array_free(&d->exchange);
  dv_linear_solver_destroy(o);
}

static const dvLinearSolverOps cholesky_ops = {
    .solve = dv_linear_solver_solve, .prepare = cholesky_prepare, .apply = cholesky_apply};
static const dvLinearSolverOps lu_ops = {.solve = dv_linear_solver_solve, .prepare = lu_prepare, .apply = lu_apply};
static const dvLinearSolverOps svd_ops = {.solve = dv_linear_solver_solve, .prepare = svd_prepare, .apply = svd_apply};

const dvClass dv_cholesky_class = {
    .struct_size = sizeof(dvClass),
    .name = "CholeskySolver",
    .help = "solves symmetric positive definite systems directly, on the full matrix",
    .module = "Sofa.Component.LinearSolver.Direct",
    .size = sizeof(Dense),
    .blocks = {&dv_object_block, &dv_linear_solver_block},
    .ops = {[DV_ROLE_LINEAR_SOLVER] = &cholesky_ops},
    .parse = cholesky_parse,
    .init = dense_init,
    .destroy = dense_destroy,
    .remember = dv_linear_solver_remember,
    .restored = dv_linear_solver_restored,
};

const dvClass dv_lu_class = {
    .struct_size = sizeof(dvClass),
    .name = "LULinearSolver",
    .help = "solves systems directly, on the full matrix, which need not be symmetric",
    .module = "Sofa.Component.LinearSolver.Direct",
    .size = sizeof(Dense),
    .blocks = {&dv_object_block, &dv_linear_solver_block},
    .ops = {[DV_ROLE_LINEAR_SOLVER] = &lu_ops},
    .init = dense_init,
    .destroy = dense_destroy,
    .remember = dv_linear_solver_remember,
    .restored = dv_linear_solver_restored,
};

const dvClass dv_svd_class = {
    .struct_size = sizeof(dvClass),
    .name = "SVDLinearSolver",
    .help = "solves systems by singular values on the full matrix, leaving out those that are nearly zero",
    .module = "Sofa.Component.LinearSolver.Direct",
    .size = sizeof(Dense),
    .blocks = {&dv_object_block, &dv_linear_solver_block, DV_BLOCK(svd_fields)},
    .ops = {[DV_ROLE_LINEAR_SOLVER] = &svd_ops},
    .init = dense_init,
    .destroy = dense_destroy,
    .remember = dv_linear_solver_remember,
    .restored = dv_linear_solver_restored,
};

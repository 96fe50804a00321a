// Direct solvers for matrices of any kind: EigenSparseLU and EigenSparseQR. A matrix that turns out symmetric and
// positive definite is factorised as LDL^T on blocks, which is several times faster and gives the same solution.
#include "linear/classes.h"
#include "linear/direct/ldl.h"
#include "linear/direct/orderings.h"
#include "linear/direct/sparse_lu.h"
#include "linear/direct/sparse_qr.h"
#include "linear/solver.h"

#include <math.h>

#define GENERAL_FIELDS(X)                                                                                            \
  X(link, orderingMethod, "", "", "component that chooses the order of elimination; the one of the node by default") \
  X(int, L_nnz, "0", "",                                                                                             \
    "numbers in the factor L of LDL^T (symmetric matrices) or LU, without the diagonal; 0 for QR",                   \
    .flags = DV_READ_ONLY)

typedef struct General {
  dvLinearSolver solver;
  GENERAL_FIELDS(DV_MEMBER)
  bool analysed;
  unsigned pattern;   // stamp of the analysed one
  enum { METHOD_LDL, METHOD_LU, METHOD_QR } method;
  dvLdl ldl;
  dvSparseLu lu;
  dvSparseQr qr;
  bool lu_analysed, qr_analysed;
  bool warned;
  DV_ARRAY(int32_t) mirror;   // entry on the other side of the diagonal, -1 where there is none
  DV_ARRAY(double) work;
} General;

#define SELF General
static const dvFieldDesc general_fields[] = {GENERAL_FIELDS(DV_DESCRIBE)};
#undef SELF

static dvStatus general_init(dvObject *o)
{
  return dv_linear_solver_init(o, DV_SYSTEM_MATRIX, &dv_matrix_system_class);
}

static void find_mirror(General *g, const dvPattern *p)
{
  dv_array_resize(&g->mirror, dv_pattern_count(p));
  for (size_t r = 0; r < p->rows; r++)
    for (int32_t e = p->row_start[r]; e < p->row_start[r + 1]; e++)
      g->mirror.data[e] = dv_pattern_find(p, (size_t)p->col[e], r);
}

static bool is_symmetric(const General *g, const dvBlockMatrix *a)
{
  int b = a->block;
  double largest = 0, difference = 0;
  static const double zeros[DV_MAX_BLOCK * DV_MAX_BLOCK];
  for (size_t e = 0; e < g->mirror.count; e++) {
    const double *v = dv_block_matrix_at(a, (int32_t)e),
                 *w = g->mirror.data[e] < 0 ? zeros : dv_block_matrix_at(a, g->mirror.data[e]);
    for (int i = 0; i < b; i++)
      for (int j = 0; j < b; j++) {
        largest = fmax(largest, fabs(v[i * b + j]));
        difference = fmax(difference, fabs(v[i * b + j] - w[j * b + i]));
      }
  }
  return difference <= 1e-14 * largest;
}

static dvStatus no_memory(const dvObject *o, const dvBlockMatrix *a)
{
  return dv_error(o, "use an iterative solver", "out of memory for the factor of %zu unknowns",
                  dv_block_matrix_rows(a));
}

static dvStatus general_analyse(General *g, const dvBlockMatrix *a)
{
  dvObject *o = &g->solver.base;
  unsigned stamp = dv_linear_system(g->solver.system)->assembly->pattern_stamp;
  if (g->analysed && g->pattern == stamp) return DV_OK;
  g->analysed = g->lu_analysed = g->qr_analysed = false;
  if (!dv_ldl_analyse(&g->ldl, &a->pattern, a->block, dv_ordering_of(o, g->orderingMethod.target)))
    return no_memory(o, a);
  find_mirror(g, &a->pattern);
  dv_array_resize(&g->work, dv_ldl_work(&g->ldl));
  g->pattern = stamp;
  g->analysed = true;
  return DV_OK;
}

static dvStatus factorise_lu(General *g, const dvBlockMatrix *a)
{
  dvObject *o = &g->solver.base;
  size_t column;
  if (!g->lu_analysed && !dv_sparse_lu_analyse(&g->lu, a, dv_ordering_of(o, g->orderingMethod.target)))
    return no_memory(o, a);
  g->lu_analysed = true;
  g->method = METHOD_LU;
  return dv_sparse_lu_factorise(&g->lu, a, 1e-13, &column) ? DV_OK : dv_linear_solver_singular(o, column, NULL);
}

static dvStatus factorise_qr(General *g, const dvBlockMatrix *a)
{
  dvObject *o = &g->solver.base;
  if (!g->qr_analysed && !dv_sparse_qr_analyse(&g->qr, a, dv_ordering_of(o, g->orderingMethod.target)))
    return no_memory(o, a);
  g->qr_analysed = true;
  g->method = METHOD_QR;
  dv_sparse_qr_factorise(&g->qr, a, 1e-13);
  if (g->qr.rank < g->qr.n && !g->warned)
    dv_warning(o, "give every point a mass or hold enough of them",
               "the matrix has rank %zu with %zu unknowns: %zu of them are set to zero", g->qr.rank, g->qr.n,
               g->qr.n - g->qr.rank);
  g->warned = g->warned || g->qr.rank < g->qr.n;
  return DV_OK;
}

static dvStatus general_factorise(General *g, const dvBlockMatrix *a)
{
  dvObject *o = &g->solver.base;
  size_t pivot;
  DV_TRY(general_analyse(g, a));
  g->method = METHOD_LDL;
  if (is_symmetric(g, a) && dv_ldl_factorise(&g->ldl, a, o->context->pool, DV_LDL_SMALL, &pivot) &&
      g->ldl.negative == 0)
    return DV_OK;
  return o->cls == &dv_sparse_qr_class ? factorise_qr(g, a) : factorise_lu(g, a);
}

static dvStatus general_prepare(dvObject *o)
{
  General *g = (General *)o;
  const dvBlockMatrix *a;
  bool changed;
  DV_TRY(dv_linear_solver_matrix(o, &a, &changed));
  if (!changed && g->analysed) return DV_OK;
  DV_TRY(general_factorise(g, a));
  const size_t numbers = g->method == METHOD_LDL  ? dv_ldl_count(&g->ldl) * (size_t)(a->block * a->block)
                         : g->method == METHOD_LU ? dv_sparse_lu_count(&g->lu)
                                                  : 0;
  g->L_nnz = (int32_t)dv_min_size(numbers, INT32_MAX);
  return DV_OK;
}

static void general_apply(dvObject *o, double *x, const double *rhs)
{
  General *g = (General *)o;
  if (g->method == METHOD_LDL) dv_ldl_solve_with(&g->ldl, o->context->pool, rhs, x, g->work.data);
  else if (g->method == METHOD_LU) dv_sparse_lu_solve(&g->lu, rhs, x);
  else dv_sparse_qr_solve(&g->qr, rhs, x);
}

static void general_destroy(dvObject *o)
{
  General *g = (General *)o;
  dv_ldl_free(&g->ldl);
  dv_sparse_lu_free(&g->lu);
  dv_sparse_qr_free(&g->qr);
  dv_array_free(&g->mirror);
  dv_array_free(&g->work);
  dv_linear_solver_destroy(o);
}

static const dvLinearSolverOps general_ops = {
    .solve = dv_linear_solver_solve, .prepare = general_prepare, .apply = general_apply};

#define GENERAL_CLASS(variable, name_, help_)                                          \
  const dvClass variable = {                                                           \
      .struct_size = sizeof(dvClass),                                                  \
      .name = name_,                                                                   \
      .help = help_,                                                                   \
      .module = "Sofa.Component.LinearSolver.Direct",                                  \
      .size = sizeof(General),                                                         \
      .blocks = {&dv_object_block, &dv_linear_solver_block, DV_BLOCK(general_fields)}, \
      .ops = {[DV_ROLE_LINEAR_SOLVER] = &general_ops},                                 \
      .init = general_init,                                                            \
      .destroy = general_destroy,                                                      \
      .remember = dv_linear_solver_remember,                                           \
      .restored = dv_linear_solver_restored,                                           \
  }

GENERAL_CLASS(dv_sparse_lu_class, "EigenSparseLU", "solves systems of any kind directly by a sparse LU factorisation");
GENERAL_CLASS(
    dv_sparse_qr_class, "EigenSparseQR",
    "solves systems of any kind directly by a sparse QR factorisation; singular ones in the sense of least squares");

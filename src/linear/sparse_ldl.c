// Direct solvers for symmetric matrices behind SOFA's names: SparseLDLSolver, AsyncSparseLDLSolver, EigenSimplicialLDLT, EigenSimplicialLLT
// (which refuses matrices that are not positive definite) and PrecomputedLinearSolver (which keeps the factor of its first matrix). One sparse
// LDL^T on blocks serves them all.
#include "linear/classes.h"
#include "linear/ldl.h"
#include "linear/orderings.h"
#include "linear/solver.h"

#include <math.h>

#define SPARSE_FIELDS(X) \
  X(link, orderingMethod, "", "", "component that chooses the order of elimination; the one of the node by default")
#define LDL_FIELDS(X)                                                                                                       \
  X(bool, precomputeSymbolicDecomposition, "1", "", "accepted: the pattern is analysed again only when it changes", .flags = DV_HIDDEN) \
  X(int, L_nnz, "0", "", "numbers in the factor, without the diagonal", .flags = DV_READ_ONLY)

#define ASYNC_FIELDS(X) X(bool, enableAssembly, "1", "", "accepted for compatibility", .flags = DV_HIDDEN)
#define PRECOMPUTED_FIELDS(X)                                                                                               \
  X(bool, jmjt_twostep, "1", "", "accepted for compatibility", .flags = DV_HIDDEN)                                          \
  X(bool, use_file, "1", "", "accepted: the factor is computed at the start of every run, which is quicker than reading an inverse", .flags = DV_HIDDEN)

typedef struct SparseLdl {
  dvLinearSolver solver;
  SPARSE_FIELDS(DV_MEMBER)
  LDL_FIELDS(DV_MEMBER)
  ASYNC_FIELDS(DV_MEMBER)
  PRECOMPUTED_FIELDS(DV_MEMBER)
  dvLdl factor;                 // the one that solves
  dvLdl next;                   // AsyncSparseLDLSolver: takes its place in the next step
  unsigned analysed;            // stamp of the pattern
  bool analysed_once;
  DV_ARRAY(double) work;
} SparseLdl;

#define SELF SparseLdl
static const dvFieldDesc sparse_fields[] = {SPARSE_FIELDS(DV_DESCRIBE)};
static const dvFieldDesc ldl_fields[] = {LDL_FIELDS(DV_DESCRIBE)};
static const dvFieldDesc async_fields[] = {ASYNC_FIELDS(DV_DESCRIBE)};
static const dvFieldDesc precomputed_fields[] = {PRECOMPUTED_FIELDS(DV_DESCRIBE)};
#undef SELF

static dvStatus sparse_ldl_init(dvObject *o) { return dv_linear_solver_init(o, DV_SYSTEM_MATRIX, &dv_matrix_system_class); }

static dvStatus sparse_ldl_analyse(SparseLdl *s, const dvBlockMatrix *a)
{
  dvObject *o = &s->solver.base;
  unsigned stamp = dv_linear_system(s->solver.system)->assembly->pattern_stamp;
  dvOrder order = dv_ordering_of(o, s->orderingMethod.target);
  if (s->analysed_once && s->analysed == stamp) return DV_OK;
  s->analysed_once = false;
  dv_ldl_free(&s->next);
  if (!dv_ldl_analyse(&s->factor, &a->pattern, a->block, order) ||
      (o->cls == &dv_async_ldl_class && !dv_ldl_analyse_like(&s->next, &s->factor)))
    return dv_error(o, "use an iterative solver (CGLinearSolver)", "out of memory for the factor of %zu unknowns", dv_block_matrix_rows(a));
  s->analysed = stamp;
  s->analysed_once = true;
  s->L_nnz = (int32_t)dv_min_size(dv_ldl_count(&s->factor) * (size_t)(a->block * a->block), INT32_MAX);
  dv_array_resize(&s->work, dv_ldl_work(&s->factor) + 2 * dv_ldl_rows(&s->factor));
  return DV_OK;
}

static dvStatus sparse_ldl_report(SparseLdl *s, const dvLdl *factor, size_t pivot)
{
  double *null_vector = dv_alloc(dv_ldl_rows(factor) * sizeof *null_vector);
  dv_ldl_null_vector(factor, pivot, null_vector);
  dvStatus status = dv_linear_solver_singular(&s->solver.base, pivot, null_vector);
  dv_free(null_vector);
  return status;
}

static dvStatus sparse_ldl_factorise(SparseLdl *s, dvLdl *factor, const dvBlockMatrix *a)
{
  dvObject *o = &s->solver.base;
  size_t pivot;
  if (!dv_ldl_factorise(factor, a, o->context->pool, DV_LDL_SMALL, &pivot)) return sparse_ldl_report(s, factor, pivot);
  if (factor->negative > 0 && o->cls == &dv_sparse_llt_class)
    return dv_error(o, "use EigenSimplicialLDLT, which takes such matrices", "the matrix is not positive definite: %zu of its pivots are negative",
                    factor->negative);
  return DV_OK;
}

static dvStatus sparse_ldl_prepare(dvObject *o)
{
  SparseLdl *s = (SparseLdl *)o;
  const dvBlockMatrix *a;
  bool changed;
  DV_TRY(dv_linear_solver_matrix(o, &a, &changed));
  if (!changed && s->factor.valid) return DV_OK;
  DV_TRY(sparse_ldl_analyse(s, a));
  return sparse_ldl_factorise(s, &s->factor, a);
}

// as when the factorisation runs beside the simulation and is ready one step later: a step solves with the factor of the step before, only
// the first one waits for its own
static dvStatus async_ldl_prepare(dvObject *o)
{
  SparseLdl *s = (SparseLdl *)o;
  const dvBlockMatrix *a;
  bool changed;
  DV_TRY(dv_linear_solver_matrix(o, &a, &changed));
  if (changed) DV_TRY(sparse_ldl_analyse(s, a));
  if (!s->factor.valid) return sparse_ldl_factorise(s, &s->factor, a);
  if (s->next.valid) {
    dvLdl used = s->factor;
    s->factor = s->next;
    s->next = used;
    s->next.valid = false;
  }
  return changed ? sparse_ldl_factorise(s, &s->next, a) : DV_OK;
}

// pivots were replaced: the solution approaches that of the matrix itself step by step
static void sparse_ldl_refine(SparseLdl *s, double *x, const double *rhs)
{
  const dvBlockMatrix *a = dv_linear_system_matrix(s->solver.system);
  double before = INFINITY;
  for (int i = 0; a && i < 20; i++) {
    double now = dv_ldl_refine(&s->factor, a, rhs, x, s->work.data);
    if (!(now > 1e-14) || now > 0.5 * before) return;
    before = now;
  }
}

static void sparse_ldl_apply(dvObject *o, double *x, const double *rhs)
{
  SparseLdl *s = (SparseLdl *)o;
  bool refined = s->factor.perturbed > 0 && rhs != x;
  dv_ldl_solve(&s->factor, rhs, x, s->work.data);
  if (refined) sparse_ldl_refine(s, x, rhs);
}

static void sparse_ldl_destroy(dvObject *o)
{
  SparseLdl *s = (SparseLdl *)o;
  dv_ldl_free(&s->factor);
  dv_ldl_free(&s->next);
  dv_array_free(&s->work);
  dv_linear_solver_destroy(o);
}

static const dvLinearSolverOps async_ldl_ops = {.solve = dv_linear_solver_solve, .prepare = async_ldl_prepare, .apply = sparse_ldl_apply};
static const dvLinearSolverOps sparse_ldl_ops = {.solve = dv_linear_solver_solve, .prepare = sparse_ldl_prepare, .apply = sparse_ldl_apply};

// only the first matrix is ever built
static dvStatus precomputed_solve(dvObject *o, dvPlan *plan, const dvMech *m, int x, int rhs)
{
  SparseLdl *s = (SparseLdl *)o;
  if (!s->factor.valid) return dv_linear_solver_solve(o, plan, m, x, rhs);
  const dvAssembly *a = dv_linear_system(s->solver.system)->assembly;
  if (!dv_assembly_holds(a, plan))
    return dv_error(o, "use SparseLDLSolver", "the number of unknowns has changed: a precomputed factor no longer fits");
  return dv_linear_solver_back_substitute(o, x, rhs);
}

static const dvLinearSolverOps precomputed_ops = {.solve = precomputed_solve, .prepare = sparse_ldl_prepare, .apply = sparse_ldl_apply};

#define SPARSE_CLASS(variable, name_, ops_, help_, ...)                                                      \
  const dvClass variable = {                                                                           \
      .struct_size = sizeof(dvClass),                                                                  \
      .name = name_,                                                                                   \
      .help = help_,                                                                                   \
      .module = "Sofa.Component.LinearSolver.Direct",                                                  \
      .size = sizeof(SparseLdl),                                                                       \
      .blocks = {&dv_object_block, &dv_linear_solver_block, DV_BLOCK(sparse_fields), ##__VA_ARGS__},   \
      .ops = {[DV_ROLE_LINEAR_SOLVER] = &ops_},                                                        \
      .init = sparse_ldl_init,                                                                         \
      .destroy = sparse_ldl_destroy,                                                                   \
  }

SPARSE_CLASS(dv_sparse_ldl_class, "SparseLDLSolver", sparse_ldl_ops, "solves symmetric systems directly by a sparse LDL^T factorisation", DV_BLOCK(ldl_fields));
SPARSE_CLASS(dv_simplicial_ldlt_class, "EigenSimplicialLDLT", sparse_ldl_ops, "solves symmetric systems directly by a sparse LDL^T factorisation");
SPARSE_CLASS(dv_sparse_llt_class, "EigenSimplicialLLT", sparse_ldl_ops, "solves symmetric positive definite systems directly by a sparse factorisation");
SPARSE_CLASS(dv_async_ldl_class, "AsyncSparseLDLSolver", async_ldl_ops,
             "solves symmetric systems with the sparse LDL^T factor of the matrix of the step before", DV_BLOCK(ldl_fields),
             DV_BLOCK(async_fields));
SPARSE_CLASS(dv_precomputed_class, "PrecomputedLinearSolver", precomputed_ops, "solves with the factor of the first matrix in all steps",
             DV_BLOCK(precomputed_fields));

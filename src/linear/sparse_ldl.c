// Direct solvers for symmetric matrices behind SOFA's names: SparseLDLSolver, EigenSimplicialLDLT and EigenSimplicialLLT (the last one refuses
// matrices that are not positive definite). One sparse LDL^T on blocks serves them all.
#include "linear/classes.h"
#include "linear/ldl.h"
#include "linear/orderings.h"
#include "linear/solver.h"

#define SPARSE_FIELDS(X) \
  X(link, orderingMethod, "", "", "component that chooses the order of elimination; the one of the node by default")
#define LDL_FIELDS(X)                                                                                                       \
  X(bool, precomputeSymbolicDecomposition, "1", "", "accepted: the pattern is analysed again only when it changes", .flags = DV_HIDDEN) \
  X(int, L_nnz, "0", "", "numbers in the factor, without the diagonal", .flags = DV_READ_ONLY)

typedef struct SparseLdl {
  dvLinearSolver solver;
  SPARSE_FIELDS(DV_MEMBER)
  LDL_FIELDS(DV_MEMBER)
  dvLdl factor;
  unsigned analysed;            // stamp of the pattern
  bool analysed_once;
  DV_ARRAY(double) work;
} SparseLdl;

#define SELF SparseLdl
static const dvFieldDesc sparse_fields[] = {SPARSE_FIELDS(DV_DESCRIBE)};
static const dvFieldDesc ldl_fields[] = {LDL_FIELDS(DV_DESCRIBE)};
#undef SELF

static dvStatus sparse_ldl_init(dvObject *o) { return dv_linear_solver_init(o, true, &dv_matrix_system_class); }

static dvStatus sparse_ldl_analyse(SparseLdl *s, const dvBlockMatrix *a)
{
  dvObject *o = &s->solver.base;
  unsigned stamp = dv_linear_system(s->solver.system)->assembly->pattern_stamp;
  if (s->analysed_once && s->analysed == stamp) return DV_OK;
  s->analysed_once = false;
  if (!dv_ldl_analyse(&s->factor, &a->pattern, a->block, dv_ordering_of(o, s->orderingMethod.target)))
    return dv_error(o, "use an iterative solver (CGLinearSolver)", "out of memory for the factor of %zu unknowns", dv_block_matrix_rows(a));
  s->analysed = stamp;
  s->analysed_once = true;
  s->L_nnz = (int32_t)dv_min_size(dv_ldl_count(&s->factor) * (size_t)(a->block * a->block), INT32_MAX);
  dv_array_resize(&s->work, dv_block_matrix_rows(a));
  return DV_OK;
}

static dvStatus sparse_ldl_report(SparseLdl *s, size_t pivot)
{
  double *null_vector = dv_alloc(s->work.count * sizeof *null_vector);
  dv_ldl_null_vector(&s->factor, pivot, null_vector);
  dvStatus status = dv_linear_solver_singular(&s->solver.base, pivot, null_vector);
  dv_free(null_vector);
  return status;
}

static dvStatus sparse_ldl_prepare(dvObject *o)
{
  SparseLdl *s = (SparseLdl *)o;
  const dvBlockMatrix *a;
  bool changed;
  size_t pivot;
  DV_TRY(dv_linear_solver_matrix(o, &a, &changed));
  if (!changed && s->factor.valid) return DV_OK;
  DV_TRY(sparse_ldl_analyse(s, a));
  if (!dv_ldl_factorise(&s->factor, a, DV_LDL_SMALL, &pivot)) return sparse_ldl_report(s, pivot);
  if (s->factor.negative > 0 && o->cls == &dv_sparse_llt_class)
    return dv_error(o, "use EigenSimplicialLDLT, which takes such matrices", "the matrix is not positive definite: %zu of its pivots are negative",
                    s->factor.negative);
  return DV_OK;
}

static void sparse_ldl_apply(dvObject *o, double *x, const double *rhs)
{
  SparseLdl *s = (SparseLdl *)o;
  dv_ldl_solve(&s->factor, rhs, x, s->work.data);
}

static void sparse_ldl_destroy(dvObject *o)
{
  SparseLdl *s = (SparseLdl *)o;
  dv_ldl_free(&s->factor);
  dv_array_free(&s->work);
  dv_linear_solver_destroy(o);
}

static const dvLinearSolverOps sparse_ldl_ops = {.solve = dv_linear_solver_solve, .prepare = sparse_ldl_prepare, .apply = sparse_ldl_apply};

#define SPARSE_CLASS(variable, name_, help_, ...)                                                      \
  const dvClass variable = {                                                                           \
      .struct_size = sizeof(dvClass),                                                                  \
      .name = name_,                                                                                   \
      .help = help_,                                                                                   \
      .module = "Sofa.Component.LinearSolver.Direct",                                                  \
      .size = sizeof(SparseLdl),                                                                       \
      .blocks = {&dv_object_block, &dv_linear_solver_block, DV_BLOCK(sparse_fields), ##__VA_ARGS__},   \
      .ops = {[DV_ROLE_LINEAR_SOLVER] = &sparse_ldl_ops},                                              \
      .init = sparse_ldl_init,                                                                         \
      .destroy = sparse_ldl_destroy,                                                                   \
  }

SPARSE_CLASS(dv_sparse_ldl_class, "SparseLDLSolver", "solves symmetric systems directly by a sparse LDL^T factorisation", DV_BLOCK(ldl_fields));
SPARSE_CLASS(dv_simplicial_ldlt_class, "EigenSimplicialLDLT", "solves symmetric systems directly by a sparse LDL^T factorisation");
SPARSE_CLASS(dv_sparse_llt_class, "EigenSimplicialLLT", "solves symmetric positive definite systems directly by a sparse factorisation");

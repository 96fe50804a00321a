// Direct solvers for symmetric matrices behind SOFA's names: SparseLDLSolver, EigenSimplicialLDLT, EigenSimplicialLLT
// and EigenCholmodSupernodalLLT (which refuse matrices that are not positive definite) and PrecomputedLinearSolver
// (which keeps the factor of its first matrix). One sparse LDL^T serves them all; AsyncSparseLDLSolver is in
// async_ldl.c.
#include "linear/classes.h"
#include "linear/direct/factor.h"
#include "linear/direct/orderings.h"
#include "linear/inverse.h"
#include "linear/solver.h"

#include <math.h>

#define SPARSE_FIELDS(X) \
  X(link, orderingMethod, "", "", "component that chooses the order of elimination; the one of the node by default")
#define LDL_FIELDS(X)                                                                                                \
  X(bool, precomputeSymbolicDecomposition, "1", "", "accepted: the pattern is analysed again only when it changes",  \
    .flags = DV_HIDDEN)                                                                                              \
  X(bool, positive, "0", "",                                                                                         \
    "as preconditioner: take pivots below 0 as above, so that it suits conjugate gradients where the matrix is not " \
    "positive definite; it is then no inverse")                                                                      \
  X(bool, single, "0", "",                                                                                           \
    "as preconditioner: solve with a copy of the factor in single precision, which is read in half the time")        \
  X(bool, small, "0", "",                                                                                            \
    "as preconditioner: factorise in single precision and solve with a copy of the factor in numbers of 16 bits, "   \
    "each column in a unit of its own, which is read in a quarter of the time")                                      \
  X(int, L_nnz, "0", "", "numbers in the factor, without the diagonal", .flags = DV_READ_ONLY)

#define PRECOMPUTED_FIELDS(X)                                                                               \
  X(bool, jmjt_twostep, "1", "", "accepted for compatibility", .flags = DV_HIDDEN)                          \
  X(bool, use_file, "1", "",                                                                                \
    "accepted: the factor is computed at the start of every run, which is quicker than reading an inverse", \
    .flags = DV_HIDDEN)

typedef struct SparseLdl {
  dvLinearSolver solver;
  SPARSE_FIELDS(DV_MEMBER)
  LDL_FIELDS(DV_MEMBER)
  PRECOMPUTED_FIELDS(DV_MEMBER)
  dvLdl factor;
  unsigned analysed;   // stamp of the pattern
  bool analysed_once;
  dvOrderHistory orders;
  DV_ARRAY(double) work;
  dvLdlBatch *batch;   // of compliances
} SparseLdl;

#define SELF SparseLdl
static const dvFieldDesc sparse_fields[] = {SPARSE_FIELDS(DV_DESCRIBE)};
static const dvFieldDesc ldl_fields[] = {LDL_FIELDS(DV_DESCRIBE)};
static const dvFieldDesc precomputed_fields[] = {PRECOMPUTED_FIELDS(DV_DESCRIBE)};
#undef SELF

static dvStatus sparse_ldl_init(dvObject *o)
{
  return dv_linear_solver_init(o, DV_SYSTEM_MATRIX, &dv_matrix_system_class);
}

static const dvLinearSolverOps sparse_ldl_ops, precomputed_ops;

// Looks for a solver that has analysed a pattern, and no other before.
typedef struct TwinVisitor {
  dvVisitor base;
  const SparseLdl *of;
  SparseLdl *found;
  const dvBlockMatrix *a;
  dvOrder order;
} TwinVisitor;

static bool is_twin(const TwinVisitor *v, const SparseLdl *other)
{
  const dvObject *o = &other->solver.base;
  const dvLinearSolverOps *ops = dv_ops(o, DV_ROLE_LINEAR_SOLVER);
  if (other == v->of || (ops != &sparse_ldl_ops && ops != &precomputed_ops) || !other->analysed_once) return false;
  const dvBlockMatrix *b = dv_linear_system_matrix(other->solver.system);
  return b && other->analysed == dv_linear_system(other->solver.system)->assembly->pattern_stamp &&
         other->orders.analyses == 1 && dv_ordering_of(o, other->orderingMethod.target) == v->order &&
         b->block == v->a->block && dv_pattern_same(&b->pattern, &v->a->pattern);
}

static dvWalk look_for_twin(dvVisitor *base, dvNode *node)
{
  TwinVisitor *v = (TwinVisitor *)base;
  for (size_t i = 0; i < node->objects.count && !v->found; i++) {
    dvObject *o = node->objects.data[i];
    if (dv_plays(o, DV_ROLE_LINEAR_SOLVER) && is_twin(v, (SparseLdl *)o)) v->found = (SparseLdl *)o;
  }
  return v->found ? DV_WALK_PRUNE : DV_WALK_ON;
}

// equal bodies of a scene are ordered once, and share work space
static bool analyse(SparseLdl *s, const dvBlockMatrix *a, dvOrder order)
{
  TwinVisitor v = {.base = {.top_down = look_for_twin}, .of = s, .a = a, .order = order};
  if (s->orders.analyses == 0) dv_visit(s->solver.base.node->scene->root, &v.base);
  if (!v.found) return dv_ldl_analyse_again(&s->factor, &a->pattern, a->block, order, &s->orders);
  const dvOrderHistory *h = &v.found->orders;
  dv_order_history_free(&s->orders);   // a reset leaves it room
  s->orders = (dvOrderHistory){.analyses = 1, .hash = h->hash, .work = h->work, .rows = h->rows};
  if (!v.found->batch) v.found->batch = dv_ldl_batch_create();
  if (!s->batch) s->batch = dv_ldl_batch_share(v.found->batch);
  return dv_ldl_analyse_like(&s->factor, &v.found->factor);
}

static dvStatus sparse_ldl_analyse(SparseLdl *s, const dvBlockMatrix *a)
{
  dvObject *o = &s->solver.base;
  unsigned stamp = dv_linear_system(s->solver.system)->assembly->pattern_stamp;
  dvOrder order = dv_ordering_of(o, s->orderingMethod.target);
  if (s->analysed_once && s->analysed == stamp) return DV_OK;
  s->analysed_once = false;
  if (!analyse(s, a, order))
    return dv_error(o, "use an iterative solver (CGLinearSolver)", "out of memory for the factor of %zu unknowns",
                    dv_block_matrix_rows(a));
  s->analysed = stamp;
  s->analysed_once = true;
  s->L_nnz = (int32_t)dv_min_size(dv_ldl_count(&s->factor) * (size_t)(a->block * a->block), INT32_MAX);
  dv_array_resize(&s->work, dv_ldl_work(&s->factor) + 2 * dv_ldl_rows(&s->factor));
  return DV_OK;
}

static dvStatus sparse_ldl_factorise(SparseLdl *s, const dvBlockMatrix *a)
{
  dvObject *o = &s->solver.base;
  const dvLdl *factor = &s->factor;
  size_t pivot;
  s->factor.numbers = DV_LDL_DOUBLE;
  s->factor.rough = s->small;
  if (!dv_ldl_refactorise(&s->factor, a, o->context->pool, DV_LDL_SMALL, &pivot))
    return dv_linear_solver_report(o, factor, pivot);
  if (factor->negative > 0 && (o->cls == &dv_sparse_llt_class || o->cls == &dv_supernodal_llt_class))
    return dv_error(o, "use EigenSimplicialLDLT, which takes such matrices",
                    "the matrix is not positive definite: %zu of its pivots are negative", factor->negative);
  s->solver.indefinite = factor->negative > 0;
  if (s->positive && factor->negative > 0)
    for (size_t i = 0; i < dv_ldl_rows(factor); i++) s->factor.inverse_d[i] = fabs(factor->inverse_d[i]);
  dvLdlNumbers numbers = s->small ? DV_LDL_SHORT : s->single ? DV_LDL_SINGLE : DV_LDL_DOUBLE;
  return dv_ldl_make_copy(&s->factor, numbers, o->context->pool) ? DV_OK : dv_error(o, NULL, "out of memory");
}

static dvStatus sparse_ldl_prepare(dvObject *o)
{
  SparseLdl *s = (SparseLdl *)o;
  const dvBlockMatrix *a;
  bool changed;
  DV_TRY(dv_linear_solver_matrix(o, &a, &changed));
  if (!changed && s->factor.valid) return DV_OK;
  DV_TRY(sparse_ldl_analyse(s, a));
  return sparse_ldl_factorise(s, a);
}

static void sparse_ldl_apply(dvObject *o, double *x, const double *rhs)
{
  SparseLdl *s = (SparseLdl *)o;
  dv_ldl_solve_with(&s->factor, o->context->pool, rhs, x, s->work.data);
  if (s->factor.perturbed > 0 && rhs != x && !s->positive) dv_linear_solver_refine(o, &s->factor, x, rhs, s->work.data);
}

static dvStatus sparse_ldl_compliance(dvObject *o, const dvSparseRows *rows, double *w)
{
  SparseLdl *s = (SparseLdl *)o;
  if (s->positive && s->factor.negative > 0)
    return dv_error(
        o, "leave positive away: it is for preconditioners",
        "%zu pivots of the matrix are negative and were taken as positive: constraints need the inverse itself",
        (size_t)s->factor.negative);
  if (s->small)
    return dv_error(o, "leave small away: it is for preconditioners",
                    "the factor has the digits of 16 bits: constraints need the inverse itself");
  return s->factor.perturbed > 0 ? dv_linear_solver_compliance_by_rows(o, rows, w)
                                 : dv_linear_solver_compliance_by_factor(o, &s->factor, &s->batch, rows, w);
}

static void sparse_ldl_remember(dvObject *o, dvMemoryStream *stream)
{
  dv_linear_solver_remember(o, stream);
  dv_order_history_remember(&((SparseLdl *)o)->orders, stream);
}

// what was put back may belong to an earlier matrix
static bool sparse_ldl_restored(dvObject *o)
{
  ((SparseLdl *)o)->analysed_once = false;
  return dv_linear_solver_restored(o);
}

static void sparse_ldl_destroy(dvObject *o)
{
  SparseLdl *s = (SparseLdl *)o;
  dv_order_history_free(&s->orders);
  dv_ldl_batch_destroy(&s->batch);
  dv_ldl_free(&s->factor);
  dv_array_free(&s->work);
  dv_linear_solver_destroy(o);
}

// a field of old: whether unknowns are ordered
static dvStatus sparse_ldl_parse(dvObject *o, dvAttributes *a)
{
  if (dv_attribute_take(a, "applyPermutation"))
    dv_warning(o, "leave it out", "applyPermutation means nothing here: unknowns are always put into a good order");
  return DV_OK;
}

static const dvLinearSolverOps sparse_ldl_ops = {.solve = dv_linear_solver_solve,
                                                 .prepare = sparse_ldl_prepare,
                                                 .apply = sparse_ldl_apply,
                                                 .compliance = sparse_ldl_compliance};

// only the first matrix is ever built
static dvStatus precomputed_solve(dvObject *o, dvPlan *plan, const dvMech *m, int x, int rhs)
{
  SparseLdl *s = (SparseLdl *)o;
  dvLinearSystem *system = dv_linear_system(s->solver.system);
  system->lasts = true;
  if (!s->factor.valid || system->stale) {
    system->bringing = true;
    dvStatus status = dv_linear_solver_solve(o, plan, m, x, rhs);
    system->bringing = false;
    return status;
  }
  const dvAssembly *a = dv_linear_system(s->solver.system)->assembly;
  if (!dv_assembly_holds(a, plan))
    return dv_error(o, "use SparseLDLSolver",
                    "the number of unknowns has changed: a precomputed factor no longer fits");
  DV_TRY(dv_linear_system_collect_live(s->solver.system, plan, m));
  return dv_linear_solver_back_substitute(o, x, rhs);
}

static const dvLinearSolverOps precomputed_ops = {.solve = precomputed_solve,
                                                  .prepare = sparse_ldl_prepare,
                                                  .apply = sparse_ldl_apply,
                                                  .compliance = sparse_ldl_compliance};

#define SPARSE_CLASS(variable, name_, ops_, help_, ...)                                              \
  const dvClass variable = {                                                                         \
      .struct_size = sizeof(dvClass),                                                                \
      .name = name_,                                                                                 \
      .help = help_,                                                                                 \
      .module = "Sofa.Component.LinearSolver.Direct",                                                \
      .size = sizeof(SparseLdl),                                                                     \
      .blocks = {&dv_object_block, &dv_linear_solver_block, DV_BLOCK(sparse_fields), ##__VA_ARGS__}, \
      .ops = {[DV_ROLE_LINEAR_SOLVER] = &ops_},                                                      \
      .parse = sparse_ldl_parse,                                                                     \
      .init = sparse_ldl_init,                                                                       \
      .destroy = sparse_ldl_destroy,                                                                 \
      .remember = sparse_ldl_remember,                                                               \
      .restored = sparse_ldl_restored,                                                               \
  }

SPARSE_CLASS(dv_sparse_ldl_class, "SparseLDLSolver", sparse_ldl_ops,
             "solves symmetric systems directly by a sparse LDL^T factorisation", DV_BLOCK(ldl_fields));
SPARSE_CLASS(dv_simplicial_ldlt_class, "EigenSimplicialLDLT", sparse_ldl_ops,
             "solves symmetric systems directly by a sparse LDL^T factorisation");
SPARSE_CLASS(dv_sparse_llt_class, "EigenSimplicialLLT", sparse_ldl_ops,
             "solves symmetric positive definite systems directly by a sparse factorisation");
SPARSE_CLASS(dv_supernodal_llt_class, "EigenCholmodSupernodalLLT", sparse_ldl_ops,
             "solves large symmetric positive definite systems directly by a sparse factorisation");
SPARSE_CLASS(dv_precomputed_class, "PrecomputedLinearSolver", precomputed_ops,
             "solves with the factor of the first matrix in all steps", DV_BLOCK(precomputed_fields));

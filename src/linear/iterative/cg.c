// CGLinearSolver: conjugate gradients without preconditioner. By default matrix-free: A p is a walk over forces and
// masses; with a template such as CompressedRowSparseMatrix it is a product with the assembled matrix.
//
// The number of iterations is part of the result, so the stopping rules are SOFA's to the letter: the residual test
// comes first in an iteration (|r| / |b| <= tolerance), the test of the denominator p.Ap after the product
// (|p.Ap| <= threshold); in the very first iteration of the very first solve neither stops.
#include "linear/classes.h"
#include "linear/iterative/iterative.h"

#include <math.h>

#define CG_FIELDS(X)                                                                           \
  X(real, threshold, "1e-5", "", "stop when the denominator p.Ap is this small", .least = "0") \
  X(bool, warmStart, "0", "", "start from the solution of the step before")

typedef struct CG {
  dvIterative iterative;
  CG_FIELDS(DV_MEMBER)
  long solves;
  int p, q, r;   // vectors: direction, product, residual
} CG;

#define SELF CG
static const dvFieldDesc cg_fields[] = {CG_FIELDS(DV_DESCRIBE)};
static const dvMemoryDesc cg_memory[] = {DV_REMEMBER(numbers, solves)};
#undef SELF

static dvStatus cg_init(dvObject *o)
{
  CG *c = (CG *)o;
  if (c->threshold < 0) {
    dv_field_warning(o, &c->threshold, NULL, "threshold must not be negative; 1e-5 is used");
    c->threshold = 1e-5;
  }
  c->solves = 0;
  dv_vecs_take(o, DV_VEC_DERIV, &c->p, &c->q, &c->r);
  return dv_iterative_init(o, &dv_matrix_free_class);
}

static dvStatus parallel_cg_init(dvObject *o)
{
  if (!o->template_text) o->template_text = dv_strdup("ParallelCompressedRowSparseMatrix");   // it always has a matrix
  return cg_init(o);
}

static void start(CG *c, dvPlan *plan, int x, int b)
{
  if (c->warmStart) {
    dv_iterative_product(&c->iterative, plan, c->q, x);
    dv_mech_combine(plan, c->r, b, -1, c->q);
  } else {
    dv_mech_clear(plan, x);
    dv_mech_copy(plan, c->r, b);
  }
}

static dvStatus cg_solve(dvObject *o, dvPlan *plan, const dvMech *m, int x, int b)
{
  CG *c = (CG *)o;
  dvIterative *it = &c->iterative;
  bool first_solve = c->solves++ == 0;
  DV_TRY(dv_linear_system_build(it->solver.system, plan, m));
  start(c, plan, x, b);
  double norm_b = sqrt(dv_mech_dot(plan, b, b));
  it->done = 0;
  dv_iterative_clear(it);
  dv_iterative_record(it, 1);
  if (norm_b == 0) return DV_OK;
  double rho = dv_mech_dot(plan, c->r, c->r), rho_before = 0;
  for (int i = 1; i <= it->iterations; i++) {
    bool lenient = i == 1 && first_solve;
    double error = sqrt(rho) / norm_b;
    dv_iterative_record(it, error);
    if (error <= it->tolerance) {
      if (!lenient) break;
      dv_warning(o, "make tolerance smaller", "the tolerance is reached before the first iteration");
    }
    if (i == 1) dv_mech_copy(plan, c->p, c->r);
    else dv_mech_xpay(plan, c->p, c->r, rho / rho_before);
    dv_iterative_product(it, plan, c->q, c->p);
    double denominator = dv_mech_dot(plan, c->p, c->q);
    if (denominator == 0) break;
    if (fabs(denominator) <= c->threshold) {
      if (!lenient) break;
      dv_warning(o, "make threshold smaller", "the threshold is reached in the first iteration");
    }
    rho_before = rho;
    rho = dv_mech_cg_step(plan, rho / denominator, c->p, c->q, x, c->r);
    it->done = i;
  }
  return DV_OK;
}

static bool cg_starts_warm(const dvObject *o) { return ((const CG *)o)->warmStart; }

static void cg_destroy(dvObject *o)
{
  CG *c = (CG *)o;
  dv_vecs_give(o, &c->p, &c->q, &c->r);
  dv_linear_solver_destroy(o);
}

static const dvLinearSolverOps cg_ops = {
    .solve = cg_solve, .residuals = dv_iterative_residuals, .starts_warm = cg_starts_warm};

const dvClass dv_cg_class = {
    .struct_size = sizeof(dvClass),
    .name = "CGLinearSolver",
    .aliases = "CGSolver",
    .help = "conjugate gradients for symmetric systems, with or without forming the matrix",
    .module = "Sofa.Component.LinearSolver.Iterative",
    .size = sizeof(CG),
    .blocks = {&dv_object_block, &dv_linear_solver_block, &dv_iterative_block, DV_BLOCK(cg_fields)},
    .ops = {[DV_ROLE_LINEAR_SOLVER] = &cg_ops},
    .init = cg_init,
    .destroy = cg_destroy,
    DV_MEMORY(cg_memory),
    .remember = dv_linear_solver_remember,
    .restored = dv_linear_solver_restored,
};

const dvClass dv_parallel_cg_class = {
    .struct_size = sizeof(dvClass),
    .name = "ParallelCGLinearSolver",
    .help = "conjugate gradients for symmetric systems with an assembled matrix",
    .module = "MultiThreading",
    .size = sizeof(CG),
    .blocks = {&dv_object_block, &dv_linear_solver_block, &dv_iterative_block, DV_BLOCK(cg_fields)},
    .ops = {[DV_ROLE_LINEAR_SOLVER] = &cg_ops},
    .init = parallel_cg_init,
    .destroy = cg_destroy,
    DV_MEMORY(cg_memory),
    .remember = dv_linear_solver_remember,
    .restored = dv_linear_solver_restored,
};

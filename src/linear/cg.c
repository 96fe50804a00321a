// CGLinearSolver: conjugate gradients without preconditioner, matrix-free: A p is a walk over forces and masses.
//
// The number of iterations is part of the result, so the stopping rules are SOFA's to the letter: the residual test
// comes first in an iteration (|r| / |b| <= tolerance), the test of the denominator p.Ap after the product
// (|p.Ap| <= threshold); in the very first iteration of the very first solve neither stops.
#include "scene/timer.h"
#include "state/state.h"

#include <math.h>

#define CG_FIELDS(X)                                                                                                  \
  X(int, iterations, "25", "", "largest number of iterations")                                    \
  X(real, tolerance, "1e-5", "", "stop when the residual is this small in proportion to the right-hand side")         \
  X(real, threshold, "1e-5", "", "stop when the denominator p.Ap is this small")\
  X(bool, warmStart, "0", "", "start from the solution of the step before")                                           \
  X(int, nbThreads, "0", "", "accepted for compatibility: the program's threads are used", .flags = DV_HIDDEN)        \
  X(string, taskSchedulerType, "_default", "", "accepted for compatibility", .flags = DV_HIDDEN)                      \
  X(bool, parallelInverseProduct, "0", "", "accepted for compatibility", .flags = DV_HIDDEN)                          \
  X(bool, factorizationInvalidation, "0", "", "accepted for compatibility", .flags = DV_HIDDEN)                       \
  X(reals, graph, "", "", "residual of each iteration of the last solve, in proportion to the right-hand side", .flags = DV_READ_ONLY) \
  X(link, linearSystem, "", "", "system to solve; matrix-free when not given", .role = DV_ROLE_LINEAR_SYSTEM)

// direction, product, residual
enum { P = DV_VEC_SOLVER, Q, R };

typedef struct CG {
  dvObject base;
  CG_FIELDS(DV_MEMBER)
  long solves;
} CG;

#define SELF CG
static const dvFieldDesc cg_fields[] = {CG_FIELDS(DV_DESCRIBE)};
#undef SELF

static dvStatus cg_init(dvObject *o)
{
  CG *c = (CG *)o;
  if (c->iterations < 0) return dv_field_error(o, &c->iterations, NULL, "iterations must not be negative");
  if (c->tolerance < 0) {
    dv_field_warning(o, &c->tolerance, NULL, "tolerance must not be negative; 1e-5 is used");
    c->tolerance = 1e-5;
  }
  if (c->threshold < 0) {
    dv_field_warning(o, &c->threshold, NULL, "threshold must not be negative; 1e-5 is used");
    c->threshold = 1e-5;
  }
  c->solves = 0;
  if (!dv_reals_resize(&c->graph, (size_t)dv_min_int(c->iterations, 100000) + 1)) return dv_error(o, NULL, "out of memory");
  return DV_OK;
}

static void start(const CG *c, dvPlan *plan, dvMech *m, int x, int b)
{
  if (c->warmStart) {
    dv_mech_product(plan, m, Q, x);
    dv_mech_combine(plan, R, b, -1, Q);
  } else {
    dv_mech_clear(plan, x);
    dv_mech_copy(plan, R, b);
  }
}

static void record(CG *c, size_t iteration, double error)
{
  if (iteration < c->graph.buffer->capacity / sizeof(double)) c->graph.data[iteration] = error, c->graph.count = iteration + 1;
}

static dvStatus cg_solve(dvObject *o, dvPlan *plan, const dvMech *params, int x, int b)
{
  CG *c = (CG *)o;
  dvMech m = *params;
  bool first_solve = c->solves++ == 0;
  start(c, plan, &m, x, b);
  double norm_b = sqrt(dv_mech_dot(plan, b, b));
  record(c, 0, 1);
  if (norm_b == 0) return DV_OK;
  double rho = dv_mech_dot(plan, R, R), rho_before = 0;
  for (int i = 1; i <= c->iterations; i++) {
    bool lenient = i == 1 && first_solve;
    double error = sqrt(rho) / norm_b;
    record(c, (size_t)i, error);
    if (error <= c->tolerance) {
      if (!lenient) break;
      dv_warning(o, "make tolerance smaller", "the tolerance is reached before the first iteration");
    }
    if (i == 1) dv_mech_copy(plan, P, R);
    else dv_mech_xpay(plan, P, R, rho / rho_before);
    dv_mech_product(plan, &m, Q, P);
    double denominator = dv_mech_dot(plan, P, Q);
    if (denominator == 0) break;
    if (fabs(denominator) <= c->threshold) {
      if (!lenient) break;
      dv_warning(o, "make threshold smaller", "the threshold is reached in the first iteration");
    }
    rho_before = rho;
    rho = dv_mech_cg_step(plan, rho / denominator, P, Q, x, R);
  }
  return DV_OK;
}

static void cg_reset(dvObject *o) { ((CG *)o)->solves = 0; }

static const dvLinearSolverOps cg_ops = {.solve = cg_solve};

const dvClass dv_cg_class = {
    .struct_size = sizeof(dvClass),
    .name = "CGLinearSolver",
    .aliases = "CGSolver ParallelCGLinearSolver",
    .help = "conjugate gradients for symmetric systems, without forming the matrix",
    .module = "Sofa.Component.LinearSolver.Iterative",
    .size = sizeof(CG),
    .blocks = {&dv_object_block, DV_BLOCK(cg_fields)},
    .ops = {[DV_ROLE_LINEAR_SOLVER] = &cg_ops},
    .init = cg_init,
    .reset = cg_reset,
};

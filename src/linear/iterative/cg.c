// CGLinearSolver: conjugate gradients without preconditioner. By default matrix-free: A p is a walk over forces and
// masses; with a template such as CompressedRowSparseMatrix it is a product with the assembled matrix.
//
// Where the scene asks for neither, the solver chooses: a solve is with a matrix when the one before took as many
// iterations as an element of the scene says that it pays from (dvForceOps.matrix_pays). The number of iterations is
// the same for any number of threads, so the choice is too, and it is remembered. SOFA has no matrix then.
//
// The number of iterations is part of the result, so the stopping rules are SOFA's to the letter: the residual test
// comes first in an iteration (|r| / |b| <= tolerance), the test of the denominator p.Ap after the product
// (|p.Ap| <= threshold); in the very first iteration of the very first solve neither stops.
#include "linear/classes.h"
#include "linear/iterative/iterative.h"

#include "scene/timer.h"

#include <math.h>

#define CG_FIELDS(X)                                                                           \
  X(real, threshold, "1e-5", "", "stop when the denominator p.Ap is this small", .least = "0") \
  X(bool, warmStart, "0", "", "start from the solution of the step before")

typedef struct CG {
  dvIterative iterative;
  CG_FIELDS(DV_MEMBER)
  long solves;
  int last;           // iterations of the solve before
  dvObject *matrix;   // a system to choose, NULL where the scene has chosen
  dvObject *system;   // of this solve
  int p, q, r;        // vectors: direction, product, residual
} CG;

#define SELF CG
static const dvFieldDesc cg_fields[] = {CG_FIELDS(DV_DESCRIBE)};
static const dvMemoryDesc cg_memory[] = {DV_REMEMBER(numbers, solves) DV_REMEMBER(numbers, last)};
#undef SELF

static dvStatus make_choice(CG *c)
{
  dvLinearSolver *s = &c->iterative.solver;
  dvObject *o = &s->base;
  if (s->system != s->made || dv_linear_system_kind(s->made) != DV_SYSTEM_FREE || o->template_text || o->as_sofa)
    return DV_OK;
  if (!c->matrix) c->matrix = dv_object_create(o->context, &dv_matrix_system_class, "matrix", NULL);
  c->matrix->node = o->node;
  c->matrix->place = o->place;
  return dv_object_ensure(c->matrix);
}

// Products from which on a matrix pays for the elements of the plan; 0: it does not, or there is none. A force that
// couples all of its points says a number below 0. Mapped states
// and contacts cost more in a matrix than they bring.
static int matrix_pays(const dvPlan *plan)
{
  int pays = 0;
  for (size_t i = 0; i < plan->independent.count; i++)
    if (plan->independent.data[i]->dof->deriv != 3) return 0;
  for (size_t i = 0; i < plan->mappings.count; i++)
    if (plan->mappings.data[i].carries) return 0;
  if (plan->forces.count > plan->fixed.forces || plan->outside.count) return 0;
  for (size_t i = 0; i < plan->masses.count; i++)
    if (!((const dvMassOps *)dv_ops(plan->masses.data[i].object, DV_ROLE_MASS))->add_matrix) return 0;
  for (size_t i = 0; i < plan->forces.count; i++) {
    const dvForceOps *force = dv_ops(plan->forces.data[i].object, DV_ROLE_FORCE);
    if ((force->add_dforce && !force->add_stiffness) || force->matrix_pays < 0) return 0;
    pays = dv_max_int(pays, force->matrix_pays);
  }
  return pays;
}

static void choose_system(CG *c, const dvPlan *plan)
{
  int pays = c->matrix && c->last > 0 ? matrix_pays(plan) : 0;
  c->system = pays > 0 && c->last >= pays ? c->matrix : c->iterative.solver.system;
}

static dvStatus cg_init(dvObject *o)
{
  CG *c = (CG *)o;
  if (c->threshold < 0) {
    dv_field_warning(o, &c->threshold, NULL, "threshold must not be negative; 1e-5 is used");
    c->threshold = 1e-5;
  }
  c->solves = 0;
  c->last = 0;
  dv_vecs_take(o, DV_VEC_DERIV, &c->p, &c->q, &c->r);
  DV_TRY(dv_iterative_init(o, &dv_matrix_free_class));
  return make_choice(c);
}

static dvStatus parallel_cg_init(dvObject *o)
{
  if (!o->template_text) o->template_text = dv_strdup("ParallelCompressedRowSparseMatrix");   // it always has a matrix
  return cg_init(o);
}

static void start(CG *c, dvPlan *plan, int x, int b)
{
  if (c->warmStart) {
    dv_linear_system_product(c->system, plan, c->q, x);
    dv_mech_combine(plan, c->r, b, -1, c->q);
  } else {
    dv_mech_clear(plan, x);
    dv_mech_copy(plan, c->r, b);
  }
}

static void iterate(CG *c, dvPlan *plan, int x, int b, bool first_solve)
{
  dvObject *o = &c->iterative.solver.base;
  dvIterative *it = &c->iterative;
  start(c, plan, x, b);
  double norm_b = sqrt(dv_mech_dot(plan, b, b));
  it->done = 0;
  dv_iterative_clear(it);
  dv_iterative_record(it, 1);
  if (norm_b == 0) return;
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
    dv_linear_system_product(c->system, plan, c->q, c->p);
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
}

static dvStatus cg_solve(dvObject *o, dvPlan *plan, const dvMech *m, int x, int b)
{
  CG *c = (CG *)o;
  bool first_solve = c->solves++ == 0;
  choose_system(c, plan);
  DV_TRY(dv_linear_system_build(c->system, plan, m));
  dvTimers *timers = c->system == c->matrix ? o->context->timers : NULL;
  dv_timer_begin(timers, "with a matrix, by choice");   // the profile says so
  iterate(c, plan, x, b, first_solve);
  dv_timer_end(timers);
  c->last = c->iterative.done;
  return DV_OK;
}

static bool cg_starts_warm(const dvObject *o) { return ((const CG *)o)->warmStart; }

static void cg_destroy(dvObject *o)
{
  CG *c = (CG *)o;
  dv_vecs_give(o, &c->p, &c->q, &c->r);
  dv_object_destroy(&c->matrix);
  dv_linear_solver_destroy(o);
}

static void cg_remember(dvObject *o, dvMemoryStream *stream)
{
  dv_linear_solver_remember(o, stream);
  dv_remember_object(stream, ((CG *)o)->matrix);
}

static bool cg_restored(dvObject *o)
{
  dvObject *matrix = ((CG *)o)->matrix;
  return dv_linear_solver_restored(o) && (!matrix || matrix->cls->restored(matrix));
}

static const dvLinearSolverOps cg_ops = {
    .solve = cg_solve, .residuals = dv_iterative_residuals, .starts_warm = cg_starts_warm};

const dvClass dv_cg_class = {
    .struct_size = sizeof(dvClass),
    .name = "CGLinearSolver",
    .aliases = "CGSolver",
    .help = "conjugate gradients for symmetric systems, without a matrix (template GraphScattered), with one "
            "(CompressedRowSparseMatrix…), or as is sooner done when there is no template",
    .module = "Sofa.Component.LinearSolver.Iterative",
    .size = sizeof(CG),
    .blocks = {&dv_object_block, &dv_linear_solver_block, &dv_iterative_block, DV_BLOCK(cg_fields)},
    .ops = {[DV_ROLE_LINEAR_SOLVER] = &cg_ops},
    .init = cg_init,
    .destroy = cg_destroy,
    DV_MEMORY(cg_memory),
    .remember = cg_remember,
    .restored = cg_restored,
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
    .remember = cg_remember,
    .restored = cg_restored,
};

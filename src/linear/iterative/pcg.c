// PCGLinearSolver: preconditioned conjugate gradients (Shewchuk 1994, B3).
//
//   r = b - A x,  w = P r;  while r.w > tolerance b.b:  a = r.w / w.Aw;  x += a w;  r -= a A w;  s = P r;  w = s + (r.s
//   / r.w) w
//
// A direction in which A is not positive ends the iterations when x has gone some way already: what there is leads
// downhill, which Newton's method needs; a first direction of that kind is taken as it is.
//
// Whoever solves is told (`indefinite`), also when a new preconditioner was found not to be positive.
//
// With rebuildCost the preconditioner is kept while that pays: the iterations that solutions take beyond those of the
// first one after it was built are summed up, and it is built anew, also in the middle of a solution, when they have
// become as dear as that. It costs at most twice of what the best moments would. One that was not positive serves once.
//
// x starts from what it holds: the solution of the step before. A is a product without a matrix; P is another linear
// solver, whose system is built every `assemblingRate` times by the PreconditionedMatrixFreeSystem.
#include "linear/classes.h"
#include "linear/iterative/iterative.h"
#include "linear/system/matrix_free.h"

#include "scene/timer.h"

#include <math.h>

#define PCG_FIELDS(X)                                                                                            \
  X(bool, use_precond, "1", "", "use the preconditioner")                                                        \
  X(link, preconditioner, "", "", "linear solver that serves as preconditioner", .role = DV_ROLE_LINEAR_SOLVER,  \
    .alias = "preconditioners")                                                                                  \
  X(choice, criterion, "energy", "",                                                                             \
    "what tolerance limits: r.P r in proportion to b.b, as in SOFA (energy), or |r| to |b|, as CGLinearSolver "  \
    "has it (residual)",                                                                                         \
    .options = "energy|residual")                                                                                \
  X(real, rebuildCost, "0", "",                                                                                  \
    "what building the preconditioner costs, in iterations: it is built anew when so many more were taken than " \
    "a new one needs; 0: as assemblingRate of the system says alone",                                            \
    .least = "0")                                                                                                \
  X(int, rebuilds, "0", "", "how often it was built anew for that", .flags = DV_READ_ONLY)

typedef struct PCG {
  dvIterative iterative;
  PCG_FIELDS(DV_MEMBER)
  int r, w, s;   // vectors: residual, direction, product or preconditioned residual
  int best;      // iterations of the first solution with the preconditioner that is there; -1: there was none
  int spent;     // iterations of later ones beyond that
  bool poor;     // it was not positive
} PCG;

#define SELF PCG
static const dvFieldDesc pcg_fields[] = {PCG_FIELDS(DV_DESCRIBE)};
static const dvMemoryDesc pcg_memory[] = {DV_REMEMBER(numbers, best) DV_REMEMBER(numbers, spent)
                                              DV_REMEMBER(numbers, poor) DV_REMEMBER(numbers, rebuilds)};
#undef SELF

static dvStatus pcg_link_preconditioner(PCG *p)
{
  dvObject *o = &p->iterative.solver.base, *other = p->preconditioner.target;
  if (other == o) return dv_field_error(o, &p->preconditioner, NULL, "%s cannot be its own preconditioner", o->name);
  const dvLinearSolverOps *ops = dv_ops(other, DV_ROLE_LINEAR_SOLVER);
  if (!ops->prepare || !ops->apply)
    return dv_field_error(
        o, &p->preconditioner,
        "use a preconditioner or a direct solver, such as BlockJacobiPreconditioner or SparseLDLSolver",
        "%s (%s) cannot serve as preconditioner", other->name, other->cls->name);
  DV_TRY(dv_object_ensure(other));
  dvObject *system = p->iterative.solver.system;
  if (system->cls != &dv_preconditioned_free_class)
    return dv_error(o, "use a PreconditionedMatrixFreeSystem", "the system %s of %s has no place for a preconditioner",
                    system->name, o->name);
  ((dvPreconditionedSystem *)system)->preconditionerSystem.target = dv_linear_solver(other)->system;
  return DV_OK;
}

static dvStatus pcg_init(dvObject *o)
{
  PCG *p = (PCG *)o;
  p->best = -1;
  p->spent = p->rebuilds = 0;
  p->poor = false;
  dv_vecs_take(o, DV_VEC_DERIV, &p->r, &p->w, &p->s);
  DV_TRY(dv_iterative_init(o, &dv_preconditioned_free_class));
  if (p->preconditioner.target && p->use_precond) return pcg_link_preconditioner(p);
  if (p->use_precond && !p->preconditioner.target)
    dv_note(o, "%s has no preconditioner and runs as plain conjugate gradients", o->name);
  return DV_OK;
}

// out = P r
static void precondition(PCG *p, dvPlan *plan, int out)
{
  dvObject *o = &p->iterative.solver.base, *other = p->preconditioner.target;
  if (!other || !p->use_precond) {
    dv_mech_copy(plan, out, p->r);
    return;
  }
  dvLinearSolver *s = &p->iterative.solver;
  const dvAssembly *a = dv_linear_system(dv_linear_solver(other)->system)->assembly;
  dv_timer_begin(o->context->timers, "precondition");
  dv_assembly_gather(a, p->r, s->rhs.data);
  ((const dvLinearSolverOps *)dv_ops(other, DV_ROLE_LINEAR_SOLVER))->apply(other, s->x.data, s->rhs.data);
  dv_assembly_scatter(a, out, s->x.data);
  dv_timer_end(o->context->timers);
}

static bool is_empty(const dvPlan *plan)
{
  size_t count = 0;
  for (size_t i = 0; i < plan->independent.count; i++) count += dv_state(plan->independent.data[i])->count;
  return count == 0;
}

static dvStatus pcg_prepare(PCG *p, dvPlan *plan, const dvMech *m)
{
  dvLinearSolver *s = &p->iterative.solver;
  dvObject *other = p->preconditioner.target;
  if (p->poor && p->rebuildCost > 0) ((dvPreconditionedSystem *)s->system)->waited = INT32_MAX - 1;
  p->poor = false;
  DV_TRY(dv_linear_system_build(s->system, plan, m));
  if (!other || !p->use_precond || is_empty(plan)) return DV_OK;
  dv_timer_begin(s->base.context->timers, "prepare");
  dvStatus status = ((const dvLinearSolverOps *)dv_ops(other, DV_ROLE_LINEAR_SOLVER))->prepare(other);
  dv_timer_end(s->base.context->timers);
  DV_TRY(status);
  size_t size = dv_linear_system(dv_linear_solver(other)->system)->assembly->size;
  dv_array_resize(&s->x, size);
  dv_array_resize(&s->rhs, size);
  if (((dvPreconditionedSystem *)s->system)->waited > 0) return DV_OK;
  p->best = -1;   // it is a new one
  s->indefinite = p->poor = dv_linear_solver(other)->indefinite;
  return DV_OK;
}

typedef struct Solve {
  dvPlan *plan;
  int x, b;
  double norm_b, limit;
} Solve;

// whether the preconditioner that is there has cost as much as another one would
static bool is_worn(const PCG *p)
{
  return p->rebuildCost > 0 && p->best >= 0 && p->preconditioner.target && p->use_precond &&
         p->spent + p->iterative.done - p->best > p->rebuildCost;
}

// from x on; false when the preconditioner is worn before the tolerance is reached
static bool iterate(PCG *p, const Solve *c)
{
  dvIterative *it = &p->iterative;
  dvPlan *plan = c->plan;
  const bool residual = p->criterion == 1;
  if (dv_mech_dot(plan, c->x, c->x) > 0) {
    dv_iterative_product(it, plan, p->r, c->x);
    dv_mech_xpay(plan, p->r, c->b, -1);
  } else dv_mech_copy(plan, p->r, c->b);
  precondition(p, plan, p->w);
  double rho = dv_mech_dot(plan, p->r, p->w);
  double left = residual ? dv_mech_dot(plan, p->r, p->r) : rho;
  dv_iterative_record(it, residual ? sqrt(left / c->norm_b) : left / c->norm_b);
  while (it->done < it->iterations && left > c->limit) {
    if (is_worn(p)) return false;
    dv_iterative_product(it, plan, p->s, p->w);
    double bent = dv_mech_dot(plan, p->w, p->s), alpha = rho / bent;
    if (residual && !(bent > 0 && rho > 0)) {
      it->solver.indefinite = true;
      if (it->done++ == 0) dv_mech_combine(plan, c->x, c->x, 1, p->w);
      return true;
    }
    dv_mech_cg_step(plan, alpha, p->w, p->s, c->x, p->r);
    it->done++;
    if (residual) {
      left = dv_mech_dot(plan, p->r, p->r);
      dv_iterative_record(it, sqrt(left / c->norm_b));
      if (left <= c->limit) break;
    }
    precondition(p, plan, p->s);
    double before = rho;
    rho = dv_mech_dot(plan, p->r, p->s);
    if (!residual) {
      left = rho;
      dv_iterative_record(it, left / c->norm_b);
    }
    dv_mech_xpay(plan, p->w, p->s, rho / before);
  }
  return true;
}

static double residual_limit(const dvIterative *it, double norm_b)
{
  double norm = it->solver.measure2 > 0 ? dv_min(it->solver.measure2, norm_b) : norm_b;
  return dv_max(it->tolerance * it->tolerance * norm, it->solver.enough2);
}

static dvStatus pcg_solve(dvObject *o, dvPlan *plan, const dvMech *m, int x, int b)
{
  PCG *p = (PCG *)o;
  dvIterative *it = &p->iterative;
  it->solver.indefinite = false;
  DV_TRY(pcg_prepare(p, plan, m));
  if (is_empty(plan)) return DV_OK;
  Solve c = {.plan = plan, .x = x, .b = b, .norm_b = dv_mech_dot(plan, b, b)};
  c.limit = it->tolerance * c.norm_b;
  if (p->criterion == 1) c.limit = residual_limit(it, c.norm_b);
  dv_iterative_clear(it);
  it->done = 0;
  if (!iterate(p, &c)) {
    ((dvPreconditionedSystem *)it->solver.system)->waited = INT32_MAX - 1;
    p->rebuilds++;
    dv_touch(o, &p->rebuilds);
    DV_TRY(pcg_prepare(p, plan, m));
    it->done = 0;
    iterate(p, &c);
  }
  if (p->best < 0) p->best = it->done, p->spent = 0;
  else p->spent += dv_max_int(it->done - p->best, 0);
  return DV_OK;
}

static void pcg_settle(dvObject *o)
{
  dvObject *other = ((PCG *)o)->preconditioner.target;
  const dvLinearSolverOps *ops = other ? dv_ops(other, DV_ROLE_LINEAR_SOLVER) : NULL;
  if (ops && ops->settle) ops->settle(other);
}

static bool pcg_starts_warm(const dvObject *o)
{
  DV_UNUSED(o);
  return true;
}

static void pcg_destroy(dvObject *o)
{
  PCG *p = (PCG *)o;
  dv_vecs_give(o, &p->r, &p->w, &p->s);
  dv_linear_solver_destroy(o);
}

static const dvLinearSolverOps pcg_ops = {
    .solve = pcg_solve, .settle = pcg_settle, .residuals = dv_iterative_residuals, .starts_warm = pcg_starts_warm};

const dvClass dv_pcg_class = {
    .struct_size = sizeof(dvClass),
    .name = "PCGLinearSolver",
    .help = "conjugate gradients for symmetric systems with a preconditioner",
    .module = "Sofa.Component.LinearSolver.Iterative",
    .size = sizeof(PCG),
    .blocks = {&dv_object_block, &dv_linear_solver_block, &dv_iterative_block, DV_BLOCK(pcg_fields)},
    .ops = {[DV_ROLE_LINEAR_SOLVER] = &pcg_ops},
    .init = pcg_init,
    .destroy = pcg_destroy,
    DV_MEMORY(pcg_memory),
    .remember = dv_linear_solver_remember,
    .restored = dv_linear_solver_restored,
};

// NewmarkImplicitSolver: the Newmark family (Newmark 1959) on accelerations, one linearisation a step.
//
//   x' = x + h v + h^2 ((1/2 - beta) a + beta a'),   v' = v + h ((1 - gamma) a + gamma a')
//
// With Rayleigh damping rM, rK the new acceleration a' solves
//
//   ((1 + h gamma rM) M - h gamma B - h (h beta + gamma rK) K) a'
//       = f + (h (1 - gamma) (B + rK K - rM M) + h^2 (1/2 - beta) K) a + (B + (h + rK) K - rM M) v
//
// gamma = 1/2 is second order, beta = 1/4 the trapezoidal rule: stable for any step, and without numerical damping. The
// acceleration is carried from step to step; the first one is M^-1 f at the start.
#include "ode/integrator.h"
#include "scene/timer.h"

#include <math.h>

#define NEWMARK_FIELDS(X)                                                                                      \
  X(real, rayleighStiffness, "0", "s", "damping in proportion to the stiffness", .least = "0")                 \
  X(real, rayleighMass, "0", "1/s", "damping in proportion to the mass", .least = "0")                         \
  X(real, vdamping, "0", "1/s", "decay of all velocities: v is multiplied by exp(-h vdamping) after the step", \
    .least = "0")                                                                                              \
  X(real, gamma, "0.5", "", "weight of the new acceleration in the velocity: more than 1/2 damps")             \
  X(real, beta, "0.25", "", "weight of the new acceleration in the position")                                  \
  X(bool, threadSafeVisitor, "0", "", "accepted for compatibility", .flags = DV_HIDDEN)                        \
  X(link, linearSolver, "", "", "solver of the linear system; the one of the node by default",                 \
    .role = DV_ROLE_LINEAR_SOLVER)

typedef struct Newmark {
  dvObject base;
  NEWMARK_FIELDS(DV_MEMBER)
  dvPlan *plan;
  bool started;
  int acceleration, new_acceleration, rhs;   // vectors; the first is carried from step to step
  int warm;                                  // the new one, when the solver starts from the one before
} Newmark;

#define SELF Newmark
static const dvFieldDesc newmark_fields[] = {NEWMARK_FIELDS(DV_DESCRIBE)};
static const dvMemoryDesc newmark_memory[] = {DV_REMEMBER(numbers, started) DV_REMEMBER(vector, acceleration)
                                                  DV_REMEMBER(vector, warm)};
#undef SELF

static dvStatus newmark_init(dvObject *o)
{
  Newmark *n = (Newmark *)o;
  n->started = false;
  if (n->beta < 0 || n->gamma < 0)
    return dv_field_error(o, n->beta < 0 ? &n->beta : &n->gamma, NULL, "beta and gamma must not be negative");
  dv_vecs_take(o, DV_VEC_DERIV, &n->acceleration, &n->new_acceleration, &n->rhs);
  return dv_ode_need_linear_solver(o, &n->linearSolver);
}

static dvStatus newmark_bwd_init(dvObject *o)
{
  Newmark *n = (Newmark *)o;
  n->warm = dv_ode_warm(n->linearSolver.target, n->new_acceleration);
  return dv_ode_check_masses(o, "only stiffness and damping resist its motion");
}

static void right_hand_side(Newmark *n, dvMech *m)
{
  dvObject *o = &n->base;
  dvPlan *plan = n->plan;
  double h = m->dt, part = h * (1 - n->gamma), rm = n->rayleighMass, rk = n->rayleighStiffness;
  dv_ode_force(o, plan, m);
  dv_timer_begin(o->context->timers, "rhs");
  dv_mech_copy(plan, n->rhs, m->f);
  if (rm != 0 || rk != 0 || n->beta != 0.5) {
    dv_mech_propagate_dx(plan, n->acceleration);
    dv_ode_add_product(plan, m, n->rhs, n->acceleration,
                       (dvFactors){-part * rm, part, part * rk + h * h * (1 - 2 * n->beta) / 2});
  }
  dv_ode_add_product(plan, m, n->rhs, DV_V, (dvFactors){-rm, 1, rk + h});
  dv_mech_project_response(plan, n->rhs);
  dv_timer_end(o->context->timers);
}

static dvStatus newmark_solve(dvObject *o, double h, int x, int v)
{
  Newmark *n = (Newmark *)o;
  dvPlan *plan = dv_ode_plan(&n->plan, o);
  dvMech m = dv_ode_mech(o, h, true);
  dvObject *solver = n->linearSolver.target;
  if (!n->started) DV_TRY(dv_ode_acceleration(o, solver, plan, &m, n->acceleration));
  n->started = true;
  right_hand_side(n, &m);
  double gamma = n->gamma, beta = n->beta;
  dvFactors factors = {1 + h * gamma * n->rayleighMass, -h * gamma, -h * h * beta - h * n->rayleighStiffness * gamma};
  DV_TRY(dv_ode_solve(o, solver, plan, &m, n->new_acceleration, n->rhs, factors));
  dv_mech_combine(plan, x, DV_X, h, DV_V);
  dv_mech_combine(plan, x, x, h * h * (0.5 - beta), n->acceleration);
  dv_mech_combine(plan, x, x, h * h * beta, n->new_acceleration);
  dv_mech_combine(plan, v, DV_V, h * (1 - gamma), n->acceleration);
  dv_mech_combine(plan, v, v, h * gamma, n->new_acceleration);
  m.v = v;
  dv_mech_add_separate_gravity(plan, &m);
  if (n->vdamping != 0) dv_mech_scale(plan, v, exp(-h * n->vdamping));
  dv_mech_copy(plan, n->acceleration, n->new_acceleration);
  return DV_OK;
}

static void newmark_destroy(dvObject *o)
{
  Newmark *n = (Newmark *)o;
  dv_vecs_give(o, &n->acceleration, &n->new_acceleration, &n->rhs);
  dv_plan_destroy(&n->plan);
}

static const dvOdeOps newmark_ops = {.solve = newmark_solve};

const dvClass dv_newmark_class = {
    .struct_size = sizeof(dvClass),
    .name = "NewmarkImplicitSolver",
    .aliases = "NewmarkImplicit",
    .help = "implicit integration of the Newmark family; by default the trapezoidal rule, which does not damp",
    .module = "Sofa.Component.ODESolver.Backward",
    .size = sizeof(Newmark),
    .blocks = {&dv_object_block, DV_BLOCK(newmark_fields)},
    .ops = {[DV_ROLE_ODE] = &newmark_ops},
    .init = newmark_init,
    .bwd_init = newmark_bwd_init,
    .destroy = newmark_destroy,
    DV_MEMORY(newmark_memory),
};

// EulerImplicitSolver: backward Euler on velocities (Baraff and Witkin 1998), one linearisation a step.
//
//   (M - h B - h^2 K) dv = h (f + h K v)
//
// with Rayleigh damping rM, rK, and tr = 1/2 for the trapezoidal rule, 1 otherwise:
//
//   ((1 + tr h rM) M - tr h B - tr h (tr h + rK) K) dv = h (f + ((tr h + rK) K - rM M) v)
//   v' = v + dv, x' = x + h (v + tr dv)
//
// SOFA takes x' = x + h v' in both cases (compat sofa), which leaves the trapezoidal rule with order 1.
//
// First order: (M - tr h K) v' = f, x' = x + h v'.
#include "ode/integrator.h"

#include "object/compat.h"
#include "scene/timer.h"

#include <math.h>

#define EULER_IMPLICIT_FIELDS(X)                                                                                      \
  X(real, rayleighStiffness, "0", "s", "damping in proportion to the stiffness", .least = "0")                        \
  X(real, rayleighMass, "0", "1/s", "damping in proportion to the mass", .least = "0")                                \
  X(real, vdamping, "0", "1/s", "decay of all velocities: v is multiplied by exp(-h vdamping) after the step",        \
    .least = "0")                                                                                                     \
  X(bool, firstOrder, "0", "", "integrate a first-order equation: forces give velocities")                            \
  X(bool, trapezoidalScheme, "0", "", "weight old and new forces and velocities equally: order 2")                    \
  X(bool, solveConstraint, "0", "", "no effect: constraints are solved by FreeMotionAnimationLoop", .flags = DV_IDLE) \
  X(bool, threadSafeVisitor, "0", "", "accepted for compatibility", .flags = DV_HIDDEN)                               \
  X(bool, computeResidual, "0", "", "compute the residual M (v' - v) - h f(x', v') at the end of the step")           \
  X(real, residual, "1.7976931348623157e308", "", "its norm squared, when computed", .flags = DV_READ_ONLY)           \
  X(link, linearSolver, "", "", "solver of the linear system; the one of the node by default",                        \
    .role = DV_ROLE_LINEAR_SOLVER)

typedef struct EulerImplicit {
  dvObject base;
  EULER_IMPLICIT_FIELDS(DV_MEMBER)
  dvPlan *plan;
  int solution, rhs, old_v;   // vectors; iterative solvers start from the solution of the step before
  int warm;                   // the solution, when they do
  bool mean_velocity;         // positions move with it: the trapezoidal rule
} EulerImplicit;

#define SELF EulerImplicit
static const dvFieldDesc euler_implicit_fields[] = {EULER_IMPLICIT_FIELDS(DV_DESCRIBE)};
static const dvMemoryDesc euler_implicit_memory[] = {DV_REMEMBER(vector, warm) DV_REMEMBER(numbers, residual)};
#undef SELF

static dvStatus euler_implicit_reinit(dvObject *o)
{
  EulerImplicit *e = (EulerImplicit *)o;
  e->mean_velocity = e->trapezoidalScheme && !e->firstOrder && !dv_compat(o, DV_COMPAT_TRAPEZOID_POSITION);
  return DV_OK;
}

static dvStatus euler_implicit_init(dvObject *o)
{
  EulerImplicit *e = (EulerImplicit *)o;
  dv_vecs_take(o, DV_VEC_DERIV, &e->solution, &e->rhs, &e->old_v);
  DV_TRY(euler_implicit_reinit(o));
  return dv_ode_need_linear_solver(o, &e->linearSolver);
}

static dvStatus euler_implicit_bwd_init(dvObject *o)
{
  EulerImplicit *e = (EulerImplicit *)o;
  e->warm = dv_ode_warm(e->linearSolver.target, e->solution);
  return dv_ode_check_masses(o, "only stiffness and damping resist its motion");
}

static void right_hand_side(const dvObject *o, dvPlan *plan, dvMech *m, const dvBackwardEuler *e)
{
  dv_ode_force(o, plan, m);
  dv_timer_begin(o->context->timers, "rhs");
  dv_mech_copy(plan, e->rhs, m->f);
  if (!e->first_order) {
    dv_ode_add_product(plan, m, e->rhs, m->v,
                       (dvFactors){.m = -e->rayleigh_mass, .k = m->dt * e->trapezoid + e->rayleigh_stiffness});
    dv_mech_scale(plan, e->rhs, m->dt);
  }
  dv_mech_project_response(plan, e->rhs);
  dv_timer_end(o->context->timers);
}

dvStatus dv_backward_euler(const dvObject *o, dvObject *solver, dvPlan *plan, dvMech *m, const dvBackwardEuler *e)
{
  double tr = e->trapezoid, h = m->dt;
  right_hand_side(o, plan, m, e);
  dvFactors factors = {1 + tr * h * e->rayleigh_mass, -tr * h, -tr * h * (tr * h + e->rayleigh_stiffness)};
  if (e->first_order) factors = (dvFactors){1, 0, -h * tr};
  return dv_ode_solve(o, solver, plan, m, e->solution, e->rhs, factors);
}

static void compute_residual(EulerImplicit *e, dvMech *m, double h, int v)
{
  dv_mech_combine(e->plan, DV_DX, v, -1, e->old_v);   // v' - v
  dv_mech_clear(e->plan, e->rhs);
  dv_ode_add_product(e->plan, m, e->rhs, DV_DX, (dvFactors){.m = 1});
  dv_mech_compute_force(e->plan, m);
  dv_mech_combine(e->plan, e->rhs, e->rhs, -h, m->f);
  dv_mech_project_response(e->plan, e->rhs);
  e->residual = dv_mech_dot(e->plan, e->rhs, e->rhs);
}

static dvStatus euler_implicit_solve(dvObject *o, double h, int x, int v)
{
  EulerImplicit *e = (EulerImplicit *)o;
  dvPlan *plan = dv_ode_plan(&e->plan, o);
  dvMech m = dv_ode_mech(o, h, true);
  dvBackwardEuler scheme = {e->rayleighMass, e->rayleighStiffness, e->trapezoidalScheme ? 0.5 : 1.0,
                            e->firstOrder,   e->solution,          e->rhs};
  DV_TRY(dv_backward_euler(o, e->linearSolver.target, plan, &m, &scheme));
  if (e->computeResidual) dv_mech_copy(plan, e->old_v, DV_V);
  if (e->firstOrder) dv_mech_copy(plan, v, e->solution);
  else dv_mech_combine(plan, v, DV_V, 1, e->solution);
  if (e->mean_velocity) dv_mech_combine(plan, e->rhs, v, -0.5, e->solution);
  dv_mech_combine(plan, x, DV_X, h, e->mean_velocity ? e->rhs : v);
  m.v = v;
  dv_mech_add_separate_gravity(plan, &m);
  if (e->vdamping != 0) dv_mech_scale(plan, v, exp(-h * e->vdamping));
  if (e->computeResidual) compute_residual(e, &m, h, v);
  return DV_OK;
}

static void euler_implicit_destroy(dvObject *o)
{
  EulerImplicit *e = (EulerImplicit *)o;
  dv_vecs_give(o, &e->solution, &e->rhs, &e->old_v);
  dv_plan_destroy(&e->plan);
}

static const dvOdeOps euler_implicit_ops = {.solve = euler_implicit_solve};

const dvClass dv_euler_implicit_class = {
    .struct_size = sizeof(dvClass),
    .name = "EulerImplicitSolver",
    .aliases = "EulerImplicit",
    .help = "backward Euler integration, stable for any time step; needs a linear solver",
    .module = "Sofa.Component.ODESolver.Backward",
    .size = sizeof(EulerImplicit),
    .blocks = {&dv_object_block, DV_BLOCK(euler_implicit_fields)},
    .ops = {[DV_ROLE_ODE] = &euler_implicit_ops},
    .init = euler_implicit_init,
    .bwd_init = euler_implicit_bwd_init,
    .reinit = euler_implicit_reinit,
    .destroy = euler_implicit_destroy,
    DV_MEMORY(euler_implicit_memory),
};

// EulerImplicitSolver: backward Euler on velocities (Baraff and Witkin 1998), one linearisation a step.
//
//   (M - h B - h^2 K) dv = h (f + h K v)
//
// with Rayleigh damping rM, rK, and tr = 1/2 for the trapezoidal rule, 1 otherwise:
//
//   ((1 + tr h rM) M - tr h B - tr h (tr h + rK) K) dv = h (f + ((tr h + rK) K - rM M) v)
//   v' = v + dv, x' = x + h v'
//
// First order: (M - tr h K) v' = f, x' = x + h v'.
#include "scene/timer.h"
#include "state/state.h"

#include <float.h>
#include <math.h>

#define EULER_IMPLICIT_FIELDS(X)                                                                                      \
  X(real, rayleighStiffness, "0", "s", "damping in proportion to the stiffness")                                      \
  X(real, rayleighMass, "0", "1/s", "damping in proportion to the mass")                                              \
  X(real, vdamping, "0", "1/s", "decay of all velocities: v is multiplied by exp(-h vdamping) after the step", .alias = "_velocityDamping") \
  X(bool, firstOrder, "0", "", "integrate a first-order equation: forces give velocities")                            \
  X(bool, trapezoidalScheme, "0", "", "trapezoidal rule: second order in time")                                       \
  X(bool, solveConstraint, "0", "", "let the constraint solver of the node correct the step")                         \
  X(bool, threadSafeVisitor, "0", "", "accepted for compatibility", .flags = DV_HIDDEN)                               \
  X(bool, computeResidual, "0", "", "compute the residual M (v' - v) - h f(x', v') at the end of the step")           \
  X(real, residual, "1.7976931348623157e308", "", "its norm squared, when computed", .flags = DV_READ_ONLY)           \
  X(link, linearSolver, "", "", "solver of the linear system; the one of the node by default", .role = DV_ROLE_LINEAR_SOLVER)

enum { SOLUTION = DV_VEC_ODE, RHS, SPARE };

typedef struct EulerImplicit {
  dvObject base;
  EULER_IMPLICIT_FIELDS(DV_MEMBER)
  dvPlan *plan;
} EulerImplicit;

#define SELF EulerImplicit
static const dvFieldDesc euler_implicit_fields[] = {EULER_IMPLICIT_FIELDS(DV_DESCRIBE)};
#undef SELF

static dvObject *find_solver(dvObject *o, dvObject *given)
{
  if (given) return given;
  return dv_node_find(o->node, DV_ROLE_LINEAR_SOLVER);
}

static dvStatus euler_implicit_init(dvObject *o)
{
  EulerImplicit *e = (EulerImplicit *)o;
  e->linearSolver.target = find_solver(o, e->linearSolver.target);
  if (!e->linearSolver.target)
    return dv_error(o, "add <CGLinearSolver iterations=\"25\" tolerance=\"1e-9\" threshold=\"1e-9\"/> to the node",
                    "an implicit integrator needs a linear solver in its node and finds none");
  return DV_OK;
}

static void right_hand_side(EulerImplicit *e, dvMech *m, double h, double tr)
{
  dvTimers *timers = e->base.context->timers;
  dv_timer_begin(timers, "force");
  dv_mech_compute_force(e->plan, m);
  dv_timer_end(timers);
  dv_timer_begin(timers, "rhs");
  dv_mech_copy(e->plan, RHS, DV_F);
  if (!e->firstOrder) {
    m->m = -e->rayleighMass, m->b = 0, m->k = h * tr + e->rayleighStiffness;
    m->dx = DV_V, m->df = RHS, m->no_geometric = true;
    dv_mech_add_mbk(e->plan, m);
    m->no_geometric = false;
    dv_mech_scale(e->plan, RHS, h);
  }
  dv_mech_project_response(e->plan, RHS);
  dv_timer_end(timers);
}

static void compute_residual(EulerImplicit *e, dvMech *m, double h, int v)
{
  dv_mech_combine(e->plan, DV_DX, v, -1, SPARE);   // v' - v
  dv_mech_clear(e->plan, RHS);
  m->m = 1, m->b = 0, m->k = 0, m->dx = DV_DX, m->df = RHS;
  dv_mech_add_mbk(e->plan, m);
  dv_mech_compute_force(e->plan, m);
  dv_mech_combine(e->plan, RHS, RHS, -h, DV_F);
  dv_mech_project_response(e->plan, RHS);
  e->residual = dv_mech_dot(e->plan, RHS, RHS);
}

static dvStatus euler_implicit_solve(dvObject *o, double h, int x, int v)
{
  EulerImplicit *e = (EulerImplicit *)o;
  dvPlan *plan = dv_plan_get(&e->plan, o->node);
  double tr = e->trapezoidalScheme ? 0.5 : 1.0;
  dvMech m = {.x = DV_X, .v = DV_V, .f = DV_F, .dx = DV_DX, .df = DV_DF, .dt = h, .time = o->node->time, .implicit = true, .k = 1};
  right_hand_side(e, &m, h, tr);
  m.m = e->firstOrder ? 1 : 1 + tr * h * e->rayleighMass;
  m.b = e->firstOrder ? 0 : -tr * h;
  m.k = e->firstOrder ? -h * tr : -tr * h * (tr * h + e->rayleighStiffness);
  dvObject *solver = e->linearSolver.target;
  dv_timer_begin(o->context->timers, "solve");
  dvStatus status = ((const dvLinearSolverOps *)dv_ops(solver, DV_ROLE_LINEAR_SOLVER))->solve(solver, plan, &m, SOLUTION, RHS);
  dv_timer_end(o->context->timers);
  DV_TRY(status);
  if (e->computeResidual) dv_mech_copy(plan, SPARE, DV_V);
  if (e->firstOrder) dv_mech_copy(plan, v, SOLUTION);
  else dv_mech_combine(plan, v, DV_V, 1, SOLUTION);
  dv_mech_combine(plan, x, DV_X, h, v);
  m.v = v;
  dv_mech_add_separate_gravity(plan, &m);
  if (e->vdamping != 0) dv_mech_scale(plan, v, exp(-h * e->vdamping));
  if (e->computeResidual) compute_residual(e, &m, h, v);
  return DV_OK;
}

static void euler_implicit_destroy(dvObject *o) { dv_plan_destroy(&((EulerImplicit *)o)->plan); }

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
    .destroy = euler_implicit_destroy,
};

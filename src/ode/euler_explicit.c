// EulerExplicitSolver: a = P M^-1 f(x, v), then
//   symplectic:  v += h a, x += h v      (velocity first: stable for oscillators with h < 2/omega)
//   otherwise:   x += h v, v += h a
#include "scene/timer.h"
#include "state/state.h"

#define EULER_EXPLICIT_FIELDS(X)                                                                                      \
  X(bool, symplectic, "1", "", "update velocities before positions, which keeps oscillations bounded")                \
  X(bool, threadSafeVisitor, "0", "", "accepted for compatibility", .flags = DV_HIDDEN)                               \
  X(link, linearSolver, "", "", "solver for masses that are not diagonal", .role = DV_ROLE_LINEAR_SOLVER)

typedef struct EulerExplicit {
  dvObject base;
  EULER_EXPLICIT_FIELDS(DV_MEMBER)
  dvPlan *plan;
} EulerExplicit;

#define SELF EulerExplicit
static const dvFieldDesc euler_explicit_fields[] = {EULER_EXPLICIT_FIELDS(DV_DESCRIBE)};
#undef SELF

static dvStatus euler_explicit_init(dvObject *o)
{
  EulerExplicit *e = (EulerExplicit *)o;
  if (!e->linearSolver.target) e->linearSolver.target = dv_node_find(o->node, DV_ROLE_LINEAR_SOLVER);
  return DV_OK;
}

// masses without acc_from_f are full matrices
static bool masses_are_diagonal(const dvPlan *plan)
{
  for (size_t i = 0; i < plan->masses.count; i++)
    if (!((const dvMassOps *)dv_ops(plan->masses.data[i].object, DV_ROLE_MASS))->acc_from_f) return false;
  return true;
}

static dvStatus accelerate(EulerExplicit *e, dvMech *m)
{
  if (masses_are_diagonal(e->plan)) {
    dv_mech_acc_from_f(e->plan, DV_DX, DV_F);
    dv_mech_project_response(e->plan, DV_DX);
    return DV_OK;
  }
  dvObject *solver = e->linearSolver.target;
  if (!solver)
    return dv_error(&e->base, "add a linear solver to the node, or use a DiagonalMass", "a mass that is not diagonal needs a linear solver");
  dv_mech_project_response(e->plan, DV_F);
  m->m = 1, m->b = 0, m->k = 0;
  return ((const dvLinearSolverOps *)dv_ops(solver, DV_ROLE_LINEAR_SOLVER))->solve(solver, e->plan, m, DV_DX, DV_F);
}

static dvStatus euler_explicit_solve(dvObject *o, double dt, int x, int v)
{
  EulerExplicit *e = (EulerExplicit *)o;
  dvPlan *plan = dv_plan_get(&e->plan, o->node);
  dvMech m = {.x = DV_X, .v = v, .f = DV_F, .dx = DV_DX, .df = DV_DF, .dt = dt, .time = o->node->time, .k = 1};
  dv_mech_add_separate_gravity(plan, &m);
  m.v = DV_V;
  dv_timer_begin(o->context->timers, "force");
  dv_mech_compute_force(plan, &m);
  dv_timer_end(o->context->timers);
  DV_TRY(accelerate(e, &m));
  if (e->symplectic) {
    dv_mech_combine(plan, v, DV_V, dt, DV_DX);
    dv_mech_combine(plan, x, DV_X, dt, v);
  } else {
    dv_mech_combine(plan, x, DV_X, dt, DV_V);
    dv_mech_combine(plan, v, DV_V, dt, DV_DX);
  }
  return DV_OK;
}

static void euler_explicit_destroy(dvObject *o) { dv_plan_destroy(&((EulerExplicit *)o)->plan); }

static const dvOdeOps euler_explicit_ops = {.solve = euler_explicit_solve};

const dvClass dv_euler_explicit_class = {
    .struct_size = sizeof(dvClass),
    .name = "EulerExplicitSolver",
    .aliases = "EulerSolver Euler",
    .help = "explicit Euler integration, symplectic by default",
    .module = "Sofa.Component.ODESolver.Forward",
    .size = sizeof(EulerExplicit),
    .blocks = {&dv_object_block, DV_BLOCK(euler_explicit_fields)},
    .ops = {[DV_ROLE_ODE] = &euler_explicit_ops},
    .init = euler_explicit_init,
    .destroy = euler_explicit_destroy,
};

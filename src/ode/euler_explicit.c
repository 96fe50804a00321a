// EulerExplicitSolver: a = P M^-1 f(x, v), then
//   symplectic:  v += h a, x += h v      (velocity first: stable for oscillators with h < 2/omega)
//   otherwise:   x += h v, v += h a
#include "ode/integrator.h"

#define EULER_EXPLICIT_FIELDS(X)                                                                       \
  X(bool, symplectic, "1", "", "update velocities before positions, which keeps oscillations bounded") \
  X(bool, threadSafeVisitor, "0", "", "accepted for compatibility", .flags = DV_HIDDEN)                \
  X(link, linearSolver, "", "", "solver for masses that are not diagonal", .role = DV_ROLE_LINEAR_SOLVER)

typedef struct EulerExplicit {
  dvObject base;
  EULER_EXPLICIT_FIELDS(DV_MEMBER)
  dvPlan *plan;
  int warm;   // vector that lasts
} EulerExplicit;

#define SELF EulerExplicit
static const dvFieldDesc euler_explicit_fields[] = {EULER_EXPLICIT_FIELDS(DV_DESCRIBE)};
static const dvMemoryDesc euler_explicit_memory[] = {DV_REMEMBER(vector, warm)};
#undef SELF

static dvStatus euler_explicit_init(dvObject *o)
{
  dv_ode_find_linear_solver(o, &((EulerExplicit *)o)->linearSolver);
  return DV_OK;
}

static dvStatus euler_explicit_bwd_init(dvObject *o)
{
  EulerExplicit *e = (EulerExplicit *)o;
  e->warm = dv_ode_warm(e->linearSolver.target, DV_DX);
  return dv_ode_check_explicit(o, e->linearSolver.target);
}

static dvStatus euler_explicit_solve(dvObject *o, double dt, int x, int v)
{
  EulerExplicit *e = (EulerExplicit *)o;
  dvPlan *plan = dv_ode_plan(&e->plan, o);
  dvMech m = dv_ode_mech(o, dt, false);
  m.v = v;
  dv_mech_add_separate_gravity(plan, &m);
  m.v = DV_V;
  dv_ode_force(o, plan, &m);
  DV_TRY(dv_ode_accelerate(o, e->linearSolver.target, plan, &m, DV_DX));
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

static const dvOdeOps euler_explicit_ops = {.solve = euler_explicit_solve, .kind = DV_ODE_EXPLICIT, .order = 1};

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
    .bwd_init = euler_explicit_bwd_init,
    .destroy = euler_explicit_destroy,
    DV_MEMORY(euler_explicit_memory),
};

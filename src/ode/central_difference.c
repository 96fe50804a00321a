// CentralDifferenceSolver: leapfrog with velocities half a step apart from the positions, and mass damping r M.
//
//   (1/h + r/2) v+ = (1/h - r/2) v- + P M^-1 f(x, v-),  x' = x + h v+
//
// Second order in the positions, symplectic without damping; stable for h < 2/omega. The velocity stands for the middle
// of the step. Masses that are not diagonal need a linear solver.
#include "ode/integrator.h"

#define CENTRAL_DIFFERENCE_FIELDS(X)                                                   \
  X(real, rayleighMass, "0", "1/s", "damping in proportion to the mass", .least = "0") \
  X(bool, threadSafeVisitor, "0", "", "accepted for compatibility", .flags = DV_HIDDEN)

typedef struct CentralDifference {
  dvObject base;
  CENTRAL_DIFFERENCE_FIELDS(DV_MEMBER)
  dvPlan *plan;
  dvLink linear_solver;   // found in the node, for masses that are not diagonal
  int warm;               // vector that lasts
} CentralDifference;

#define SELF CentralDifference
static const dvFieldDesc central_difference_fields[] = {CENTRAL_DIFFERENCE_FIELDS(DV_DESCRIBE)};
static const dvMemoryDesc central_difference_memory[] = {DV_REMEMBER(vector, warm)};
#undef SELF

static dvStatus central_difference_init(dvObject *o)
{
  CentralDifference *c = (CentralDifference *)o;
  dv_ode_find_linear_solver(o, &c->linear_solver);
  if (c->rayleighMass < 0) return dv_field_error(o, &c->rayleighMass, NULL, "rayleighMass must not be negative");
  return DV_OK;
}

static dvStatus central_difference_bwd_init(dvObject *o)
{
  CentralDifference *c = (CentralDifference *)o;
  c->warm = dv_ode_warm(c->linear_solver.target, DV_DX);
  return dv_ode_check_explicit(o, c->linear_solver.target);
}

static dvStatus central_difference_solve(dvObject *o, double h, int x, int v)
{
  CentralDifference *c = (CentralDifference *)o;
  dvPlan *plan = dv_ode_plan(&c->plan, o);
  dvMech m = dv_ode_mech(o, h, false);
  dv_mech_add_separate_gravity(plan, &m);
  dv_ode_force(o, plan, &m);
  DV_TRY(dv_ode_accelerate(o, c->linear_solver.target, plan, &m, DV_DX));
  double after = 1 / h + c->rayleighMass / 2, before = 1 / h - c->rayleighMass / 2;
  if (c->rayleighMass == 0) {
    dv_mech_combine(plan, v, DV_V, h, DV_DX);
  } else {
    dv_mech_combine(plan, v, DV_V, before / after - 1, DV_V);
    dv_mech_combine(plan, v, v, 1 / after, DV_DX);
  }
  dv_mech_combine(plan, x, DV_X, h, v);
  return DV_OK;
}

static void central_difference_destroy(dvObject *o) { dv_plan_destroy(&((CentralDifference *)o)->plan); }

static const dvOdeOps central_difference_ops = {.solve = central_difference_solve, .kind = DV_ODE_EXPLICIT, .order = 2};

const dvClass dv_central_difference_class = {
    .struct_size = sizeof(dvClass),
    .name = "CentralDifferenceSolver",
    .aliases = "CentralDifference",
    .help = "central differences, also known as leapfrog or Verlet integration, with mass damping",
    .module = "Sofa.Component.ODESolver.Forward",
    .size = sizeof(CentralDifference),
    .blocks = {&dv_object_block, DV_BLOCK(central_difference_fields)},
    .ops = {[DV_ROLE_ODE] = &central_difference_ops},
    .init = central_difference_init,
    .bwd_init = central_difference_bwd_init,
    .destroy = central_difference_destroy,
    DV_MEMORY(central_difference_memory),
};

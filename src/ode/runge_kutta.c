// RungeKutta2Solver and RungeKutta4Solver: explicit Runge-Kutta methods whose stages lean on the stage before only.
//
//   v_i = v + c_i h a_{i-1},  x_i = x + c_i h v_{i-1},  a_i = P M^-1 f(x_i, v_i) at the time t + c_i h
//   x' = x + h sum w_i v_i,   v' = v + h sum w_i a_i
//
// Order 2 is the midpoint rule, order 4 the classical method (Kutta 1901). Explicit: h must stay below about 2/omega
// and 2.8/omega for the highest frequency omega. Masses that are not diagonal need a linear solver.
#include "ode/integrator.h"

enum { STAGES = 4 };

typedef struct Tableau {
  int stages;
  double c[STAGES], weight[STAGES];
} Tableau;

static const Tableau midpoint = {2, {0, 1.0 / 2}, {0, 1}};
static const Tableau classical = {4, {0, 1.0 / 2, 1.0 / 2, 1}, {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6}};

typedef struct RungeKutta {
  dvObject base;
  dvPlan *plan;
  dvLink linear_solver;   // found in the node, for masses that are not diagonal
  int position;           // vectors: of a stage
  int velocity[STAGES];   // of the stages; the first is the state's own
  int acceleration[STAGES];
  int warm[STAGES];   // the accelerations, when the solver starts from those of the step before
} RungeKutta;

#define SELF RungeKutta
static const dvMemoryDesc runge_kutta_memory[] = {DV_REMEMBER(vector, warm[0]) DV_REMEMBER(vector, warm[1])
                                                      DV_REMEMBER(vector, warm[2]) DV_REMEMBER(vector, warm[3])};
#undef SELF

// r = from + h sum w_i (vector of stage i)
static void add_stages(dvPlan *plan, int r, int from, double h, const Tableau *t, const int *stage)
{
  for (int i = 0; i < t->stages; i++) {
    if (t->weight[i] == 0) continue;
    dv_mech_combine(plan, r, from, h * t->weight[i], stage[i]);
    from = r;
  }
}

static dvStatus solve(dvObject *o, const Tableau *t, double h, int x, int v)
{
  RungeKutta *r = (RungeKutta *)o;
  dvPlan *plan = dv_ode_plan(&r->plan, o);
  dvMech m = dv_ode_mech(o, h, false);
  dv_mech_add_separate_gravity(plan, &m);
  for (int i = 0; i < t->stages; i++) {
    if (i > 0) {
      dv_mech_combine(plan, r->position, DV_X, h * t->c[i], r->velocity[i - 1]);
      dv_mech_combine(plan, r->velocity[i], DV_V, h * t->c[i], r->acceleration[i - 1]);
      dv_mech_mirror_outside(plan, r->position, r->velocity[i]);
    }
    m.x = i == 0 ? DV_X : r->position;
    m.v = r->velocity[i];
    m.time = o->node->time + h * t->c[i];
    DV_TRY(dv_ode_acceleration(o, r->linear_solver.target, plan, &m, r->acceleration[i]));
  }
  add_stages(plan, x, DV_X, h, t, r->velocity);   // before the velocity of the first stage is overwritten
  add_stages(plan, v, DV_V, h, t, r->acceleration);
  return DV_OK;
}

static dvStatus init(dvObject *o, const Tableau *t)
{
  RungeKutta *r = (RungeKutta *)o;
  dv_vec_take(o, DV_VEC_COORD, &r->position);
  r->velocity[0] = DV_V;
  for (int i = 1; i < t->stages; i++) dv_vec_take(o, DV_VEC_DERIV, &r->velocity[i]);
  for (int i = 0; i < t->stages; i++) dv_vec_take(o, DV_VEC_DERIV, &r->acceleration[i]);
  dv_ode_find_linear_solver(o, &r->linear_solver);
  return DV_OK;
}

static dvStatus runge_kutta_bwd_init(dvObject *o)
{
  RungeKutta *r = (RungeKutta *)o;
  for (int i = 0; i < STAGES; i++) r->warm[i] = dv_ode_warm(r->linear_solver.target, r->acceleration[i]);
  return dv_ode_check_explicit(o, r->linear_solver.target);
}
static dvStatus runge_kutta2_init(dvObject *o) { return init(o, &midpoint); }
static dvStatus runge_kutta4_init(dvObject *o) { return init(o, &classical); }
static dvStatus runge_kutta2_solve(dvObject *o, double h, int x, int v) { return solve(o, &midpoint, h, x, v); }
static dvStatus runge_kutta4_solve(dvObject *o, double h, int x, int v) { return solve(o, &classical, h, x, v); }

static void runge_kutta_destroy(dvObject *o)
{
  RungeKutta *r = (RungeKutta *)o;
  dv_vec_give(o, &r->position);
  for (int i = 1; i < STAGES; i++) dv_vec_give(o, &r->velocity[i]);
  for (int i = 0; i < STAGES; i++) dv_vec_give(o, &r->acceleration[i]);
  dv_plan_destroy(&r->plan);
}

static const dvOdeOps runge_kutta2_ops = {.solve = runge_kutta2_solve, .kind = DV_ODE_EXPLICIT, .order = 2};
static const dvOdeOps runge_kutta4_ops = {.solve = runge_kutta4_solve, .kind = DV_ODE_EXPLICIT, .order = 4};

const dvClass dv_runge_kutta2_class = {
    .struct_size = sizeof(dvClass),
    .name = "RungeKutta2Solver",
    .aliases = "RungeKutta2",
    .help = "explicit midpoint rule: second order, two evaluations of the forces a step",
    .module = "Sofa.Component.ODESolver.Forward",
    .size = sizeof(RungeKutta),
    .blocks = {&dv_object_block},
    .ops = {[DV_ROLE_ODE] = &runge_kutta2_ops},
    .init = runge_kutta2_init,
    .bwd_init = runge_kutta_bwd_init,
    .destroy = runge_kutta_destroy,
    DV_MEMORY(runge_kutta_memory),
};

const dvClass dv_runge_kutta4_class = {
    .struct_size = sizeof(dvClass),
    .name = "RungeKutta4Solver",
    .aliases = "RungeKutta4",
    .help = "classical Runge-Kutta method: fourth order, four evaluations of the forces a step",
    .module = "Sofa.Component.ODESolver.Forward",
    .size = sizeof(RungeKutta),
    .blocks = {&dv_object_block},
    .ops = {[DV_ROLE_ODE] = &runge_kutta4_ops},
    .init = runge_kutta4_init,
    .bwd_init = runge_kutta_bwd_init,
    .destroy = runge_kutta_destroy,
    DV_MEMORY(runge_kutta_memory),
};

// StaticSolver: equilibrium f(x) = 0 by Newton-Raphson iterations, -K dx = f, x += dx (newton.c counts and measures
// them).
//
// Velocities are left as they are and time has no meaning; one step of the loop is one load step. Where nothing holds
// an object, -K is singular: fix some points, or use QuasiDynamicSolver. In SOFA's older scenes this component carries
// the settings of the iterations itself; they are handed to a NewtonRaphsonSolver that is made for it.
#include "ode/integrator.h"
#include "ode/newton.h"

#define STATIC_FIELDS(X)                                                                                         \
  X(link, linearSolver, "", "", "solver of the linear system; the one of the node by default",                   \
    .role = DV_ROLE_LINEAR_SOLVER)                                                                               \
  X(link, newtonSolver, "", "", "NewtonRaphsonSolver to use; the one of the node by default")                    \
  X(int, newton_iterations, "1", "", "old name of maxNbIterationsNewton", .flags = DV_HIDDEN)                    \
  X(real, absolute_correction_tolerance_threshold, "0", "", "old name of absoluteEstimateDifferenceThreshold",   \
    .flags = DV_HIDDEN)                                                                                          \
  X(real, relative_correction_tolerance_threshold, "0", "", "old name of relativeEstimateDifferenceThreshold",   \
    .flags = DV_HIDDEN)                                                                                          \
  X(real, absolute_residual_tolerance_threshold, "1e-5", "", "old name of absoluteResidualStoppingThreshold",    \
    .flags = DV_HIDDEN)                                                                                          \
  X(real, relative_residual_tolerance_threshold, "0", "", "set relativeEstimateDifferenceThreshold, as in SOFA", \
    .flags = DV_HIDDEN)                                                                                          \
  X(bool, should_diverge_when_residual_is_growing, "0", "",                                                      \
    "accepted for compatibility: the line search handles that", .flags = DV_HIDDEN)

typedef struct Static {
  dvObject base;
  STATIC_FIELDS(DV_MEMBER)
  dvPlan *plan;
  int warm;       // vector that lasts
  int lag, rhs;   // vectors: what forces lag behind a search (newton.h), and what is solved for with that
} Static;

#define SELF Static
static const dvFieldDesc static_fields[] = {STATIC_FIELDS(DV_DESCRIBE)};
static const dvMemoryDesc static_memory[] = {DV_REMEMBER(vector, warm)};
#undef SELF

// --- companions ----------------------------------------------------------------------------------

static dvStatus hand_over(Static *s, dvObject *newton, const void *member, const char *name)
{
  dvObject *o = &s->base;
  if (!dv_was_set(o, member)) return DV_OK;
  dvText value = {0};
  dv_field_print(dv_field_of(o, member), &value);
  dvStatus status = dv_object_set(newton, name, value.text);
  dv_text_free(&value);
  return status;
}

static dvStatus make_newton(Static *s)
{
  dvObject *o = &s->base, *newton = dv_object_create(o->context, &dv_newton_class, "", NULL);
  newton->place = o->place;
  dv_node_add(o->node, newton);
  s->newtonSolver.target = newton;
  DV_TRY(hand_over(s, newton, &s->newton_iterations, "maxNbIterationsNewton"));
  DV_TRY(hand_over(s, newton, &s->absolute_correction_tolerance_threshold, "absoluteEstimateDifferenceThreshold"));
  DV_TRY(hand_over(s, newton, &s->relative_correction_tolerance_threshold, "relativeEstimateDifferenceThreshold"));
  DV_TRY(hand_over(s, newton, &s->absolute_residual_tolerance_threshold, "absoluteResidualStoppingThreshold"));
  DV_TRY(hand_over(s, newton, &s->relative_residual_tolerance_threshold, "relativeEstimateDifferenceThreshold"));
  dv_warning(o, "add <NewtonRaphsonSolver maxNbIterationsNewton=\"25\"/> to the node",
             "there is no NewtonRaphsonSolver: one is made, with the settings that stand here, else with one iteration "
             "a step");
  return dv_object_ensure(newton);
}

static dvStatus static_bwd_init(dvObject *o)
{
  Static *s = (Static *)o;
  s->warm = dv_ode_warm(s->linearSolver.target, DV_DX);
  return DV_OK;
}

static dvStatus static_init(dvObject *o)
{
  Static *s = (Static *)o;
  dv_vecs_take(o, DV_VEC_DERIV, &s->lag, &s->rhs);
  DV_TRY(dv_ode_need_linear_solver(o, &s->linearSolver));
  DV_TRY(dv_newton_find(o, &s->newtonSolver));
  return s->newtonSolver.target ? DV_OK : make_newton(s);
}

// --- the equation --------------------------------------------------------------------------------

typedef struct Equilibrium {
  dvNonlinear function;
  Static *solver;
  dvPlan *plan;
  dvMech m;
  bool lags;   // there are forces that do
} Equilibrium;

static double equilibrium_evaluate(dvNonlinear *f)
{
  Equilibrium *e = (Equilibrium *)f;
  dv_ode_force(&e->solver->base, e->plan, &e->m);
  dv_mech_project_response(e->plan, DV_F);
  const Static *s = e->solver;
  e->lags = dv_newton_by_slope(s->newtonSolver.target) && dv_newton_lag(s->newtonSolver.target, e->plan, &e->m, s->lag);
  if (!e->lags) return dv_mech_dot(e->plan, DV_F, DV_F);
  dv_mech_project_response(e->plan, s->lag);
  dv_mech_combine(e->plan, s->rhs, DV_F, 1, s->lag);
  return dv_mech_dot(e->plan, s->rhs, s->rhs);
}

static dvStatus equilibrium_correct(dvNonlinear *f)
{
  Equilibrium *e = (Equilibrium *)f;
  return dv_ode_solve(&e->solver->base, e->solver->linearSolver.target, e->plan, &e->m, DV_DX,
                      e->lags ? e->solver->rhs : DV_F, (dvFactors){.k = -1});
}

static void equilibrium_advance(dvNonlinear *f, double alpha)
{
  Equilibrium *e = (Equilibrium *)f;
  dv_mech_combine(e->plan, e->m.x, e->m.x, alpha, DV_DX);
  dv_mech_propagate_x(e->plan, e->m.x);
}

static double equilibrium_correction2(dvNonlinear *f)
{
  Equilibrium *e = (Equilibrium *)f;
  return dv_mech_dot(e->plan, DV_DX, DV_DX);
}

static double equilibrium_guess2(dvNonlinear *f)
{
  Equilibrium *e = (Equilibrium *)f;
  return dv_mech_dot(e->plan, e->m.x, e->m.x);
}

// the residual is -f
static double equilibrium_slope(dvNonlinear *f)
{
  Equilibrium *e = (Equilibrium *)f;
  return -dv_mech_dot(e->plan, DV_F, DV_DX);
}

static dvStatus static_solve(dvObject *o, double h, int x, int v)
{
  Static *s = (Static *)o;
  Equilibrium e = {.function = {equilibrium_evaluate, equilibrium_correct, equilibrium_advance, equilibrium_correction2,
                                equilibrium_guess2, equilibrium_slope},
                   .solver = s,
                   .plan = dv_ode_plan(&s->plan, o),
                   .m = dv_ode_mech(o, h, true)};
  if (x != DV_X) {   // results of a free motion go elsewhere: start from the present state there
    dv_mech_copy(e.plan, x, DV_X);
    dv_mech_copy(e.plan, v, DV_V);
    dv_mech_propagate_x(e.plan, x);
    dv_mech_mirror_outside(e.plan, x, v);
    e.m.x = x;
  }
  return dv_newton_solve(s->newtonSolver.target, &e.function);
}

static void static_destroy(dvObject *o)
{
  Static *s = (Static *)o;
  dv_vecs_give(o, &s->lag, &s->rhs);
  dv_plan_destroy(&s->plan);
}

static const dvOdeOps static_ops = {.solve = static_solve};

const dvClass dv_static_class = {
    .struct_size = sizeof(dvClass),
    .name = "StaticSolver",
    .aliases = "StaticOdeSolver",
    .help = "static equilibrium: no inertia, no damping; each step brings the forces to balance",
    .module = "Sofa.Component.ODESolver.Backward",
    .size = sizeof(Static),
    .blocks = {&dv_object_block, DV_BLOCK(static_fields)},
    .ops = {[DV_ROLE_ODE] = &static_ops},
    .init = static_init,
    .bwd_init = static_bwd_init,
    .destroy = static_destroy,
    DV_MEMORY(static_memory),
};

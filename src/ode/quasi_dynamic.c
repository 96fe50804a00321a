// QuasiDynamicSolver: backward Euler while that means something, equilibrium when it does not (Theetten et al. 2007, as
// told by Duriez: mechanical deformable models for real-time computation, 1.2.2).
//
//   dynamic:  (M - h B - h^2 K) dv = h (f + h K v),  v' = v + dv,  x' = x + h v'
//   static:   -K dq = f,  x' = x + dq,  v' = dq / tc
//
// where tc is the time between two equilibria: the larger of the step and the computation time. Two rules switch:
//   singularity   a rigid motion that nothing resists makes -K singular: the object is simulated dynamically;
//   time          when a step takes longer to compute than the deadline, or when the step is so long that backward
//   Euler damps the
//                 vibration away (h omega above phaseLimit), it becomes static. It becomes dynamic again when both
//                 measures have fallen below `hysteresis` times their limits and `dwell` steps have passed.
// omega is the frequency of the motion of the last step, from the Rayleigh quotient -d K d / d M d. The computation
// time is a field: a scene gives it, or a program that keeps real time measures it and sets it; nothing here reads a
// clock, so that results do not depend on the machine.
#include "mechanics/rigid_motion.h"
#include "ode/integrator.h"

#include <math.h>

#define QUASI_DYNAMIC_FIELDS(X)                                                                                  \
  X(real, rayleighStiffness, "0", "s", "damping in proportion to the stiffness, in dynamic steps", .least = "0") \
  X(real, rayleighMass, "0", "1/s", "damping in proportion to the mass, in dynamic steps", .least = "0")         \
  X(real, deadline, "0", "s", "time in which a step must be computed; the time step when 0")                     \
  X(real, computationTime, "0", "s", "time it takes to compute a dynamic step; set by who measures it")          \
  X(real, phaseLimit, "1", "", "largest step as a phase h omega of the vibration; longer steps are static")      \
  X(real, hysteresis, "0.5", "", "part of the limits below which the simulation becomes dynamic again")          \
  X(int, dwell, "5", "", "steps to stay in a mode before the time rule may switch again")                        \
  X(bool, isStatic, "0", "", "the last step was static", .flags = DV_READ_ONLY)                                  \
  X(int, switches, "0", "", "how often the mode has changed", .flags = DV_READ_ONLY)                             \
  X(real, frequency, "0", "rad/s", "frequency of the motion of the last step", .flags = DV_READ_ONLY)            \
  X(int, freeMotions, "0", "", "rigid motions that nothing resists, when last looked at", .flags = DV_READ_ONLY) \
  X(link, linearSolver, "", "", "solver of the linear system; the one of the node by default",                   \
    .role = DV_ROLE_LINEAR_SOLVER)

typedef struct QuasiDynamic {
  dvObject base;
  QUASI_DYNAMIC_FIELDS(DV_MEMBER)
  dvPlan *plan;
  int since_switch;
  int solution, rhs, work, work2;   // vectors; iterative solvers start from the solution of the step before
  int warm;                         // the solution, when they do
} QuasiDynamic;

#define SELF QuasiDynamic
static const dvFieldDesc quasi_dynamic_fields[] = {QUASI_DYNAMIC_FIELDS(DV_DESCRIBE)};
static const dvMemoryDesc quasi_dynamic_memory[] = {
    DV_REMEMBER(numbers, isStatic) DV_REMEMBER(numbers, switches) DV_REMEMBER(numbers, frequency)
        DV_REMEMBER(numbers, freeMotions) DV_REMEMBER(numbers, since_switch) DV_REMEMBER(vector, warm)};
#undef SELF

static dvStatus quasi_dynamic_init(dvObject *o)
{
  QuasiDynamic *q = (QuasiDynamic *)o;
  if (!(q->hysteresis > 0 && q->hysteresis <= 1))
    return dv_field_error(o, &q->hysteresis, NULL, "hysteresis must lie between 0 and 1");
  if (!(q->phaseLimit > 0)) return dv_field_error(o, &q->phaseLimit, NULL, "phaseLimit must be positive");
  if (!(q->deadline >= 0)) return dv_field_error(o, &q->deadline, NULL, "deadline must not be negative");
  dv_vecs_take(o, DV_VEC_DERIV, &q->solution, &q->rhs, &q->work, &q->work2);
  return dv_ode_need_linear_solver(o, &q->linearSolver);
}

static dvStatus quasi_dynamic_bwd_init(dvObject *o)
{
  QuasiDynamic *q = (QuasiDynamic *)o;
  q->warm = dv_ode_warm(q->linearSolver.target, q->solution);
  return dv_ode_check_masses(o, "only stiffness and damping resist its motion");
}

static void change(QuasiDynamic *q, bool to_static, const char *why)
{
  q->isStatic = to_static;
  q->switches++;
  q->since_switch = 0;
  dv_touch(&q->base, &q->isStatic);
  dv_touch(&q->base, &q->switches);
  if (q->base.printLog) dv_note(&q->base, "becomes %s: %s", to_static ? "static" : "dynamic", why);
}

// forces have been evaluated
static void choose_mode(QuasiDynamic *q, const dvMech *m, double deadline)
{
  double phase = m->dt * q->frequency;
  bool late = q->computationTime > deadline, stiff = phase > q->phaseLimit;
  bool relaxed = q->computationTime < q->hysteresis * deadline && phase < q->hysteresis * q->phaseLimit;
  bool may_switch = q->since_switch >= q->dwell;
  q->since_switch += q->since_switch < INT32_MAX;
  if (!q->isStatic && !(may_switch && (late || stiff))) return;
  q->freeMotions = dv_rigid_motions(q->plan, m, q->work, q->work2, NULL);
  bool singular = q->freeMotions != 0;   // or too many states to tell
  if (!q->isStatic && !singular)
    change(q, true, late ? "the deadline is missed" : "the step is too long for the vibration");
  else if (q->isStatic && singular) change(q, false, "a rigid motion is free");
  else if (q->isStatic && may_switch && relaxed) change(q, false, "there is time again");
}

// of the motion d; a motion too small to tell keeps the last value
static void observe(QuasiDynamic *q, const dvMech *params, int d, double step)
{
  dvMech m = *params;
  double moved2 = step * step * dv_mech_dot(q->plan, d, d), size2 = dv_mech_dot(q->plan, DV_X, DV_X);
  if (!(moved2 > 1e-24 * size2)) return;
  m.m = 1, m.b = 0, m.k = 0;
  dv_mech_product(q->plan, &m, q->work, d);
  double inertia = dv_mech_dot(q->plan, d, q->work);
  m.m = 0, m.k = -1;
  dv_mech_product(q->plan, &m, q->work2, d);
  double resistance = dv_mech_dot(q->plan, d, q->work2);
  if (inertia > 0) q->frequency = sqrt(dv_max(resistance, 0) / inertia);
}

static dvStatus quasi_dynamic_solve(dvObject *o, double h, int x, int v)
{
  QuasiDynamic *q = (QuasiDynamic *)o;
  dvPlan *plan = dv_ode_plan(&q->plan, o);
  dvMech m = dv_ode_mech(o, h, true);
  dv_ode_force(o, plan, &m);
  choose_mode(q, &m, q->deadline > 0 ? q->deadline : h);
  if (q->isStatic) {
    dv_mech_project_response(plan, DV_F);
    DV_TRY(dv_ode_solve(o, q->linearSolver.target, plan, &m, q->solution, DV_F, (dvFactors){.k = -1}));
    dv_mech_copy(plan, v, q->solution);
    dv_mech_scale(plan, v, 1 / dv_max(h, q->computationTime));
    dv_mech_combine(plan, x, DV_X, 1, q->solution);
    observe(q, &m, q->solution, 1);
    return DV_OK;
  }
  dvBackwardEuler scheme = {q->rayleighMass, q->rayleighStiffness, 1, false, q->solution, q->rhs};
  DV_TRY(dv_backward_euler(o, q->linearSolver.target, plan, &m, &scheme));
  dv_mech_combine(plan, q->solution, q->solution, 1, DV_V);
  dv_mech_copy(plan, v, q->solution);
  dv_mech_combine(plan, x, DV_X, h, v);
  observe(q, &m, q->solution, h);
  m.v = v;
  dv_mech_add_separate_gravity(plan, &m);
  return DV_OK;
}

static void quasi_dynamic_destroy(dvObject *o)
{
  QuasiDynamic *q = (QuasiDynamic *)o;
  dv_vecs_give(o, &q->solution, &q->rhs, &q->work, &q->work2);
  dv_plan_destroy(&q->plan);
}

static const dvOdeOps quasi_dynamic_ops = {.solve = quasi_dynamic_solve};

const dvClass dv_quasi_dynamic_class = {
    .struct_size = sizeof(dvClass),
    .name = "QuasiDynamicSolver",
    .help = "implicit dynamics that turns static when steps are too slow or too long, and dynamic again when a body is "
            "set free",
    .module = "Sofa.Component.ODESolver.Backward",
    .size = sizeof(QuasiDynamic),
    .blocks = {&dv_object_block, DV_BLOCK(quasi_dynamic_fields)},
    .ops = {[DV_ROLE_ODE] = &quasi_dynamic_ops},
    .init = quasi_dynamic_init,
    .bwd_init = quasi_dynamic_bwd_init,
    .destroy = quasi_dynamic_destroy,
    DV_MEMORY(quasi_dynamic_memory),
};

// ConstraintAnimationLoop: SOFA's older loop with constraints, and the solver of its own.
//
// Order: begin event; links and engines; with doCollisionsFirst collision; free motion, whose positions are those of
// the integrator, projected, and go down the mappings; collision otherwise; positions projected and mapped;
// constraints, by Gauss-Seidel with two iterations at least; mappings; external forces cleared; time; end event.
#include "constraint/lagrangian/classes.h"
#include "constraint/lagrangian/solver.h"
#include "ode/loop.h"
#include "scene/timer.h"

#define CONSTRAINT_LOOP_FIELDS(X)                                                                                \
  DV_LOOP_FIELDS(X)                                                                                              \
  X(bool, doCollisionsFirst, "0", "", "collision before the free motion, so that penalty contacts act in it")    \
  X(bool, displayTime, "0", "", "accepted: --stats tells times", .flags = DV_HIDDEN)                             \
  X(bool, doubleBuffer, "0", "", "accepted: readers have outboxes", .flags = DV_HIDDEN)                          \
  X(bool, schemeCorrection, "0", "", "accepted: what SOFA predicts with it are forces of 0", .flags = DV_HIDDEN) \
  X(bool, realTimeCompensation, "0", "", "accepted: the viewer keeps real time", .flags = DV_HIDDEN)

typedef struct ConstraintLoop {
  dvConstraintSolver solver;
  CONSTRAINT_LOOP_FIELDS(DV_MEMBER)
  dvIntegration integration;
} ConstraintLoop;

#define SELF ConstraintLoop
static const dvFieldDesc constraint_loop_fields[] = {CONSTRAINT_LOOP_FIELDS(DV_DESCRIBE)};
#undef SELF

static bool constraint_loop_find(dvConstraintSolver *s, double tolerance)
{
  bool done = dv_gauss_seidel_find(s, tolerance);
  return done && s->currentIterations == 1 && !s->allVerified ? dv_gauss_seidel_find(s, tolerance) : done;
}

static dvStatus constraint_loop_solve(dvObject *o, double dt, bool velocities_first)
{
  return dv_constraint_solver_solve(o, dt, velocities_first, constraint_loop_find);
}

static dvStatus move_freely(ConstraintLoop *l, double dt, double next)
{
  dvObject *o = &l->solver.base;
  dvPlan *plan = o->node->scene->plan;
  DV_TRY(dv_integrate(&l->integration, dv_loop_node(o, &l->targetNode), dt, DV_X_FREE, DV_V_FREE, false));
  dv_mech_project_x(plan, DV_X_FREE, next);
  dv_mech_propagate_x(plan, DV_X_FREE);
  return DV_OK;
}

static dvStatus constraint_loop_step(dvObject *o, double dt)
{
  ConstraintLoop *l = (ConstraintLoop *)o;
  dvTimers *timers = o->context->timers;
  double next = o->node->scene->root->time + dt;
  DV_TRY(dv_loop_begin(o, dt));
  if (l->doCollisionsFirst) DV_TRY(dv_loop_collide(o, dt, NULL));
  dv_timer_begin(timers, "integrate");
  dvStatus status = move_freely(l, dt, next);
  dv_timer_end(timers);
  DV_TRY(status);
  if (!l->doCollisionsFirst) DV_TRY(dv_loop_collide(o, dt, NULL));
  dv_timer_begin(timers, "constraints");
  status = constraint_loop_solve(o, dt, false);
  dv_timer_end(timers);
  DV_TRY(status);
  return dv_loop_end_corrected(o, dt);
}

static void constraint_loop_destroy(dvObject *o)
{
  dv_integration_free(&((ConstraintLoop *)o)->integration);
  dv_constraint_solver_destroy(o);
}

static const dvLoopOps loop_ops = {.step = constraint_loop_step, .start = dv_loop_start, .resume = dv_loop_resume};
static const dvConstraintSolverOps solver_ops = {.solve = constraint_loop_solve,
                                                 .problem = dv_constraint_solver_problem};

const dvClass dv_constraint_loop_class = {
    .struct_size = sizeof(dvClass),
    .name = "ConstraintAnimationLoop",
    .aliases = "MasterConstraintSolver",
    .help = "SOFA's older loop with constraints, which it solves itself; FreeMotionAnimationLoop is the newer one",
    .module = "Sofa.Component.AnimationLoop",
    .size = sizeof(ConstraintLoop),
    .blocks = {&dv_object_block, &dv_constraint_solver_block, DV_BLOCK(constraint_loop_fields)},
    .ops = {[DV_ROLE_LOOP] = &loop_ops, [DV_ROLE_CONSTRAINT_SOLVER] = &solver_ops},
    .presets = "tolerance=1e-5",
    .init = dv_constraint_solver_init,
    .destroy = constraint_loop_destroy,
    .remember = dv_constraint_solver_remember,
};

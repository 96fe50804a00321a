// FreeMotionAnimationLoop: a step in which constraints correct a motion that was free of them.
//
// Order as in SOFA: begin event; links and engines; free motion (solvers in the order of the graph, results in the free
// positions and velocities; interaction forces outside of every solver do not act); the free velocity v_f loses what
// projective constraints forbid and has what they prescribe (in SOFA 0 instead), and x_f = x + h v_f whatever the
// integrator has made of the position; collision; the constraint solver turns x_f, v_f into the new state; boundary
// conditions and mappings; external forces cleared; time; end event. Without a constraint solver in the scene nothing
// is corrected: x = x_f, v = v_f.
#include "ode/loop.h"

#include "object/compat.h"
#include "scene/timer.h"

#define FREE_MOTION_FIELDS(X)                                                                                  \
  DV_LOOP_FIELDS(X)                                                                                            \
  X(int, nbThreads, "0", "", "accepted for compatibility: the program's threads are used", .flags = DV_HIDDEN) \
  X(string, taskSchedulerType, "_default", "", "accepted for compatibility", .flags = DV_HIDDEN)               \
  X(bool, solveVelocityConstraintFirst, "0", "",                                                               \
    "let constraints correct velocities only; positions follow: x' = x + h v'")                                \
  X(bool, threadSafeVisitor, "0", "", "accepted for compatibility", .flags = DV_HIDDEN)                        \
  X(bool, parallelCollisionDetectionAndFreeMotion, "0", "",                                                    \
    "accepted: both already use all threads inside their loops")                                               \
  X(bool, parallelODESolving, "0", "", "accepted: solvers already use all threads inside their loops")         \
  X(link, constraintSolver, "", "", "the first one in the scene by default", .role = DV_ROLE_CONSTRAINT_SOLVER)

typedef struct FreeMotion {
  dvObject base;
  FREE_MOTION_FIELDS(DV_MEMBER)
  dvIntegration integration;
  bool asked, holds;   // whether prescribed motion counts as none, as in SOFA
} FreeMotion;

#define SELF FreeMotion
static const dvFieldDesc free_motion_fields[] = {FREE_MOTION_FIELDS(DV_DESCRIBE)};
#undef SELF

static dvStatus free_motion_init(dvObject *o)
{
  FreeMotion *l = (FreeMotion *)o;
  if (!l->constraintSolver.target)
    l->constraintSolver.target = dv_node_find_below(dv_loop_node(o, &l->targetNode), DV_ROLE_CONSTRAINT_SOLVER);
  return DV_OK;
}

// r = a + k b in every state, mapped ones included
static void combine_all(const dvPlan *plan, int r, int a, double k, int b)
{
  for (size_t i = 0; i < plan->states.count; i++) {
    dvState *s = dv_state(plan->states.data[i]);
    const double *va = dv_state_read(s, a), *vb = dv_state_read(s, b);
    dv_dof_integrate(s->base.dof, s->count, dv_state_write(s, r), va, vb, k);
  }
}

static dvStatus move_freely(FreeMotion *l, double dt)
{
  dvObject *o = &l->base;
  dvPlan *plan = o->node->scene->plan;
  DV_TRY(dv_integrate(&l->integration, dv_loop_node(o, &l->targetNode), dt, DV_X_FREE, DV_V_FREE, false));
  dv_mech_project_response(plan, DV_V_FREE);
  if (dv_mech_boundaries_move(plan)) {
    if (!l->asked) l->holds = dv_compat(o, DV_COMPAT_HELD_MOTION);
    l->asked = true;
    if (!l->holds) dv_mech_move_boundaries(plan, DV_V_FREE, o->node->scene->root->time);
  }
  dv_mech_propagate_v(plan, DV_V_FREE);
  combine_all(plan, DV_X_FREE, DV_X, dt, DV_V_FREE);
  return DV_OK;
}

static dvStatus correct(FreeMotion *l, double dt)
{
  dvPlan *plan = l->base.node->scene->plan;
  dvObject *solver = l->constraintSolver.target;
  if (solver)
    return ((const dvConstraintSolverOps *)dv_ops(solver, DV_ROLE_CONSTRAINT_SOLVER))
        ->solve(solver, dt, l->solveVelocityConstraintFirst);
  dv_mech_copy(plan, DV_X, DV_X_FREE);
  dv_mech_copy(plan, DV_V, DV_V_FREE);
  return DV_OK;
}

static dvStatus free_motion_step(dvObject *o, double dt)
{
  FreeMotion *l = (FreeMotion *)o;
  dvTimers *timers = o->context->timers;
  DV_TRY(dv_loop_begin(o, dt));
  dv_timer_begin(timers, "integrate");
  dvStatus moved = move_freely(l, dt);
  dv_timer_end(timers);
  DV_TRY(moved);
  DV_TRY(dv_loop_collide(o, dt, NULL));
  dv_timer_begin(timers, "constraints");
  dvStatus corrected = correct(l, dt);
  dv_timer_end(timers);
  DV_TRY(corrected);
  return dv_loop_end_corrected(o, dt);
}

static void free_motion_destroy(dvObject *o) { dv_integration_free(&((FreeMotion *)o)->integration); }

static const dvLoopOps free_motion_ops = {.step = free_motion_step, .start = dv_loop_start, .resume = dv_loop_resume};

const dvClass dv_free_motion_loop_class = {
    .struct_size = sizeof(dvClass),
    .name = "FreeMotionAnimationLoop",
    .aliases = "FreeMotionMasterSolver",
    .help = "free motion, collision, correction by constraints: the loop for Lagrangian constraints",
    .module = "Sofa.Component.AnimationLoop",
    .size = sizeof(FreeMotion),
    .blocks = {&dv_object_block, DV_BLOCK(free_motion_fields)},
    .ops = {[DV_ROLE_LOOP] = &free_motion_ops},
    .init = free_motion_init,
    .destroy = free_motion_destroy,
};

// DefaultAnimationLoop: one step of a scene without Lagrangian constraints.
//
// Order as in SOFA: begin event; links and engines; integration (solvers in the order of the graph, each over its own
// subgraph; interaction forces that stand outside of every solver are evaluated where they stand and act as
// constant external forces); projection and propagation of the new positions and velocities; external forces
// cleared; time; end event; visual models.
#include "ode/loop.h"

#include "scene/timer.h"
#include "state/state.h"

#include <math.h>
#include <string.h>

#define DEFAULT_LOOP_FIELDS(X)                                                                                        \
  X(bool, computeBoundingBox, "1", "", "keep the bounding boxes up to date", .flags = DV_LOOKS)                       \
  X(bool, parallelODESolving, "0", "", "accepted: solvers already use all threads inside their loops")                \
  X(link, targetNode, "", "", "node whose subgraph is animated; the loop's own by default", .role = DV_ROLE_NODE)

typedef struct DefaultLoop {
  dvObject base;
  DEFAULT_LOOP_FIELDS(DV_MEMBER)
  dvIntegration integration;
} DefaultLoop;

#define SELF DefaultLoop
static const dvFieldDesc default_loop_fields[] = {DEFAULT_LOOP_FIELDS(DV_DESCRIBE)};
#undef SELF

// --- the loop -------------------------------------------------------------------------------------------------------

static dvStatus default_loop_step(dvObject *o, double dt)
{
  DefaultLoop *l = (DefaultLoop *)o;
  dvScene *scene = o->node->scene;
  dvTimers *timers = o->context->timers;
  dvNode *root = scene->root;
  double next = root->time + dt;

  dv_scene_refresh(scene);
  dv_scene_send(scene, &(dvEvent){.kind = DV_EVENT_ANIMATE_BEGIN, .dt = dt});
  dv_timer_begin(timers, "engines");
  dvStatus pulled = dv_scene_pull(scene);
  dv_timer_end(timers);
  DV_TRY(pulled);
  dv_scene_refresh(scene);   // an event may have changed the graph

  dv_scene_send(scene, &(dvEvent){.kind = DV_EVENT_INTEGRATE_BEGIN, .dt = dt});
  dv_timer_begin(timers, "integrate");
  dvStatus solved = dv_integrate(&l->integration, l->targetNode.target ? (dvNode *)l->targetNode.target : o->node, dt, DV_X, DV_V, true);
  dv_timer_end(timers);
  DV_TRY(solved);
  dv_timer_begin(timers, "propagate");
  dv_mech_project_x(scene->plan, DV_X, next);
  dv_mech_project_v(scene->plan, DV_V, next);
  dv_mech_propagate_x(scene->plan, DV_X);
  dv_mech_propagate_v(scene->plan, DV_V);
  dv_loop_clear_external(scene);
  dv_loop_touch(scene);
  dv_timer_end(timers);
  dv_scene_send(scene, &(dvEvent){.kind = DV_EVENT_INTEGRATE_END, .dt = dt});

  root->time += dt;
  dv_scene_update_context(scene);
  dv_scene_send(scene, &(dvEvent){.kind = DV_EVENT_ANIMATE_END, .dt = dt});
  dv_timer_begin(timers, "visual");
  dv_loop_update_visual(scene);
  dv_timer_end(timers);
  return dv_loop_check(scene);
}

static void default_loop_destroy(dvObject *o) { dv_integration_free(&((DefaultLoop *)o)->integration); }

static const dvLoopOps default_loop_ops = {.step = default_loop_step, .start = dv_loop_start};

const dvClass dv_default_loop_class = {
    .struct_size = sizeof(dvClass),
    .name = "DefaultAnimationLoop",
    .aliases = "DefaultMasterSolver MasterSolver",
    .help = "steps a scene: solvers one after the other, then mappings and visual models",
    .module = "Sofa.Component.AnimationLoop",
    .size = sizeof(DefaultLoop),
    .blocks = {&dv_object_block, DV_BLOCK(default_loop_fields)},
    .ops = {[DV_ROLE_LOOP] = &default_loop_ops},
    .destroy = default_loop_destroy,
};

// DefaultAnimationLoop: one step of a scene without Lagrangian constraints.
//
// Order as in SOFA: begin event; links and engines; collision; integration (solvers in the order of the graph, each
// over its own subgraph; interaction forces that stand outside of every solver are evaluated where they stand and act
// as constant external forces); projection and propagation of the new positions and velocities; external forces
// cleared; time; end event; visual models.
#include "ode/loop.h"

#define DEFAULT_LOOP_FIELDS(X) \
  DV_LOOP_FIELDS(X)            \
  X(bool, parallelODESolving, "0", "", "accepted: solvers already use all threads inside their loops")

typedef struct DefaultLoop {
  dvObject base;
  DEFAULT_LOOP_FIELDS(DV_MEMBER)
  dvIntegration integration;
} DefaultLoop;

#define SELF DefaultLoop
static const dvFieldDesc default_loop_fields[] = {DEFAULT_LOOP_FIELDS(DV_DESCRIBE)};
#undef SELF

static dvStatus default_loop_step(dvObject *o, double dt)
{
  DefaultLoop *l = (DefaultLoop *)o;
  DV_TRY(dv_loop_begin(o, dt));
  DV_TRY(dv_loop_collide(o, dt, NULL));
  DV_TRY(dv_loop_integrate(o, &l->integration, dv_loop_node(o, &l->targetNode), dt));
  return dv_loop_end(o, dt, o->node->scene->root->time + dt);
}

static void default_loop_destroy(dvObject *o) { dv_integration_free(&((DefaultLoop *)o)->integration); }

static const dvLoopOps default_loop_ops = {.step = default_loop_step, .start = dv_loop_start, .resume = dv_loop_resume};

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

// AnimationLoopParallelScheduler: a step for each child of its node that has an animation loop of its own; children
// without one rest.
//
// In SOFA the children's loops run at the same time. Here the loops inside of a step already use all threads, and
// children follow each other in the order of the graph, so that results do not depend on the clock.
#include "ode/loop.h"

#define PARALLEL_LOOP_FIELDS(X)                                                                                       \
  DV_LOOP_FIELDS(X)                                                                                                   \
  X(int, nbThreads, "0", "", "accepted: the program's threads are used", .alias = "threadNumber", .flags = DV_HIDDEN) \
  X(string, taskSchedulerType, "_default", "", "accepted for compatibility", .alias = "scheduler", .flags = DV_HIDDEN)

typedef struct ParallelLoop {
  dvObject base;
  PARALLEL_LOOP_FIELDS(DV_MEMBER)
  DV_ARRAY(dvIntegration) integrations;   // one for each child
  unsigned version;
} ParallelLoop;

#define SELF ParallelLoop
static const dvFieldDesc parallel_loop_fields[] = {PARALLEL_LOOP_FIELDS(DV_DESCRIBE)};
#undef SELF

static void forget(ParallelLoop *l)
{
  for (size_t i = 0; i < l->integrations.count; i++) dv_integration_free(&l->integrations.data[i]);
  l->integrations.count = 0;
}

static dvStatus parallel_loop_step(dvObject *o, double dt)
{
  ParallelLoop *l = (ParallelLoop *)o;
  DV_TRY(dv_loop_begin(o, dt));
  DV_TRY(dv_loop_collide(o, dt, NULL));
  const dvNode *node = dv_loop_node(o, &l->targetNode);
  if (l->integrations.count != node->children.count || l->version != node->scene->version) {
    forget(l);
    for (size_t i = 0; i < node->children.count; i++) dv_push(&l->integrations, (dvIntegration){0});
    l->version = node->scene->version;
  }
  for (size_t i = 0; i < node->children.count; i++)
    if (dv_node_find(node->children.data[i], DV_ROLE_LOOP))
      DV_TRY(dv_loop_integrate(o, &l->integrations.data[i], node->children.data[i], dt));
  return dv_loop_end(o, dt, o->node->scene->root->time + dt);
}

static dvStatus parallel_loop_start(dvObject *o)
{
  const dvNode *node = dv_loop_node(o, &((ParallelLoop *)o)->targetNode);
  bool any = false;
  for (size_t i = 0; i < node->children.count; i++) any = any || dv_node_find(node->children.data[i], DV_ROLE_LOOP);
  if (!any)
    dv_warning(o, "add a <DefaultAnimationLoop/> to each child that should move, or use that in place of this loop",
               "no child of its node has an animation loop: nothing will move");
  return dv_loop_start(o);
}

static void parallel_loop_destroy(dvObject *o)
{
  forget((ParallelLoop *)o);
  dv_array_free(&((ParallelLoop *)o)->integrations);
}

static const dvLoopOps parallel_loop_ops = {
    .step = parallel_loop_step, .start = parallel_loop_start, .resume = dv_loop_resume};

const dvClass dv_parallel_loop_class = {
    .struct_size = sizeof(dvClass),
    .name = "AnimationLoopParallelScheduler",
    .help = "steps the children that have an animation loop of their own",
    .module = "MultiThreading",
    .size = sizeof(ParallelLoop),
    .blocks = {&dv_object_block, DV_BLOCK(parallel_loop_fields)},
    .ops = {[DV_ROLE_LOOP] = &parallel_loop_ops},
    .destroy = parallel_loop_destroy,
};

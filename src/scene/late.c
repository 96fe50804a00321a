// Components that come after the scene was initialised. See late.h.
#include "scene/late.h"

#include "scene/plan.h"
#include "scene/remember.h"

typedef struct Late {
  dvVisitor visitor;
  DV_ARRAY(dvObject *) objects;   // in the order of the graph
} Late;

// nodes have no initialisation of their own: they are told apart by a mark
static dvWalk find_late(dvVisitor *v, dvNode *node)
{
  Late *l = (Late *)v;
  if (!node->base.initialised) dv_push(&l->objects, &node->base);
  for (size_t i = 0; i < node->objects.count; i++) {
    dvObject *o = node->objects.data[i];
    if (!o->initialised && !o->failed) dv_push(&l->objects, o);
  }
  return DV_WALK_ON;
}

static dvStatus initialise(Late *l)
{
  dvStatus worst = DV_OK;
  for (size_t i = 0; i < l->objects.count; i++) {
    dvObject *o = l->objects.data[i];
    const dvStatus status = dv_object_link(o);
    if (status != DV_OK) o->failed = true, worst = status;
  }
  for (size_t i = 0; i < l->objects.count; i++) {
    dvObject *o = l->objects.data[i];
    if (dv_node_of(o)) o->initialised = true;
    else if (!o->failed && dv_object_ensure(o) != DV_OK) worst = DV_ERROR_INPUT;
  }
  for (size_t i = l->objects.count; i > 0; i--) {
    dvObject *o = l->objects.data[i - 1];
    if (o->failed || dv_node_of(o)) continue;
    if (o->cls->bwd_init && o->cls->bwd_init(o) != DV_OK) o->failed = true, worst = DV_ERROR_INPUT;
  }
  return worst;
}

dvStatus dv_scene_init_late(dvScene *scene, bool between)
{
  dvMemory *before = dv_memory_enter(&scene->context->memory);
  Late l = {.visitor = {.top_down = find_late}};
  dv_visit(scene->root, &l.visitor);
  dv_scene_update_context(scene);
  dvStatus status = dv_scene_check_mappings(scene);
  if (status == DV_OK) status = initialise(&l);
  scene->version++;
  const dvLoopOps *loop = dv_ops(scene->loop, DV_ROLE_LOOP);
  if (between && loop->resume && loop->resume(scene->loop) != DV_OK) status = DV_ERROR_DIVERGED;
  size_t kept = 0;
  for (size_t i = 0; i < l.objects.count; i++) {
    dvObject *o = l.objects.data[i];
    if (o->failed) continue;
    if (o->cls->store_reset) o->cls->store_reset(o);
    l.objects.data[kept++] = o;
  }
  dv_scene_save_more(&scene->start, l.objects.data, kept);
  dv_array_free(&l.objects);
  dv_memory_enter(before);
  return status;
}

// See live.h.
#include "scene/live.h"

static void moved(dvLiveGroup *g)
{
  if (g->scene) g->scene->live_version++;
}

void dv_live_enter(dvLiveGroup *g, dvScene *scene)
{
  DV_REQUIRE(!g->scene);
  g->scene = scene;
  dv_push(&scene->live, g);
  moved(g);
}

void dv_live_leave(dvLiveGroup *g)
{
  dvScene *scene = g->scene;
  moved(g);
  for (size_t i = 0; scene && i < scene->live.count; i++)
    if (scene->live.data[i] == g) {
      dv_array_remove(&scene->live, i);
      break;
    }
  for (size_t i = 0; i < g->made.count; i++) dv_object_destroy(&g->made.data[i]);
  for (size_t i = 0; i < g->pool.count; i++) dv_object_destroy(&g->pool.data[i]);
  dv_array_free(&g->objects);
  dv_array_free(&g->made);
  dv_array_free(&g->pool);
  g->scene = NULL;
}

dvObject *dv_live_take(dvLiveGroup *g, const dvClass *cls, const dvDof *dof, dvNode *node)
{
  dvObject *found = NULL;
  for (size_t i = g->pool.count; i > 0 && !found; i--) {
    dvObject *o = g->pool.data[i - 1];
    if (o->cls != cls || o->dof != dof) continue;
    found = o;
    g->pool.data[i - 1] = g->pool.data[--g->pool.count];
  }
  if (!found) found = dv_object_create(node->scene->context, cls, cls->name, dof);
  found->node = node;
  found->place = node->base.place;
  found->failed = found->initialised = false;
  dv_push(&g->made, found);
  return found;
}

static bool take_out(dvObject **list, size_t *count, const dvObject *o)
{
  for (size_t i = *count; i > 0; i--)
    if (list[i - 1] == o) {
      memmove(list + i - 1, list + i, (*count - i) * sizeof *list);
      (*count)--;
      return true;
    }
  return false;
}

void dv_live_give(dvLiveGroup *g, dvObject *o)
{
  if (take_out(g->objects.data, &g->objects.count, o)) moved(g);
  bool made = take_out(g->made.data, &g->made.count, o);
  DV_REQUIRE(made);
  dv_push(&g->pool, o);
}

void dv_live_give_all(dvLiveGroup *g)
{
  dv_live_clear(g);
  for (size_t i = g->made.count; i > 0; i--) dv_push(&g->pool, g->made.data[i - 1]);   // the next take finds the first
  g->made.count = 0;
}

void dv_live_add(dvLiveGroup *g, dvObject *o)
{
  dv_push(&g->objects, o);
  moved(g);
}

void dv_live_clear(dvLiveGroup *g)
{
  if (g->objects.count == 0) return;
  g->objects.count = 0;
  moved(g);
}

// See remember.h.
#include "scene/remember.h"

#include "scene/plan.h"

#include <string.h>

// --- vectors that components keep in states ------------------------------------------------------

typedef struct VectorWalk {
  dvVisitor visitor;
  dvMemoryStream *stream;
  const char *name;
  int number;
} VectorWalk;

// a state that never had the vector gives nothing, and has none where there was none
static void remember_vector(VectorWalk *w, dvObject *state)
{
  dvMemoryStream *s = w->stream;
  bool restores = dv_memory_restores(s);
  dvReals none = {.width = 1}, *r = state->cls->vector(state, w->number, restores);
  size_t before = r ? r->count : 0;
  char *path = s->memory && !s->memory->unnamed ? dv_object_path(state) : NULL;
  char *name = path ? dv_format("%s of %s", w->name, path) : NULL;
  s->state = state;
  dv_remember_shared(s, name ? name : w->name, r ? r : &none);
  s->state = NULL;
  dv_free(name);
  dv_free(path);
  if (restores && r && r->count != before && s->lenient) r->count = 0;
  if (restores && r && r->count != 0 && r->count != before)
    dv_memory_refuse(s, "%s has %zu numbers and not %zu", w->name, r->count, before);
}

static dvWalk walk_vectors(dvVisitor *v, dvNode *node)
{
  VectorWalk *w = (VectorWalk *)v;
  for (size_t i = 0; i < node->objects.count; i++) {
    dvObject *o = node->objects.data[i];
    if (o->cls->vector && o->initialised && !o->failed) remember_vector(w, o);
  }
  return DV_WALK_ON;
}

static void vectors(dvMemoryStream *s, dvObject *o, const char *name, int number)
{
  VectorWalk w = {{.top_down = walk_vectors, .everything = true}, s, name, number};
  dv_visit(o->node, &w.visitor);
}

// --- all components ------------------------------------------------------------------------------

typedef struct Walk {
  dvVisitor visitor;
  dvMemoryStream *stream;
  bool topologies;
  bool only_states;   // others are passed over, for a memory that is put back
} Walk;

static bool takes_part(const dvObject *o) { return o->initialised && !o->failed; }

static dvWalk remember_node(dvVisitor *v, dvNode *node)
{
  Walk *w = (Walk *)v;
  if (!w->topologies && w->only_states) w->stream->object++;
  else if (!w->topologies) dv_object_remember(&node->base, w->stream);
  for (size_t i = 0; i < node->objects.count; i++) {
    dvObject *o = node->objects.data[i];
    if (!takes_part(o) || dv_plays(o, DV_ROLE_TOPOLOGY) != w->topologies) continue;
    if (w->only_states && !dv_plays(o, DV_ROLE_STATE)) w->stream->object++;
    else dv_object_remember(o, w->stream);
  }
  return DV_WALK_ON;
}

static void remember(dvScene *scene, dvMemoryStream *s, bool only_states)
{
  s->vector = vectors;
  for (int pass = 0; pass < 2; pass++) {
    Walk w = {{.top_down = remember_node, .everything = true}, s, pass == 0, only_states};
    dv_visit(scene->root, &w.visitor);
  }
}

void dv_scene_save(dvScene *scene, dvSnapshot *m)
{
  dvMemoryStream s = {.mode = DV_MEMORY_SAVES, .memory = m};
  remember(scene, &s, false);
}

void dv_scene_save_more(dvSnapshot *m, dvObject *const *objects, size_t count)
{
  dvMemoryStream s = {.mode = DV_MEMORY_SAVES, .memory = m, .vector = vectors};
  for (size_t i = 0; i < count; i++) dv_object_remember(objects[i], &s);
}

uint64_t dv_scene_hash_memory(dvScene *scene, uint64_t seed)
{
  dvMemoryStream s = {.mode = DV_MEMORY_HASHES, .hash = seed};
  remember(scene, &s, false);
  return s.hash;
}

// --- putting it back -----------------------------------------------------------------------------

static dvWalk tell_node(dvVisitor *v, dvNode *node)
{
  dvMemoryStream *s = ((Walk *)v)->stream;
  for (size_t i = 0; i < node->objects.count && !s->refused; i++) {
    dvObject *o = node->objects.data[i];
    if (!takes_part(o) || !o->cls->restored || o->cls->restored(o) || s->lenient) continue;
    char *path = dv_object_path(o);
    dv_memory_refuse(s, "%s (%s): what is remembered cannot be", path, o->cls->name);
    dv_free(path);
  }
  return DV_WALK_ON;
}

static bool put_back(dvScene *scene, dvSnapshot *m, bool lenient, dvText *why)
{
  dvMemoryStream s = {.mode = DV_MEMORY_RESTORES, .memory = m, .lenient = lenient};
  remember(scene, &s, false);
  if (!s.refused && !m->unnamed && s.object < m->objects.count)
    dv_memory_refuse(&s, "there is more than the scene remembers");
  dv_scene_update_context(scene);
  Walk w = {.visitor = {.top_down = tell_node, .everything = true}, .stream = &s};
  if (!s.refused) dv_visit(scene->root, &w.visitor);
  const dvLoopOps *loop = dv_ops(scene->loop, DV_ROLE_LOOP);
  dvStatus (*follow)(dvObject *) = loop->resume ? loop->resume : loop->start;
  if (!s.refused && follow && follow(scene->loop) != DV_OK) dv_memory_refuse(&s, "a state in it is not finite");
  scene->rewound = false;
  if (s.refused && why) dv_text_add(why, s.why.text);
  dv_text_free(&s.why);
  return !s.refused;
}

dvStatus dv_scene_restore(dvScene *scene, dvSnapshot *m, dvText *why)
{
  dvSnapshot before = {.shared = true, .unnamed = true};
  dv_scene_save(scene, &before);
  bool good = put_back(scene, m, false, why);
  if (!good) put_back(scene, &before, false, NULL);
  dv_snapshot_free(&before);
  return good ? DV_OK : DV_ERROR_INPUT;
}

static void start_states(dvScene *scene)
{
  dvMemoryStream s = {.mode = DV_MEMORY_RESTORES, .memory = &scene->start, .lenient = true};
  remember(scene, &s, true);
  dv_text_free(&s.why);
}

void dv_scene_rewind(dvScene *scene)
{
  if (!scene->rewind) return;
  scene->rewind(scene, start_states);
  scene->rewound = true;
}

void dv_scene_restart(dvScene *scene)
{
  dv_scene_rewind(scene);
  put_back(scene, &scene->start, true, NULL);
}

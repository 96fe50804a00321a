// See follow.h. A follower belongs to its object. It hears of every change of the topologies that it follows, only to
// know that it is due at the end of the batch; the arrays watch for themselves.
#include "topology/change/follow.h"

typedef struct Watch {
  dvWatcher watcher;
  struct Follower *follower;
  bool looks;   // at the topology, for all who follow it
} Watch;

typedef struct Follower {
  dvFollower base;
  bool due;                   // a topology has changed since the last call
  DV_ARRAY(Watch *) meshes;   // one for each topology
  DV_ARRAY(dvElementData *) data;
  DV_ARRAY(dvElementList *) lists;
} Follower;

// --- the end of a batch --------------------------------------------------------------------------

// what was edited as a whole, and what topological mappings have made anew
static void look_at_meshes(const dvScene *scene)
{
  for (size_t i = 0; i < scene->followers.count; i++) {
    const Follower *f = (const Follower *)scene->followers.data[i];
    for (size_t k = 0; k < f->meshes.count; k++) {
      dvTopology *t = f->meshes.data[k]->watcher.topology;
      if (!t || !f->meshes.data[k]->looks) continue;
      dv_topology_settle(t);   // one that is wrong now has no elements
      dv_topology_tell_remade(t);
    }
  }
}

static void call(const dvScene *scene, bool states)
{
  for (size_t i = 0; i < scene->followers.count; i++) {
    Follower *f = (Follower *)scene->followers.data[i];
    dvObject *o = f->base.owner;
    if (!f->due || dv_plays(o, DV_ROLE_STATE) != states) continue;
    f->due = false;
    if (!o->cls->topology_changed || o->failed) continue;
    o->following = true;
    o->cls->topology_changed(o);
    o->following = false;
  }
}

static void scene_follow(dvScene *scene)
{
  look_at_meshes(scene);
  call(scene, true);
  call(scene, false);
}

// --- followers -----------------------------------------------------------------------------------

static bool is_looked_at(const dvScene *scene, const dvTopology *t, Watch **other)
{
  for (size_t i = 0; i < scene->followers.count; i++) {
    const Follower *f = (const Follower *)scene->followers.data[i];
    for (size_t k = 0; k < f->meshes.count; k++) {
      if (f->meshes.data[k]->watcher.topology != t) continue;
      if (other) *other = f->meshes.data[k];
      if (f->meshes.data[k]->looks) return true;
    }
  }
  return false;
}

static void stop_watching(const dvScene *scene, Watch *w)
{
  dvTopology *t = w->watcher.topology;
  dv_topology_unwatch(&w->watcher);
  Watch *other = NULL;
  if (t && w->looks && !is_looked_at(scene, t, &other) && other) other->looks = true;
  dv_free(w);
}

static void follower_release(dvBelonging *b)
{
  Follower *f = (Follower *)b;
  dvScene *scene = f->base.scene;
  for (size_t i = 0; i < scene->followers.count; i++)
    if (scene->followers.data[i] == &f->base) {
      dv_array_remove(&scene->followers, i);
      break;
    }
  for (size_t i = 0; i < f->meshes.count; i++) stop_watching(scene, f->meshes.data[i]);
  for (size_t i = 0; i < f->data.count; i++) {
    dv_element_data_fini(f->data.data[i]);
    dv_free(f->data.data[i]);
  }
  for (size_t i = 0; i < f->lists.count; i++) {
    dv_element_list_fini(f->lists.data[i]);
    dv_free(f->lists.data[i]);
  }
  dv_array_free(&f->meshes);
  dv_array_free(&f->data);
  dv_array_free(&f->lists);
  dv_free(f);
}

static Follower *follower_of(dvObject *o)
{
  for (dvBelonging *b = o->belongings; b; b = b->next)
    if (b->release == follower_release) return (Follower *)b;
  Follower *f = dv_alloc(sizeof *f);
  dvScene *scene = o->node->scene;
  f->base = (dvFollower){{.release = follower_release, .next = o->belongings}, o, scene};
  o->belongings = &f->base.belonging;
  scene->follow = scene_follow;
  dv_push(&scene->followers, &f->base);
  return f;
}

static void notice(dvWatcher *w, const dvChange *c)
{
  if (c->what != DV_CHANGES_END) ((Watch *)w)->follower->due = true;
}

static Follower *follow(dvObject *o, dvTopology *t)
{
  Follower *f = follower_of(o);
  for (size_t i = 0; i < f->meshes.count; i++)
    if (f->meshes.data[i]->watcher.topology == t) return f;
  Watch *w = dv_alloc(sizeof *w);
  *w = (Watch){.watcher = {.notice = notice}, .follower = f, .looks = !is_looked_at(f->base.scene, t, NULL)};
  dv_topology_watch(t, &w->watcher);
  dv_push(&f->meshes, w);
  return f;
}

void dv_follow(dvObject *o, dvTopology *t) { follow(o, t); }

dvElementData *dv_follow_elements(dvObject *o, dvTopology *t, dvElementKind kind)
{
  Follower *f = follow(o, t);
  for (size_t i = 0; i < f->data.count; i++)
    if (f->data.data[i]->watcher.topology == t && f->data.data[i]->kind == kind) return f->data.data[i];
  dvElementData *d = dv_alloc(sizeof *d);
  dv_element_data_init(d, o, t, kind);
  dv_push(&f->data, d);
  return d;
}

dvElementList *dv_follow_list(dvObject *o, dvTopology *t, dvElementKind kind, dvInts *list)
{
  Follower *f = follow(o, t);
  for (size_t i = 0; i < f->lists.count; i++) {
    dvElementList *l = f->lists.data[i];
    if (l->watcher.topology == t && l->kind == kind && l->list == list) return l;
  }
  dvElementList *l = dv_alloc(sizeof *l);
  dv_element_list_init(l, o, t, kind, list);
  dv_push(&f->lists, l);
  return l;
}

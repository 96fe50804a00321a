// See follow.h. A follower belongs to its object. It hears of every change of the topologies that it follows, only to
// know that it is due at the end of the batch; the arrays watch for themselves.
#include "topology/change/follow.h"

#include "topology/change/keep.h"

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
  dvDataColumns fixed;   // no rows, but they are kept too
  dvKept kept;           // what all columns were before the first change
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

static void call(dvScene *scene, bool states, bool rewound)
{
  for (size_t i = 0; i < scene->followers.count; i++) {
    Follower *f = (Follower *)scene->followers.data[i];
    dvObject *o = f->base.owner;
    if (!f->due || dv_plays(o, DV_ROLE_STATE) != states) continue;
    f->due = false;
    if (!o->cls->topology_changed || o->failed) continue;
    o->following = true;
    o->rewound = rewound;
    o->patched = states;   // their rows are all they have
    o->cls->topology_changed(o);
    if (!o->patched) scene->remade++;
    o->following = o->rewound = false;
  }
}

// all have heard of what happened
static void clear_traces(const dvScene *scene)
{
  for (size_t i = 0; i < scene->followers.count; i++) {
    const Follower *f = (const Follower *)scene->followers.data[i];
    for (size_t k = 0; k < f->meshes.count; k++)
      if (f->meshes.data[k]->watcher.topology) dv_topology_clear_trace(f->meshes.data[k]->watcher.topology);
  }
}

static void scene_follow(dvScene *scene)
{
  look_at_meshes(scene);
  call(scene, true, false);
  call(scene, false, false);
  clear_traces(scene);
}

// --- back to before the first change -------------------------------------------------------------

typedef struct Rewind {
  dvVisitor visitor;
  void (*each)(dvTopology *t);
} Rewind;

static dvWalk rewind_node(dvVisitor *v, dvNode *node)
{
  for (size_t i = 0; i < node->objects.count; i++) {
    dvObject *o = node->objects.data[i];
    if (dv_plays(o, DV_ROLE_TOPOLOGY) && !o->failed) ((Rewind *)v)->each(dv_topology(o));
  }
  return DV_WALK_ON;
}

// what is linked to meshes, directly or through engines, takes what they had
static dvWalk pull_node(dvVisitor *v, dvNode *node)
{
  DV_UNUSED(v);
  for (size_t i = 0; i < node->objects.count; i++) {
    dvObject *o = node->objects.data[i];
    if (o->initialised && !o->failed && !dv_plays(o, DV_ROLE_ENGINE)) dv_object_pull(o);
  }
  return DV_WALK_ON;
}

static void put_back(dvTopology *t) { dv_topology_put_back(t); }
static void settle(dvTopology *t) { dv_topology_settle(t); }
static void forget(dvTopology *t) { t->remade = false; }

static bool is_back(const Follower *f)
{
  for (size_t i = 0; i < f->meshes.count; i++)
    if (f->meshes.data[i]->watcher.topology && f->meshes.data[i]->watcher.topology->remade) return true;
  return f->kept.columns.count > 0;
}

static void put_back_rows(Follower *f)
{
  for (size_t i = 0; i < f->data.count; i++) {   // a state that lives elsewhere comes home
    dvElementData *d = f->data.data[i];
    if (d->kept && d->gather) d->gather(d->user, d);
  }
  dv_keep_put_back(&f->kept, true);
  for (size_t i = 0; i < f->data.count; i++)
    if (f->data.data[i]->watcher.topology) dv_element_data_put_back(f->data.data[i]);
  for (size_t i = 0; i < f->lists.count; i++)
    if (f->lists.data[i]->watcher.topology) dv_element_list_put_back(f->lists.data[i]);
  f->due = true;
}

void dv_follow_rewind(dvScene *scene, void (*put_states_back)(dvScene *scene))
{
  scene->rewind = NULL;
  scene->turn = 0;
  scene->lists_version = scene->version - 1;   // links are back
  void (*const before[])(dvTopology *) = {put_back, settle};
  for (size_t i = 0; i < DV_COUNT(before); i++)
    dv_visit(scene->root, &(Rewind){{.top_down = rewind_node, .everything = true}, before[i]}.visitor);
  for (int states = 1; states >= 0; states--)
    for (size_t i = 0; i < scene->followers.count; i++) {
      Follower *f = (Follower *)scene->followers.data[i];
      if (dv_plays(f->base.owner, DV_ROLE_STATE) == (states == 1) && is_back(f)) put_back_rows(f);
    }
  dv_visit(scene->root, &(Rewind){{.top_down = rewind_node, .everything = true}, forget}.visitor);
  call(scene, true, true);
  put_states_back(scene);
  dv_visit(scene->root, &(dvVisitor){.top_down = pull_node, .everything = true});
  call(scene, false, true);
  clear_traces(scene);
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
  dv_array_free(&f->fixed);
  dv_keep_free(&f->kept);
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
  Follower *f = ((Watch *)w)->follower;
  if (c->what == DV_CHANGES_END) return;
  f->due = true;
  for (size_t i = 0; i < f->fixed.count && dv_keeps(w, c); i++)
    dv_keep_column(&f->kept, f->base.owner, &f->fixed.data[i]);
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

const dvTrace *dv_follow_trace(const dvObject *o, const dvTopology *t)
{
  return o->following && !o->rewound ? dv_topology_trace(t) : NULL;
}

dvElementData *dv_follow_elements(dvObject *o, dvTopology *t, dvElementKind kind)
{
  Follower *f = follow(o, t);
  for (size_t i = 0; i < f->data.count; i++)
    if (f->data.data[i]->watcher.topology == t && f->data.data[i]->kind == kind) return f->data.data[i];
  dvElementData *d = dv_alloc(sizeof *d);
  dv_element_data_init(d, o, t, kind);
  d->keeper = &f->kept;
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
  l->keeper = &f->kept;
  dv_push(&f->lists, l);
  return l;
}

static void keep(dvObject *o, dvColumn column)
{
  Follower *f = follower_of(o);
  for (size_t i = 0; i < f->fixed.count; i++)
    if (f->fixed.data[i].values == column.values) return;
  dv_push(&f->fixed, column);
}

void dv_follow_keep_reals(dvObject *o, dvReals *values)
{
  keep(o, (dvColumn){.type = DV_COLUMN_REALS, .values = values});
}

void dv_follow_keep_ints(dvObject *o, dvInts *values) { keep(o, (dvColumn){.type = DV_COLUMN_INTS, .values = values}); }

void dv_follow_keep_bytes_(dvObject *o, void *bytes, size_t size)
{
  keep(o, (dvColumn){.type = DV_COLUMN_ARRAY, .values = bytes, .size = size});
}

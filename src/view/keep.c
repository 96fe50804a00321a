// What goes on when a scene is read again because of an edit: what was done to meshes, time, positions and velocities
// of the states that are still as many, and the files of exporters.
#include "view/inside.h"

#include "mechanics/mechanics.h"
#include "scene/plan.h"
#include "topology/change/journal.h"

#include <string.h>

// --- meshes --------------------------------------------------------------------------------------

typedef struct KeptMesh {
  char *path;
  dvJournal journal;
} KeptMesh;

typedef DV_ARRAY(KeptMesh) KeptMeshes;

typedef struct Meshes {
  dvVisitor visitor;
  KeptMeshes *list;   // NULL: they are only counted
  size_t count;
} Meshes;

static dvWalk keep_meshes_of(dvVisitor *v, dvNode *node)
{
  Meshes *all = (Meshes *)v;
  for (size_t i = 0; i < node->objects.count; i++) {
    dvObject *o = node->objects.data[i];
    const dvJournal *j = dv_plays(o, DV_ROLE_TOPOLOGY) && !o->failed ? dv_topology_journal(dv_topology(o)) : NULL;
    all->count += j != NULL;
    if (!j || !all->list) continue;
    KeptMesh k = {.path = dv_object_path(o)};
    for (size_t n = 0; n < j->words.count; n++) dv_push(&k.journal.words, j->words.data[n]);
    for (size_t n = 0; n < j->reals.count; n++) dv_push(&k.journal.reals, j->reals.data[n]);
    dv_push(all->list, k);
  }
  return DV_WALK_ON;
}

static size_t list_meshes(dvSession *s, KeptMeshes *out)
{
  Meshes all = {{.top_down = keep_meshes_of, .everything = true}, out, 0};
  if (s->ready) dv_visit(s->scene->root, &all.visitor);
  return all.count;
}

bool dv_view_meshes_changed(dvSession *s) { return list_meshes(s, NULL) > 0; }

static void change_meshes(dvSession *s, KeptMeshes *kept)
{
  DV_ARRAY(dvReplay) replays = {0};
  dvText why = {0};
  for (size_t i = 0; i < kept->count; i++) {
    dvObject *o = s->ready ? dv_view_find(s, kept->data[i].path) : NULL;
    if (o && dv_plays(o, DV_ROLE_TOPOLOGY) && !o->failed)
      dv_push(&replays, ((dvReplay){.topology = dv_topology(o), .journal = &kept->data[i].journal}));
  }
  if (replays.count && dv_topologies_replay(s->scene, replays.data, replays.count, &why) != DV_OK)
    dv_warning(&s->scene->root->base, "undo the edit to have it back",
               "what was done to the meshes does not fit any more: %s", why.text ? why.text : "");
  dv_text_free(&why);
  dv_array_free(&replays);
  for (size_t i = 0; i < kept->count; i++) {
    dv_free(kept->data[i].path);
    dv_journal_free(&kept->data[i].journal);
  }
  dv_array_free(kept);
}

// --- states --------------------------------------------------------------------------------------

typedef struct Kept {
  char *path;
  size_t count;
  const dvDof *dof;
  dvReals x, v;
} Kept;
typedef DV_ARRAY(Kept) KeptList;

static void keep_states(dvSession *s, KeptList *out)
{
  if (!s->ready) return;
  dv_scene_refresh(s->scene);
  const dvPlan *p = s->scene->plan;
  for (size_t i = 0; i < p->independent.count; i++) {
    dvState *state = dv_state(p->independent.data[i]);
    Kept k = {.path = dv_object_path(&state->base), .count = state->count, .dof = state->base.dof};
    if (dv_reals_assign(&k.x, dv_state_read(state, DV_X), dv_state_scalars(state, DV_X)) &&
        dv_reals_assign(&k.v, dv_state_read(state, DV_V), dv_state_scalars(state, DV_V)))
      dv_push(out, k);
  }
}

static void restore_states(dvSession *s, KeptList *kept)
{
  for (size_t i = 0; i < kept->count; i++) {
    Kept *k = &kept->data[i];
    dvObject *o = s->ready ? dv_view_find(s, k->path) : NULL;
    dvState *state = o && dv_is_mechanical_state(o) ? dv_state(o) : NULL;
    if (state && state->count == k->count && state->base.dof == k->dof) {
      memcpy(dv_state_write(state, DV_X), k->x.data, k->x.count * sizeof(double));
      memcpy(dv_state_write(state, DV_V), k->v.data, k->v.count * sizeof(double));
      dv_state_touch(state, DV_X);
      dv_state_touch(state, DV_V);
    }
    dv_free(k->path);
    dv_reals_free(&k->x);
    dv_reals_free(&k->v);
  }
  dv_array_free(kept);
}

// --- exporters: their files go on where they were ------------------------------------------------

typedef struct KeptExporter {
  char *path;
  const dvClass *cls;
  dvSnapshot memory;
} KeptExporter;

typedef DV_ARRAY(KeptExporter) KeptExporters;

typedef struct Exporters {
  dvVisitor visitor;
  KeptExporters *list;
} Exporters;

static dvWalk keep_exporters_of(dvVisitor *v, dvNode *node)
{
  Exporters *all = (Exporters *)v;
  for (size_t i = 0; i < node->objects.count; i++) {
    dvObject *o = node->objects.data[i];
    if (!dv_plays(o, DV_ROLE_EXPORTER) || o->failed || !o->initialised) continue;
    dv_push(all->list, ((KeptExporter){.path = dv_object_path(o), .cls = o->cls}));
    dvMemoryStream stream = {.mode = DV_MEMORY_SAVES, .memory = &all->list->data[all->list->count - 1].memory};
    dv_object_remember(o, &stream);
  }
  return DV_WALK_ON;
}

static void keep_exporters(dvSession *s, KeptExporters *out)
{
  Exporters all = {{.top_down = keep_exporters_of, .everything = true}, out};
  if (s->ready) dv_visit(s->scene->root, &all.visitor);
}

static void restore_exporters(dvSession *s, KeptExporters *kept)
{
  for (size_t i = 0; i < kept->count; i++) {
    KeptExporter *k = &kept->data[i];
    dvObject *o = s->ready ? dv_view_find(s, k->path) : NULL;
    if (o && o->cls == k->cls && o->initialised && !o->failed) {
      dvMemoryStream stream = {.mode = DV_MEMORY_RESTORES, .memory = &k->memory};
      dv_object_remember(o, &stream);
      if (!stream.refused && o->cls->restored) o->cls->restored(o);
      dv_text_free(&stream.why);
    }
    dv_free(k->path);
    dv_snapshot_free(&k->memory);
  }
  dv_array_free(kept);
}

// --- all of it -----------------------------------------------------------------------------------

struct dvKept {
  KeptMeshes meshes;
  KeptList states;
  KeptExporters exporters;
  double time;
  long step;
};

dvKept *dv_view_keep(dvSession *s)
{
  dvKept *k = dv_alloc(sizeof *k);
  list_meshes(s, &k->meshes);
  keep_states(s, &k->states);
  keep_exporters(s, &k->exporters);
  if (s->ready) k->time = s->scene->root->time, k->step = s->scene->step;
  return k;
}

void dv_view_keep_not(dvKept *k, const char *path)
{
  size_t length = strlen(path), left = 0;
  for (size_t i = 0; i < k->states.count; i++) {
    Kept *state = &k->states.data[i];
    bool inside = strncmp(state->path, path, length) == 0 && (!state->path[length] || state->path[length] == '/');
    if (!inside) {
      k->states.data[left++] = *state;
      continue;
    }
    dv_free(state->path);
    dv_reals_free(&state->x);
    dv_reals_free(&state->v);
  }
  k->states.count = left;
}

void dv_view_keep_nothing(dvKept **kept)
{
  dvKept *k = *kept;
  if (!k) return;
  dv_view_keep_not(k, "");
  dv_array_free(&k->states);
  for (size_t i = 0; i < k->meshes.count; i++)
    dv_free(k->meshes.data[i].path), dv_journal_free(&k->meshes.data[i].journal);
  dv_array_free(&k->meshes);
  for (size_t i = 0; i < k->exporters.count; i++)
    dv_free(k->exporters.data[i].path), dv_snapshot_free(&k->exporters.data[i].memory);
  dv_array_free(&k->exporters);
  dv_free(k);
  *kept = NULL;
}

void dv_view_go_on(dvSession *s, dvKept **kept)
{
  dvKept *k = *kept;
  change_meshes(s, &k->meshes);
  restore_states(s, &k->states);
  if (s->ready) {
    s->scene->root->time = k->time;
    s->scene->step = k->step;
    dv_scene_update_context(s->scene);
    dv_scene_refresh(s->scene);
    const dvLoopOps *loop = dv_ops(s->scene->loop, DV_ROLE_LOOP);
    if (loop->start) loop->start(s->scene->loop);
    dv_session_start_pace(s);
  }
  restore_exporters(s, &k->exporters);
  dv_free(k);
  *kept = NULL;
}

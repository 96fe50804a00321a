// Undoing what tools have done: a stack of snapshots, taken before each stroke that changes a mesh, and of components
// that were added. See inside.h.
#include "view/inside.h"

#include "io/record/snapshot.h"

enum { MOST_STROKES = 50 };
#define MOST_BYTES ((size_t)256 << 20)

static void free_undo(dvUndo *u) { dv_free(u->bytes), dv_free(u->path), dv_free(u->what); }

static size_t total_bytes(const dvSession *s)
{
  size_t sum = 0;
  for (size_t i = 0; i < s->undo.count; i++) sum += s->undo.data[i].length;
  return sum;
}

static void push(dvSession *s, dvUndo u, const char *what)
{
  u.what = dv_strdup(what);
  dv_push(&s->undo, u);
  while (s->undo.count > 1 && (s->undo.count > MOST_STROKES || total_bytes(s) > MOST_BYTES)) {   // the oldest goes
    free_undo(&s->undo.data[0]);
    dv_array_remove(&s->undo, 0);
  }
}

bool dv_view_undo_keep(dvSession *s, const char *what)
{
  dvUndo u = {0};
  u.bytes = dv_snapshot_pack(s->scene, &u.length);
  if (u.bytes) push(s, u, what);
  return u.bytes != NULL;
}

void dv_view_undo_added(dvSession *s, const dvObject *o, const char *what)
{
  push(s, (dvUndo){.path = dv_object_path(o)}, what);
}

void dv_view_undo_drop(dvSession *s)
{
  if (s->undo.count) free_undo(&s->undo.data[--s->undo.count]);
}

void dv_view_undo_clear(dvSession *s)
{
  while (s->undo.count) dv_view_undo_drop(s);
  dv_array_free(&s->undo);
}

// what was added goes; it may have gone already, when the scene was read again
static json_t *take_away(dvSession *s, dvUndo *u)
{
  dvObject *o = dv_view_find(s, u->path);
  if (o) dv_scene_bury(s->scene, o);
  s->draw.again = s->moved = true;
  json_t *answer = dv_view_ok();
  dv_view_put_text(answer, "text", u->what);
  free_undo(u);
  return answer;
}

// A mesh that has changed never goes back: the scene is read again, and what the snapshot tells is done to it. A
// program's own scene is not read again: it is restored as the program would do it.
json_t *dv_view_undo(dvSession *s)
{
  if (!s->undo.count) return dv_view_error("the last strokes of tools can be undone", "there is nothing to undo");
  if (s->undo.data[s->undo.count - 1].path) return take_away(s, &s->undo.data[--s->undo.count]);
  bool animating = s->animating;
  dvUndo u = s->undo.data[--s->undo.count], *older = s->undo.data;
  size_t count = s->undo.count, capacity = s->undo.capacity;
  s->undo.data = NULL, s->undo.count = s->undo.capacity = 0;   // reading forgets them
  if (!s->options.host.scene) dv_session_load(s);
  s->undo.data = older, s->undo.count = count, s->undo.capacity = capacity;
  bool good = s->ready && dv_snapshot_unpack(s->scene, u.bytes, u.length, u.what) == DV_OK;
  json_t *answer = good ? dv_view_ok() : dv_session_first_error(s);
  if (good) dv_view_put_text(answer, "text", u.what);
  s->animating = animating && s->ready;
  s->draw.again = s->moved = true;
  dv_session_start_pace(s);
  free_undo(&u);
  return answer;
}

// Edits of the text of a scene, undoing and redoing them. See edit.h.
#include "view/edit.h"

#include "app/lint.h"
#include "base/file.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_EDITS = 500 };

// --- the text ------------------------------------------------------------------------------------

static void free_edit(dvTextEdit *e)
{
  for (size_t i = 0; i < e->splices.count; i++) dv_free(e->splices.data[i].before), dv_free(e->splices.data[i].after);
  dv_array_free(&e->splices);
  dv_free(e->what), dv_free(e->path), dv_free(e->field), dv_free(e->was), dv_free(e->value);
  *e = (dvTextEdit){0};
}

static void free_edits(struct dvEditing *e)
{
  while (e->done.count) free_edit(&e->done.data[--e->done.count]);
  while (e->undone.count) free_edit(&e->undone.data[--e->undone.count]);
}

void dv_edit_close(dvSession *s)
{
  struct dvEditing *e = s->editing;
  if (!e) return;
  free_edits(e);
  free_edit(&e->now);
  dv_free(e->raw);
  dv_upload_free(&e->upload);
  dv_filling_free(&e->filling);
  dv_array_free(&e->done);
  dv_array_free(&e->undone);
  dv_array_free(&e->origins);
  dv_document_free(&e->document);
  dv_document_free(&e->built);
  dv_free(e);
  s->editing = NULL;
}

void dv_edit_read_again(dvSession *s)
{
  if (s->editing && !s->editing->done.count && !s->editing->undone.count) dv_edit_close(s);
}

void dv_edit_open(dvSession *s, const char *bytes, size_t length)
{
  dv_edit_close(s);
  dvDocument d = {0};
  if (!dv_document_take(&d, bytes, length)) return;
  s->editing = dv_alloc(sizeof *s->editing);
  s->editing->document = d;
  if (d.text.length == length && memcmp(d.text.text, bytes, length) == 0) return;
  s->editing->raw = dv_strndup(bytes, length);
  s->editing->raw_length = strlen(s->editing->raw);
}

bool dv_edit_parse(dvSession *s)
{
  struct dvEditing *e = s->editing;
  if (!e) return false;
  e->origins.count = 0;
  bool raw = e->raw && !e->done.count && !e->now.splices.count;
  dv_scene_parse_traced(s->context, s->file ? s->file : s->name, raw ? e->raw : e->document.text.text,
                        raw ? e->raw_length : e->document.text.length, &s->scene, &e->origins);
  return true;
}

void dv_edit_built(dvSession *s)
{
  if (s->editing) dv_document_copy(&s->editing->built, &s->editing->document);
}

json_t *dv_edit_refusal(const dvSession *s)
{
  if (s->options.host.scene) return dv_view_host_refuses();
  if (!s->editing)
    return dv_view_error("scenes that are XML files can be edited; a scene in Python is edited where it is written",
                         "this scene has no text that could be edited");
  if (!s->scene)
    return dv_view_error("undo what was done last, or correct the file and reload it", "the scene cannot be read");
  return NULL;
}

int dv_edit_tag(dvSession *s, const dvObject *o, json_t **error)
{
  const struct dvEditing *e = s->editing;
  for (size_t i = 0; e && i < e->origins.count; i++)
    if (e->origins.data[i].object == o) return (int)e->origins.data[i].tag;
  char *path = dv_object_path(o);
  *error = o->place.file && s->file && !dv_same(o->place.file, s->file)
               ? dv_view_error("edit that file, or remove the include and add its content",
                               "%s stands in the included file %s", path, dv_path_name(o->place.file))
               : dv_view_error(NULL, "%s is not in the scene's text: it came by itself", path);
  dv_free(path);
  return -1;
}

// --- doing ---------------------------------------------------------------------------------------

void dv_edit_begin(dvSession *s, const char *format, ...)
{
  dvText what = {0};
  va_list args;
  va_start(args, format);
  dv_text_vprintf(&what, format, args);
  va_end(args);
  free_edit(&s->editing->now);
  s->editing->now.what = dv_text_take(&what);
  s->editing->broken = false;
}

void dv_edit_replace(dvSession *s, dvSpan piece, const char *by)
{
  struct dvEditing *e = s->editing;
  dvSplice splice = {piece.at, dv_strndup(e->document.text.text + piece.at, piece.length), dv_strdup(by)};
  dv_push(&e->now.splices, splice);
  e->broken = !dv_document_replace(&e->document, piece, by);
}

static void put_back(dvDocument *d, const dvTextEdit *e)
{
  for (size_t i = e->splices.count; i > 0; i--) {
    const dvSplice *p = &e->splices.data[i - 1];
    dv_document_replace(d, (dvSpan){p->at, strlen(p->after)}, p->before);
  }
}

static void do_again(dvDocument *d, const dvTextEdit *e)
{
  for (size_t i = 0; i < e->splices.count; i++) {
    const dvSplice *p = &e->splices.data[i];
    dv_document_replace(d, (dvSpan){p->at, strlen(p->before)}, p->after);
  }
}

// what runs follows the text; the smaller the part the better
static void rebuild(dvSession *s, const dvTextEdit *edit)
{
  bool fresh = edit && edit->fresh;
  bool animating = s->animating;
  if (s->editing->by_page && s->ready && !dv_file_confined()) dv_view_confine(s);
  if (!dv_edit_rebuild_parts(s, fresh)) {
    dvKept *kept = dv_view_keep(s);
    if (fresh && edit->path) dv_view_keep_not(kept, edit->path);
    dv_session_load(s);
    dv_view_go_on(s, &kept);
  }
  s->animating = animating && s->ready;
  dv_edit_check(s);
}

void dv_edit_forget_undone(dvSession *s)
{
  struct dvEditing *e = s->editing;
  if (e->saved > e->done.count) e->saved = SIZE_MAX;
  while (e->undone.count) free_edit(&e->undone.data[--e->undone.count]);
}

// one value of a field after the other is one edit, as long as nothing else comes between
static bool joins(const dvTextEdit *last, const dvTextEdit *now)
{
  return now->path && last->path && now->field && last->field && dv_same(now->path, last->path) &&
         dv_same(now->field, last->field) && now->splices.count == 1 && last->splices.count == 1 &&
         now->splices.data[0].at == last->splices.data[0].at &&
         dv_same(now->splices.data[0].before, last->splices.data[0].after);
}

static void keep_done(dvSession *s, bool join)
{
  struct dvEditing *e = s->editing;
  dv_edit_forget_undone(s);
  dvTextEdit *last = e->done.count ? &e->done.data[e->done.count - 1] : NULL;
  if (join && last && e->saved != e->done.count && joins(last, &e->now)) {
    dvSplice *a = &last->splices.data[0], *b = &e->now.splices.data[0];
    char *text = a->after;
    a->after = b->after, b->after = text;
    text = last->value;
    last->value = e->now.value, e->now.value = text;
    free_edit(&e->now);
    return;
  }
  dv_push(&e->done, e->now);
  e->now = (dvTextEdit){0};
  if (e->done.count <= MOST_EDITS) return;
  free_edit(&e->done.data[0]);
  dv_array_remove(&e->done, 0);
  e->saved = e->saved == 0 || e->saved == SIZE_MAX ? SIZE_MAX : e->saved - 1;
}

json_t *dv_edit_commit(dvSession *s, dvEditMode mode)
{
  struct dvEditing *e = s->editing;
  if (!e->now.splices.count) {
    free_edit(&e->now);
    return NULL;
  }
  if (e->broken) {
    put_back(&e->document, &e->now);
    free_edit(&e->now);
    return dv_view_error("each start tag needs an end tag", "what was given is not XML");
  }
  bool worked = s->ready;
  if (mode == DV_EDIT_ONLY_TEXT) {   // numbers of tags and lines stay: only values changed
    dv_edit_built(s);
    keep_done(s, true);
    s->graph++;
    return NULL;
  }
  bool animating = s->animating;
  dvKept *before = mode == DV_EDIT_WORKING && worked ? dv_view_keep(s) : NULL;
  rebuild(s, &e->now);
  if (before && !s->ready) {
    json_t *refusal = dv_session_first_error(s);
    put_back(&e->document, &e->now);
    free_edit(&e->now);
    rebuild(s, NULL);
    dv_view_go_on(s, &before);
    s->animating = animating && s->ready;
    return refusal;
  }
  dv_view_keep_nothing(&before);
  keep_done(s, false);
  return NULL;
}

// --- undoing -------------------------------------------------------------------------------------

// a field that was set while the scene ran is set back while it runs
static bool set_live(dvSession *s, const dvTextEdit *e, const char *value)
{
  dvObject *o = e->path && e->field && s->ready ? dv_view_find(s, e->path) : NULL;
  dvField *f = o ? dv_object_field(o, e->field) : NULL;
  dvText why = {0};
  bool good = f && dv_field_set_live(f, value ? value : f->desc->initial ? f->desc->initial : "", &why) == DV_OK;
  dv_text_free(&why);
  if (good && !value) f->was_set = false;
  if (good) dv_edit_built(s), s->moved = s->draw.again = true, s->graph++;
  return good;
}

static json_t *told(dvTextEdit *e)
{
  json_t *answer = dv_view_ok();
  dv_view_put_text(answer, "text", e->what);
  return answer;
}

json_t *dv_edit_undo(dvSession *s)
{
  struct dvEditing *e = s->editing;
  if (!e || !e->done.count)
    return dv_view_error("edits and strokes of tools can be undone", "there is nothing to undo");
  dvTextEdit last = e->done.data[--e->done.count];
  put_back(&e->document, &last);
  dv_push(&e->undone, last);
  if (!set_live(s, &last, last.was)) rebuild(s, &last);
  return told(&e->undone.data[e->undone.count - 1]);
}

json_t *dv_edit_redo(dvSession *s)
{
  struct dvEditing *e = s->editing;
  if (!e || !e->undone.count) return dv_view_error("what was undone can be done again", "there is nothing to do again");
  dvTextEdit next = e->undone.data[--e->undone.count];
  do_again(&e->document, &next);
  dv_push(&e->done, next);
  if (!set_live(s, &next, next.value)) rebuild(s, &next);
  return told(&e->done.data[e->done.count - 1]);
}

void dv_edit_status(const dvSession *s, json_t *out)
{
  const struct dvEditing *e = s->editing;
  json_object_set_new(out, "editable", json_boolean(e != NULL && !s->options.host.scene));
  if (!e) return;
  json_object_set_new(out, "edits", json_integer((json_int_t)e->done.count));
  json_object_set_new(out, "undone", json_integer((json_int_t)e->undone.count));
  json_object_set_new(out, "unsaved", json_boolean(e->saved != e->done.count));
  if (e->done.count) dv_view_put_text(out, "lastEdit", e->done.data[e->done.count - 1].what);
  if (e->undone.count) dv_view_put_text(out, "lastUndone", e->undone.data[e->undone.count - 1].what);
}

// --- checking ------------------------------------------------------------------------------------

void dv_edit_check(dvSession *s)
{
  dv_session_begin_check(s);
  if (s->ready && !s->options.host.scene) dv_scene_lint(s->scene);
  dv_session_end_check(s);
}

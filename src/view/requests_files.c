// Requests: scenes that are opened, and what is written. See request.h.
#include "view/edit.h"
#include "view/play.h"
#include "view/request.h"

#include "app/dump.h"
#include "base/file.h"
#include "io/scene/scene_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VIEW_LIMIT = 64 << 10 };   // bytes of a stored view

json_t *dv_view_stored(const dvSession *s)
{
  char *path = s->file ? dv_format("%s.view", s->file) : NULL, *text = dv_file_read(path, NULL);
  json_t *view = text && strlen(text) <= VIEW_LIMIT ? json_loads(text, 0, NULL) : NULL;
  dv_free(path);
  dv_free(text);
  if (view && json_is_object(view)) return view;
  json_decref(view);
  return json_null();
}

static json_t *loaded(dvSession *s) { return s->ready ? dv_view_ok() : dv_session_first_error(s); }

json_t *dv_do_reload(dvRequest *r)
{
  dv_session_forget_edits(r->session);
  dv_session_load(r->session);
  return loaded(r->session);
}

json_t *dv_do_compat(dvRequest *r) { return dv_view_compat(r->session, dv_request_text(r, "mode")); }

// the scene again, with its edits, without the components that do not exist, or with them
json_t *dv_do_skip(dvRequest *r)
{
  r->session->context->skip_missing = json_is_true(json_object_get(r->body, "on"));
  dv_edit_read_again(r->session);
  dv_session_load(r->session);
  return loaded(r->session);
}

json_t *dv_do_open(dvRequest *r)
{
  dvSession *s = r->session;
  char *path = dv_view_allowed(s, dv_request_text(r, "file"));
  if (!path)
    return dv_view_error("only scenes in the directories of the first scene and of --data can be opened",
                         "there is no such scene");
  dv_play_close(s);
  if (dv_ends_with_nocase(path, ".divr")) {
    json_t *played = dv_play_add(s, path);
    dv_free(path);
    return played;
  }
  dv_free(s->file), dv_free(s->name), dv_free(s->dropped);
  s->file = path;
  s->name = dv_strdup(path);
  s->dropped = NULL;
  s->animating = false;
  dv_session_forget_edits(s);
  dv_session_load(s);
  return loaded(s);
}

json_t *dv_do_drop(dvRequest *r)
{
  dvSession *s = r->session;
  const char *text = dv_request_text(r, "text"), *name = dv_request_text(r, "name");
  if (!*text) return dv_view_error(NULL, "the scene is empty");
  dv_play_close(s);
  dv_free(s->name), dv_free(s->dropped);
  char *directory = s->file ? dv_path_directory(s->file) : dv_strdup(s->roots.count ? s->roots.data[0] : "");
  s->name = dv_path_join(directory,
                         *dv_path_name(name) ? dv_path_name(name) : "dropped.scn");   // files are looked for beside it
  dv_free(directory);
  dv_free(s->file);
  s->file = NULL;
  s->dropped = dv_strdup(text);
  s->animating = false;
  dv_session_forget_edits(s);
  dv_session_load(s);
  return loaded(s);
}

json_t *dv_do_files(dvRequest *r) { return dv_view_files(r->session, dv_request_text(r, "directory")); }

// --- small pictures of scenes (tools/thumbnails) ---

enum { THUMBNAIL_LIMIT = 64 << 10 };   // bytes

static char *encoded(const unsigned char *bytes, size_t length)   // base64
{
  static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  char *out = dv_alloc(length / 3 * 4 + 5), *at = out;
  for (size_t i = 0; i < length; i += 3) {
    size_t left = length - i;
    uint32_t group =
        (uint32_t)bytes[i] << 16 | (uint32_t)(left > 1 ? bytes[i + 1] : 0) << 8 | (left > 2 ? bytes[i + 2] : 0);
    for (int k = 0; k < 4; k++) *at++ = k <= (int)left ? letters[group >> (18 - 6 * k) & 63] : '=';
  }
  *at = 0;
  return out;
}

json_t *dv_do_thumbnail(dvRequest *r)
{
  json_t *answer = json_pack("{s:n}", "data");
  char *scene = dv_view_allowed(r->session, dv_request_text(r, "file"));
  char *directory = scene ? dv_path_directory(scene) : NULL;
  char *wanted = scene ? dv_format("%s/.thumbnails/%s.png", directory, dv_path_name(scene)) : NULL;
  char *path = wanted ? dv_view_allowed(r->session, wanted) : NULL;
  size_t length = 0;
  char *bytes = path ? dv_file_read(path, &length) : NULL;
  if (bytes && length > 8 && length <= THUMBNAIL_LIMIT && memcmp(bytes, "\x89PNG", 4) == 0) {
    char *text = encoded((const unsigned char *)bytes, length);
    json_object_set_new(answer, "data", json_string(text));
    dv_free(text);
  }
  dv_free(bytes), dv_free(path), dv_free(wanted), dv_free(directory), dv_free(scene);
  return answer;
}

static json_t *no_such_node(const dvRequest *r)
{
  return dv_view_error(NULL, "there is no node %.200s", dv_request_text(r, "path"));
}

static json_t *written(const char *path, bool good)
{
  if (!good) return dv_view_error(strerror(errno), "%.300s cannot be written", path);
  json_t *answer = dv_view_ok();
  dv_view_put_text(answer, "file", path);
  return answer;
}

static bool write_text(const char *path, const char *text)
{
  FILE *f = dv_file_write(path, "wb");
  bool good = f && fputs(text, f) >= 0;
  if (f) good = fclose(f) == 0 && good;
  return good;
}

json_t *dv_do_save_node(dvRequest *r)
{
  dvObject *o = dv_view_find(r->session, dv_request_text(r, "path"));
  if (!o || !dv_node_of(o)) return no_such_node(r);
  json_t *error = NULL;
  char *path = dv_view_writable(r->session, dv_request_text(r, "file"), ".scn", &error);
  if (!path) return error;
  if (dv_same(path, r->session->file) || dv_same(path, r->session->first)) {   // the latter is trusted with any file
    dv_free(path);
    return dv_view_error("choose another name", "the scene that is open, and the first one, are not overwritten");
  }
  dvText text = {0};
  dv_node_print(dv_node_of(o), &text);
  json_t *answer = written(path, write_text(path, text.text));
  dv_text_free(&text);
  dv_free(path);
  return answer;
}

json_t *dv_do_add_node(dvRequest *r)
{
  dvSession *s = r->session;
  dvObject *o = dv_view_find(s, dv_request_text(r, "path"));
  if (!o || !dv_node_of(o)) return no_such_node(r);
  char *file = dv_view_allowed(s, dv_request_text(r, "file"));
  if (!file)
    return dv_view_error("only scenes in the directories of the scene and of --data can be added",
                         "there is no such scene");
  json_t *refusal =
      dv_session_edit(s, (dvEdit){.kind = DV_EDIT_ADD, .path = dv_strdup(dv_request_text(r, "path")), .text = file});
  return refusal ? refusal : dv_view_ok();
}

json_t *dv_do_save_view(dvRequest *r)
{
  json_t *view = json_object_get(r->body, "view");
  if (!json_is_object(view)) return dv_view_error(NULL, "view is an object");
  if (!r->session->file) return dv_view_error(NULL, "this scene has no file to save the view beside");
  char *text = json_dumps(view, JSON_INDENT(1)), *path = dv_format("%s.view", r->session->file);
  json_t *answer = text && strlen(text) < VIEW_LIMIT ? written(path, write_text(path, text))
                                                     : dv_view_error(NULL, "the view is too long");
  free(text);
  dv_free(path);
  return answer;
}

json_t *dv_do_dump(dvRequest *r)
{
  dvSession *s = r->session;
  if (!s->ready) return dv_view_not_ready();
  json_t *error = NULL;
  char *base = dv_strdup(dv_path_name(s->name)), *dot = strrchr(base, '.');
  if (dot) *dot = 0;
  char *name = dv_format("%s-%ld", base, s->scene->step), *path = dv_view_writable(s, name, ".state", &error);
  dv_free(base);
  dv_free(name);
  if (!path) return error;
  json_t *answer = written(path, dv_dump_states(s->scene, path) == DV_OK);
  dv_free(path);
  return answer;
}

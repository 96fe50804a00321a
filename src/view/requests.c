// What clients can ask for: who they are, what is drawn, the graph; and the table of all verbs. docs/viewer.md lists
// them.
#include "view/play.h"
#include "view/request.h"

#include "base/clock.h"
#include "base/file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *dv_request_text(const dvRequest *r, const char *key)
{
  const char *t = json_string_value(json_object_get(r->body, key));
  return t ? t : "";
}

bool dv_request_number(const dvRequest *r, const char *key, double *out)
{
  json_t *n = json_object_get(r->body, key);
  if (!json_is_number(n)) return false;
  *out = json_number_value(n);
  return isfinite(*out);
}

bool dv_request_point(const dvRequest *r, const char *key, double out[3])
{
  json_t *list = json_object_get(r->body, key);
  if (!json_is_array(list) || json_array_size(list) != 3) return false;
  for (size_t i = 0; i < 3; i++) {
    json_t *n = json_array_get(list, i);
    if (!json_is_number(n)) return false;
    out[i] = json_number_value(n);
    if (!isfinite(out[i]) || fabs(out[i]) > 1e30) return false;
  }
  return true;
}

json_t *dv_view_not_ready(void)
{
  return dv_view_error("the log says what is wrong with it", "the scene could not be started");
}

static json_t *do_hello(dvRequest *r)
{
  dvSession *s = r->session;
  dvViewer *v = r->viewer;
  const char *key = dv_request_text(r, "key");
  if (strlen(key) == 32 && dv_same(key, s->editor_key)) {   // its connection was lost, perhaps without a word
    memcpy(v->key, key, 33);
    if (s->editor != v) dv_session_become_editor(s, v);
  }
  if (!s->editor && dv_session_may_edit(s, v)) dv_session_become_editor(s, v);
  v->greeted = true;
  json_t *answer =
      json_pack("{s:s, s:b, s:s}", "key", v->key, "editor", (int)(s->editor == v), "version", DIVAN_VERSION);
  dv_view_put_text(answer, "scene", s->file ? s->file : s->name);
  dv_view_put_text(answer, "title", dv_path_name(s->name));
  json_object_set_new(answer, "view", dv_view_stored(s));
  json_object_set_new(answer, "status", dv_session_status(s, v));
  for (size_t i = 0; i < s->news.count; i++) dv_session_send(s, v, dv_view_news(&s->news.data[i]));
  return answer;
}

static json_t *do_edit(dvRequest *r)
{
  if (r->session->editor == r->viewer) return dv_view_ok();
  if (!dv_session_may_edit(r->session, r->viewer))
    return dv_view_error("wait until it has gone, or has been silent for half a minute", "another viewer edits");
  dv_session_become_editor(r->session, r->viewer);
  return dv_view_ok();
}

static json_t *do_scene(dvRequest *r)
{
  dvSession *s = r->session;
  if (!dv_play_on(s)) dv_draw_follow(&s->draw, s->ready ? s->scene : NULL);
  json_t *scene = dv_play_on(s) ? dv_play_scene(s) : dv_view_scene(s);
  dv_view_name_pictures(s, scene);
  r->viewer->revision = s->draw.revision;
  r->viewer->seen.count = 0;
  s->moved = true;
  return scene;
}

static json_t *do_show(dvRequest *r)
{
  json_t *groups = json_object_get(r->body, "groups"), *name;
  if (!json_is_array(groups)) return dv_view_error(NULL, "groups is a list of names");
  unsigned bits = 0;
  size_t i;
  json_array_foreach(groups, i, name)
  {
    for (int g = 0; g < DV_DRAW_GROUPS; g++)
      if (dv_same(json_string_value(name), dv_draw_group_names[g])) bits |= 1u << g;
  }
  r->viewer->groups = bits;
  r->session->moved = true;
  return dv_view_ok();
}

static json_t *do_ack(dvRequest *r)
{
  double frame;
  if (dv_request_number(r, "frame", &frame) && frame >= 0 && frame <= r->viewer->frame)
    r->viewer->acked = (uint32_t)frame;
  return NULL;
}

static json_t *do_graph(dvRequest *r) { return dv_view_graph(r->session); }

static json_t *no_such(const dvRequest *r)
{
  return dv_view_error(NULL, "there is no %.200s", dv_request_text(r, "path"));
}

static json_t *do_object(dvRequest *r)
{
  dvObject *o = dv_view_find(r->session, dv_request_text(r, "path"));
  if (!o) return no_such(r);
  json_t *answer = dv_view_ok();
  json_object_set_new(answer, "object", dv_view_object(r->session, o));
  return answer;
}

static json_t *do_field(dvRequest *r)
{
  dvObject *o = dv_view_find(r->session, dv_request_text(r, "path"));
  dvField *f = o ? dv_object_field(o, dv_request_text(r, "field")) : NULL;
  if (!f) return no_such(r);
  dvText text = {0};
  dv_field_pull(f);
  dv_field_print(f, &text);
  json_t *value = text.length <= DV_VIEW_MESSAGE_LIMIT ? json_string(text.text ? text.text : "") : NULL;
  dv_text_free(&text);
  if (!value) return dv_view_error(NULL, "the value is too long to be shown");
  json_t *answer = dv_view_ok();
  json_object_set_new(answer, "text", value);
  return answer;
}

static json_t *do_set(dvRequest *r)
{
  if (!json_is_string(json_object_get(r->body, "text"))) return dv_view_error(NULL, "text is missing");
  return dv_view_set(r->session, dv_request_text(r, "path"), dv_request_text(r, "field"), dv_request_text(r, "text"));
}

static json_t *do_activate(dvRequest *r)
{
  dvObject *o = dv_view_find(r->session, dv_request_text(r, "path"));
  if (!o || !dv_node_of(o)) return no_such(r);
  return dv_view_set(r->session, dv_request_text(r, "path"), "activated",
                     json_is_true(json_object_get(r->body, "on")) ? "1" : "0");
}

static json_t *do_remove(dvRequest *r) { return dv_view_remove(r->session, dv_request_text(r, "path")); }

static const struct {
  const char *name;
  json_t *(*run)(dvRequest *r);
  bool edits, silent;
  bool reads;   // the scene is read anew: not for a program's own
} verbs[] = {
    {"hello", do_hello, false, false, false},
    {"edit", do_edit, false, false, false},
    {"scene", do_scene, false, false, false},
    {"show", do_show, false, false, false},
    {"ack", do_ack, false, true, false},
    {"animate", dv_do_animate, true, false, false},
    {"step", dv_do_step, true, false, false},
    {"reset", dv_do_reset, true, false, false},
    {"dt", dv_do_dt, true, false, false},
    {"realtime", dv_do_realtime, true, false, false},
    {"reload", dv_do_reload, true, false, true},
    {"compat", dv_do_compat, true, false, true},
    {"skip-missing", dv_do_skip, true, false, true},
    {"open", dv_do_open, true, false, true},
    {"drop", dv_do_drop, true, false, true},
    {"files", dv_do_files, false, false, false},
    {"thumbnail", dv_do_thumbnail, false, false, false},
    {"graph", do_graph, false, false, false},
    {"object", do_object, false, false, false},
    {"field", do_field, false, false, false},
    {"set", do_set, true, false, false},
    {"activate", do_activate, true, false, false},
    {"remove", do_remove, true, false, false},
    {"save-node", dv_do_save_node, true, false, false},
    {"add-node", dv_do_add_node, true, false, true},
    {"save-view", dv_do_save_view, true, false, false},
    {"dump", dv_do_dump, true, false, false},
    {"stats", dv_do_stats, false, false, false},
    {"watch", dv_do_watch, false, false, false},
    {"grab", dv_do_grab, true, false, false},
    {"pull", dv_do_pull, true, true, false},
    {"release", dv_do_release, true, false, false},
    {"probe", dv_do_probe, false, false, false},
    {"fix", dv_do_fix, true, false, false},
    {"tool", dv_do_tool, true, false, false},
    {"undo", dv_do_undo, true, false, false},
    {"library", dv_do_library, false, false, false},
    {"class", dv_do_class, false, false, false},
    {"example", dv_do_example, false, false, false},
    {"text", dv_do_text, false, false, false},
    {"add", dv_do_add, true, false, true},
    {"copy", dv_do_copy, false, false, false},
    {"take-out", dv_do_take_out, true, false, true},
    {"move", dv_do_move, true, false, true},
    {"rename", dv_do_rename, true, false, true},
    {"attribute", dv_do_attribute, true, false, true},
    {"place", dv_do_place, true, false, true},
    {"redo", dv_do_redo, true, false, false},
    {"check", dv_do_check, false, false, false},
    {"mesh-part", dv_do_mesh_part, true, false, true},
    {"fill", dv_do_fill, true, false, true},
    {"select", dv_do_select, false, false, false},
    {"where", dv_do_where, false, false, false},
    {"use", dv_do_use, true, false, true},
    {"save", dv_do_save, true, false, true},
    {"key", dv_do_key, true, true, false},
    {"mouse", dv_do_mouse, true, true, false},
    {"record", dv_do_record, true, false, false},
    {"play", dv_do_play, true, false, false},
    {"resume", dv_do_resume, true, false, false},
    {"save-recording", dv_do_save_recording, true, false, false},
    {"tracks", dv_do_tracks, false, false, false},
    {"curves", dv_do_curves, false, false, false},
};

// What changes the scene waits while a recording is shown in its place; who runs or reads the scene leaves the
// recording. A recording of the scene goes on from what a hand has done with a frame that stands for itself.
static json_t *before_edit(dvSession *s, const char *verb)
{
  static const char running[] = "animate step reset", own[] = "record play resume save-recording realtime save-view";
  if (dv_list_has(own, verb)) return NULL;
  if (s->recorder) dv_recorder_touch(s->recorder);
  if (!dv_play_on(s)) return NULL;
  if (!dv_list_has(running, verb) && !dv_list_has("open drop reload compat skip-missing", verb))
    return dv_view_error("leave it, or resume the simulation from this moment", "a recording is shown");
  dv_play_leave(s);
  return NULL;
}

static bool too_deep(const char *text, size_t length)
{
  int depth = 0;
  bool quoted = false;
  for (size_t i = 0; i < length; i++) {
    char c = text[i];
    if (quoted && c == '\\') i++;
    else if (c == '"') quoted = !quoted;
    else if (!quoted && (c == '{' || c == '[') && ++depth > DV_VIEW_DEPTH_LIMIT) return true;
    else if (!quoted && (c == '}' || c == ']')) depth--;
  }
  return false;
}

static json_t *answer(dvRequest *r)
{
  const char *verb = dv_request_text(r, "do");
  for (size_t i = 0; i < DV_COUNT(verbs); i++) {
    if (!dv_same(verbs[i].name, verb)) continue;
    if (verbs[i].edits && r->session->editor != r->viewer)
      return verbs[i].silent ? NULL
                             : dv_view_error("take over the editing first", "another viewer edits; this one watches");
    if (verbs[i].reads && r->session->options.host.scene) return dv_view_host_refuses();
    json_t *refusal = verbs[i].edits ? before_edit(r->session, verb) : NULL;
    if (refusal && verbs[i].silent) json_decref(refusal);
    return refusal ? verbs[i].silent ? NULL : refusal : verbs[i].run(r);
  }
  return dv_view_error(NULL, "'%.40s' is no request", verb);
}

void dv_session_handle(dvSession *s, dvViewer *v, const char *request, size_t length, dvText *reply)
{
  v->heard_at = dv_now();
  json_t *body = length <= DV_VIEW_MESSAGE_LIMIT && !too_deep(request, length)
                     ? json_loadb(request, length, JSON_REJECT_DUPLICATES, NULL)
                     : NULL;
  dvRequest r = {s, v, body};
  json_t *a = json_is_object(body) ? answer(&r) : dv_view_error(NULL, "the request is too long, too deep or not JSON");
  if (a) {
    json_t *id = json_object_get(body, "id");
    json_object_set_new(a, "re", json_is_integer(id) ? json_integer(json_integer_value(id)) : json_null());
    char *text = json_dumps(a, JSON_COMPACT);
    if (text) dv_text_add(reply, text);
    free(text);
    json_decref(a);
  }
  json_decref(body);
  if (s->scene && s->graph_version != s->scene->version) s->graph_version = s->scene->version, s->graph++;
}

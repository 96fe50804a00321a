// What clients can ask for: one function a verb. docs/viewer.md lists them.
#include "view/inside.h"

#include "app/dump.h"
#include "base/clock.h"
#include "base/file.h"
#include "io/scene/scene_file.h"
#include "scene/timer.h"
#include "view/flags.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VIEW_LIMIT = 64 << 10 };   // bytes of a stored view

// --- what can be drawn ---------------------------------------------------------------------------

static json_t *number_or_null(int id) { return id < 0 ? json_null() : json_integer(id); }

static json_t *colour(const double c[4]) { return json_pack("[f, f, f, f]", c[0], c[1], c[2], c[3]); }

static json_t *material(const dvShading *m, int texture, bool wireframe)
{
  json_t *out = json_object();
  json_object_set_new(out, "ambient", colour(m->ambient));
  json_object_set_new(out, "diffuse", colour(m->diffuse));
  json_object_set_new(out, "specular", colour(m->specular));
  json_object_set_new(out, "emissive", colour(m->emissive));
  json_object_set_new(out, "shininess", isfinite(m->shininess) ? json_real(m->shininess) : json_real(0));
  char file[32];
  snprintf(file, sizeof file, "file/%d", texture);
  json_object_set_new(out, "texture", texture >= 0 ? json_string(file) : json_null());
  json_object_set_new(out, "wireframe", json_boolean(wireframe));
  return out;
}

static json_t *drawable_row(const dvDraw *d, const dvDrawable *a, size_t id)
{
  char *path = dv_object_path(a->object);
  json_t *row = json_pack("{s:i, s:s, s:s}", "id", (int)id, "group", dv_draw_group_names[a->group], "kind",
                          dv_draw_kind_names[a->kind]);
  dv_view_put_text(row, "path", path);
  dv_free(path);
  const struct {
    const char *name;
    int id;
  } arrays[] = {{"positions", a->positions}, {"indices", a->indices}, {"second", a->second}, {"values", a->values},
                {"texcoords", a->texcoords}, {"radii", a->radii},     {"frames", a->frames}, {"normals", -1}};
  for (size_t i = 0; i < DV_COUNT(arrays); i++) json_object_set_new(row, arrays[i].name, number_or_null(arrays[i].id));
  dv_view_put_text(row, "label", a->label);
  if (a->say < 0) json_object_set_new(row, "hidden", json_true());
  if (a->kind == DV_DRAW_SPHERES && isfinite(a->radius)) json_object_set_new(row, "radius", json_real(a->radius));
  if (!a->has_material) return row;
  json_object_set_new(row, "material", material(&a->material, a->texture, a->wireframe));
  if (!a->parts) return row;
  json_t *parts = json_array();
  for (size_t i = 0; i < a->parts; i++) {
    const dvDrawPart *p = &d->parts.data[a->first_part + i];
    json_array_append_new(parts,
                          json_pack("{s:I, s:I, s:o}", "first", (json_int_t)p->first, "count", (json_int_t)p->count,
                                    "material", material(&p->material, p->texture, a->wireframe)));
  }
  json_object_set_new(row, "parts", parts);
  return row;
}

// what the scene itself wants drawn: groups of which something is shown, by the root's word where there is nothing to
// show
static json_t *view_flags(const dvSession *s)
{
  if (!s->ready || !dv_flags_given(s->scene)) return json_null();
  dvFlags root = dv_flags_of(s->scene->root);
  json_t *groups = json_array();
  for (int g = 0; g < DV_DRAW_GROUPS; g++) {
    int best = -2;
    for (size_t i = 0; i < s->draw.list.count; i++) {
      const dvDrawable *a = &s->draw.list.data[i];
      if (a->group == (dvDrawGroup)g && a->say > best) best = a->say;
    }
    if (best == -2) best = root.say[g];
    if (best > 0 || (best == 0 && (g == DV_DRAW_VISUAL || g == DV_DRAW_INTERACTIONS)))
      json_array_append_new(groups, json_string(dv_draw_group_names[g]));
  }
  return json_pack("{s:o, s:b, s:b}", "groups", groups, "wireframe", root.say[DV_FLAG_WIREFRAME] > 0, "normals",
                   root.say[DV_FLAG_NORMALS] > 0);
}

static json_t *view_scene(dvSession *s)
{
  json_t *arrays = json_array(), *drawables = json_array(), *answer = dv_view_ok();
  for (size_t i = 0; i < s->draw.arrays.count; i++) {
    const dvDrawArray *a = &s->draw.arrays.data[i];
    json_array_append_new(arrays,
                          json_pack("{s:i, s:s, s:i, s:I, s:b}", "id", (int)i, "kind", a->integers ? "u32" : "f32",
                                    "width", a->width, "count", (json_int_t)a->count, "dynamic", (int)a->dynamic));
  }
  for (size_t i = 0; i < s->draw.list.count; i++)
    json_array_append_new(drawables, drawable_row(&s->draw, &s->draw.list.data[i], i));
  double low[3], high[3];
  json_object_set_new(answer, "arrays", arrays);
  json_object_set_new(answer, "drawables", drawables);
  json_object_set_new(answer, "revision", json_integer(s->draw.revision));
  json_object_set_new(answer, "flags", view_flags(s));
  json_object_set_new(answer, "box",
                      dv_draw_box(&s->draw, low, high)
                          ? json_pack("[[f, f, f], [f, f, f]]", low[0], low[1], low[2], high[0], high[1], high[2])
                          : json_null());
  return answer;
}

// --- requests ------------------------------------------------------------------------------------

typedef struct Request {
  dvSession *session;
  dvViewer *viewer;
  json_t *body;
} Request;

static const char *text_in(const Request *r, const char *key)
{
  const char *t = json_string_value(json_object_get(r->body, key));
  return t ? t : "";
}

static bool number_in(const Request *r, const char *key, double *out)
{
  json_t *n = json_object_get(r->body, key);
  if (!json_is_number(n)) return false;
  *out = json_number_value(n);
  return isfinite(*out);
}

static bool point_in(const Request *r, const char *key, double out[3])
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

static json_t *not_ready(void)
{
  return dv_view_error("the log says what is wrong with it", "the scene could not be started");
}

static json_t *stored_view(const dvSession *s)
{
  char *path = s->file ? dv_format("%s.view", s->file) : NULL, *text = dv_file_read(path, NULL);
  json_t *view = text && strlen(text) <= VIEW_LIMIT ? json_loads(text, 0, NULL) : NULL;
  dv_free(path);
  dv_free(text);
  if (view && json_is_object(view)) return view;
  json_decref(view);
  return json_null();
}

static json_t *do_hello(Request *r)
{
  dvSession *s = r->session;
  dvViewer *v = r->viewer;
  const char *key = text_in(r, "key");
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
  json_object_set_new(answer, "view", stored_view(s));
  json_object_set_new(answer, "status", dv_session_status(s, v));
  for (size_t i = 0; i < s->news.count; i++) dv_session_send(s, v, dv_view_news(&s->news.data[i]));
  return answer;
}

static json_t *do_edit(Request *r)
{
  if (r->session->editor == r->viewer) return dv_view_ok();
  if (!dv_session_may_edit(r->session, r->viewer))
    return dv_view_error("wait until it has gone, or has been silent for half a minute", "another viewer edits");
  dv_session_become_editor(r->session, r->viewer);
  return dv_view_ok();
}

static json_t *do_scene(Request *r)
{
  dv_draw_follow(&r->session->draw, r->session->ready ? r->session->scene : NULL);
  r->viewer->revision = r->session->draw.revision;
  r->viewer->seen.count = 0;
  r->session->moved = true;
  return view_scene(r->session);
}

static json_t *do_show(Request *r)
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

static json_t *do_ack(Request *r)
{
  double frame;
  if (number_in(r, "frame", &frame) && frame >= 0 && frame <= r->viewer->frame) r->viewer->acked = (uint32_t)frame;
  return NULL;
}

static json_t *do_animate(Request *r)
{
  dvSession *s = r->session;
  if (!s->ready) return not_ready();
  s->animating = json_is_true(json_object_get(r->body, "on"));
  s->rate_wall = 0;
  dv_session_start_pace(s);
  return dv_view_ok();
}

static json_t *do_step(Request *r)
{
  double count = 1;
  number_in(r, "count", &count);
  if (!r->session->ready) return not_ready();
  if (!(count >= 1 && count <= 1e6)) return dv_view_error(NULL, "a number of steps is between 1 and 1,000,000");
  r->session->steps_wanted += (long)count;
  return dv_view_ok();
}

static json_t *do_reset(Request *r)
{
  dvSession *s = r->session;
  if (!s->ready) return not_ready();
  dv_view_release(s);
  dv_scene_reset(s->scene);
  s->steps_wanted = 0;
  s->moved = true;
  dv_view_clear_stats(s);
  dv_session_start_pace(s);
  return dv_view_ok();
}

static json_t *do_dt(Request *r)
{
  double dt;
  if (!number_in(r, "value", &dt) || !(dt >= 1e-9 && dt <= 1e3))
    return dv_view_error(NULL, "a time step is between 1e-9 and 1000 s");
  if (!r->session->ready) return not_ready();
  r->session->scene->root->dt = dt;
  dv_scene_update_context(r->session->scene);
  dv_session_start_pace(r->session);
  return dv_view_ok();
}

static json_t *do_realtime(Request *r)
{
  double factor = 1;
  number_in(r, "factor", &factor);
  if (!(factor >= 1e-3 && factor <= 1e3))
    return dv_view_error(NULL, "the factor of real time is between 0.001 and 1000");
  r->session->realtime = json_is_true(json_object_get(r->body, "on"));
  r->session->factor = factor;
  dv_session_start_pace(r->session);
  return dv_view_ok();
}

static json_t *loaded(dvSession *s) { return s->ready ? dv_view_ok() : dv_session_first_error(s); }

static json_t *do_reload(Request *r)
{
  dv_session_forget_edits(r->session);
  dv_session_load(r->session);
  return loaded(r->session);
}

static json_t *do_compat(Request *r) { return dv_view_compat(r->session, text_in(r, "mode")); }

static json_t *do_open(Request *r)
{
  dvSession *s = r->session;
  char *path = dv_view_allowed(s, text_in(r, "file"));
  if (!path)
    return dv_view_error("only scenes in the directories of the first scene and of --data can be opened",
                         "there is no such scene");
  dv_free(s->file), dv_free(s->name), dv_free(s->dropped);
  s->file = path;
  s->name = dv_strdup(path);
  s->dropped = NULL;
  s->animating = false;
  dv_session_forget_edits(s);
  dv_session_load(s);
  return loaded(s);
}

static json_t *do_drop(Request *r)
{
  dvSession *s = r->session;
  const char *text = text_in(r, "text"), *name = text_in(r, "name");
  if (!*text) return dv_view_error(NULL, "the scene is empty");
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

static json_t *do_files(Request *r) { return dv_view_files(r->session, text_in(r, "directory")); }
static json_t *do_graph(Request *r) { return dv_view_graph(r->session); }

static json_t *no_such(const Request *r) { return dv_view_error(NULL, "there is no %.200s", text_in(r, "path")); }

static json_t *do_object(Request *r)
{
  dvObject *o = dv_view_find(r->session, text_in(r, "path"));
  if (!o) return no_such(r);
  json_t *answer = dv_view_ok();
  json_object_set_new(answer, "object", dv_view_object(r->session, o));
  return answer;
}

static json_t *do_field(Request *r)
{
  dvObject *o = dv_view_find(r->session, text_in(r, "path"));
  dvField *f = o ? dv_object_field(o, text_in(r, "field")) : NULL;
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

static json_t *do_set(Request *r)
{
  if (!json_is_string(json_object_get(r->body, "text"))) return dv_view_error(NULL, "text is missing");
  return dv_view_set(r->session, text_in(r, "path"), text_in(r, "field"), text_in(r, "text"));
}

static json_t *do_activate(Request *r)
{
  dvObject *o = dv_view_find(r->session, text_in(r, "path"));
  if (!o || !dv_node_of(o)) return no_such(r);
  bool on = json_is_true(json_object_get(r->body, "on"));
  const dvNode *n = dv_node_of(o);
  bool started = n->objects.count == 0 || n->objects.data[0]->initialised;   // else it was off when the scene was read
  if (!on || started) return dv_view_set(r->session, text_in(r, "path"), "activated", on ? "1" : "0");
  json_t *refusal = dv_session_edit(r->session, (dvEdit){DV_EDIT_SET, dv_strdup(text_in(r, "path")),
                                                         dv_strdup("activated"), dv_strdup(on ? "1" : "0")});
  return refusal ? refusal : dv_view_ok();
}

static json_t *do_remove(Request *r) { return dv_view_remove(r->session, text_in(r, "path")); }

static json_t *written(const char *path, bool good)
{
  if (!good) return dv_view_error(strerror(errno), "%.300s cannot be written", path);
  json_t *answer = dv_view_ok();
  dv_view_put_text(answer, "file", path);
  return answer;
}

static bool write_text(const char *path, const char *text)
{
  FILE *f = fopen(path, "wb");
  bool good = f && fputs(text, f) >= 0;
  if (f) good = fclose(f) == 0 && good;
  return good;
}

static json_t *do_save_node(Request *r)
{
  dvObject *o = dv_view_find(r->session, text_in(r, "path"));
  if (!o || !dv_node_of(o)) return no_such(r);
  json_t *error = NULL;
  char *path = dv_view_writable(r->session, text_in(r, "file"), ".scn", &error);
  if (!path) return error;
  if (dv_same(path, r->session->file)) {
    dv_free(path);
    return dv_view_error("choose another name", "the scene that is open is not overwritten");
  }
  dvText text = {0};
  dv_node_print(dv_node_of(o), &text);
  json_t *answer = written(path, write_text(path, text.text));
  dv_text_free(&text);
  dv_free(path);
  return answer;
}

static json_t *do_add_node(Request *r)
{
  dvSession *s = r->session;
  dvObject *o = dv_view_find(s, text_in(r, "path"));
  if (!o || !dv_node_of(o)) return no_such(r);
  char *file = dv_view_allowed(s, text_in(r, "file"));
  if (!file)
    return dv_view_error("only scenes in the directories of the scene and of --data can be added",
                         "there is no such scene");
  json_t *refusal = dv_session_edit(s, (dvEdit){DV_EDIT_ADD, dv_strdup(text_in(r, "path")), NULL, file});
  return refusal ? refusal : dv_view_ok();
}

static json_t *do_save_view(Request *r)
{
  json_t *view = json_object_get(r->body, "view");
  if (!json_is_object(view)) return dv_view_error(NULL, "view is an object");
  if (!r->session->file) return dv_view_error(NULL, "a dropped scene has no file to save the view beside");
  char *text = json_dumps(view, JSON_INDENT(1)), *path = dv_format("%s.view", r->session->file);
  json_t *answer = text && strlen(text) < VIEW_LIMIT ? written(path, write_text(path, text))
                                                     : dv_view_error(NULL, "the view is too long");
  free(text);
  dv_free(path);
  return answer;
}

static json_t *do_dump(Request *r)
{
  dvSession *s = r->session;
  if (!s->ready) return not_ready();
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

static json_t *do_stats(Request *r)
{
  r->viewer->stats = json_is_true(json_object_get(r->body, "on"));
  r->viewer->fine = json_is_true(json_object_get(r->body, "fine"));
  if (r->viewer->fine && !r->session->context->timers->fine) dv_timers_refine(r->session->context->timers);
  return dv_view_ok();
}

static json_t *do_watch(Request *r) { return dv_view_watch(r->session, json_object_get(r->body, "items")); }

static json_t *do_grab(Request *r)
{
  double origin[3], direction[3], stiffness = -1;
  if (!r->session->ready) return not_ready();
  if (!point_in(r, "origin", origin) || !point_in(r, "direction", direction))
    return dv_view_error(NULL, "a ray has an origin and a direction");
  if (number_in(r, "stiffness", &stiffness) && !(stiffness >= 0 && stiffness <= 1e12))
    return dv_view_error(NULL, "a stiffness is between 0 and 1e12");
  return dv_view_grab(r->session, origin, direction, stiffness);
}

static json_t *do_pull(Request *r)
{
  double to[3];
  if (r->session->ready && point_in(r, "to", to)) dv_view_pull(r->session, to);
  return NULL;
}

static json_t *do_release(Request *r)
{
  dv_view_release(r->session);
  return dv_view_ok();
}

static json_t *do_fix(Request *r)
{
  double origin[3], direction[3];
  if (!r->session->ready) return not_ready();
  if (!point_in(r, "origin", origin) || !point_in(r, "direction", direction))
    return dv_view_error(NULL, "a ray has an origin and a direction");
  return dv_view_fix(r->session, origin, direction);
}

static json_t *do_key(Request *r)
{
  double key;
  if (!r->session->ready || !number_in(r, "key", &key) || key < 0 || key > 0x10FFFF) return NULL;
  bool down = !json_is_false(json_object_get(r->body, "down"));
  r->session->moved = true;   // a controller may act at once
  dv_scene_send(r->session->scene, &(dvEvent){.kind = DV_EVENT_KEY, .key = (int)key, .released = !down});
  return NULL;
}

// the mouse in pixels of the picture, for controllers
static json_t *do_mouse(Request *r)
{
  static const char *const buttons[] = {[DV_MOUSE_MOVE] = "move",
                                        [DV_MOUSE_LEFT] = "left",
                                        [DV_MOUSE_RIGHT] = "right",
                                        [DV_MOUSE_MIDDLE] = "middle",
                                        [DV_MOUSE_WHEEL] = "wheel"};
  double x, y, wheel = 0;
  if (!r->session->ready || !number_in(r, "x", &x) || !number_in(r, "y", &y) || fabs(x) > 1e6 || fabs(y) > 1e6)
    return NULL;
  r->session->moved = true;
  if (number_in(r, "wheel", &wheel) && fabs(wheel) > 1e6) return NULL;
  dvEvent event = {.kind = DV_EVENT_MOUSE,
                   .x = (int)x,
                   .y = (int)y,
                   .wheel = (int)wheel,
                   .released = json_is_false(json_object_get(r->body, "down"))};
  for (size_t i = 0; i < DV_COUNT(buttons); i++) {
    if (!dv_same(text_in(r, "button"), buttons[i])) continue;
    event.mouse = (dvMouse)i;
    dv_scene_send(r->session->scene, &event);
  }
  return NULL;
}

static const struct {
  const char *name;
  json_t *(*run)(Request *r);
  bool edits, silent;
} verbs[] = {
    {"hello", do_hello, false, false},
    {"edit", do_edit, false, false},
    {"scene", do_scene, false, false},
    {"show", do_show, false, false},
    {"ack", do_ack, false, true},
    {"animate", do_animate, true, false},
    {"step", do_step, true, false},
    {"reset", do_reset, true, false},
    {"dt", do_dt, true, false},
    {"realtime", do_realtime, true, false},
    {"reload", do_reload, true, false},
    {"compat", do_compat, true, false},
    {"open", do_open, true, false},
    {"drop", do_drop, true, false},
    {"files", do_files, false, false},
    {"graph", do_graph, false, false},
    {"object", do_object, false, false},
    {"field", do_field, false, false},
    {"set", do_set, true, false},
    {"activate", do_activate, true, false},
    {"remove", do_remove, true, false},
    {"save-node", do_save_node, true, false},
    {"add-node", do_add_node, true, false},
    {"save-view", do_save_view, true, false},
    {"dump", do_dump, true, false},
    {"stats", do_stats, false, false},
    {"watch", do_watch, false, false},
    {"grab", do_grab, true, false},
    {"pull", do_pull, true, true},
    {"release", do_release, true, false},
    {"fix", do_fix, true, false},
    {"key", do_key, true, true},
    {"mouse", do_mouse, true, true},
};

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

static json_t *answer(Request *r)
{
  const char *verb = text_in(r, "do");
  for (size_t i = 0; i < DV_COUNT(verbs); i++) {
    if (!dv_same(verbs[i].name, verb)) continue;
    if (verbs[i].edits && r->session->editor != r->viewer)
      return verbs[i].silent ? NULL
                             : dv_view_error("take over the editing first", "another viewer edits; this one watches");
    return verbs[i].run(r);
  }
  return dv_view_error(NULL, "'%.40s' is no request", verb);
}

void dv_session_handle(dvSession *s, dvViewer *v, const char *request, size_t length, dvText *reply)
{
  v->heard_at = dv_now();
  json_t *body = length <= DV_VIEW_MESSAGE_LIMIT && !too_deep(request, length)
                     ? json_loadb(request, length, JSON_REJECT_DUPLICATES, NULL)
                     : NULL;
  Request r = {s, v, body};
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

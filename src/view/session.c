// The session: loading, running, requests. See session.h.
#include "view/inside.h"

#include "app/dump.h"
#include "base/clock.h"
#include "base/file.h"
#include "io/scene_file.h"
#include "scene/plan.h"
#include "scene/timer.h"
#include "state/state.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

enum { NEWS_LIMIT = 1000, VIEW_LIMIT = 64 << 10 };

// --- replies -------------------------------------------------------------------------------------------------

json_t *dv_view_ok(void) { return json_object(); }

json_t *dv_view_error(const char *advice, const char *format, ...)
{
  dvText text = {0};
  va_list args;
  va_start(args, format);
  dv_text_vprintf(&text, format, args);
  va_end(args);
  json_t *e = json_object(), *message = json_string(text.text ? text.text : "");
  json_object_set_new(e, "error", message ? message : json_string("the request is not text"));
  json_t *hint = advice ? json_string(advice) : NULL;
  if (hint) json_object_set_new(e, "advice", hint);
  dv_text_free(&text);
  return e;
}

void dv_session_send(dvSession *s, dvViewer *to, json_t *message)
{
  char *text = json_dumps(message, JSON_COMPACT);
  json_decref(message);
  if (text && s->options.send) s->options.send(s->options.user, to, text, strlen(text));
  free(text);
}

// --- messages of the log -----------------------------------------------------------------------------------------

static void free_news(dvNews *n)
{
  dv_free(n->path), dv_free(n->text), dv_free(n->advice), dv_free(n->file);
}

static void set_text(json_t *o, const char *key, const char *text)
{
  json_t *t = text ? json_string(text) : NULL;
  json_object_set_new(o, key, t ? t : json_null());
}

static json_t *news_message(const dvNews *n)
{
  json_t *m = json_pack("{s:s, s:s, s:i}", "is", "message", "level", dv_view_level_name(n->level), "line", n->line);
  set_text(m, "text", n->text);
  set_text(m, "advice", n->advice);
  set_text(m, "path", n->path);
  set_text(m, "file", n->file ? dv_path_name(n->file) : NULL);
  return m;
}

static void on_message(void *user, const dvMessage *m)
{
  dvSession *s = user;
  if (s->options.print && m->level >= DV_WARNING) dv_log_print(stderr, m);
  if (s->news.count >= NEWS_LIMIT) return;
  dv_push(&s->news, ((dvNews){m->level, dv_strdup(m->path), dv_strdup(m->text), dv_strdup(m->advice), dv_strdup(m->place.file), m->place.line}));
  s->graph++;
  dv_session_send(s, NULL, news_message(&s->news.data[s->news.count - 1]));
}

static void clear_news(dvSession *s)
{
  for (size_t i = 0; i < s->news.count; i++) free_news(&s->news.data[i]);
  s->news.count = 0;
}

// --- edits -----------------------------------------------------------------------------------------------------------

static void free_edit(dvEdit *e)
{
  dv_free(e->path), dv_free(e->field), dv_free(e->text);
}

void dv_session_remember(dvSession *s, dvEdit edit)
{
  for (size_t i = 0; i < s->edits.count; i++) {   // only the last value of a field counts
    dvEdit *e = &s->edits.data[i];
    if (edit.kind != DV_EDIT_SET || e->kind != DV_EDIT_SET || !dv_same(e->path, edit.path) || !dv_same(e->field, edit.field)) continue;
    dv_free(e->text);
    e->text = dv_strdup(edit.text);
    free_edit(&edit);
    return;
  }
  dv_push(&s->edits, edit);
}

static void complain(dvSession *s, const char *format, const char *what)
{
  char *text = dv_format(format, what);
  dv_log_send(&s->context->log, &(dvMessage){.level = DV_ERROR, .status = DV_ERROR_INPUT, .text = text});
  dv_free(text);
}

static void edit_set(dvSession *s, dvObject *o, const dvEdit *e)
{
  dvField *f = dv_object_field(o, e->field);
  if (!f) {
    complain(s, "there is no field %s", e->field);
    return;
  }
  bool link = f->desc->type == DV_T_LINK || f->desc->type == DV_T_LINKS;
  if (e->text[0] == '@' && !link) {
    dv_free(f->link);
    f->link = dv_strdup(e->text);
    f->was_set = true;
    return;
  }
  dv_free(f->link);
  f->link = NULL;
  dv_object_set(o, e->field, e->text);
}

// on a scene that was read and is not initialised
static void apply_edit(dvSession *s, const dvEdit *e)
{
  dvObject *o = dv_view_find(s, e->path);
  if (!o) {
    complain(s, "%s is not there any more", e->path);
  } else if (e->kind == DV_EDIT_SET) {
    edit_set(s, o, e);
  } else if (e->kind == DV_EDIT_REMOVE) {
    dv_scene_bury(s->scene, o);
  } else if (dv_node_of(o)) {
    dvScene *other = NULL;
    dv_scene_read(s->context, e->text, &other);
    if (other) dv_scene_adopt(dv_node_of(o), &other);
  }
}

// --- loading ---------------------------------------------------------------------------------------------------------

static void unload(dvSession *s)
{
  dv_view_forget_touch(s);
  dv_draw_build(&s->draw, NULL);
  dv_scene_destroy(&s->scene);
  s->ready = false;
}

static void start_pace(dvSession *s)
{
  s->pace_wall = dv_now();
  s->pace_time = s->scene ? s->scene->root->time : 0;
}

// the file or text that the session has, with its edits
static bool load(dvSession *s)
{
  unload(s);
  clear_news(s);
  dvLog *log = &s->context->log;
  log->worst = DV_OK;
  memset(log->counts, 0, sizeof log->counts);
  if (s->dropped) dv_scene_parse(s->context, s->name, s->dropped, strlen(s->dropped), &s->scene);
  else dv_scene_read(s->context, s->file ? s->file : s->name, &s->scene);
  for (size_t i = 0; i < s->edits.count && s->scene; i++) apply_edit(s, &s->edits.data[i]);
  if (s->scene && dv_scene_init(s->scene) == DV_OK && log->worst == DV_OK) s->ready = true;
  if (s->ready) dv_view_fix_again(s);
  dv_draw_build(&s->draw, s->ready ? s->scene : NULL);
  s->graph++;
  s->graph_version = s->scene ? s->scene->version : 0;
  s->moved = true;
  s->steps_wanted = 0;
  if (!s->ready) s->animating = false;
  dv_timers_clear(s->context->timers);
  dv_view_clear_stats(s);
  start_pace(s);
  return s->ready;
}

// --- keeping the state over a reading -----

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

static void go_on_from(dvSession *s, KeptList *kept, double time, long step)
{
  restore_states(s, kept);
  if (!s->ready) return;
  s->scene->root->time = time;
  s->scene->step = step;
  dv_scene_update_context(s->scene);
  dv_scene_refresh(s->scene);
  const dvLoopOps *loop = dv_ops(s->scene->loop, DV_ROLE_LOOP);
  if (loop->start) loop->start(s->scene->loop);
  start_pace(s);
}

static json_t *first_error(const dvSession *s)
{
  for (size_t i = 0; i < s->news.count; i++)
    if (s->news.data[i].level == DV_ERROR) return dv_view_error(s->news.data[i].advice, "%s", s->news.data[i].text);
  return dv_view_error(NULL, "the scene does not work with this change");
}

json_t *dv_session_edit(dvSession *s, dvEdit edit)
{
  KeptList kept = {0};
  bool animating = s->animating, worked = s->ready;
  double time = s->ready ? s->scene->root->time : 0;
  long step = s->ready ? s->scene->step : 0;
  keep_states(s, &kept);
  dvEdit before = {0};   // a second value of a field replaces the first
  for (size_t i = 0; i < s->edits.count; i++) {
    const dvEdit *e = &s->edits.data[i];
    if (edit.kind == DV_EDIT_SET && e->kind == DV_EDIT_SET && dv_same(e->path, edit.path) && dv_same(e->field, edit.field))
      before = (dvEdit){e->kind, dv_strdup(e->path), dv_strdup(e->field), dv_strdup(e->text)};
  }
  size_t count = s->edits.count;
  dv_session_remember(s, edit);
  json_t *refusal = NULL;
  if (!load(s) && worked) {
    refusal = first_error(s);
    if (before.path) dv_session_remember(s, before), before = (dvEdit){0};
    else if (s->edits.count > count) free_edit(&s->edits.data[--s->edits.count]);
    load(s);
  }
  free_edit(&before);
  go_on_from(s, &kept, time, step);
  s->animating = animating && s->ready;
  return refusal;
}

static void forget_edits(dvSession *s)
{
  for (size_t i = 0; i < s->edits.count; i++) free_edit(&s->edits.data[i]);
  s->edits.count = 0;
  for (size_t i = 0; i < s->fixed.count; i++) dv_free(s->fixed.data[i].path);
  s->fixed.count = 0;
}

static void add_root(dvSession *s, const char *directory)
{
  char *real = realpath(*directory ? directory : ".", NULL);
  if (!real) return;
  for (size_t i = 0; i < s->roots.count; i++)
    if (dv_same(s->roots.data[i], real)) {
      free(real);
      return;
    }
  dv_push(&s->roots, dv_strdup(real));
  free(real);
}

dvSession *dv_session_create(const dvSessionOptions *options)
{
  dvSession *s = dv_alloc(sizeof *s);
  s->options = *options;
  s->factor = 1;
  s->realtime = true;
  s->context = dv_divan_create(options->threads);
  s->context->realtime = true;   // a picture does not wait for a factor
  s->context->log.sink = on_message;
  s->context->log.user = s;
  s->context->log.threshold = DV_NOTE;
  for (size_t i = 0; i < options->data_count; i++) dv_context_add_data_path(s->context, options->data[i]);
  char *directory = dv_path_directory(options->scene), *real = realpath(options->scene, NULL);
  add_root(s, directory);
  for (size_t i = 0; i < options->data_count; i++) add_root(s, options->data[i]);
  dv_free(directory);
  s->file = dv_strdup(real);
  free(real);
  s->name = dv_strdup(options->scene);
  load(s);
  s->animating = s->ready && (options->animate || s->scene->root->animate);
  return s;
}

void dv_session_destroy(dvSession **session)
{
  dvSession *s = *session;
  if (!s) return;
  unload(s);
  clear_news(s);
  forget_edits(s);
  dv_draw_free(&s->draw);
  for (size_t i = 0; i < s->roots.count; i++) dv_free(s->roots.data[i]);
  for (size_t i = 0; i < s->watches.count; i++) dv_free(s->watches.data[i].path), dv_free(s->watches.data[i].field);
  dv_array_free(&s->roots);
  dv_array_free(&s->news);
  dv_array_free(&s->edits);
  dv_array_free(&s->fixed);
  dv_array_free(&s->viewers);
  dv_array_free(&s->step_times);
  dv_array_free(&s->watches);
  dv_array_free(&s->watched);
  dv_free(s->file), dv_free(s->name), dv_free(s->dropped);
  dv_divan_destroy(&s->context);
  dv_free(s);
  *session = NULL;
}

bool dv_session_ready(const dvSession *s) { return s->ready; }

// --- clients -----------------------------------------------------------------------------------------------------------

static void make_key(char out[33])
{
  unsigned char bytes[16];
  DV_REQUIRE(getrandom(bytes, sizeof bytes, 0) == (ssize_t)sizeof bytes);
  for (int i = 0; i < 16; i++) snprintf(out + 2 * i, 3, "%02x", bytes[i]);
}

bool dv_session_join(dvSession *s, dvViewer *v)
{
  if (s->viewers.count >= DV_VIEW_VIEWERS) return false;
  v->groups = 1u << DV_DRAW_VISUAL;
  v->heard_at = dv_now();
  make_key(v->key);
  dv_push(&s->viewers, v);
  return true;
}

void dv_session_leave(dvSession *s, dvViewer *v)
{
  for (size_t i = 0; i < s->viewers.count; i++)
    if (s->viewers.data[i] == v) {
      dv_array_remove(&s->viewers, i);
      break;
    }
  if (s->editor == v) {
    dv_view_release(s);
    s->editor = NULL;
    s->editor_left = dv_now();
  }
  dv_array_free(&v->seen);
  dv_free(v->status);
  v->status = NULL;
}

// the editor's place: free, its own from before, or given up
static bool may_edit(const dvSession *s, const dvViewer *v)
{
  double now = dv_now();
  if (s->editor) return now - s->editor->heard_at > 30;
  return dv_same(s->editor_key, v->key) || !*s->editor_key || now - s->editor_left > 10;
}

static void become_editor(dvSession *s, dvViewer *v)
{
  s->editor = v;
  memcpy(s->editor_key, v->key, sizeof s->editor_key);
}

// --- status ------------------------------------------------------------------------------------------------------------

static json_t *status_of(const dvSession *s, const dvViewer *v)
{
  const dvNode *root = s->scene ? s->scene->root : NULL;
  json_t *m = json_pack("{s:s, s:f, s:I, s:f, s:b, s:b, s:f, s:f, s:f, s:f}", "is", "status", "time", root ? root->time : 0.0, "step",
                        (json_int_t)(s->scene ? s->scene->step : 0), "dt", root ? root->dt : 0.0, "animating", (int)s->animating, "realtime",
                        (int)s->realtime, "factor", s->factor, "rate", s->rate, "rtf", s->rtf, "msPerStep", s->ms);
  if (!m) m = json_pack("{s:s}", "is", "status");   // a number that is not finite
  json_object_set_new(m, "graph", json_integer(s->graph));
  json_object_set_new(m, "scene", json_integer(s->draw.revision));
  json_object_set_new(m, "editor", json_boolean(s->editor == v));
  json_object_set_new(m, "clients", json_integer((json_int_t)s->viewers.count));
  json_object_set_new(m, "ready", json_boolean(s->ready));
  return m;
}

static void send_status(dvSession *s, dvViewer *v, double now)
{
  if (!v->greeted || now - v->status_at < 0.1) return;
  json_t *m = status_of(s, v);
  char *text = json_dumps(m, JSON_COMPACT);
  json_decref(m);
  if (text && !dv_same(text, v->status)) {
    if (s->options.send) s->options.send(s->options.user, v, text, strlen(text));
    dv_free(v->status);
    v->status = dv_strdup(text);
    v->status_at = now;
  }
  free(text);
}

// --- what can be drawn ---------------------------------------------------------------------------------------------------

static json_t *number_or_null(int id) { return id < 0 ? json_null() : json_integer(id); }

static json_t *colour(const double c[4]) { return json_pack("[f, f, f, f]", c[0], c[1], c[2], c[3]); }

static json_t *drawable_row(const dvDrawable *a, size_t id)
{
  char *path = dv_object_path(a->object);
  json_t *row = json_pack("{s:i, s:s, s:s}", "id", (int)id, "group", dv_draw_group_names[a->group], "kind", dv_draw_kind_names[a->kind]);
  set_text(row, "path", path);
  dv_free(path);
  const struct {
    const char *name;
    int id;
  } arrays[] = {{"positions", a->positions}, {"indices", a->indices}, {"second", a->second}, {"values", a->values},
                {"texcoords", a->texcoords}, {"radii", a->radii},     {"frames", a->frames}, {"normals", -1}};
  for (size_t i = 0; i < DV_COUNT(arrays); i++) json_object_set_new(row, arrays[i].name, number_or_null(arrays[i].id));
  set_text(row, "label", a->label);
  if (a->kind == DV_DRAW_SPHERES && isfinite(a->radius)) json_object_set_new(row, "radius", json_real(a->radius));
  if (!a->has_material) return row;
  const dvShading *m = &a->material;
  json_t *material = json_object();
  json_object_set_new(material, "ambient", colour(m->ambient));
  json_object_set_new(material, "diffuse", colour(m->diffuse));
  json_object_set_new(material, "specular", colour(m->specular));
  json_object_set_new(material, "emissive", colour(m->emissive));
  json_object_set_new(material, "shininess", isfinite(m->shininess) ? json_real(m->shininess) : json_real(0));
  char file[32];
  snprintf(file, sizeof file, "file/%d", a->texture);
  json_object_set_new(material, "texture", a->texture >= 0 ? json_string(file) : json_null());
  json_object_set_new(row, "material", material);
  return row;
}

static json_t *view_scene(dvSession *s)
{
  json_t *arrays = json_array(), *drawables = json_array(), *answer = dv_view_ok();
  for (size_t i = 0; i < s->draw.arrays.count; i++) {
    const dvDrawArray *a = &s->draw.arrays.data[i];
    json_array_append_new(arrays, json_pack("{s:i, s:s, s:i, s:I, s:b}", "id", (int)i, "kind", a->integers ? "u32" : "f32", "width", a->width, "count",
                                            (json_int_t)a->count, "dynamic", (int)a->dynamic));
  }
  for (size_t i = 0; i < s->draw.list.count; i++) json_array_append_new(drawables, drawable_row(&s->draw.list.data[i], i));
  double low[3], high[3];
  json_object_set_new(answer, "arrays", arrays);
  json_object_set_new(answer, "drawables", drawables);
  json_object_set_new(answer, "revision", json_integer(s->draw.revision));
  json_object_set_new(answer, "box", dv_draw_box(&s->draw, low, high)
                                         ? json_pack("[[f, f, f], [f, f, f]]", low[0], low[1], low[2], high[0], high[1], high[2])
                                         : json_null());
  return answer;
}

// --- requests --------------------------------------------------------------------------------------------------------------

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

static json_t *not_ready(void) { return dv_view_error("the log says what is wrong with it", "the scene could not be started"); }

static json_t *stored_view(const dvSession *s)
{
  char *path = s->file ? dv_format("%s.view", s->file) : NULL, *text = path && dv_file_exists(path) ? dv_file_read(path, NULL) : NULL;
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
    if (s->editor != v) become_editor(s, v);
  }
  if (!s->editor && may_edit(s, v)) become_editor(s, v);
  v->greeted = true;
  json_t *answer = json_pack("{s:s, s:b, s:s}", "key", v->key, "editor", (int)(s->editor == v), "version", DIVAN_VERSION);
  set_text(answer, "scene", s->file ? s->file : s->name);
  set_text(answer, "title", dv_path_name(s->name));
  json_object_set_new(answer, "view", stored_view(s));
  json_object_set_new(answer, "status", status_of(s, v));
  for (size_t i = 0; i < s->news.count; i++) dv_session_send(s, v, news_message(&s->news.data[i]));
  return answer;
}

static json_t *do_edit(Request *r)
{
  if (r->session->editor == r->viewer) return dv_view_ok();
  if (!may_edit(r->session, r->viewer)) return dv_view_error("wait until it has gone, or has been silent for half a minute", "another viewer edits");
  become_editor(r->session, r->viewer);
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
  json_array_foreach(groups, i, name) {
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
  start_pace(s);
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
  start_pace(s);
  return dv_view_ok();
}

static json_t *do_dt(Request *r)
{
  double dt;
  if (!number_in(r, "value", &dt) || !(dt >= 1e-9 && dt <= 1e3)) return dv_view_error(NULL, "a time step is between 1e-9 and 1000 s");
  if (!r->session->ready) return not_ready();
  r->session->scene->root->dt = dt;
  dv_scene_update_context(r->session->scene);
  start_pace(r->session);
  return dv_view_ok();
}

static json_t *do_realtime(Request *r)
{
  double factor = 1;
  number_in(r, "factor", &factor);
  if (!(factor >= 1e-3 && factor <= 1e3)) return dv_view_error(NULL, "the factor of real time is between 0.001 and 1000");
  r->session->realtime = json_is_true(json_object_get(r->body, "on"));
  r->session->factor = factor;
  start_pace(r->session);
  return dv_view_ok();
}

static json_t *loaded(dvSession *s) { return s->ready ? dv_view_ok() : first_error(s); }

static json_t *do_reload(Request *r)
{
  forget_edits(r->session);
  load(r->session);
  return loaded(r->session);
}

static json_t *do_open(Request *r)
{
  dvSession *s = r->session;
  char *path = dv_view_allowed(s, text_in(r, "file"));
  if (!path) return dv_view_error("only scenes in the directories of the first scene and of --data can be opened", "there is no such scene");
  dv_free(s->file), dv_free(s->name), dv_free(s->dropped);
  s->file = path;
  s->name = dv_strdup(path);
  s->dropped = NULL;
  s->animating = false;
  forget_edits(s);
  load(s);
  return loaded(s);
}

static json_t *do_drop(Request *r)
{
  dvSession *s = r->session;
  const char *text = text_in(r, "text"), *name = text_in(r, "name");
  if (!*text) return dv_view_error(NULL, "the scene is empty");
  dv_free(s->name), dv_free(s->dropped);
  char *directory = s->file ? dv_path_directory(s->file) : dv_strdup(s->roots.count ? s->roots.data[0] : "");
  s->name = dv_path_join(directory, *dv_path_name(name) ? dv_path_name(name) : "dropped.scn");   // files are looked for beside it
  dv_free(directory);
  dv_free(s->file);
  s->file = NULL;
  s->dropped = dv_strdup(text);
  s->animating = false;
  forget_edits(s);
  load(s);
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
  json_t *refusal = dv_session_edit(r->session, (dvEdit){DV_EDIT_SET, dv_strdup(text_in(r, "path")), dv_strdup("activated"), dv_strdup(on ? "1" : "0")});
  return refusal ? refusal : dv_view_ok();
}

static json_t *do_remove(Request *r) { return dv_view_remove(r->session, text_in(r, "path")); }

static json_t *written(const char *path, bool good)
{
  if (!good) return dv_view_error(strerror(errno), "%.300s cannot be written", path);
  json_t *answer = dv_view_ok();
  set_text(answer, "file", path);
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
  if (!file) return dv_view_error("only scenes in the directories of the scene and of --data can be added", "there is no such scene");
  json_t *refusal = dv_session_edit(s, (dvEdit){DV_EDIT_ADD, dv_strdup(text_in(r, "path")), NULL, file});
  return refusal ? refusal : dv_view_ok();
}

static json_t *do_save_view(Request *r)
{
  json_t *view = json_object_get(r->body, "view");
  if (!json_is_object(view)) return dv_view_error(NULL, "view is an object");
  if (!r->session->file) return dv_view_error(NULL, "a dropped scene has no file to save the view beside");
  char *text = json_dumps(view, JSON_INDENT(1)), *path = dv_format("%s.view", r->session->file);
  json_t *answer = text && strlen(text) < VIEW_LIMIT ? written(path, write_text(path, text)) : dv_view_error(NULL, "the view is too long");
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
  if (!point_in(r, "origin", origin) || !point_in(r, "direction", direction)) return dv_view_error(NULL, "a ray has an origin and a direction");
  if (number_in(r, "stiffness", &stiffness) && !(stiffness >= 0 && stiffness <= 1e12)) return dv_view_error(NULL, "a stiffness is between 0 and 1e12");
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
  if (!point_in(r, "origin", origin) || !point_in(r, "direction", direction)) return dv_view_error(NULL, "a ray has an origin and a direction");
  return dv_view_fix(r->session, origin, direction);
}

static json_t *do_key(Request *r)
{
  double key;
  if (!r->session->ready || !number_in(r, "key", &key) || key < 0 || key > 0x10FFFF) return NULL;
  bool down = !json_is_false(json_object_get(r->body, "down"));
  dv_scene_send(r->session->scene, &(dvEvent){.kind = DV_EVENT_KEY, .key = (int)key, .released = !down});
  return NULL;
}

static const struct {
  const char *name;
  json_t *(*run)(Request *r);
  bool edits, silent;
} verbs[] = {
    {"hello", do_hello, false, false},     {"edit", do_edit, false, false},       {"scene", do_scene, false, false},         {"show", do_show, false, false},
    {"ack", do_ack, false, true},          {"animate", do_animate, true, false},  {"step", do_step, true, false},            {"reset", do_reset, true, false},
    {"dt", do_dt, true, false},            {"realtime", do_realtime, true, false}, {"reload", do_reload, true, false},       {"open", do_open, true, false},
    {"drop", do_drop, true, false},        {"files", do_files, false, false},     {"graph", do_graph, false, false},         {"object", do_object, false, false},
    {"field", do_field, false, false},     {"set", do_set, true, false},          {"activate", do_activate, true, false},    {"remove", do_remove, true, false},
    {"save-node", do_save_node, true, false}, {"add-node", do_add_node, true, false}, {"save-view", do_save_view, true, false}, {"dump", do_dump, true, false},
    {"stats", do_stats, false, false},     {"watch", do_watch, false, false},     {"grab", do_grab, true, false},            {"pull", do_pull, true, true},
    {"release", do_release, true, false},  {"fix", do_fix, true, false},          {"key", do_key, true, true},
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
      return verbs[i].silent ? NULL : dv_view_error("take over the editing first", "another viewer edits; this one watches");
    return verbs[i].run(r);
  }
  return dv_view_error(NULL, "'%.40s' is no request", verb);
}

void dv_session_handle(dvSession *s, dvViewer *v, const char *request, size_t length, dvText *reply)
{
  v->heard_at = dv_now();
  json_t *body = length <= DV_VIEW_MESSAGE_LIMIT && !too_deep(request, length) ? json_loadb(request, length, JSON_REJECT_DUPLICATES, NULL) : NULL;
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

// --- running -----------------------------------------------------------------------------------------------------------------

static void stop_diverged(dvSession *s)
{
  s->animating = false;
  s->steps_wanted = 0;
  const char *text = "the simulation diverged";
  for (size_t i = s->news.count; i > 0; i--)
    if (s->news.data[i - 1].level == DV_ERROR) {
      text = s->news.data[i - 1].text;
      break;
    }
  json_t *m = json_pack("{s:s}", "is", "diverged");
  set_text(m, "text", text);
  dv_session_send(s, NULL, m);
}

static void step(dvSession *s)
{
  double began = dv_now();
  dvStatus status = dv_scene_step(s->scene, 0);
  if (s->scene->pause) s->animating = s->scene->pause = false;
  double seconds = dv_now() - began;
  s->moved = true;
  s->busy += seconds;
  s->rate_steps++;
  s->rate_time += s->scene->root->dt;
  dv_view_record_step(s, seconds);
  if (s->steps_wanted) s->steps_wanted--;
  if (status != DV_OK) stop_diverged(s);
}

static void measure_rate(dvSession *s, double now)
{
  if (s->rate_wall == 0) s->rate_wall = now, s->rate_steps = 0, s->rate_time = s->busy = 0;
  double span = now - s->rate_wall;
  if (span < 0.5) return;
  s->rate = (double)s->rate_steps / span;
  s->rtf = s->rate_time / span;
  if (s->rate_steps) s->ms = 1e3 * s->busy / (double)s->rate_steps;
  s->rate_wall = now, s->rate_steps = 0, s->rate_time = s->busy = 0;
}

// seconds until the next step is due; 0 now, 1 when none is
static double step_due(const dvSession *s, double now)
{
  if (!s->ready) return 1;
  if (s->steps_wanted) return 0;
  if (!s->animating) return 1;
  if (!s->realtime) return 0;
  double ahead = (s->scene->root->time - s->pace_time) / s->factor - (now - s->pace_wall);
  return ahead > 0 ? dv_min(ahead, 1) : 0;
}

static double frame_pause(const dvSession *s) { return dv_max(1.0 / 60, 50 * s->frame_cost); }

// seconds until a frame can be packed for somebody who waits for one
static double frame_due(const dvSession *s, double now)
{
  for (size_t i = 0; i < s->viewers.count && s->moved; i++) {
    const dvViewer *v = s->viewers.data[i];
    if (v->greeted && v->acked == v->frame && v->revision == s->draw.revision) return dv_max(0, s->frame_wall + frame_pause(s) - now);
  }
  return 1;
}

double dv_session_advance(dvSession *s)
{
  double now = dv_now(), wait = step_due(s, now);
  if (wait <= 0) {
    step(s);
    now = dv_now();
    // what cannot be caught up is let go
    if (s->realtime && now - s->pace_wall - (s->scene->root->time - s->pace_time) / s->factor > 0.25) start_pace(s);
    wait = step_due(s, now);
  }
  measure_rate(s, now);
  for (size_t i = 0; i < s->viewers.count; i++) {
    dvViewer *v = s->viewers.data[i];
    send_status(s, v, now);
    if (v->stats && now - v->stats_at >= 0.1 && s->stats_steps) v->stats_at = now, dv_session_send(s, v, dv_view_stats(s));
  }
  if (s->stats_steps > 1000) dv_view_clear_stats(s);
  wait = dv_min(wait, frame_due(s, now));
  return s->animating && wait > 0.1 ? 0.1 : wait;
}

// --- frames --------------------------------------------------------------------------------------------------------------------

static void add_u32(dvText *out, uint32_t value) { dv_text_add_n(out, (const char *)&value, sizeof value); }

bool dv_session_frame(dvSession *s, dvViewer *v, dvText *out)
{
  if (!v->greeted || v->acked != v->frame || v->revision != s->draw.revision) return false;
  double now = dv_now();
  if (s->moved) {
    // packing takes at most a fiftieth of the time, and no more than 60 frames a second
    if (now - s->frame_wall < frame_pause(s)) return false;
    unsigned groups = 0;
    for (size_t i = 0; i < s->viewers.count; i++) groups |= s->viewers.data[i]->groups;
    dv_draw_follow(&s->draw, s->ready ? s->scene : NULL);
    dv_draw_refresh(&s->draw, groups);
    s->frame_wall = dv_now();
    s->frame_cost = s->frame_wall - now;
    s->moved = s->draw.again;
    now = s->frame_wall;
    if (s->draw.again || v->revision != s->draw.revision) return false;
  }
  dv_array_resize(&v->seen, s->draw.arrays.count);
  uint32_t chunks = 0;
  size_t bytes = 24;
  for (size_t i = 0; i < s->draw.arrays.count; i++) {
    const dvDrawArray *a = &s->draw.arrays.data[i];
    if ((a->groups & v->groups) && a->changed > v->seen.data[i]) chunks++, bytes += 16 + a->count * sizeof *a->data;
  }
  if (chunks == 0 || !dv_text_reserve(out, bytes)) return false;
  double time = s->scene->root->time;
  add_u32(out, 0x31465644);
  add_u32(out, ++v->frame);
  dv_text_add_n(out, (const char *)&time, sizeof time);
  add_u32(out, s->draw.revision);
  add_u32(out, chunks);
  for (size_t i = 0; i < s->draw.arrays.count; i++) {
    const dvDrawArray *a = &s->draw.arrays.data[i];
    if (!(a->groups & v->groups) || a->changed <= v->seen.data[i]) continue;
    add_u32(out, (uint32_t)i);
    add_u32(out, a->integers);
    add_u32(out, (uint32_t)a->count);
    add_u32(out, 0);
    if (a->count) dv_text_add_n(out, (const char *)a->data, a->count * sizeof *a->data);
    v->seen.data[i] = a->changed;
  }
  s->frame_cost += dv_now() - now;
  return true;
}

char *dv_session_texture(dvSession *s, size_t index)
{
  return index < s->draw.textures.count ? dv_view_allowed(s, s->draw.textures.data[index]) : NULL;
}

size_t dv_session_texture_count(const dvSession *s) { return s->draw.textures.count; }
unsigned dv_session_revision(const dvSession *s) { return s->draw.revision; }

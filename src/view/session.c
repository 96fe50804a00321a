// The session: messages, edits, loading. See session.h; clients, steps and frames are in session_run.c, requests in
// requests.c.
#include "view/edit.h"

#include "app/lint.h"
#include "base/clock.h"
#include "base/file.h"
#include "io/scene/scene_file.h"
#include "mechanics/mechanics.h"
#include "object/compat.h"
#include "scene/plan.h"
#include "scene/timer.h"
#include "view/looks.h"
#include "view/play.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

enum { NEWS_LIMIT = 1000 };

const char dv_session_blank[] = "<?xml version=\"1.0\"?>\n"
                                "<Node name=\"root\" dt=\"0.01\" gravity=\"0 -9.81 0\">\n"
                                "</Node>\n";

// --- replies -------------------------------------------------------------------------------------

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

// --- messages of the log -------------------------------------------------------------------------

static void free_news(dvNews *n) { dv_free(n->path), dv_free(n->text), dv_free(n->advice), dv_free(n->file); }

void dv_view_put_text(json_t *o, const char *key, const char *text)
{
  json_t *t = text ? json_string(text) : NULL;
  json_object_set_new(o, key, t ? t : json_null());
}

json_t *dv_view_news(const dvNews *n)
{
  json_t *m = json_pack("{s:s, s:s, s:i}", "is", "message", "level", dv_view_level_name(n->level), "line", n->line);
  dv_view_put_text(m, "text", n->text);
  dv_view_put_text(m, "advice", n->advice);
  dv_view_put_text(m, "path", n->path);
  dv_view_put_text(m, "file", n->file ? dv_path_name(n->file) : NULL);
  return m;
}

void dv_session_note(dvSession *s, const dvMessage *m)
{
  for (size_t i = 0; i < s->news.count && s->checking; i++) {
    dvNews *n = &s->news.data[i];
    if (!n->stale || !dv_same(n->text, m->text) || !dv_same(n->path, m->path)) continue;
    n->stale = false;
    return;
  }
  if (s->options.print && m->level >= (s->ready ? DV_WARNING : DV_NOTE)) dv_log_print(stderr, m);
  if (s->news.count >= NEWS_LIMIT) return;
  dv_push(&s->news, ((dvNews){m->level, dv_strdup(m->path), dv_strdup(m->text), dv_strdup(m->advice),
                              dv_strdup(m->place.file), m->place.line, s->checking, false}));
  s->graph++;
  dv_session_send(s, NULL, dv_view_news(&s->news.data[s->news.count - 1]));
}

static void on_message(void *user, const dvMessage *m) { dv_session_note(user, m); }

static void clear_news(dvSession *s)
{
  for (size_t i = 0; i < s->news.count; i++) free_news(&s->news.data[i]);
  s->news.count = 0;
}

void dv_session_begin_check(dvSession *s)
{
  s->checking = true;
  for (size_t i = 0; i < s->news.count; i++) s->news.data[i].stale = s->news.data[i].check;
}

static void drop_news(dvSession *s, bool (*goes)(const dvNews *n, const char *path), const char *path)
{
  size_t kept = 0;
  for (size_t i = 0; i < s->news.count; i++)
    if (goes(&s->news.data[i], path)) free_news(&s->news.data[i]), s->graph++;
    else s->news.data[kept++] = s->news.data[i];
  s->news.count = kept;
}

static bool is_stale(const dvNews *n, const char *path)
{
  DV_UNUSED(path);
  return n->stale;
}

static bool is_of(const dvNews *n, const char *path)
{
  size_t length = strlen(path);
  return n->path && strncmp(n->path, path, length) == 0 && (!n->path[length] || n->path[length] == '/');
}

void dv_session_end_check(dvSession *s)
{
  s->checking = false;
  drop_news(s, is_stale, NULL);
}

void dv_session_forget_news(dvSession *s, const dvObject *o)
{
  char *path = dv_object_path(o);
  drop_news(s, is_of, path);
  dv_free(path);
}

// --- edits ---------------------------------------------------------------------------------------

static void free_edit(dvEdit *e) { dv_free(e->path), dv_free(e->field), dv_free(e->text); }

void dv_session_remember(dvSession *s, dvEdit edit)
{
  for (size_t i = 0; i < s->edits.count; i++) {   // only the last value of a field counts
    dvEdit *e = &s->edits.data[i];
    if (edit.kind != DV_EDIT_SET || e->kind != DV_EDIT_SET || !dv_same(e->path, edit.path) ||
        !dv_same(e->field, edit.field))
      continue;
    dv_free(e->text);
    e->text = dv_strdup(edit.text);
    e->words |= edit.words;
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
    dvScene *other = dv_view_read_more(s, e->text);
    if (other) dv_scene_adopt(dv_node_of(o), &other);
  }
}

// --- loading -------------------------------------------------------------------------------------

static void unload(dvSession *s)
{
  dv_play_end_recording(s);
  dv_view_forget_touch(s);
  dv_view_undo_clear(s);
  dv_draw_build(&s->draw, NULL);
  if (s->options.host.scene) s->scene = NULL;
  else dv_scene_destroy(&s->scene);
  s->ready = false;
}

void dv_session_start_pace(dvSession *s)
{
  s->pace_wall = dv_now();
  s->pace_time = s->scene ? s->scene->root->time : 0;
}

// a program runs only when it is the one that was named at the start
static void read_file(dvSession *s)
{
  const bool first = s->file && dv_same(s->file, s->first);
  s->context->read_script = first ? s->options.read_script : NULL;
  dv_scene_read(s->context, s->file ? s->file : s->name, &s->scene);
  s->context->read_script = NULL;
}

// The text to build on: that of the file, unless it is a program, or what was dropped.
static void open_text(dvSession *s)
{
  size_t length = s->dropped ? strlen(s->dropped) : 0;
  char *bytes = s->dropped || !s->file || dv_scene_is_script(s->file) ? NULL : dv_file_read(s->file, &length);
  if (s->dropped || bytes) dv_edit_open(s, s->dropped ? s->dropped : bytes, length);
  dv_free(bytes);
}

static void read_scene(dvSession *s)
{
  if (!s->editing) open_text(s);
  if (dv_edit_parse(s)) return;
  if (s->dropped) dv_scene_parse(s->context, s->name, s->dropped, strlen(s->dropped), &s->scene);
  else read_file(s);
}

// the file or text that the session has, with its edits
bool dv_session_load(dvSession *s)
{
  unload(s);
  clear_news(s);
  dv_session_send(s, NULL, json_pack("{s:s}", "is", "forget"));
  dvLog *log = &s->context->log;
  log->worst = DV_OK;
  memset(log->counts, 0, sizeof log->counts);
  dv_view_confine(s);
  for (size_t i = 0; i < s->options.plugin_count; i++) dv_divan_load_plugin(s->context, s->options.plugins[i]);
  read_scene(s);
  for (size_t i = 0; i < s->edits.count && s->scene; i++) apply_edit(s, &s->edits.data[i]);
  if (s->scene && dv_scene_init(s->scene) == DV_OK && log->worst == DV_OK) s->ready = true;
  if (s->ready) dv_scene_tell_compat(s->scene, false);
  if (s->ready) dv_looks_tell(s->scene);
  if (s->ready) dv_view_fix_again(s);
  if (s->player) s->player->again = true;
  dv_draw_build(&s->draw, s->ready ? s->scene : NULL);
  dv_edit_built(s);
  s->graph++;
  s->graph_version = s->scene ? s->scene->version : 0;
  s->moved = true;
  s->steps_wanted = 0;
  if (!s->ready) s->animating = false;
  dv_timers_clear(s->context->timers);
  dv_view_clear_stats(s);
  dv_session_start_pace(s);
  return s->ready;
}

json_t *dv_session_first_error(const dvSession *s)
{
  for (size_t i = 0; i < s->news.count; i++)
    if (s->news.data[i].level == DV_ERROR) return dv_view_error(s->news.data[i].advice, "%s", s->news.data[i].text);
  return dv_view_error(NULL, "the scene does not work with this change");
}

json_t *dv_session_edit(dvSession *s, dvEdit edit)
{
  if (s->options.host.scene) {
    free_edit(&edit);
    return dv_view_host_refuses();
  }
  json_t *answer = NULL;
  if (dv_edit_takes(s, &edit, &answer)) {
    free_edit(&edit);
    return answer;
  }
  bool animating = s->animating, worked = s->ready;
  dvKept *kept = dv_view_keep(s);
  dvEdit before = {0};   // a second value of a field replaces the first
  for (size_t i = 0; i < s->edits.count; i++) {
    const dvEdit *e = &s->edits.data[i];
    if (edit.kind == DV_EDIT_SET && e->kind == DV_EDIT_SET && dv_same(e->path, edit.path) &&
        dv_same(e->field, edit.field))
      before = (dvEdit){e->kind, dv_strdup(e->path), dv_strdup(e->field), dv_strdup(e->text), e->words};
  }
  size_t count = s->edits.count;
  dv_session_remember(s, edit);
  json_t *refusal = NULL;
  if (!dv_session_load(s) && worked) {
    refusal = dv_session_first_error(s);
    if (before.path) dv_session_remember(s, before), before = (dvEdit){0};
    else if (s->edits.count > count) free_edit(&s->edits.data[--s->edits.count]);
    dv_session_load(s);
  }
  free_edit(&before);
  dv_view_go_on(s, &kept);
  s->animating = animating && s->ready;
  return refusal;
}

void dv_session_forget_edits(dvSession *s)
{
  for (size_t i = 0; i < s->edits.count; i++) free_edit(&s->edits.data[i]);
  s->edits.count = 0;
  for (size_t i = 0; i < s->fixed.count; i++) dv_free(s->fixed.data[i].path);
  s->fixed.count = 0;
  dv_edit_close(s);
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

// the scene, and what is to be played with it; what was told of recordings stays told
static void load_first(dvSession *s)
{
  DV_ARRAY(dvNews) told = {0};
  for (size_t i = 0; i < s->news.count; i++) dv_push(&told, s->news.data[i]);
  s->news.count = 0;
  dv_session_load(s);
  for (size_t i = 0; i < told.count; i++) dv_push(&s->news, told.data[i]);
  dv_array_free(&told);
}

static void play_second(dvSession *s)
{
  json_t *answer = dv_play_add(s, s->options.second);
  const char *error = json_string_value(json_object_get(answer, "error")),
             *advice = json_string_value(json_object_get(answer, "advice"));
  if (error)
    dv_session_note(s, &(dvMessage){.level = DV_ERROR,
                                    .status = DV_ERROR_INPUT,
                                    .place = {.file = s->options.second},
                                    .text = (char *)error,
                                    .advice = advice});
  json_decref(answer);
}

dvSession *dv_session_create(const dvSessionOptions *options)
{
  dvSession *s = dv_alloc(sizeof *s);
  s->options = *options;
  s->factor = 1;
  s->realtime = true;
  if (options->host.scene) {
    for (size_t i = 0; i < options->data_count; i++) add_root(s, options->data[i]);
    s->name = dv_strdup(options->scene);
    dv_view_host_begin(s);
    return s;
  }
  s->context = dv_divan_create(options->threads);
  s->context->realtime = true;   // a picture does not wait for a factor
  s->context->progress = options->progress;
  s->context->log.sink = on_message;
  s->context->log.user = s;
  s->context->log.threshold = DV_NOTE;
  const char *given = options->scene ? options->scene : "untitled.scn";   // nothing: a scene to be built
  const bool recording = dv_ends_with_nocase(given, ".divr");
  char *recorded = recording ? dv_play_begin(s, given) : NULL;
  const char *scene = recorded ? recorded : given;
  s->context->skip_missing = options->skip_missing;
  s->context->emulate_devices = options->emulate_devices;
  dvCompatMode mode;
  if (options->compat && dv_compat_parse(options->compat, &mode)) dv_compat_choose(s->context, mode);
  for (size_t i = 0; i < options->data_count; i++) dv_context_add_data_path(s->context, options->data[i]);
  for (size_t i = 0; i < options->plugin_path_count; i++)
    dv_context_add_plugin_path(s->context, options->plugin_paths[i]);
  char *directory = dv_path_directory(given), *real = options->scene ? realpath(scene, NULL) : NULL;
  add_root(s, directory);
  for (size_t i = 0; i < options->data_count; i++) add_root(s, options->data[i]);
  dv_free(directory);
  if (!recording || recorded) s->file = dv_strdup(real);
  if (!recording) s->first = dv_strdup(real);             // what a recording names is not trusted with any file
  char *beside = real ? dv_path_directory(real) : NULL;   // another one where the scene is a link
  if (beside) add_root(s, beside);
  dv_free(beside);
  free(real);
  s->name = options->scene || !s->roots.count ? dv_strdup(scene) : dv_path_join(s->roots.data[0], scene);
  if (!options->scene) s->dropped = dv_strdup(dv_session_blank);
  if (!recording || recorded) load_first(s);
  if (options->second) play_second(s);
  dv_free(recorded);
  s->animating = !s->player && s->ready && (options->animate || s->scene->root->animate);
  return s;
}

void dv_session_destroy(dvSession **session)
{
  dvSession *s = *session;
  if (!s) return;
  unload(s);
  dv_play_close(s);
  clear_news(s);
  dv_session_forget_edits(s);
  dv_draw_free(&s->draw);
  dv_view_free_pictures(s);
  for (size_t i = 0; i < s->roots.count; i++) dv_free(s->roots.data[i]);
  for (size_t i = 0; i < s->watches.count; i++) dv_free(s->watches.data[i].path), dv_free(s->watches.data[i].field);
  dv_array_free(&s->roots);
  dv_array_free(&s->news);
  dv_array_free(&s->edits);
  dv_array_free(&s->fixed);
  dv_array_free(&s->viewers);
  dv_array_free(&s->step_times);
  dv_array_free(&s->solves);
  dv_array_free(&s->robot);
  dv_array_free(&s->watches);
  dv_array_free(&s->watched);
  dv_free(s->file), dv_free(s->name), dv_free(s->dropped), dv_free(s->first);
  if (!s->options.host.scene) {
    dv_file_confine(NULL, 0, 0);
    dv_divan_destroy(&s->context);
  }
  dv_free(s);
  *session = NULL;
}

bool dv_session_ready(const dvSession *s) { return s->ready; }
void dv_session_hold(dvSession *s, bool hold) { s->held = hold; }

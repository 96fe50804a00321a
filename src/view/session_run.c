// Clients of a session and what they are told; steps, pace and frames. See session.h.
#include "anatomy/cautery.h"
#include "app/lint.h"
#include "base/clock.h"
#include "base/file.h"
#include "io/scene/scene_file.h"
#include "mechanics/mechanics.h"
#include "object/compat.h"
#include "scene/plan.h"
#include "scene/timer.h"
#include "view/edit.h"
#include "view/looks.h"
#include "view/play.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

// --- clients -------------------------------------------------------------------------------------

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
    dv_view_release_keys(s);
    s->editor = NULL;
    s->editor_left = dv_now();
  }
  dv_array_free(&v->seen);
  dv_free(v->status);
  v->status = NULL;
}

// the editor's place: free, its own from before, or given up
bool dv_session_may_edit(const dvSession *s, const dvViewer *v)
{
  double now = dv_now();
  if (s->editor) return now - s->editor->heard_at > 30;
  return dv_same(s->editor_key, v->key) || !*s->editor_key || now - s->editor_left > 10;
}

void dv_session_become_editor(dvSession *s, dvViewer *v)
{
  if (s->editor != v) dv_view_release_keys(s);
  s->editor = v;
  memcpy(s->editor_key, v->key, sizeof s->editor_key);
}

// --- status --------------------------------------------------------------------------------------

json_t *dv_session_status(const dvSession *s, const dvViewer *v)
{
  const dvNode *root = s->scene ? s->scene->root : NULL;
  json_t *m = json_pack("{s:s, s:f, s:I, s:f, s:b, s:b, s:f, s:f, s:f, s:f}", "is", "status", "time",
                        root ? root->time : 0.0, "step", (json_int_t)(s->scene ? s->scene->step : 0), "dt",
                        root ? root->dt : 0.0, "animating", (int)s->animating, "realtime", (int)s->realtime, "factor",
                        s->factor, "rate", s->rate, "rtf", s->rtf, "msPerStep", s->ms);
  if (!m) m = json_pack("{s:s}", "is", "status");   // a number that is not finite
  json_object_set_new(m, "graph", json_integer(s->graph));
  json_object_set_new(m, "scene", json_integer(s->draw.revision));
  json_object_set_new(m, "editor", json_boolean(s->editor == v));
  json_object_set_new(m, "clients", json_integer((json_int_t)s->viewers.count));
  json_object_set_new(m, "ready", json_boolean(s->ready));
  json_object_set_new(m, "compat", json_string(dv_compat_name(s->context->compat)));
  json_t *labels = s->ready ? dv_looks_labels(s->scene) : NULL;
  if (labels) json_object_set_new(m, "labels", labels);
  if (s->player) json_object_set_new(m, "player", dv_play_status(s));
  if (s->recorder) {
    json_object_set_new(m, "recording", json_integer((json_int_t)dv_recorder_frames(s->recorder)));
    json_object_set_new(m, "recorded", json_integer((json_int_t)dv_recorder_bytes(s->recorder)));
  }
  json_t *camera = s->ready ? dv_looks_camera(s->scene) : NULL;
  if (camera) json_object_set_new(m, "camera", camera);
  json_t *viewports = s->ready ? dv_looks_viewports(s->scene) : NULL;
  if (viewports) json_object_set_new(m, "viewports", viewports);
  if (s->undo.count) json_object_set_new(m, "undo", json_integer((json_int_t)s->undo.count));
  dv_edit_status(s, m);
  if (s->spring) json_object_set_new(m, "pull", json_real(dv_view_pull_force(s)));
  return m;
}

static void send_status(dvSession *s, dvViewer *v, double now)
{
  if (!v->greeted || now - v->status_at < 0.1) return;
  json_t *m = dv_session_status(s, v);
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

// --- running -------------------------------------------------------------------------------------

static void stop_diverged(dvSession *s)
{
  s->animating = false;
  s->steps_wanted = 0;
  const dvNews *last = NULL;
  for (size_t i = s->news.count; i > 0 && !last; i--)
    if (s->news.data[i - 1].level == DV_ERROR) last = &s->news.data[i - 1];
  json_t *m = json_pack("{s:s}", "is", "diverged");
  dv_view_put_text(m, "text", last ? last->text : "the simulation diverged");
  dv_view_put_text(m, "advice", last ? last->advice : NULL);
  dv_session_send(s, NULL, m);
}

static void step(dvSession *s)
{
  double began = dv_now(), had = dv_thread_now();
  const dvSessionHost *host = &s->options.host;
  if (s->scene && dv_cautery_begins(s->scene)) dv_view_undo_keep(s, "cautery");
  dvStatus status = !host->step ? dv_scene_step(s->scene, 0) : host->step(host->user) ? DV_OK : DV_ERROR_INPUT;
  dvStepCost *cost = s->fresh_frame ? &s->after_frame : &s->between_frames;
  cost->steps++, cost->time += dv_thread_now() - had;
  s->fresh_frame = false;
  if (s->scene->pause) s->animating = s->scene->pause = false;
  double seconds = dv_now() - began;
  s->moved = true;
  s->busy += seconds;
  s->rate_steps++;
  s->rate_time += s->scene->root->dt;
  dv_view_record_step(s, seconds);
  if (status == DV_OK) dv_play_recorded_step(s);
  if (s->steps_wanted) s->steps_wanted--;
  if (status != DV_OK) stop_diverged(s);
}

static void measure_rate(dvSession *s, double now)
{
  if (!s->animating && !s->steps_wanted && !s->options.host.scene) {   // nothing is measured: the last figures stand
    s->rate_wall = 0;
    return;
  }
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
  if (!s->ready || s->held || dv_play_on(s)) return 1;
  if (s->steps_wanted) return 0;
  if (!s->animating) return 1;
  if (!s->realtime) return 0;
  double ahead = (s->scene->root->time - s->pace_time) / s->factor - (now - s->pace_wall);
  return ahead > 0 ? dv_min(ahead, 1) : 0;
}

// time that the thread has had: what it computed and what it waited, not what other programs took
static double time_had(const dvSession *s) { return dv_thread_now() + s->idle; }

// Seconds until the next frame may be packed: no more than 60 a second, and packing takes at most 1/60 of the time
// while steps are made (the steps that follow, with emptied caches, cost as much as half of that again).
static double frame_pause(const dvSession *s, double now)
{
  double pause = s->frame_wall + 1.0 / 60 - now;
  if (s->options.host.scene) return dv_max(pause, s->frame_wall + 10 * s->frame_cost - now);   // of any thread
  return s->animating || s->steps_wanted ? dv_max(pause, s->frame_had + 60 * s->frame_cost - time_had(s)) : pause;
}

// seconds until a frame can be packed for somebody who waits for one
static double frame_due(const dvSession *s, double now)
{
  for (size_t i = 0; i < s->viewers.count && s->moved; i++) {
    const dvViewer *v = s->viewers.data[i];
    if (v->greeted && v->acked == v->frame && v->revision == s->draw.revision) return dv_max(0, frame_pause(s, now));
  }
  return 1;
}

double dv_session_advance(dvSession *s)
{
  double now = dv_now(), wait = step_due(s, now);
  if (s->options.host.scene) dv_view_host_follow(s, now);
  if (s->left_at > 0) s->idle += now - s->left_at;
  if (wait <= 0) {
    step(s);
    now = dv_now();
    // what cannot be caught up is let go
    if (s->realtime && now - s->pace_wall - (s->scene->root->time - s->pace_time) / s->factor > 0.25)
      dv_session_start_pace(s);
    wait = step_due(s, now);
  }
  if (s->player) wait = dv_min(wait, dv_play_advance(s, now));
  measure_rate(s, now);
  for (size_t i = 0; i < s->viewers.count; i++) {
    dvViewer *v = s->viewers.data[i];
    send_status(s, v, now);
    if (v->stats && now - v->stats_at >= 0.1 && s->stats_steps)
      v->stats_at = now, dv_session_send(s, v, dv_view_stats(s));
  }
  if (s->stats_steps > 1000) dv_view_clear_stats(s);
  wait = dv_min(wait, frame_due(s, now));
  s->left_at = wait > 0 ? dv_now() : 0;
  return (s->animating || s->options.host.scene) && wait > 0.1 ? 0.1 : wait;
}

// --- frames --------------------------------------------------------------------------------------

static void add_u32(dvText *out, uint32_t value) { dv_text_add_n(out, (const char *)&value, sizeof value); }

bool dv_session_frame(dvSession *s, dvViewer *v, dvText *out)
{
  if (!v->greeted || v->acked != v->frame || v->revision != s->draw.revision) return false;
  double began = dv_thread_now();
  if (s->moved) {
    if (frame_pause(s, dv_now()) > 0) return false;
    unsigned groups = 0;
    for (size_t i = 0; i < s->viewers.count; i++) groups |= s->viewers.data[i]->groups;
    if (dv_play_on(s)) {
      dv_play_refresh(s);
    } else {
      dv_draw_follow(&s->draw, s->ready ? s->scene : NULL);
      dv_draw_refresh(&s->draw, groups);
    }
    double now = dv_now();
    s->frame_wall = dv_max(s->frame_wall + 1.0 / 60, now - 1.0 / 60);   // a late one does not delay the next
    s->frame_had = time_had(s);
    s->pack_time += s->frame_cost;   // of the last one
    s->frame_cost = dv_thread_now() - began;
    began += s->frame_cost;
    s->moved = s->draw.again;
    if (s->draw.again || v->revision != s->draw.revision) return false;
  }
  dv_array_resize(&v->seen, s->draw.arrays.count);
  uint32_t chunks = 0;
  size_t bytes = 24;
  for (size_t i = 0; i < s->draw.arrays.count; i++) {
    const dvDrawArray *a = &s->draw.arrays.data[i];
    if ((a->groups & v->groups) && a->changed > v->seen.data[i]) chunks++, bytes += 16 + a->count * sizeof *a->data;
  }
  double time = dv_play_on(s) ? dv_play_time(s) : s->scene ? s->scene->root->time : 0;
  if ((chunks == 0 && time == v->time) || !dv_text_reserve(out, bytes))
    return false;   // a step that moves nothing still has a time
  v->time = time;
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
  s->frame_cost += dv_thread_now() - began;   // of all who look since the arrays were filled
  s->packed++;
  s->fresh_frame = true;
  return true;
}

unsigned dv_session_revision(const dvSession *s) { return s->draw.revision; }

// The player of a session, and its recorder. See play.h.
#include "view/play.h"

#include "base/clock.h"
#include "io/record/snapshot.h"

#include <errno.h>
#include <math.h>

enum { MOST_STEPS = 100000 };   // between a snapshot and the moment to go on from

static void tell(dvSession *s, dvLevel level, const char *text, const char *advice)
{
  dv_session_note(s, &(dvMessage){.level = level, .status = DV_ERROR_INPUT, .text = (char *)text, .advice = advice});
}

// --- recordings come and go ----------------------------------------------------------------------

void dv_play_close(dvSession *s)
{
  dvPlayer *p = s->player;
  if (!p) return;
  dv_play_leave(s);
  for (int i = 0; i < 2; i++) dv_recording_free(&p->file[i]), dv_free(p->name[i]);
  json_decref(p->scene);
  dv_array_free(&p->sources);
  dv_free(p);
  s->player = NULL;
}

void dv_play_take(dvSession *s, dvRecording *first, const char *name)
{
  dv_play_close(s);
  dvPlayer *p = s->player = dv_alloc(sizeof *p);
  p->file[0] = first;
  p->name[0] = dv_strdup(name);
  p->speed = 1;
}

void dv_play_take_second(dvSession *s, dvRecording *second, const char *name)
{
  dvPlayer *p = s->player;
  dv_recording_free(&p->file[1]);
  dv_free(p->name[1]);
  p->file[1] = second;
  p->name[1] = dv_strdup(name);
  p->again = true;
  s->moved = true;
}

// --- what is shown -------------------------------------------------------------------------------

static double clock_of(const dvPlayer *p) { return dv_recording_time(p->file[0], p->frame); }

static void start_pace(dvPlayer *p)
{
  p->pace_wall = dv_now();
  p->pace_time = clock_of(p);
}

void dv_play_show(dvSession *s, double frame)
{
  dvPlayer *p = s->player;
  double last = (double)dv_recording_frames(p->file[0]) - 1;
  p->frame = (size_t)dv_min(dv_max(0, round(frame)), last);
  if (!p->on) {
    dv_view_release(s);
    p->on = p->again = true;
    s->animating = false;
    s->steps_wanted = 0;
  }
  start_pace(p);
  s->moved = true;
}

void dv_play_leave(dvSession *s)
{
  dvPlayer *p = s->player;
  if (!p || !p->on) return;
  p->on = p->playing = false;
  dv_draw_build(&s->draw, s->ready ? s->scene : NULL);
  s->moved = true;
  dv_session_start_pace(s);
}

void dv_play_run(dvSession *s, bool on, double speed)
{
  dvPlayer *p = s->player;
  size_t last = dv_recording_frames(p->file[0]) - 1;
  p->speed = speed;
  p->playing = on;
  if (on && !p->loop && p->frame == (speed > 0 ? last : 0)) p->frame = speed > 0 ? 0 : last;   // from the start
  dv_play_show(s, (double)p->frame);
}

double dv_play_time(const dvSession *s) { return clock_of(s->player); }

// Where it is after some real time. At the end it stops, or begins again.
double dv_play_advance(dvSession *s, double now)
{
  dvPlayer *p = s->player;
  if (!p->on || !p->playing) return 1;
  size_t last = dv_recording_frames(p->file[0]) - 1;
  double time = p->pace_time + (now - p->pace_wall) * p->speed, first_time = dv_recording_time(p->file[0], 0),
         last_time = dv_recording_time(p->file[0], last);
  size_t frame = dv_recording_frame_at(p->file[0], time);
  if (p->speed < 0 && frame < last && dv_recording_time(p->file[0], frame) < time) frame++;   // comes from above
  bool over = p->speed > 0 ? time >= last_time : time <= first_time;
  if (over) frame = p->speed > 0 ? last : 0;
  if (frame != p->frame) p->frame = frame, s->moved = true;
  if (over && p->loop && last > 0) {
    p->frame = p->speed > 0 ? 0 : last;
    start_pace(p);
  } else if (over) {
    p->playing = false;
  }
  return p->playing ? 1.0 / 60 : 1;
}

json_t *dv_play_status(const dvSession *s)
{
  const dvPlayer *p = s->player;
  size_t last = dv_recording_frames(p->file[0]) - 1;
  json_t *m =
      json_pack("{s:b, s:I, s:I, s:f, s:f, s:f, s:I, s:f, s:b, s:b}", "on", (int)p->on, "frames", (json_int_t)last + 1,
                "frame", (json_int_t)p->frame, "time", clock_of(p), "from", dv_recording_time(p->file[0], 0), "to",
                dv_recording_time(p->file[0], last), "step", (json_int_t)dv_recording_step(p->file[0], p->frame),
                "speed", p->speed, "playing", (int)p->playing, "loop", (int)p->loop);
  dv_view_put_text(m, "name", p->name[0]);
  if (p->file[1]) {
    dv_view_put_text(m, "second", p->name[1]);
    json_object_set_new(m, "together", json_string(p->together == DV_PLAY_OVER ? "over" : "beside"));
  }
  return m;
}

// --- going on from a moment ----------------------------------------------------------------------

static json_t *cannot_go_on(dvText *why)
{
  json_t *e = dv_view_error("the recording can still be looked at", "the simulation cannot go on from here: %s",
                            why->text ? why->text : "the scene does not run");
  dv_text_free(why);
  return e;
}

// The snapshot before the frame, and the steps from it to the frame again.
static bool restore(dvSession *s, size_t frame, dvText *why)
{
  dvRecording *r = s->player->file[0];
  size_t length;
  int64_t step;
  char *bytes = dv_recording_snapshot(r, frame, &length, &step, why);
  if (!bytes) return false;
  int64_t more = dv_recording_step(r, frame) - step;
  bool good = more >= 0 && more <= MOST_STEPS;
  if (!good) dv_text_add(why, "no snapshot is near enough");
  if (good && !s->options.host.scene && dv_view_meshes_changed(s)) good = dv_session_load(s);
  good = good && s->ready && dv_snapshot_unpack(s->scene, bytes, length, s->player->name[0]) == DV_OK;
  dv_free(bytes);
  double dt = json_number_value(json_object_get(dv_recording_head(r), "dt"));
  for (int64_t i = 0; i < more && good; i++) good = dv_scene_step(s->scene, dt > 0 && isfinite(dt) ? dt : 0) == DV_OK;
  if (!good && !why->length) dv_text_add(why, "the log says why");
  return good;
}

json_t *dv_play_resume(dvSession *s, size_t frame)
{
  dvPlayer *p = s->player;
  dvText why = {0};
  double difference;
  if (!s->ready) {
    dv_text_add(&why, "the scene that was recorded is not there, or does not run");
    return cannot_go_on(&why);
  }
  dv_play_end_recording(s);
  p = s->player;
  if (!restore(s, frame, &why) || !dv_recording_go(p->file[0], frame, &why)) return cannot_go_on(&why);
  json_t *answer = dv_view_ok();
  bool same = dv_recording_agrees(p->file[0], s->scene, &difference);
  json_object_set_new(answer, "same", json_boolean(same));
  if (!same) {
    char *text = dv_format("the simulation goes on from here, but is %g away from what was recorded", difference);
    tell(s, DV_WARNING, text, "the scene, the program or the machine has changed since, or somebody pulled on it");
    dv_free(text);
  }
  dv_play_leave(s);
  dv_view_clear_stats(s);
  dv_session_start_pace(s);
  s->moved = true;
  dv_text_free(&why);
  return answer;
}

// --- recording -----------------------------------------------------------------------------------

static void lost(dvSession *s)
{
  char *text = dv_format("the recording ended: %s", errno ? strerror(errno) : "it cannot be written");
  tell(s, DV_ERROR, text, "is there room in the directory for temporary files (TMPDIR)?");
  dv_free(text);
  dv_play_end_recording(s);
}

json_t *dv_play_record(dvSession *s, bool on)
{
  if (!on) {
    dv_play_end_recording(s);
    return dv_view_ok();
  }
  if (!s->ready) return dv_view_error("the log says what is wrong with it", "the scene could not be started");
  if (s->recorder) return dv_view_ok();
  dv_play_close(s);
  DV_ARRAY(char *) fields = {0};   // what is watched is recorded
  for (size_t i = 0; i < s->watches.count; i++)
    dv_push(&fields, dv_format("%s.%s", s->watches.data[i].path, s->watches.data[i].field));
  dvText why = {0};
  dvRecorderOptions o = {.scene = s->file, .fields = (const char *const *)fields.data, .field_count = fields.count};
  s->recorder = dv_recorder_create(s->scene, &o, &why);
  for (size_t i = 0; i < fields.count; i++) dv_free(fields.data[i]);
  dv_array_free(&fields);
  json_t *answer =
      s->recorder ? dv_view_ok() : dv_view_error(NULL, "%s", why.text ? why.text : "it cannot be recorded");
  dv_text_free(&why);
  if (s->recorder && !dv_recorder_add(s->recorder)) lost(s);
  s->recorded_time = s->scene->root->time;
  return answer;
}

void dv_play_recorded_step(dvSession *s)
{
  if (!s->recorder || s->scene->root->time == s->recorded_time) return;   // it has this moment
  if (s->spring) dv_recorder_touch(s->recorder);                          // a hand is not repeated
  errno = 0;
  if (s->scene->root->time < s->recorded_time) dv_play_end_recording(s);   // it was put back
  else if (!dv_recorder_add(s->recorder)) lost(s);
  s->recorded_time = s->scene->root->time;
}

void dv_play_end_recording(dvSession *s)
{
  if (!s->recorder) return;
  dvText why = {0};
  dvRecording *r = dv_recorder_turn(&s->recorder, &why);
  if (r) dv_play_take(s, r, "what was recorded"), s->player->frame = dv_recording_frames(r) - 1;
  else tell(s, DV_ERROR, why.text ? why.text : "the recording is lost", NULL);
  dv_text_free(&why);
}

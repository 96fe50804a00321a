// Requests: recordings. See request.h.
#include "view/play.h"
#include "view/request.h"

#include "base/file.h"

#include <errno.h>
#include <math.h>

enum { CURVES = 24, POINTS = 20000 };

static json_t *nothing_to_play(void)
{
  return dv_view_error("record some steps first, or open a .divr file", "there is no recording");
}

json_t *dv_do_record(dvRequest *r) { return dv_play_record(r->session, json_is_true(json_object_get(r->body, "on"))); }

// on, frame, speed (negative: backward), playing, loop, together
json_t *dv_do_play(dvRequest *r)
{
  dvSession *s = r->session;
  if (s->recorder) dv_play_end_recording(s);
  dvPlayer *p = s->player;
  double frame, speed;
  if (!p) return nothing_to_play();
  const json_t *on = json_object_get(r->body, "on"), *playing = json_object_get(r->body, "playing"),
               *loop = json_object_get(r->body, "loop");
  const char *together = dv_request_text(r, "together");
  if (json_is_false(on)) {
    dv_play_leave(s);
    return dv_view_ok();
  }
  speed = p->speed;
  dv_request_number(r, "speed", &speed);
  if (!(fabs(speed) >= 1e-3 && fabs(speed) <= 1e3))
    return dv_view_error(NULL, "the speed is between 0.001 and 1000, or the negative of that");
  if (loop) p->loop = json_is_true(loop);
  if (*together) p->together = dv_same(together, "over") ? DV_PLAY_OVER : DV_PLAY_BESIDE, p->again = true;
  if (dv_request_number(r, "frame", &frame)) {
    dv_play_show(s, frame);
    if (!playing) p->playing = false;
  }
  p->speed = speed;
  if (playing) dv_play_run(s, json_is_true(playing), speed);
  else dv_play_show(s, (double)p->frame);
  return dv_view_ok();
}

json_t *dv_do_resume(dvRequest *r)
{
  dvSession *s = r->session;
  double frame = 0;
  if (!s->player) return nothing_to_play();
  dv_request_number(r, "frame", &frame);
  if (!(frame >= 0 && frame < (double)dv_recording_frames(s->player->file[0])))
    return dv_view_error(NULL, "there is no such frame");
  return dv_play_resume(s, (size_t)frame);
}

json_t *dv_do_save_recording(dvRequest *r)
{
  dvSession *s = r->session;
  json_t *error = NULL;
  if (s->recorder) dv_play_end_recording(s);
  if (!s->player) return nothing_to_play();
  char *path = dv_view_writable(s, dv_request_text(r, "file"), ".divr", &error);
  if (!path) return error;
  bool good = dv_recording_save(s->player->file[0], path);
  json_t *answer = good ? dv_view_ok() : dv_view_error(strerror(errno), "%.300s cannot be written", path);
  if (good) dv_view_put_text(answer, "file", path);
  dv_free(path);
  return answer;
}

// --- curves --------------------------------------------------------------------------------------

// fields of which there are curves
json_t *dv_do_tracks(dvRequest *r)
{
  dvSession *s = r->session;
  dvText unused = {0};
  if (!s->player) return nothing_to_play();
  dvRecording *file = s->player->file[0];
  json_t *list = json_array(), *row;
  size_t i;
  if (dv_recording_go(file, s->player->frame, &unused))
    json_array_foreach(json_object_get(dv_recording_layout(file), "tracks"), i, row)
    {
      const dvRecordedArray *a = dv_recording_array(file, (uint32_t)i, true);
      json_t *copy = json_deep_copy(row);
      json_object_set_new(copy, "count", json_integer(a ? a->count : 0));
      json_array_append_new(list, copy);
    }
  dv_text_free(&unused);
  json_t *answer = dv_view_ok();
  json_object_set_new(answer, "tracks", list);
  return answer;
}

static double value_of(const dvRecording *file, const json_t *item)
{
  const char *path = json_string_value(json_object_get(item, "path")),
             *field = json_string_value(json_object_get(item, "field"));
  json_int_t index = json_integer_value(json_object_get(item, "index"));
  int track = path && field ? dv_recording_track(file, path, field) : -1;
  const dvRecordedArray *a = track >= 0 ? dv_recording_array(file, (uint32_t)track, true) : NULL;
  return a && index >= 0 && index < (json_int_t)a->count ? ((const double *)a->data)[index] : NAN;
}

// times and values of a recording; of a very long one each so many frames
static json_t *curves_of(dvRecording *file, const json_t *items)
{
  size_t frames = dv_recording_frames(file), by = frames / POINTS + 1, n = json_array_size(items);
  json_t *times = json_array(), *values = json_array();
  for (size_t k = 0; k < n; k++) json_array_append_new(values, json_array());
  for (size_t f = 0; f < frames; f += by) {
    dvText unused = {0};
    bool good = dv_recording_go(file, f, &unused);
    json_array_append_new(times, json_real(dv_recording_time(file, f)));
    for (size_t k = 0; k < n; k++) {
      double v = good ? value_of(file, json_array_get(items, k)) : NAN;
      json_array_append_new(json_array_get(values, k), isfinite(v) ? json_real(v) : json_null());
    }
    dv_text_free(&unused);
  }
  return json_pack("{s:o, s:o}", "time", times, "values", values);
}

json_t *dv_do_curves(dvRequest *r)
{
  dvSession *s = r->session;
  json_t *items = json_object_get(r->body, "items"), *files = json_array(), *answer = dv_view_ok();
  json_object_set_new(answer, "files", files);
  if (!s->player || !json_is_array(items) || json_array_size(items) > CURVES) {
    json_decref(answer);
    return s->player ? dv_view_error(NULL, "items is a list of at most %d fields", CURVES) : nothing_to_play();
  }
  for (int k = 0; k < 2; k++)
    if (s->player->file[k]) json_array_append_new(files, curves_of(s->player->file[k], items));
  return answer;
}

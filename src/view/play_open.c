// Files that a session plays: recordings, and SOFA's files of states, which become recordings. See play.h.
#include "view/play.h"

#include "base/file.h"
#include "io/record/frames.h"
#include "mechanics/mechanics.h"
#include "scene/plan.h"

#include <math.h>
#include <stdlib.h>

static void tell(dvSession *s, dvLevel level, const char *file, const char *text, const char *advice)
{
  dv_session_note(
      s,
      &(dvMessage){
          .level = level, .status = DV_ERROR_INPUT, .place = {.file = file}, .text = (char *)text, .advice = advice});
}

// --- the scene of a recording --------------------------------------------------------------------

// where it was, or beside the recording
static char *find_scene(const dvRecording *r, const char *path)
{
  const char *scene = json_string_value(json_object_get(dv_recording_head(r), "scene"));
  if (!scene || !*scene) return NULL;
  char *directory = dv_path_directory(path), *beside = dv_path_join(directory, dv_path_name(scene)), *found = NULL;
  if (dv_file_is_regular(scene)) found = dv_strdup(scene);
  else if (dv_file_is_regular(beside)) found = dv_strdup(beside);
  dv_free(directory), dv_free(beside);
  return found;
}

static void compare_scene(dvSession *s, const dvRecording *r, const char *scene)
{
  size_t length;
  char *text = dv_file_read(scene, &length);
  char *sum = dv_format("%016llx", (unsigned long long)(text ? dv_hash_bytes(text, length, 0) : 0));
  if (!dv_same(sum, json_string_value(json_object_get(dv_recording_head(r), "checksum"))))
    tell(s, DV_WARNING, scene, "the scene has changed since it was recorded",
         "the recording shows how it was; the simulation may go on in another way");
  dv_free(sum), dv_free(text);
}

char *dv_play_begin(dvSession *s, const char *path)
{
  dvText why = {0};
  dvRecording *r = dv_recording_open(path, &why);
  if (!r) tell(s, DV_ERROR, path, why.text ? why.text : "it cannot be read", NULL);
  else if (why.length) tell(s, DV_WARNING, path, why.text, "what is there can be played");
  dv_text_free(&why);
  if (!r) return NULL;
  dv_play_take(s, r, dv_path_name(path));
  dv_play_show(s, 0);
  char *scene = find_scene(r, path);
  if (scene) compare_scene(s, r, scene);
  else
    tell(s, DV_WARNING, path, "the scene that was recorded is not there: the simulation cannot go on from it",
         "put the scene beside the recording");
  return scene;
}

// --- SOFA's states -------------------------------------------------------------------------------

static const char *const words[] = {"X=", "V=", NULL};

static size_t count_numbers(const char *line)
{
  size_t n = 0;
  double unused;
  while (line && dv_scan_real(&line, &unused)) n++;
  return n;
}

// the first state that has as many numbers as the file
static dvState *state_for(dvSession *s, size_t numbers)
{
  const dvPlan *p = s->scene->plan;
  for (size_t i = 0; i < p->independent.count; i++) {
    dvState *state = dv_state(p->independent.data[i]);
    if (numbers && dv_state_scalars(state, DV_X) == numbers) return state;
  }
  return NULL;
}

static bool take_vector(dvState *state, int id, const char *line)
{
  size_t n = dv_state_scalars(state, id), i = 0;
  double *values = dv_alloc((n + 1) * sizeof *values);
  while (line && i < n && dv_scan_real(&line, &values[i]) && isfinite(values[i])) i++;
  if (i == n && n) memcpy(dv_state_write(state, id), values, n * sizeof *values), dv_state_touch(state, id);
  dv_free(values);
  return i == n;
}

// each frame of the file is put into the state, mappings follow, and the picture is recorded
static size_t record_states(dvSession *s, dvFrameReader *reader, dvState *state, dvRecorder *recorder)
{
  size_t frames = 0;
  dvFrame frame;
  const dvLoopOps *loop = dv_ops(s->scene->loop, DV_ROLE_LOOP);
  reader->at = 0, reader->next_time = 0, reader->loop_time = 0;
  while (dv_frame_reader_seek(reader, reader->next_time, false, words, &frame)) {
    // the line before the first word of the frame has its moment; the reader stands at that of the next one
    double time = frames ? s->scene->root->time : 0;
    const char *above = frame.first;
    for (int lines = 0; lines < 8 && above > reader->text; lines++) {
      const char *line = above - 1;
      while (line > reader->text && line[-1]) line--;
      const char *cursor = line;
      while (dv_is_space(*cursor)) cursor++;
      if (dv_starts_with(cursor, "T=")) {
        cursor += 2;
        dv_scan_real(&cursor, &time);
        break;
      }
      above = line;
    }
    if (!isfinite(time) || (frames && time < s->scene->root->time)) break;
    if (!take_vector(state, DV_X, frame.line[0])) break;
    if (frame.line[1]) take_vector(state, DV_V, frame.line[1]);
    s->scene->root->time = time;
    dv_scene_update_context(s->scene);
    if (loop->start) loop->start(s->scene->loop);
    if (!dv_recorder_add(recorder)) break;
    frames++;
    if (reader->at >= reader->length) break;
  }
  return frames;
}

static json_t *open_states(dvSession *s, const char *path)
{
  if (!s->ready) return dv_view_error(NULL, "the states of %.200s have no scene to move", dv_path_name(path));
  const dvPlan *p = s->scene->plan;
  if (!p->independent.count) return dv_view_error(NULL, "the scene has no state that could be moved");
  dvFrameReader reader = {0};
  size_t length;
  char *bytes = dv_file_read(path, &length);
  if (!bytes) return dv_view_error(dv_file_why(), "%.200s cannot be read", dv_path_name(path));
  if (!dv_frame_reader_take(&reader, bytes, length))
    return dv_view_error(NULL, "%.200s is damaged", dv_path_name(path));
  dvFrame first = {0};
  dv_frame_reader_seek(&reader, 0, false, words, &first);
  while (!first.line[0] && reader.at < reader.length && isfinite(reader.next_time) &&
         dv_frame_reader_seek(&reader, reader.next_time, false, words, &first))
    continue;
  size_t numbers = count_numbers(first.line[0]), frames = 0;
  dvState *state = state_for(s, numbers);
  dvText why = {0};
  dvRecorder *recorder =
      state ? dv_recorder_create(s->scene, &(dvRecorderOptions){.scene = s->file, .plain = true}, &why) : NULL;
  if (recorder) frames = record_states(s, &reader, state, recorder);
  dvRecording *r = recorder ? dv_recorder_turn(&recorder, &why) : NULL;
  dv_frame_reader_close(&reader);
  dv_scene_reset(s->scene);
  json_t *answer = NULL;
  if (!numbers) answer = dv_view_error("files of WriteState have lines T= and X=", "there are no positions in it");
  else if (!state) answer = dv_view_error(NULL, "no state of the scene has the %zu numbers of its positions", numbers);
  else if (!r || !frames) answer = dv_view_error(NULL, "%s", why.text ? why.text : "no frame of it is whole");
  if (!answer) dv_play_take(s, r, dv_path_name(path)), dv_play_show(s, 0);
  else dv_recording_free(&r);
  dv_text_free(&why);
  return answer ? answer : dv_view_ok();
}

json_t *dv_play_add(dvSession *s, const char *path)
{
  if (!dv_ends_with_nocase(path, ".divr")) return open_states(s, path);
  dvText why = {0};
  dvRecording *r = dv_recording_open(path, &why);
  json_t *answer = r ? dv_view_ok() : dv_view_error(NULL, "%.200s: %s", dv_path_name(path), why.text ? why.text : "");
  if (r && why.length) tell(s, DV_WARNING, path, why.text, "what is there can be played");
  dv_text_free(&why);
  if (!r) return answer;
  if (s->player && s->player->file[0]) dv_play_take_second(s, r, dv_path_name(path)), dv_play_show(s, 0);
  else dv_play_take(s, r, dv_path_name(path)), dv_play_show(s, 0);
  return answer;
}

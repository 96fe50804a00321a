// Recordings: what is written is what is read, up to the last whole frame; recording changes nothing; the simulation
// goes on from any frame with the same bits.
#include "support/check.h"

#include "base/file.h"
#include "io/scene/scene_file.h"
#include "mechanics/mechanics.h"
#include "view/play.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static char folder[] = "/tmp/divan-recording-XXXXXX";

static char *place(const char *name) { return dv_path_join(folder, name); }

typedef struct Run {
  dvContext *context;
  dvScene *scene;
} Run;

static Run open_scene(const char *name)
{
  char *path = dv_path_join(DIVAN_SOURCE_DIR "/scenes", name);
  Run r = {.context = dv_divan_create(1)};
  assert_int_equal(dv_scene_read(r.context, path, &r.scene), DV_OK);
  assert_int_equal(dv_scene_init(r.scene), DV_OK);
  dv_free(path);
  return r;
}

static void close_scene(Run *r)
{
  dv_scene_destroy(&r->scene);
  dv_divan_destroy(&r->context);
}

// records so many steps and returns the hash of the scene after them
static uint64_t record_as(const char *scene, const char *path, int steps, const char *field, bool loose)
{
  Run r = open_scene(scene);
  dvText why = {0};
  char *file = dv_path_join(DIVAN_SOURCE_DIR "/scenes", scene);
  dvRecorder *rec = dv_recorder_create(
      r.scene,
      &(dvRecorderOptions){.path = path, .scene = file, .fields = &field, .field_count = field ? 1 : 0, .loose = loose},
      &why);
  if (!rec) fail_msg("%s", why.text);
  assert_true(dv_recorder_add(rec));
  for (int i = 0; i < steps; i++) {
    assert_int_equal(dv_scene_step(r.scene, 0), DV_OK);
    assert_true(dv_recorder_add(rec));
  }
  assert_int_equal(dv_recorder_frames(rec), (size_t)steps + 1);
  assert_true(dv_recorder_close(&rec));
  uint64_t hash = dv_scene_hash(r.scene);
  dv_free(file);
  dv_text_free(&why);
  close_scene(&r);
  return hash;
}

static uint64_t record(const char *scene, const char *path, int steps, const char *field)
{
  return record_as(scene, path, steps, field, false);
}

static uint64_t plain_hash(const char *scene, int steps)
{
  Run r = open_scene(scene);
  for (int i = 0; i < steps; i++) assert_int_equal(dv_scene_step(r.scene, 0), DV_OK);
  uint64_t hash = dv_scene_hash(r.scene);
  close_scene(&r);
  return hash;
}

static const dvState *first_state(const dvScene *s) { return dv_state(s->plan->independent.data[0]); }

// --- the container -------------------------------------------------------------------------------

static void chunks_are_read_back(void **state)
{
  (void)state;
  char *path = place("chunks.divr");
  dvDivrWriter *w = dv_divr_create(path);
  assert_non_null(w);
  unsigned char noise[10007];
  for (size_t i = 0; i < sizeof noise; i++) noise[i] = (unsigned char)((i * 2654435761u) >> 13);
  double ramp[500];
  for (size_t i = 0; i < 500; i++) ramp[i] = 1 + 1e-3 * (double)i;
  dvChunk a = {.kind = DV_CHUNK_HEAD}, b = {.kind = DV_CHUNK_FRAME, .step = 3, .time = 0.25},
          c = {.kind = DV_CHUNK_FRAME, .step = 4, .time = 0.5}, d = {.kind = DV_CHUNK_FRAME, .step = 5, .time = 0.75};
  assert_true(dv_divr_add(w, &a, "{}", 2));
  assert_true(dv_divr_add(w, &b, noise, sizeof noise));
  c.base = b.at;
  assert_true(dv_divr_add(w, &c, ramp, sizeof ramp));
  assert_true(dv_divr_add(w, &d, "", 0));
  assert_true(dv_divr_close(&w));
  dvText why = {0};
  dvDivr *r = dv_divr_open(path, &why);
  assert_non_null(r);
  assert_int_equal(why.length, 0);
  assert_int_equal(dv_divr_count(r), 4);
  size_t length;
  char *bytes = dv_divr_read(r, dv_divr_chunk(r, 1), &length, &why);
  assert_int_equal(length, sizeof noise);
  assert_memory_equal(bytes, noise, sizeof noise);
  dv_free(bytes);
  assert_int_equal(dv_divr_chunk(r, 2)->base, b.at);
  assert_int_equal(dv_divr_chunk(r, 2)->step, 4);
  check_close(dv_divr_chunk(r, 2)->time, 0.5, 0);
  assert_ptr_equal(dv_divr_at(r, b.at), dv_divr_chunk(r, 1));
  assert_null(dv_divr_at(r, b.at + 1));
  bytes = dv_divr_read(r, dv_divr_chunk(r, 2), &length, &why);
  assert_int_equal(length, sizeof ramp);
  assert_memory_equal(bytes, ramp, sizeof ramp);
  dv_free(bytes);
  bytes = dv_divr_read(r, dv_divr_chunk(r, 3), &length, &why);
  assert_non_null(bytes);
  assert_int_equal(length, 0);
  dv_free(bytes);
  dv_divr_free(&r);
  dv_text_free(&why);
  dv_free(path);
}

// --- frames --------------------------------------------------------------------------------------

static void recording_changes_nothing(void **state)
{
  (void)state;
  const char *scenes[] = {"liver.scn", "resection.scn"};
  for (size_t i = 0; i < DV_COUNT(scenes); i++) {
    char *path = place("same.divr");
    assert_int_equal(record(scenes[i], path, 12, NULL), plain_hash(scenes[i], 12));
    dv_free(path);
  }
}

// each frame has the positions and velocities that the scene had, to the bit, read in any order
static void frames_are_what_was(void **state)
{
  (void)state;
  enum { STEPS = 60 };
  char *path = place("liver.divr");
  record("liver.scn", path, STEPS, "/Liver/dofs.force");
  Run r = open_scene("liver.scn");
  dvText why = {0};
  dvRecording *rec = dv_recording_open(path, &why);
  if (!rec || why.length) fail_msg("%s", why.text);
  assert_int_equal(dv_recording_frames(rec), STEPS + 1);
  const dvState *s = first_state(r.scene);
  char *name = dv_object_path(&s->base);
  for (int i = 0; i <= STEPS; i++) {
    if (i) assert_int_equal(dv_scene_step(r.scene, 0), DV_OK);
    assert_true(dv_recording_go(rec, (size_t)((i * 37) % (STEPS + 1)), &why));   // somewhere else first
    assert_true(dv_recording_go(rec, (size_t)i, &why));
    check_close(dv_recording_time(rec, (size_t)i), r.scene->root->time, 0);
    assert_int_equal(dv_recording_step(rec, (size_t)i), r.scene->step);
    double difference;
    assert_true(dv_recording_agrees(rec, r.scene, &difference));
    check_close(difference, 0, 0);
    int track = dv_recording_track(rec, name, "position");
    assert_true(track >= 0);
    const dvRecordedArray *x = dv_recording_array(rec, (uint32_t)track, true);
    assert_int_equal(x->count, dv_state_scalars(s, DV_X));
    assert_memory_equal(x->data, dv_state_read(s, DV_X), x->count * sizeof(double));
  }
  assert_true(dv_recording_track(rec, "/Liver/dofs", "force") >= 0);
  assert_int_equal(dv_recording_track(rec, "/Liver/dofs", "nothing"), -1);
  double middle = 0.5 * (dv_recording_time(rec, 20) + dv_recording_time(rec, 21));
  assert_int_equal(dv_recording_frame_at(rec, middle), 20);
  assert_int_equal(dv_recording_frame_at(rec, -1), 0);
  assert_int_equal(dv_recording_frame_at(rec, 1e9), STEPS);
  dv_free(name);
  dv_recording_free(&rec);
  close_scene(&r);
  dv_text_free(&why);
  dv_free(path);
}

static void a_field_that_is_not_there_is_told(void **state)
{
  (void)state;
  Run r = open_scene("liver.scn");
  dvText why = {0};
  const char *field = "/Liver/dofs.nothing";
  assert_null(dv_recorder_create(r.scene, &(dvRecorderOptions){.fields = &field, .field_count = 1}, &why));
  assert_non_null(strstr(why.text, "/Liver/dofs.nothing"));
  dv_text_free(&why);
  close_scene(&r);
}

// --- files that are cut off or damaged -----------------------------------------------------------

static char *read_whole(const char *path, size_t *length)
{
  char *bytes = dv_file_read(path, length);
  assert_non_null(bytes);
  return bytes;
}

static void write_part(const char *path, const char *bytes, size_t length)
{
  FILE *f = fopen(path, "wb");
  assert_non_null(f);
  assert_int_equal(fwrite(bytes, 1, length, f), length);
  fclose(f);
}

static void a_cut_file_plays_up_to_its_last_frame(void **state)
{
  (void)state;
  char *path = place("cut.divr"), *part = place("part.divr");
  record("FreeRigidBody.scn", path, 40, NULL);
  size_t length, least = SIZE_MAX, most = 0;
  char *bytes = read_whole(path, &length);
  for (int i = 1; i <= 40; i++) {
    write_part(part, bytes, length * (size_t)i / 40 - (i == 40));
    dvText why = {0};
    dvRecording *r = dv_recording_open(part, &why);
    assert_true(why.length > 0);
    if (!r) {
      dv_text_free(&why);
      continue;
    }
    size_t frames = dv_recording_frames(r);
    assert_true(frames >= 1 && frames <= 41);
    assert_true(frames >= most);   // more of the file, no fewer frames
    least = dv_min_size(least, frames), most = frames;
    dv_text_clear(&why);
    for (size_t f = 0; f < frames; f++)
      if (!dv_recording_go(r, f, &why)) fail_msg("frame %zu of %zu: %s", f, frames, why.text);
    dv_recording_free(&r);
    dv_text_free(&why);
  }
  assert_int_equal(most, 41);   // only the index is lost
  assert_true(least < 10);
  dv_free(bytes), dv_free(path), dv_free(part);
}

// any byte may be wrong: frames that can still be read are whole, others are refused with a reason
static void a_damaged_file_is_told(void **state)
{
  (void)state;
  char *path = place("whole.divr"), *bad = place("bad.divr");
  record("FreeRigidBody.scn", path, 8, NULL);
  size_t length, refused = 0;
  char *bytes = read_whole(path, &length);
  for (size_t at = 0; at < length; at += 1 + length / 400) {
    bytes[at] ^= 0x41;
    write_part(bad, bytes, length);
    bytes[at] ^= 0x41;
    dvText why = {0};
    dvRecording *r = dv_recording_open(bad, &why);
    for (size_t f = 0; r && f < dv_recording_frames(r); f++)
      if (!dv_recording_go(r, f, &why)) refused++, assert_true(why.length > 0);
    if (!r) refused++, assert_true(why.length > 0);
    dv_recording_free(&r);
    dv_text_free(&why);
  }
  assert_true(refused > 0);
  // another version, another file, none
  static const struct {
    const char *text, *wanted;
  } others[] = {
      {"DIVANREC\x09\0\0\0\0\0\0\0", "has format 9"}, {"hello, this is a text", "no recording"}, {"", "no recording"}};
  for (size_t i = 0; i < DV_COUNT(others); i++) {
    write_part(bad, others[i].text, i == 0 ? 16 : strlen(others[i].text));
    dvText why = {0};
    assert_null(dv_recording_open(bad, &why));
    if (!strstr(why.text, others[i].wanted)) fail_msg("%s", why.text);
    dv_text_free(&why);
  }
  dvText why = {0};
  assert_null(dv_recording_open("/nowhere/at.divr", &why));
  assert_true(why.length > 0);
  dv_text_free(&why);
  dv_free(bytes), dv_free(path), dv_free(bad);
}

typedef struct Page {
  dvSession *session;
  dvViewer viewer;
} Page;

static void open_page(Page *p, const char *scene, const char *second)
{
  *p = (Page){.session = dv_session_create(&(dvSessionOptions){.scene = scene, .second = second, .threads = 1})};
  assert_true(dv_session_join(p->session, &p->viewer));
}

static void close_page(Page *p)
{
  dv_session_leave(p->session, &p->viewer);
  dv_session_destroy(&p->session);
}

// the same with checksums that were made right: what lies behind them is refused with a reason, or shown
static void a_hostile_file_is_survived(void **state)
{
  (void)state;
  char *path = place("kind.divr"), *bad = place("hostile.divr"), *out = place("hostile.glb");
  record_as("FreeRigidBody.scn", path, 6, NULL, true);   // what is packed hides what lies behind it
  Page p;
  open_page(&p, DIVAN_SOURCE_DIR "/scenes/FreeRigidBody.scn", NULL);
  size_t length, refused = 0, shown = 0;
  char *bytes = read_whole(path, &length), *copy = dv_alloc(length);
  uint64_t dice = 1;
  for (int round = 0; round < 600; round++) {
    memcpy(copy, bytes, length);
    for (int k = 0; k < 1 + round % 4; k++) {
      dice = dice * 6364136223846793005u + 1442695040888963407u;
      copy[16 + (dice >> 20) % (length - 16)] = (char)(dice >> 55);
    }
    dv_divr_mend(copy, length);
    write_part(bad, copy, length);
    dvText why = {0};
    dvExportReport report;
    dvRecording *r = dv_recording_open(bad, &why);
    for (size_t f = 0; r && f < dv_recording_frames(r); f++) {
      dv_text_clear(&why);
      if (dv_recording_go(r, f, &why)) shown++;
      else refused++, assert_true(why.length > 0);
    }
    if (!r) refused++, assert_true(why.length > 0);
    if (r && round % 10 == 0) dv_recording_export(r, out, &report, &why);
    if (r) {
      size_t frames = dv_recording_frames(r);
      dv_play_take(p.session, r, "hostile");
      for (size_t f = 0; f < frames; f++) {
        dv_play_show(p.session, (double)f);
        json_t *seen = dv_play_scene(p.session);
        dv_view_name_pictures(p.session, seen);
        json_decref(seen);
      }
      dv_play_close(p.session);
    }
    dv_text_free(&why);
  }
  assert_true(refused > 100 && shown > 100);
  close_page(&p);
  dv_free(bytes), dv_free(copy), dv_free(path), dv_free(bad), dv_free(out);
}

// --- going on ------------------------------------------------------------------------------------

static json_t *ask(Page *p, const char *request, const char *error)
{
  dvText reply = {0};
  dv_session_handle(p->session, &p->viewer, request, strlen(request), &reply);
  json_t *a = reply.length ? json_loads(reply.text, 0, NULL) : NULL;
  dv_text_free(&reply);
  assert_non_null(a);
  const char *text = json_string_value(json_object_get(a, "error"));
  if (error ? !text || !strstr(text, error) : text != NULL)
    fail_msg("%s: '%s', expected '%s'", request, text ? text : "", error ? error : "");
  return a;
}

static void tell(Page *p, const char *request, const char *error) { json_decref(ask(p, request, error)); }

static void step(Page *p, int count)
{
  char *request = dv_format("{\"do\":\"step\",\"count\":%d}", count);
  tell(p, request, NULL);
  dv_free(request);
  long wanted = p->session->scene->step + count;
  while (p->session->scene->step < wanted) dv_session_advance(p->session);
}

// the scene of the session, from a frame on, ends where a run without a stop does
static void goes_on_from_any_frame(void **state)
{
  (void)state;
  static const struct {
    const char *scene;
    int steps;
  } runs[] = {{"liver.scn", 60}, {"resection.scn", 30}};
  for (size_t k = 0; k < DV_COUNT(runs); k++) {
    char *path = place("resume.divr");
    uint64_t wanted = record(runs[k].scene, path, runs[k].steps, NULL);
    Page p;
    open_page(&p, path, NULL);
    assert_true(dv_session_ready(p.session));
    tell(&p, "{\"do\":\"hello\"}", NULL);
    assert_true(dv_play_on(p.session));
    const int frames[] = {runs[k].steps - 3, 0, 7, runs[k].steps, runs[k].steps / 2};
    for (size_t i = 0; i < DV_COUNT(frames); i++) {
      char *request = dv_format("{\"do\":\"resume\",\"frame\":%d}", frames[i]);
      json_t *a = ask(&p, request, NULL);
      assert_true(json_is_true(json_object_get(a, "same")));
      assert_false(dv_play_on(p.session));
      assert_int_equal(p.session->scene->step, frames[i]);
      if (frames[i] < runs[k].steps) step(&p, runs[k].steps - frames[i]);
      assert_int_equal(dv_scene_hash(p.session->scene), wanted);
      json_decref(a);
      dv_free(request);
    }
    tell(&p, "{\"do\":\"resume\",\"frame\":100000}", "no such frame");
    close_page(&p);
    dv_free(path);
  }
}

// --- the session ---------------------------------------------------------------------------------

// the array of positions of the first drawable that the page shows
static size_t drawn(Page *p, float *out, size_t most)
{
  p->viewer.acked = p->viewer.frame;
  dvText frame = {0};
  json_t *scene = ask(p, "{\"do\":\"scene\"}", NULL);
  json_int_t id = -1;
  json_t *row;
  size_t i;
  json_array_foreach(json_object_get(scene, "drawables"), i,
                     row) if (id < 0 && dv_same(json_string_value(json_object_get(row, "group")), "visual")) id =
      json_integer_value(json_object_get(row, "positions"));
  json_decref(scene);
  assert_true(id >= 0);
  for (int tries = 0; tries < 200 && !dv_session_frame(p->session, &p->viewer, &frame); tries++) {
    dv_session_advance(p->session);
    usleep(2000);
  }
  const dvDrawArray *a = &p->session->draw.arrays.data[id];
  size_t n = dv_min_size(a->count, most);
  memcpy(out, a->data, n * sizeof *out);
  dv_text_free(&frame);
  return n;
}

static void a_session_records_and_plays(void **state)
{
  (void)state;
  enum { MOST = 3000 };
  static float live[5][MOST], played[MOST];
  Page p;
  open_page(&p, DIVAN_SOURCE_DIR "/scenes/liver.scn", NULL);
  tell(&p, "{\"do\":\"hello\"}", NULL);
  tell(&p, "{\"do\":\"play\",\"frame\":0}", "no recording");
  tell(&p, "{\"do\":\"curves\",\"items\":[]}", "no recording");
  tell(&p, "{\"do\":\"record\",\"on\":true}", NULL);
  size_t n = 0;
  for (int i = 0; i < 5; i++) {
    n = drawn(&p, live[i], MOST);
    assert_true(n > 30);
    step(&p, 1);
  }
  tell(&p, "{\"do\":\"record\",\"on\":false}", NULL);
  assert_null(p.session->recorder);
  assert_int_equal(dv_recording_frames(p.session->player->file[0]), 6);
  const int order[] = {3, 0, 4, 1, 2, 4};
  for (size_t i = 0; i < DV_COUNT(order); i++) {
    char *request = dv_format("{\"do\":\"play\",\"frame\":%d}", order[i]);
    tell(&p, request, NULL);
    dv_free(request);
    assert_int_equal(drawn(&p, played, MOST), n);
    assert_memory_equal(played, live[order[i]], n * sizeof(float));
  }
  tell(&p, "{\"do\":\"set\",\"path\":\"/\",\"field\":\"dt\",\"text\":\"1\"}", "a recording is shown");
  json_t *a = ask(&p,
                  "{\"do\":\"curves\",\"items\":[{\"path\":\"/\",\"field\":\"kinetic energy\",\"index\":0},"
                  "{\"path\":\"/Liver/dofs\",\"field\":\"position\",\"index\":1}]}",
                  NULL);
  json_t *file = json_array_get(json_object_get(a, "files"), 0);
  assert_int_equal(json_array_size(json_object_get(file, "time")), 6);
  check_close(json_number_value(json_array_get(json_array_get(json_object_get(file, "values"), 0), 0)), 0, 1e-12);
  assert_true(json_number_value(json_array_get(json_array_get(json_object_get(file, "values"), 0), 5)) > 0);
  json_decref(a);
  tell(&p, "{\"do\":\"play\",\"on\":false}", NULL);   // back to the scene, which stands where it was
  assert_int_equal(p.session->scene->step, 5);
  step(&p, 1);
  // a reset ends a recording; so does another scene
  tell(&p, "{\"do\":\"record\",\"on\":true}", NULL);
  step(&p, 2);
  tell(&p, "{\"do\":\"reset\"}", NULL);
  step(&p, 1);
  assert_null(p.session->recorder);
  assert_non_null(p.session->player);
  close_page(&p);
}

// forward, backward, round and round: where it is follows the clock, and it stops at the ends
static void it_plays_by_the_clock(void **state)
{
  (void)state;
  char *path = place("clock.divr");
  record("FreeRigidBody.scn", path, 20, NULL);
  Page p;
  open_page(&p, path, NULL);
  dvPlayer *player = p.session->player;
  double from = dv_recording_time(player->file[0], 0), to = dv_recording_time(player->file[0], 20);
  tell(&p, "{\"do\":\"hello\"}", NULL);
  tell(&p, "{\"do\":\"play\",\"playing\":true,\"speed\":1}", NULL);
  double wall = player->pace_wall;
  dv_play_advance(p.session, wall + 0.52 * (to - from));   // between two frames: a clock is not exact
  check_close(dv_play_time(p.session),
              dv_recording_time(player->file[0], dv_recording_frame_at(player->file[0], from + 0.52 * (to - from))),
              1e-12);
  dv_play_advance(p.session, wall + 2 * (to - from));
  assert_int_equal(player->frame, 20);
  assert_false(player->playing);
  tell(&p, "{\"do\":\"play\",\"playing\":true,\"speed\":-2}", NULL);
  wall = player->pace_wall;
  dv_play_advance(p.session, wall + 0.25 * (to - from));
  assert_in_range(player->frame, 9, 11);
  dv_play_advance(p.session, wall + (to - from));
  assert_int_equal(player->frame, 0);
  assert_false(player->playing);
  tell(&p, "{\"do\":\"play\",\"playing\":true,\"speed\":1,\"loop\":true}", NULL);
  dv_play_advance(p.session, player->pace_wall + 1.01 * (to - from));
  assert_true(player->playing);
  assert_int_equal(player->frame, 0);
  tell(&p, "{\"do\":\"play\",\"speed\":0}", "the speed is between");
  close_page(&p);
  dv_free(path);
}

// a recording whose scene is gone plays; the simulation does not go on
static void it_plays_without_its_scene(void **state)
{
  (void)state;
  char *scene = place("gone.scn"), *path = place("gone.divr");
  const char text[] = "<Node dt='0.01'><DefaultAnimationLoop/><EulerExplicitSolver/><MechanicalObject name='mo' "
                      "position='0 0 0  1 0 0' showObject='1'/><UniformMass totalMass='1'/></Node>";
  write_part(scene, text, sizeof text - 1);
  Run r = {.context = dv_divan_create(1)};
  assert_int_equal(dv_scene_read(r.context, scene, &r.scene), DV_OK);
  assert_int_equal(dv_scene_init(r.scene), DV_OK);
  dvText why = {0};
  dvRecorder *rec = dv_recorder_create(r.scene, &(dvRecorderOptions){.path = path, .scene = scene}, &why);
  for (int i = 0; i < 5; i++) assert_true(dv_recorder_add(rec) && dv_scene_step(r.scene, 0) == DV_OK);
  assert_true(dv_recorder_close(&rec));
  close_scene(&r);
  remove(scene);
  Page p;
  open_page(&p, path, NULL);
  assert_false(dv_session_ready(p.session));
  tell(&p, "{\"do\":\"hello\"}", NULL);
  tell(&p, "{\"do\":\"play\",\"frame\":3}", NULL);
  float x[6];
  assert_int_equal(drawn(&p, x, 6), 6);
  assert_true(x[1] < 0);
  tell(&p, "{\"do\":\"resume\",\"frame\":3}", "cannot go on from here");
  close_page(&p);
  dv_text_free(&why);
  dv_free(scene), dv_free(path);
}

// --- two recordings, and states of SOFA ----------------------------------------------------------

static const json_t *drawable_with(const json_t *scene, const char *label)
{
  size_t i;
  json_t *row;
  json_array_foreach(json_object_get(scene, "drawables"), i,
                     row) if (dv_same(json_string_value(json_object_get(row, "label")), label)) return row;
  return NULL;
}

static void two_recordings_are_compared(void **state)
{
  (void)state;
  char *one = place("one.divr"), *two = place("two.divr");
  record("liver.scn", one, 10, NULL);
  record("liver.scn", two, 4, NULL);   // stays where it is from frame 4 on
  Page p;
  open_page(&p, one, two);
  tell(&p, "{\"do\":\"hello\"}", NULL);
  for (int frame = 4; frame <= 10; frame += 6) {
    char *request = dv_format("{\"do\":\"play\",\"frame\":%d,\"together\":\"over\"}", frame);
    tell(&p, request, NULL);
    dv_free(request);
    json_t *scene = ask(&p, "{\"do\":\"scene\"}", NULL);
    const json_t *d = drawable_with(scene, "distance (m)");
    assert_non_null(d);
    const dvDrawArray *values = &p.session->draw.arrays.data[json_integer_value(json_object_get(d, "values"))],
                      *positions = &p.session->draw.arrays.data[json_integer_value(json_object_get(d, "positions"))];
    assert_int_equal(values->count, positions->count / 3);
    double most = 0;
    for (size_t i = 0; i < values->count; i++) most = dv_max(most, (double)((const float *)values->data)[i]);
    if (frame == 4) check_close(most, 0, 0);
    else assert_true(most > 1e-6);
    json_decref(scene);
  }
  tell(&p, "{\"do\":\"play\",\"together\":\"beside\"}", NULL);
  json_t *scene = ask(&p, "{\"do\":\"scene\"}", NULL);
  assert_true(p.session->player->aside > 0);
  json_decref(scene);
  close_page(&p);
  dv_free(one), dv_free(two);
}

static void states_of_sofa_are_played(void **state)
{
  (void)state;
  char *file = place("states.txt");
  const char text[] =
      "T= 0\n  X0= 0 0 0 1 0 0\n  X= 0 0 0 1 0 0\n  V= 0 0 0 0 0 0\nT= 0.5\n  X= 0 2 0 1 2 0\nT= 1\n  X= "
      "0 3 0 1 3 0\n";
  write_part(file, text, sizeof text - 1);
  char *scene = place("two.scn");
  const char two[] = "<Node dt='0.01'><DefaultAnimationLoop/><EulerExplicitSolver/><MechanicalObject name='mo' "
                     "position='5 0 0  6 0 0' showObject='1'/><UniformMass totalMass='1'/></Node>";
  write_part(scene, two, sizeof two - 1);
  Page p;
  open_page(&p, scene, file);
  tell(&p, "{\"do\":\"hello\"}", NULL);
  assert_non_null(p.session->player);
  assert_int_equal(dv_recording_frames(p.session->player->file[0]), 3);
  check_close(dv_recording_time(p.session->player->file[0], 1), 0.5, 0);
  check_close(dv_recording_time(p.session->player->file[0], 2), 1, 0);
  const float wanted[3] = {0, 2, 3};
  for (int i = 0; i < 3; i++) {
    char *request = dv_format("{\"do\":\"play\",\"frame\":%d}", i);
    tell(&p, request, NULL);
    dv_free(request);
    float x[6];
    assert_int_equal(drawn(&p, x, 6), 6);
    assert_true(x[1] == wanted[i] && x[3] == 1 && x[4] == wanted[i]);
  }
  tell(&p, "{\"do\":\"resume\",\"frame\":1}", "cannot go on");
  tell(&p, "{\"do\":\"play\",\"on\":false}", NULL);
  check_close(dv_state_read(first_state(p.session->scene), DV_X)[0], 5, 0);   // the scene itself was not moved
  close_page(&p);
  const char other[] = "T= 0\n  X= 0 0 0\n";
  write_part(file, other, sizeof other - 1);
  open_page(&p, scene, file);
  assert_null(p.session->player);
  bool told = false;
  for (size_t i = 0; i < p.session->news.count; i++)
    told |= strstr(p.session->news.data[i].text, "no state of the scene has the 3 numbers") != NULL;
  assert_true(told);
  close_page(&p);
  dv_free(file), dv_free(scene);
}

int main(void)
{
  if (!mkdtemp(folder)) return 1;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(chunks_are_read_back),
      cmocka_unit_test(recording_changes_nothing),
      cmocka_unit_test(frames_are_what_was),
      cmocka_unit_test(a_field_that_is_not_there_is_told),
      cmocka_unit_test(a_cut_file_plays_up_to_its_last_frame),
      cmocka_unit_test(a_damaged_file_is_told),
      cmocka_unit_test(a_hostile_file_is_survived),
      cmocka_unit_test(goes_on_from_any_frame),
      cmocka_unit_test(a_session_records_and_plays),
      cmocka_unit_test(it_plays_by_the_clock),
      cmocka_unit_test(it_plays_without_its_scene),
      cmocka_unit_test(two_recordings_are_compared),
      cmocka_unit_test(states_of_sofa_are_played),
  };
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  char *command = dv_format("rm -rf %s", folder);
  if (system(command) != 0) failed++;
  dv_free(command);
  return failed;
}

// A libFuzzer target: whatever the bytes, a recording is refused with a reason, or its frames are shown, gone on from
// and exported, or refused with a reason. The checksums are made right, so that what lies behind them is reached.
#include "io/scene/scene_file.h"
#include "view/export.h"
#include "view/play.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerInitialize(int *count, char ***arguments);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static const char text[] =
    "<Node dt='0.02'><DefaultAnimationLoop/><Node name='a'><EulerImplicitSolver/><CGLinearSolver/><MechanicalObject "
    "position='0 0 0  1 0 0  0 1 0'/><UniformMass totalMass='1'/><Node><OglModel name='v' position='0 0 0  1 0 0  0 1 "
    "0' "
    "triangles='0 1 2'/><IdentityMapping output='@v'/></Node></Node><Node name='b'><EulerExplicitSolver/>"
    "<MechanicalObject template='Rigid3' position='0 0 0 0 0 0 1'/><UniformMass totalMass='1'/></Node></Node>";

static dvScene *scene;
static dvSession *session;
static char path[64];
static int file;

static void silent(void *user, const dvMessage *m)
{
  (void)user;
  if (!m->text || !*m->text) abort();
}

// a seed for the corpus: with DIVAN_FUZZ_SEED the recording of six steps goes to that file
int LLVMFuzzerInitialize(int *count, char ***arguments)
{
  (void)count;
  (void)arguments;
  dvContext *c = dv_divan_create(1);
  c->log.sink = silent;
  if (dv_scene_parse(c, "fuzz.scn", text, strlen(text), &scene) != DV_OK || dv_scene_init(scene) != DV_OK) abort();
  const char *seed = getenv("DIVAN_FUZZ_SEED");
  dvText why = {0};
  dvRecorder *r = dv_recorder_create(scene, &(dvRecorderOptions){.path = seed, .loose = true}, &why);
  for (int i = 0; i < 6 && r; i++)
    if (!dv_recorder_add(r) || dv_scene_step(scene, 0) != DV_OK) abort();
  if (!dv_recorder_close(&r)) abort();
  dv_text_free(&why);
  session = dv_session_create(&(dvSessionOptions){.scene = "fuzz", .host = {.scene = scene}});
  file = memfd_create("recording", 0);
  snprintf(path, sizeof path, "/proc/self/fd/%d", file);
  return file < 0;
}

static void must_tell(bool good, dvText *why)
{
  if (!good && !why->length) abort();
  dv_text_clear(why);
}

static void look_at(dvRecording *r, dvText *why)
{
  size_t length;
  int64_t step;
  double difference;
  for (size_t f = 0; f < dv_recording_frames(r) && f < 20; f++) {
    bool good = dv_recording_go(r, f, why);
    if (good) dv_recording_agrees(r, scene, &difference);
    must_tell(good, why);
    char *snapshot = dv_recording_snapshot(r, f, &length, &step, why);
    must_tell(snapshot != NULL, why);
    dv_free(snapshot);
  }
  dvExport e;
  bool good = dv_export_read(&e, r, 20, why);
  if (good) dv_export_gltf(&e, "/dev/null", why), dv_export_usd(&e, "/dev/null", why);
  must_tell(good, why);
  dv_export_free(&e);
}

// as a session shows it, which takes it over
static void show(dvRecording *r)
{
  dv_play_take(session, r, "fuzz");
  for (size_t f = 0; f < dv_recording_frames(r) && f < 20; f++) {
    dv_play_show(session, (double)f);
    json_t *shown = dv_play_scene(session);
    dv_view_name_pictures(session, shown);
    json_decref(shown);
  }
  dv_play_close(session);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
  uint8_t *copy = malloc(length + 1);
  if (length) memcpy(copy, bytes, length);
  dv_divr_mend(copy, length);
  if (ftruncate(file, 0) != 0 || pwrite(file, copy, length, 0) != (ssize_t)length) abort();
  free(copy);
  dvText why = {0};
  dvRecording *r = dv_recording_open(path, &why);
  must_tell(r != NULL, &why);
  if (r) look_at(r, &why), show(r);
  dv_text_free(&why);
  return 0;
}

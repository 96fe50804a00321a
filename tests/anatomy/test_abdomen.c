// The abdomen: both instruments always pass through their trocars, the picture in the corner follows the laparoscope,
// the diaphragm breathes with a period of 4 s, the procedure is played with the same bits for any number of threads
// (DIVAN_ABDOMEN=1: to its end; else until the gall bladder is grasped), volume and mass stay what they were, and
// nothing explodes in hostile hands (DIVAN_SOAK=600: for ten minutes of the scene's time).
#include "support/check.h"
#include "support/numbers.h"

#include "base/file.h"
#include "base/random.h"
#include "divan/divan.h"
#include "io/mesh/write_mesh.h"
#include "math/vec.h"
#include "scene/node.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FOLDER DIVAN_SOURCE_DIR "/scenes/anatomy/abdomen"

static const char *const instruments[] = {"Grasper", "Laparoscope"};
static const double trocars[][3] = {{-0.06, -0.055, 0.14}, {0.073, -0.047, 0.171}};
static const char *const organs[] = {"liver", "stomach", "gallbladder"};

static double real_of(dvScene *scene, const char *path, const char *field, size_t index)
{
  size_t count;
  const double *x = divan_read(scene, path, field, &count);
  assert_non_null(x);
  assert_true(index < count);
  return x[index];
}

// a point of a state, or the hand of a device
static dvVec3 point_of(dvScene *scene, const char *path, size_t index)
{
  size_t count;
  bool hand = dv_same(path, "/left") || dv_same(path, "/right");
  const double *x = divan_read(scene, path, hand ? "positionDevice" : "position", &count);
  assert_non_null(x);
  assert_true(3 * index + 3 <= count);
  return dv_vec3_load(x + 3 * index);
}

// distance of the trocar from the axis of its instrument
static double off_axis(dvScene *scene, int i)
{
  char *path = dv_format("/Body/Tools/%s/Bodies/Rod/balls", instruments[i]);
  dvVec3 a = point_of(scene, path, 0), b = point_of(scene, path, 8), d = dv_vec3_normalise(dv_vec3_sub(b, a));
  dv_free(path);
  return dv_vec3_norm(dv_vec3_cross(dv_vec3_sub(dv_vec3_load(trocars[i]), a), d));
}

static double longest_reach(dvScene *scene)
{
  double most = 0;
  for (size_t k = 0; k < DV_COUNT(organs); k++) {
    char *path = dv_format("/Body/%s/dofs", organs[k]);
    most = fmax(most, longest_of(scene, path, "position"));
    dv_free(path);
  }
  return most;
}

typedef struct Kept {
  double volume[3], mass[3];
} Kept;

static Kept look(dvScene *scene)
{
  Kept k = {0};
  for (size_t i = 0; i < DV_COUNT(organs); i++) {
    char *parts = dv_format("/Body/%s/parts", organs[i]), *mass = dv_format("/Body/%s/mass", organs[i]);
    k.volume[i] = number_of(scene, parts, "remaining") + number_of(scene, parts, "resected");
    size_t count;
    const double *m = divan_read(scene, mass, "vertexMass", &count);
    assert_non_null(m);
    for (size_t j = 0; j < count; j++) k.mass[i] += m[j];
    dv_free(parts), dv_free(mass);
  }
  return k;
}

static void the_procedure_is_played(void **state)
{
  DV_UNUSED(state);
  const char *asked = getenv("DIVAN_ABDOMEN");
  bool whole = asked && *asked && strcmp(asked, "0") != 0;
  uint64_t hash = 0;
  for (int threads = 1; threads <= 3; threads += 2) {
    dvContext *context = divan_create(threads);
    divan_listen(context, NULL, NULL);
    dvScene *scene = divan_load(context, FOLDER "/scene.scn");
    assert_int_equal(divan_init(scene), DIVAN_OK);
    double high[3] = {0};   // of the diaphragm, where it stands for a moment: places are those of the begin of a step
    Kept before = look(scene);
    for (int i = 0; i < (whole ? 900 : 310); i++) {
      assert_int_equal(divan_step(scene, 0), DIVAN_OK);
      for (int k = 0; k < 2; k++) assert_true(off_axis(scene, k) < 1e-9);
      if (i == 50) high[0] = point_of(scene, "/Body/diaphragm/dofs", 24).y;
      if (i == 150) high[1] = point_of(scene, "/Body/diaphragm/dofs", 24).y;
      if (i == 250) high[2] = point_of(scene, "/Body/diaphragm/dofs", 24).y;
      if (number_of(scene, "/game", "done") == 1) break;
    }
    check_close(high[0], high[2], 1e-6);           // four seconds later
    check_close(high[0] - high[1], 0.016, 1e-6);   // half a breath: twice the amplitude
    Kept after = look(scene);
    for (int k = 0; k < 3; k++) {
      assert_true(before.volume[k] > 0 && before.mass[k] > 0);
      check_close(after.volume[k], before.volume[k], 1e-12 * before.volume[k]);
      check_close(after.mass[k], before.mass[k], 1e-12 * before.mass[k]);
    }
    // the picture in the corner is that of the laparoscope's tip
    for (size_t k = 0; k < 7; k++)
      assert_true(real_of(scene, "/inset", "cameraRigid", k) ==
                  real_of(scene, "/Body/Tools/Laparoscope/Bodies/Lens/frame", "position", k));
    if (whole) {
      assert_true(number_of(scene, "/game", "done") == 1);
      assert_true(number_of(scene, "/game", "score") == 100);
      print_message("done after %g s\n", divan_time(scene));
    } else {
      assert_true(number_of(scene, "/game", "step") == 3 && number_of(scene, "/Body/jaws", "held") > 0);
    }
    if (hash) assert_true(hash == divan_hash(scene));
    hash = divan_hash(scene);
    divan_close(&scene);
    divan_destroy(&context);
  }
}

static void press(dvScene *scene, char key, bool down)
{
  dv_scene_send(scene, &(dvEvent){.kind = DV_EVENT_KEY, .key = key, .released = !down});
}

static void run_steps(dvScene *scene, int count)
{
  for (int i = 0; i < count; i++) assert_int_equal(divan_step(scene, 0), DIVAN_OK);
}

// keys lead the laparoscope, its picture goes along, and the grasper that was about to move by itself waits
static void keys_take_the_hands_over(void **state)
{
  DV_UNUSED(state);
  dvContext *context = divan_create(1);
  divan_listen(context, NULL, NULL);
  dvScene *scene = divan_load(context, FOLDER "/scene.scn");
  assert_int_equal(divan_init(scene), DIVAN_OK);
  run_steps(scene, 20);
  dvVec3 hand = point_of(scene, "/left", 0), lens = point_of(scene, "/Body/Tools/Laparoscope/Bodies/Lens/frame", 0);
  press(scene, 'A', true);
  run_steps(scene, 50);
  press(scene, 'A', false);
  run_steps(scene, 30);
  dvVec3 to = point_of(scene, "/left", 0);
  check_close(to.x, hand.x - 0.05, 2e-3);   // a second with 5 cm/s
  check_close(to.y, hand.y, 1e-9);
  assert_true(point_of(scene, "/Body/Tools/Laparoscope/Bodies/Lens/frame", 0).x < lens.x - 0.03);
  assert_true(real_of(scene, "/inset", "cameraRigid", 0) < lens.x - 0.03);
  dvVec3 grasper = point_of(scene, "/right", 0);
  run_steps(scene, 150);   // the recording would have moved it by now
  assert_true(dv_vec3_norm(dv_vec3_sub(point_of(scene, "/right", 0), grasper)) < 1e-6);
  press(scene, 'G', true);
  press(scene, 'G', false);
  run_steps(scene, 1);
  assert_true(number_of(scene, "/Body/jaws", "closed") == 1);
  divan_close(&scene);
  divan_destroy(&context);
}

// a hand that goes anywhere in and around the organs, at any speed, and presses its button as it likes
static void write_motion(const char *path, double seconds, dvRandom *random)
{
  dvText out = {0};
  dv_text_add(&out, "0 -60 -55 85 0 0 0 1 0\n");
  for (double time = 0; time < seconds + 1;) {
    time += dv_random(random, 0.1, 0.6);
    dv_text_printf(&out, "%.3f %g %g %g 0 0 0 1 %d\n", time, dv_random(random, -90, 90), dv_random(random, -120, 40),
                   dv_random(random, -10, 160), dv_random(random, 0, 1) < 0.5);
  }
  assert_int_equal(dv_file_replace(path, out.text, out.length), DV_OK);
  dv_text_free(&out);
}

static void tell(void *user, const divanMessage *m)
{
  DV_UNUSED(user);
  if (m->level >= 3) print_error("%s: %s\n", m->path ? m->path : "", m->text);
}

// the handle and the tip stay on their sides of the trocar, however far away the hand is
static void check_joints(dvScene *scene, const char *tool)
{
  char *path = dv_format("/Body/Tools/%s/joints", tool), *text = divan_get(scene, path, "position"), *at = text;
  assert_non_null(text);
  double tilt = strtod(at, &at), turn = strtod(at, &at), slide = strtod(at, &at);
  if (!(fabs(tilt) < 1.301 && fabs(turn) < 1.301 && slide > -0.1301 && slide < 0.0301))
    fail_msg("%s is turned by %g and %g, %g m in, at %g s", tool, tilt, turn, slide, divan_time(scene));
  divan_free(text);
  dv_free(path);
}

static void hostile_hands_do_no_harm(void **state)
{
  DV_UNUSED(state);
  const char *asked = getenv("DIVAN_SOAK");
  double seconds = asked ? fmin(fmax(strtod(asked, NULL), 1), 1e5) : 3;
  dvRandom random = dv_random_start(7);
  char *d = check_mkdir(), *right = dv_format("%s/grasper.motion", d), *left = dv_format("%s/laparoscope.motion", d);
  write_motion(right, seconds, &random), write_motion(left, seconds, &random);
  char *text = dv_file_read(FOLDER "/scene.scn", NULL);
  dvContext *context = divan_create(2);
  divan_listen(context, tell, NULL);
  divan_add_data_path(context, d);   // first: its motions are taken
  divan_add_data_path(context, FOLDER);
  dvScene *scene = divan_parse(context, text, strlen(text));
  assert_int_equal(divan_init(scene), DIVAN_OK);
  Kept before = look(scene);
  double reach = 0;
  int held = 0;
  while (divan_time(scene) < seconds) {
    int status = divan_step(scene, 0);
    if (status) print_error("at %g s\n", divan_time(scene));
    assert_int_equal(status, DIVAN_OK);
    reach = fmax(reach, longest_reach(scene));
    held += number_of(scene, "/Body/jaws", "held") > 0;
    assert_true(reach < 1);   // all stay in the room: they are 0.2 m long
    check_joints(scene, "Grasper"), check_joints(scene, "Laparoscope");
    soak_tell(divan_time(scene));
  }
  Kept after = look(scene);
  for (int k = 0; k < 3; k++) {
    check_close(after.volume[k], before.volume[k], 1e-12 * before.volume[k]);
    check_close(after.mass[k], before.mass[k], 1e-12 * before.mass[k]);
  }
  print_message("%g s of hostile hands: organs within %g m, the gall bladder held for %g s, %g slips\n",
                divan_time(scene), reach, 0.02 * held, number_of(scene, "/Body/jaws", "slips"));
  divan_close(&scene);
  divan_destroy(&context);
  dv_free(text), dv_free(right), dv_free(left);
  check_rmdir(d);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_procedure_is_played),
      cmocka_unit_test(keys_take_the_hands_over),
      cmocka_unit_test(hostile_hands_do_no_harm),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

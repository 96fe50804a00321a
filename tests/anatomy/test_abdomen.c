// The abdomen: the probe always passes through its trocar, the diaphragm breathes with a period of 4 s, the procedure
// is played to its end with the same bits for any number of threads, and nothing explodes when the probe is moved at
// random (DIVAN_SOAK=600 does that for ten minutes of the scene's time).
#include "support/check.h"

#include "base/file.h"
#include "base/random.h"
#include "divan/divan.h"
#include "math/vec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FOLDER DIVAN_SOURCE_DIR "/scenes/anatomy/abdomen"

static const double trocar[3] = {-0.06, -0.055, 0.14};

static dvVec3 point_of(dvScene *scene, const char *path, size_t index)
{
  size_t count;
  const double *x = divan_read(scene, path, "position", &count);
  assert_non_null(x);
  assert_true(3 * index + 3 <= count);
  return dv_vec3_load(x + 3 * index);
}

// distance of the trocar from the axis of the probe
static double off_axis(dvScene *scene)
{
  dvVec3 a = point_of(scene, "/Probe/Bodies/Rod/balls", 0), b = point_of(scene, "/Probe/Bodies/Rod/balls", 8),
         d = dv_vec3_normalise(dv_vec3_sub(b, a));
  return dv_vec3_norm(dv_vec3_cross(dv_vec3_sub(dv_vec3_load(trocar), a), d));
}

static double longest_reach(dvScene *scene)
{
  size_t count;
  const double *x = divan_read(scene, "/Body/liver/dofs", "position", &count);
  double most = 0;
  for (size_t i = 0; i < count; i++) most = fmax(most, fabs(x[i]));
  return most;
}

static void the_procedure_is_played_to_its_end(void **state)
{
  DV_UNUSED(state);
  uint64_t hash = 0;
  for (int threads = 1; threads <= 3; threads += 2) {
    dvContext *context = divan_create(threads);
    divan_listen(context, NULL, NULL);
    dvScene *scene = divan_load(context, FOLDER "/scene.scn");
    assert_int_equal(divan_init(scene), DIVAN_OK);
    double high[3] = {0};   // of the diaphragm, where it stands for a moment: places are those of the begin of a step
    for (int i = 0; i < 550; i++) {
      assert_int_equal(divan_step(scene, 0), DIVAN_OK);
      assert_true(off_axis(scene) < 1e-9);
      if (i == 50) high[0] = point_of(scene, "/Body/diaphragm/dofs", 24).y;
      if (i == 150) high[1] = point_of(scene, "/Body/diaphragm/dofs", 24).y;
      if (i == 250) high[2] = point_of(scene, "/Body/diaphragm/dofs", 24).y;
    }
    check_close(high[0], high[2], 1e-6);           // four seconds later
    check_close(high[0] - high[1], 0.016, 1e-6);   // half a breath: twice the amplitude
    char *done = divan_get(scene, "/game", "done"), *score = divan_get(scene, "/game", "score");
    assert_string_equal(done, "1");
    assert_string_equal(score, "100");
    divan_free(done);
    divan_free(score);
    if (hash) assert_true(hash == divan_hash(scene));
    hash = divan_hash(scene);
    divan_close(&scene);
    divan_destroy(&context);
  }
}

// gives a constraint of the scene's text another motion: a new place every 0.2 s
static char *with_random(char *text, const char *name, double low, double high, double seconds, dvRandom *random)
{
  char *mark = dv_format("name=\"%s\"", name), *at = strstr(text, mark);
  assert_non_null(at);
  char *from = strstr(at, "keyTimes="), *end = strstr(at, "/>");
  assert_true(from && end && from < end);
  dvText out = {0};
  dv_text_add_n(&out, text, (size_t)(from - text));
  dv_text_add(&out, "keyTimes=\"0");
  for (int k = 1; 0.2 * (k - 1) < seconds + 1; k++) dv_text_printf(&out, " %g", 0.2 * k);
  dv_text_add(&out, "\" movements=\"0");
  for (int k = 1; 0.2 * (k - 1) < seconds + 1; k++) dv_text_printf(&out, " %g", dv_random(random, low, high));
  dv_text_add(&out, "\"");
  dv_text_add(&out, end);
  dv_free(mark);
  dv_free(text);
  return dv_text_take(&out);
}

static void tell(void *user, const divanMessage *m)
{
  DV_UNUSED(user);
  if (m->level >= 3) print_error("%s: %s\n", m->path ? m->path : "", m->text);
}

static void random_motion_does_no_harm(void **state)
{
  DV_UNUSED(state);
  const char *asked = getenv("DIVAN_SOAK");
  double seconds = asked ? fmin(fmax(strtod(asked, NULL), 1), 1e5) : 6;
  dvRandom random = dv_random_start(7);
  char *text = dv_file_read(FOLDER "/scene.scn", NULL);
  text = with_random(text, "nod", -0.6, 0.5, seconds, &random);
  text = with_random(text, "turn", -0.6, 0.6, seconds, &random);
  text = with_random(text, "slide", -0.12, 0.02, seconds, &random);
  dvContext *context = divan_create(2);
  divan_listen(context, tell, NULL);
  divan_add_data_path(context, FOLDER);
  dvScene *scene = divan_parse(context, text, strlen(text));
  assert_int_equal(divan_init(scene), DIVAN_OK);
  while (divan_time(scene) < seconds) {
    int status = divan_step(scene, 0);
    if (status) print_error("at %g s\n", divan_time(scene));
    assert_int_equal(status, DIVAN_OK);
    assert_true(longest_reach(scene) < 1);   // the liver stays in the room: it is 0.2 m long
  }
  divan_close(&scene);
  divan_destroy(&context);
  dv_free(text);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_procedure_is_played_to_its_end),
      cmocka_unit_test(random_motion_does_no_harm),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

// The robots of scenes/robot do what their heads say.
#include "robot/part.h"
#include "support/check.h"
#include "support/scene.h"

#include "base/file.h"

#include <string.h>

static double field(dvScene *s, const char *path, const char *name)
{
  return *(const double *)dv_object_field(check_find(s, path), name)->value;
}

static double away(dvScene *s, const char *goal, const char *tip)
{
  double sum = 0;
  for (size_t k = 0; k < 3; k++) sum += pow(check_value(s, goal, DV_X, k) - check_value(s, tip, DV_X, k), 2);
  return sqrt(sum);
}

// the goal moves by 0.19 mm in a step, and the platform follows one step behind
static void parallel(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene_file("scenes/robot/parallel.scn", 2);
  double most = 0;
  for (int i = 0; i < 200; i++) {
    check_steps(s, 1);
    if (i > 50) most = fmax(most, away(s, "goal/dofs", "robot/effector/point"));
  }
  assert_true(most < 0.00025);
  check_close_scene(&s);
}

// what was found for one robot moves another one, whose silicone is a fifth stiffer or softer: its cables are wound up
// as far
static char *replace(char *text, const char *old, const char *new)
{
  dvText out = {0};
  const char *at = text;
  for (const char *next; (next = strstr(at, old)); at = next + strlen(old)) {
    dv_text_add_n(&out, at, (size_t)(next - at));
    dv_text_add(&out, new);
  }
  dv_text_add(&out, at);
  dv_free(text);
  return dv_text_take(&out);
}

static dvScene *other_robot(const char *young)
{
  dvText path = {0};
  dv_text_printf(&path, "%s/scenes/robot/parallel.scn", DIVAN_SOURCE_DIR);
  size_t length;
  char *text = dv_file_read(path.text, &length);
  assert_non_null(text);
  text = replace(text, "<QPInverseProblemSolver name=\"inverse\"/>",
                 "<BlockGaussSeidelConstraintSolver tolerance=\"1e-9\"/>");
  text = replace(text, "CableActuator", "CableConstraint");
  text = replace(text, "<PositionEffector name=\"effector\" indices=\"0\" effectorGoal=\"@../../goal/dofs.position\"/>",
                 "");
  text = replace(text, "youngModulus=\"180000\"", young);
  dv_text_clear(&path);
  dv_text_printf(&path, "filename=\"%s/scenes/robot/mesh/", DIVAN_SOURCE_DIR);
  text = replace(text, "filename=\"mesh/", path.text);
  dvScene *s = check_scene(text, 2);
  dv_text_free(&path);
  dv_free(text);
  return s;
}

static void model_against_model(void **state)
{
  DV_UNUSED(state);
  static const char *const cables[] = {"robot/cables/east", "robot/cables/west", "robot/cables/north",
                                       "robot/cables/south"};
  dvScene *s = check_scene_file("scenes/robot/parallel.scn", 2);
  dvScene *others[2] = {other_robot("youngModulus=\"216000\""), other_robot("youngModulus=\"144000\"")};
  double most[2] = {0};
  for (int i = 0; i < 200; i++) {
    check_steps(s, 1);
    for (int k = 0; k < 2; k++) {
      for (size_t c = 0; c < DV_COUNT(cables); c++) {
        dvField *f = dv_object_field(check_find(others[k], cables[c]), "value");
        assert_true(dv_reals_resize(f->value, 1));
        dv_reals_edit(f->value)[0] = field(s, cables[c], "displacement");
        dv_field_touch(f);
      }
      check_steps(others[k], 1);
      double sum = 0;
      for (size_t a = 0; a < 3; a++)
        sum += pow(check_value(s, "goal/dofs", DV_X, a) - check_value(others[k], "robot/effector/point", DV_X, a), 2);
      if (i > 50) most[k] = fmax(most[k], sqrt(sum));
    }
  }
  print_message("a fifth stiffer: %.3g mm, softer: %.3g mm\n", 1000 * most[0], 1000 * most[1]);
  for (int k = 0; k < 2; k++) {
    assert_true(most[k] < 0.0015);
    check_close_scene(&others[k]);
  }
  check_close_scene(&s);
}

static void tentacle(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene_file("scenes/robot/tentacle.scn", 2);
  double touched = 0, most = 0;
  for (int i = 0; i < 150; i++) {
    check_steps(s, 1);
    assert_true(field(s, "inverse", "minContactForces") >= -1e-9);
    touched = fmax(touched, field(s, "inverse", "maxContactForces"));
    most = fmax(most, away(s, "goal/dofs", "tentacle/tip/point"));
  }
  print_message("largest force on the ball %.3g N, largest distance %.3g mm\n", touched, 1000 * most);
  assert_true(touched > 0.1);
  assert_true(most < 0.006);
  check_close_scene(&s);
}

static void gripper(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene_file("scenes/robot/gripper.scn", 2);
  double before = check_value(s, "ball/dofs", DV_X, 2);
  check_steps(s, 160);
  assert_true(check_value(s, "ball/dofs", DV_X, 2) > before + 0.04);
  check_close_scene(&s);
}

static void finger(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene_file("scenes/robot/finger.scn", 2);
  check_steps(s, 80);
  check_close(field(s, "finger/eyelets/cable", "displacement"), 0.018, 1e-4);
  assert_true(check_value(s, "finger/eyelets/points", DV_X, 17) > 0.04);   // the tip has come up
  check_close_scene(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(parallel), cmocka_unit_test(model_against_model),
                                     cmocka_unit_test(tentacle), cmocka_unit_test(gripper), cmocka_unit_test(finger)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

// DataControllerRobot with a library of our own in place of the maker's (fake_robotino.c): pressures become those of
// the bellows, wires are read, a robot that is lost or touches something is told, and nothing waits.
#include "support/check.h"
#include "support/scene.h"

#include "base/clock.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void (*set_robot)(bool lost, bool pushed);
static int (*report)(float bar[8], bool *on, int *wrong);

static dvScene *robot(const char *rest)
{
  char *text = dv_format("<Node dt='0.01'><DataControllerRobot name='arm' address='10.0.0.7' %s/></Node>", rest);
  dvScene *s = check_scene(text, 1);
  dv_free(text);
  return s;
}

static void *field(dvScene *s, const char *name) { return dv_object_field(check_find(s, "arm"), name)->value; }

// steps until the robot took another command, or stays away; the thread has its own time
static bool goes_on(dvScene *s, const char *name, int value)
{
  for (double begin = dv_now(); dv_now() - begin < 20; usleep(1000)) {
    check_steps(s, 1);
    if (strcmp(name, "commands") == 0 ? *(int32_t *)field(s, name) > value : *(bool *)field(s, name) == (value != 0))
      return true;
  }
  return false;
}

static void check_bellows(const double want[8])
{
  float bar[8];
  bool on;
  int wrong;
  assert_true(report(bar, &on, &wrong) > 0);
  for (int i = 0; i < 8; i++) check_close((double)bar[i], want[i], 1e-6);
  assert_true(on);
  assert_int_equal(wrong, 0);
}

static void pressures_reach_the_bellows(void **state)
{
  DV_UNUSED(state);
  // 200 are 1.5 bar; more is cut, less than nothing too
  dvScene *s = robot("pressures='9 9 9 100 200 300 -5 20 0'");
  assert_true(goes_on(s, "commands", 0));
  check_bellows((double[]){0.75, 1.5, 1.5, 0, 0.15, 0, 0, 0});
  const dvReals *measured = field(s, "measuredPressures"), *lengths = field(s, "measuredLengths");
  assert_true(goes_on(s, "commands", *(int32_t *)field(s, "commands")));   // readings of a later round
  assert_int_equal(measured->count, 8);
  assert_int_equal(lengths->count, 6);
  check_close(measured->data[0], 0.75, 1e-6);
  check_close(lengths->data[0], 0.1099, 1e-6);
  check_close(lengths->data[5], 0.1923 + 0.5 / 1.52, 1e-6);
  check_close_scene(&s);
  float bar[8];
  bool on;
  int wrong;
  report(bar, &on, &wrong);   // nobody looks after it any more: empty, compressors off
  for (int i = 0; i < 8; i++) check_close((double)bar[i], 0, 0);
  assert_false(on);
  assert_int_equal(wrong, 0);
  s = robot("pressures='40 80 0 0 0 0' firstPressure='0' coefPressure='0.5'");
  assert_true(goes_on(s, "commands", 0));
  check_bellows((double[]){0.15, 0.3, 0, 0, 0, 0, 0, 0});
  check_close_scene(&s);
}

// what the solver has found, in the order of its actuators
static void found_forces_are_sent(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene(
      "<Node dt='0.01' gravity='0 0 0'><FreeMotionAnimationLoop/><QPInverseProblemSolver name='solver' "
      "epsilon='0'/><Node>"
      "<EulerImplicitSolver/><SparseLDLSolver/><MechanicalObject name='dofs' position='0 0 0  1 0 0  2 0 0'/>"
      "<UniformMass totalMass='1'/><RestShapeSpringsForceField stiffness='1000'/><LinearSolverConstraintCorrection/>"
      "<ForcePointActuator name='push' indices='0'/><ForcePointActuator name='second' indices='1'/>"
      "<ForcePointActuator name='third' indices='2'/><PositionEffector indices='0 1 2' effectorGoal='0.01 0 0  1 0.02 "
      "0.03  2.04 0.05 0.06'/></Node><DataControllerRobot name='arm' address='10.0.0.7'/></Node>",
      1);
  check_steps(s, 200);
  const dvReals *forces = dv_object_field(check_find(s, "solver"), "actuatorForces")->value;
  assert_int_equal(forces->count, 9);
  static const double springs[9] = {10, 0, 0, 0, 20, 30, 40, 50, 60};   // stiffness times the way
  double bar[8] = {0};
  for (int i = 0; i < 9; i++) {
    check_close(forces->data[i], springs[i], 1e-3);
    if (i >= 3) bar[i - 3] = springs[i] * 1.5 / 200;
  }
  assert_true(goes_on(s, "commands", *(int32_t *)field(s, "commands")));
  float sent[8];
  bool on;
  int wrong;
  report(sent, &on, &wrong);
  for (int i = 0; i < 8; i++) check_close((double)sent[i], bar[i], 1e-5);
  check_close_scene(&s);
}

static void lost_and_pushed(void **state)
{
  DV_UNUSED(state);
  set_robot(true, false);
  dvScene *s = robot("pressures='0 0 0 100 0 0 0 0 0'");
  double begin = dv_now();
  check_steps(s, 50);
  assert_true(dv_now() - begin < 5);
  assert_false(*(bool *)field(s, "connected"));
  assert_int_equal(*(int32_t *)field(s, "commands"), 0);
  set_robot(false, false);
  assert_true(goes_on(s, "connected", 1));   // it is called again
  assert_true(goes_on(s, "commands", 0));
  set_robot(false, true);
  assert_true(goes_on(s, "bumper", 1));
  int before = *(int32_t *)field(s, "commands");
  for (int i = 0; i < 20; i++) check_steps(s, 1), usleep(1000);
  assert_int_equal(*(int32_t *)field(s, "commands"), before);
  set_robot(false, false);
  assert_true(goes_on(s, "commands", before));
  set_robot(true, false);
  assert_true(goes_on(s, "connected", 0));
  set_robot(false, false);
  check_close_scene(&s);
}

static bool fails(const char *text)
{
  dvContext *context = dv_divan_create(1);
  dvScene *scene = NULL;
  dvStatus status = dv_scene_parse(context, "test.scn", text, strlen(text), &scene);
  if (status == DV_OK) status = dv_scene_init(scene);
  dv_scene_destroy(&scene);
  dv_divan_destroy(&context);
  return status != DV_OK;
}

static void bad_settings_are_told(void **state)
{
  DV_UNUSED(state);
  assert_true(fails("<Node><DataControllerRobot/></Node>"));   // nothing to send
  assert_true(fails("<Node><DataControllerRobot pressures='1' address=''/></Node>"));
  assert_true(fails("<Node><BlockGaussSeidelConstraintSolver/><DataControllerRobot/></Node>"));
  static const char *const few[] = {"pressures='1 2 3 4 5 6 7 8'", "pressures='1 2' firstPressure='0'",
                                    "pressures='1 2 3 4 5 6' firstPressure='2000000000'",
                                    "pressures='1 2 3 4 5 6' firstPressure='0' coefPressure='1e308'"};
  for (size_t i = 0; i < DV_COUNT(few); i++) {   // told, nothing is sent, and the scene runs
    dvScene *s = robot(few[i]);
    for (int k = 0; k < 20; k++) check_steps(s, 1), usleep(1000);
    assert_int_equal(*(int32_t *)field(s, "commands"), 0);
    assert_int_equal(((dvReals *)field(s, "sentPressures"))->count, 0);
    check_close_scene(&s);
  }
  setenv("DIVAN_ROBOTINO", "/nowhere.so", 1);   // without the library
  dvScene *s = robot("pressures='0 0 0 100 0 0 0 0 0'");
  check_steps(s, 3);
  assert_false(*(bool *)field(s, "connected"));
  check_close_scene(&s);
}

int main(void)
{
  unsetenv("DIVAN_OFFLINE");
  setenv("DIVAN_ROBOTINO", DIVAN_FAKE_ROBOTINO, 1);
  void *fake = dlopen(DIVAN_FAKE_ROBOTINO, RTLD_NOW | RTLD_LOCAL);
  void *symbols[2] = {fake ? dlsym(fake, "fake_robotino_set") : NULL,
                      fake ? dlsym(fake, "fake_robotino_report") : NULL};
  if (!symbols[0] || !symbols[1]) return 1;
  memcpy(&set_robot, &symbols[0], sizeof symbols[0]);
  memcpy(&report, &symbols[1], sizeof symbols[1]);
  const struct CMUnitTest tests[] = {cmocka_unit_test(pressures_reach_the_bellows),
                                     cmocka_unit_test(found_forces_are_sent), cmocka_unit_test(lost_and_pushed),
                                     cmocka_unit_test(bad_settings_are_told)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

// The scenes of scenes/haptic do what their heads say.
#include "wall.h"

#include <stdlib.h>

static dvHapticState *hand_of(dvScene *s, const char *driver)
{
  return &dv_driver(check_find(s, driver))->haptic->state;
}

// the organ pushes the finger back, within what its spring allows
static void probe(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene_file("scenes/haptic/probe.scn", 1);
  double most = 0, held_back = 0;
  for (int i = 0; i < 200; i++) {
    check_steps(s, 1);
    const dvHapticState *h = hand_of(s, "device");
    double wanted = -0.09 + 0.06 * (0.5 - 0.5 * cos(2 * 3.14159265358979 * 0.02 * (i + 1) / 4));
    most = fmax(most, -h->felt[1]);
    held_back = fmax(held_back, wanted - h->pose[1]);
  }
  print_message("probing: %.2f N, which hold the hand back by %.1f mm\n", most, 1000 * held_back);
  assert_true(most > 0.5 && most < 3.3);
  assert_true(held_back > 0.001);
  check_close_scene(&s);
}

// at 30 mm the drill is on the tooth: its ball of 1 mm and the contact distance lie on the face at 20 mm
static void drill(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene_file("scenes/haptic/drill.scn", 1);
  double most = 0, deepest = 1;
  for (int i = 0; i < 150; i++) {
    check_steps(s, 1);
    double y = check_value(s, "Drill/frame", DV_X, 1);
    deepest = fmin(deepest, y);
    most = fmax(most, hand_of(s, "device")->felt[1]);
  }
  print_message("drilling: %.2f N, the ball stays at %.2f mm\n", most, 1000 * deepest);
  check_close(deepest, 0.022, 2e-4);
  assert_true(most > 1);
  check_close_scene(&s);
}

// What the hand feels is the needle's force in the simulation itself: that of the spring that drives it, in the step
// that gets the same pose of the hand. On the surface a step gets the pose of two steps later.
static void needle(void **state)
{
  DV_UNUSED(state);
  enum { COUNT = 1000 };
  dvScene *s = check_scene_file("scenes/haptic/needle.scn", 1);
  const dvDriver *d = dv_driver(check_find(s, "device"));
  double own[COUNT], felt[COUNT], most = 0, sum = 0, pull = 0;
  bool ahead[COUNT];
  int far = 0;
  for (int i = 0; i < COUNT; i++) {
    check_steps(s, 1);
    own[i] = 2000 * (check_value(s, "Needle/frame", DV_X, 1) - d->handed.pose[1]);
    felt[i] = hand_of(s, "device")->felt[1];
    ahead[i] = fabs(d->handed.pose[1] - d->seen[1]) > 1e-6;
    most = fmax(most, own[i]);
    pull = fmin(pull, felt[i]);
  }
  for (int i = 1; i < COUNT - 1; i++) {
    double there = felt[ahead[i] ? i + 1 : i - 1];
    sum += (there - own[i]) * (there - own[i]) / COUNT;
    far += fabs(there - own[i]) > 0.05 * most;
    if (getenv("DIVAN_HAPTIC_PRINT")) printf("%4d %d %8.4f %8.4f\n", i, ahead[i], there, own[i]);
  }
  print_message("needle: %.3f N in, %.3f N out; from the simulation's own %.2f %% rms, %d of %d steps beyond 5 %%\n",
                most, pull, 100 * sqrt(sum) / most, far, COUNT);
  check_close(most, 0.7, 0.05);
  assert_true(pull < -0.3);
  check_close(sqrt(sum) / most, 0, 0.05);
  assert_true(far < COUNT / 50);
  check_close_scene(&s);
}

// A peg with a clearance of 1 %: nothing is felt while it goes in beside the middle; pulled aside, it goes as far as
// the clearance and the spring pulls for the rest; so at the ground; the chamfer leads it in from beside.
static void peg(void **state)
{
  DV_UNUSED(state);
  const double clearance = 1e-4, skin = 1e-4, k = 500;   // its surface lies a contact distance before its points
  dvScene *s = check_scene_file("scenes/haptic/peg.scn", 1);
  double going_in = 0, aside = 0, ground = 0, widest = 0;
  for (int i = 1; i <= 1940; i++) {
    check_steps(s, 1);
    const dvHapticState *h = hand_of(s, "device");
    const double time = 0.01 * i, *x = dv_state_read(dv_state(check_find(s, "Peg/Rings/points")), DV_X);
    if (time < 5) going_in = fmax(going_in, fmax(fabs(h->felt[0]), fabs(h->felt[1])));
    if (time > 6.5 && time < 7) aside = h->felt[0];
    if (time > 10.7 && time < 11) ground = h->felt[1];
    for (size_t p = 0; p < 60; p++)   // points within the hole stay within it
      if (x[3 * p + 1] < -0.0012) widest = fmax(widest, hypot(x[3 * p], x[3 * p + 2]));
    if (getenv("DIVAN_HAPTIC_PRINT") && i % 20 == 0)
      printf("%5.2f %8.4f %8.4f %8.4f  %9.6f %9.6f\n", time, h->felt[0], h->felt[1], h->felt[2],
             check_value(s, "Peg/frame", DV_X, 0), check_value(s, "Peg/frame", DV_X, 1));
  }
  double below = check_value(s, "Peg/frame", DV_X, 1), off = check_value(s, "Peg/frame", DV_X, 0);
  print_message(
      "peg: %.4f N going in, %.4f N aside of %.4f, %.4f N at the ground of %.4f; within %.4f mm; then at %.2f "
      "mm, %.3f mm off\n",
      going_in, aside, -k * (0.002 - clearance), ground, k * (0.001 + skin), 1000 * (widest + skin), 1000 * below,
      1000 * off);
  check_close(going_in, 0, 0.005);
  check_close(aside, -k * (0.002 - clearance), 0.02 * k * (0.002 - clearance));
  check_close(ground, k * (0.001 + skin), 0.02 * k * (0.001 + skin));
  check_close(widest + skin, 0.0101, 2e-5);
  check_close(below, -0.015, 5e-4);
  check_close(off, clearance, 3e-5);
  check_close_scene(&s);
}

// both hands feel the block, and it comes up with them
static void grasp(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene_file("scenes/haptic/grasp.scn", 1);
  check_steps(s, 140);
  double left = hand_of(s, "left")->felt[0], right = hand_of(s, "right")->felt[0], height = 0;
  const dvState *block = dv_state(check_find(s, "Block/dofs"));
  for (size_t i = 0; i < block->count; i++) height += dv_state_read(block, DV_X)[3 * i + 1] / (double)block->count;
  double weight = hand_of(s, "left")->felt[1] + hand_of(s, "right")->felt[1];
  print_message("grasping: %.2f and %.2f N, %.2f N down, the block at %.0f mm\n", left, right, weight, 1000 * height);
  assert_true(left < -0.5 && right > 0.5);
  check_close(left, -right, 0.1);
  assert_true(height > 0.045);
  check_close(weight, -0.06 * 9.81, 0.1);
  check_close_scene(&s);
}

static void carve(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene_file("scenes/haptic/carve.scn", 1);
  size_t before = dv_state(check_find(s, "Block/dofs"))->count;
  double most = 0;
  for (int i = 0; i < 300; i++) {
    check_steps(s, 1);
    most = fmax(most, hand_of(s, "device")->felt[1]);
  }
  print_message("carving: %.2f N, %zu of %zu points are gone\n", most,
                before - dv_state(check_find(s, "Block/dofs"))->count, before);
  assert_true(most > 0.05 && most < 3.3);
  assert_true(dv_state(check_find(s, "Block/dofs"))->count < before);
  check_close_scene(&s);
}

// frames follow their hands; the surface pushes the third one
static void drivers(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene_file("scenes/haptic/drivers.scn", 1);
  double most = 0;
  for (int i = 0; i < 100; i++) {
    check_steps(s, 1);
    most = fmax(most, hand_of(s, "omni")->pushed[1]);
  }
  // after 2 s of 4 the hands are at the end of their swings, a tick behind
  check_close(check_value(s, "Touch/MechanicalObject1", DV_X, 1), -0.0455107, 1e-4);
  check_close(check_value(s, "Network/MechanicalObject1", DV_X, 0), 0.01, 1e-4);
  check_close(check_value(s, "Inputs/cap", DV_X, 2), -0.0781142, 1e-4);
  check_close(check_value(s, "Inputs/Tracker/frame", DV_X, 0), -0.01, 1e-4);
  check_close(check_value(s, "Tools/frames", DV_X, 2), -0.0681142, 1e-4);
  check_close(check_value(s, "Tool/MechanicalObject1", DV_X, 1), -0.01, 1e-4);
  check_close(hand_of(s, "touch")->pushed[1], 0.5, 1e-9);
  assert_true(most > 0.1);
  check_close_scene(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(probe), cmocka_unit_test(drill), cmocka_unit_test(needle),  cmocka_unit_test(peg),
      cmocka_unit_test(grasp), cmocka_unit_test(carve), cmocka_unit_test(drivers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

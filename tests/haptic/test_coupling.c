// VirtualCoupling: its force by differences, and where a tool with a weight hangs on the hand.
#include "support/fd.h"
#include "wall.h"

// the derivative leaves out the curvature of rotation vectors, so turns are small
static void by_differences(void **state)
{
  DV_UNUSED(state);
  fdScene s = fd_open("<Node dt='0.01' gravity='0 0 0'><GeomagicEmulator name='device' scale='0.01' start='10 20 30'/>"
                      "<MechanicalObject template='Rigid3' position='0.01 0.02 0.03 0 0 0 1  0.012 0.02 0.03 0 0 0 1'/>"
                      "<VirtualCoupling name='ff' indice='1' stiffness='300' angularStiffness='4' damping='2' "
                      "angularDamping='0.5'/></Node>");
  fdOptions o = fd_options();
  o.move_x = 1e-3;
  o.tolerance = 2e-3;
  assert_true(fd_check_force(fd_find(&s, "ff"), &o));
  fd_close(&s);
}

// the tool sinks by m g / k, and the hand feels the weight and its torque
static void hangs(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene("<Node dt='0.01' gravity='0 -10 0'><DefaultAnimationLoop/><GeomagicEmulator name='device' "
                           "scale='0.01' start='0 50 0'/><Node name='tool'><EulerImplicitSolver/><SparseLDLSolver/>"
                           "<MechanicalObject name='dofs' template='Rigid3' position='0 0.05 0 0 0 0 1'/>"
                           "<UniformMass totalMass='0.1'/><VirtualCoupling stiffness='200' damping='5'/></Node></Node>",
                           1);
  check_steps(s, 300);
  check_close(check_value(s, "tool/dofs", DV_X, 1), 0.05 - 0.1 * 10 / 200, 1e-6);
  check_close(the_hand(s)->felt[1], -1, 1e-4);
  check_close(the_hand(s)->pushed[1], -1, 1e-4);
  check_close_scene(&s);
}

// with `quiet` a hand in the air feels nothing, and the wall as before
static void quiet(void **state)
{
  DV_UNUSED(state);
  Wall w = {.dt = 0.02,
            .mass = 0.05,
            .device = "start='0 20 0' sweep='0 -25 0' sweepPeriod='4'",
            .coupling = "<VirtualCoupling stiffness='500' damping='1' quiet='1'/>"};
  dvScene *s = wall_scene(&w);
  double most = 0;
  for (int i = 0; i < 100; i++) {
    check_steps(s, 1);
    if (the_hand(s)->pose[1] > 0.004) check_close(the_hand(s)->felt[1], 0, 0);
    most = fmax(most, the_hand(s)->felt[1]);
  }
  check_close(most, 500 * 0.006, 0.03);
  check_close_scene(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(by_differences), cmocka_unit_test(hangs),
                                     cmocka_unit_test(quiet)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

// Torques about an axis: their moment is the one asked for, and points on the axis stay.
#include "support/check.h"
#include "support/fd.h"

#include "math/vec.h"

static const double *force_of(const fdScene *s) { return fd_force_on(fd_find(s, "ff"), fd_find(s, "dofs")); }

// moment about an axis through `centre`
static double moment(const fdScene *s, dvVec3 axis, dvVec3 centre)
{
  const double *f = force_of(s);
  dvState *dofs = dv_state(fd_find(s, "dofs"));
  const double *x = dv_state_read(dofs, DV_X);
  double sum = 0;
  for (size_t i = 0; i < dofs->count; i++)
    sum += dv_vec3_dot(axis, dv_vec3_cross(dv_vec3_sub(dv_vec3_load(x + 3 * i), centre), dv_vec3_load(f + 3 * i)));
  return sum;
}

// t u x (x - o): at distance 2 the force is twice the torque; the axis' length does not count
static void torsion_of_points(void **state)
{
  DV_UNUSED(state);
  fdScene s = fd_open("<Node><MechanicalObject name='dofs' position='1 2 5  3 2 5  1 2 9  1 5 0'/>"
                      "<TorsionForceField name='ff' indices='0 1 2' torque='3' axis='0 0 7' origin='1 2 0'/></Node>");
  const double *f = force_of(&s);
  for (int k = 0; k < 12; k++) check_close(f[k], k == 4 ? 6 : 0, 1e-14);
  fdOptions o = fd_options();
  assert_true(fd_check_force(fd_find(&s, "ff"), &o));
  check_close(moment(&s, dv_vec3(0, 0, 1), dv_vec3(1, 2, 0)), 12, 1e-13);
  fd_close(&s);
}

static void torsion_of_frames(void **state)
{
  DV_UNUSED(state);
  fdScene s = fd_open("<Node><MechanicalObject template='Rigid3' name='dofs' position='0 1 0 0 0 0 1  4 0 0 0 0 0 1'/>"
                      "<TorsionForceField name='ff' indices='0' torque='2' axis='1 0 0'/></Node>");
  static const double wanted[12] = {0, 0, 2, 2, 0, 0};
  for (int k = 0; k < 12; k++) check_close(force_of(&s)[k], wanted[k], 1e-14);
  fdOptions o = fd_options();
  o.checks = FD_STIFFNESS | FD_ASSEMBLY;
  assert_true(fd_check_force(fd_find(&s, "ff"), &o));
  fd_close(&s);
}

static const char *const turned_square =
    "<Node><MechanicalObject name='dofs' position='-1 -1 0  1 -1 0  1 1 0  -1 1 0  5 5 5'/>"
    "<MeshTopology triangles='0 1 2  0 2 3'/>"
    "<OscillatingTorsionPressureForceField name='ff' moment='6' frequency='0.5' triangleList='0 1'/></Node>";

// M cos(2 pi f t) about the axis, whatever the shape has become, and no resultant on a symmetric square
static void moment_follows_the_clock(void **state)
{
  DV_UNUSED(state);
  fdScene s = fd_open(turned_square);
  static const double times[] = {0, 0.25, 0.5, 1};
  for (size_t i = 0; i < DV_COUNT(times); i++) {
    s.scene->root->time = times[i];
    const double *f = force_of(&s);
    check_close(f[0] + f[3] + f[6] + f[9], 0, 1e-12);
    check_close(f[1] + f[4] + f[7] + f[10], 0, 1e-12);
    for (int k = 12; k < 15; k++) check_close(f[k], 0, 0);
    check_close(moment(&s, dv_vec3(0, 0, 1), dv_vec3(0, 0, 0)), 6 * cos(acos(-1.0) * times[i]), 1e-6);
  }
  s.scene->root->time = 0;
  double *x = dv_state_write(dv_state(fd_find(&s, "dofs")), DV_X);
  for (int k = 0; k < 12; k++) x[k] += 0.1 * sin(1 + 5 * k);
  check_close(moment(&s, dv_vec3(0, 0, 1), dv_vec3(0, 0, 0)), 6, 1e-12);
  fd_close(&s);
}

// a square that has turned as a whole feels no penalty: what remains is the moment
static void stiff_rotation_is_free(void **state)
{
  DV_UNUSED(state);
  fdScene s = fd_open(turned_square);
  dvState *dofs = dv_state(fd_find(&s, "dofs"));
  double *x = dv_state_write(dofs, DV_X);
  dvQuat turn = dv_quat_from_axis(dv_vec3(0, 0, 1), 0.7);
  for (size_t i = 0; i < 4; i++) dv_vec3_store(x + 3 * i, dv_quat_rotate(turn, dv_vec3_load(x + 3 * i)));
  s.scene->root->time = 0.5;   // the moment is zero
  for (int k = 0; k < 12; k++) check_close(force_of(&s)[k], 0, 1e-6);
  fd_close(&s);
}

static void bad_input(void **state)
{
  DV_UNUSED(state);
  assert_true(fd_fails("<Node><MechanicalObject position='0 0 0'/><TorsionForceField indices='0' torque='1'/></Node>"));
  assert_true(fd_fails(
      "<Node><MechanicalObject position='0 0 0'/><TorsionForceField indices='4' torque='1' axis='0 0 1'/></Node>"));
  assert_true(fd_fails(
      "<Node><MechanicalObject position='0 0 0'/><OscillatingTorsionPressureForceField triangleList='0'/></Node>"));
  assert_true(fd_fails("<Node><MechanicalObject position='0 0 0  1 0 0  0 1 0'/><MeshTopology triangles='0 1 2'/>"
                       "<OscillatingTorsionPressureForceField triangleList='3'/></Node>"));
  assert_true(fd_fails("<Node><MechanicalObject position='0 0 0  1 0 0  0 1 0'/><MeshTopology triangles='0 1 2'/>"
                       "<OscillatingTorsionPressureForceField triangleList='0' axis='0 0 0'/></Node>"));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(torsion_of_points),
      cmocka_unit_test(torsion_of_frames),
      cmocka_unit_test(moment_follows_the_clock),
      cmocka_unit_test(stiff_rotation_is_free),
      cmocka_unit_test(bad_input),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

// Loads that do not need a mesh: constant and changing forces, obstacles, damping.
#include "support/check.h"
#include "support/fd.h"

#include "base/text.h"

#include <string.h>

static const double *force_of(const fdScene *s) { return fd_force_on(fd_find(s, "ff"), fd_find(s, "dofs")); }

static void constant_forces(void **state)
{
  DV_UNUSED(state);
  static const struct {
    const char *fields;
    double wanted[9];
  } cases[] = {
      {"forces='1 2 3'", {1, 2, 3, 1, 2, 3, 1, 2, 3}},
      {"force='1 2 3' points='1'", {0, 0, 0, 1, 2, 3, 0, 0, 0}},
      {"indices='0 2' forces='1 2 3  4 5 6'", {1, 2, 3, 0, 0, 0, 4, 5, 6}},
      {"indices='0' indexFromEnd='1' forces='1 2 3'", {0, 0, 0, 0, 0, 0, 1, 2, 3}},
      {"totalForce='3 6 9'", {1, 2, 3, 1, 2, 3, 1, 2, 3}},
      {"indices='1 2' totalForce='3 6 9'", {0, 0, 0, 1.5, 3, 4.5, 1.5, 3, 4.5}},
      {"indices='0 1' forces='1 2 3  4 5 6  7 8 9'", {0}},   // does not fit: told, and nothing applied
  };
  for (size_t i = 0; i < DV_COUNT(cases); i++) {
    char *text = dv_format(
        "<Node><MechanicalObject name='dofs' position='0 0 0  1 0 0  2 0 1'/><ConstantForceField name='ff' %s/></Node>",
        cases[i].fields);
    fdScene s = fd_open(text);
    const double *f = force_of(&s);
    for (int k = 0; k < 9; k++) check_close(f[k], cases[i].wanted[k], 1e-14);
    fdOptions o = fd_options();
    assert_true(fd_check_force(fd_find(&s, "ff"), &o));
    fd_close(&s);
    dv_free(text);
  }
  assert_true(
      fd_fails("<Node><MechanicalObject position='0 0 0'/><ConstantForceField indices='3' forces='1 0 0'/></Node>"));
}

static void constant_force_on_a_frame(void **state)
{
  DV_UNUSED(state);
  fdScene s = fd_open("<Node><MechanicalObject template='Rigid3' name='dofs' position='0 0 0 0 0 0 1'/>"
                      "<ConstantForceField name='ff' forces='1 2 3 4 5 6'/></Node>");
  for (int k = 0; k < 6; k++) check_close(force_of(&s)[k], k + 1, 0);
  fd_close(&s);
}

// interpolated between key times and scaled; from the last one on constant
static void force_between_times(void **state)
{
  DV_UNUSED(state);
  fdScene s =
      fd_open("<Node><MechanicalObject name='dofs' position='0 0 0  1 0 0'/>"
              "<LinearForceField name='ff' points='1' force='2' times='1 3 4' forces='0 0 0  4 0 0  0 1 0'/></Node>");
  static const double times[] = {0, 1, 2, 3, 3.5, 4, 9}, x[] = {0, 0, 4, 8, 4, 0, 0}, y[] = {0, 0, 0, 0, 1, 2, 2};
  for (size_t i = 0; i < DV_COUNT(times); i++) {
    s.scene->root->time = times[i];
    const double *f = force_of(&s);
    check_close(f[3], x[i], 1e-14);
    check_close(f[4], y[i], 1e-14);
    check_close(f[0], 0, 0);
  }
  fd_close(&s);
}

static void check_obstacle(const char *dof, const char *points, const char *obstacle)
{
  char *text =
      dv_format("<Node><MechanicalObject template='%s' name='dofs' position='%s'/>%s</Node>", dof, points, obstacle);
  fdScene s = fd_open(text);
  fdOptions o = fd_options();
  o.checks |= FD_SYMMETRY;
  o.move_x = 0.05;
  assert_true(fd_check_force(fd_find(&s, "ff"), &o));
  fd_close(&s);
  dv_free(text);
}

static void derivatives_of_obstacles(void **state)
{
  DV_UNUSED(state);
  check_obstacle("Vec3", "0 -1 0  0 1 0  1 -2 3", "<PlaneForceField name='ff' normal='0.2 1 0' d='-0.5' damping='0'/>");
  check_obstacle("Vec3", "0 -1 0  0 1 0  1 -2 3", "<PlaneForceField name='ff' normal='0 1 0' bilateral='1'/>");
  check_obstacle("Vec1", "-1  2", "<PlaneForceField name='ff' normal='1'/>");
  check_obstacle("Vec2", "-1 -2  2 3", "<PlaneForceField name='ff'/>");
  check_obstacle("Vec6", "0 -1 0 1 2 3  0 1 0 0 0 0", "<PlaneForceField name='ff' normal='0 1 0 0.5 0 0' d='5'/>");
  check_obstacle("Rigid3", "0 -1 0 0 0 0 1  0 1 0 0 0 0 1", "<PlaneForceField name='ff'/>");
  check_obstacle("Vec3", "0.5 0 0.2  3 0 0", "<SphereForceField name='ff' center='0 0.1 0' radius='1'/>");
  check_obstacle("Vec2", "0.5 0.2  3 0", "<SphereForceField name='ff' center='0 0.1' bilateral='1'/>");
}

// A light point that is pressed into a sphere goes sideways, to the side to which it moved a little, 1 / (1 - h2 k (r/l
// - 1) / m) times as fast after a step: past all bounds and to the other side where h2 k (r/l - 1) exceeds m. Without
// the part that pushes on it keeps its speed, and comes out as before.
static void spheres_do_not_throw_what_is_light(void **state)
{
  DV_UNUSED(state);
  for (int positive = 0; positive < 2; positive++)
    for (double mass = 0.0024; mass < 0.0027; mass += 0.0002) {
      char *text =
          dv_format("<Node gravity='0 0 0' dt='0.01'><EulerImplicitSolver rayleighStiffness='0' rayleighMass='0'/>"
                    "<SparseLDLSolver/><MechanicalObject name='dofs' position='0 0.8 0' velocity='0.1 0 0'/>"
                    "<UniformMass totalMass='%g'/><SphereForceField name='ff' stiffness='100' damping='0' "
                    "positive='%d'/></Node>",
                    mass, positive);
      fdScene s = fd_open(text);
      dv_scene_step(s.scene, 0);
      const double *v = dv_state_read(dv_state(fd_find(&s, "dofs")), DV_V), push = 1e-4 * 100;
      check_close(v[0], positive ? 0.1 : 0.1 / (1 - push * 0.25 / mass), 1e-9);
      check_close(v[1], 0.01 * 100 * 0.2 / (mass + push), 1e-9);
      fd_close(&s);
      dv_free(text);
    }
  check_obstacle("Vec3", "0.5 0 0.2  3 0 0", "<SphereForceField name='ff' bilateral='1' positive='0'/>");
  check_obstacle("Vec3", "3 0 0  0 2 1", "<SphereForceField name='ff' bilateral='1' positive='1'/>");
}

// depth 2, stiffness 100: force 200, energy 200; damping per depth; at most maxForce
static void plane_in_numbers(void **state)
{
  DV_UNUSED(state);
  fdScene s = fd_open("<Node><MechanicalObject name='dofs' position='0 -3 0  0 1 0' velocity='1 -2 0  5 5 5'/>"
                      "<PlaneForceField name='ff' normal='0 1 0' d='-1' stiffness='100' damping='3'/></Node>");
  const double *f = force_of(&s);
  check_close(f[0], -6, 1e-12);
  check_close(f[1], 200 + 12, 1e-12);
  check_close(f[4], 0, 0);
  check_close(fd_energy_of(fd_find(&s, "ff")), 200, 1e-12);
  assert_int_equal(dv_object_set(fd_find(&s, "ff"), "maxForce", "10"), DV_OK);
  f = force_of(&s);
  check_close(sqrt(f[0] * f[0] + f[1] * f[1]), 10, 1e-12);
  fd_close(&s);
}

// inside (2, 1, 1) along x: v = 0.5 - 1, out along x
static void ellipsoid_in_numbers(void **state)
{
  DV_UNUSED(state);
  fdScene s = fd_open("<Node><MechanicalObject name='dofs' position='1 0 0  5 0 0  0 0 0'/>"
                      "<EllipsoidForceField name='ff' vradius='2 1 1' stiffness='100' damping='0'/></Node>");
  const double *f = force_of(&s);
  check_close(f[0], 50, 1e-12);
  check_close(f[3], 0, 0);
  check_close(f[6], 0, 0);   // the centre has no way out
  fdOptions o = fd_options();
  o.checks = FD_ASSEMBLY;
  assert_true(fd_check_force(fd_find(&s, "ff"), &o));
  fd_close(&s);
  assert_true(fd_fails("<Node><MechanicalObject position='0 0 0'/><EllipsoidForceField vradius='0 1 1'/></Node>"));
}

// the same ellipsoid in a frame that is turned by 90 degrees about z: its long axis is the world's y
static void ellipsoid_in_a_frame(void **state)
{
  DV_UNUSED(state);
  fdScene s = fd_open("<Node><Node name='A'><MechanicalObject name='dofs' position='5 1 0  8 0 0'/></Node>"
                      "<Node name='B'><MechanicalObject template='Rigid3' name='frame' position='5 0 0 0 0 "
                      "0.70710678118654752 0.70710678118654752'/></Node>"
                      "<InteractionEllipsoidForceField name='ff' object1='@A/dofs' object2='@B/frame' vradius='2 1 1' "
                      "stiffness='100' damping='0'/></Node>");
  check_close(force_of(&s)[1], 50, 1e-12);
  check_close(force_of(&s)[3], 0, 0);
  check_close(fd_force_on(fd_find(&s, "ff"), fd_find(&s, "frame"))[1], -50, 1e-12);
  fdOptions o = fd_options();
  o.checks = FD_ASSEMBLY;
  assert_true(fd_check_force(fd_find(&s, "ff"), &o));
  fd_close(&s);
}

static void cone_in_numbers(void **state)
{
  DV_UNUSED(state);
  fdScene s =
      fd_open("<Node><MechanicalObject name='dofs' position='0 -5 0  0 -12 0  0 3 0  3 -3 0'/>"
              "<ConicalForceField name='ff' coneHeight='0 -10 0' coneAngle='30' stiffness='10' damping='0'/></Node>");
  const double *f = force_of(&s);
  check_close(f[1], 0, 0);         // inside
  check_close(f[4], 20, 1e-12);    // 2 beyond the end
  check_close(f[7], -30, 1e-12);   // 3 above the tip
  // 45 degrees from the axis at a distance of sqrt(18): 15 degrees beside the cone
  check_close(sqrt(f[9] * f[9] + f[10] * f[10]), 10 * sqrt(18) * sin(acos(-1.0) / 12), 1e-12);
  assert_true(f[9] < 0 && f[10] < 0);
  fdOptions o = fd_options();
  o.checks = FD_ASSEMBLY | FD_SYMMETRY;
  assert_true(fd_check_force(fd_find(&s, "ff"), &o));
  fd_close(&s);
}

static void damping(void **state)
{
  DV_UNUSED(state);
  static const char *const forces[] = {
      "<UniformVelocityDampingForceField name='ff' dampingCoefficient='0.3' implicit='1'/>",
      "<DiagonalVelocityDampingForceField name='ff' dampingCoefficient='1 2 3'/>",
      "<DiagonalVelocityDampingForceField name='ff' dampingCoefficient='1 2 3  4 5 6'/>"};
  for (size_t i = 0; i < DV_COUNT(forces); i++) {
    char *text = dv_format("<Node><MechanicalObject name='dofs' position='0 0 0  1 1 1'/>%s</Node>", forces[i]);
    fdScene s = fd_open(text);
    fdOptions o = fd_options();
    o.checks = FD_STIFFNESS | FD_DAMPING | FD_ASSEMBLY;
    o.move_v = 2;
    assert_true(fd_check_force(fd_find(&s, "ff"), &o));
    fd_close(&s);
    dv_free(text);
  }
}

static void gravity_of_a_node(void **state)
{
  DV_UNUSED(state);
  fdScene s = fd_open("<Node gravity='0 -10 0'><Node name='A'><Gravity gravity='1 2 3'/><Node name='B'/></Node><Node "
                      "name='C'/></Node>");
  dvNode *a = dv_node_child(s.scene->root, "A");
  check_close(a->gravity[1], 2, 0);
  check_close(dv_node_child(a, "B")->gravity[2], 3, 0);
  check_close(dv_node_child(s.scene->root, "C")->gravity[1], -10, 0);
  fd_close(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(constant_forces),      cmocka_unit_test(constant_force_on_a_frame),
      cmocka_unit_test(force_between_times),  cmocka_unit_test(derivatives_of_obstacles),
      cmocka_unit_test(plane_in_numbers),     cmocka_unit_test(spheres_do_not_throw_what_is_light),
      cmocka_unit_test(ellipsoid_in_numbers), cmocka_unit_test(ellipsoid_in_a_frame),
      cmocka_unit_test(cone_in_numbers),      cmocka_unit_test(damping),
      cmocka_unit_test(gravity_of_a_node),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

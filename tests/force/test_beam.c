// BeamFEMForceField against the closed forms of Euler and Bernoulli, rigid motion, derivatives, bad input.
#include "support/check.h"
#include "support/fd.h"

#include "base/text.h"
#include "math/vec.h"

static const double young = 1e5, radius = 0.05;

// four beams of length 0.5 along x
static fdScene open_arm(const char *attributes)
{
  char *text = dv_format("<Node><MechanicalObject template='Rigid3' name='dofs' position='0 0 0 0 0 0 1  0.5 0 0 0 0 0 "
                         "1  1 0 0 0 0 0 1  1.5 0 0 0 0 0 1"
                         "  2 0 0 0 0 0 1'/><MeshTopology edges='0 1 1 2 2 3 3 4'/>"
                         "<BeamFEMForceField name='ff' youngModulus='100000' poissonRatio='0.25' %s/></Node>",
                         attributes);
  fdScene s = fd_open(text);
  dv_free(text);
  return s;
}

static double *positions(fdScene *s) { return dv_state_write(dv_state(fd_find(s, "dofs")), DV_X); }
static const double *force_of(fdScene *s) { return fd_force_on(fd_find(s, "ff"), fd_find(s, "dofs")); }

static void turn(double *x, dvVec3 rotation)
{
  double angle = dv_vec3_norm(rotation);
  if (angle > 0)
    dv_quat_store(x + 3,
                  dv_quat_mul(dv_quat_from_axis(dv_vec3_scale(rotation, 1 / angle), angle), dv_quat_load(x + 3)));
}

// v = F s^2 (3 L - s) / 6 E I, angle F s (2 L - s) / 2 E I: the points in between are in balance, the end carries F
static void cantilever(const char *attributes, double inertia, int axis)
{
  fdScene s = open_arm(attributes);
  const double l = 2, load = 1e-4 * young * inertia, c = load / (young * inertia);
  double *x = positions(&s);
  for (int p = 0; p < 5; p++) {
    double at = 0.5 * p, slope = c * at * (2 * l - at) / 2;
    x[7 * p + axis] += c * at * at * (3 * l - at) / 6;
    turn(x + 7 * p, axis == 1 ? dv_vec3(0, 0, slope) : dv_vec3(0, -slope, 0));
  }
  const double *f = force_of(&s);
  check_close(f[24 + axis], -load, 1e-3 * load);
  check_close(f[axis], load, 1e-3 * load);
  check_close(f[axis == 1 ? 5 : 4], (axis == 1 ? 1 : -1) * load * l, 2e-3 * load);   // moment at the wall
  for (int p = 1; p < 4; p++) {
    check_close(f[6 * p + axis], 0, 2e-3 * load);
    check_close(f[6 * p + (axis == 1 ? 5 : 4)], 0, 2e-3 * load);
  }
  fd_close(&s);
}

static void bending(void **state)
{
  DV_UNUSED(state);
  double pi = acos(-1.0), r4 = pow(radius, 4), inner = pow(0.03, 4);
  cantilever("radius='0.05'", pi * r4 / 4, 1);
  cantilever("radius='0.05'", pi * r4 / 4, 2);
  cantilever("radius='0.05' radiusInner='0.03'", pi * (r4 - inner) / 4, 1);
  cantilever("section='0.01 3e-6 2e-6 4e-6'", 2e-6, 1);   // deflection along y: moment about z
  cantilever("section='0.01 3e-6 2e-6 4e-6'", 3e-6, 2);
}

static void stretch_and_twist(void **state)
{
  DV_UNUSED(state);
  fdScene s = open_arm("radius='0.05'");
  double *x = positions(&s), pi = acos(-1.0), area = pi * radius * radius, polar = pi * pow(radius, 4) / 2,
         shear = young / 2.5;
  for (int p = 0; p < 5; p++) {
    x[7 * p] *= 1 + 1e-3;
    turn(x + 7 * p, dv_vec3(0.01 * p, 0, 0));
  }
  const double *f = force_of(&s);
  check_close(f[24], -young * area * 1e-3, 1e-9);
  check_close(f[27], -shear * polar * 0.04 / 2, 1e-12);
  check_close(f[12], 0, 1e-10);
  check_close(fd_energy_of(fd_find(&s, "ff")), 0.5 * (young * area * 2 * 1e-6 + shear * polar * 0.02 * 0.02 * 2), 1e-9);
  fd_close(&s);
}

static void turned_arm(void **state)
{
  DV_UNUSED(state);
  fdScene s = open_arm("radius='0.05'");
  double *x = positions(&s);
  dvVec3 rotation = {0.3, -2, 1};
  dvQuat q = dv_quat_from_rotation_vector(rotation);
  for (int p = 0; p < 5; p++) {
    dv_vec3_store(x + 7 * p, dv_vec3_add(dv_quat_rotate(q, dv_vec3_load(x + 7 * p)), dv_vec3(1, 2, 3)));
    dv_quat_store(x + 7 * p + 3, p % 2 ? q : dv_quat_scale(q, -1));   // either sign is the same rotation
  }
  const double *f = force_of(&s);
  for (int i = 0; i < 30; i++) check_close(f[i], 0, 1e-10);
  fd_close(&s);
}

static void derivatives(void **state)
{
  DV_UNUSED(state);
  fdScene s = open_arm("radius='0.05 0.04 0.03 0.02'");
  fdOptions o = fd_options();
  o.checks = FD_STIFFNESS | FD_ASSEMBLY | FD_SYMMETRY;   // the frame is held in K: exact where the beams are at rest
  o.move_x = 0;
  o.samples = 1;
  o.tolerance = 1e-5;
  assert_true(fd_check_force(fd_find(&s, "ff"), &o));
  o.checks = FD_ASSEMBLY | FD_SYMMETRY;
  o.move_x = 0.2;
  o.samples = 3;
  assert_true(fd_check_force(fd_find(&s, "ff"), &o));
  fd_close(&s);
}

static void chosen_edges(void **state)
{
  DV_UNUSED(state);
  fdScene s = open_arm("radius='0.05' listSegment='1 3'");
  double *x = positions(&s);
  x[7 * 1] += 0.01;   // between a gap and a beam
  x[7 * 4] += 0.01;
  const double *f = force_of(&s);
  double k = young * acos(-1.0) * radius * radius / 0.5;
  check_close(f[0], 0, 0);
  check_close(f[6], -0.01 * k, 1e-9 * k);
  check_close(f[18], 0.01 * k, 1e-9 * k);
  fd_close(&s);
}

static void bad_input(void **state)
{
  DV_UNUSED(state);
  const char *bad[] = {"radius='0'",        "radius='-1'",       "radius='nan'",
                       "radius=''",         "radiusInner='0.2'", "radiusInner='-0.01'",
                       "section='1 1 0 1'", "youngModulus='-5'", "poissonRatio='0.5'"};
  for (size_t i = 0; i < DV_COUNT(bad); i++) {
    char *text = dv_format(
        "<Node><MechanicalObject template='Rigid3' position='0 0 0 0 0 0 1  1 0 0 0 0 0 1'/><MeshTopology edges='0 1'/>"
        "<BeamFEMForceField %s/></Node>",
        bad[i]);
    assert_true(fd_fails(text));
    dv_free(text);
  }
  assert_true(fd_fails("<Node><MechanicalObject template='Rigid3' position='0 0 0 0 0 0 1  1 0 0 0 0 0 "
                       "1'/><BeamFEMForceField/></Node>"));
  assert_true(fd_fails("<Node><MechanicalObject template='Rigid3' position='0 0 0 0 0 0 1'/><MeshTopology edges='0 "
                       "1'/><BeamFEMForceField/></Node>"));
  // a beam without length: a warning, no force
  fdScene s = fd_open("<Node><MechanicalObject template='Rigid3' name='dofs' position='0 0 0 0 0 0 1  0 0 0 0 0 0 "
                      "1'/><MeshTopology edges='0 1'/><BeamFEMForceField name='ff'/></Node>");
  positions(&s)[7] = 1;
  check_close(force_of(&s)[6], 0, 0);
  fd_close(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bending),     cmocka_unit_test(stretch_and_twist), cmocka_unit_test(turned_arm),
      cmocka_unit_test(derivatives), cmocka_unit_test(chosen_edges),      cmocka_unit_test(bad_input),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

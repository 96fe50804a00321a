// QuadBendingFEMForceField: membrane and transverse shear against closed forms, derivatives, bad input.
#include "support/check.h"
#include "support/fd.h"

#include "base/text.h"

// two rectangles of 1 x 0.5
static fdScene open_plate(const char *attributes)
{
  char *text = dv_format(
      "<Node><MechanicalObject name='dofs' position='0 0 0  1 0 0  2 0 0  0 0.5 0  1 0.5 0  2 0.5 0'/>"
      "<MeshTopology quads='0 1 4 3  1 2 5 4'/><QuadBendingFEMForceField name='ff' poissonRatio='0.3' %s/></Node>",
      attributes);
  fdScene s = fd_open(text);
  dv_free(text);
  return s;
}

static double *positions(fdScene *s) { return dv_state_write(dv_state(fd_find(s, "dofs")), DV_X); }
static const double *force_of(fdScene *s) { return fd_force_on(fd_find(s, "ff"), fd_find(s, "dofs")); }

// small stretch and shear of the whole: the patch test, and stress times side at the ends
static void patch(void **state)
{
  DV_UNUSED(state);
  const double e = 1e-6, g = 2e-6, young = 1000, thickness = 0.2;
  fdScene s = open_plate("thickness='0.2'");
  double *x = positions(&s);
  for (int p = 0; p < 6; p++) x[3 * p] += e * x[3 * p] + g * x[3 * p + 1];
  const double *f = force_of(&s);
  double stress = thickness * young / (1 - 0.09) * e, shear = thickness * young / 2.6 * g;
  check_close(f[6] + f[15], -0.5 * stress, 1e-8);   // right side, length 0.5
  check_close(f[7] + f[16], -0.5 * shear + 0, 1e-8);
  check_close(f[3], shear, 1e-8);   // middle of the lower side, length 1
  check_close(f[12], -shear, 1e-8);
  fd_close(&s);
}

// w = s x: transverse shear force G s per length on the ends, none in between
static void slope(void **state)
{
  DV_UNUSED(state);
  fdScene s = open_plate("thickness='0.2'");
  double *x = positions(&s);
  for (int p = 0; p < 6; p++) x[3 * p + 2] += 1e-6 * x[3 * p];
  const double *f = force_of(&s);
  double force = 5.0 / 6.0 * 1000 * 0.2 / 2.6 * 1e-6 * 0.5;
  check_close(f[8] + f[17], -force, 1e-12);
  check_close(f[5] + f[14], 0, 1e-12);
  check_close(f[2] + f[11], force, 1e-12);
  fd_close(&s);
}

static void derivatives(void **state)
{
  DV_UNUSED(state);
  fdScene s = open_plate("");
  fdOptions o = fd_options();
  o.checks = FD_STIFFNESS | FD_ASSEMBLY | FD_SYMMETRY;   // half sides are held in K: exact at rest
  o.move_x = 0;
  o.samples = 1;
  assert_true(fd_check_force(fd_find(&s, "ff"), &o));
  o.checks = FD_ASSEMBLY | FD_SYMMETRY;
  o.move_x = 0.1;
  assert_true(fd_check_force(fd_find(&s, "ff"), &o));
  // energy near rest: half the work
  double *x = positions(&s), work = 0;
  for (int i = 0; i < 18; i++) x[i] += 1e-6 * sin(5 * i);
  const double *f = force_of(&s);
  for (int i = 0; i < 18; i++) work -= 0.5e-6 * sin(5 * i) * f[i];
  check_close(fd_energy_of(fd_find(&s, "ff")) / work, 1, 1e-4);
  // a plate that shrinks to a point stays finite
  for (int i = 0; i < 18; i++) x[i] = 0;
  f = force_of(&s);
  for (int i = 0; i < 18; i++) assert_true(isfinite(f[i]));
  fd_close(&s);
}

static void bad_input(void **state)
{
  DV_UNUSED(state);
  const char *bad[] = {"thickness='0'", "thickness='-2'", "youngModulus='-1'", "poissonRatio='1'", "poissonRatio=''"};
  for (size_t i = 0; i < DV_COUNT(bad); i++) {
    char *text = dv_format("<Node><MechanicalObject position='0 0 0 1 0 0 1 1 0 0 1 0'/><MeshTopology quads='0 1 2 "
                           "3'/><QuadBendingFEMForceField %s/></Node>",
                           bad[i]);
    assert_true(fd_fails(text));
    dv_free(text);
  }
  assert_true(fd_fails("<Node><MechanicalObject position='0 0 0'/><QuadBendingFEMForceField/></Node>"));
  assert_true(fd_fails(
      "<Node><MechanicalObject position='0 0 0'/><MeshTopology quads='0 1 2 3'/><QuadBendingFEMForceField/></Node>"));
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(patch), cmocka_unit_test(slope), cmocka_unit_test(derivatives),
                                     cmocka_unit_test(bad_input)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

// TriangularAnisotropicFEMForceField: moduli along and across the fibres, the isotropic case, derivatives, bad input.
#include "support/check.h"
#include "support/fd.h"

#include "base/text.h"

// a square of side 1 and two triangles of area 1/2
static fdScene open_sheet(const char *attributes)
{
  char *text = dv_format("<Node><MechanicalObject name='dofs' position='0 0 0  1 0 0  1 1 0  0 1 0'/><MeshTopology "
                         "triangles='0 1 2  0 2 3'/>"
                         "<TriangularAnisotropicFEMForceField name='ff' %s/></Node>",
                         attributes);
  fdScene s = fd_open(text);
  dv_free(text);
  return s;
}

static double *positions(fdScene *s) { return dv_state_write(dv_state(fd_find(s, "dofs")), DV_X); }
static const double *force_of(fdScene *s) { return fd_force_on(fd_find(s, "ff"), fd_find(s, "dofs")); }

// Strain e along x, the sides held: stress Q of the direction.
static double pull(const char *attributes, double e)
{
  fdScene s = open_sheet(attributes);
  double *x = positions(&s);
  x[3] += e;
  x[6] += e;
  const double *f = force_of(&s);
  double force = -(f[3] + f[6]);
  fd_close(&s);
  return force / e;
}

static void along_and_across(void **state)
{
  DV_UNUSED(state);
  const char *common = "youngModulus='3000' transverseYoungModulus='1000' poissonRatio='0.3' fiberAngle";
  double below = 1 - 0.09 / 3, q11 = 3000 / below, q22 = 1000 / below, q12 = 0.3 * q22, q66 = 3000 / 2.6;
  char *along = dv_format("%s='0'", common), *across = dv_format("%s='90'", common),
       *between = dv_format("%s='45'", common);
  check_close(pull(along, 1e-7), q11, 1e-3);
  check_close(pull(across, 1e-7), q22, 1e-3);
  check_close(pull(between, 1e-7), 0.25 * (q11 + q22 + 2 * q12 + 4 * q66), 1e-3);
  dv_free(along);
  dv_free(across);
  dv_free(between);
}

// with equal moduli the direction does not matter
static void isotropic(void **state)
{
  DV_UNUSED(state);
  const char *angles[] = {"0", "30", "77"};
  for (size_t i = 0; i < DV_COUNT(angles); i++) {
    char *text =
        dv_format("youngModulus='1000' transverseYoungModulus='1000' poissonRatio='0.3' fiberAngle='%s'", angles[i]);
    check_close(pull(text, 1e-7), 1000 / (1 - 0.09), 1e-3);
    dv_free(text);
  }
}

// circles around a point: at the middle of each triangle the fibre is normal to the radius
static void circles(void **state)
{
  DV_UNUSED(state);
  fdScene s = open_sheet("fiberCenter='5 0.5 0' youngModulus='3000'");
  const dvReals *local = dv_object_field(fd_find(&s, "ff"), "localFiberDirection")->value;
  assert_int_equal(local->count, 6);
  // first triangle: edges (1, 0) and (1, 1), middle (2/3, 1/3)
  double x = local->data[0] + local->data[1], y = local->data[1];
  check_close(x * (5 - 2.0 / 3) + y * (0.5 - 1.0 / 3), 0, 1e-12);
  fd_close(&s);
}

static void derivatives(void **state)
{
  DV_UNUSED(state);
  const char *methods[] = {"large", "small"};
  for (size_t i = 0; i < DV_COUNT(methods); i++) {
    char *text = dv_format("youngModulus='3000' fiberAngle='20' method='%s'", methods[i]);
    fdScene s = open_sheet(text);
    fdOptions o = fd_options();
    o.checks = FD_STIFFNESS | FD_ASSEMBLY | FD_SYMMETRY;
    o.move_x = 0;
    o.samples = 1;
    assert_true(fd_check_force(fd_find(&s, "ff"), &o));
    fd_close(&s);
    dv_free(text);
  }
}

static void bad_input(void **state)
{
  DV_UNUSED(state);
  const char *bad[] = {"youngModulus='0'", "transverseYoungModulus='-1'", "transverseYoungModulus=''",
                       "fiberAngle='nan'", "youngModulus='10' transverseYoungModulus='1000' poissonRatio='0.3'"};
  for (size_t i = 0; i < DV_COUNT(bad); i++) {
    char *text = dv_format("<Node><MechanicalObject position='0 0 0  1 0 0  0 1 0'/><MeshTopology triangles='0 1 2'/>"
                           "<TriangularAnisotropicFEMForceField %s/></Node>",
                           bad[i]);
    assert_true(fd_fails(text));
    dv_free(text);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(along_and_across), cmocka_unit_test(isotropic),
                                     cmocka_unit_test(circles), cmocka_unit_test(derivatives),
                                     cmocka_unit_test(bad_input)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

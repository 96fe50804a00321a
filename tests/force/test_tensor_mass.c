// Tensor-mass: against the corotational tetrahedra without rotation, closed forms, derivatives, bad input.
#include "support/check.h"
#include "support/fd.h"

#include "base/text.h"

static const char *tetra = "<MechanicalObject name='dofs' position='0 0 0  1 0 0  0 1 0  0.2 0.1 1  1 1 "
                           "0.9'/><MeshTopology tetrahedra='0 1 2 3  1 2 3 4'/>";
static const char *sheet = "<MechanicalObject name='dofs' position='0 0 0  1 0 0  1 1 0  0 1 0  0.6 0.45 "
                           "0'/><MeshTopology triangles='0 1 4  1 2 4  2 3 4  3 0 4'/>";

static fdScene open_body(const char *mesh, const char *forces)
{
  char *text = dv_format("<Node>%s%s</Node>", mesh, forces);
  fdScene s = fd_open(text);
  dv_free(text);
  return s;
}

static double *positions(fdScene *s) { return dv_state_write(dv_state(fd_find(s, "dofs")), DV_X); }
static const double *force_of(fdScene *s, const char *name)
{
  return fd_force_on(fd_find(s, name), fd_find(s, "dofs"));
}

// the same linear elasticity, sorted by edges
static void same_as_elements(void **state)
{
  DV_UNUSED(state);
  fdScene s = open_body(
      tetra,
      "<TetrahedralTensorMassForceField name='edges' youngModulus='500' poissonRatio='0.4'/>"
      "<TetrahedralCorotationalFEMForceField name='elements' method='small' youngModulus='500' poissonRatio='0.4'/>");
  double *x = positions(&s), kept[15];
  for (int i = 0; i < 15; i++) x[i] += 0.3 * sin(7 * i);
  for (int i = 0; i < 15; i++) kept[i] = force_of(&s, "elements")[i];
  for (int i = 0; i < 15; i++) check_close(force_of(&s, "edges")[i], kept[i], 1e-9);
  check_close(fd_energy_of(fd_find(&s, "edges")), fd_energy_of(fd_find(&s, "elements")), 1e-9);
  fd_close(&s);
}

// stretch in the plane: stress of a sheet of unit thickness, lambda tr(e) + mu e with mu = E / (1 + nu)
static void stretched_sheet(void **state)
{
  DV_UNUSED(state);
  fdScene s = open_body(sheet, "<TriangularTensorMassForceField name='edges' youngModulus='200' poissonRatio='0.3'/>");
  double *x = positions(&s);
  for (int p = 0; p < 5; p++) x[3 * p] *= 1.1;
  const double *f = force_of(&s, "edges");
  double stress = 200 / (1 - 0.09) * 0.1;
  check_close(f[3] + f[6], -stress, 1e-10);
  check_close(f[4] + f[1], 0.3 * stress, 1e-10);   // the lower side is held back
  check_close(f[12], 0, 1e-10);
  fd_close(&s);
}

static void derivatives(void **state)
{
  DV_UNUSED(state);
  fdOptions o = fd_options();
  o.checks |= FD_SYMMETRY;
  o.move_x = 0.2;
  fdScene s = open_body(tetra, "<TetrahedralTensorMassForceField name='ff'/>");
  assert_true(fd_check_force(fd_find(&s, "ff"), &o));
  fd_close(&s);
  s = open_body(sheet, "<TriangularTensorMassForceField name='ff' poissonRatio='0.9'/>");
  assert_true(fd_check_force(fd_find(&s, "ff"), &o));
  fd_close(&s);
}

static void bad_input(void **state)
{
  DV_UNUSED(state);
  const char *bad[] = {"<TetrahedralTensorMassForceField youngModulus='-1'/>",
                       "<TetrahedralTensorMassForceField poissonRatio='0.5'/>",
                       "<TetrahedralTensorMassForceField youngModulus='nan'/>",
                       "<TetrahedralTensorMassForceField topology='@nowhere'/>"};
  for (size_t i = 0; i < DV_COUNT(bad); i++) {
    char *text = dv_format("<Node>%s%s</Node>", tetra, bad[i]);
    assert_true(fd_fails(text));
    dv_free(text);
  }
  assert_true(fd_fails("<Node><MechanicalObject position='0 0 0'/><MeshTopology triangles='0 1 "
                       "2'/><TriangularTensorMassForceField/></Node>"));
  assert_true(fd_fails("<Node><MechanicalObject position='0 0 0'/><TriangularTensorMassForceField/></Node>"));
  // flat elements: a warning and no force
  fdScene s = open_body("<MechanicalObject name='dofs' position='0 0 0  1 0 0  2 0 0  3 0 0'/><MeshTopology "
                        "tetrahedra='0 1 2 3' triangles='0 1 2'/>",
                        "<TetrahedralTensorMassForceField name='a'/><TriangularTensorMassForceField name='b'/>");
  positions(&s)[4] = 0.5;
  for (int i = 0; i < 12; i++) check_close(force_of(&s, i % 2 ? "a" : "b")[i], 0, 0);
  fd_close(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(same_as_elements), cmocka_unit_test(stretched_sheet),
                                     cmocka_unit_test(derivatives), cmocka_unit_test(bad_input)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

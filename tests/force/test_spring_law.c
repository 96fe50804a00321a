// Springs with other laws: polynomials of the strain, rest vectors, membranes; and springs from files.
#include "support/check.h"
#include "support/fd.h"

#include "base/text.h"

#include <string.h>

static const double *force_of(const fdScene *s) { return fd_force_on(fd_find(s, "ff"), fd_find(s, "dofs")); }

// strain 0.5 on a length of 2: 4 s + 8 s^2
static void polynomial_of_the_strain(void **state)
{
  DV_UNUSED(state);
  fdScene s = fd_open("<Node><MechanicalObject name='dofs' position='0 0 0  3 0 0'/>"
                      "<PolynomialSpringsForceField name='ff' firstObjectPoints='0' secondObjectPoints='1' "
                      "polynomialStiffness='4 8' polynomialDegree='2'"
                      " computeZeroLength='0' zeroLength='2'/></Node>");
  check_close(force_of(&s)[0], 4, 1e-12);
  check_close(force_of(&s)[3], -4, 1e-12);
  fdOptions o = fd_options();
  o.checks |= FD_SYMMETRY;
  assert_true(fd_check_force(fd_find(&s, "ff"), &o));
  dv_state_write(dv_state(fd_find(&s, "dofs")), DV_X)[3] = 1;   // shortened: does not push
  check_close(force_of(&s)[0], 0, 0);
  assert_int_equal(dv_object_set(fd_find(&s, "ff"), "compressible", "1"), DV_OK);
  check_close(force_of(&s)[0], -4, 1e-12);
  fd_close(&s);
}

// the first force finds the lengths at rest
static void polynomial_lengths_from_the_start(void **state)
{
  DV_UNUSED(state);
  fdScene s = fd_open("<Node><MechanicalObject name='dofs' position='0 0 0  2 0 0  0 4 0'/>"
                      "<PolynomialSpringsForceField name='ff' firstObjectPoints='0 0' secondObjectPoints='1 2' "
                      "polynomialStiffness='10 20 30' polynomialDegree='1 2'/></Node>");
  for (int i = 0; i < 9; i++) check_close(force_of(&s)[i], 0, 0);
  dv_state_write(dv_state(fd_find(&s, "dofs")), DV_X)[7] = 6;
  check_close(force_of(&s)[1], 20 * 0.5 + 30 * 0.25, 1e-12);
  fd_close(&s);
  assert_true(fd_fails("<Node><MechanicalObject position='0 0 0  2 0 0'/><PolynomialSpringsForceField "
                       "polynomialStiffness='1' polynomialDegree='3'/></Node>"));
}

// with recompute_indices springs go to other points while the scene runs, and keep their lengths
static void polynomial_lists_that_change(void **state)
{
  DV_UNUSED(state);
  fdScene s =
      fd_open("<Node><MechanicalObject name='dofs' position='0 0 0  2 0 0  0 3 0'/>"
              "<PolynomialSpringsForceField name='ff' firstObjectPoints='0' secondObjectPoints='1' "
              "polynomialStiffness='10' recompute_indices='1'/><PolynomialRestShapeSpringsForceField "
              "name='rest' points='1' polynomialStiffness='10' smoothScale='1000' recompute_indices='1'/>"
              "<PolynomialRestShapeSpringsForceField name='still' points='1' polynomialStiffness='10'/></Node>");
  dvObject *dofs = fd_find(&s, "dofs");
  check_close(force_of(&s)[0], 0, 0);
  assert_int_equal(dv_object_set(fd_find(&s, "ff"), "secondObjectPoints", "2"), DV_OK);
  check_close(force_of(&s)[1], 10 * 0.5, 1e-12);   // 3 on a length of 2
  check_close(force_of(&s)[7], -10 * 0.5, 1e-12);
  assert_int_equal(dv_object_set(fd_find(&s, "ff"), "secondObjectPoints", "2 1"), DV_OK);
  assert_int_equal(dv_object_set(fd_find(&s, "ff"), "firstObjectPoints", "0 0"), DV_OK);
  check_close(force_of(&s)[0], 0, 0);   // a new spring has the length that it finds
  check_close(force_of(&s)[1], 10 * 0.5, 1e-12);
  dv_state_write(dv_state(dofs), DV_X)[8] = 4;
  check_close(fd_force_on(fd_find(&s, "rest"), dofs)[8], 0, 0);
  assert_int_equal(dv_object_set(fd_find(&s, "rest"), "points", "2"), DV_OK);
  check_close(fd_force_on(fd_find(&s, "rest"), dofs)[8], -40, 1e-12);
  assert_int_equal(dv_object_set(fd_find(&s, "still"), "points", "2"), DV_OK);
  check_close(fd_force_on(fd_find(&s, "still"), dofs)[8], 0, 0);
  fd_close(&s);
}

// far from rest the smoothing is gone: f = -P(d / l)
static void polynomial_to_the_rest_shape(void **state)
{
  DV_UNUSED(state);
  fdScene s = fd_open("<Node><MechanicalObject name='dofs' rest_position='0 0 0  1 0 0' position='0 0 0  4 0 0'/>"
                      "<PolynomialRestShapeSpringsForceField name='ff' points='1' polynomialStiffness='4 8' "
                      "polynomialDegree='2' initialLength='6' smoothScale='100'/></Node>");
  check_close(force_of(&s)[3], -4, 1e-12);
  check_close(force_of(&s)[0], 0, 0);
  fdOptions o = fd_options();
  o.checks = FD_ASSEMBLY | FD_SYMMETRY;
  assert_true(fd_check_force(fd_find(&s, "ff"), &o));
  fd_close(&s);
}

static void springs_with_a_vector(void **state)
{
  DV_UNUSED(state);
  fdScene s = fd_open("<Node><MechanicalObject name='dofs' rest_position='0 0 0  1 0 0' position='0 0 0  1 2 "
                      "0'/><MeshTopology edges='0 1'/>"
                      "<VectorSpringForceField name='ff' stiffness='5' viscosity='0' useTopology='1'/></Node>");
  check_close(force_of(&s)[0], 0, 1e-14);
  check_close(force_of(&s)[1], 10, 1e-14);
  check_close(fd_energy_of(fd_find(&s, "ff")), 10, 1e-12);
  fdOptions o = fd_options();
  o.checks |= FD_SYMMETRY;
  assert_true(fd_check_force(fd_find(&s, "ff"), &o));
  fd_close(&s);
}

static void springs_from_files(void **state)
{
  DV_UNUSED(state);
  char *directory = check_mkdir();
  char *path = check_write(directory, "two.xs4",
                           "Xsp 4.0\nnumm 2\nnums 2\nmass 1 s 0 0 0 0 0 0 1 1\nmass 2 s 2 0 0 0 0 0 1 1\n"
                           "lspg 1 1 2 10 0 1 1 0 0\nlspg 2 1 2 10 0 -1 0 0 0\n");
  char *text = dv_format(
      "<Node><MechanicalObject name='dofs' position='0 0 0  3 0 0'/><VectorSpringForceField name='ff' filename='%s'/>"
      "<SpringForceField name='plain' fileSprings='%s'/></Node>",
      path, path);
  fdScene s = fd_open(text);
  check_close(force_of(&s)[0], 10 * (3 - 1) + 5 * 3, 1e-12);   // the second is at rest at zero; stiffness 10 / 2
  check_close(fd_force_on(fd_find(&s, "plain"), fd_find(&s, "dofs"))[0], 10 * (3 - 1) + 5 * (3 - 2), 1e-12);
  fd_close(&s);
  dv_free(text);
  dv_free(path);
  const char *bad[] = {"", "Xsp 5\n", "Xsp 3\nlspg 1 1 2 1 1 1\n", "Xsp 3\nmass 1 s 0 0 0 0 0 0 1 1\nlspg 1 1 2 1 1\n",
                       "Xsp 3\nmass 1 s nan"};
  for (size_t i = 0; i < DV_COUNT(bad); i++) {
    path = check_write(directory, "bad.xs3", bad[i]);
    text =
        dv_format("<Node><MechanicalObject position='0 0 0  3 0 0'/><SpringForceField fileSprings='%s'/></Node>", path);
    assert_true(fd_fails(text));
    dv_free(text);
    dv_free(path);
  }
  check_rmdir(directory);
}

static fdScene open_membrane(const char *force)
{
  char *text = dv_format("<Node><MechanicalObject name='dofs' position='0 0 0  1 0 0  0.2 1.1 0  1.3 0.9 "
                         "0.2'/><MeshTopology triangles='0 1 2  1 3 2'/>%s</Node>",
                         force);
  fdScene s = fd_open(text);
  dv_free(text);
  return s;
}

// for small strains a membrane is linear elasticity: a uniform stretch e of a free edge length needs the stress E e /
// (1 - nu)
static void membrane_under_stretch(void **state)
{
  DV_UNUSED(state);
  static const char *const kinds[] = {"TriangularQuadraticSpringsForceField", "TriangularBiquadraticSpringsForceField"};
  for (size_t i = 0; i < DV_COUNT(kinds); i++) {
    char *text = dv_format(
        "<Node><MechanicalObject name='dofs' position='0 0 0  1 0 0  0 1 0'/><MeshTopology triangles='0 1 2'/>"
        "<%s name='ff' youngModulus='100' poissonRatio='0.25'/></Node>",
        kinds[i]);
    fdScene s = fd_open(text);
    double e = 1e-6, *x = dv_state_write(dv_state(fd_find(&s, "dofs")), DV_X);
    for (int k = 0; k < 9; k++) x[k] *= 1 + e;
    const double *f = force_of(&s);
    // half of the stress over each edge goes to its ends: corner 1 gets the x component of the slanted and the lower
    // edge
    check_close(f[3], -100 * e / (1 - 0.25) / 2, 1e-9);
    check_close(f[7], -100 * e / (1 - 0.25) / 2, 1e-9);
    check_close(f[4], 0, 1e-9);
    fd_close(&s);
    dv_free(text);
  }
}

static void membrane_derivatives(void **state)
{
  DV_UNUSED(state);
  static const struct {
    const char *force;
    double tolerance;
  } kinds[] = {{"<TriangularQuadraticSpringsForceField name='ff' useAngularSprings='0'/>", 1e-6},
               {"<TriangularQuadraticSpringsForceField name='ff'/>",
                0.05},   // counts the tension of an edge twice: exact at rest
               {"<TriangularBiquadraticSpringsForceField name='ff' compressible='0'/>", 1e-6},
               {"<TriangularBiquadraticSpringsForceField name='ff' compressible='0' useAngularSprings='0'/>", 1e-6}};
  for (size_t i = 0; i < DV_COUNT(kinds); i++) {
    fdScene s = open_membrane(kinds[i].force);
    fdOptions o = fd_options();
    o.move_x = 0.02;
    o.tolerance = kinds[i].tolerance;
    o.checks |= FD_SYMMETRY;
    assert_true(fd_check_force(fd_find(&s, "ff"), &o));
    fd_close(&s);
  }
}

// a triangle that is smaller than at rest is pushed apart: net force and moment stay zero
static void compressed_membrane(void **state)
{
  DV_UNUSED(state);
  fdScene s = open_membrane("<TriangularBiquadraticSpringsForceField name='ff'/>");
  double *x = dv_state_write(dv_state(fd_find(&s, "dofs")), DV_X);
  for (int i = 0; i < 12; i++) x[i] *= 0.6;
  const double *f = force_of(&s);
  double sum[3] = {0}, moment = 0;
  for (int i = 0; i < 4; i++) {
    for (int k = 0; k < 3; k++) sum[k] += f[3 * i + k];
    moment += x[3 * i] * f[3 * i + 1] - x[3 * i + 1] * f[3 * i];
  }
  for (int k = 0; k < 3; k++) check_close(sum[k], 0, 1e-10);
  check_close(moment, 0, 1e-10);
  assert_true(f[0] < 0 && f[1] < 0);
  fdOptions o = fd_options();
  o.checks = FD_ASSEMBLY;
  assert_true(fd_check_force(fd_find(&s, "ff"), &o));
  fd_close(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(polynomial_of_the_strain),     cmocka_unit_test(polynomial_lengths_from_the_start),
      cmocka_unit_test(polynomial_lists_that_change), cmocka_unit_test(polynomial_to_the_rest_shape),
      cmocka_unit_test(springs_with_a_vector),        cmocka_unit_test(springs_from_files),
      cmocka_unit_test(membrane_under_stretch),       cmocka_unit_test(membrane_derivatives),
      cmocka_unit_test(compressed_membrane),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

// Sheets of triangles: patch test, stretched strips against closed forms, rigid motion, derivatives, bad input.
#include "support/check.h"
#include "support/fd.h"

#include "base/random.h"
#include "base/text.h"
#include "force/fem/surface/triangle_force.h"

#include <string.h>

// a square of side 1 with one point inside that is not in the middle
static const char *square = "position='0 0 0  1 0 0  1 1 0  0 1 0  0.6 0.45 0'";
static const char *four = "triangles='0 1 4  1 2 4  2 3 4  3 0 4'";

static fdScene open_sheet(const char *points, const char *triangles, const char *force)
{
  char *text = dv_format("<Node><MechanicalObject name='dofs' %s/><MeshTopology %s/><%s name='ff' youngModulus='200' "
                         "poissonRatio='0.3'/></Node>",
                         points, triangles, force);
  fdScene s = fd_open(text);
  dv_free(text);
  return s;
}

static const char *forces[] = {
    "TriangularFEMForceField", "TriangularFEMForceField method='small'", "TriangularFEMForceFieldOptim",
    "TriangleFEMForceField",   "TriangleFEMForceField method='small'",   "TriangleFEMForceField method='green'"};

static double *positions(fdScene *s) { return dv_state_write(dv_state(fd_find(s, "dofs")), DV_X); }
static const double *force_of(fdScene *s) { return fd_force_on(fd_find(s, "ff"), fd_find(s, "dofs")); }

// x' = A x with a small strain: nothing pulls at the inner point, and each side carries stress times length
static void patch(void **state)
{
  DV_UNUSED(state);
  const double exx = 2e-6, eyy = -1e-6, exy = 0.5e-6, young = 200, nu = 0.3;   // exy is half the shear angle
  double k = young / (1 - nu * nu), sxx = k * (exx + nu * eyy), syy = k * (eyy + nu * exx),
         sxy = young / (1 + nu) * exy;
  for (size_t i = 0; i < DV_COUNT(forces); i++) {
    fdScene s = open_sheet(square, four, forces[i]);
    double *x = positions(&s);
    for (int p = 0; p < 5; p++) {
      double a = x[3 * p], b = x[3 * p + 1];
      x[3 * p] += exx * a + exy * b;
      x[3 * p + 1] += exy * a + eyy * b;
    }
    const double *f = force_of(&s);
    check_close(f[12], 0, 1e-9);
    check_close(f[13], 0, 1e-9);
    check_close(f[3], -0.5 * (sxx - sxy), 1e-8);   // corner (1, 0): half of the right side, half of the lower one
    check_close(f[4], -0.5 * (sxy - syy), 1e-8);
    fd_close(&s);
  }
}

// a strip pulled apart along x, free to get narrower: f = E e t b, up to the square of e
static void stretched_strip(void **state)
{
  DV_UNUSED(state);
  const double e = 1e-6, thickness = 0.02;
  fdScene s =
      open_sheet("position='0 0 0  4 0 0  4 0 1  0 0 1'", "quads='0 1 2 3'", "TriangleFEMForceField thickness='0.02'");
  double *x = positions(&s);
  for (int p = 0; p < 4; p++) {
    x[3 * p] *= 1 + e;
    x[3 * p + 2] *= 1 - 0.3 * e;
  }
  const double *f = force_of(&s);
  check_close(f[3] + f[6], -200 * e * thickness, 1e-9 * thickness);
  check_close(f[0] + f[9], 200 * e * thickness, 1e-9 * thickness);
  check_close(f[2] + f[5], 0, 1e-9 * thickness);
  fd_close(&s);
  // plane strain: E (1 - nu) / ((1 + nu)(1 - 2 nu)) with the sides held
  s = open_sheet("position='0 0 0  4 0 0  4 0 1  0 0 1'", "quads='0 1 2 3'", "TriangleFEMForceField planeStrain='1'");
  x = positions(&s);
  for (int p = 0; p < 4; p++) x[3 * p] *= 1 + e;
  f = force_of(&s);
  check_close(f[3] + f[6], -200 * e * 0.7 / (1.3 * 0.4), 1e-8);
  fd_close(&s);
}

// a triangle, half of a strip, is pulled to several times its length, its width held: by present gradients e becomes e
// / (1 + e)^2, which is largest where the length is doubled; by Green's strain l (l^2 - 1) / 2 with l = 1 + e, which
// has no end
static void strip_far_out(void **state)
{
  DV_UNUSED(state);
  const double k = 200 / (1 - 0.3 * 0.3);
  for (int green = 0; green < 2; green++)
    for (double l = 1.5; l < 20; l *= 2) {
      fdScene s = open_sheet("position='0 0 0  4 0 0  0 0 1'", "triangles='0 1 2'",
                             green ? "TriangleFEMForceField method='green'" : "TriangleFEMForceField");
      double *x = positions(&s), law = green ? l * (l * l - 1) / 2 : (l - 1) / (l * l);
      x[3] *= l;
      const double *f = force_of(&s);
      check_close(f[3], -0.5 * k * law, 1e-12 * k * law);
      fd_close(&s);
    }
}

// dx (df/dx) dx
static double push_along(dvObject *ff, const double dx[15])
{
  double df[15] = {0}, sum = 0;
  dv_triangle_fem_add_dforce(((dvTriangleForce *)ff)->elements, NULL, dx, 1, df);
  for (int i = 0; i < 15; i++) sum += dx[i] * df[i];
  return sum;
}

// Green's strain: forces come from the energy wherever the sheet goes; where it is stretched everywhere the derivative
// is whole, where it is folded no motion is pushed on
static void far_from_rest(void **state)
{
  DV_UNUSED(state);
  fdOptions o = fd_options();
  o.checks = FD_ENERGY | FD_STIFFNESS | FD_ASSEMBLY | FD_SYMMETRY | FD_RIGID;
  for (int folded = 0; folded < 2; folded++) {
    fdScene s = open_sheet(square, four, "TriangleFEMForceField method='green'");
    double *x = positions(&s);
    for (int i = 0; i < 15; i++) x[i] *= folded ? 0.3 : 2;
    if (folded) {
      o.checks &= ~(unsigned)FD_STIFFNESS;
      o.move_x = 0.4;
    }
    dvObject *ff = fd_find(&s, "ff");
    assert_true(fd_check_force(ff, &o));
    dvRandom random = dv_random_start(1);
    for (int n = 0; folded && n < 100; n++) {
      double dx[15];
      for (int i = 0; i < 15; i++) x[i] = dv_random(&random, -1, 1), dx[i] = dv_random(&random, -1, 1);
      force_of(&s);
      assert_true(push_along(ff, dx) < 1e-10);
    }
    fd_close(&s);
  }
}

// no force, whatever way the sheet is turned
static void turned_sheet(void **state)
{
  DV_UNUSED(state);
  for (size_t i = 0; i < DV_COUNT(forces); i++) {
    if (strstr(forces[i], "small")) continue;
    fdScene s = open_sheet(square, four, forces[i]);
    double *x = positions(&s), c = cos(2.0), r = sin(2.0);
    for (int p = 0; p < 5; p++) {
      double a = x[3 * p], b = x[3 * p + 1];
      x[3 * p] = 3 + a;
      x[3 * p + 1] = c * b;
      x[3 * p + 2] = r * b - 1;
    }
    const double *f = force_of(&s);
    for (int k = 0; k < 15; k++) check_close(f[k], 0, 1e-12);
    check_close(fd_energy_of(fd_find(&s, "ff")), 0, 1e-12);
    fd_close(&s);
  }
}

// frames and gradients are held in K, which makes it exact at rest only; sheet in a tilted plane
static void derivatives(void **state)
{
  DV_UNUSED(state);
  fdOptions o = fd_options();
  o.checks = FD_STIFFNESS | FD_ASSEMBLY | FD_SYMMETRY;
  o.move_x = 0;
  o.samples = 1;
  for (size_t i = 0; i < DV_COUNT(forces); i++) {
    bool small = strstr(forces[i], "small") != NULL;
    fdScene s =
        open_sheet(small ? square : "position='0 0 0  1 0 0.5  1 1 1  0 1 0.5  0.6 0.45 0.525'", four, forces[i]);
    assert_true(fd_check_force(fd_find(&s, "ff"), &o));
    fd_close(&s);
  }
  o.checks = FD_ASSEMBLY | FD_SYMMETRY;
  o.move_x = 0.1;
  o.samples = 3;
  for (size_t i = 0; i < DV_COUNT(forces); i++) {
    fdScene s = open_sheet(square, four, forces[i]);
    assert_true(fd_check_force(fd_find(&s, "ff"), &o));
    fd_close(&s);
  }
}

// near rest the energy is half the work of the force
static void energy(void **state)
{
  DV_UNUSED(state);
  static const double u[15] = {1, 2, 0, -1, 3, 0, 0.5, -2, 0, 2, 1, 0, -3, 1, 0};
  for (size_t i = 0; i < DV_COUNT(forces); i++) {
    fdScene s = open_sheet(square, four, forces[i]);
    double *x = positions(&s), work = 0;
    for (int k = 0; k < 15; k++) x[k] += 1e-6 * u[k];
    const double *f = force_of(&s);
    for (int k = 0; k < 15; k++) work -= 0.5e-6 * u[k] * f[k];
    check_close(fd_energy_of(fd_find(&s, "ff")) / work, 1, 1e-4);
    fd_close(&s);
  }
}

// shapes at rest by fields: half as large, the sheet as it stands pulls itself together
static void given_shapes(void **state)
{
  DV_UNUSED(state);
  fdScene s = open_sheet("position='0 0 0  1 0 0  0 1 0'", "triangles='0 1 2'",
                         "TriangularFEMForceField rotatedInitialElements='0 0 0 0.5 0 0 0 0.5 0' "
                         "initialTransformation='1 0 0 0 1 0 0 0 1'");
  double k = 200 / (1 - 0.09) * 0.125, e = -0.5, stress = k * e * 1.3;   // present gradients of length 1, area 1/8
  check_close(force_of(&s)[3], stress, 1e-12);
  check_close(force_of(&s)[7], stress, 1e-12);
  fd_close(&s);
  s = open_sheet("position='0 0 0  1 0 0  0 1 0'", "triangles='0 1 2'",
                 "TriangularFEMForceFieldOptim restScale='0.5' computePrincipalStress='1'");
  stress = 200 / (1 - 0.09) * 1.3 * -1;   // strain 1: gradients of length 2
  check_close(force_of(&s)[3], stress * 2 * 0.125, 1e-12);
  double most;
  memcpy(&most, dv_object_field(fd_find(&s, "ff"), "stressMaxValue")->value, sizeof most);
  check_close(most, -stress, 1e-12);   // tension
  positions(&s)[3] = positions(&s)[7] = 0.25;
  force_of(&s);
  memcpy(&most, dv_object_field(fd_find(&s, "ff"), "stressMaxValue")->value, sizeof most);
  check_close(most, 0, 0);   // all pressure
  fd_close(&s);
}

// a triangle that collapses onto a line or a point has finite forces; one that is flat at rest has none
static void collapsed(void **state)
{
  DV_UNUSED(state);
  for (size_t i = 0; i < DV_COUNT(forces); i++) {
    fdScene s = open_sheet("position='0 0 0  1 0 0  0 1 0  2 0 0'", "triangles='0 1 2  0 1 3'", forces[i]);
    double *x = positions(&s);
    check_close(force_of(&s)[9], 0, 0);
    for (int k = 6; k < 9; k++) x[k] = k == 6 ? 0.5 : 0;
    for (int k = 0; k < 12; k++) assert_true(isfinite(force_of(&s)[k]));
    for (int k = 0; k < 9; k++) x[k] = 1;
    for (int k = 0; k < 12; k++) assert_true(isfinite(force_of(&s)[k]));
    fd_close(&s);
  }
}

static void bad_input(void **state)
{
  DV_UNUSED(state);
  const char *bad[] = {
      "<Node><MechanicalObject position='0 0 0 1 0 0 0 1 0'/><TriangularFEMForceField/></Node>",
      "<Node><MeshTopology triangles='0 1 2'/><TriangularFEMForceField/></Node>",
      "<Node><MechanicalObject position='0 0 0 1 0 0'/><MeshTopology triangles='0 1 "
      "2'/><TriangularFEMForceField/></Node>",
      "<Node><MechanicalObject position='0 0 0 1 0 0 0 1 0'/><MeshTopology triangles='0 1 2'/><TriangularFEMForceField "
      "poissonRatio='1'/></Node>",
      "<Node><MechanicalObject position='0 0 0 1 0 0 0 1 0'/><MeshTopology triangles='0 1 2'/><TriangularFEMForceField "
      "youngModulus='-1'/></Node>",
      "<Node><MechanicalObject position='0 0 0 1 0 0 0 1 0'/><MeshTopology triangles='0 1 2'/><TriangularFEMForceField "
      "rotatedInitialElements='1 2 3'/></Node>",
      "<Node><MechanicalObject position='0 0 0 1 0 0 0 1 0'/><MeshTopology triangles='0 1 "
      "2'/><TriangularFEMForceFieldOptim restScale='0'/></Node>",
      "<Node><MechanicalObject position='0 0 0 1 0 0 0 1 0'/><MeshTopology triangles='0 1 2'/><TriangleFEMForceField "
      "thickness='-1'/></Node>",
      "<Node><MechanicalObject position='0 0 0 1 0 0 0 1 0'/><MeshTopology triangles='0 1 2'/><TriangleFEMForceField "
      "planeStrain='1' poissonRatio='0.5'/></Node>",
      "<Node><MechanicalObject position='0 0 0 1 0 0 0 1 0'/><MeshTopology triangles='0 1 2'/><TriangleFEMForceField "
      "initialPoints='0 0 0'/></Node>",
  };
  for (size_t i = 0; i < DV_COUNT(bad); i++) assert_true(fd_fails(bad[i]));
}

#ifdef DV_HAVE_V3
// which side a flat sheet buckles to hangs on the last digits: the fast kernels round like plain C
static void instruction_sets_agree_to_the_bit(void **state)
{
  DV_UNUSED(state);
  if (!dv_isa_fast()) return;
  static const int32_t corners[] = {0, 1, 4, 1, 2, 4, 2, 3, 4, 3, 0, 4};
  double x[15], dx[15], numbers[2][4 * (DV_TRIANGLE_RECORD + DV_TRIANGLE_MOVING)], slots[2][DV_BLOCK_STRIDE * 6];
  for (int i = 0; i < 15; i++) x[i] = sin(1 + 3.7 * i), dx[i] = cos(2.9 * i);
  dvElementBlocks *blocks = NULL;
  assert_int_equal(dv_blocks_create(corners, 3, 4, 5, NULL, 0, &blocks), DV_OK);
  const dvTriangleKernels *kernels[] = {&dv_triangle_kernels_base, &dv_triangle_kernels_v3};
  for (int method = 0; method < DV_TRIANGLE_METHODS; method++)
    for (int product = 0; product < 2; product++) {
      for (int k = 0; k < 2; k++) {
        for (size_t i = 0; i < DV_COUNT(numbers[k]); i++) numbers[k][i] = 1 + sin(0.3 + 1.7 * (double)i);
        dvTriangleData t = {
            .blocks = blocks, .rest = numbers[k], .moving = numbers[k] + 4 * DV_TRIANGLE_RECORD, .slots = slots[k]};
        kernels[k]->force[method](&t, 0, x);
        if (product) kernels[k]->dforce[method](&t, 0, dx, 0.7);
      }
      assert_memory_equal(slots[0], slots[1], sizeof slots[0]);
    }
  dv_blocks_destroy(&blocks);
}
#endif

int main(void)
{
  const struct CMUnitTest tests[] = {
#ifdef DV_HAVE_V3
      cmocka_unit_test(instruction_sets_agree_to_the_bit),
#endif
      cmocka_unit_test(patch),
      cmocka_unit_test(stretched_strip),
      cmocka_unit_test(strip_far_out),
      cmocka_unit_test(far_from_rest),
      cmocka_unit_test(turned_sheet),
      cmocka_unit_test(derivatives),
      cmocka_unit_test(energy),
      cmocka_unit_test(given_shapes),
      cmocka_unit_test(collapsed),
      cmocka_unit_test(bad_input),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

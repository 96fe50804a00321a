// HexahedronFEMForceField and its kin in scenes: derivatives, the patch test, a cantilever, the mass, mistakes.
#include "support/check.h"
#include "support/fd.h"
#include "support/scene.h"

#include <string.h>

// two cells whose corners are moved: no parallelepipeds
static const char *const two_cells = "<MeshTopology name='mesh' position='0 0 0  1 0.1 0  1.1 1 0.1  -0.1 1 0  0 0.1 1 "
                                     " 1 0 1.1  1 1.1 1  0.1 1 1.1  2.1 0 0.1  2 1.1 0  2.1 0.1 1  1.9 1 1.2'"
                                     " hexahedra='0 1 2 3 4 5 6 7  1 8 9 2 5 10 11 6'/>";

static fdScene open_pair(const char *force, const char *state) { return fd_open_force(two_cells, state, force); }

static void small_is_the_exact_derivative(void **state)
{
  DV_UNUSED(state);
  fdScene s = open_pair("<HexahedronFEMForceField name='ff' method='small' youngModulus='100 300' poissonRatio='0.3' "
                        "rayleighStiffness='0.1'/>",
                        "");
  fdOptions o = fd_options();
  o.checks |= FD_SYMMETRY;
  assert_true(fd_check_force(fd_find(&s, "ff"), &o));
  fd_close(&s);
}

static void turned_elements_have_the_exact_derivative(void **state)
{
  DV_UNUSED(state);
  static const char *const forces[] = {
      "HexahedronFEMForceField name='ff' method='large'", "HexahedronFEMForceField name='ff' method='polar'",
      "ParallelHexahedronFEMForceField name='ff' nbThreads='2'", "HexahedronFEMForceFieldAndMass name='ff'",
      "HexahedronFEMForceField name='ff' method='polar' updateStiffnessMatrix='1'"};
  assert_true(fd_check_turned(two_cells, forces, DV_COUNT(forces)));
}

// linear displacements leave inner points in balance, on cells that are no parallelepipeds
static void patch_test(void **state)
{
  DV_UNUSED(state);
  fdScene s =
      fd_open("<Node><RegularGridTopology name='grid' n='4 4 4'/><MechanicalObject name='dofs'/>"
              "<HexahedronFEMForceField name='ff' method='small' youngModulus='1000' poissonRatio='0.25'/></Node>");
  dvState *dofs = dv_state(fd_find(&s, "dofs"));
  double *rest = dv_state_write(dofs, DV_X_REST), *x = dv_state_write(dofs, DV_X);
  for (size_t i = 0; i < 3 * dofs->count; i++) rest[i] += 0.05 * (double)((11 * i) % 7) / 7;
  for (size_t p = 0; p < dofs->count; p++) {
    const double *a = rest + 3 * p;
    x[3 * p] = a[0] + 0.04 * a[0] - 0.02 * a[1] + 0.07 * a[2];
    x[3 * p + 1] = a[1] + 0.01 * a[0] + 0.03 * a[1];
    x[3 * p + 2] = a[2] - 0.05 * a[1] + 0.02 * a[2];
  }
  dvObject *ff = fd_find(&s, "ff");
  assert_int_equal(ff->cls->reinit(ff), DV_OK);
  const double *f = fd_force_on(ff, &dofs->base);
  for (size_t p = 0; p < dofs->count; p++) {
    if (p % 4 % 3 == 0 || p / 4 % 4 % 3 == 0 || p / 16 % 3 == 0) continue;
    for (size_t c = 0; c < 3; c++) check_close(f[3 * p + c], 0, 1e-11);
  }
  fd_close(&s);
}

// a bar of one cell in uniaxial tension: displacements are linear, so the answer is exact
static void uniaxial_tension_is_exact(void **state)
{
  DV_UNUSED(state);
  double young = 200, nu = 0.3, e = 1e-3;
  fdScene s = fd_open(
      "<Node><RegularGridTopology name='grid' n='2 2 2' min='0 0 0' max='1 2 3'/><MechanicalObject name='dofs'/>"
      "<HexahedronFEMForceField name='ff' youngModulus='200' poissonRatio='0.3'/></Node>");
  dvState *dofs = dv_state(fd_find(&s, "dofs"));
  double *x = dv_state_write(dofs, DV_X);
  for (size_t p = 0; p < 8; p++) {
    x[3 * p] *= 1 - nu * e;
    x[3 * p + 1] *= 1 - nu * e;
    x[3 * p + 2] *= 1 + e;
  }
  const double *f = fd_force_on(fd_find(&s, "ff"), &dofs->base);
  for (size_t p = 0; p < 8; p++) {
    check_close(f[3 * p], 0, 1e-12);
    check_close(f[3 * p + 1], 0, 1e-12);
    check_close(f[3 * p + 2], (p < 4 ? 1 : -1) * young * e * 2 / 4, 1e-12);
  }
  check_close(fd_energy_of(fd_find(&s, "ff")), 0.5 * young * e * e * 6, 1e-14);
  fd_close(&s);
}

// every cell has its own matrix, or all have one: the same forces
static void shared_matrices_change_nothing(void **state)
{
  DV_UNUSED(state);
  double f[2][108];
  for (int i = 0; i < 2; i++) {
    char *text = dv_format(
        "<Node><RegularGridTopology name='grid' n='4 3 3' min='0 0 0' max='3 2 2'/><MechanicalObject name='dofs'/>"
        "<HexahedronFEMForceField name='ff' youngModulus='%s'/></Node>",
        i ? "5000 5000 5000 5000 5000 5000 5000.0000001" : "5000");
    fdScene s = fd_open(text);
    double *x = dv_state_write(dv_state(fd_find(&s, "dofs")), DV_X);
    for (size_t k = 0; k < 108; k++) x[k] += 0.1 * (double)((17 * k) % 11) / 11;
    memcpy(f[i], fd_force_on(fd_find(&s, "ff"), fd_find(&s, "dofs")), sizeof f[i]);
    fd_close(&s);
    dv_free(text);
  }
  for (size_t k = 0; k < 108; k++) check_close(f[0][k], f[1][k], 1e-6);
}

static void the_mass_of_compat_sofa_is_sofas(void **state)
{
  DV_UNUSED(state);
  for (int lumped = 0; lumped < 2; lumped++) {
    char *text = dv_format(
        "<Node compat='sofa' gravity='0 -10 0'><RegularGridTopology name='grid' n='2 2 3' min='0 0 0' max='1 2 "
        "6'/><MechanicalObject name='dofs'/>"
        "<HexahedronFEMForceFieldAndMass name='ff' density='5' lumpedMass='%d'/></Node>",
        lumped);
    fdScene s = fd_open(text);
    fdOptions o = fd_options();
    o.checks &= ~(unsigned)FD_WEIGHT;
    dvObject *ff = fd_find(&s, "ff");
    assert_true(fd_check_mass(ff, &o));
    dvState *dofs = dv_state(fd_find(&s, "dofs"));
    const dvMassOps *ops = dv_ops(ff, DV_ROLE_MASS);
    double total = 0;
    for (size_t p = 0; p < 12; p++) total += ops->of_element(ff, p);
    check_close(total, 5 * 12, 1e-12);
    // all move at one speed: 64 entries of 8/27 for each element
    double *v = dv_state_write(dofs, DV_V);
    for (size_t p = 0; p < 12; p++) v[3 * p] = 1;
    check_close(ops->kinetic(ff, DV_V), 0.5 * 64 * 8 / 27 * 60, 1e-11);
    const dvField *matrices = dv_object_field(ff, "massMatrices");
    dv_field_pull((dvField *)matrices);
    assert_int_equal(((const dvReals *)matrices->value)->count, 2 * 576);
    check_close(((const dvReals *)matrices->value)->data[3], 30 * 8.0 / 27, 1e-13);
    check_close(((const dvReals *)matrices->value)->data[1], 0, 0);
    fd_close(&s);
    dv_free(text);
  }
}

// on a regular grid both families are the same, up to the single precision of the second
static void hexahedral_is_hexahedron_on_boxes(void **state)
{
  DV_UNUSED(state);
  static const char *const names[] = {"HexahedronFEMForceField", "HexahedralFEMForceField",
                                      "HexahedralFEMForceFieldAndMass"};
  double f[3][108];
  for (int i = 0; i < 3; i++) {
    char *text = dv_format(
        "<Node><RegularGridTopology name='grid' n='4 3 3' min='0 0 0' max='3 2 4'/><MechanicalObject name='dofs'/>"
        "<%s name='ff' method='polar' youngModulus='100' poissonRatio='0.3'/></Node>",
        names[i]);
    fdScene s = fd_open(text);
    double *x = dv_state_write(dv_state(fd_find(&s, "dofs")), DV_X);
    for (size_t k = 0; k < 108; k++) x[k] += 0.1 * (double)((17 * k) % 11) / 11;
    memcpy(f[i], fd_force_on(fd_find(&s, "ff"), fd_find(&s, "dofs")), sizeof f[i]);
    for (size_t k = 0; k < 108; k++) check_close(f[i][k], f[0][k], 1e-5);
    if (i == 2) {
      fdOptions o = fd_options();
      o.checks &= ~(unsigned)FD_WEIGHT;
      assert_true(fd_check_mass(fd_find(&s, "ff"), &o));
      const dvReals *total = dv_object_field(fd_find(&s, "ff"), "totalMass")->value,
                    *points = dv_object_field(fd_find(&s, "ff"), "particleMasses")->value;
      assert_int_equal(total->count, 12);
      check_close(total->data[5], 2, 1e-14);
      assert_int_equal(points->count, 36);
      check_close(points->data[0], 0.25, 1e-15);
    }
    fd_close(&s);
    dv_free(text);
  }
}

// rows of rounded entries do not sum to zero: a cell that is moved by t feels -sum_j K_ij t, unless entries stay double
static void single_precision_pushes_what_only_moves(void **state)
{
  DV_UNUSED(state);
  for (int single = 0; single < 2; single++) {
    char *text = dv_format(
        "<Node><RegularGridTopology name='grid' n='2 2 2' min='0 0 0' max='1 2 3'/><MechanicalObject name='dofs'/>"
        "<HexahedronFEMForceField name='exact' method='small' youngModulus='100' poissonRatio='0.3'/>"
        "<HexahedralFEMForceField name='ff' method='small' youngModulus='100' poissonRatio='0.3' "
        "singlePrecision='%d'/></Node>",
        single);
    fdScene s = fd_open(text);
    dvField *matrices = dv_object_field(fd_find(&s, "exact"), "stiffnessMatrices");
    dv_field_pull(matrices);
    const double *k = ((const dvReals *)matrices->value)->data, t[3] = {3, -5, 7}, volume = 6;
    double *x = dv_state_write(dv_state(fd_find(&s, "dofs")), DV_X), most = 0;
    for (size_t i = 0; i < 24; i++) x[i] += t[i % 3];
    static const int point[8] = {0, 1, 3, 2, 4, 5, 7, 6};   // of the corners
    const double *f = fd_force_on(fd_find(&s, "ff"), fd_find(&s, "dofs"));
    for (size_t i = 0; i < 24; i++) {
      double wanted = 0;
      for (size_t j = 0; j < 24; j++)
        wanted -= (single ? (float)(k[24 * i + j] * 8 / volume) * (volume / 8) : k[24 * i + j]) * t[j % 3];
      check_close(f[3 * point[i / 3] + (int)(i % 3)], wanted, 1e-11);
      most = fmax(most, fabs(wanted));
    }
    print_message("%s: largest force %g\n", single ? "single" : "double", most);
    assert_true(single ? most > 1e-6 : most < 1e-11);
    fdOptions o = fd_options();   // products and matrices have it too
    o.checks = FD_STIFFNESS | FD_ASSEMBLY | FD_SYMMETRY;
    o.step = 1;
    o.tolerance = 1e-13;
    assert_true(fd_check_force(fd_find(&s, "ff"), &o));
    fd_close(&s);
    dv_free(text);
  }
}

static double tip(int cells)
{
  char *text = dv_format(
      "<Node gravity='0 -1 0' dt='1000'><EulerImplicitSolver/><CGLinearSolver iterations='2000' tolerance='1e-14' "
      "threshold='1e-30'/>"
      "<RegularGridTopology n='%d %d %d' min='0 0 0' max='10 1 1'/><MechanicalObject name='dofs'/><DiagonalMass "
      "massDensity='1'/>"
      "<BoxROI name='wall' box='-0.01 -0.01 -0.01 0.01 1.1 1.1'/><FixedProjectiveConstraint indices='@wall.indices'/>"
      "<HexahedronFEMForceField name='ff' method='small' youngModulus='1e7' poissonRatio='0'/></Node>",
      10 * cells + 1, cells + 1, cells + 1);
  dvScene *scene = check_scene(text, 1);
  check_steps(scene, 3);
  dvState *dofs = dv_state(check_find(scene, "dofs"));
  double y = dv_state_read(dofs, DV_X)[3 * (size_t)(10 * cells) + 1];
  check_close_scene(&scene);
  dv_free(text);
  return -y;
}

// Euler-Bernoulli with Timoshenko's shear: q L^4 / 8 E I + q L^2 / 2 kappa G A; the error falls with the cells
static void cantilever_converges(void **state)
{
  DV_UNUSED(state);
  double young = 1e7, exact = 1e4 / (8 * young / 12) + 1e2 / (2 * 5.0 / 6 * young / 2);
  double coarse = fabs(tip(1) - exact) / exact, fine = fabs(tip(2) - exact) / exact,
         finer = fabs(tip(4) - exact) / exact;
  print_message("cantilever: relative errors %.4f %.4f %.4f\n", coarse, fine, finer);
  assert_true(finer < 0.031);
  assert_true(coarse / fine > 2.9 && fine / finer > 3.5);   // towards 4: second order
}

static void mistakes_are_refused(void **state)
{
  DV_UNUSED(state);
  static const char *const bad[] = {"poissonRatio='0.5'", "youngModulus='-3'", "youngModulus=''", "method='wrong'"};
  for (size_t i = 0; i < DV_COUNT(bad); i++) {
    char *text = dv_format("<Node>%s<MechanicalObject/><HexahedronFEMForceField %s/></Node>", two_cells, bad[i]);
    if (!fd_fails(text)) fail_msg("accepted: %s", bad[i]);
    dv_free(text);
  }
  assert_true(fd_fails("<Node><RegularGridTopology n='2 2 2'/><MechanicalObject/><HexahedronFEMForceFieldAndMass "
                       "density='-1'/></Node>"));
  assert_true(fd_fails("<Node><MechanicalObject/><HexahedronFEMForceField/></Node>"));
  assert_true(fd_fails("<Node><RegularGridTopology n='2 2 2'/><MechanicalObject position='0 0 0 1 0 "
                       "0'/><HexahedronFEMForceField/></Node>"));
  // flat cells and no cells: warnings
  fdScene s = fd_open("<Node><RegularGridTopology n='2 2 2' max='1 1 0'/><MechanicalObject "
                      "name='dofs'/><HexahedronFEMForceField name='ff'/></Node>");
  const double *f = fd_force_on(fd_find(&s, "ff"), fd_find(&s, "dofs"));
  for (int i = 0; i < 24; i++) check_close(f[i], 0, 0);
  fd_close(&s);
  s = fd_open("<Node><MeshTopology/><MechanicalObject/><HexahedronFEMForceField/></Node>");
  fd_close(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(small_is_the_exact_derivative),
      cmocka_unit_test(turned_elements_have_the_exact_derivative),
      cmocka_unit_test(patch_test),
      cmocka_unit_test(uniaxial_tension_is_exact),
      cmocka_unit_test(shared_matrices_change_nothing),
      cmocka_unit_test(the_mass_of_compat_sofa_is_sofas),
      cmocka_unit_test(single_precision_pushes_what_only_moves),
      cmocka_unit_test(hexahedral_is_hexahedron_on_boxes),
      cmocka_unit_test(cantilever_converges),
      cmocka_unit_test(mistakes_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

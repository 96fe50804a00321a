// Condensed hexahedra: derivatives, full cells, what is saved against the fine grid, the mapping of composite cells,
// mistakes.
#include "support/check.h"
#include "support/fd.h"
#include "support/scene.h"

#include <string.h>

static const char *const faces =
    "' triangles='0 2 3 0 3 1 4 5 7 4 7 6 0 1 5 0 5 4 2 6 7 2 7 3 0 4 6 0 6 2 1 3 7 1 7 5'";

// surface of a box as attributes
static char *box_surface(double x0, double x1, double r0, double r1)
{
  double p[24];
  for (int i = 0; i < 8; i++)
    p[3 * i] = i & 1 ? x1 : x0, p[3 * i + 1] = i & 2 ? r1 : r0, p[3 * i + 2] = i & 4 ? r1 : r0;
  dvText t = {0};
  dv_text_add(&t, " position='");
  for (int i = 0; i < 24; i++) {
    dv_text_add_real(&t, p[i]);
    dv_text_add(&t, " ");
  }
  dv_text_add(&t, faces);
  return t.text;
}

static const char *const classes[] = {
    "NonUniformHexahedronFEMForceFieldAndMass nbVirtualFinerLevels='2'",
    "HexahedronCompositeFEMForceFieldAndMass nbVirtualFinerLevels='2'",
    "HexahedronCompositeFEMForceFieldAndMass nbVirtualFinerLevels='2' finestToCoarse='1'",
    "NonUniformHexahedralFEMForceFieldAndMass"};

static fdScene open_grid(const char *grid, const char *force)
{
  char *surface = box_surface(0.02, 1.9, 0.02, 0.8);
  char *text = dv_format("<Node gravity='0 -10 0'><%s name='grid' n='3 2 2' min='0 0 0' max='2 1 1' "
                         "nbVirtualFinerLevels='2' %s/><MechanicalObject name='dofs'/>"
                         "<%s name='ff' youngModulus='100' poissonRatio='0.3' density='5'/></Node>",
                         grid, surface, force);
  fdScene s = fd_open(text);
  dv_free(text);
  dv_free(surface);
  return s;
}

static void forces_and_masses_are_consistent(void **state)
{
  DV_UNUSED(state);
  for (size_t i = 0; i < DV_COUNT(classes); i++)
    for (int ramified = 0; ramified < 2; ramified++) {
      char *force = dv_format("%s method='small'", classes[i]);
      fdScene s = open_grid(ramified ? "SparseGridRamificationTopology" : "SparseGridTopology", force);
      fdOptions o = fd_options();
      o.checks = (o.checks | FD_SYMMETRY) & ~(unsigned)FD_WEIGHT;
      assert_true(fd_check_force(fd_find(&s, "ff"), &o));
      assert_true(fd_check_mass(fd_find(&s, "ff"), &o));
      fd_close(&s);
      dv_free(force);
    }
}

// cells that are full have the matrix of their own shape, and masses have the sum of the volume
static void full_cells_are_plain_cells(void **state)
{
  DV_UNUSED(state);
  char *surface = box_surface(0.001, 1.999, 0.001, 0.999);
  for (size_t i = 0; i < DV_COUNT(classes); i++) {
    if (i == 2)
      continue;   // points at a quarter of an edge do not follow its ends linearly when the corners alone are held
    double f[2][36];
    for (int plain = 0; plain < 2; plain++) {
      char *text = dv_format(
          "<Node gravity='0 -10 0'><SparseGridTopology name='grid' n='3 2 2' min='0 0 0' max='2 1 1' fillWeighted='0' "
          "nbVirtualFinerLevels='%d' %s/>"
          "<MechanicalObject name='dofs'/><%s name='ff' youngModulus='100' poissonRatio='0.3' density='5'/></Node>",
          plain ? 0 : 2, surface, plain ? "HexahedronFEMForceFieldAndMass" : classes[i]);
      fdScene s = fd_open(text);
      double *x = dv_state_write(dv_state(fd_find(&s, "dofs")), DV_X);
      for (size_t k = 0; k < 36; k++) x[k] += 0.1 * (double)((17 * k) % 11) / 11;
      memcpy(f[plain], fd_force_on(fd_find(&s, "ff"), fd_find(&s, "dofs")), sizeof f[plain]);
      dvObject *ff = fd_find(&s, "ff");
      const dvMassOps *ops = dv_ops(ff, DV_ROLE_MASS);
      double total = 0;
      for (size_t p = 0; p < 12; p++) total += ops->of_element(ff, p);
      check_close(total, 10, 1e-6);
      fd_close(&s);
      dv_free(text);
    }
    for (size_t k = 0; k < 36; k++) check_close(f[0][k], f[1][k], 2e-5);
  }
  dv_free(surface);
}

// the consistent mass gives a rigid motion the kinetic energy of its mass
static void voxels_have_the_consistent_mass(void **state)
{
  DV_UNUSED(state);
  fdScene s = open_grid("SparseGridTopology", classes[3]);
  dvObject *ff = fd_find(&s, "ff");
  const dvMassOps *ops = dv_ops(ff, DV_ROLE_MASS);
  dvState *dofs = dv_state(fd_find(&s, "dofs"));
  double *v = dv_state_write(dofs, DV_V), total = 0;
  for (size_t p = 0; p < dofs->count; p++) {
    v[3 * p + 1] = 2;
    total += ops->of_element(ff, p);
  }
  check_close(ops->kinetic(ff, DV_V), 2 * total, 1e-10);
  check_close(total, 5 * 2 * 1 * 1, 1e-10);   // all fine cells are touched
  fd_close(&s);
}

// mean deflection of the end of a bar that fills a part of its cells
static double deflection(const char *n, int levels, const char *force)
{
  char *surface = box_surface(0.02, 7.98, 0.3, 1.7);
  char *text = dv_format(
      "<Node gravity='0 -10 0' dt='1'><StaticSolver/><NewtonRaphsonSolver maxNbIterationsNewton='1'/>"
      "<SparseLDLSolver template='CompressedRowSparseMatrixMat3x3d'/>"
      "<SparseGridTopology name='grid' n='%s' min='0 0 0' max='8 2 2' nbVirtualFinerLevels='%d' %s/><MechanicalObject "
      "name='dofs'/>"
      "<%s youngModulus='1e5' poissonRatio='0.3' density='1' method='small'/>"
      "<BoxROI name='roi' box='-0.1 -1 -1 0.1 3 3'/><FixedProjectiveConstraint indices='@roi.indices'/></Node>",
      n, levels, surface, force);
  dvScene *scene = check_scene(text, 1);
  check_steps(scene, 1);
  dvState *dofs = dv_state(check_find(scene, "dofs"));
  const double *x = dv_state_read(dofs, DV_X), *rest = dv_state_read(dofs, DV_X_REST);
  double sum = 0;
  size_t points = 0;
  for (size_t p = 0; p < dofs->count; p++)
    if (rest[3 * p] > 7.9) sum += x[3 * p + 1] - rest[3 * p + 1], points++;
  check_close_scene(&scene);
  dv_free(text);
  dv_free(surface);
  return sum / (double)points;
}

static void condensed_cells_bend_like_the_fine_grid(void **state)
{
  DV_UNUSED(state);
  double fine = deflection("33 9 9", 0, "HexahedronFEMForceFieldAndMass");
  double condensed = deflection("17 5 5", 1, "NonUniformHexahedronFEMForceFieldAndMass nbVirtualFinerLevels='1'");
  double plain = deflection("17 5 5", 0, "HexahedronFEMForceFieldAndMass");
  check_close(condensed / fine, 1, 0.05);
  assert_true(plain / fine < 0.6);   // all cells of the bar's outline count as full, or half full
}

// one cell, half of it ten times as stiff, in tension: one half stretches, the other hardly, which a trilinear cell
// cannot
static double stretch(const char *n, int levels, const char *force)
{
  char *text = dv_format(
      "<Node gravity='0 0 0' dt='1'><StaticSolver/><NewtonRaphsonSolver maxNbIterationsNewton='1'/>"
      "<SparseLDLSolver template='CompressedRowSparseMatrixMat3x3d'/>"
      "<SparseGridMultipleTopology name='grid' n='%s' min='0 0 0' max='2 1 1' fileTopology='%s/scenes/mesh/block.obj' "
      "fillWeighted='0' finestConnectivity='0'"
      " fileTopologies='%s/scenes/mesh/block.obj %s/scenes/mesh/block-half.obj' stiffnessCoefs='1 10' massCoefs='1 1' "
      "nbVirtualFinerLevels='%d'/>"
      "<MechanicalObject name='dofs'/><%s youngModulus='1000' poissonRatio='0' density='1' method='small'/>"
      "<BoxROI name='end' box='1.9 -1 -1 2.1 2 2'/><ConstantForceField indices='@end.indices' totalForce='1 0 0'/>"
      "<BoxROI name='roi' box='-0.1 -1 -1 0.1 2 2'/><FixedProjectiveConstraint indices='@roi.indices'/></Node>",
      n, DIVAN_SOURCE_DIR, DIVAN_SOURCE_DIR, DIVAN_SOURCE_DIR, levels, force);
  dvScene *scene = check_scene(text, 1);
  check_steps(scene, 1);
  dvState *dofs = dv_state(check_find(scene, "dofs"));
  const double *x = dv_state_read(dofs, DV_X), *rest = dv_state_read(dofs, DV_X_REST);
  double sum = 0;
  size_t points = 0;
  for (size_t p = 0; p < dofs->count; p++)
    if (rest[3 * p] > 1.9) sum += x[3 * p] - rest[3 * p], points++;
  check_close_scene(&scene);
  dv_free(text);
  return sum / (double)points;
}

static void composite_cells_stretch_where_they_are_soft(void **state)
{
  DV_UNUSED(state);
  double exact = 1 / 1000.0 + 1 / 10000.0;
  check_close(stretch("2 2 2", 1, "HexahedronCompositeFEMForceFieldAndMass nbVirtualFinerLevels='1'") / exact, 1, 0.1);
  check_close(stretch("2 2 2", 2, "HexahedronCompositeFEMForceFieldAndMass nbVirtualFinerLevels='2'") / exact, 1, 0.1);
  check_close(
      stretch("2 2 2", 1, "HexahedronCompositeFEMForceFieldAndMass nbVirtualFinerLevels='1' finestToCoarse='1'") /
          exact,
      1, 0.1);
  check_close(stretch("2 2 2", 1, "NonUniformHexahedronFEMForceFieldAndMass nbVirtualFinerLevels='1'"), 2 / 5500.0,
              1e-12);
}

static void mapped_points_follow_the_finest_level(void **state)
{
  DV_UNUSED(state);
  for (int complete = 0; complete < 2; complete++) {
    char *surface = box_surface(0.02, 1.9, 0.02, 0.8);
    char *text = dv_format("<Node><SparseGridTopology name='grid' n='3 2 2' min='0 0 0' max='2 1 1' "
                           "nbVirtualFinerLevels='2' %s/><MechanicalObject name='dofs' translation='1 2 3'/>"
                           "<HexahedronCompositeFEMForceFieldAndMass nbVirtualFinerLevels='2' youngModulus='100' "
                           "completeInterpolation='%d'/>"
                           "<Node name='Points'><MechanicalObject name='points' position='0.1 0.2 0.3  0.9 0.7 0.1  "
                           "1.1 0.1 0.6  1.9 0.9 0.9  2.1 0.5 0.5'/>"
                           "<HexahedronCompositeFEMMapping name='map'/></Node></Node>",
                           surface, complete);
    fdScene s = fd_open(text);
    dvState *points = dv_state(fd_find(&s, "points"));
    static const double first[6] = {1.1, 2.2, 3.3, 1.9, 2.7, 3.1};
    for (int i = 0; i < 6; i++) check_close(dv_state_read(points, DV_X)[i], first[i], 1e-12);
    fdOptions o = fd_options();
    assert_true(fd_check_mapping(fd_find(&s, "map"), &o));
    fd_close(&s);
    dv_free(text);
    dv_free(surface);
  }
}

static void mistakes_are_told(void **state)
{
  DV_UNUSED(state);
  assert_true(
      fd_fails("<Node><RegularGridTopology n='3 2 2'/><MechanicalObject/><NonUniformHexahedronFEMForceFieldAndMass "
               "nbVirtualFinerLevels='1'/></Node>"));
  assert_true(fd_fails("<Node><RegularGridTopology n='3 2 2'/><MechanicalObject/><HexahedronFEMForceField/>"
                       "<Node><MechanicalObject position='0 0 0'/><HexahedronCompositeFEMMapping/></Node></Node>"));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(forces_and_masses_are_consistent),
      cmocka_unit_test(full_cells_are_plain_cells),
      cmocka_unit_test(voxels_have_the_consistent_mass),
      cmocka_unit_test(condensed_cells_bend_like_the_fine_grid),
      cmocka_unit_test(composite_cells_stretch_where_they_are_soft),
      cmocka_unit_test(mapped_points_follow_the_finest_level),
      cmocka_unit_test(mistakes_are_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

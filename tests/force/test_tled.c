// TetrahedronTLEDForceField, HexahedronTLEDForceField: derivatives, rigid motions, hourglass modes, patch test, a bar,
// explicit steps, mistakes.
#include "support/check.h"
#include "support/fd.h"
#include "support/scene.h"

#include "math/vec.h"

#include <string.h>

// two cells whose corners are moved
static const char *const two_cells =
    "<MeshTopology name='mesh' position='0 0 0  1 0.1 0  1.1 1 0.1  -0.1 1 0  0 0.1 1  1 0 1.1  1 1.1 1  0.1 1 1.1  "
    "2.1 0 0.1  2 1.1 0  2.1 0.1 1  1.9 1 1.2'"
    " hexahedra='0 1 2 3 4 5 6 7  1 8 9 2 5 10 11 6' tetrahedra='0 1 2 4  1 2 4 6  1 8 9 5'/>";

static fdScene open_pair(const char *force)
{
  char *text = dv_format("<Node>%s<MechanicalObject name='dofs'/><%s name='ff' youngModulus='100' poissonRatio='0.4' "
                         "rayleighStiffness='0.1'/></Node>",
                         two_cells, force);
  fdScene s = fd_open(text);
  dv_free(text);
  return s;
}

static const char *const names[] = {"TetrahedronTLEDForceField", "HexahedronTLEDForceField",
                                    "HexahedronTLEDForceField hourglassControl='0.5'"};

static void derivatives_are_exact(void **state)
{
  DV_UNUSED(state);
  for (size_t i = 0; i < DV_COUNT(names); i++) {
    fdScene s = open_pair(names[i]);
    fdOptions o = fd_options();
    o.checks |= FD_SYMMETRY;
    assert_true(fd_check_force(fd_find(&s, "ff"), &o));
    fd_close(&s);
  }
}

static void rigid_motions_give_no_force(void **state)
{
  DV_UNUSED(state);
  dvMat3 r = dv_quat_to_matrix(dv_quat_from_rotation_vector(dv_vec3(1, -2, 0.5)));
  for (size_t i = 0; i < DV_COUNT(names); i++) {
    fdScene s = open_pair(names[i]);
    dvState *dofs = dv_state(fd_find(&s, "dofs"));
    double *x = dv_state_write(dofs, DV_X);
    for (size_t p = 0; p < dofs->count; p++)
      dv_vec3_store(x + 3 * p, dv_vec3_add(dv_mat3_mul_vec(r, dv_vec3_load(x + 3 * p)), dv_vec3(3, -1, 2)));
    const double *f = fd_force_on(fd_find(&s, "ff"), &dofs->base);
    for (size_t k = 0; k < 3 * dofs->count; k++) check_close(f[k], 0, 1e-11);
    check_close(fd_energy_of(fd_find(&s, "ff")), 0, 1e-12);
    fd_close(&s);
  }
}

// a cube whose two ends bend in opposite ways: one point in the middle does not see it, the control does
static void hourglasses_are_resisted(void **state)
{
  DV_UNUSED(state);
  for (int control = 0; control < 2; control++) {
    char *text =
        dv_format("<Node><RegularGridTopology n='2 2 2'/><MechanicalObject name='dofs'/><HexahedronTLEDForceField "
                  "name='ff' youngModulus='100' poissonRatio='0.3' hourglassControl='%g'/></Node>",
                  control ? 0.1 : 0.0);
    fdScene s = fd_open(text);
    dvState *dofs = dv_state(fd_find(&s, "dofs"));
    double *x = dv_state_write(dofs, DV_X), work = 0, u[24] = {0};
    for (size_t p = 0; p < 8; p++) u[3 * p + 1] = 0.01 * ((p & 1) ? 1 : -1) * ((p & 4) ? 1 : -1);
    for (size_t i = 0; i < 24; i++) x[i] += u[i];
    const double *f = fd_force_on(fd_find(&s, "ff"), &dofs->base);
    for (size_t i = 0; i < 24; i++) work -= f[i] * u[i];
    // k sum of (gamma . u)^2 with k = c (lambda + 2 mu) V (b : b) / 8; b : b is 1.5 in a unit cube
    double stiff = 100 * 0.7 / (1.3 * 0.4), held = 0.08 / sqrt(8.0);
    check_close(work, control * 0.1 * stiff * 1.5 / 8 * held * held, 1e-12);
    fd_close(&s);
    dv_free(text);
  }
}

// a bar under its weight bends as Timoshenko says: w L^4 / 8EI + w L^2 / (2 k G A)
static void bars_bend(void **state)
{
  DV_UNUSED(state);
  double weight = 0.02 / 5, exact = weight * 625 / (8 * 100.0 / 12) + weight * 25 / (2 * 0.85 * 100 / 2.6);
  static const char *const forces[] = {"HexahedronTLEDForceField", "HexahedronTLEDForceField hourglassControl='0.3'"};
  for (int i = 0; i < 2; i++) {
    char *text =
        dv_format("<Node gravity='0 -0.02 0' dt='1'><StaticSolver/><NewtonRaphsonSolver maxNbIterationsNewton='5' "
                  "warnWhenLineSearchFails='0'/><SparseLDLSolver template='CompressedRowSparseMatrixMat3x3d'/>"
                  "<RegularGridTopology n='21 5 5' min='0 0 0' max='5 1 1'/><MechanicalObject "
                  "name='dofs'/><UniformMass totalMass='1'/>"
                  "<%s youngModulus='100' poissonRatio='0.3'/><BoxROI name='end' box='-0.1 -1 -1 0.1 2 "
                  "2'/><FixedProjectiveConstraint indices='@end.indices'/></Node>",
                  forces[i]);
    dvScene *scene = check_scene(text, 1);
    check_steps(scene, 1);
    check_close(-check_value(scene, "dofs", DV_X, 3 * 20 + 1) / exact, 1, 0.08);
    check_close_scene(&scene);
    dv_free(text);
  }
}

// explicit steps keep the energy and swing about the static answer
static void explicit_steps_keep_the_energy(void **state)
{
  DV_UNUSED(state);
  for (int hexa = 0; hexa < 2; hexa++) {
    dvText text = {0};
    dv_text_add(&text, "<Node gravity='0 -1 0' dt='0.002'><CentralDifferenceSolver/>");
    if (hexa) dv_text_add(&text, "<RegularGridTopology n='7 3 3' min='0 0 0' max='3 1 1'/>");
    else {
      dv_text_add(&text, "<MeshTopology ");
      check_add_tetra_box(&text, (const int[3]){6, 2, 2}, 0.5);
      dv_text_add(&text, "/>");
    }
    dv_text_printf(
        &text,
        "<MechanicalObject name='dofs'/><UniformMass name='mass' totalMass='2'/><%s name='ff' youngModulus='500' "
        "poissonRatio='0.45'/>"
        "<BoxROI name='end' box='-0.1 -1 -1 0.1 2 2'/><FixedProjectiveConstraint indices='@end.indices'/></Node>",
        hexa ? "HexahedronTLEDForceField" : "TetrahedronTLEDForceField");
    dvScene *scene = check_scene(text.text, 1);
    dvObject *ff = check_find(scene, "ff"), *mass = check_find(scene, "mass");
    const dvMassOps *ops = dv_ops(mass, DV_ROLE_MASS);
    dvMech m = {.x = DV_X, .v = DV_V, .gravity = {0, -1, 0}};
    double first = ops->potential(mass, &m), most = 0;
    for (int step = 0; step < 3000; step++) {
      check_steps(scene, 1);
      double elastic = fd_energy_of(ff), kinetic = ops->kinetic(mass, DV_V),
             drift = elastic + kinetic + ops->potential(mass, &m) - first;
      most = fmax(most, fabs(drift));
    }
    assert_true(most < 0.02);   // of a weight of 2 N that falls some tenths of a metre
    check_close_scene(&scene);
    dv_text_free(&text);
  }
}

static void mistakes_are_told(void **state)
{
  DV_UNUSED(state);
  assert_true(fd_fails("<Node><RegularGridTopology n='2 2 2'/><MechanicalObject/><HexahedronTLEDForceField "
                       "poissonRatio='0.5'/></Node>"));
  assert_true(fd_fails("<Node><RegularGridTopology n='2 2 2'/><MechanicalObject/><HexahedronTLEDForceField "
                       "hourglassControl='-1'/></Node>"));
  assert_true(
      fd_fails("<Node><MeshTopology/><MechanicalObject/><TetrahedronTLEDForceField pronySeries='0.5'/></Node>"));
  assert_true(fd_fails(
      "<Node><MeshTopology/><MechanicalObject/><TetrahedronTLEDForceField pronySeries='0.6 1 0.5 2'/></Node>"));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(derivatives_are_exact),          cmocka_unit_test(rigid_motions_give_no_force),
      cmocka_unit_test(hourglasses_are_resisted),       cmocka_unit_test(bars_bend),
      cmocka_unit_test(explicit_steps_keep_the_energy), cmocka_unit_test(mistakes_are_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

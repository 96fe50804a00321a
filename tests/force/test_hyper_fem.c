// TetrahedronHyperelasticityFEMForceField and StandardTetrahedralFEMForceField in scenes.
#include "support/check.h"
#include "support/fd.h"
#include "support/scene.h"

static const char *const mesh = "<MeshTopology name='mesh' position='0 0 0  1 0.1 0  0.2 1 0.1  0.1 -0.1 1  1 1.1 1.2' "
                                "tetrahedra='0 1 2 3  1 2 3 4'/>";

// the whole derivative is there: every law at random deformations
static void every_law_is_the_exact_derivative(void **state)
{
  DV_UNUSED(state);
  static const char *const laws[] = {
      "materialName='ArrudaBoyce' ParameterSet='3 20'",        "materialName='StVenantKirchhoff' ParameterSet='3 20'",
      "materialName='NeoHookean' ParameterSet='3 20'",         "materialName='MooneyRivlin' ParameterSet='3 2 20'",
      "materialName='VerondaWestman' ParameterSet='3 0.7 20'", "materialName='Costa' ParameterSet='2 20 8 3 4 2 1 5'",
      "materialName='Guccione' ParameterSet='2 20 8 2 4'",     "materialName='Ogden' ParameterSet='3 5 20'",
      "materialName='StableNeoHookean' ParameterSet='3 20'",   "ParameterSet='3 20'"};
  static const char *const names[] = {"TetrahedronHyperelasticityFEMForceField", "StandardTetrahedralFEMForceField",
                                      "MJEDTetrahedralForceField"};
  for (size_t i = 0; i < DV_COUNT(names) * DV_COUNT(laws); i++) {
    char *text = dv_format("<Node>%s<MechanicalObject/><%s name='ff' %s rayleighStiffness='0.1'/></Node>", mesh,
                           names[i % DV_COUNT(names)], laws[i / DV_COUNT(names)]);
    fdScene s = fd_open(text);
    fdOptions o = fd_options();
    o.checks |= FD_SYMMETRY;
    if (!fd_check_force(fd_find(&s, "ff"), &o)) fail_msg("%s", text);
    fd_close(&s);
    dv_free(text);
  }
}

// the volume around points: derivative, matrix, no resultant; and a box that is squeezed keeps its volume
static void volumes_of_points_are_kept(void **state)
{
  DV_UNUSED(state);
  char *text = dv_format("<Node>%s<MechanicalObject/><NodalVolumeForceField name='ff' bulkModulus='20' "
                         "rayleighStiffness='0.1'/></Node>",
                         mesh);
  fdScene s = fd_open(text);
  fdOptions o = fd_options();
  o.checks |= FD_SYMMETRY | FD_RIGID;
  assert_true(fd_check_force(fd_find(&s, "ff"), &o));
  fd_close(&s);
  dv_free(text);
  assert_true(fd_fails("<Node><MechanicalObject/><NodalVolumeForceField/></Node>"));
  assert_true(fd_fails("<Node><MeshTopology/><MechanicalObject/><NodalVolumeForceField bulkModulus='-1'/></Node>"));
}

static void parameters_are_checked(void **state)
{
  DV_UNUSED(state);
  static const char *const bad[] = {"",
                                    "ParameterSet='1'",
                                    "materialName='MooneyRivlin' ParameterSet='1 2'",
                                    "materialName='Ogden' ParameterSet='1 0 2'",
                                    "materialName='StableNeoHookean' ParameterSet='1 -1'",
                                    "materialName='Rubber' ParameterSet='1 2'",
                                    "ParameterSet='nan 1'"};
  for (size_t i = 0; i < DV_COUNT(bad); i++) {
    char *text =
        dv_format("<Node>%s<MechanicalObject/><TetrahedronHyperelasticityFEMForceField %s/></Node>", mesh, bad[i]);
    if (!fd_fails(text)) fail_msg("accepted: %s", bad[i]);
    dv_free(text);
  }
  fdScene s = fd_open("<Node><MeshTopology/><MechanicalObject/><TetrahedronHyperelasticityFEMForceField "
                      "ParameterSet='1 2 3'/></Node>");   // warnings
  fd_close(&s);
}

// A cube crushed to a third comes back, whatever the law; crushed beyond zero with the stable law.
static void crushed_cubes_come_back(void **state)
{
  DV_UNUSED(state);
  static const char *const laws[] = {"StableNeoHookean", "NeoHookean"};
  for (int i = 0; i < 3; i++) {
    dvText text = {0};
    dv_text_add(&text, "<Node gravity='0 0 0' dt='0.002'><EulerImplicitSolver rayleighMass='6'/><CGLinearSolver "
                       "iterations='100' tolerance='1e-10' threshold='1e-30'/><MeshTopology ");
    check_add_tetra_box(&text, (const int[3]){2, 2, 2}, 0.5);
    dv_text_printf(
        &text,
        "/><MechanicalObject name='dofs'/><UniformMass totalMass='1'/><TetrahedronHyperelasticityFEMForceField "
        "name='ff' materialName='%s' ParameterSet='20 80'/></Node>",
        laws[i % 2]);
    dvScene *scene = check_scene(text.text, 1);
    dvState *dofs = dv_state(check_find(scene, "dofs"));
    double *x = dv_state_write(dofs, DV_X);
    for (size_t p = 0; p < dofs->count; p++) x[3 * p + 1] *= i < 2 ? 0.33 : -0.1;
    for (int step = 0; step < 2500; step++) assert_int_equal(dv_scene_step(scene, 0), DV_OK);
    check_close(fd_energy_of(check_find(scene, "ff")), 0, 1e-4);
    check_close_scene(&scene);
    dv_text_free(&text);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_law_is_the_exact_derivative),
      cmocka_unit_test(volumes_of_points_are_kept),
      cmocka_unit_test(parameters_are_checked),
      cmocka_unit_test(crushed_cubes_come_back),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

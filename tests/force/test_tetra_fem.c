// TetrahedronFEMForceField and its kin in scenes: derivatives, cells cut into tetrahedra, elements turned inside out,
// outputs, mistakes.
#include "support/check.h"
#include "support/fd.h"
#include "support/scene.h"

#include "force/fem/corot/tetra_corot.h"
#include "math/vec.h"
#include "topology/change/change.h"
#include "topology/geometry.h"

#include <string.h>

static const char *const two_tetrahedra = "<MeshTopology name='mesh' position='0 0 0  1 0.1 0  0.2 1 0.1  0.1 -0.1 1  "
                                          "1 1.1 1.2' tetrahedra='0 1 2 3  1 2 3 4'/>";

static fdScene open_pair(const char *force, const char *state) { return fd_open_force(two_tetrahedra, state, force); }

static void small_is_the_exact_derivative(void **state)
{
  DV_UNUSED(state);
  fdScene s = open_pair("<TetrahedronFEMForceField name='ff' method='small' youngModulus='100 300' poissonRatio='0.3 "
                        "0.2' rayleighStiffness='0.1'/>",
                        "");
  fdOptions o = fd_options();
  o.checks |= FD_SYMMETRY;
  assert_true(fd_check_force(fd_find(&s, "ff"), &o));
  fd_close(&s);
}

// turned, but not deformed: the derivative of the rotation does no work, so dforce is the exact derivative
static void turned_elements_have_the_exact_derivative(void **state)
{
  DV_UNUSED(state);
  static const char *const forces[] = {"TetrahedronFEMForceField name='ff' method='large'",
                                       "TetrahedronFEMForceField name='ff' method='polar'",
                                       "TetrahedronFEMForceField name='ff' method='svd'",
                                       "ParallelTetrahedronFEMForceField name='ff' nbThreads='2'",
                                       "TetrahedronFEMForceField name='ff' method='polar' updateStiffnessMatrix='true'",
                                       "TetrahedronFEMForceField name='ff' method='large' updateStiffnessMatrix='true'",
                                       "FastTetrahedralCorotationalForceField name='ff'",
                                       "FastTetrahedralCorotationalForceField name='ff' method='polar'",
                                       "FastTetrahedralCorotationalForceField name='ff' method='polar2'",
                                       "TetrahedralCorotationalFEMForceField name='ff' method='polar'"};
  assert_true(fd_check_turned(two_tetrahedra, forces, DV_COUNT(forces)));
}

static void the_global_matrix_changes_nothing(void **state)
{
  DV_UNUSED(state);
  double f[2][15];
  for (int i = 0; i < 2; i++) {
    fdScene s = open_pair(i ? "<TetrahedronFEMForceField name='ff' computeGlobalMatrix='true'/>"
                            : "<TetrahedronFEMForceField name='ff' assembling='0'/>",
                          "");
    double *x = dv_state_write(dv_state(fd_find(&s, "dofs")), DV_X);
    for (int k = 0; k < 15; k++) x[k] += 0.05 * (k * 7 % 5);
    memcpy(f[i], fd_force_on(fd_find(&s, "ff"), fd_find(&s, "dofs")), sizeof f[i]);
    fd_close(&s);
  }
  assert_memory_equal(f[0], f[1], sizeof f[0]);
}

// The cells of a grid give six tetrahedra each, without gaps: their volumes sum up, and each inner triangle has two.
static void hexahedra_are_cut_into_tetrahedra(void **state)
{
  DV_UNUSED(state);
  fdScene s = fd_open(
      "<Node><RegularGridTopology name='grid' n='4 3 3' min='0 0 0' max='3 2 4'/><MechanicalObject name='dofs'/>"
      "<TetrahedronFEMForceField name='ff' method='small' youngModulus='1000' poissonRatio='0.25'/></Node>");
  // uniform stretch along z: the energy needs the whole volume, and forces of inner points need a mesh without gaps
  dvState *dofs = dv_state(fd_find(&s, "dofs"));
  double *x = dv_state_write(dofs, DV_X), e = 0.01, modulus = 1000 * 0.75 / (1.25 * 0.5);
  for (size_t p = 0; p < dofs->count; p++) x[3 * p + 2] *= 1 + e;
  check_close(fd_energy_of(fd_find(&s, "ff")), 0.5 * 24 * modulus * e * e, 1e-10);
  const double *f = fd_force_on(fd_find(&s, "ff"), &dofs->base);
  double pull = 0;
  for (size_t p = 0; p < dofs->count; p++) {
    size_t i = p % 4, j = p / 4 % 3, k = p / 12;
    if (k == 2) pull += f[3 * p + 2];
    if (i > 0 && i < 3 && j == 1 && k == 1)
      for (size_t c = 0; c < 3; c++) check_close(f[3 * p + c], 0, 1e-10);
  }
  check_close(pull, -6 * modulus * e, 1e-10);
  fd_close(&s);
}

static double box_energy(dvScene *scene)
{
  dvObject *ff = check_find(scene, "ff");
  const dvForceOps *ops = dv_ops(ff, DV_ROLE_FORCE);
  dvMech m = {.x = DV_X, .v = DV_V, .f = DV_F};
  return ops->energy(ff, &m);
}

static dvVec3 edge(dvState *s, int32_t a, int32_t b)
{
  const double *x = dv_state_read(s, DV_X);
  return dv_vec3_sub(dv_point_at(x, b), dv_point_at(x, a));
}

// A cube is crushed flat, or turned inside out, and let go.
static void crushed_cubes_come_back(void **state)
{
  DV_UNUSED(state);
  static const char *const methods[] = {"large", "polar", "svd"};
  for (int i = 0; i < 6; i++) {
    bool inside_out = i >= 3;
    char *text = dv_format(
        "<Node gravity='0 0 0' dt='0.02'><EulerImplicitSolver rayleighMass='1'/><CGLinearSolver iterations='50' "
        "tolerance='1e-12' threshold='1e-20'/>"
        "<RegularGridTopology name='grid' n='3 3 3'/><MechanicalObject name='dofs'/><UniformMass totalMass='1'/>"
        "<TetrahedronFEMForceField name='ff' method='%s' youngModulus='200' poissonRatio='0.3'/></Node>",
        methods[i % 3]);
    dvScene *scene = check_scene(text, 1);
    dvState *dofs = dv_state(check_find(scene, "dofs"));
    double *x = dv_state_write(dofs, DV_X);
    for (size_t p = 0; p < dofs->count; p++) x[3 * p + 1] *= inside_out ? -0.3 : 1e-3;
    for (int step = 0; step < 400; step++) assert_int_equal(dv_scene_step(scene, 0), DV_OK);
    for (size_t k = 0; k < 3 * dofs->count; k++) assert_true(isfinite(dv_state_read(dofs, DV_X)[k]));
    check_close(box_energy(scene), 0, 1e-12);
    // the orthogonal factor of a mirrored element is a mirror: only that method stays inside out
    bool upright = dv_vec3_dot(edge(dofs, 0, 2), dv_vec3_cross(edge(dofs, 0, 6), edge(dofs, 0, 18))) > 0;
    assert_int_equal(upright, !(inside_out && strcmp(methods[i % 3], "polar") == 0));
    check_close_scene(&scene);
    dv_free(text);
  }
}

static void stresses_of_a_stretched_bar(void **state)
{
  DV_UNUSED(state);
  for (int kind = 1; kind <= 2; kind++) {
    char *text = dv_format("<Node gravity='0 0 0' dt='1e-9'><EulerExplicitSolver/><RegularGridTopology n='2 2 "
                           "3'/><MechanicalObject name='dofs'/><UniformMass/>"
                           "<TetrahedronFEMForceField name='ff' youngModulus='100' poissonRatio='0.25' "
                           "computeVonMisesStress='%d' method='polar'/></Node>",
                           kind);
    dvScene *scene = check_scene(text, 1);
    dvState *dofs = dv_state(check_find(scene, "dofs"));
    double *x = dv_state_write(dofs, DV_X), e = 1e-4;
    for (size_t p = 0; p < dofs->count; p++) x[3 * p] *= 1 + e;
    check_steps(scene, 1);
    dvObject *ff = check_find(scene, "ff");
    const dvReals *element = dv_object_field(ff, "vonMisesPerElement")->value,
                  *node = dv_object_field(ff, "vonMisesPerNode")->value;
    assert_int_equal(element->count, 12);
    assert_int_equal(node->count, 12);
    for (size_t i = 0; i < 12; i++) {
      check_close(element->data[i], 2 * 40 * e, 1e-6);
      check_close(node->data[i], 2 * 40 * e, 1e-6);
    }
    check_close_scene(&scene);
    dv_free(text);
  }
}

static void factors_scale_the_moduli(void **state)
{
  DV_UNUSED(state);
  fdScene s = open_pair(
      "<TetrahedronFEMForceField name='ff' localStiffnessFactor='2 0' youngModulus='100' poissonRatio='0.3'/>", "");
  fdScene one = open_pair("<TetrahedronFEMForceField name='ff' youngModulus='200 0' poissonRatio='0.3'/>", "");
  dv_state_write(dv_state(fd_find(&s, "dofs")), DV_X)[0] = 0.1;
  dv_state_write(dv_state(fd_find(&one, "dofs")), DV_X)[0] = 0.1;
  const double *f = fd_force_on(fd_find(&s, "ff"), fd_find(&s, "dofs")),
               *g = fd_force_on(fd_find(&one, "ff"), fd_find(&one, "dofs"));
  for (int i = 0; i < 15; i++) check_close(f[i], g[i], 0);
  check_close(f[12], 0, 0);
  fd_close(&s);
  fd_close(&one);
}

// elements are taken away while the scene runs; a state that has become too small switches the force off
static void forces_follow_their_topology(void **state)
{
  DV_UNUSED(state);
  static const char *const forces[] = {"TetrahedronFEMForceField", "CorotationalFEMForceField",
                                       "TetrahedronHyperelasticityFEMForceField ParameterSet='3 20'"};
  for (size_t i = 0; i < DV_COUNT(forces); i++) {
    char *force = dv_format("<%s name='ff'/>", forces[i]);
    fdScene s = open_pair(force, "");
    dvObject *ff = fd_find(&s, "ff"), *dofs = fd_find(&s, "dofs");
    dvTopology *mesh = dv_topology(fd_find(&s, "mesh"));
    dv_state_write(dv_state(dofs), DV_X)[12] += 0.1;
    assert_true(fabs(fd_force_on(ff, dofs)[12]) > 1e-3);
    assert_true(dv_ints_resize(&mesh->tetrahedra, 4));
    dv_topology_changed(mesh);
    dv_scene_pull(s.scene);
    for (int k = 0; k < 15; k++) check_close(fd_force_on(ff, dofs)[k], 0, 1e-12);
    dv_ints_edit(&mesh->tetrahedra)[3] = 77;
    dv_topology_changed(mesh);
    dv_scene_pull(s.scene);
    for (int k = 0; k < 15; k++) check_close(fd_force_on(ff, dofs)[k], 0, 0);
    check_close(fd_energy_of(ff), 0, 0);
    fd_close(&s);
    dv_free(force);
  }
}

static void mistakes_are_refused(void **state)
{
  DV_UNUSED(state);
  static const char *const bad[] = {"poissonRatio='0.5'",        "poissonRatio='-1'", "youngModulus='-3'",
                                    "youngModulus='nan'",        "youngModulus=''",   "localStiffnessFactor='1 -1'",
                                    "computeVonMisesStress='3'", "method='wrong'",    "topology='@nowhere'"};
  for (size_t i = 0; i < DV_COUNT(bad); i++) {
    char *text = dv_format("<Node>%s<MechanicalObject/><TetrahedronFEMForceField %s/></Node>", two_tetrahedra, bad[i]);
    if (!fd_fails(text)) fail_msg("accepted: %s", bad[i]);
    dv_free(text);
  }
  assert_true(fd_fails("<Node><MechanicalObject/><TetrahedronFEMForceField/></Node>"));
  assert_true(fd_fails("<Node><MeshTopology tetrahedra='0 1 2 9'/><MechanicalObject position='0 0 0 1 0 "
                       "0'/><TetrahedronFEMForceField/></Node>"));
  fdScene s =
      fd_open("<Node><MeshTopology/><MechanicalObject/><TetrahedronFEMForceField/></Node>");   // no elements: a warning
  fd_close(&s);
}

// elements that go between the last force and the end of the step: the stresses are those of the rest
static void stresses_follow_the_mesh(void **state)
{
  DV_UNUSED(state);
  char *text =
      dv_format("<Node gravity='0 -9 0'><EulerImplicitSolver/><CGLinearSolver/>%s<MechanicalObject/><UniformMass/>"
                "<TetrahedronFEMForceField name='ff' youngModulus='100' computeVonMisesStress='1'/></Node>",
                two_tetrahedra);
  dvScene *s = check_scene(text, 1);
  check_steps(s, 2);
  const dvReals *stress = dv_object_field(check_find(s, "ff"), "vonMisesPerElement")->value;
  assert_int_equal(stress->count, 2);
  dvTopology *mesh = dv_topology(check_find(s, "mesh"));
  assert_int_equal(dv_topology_remove(mesh, DV_TETRAHEDRON, (const int32_t[]){0}, 1), DV_OK);
  for (int i = 0; i < 100; i++)   // the list moves in memory
    assert_int_equal(dv_topology_add(mesh, DV_TETRAHEDRON, (const int32_t[]){1, 2, 3, 4}, 1, (dvOrigin){0}), DV_OK);
  dv_topology_end_changes(mesh);
  dv_scene_send(s, &(dvEvent){.kind = DV_EVENT_ANIMATE_END, .dt = 0.01});
  assert_int_equal(stress->count, 101);
  check_close_scene(&s);
  dv_free(text);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(small_is_the_exact_derivative),
      cmocka_unit_test(stresses_follow_the_mesh),
      cmocka_unit_test(turned_elements_have_the_exact_derivative),
      cmocka_unit_test(the_global_matrix_changes_nothing),
      cmocka_unit_test(hexahedra_are_cut_into_tetrahedra),
      cmocka_unit_test(crushed_cubes_come_back),
      cmocka_unit_test(stresses_of_a_stretched_bar),
      cmocka_unit_test(factors_scale_the_moduli),
      cmocka_unit_test(forces_follow_their_topology),
      cmocka_unit_test(mistakes_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

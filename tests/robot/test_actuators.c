// Actuators beside cables and chambers: the stiffness that is found is the one of the closed form, rows are derivatives
// of what they measure, forces on discs reach the goals of the scene, and what cannot be is told.
#include "robot/part.h"
#include "support/check.h"
#include "support/scene.h"
#include "topology/change/modify.h"

#include <string.h>

static double real_of(dvScene *s, const char *path, const char *field)
{
  return *(const double *)dv_object_field(check_find(s, path), field)->value;
}

// A bar of length L and section A that a force F stretches by u = F L / (E A): E for a given u.
static void the_stiffness_is_that_of_the_closed_form(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene(
      "<Node dt='1' gravity='0 0 0'><FreeMotionAnimationLoop/><QPInverseProblemSolver/><Node name='bar'>"
      "<EulerImplicitSolver/><SparseLDLSolver/><RegularGridTopology name='grid' n='5 2 2' min='0 0 0' max='0.4 0.1 "
      "0.1'/>"
      "<MechanicalObject name='dofs'/><UniformMass totalMass='0.001'/>"
      "<HexahedronFEMForceField name='fem' youngModulus='5000' poissonRatio='0' method='large'/>"
      "<FixedProjectiveConstraint indices='0 5 10 15'/><LinearSolverConstraintCorrection/>"
      "<ConstantForceField indices='4 9 14 19' totalForce='2 0 0'/>"
      "<YoungModulusActuator name='young' minYoung='100' maxYoung='1e6' maxYoungVariationRatio='0.5'/>"
      "<PositionEffector name='effector' indices='4' useDirections='1 0 0' effectorGoal='0.41 0 0'/></Node></Node>",
      1);
  check_steps(s, 60);
  const double expected = 2 * 0.4 / (0.1 * 0.1 * 0.01);   // 8000 Pa
  print_message("%.6f Pa, %.6f are expected\n", real_of(s, "bar/young", "youngModulus"), expected);
  check_close(check_value(s, "bar/dofs", DV_X, 3 * 4), 0.41, 1e-9);
  check_close(real_of(s, "bar/young", "youngModulus"), expected, 1e-5 * expected);
  const dvReals *fem = dv_object_field(check_find(s, "bar/fem"), "youngModulus")->value;
  assert_true(fem->data[0] == real_of(s, "bar/young", "youngModulus"));
  dv_scene_reset(s);   // everything is as it was, the stiffness too
  assert_true(fem->data[0] == 5000 && real_of(s, "bar/young", "youngModulus") == 5000);
  check_steps(s, 60);
  check_close(real_of(s, "bar/young", "youngModulus"), expected, 1e-5 * expected);
  // out of reach: the limit is kept
  dvObject *young = check_find(s, "bar/young");
  assert_int_equal(dv_object_set(young, "maxYoung", "8100"), DV_OK);
  assert_int_equal(dv_object_set(check_find(s, "bar/effector"), "effectorGoal", "0.402 0 0"), DV_OK);
  check_steps(s, 60);
  check_close(real_of(s, "bar/young", "youngModulus"), 8100, 1e-6);
  check_close_scene(&s);
}

// the slopes of discs beside differences of what they measure; for stiffness beside those of the force
static void rows_are_derivatives(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene_file("scenes/robot/actuators.scn", 1);
  check_steps(s, 3);
  dvPart *p = (dvPart *)check_find(s, "pushed/push");
  dvState *body = dv_part_state(p);
  size_t n = dv_state_scalars(body, DV_X), rows = p->gauge->rows(p);
  assert_int_equal(rows, 2);
  double *x = dv_alloc(n * sizeof *x), *h = dv_alloc(rows * n * sizeof *h), before[2], after[2];
  memcpy(x, dv_state_read(body, DV_X), n * sizeof *x);
  p->slopes.count = 0;
  p->gauge->measure(p, x, before, true);
  for (size_t i = 0; i < p->slopes.count; i++)
    for (size_t k = 0; k < 3; k++)
      h[(size_t)p->slopes.data[i].row * n + 3 * (size_t)p->slopes.data[i].dof + k] += p->slopes.data[i].h[k];
  double largest = 0;
  for (size_t i = 0; i < n; i++) {
    double keep = x[i];
    x[i] = keep + 1e-5;
    p->gauge->measure(p, x, after, false);
    x[i] = keep - 1e-5;
    p->gauge->measure(p, x, before, false);
    x[i] = keep;
    for (size_t r = 0; r < rows; r++) {
      check_close((after[r] - before[r]) / 2e-5, h[r * n + i], 1e-9);
      largest = fmax(largest, fabs(h[r * n + i]));
    }
  }
  assert_true(largest > 0.2 && largest <= 1);   // weights fall off from the centre
  dv_free(x), dv_free(h);
  check_close_scene(&s);
}

static void the_scene_reaches_its_goals(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene_file("scenes/robot/actuators.scn", 1);
  check_steps(s, 250);
  check_close(check_value(s, "hanging/dofs", DV_X, 3 * 4 + 2), -0.082, 1e-7);
  check_close(check_value(s, "pushed/dofs", DV_X, 3 * 76), 0.114, 1e-6);
  check_close(check_value(s, "pushed/dofs", DV_X, 3 * 76 + 1), 0.013, 1e-6);
  // a hanging bar of weight m g: u = m g L / (2 E A) for its mass spread evenly; lumped at the points it is nearly so
  double closed = 0.1 * 9.81 * 0.08 / (2 * 0.02 * 0.02 * 0.002);
  check_close(real_of(s, "hanging/stiffness", "youngModulus"), closed, 0.02 * closed);
  const dvReals *force = dv_object_field(check_find(s, "pushed/push"), "force")->value;
  assert_true(force->count == 2 && force->data[0] > 0 && force->data[1] > 0);
  check_close_scene(&s);
}

// One beam without a load: its end lies at its length, turned by half of the angle.
static void beams_bend_themselves(void **state)
{
  DV_UNUSED(state);
  const double half = 0.2;
  char *text = dv_format(
      "<Node dt='0.1' gravity='0 0 0'><FreeMotionAnimationLoop/><QPInverseProblemSolver/><Node name='chain'>"
      "<EulerImplicitSolver rayleighStiffness='0.1'/><SparseLDLSolver template='CompressedRowSparseMatrixd'/>"
      "<MechanicalObject name='frames' template='Rigid3' position='0 0 0 0 0 0 1  1 0 0 0 0 0 1'/>"
      "<MeshTopology edges='0 1'/><UniformMass totalMass='0.1'/><BeamFEMForceField youngModulus='1e6' radius='0.05'/>"
      "<FixedProjectiveConstraint indices='0'/><LinearSolverConstraintCorrection/>"
      "<BeamRestPositionActuator name='shape' direction='0 0 1' maxAngleVariation='0.05'/>"
      "<PositionEffector indices='1' useDirections='0 1 0 0 0 0' effectorGoal='0 %.17g 0 0 0 0 1'/></Node></Node>",
      sin(half));
  dvScene *s = check_scene(text, 1);
  check_steps(s, 300);
  const dvReals *angles = dv_object_field(check_find(s, "chain/shape"), "angles")->value;
  assert_int_equal(angles->count, 3);
  check_close(check_value(s, "chain/frames", DV_X, 8), sin(half), 1e-7);
  check_close(angles->data[2], 2 * half, 1e-5);
  assert_true(angles->data[0] == 0 && angles->data[1] == 0);
  for (size_t i = 0; i < 14; i++)   // it rests in the shape that was found
    check_close(check_value(s, "chain/frames", DV_X, i), check_value(s, "chain/frames", DV_X_REST, i), 1e-5);
  dv_scene_reset(s);
  assert_true(angles->data[2] == 0);
  check_close(check_value(s, "chain/frames", DV_X_REST, 8), 0, 1e-15);
  check_close_scene(&s);
  dv_free(text);
  // four of them, against their weight
  s = check_scene_file("scenes/robot/chain.scn", 1);
  check_steps(s, 200);
  check_close(check_value(s, "chain/frames", DV_X, 7 * 4 + 1), -0.09, 1e-6);
  check_close(check_value(s, "chain/frames", DV_X, 7 * 4 + 2), 0.03, 1e-6);
  check_close_scene(&s);
}

// what presses on a robot is found from where its tip is and how long its cable is
static void forces_are_estimated_from_measurements(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene_file("scenes/robot/estimated.scn", 1);
  check_steps(s, 300);
  const dvReals *press = dv_object_field(check_find(s, "model/press"), "force")->value;
  print_message("%.9f N of 0.3, %.9f N of 0.5\n", press->data[0], real_of(s, "model/cable", "force"));
  check_close(press->data[0], 0.3, 1e-6);
  check_close(real_of(s, "model/cable", "force"), 0.5, 1e-6);
  check_close_scene(&s);
}

static void what_cannot_be_is_told(void **state)
{
  DV_UNUSED(state);
  static const char *const bad[] = {
      "<YoungModulusActuator/>",
      "<HexahedronFEMForceField youngModulus='1 2 3 4'/><YoungModulusActuator/>",
      "<HexahedronFEMForceField/><YoungModulusActuator minYoung='5' maxYoung='4'/>",
      "<HexahedronFEMForceField/><YoungModulusActuator minYoung='0'/>",
      "<HexahedronFEMForceField/><YoungModulusActuator maxYoungVariationRatio='0'/>",
      "<ForceSurfaceActuator/>",
      "<BeamRestPositionActuator/>",
      "<ForceSurfaceActuator centers='9 9 9' radii='0.1'/>",
      "<ForceSurfaceActuator centers='0 0 0' radii='-1'/>",
      "<ForceSurfaceActuator centers='0 0 0' radii='1' triangles='0 1 99'/>",
      "<ForceSurfaceActuator centers='0 0 0' radii='1' directions='0 0 0'/>",
      "<ForceSurfaceActuator centers='0 0 0' radii='1' directions='1 0 0' minForce='2' maxForce='1'/>",
      "<ForceSurfaceActuator centers='0 0 0' radii='1' directions='1 0 0' position='0 0 0'/>",
  };
  for (size_t i = 0; i < DV_COUNT(bad); i++) {
    char *text =
        dv_format("<Node><FreeMotionAnimationLoop/><QPInverseProblemSolver/><Node><EulerImplicitSolver/>"
                  "<SparseLDLSolver/><RegularGridTopology n='2 2 2' min='0 0 0' max='1 1 1'/><MechanicalObject/>"
                  "<UniformMass totalMass='1'/><LinearSolverConstraintCorrection/>%s</Node></Node>",
                  bad[i]);
    dvContext *context = dv_divan_create(1);
    dvScene *scene = NULL;
    dvStatus status = dv_scene_parse(context, "test.scn", text, strlen(text), &scene);
    if (status == DV_OK) status = dv_scene_init(scene);
    if (status == DV_OK) fail_msg("%s passed", bad[i]);
    dv_scene_destroy(&scene);
    dv_divan_destroy(&context);
    dv_free(text);
  }
}

// points of a disc go with the mesh: each keeps its weight, whatever its number becomes
static void discs_go_with_the_mesh(void **state)
{
  DV_UNUSED(state);
  enum { SIDE = 7 };
  dvText text = {0};
  dv_text_add(&text,
              "<Node><FreeMotionAnimationLoop/><QPInverseProblemSolver/><TriangleSetTopologyContainer name='mesh' "
              "position='");
  for (int i = 0; i < SIDE * SIDE; i++) dv_text_printf(&text, "%d %d 0 ", i % SIDE, i / SIDE);
  dv_text_add(&text, "' triangles='");
  for (int i = 0; i < (SIDE - 1) * (SIDE - 1); i++) {
    int at = i / (SIDE - 1) * SIDE + i % (SIDE - 1);
    dv_text_printf(&text, "%d %d %d %d %d %d ", at, at + 1, at + SIDE + 1, at, at + SIDE + 1, at + SIDE);
  }
  dv_text_add(&text, "'/><TriangleSetTopologyModifier/><MechanicalObject name='d'/><ForceSurfaceActuator name='push' "
                     "centers='3 3 0' radii='2.5' updateNormals='1'/></Node>");
  dvScene *s = check_scene(text.text, 1);
  dv_text_free(&text);
  dvTopology *t = dv_topology(check_find(s, "mesh"));
  int32_t faces[2 * 2 * (SIDE - 1)];
  for (int32_t i = 0; i < (int32_t)DV_COUNT(faces); i++) faces[i] = i;
  assert_int_equal(dv_mesh_remove(t, DV_TRIANGLE, faces, DV_COUNT(faces), DV_REMOVE_POINTS), DV_OK);
  dv_topology_end_changes(t);
  dvPart *p = (dvPart *)check_find(s, "push");
  const dvState *d = dv_part_state(p);
  const double *x = dv_state_read(d, DV_X);
  double q;
  size_t wanted = 0;
  p->slopes.count = 0;
  p->gauge->measure(p, x, &q, true);
  check_close(q, 0, 1e-15);
  for (size_t i = 0; i < d->count; i++) wanted += hypot(x[3 * i] - 3, x[3 * i + 1] - 3) < 2.5;
  assert_int_equal(p->slopes.count, wanted);
  for (size_t i = 0; i < p->slopes.count; i++) {
    const double *at = x + 3 * p->slopes.data[i].dof;
    check_close(p->slopes.data[i].h[2], 1 - hypot(at[0] - 3, at[1] - 3) / 2.5, 1e-14);
  }
  check_close_scene(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_stiffness_is_that_of_the_closed_form),
                                     cmocka_unit_test(rows_are_derivatives),
                                     cmocka_unit_test(beams_bend_themselves),
                                     cmocka_unit_test(forces_are_estimated_from_measurements),
                                     cmocka_unit_test(the_scene_reaches_its_goals),
                                     cmocka_unit_test(what_cannot_be_is_told),
                                     cmocka_unit_test(discs_go_with_the_mesh)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

// Models of Lagrangian constraints beside closed forms: frames, fixed points, values of mappings, stops, wires, joints
// with limits and motors; what redundant and contradicting ones lead to.
#include "constraint/lagrangian/problem.h"
#include "math/vec.h"
#include "support/check.h"
#include "support/fd.h"
#include "support/scene.h"

#define SOLVER(more)                                                                                                \
  "<FreeMotionAnimationLoop/><BlockGaussSeidelConstraintSolver name='solver' tolerance='1e-13' scaleTolerance='0' " \
  "maxIterations='5000' computeConstraintForces='1' " more "/>"
#define BODY "<EulerImplicitSolver/><SparseLDLSolver/>"
#define HELD "<LinearSolverConstraintCorrection/>"

static const dvReals *multipliers(dvScene *s)
{
  return dv_object_field(check_find(s, "solver"), "constraintForces")->value;
}

static dvVec3 place(dvScene *s, const char *path, size_t i, dvVec3 local)
{
  const double *x = dv_state_read(dv_state(check_find(s, path)), DV_X) + 7 * i;
  return dv_vec3_add(dv_vec3_load(x), dv_quat_rotate(dv_quat_load(x + 3), local));
}

// --- frames and fixed points ---------------------------------------------------------------------------

// two frames that turn about each other keep their momentum, and the second its place in the world relative to the
// first
static void frames_stay_together(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene(
      "<Node dt='0.01' gravity='0 0 0'>" SOLVER(
          "linearizations='4'") "<Node name='a'>" BODY "<MechanicalObject template='Rigid3' name='d' position='0 0 0 0 "
                                "0 0 1' velocity='1 2 3 0 0 0.5'/>"
                                "<UniformMass vertexMass='2 1 0.4 0 0 0 0.4 0 0 0 0.4'/>" HELD "</Node>"
                                "<Node name='b'>" BODY
                                "<MechanicalObject template='Rigid3' name='d' position='0 0 0 0 0 0.70710678118654752 "
                                "0.70710678118654752' velocity='-1 0 1 0 0 0'/><UniformMass vertexMass='3 1 0.4 0 0 0 "
                                "0.4 0 0 0 0.4'/>" HELD "</Node>"
                                "<BilateralLagrangianConstraint template='Rigid3' object1='@a/d' object2='@b/d' "
                                "first_point='0' second_point='0' "
                                "keepOrientationDifference='1'/></Node>",
      1);
  check_steps(s, 50);
  const double wanted[3] = {(2 * 1 - 3) / 5.0, 4 / 5.0, 9 / 5.0};
  for (size_t k = 0; k < 3; k++) {
    check_close(check_value(s, "a/d", DV_V, k), wanted[k], 1e-9);
    check_close(check_value(s, "a/d", DV_X, k), check_value(s, "b/d", DV_X, k), 1e-10);
  }
  // spin is shared: inertias 2 x 0.4 and 3 x 0.4
  check_close(check_value(s, "a/d", DV_V, 5), 0.5 * 2 / 5, 1e-6);
  check_close(check_value(s, "b/d", DV_V, 5), 0.5 * 2 / 5, 1e-6);
  dvQuat q1 = dv_quat_load(dv_state_read(dv_state(check_find(s, "a/d")), DV_X) + 3),
         q2 = dv_quat_load(dv_state_read(dv_state(check_find(s, "b/d")), DV_X) + 3);
  dvVec3 turn = dv_quat_to_rotation_vector(dv_quat_mul(dv_quat_conjugate(q1), q2));
  check_close(turn.z, M_PI / 2, 1e-9);
  check_close(hypot(turn.x, turn.y), 0, 1e-9);
  check_close_scene(&s);
}

// held points stay, and their multipliers carry the weight
static void fixed_carries_weight(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene(
      "<Node dt='0.02' gravity='0 -10 0'>" SOLVER(
          "") "<EulerImplicitSolver rayleighStiffness='0.1' rayleighMass='2'/><SparseLDLSolver/>"
              "<RegularGridTopology n='4 2 2' min='0 0 0' max='3 1 1'/><MechanicalObject name='d'/>"
              "<UniformMass totalMass='2'/><HexahedronFEMForceField youngModulus='40000' poissonRatio='0.3'/>"
              "<FixedLagrangianConstraint indices='0 4 8 12'/>" HELD "</Node>",
      1);
  check_steps(s, 800);
  const dvReals *l = multipliers(s);
  assert_int_equal(l->count, 12);
  double sum = 0;
  for (size_t i = 1; i < 12; i += 3) sum += l->data[i] / 0.02;
  check_close(sum, 20, 1e-3);
  for (size_t i = 0; i < 4; i++) check_close(check_value(s, "d", DV_X, 12 * i + 1), i % 2, 1e-10);
  check_close_scene(&s);
  s = check_scene("<Node dt='0.02' gravity='0 -10 0'>" SOLVER("") BODY
                  "<MechanicalObject template='Rigid3' name='d' position='0 0 0 0 0 0 1' velocity='0 0 0 0 0 9'/>"
                  "<UniformMass totalMass='3'/><FixedLagrangianConstraint fixAll='1'/>" HELD "</Node>",
                  1);
  check_steps(s, 20);
  check_close(multipliers(s)->data[1] / 0.02, 30, 1e-6);
  for (size_t k = 0; k < 6; k++) check_close(check_value(s, "d", DV_V, k), 0, 1e-7);
  check_close(check_value(s, "d", DV_X, 6), 1, 1e-9);
  check_close_scene(&s);
}

// --- values of mappings ----------------------------------------------------------------------------------

// chains keep their lengths, one by one or solved together, by position or velocity; a plane is not left; areas stay
static void mapped_values(void **state)
{
  DV_UNUSED(state);
  static const char chain[] =
      "<Node dt='0.01' gravity='0 -10 0'><FreeMotionAnimationLoop solveVelocityConstraintFirst='%d'/>"
      "<BlockGaussSeidelConstraintSolver tolerance='1e-12' scaleTolerance='0' maxIterations='20000' "
      "linearizations='3'/>" BODY
      "<MeshTopology name='t' position='0 0 0 1 0 0 2 0 0 3 0 0 4 0 0 5 0 0 6 0 0 7 0 0 8 0 0' "
      "edges='0 1 1 2 2 3 3 4 4 5 5 6 6 7 7 8'/><MechanicalObject name='d'/><UniformMass totalMass='1'/>"
      "<FixedProjectiveConstraint indices='0'/><GenericConstraintCorrection/>"
      "<Node name='l'><MechanicalObject template='Vec1' name='e'/><DistanceMapping topology='@../t' "
      "computeDistance='0'/>"
      "<UniformLagrangianConstraint iterative='%d'/></Node></Node>";
  for (int way = 0; way < 4; way++) {
    char *text = dv_format(chain, way / 2, way % 2);
    dvScene *s = check_scene(text, 1);
    dv_free(text);
    check_steps(s, 60);
    for (size_t i = 0; i < 8; i++) check_close(check_value(s, "l/e", DV_X, i), 0, way < 2 ? 1e-9 : 0.02);
    assert_true(check_value(s, "d", DV_X, 3 * 8 + 1) < -1);   // it has fallen
    check_close_scene(&s);
  }
  dvScene *s = check_scene(
      "<Node dt='0.01' gravity='0 -10 0'>" SOLVER("linearizations='4'") BODY
      "<MeshTopology name='t' position='0 0 0 1 0 0 1 0 1 0 0 1' triangles='0 1 2 0 2 3'/><MechanicalObject name='d' "
      "velocity='0 0 0 2 0 0 2 1 0 0 0 0'/>"
      "<UniformMass totalMass='1'/><GenericConstraintCorrection/>"
      "<Node name='a'><MechanicalObject template='Vec1' name='area'/><AreaMapping topology='@../t' "
      "applyRestPosition='1'/>"
      "<UniformLagrangianConstraint constrainToRestPos='1'/></Node>"
      "<Node name='p'><MechanicalObject template='Vec1' name='height'/><DistanceToPlaneMapping planeNormal='0 1 0' "
      "planePoint='0 0 0'/><UniformLagrangianConstraint/></Node></Node>",
      1);
  check_steps(s, 30);
  for (size_t i = 0; i < 2; i++) check_close(check_value(s, "a/area", DV_X, i), 0.5, 1e-9);
  for (size_t i = 0; i < 4; i++) check_close(check_value(s, "d", DV_X, 3 * i + 1), 0, 1e-10);
  assert_true(check_value(s, "d", DV_X, 3) > 1.1);
  check_close_scene(&s);
}

// --- stops and wires ---------------------------------------------------------------------------------------

static void stops(void **state)
{
  DV_UNUSED(state);
  for (int first = 0; first < 2; first++) {
    char *text = dv_format(
        "<Node dt='0.01' gravity='0 0 0'><FreeMotionAnimationLoop solveVelocityConstraintFirst='%d'/>"
        "<BlockGaussSeidelConstraintSolver name='solver' tolerance='1e-13' computeConstraintForces='1'/>" BODY
        "<MechanicalObject template='Vec1' name='d' position='-7'/><UniformMass totalMass='2'/>"
        "<ConstantForceField indices='0' forces='3'/><StopperLagrangianConstraint min='-1' max='0.25'/>" HELD "</Node>",
        first);
    dvScene *s = check_scene(text, 1);
    dv_free(text);
    check_close(check_value(s, "d", DV_X, 0), -1, 0);   // it starts within
    check_steps(s, 50);
    check_close(check_value(s, "d", DV_X, 0), -1 + 0.5 * 1.5 * 0.5 * 0.51, 1e-9);   // free: sum of h v
    check_steps(s, 200);
    check_close(check_value(s, "d", DV_X, 0), 0.25, 1e-12);
    check_close(multipliers(s)->data[0] / 0.01, -3, 1e-9);
    check_close_scene(&s);
  }
}

// a bead on a wire: g sin(slope) along it, the rest is the wire's; at the end it stops
static void slides(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene(
      "<Node dt='0.001' gravity='0 -10 0'>" SOLVER(
          "") "<Node name='w'><MechanicalObject name='d' position='0 3 0 4 0 0'/></Node>"
              "<Node name='b'>" BODY "<MechanicalObject name='d' position='0.4 2.7 0'/><UniformMass "
              "totalMass='2'/>" HELD "</Node>"
              "<SlidingLagrangianConstraint name='c' object1='@b/d' object2='@w/d' axis_1='0' axis_2='1'/></Node>",
      1);
  check_steps(s, 500);
  double way = 0.5 * 6 * 0.5 * 0.501;   // a = 10 x 3/5, sum of h v
  check_close(check_value(s, "b/d", DV_X, 0), 0.4 + 0.8 * way, 1e-9);
  check_close(check_value(s, "b/d", DV_X, 1), 2.7 - 0.6 * way, 1e-9);
  const double *force = dv_object_field(check_find(s, "c"), "force")->value;
  check_close(force[0] / 0.001, 2 * 10 * 0.8 * 0.6, 1e-6);
  check_close(force[1] / 0.001, 2 * 10 * 0.8 * 0.8, 1e-6);
  check_steps(s, 1500);
  check_close(check_value(s, "b/d", DV_X, 0), 4, 1e-9);
  check_close(check_value(s, "b/d", DV_X, 1), 0, 1e-9);
  check_close_scene(&s);
}

// --- joints --------------------------------------------------------------------------------------------------

// ten rods on hinges swing; their anchors stay together to 1e-8, and no rod leaves the plane
static void pendulum_keeps_lengths(void **state)
{
  DV_UNUSED(state);
  uint64_t hash = 0;
  for (int threads = 1; threads <= 3; threads++) {
    dvScene *s = check_scene_file("scenes/constraint/JointLagrangianConstraint.scn", threads);
    for (int step = 0; step < 200; step++) {
      check_steps(s, 1);
      for (size_t i = 1; i <= 10; i++) {
        dvVec3 from = i == 1 ? dv_vec3(0, 0, 0) : place(s, "chain/rods", i - 1, dv_vec3(0.5, 0, 0));
        dvVec3 off = dv_vec3_sub(place(s, "chain/rods", i, dv_vec3(-0.5, 0, 0)), from);
        check_close(dv_vec3_norm(off), 0, 1e-8);
      }
    }
    dvVec3 end = place(s, "chain/rods", 10, dv_vec3(0.5, 0, 0));
    check_close(end.z, 0, 1e-8);
    assert_true(end.y < -2);
    // the door stands at its stop, the drawer too
    check_close(((const dvReals *)dv_object_field(check_find(s, "door/hinge"), "value")->value)->data[0], 1.5, 1e-8);
    check_close(((const dvReals *)dv_object_field(check_find(s, "drawer/slider"), "value")->value)->data[0], 0.6, 1e-8);
    if (threads == 1) hash = dv_scene_hash(s);
    assert_true(dv_scene_hash(s) == hash);
    check_close_scene(&s);
  }
}

static dvScene *one_joint(const char *joint, const char *velocity, int first)
{
  char *text = dv_format(
      "<Node dt='0.001' gravity='0 0 0'><FreeMotionAnimationLoop solveVelocityConstraintFirst='%d'/>"
      "<BlockGaussSeidelConstraintSolver name='solver' tolerance='1e-13' scaleTolerance='0' maxIterations='5000' "
      "linearizations='3'/>" BODY
      "<MechanicalObject template='Rigid3' name='d' position='0 0 0 0 0 0 1 1 0 0 0 0 0 1' velocity='0 0 0 0 0 0 %s'/>"
      "<UniformMass vertexMass='2 1 0.4 0 0 0 0.4 0 0 0 0.4'/><FixedProjectiveConstraint indices='0'/>" HELD
      "<JointLagrangianConstraint name='j' first_point='0' second_point='1' %s/></Node>",
      first, velocity, joint);
  dvScene *s = check_scene(text, 1);
  dv_free(text);
  return s;
}
static double value_of(dvScene *s)
{
  return ((const dvReals *)dv_object_field(check_find(s, "j"), "value")->value)->data[0];
}

// what each type leaves free moves as if there were no joint; what it holds stays
static void types(void **state)
{
  DV_UNUSED(state);
  dvScene *s = one_joint("joint='hinge' axis='0 0 1' anchor='1 0 0'", "3 2 1 1 2 1.5", 0);
  check_steps(s, 100);
  check_close(value_of(s), 0.15, 1e-9);
  check_close(check_value(s, "d", DV_X, 7), 1, 1e-9);
  check_close_scene(&s);
  s = one_joint("joint='ball' anchor='1 0 0'", "3 2 1 0.4 0 0", 0);
  check_steps(s, 100);
  check_close(value_of(s), 0.04, 1e-9);
  check_close(check_value(s, "d", DV_X, 8), 0, 1e-9);
  check_close_scene(&s);
  s = one_joint("joint='slider' axis='0 1 0'", "3 2 1 1 2 3", 0);
  check_steps(s, 100);
  check_close(value_of(s), 0.2, 1e-9);
  check_close(check_value(s, "d", DV_X, 7), 1, 1e-9);
  check_close(check_value(s, "d", DV_X, 13), 1, 1e-9);
  check_close_scene(&s);
  s = one_joint("joint='fixed'", "3 2 1 1 2 3", 0);
  check_steps(s, 100);
  for (size_t k = 6; k < 12; k++) check_close(check_value(s, "d", DV_V, k), 0, 1e-7);
  check_close_scene(&s);
}

// a motor accelerates by force / inertia up to its speed; limits stop what moves
static void motors_and_limits(void **state)
{
  DV_UNUSED(state);
  for (int first = 0; first < 2; first++) {
    dvScene *s = one_joint("joint='hinge' anchor='1 0 0' motorSpeed='2' motorForce='4'", "0 0 0 0 0 0", first);
    check_steps(s, 100);   // 4 / 0.8 = 5 rad/s2
    check_close(check_value(s, "d", DV_V, 11), 0.5, 1e-6);
    check_steps(s, 400);
    check_close(check_value(s, "d", DV_V, 11), 2, 1e-6);
    check_close_scene(&s);
    s = one_joint("joint='slider' axis='1 0 0' limits='-1 0.1'", "1 0 0 0 0 0", first);
    check_steps(s, 90);
    check_close(value_of(s), 0.09, 1e-9);
    check_steps(s, 60);
    check_close(value_of(s), 0.1, 1e-9);
    check_close_scene(&s);
    s = one_joint("joint='ball' axis='0 0 1' limits='0 0.3'", "0 0 0 1 0 0", first);
    check_steps(s, 500);
    check_close(value_of(s), 0.3, first ? 1e-5 : 1e-8);
    check_close_scene(&s);
  }
}

// --- too many constraints ----------------------------------------------------------------------------------

// the same constraint twice holds as one does; two that contradict each other end with a message and finite numbers
static void redundant_and_contradicting(void **state)
{
  DV_UNUSED(state);
  static const char text[] =
      "<Node dt='0.01' gravity='0 -10 0'><FreeMotionAnimationLoop/><BlockGaussSeidelConstraintSolver name='solver' "
      "tolerance='1e-10' maxIterations='300' %s/><Node name='w'><MechanicalObject name='d' position='0 0 0 1 0 "
      "0'/></Node>"
      "<Node name='b'>" BODY "<MechanicalObject name='d' position='0 0 0 1 0 0'/><UniformMass totalMass='2'/>" HELD
      "</Node>"
      "<BilateralLagrangianConstraint object1='@w/d' object2='@b/d' first_point='0 1' second_point='0 1'/>"
      "<BilateralLagrangianConstraint object1='@w/d' object2='@b/d' first_point='%d 1' second_point='0 1'/></Node>";
  for (int way = 0; way < 3; way++) {
    char *filled = dv_format(text, way == 2 ? "regularizationTerm='0.001' useSVDForRegularization='1'" : "", way > 0);
    dvScene *s = check_scene(filled, 1);
    dv_free(filled);
    check_steps(s, 50);
    const int32_t *iterations = dv_object_field(check_find(s, "solver"), "currentIterations")->value;
    assert_true(way == 1 ? *iterations == 300 : *iterations < 300);
    double x = check_value(s, "b/d", DV_X, 0);
    assert_true(isfinite(x));
    if (way == 0) check_close(x, 0, 1e-9);
    if (way == 2) check_close(x, 0.5, 1e-6);   // half way between the two
    assert_true(fabs(x) < 1.5);
    check_close(check_value(s, "b/d", DV_X, 3), 1, way == 2 ? 0.01 : 1e-9);
    check_close_scene(&s);
  }
}

// five soft cubes that hold each other and swing under one solver: energy does not grow
static void soft_bodies_stay_stable(void **state)
{
  DV_UNUSED(state);
  dvText t = {0};
  dv_text_add(&t, "<Node dt='0.01' gravity='0 -10 0'>" SOLVER(""));
  for (int i = 0; i < 5; i++)
    dv_text_printf(
        &t,
        "<Node name='c%d'>" BODY "<RegularGridTopology n='3 3 3' min='%d 0 0' max='%d 1 1'/><MechanicalObject "
        "name='d'/><UniformMass totalMass='%d'/><HexahedronFEMForceField youngModulus='%d' poissonRatio='0.4'/>" HELD
        "%s</Node>",
        i, i, i + 1, i % 2 ? 1 : 10, i % 2 ? 100000 : 1000,
        i ? "" : "<FixedProjectiveConstraint indices='0 3 6 9 12 15 18 21 24'/>");
  for (int i = 0; i < 4; i++)
    dv_text_printf(
        &t,
        "<BilateralLagrangianConstraint object1='@c%d/d' object2='@c%d/d' first_point='2 5 8 11 14 17 20 23 26' "
        "second_point='0 3 6 9 12 15 18 21 24'/>",
        i, i + 1);
  dv_text_add(&t, "</Node>");
  dvScene *s = check_scene(t.text, 1);
  dv_text_free(&t);
  for (int step = 0; step < 300; step++) {
    check_steps(s, 1);
    for (size_t k = 0; k < 81; k++) assert_true(fabs(check_value(s, "c4/d", DV_V, k)) < 20);
    for (size_t k = 0; k < 3; k++)
      check_close(check_value(s, "c3/d", DV_X, 3 * 14 + k), check_value(s, "c4/d", DV_X, 3 * 12 + k), 1e-8);
  }
  check_close_scene(&s);
}

// --- bad input -----------------------------------------------------------------------------------------------

static void bad_input(void **state)
{
  DV_UNUSED(state);
#define POINTS "<Node><MechanicalObject name='d' position='0 0 0 1 0 0'/>"
#define FRAMES "<Node><MechanicalObject template='Rigid3' name='d' position='0 0 0 0 0 0 1 1 0 0 0 0 0 1'/>"
#define VALUES "<Node><MechanicalObject template='Vec1' name='d' position='0 1'/>"
  assert_true(fd_fails(POINTS "<FixedLagrangianConstraint indices='2'/></Node>"));
  assert_true(fd_fails(POINTS "<SlidingLagrangianConstraint axis_1='0' axis_2='5'/></Node>"));
  assert_true(fd_fails(VALUES "<StopperLagrangianConstraint index='2'/></Node>"));
  assert_true(fd_fails(VALUES "<StopperLagrangianConstraint min='1' max='0'/></Node>"));
  assert_true(fd_fails(POINTS "<StopperLagrangianConstraint/></Node>"));
  assert_true(fd_fails(POINTS "<JointLagrangianConstraint/></Node>"));
  assert_true(fd_fails(FRAMES "<JointLagrangianConstraint first_point='0' second_point='0'/></Node>"));
  assert_true(fd_fails(FRAMES "<JointLagrangianConstraint first_point='0' second_point='2'/></Node>"));
  assert_true(fd_fails(FRAMES "<JointLagrangianConstraint first_point='0' second_point='1' axis='0 0 0'/></Node>"));
  assert_true(fd_fails(FRAMES "<JointLagrangianConstraint first_point='0' second_point='1' limits='1 0'/></Node>"));
  assert_true(
      fd_fails(FRAMES "<JointLagrangianConstraint first_point='0' second_point='1' anchor='0 0 0 1 0 0'/></Node>"));
  assert_true(fd_fails("<Node><UniformLagrangianConstraint/></Node>"));
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(frames_stay_together),
                                     cmocka_unit_test(fixed_carries_weight),
                                     cmocka_unit_test(mapped_values),
                                     cmocka_unit_test(stops),
                                     cmocka_unit_test(slides),
                                     cmocka_unit_test(pendulum_keeps_lengths),
                                     cmocka_unit_test(types),
                                     cmocka_unit_test(motors_and_limits),
                                     cmocka_unit_test(redundant_and_contradicting),
                                     cmocka_unit_test(soft_bodies_stay_stable),
                                     cmocka_unit_test(bad_input)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

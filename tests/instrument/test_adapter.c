// Sliding and length constraints on beams, tubes under pressure, frames beside a curve, and controllers that lay out
// beams anew: closed forms, derivatives, bad input.
#include "support/check.h"
#include "support/fd.h"

#include "base/text.h"
#include "instrument/shaft.h"

static const double pi = 3.14159265358979323846;

static void run(fdScene *s, int steps)
{
  for (int i = 0; i < steps; i++) assert_int_equal(dv_scene_step(s->scene, 0), DV_OK);
}

static const double *read_x(fdScene *s, const char *name) { return dv_state_read(dv_state(fd_find(s, name)), DV_X); }

// a line of frames from 0 to 1 along x, and what else is in its node
static char *rod(int beams, const char *interpolation, const char *after)
{
  dvText t = {0};
  dv_text_add(&t, "<MechanicalObject template='Rigid3' name='dofs' position='");
  for (int i = 0; i <= beams; i++) dv_text_printf(&t, "%.17g 0 0 0 0 0 1 ", (double)i / beams);
  dv_text_add(&t, "'/><MeshTopology edges='");
  for (int i = 0; i < beams; i++) dv_text_printf(&t, "%d %d ", i, i + 1);
  dv_text_printf(&t, "'/><BeamInterpolation name='beams' %s/>%s", interpolation, after);
  return t.text;
}

static fdScene open_with(const char *format, int beams, const char *interpolation, const char *after)
{
  char *line = rod(beams, interpolation, after), *text = dv_format(format, line);
  fdScene s = fd_open(text);
  dv_free(line);
  dv_free(text);
  return s;
}

// --- the line ---

static void feet_on_an_arc(void **state)
{
  DV_UNUSED(state);
  fdScene s = open_with("<Node>%s</Node>", 10, "", "");
  dvShaft shaft = {.state = dv_state(fd_find(&s, "dofs")), .beams = dv_beams(fd_find(&s, "beams"))};
  double *x = dv_state_write(shaft.state, DV_X);
  for (int i = 0; i <= 10; i++)
    dv_pose_store(x + 7 * i,
                  (dvPose){{sin(0.1 * i), 1 - cos(0.1 * i), 0}, dv_quat_from_axis(dv_vec3(0, 0, 1), 0.1 * i)});
  double beyond;
  for (double angle = 0.03; angle < 1; angle += 0.11) {
    dvVec3 p = {0.8 * sin(angle), 1 - 0.8 * cos(angle), 0.1};
    check_close(dv_shaft_nearest(&shaft, x, p, 0, INFINITY, &beyond), angle, 1e-5);
    check_close(beyond, 0, 0);
  }
  check_close(dv_shaft_nearest(&shaft, x, dv_vec3(-0.2, 0, 0), 0, INFINITY, &beyond), 0, 0);
  check_close(beyond, -0.2, 1e-12);
  // rows are the derivative of the point
  double v[66], step = 1e-6, moved[77];
  for (int i = 0; i < 66; i++) v[i] = sin(3.0 * i + 1);
  dvVec3 speed = dv_shaft_velocity(&shaft, x, v, 0.437), before = dv_shaft_pose(&shaft, x, 0.437).at;
  for (int i = 0; i <= 10; i++) {
    dvPose p = dv_pose_load(x + 7 * i);
    p.at = dv_vec3_add_scaled(p.at, dv_vec3_load(v + 6 * i), step);
    dvVec3 w = dv_vec3_load(v + 6 * i + 3);
    p.turn = dv_quat_mul(dv_quat_from_axis(dv_vec3_normalise(w), step * dv_vec3_norm(w)), p.turn);
    dv_pose_store(moved + 7 * i, p);
  }
  dvVec3 change = dv_vec3_scale(dv_vec3_sub(dv_shaft_pose(&shaft, moved, 0.437).at, before), 1 / step);
  check_close(dv_vec3_norm(dv_vec3_sub(change, speed)), 0, 1e-5);
  fd_close(&s);
}

// --- constraints ---

#define SLIDING(world, bead)                                                                                        \
  "<Node " world "><FreeMotionAnimationLoop/><BlockGaussSeidelConstraintSolver maxIterations='100' "                \
  "tolerance='1e-12'/><Node name='R'><EulerImplicitSolver/><SparseLDLSolver/>%s<LinearSolverConstraintCorrection/>" \
  "</Node><Node name='B'><EulerImplicitSolver/><SparseLDLSolver/><MechanicalObject name='bead' "                    \
  "position='" bead "'/><UniformMass vertexMass='0.1'/><LinearSolverConstraintCorrection/></Node>"                  \
  "<AdaptiveBeamSlidingConstraint name='c' object1='@R/dofs' object2='@B/bead' interpolation='@R/beams'/></Node>"

static void a_bead_slides(void **state)
{
  DV_UNUSED(state);
  // a stiff rod held at all frames: the bead falls along it with 6 m/s^2, and freely when it has left it
  fdScene s = open_with(SLIDING("dt='0.001' gravity='6 -8 0'", "0.31 0 0  1.5 0 0"), 4,
                        "radius='0.05' defaultYoungModulus='1e9'",
                        "<AdaptiveBeamForceFieldAndMass/><FixedProjectiveConstraint indices='0 1 2 3 4'/>");
  run(&s, 100);
  const double *x = read_x(&s, "bead");
  check_close(x[0], 0.31 + 0.5 * 6 * 0.01 * 1.01, 1e-9);   // implicit Euler: n (n + 1)/2 h^2 a
  check_close(x[1], 0, 1e-9);
  check_close(x[4], -0.5 * 8 * 0.01 * 1.01, 1e-9);   // the second was never on it
  run(&s, 600);
  x = read_x(&s, "bead");
  assert_true(x[0] > 1.2 && x[1] < -0.1);
  fd_close(&s);
}

static void a_bead_presses(void **state)
{
  DV_UNUSED(state);
  // at rest in the middle of a rod held at both ends, its weight bends it: F L^3/192 E I
  fdScene s =
      open_with(SLIDING("dt='0.1' gravity='0 -8 0'", "0.5 0 0"), 4, "radius='0.01' defaultYoungModulus='1e9'",
                "<AdaptiveBeamForceFieldAndMass massDensity='0.001'/><FixedProjectiveConstraint indices='0 4'/>");
  run(&s, 300);
  double sag = 0.8 / (192 * 1e9 * pi * 1e-8 / 4);
  check_close(read_x(&s, "bead")[1], -sag, 1e-3 * sag);
  check_close(read_x(&s, "bead")[0], 0.5, 1e-9);
  fd_close(&s);
}

static void stretched_no_further(void **state)
{
  DV_UNUSED(state);
  fdScene s =
      open_with("<Node dt='0.01' gravity='0 0 0'><FreeMotionAnimationLoop/><BlockGaussSeidelConstraintSolver "
                "maxIterations='100' tolerance='1e-12'/><EulerImplicitSolver rayleighMass='1'/><SparseLDLSolver/>%s"
                "<LinearSolverConstraintCorrection/></Node>",
                4, "radius='0.01' defaultYoungModulus='1e4'",
                "<AdaptiveBeamForceFieldAndMass massDensity='1000'/><FixedProjectiveConstraint indices='0'/>"
                "<AdaptiveBeamLengthConstraint constrainedLength='1.1'/>"
                "<ConstantForceField name='pull' indices='4' forces='10 0 0 0 0 0'/>");
  run(&s, 400);
  check_close(read_x(&s, "dofs")[28], 1.1, 1e-9);
  // a pull of 0.05 E A stretches by 0.05, which is allowed
  char *force = dv_format("%g 0 0 0 0 0", 0.05 * 1e4 * pi * 1e-4);
  assert_int_equal(dv_object_set(fd_find(&s, "pull"), "forces", force), DV_OK);
  dv_free(force);
  run(&s, 2000);
  check_close(read_x(&s, "dofs")[28], 1.05, 1e-4);
  fd_close(&s);
}

// --- tubes under pressure ---

static void tubes_under_pressure(void **state)
{
  DV_UNUSED(state);
  // tip of a cantilever: F L^3/3 (E + p) I + F L/(p + G/2) A
  double radius = 0.05, inner = 0.045, young = 1e6, load = 1e-3;
  double area = pi * (radius * radius - inner * inner), moment = pi / 4 * (pow(radius, 4) - pow(inner, 4));
  for (double pressure = 0; pressure < 1.1e6; pressure += 5e5) {
    char *after = dv_format("<AdaptiveInflatableBeamForceField name='ff' massDensity='1' pressure='%g'/>"
                            "<FixedProjectiveConstraint indices='0'/>"
                            "<ConstantForceField indices='4' forces='0 %g 0 0 0 0'/>",
                            pressure, load);
    fdScene s =
        open_with("<Node gravity='0 0 0'><StaticSolver newton_iterations='20'/><SparseLDLSolver/>%s</Node>", 4,
                  "radius='0.05' innerRadius='0.045' defaultYoungModulus='1e6' defaultPoissonRatio='0.25'", after);
    run(&s, 1);
    double expected = load / (3 * (young + pressure) * moment) + load / ((pressure + young / 5) * area);
    check_close(read_x(&s, "dofs")[29], expected, 1e-3 * expected);
    fdOptions o = fd_options();
    o.checks = FD_ASSEMBLY | FD_SYMMETRY;
    o.move_x = 0.01;
    assert_true(fd_check_force(fd_find(&s, "ff"), &o));
    o.checks = FD_STIFFNESS;   // at rest the turning of the frames does no work
    o.move_x = 0;
    o.tolerance = 1e-4;
    dvState *dofs = dv_state(fd_find(&s, "dofs"));
    dv_state_share(dofs, DV_X, DV_X_REST);
    assert_true(fd_check_force(fd_find(&s, "ff"), &o));
    o = fd_options();
    o.checks = 0;   // without gravity
    assert_true(fd_check_mass(fd_find(&s, "ff"), &o));
    fd_close(&s);
    dv_free(after);
  }
}

// --- frames beside a curve ---

static fdScene open_projection(const char *directions)
{
  char *after = dv_format("<Node name='F'><MechanicalObject template='Rigid3' name='rings' "
                          "position='0.33 0.01 0 0 0 0 1  0.8 0 0.02 0.1 0 0 1'/></Node>"
                          "<Node name='D'><MechanicalObject template='Rigid3' name='out'/>"
                          "<BeamProjectionDifferenceMultiMapping name='map' input1='@../F/rings' input2='@../dofs' "
                          "output='@out' interpolationInput2='@../beams' indicesInput1='0 1' directions='%s'/></Node>",
                          directions);
  fdScene s = open_with("<Node gravity='0 0 0'>%s</Node>", 3, "", after);
  dv_free(after);
  return s;
}

static void beside_a_curve(void **state)
{
  DV_UNUSED(state);
  fdScene s = open_projection("0 1 1 0 0 0 0");
  const double *out = read_x(&s, "out");
  check_close(out[0], 0, 0);   // motion along the curve does not count
  check_close(out[1], 0.01, 1e-12);
  check_close(out[7 + 2], 0.02, 1e-12);
  check_close(out[6], 1, 0);   // nor do rotations
  fdOptions o = fd_options();
  o.checks = FD_TRANSPOSE | FD_BUILD | FD_ROWS;
  assert_true(fd_check_mapping(fd_find(&s, "map"), &o));
  // moved along the rod nothing changes
  double *rings = dv_state_write(dv_state(fd_find(&s, "rings")), DV_X);
  rings[0] = 0.61;
  dvObject *map = fd_find(&s, "map");
  ((const dvMappingOps *)dv_ops(map, DV_ROLE_MAPPING))->apply(map, DV_X, DV_X);
  check_close(read_x(&s, "out")[1], 0.01, 1e-12);
  rings[0] = 2;   // beyond the end
  ((const dvMappingOps *)dv_ops(map, DV_ROLE_MAPPING))->apply(map, DV_X, DV_X);
  check_close(read_x(&s, "out")[1], 0, 0);
  fd_close(&s);
  s = open_projection("1 1 1 1 1 1");
  out = read_x(&s, "out");
  check_close(dv_quat_to_rotation_vector(dv_quat_load(out + 10)).x, 2 * atan(0.1), 1e-12);
  o = fd_options();
  o.checks = FD_TRANSPOSE | FD_BUILD | FD_ROWS;
  assert_true(fd_check_mapping(fd_find(&s, "map"), &o));
  fd_close(&s);
  // with the foot held, positions are exact
  s = open_projection("1 1 1 0 0 0");
  o = fd_options();
  o.checks &= ~(unsigned)FD_GEOMETRIC;
  assert_true(fd_check_mapping(fd_find(&s, "map"), &o));
  fd_close(&s);
}

// --- beams that are laid out anew ---

static void frames_gather_at_bends(void **state)
{
  DV_UNUSED(state);
  fdScene s =
      open_with("<Node dt='0.01' gravity='0 0 0'><EulerImplicitSolver rayleighMass='1'/><BTDLinearSolver/>%s</Node>",
                10, "radius='0.01' defaultYoungModulus='1e6'",
                "<AdaptiveBeamForceFieldAndMass massDensity='1000'/><AdaptiveBeamController/>"
                "<FixedProjectiveConstraint indices='0'/>");
  const dvBeams *b = dv_beams(fd_find(&s, "beams"));
  run(&s, 5);
  for (int i = 0; i < 10; i++) check_close(b->lengthList.data[i], 0.1, 1e-9);   // straight: nothing moves
  // bent at frame 5
  double *x = dv_state_write(dv_state(fd_find(&s, "dofs")), DV_X);
  for (int i = 6; i <= 10; i++)
    dv_pose_store(x + 7 * i, (dvPose){{0.5, 0.1 * (i - 5), 0}, dv_quat_from_axis(dv_vec3(0, 0, 1), pi / 2)});
  run(&s, 1);
  double sum = 0, least = 1;
  for (int i = 0; i < 10; i++) sum += b->lengthList.data[i], least = fmin(least, b->lengthList.data[i]);
  check_close(sum, 1, 1e-12);
  assert_true(least < 0.06);
  fd_close(&s);
}

static const char thread_scene[] =
    "<Node dt='0.01' gravity='%s'><Node name='S'><RodStraightSection name='a' length='1' radius='0.005' "
    "youngModulus='1e6' "
    "massDensity='1000' nbBeams='5'/><RodSpireSection name='n' length='0.3' radius='0.01' youngModulus='1e9' "
    "massDensity='8000' nbBeams='4' spireDiameter='0.2' spireHeight='0'/><WireRestShape name='shape' wireMaterials='@a "
    "@n'/>"
    "<EdgeSetTopologyContainer/><MechanicalObject template='Rigid3'/></Node><Node name='T'><EulerImplicitSolver "
    "rayleighMass='2' rayleighStiffness='0.02'/><SparseLDLSolver/><RegularGridTopology nx='%d' ny='1' nz='1' xmin='0' "
    "xmax='1' ymin='0' ymax='0' zmin='0' zmax='0'/><MechanicalObject template='Rigid3' name='dofs'/>"
    "<WireBeamInterpolation name='wire' WireRestShape='@../S/shape'/><AdaptiveBeamForceFieldAndMass/><SutureController "
    "name='c' %s/><FixedProjectiveConstraint indices='0'/><RestShapeSpringsForceField points='0' stiffness='1e5' "
    "angularStiffness='1e5'/></Node></Node>";

static void a_thread_with_a_needle(void **state)
{
  DV_UNUSED(state);
  char *text = dv_format(thread_scene, "0 0 -9.81", 80, "rigidCurvAbs='1 1.3' maxBendingAngle='0.1'");
  fdScene s = fd_open(text);
  dv_free(text);
  const dvBeams *b = dv_beams(fd_find(&s, "wire"));
  assert_int_equal(dv_beams_count(b), 9);
  dvShaft shaft = {.state = b->state, .beams = b};
  const double *x = dv_state_read(b->state, DV_X);
  double chord = dv_vec3_norm(dv_vec3_sub(dv_shaft_pose(&shaft, x, 1.3).at, dv_shaft_pose(&shaft, x, 1).at));
  check_close(chord, 0.2 * sin(1.5), 1e-6);   // an arc of 3 rad
  run(&s, 30);
  x = dv_state_read(b->state, DV_X);
  assert_true(dv_beams_count(b) > 12);
  size_t ends[2];
  dv_beams_ends(b, dv_beams_count(b) - 1, ends);
  assert_int_equal(ends[0], ends[1]);
  check_close(b->reach.data[b->reach.count - 1], 1.3, 1e-12);
  check_close(dv_vec3_norm(dv_vec3_sub(dv_shaft_pose(&shaft, x, 1.3).at, dv_shaft_pose(&shaft, x, 1).at)), chord, 1e-9);
  assert_true(dv_shaft_pose(&shaft, x, 1.3).at.z < -0.2);
  const dvReals *bends = dv_object_field(fd_find(&s, "c"), "curvatureList")->value;
  for (size_t i = 0; i < bends->count / 2; i++)
    if (bends->data[2 * i] < 1) assert_true(bends->data[2 * i + 1] < 0.2);   // one step after the layout
  fd_close(&s);
}

static void layout_changes_nothing(void **state)
{
  DV_UNUSED(state);
  // without load the thread stays as it is, however often it is laid out
  char *text = dv_format(thread_scene, "0 0 0", 80, "rigidCurvAbs='1 1.3' m_actualStepNoticeablePoints='0.33'");
  fdScene s = fd_open(text);
  dv_free(text);
  const dvBeams *b = dv_beams(fd_find(&s, "wire"));
  dvShaft shaft = {.state = b->state, .beams = b};
  dvVec3 tip = dv_shaft_pose(&shaft, dv_state_read(b->state, DV_X), 1.3).at;
  run(&s, 20);
  check_close(dv_vec3_norm(dv_vec3_sub(dv_shaft_pose(&shaft, dv_state_read(b->state, DV_X), 1.3).at, tip)), 0, 1e-8);
  check_close(b->reach.data[1], 0.33, 1e-12);
  fd_close(&s);
}

static void bad_input(void **state)
{
  DV_UNUSED(state);
  const char *bad_threads[] = {"rigidCurvAbs='1'",     "rigidCurvAbs='1 0.5'", "rigidCurvAbs='1 9'",
                               "maxBendingAngle='0'",  "threshold='0'",        "startingPos='1 2'",
                               "maxBendingAngle='nan'"};
  for (size_t i = 0; i < DV_COUNT(bad_threads); i++) {
    char *text = dv_format(thread_scene, "0 0 0", 80, bad_threads[i]);
    if (!fd_fails(text)) fail_msg("%s is taken", bad_threads[i]);
    dv_free(text);
  }
  const char *bad[] = {
      "<AdaptiveBeamLengthConstraint constrainedLength='0'/>",
      "<AdaptiveBeamLengthConstraint constrainedLength='nan'/>",
      "<AdaptiveInflatableBeamForceField pressure='-1'/>",
      "<AdaptiveInflatableBeamForceField pressure='nan'/>",
      "<AdaptiveInflatableBeamForceField massDensity='-1'/>",
      "<AdaptiveBeamController controlledInstrument='-1'/>",
      "<SutureController/>",
      "<Node><MechanicalObject template='Rigid3'/><BeamProjectionDifferenceMultiMapping input1='@../dofs' "
      "input2='@../dofs' interpolationInput2='@../beams' directions='1 1'/></Node>",
      "<Node><MechanicalObject template='Rigid3'/><BeamProjectionDifferenceMultiMapping input1='@../dofs' "
      "input2='@../dofs' interpolationInput2='@../beams' indicesInput1='7'/></Node>",
      "<Node><MechanicalObject/><AdaptiveBeamSlidingConstraint object1='@.'/></Node>"};
  for (size_t i = 0; i < DV_COUNT(bad); i++) {
    char *line = rod(2, "", bad[i]), *text = dv_format("<Node>%s</Node>", line);
    if (!fd_fails(text)) fail_msg("%s is taken", bad[i]);
    dv_free(line);
    dv_free(text);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(feet_on_an_arc),         cmocka_unit_test(a_bead_slides),
      cmocka_unit_test(a_bead_presses),         cmocka_unit_test(stretched_no_further),
      cmocka_unit_test(tubes_under_pressure),   cmocka_unit_test(beside_a_curve),
      cmocka_unit_test(frames_gather_at_bends), cmocka_unit_test(a_thread_with_a_needle),
      cmocka_unit_test(layout_changes_nothing), cmocka_unit_test(bad_input),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

// AdaptiveBeamForceFieldAndMass, BeamInterpolation and AdaptiveBeamMapping: closed forms of large bending, buckling and
// twist, derivatives, mass, bad input.
#include "support/check.h"
#include "support/fd.h"

#include "base/text.h"
#include "instrument/beams.h"
#include "instrument/spline.h"

static const double young = 1e6, radius = 0.01;

// so many beams along x, of length 1 in all
static char *rod_text(int beams, const char *before, const char *interpolation, const char *after)
{
  dvText t = {0};
  dv_text_printf(&t,
                 "<Node dt='1' gravity='0 0 0'><DefaultAnimationLoop/>%s"
                 "<MechanicalObject template='Rigid3' name='dofs' position='",
                 before);
  for (int i = 0; i <= beams; i++) dv_text_printf(&t, "%.17g 0 0 0 0 0 1 ", (double)i / beams);
  dv_text_add(&t, "'/><MeshTopology edges='");
  for (int i = 0; i < beams; i++) dv_text_printf(&t, "%d %d ", i, i + 1);
  dv_text_printf(&t,
                 "'/><FixedProjectiveConstraint indices='0'/><BeamInterpolation name='beams' radius='%g' "
                 "defaultYoungModulus='%g' defaultPoissonRatio='0.25' %s/>"
                 "<AdaptiveBeamForceFieldAndMass name='ff' massDensity='1000'/>%s</Node>",
                 radius, young, interpolation, after);
  return t.text;
}

static fdScene open_rod(int beams, const char *before, const char *interpolation, const char *after)
{
  char *text = rod_text(beams, before, interpolation, after);
  fdScene s = fd_open(text);
  dv_free(text);
  return s;
}

static double *positions(fdScene *s) { return dv_state_write(dv_state(fd_find(s, "dofs")), DV_X); }
static double moment_of_section(void) { return acos(-1.0) * pow(radius, 4) / 4; }

static void run(fdScene *s, int steps)
{
  for (int i = 0; i < steps; i++) assert_int_equal(dv_scene_step(s->scene, 0), DV_OK);
}

static const char implicit[] = "<EulerImplicitSolver rayleighStiffness='0' rayleighMass='0.5'/><BTDLinearSolver/>";

// --- the curve ---

static void curve_of_an_arc(void **state)
{
  DV_UNUSED(state);
  // an arc of radius 1: control points a third of its length away; good to the fifth power of the angle
  double angle = 0.4;
  dvPose ends[2] = {dv_pose_identity(), {{sin(angle), 1 - cos(angle), 0}, dv_quat_from_axis(dv_vec3(0, 0, 1), angle)}};
  dvSpline s = dv_spline(ends, angle);
  check_close(dv_spline_length(&s), angle, 1e-4);
  dvPose middle = dv_spline_pose(ends, angle, 0.5);
  check_close(middle.at.x, sin(angle / 2), 2e-4);
  check_close(middle.at.y, 1 - cos(angle / 2), 2e-4);
  dvVec3 turn = dv_quat_to_rotation_vector(middle.turn);
  check_close(turn.z, angle / 2, 1e-12);
  check_close(turn.x, 0, 1e-15);
}

static void twist_is_shared(void **state)
{
  DV_UNUSED(state);
  dvPose ends[2] = {dv_pose_identity(), {{1, 0, 0}, dv_quat_from_axis(dv_vec3(1, 0, 0), 0.6)}};
  dvVec3 turn = dv_quat_to_rotation_vector(dv_spline_pose(ends, 1, 0.5).turn);
  check_close(turn.x, 0.3, 1e-12);
  // a frame that looks the other way has no shortest way, and must not become a number that is none
  dvQuat back = dv_align_x(dv_quat_identity(), dv_vec3(-1, 0, 0));
  check_close(dv_quat_rotate(back, dv_vec3(1, 0, 0)).x, -1, 1e-12);
}

// --- forces ---

static void small_bending(void **state)
{
  DV_UNUSED(state);
  // v = F s^2 (3 - s)/6 E I: points in between are in balance, the end carries F
  fdScene s = open_rod(4, "", "", "");
  double *x = positions(&s), load = 1e-5 * young * moment_of_section(), c = 1e-5;
  for (int p = 0; p < 5; p++) {
    double at = 0.25 * p;
    x[7 * p + 1] = c * at * at * (3 - at) / 6;
    dv_quat_store(x + 7 * p + 3, dv_quat_from_axis(dv_vec3(0, 0, 1), c * at * (2 - at) / 2));
  }
  const double *f = fd_force_on(fd_find(&s, "ff"), fd_find(&s, "dofs"));
  check_close(f[24 + 1], -load, 1e-4 * load);
  check_close(f[5], load, 1e-4 * load);
  for (int p = 1; p < 4; p++) check_close(f[6 * p + 1], 0, 1e-4 * load);
  fd_close(&s);
}

// a moment 2 pi E I/L at the end bends a rod into a circle
static void bent_into_a_circle(void **state)
{
  DV_UNUSED(state);
  char *load = dv_format("<ConstantForceField indices='20' forces='0 0 0 0 0 %.17g'/>",
                         2 * acos(-1.0) * young * moment_of_section());
  fdScene s = open_rod(20, implicit, "", load);
  run(&s, 600);
  const double *x = positions(&s);
  check_close(x[140], 0, 1e-3);
  check_close(x[141], 0, 1e-3);
  check_close(x[70 + 1], 1 / acos(-1.0), 2e-3);   // the middle is opposite; a beam is as long as its chord
  fd_close(&s);
  dv_free(load);
}

// Euler: a held rod stands below pi^2 E I/4 L^2 and gives way above
static double bent_by(double part)
{
  double critical = pow(acos(-1.0) / 2, 2) * young * moment_of_section();
  char *load = dv_format("<ConstantForceField indices='10' forces='%.17g 0 0 0 0 0'/>", -part * critical);
  fdScene s = open_rod(10, implicit, "", load);
  double *x = positions(&s);
  for (int i = 1; i <= 10; i++) x[7 * i + 1] = 1e-4 * (1 - cos(acos(-1.0) / 20 * i));
  run(&s, 2000);
  double bent = fabs(positions(&s)[71]);
  fd_close(&s);
  dv_free(load);
  return bent;
}

static void buckling(void **state)
{
  DV_UNUSED(state);
  assert_true(bent_by(0.98) < 1e-4);
  assert_true(bent_by(1.02) > 1e-2);
}

static void derivatives(void **state)
{
  DV_UNUSED(state);
  fdScene s = open_rod(3, "", "", "");
  fdOptions o = fd_options();
  o.checks = FD_STIFFNESS | FD_ASSEMBLY | FD_SYMMETRY;   // the frame is held in K: exact where the beams are at rest
  o.move_x = 0;
  o.samples = 1;
  o.tolerance = 1e-5;
  assert_true(fd_check_force(fd_find(&s, "ff"), &o));
  o.checks = FD_ASSEMBLY | FD_SYMMETRY;
  o.move_x = 0.1;
  o.samples = 3;
  o.tolerance = 1e-6;
  assert_true(fd_check_force(fd_find(&s, "ff"), &o));
  fd_close(&s);
}

// frames beside the ends of the beams
static void with_offsets(void **state)
{
  DV_UNUSED(state);
  fdScene s = open_rod(1, "",
                       "dofsAndBeamsAligned='0' edgeList='0' lengthList='1' DOF0TransformNode0='0 0.1 0 0 0 0 1' "
                       "DOF1TransformNode1='0 0.1 0 0 0 0 1'",
                       "");
  const double *f = fd_force_on(fd_find(&s, "ff"), fd_find(&s, "dofs"));
  for (int i = 0; i < 12; i++) check_close(f[i], 0, 1e-12);
  positions(&s)[7] += 0.01;
  f = fd_force_on(fd_find(&s, "ff"), fd_find(&s, "dofs"));
  double k = young * acos(-1.0) * radius * radius * 0.01;
  check_close(f[6], -k, 1e-9 * k);
  check_close(f[11], 0.1 * k, 1e-9 * k);   // the pull acts 0.1 above the frame
  fdOptions o = fd_options();
  o.checks = FD_ASSEMBLY | FD_SYMMETRY;
  assert_true(fd_check_force(fd_find(&s, "ff"), &o));
  fd_close(&s);
}

static void other_measures(void **state)
{
  DV_UNUSED(state);
  for (int i = 0; i < 2; i++) {
    fdScene s = open_rod(2, "", "", "");
    dvObject *ff = fd_find(&s, "ff");
    assert_int_equal(dv_object_set(ff, i ? "reinforceLength" : "shearStressComputation", i ? "1" : "0"), DV_OK);
    double *x = positions(&s), k = young * acos(-1.0) * radius * radius;
    for (int p = 0; p < 3; p++) {
      x[7 * p] *= 1.001;
      dv_quat_store(x + 7 * p + 3, dv_quat_from_axis(dv_vec3(1, 0, 0), 0.01 * p));
    }
    const double *f = fd_force_on(ff, fd_find(&s, "dofs"));
    check_close(f[12], -1e-3 * k, 1e-3 * 1e-3 * k);
    double twist = young / 2.5 * 2 * moment_of_section() * 0.02;
    check_close(f[15], -twist, 1e-6 * twist);
    fd_close(&s);
  }
}

// --- mass ---

static void mass(void **state)
{
  DV_UNUSED(state);
  fdScene s = open_rod(3, "", "", "");
  dvObject *ff = fd_find(&s, "ff");
  positions(&s)[8] += 0.1;
  fd_force_on(ff, fd_find(&s, "dofs"));
  fdOptions o = fd_options();
  o.checks = 0;
  assert_true(fd_check_mass(ff, &o));
  // moved as a whole, and turned about the first frame: m v^2/2 and I w^2/2 of a rod
  double m = 1000 * acos(-1.0) * radius * radius;
  positions(&s)[8] -= 0.1;
  fd_force_on(ff, fd_find(&s, "dofs"));
  dvState *dofs = dv_state(fd_find(&s, "dofs"));
  double *v = dv_state_write(dofs, DV_V);
  for (int i = 0; i < 4; i++) v[6 * i] = v[6 * i + 2] = 1;
  const dvMassOps *ops = dv_ops(ff, DV_ROLE_MASS);
  check_close(ops->kinetic(ff, DV_V), m, 1e-12 * m);
  for (int i = 0; i < 4; i++) v[6 * i] = v[6 * i + 2] = 0, v[6 * i + 1] = i / 3.0, v[6 * i + 5] = 1;
  double inertia = m * (1.0 / 3 + radius * radius / 4);
  check_close(ops->kinetic(ff, DV_V), inertia / 2, 1e-12);
  fd_close(&s);
}

static void weight(void **state)
{
  DV_UNUSED(state);
  // the tip of a rod under its weight: q L^4/8 E I
  fdScene s = open_rod(8, implicit, "", "");
  assert_int_equal(dv_object_set(&s.scene->root->base, "gravity", "0 -0.001 0"), DV_OK);
  run(&s, 300);
  double q = 1000 * acos(-1.0) * radius * radius * 1e-3, sag = q / (8 * young * moment_of_section());
  check_close(positions(&s)[57], -sag, 1e-3 * sag);
  fd_close(&s);
}

// --- points ---

static void points(void **state)
{
  DV_UNUSED(state);
  fdScene s = open_rod(3, "", "",
                       "<Node name='P'><MechanicalObject name='points'/><AdaptiveBeamMapping name='map' "
                       "input='@../dofs' output='@points' points='0 0 0  0.2 0 0  0.5 0 0  1 0 0  1.5 0 0'/></Node>");
  const double *x = dv_state_read(dv_state(fd_find(&s, "points")), DV_X);
  const double at[] = {0, 0.2, 0.5, 1, 1};
  for (int i = 0; i < 5; i++) check_close(x[3 * i], at[i], 1e-12);
  fdOptions o = fd_options();
  o.checks &= ~(unsigned)FD_GEOMETRIC;   // SOFA's has none
  assert_true(fd_check_mapping(fd_find(&s, "map"), &o));
  fd_close(&s);
}

static void points_beside(void **state)
{
  DV_UNUSED(state);
  fdScene s = open_rod(2, "", "",
                       "<Node name='P'><MechanicalObject name='points' position='0.25 0.1 0  1.5 0 0.1'/>"
                       "<AdaptiveBeamMapping name='map' useCurvAbs='0' input='@../dofs' output='@points'/></Node>");
  const double *x = dv_state_read(dv_state(fd_find(&s, "points")), DV_X);
  check_close(x[0], 0.125, 1e-12);   // a quarter of the first beam
  check_close(x[1], 0.1, 1e-12);
  check_close(x[3], 0.75, 1e-12);
  check_close(x[5], 0.1, 1e-12);
  fdOptions o = fd_options();
  o.checks = FD_TRANSPOSE | FD_BUILD | FD_ROWS;
  assert_true(fd_check_mapping(fd_find(&s, "map"), &o));
  // turned as a whole the points turn with it
  dvQuat q = dv_quat_from_axis(dv_vec3(0.6, 0, 0.8), 1.1);
  double *dofs = positions(&s);
  for (int i = 0; i < 3; i++) {
    dv_vec3_store(dofs + 7 * i, dv_quat_rotate(q, dv_vec3_load(dofs + 7 * i)));
    dv_quat_store(dofs + 7 * i + 3, q);
  }
  ((const dvMappingOps *)dv_ops(fd_find(&s, "map"), DV_ROLE_MAPPING))->apply(fd_find(&s, "map"), DV_X, DV_X);
  x = dv_state_read(dv_state(fd_find(&s, "points")), DV_X);
  dvVec3 expected = dv_quat_rotate(q, dv_vec3(0.125, 0.1, 0));
  check_close(x[0], expected.x, 1e-12);
  check_close(x[1], expected.y, 1e-12);
  check_close(x[2], expected.z, 1e-12);
  fd_close(&s);
}

static void sampled_points(void **state)
{
  DV_UNUSED(state);
  fdScene s = open_rod(4, "", "",
                       "<Node name='P'><MechanicalObject name='points'/><AdaptiveBeamMapping name='map' "
                       "input='@../dofs' output='@points' nbPointsPerBeam='2'/></Node>");
  dvState *p = dv_state(fd_find(&s, "points"));
  assert_int_equal(p->count, 9);
  for (int i = 0; i < 9; i++) check_close(dv_state_read(p, DV_X)[3 * i], i / 8.0, 1e-12);
  fd_close(&s);
}

static void lengths(void **state)
{
  DV_UNUSED(state);
  for (int geometric = 0; geometric < 3; geometric++) {
    char *map =
        dv_format("<Node name='L'><MechanicalObject name='lengths' template='Vec1'/><BeamLengthMapping name='map' "
                  "input='@../dofs' output='@lengths' geometricStiffness='%d'/></Node>",
                  geometric);
    fdScene s = open_rod(3, "", "", map);
    const double *l = dv_state_read(dv_state(fd_find(&s, "lengths")), DV_X);
    for (int i = 0; i < 3; i++) check_close(l[i], 1.0 / 3, 1e-12);
    fdOptions o = fd_options();
    if (geometric != 1) o.checks &= ~(unsigned)FD_GEOMETRIC;   // exact only where it is asked for
    assert_true(fd_check_mapping(fd_find(&s, "map"), &o));
    fd_close(&s);
    dv_free(map);
  }
}

static void followed_places(void **state)
{
  DV_UNUSED(state);
  fdScene s = open_rod(2, "", "InterpolationInputs='0 0.5  1 1'", "");
  dvField *f = dv_object_field(fd_find(&s, "beams"), "InterpolatedPos");
  assert_int_equal(dv_field_pull(f), DV_OK);
  const dvReals *places = f->value;
  assert_int_equal(places->count, 14);
  check_close(places->data[0], 0.25, 1e-12);
  check_close(places->data[7], 1, 1e-12);
  fd_close(&s);
}

// --- bad input ---

static void bad_input(void **state)
{
  DV_UNUSED(state);
  const char *bad[] = {
      "radius='0'",
      "radius='-1'",
      "radius=''",
      "radius='nan'",
      "innerRadius='1'",
      "defaultYoungModulus='-1'",
      "defaultPoissonRatio='0.6'",
      "edgeList='7'",
      "edgeList='0' lengthList='0' DOF0TransformNode0='0 0 0 0 0 0 1' DOF1TransformNode1='0 0 0 0 0 0 1'",
      "dofsAndBeamsAligned='0'",
      "crossSectionShape='rectangular' lengthY='0'",
      "crossSectionShape='elliptic' smallRadius='0'"};
  for (size_t i = 0; i < DV_COUNT(bad); i++) {
    char *text = dv_format("<Node><MechanicalObject template='Rigid3' position='0 0 0 0 0 0 1 1 0 0 0 0 0 1'/>"
                           "<MeshTopology edges='0 1'/><BeamInterpolation %s/><AdaptiveBeamForceFieldAndMass/></Node>",
                           bad[i]);
    if (!fd_fails(text)) fail_msg("%s is taken", bad[i]);
    dv_free(text);
  }
  assert_true(fd_fails("<Node><MechanicalObject template='Rigid3' position='0 0 0 0 0 0 1 1 0 0 0 0 0 1'/>"
                       "<MeshTopology edges='0 1'/><AdaptiveBeamForceFieldAndMass/></Node>"));
  assert_true(fd_fails("<Node><MechanicalObject template='Rigid3' position='0 0 0 0 0 0 1 0 0 0 0 0 0 1'/>"
                       "<MeshTopology edges='0 1'/><BeamInterpolation/><AdaptiveBeamForceFieldAndMass/></Node>"));
  assert_true(fd_fails("<Node><MechanicalObject template='Rigid3' position='0 0 0 0 0 0 1'/>"
                       "<MeshTopology edges='0 1'/><BeamInterpolation/></Node>"));
  assert_true(fd_fails("<Node><MechanicalObject position='0 0 0 1 0 0'/><MeshTopology edges='0 1'/>"
                       "<BeamInterpolation/></Node>"));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(curve_of_an_arc),
      cmocka_unit_test(twist_is_shared),
      cmocka_unit_test(small_bending),
      cmocka_unit_test(bent_into_a_circle),
      cmocka_unit_test(buckling),
      cmocka_unit_test(derivatives),
      cmocka_unit_test(with_offsets),
      cmocka_unit_test(other_measures),
      cmocka_unit_test(mass),
      cmocka_unit_test(weight),
      cmocka_unit_test(points),
      cmocka_unit_test(points_beside),
      cmocka_unit_test(sampled_points),
      cmocka_unit_test(lengths),
      cmocka_unit_test(followed_places),
      cmocka_unit_test(bad_input),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

// Instruments that come out of a sheath: rest shapes of sections, layout of beams, coils that take their shape, motion
// out and back, actions, bad input.
#include "support/check.h"
#include "support/fd.h"
#include "support/scene.h"

#include "base/text.h"
#include "instrument/deploy.h"
#include "instrument/spline.h"

#include <string.h>

static const char shapes[] =
    "<Node name='A'><RodStraightSection name='shaft' youngModulus='1e5' massDensity='1e-6' radius='1' length='100' "
    "nbBeams='10' nbEdgesVisu='10'/><RodSpireSection name='coil' youngModulus='1e5' massDensity='1e-6' radius='1' "
    "length='62.83185307179586' nbBeams='20' nbEdgesVisu='10' spireDiameter='20' spireHeight='%s'/>"
    "<WireRestShape name='shape' wireMaterials='@shaft @coil'/><EdgeSetTopologyContainer name='line'/></Node>";

static fdScene open_wire(const char *height, const char *controller, const char *more)
{
  dvText t = {0};
  dv_text_add(&t, "<Node dt='0.1' gravity='0 0 0'><DefaultAnimationLoop/>");
  char *a = dv_format(shapes, height);
  dv_text_add(&t, a);
  dv_text_printf(&t,
                 "<Node name='I'><EulerImplicitSolver rayleighStiffness='0.5' rayleighMass='1'/><BTDLinearSolver/>"
                 "<RegularGridTopology nx='32' ny='1' nz='1'/><MechanicalObject name='dofs' "
                 "template='Rigid3'/><WireBeamInterpolation name='wire' WireRestShape='@../A/shape'/>"
                 "<AdaptiveBeamForceFieldAndMass/><FixedProjectiveConstraint name='fixed' indices='0'/>"
                 "<InterventionalRadiologyController name='hand' instruments='wire' %s/><RestShapeSpringsForceField "
                 "points='@hand.indexFirstNode' stiffness='1e8' angularStiffness='1e8'/>%s</Node></Node>",
                 controller, more);
  fdScene s = fd_open(t.text);
  dv_free(a);
  dv_text_free(&t);
  return s;
}

static void run(fdScene *s, int steps)
{
  for (int i = 0; i < steps; i++) assert_int_equal(dv_scene_step(s->scene, 0), DV_OK);
}

static double number(const fdScene *s, const char *object, const char *field)
{
  const dvReals *r = dv_object_field(fd_find(s, object), field)->value;
  return r->data[0];
}

static void shape_of_sections(void **state)
{
  DV_UNUSED(state);
  fdScene s = open_wire("0", "xtip='5'", "");
  const dvWireShape *shape = (const dvWireShape *)fd_find(&s, "A/shape");
  check_close(dv_wire_shape_length(shape), 162.83185307179586, 1e-12);
  dvPose p = dv_wire_shape_pose(shape, 60);
  check_close(p.at.x, 60, 1e-9);
  p = dv_wire_shape_pose(shape, 100 + 31.41592653589793);   // half of a turn
  check_close(p.at.x, 100, 1e-8);
  check_close(p.at.z, -20, 1e-8);
  check_close(dv_quat_rotate(p.turn, dv_vec3(1, 0, 0)).x, -1, 1e-8);
  assert_ptr_equal(dv_wire_shape_part(shape, 100), shape->parts.data[0]);
  assert_ptr_equal(dv_wire_shape_part(shape, 100.1), shape->parts.data[1]);
  dvTopology *line = dv_topology(fd_find(&s, "A/line"));
  assert_int_equal(dv_topology_count(line, DV_EDGE), 20);
  assert_int_equal(dv_topology_point_count(line), 21);
  fd_close(&s);
}

static void helix(void **state)
{
  DV_UNUSED(state);
  // one turn of a helix is sqrt((pi d)^2 + h^2) long and rises by h
  fdScene s = open_wire("30", "xtip='5'", "");
  const dvWireShape *shape = (const dvWireShape *)fd_find(&s, "A/shape");
  double turn = sqrt(pow(acos(-1.0) * 20, 2) + 900), step = 1e-4;
  dvPose a = dv_wire_shape_pose(shape, 100 + turn / 3), b = dv_wire_shape_pose(shape, 100 + turn / 3 + step);
  check_close(a.at.y, 10, 1e-8);
  dvVec3 along = dv_vec3_scale(dv_vec3_sub(b.at, a.at), 1 / step), x = dv_quat_rotate(a.turn, dv_vec3(1, 0, 0));
  check_close(dv_vec3_norm(along), 1, 1e-6);
  check_close(dv_vec3_dot(along, x), 1, 1e-6);   // the frame looks along the curve
  fd_close(&s);
}

// all that is out is covered by beams without gaps, and the rest is held
static void check_layout(const fdScene *s)
{
  const dvBeams *b = dv_beams(fd_find(s, "wire"));
  double tip = number(s, "hand", "xtip"), total = 162.83185307179586, sum = 0;
  for (size_t i = 0; i < dv_beams_count(b); i++) {
    check_close(b->curvAbsList.data[2 * i + 1] - b->curvAbsList.data[2 * i], b->lengthList.data[i], 1e-9);
    if (i) check_close(b->curvAbsList.data[2 * i], b->curvAbsList.data[2 * i - 1], 1e-9);
    sum += b->lengthList.data[i];
  }
  check_close(sum, tip, 0.011);
  if (dv_beams_count(b)) check_close(b->curvAbsList.data[2 * dv_beams_count(b) - 1], total, 0.011);
  const dvInts *fixed = dv_object_field(fd_find(s, "fixed"), "indices")->value;
  assert_int_equal(fixed->count + dv_beams_count(b) + 1, 32);
}

static void layout(void **state)
{
  DV_UNUSED(state);
  fdScene s = open_wire("0", "xtip='0' speed='13'", "");
  check_layout(&s);
  for (int i = 0; i < 140; i++) {
    run(&s, 1);
    check_layout(&s);
  }
  check_close(number(&s, "hand", "xtip"), 162.83185307179586, 1e-9);   // it does not go further than it is long
  fd_close(&s);
}

static void coil_takes_its_shape(void **state)
{
  DV_UNUSED(state);
  fdScene s = open_wire("0", "xtip='100' speed='0'", "");
  run(&s, 400);
  const dvWireShape *shape = (const dvWireShape *)fd_find(&s, "A/shape");
  const dvBeams *b = dv_beams(fd_find(&s, "wire"));
  const double *x = dv_state_read(b->state, DV_X);
  dvPose begin = dv_wire_shape_pose(shape, 62.83185307179586);
  for (size_t i = 0; i < dv_beams_count(b); i++) {
    size_t ends[2];
    dv_beams_ends(b, i, ends);
    dvPose rest = dv_pose_from(begin, dv_wire_shape_pose(shape, b->curvAbsList.data[2 * i + 1]));
    for (int k = 0; k < 3; k++)
      check_close(x[7 * ends[1] + (size_t)k], k == 0 ? rest.at.x : k == 1 ? rest.at.y : rest.at.z, 0.05);
  }
  fd_close(&s);
}

static void out_and_back(void **state)
{
  DV_UNUSED(state);
  fdScene s = open_wire("5", "xtip='20' speed='10'", "");
  dvObject *hand = fd_find(&s, "hand");
  run(&s, 100);
  check_close(number(&s, "hand", "xtip"), 120, 1e-9);
  dv_scene_send(s.scene, &(dvEvent){.kind = DV_EVENT_KEY, .key = '/'});   // stops
  run(&s, 1);
  check_close(number(&s, "hand", "xtip"), 120, 1e-9);
  dv_scene_send(s.scene, &(dvEvent){.kind = DV_EVENT_KEY, .key = '/'});   // pulls
  run(&s, 130);
  assert_true(number(&s, "hand", "xtip") < 1e-6);
  assert_int_equal(dv_beams_count(dv_beams(fd_find(&s, "wire"))), 0);
  assert_false(hand->failed);
  const double *x = dv_state_read(dv_beams(fd_find(&s, "wire"))->state, DV_X);
  for (int i = 0; i < 31 * 7; i++) check_close(x[i], i % 7 == 6 ? 1 : 0, 1e-12);
  fd_close(&s);
}

static void keys(void **state)
{
  DV_UNUSED(state);
  fdScene s = open_wire("5", "xtip='20' step='3' angularStep='0.25'", "");
  const int pressed[] = {19, 19, 21, 20, 20, 18, '1', '2', 'x'};
  for (size_t i = 0; i < DV_COUNT(pressed); i++)
    dv_scene_send(s.scene, &(dvEvent){.kind = DV_EVENT_KEY, .key = pressed[i]});
  run(&s, 1);
  check_close(number(&s, "hand", "xtip"), 23, 1e-12);
  check_close(number(&s, "hand", "rotationInstrument"), 0.25, 1e-12);
  fd_close(&s);
}

static void listed_actions(void **state)
{
  DV_UNUSED(state);
  fdScene s = open_wire("5", "xtip='20' step='3'",
                        "<BeamAdapterActionController name='actions' interventionController='@hand' writeMode='0' "
                        "actionString='fwd fwd bwd right' timeSteps='0.1 0.2 0.3 0.4'/>");
  run(&s, 3);
  check_close(number(&s, "hand", "xtip"), 26, 1e-12);
  run(&s, 3);
  check_close(number(&s, "hand", "xtip"), 23, 1e-12);
  fd_close(&s);
}

static void noted_actions(void **state)
{
  DV_UNUSED(state);
  fdScene s = open_wire("5", "xtip='20' step='3'",
                        "<BeamAdapterActionController name='actions' interventionController='@hand'/>");
  dv_scene_send(s.scene, &(dvEvent){.kind = DV_EVENT_KEY, .key = 19});
  run(&s, 2);
  dv_scene_send(s.scene, &(dvEvent){.kind = DV_EVENT_KEY, .key = 20});
  run(&s, 1);
  const dvInts *actions = dv_object_field(fd_find(&s, "actions"), "actions")->value;
  assert_int_equal(actions->count, 2);
  assert_int_equal(actions->data[0], DV_INSTRUMENT_FORWARD);
  assert_int_equal(actions->data[1], DV_INSTRUMENT_RIGHT);
  check_close(number(&s, "hand", "xtip"), 23, 1e-12);
  fd_close(&s);
}

static void held_parts(void **state)
{
  DV_UNUSED(state);
  fdScene s = open_wire("0", "xtip='60' step='1' rigidCurvAbs='20 40'", "");
  const dvInts *fixed = dv_object_field(fd_find(&s, "fixed"), "indices")->value;
  size_t waiting = (size_t) * (const int32_t *)dv_object_field(fd_find(&s, "hand"), "indexFirstNode")->value;
  assert_true(fixed->count > waiting + 2);
  run(&s, 5);
  fd_close(&s);
}

// points along what is out: from the tip to the sheath, then all at the sheath
static void line_of_points(void **state)
{
  DV_UNUSED(state);
  fdScene s = open_wire("0", "xtip='50' speed='10'",
                        "<Node name='C'><EdgeSetTopologyContainer name='line'/><MechanicalObject name='points'/>"
                        "<MultiAdaptiveBeamMapping name='map' controller='@../hand' input='@../dofs' output='@points'/>"
                        "</Node>");
  dvState *p = dv_state(fd_find(&s, "points"));
  assert_int_equal(p->count, 41);   // twenty edges of each part by default
  assert_int_equal(dv_topology_count(dv_topology(fd_find(&s, "I/C/line")), DV_EDGE), 40);
  run(&s, 30);
  const dvBeams *b = dv_beams(fd_find(&s, "wire"));
  const double *frames = dv_state_read(b->state, DV_X), *x = dv_state_read(p, DV_X);
  for (int k = 0; k < 3; k++) {
    check_close(x[3 * 40 + k], frames[7 * 31 + k], 1e-9);   // the tip
    check_close(x[k], frames[k], 1e-9);                     // the sheath
  }
  fdOptions o = fd_options();
  o.checks = FD_TRANSPOSE | FD_BUILD | FD_ROWS;
  assert_true(fd_check_mapping(fd_find(&s, "map"), &o));
  fd_close(&s);
}

// the centre line of scenes/mesh/vessel.obj: along x, a quarter of a circle, along z
static double off_centre(const double *p)
{
  if (p[0] < 40 && p[2] < 25) return hypot(p[1], p[2]);
  if (p[2] > 50) return hypot(p[0] - 90, p[1]);
  return hypot(hypot(p[0] - 40, p[2] - 50) - 50, p[1]);
}

static void catheter_stays_in_its_vessel(void **state)
{
  DV_UNUSED(state);
  dvScene *scene = check_scene_file("scenes/instrument/vessel.scn", 1);
  dvState *points = dv_state(check_find(scene, "Instrument/Contact/points"));
  double most = 0;
  for (int i = 0; i < 260; i++) {
    check_steps(scene, 1);
    const double *x = dv_state_read(points, DV_X);
    for (size_t k = 0; k < points->count; k++) most = fmax(most, off_centre(x + 3 * k));
  }
  assert_true(check_value(scene, "Instrument/Contact/points", DV_X, 3 * points->count - 1) > 30);   // round the bend
  assert_true(most > 3);                                                                            // it does touch
  check_close(fmax(most, 5), 5, 0.05);
  dv_scene_send(scene, &(dvEvent){.kind = DV_EVENT_KEY, .key = '/'});
  dv_scene_send(scene, &(dvEvent){.kind = DV_EVENT_KEY, .key = '/'});
  check_steps(scene, 280);
  assert_true(((const dvReals *)dv_object_field(check_find(scene, "Instrument/hand"), "xtip")->value)->data[0] < 1e-6);
  check_close_scene(&scene);
}

static double wall_moved(dvScene *scene)
{
  const dvState *wall = dv_state(check_find(scene, "Vessel/wall"));
  const double *x = dv_state_read(wall, DV_X), *rest = dv_state_read(wall, DV_X_REST);
  double most = 0;
  for (size_t i = 0; i < wall->count; i++)
    most = fmax(most, dv_vec3_norm(dv_vec3_sub(dv_vec3_load(x + 3 * i), dv_vec3_load(rest + 3 * i))));
  return most;
}

static void a_soft_vessel_is_as_before(void **state)
{
  DV_UNUSED(state);
  dvScene *scene = check_scene_file("scenes/instrument/soft-vessel.scn", 2);
  double most = 0;
  for (int i = 0; i < 25; i++) {
    check_steps(scene, 10);
    most = fmax(most, wall_moved(scene));
  }
  const double *tip = ((const dvReals *)dv_object_field(check_find(scene, "Instrument/hand"), "xtip")->value)->data;
  assert_true(tip[0] > 100);   // 10 cm in
  assert_true(most > 0.05);    // the wall gives way
  dv_scene_send(scene, &(dvEvent){.kind = DV_EVENT_KEY, .key = '/'});
  dv_scene_send(scene, &(dvEvent){.kind = DV_EVENT_KEY, .key = '/'});
  check_steps(scene, 300);
  check_close(wall_moved(scene), 0, 1e-3);
  check_close_scene(&scene);
}

// scenes/mesh/aneurysm.obj: a pipe of radius 2 up to x = 30, then a sphere of radius 6. How far outside a point is.
static double outside(const double *p)
{
  double r = hypot(p[1], p[2]), centre = 30 + sqrt(32), bulb = hypot(p[0] - centre, r) - 6;
  return p[0] < 30 ? fmin(bulb, r - 2) : bulb;
}

static void a_coil_fills_an_aneurysm(void **state)
{
  DV_UNUSED(state);
  dvScene *scene = check_scene_file("scenes/instrument/coil.scn", 2);
  const dvState *points = dv_state(check_find(scene, "Instruments/Contact/points"));
  double most = -INFINITY, turned = 0;
  for (int i = 0; i < 18; i++) {
    check_steps(scene, 50);
    const double *x = dv_state_read(points, DV_X);
    for (size_t k = 0; k < points->count; k++) most = fmax(most, outside(x + 3 * k));
  }
  assert_true(most < 0.1);    // through no wall, but for what triangles cut off the sphere
  assert_true(most > -0.5);   // and it touches
  // 80 mm of wire are wound up, at 9 mm about three turns
  const double *x = dv_state_read(points, DV_X);
  for (size_t k = 1; k + 1 < points->count; k++) {
    dvVec3 a = dv_vec3_sub(dv_vec3_load(x + 3 * k), dv_vec3_load(x + 3 * k - 3)),
           b = dv_vec3_sub(dv_vec3_load(x + 3 * k + 3), dv_vec3_load(x + 3 * k));
    turned += atan2(dv_vec3_norm(dv_vec3_cross(a, b)), dv_vec3_dot(a, b));
  }
  assert_true(turned > 2.5 * 2 * acos(-1.0));
  check_close_scene(&scene);
}

static void bad_input(void **state)
{
  DV_UNUSED(state);
  const char *bad[][2] = {
      {"length='100'", "length='0'"},
      {"length='100'", "length='-5'"},
      {"radius='1'", "radius='0'"},
      {"radius='1'", "innerRadius='2'"},
      {"nbBeams='10'", "nbBeams='0'"},
      {"nbBeams='10'", "nbBeams='100000000'"},
      {"youngModulus='1e5'", "youngModulus='-1'"},
      {"spireDiameter='20'", "spireDiameter='0'"},
      {"@shaft @coil", "@shaft @line"},
      {"@shaft @coil", ""},
      {"nx='32'", "nx='1'"},
      {"'wire' xtip", "'nobody' xtip"},
      {"xtip='5'", "xtip='5' threshold='0'"},
      {"xtip='5'", "xtip='5' startingPos='0 0 0'"},
      {"<FixedProjectiveConstraint indices='0'/>", ""},
      {"WireRestShape='@../A/shape'", ""},
  };
  char *a = dv_format(shapes, "0");
  char *good = dv_format(
      "<Node>%s<Node name='I'><EulerImplicitSolver/><BTDLinearSolver/><RegularGridTopology nx='32' ny='1' nz='1'/>"
      "<MechanicalObject template='Rigid3'/><WireBeamInterpolation name='wire' WireRestShape='@../A/shape'/>"
      "<AdaptiveBeamForceFieldAndMass/><FixedProjectiveConstraint indices='0'/><InterventionalRadiologyController "
      "instruments='wire' xtip='5'/></Node></Node>",
      a);
  fdScene s = fd_open(good);
  fd_close(&s);
  for (size_t i = 0; i < DV_COUNT(bad); i++) {
    const char *at = strstr(good, bad[i][0]);
    assert_non_null(at);
    char *text = dv_format("%.*s%s%s", (int)(at - good), good, bad[i][1], at + strlen(bad[i][0]));
    if (!fd_fails(text)) fail_msg("%s in place of %s is taken", bad[i][1], bad[i][0]);
    dv_free(text);
  }
  dv_free(good);
  dv_free(a);
}

// more nodes than frames: told, and what is out is cut off
static void too_few_frames(void **state)
{
  DV_UNUSED(state);
  char *a = dv_format(shapes, "0");
  char *text = dv_format(
      "<Node>%s<Node name='I'><EulerImplicitSolver/><BTDLinearSolver/><RegularGridTopology nx='6' ny='1' nz='1'/>"
      "<MechanicalObject template='Rigid3'/><WireBeamInterpolation name='wire' WireRestShape='@../A/shape'/>"
      "<AdaptiveBeamForceFieldAndMass/><FixedProjectiveConstraint indices='0'/><InterventionalRadiologyController "
      "instruments='wire' xtip='150'/></Node></Node>",
      a);
  fdScene s = fd_open(text);
  run(&s, 3);
  assert_int_equal(dv_beams_count(dv_beams(fd_find(&s, "wire"))), 5);
  fd_close(&s);
  dv_free(text);
  dv_free(a);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(shape_of_sections),
      cmocka_unit_test(helix),
      cmocka_unit_test(layout),
      cmocka_unit_test(coil_takes_its_shape),
      cmocka_unit_test(out_and_back),
      cmocka_unit_test(keys),
      cmocka_unit_test(listed_actions),
      cmocka_unit_test(noted_actions),
      cmocka_unit_test(held_parts),
      cmocka_unit_test(a_soft_vessel_is_as_before),
      cmocka_unit_test(a_coil_fills_an_aneurysm),
      cmocka_unit_test(bad_input),
      cmocka_unit_test(line_of_points),
      cmocka_unit_test(catheter_stays_in_its_vessel),
      cmocka_unit_test(too_few_frames),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

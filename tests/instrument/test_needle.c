// NeedleInsertionConstraint: the phases of an insertion against the constants that were put in, tissue of tetrahedra,
// hexahedra and rigid, paths that curve, needles that start inside, tissue that goes away, bad input.
#include "support/check.h"
#include "support/fd.h"

#include "app/divan.h"
#include "base/file.h"
#include "base/text.h"
#include "instrument/needle.h"
#include "io/scene/scene_file.h"
#include "topology/change/modify.h"

static void run(fdScene *s, int steps)
{
  for (int i = 0; i < steps; i++) assert_int_equal(dv_scene_step(s->scene, 0), DV_OK);
}

static dvNeedle *needle(fdScene *s) { return (dvNeedle *)fd_find(s, "c"); }

typedef struct Setting {
  const char *tissue;   // components that say what it is like
  const char *body;     // name of its state
  const char *law, *movements;
} Setting;

#define GRID "<RegularGridTopology name='grid' n='5 5 5' min='-0.03 -0.06 -0.03' max='0.03 0 0.03'/>"
#define SOFT                                                                                                 \
  "<UniformMass totalMass='0.2'/><HexahedronFEMForceField youngModulus='20000' poissonRatio='0.4'/><BoxROI " \
  "name='roi' box='-1 -1 -1 1 -0.059 1'/><FixedProjectiveConstraint indices='@roi.indices'/>"                \
  "<LinearSolverConstraintCorrection/>"
#define SOLVED "<EulerImplicitSolver rayleighStiffness='0.01'/><SparseLDLSolver/>"
#define LAW "punctureForce='0.5' cuttingForce='0.2' dryFriction='10' viscousFriction='500' spacing='0.005'"
// 5 mm/s down, from 1 mm above
#define DOWN "keyTimes='0 9 11 20' movements='0 0 0 0 0 0  0 -0.045 0 0 0 0  0 -0.045 0 0 0 0  0 0 0 0 0 0'"

static const Setting soft = {SOLVED GRID "<MechanicalObject name='points'/>" SOFT, "T/points", LAW, DOWN};

static fdScene open_needle(const Setting *s, const char *more)
{
  char *text = dv_format(
      "<Node dt='0.01' gravity='0 0 0'><FreeMotionAnimationLoop/><BlockGaussSeidelConstraintSolver "
      "maxIterations='2000' "
      "tolerance='1e-9'/><Node name='T'>%s</Node><Node name='N'>" SOLVED
      "<MechanicalObject template='Rigid3' name='frame' "
      "position='0.002 0.101 0.001 0 0 -0.70710678118654757 0.70710678118654757'/><UniformMass totalMass='0.01'/>"
      "<LinearMovementProjectiveConstraint indices='0' %s/><LinearSolverConstraintCorrection/></Node>"
      "<NeedleInsertionConstraint name='c' needle='@N/frame' tissue='@%s' length='0.1' %s/>%s</Node>",
      s->tissue, s->movements, s->body, s->law, more);
  fdScene scene = fd_open(text);
  dv_free(text);
  return scene;
}

// --- the phases of Dehghan et al. ---

static void phases_of_an_insertion(void **state)
{
  DV_UNUSED(state);
  fdScene s = open_needle(&soft, "");
  dvNeedle *n = needle(&s);
  double peak = 0, before = 0;
  int steps = 0;
  for (; steps < 300 && n->phase != 2; steps++) {   // rise to the puncture
    before = n->force;
    run(&s, 1);
    if (n->phase == 1) {
      assert_true(n->force >= before - 1e-9);
      peak = n->force;
    }
  }
  check_close(peak, 0.5, 0.05 * 0.5);
  check_close(peak - n->force, 0.5 - 0.2, 0.05 * 0.3);   // drop
  run(&s, 200);
  double from = n->depth, low = n->force;
  run(&s, 300);   // rise with friction: dry + viscous v
  check_close((n->force - low) / (n->depth - from), 10 + 500 * 0.005, 0.05 * 12.5);
  check_close(n->tipForce, 0.2, 1e-6);
  run(&s, 895 - steps - 500);
  double moving = n->force, depth = n->depth;
  run(&s, 100);   // rest: what depends on speed is gone
  check_close(moving - n->force, 500 * 0.005 * depth, 0.05 * 500 * 0.005 * depth);
  check_close(n->force, 0.2 + 10 * n->depth, 0.05 * n->force);
  run(&s, 300);   // back: friction the other way, no cutting
  check_close(n->force, -12.5 * n->depth, 0.05 * 12.5 * n->depth);
  check_close(n->tipForce, 0, 1e-9);
  run(&s, 2000 - 895 - 400);   // out: nothing holds, and the tissue is as before
  assert_int_equal(dv_needle_places(n), 0);
  run(&s, 300);
  dvState *points = dv_state(fd_find(&s, "T/points"));
  const double *x = dv_state_read(points, DV_X), *rest = dv_state_read(points, DV_X_REST);
  for (size_t i = 0; i < 3 * points->count; i++) check_close(x[i], rest[i], 1e-6);
  fd_close(&s);
}

// --- kinds of tissue ---

static void tissue_of_every_kind(void **state)
{
  DV_UNUSED(state);
  const Setting kinds[] = {
      {SOLVED GRID "<TetrahedronSetTopologyContainer name='tets'/><Hexa2TetraTopologicalMapping input='@grid' "
                   "output='@tets'/><MechanicalObject name='points'/><UniformMass totalMass='0.2'/>"
                   "<TetrahedronFEMForceField topology='@tets' youngModulus='20000' poissonRatio='0.4'/><BoxROI "
                   "name='roi' box='-1 -1 -1 1 -0.059 1'/><FixedProjectiveConstraint indices='@roi.indices'/>"
                   "<LinearSolverConstraintCorrection/>",
       "T/points", LAW " topology='@T/tets'", DOWN},
      {SOLVED "<MechanicalObject template='Rigid3' name='frame'/><UniformMass totalMass='10'/>"
              "<RestShapeSpringsForceField points='0' stiffness='1e4' angularStiffness='1e2'/>"
              "<LinearSolverConstraintCorrection/><Node name='P'>" GRID
              "<MechanicalObject name='points'/><RigidMapping/>"
              "</Node>",
       "T/P/points", LAW, DOWN},
      {GRID "<MechanicalObject name='points'/>", "T/points", LAW, DOWN}};   // cannot move at all
  for (size_t i = 0; i < DV_COUNT(kinds); i++) {
    fdScene s = open_needle(&kinds[i], "");
    dvNeedle *n = needle(&s);
    run(&s, 700);
    assert_int_equal(n->phase, 2);
    assert_true(n->depth > 0.025);
    check_close(n->tipForce, 0.2, 0.01);
    check_close(n->shaftForce, 12.5 * n->depth, 0.05 * 12.5 * n->depth);
    fd_close(&s);
  }
}

static void through_one_into_the_next(void **state)
{
  DV_UNUSED(state);
  // a plate of 1 cm above the block, with a law of its own
  Setting above = soft;
  above.movements = "keyTimes='0 15' movements='0 0.04 0 0 0 0  0 -0.035 0 0 0 0'";
  fdScene s = open_needle(
      &above, "<Node name='U'>" SOLVED "<RegularGridTopology n='5 3 5' min='-0.03 0.02 -0.03' max='0.03 0.03 0.03'/>"
              "<MechanicalObject name='points'/><UniformMass totalMass='0.05'/><HexahedronFEMForceField "
              "youngModulus='50000' poissonRatio='0.4'/><BoxROI name='roi' box='-1 -1 -1 -0.029 1 1  0.029 -1 -1 1 1 "
              "1'/><FixedProjectiveConstraint indices='@roi.indices'/><LinearSolverConstraintCorrection/></Node>"
              "<NeedleInsertionConstraint name='u' needle='@N/frame' tissue='@U/points' length='0.1' "
              "punctureForce='0.3' cuttingForce='0.1' dryFriction='20' spacing='0.004'/>");
  const dvNeedle *upper = (const dvNeedle *)fd_find(&s, "u");
  run(&s, 680);
  assert_int_equal(upper->phase, 3);
  check_close(upper->tipForce, 0, 1e-12);
  check_close(upper->shaftForce, 20 * 0.01, 0.1 * 0.2);   // the whole plate rubs
  assert_int_equal(needle(&s)->phase, 0);
  run(&s, 570);
  assert_int_equal(needle(&s)->phase, 2);
  check_close(upper->shaftForce, 20 * 0.01, 0.1 * 0.2);
  check_close(needle(&s)->tipForce, 0.2, 1e-3);
  fd_close(&s);
}

// --- a bevel ---

static void paths_curve_as_stated(void **state)
{
  DV_UNUSED(state);
  // a needle of beams is pushed 5 cm into a body that cannot move: its tip describes a circle of 10 cm
  dvText t = {0};
  dv_text_add(
      &t, "<Node dt='0.01' gravity='0 0 0'><FreeMotionAnimationLoop/><BlockGaussSeidelConstraintSolver "
          "maxIterations='3000' tolerance='1e-9'/><Node name='T'><RegularGridTopology n='9 9 5' min='0 -0.04 -0.02' "
          "max='0.08 0.04 0.02'/><MechanicalObject name='points'/></Node><Node name='N'><EulerImplicitSolver "
          "rayleighStiffness='0.1'/><SparseLDLSolver/><MechanicalObject template='Rigid3' name='frame' position='");
  for (int i = 0; i <= 24; i++) dv_text_printf(&t, "%g 0.001 0.0005 0 0 0 1 ", -0.121 + 0.005 * i);
  dv_text_add(&t, "'/><MeshTopology edges='");
  for (int i = 0; i < 24; i++) dv_text_printf(&t, "%d %d ", i, i + 1);
  dv_text_add(&t,
              "'/><BeamInterpolation radius='0.0003' defaultYoungModulus='5e10'/><AdaptiveBeamForceFieldAndMass "
              "massDensity='8000'/><PartialLinearMovementProjectiveConstraint indices='0 1 2 3 4 5 6 7 8 9 10 11 12' "
              "keyTimes='0 5' movements='0 0 0 0 0 0  0.05 0 0 0 0 0' movedDirections='1 1 1 1 1 1'/>"
              "<LinearSolverConstraintCorrection/></Node><NeedleInsertionConstraint name='c' needle='@N/frame' "
              "tissue='@T/points' cuttingForce='0.1' bevelRadius='0.1' spacing='0.005'/></Node>");
  fdScene s = fd_open(t.text);
  dv_text_free(&t);
  run(&s, 490);
  dvNeedle *n = needle(&s);
  assert_true(n->depth > 0.04);
  // the circle through the first, middle and last place
  size_t last = dv_needle_places(n) - 1;
  dvVec3 a = dv_vec3_load(n->path.data), b = dv_vec3_load(n->path.data + 3 * (last / 2)),
         c = dv_vec3_load(n->path.data + 3 * last);
  double ab = dv_vec3_norm(dv_vec3_sub(b, a)), bc = dv_vec3_norm(dv_vec3_sub(c, b)),
         ca = dv_vec3_norm(dv_vec3_sub(a, c)),
         area = 0.5 * dv_vec3_norm(dv_vec3_cross(dv_vec3_sub(b, a), dv_vec3_sub(c, a)));
  check_close(ab * bc * ca / (4 * area), 0.1, 0.05 * 0.1);
  dvVec3 tip = dv_shaft_pose(&n->shaft, dv_state_read(n->shaft.state, DV_X), dv_shaft_tip(&n->shaft)).at;
  double deep = tip.x - a.x;
  check_close(tip.y - a.y, 0.1 - sqrt(0.01 - deep * deep), 0.05 * (0.1 - sqrt(0.01 - deep * deep)));
  check_close(tip.z, 0.0005, 1e-4);
  fd_close(&s);
}

// --- what can go wrong ---

static void a_needle_that_starts_inside(void **state)
{
  DV_UNUSED(state);
  char *text = dv_format(
      "<Node dt='0.01' gravity='0 0 0'><FreeMotionAnimationLoop/><BlockGaussSeidelConstraintSolver/>"
      "<Node name='T'>%s</Node><Node name='N'>" SOLVED "<MechanicalObject template='Rigid3' name='frame' "
      "position='0.002 0.07 0.001 0 0 -0.70710678118654757 0.70710678118654757'/><UniformMass "
      "totalMass='0.01'/><LinearMovementProjectiveConstraint indices='0' keyTimes='0 1 7' "
      "movements='0 0 0 0 0 0  0 0 0 0 0 0  0 0.06 0 0 0 0'/><LinearSolverConstraintCorrection/></Node>"
      "<NeedleInsertionConstraint name='c' needle='@N/frame' tissue='@T/points' length='0.1' " LAW "/></Node>",
      soft.tissue);
  fdScene s = fd_open(text);
  dv_free(text);
  dvNeedle *n = needle(&s);
  assert_int_equal(dv_needle_places(n), 6);
  run(&s, 90);
  assert_int_equal(n->phase, 2);
  check_close(n->force, 0, 1e-6);
  run(&s, 100);
  assert_true(n->force < -0.1);
  run(&s, 500);
  assert_int_equal(dv_needle_places(n), 0);
  fd_close(&s);
}

static void tissue_that_goes_away(void **state)
{
  DV_UNUSED(state);
  // a column of hexahedra under the needle is taken out while it is inside
  fdScene s = fd_open(
      "<Node dt='0.01' gravity='0 0 0'><FreeMotionAnimationLoop/><BlockGaussSeidelConstraintSolver/><Node name='T'>"
      "<RegularGridTopology name='g' n='4 4 4' min='-0.03 -0.06 -0.03' max='0.03 0 0.03'/><Node name='M'>"
      "<HexahedronSetTopologyContainer name='hexa' position='@../g.position' hexahedra='@../g.hexahedra'/>"
      "<HexahedronSetTopologyModifier/>" SOLVED "<MechanicalObject name='points'/><UniformMass totalMass='0.2'/>"
      "<HexahedronFEMForceField youngModulus='20000' poissonRatio='0.4'/><BoxROI name='roi' "
      "box='-1 -1 -1 1 -0.059 1'/><FixedProjectiveConstraint "
      "indices='@roi.indices'/><LinearSolverConstraintCorrection/>"
      "</Node></Node><Node name='N'>" SOLVED "<MechanicalObject template='Rigid3' name='frame' "
      "position='0.002 0.101 0.001 0 0 -0.70710678118654757 0.70710678118654757'/><UniformMass totalMass='0.01'/>"
      "<LinearMovementProjectiveConstraint indices='0' " DOWN "/><LinearSolverConstraintCorrection/></Node>"
      "<NeedleInsertionConstraint name='c' needle='@N/frame' tissue='@T/M/points' length='0.1' " LAW "/></Node>");
  dvNeedle *n = needle(&s);
  run(&s, 800);
  size_t before = dv_needle_places(n);
  assert_true(before > 5);
  dvTopology *t = dv_topology(fd_find(&s, "T/M/hexa"));
  int32_t cell = n->holds.data[0].spot.cell;
  assert_int_equal(dv_mesh_remove(t, DV_HEXAHEDRON, &cell, 1, DV_REMOVE_POINTS), DV_OK);
  dv_topology_end_changes(t);
  assert_true(dv_needle_places(n) < before);
  run(&s, 1300);   // and out again
  assert_int_equal(dv_needle_places(n), 0);
  fd_close(&s);
}

// --- the biopsy of scenes/ ---

static void a_biopsy(void **state)
{
  DV_UNUSED(state);
  static const char *const bodies[] = {"Skin/points", "Muscle/points", "Liver/dofs"};
  fdScene s = {.context = dv_divan_create(2)};
  char *path = dv_path_join(DIVAN_SOURCE_DIR, "scenes/instrument/biopsy.scn");
  s.context->log.threshold = DV_ERROR;
  assert_int_equal(dv_scene_read(s.context, path, &s.scene), DV_OK);
  dv_free(path);
  assert_int_equal(dv_scene_init(s.scene), DV_OK);
  run(&s, 500);
  const dvNeedle *liver = (const dvNeedle *)fd_find(&s, "Liver/insertion");
  assert_int_equal(((const dvNeedle *)fd_find(&s, "Skin/insertion"))->phase, 3);
  assert_int_equal(liver->phase, 2);
  assert_true(liver->depth > 0.04);
  assert_int_equal(dv_topology_count(liver->body.topology, DV_TETRAHEDRON), 1280);
  run(&s, 800);
  assert_int_equal(dv_topology_count(liver->body.topology, DV_TETRAHEDRON), 1277);   // the sample
  for (size_t i = 0; i < DV_COUNT(bodies); i++) {
    dvState *points = dv_state(fd_find(&s, bodies[i]));
    const double *x = dv_state_read(points, DV_X), *rest = dv_state_read(points, DV_X_REST);
    for (size_t k = 0; k < 3 * points->count; k++) check_close(x[k], rest[k], 1e-5);
  }
  fd_close(&s);
}

static void bad_input(void **state)
{
  DV_UNUSED(state);
  const char *bad[] = {"length='0'",
                       "length='-1'",
                       "length='0.1' punctureForce='-1'",
                       "length='0.1' cuttingForce='nan'",
                       "length='0.1' spacing='1'",
                       "length='0.1' spacing='1e-9'",
                       "length='0.1' bevelRadius='1e-4'",
                       "length='0.1' topology='@N/frame'",
                       "length='0.1' tissue='@N/frame'",
                       "length='0.1' needle='@T/points'"};
  for (size_t i = 0; i < DV_COUNT(bad); i++) {
    const char *needle_link = strstr(bad[i], "needle=") ? "" : "needle='@N/frame'",
               *tissue_link = strstr(bad[i], "tissue=") ? "" : "tissue='@T/points'";
    char *text = dv_format(
        "<Node><Node name='T'>" GRID "<MechanicalObject name='points'/></Node><Node name='N'>"
        "<MechanicalObject template='Rigid3' name='frame'/></Node><NeedleInsertionConstraint %s %s %s/></Node>",
        needle_link, tissue_link, bad[i]);
    if (!fd_fails(text)) fail_msg("%s is taken", bad[i]);
    dv_free(text);
  }
  assert_true(
      fd_fails("<Node><Node name='T'><MeshTopology position='0 0 0 1 0 0 0 1 0' triangles='0 1 2'/><MechanicalObject "
               "name='points'/></Node><Node name='N'><MechanicalObject template='Rigid3' name='frame'/></Node>"
               "<NeedleInsertionConstraint needle='@N/frame' tissue='@T/points' length='1'/></Node>"));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(phases_of_an_insertion),
      cmocka_unit_test(tissue_of_every_kind),
      cmocka_unit_test(through_one_into_the_next),
      cmocka_unit_test(paths_curve_as_stated),
      cmocka_unit_test(a_needle_that_starts_inside),
      cmocka_unit_test(tissue_that_goes_away),
      cmocka_unit_test(a_biopsy),
      cmocka_unit_test(bad_input),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

// Projective constraints: projections that repeat without change, motions against closed forms, indices that change.
#include "support/check.h"
#include "support/scene.h"

#include <string.h>

#define NODE(content) "<Node name='root' gravity='0 0 0' dt='0.1'>" content "</Node>"
#define POINTS "<MechanicalObject name='mo' position='0 0 0 1 0 0 0 1 0 0 0 1'/>"
#define FRAMES "<MechanicalObject name='mo' template='Rigid3' position='1 2 3 0 0 0 1 4 5 6 0 0 0.6 0.8'/>"
#define EXPLICIT "<EulerExplicitSolver/>"

static dvScene *open_quietly(const char *text, int *warnings)
{
  dvContext *context = dv_divan_create(1);
  context->log.sink = NULL;
  dvScene *scene = NULL;
  assert_int_equal(dv_scene_parse(context, "test.scn", text, strlen(text), &scene), DV_OK);
  assert_int_equal(dv_scene_init(scene), DV_OK);
  *warnings = context->log.counts[DV_WARNING];
  return scene;
}

static const dvProjectiveOps *ops_of(dvObject *o) { return dv_ops(o, DV_ROLE_PROJECTIVE); }

// fills a vector with numbers that are all different from zero
static double *fill(dvState *s, int id)
{
  double *v = dv_state_write(s, id);
  for (size_t i = 0; i < dv_state_scalars(s, id); i++) v[i] = 1 + 0.1 * (double)i;
  return v;
}

// --- projections ---------------------------------------------------------------------------------

static void projecting_twice_changes_nothing(void **state)
{
  DV_UNUSED(state);
  static const char *const scenes[] = {
      POINTS "<FixedProjectiveConstraint name='c' indices='0 2' activate_projectVelocity='1'/>",
      POINTS "<FixedProjectiveConstraint name='c' fixAll='1' activate_projectVelocity='1'/>",
      POINTS "<PartialFixedProjectiveConstraint name='c' indices='1' fixedDirections='1 0 1' projectVelocity='1'/>",
      FRAMES "<FixedTranslationProjectiveConstraint name='c' indices='1'/>",
      FRAMES "<FixedRotationProjectiveConstraint name='c' FixedXRotation='1' FixedZRotation='1'/>",
      POINTS "<FixedPlaneProjectiveConstraint name='c' direction='0.6 0 0.8' dmin='-0.5' dmax='0.7'/>",
      POINTS "<DirectionProjectiveConstraint name='c' indices='1 2' direction='1 2 2'/>",
      POINTS "<LineProjectiveConstraint name='c' indices='1 2' direction='1 2 2' origin='5 6 7'/>",
      POINTS "<PlaneProjectiveConstraint name='c' indices='1 2' normal='1 2 2' origin='5 6 7'/>",
      POINTS "<PointProjectiveConstraint name='c' indices='1 2' point='5 6 7'/>",
      POINTS "<LinearMovementProjectiveConstraint name='c' indices='1 2' keyTimes='0 1' movements='0 0 0 1 2 3'/>",
      FRAMES "<LinearMovementProjectiveConstraint name='c' indices='1' keyTimes='0 1' movements='0 0 0 0 0 0 1 2 3 0.3 "
             "0.2 0.1'/>",
      POINTS
      "<AffineMovementProjectiveConstraint name='c' indices='1 2' rotation='0 1 0 1 0 0 0 0 1' translation='1 2 3'/>",
      POINTS "<OscillatorProjectiveConstraint name='c' oscillators='1  1 2 3  1 0 0  2 0.5'/>",
      POINTS "<ParabolicProjectiveConstraint name='c' indices='1' P1='0 0 0' P2='1 1 0' P3='2 0 0' EndTime='1'/>",
      POINTS "<HermiteSplineProjectiveConstraint name='c' indices='1' X1='1 2 3' dX0='1 0 0' EndTime='1'/>",
      FRAMES "<SkeletalMotionProjectiveConstraint name='c' joints='Parent -1 LocalRigid 1 2 3 0 0 0 1' bones='0'/>",
  };
  for (size_t i = 0; i < DV_COUNT(scenes); i++) {
    char *text = dv_format(NODE("%s"), scenes[i]);
    dvScene *s = check_scene(text, 1);
    dvState *mo = dv_state(check_find(s, "mo"));
    dvObject *c = check_find(s, "c");
    s->root->time = 0.5;
    static const int ids[] = {DV_F, DV_V, DV_X};
    for (int k = 0; k < 3; k++) {
      int id = ids[k];
      double *v = id == DV_X ? dv_state_write(mo, id) : fill(mo, id), once[64];
      size_t n = dv_state_scalars(mo, id);
      for (int pass = 0; pass < 2; pass++) {
        if (id == DV_F) ops_of(c)->project_response(c, id);
        else if (id == DV_V) ops_of(c)->project_velocity(c, id, 0.5);
        else ops_of(c)->project_position(c, id, 0.5);
        if (pass == 0) memcpy(once, v, n * sizeof *v);
      }
      for (size_t j = 0; j < n; j++) {
        if (fabs(once[j] - v[j]) > 1e-14) print_error("scene %zu, vector %d\n", i, id);
        check_close(once[j], v[j], 1e-14);
      }
    }
    check_close_scene(&s);
    dv_free(text);
  }
}

static void fixed_points_hold_forces_and_no_more(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene(NODE(POINTS "<FixedProjectiveConstraint name='c' indices='1 3'/>"), 1);
  dvState *mo = dv_state(check_find(s, "mo"));
  dvObject *c = check_find(s, "c");
  double *f = fill(mo, DV_F), *v = fill(mo, DV_V);
  ops_of(c)->project_response(c, DV_F);
  ops_of(c)->project_velocity(c, DV_V, 0);
  for (size_t i = 0; i < 12; i++) {
    check_close(f[i], i / 3 == 1 || i / 3 == 3 ? 0 : 1 + 0.1 * (double)i, 0);
    check_close(v[i], 1 + 0.1 * (double)i, 0);
  }
  check_close_scene(&s);
}

static void some_components_are_held(void **state)
{
  DV_UNUSED(state);
  const struct {
    const char *scene;
    const char *held;   // one letter per component of point 1
  } cases[] = {
      {POINTS "<PartialFixedProjectiveConstraint name='c' indices='1' fixedDirections='1 0 1'/>", "x.x"},
      {POINTS "<PartialFixedProjectiveConstraint name='c' indices='1' fixedDirections='true false'/>", "x.x"},
      {POINTS "<PartialFixedProjectiveConstraint name='c' indices='1'/>", "xxx"},
      {FRAMES "<PartialFixedProjectiveConstraint name='c' fixAll='1' fixedDirections='0 0 0 0 1 0'/>", "....x."},
      {FRAMES "<FixedTranslationProjectiveConstraint name='c' indices='1'/>", "xxx..."},
  };
  for (size_t i = 0; i < DV_COUNT(cases); i++) {
    char *text = dv_format(NODE("%s"), cases[i].scene);
    dvScene *s = check_scene(text, 1);
    dvState *mo = dv_state(check_find(s, "mo"));
    dvObject *c = check_find(s, "c");
    size_t width = strlen(cases[i].held);
    double *f = fill(mo, DV_F);
    ops_of(c)->project_response(c, DV_F);
    for (size_t k = 0; k < width; k++) check_close(f[width + k] == 0, cases[i].held[k] == 'x', 0);
    check_close_scene(&s);
    dv_free(text);
  }
}

static void points_between_planes_are_held_along_the_normal(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene(
      NODE(POINTS "<FixedPlaneProjectiveConstraint name='c' direction='1 0 0' dmin='0.5' dmax='1.5' indices='2'/>"), 1);
  dvState *mo = dv_state(check_find(s, "mo"));
  dvObject *c = check_find(s, "c");
  double *f = fill(mo, DV_F);
  ops_of(c)->project_response(c, DV_F);
  for (size_t i = 0; i < 12; i++) check_close(f[i], i == 3 || i == 6 ? 0 : 1 + 0.1 * (double)i, 0);
  check_close_scene(&s);
}

// two turns about x and z, the second undone
static void frames_keep_from_turning(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene(NODE("<MechanicalObject name='mo' template='Rigid3'/><FixedRotationProjectiveConstraint "
                                "name='c' FixedZRotation='1'/>"),
                           1);
  dvState *mo = dv_state(check_find(s, "mo"));
  dvObject *c = check_find(s, "c");
  double *x = dv_state_write(mo, DV_X), a = 0.3, b = 0.2;   // half angles; q = q_x q_z
  x[3] = sin(a) * cos(b), x[4] = -sin(a) * sin(b), x[5] = cos(a) * sin(b), x[6] = cos(a) * cos(b);
  ops_of(c)->project_position(c, DV_X, 0);
  check_close(x[3], sin(a), 1e-14);
  check_close(x[4], 0, 1e-14);
  check_close(x[5], 0, 1e-14);
  check_close(x[6], cos(a), 1e-14);
  check_close_scene(&s);
}

static void lines_and_planes_project_at_right_angles(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene(NODE("<MechanicalObject name='mo' position='1 5 2 1 5 2 1 5 2'/><LineProjectiveConstraint "
                                "indices='0' direction='0 3 0' origin='7 0 8'/>"
                                "<PlaneProjectiveConstraint indices='1' normal='0 -2 0' origin='7 3 "
                                "8'/><PointProjectiveConstraint indices='2' point='4 4 4'/>"),
                           1);
  const double expected[9] = {7, 5, 8, 1, 3, 2, 4, 4, 4};   // the first positions are projected when the scene starts
  for (size_t i = 0; i < 9; i++) check_close(check_value(s, "mo", DV_X, i), expected[i], 1e-15);
  check_close_scene(&s);
}

// --- indices -------------------------------------------------------------------------------------

static void indices_out_of_range_are_left_out(void **state)
{
  DV_UNUSED(state);
  int warnings;
  dvScene *s = open_quietly(NODE(POINTS "<FixedProjectiveConstraint name='c' indices='7 1 -3'/>"), &warnings);
  assert_int_equal(warnings, 1);
  dvState *mo = dv_state(check_find(s, "mo"));
  dvObject *c = check_find(s, "c");
  double *f = fill(mo, DV_F);
  ops_of(c)->project_response(c, DV_F);
  for (size_t i = 0; i < 12; i++) check_close(f[i] == 0, i / 3 == 1, 0);
  check_close_scene(&s);
}

static void indices_follow_a_selector(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene(
      NODE(POINTS
           "<BoxROI name='box' box='0.5 -1 -1 2 1 1'/><FixedProjectiveConstraint name='c' indices='@box.indices'/>"),
      1);
  dvState *mo = dv_state(check_find(s, "mo"));
  dvObject *c = check_find(s, "c");
  double *f = fill(mo, DV_F);
  ops_of(c)->project_response(c, DV_F);
  for (size_t i = 0; i < 12; i++) check_close(f[i] == 0, i / 3 == 1, 0);
  assert_int_equal(dv_object_set(check_find(s, "box"), "box", "-1 0.5 -1 1 2 1"), DV_OK);
  assert_int_equal(dv_scene_pull(s), DV_OK);
  fill(mo, DV_F);
  ops_of(c)->project_response(c, DV_F);
  for (size_t i = 0; i < 12; i++) check_close(f[i] == 0, i / 3 == 2, 0);
  check_close_scene(&s);
}

static void constraints_end_in_time(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene(NODE(POINTS "<FixedProjectiveConstraint name='c' fixAll='1' endTime='1'/>"), 1);
  dvState *mo = dv_state(check_find(s, "mo"));
  dvObject *c = check_find(s, "c");
  for (int late = 0; late < 2; late++) {
    double *f = fill(mo, DV_F);
    s->root->time = late ? 1 : 0.9;
    ops_of(c)->project_response(c, DV_F);
    check_close(f[0], late ? 1 : 0, 0);
  }
  check_close_scene(&s);
}

// --- motions -------------------------------------------------------------------------------------

// positions are projected with the time at the start of the step: after n steps the point is where t = (n - 1) h puts
// it
static void key_displacements_are_followed_and_left(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene(
      NODE(EXPLICIT POINTS
           "<UniformMass totalMass='4'/>"
           "<LinearMovementProjectiveConstraint indices='1' keyTimes='0 1 2' movements='0 0 0  1 0 0  1 3 0'/>"),
      1);
  check_steps(s, 6);
  check_close(check_value(s, "mo", DV_X, 3), 1.5, 1e-14);
  check_close(check_value(s, "mo", DV_V, 3), 1, 1e-14);
  check_steps(s, 10);
  check_close(check_value(s, "mo", DV_X, 3), 2, 1e-13);
  check_close(check_value(s, "mo", DV_X, 4), 1.5, 1e-13);
  check_close(check_value(s, "mo", DV_V, 4), 3, 1e-13);
  check_steps(s, 14);   // free from t = 2 on: it goes on with its velocity
  check_close(check_value(s, "mo", DV_V, 4), 3, 1e-13);
  check_close(check_value(s, "mo", DV_X, 0), 0, 0);
  check_close_scene(&s);
}

static void partial_displacements_move_their_components(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene(NODE(POINTS "<PartialLinearMovementProjectiveConstraint name='c' indices='1 2' keyTimes='0 "
                                       "1' movements='0 0 0  1 2 3' movedDirections='0 1 0'/>"),
                           1);
  dvObject *c = check_find(s, "c");
  s->root->time = 0.5;
  ops_of(c)->project_position(c, DV_X, 0.5);
  const double expected[6] = {1, 1, 0, 0, 2, 0};
  for (size_t i = 0; i < 6; i++) check_close(check_value(s, "mo", DV_X, 3 + i), expected[i], 1e-15);
  check_close_scene(&s);
}

// a quarter of a turn about z between two keys, halfway
static void frames_turn_between_keys(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene(
      NODE("<MechanicalObject name='mo' template='Rigid3'/><LinearMovementProjectiveConstraint name='c' keyTimes='0 1' "
           "movements='0 0 0 0 0 0  2 0 0 0 0 1.5707963267948966'/>"),
      1);
  dvObject *c = check_find(s, "c");
  s->root->time = 0.5;
  ops_of(c)->project_position(c, DV_X, 0.5);
  check_close(check_value(s, "mo", DV_X, 0), 1, 1e-15);
  check_close(check_value(s, "mo", DV_X, 5), sin(acos(-1.0) / 8), 1e-14);
  check_close(check_value(s, "mo", DV_X, 6), cos(acos(-1.0) / 8), 1e-14);
  check_close_scene(&s);
}

// v(t) = t between the keys; the first projection, when the scene starts, already moves on
static void key_velocities_are_integrated(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene(
      NODE(
          EXPLICIT POINTS
          "<UniformMass totalMass='4'/>"
          "<LinearVelocityProjectiveConstraint indices='1' keyTimes='0 1' velocities='0 0 0  1 0 0' coordinates='0'/>"),
      1);
  double x = 1;
  for (int n = 0; n < 5; n++) x += 0.1 * 0.1 * n;
  check_steps(s, 5);
  check_close(check_value(s, "mo", DV_X, 3), x, 1e-14);
  check_close(check_value(s, "mo", DV_V, 3), 0.4, 1e-14);
  check_close_scene(&s);
}

static void borders_reach_their_goal(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene(NODE(POINTS "<AffineMovementProjectiveConstraint name='c' indices='1 2' rotation='0 1 0  2 "
                                       "0 0  0 0 1' translation='0 0 5' "
                                       "beginConstraintTime='1' endConstraintTime='3'/>"),
                           1);
  dvObject *c = check_find(s, "c");
  const double at[] = {0.5, 1.5, 3.5}, part[] = {0, 0.25, 1}, final[6] = {0, 2, 5, 1, 0, 5},
               first[6] = {1, 0, 0, 0, 1, 0};
  for (int k = 0; k < 3; k++) {
    s->root->time = at[k];
    ops_of(c)->project_position(c, DV_X, at[k]);
    for (size_t i = 0; i < 6; i++)
      check_close(check_value(s, "mo", DV_X, 3 + i), first[i] + part[k] * (final[i] - first[i]), 1e-14);
  }
  check_close_scene(&s);
}

// displacements of the corners of a square, interpolated: u = x y at the fourth corner only
static void a_patch_interpolates_its_corners(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene(
      "<Node gravity='0 0 0'><RegularGridTopology n='5 5 1' min='0 0 0' max='1 1 0'/><MechanicalObject name='mo'/>"
      "<BoxROI name='all' box='-1 -1 -1 2 2 2'/><PatchTestMovementProjectiveConstraint name='c' indices='@all.indices' "
      "constrainedPoints='@all.pointsInROI' cornerMovements='0 0 0  0 0 0  1 0 0  0 0 0' "
      "endConstraintTime='1'/></Node>",
      1);
  dvObject *c = check_find(s, "c");
  s->root->time = 2;
  ops_of(c)->project_position(c, DV_X, 2);
  for (size_t i = 0; i < 25; i++) {
    double x = 0.25 * (double)(i % 5), y = 0.25 * (double)(i / 5);
    check_close(check_value(s, "mo", DV_X, 3 * i), x + x * y, 1e-14);
    check_close(check_value(s, "mo", DV_X, 3 * i + 1), y, 1e-14);
  }
  check_close_scene(&s);
}

static void curves_pass_through_their_points(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene(NODE(POINTS "<ParabolicProjectiveConstraint name='a' indices='1' P1='1 1 1' P2='2 1 4' "
                                       "P3='3 1 1' BeginTime='1' EndTime='2'/>"
                                       "<HermiteSplineProjectiveConstraint name='b' indices='2' X0='1 2 3' X1='3 2 1' "
                                       "dX0='0 4 0' dX1='0 4 0' SX0='0 1' SX1='0 1' "
                                       "BeginTime='1' EndTime='2'/>"),
                           1);
  const double at[] = {1, 1.5, 2};
  const double a[3][3] = {{1, 1, 1}, {2, 1, 4}, {3, 1, 1}}, b[3][3] = {{1, 2, 3}, {2, 2, 2}, {3, 2, 1}};
  for (int k = 0; k < 3; k++) {
    s->root->time = at[k];
    for (int which = 0; which < 2; which++) {
      dvObject *c = check_find(s, which ? "b" : "a");
      ops_of(c)->project_position(c, DV_X, at[k]);
      for (size_t i = 0; i < 3; i++)
        check_close(check_value(s, "mo", DV_X, 3 + 3 * (size_t)which + i), which ? b[k][i] : a[k][i], 1e-14);
    }
  }
  check_close_scene(&s);
}

static void oscillators_swing(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene(
      NODE(EXPLICIT POINTS
           "<UniformMass totalMass='4'/><OscillatorProjectiveConstraint oscillators='2  1 2 3  0.5 0 0  4 0.25'/>"),
      1);
  check_steps(s, 8);
  check_close(check_value(s, "mo", DV_X, 6), 1 + 0.5 * sin(4 * 0.7 + 0.25), 1e-14);
  check_close(check_value(s, "mo", DV_V, 6), 0.5 * 4 * cos(4 * 0.7 + 0.25), 1e-13);
  check_close(check_value(s, "mo", DV_X, 7), 2, 0);
  check_close_scene(&s);
}

// half of the way in each projection, the first one when the scene starts; velocities are what was moved over a step
static void positions_are_drawn_to_a_target(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene(
      NODE(EXPLICIT "<MechanicalObject name='mo' position='0 0 0'/><UniformMass totalMass='1'/>"
                    "<PositionBasedDynamicsProjectiveConstraint name='c' position='8 0 0' stiffness='0.5'/>"),
      1);
  check_close(check_value(s, "mo", DV_X, 0), 4, 0);
  dvObject *c = check_find(s, "c");
  ops_of(c)->project_position(c, DV_X, 0);
  ops_of(c)->project_velocity(c, DV_V, 0);
  check_close(check_value(s, "mo", DV_X, 0), 6, 0);
  check_close(check_value(s, "mo", DV_V, 0), 20, 1e-13);
  check_close_scene(&s);
}

// --- attachments ---------------------------------------------------------------------------------

#define PAIR(attributes, types)                                                 \
  NODE("<Node name='A'><MechanicalObject name='mo' " types                      \
       "/></Node><Node name='B'><MechanicalObject name='mo' " types "/></Node>" \
       "<AttachProjectiveConstraint name='c' object1='@A' object2='@B' indices1='1' indices2='0' " attributes "/>")

static void attached_points_meet(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene(PAIR("", "position='0 0 0 4 0 0'"), 1);
  dvObject *c = check_find(s, "c");
  dvState *a = dv_state(check_find(s, "A/mo")), *b = dv_state(check_find(s, "B/mo"));
  check_close(dv_state_read(b, DV_X)[0], 2, 0);   // half of the way when the scene starts
  ops_of(c)->project_position(c, DV_X, 0);
  check_close(dv_state_read(b, DV_X)[0], 3, 0);
  check_close(dv_state_read(a, DV_X)[3], 4, 0);
  double *va = fill(a, DV_V), *vb = fill(b, DV_V), *fa = fill(a, DV_F), *fb = fill(b, DV_F);
  ops_of(c)->project_velocity(c, DV_V, 0);
  ops_of(c)->project_response(c, DV_F);
  check_close(va[3], 1.15, 1e-15);
  check_close(vb[0], 1.15, 1e-15);
  check_close(fa[3], 1.3, 0);
  check_close(fb[0], 0, 0);
  check_close_scene(&s);
}

static void attachments_go_both_ways_and_let_go(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene(PAIR("twoWay='1' constraintFactor='0.5'", "position='0 0 0 4 0 0'"), 1);
  dvObject *c = check_find(s, "c");
  double *fa = fill(dv_state(check_find(s, "A/mo")), DV_F), *fb = fill(dv_state(check_find(s, "B/mo")), DV_F);
  ops_of(c)->project_response(c, DV_F);
  check_close(fa[3], 1.3 - 0.3 * 0.25, 1e-15);
  check_close(fb[0], 1 + 0.3 * 0.25, 1e-15);
  check_close_scene(&s);
  s = check_scene(PAIR("minDistance='3'", "position='0 0 0 4 0 0'"), 1);
  c = check_find(s, "c");
  fb = fill(dv_state(check_find(s, "B/mo")), DV_F);
  ops_of(c)->project_response(c, DV_F);
  check_close(fb[0], 1, 0);
  check_close(check_value(s, "B/mo", DV_X, 0), 0, 0);
  check_close_scene(&s);
}

static void matrices_hold_the_point_that_is_asked_for(void **state)
{
  DV_UNUSED(state);
  static const char *const scenes[] = {PAIR("holdSecond='0'", "position='0 0 0 4 0 0'"),
                                       PAIR("holdSecond='1'", "position='0 0 0 4 0 0'")};
  for (int second = 0; second < 2; second++) {
    dvScene *s = check_scene(scenes[second], 1);
    dvObject *c = check_find(s, "c");
    double *fa = fill(dv_state(check_find(s, "A/mo")), DV_F), *fb = fill(dv_state(check_find(s, "B/mo")), DV_F),
           untouched = fb[3];
    ops_of(c)->project_matrix(c, DV_F);
    check_close(fa[0], second ? 1 : 0, 0);
    check_close(fb[0], second ? 0 : 1, 0);
    check_close(fb[3], untouched, 0);
    check_close_scene(&s);
  }
}

static void attached_frames_follow(void **state)
{
  DV_UNUSED(state);
  static const char *const scenes[] = {
      PAIR("", "template='Rigid3' position='0 0 0 0 0 0 1 4 5 6 0 0 0.6 0.8'"),
      PAIR("freeRotations='1'", "template='Rigid3' position='0 0 0 0 0 0 1 4 5 6 0 0 0.6 0.8'")};
  for (int i = 0; i < 2; i++) {
    dvScene *s = check_scene(scenes[i], 1);
    check_close(check_value(s, "B/mo", DV_X, 1), 5, 0);
    check_close(check_value(s, "B/mo", DV_X, 5), i ? 0 : 0.6, 0);
    check_close_scene(&s);
  }
}

// an arm that swings up about z while its hand, at a distance of 2, turns back as much and slides out: closed forms at
// any time
#define ARM                                                                                            \
  "<SkeletalMotionProjectiveConstraint name='c' bones='[1,0]' animationSpeed='0.5' joints='["          \
  "Parent -1 Channels 2 0 0 0 0 0 0 1  0 0 0 0 0 0.70710678118654752 0.70710678118654752 Times 2 0 1 " \
  "PreviousMotion 0 0 0 0 0 0 1 NextMotion 0 0 0 0 0 0 1 LocalRigid 0 0 0 0 0 0 1, "                   \
  "Parent 0 Channels 2 2 0 0 0 0 0 1  3 0 0 0 0 -0.70710678118654752 0.70710678118654752 Times 2 0 1]'/>"

static void bones_follow_their_joints(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene(NODE(FRAMES ARM), 1);
  dvState *mo = dv_state(check_find(s, "mo"));
  dvObject *c = check_find(s, "c");
  ops_of(c)->project_position(c, DV_X, 0);
  check_close(dv_state_read(mo, DV_X)[0], 1, 0);   // at time 0 nothing is set
  static const double times[] = {0.4, 1, 1.9, 2, 7};
  for (size_t i = 0; i < DV_COUNT(times); i++) {
    s->root->time = times[i];
    ops_of(c)->project_position(c, DV_X, times[i]);
    double t = fmin(1, 0.5 * times[i]), angle = 0.5 * acos(-1.0) * t,
           arm[7] = {0, 0, 0, 0, 0, sin(0.5 * angle), cos(0.5 * angle)};
    double hand[7] = {(2 + t) * cos(angle), (2 + t) * sin(angle), 0, 0, 0, 0, 1};
    const double *x = dv_state_read(mo, DV_X);
    for (int k = 0; k < 7; k++) {
      check_close(x[k], hand[k], 1e-12);
      check_close(x[7 + k], arm[k], 1e-12);
    }
  }
  // the velocity leads to where the bones are at the end of the step
  s->root->time = 1;
  ops_of(c)->project_position(c, DV_X, 1);
  ops_of(c)->project_velocity(c, DV_V, 1);
  double x[14], from = 0.25 * acos(-1.0), to = 0.5 * acos(-1.0) * 0.6;
  dv_dof_integrate(mo->base.dof, 2, x, dv_state_read(mo, DV_X), dv_state_read(mo, DV_V), s->root->dt);
  check_close(x[0], 2.6 * cos(to), 1e-12);
  check_close(x[1], 2.6 * sin(to), 1e-12);
  check_close(dv_state_read(mo, DV_V)[6 + 5], (to - from) / s->root->dt, 1e-12);
  s->root->time = 3;   // behind the last key
  ops_of(c)->project_velocity(c, DV_V, 3);
  for (int k = 0; k < 12; k++) check_close(dv_state_read(mo, DV_V)[k], 0, 0);
  check_close_scene(&s);
}

static void broken_skeletons_are_refused(void **state)
{
  DV_UNUSED(state);
  static const char *const wrong[] = {
      "joints='[Parent -1 Channels 2 0 0 0 0 0 0 1]' bones='0'",
      "joints='Channels 0'",
      "joints='Parent 3' bones='0'",
      "joints='Parent 1 Times 0, Parent 0' bones='0'",
      "joints='Parent -1' bones='2'",
      "joints='Parent -1' bones='x'",
      "joints='Parent -1' bones='0 0 0'",
      "joints='Parent -1 Channels 1e9 0'",
  };
  for (size_t i = 0; i < DV_COUNT(wrong); i++) {
    char *text = dv_format(NODE(FRAMES "<SkeletalMotionProjectiveConstraint %s/>"), wrong[i]);
    dvContext *context = dv_divan_create(1);
    context->log.sink = NULL;
    dvScene *scene = NULL;
    assert_int_equal(dv_scene_parse(context, "test.scn", text, strlen(text), &scene), DV_OK);
    if (dv_scene_init(scene) == DV_OK) fail_msg("accepted: %s", wrong[i]);
    dv_scene_destroy(&scene);
    dv_divan_destroy(&context);
    dv_free(text);
  }
}

// what was one component in 2011: a box, and fixed points or a force in it
static void a_box_holds_its_points(void **state)
{
  DV_UNUSED(state);
  int warnings;
  dvScene *s =
      open_quietly(NODE(EXPLICIT POINTS
                        "<UniformMass vertexMass='1'/><BoxConstraint name='hold' box='0.5 -1 -1 2 1 1' drawSize='3'/>"
                        "<Object type='BoxConstantForceField' box='-1 -1 -1 2 0.5 0.5' force='0 0 2'/>"),
                   &warnings);
  assert_int_equal(warnings, 0);
  assert_string_equal(check_find(s, "hold")->cls->name, "FixedProjectiveConstraint");
  check_steps(s, 2);
  check_close(check_value(s, "mo", DV_X, 3), 1, 0);
  check_close(check_value(s, "mo", DV_X, 5), 0, 0);                        // held
  check_close(check_value(s, "mo", DV_X, 2), 2 * 0.01 * (1 + 2), 1e-14);   // pushed: symplectic Euler, a dt^2 (1 + 2)
  check_close(check_value(s, "mo", DV_X, 8), 0, 0);                        // outside of both
  check_close_scene(&s);
  s = open_quietly(NODE(POINTS "<BoxConstraint box='0 0 0 1 1 1' fixall='0'/>"), &warnings);
  assert_int_equal(warnings, 1);   // the nearest name is proposed, as for every component
  check_close_scene(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(projecting_twice_changes_nothing),
      cmocka_unit_test(fixed_points_hold_forces_and_no_more),
      cmocka_unit_test(some_components_are_held),
      cmocka_unit_test(points_between_planes_are_held_along_the_normal),
      cmocka_unit_test(frames_keep_from_turning),
      cmocka_unit_test(lines_and_planes_project_at_right_angles),
      cmocka_unit_test(indices_out_of_range_are_left_out),
      cmocka_unit_test(indices_follow_a_selector),
      cmocka_unit_test(constraints_end_in_time),
      cmocka_unit_test(key_displacements_are_followed_and_left),
      cmocka_unit_test(partial_displacements_move_their_components),
      cmocka_unit_test(frames_turn_between_keys),
      cmocka_unit_test(key_velocities_are_integrated),
      cmocka_unit_test(borders_reach_their_goal),
      cmocka_unit_test(a_patch_interpolates_its_corners),
      cmocka_unit_test(curves_pass_through_their_points),
      cmocka_unit_test(oscillators_swing),
      cmocka_unit_test(positions_are_drawn_to_a_target),
      cmocka_unit_test(attached_points_meet),
      cmocka_unit_test(attachments_go_both_ways_and_let_go),
      cmocka_unit_test(matrices_hold_the_point_that_is_asked_for),
      cmocka_unit_test(attached_frames_follow),
      cmocka_unit_test(a_box_holds_its_points),
      cmocka_unit_test(bones_follow_their_joints),
      cmocka_unit_test(broken_skeletons_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

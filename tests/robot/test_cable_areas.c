// Cables that pull at areas of a surface: weights beside their closed forms, forces and moments, length beside slopes,
// springs that are drawn out, changes of the mesh, bad input.
#include "haptic/listening.h"
#include "object/compat.h"
#include "robot/cable.h"
#include "robot/slopes.h"
#include "support/check.h"
#include "support/fd.h"
#include "support/scene.h"
#include "topology/change/modify.h"

enum { SIDE = 9, MIDDLE = 40 };   // points along a sheet whose cells have a side of 1

#define SHEET                                                                                     \
  "<RegularGridTopology name='sheet' n='9 9 1' min='0 0 0' max='8 8 0' computeTriangleList='0'/>" \
  "<MechanicalObject name='d'/>"

static dvCable *cable_of(dvScene *s, const char *path) { return (dvCable *)check_find(s, path); }
static double field(dvScene *s, const char *path, const char *name)
{
  return *(const double *)dv_object_field(check_find(s, path), name)->value;
}

// weight of a point in an area, as part of all; 0 outside
static double weight_of(const dvCable *c, int32_t area, size_t point)
{
  double sum = 0, own = 0;
  for (size_t i = 0; i < c->shares.count; i++) {
    if (c->shares.data[i].area != area) continue;
    sum += c->shares.data[i].weight;
    if (c->held.data[i] == (int32_t)point) own += c->shares.data[i].weight;
  }
  return own / sum;
}

// --- weights -----------------------------------------------------------------------------------------

static void check_weights(const dvCable *c, int32_t area, const double away[SIDE * SIDE], double radius)
{
  double all = 0;
  size_t count = 0, held = 0;
  for (size_t i = 0; i < SIDE * SIDE; i++)
    if (away[i] < radius) all += radius - away[i], count++;
  for (size_t i = 0; i < c->shares.count; i++) held += c->shares.data[i].area == area;
  assert_int_equal(held, count);
  for (size_t i = 0; i < SIDE * SIDE; i++)
    check_close(weight_of(c, area, i), away[i] < radius ? (radius - away[i]) / all : 0, 1e-14);
}

// around a point of the sheet, and around a place 0.1 above the face between points 40, 41 and 50
static void weights(void **state)
{
  DV_UNUSED(state);
  dvScene *s =
      check_scene("<Node>" SHEET "<CableConstraint name='ball' indices='40 20' method='sphere' radii='2.5 1.2'/>"
                  "<CableConstraint name='along' indices='40' method='geodesic' radii='2.5'/>"
                  "<CableConstraint name='off' centers='4.3 4.2 0.1' method='sphere' radii='2.1'/>"
                  "<CableConstraint name='off_along' centers='4.3 4.2 0.1' method='geodesic' radii='2.6'/></Node>",
                  1);
  double away[4][SIDE * SIDE], two[SIDE * SIDE];
  const double corner[3][2] = {{4, 4}, {5, 4}, {5, 5}};
  for (int i = 0; i < SIDE * SIDE; i++) {
    double x = i % SIDE, y = i / SIDE;   // NOLINT(bugprone-integer-division)
    away[0][i] = hypot(x - 4, y - 4);
    two[i] = hypot(x - 2, y - 2);
    away[1][i] = fabs(x - 4) + fabs(y - 4);
    away[2][i] = sqrt(pow(x - 4.3, 2) + pow(y - 4.2, 2) + 0.01);
    away[3][i] = INFINITY;
    for (int k = 0; k < 3; k++)
      away[3][i] = fmin(away[3][i], 0.1 + hypot(corner[k][0] - 4.3, corner[k][1] - 4.2) + fabs(x - corner[k][0]) +
                                        fabs(y - corner[k][1]));
  }
  check_weights(cable_of(s, "ball"), 0, away[0], 2.5);
  check_weights(cable_of(s, "ball"), 1, two, 1.2);
  check_weights(cable_of(s, "along"), 0, away[1], 2.5);
  check_weights(cable_of(s, "off"), 0, away[2], 2.1);
  check_weights(cable_of(s, "off_along"), 0, away[3], 2.6);
  assert_int_equal(cable_of(s, "off")->indices.data[0], MIDDLE);   // the nearest point is told
  check_close_scene(&s);
}

// two sheets a quarter apart that hang together along one side: a ball takes the points of its own sheet alone where
// the way around is longer than its radius
static void thin_wall(void **state)
{
  DV_UNUSED(state);
  dvText text = {0};
  dv_text_add(&text, "<Node><MeshTopology name='fold' position='");
  for (int i = 0; i < 2 * SIDE * SIDE; i++)
    dv_text_printf(&text, "%d %d %g ", i % SIDE, i / SIDE % SIDE, i < SIDE * SIDE ? 0 : 0.25);
  dv_text_add(&text, "' quads='");
  for (int sheet = 0; sheet < 2; sheet++)
    for (int i = 0; i < (SIDE - 1) * (SIDE - 1); i++) {
      int at = sheet * SIDE * SIDE + i / (SIDE - 1) * SIDE + i % (SIDE - 1);
      dv_text_printf(&text, "%d %d %d %d ", at, at + 1, at + SIDE + 1, at + SIDE);
    }
  for (int i = 0; i < SIDE - 1; i++)   // joined where x is 0
    dv_text_printf(&text, "%d %d %d %d ", i * SIDE, (i + 1) * SIDE, SIDE * SIDE + (i + 1) * SIDE,
                   SIDE * SIDE + i * SIDE);
  dv_text_add(&text, "'/><MechanicalObject/><CableConstraint name='far' indices='40' method='sphere' radii='2.5'/>"
                     "<CableConstraint name='near' indices='37' method='sphere' radii='2.5'/>"
                     "<CableConstraint name='along' indices='37' method='geodesic' radii='2.5'/></Node>");
  dvScene *s = check_scene(text.text, 1);
  dv_text_free(&text);
  const dvCable *far = cable_of(s, "far"), *near = cable_of(s, "near"), *along = cable_of(s, "along");
  for (size_t i = 0; i < far->held.count; i++) assert_true(far->held.data[i] < SIDE * SIDE);
  // 1 to the fold, a quarter across it, and on along the other sheet
  check_close(weight_of(along, 0, SIDE * SIDE + 36) / weight_of(along, 0, 37), (2.5 - 1.25) / 2.5, 1e-14);
  check_close(weight_of(along, 0, SIDE * SIDE + 37) / weight_of(along, 0, 37), (2.5 - 2.25) / 2.5, 1e-14);
  check_close(weight_of(near, 0, SIDE * SIDE + 37) / weight_of(near, 0, 37), (2.5 - 0.25) / 2.5, 1e-14);
  check_close_scene(&s);
}

// --- forces ------------------------------------------------------------------------------------------

#define CURVED                                                                                                        \
  "position='0 0 0  1 0 0.1  2 0 0.3  0 1 0.2  1.1 1 0  2 1.2 0.2  0 2 0  1 2.1 0.4  2 2 0.1' triangles='0 1 4  0 4 " \
  "3  1 2 5  1 5 4  3 4 7  3 7 6  4 5 8  4 8 7'"

static const char *const methods[] = {"sphere", "geodesic"};

// length beside slopes; the parts of each area add up to what the cable pulls with, without a moment about its mean
static void forces(void **state)
{
  DV_UNUSED(state);
  for (size_t m = 0; m < DV_COUNT(methods); m++) {
    char *text = dv_format("<Node><MeshTopology " CURVED "/><MechanicalObject name='d'/>"
                           "<CableConstraint name='cable' centers='0.4 0.3 0.1  1.6 1.7 0.2' method='%s' radii='1.3 "
                           "0.9' pullPoint='-1 2 3'/>"
                           "<CableConstraint name='within' indices='0 4 8' method='%s' radii='1.3' hasPullPoint='0'/>"
                           "<CableConstraint name='rough' indices='0 4 8' method='%s' radii='1.1' pullPoint='0 0 2' "
                           "friction='0.4'/></Node>",
                           methods[m], methods[m], methods[m]);
    dvScene *s = check_scene(text, 1);
    dv_free(text);
    slopes_of(s, "cable");
    slopes_of(s, "within");
    dvCable *c = cable_of(s, "cable");
    const double *x = dv_state_read(dv_part_state(&c->part), DV_X);
    double q;
    c->part.slopes.count = 0;
    dv_cable_measure(&c->part, x, &q, true);
    dvVec3 mean[2] = {{0, 0, 0}, {0, 0, 0}}, force[2] = {{0, 0, 0}, {0, 0, 0}}, moment[2] = {{0, 0, 0}, {0, 0, 0}};
    for (int a = 0; a < 2; a++)
      for (size_t i = 0; i < 9; i++) mean[a] = dv_vec3_add_scaled(mean[a], dv_vec3_load(x + 3 * i), weight_of(c, a, i));
    assert_int_equal(c->part.slopes.count, c->shares.count);
    for (size_t i = 0; i < c->shares.count; i++) {
      int32_t a = c->shares.data[i].area;
      const dvPartSlope *h = &c->part.slopes.data[i];
      assert_int_equal(h->dof, c->held.data[i]);
      force[a] = dv_vec3_add(force[a], dv_vec3_load(h->h));
      dvVec3 arm = dv_vec3_sub(dv_vec3_load(x + 3 * h->dof), mean[a]);
      moment[a] = dv_vec3_add(moment[a], dv_vec3_cross(arm, dv_vec3_load(h->h)));
    }
    dvVec3 before = dv_vec3_normalise(dv_vec3_sub(dv_vec3(-1, 2, 3), mean[0])),
           behind = dv_vec3_normalise(dv_vec3_sub(mean[1], mean[0])), wanted[2];
    wanted[0] = dv_vec3_add(before, behind), wanted[1] = dv_vec3_scale(behind, -1);
    for (int a = 0; a < 2; a++) {
      check_close(dv_vec3_norm(dv_vec3_sub(force[a], wanted[a])), 0, 1e-14);
      check_close(dv_vec3_norm(moment[a]), 0, 1e-14);
    }
    // friction at the areas: Euler and Eytelwein, with the angles between their means
    dvCable *r = cable_of(s, "rough");
    dv_cable_measure(&r->part, x, &q, true);
    double tension = 1;
    for (size_t i = 1; i + 1 < r->corners.count; i++) {
      const dvCableCorner *at = &r->corners.data[i];
      dvVec3 in = dv_vec3_normalise(dv_vec3_sub(at->at, at[-1].at)),
             out = dv_vec3_normalise(dv_vec3_sub(at[1].at, at->at));
      tension *= exp(-0.4 * acos(dv_vec3_dot(in, out)));
    }
    check_close(dv_vec3_norm(r->corners.data[r->corners.count - 1].pull), tension, 1e-12);
    check_close_scene(&s);
  }
}

#define LOOP                                                                                         \
  "<Node dt='0.05' gravity='0 0 0'><FreeMotionAnimationLoop/>%s<Node name='a'><EulerImplicitSolver " \
  "rayleighMass='0' rayleighStiffness='0'/><SparseLDLSolver/>" SHEET "<UniformMass totalMass='20'/>" \
  "<RestShapeSpringsForceField stiffness='100'/><LinearSolverConstraintCorrection/>%s</Node></Node>"
#define DIRECT "<BlockGaussSeidelConstraintSolver tolerance='1e-14' maxIterations='2000'/>"

// points on springs: each is drawn out by its part of the force, and the cable comes in by the weighted mean
static void springs(void **state)
{
  DV_UNUSED(state);
  for (size_t m = 0; m < DV_COUNT(methods); m++)
    for (int by_force = 0; by_force < 2; by_force++) {
      char *cable = dv_format("<CableConstraint name='cable' indices='40' method='%s' radii='2.5' "
                              "pullPoint='4 4 1000' valueType='%s' value='%s'/>",
                              methods[m], by_force ? "force" : "displacement", by_force ? "5" : "0.01");
      char *text = dv_format(LOOP, DIRECT, cable);
      dvScene *s = check_scene(text, 1);
      check_steps(s, 400);
      const dvCable *c = cable_of(s, "a/cable");
      double squares = 0, force = field(s, "a/cable", "force"), in = field(s, "a/cable", "displacement");
      for (size_t i = 0; i < SIDE * SIDE; i++) squares += pow(weight_of(c, 0, i), 2);
      check_close(by_force ? force : in, by_force ? 5 : 0.01, 1e-10);
      check_close(in, force * squares / 100, 1e-9);
      for (size_t i = 0; i < SIDE * SIDE; i++)
        check_close(check_value(s, "a/d", DV_X, 3 * i + 2), force * weight_of(c, 0, i) / 100, 1e-9);
      check_close_scene(&s);
      dv_free(text);
      dv_free(cable);
    }
}

// a length between areas reaches its goal; sensor and equality measure the same as the actuator
static void found(void **state)
{
  DV_UNUSED(state);
#define AREAS "method='sphere' radii='2.5' hasPullPoint='0' centers='2 2 0.2  6.1 6.2 0'"
  char *text = dv_format(LOOP, "<QPInverseProblemSolver name='inverse'/>",
                         "<CableActuator name='pull' " AREAS "/><CableEffector name='length' " AREAS
                         " desiredLength='5.3'/><CableSensor name='sensor' " AREAS "/>"
                         "<CableEquality name='kept' method='geodesic' radii='1.5' indices='8' pullPoint='20 20 0' "
                         "eqForce='2'/>");
  dvScene *s = check_scene(text, 1);
  double before = field(s, "a/sensor", "cableLength");
  check_steps(s, 400);
  check_close(field(s, "a/length", "cableLength"), 5.3, 1e-9);
  check_close(field(s, "a/sensor", "cableLength"), 5.3, 1e-9);
  check_close(field(s, "a/pull", "displacement"), before - 5.3, 1e-9);
  assert_true(field(s, "a/pull", "force") > 0);
  check_close(field(s, "a/kept", "force"), 2, 1e-9);
  check_close_scene(&s);
  dv_free(text);
}

// SOFA's cable runs through the nearest point of each area, and its ball is around that point
static void as_sofa(void **state)
{
  DV_UNUSED(state);
  const char *text = "<Node>" SHEET "<CableConstraint name='cable' centers='4.3 4.2 0.1' method='sphere' radii='2.5' "
                     "pullPoint='4 4 3'/></Node>";
  dvScene *right = check_scene(text, 1), *sofa = check_scene_as_sofa(text, 1);
  check_close(field(sofa, "cable", "cableInitialLength"), 3, 1e-14);
  double away[SIDE * SIDE];
  for (int i = 0; i < SIDE * SIDE; i++) away[i] = hypot(i % SIDE - 4, i / SIDE - 4);   // NOLINT
  check_weights(cable_of(sofa, "cable"), 0, away, 2.5);
  assert_true(fabs(field(right, "cable", "cableInitialLength") - 3) > 1e-3);
  assert_true(dv_compat_touched(check_find(sofa, "cable"), DV_COMPAT_CABLE_AREAS));
  check_close_scene(&right);
  check_close_scene(&sofa);
}

// --- changes -----------------------------------------------------------------------------------------

// points go with their faces: the others keep their weights, the sum is 1 again, and an area that is gone is passed
// over
static void mesh_changes(void **state)
{
  DV_UNUSED(state);
  dvText text = {0};
  dv_text_add(&text, "<Node><TriangleSetTopologyContainer name='mesh' position='");
  for (int i = 0; i < SIDE * SIDE; i++) dv_text_printf(&text, "%d %d 0 ", i % SIDE, i / SIDE);
  dv_text_add(&text, "' triangles='");
  for (int i = 0; i < (SIDE - 1) * (SIDE - 1); i++) {
    int at = i / (SIDE - 1) * SIDE + i % (SIDE - 1);
    dv_text_printf(&text, "%d %d %d %d %d %d ", at, at + 1, at + SIDE + 1, at, at + SIDE + 1, at + SIDE);
  }
  dv_text_add(&text, "'/><TriangleSetTopologyModifier name='modifier'/><MechanicalObject name='d'/>"
                     "<CableConstraint name='cable' centers='4 4 0  0.2 0.2 0  7 4 0' method='sphere' radii='2.5 0.5 "
                     "1.5' pullPoint='4 4 3'/></Node>");
  dvScene *s = check_scene(text.text, 1);
  dv_text_free(&text);
  dvCable *c = cable_of(s, "cable");
  assert_int_equal(c->corners.count, 4);
  // all faces below y = 3, and with them their points
  dvTopology *t = dv_topology(check_find(s, "mesh"));
  int32_t faces[2 * 3 * (SIDE - 1)];
  for (int32_t i = 0; i < (int32_t)DV_COUNT(faces); i++) faces[i] = i;
  assert_int_equal(dv_mesh_remove(t, DV_TRIANGLE, faces, DV_COUNT(faces), DV_REMOVE_POINTS), DV_OK);
  dv_topology_end_changes(t);
  const dvState *d = dv_part_state(&c->part);
  assert_int_equal(d->count, SIDE * SIDE - 3 * SIDE);
  double q, sum = 0, all = 0;
  for (size_t i = 0; i < c->held.count; i++) {
    const double *x = dv_state_read(d, DV_X) + 3 * c->held.data[i];
    assert_true(x[1] > 2.5 && c->shares.data[i].area != 1);
    if (c->shares.data[i].area == 0) check_close(c->shares.data[i].weight, 2.5 - hypot(x[0] - 4, x[1] - 4), 1e-14);
    else check_close(c->shares.data[i].weight, 1.5 - hypot(x[0] - 7, x[1] - 4), 1e-14);
    if (c->shares.data[i].area == 0) all += c->shares.data[i].weight, sum += x[1] * c->shares.data[i].weight;
  }
  c->part.slopes.count = 0;
  dv_cable_measure(&c->part, dv_state_read(d, DV_X), &q, true);
  assert_int_equal(c->corners.count, 3);
  check_close(c->corners.data[1].at.y, sum / all, 1e-14);
  slopes_of(s, "cable");
  check_steps(s, 1);
  assert_int_equal(c->path.count, 9);
  check_close_scene(&s);
}

// other radii count when the cable is initialised again; lines to the points of the areas are drawn
static void changed_fields(void **state)
{
  DV_UNUSED(state);
  dvScene *s =
      check_scene("<Node>" SHEET "<CableConstraint name='cable' indices='40 0' method='sphere' radii='2.5 1.5' "
                  "pullPoint='4 4 3' drawPulledAreas='1'/></Node>",
                  1);
  dvCable *c = cable_of(s, "cable");
  size_t held = c->held.count;
  assert_int_equal(c->path.count, 3 * (3 + held));
  assert_int_equal(c->pairs.count, 2 * (2 + held));
  dv_reals_edit(&c->radii)[0] = 1.1;
  dv_touch(&c->part.model.base, &c->radii);
  assert_int_equal(dv_field_changed(dv_object_field(&c->part.model.base, "radii")), DV_OK);
  assert_int_equal(c->held.count, 5 + 4);
  check_close(field(s, "cable", "cableInitialLength"),
              3 + hypot(4 - c->corners.data[2].at.x, 4 - c->corners.data[2].at.y), 1e-12);
  dv_reals_edit(&c->radii)[0] = -1;
  dv_touch(&c->part.model.base, &c->radii);
  assert_true(dv_field_changed(dv_object_field(&c->part.model.base, "radii")) != DV_OK);
  check_close_scene(&s);
}

// --- bad input ---------------------------------------------------------------------------------------

static void bad_input(void **state)
{
  DV_UNUSED(state);
  static const struct {
    const char *text, *said;
    bool fails;
  } cases[] = {
      {"<MechanicalObject position='0 0 0'/><CableConstraint indices='0' method='sphere'/>", "no surface", true},
      {"<MeshTopology position='0 0 0 1 0 0' lines='0 1'/><MechanicalObject/><CableConstraint indices='0' "
       "method='sphere' radii='1'/>",
       "has no faces", true},
      {"<MechanicalObject template='Rigid3' position='0 0 0 0 0 0 1'/><CableConstraint indices='0' method='geodesic'/>",
       "areas are made of points", true},
      {SHEET "<CableConstraint indices='40' method='sphere' radii='0'/>", "a radius of 0", true},
      {SHEET "<CableConstraint indices='40' method='sphere' radii='nan'/>", "not finite", true},
      {SHEET "<CableConstraint centers='4 inf 0' method='sphere' radii='1'/>", "not finite", true},
      {SHEET "<CableConstraint centers='4 4 3' method='sphere' radii='2'/>", "no point of the surface lies within 2",
       true},
      {SHEET "<CableConstraint centers='4.5 4.5 0' method='geodesic' radii='0.5'/>", "no point of the surface", true},
      {SHEET "<CableConstraint centers='4 4 0' method='sphere' radii='2' hasPullPoint='0'/>",
       "1 centers and no pull point", true},
      {SHEET "<CableConstraint indices='81' method='sphere' radii='2'/>", "entry 0 is 81", true},
      {SHEET "<CableConstraint indices='40' method='spere' radii='2'/>", "spere", true},
      {SHEET
       "<Node><MechanicalObject position='0 0 0'/><CableConstraint indices='0' method='sphere' radii='2'/></Node>",
       "has 81 points", true},
      {SHEET "<CableConstraint indices='40' method='sphere'/>", "no radii were given", false},
      {SHEET "<CableConstraint indices='40 0' method='sphere' radii='2 3 4'/>", "3 radii for 2 areas", false},
      {SHEET "<CableConstraint indices='40' centers='4 4 0' method='sphere' radii='2'/>", "both centers and indices",
       false},
      {SHEET "<CableConstraint indices='40' centers='4 4 0'/>", "centers are of areas", false},
      {SHEET "<CableConstraint method='sphere' radii='2'/>", "pulls at point 0", false},
  };
  for (size_t i = 0; i < DV_COUNT(cases); i++) {
    char *text = dv_format("<Node>%s</Node>", cases[i].text);
    dvStatus status;
    dvScene *s = open_scene(text, &status);
    if ((status != DV_OK) != cases[i].fails || !messages || !strstr(messages, cases[i].said))
      fail_msg("%s\nsaid: %s", text, messages ? messages : "nothing");
    close_scene(s);
    dv_free(text);
  }
}

// --- the scene ---------------------------------------------------------------------------------------

// what points draw out of the skin, areas do not
static void fingers(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene_file("scenes/robot/areas.scn", 2);
  check_steps(s, 100);
  const char *const names[] = {"points", "balls", "along"};
  double bulge[3];
  for (size_t i = 0; i < 3; i++) {
    char *cable = dv_format("%s/skin/cable", names[i]), *sensor = dv_format("%s/skin/across", names[i]);
    check_close(field(s, cable, "force"), 3, 1e-9);
    assert_true(field(s, cable, "displacement") > 0.001);
    assert_true(field(s, sensor, "displacement") > 0);
    const dvCable *c = cable_of(s, cable);
    char *tip = dv_format("%s/skin/points", names[i]);
    const dvState *d = dv_state(check_find(s, tip));
    // how much further than a neighbour the point under the last place has moved
    bulge[i] = 0;
    const double *x = dv_state_read(d, DV_X), *rest = dv_state_read(d, DV_X_REST);
    size_t at = (size_t)c->indices.data[2];
    for (size_t k = 0; k < d->count; k++) {
      dvVec3 apart = dv_vec3_sub(dv_vec3_load(rest + 3 * k), dv_vec3_load(rest + 3 * at));
      if (k == at || dv_vec3_norm(apart) > 0.0051) continue;
      dvVec3 now = dv_vec3_sub(dv_vec3_load(x + 3 * k), dv_vec3_load(x + 3 * at));
      bulge[i] = fmax(bulge[i], fabs(dv_vec3_norm(now) / dv_vec3_norm(apart) - 1));
    }
    dv_free(tip);
    dv_free(cable);
    dv_free(sensor);
  }
  print_message("largest strain beside the last place: point %.3f, ball %.3f, along the skin %.3f\n", bulge[0],
                bulge[1], bulge[2]);
  assert_true(bulge[1] < 0.7 * bulge[0] && bulge[2] < 0.7 * bulge[0]);
  check_close_scene(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(weights),      cmocka_unit_test(thin_wall),      cmocka_unit_test(forces),
      cmocka_unit_test(springs),      cmocka_unit_test(found),          cmocka_unit_test(as_sofa),
      cmocka_unit_test(mesh_changes), cmocka_unit_test(changed_fields), cmocka_unit_test(bad_input),
      cmocka_unit_test(fingers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

// What carries points: curves, several frames, elements that carry frames. Closed forms, and what is refused.
#include "math/vec.h"
#include "support/check.h"
#include "support/fd.h"
#include "support/scene.h"

#include <math.h>
#include <string.h>

static void check_points(dvScene *s, const char *path, const double *wanted, size_t n, double tolerance)
{
  for (size_t i = 0; i < n; i++) check_close(check_value(s, path, DV_X, i), wanted[i], tolerance);
}

static void curves_go_where_they_should(void **state)
{
  (void)state;
  // de Casteljau at 1/2: ((0 + 3 + 3 x 2 + 3)/8 …
  dvScene *s = check_scene(
      "<Node><MechanicalObject position='0 0 0 1 1 0 2 1 0 3 0 0'/><Node name='c'><MechanicalObject name='p'/>"
      "<SplineMapping parameters='0 0.5 1'/></Node></Node>",
      1);
  check_points(s, "c/p", (double[]){0, 0, 0, 1.5, 0.75, 0, 3, 0, 0}, 9, 1e-14);
  check_close_scene(&s);
  // through the points with tangents along x
  s = check_scene(
      "<Node><MechanicalObject position='0 0 0 1 0 0 1 1 0 1 0 0'/><Node name='c'><MechanicalObject name='p'/>"
      "<SplineMapping curve='Hermite' parameters='0 0.5 1'/></Node></Node>",
      1);
  check_points(s, "c/p", (double[]){0, 0, 0, 0.5, 0.5, 0, 1, 1, 0}, 9, 1e-14);
  check_close_scene(&s);
  // through every point; a straight row gives its own places back, and a point beside it keeps its distance
  s = check_scene("<Node><MechanicalObject position='0 0 0 1 0 0 2 0 0 3 0 0'/><Node name='c'><MechanicalObject "
                  "name='p' position='1 0 0 1.25 2 0'/>"
                  "<SplineMapping curve='CatmullRom'/></Node></Node>",
                  1);
  check_points(s, "c/p", (double[]){1, 0, 0, 1.25, 2, 0}, 6, 1e-9);
  check_close_scene(&s);
}

// --- frames --------------------------------------------------------------------------------------

// halfway between a frame at rest and one that has turned by an angle about the axis between them: linear blending
// shrinks the radius by cos(angle / 2), dual quaternions keep it
static void a_twisted_skin(void **state)
{
  (void)state;
  double angle = 1.2;
  for (int dual = 0; dual < 2; dual++) {
    char *text = dv_format("<Node><MechanicalObject name='f' template='Rigid3' rest_position='0 0 0 0 0 0 1 2 0 0 0 0 "
                           "0 1' position='0 0 0 0 0 0 1 2 0 0 %.17g 0 0 %.17g'/>"
                           "<Node name='c'><MechanicalObject name='p' position='1 1 0'/><SkinningMapping nbRef='2' "
                           "dualQuaternions='%d'/></Node></Node>",
                           sin(angle / 2), cos(angle / 2), dual);
    dvScene *s = check_scene(text, 1);
    double y = check_value(s, "c/p", DV_X, 1), z = check_value(s, "c/p", DV_X, 2);
    check_close(check_value(s, "c/p", DV_X, 0), 1, 1e-12);
    check_close(sqrt(y * y + z * z), dual ? 1 : cos(angle / 2), 1e-12);
    check_close(atan2(z, y), angle / 2, 1e-12);
    check_close_scene(&s);
    dv_free(text);
  }
}

// weights 1/d^2 of the nearest frames
static void nearest_frames_count_by_distance(void **state)
{
  (void)state;
  dvScene *s = check_scene(
      "<Node><MechanicalObject name='f' template='Rigid3' rest_position='0 0 0 0 0 0 1 3 0 0 0 0 0 1 9 0 0 0 0 0 1' "
      "position='0 1 0 0 0 0 1 3 0 0 0 0 0 1 9 0 0 0 0 0 1'/>"
      "<Node name='c'><MechanicalObject name='p' position='1 0 0'/><SkinningMapping nbRef='2'/></Node></Node>",
      1);
  check_close(check_value(s, "c/p", DV_X, 1), 1 / (1 + 0.25), 1e-14);   // 1/1 and 1/4
  check_close_scene(&s);
}

static void a_tube_and_a_beam(void **state)
{
  (void)state;
  dvScene *s = check_scene("<Node><MechanicalObject template='Rigid3' position='0 0 0 0 0 0 1 1 0 0 0 0 0 1'/><Node "
                           "name='c'><MechanicalObject name='p'/>"
                           "<TubularMapping nbPointsOnEachCircle='4' radius='0.5' peak='-1'/></Node></Node>",
                           1);
  assert_int_equal(dv_state(check_find(s, "c/p"))->count, 8);
  check_points(s, "c/p", (double[]){0, 0.5, 0, 0, 0, 0.5, 0, -0.5, 0, 0, 0, -0.5, 1, 0, 0}, 15, 1e-15);
  check_close_scene(&s);
  // ends at 90 degrees to each other: the middle of the two straight continuations
  double h = sqrt(0.5);
  char *text = dv_format("<Node><MechanicalObject name='f' template='Rigid3' position='0 0 0 0 0 0 1  2 0 0 0 0 0 "
                         "1'/><Node name='c'><MechanicalObject name='p' position='0.5 0 0'/>"
                         "<BeamLinearMapping name='map'/></Node></Node>");
  s = check_scene(text, 1);
  check_points(s, "c/p", (double[]){1, 0, 0}, 3, 1e-15);
  dvState *f = dv_state(check_find(s, "f"));
  memcpy(dv_state_write(f, DV_X) + 10, (double[]){0, 0, h, h}, 4 * sizeof(double));
  dvObject *map = check_find(s, "c/map");
  ((const dvMappingOps *)dv_ops(map, DV_ROLE_MAPPING))->apply(map, DV_X, DV_X);
  check_points(s, "c/p", (double[]){0.5 * 1 + 0.5 * 2, 0.5 * -1, 0}, 3, 1e-12);
  check_close_scene(&s);
  dv_free(text);
}

// a frame in a tetrahedron that turns rigidly turns with it; one that is stretched does not turn
static void frames_turn_with_the_material(void **state)
{
  (void)state;
  dvScene *s = check_scene("<Node><MechanicalObject name='m' position='0 0 0 1 0 0 0 1 0 0 0 1'/><MeshTopology "
                           "tetrahedra='0 1 2 3'/><Node name='c'>"
                           "<MechanicalObject name='f' template='Rigid3' position='0.2 0.2 0.2 0.5 0.5 0.5 "
                           "0.5'/><BarycentricMapping name='map'/></Node></Node>",
                           1);
  dvObject *map = check_find(s, "c/map");
  double *x = dv_state_write(dv_state(check_find(s, "m")), DV_X);
  dvQuat turn = dv_quat_from_axis(dv_vec3(0, 0.6, 0.8), 0.9), wanted = dv_quat_mul(turn, (dvQuat){0.5, 0.5, 0.5, 0.5});
  for (size_t i = 0; i < 4; i++) dv_vec3_store(x + 3 * i, dv_quat_rotate(turn, dv_vec3_load(x + 3 * i)));
  ((const dvMappingOps *)dv_ops(map, DV_ROLE_MAPPING))->apply(map, DV_X, DV_X);
  dvQuat got = {check_value(s, "c/f", DV_X, 3), check_value(s, "c/f", DV_X, 4), check_value(s, "c/f", DV_X, 5),
                check_value(s, "c/f", DV_X, 6)};
  check_close(fabs(dv_quat_dot(got, wanted)), 1, 1e-12);
  for (size_t i = 0; i < 4; i++) dv_vec3_store(x + 3 * i, dv_vec3_scale(dv_vec3_load(x + 3 * i), 3));
  ((const dvMappingOps *)dv_ops(map, DV_ROLE_MAPPING))->apply(map, DV_X, DV_X);
  got = (dvQuat){check_value(s, "c/f", DV_X, 3), check_value(s, "c/f", DV_X, 4), check_value(s, "c/f", DV_X, 5),
                 check_value(s, "c/f", DV_X, 6)};
  check_close(fabs(dv_quat_dot(got, wanted)), 1, 1e-12);
  check_close_scene(&s);
}

// a spring on a mapped point has the energy, and gives its frame the force, of the same spring on a free point
static void a_spring_below_is_a_spring_above(void **state)
{
  (void)state;
  fdScene s = fd_open("<Node gravity='0 0 0'><MechanicalObject name='in' position='0 0 0 2 0 0'/><SpringForceField "
                      "name='above' spring='0 1 10 0 1'/>"
                      "<Node><MechanicalObject name='out'/><IdentityMapping name='map'/><SpringForceField name='below' "
                      "spring='0 1 10 0 1'/></Node></Node>");
  check_close(fd_energy_of(fd_find(&s, "below")), fd_energy_of(fd_find(&s, "above")), 0);
  check_close(fd_energy_of(fd_find(&s, "below")), 5, 1e-12);
  const double *f = fd_force_on(fd_find(&s, "below"), fd_find(&s, "out"));
  check_close(f[0], 10, 1e-12);
  fd_close(&s);
}

// --- switches and mistakes -----------------------------------------------------------------------

// a mass on a mapped point is felt above, with mapMasses="0" only its weight is, with mapForces="0" nothing
static void switches_decide_what_goes_up(void **state)
{
  (void)state;
  static const struct {
    const char *switches;
    double speed;   // after a step of 0.1 s without stiffness: m_all g / m_inert
  } cases[] = {{"", -1}, {"mapMasses='0'", -3}, {"mapForces='0'", -1}};
  for (int direct = 0; direct < 2; direct++)
    for (size_t i = 0; i < DV_COUNT(cases); i++) {
      char *text = dv_format(
          "<Node gravity='0 -10 0' dt='0.1'><DefaultAnimationLoop/><EulerImplicitSolver/>%s<MechanicalObject name='x' "
          "position='0 0 0'/><UniformMass totalMass='1'/>"
          "<Node><MechanicalObject name='y'/><IdentityMapping %s/><UniformMass totalMass='2'/></Node></Node>",
          direct ? "<SparseLDLSolver/>" : "<CGLinearSolver iterations='10' tolerance='1e-14' threshold='1e-20'/>",
          cases[i].switches);
      dvScene *s = check_scene(text, 1);
      check_steps(s, 1);
      check_close(check_value(s, "x", DV_V, 1), cases[i].speed, 1e-12);
      check_close_scene(&s);
      dv_free(text);
    }
}

typedef struct Heard {
  char text[4096];
} Heard;

static void hear(void *user, const dvMessage *m)
{
  Heard *h = user;
  size_t n = strlen(h->text);
  snprintf(h->text + n, sizeof h->text - n, "%s | %s\n", m->text, m->advice ? m->advice : "");
}

static void check_told(const char *scene, const char *wanted)
{
  Heard heard = {{0}};
  dvContext *c = dv_divan_create(1);
  c->log.sink = hear;
  c->log.user = &heard;
  dvScene *s = NULL;
  dvStatus status = dv_scene_parse(c, "test", scene, strlen(scene), &s);
  if (status == DV_OK) status = dv_scene_init(s);
  if (!strstr(heard.text, wanted)) {
    print_error("'%s' is not in:\n%s", wanted, heard.text);
    fail();
  }
  dv_scene_destroy(&s);
  dv_divan_destroy(&c);
}

static void mistakes_name_states_and_what_fits(void **state)
{
  (void)state;
  check_told("<Node><MechanicalObject name='points' position='0 0 0'/><Node><MechanicalObject name='frames' "
             "template='Rigid3'/><RigidMapping/></Node></Node>",
             "cannot map Vec3d (points) to Rigid3d (frames) | it maps Rigid3 to Vec3 or Rigid3, Rigid2 to Vec2");
  check_told("<Node><Node name='a'><MechanicalObject name='x' position='0 0 0'/><IdentityMapping name='there' "
             "input='@../b/y'/></Node>"
             "<Node name='b'><MechanicalObject name='y' position='0 0 0'/><IdentityMapping name='back' "
             "input='@../a/x'/></Node></Node>",
             "in a circle: ");
  check_told("<Node><MechanicalObject name='x' position='0 0 0'/><Node><MechanicalObject name='y'/><SubsetMultiMapping "
             "input='@../x' indexPairs='0 3'/></Node></Node>",
             "names point 3 of x, which has 1 points");
  check_told("<Node><MechanicalObject name='x' position='0 0 0'/><Node><MechanicalObject name='y'/><SubsetMultiMapping "
             "input='@../x @../x' indexPairs='0 0'/></Node></Node>",
             "named twice");
  check_told("<Node><MechanicalObject name='x' position='0 0 0 1 0 0'/><MeshTopology edges='0 "
             "1'/><Node><MechanicalObject name='d' template='Vec1'/><DistanceMapping/>"
             "<MeshTopology edges='0 5'/></Node></Node>",
             "leads to point 5 of x, which has 2");
  check_told("<Node><Node><MechanicalObject name='y' position='0 0 0'/><IdentityMapping/></Node></Node>",
             "finds no state to map from");
}

// targets beyond the indices belong to the points of their own numbers; 0.1 m is measured in single precision unless
// told otherwise
static void distances_from_targets(void **state)
{
  (void)state;
  for (int single = 0; single < 2; single++) {
    char *text = dv_format("<Node><MechanicalObject position='0.1 0 0  0 0 0  0 3 4'/><Node name='c'><MechanicalObject "
                           "name='d' template='Vec1'/>"
                           "<DistanceFromTargetMapping indices='2' targetPositions='0 0 0 0 0 0 0 0 0' restLengths='1' "
                           "singlePrecision='%d'/></Node>"
                           "<Node name='all'><MechanicalObject name='d' template='Vec1'/><DistanceFromTargetMapping "
                           "targetPositions='0 0 0' singlePrecision='%d'/></Node></Node>",
                           single, single);
    dvScene *s = check_scene(text, 1);
    check_points(s, "c/d", (double[]){4, 0, 5}, 3, 1e-15);
    check_close(check_value(s, "all/d", DV_X, 0), single ? 0.1f : 0.1, 0);
    check_close_scene(&s);
    dv_free(text);
  }
  check_told("<Node><MechanicalObject position='0 0 0'/><Node><MechanicalObject "
             "template='Vec1'/><DistanceFromTargetMapping targetPositions='0 0 0 1 1 1'/></Node></Node>",
             "there are 2 targets, but the input has 1 points (targetPositions) | give indices");
}

// a state that changes its size behind a mapping's back: the mapping rests, and says so once
static void sizes_that_no_longer_fit_are_told(void **state)
{
  (void)state;
  static const char *const mappings[] = {"<IdentityMapping name='map'/>", "<RigidMapping name='map'/>",
                                         "<SkinningMapping name='map' nbRef='1'/>",
                                         "<DistanceToPlaneMapping name='map' planeNormal='0 1 0'/>"};
  for (size_t i = 0; i < DV_COUNT(mappings); i++) {
    Heard heard = {{0}};
    char *text = dv_format("<Node><MechanicalObject name='before' template='Rigid3' position='0 0 0 0 0 0 1 1 0 0 0 0 "
                           "0 1'/><Node name='c'><MechanicalObject name='behind' "
                           "template='%s' position='%s'/>%s</Node></Node>",
                           i == 3 ? "Vec1" : "Vec3", i == 3 ? "0" : "1 0 0", mappings[i]);
    dvScene *s = check_scene(text, 1);
    s->context->log.sink = hear;
    s->context->log.user = &heard;
    assert_true(dv_state_resize(dv_state(check_find(s, "before")), 1));
    dvObject *map = check_find(s, "c/map");
    for (int k = 0; k < 2; k++) ((const dvMappingOps *)dv_ops(map, DV_ROLE_MAPPING))->apply(map, DV_X, DV_X);
    const char *told = strstr(heard.text, "before has 1 and behind ");
    if (!told) print_error("%s: %s\n", mappings[i], heard.text);
    assert_non_null(told);
    assert_null(strstr(told + 1, "before has"));
    check_close_scene(&s);
    dv_free(text);
  }
}

// a hundred bodies of two points drive one state: forces on it reach each of them
static void as_many_inputs_as_one_likes(void **state)
{
  (void)state;
  enum { BODIES = 100 };
  dvText text = {0}, inputs = {0};
  dv_text_add(&text, "<Node gravity='0 0 0'><EulerImplicitSolver/><SparseLDLSolver/>");
  for (int i = 0; i < BODIES; i++) {
    dv_text_printf(&text,
                   "<Node name='n%d'><MechanicalObject name='s' position='%d 0 0 %d 1 0'/>"
                   "<UniformMass totalMass='2'/></Node>",
                   i, i, i);
    dv_text_printf(&inputs, "@../n%d/s ", i);
  }
  dv_text_printf(&text,
                 "<Node name='all'><MechanicalObject name='s'/><IdentityMultiMapping name='map' input='%s'/>"
                 "<ConstantForceField forces='0 0 1'/></Node></Node>",
                 inputs.text);
  dvScene *s = check_scene(text.text, 1);
  const dvObject *map = check_find(s, "all/map");
  assert_ptr_equal(dv_mapping_input(map, BODIES - 1), check_find(s, "n99/s"));
  assert_null(dv_mapping_input(map, BODIES));
  check_close(check_value(s, "all/s", DV_X, 6 * 57), 57, 0);
  check_steps(s, 1);
  for (size_t i = 0; i < BODIES; i++) {
    char *path = dv_format("n%zu/s", i);
    check_close(check_value(s, path, DV_V, 5), 0.01, 1e-12);   // dt f / m
    dv_free(path);
  }
  check_close_scene(&s);
  dv_text_free(&text);
  dv_text_free(&inputs);
}

static void a_state_has_one_driver(void **state)
{
  (void)state;
  check_told("<Node><MechanicalObject template='Rigid3' position='0 0 0 0 0 0 1'/><Node><RigidMapping name='one'/>"
             "<MechanicalObject name='p' position='1 0 0'/><FrameBlendingMapping name='two'/></Node></Node>",
             "the state p is already driven by ");
  check_told("<Node><MechanicalObject position='0 0 0 1 0 0'/><Node><MechanicalObject name='p'/>"
             "<IdentityMapping name='one'/><SubsetMapping name='two' indices='0 1 1'/></Node></Node>",
             "the state p is already driven by ");
  check_told("<Node><MechanicalObject position='0 0 0 1 0 0'/><Node><OglModel name='p' position='0 0 0'/>"
             "<IdentityMapping name='one'/><BarycentricMapping name='two'/></Node></Node>",
             "the state p is already driven by ");
}

typedef struct Counter {
  dvMatrixSink base;
  size_t blocks;
} Counter;

static void count_block(dvMatrixSink *sink, const dvState *row_state, size_t row, const dvState *col_state, size_t col,
                        int rows, int cols, const double *values)
{
  (void)row_state, (void)row, (void)col_state, (void)col, (void)rows, (void)cols, (void)values;
  ((Counter *)sink)->blocks++;
}

// a mapping whose states have other sizes than it was made for gives no rows either, whatever is asked for
static void what_rests_hands_out_nothing(void **state)
{
  (void)state;
  static const struct {
    const char *in, *out;   // types
    const char *mapping;
  } rows[] = {
      {"Rigid3", "Vec3", "<RigidMapping name='map' index='1'/>"},
      {"Rigid3", "Vec3", "<SkinningMapping name='map' nbRef='1'/>"},
      {"Rigid3", "Vec3", "<FrameBlendingMapping name='map'/>"},
      {"Vec3", "Vec3", "<IdentityMapping name='map'/>"},
      {"Vec3", "Vec3", "<SubsetMapping name='map' indices='1'/>"},
      {"Vec3", "Vec1", "<DistanceFromTargetMapping name='map' indices='1' targetPositions='5 0 0'/>"},
  };
  for (size_t i = 0; i < DV_COUNT(rows); i++) {
    bool rigid = rows[i].in[0] == 'R';
    char *text =
        dv_format("<Node><MechanicalObject name='in' template='%s' position='%s'/><Node name='c'><MechanicalObject "
                  "name='out' template='%s' position='%s'/>%s</Node></Node>",
                  rows[i].in, rigid ? "0 0 0 0 0 0 1  1 0 0 0 0 0 1" : "0 0 0  1 0 0", rows[i].out,
                  rows[i].out[3] == '1' ? "0" : "1 0 0", rows[i].mapping);
    dvScene *s = check_scene(text, 1);
    dvObject *map = check_find(s, "c/map");
    const dvMappingOps *ops = dv_ops(map, DV_ROLE_MAPPING);
    s->context->log.sink = NULL;
    Counter c = {.base = {.add = count_block}};
    ops->build_j(map, &c.base);
    if (c.blocks == 0) fail_msg("%s has no Jacobian", rows[i].mapping);
    assert_true(dv_state_resize(dv_state(check_find(s, "c/out")), 500));
    c.blocks = 0;
    ops->build_j(map, &c.base);
    for (size_t k = 0; k < 500; k++) ops->row(map, k, &c.base);
    if (c.blocks) fail_msg("%s rests and hands out %zu blocks", rows[i].mapping, c.blocks);
    check_close_scene(&s);
    dv_free(text);
  }
}

static void no_points_at_all(void **state)
{
  (void)state;
  static const char *const mappings[] = {"SkinningMapping nbRef='1'", "FrameBlendingMapping", "RigidMapping"};
  for (size_t i = 0; i < DV_COUNT(mappings); i++) {
    char *text =
        dv_format("<Node><EulerImplicitSolver/><SparseLDLSolver/><MechanicalObject template='Rigid3' position='0 0 "
                  "0 0 0 0 1'/><UniformMass totalMass='1'/><Node name='c'><MechanicalObject name='p' size='0'/>"
                  "<%s/><ConstantForceField/></Node></Node>",
                  mappings[i]);
    dvScene *s = check_scene(text, 1);
    check_steps(s, 2);
    check_close_scene(&s);
    dv_free(text);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(as_many_inputs_as_one_likes),      cmocka_unit_test(a_state_has_one_driver),
      cmocka_unit_test(what_rests_hands_out_nothing),     cmocka_unit_test(no_points_at_all),
      cmocka_unit_test(curves_go_where_they_should),      cmocka_unit_test(a_twisted_skin),
      cmocka_unit_test(nearest_frames_count_by_distance), cmocka_unit_test(a_tube_and_a_beam),
      cmocka_unit_test(frames_turn_with_the_material),    cmocka_unit_test(a_spring_below_is_a_spring_above),
      cmocka_unit_test(switches_decide_what_goes_up),     cmocka_unit_test(mistakes_name_states_and_what_fits),
      cmocka_unit_test(distances_from_targets),           cmocka_unit_test(sizes_that_no_longer_fit_are_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

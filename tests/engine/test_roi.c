// Selectors: counts by hand on small grids, and how often an engine runs.
#include "support/check.h"
#include "support/scene.h"

#include "engine/select/roi.h"

#include <string.h>

// 4 x 3 x 2 points with coordinates 0 1 2 3, 0 1 2, 0 1: 24 points, 6 cells
#define GRID "<RegularGridTopology name='grid' n='4 3 2' min='0 0 0' max='3 2 1'/><MechanicalObject name='mo'/>"

static const dvInts *ints_of(dvScene *s, const char *path, const char *name)
{
  dvField *f = dv_object_field(check_find(s, path), name);
  assert_non_null(f);
  assert_int_equal(dv_field_pull(f), DV_OK);
  return f->value;
}

static const dvReals *reals_of(dvScene *s, const char *path, const char *name)
{
  ints_of(s, path, name);   // brings it up to date
  return dv_object_field(check_find(s, path), name)->value;
}

static size_t count_of(dvScene *s, const char *path, const char *name) { return dv_ints_size(ints_of(s, path, name)); }

static void check_indices(dvScene *s, const char *path, const char *name, const char *expected)
{
  dvText text = {0};
  ints_of(s, path, name);
  dv_field_print(dv_object_field(check_find(s, path), name), &text);
  assert_string_equal(text.text, expected);
  dv_text_free(&text);
}

static void a_box_selects_points_and_elements(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene("<Node>" GRID "<BoxROI name='roi' box='-0.5 -0.5 -0.5 1.5 1.5 1.5'/></Node>", 1);
  check_indices(s, "roi", "indices", "0 1 4 5 12 13 16 17");
  check_indices(s, "roi", "hexahedronIndices", "0");
  assert_int_equal(count_of(s, "roi", "hexahedraInROI"), 1);
  assert_int_equal(count_of(s, "roi", "indicesOut"), 16);
  const dvReals *inside = reals_of(s, "roi", "pointsInROI");
  assert_int_equal(dv_reals_size(inside), 8);
  check_close(inside->data[3], 1, 0);   // the second point stands at 1 0 0
  assert_int_equal(*(int32_t *)dv_object_field(check_find(s, "roi"), "nbIndices")->value, 8);
  check_close_scene(&s);
}

static void strict_or_by_the_centre(void **state)
{
  DV_UNUSED(state);
  // a box around the centre of the first cell
  dvScene *s = check_scene("<Node>" GRID "<BoxROI name='strict' box='0.4 0.4 0.4 0.6 0.6 0.6'/><BoxROI name='centre' "
                           "box='0.4 0.4 0.4 0.6 0.6 0.6' strict='0'/>"
                           "<BoxROI name='off' box='0.4 0.4 0.4 0.6 0.6 0.6' strict='0' computeHexahedra='0'/></Node>",
                           1);
  assert_int_equal(count_of(s, "strict", "hexahedronIndices"), 0);
  check_indices(s, "centre", "hexahedronIndices", "0");
  assert_int_equal(count_of(s, "off", "hexahedronIndices"), 0);
  check_close_scene(&s);
}

static void given_elements_are_sorted_in_and_out(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene("<Node><MechanicalObject position='0 0 0 1 0 0 0 1 0 0 0 1 5 5 5'/>"
                           "<BoxROI name='roi' box='-1 -1 -1 2 2 2' edges='0 1 1 4' triangles='0 1 2 0 1 4' "
                           "tetrahedra='0 1 2 3 0 1 2 4' quads='0 1 2 3'/></Node>",
                           1);
  check_indices(s, "roi", "edgesInROI", "0 1");
  check_indices(s, "roi", "edgesOutROI", "1 4");
  check_indices(s, "roi", "edgeOutIndices", "1");
  check_indices(s, "roi", "trianglesInROI", "0 1 2");
  check_indices(s, "roi", "triangleOutIndices", "1");
  check_indices(s, "roi", "tetrahedraInROI", "0 1 2 3");
  check_indices(s, "roi", "tetrahedraOutROI", "0 1 2 4");
  check_indices(s, "roi", "quadIndices", "0");
  check_close_scene(&s);
}

static void boxes_add_up_in_any_order_of_corners(void **state)
{
  DV_UNUSED(state);
  dvScene *s =
      check_scene("<Node>" GRID
                  "<BoxROI name='two' box='0.1 0.1 0.1 -0.1 -0.1 -0.1  2.9 1.9 0.9 3.1 2.1 1.1'/><BoxROI name='none'/>"
                  "<BoxROI name='rest' position='2 0 0 0.5 0.5 0.5'/></Node>",
                  1);
  check_indices(s, "two", "indices", "0 23");
  check_indices(s, "none", "indices", "0 1 4 5 12 13 16 17");   // the unit cube by default
  check_indices(s, "rest", "indices", "1");
  check_close_scene(&s);
}

// a square of side sqrt 2 about 0 0 0, turned by 45 degrees, and a depth of 1
static void oriented_boxes_have_slanting_sides(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene(
      "<Node><MechanicalObject position='0 0 0  0.9 0 0  0.6 0.6 0  0 -0.9 0  0 0 0.4  0 0 0.6  -0.6 -0.3 -0.5'/>"
      "<BoxROI name='box' orientedBox='1 0 0  0 1 0  -1 0 0  1'/>"
      "<PlaneROI name='plane' plane='1 0 0  0 1 0  -1 0 0  1'/>"
      "<PlaneROI name='endless' plane='1 0 0  0 1 0  -1 0 0  0'/></Node>",
      1);
  check_indices(s, "box", "indices", "0 1 3 4 6");
  check_indices(s, "plane", "indices", "0 1 3 4 6");
  check_indices(s, "endless", "indices", "0 1 2 3");   // without a depth a plane has no limits
  check_close_scene(&s);
}

static void spheres_select_by_distance_and_direction(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene(
      "<Node>" GRID
      "<SphereROI name='roi' centers='0 0 0 3 2 1' radii='1.1' edges='0 1 0 4 0 12 1 2' triangles='0 1 4 0 4 1'/>"
      "<SphereROI name='along' centers='0 0 0' radii='1.1' edges='0 1 0 4' direction='2 0 0' edgeAngle='10' "
      "triangles='0 1 4 0 4 1' normal='0 0 -1' triAngle='10'/></Node>",
      1);
  check_indices(s, "roi", "indices", "0 1 4 11 12 19 22 23");
  check_indices(s, "roi", "edgeIndices", "0 1 2");
  check_indices(s, "roi", "triangleIndices", "0 1");
  check_indices(s, "along", "edgeIndices", "0");
  check_indices(s, "along", "triangleIndices", "0");   // SOFA's normal of a triangle points the other way round
  check_close_scene(&s);
}

static void a_pair_of_boxes_selects_a_shell(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene("<Node><RegularGridTopology n='5 5 5' min='0 0 0' max='4 4 4'/><MechanicalObject/>"
                           "<PairBoxROI name='roi' inclusiveBox='-1 -1 -1 5 5 5' includedBox='0.5 0.5 0.5 3.5 3.5 "
                           "3.5'/><PairBoxROI name='unset'/></Node>",
                           1);
  assert_int_equal(count_of(s, "roi", "indices"), 125 - 27);
  assert_int_equal(count_of(s, "unset", "indices"), 0);
  check_close_scene(&s);
}

static void points_of_a_plane_and_of_a_line_are_selected(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene("<Node><Node name='A'><MechanicalObject template='Vec1' position='0 1 2 3'/><BoxROI "
                           "name='roi' box='1 7 7 2 8 8'/></Node>"
                           "<Node name='B'><MechanicalObject template='Vec2' position='0 0 1 1 2 2'/><BoxROI "
                           "name='roi' box='1 0 7 2 1 8'/></Node>"
                           "<Node name='C'><MechanicalObject template='Rigid3' position='0 0 0 0 0 0 1 1 1 1 0 0 0 "
                           "1'/><BoxROI name='roi' box='0.5 0.5 0.5 2 2 2'/></Node></Node>",
                           1);
  check_indices(s, "A/roi", "indices", "1 2");
  check_indices(s, "B/roi", "indices", "1");
  check_indices(s, "C/roi", "indices", "1");
  const dvReals *frames = reals_of(s, "C/roi", "pointsInROI");
  assert_int_equal(frames->count, 7);
  check_close_scene(&s);
}

static void rest_positions_are_the_default(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene(
      "<Node><MechanicalObject name='mo' position='5 5 5' rest_position='0.5 0.5 0.5'/><BoxROI name='rest'/>"
      "<BoxROI name='now' position='@mo.position'/><Node name='A'><BoxROI name='below'/></Node></Node>",
      1);
  assert_int_equal(count_of(s, "rest", "indices"), 1);
  assert_int_equal(count_of(s, "now", "indices"), 0);
  assert_int_equal(count_of(s, "A/below", "indices"), 1);
  check_close_scene(&s);
}

// --- laziness ------------------------------------------------------------------------------------

static void an_engine_runs_only_when_something_changed(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene(
      "<Node gravity='0 -10 0' dt='0.01'><DefaultAnimationLoop/><EulerExplicitSolver/>" GRID
      "<UniformMass totalMass='1'/>"
      "<BoxROI name='roi' box='-1 -1 -1 0.5 3 2'/><FixedProjectiveConstraint indices='@roi.indices'/></Node>",
      1);
  dvRoi *roi = (dvRoi *)check_find(s, "roi");
  int before = roi->selections;
  assert_true(before >= 1);
  check_steps(s, 10);   // rest positions do not move
  assert_int_equal(roi->selections, before);
  assert_int_equal(dv_object_set(&roi->base, "box", "0.5 -1 -1 5 3 2"), DV_OK);
  assert_int_equal(roi->selections, before);   // nobody has asked yet
  assert_int_equal(count_of(s, "roi", "indices"), 18);
  count_of(s, "roi", "edgeIndices");
  assert_int_equal(roi->selections, before + 1);
  check_close_scene(&s);
}

static void moving_points_are_selected_anew_unless_told_not_to(void **state)
{
  DV_UNUSED(state);
  dvScene *s =
      check_scene("<Node gravity='0 -10 0' dt='0.1'><DefaultAnimationLoop/><EulerExplicitSolver/><MechanicalObject "
                  "name='mo' position='0 0.05 0'/>"
                  "<UniformMass totalMass='1'/><BoxROI name='moves' position='@mo.position' box='-1 0 -1 1 1 1'/>"
                  "<BoxROI name='stays' position='@mo.position' box='-1 0 -1 1 1 1' doUpdate='0'/></Node>",
                  1);
  assert_int_equal(count_of(s, "moves", "indices"), 1);
  check_steps(s, 1);
  assert_int_equal(count_of(s, "moves", "indices"), 0);
  assert_int_equal(count_of(s, "stays", "indices"), 1);
  check_close_scene(&s);
}

static void odd_input_is_survived(void **state)
{
  DV_UNUSED(state);
  static const char *const scenes[] = {
      "<Node><BoxROI name='roi'/></Node>",   // nothing to select from
      "<Node><MechanicalObject/><BoxROI name='roi' edges='0 7 -3 0' triangles='0 1 900'/></Node>",   // points that do
                                                                                                     // not exist
      "<Node><MechanicalObject/><SphereROI name='roi' centers='0 0 0 1 1 1 2 2 2' radii='1 2'/></Node>",   // too few
                                                                                                           // radii
      "<Node><MechanicalObject/><BoxROI name='roi' orientedBox='0 0 0 0 0 0 0 0 0 1'/></Node>",   // a box without size
      "<Node><MechanicalObject position=''/><BoxROI name='roi'/></Node>",
  };
  for (size_t i = 0; i < DV_COUNT(scenes); i++) {
    dvContext *context = dv_divan_create(1);
    context->log.sink = NULL;
    dvScene *s = NULL;
    assert_int_equal(dv_scene_parse(context, "test.scn", scenes[i], strlen(scenes[i]), &s), DV_OK);
    assert_int_equal(dv_scene_init(s), DV_OK);
    assert_int_equal(count_of(s, "roi", "edgeIndices"), 0);
    check_close_scene(&s);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_box_selects_points_and_elements),
      cmocka_unit_test(strict_or_by_the_centre),
      cmocka_unit_test(given_elements_are_sorted_in_and_out),
      cmocka_unit_test(boxes_add_up_in_any_order_of_corners),
      cmocka_unit_test(oriented_boxes_have_slanting_sides),
      cmocka_unit_test(spheres_select_by_distance_and_direction),
      cmocka_unit_test(a_pair_of_boxes_selects_a_shell),
      cmocka_unit_test(points_of_a_plane_and_of_a_line_are_selected),
      cmocka_unit_test(rest_positions_are_the_default),
      cmocka_unit_test(an_engine_runs_only_when_something_changed),
      cmocka_unit_test(moving_points_are_selected_anew_unless_told_not_to),
      cmocka_unit_test(odd_input_is_survived),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

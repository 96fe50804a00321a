// Outputs that the other tests of engines leave out: all lists of the selectors, and elements of every kind.
#include "engine/outputs.h"

#include <string.h>

// the corners of a cube, elements of its bottom (0 to 3) and of its top (4 to 7)
#define CUBE "position='0 0 0 1 0 0 1 1 0 0 1 0 0 0 1 1 0 1 1 1 1 0 1 1'"
#define ELEMENTS " edges='0 1 4 5 1 5' triangles='4 5 6 0 1 2' tetrahedra='0 1 2 3 4 5 6 7'"
#define MORE " quads='4 5 6 7 0 1 2 3' hexahedra='0 1 2 3 0 1 2 3 0 1 2 3 4 5 6 7'"

static void selectors_have_the_same_lists(void **state)
{
  DV_UNUSED(state);
  dvScene *s =
      check_scene("<Node><BoxROI name='box' box='-1 -1 -1 2 2 0.5' " CUBE ELEMENTS MORE
                  "/><SphereROI name='sphere' centers='0.5 0.5 0' radii='0.8' " CUBE ELEMENTS MORE "/>"
                  "<BoxROI name='slab' orientedBox='-1 -1 0 2 -1 0 2 2 0 1' " CUBE ELEMENTS MORE "/>"
                  "<MeshROI name='mesh' ROIposition='-1.3 -1.1 -0.9 9 -1 -0.8 -1 9 -0.7 -1.3 -1.1 0.6 9 -1 0.5 -1 9 "
                  "0.4' ROItriangles='0 2 1 3 4 5 0 1 4 0 4 3 1 2 5 1 5 4 2 0 3 2 3 5' " CUBE ELEMENTS MORE "/>"
                  "<PlaneROI name='plane' plane='0 0 0 1 0 0 1 1 0 1' " CUBE ELEMENTS "/></Node>",
                  1);
  const char *const names[] = {"box", "sphere", "slab", "mesh", "plane"};
  for (int i = 0; i < 5; i++) {
    const char *n = names[i];
    check_text(s, n, "indices", "0 1 2 3");
    check_text(s, n, "pointsInROI", "0 0 0 1 0 0 1 1 0 0 1 0");
    check_text(s, n, "edgeIndices", "0");
    check_text(s, n, "edgesInROI", "0 1");
    check_text(s, n, "triangleIndices", "1");
    check_text(s, n, "trianglesInROI", "0 1 2");
    check_text(s, n, "tetrahedronIndices", "0");
    check_text(s, n, "tetrahedraInROI", "0 1 2 3");
    if (i == 4) break;
    check_text(s, n, "nbIndices", "4");
    check_text(s, n, "indicesOut", "4 5 6 7");
    check_text(s, n, "pointsOutROI", "0 0 1 1 0 1 1 1 1 0 1 1");
    check_text(s, n, "edgeOutIndices", "1 2");
    check_text(s, n, "edgesOutROI", "4 5 1 5");
    check_text(s, n, "triangleOutIndices", "0");
    check_text(s, n, "trianglesOutROI", "4 5 6");
    check_text(s, n, "tetrahedronOutIndices", "1");
    check_text(s, n, "tetrahedraOutROI", "4 5 6 7");
    check_text(s, n, "quadIndices", "1");
    check_text(s, n, "quadsInROI", "0 1 2 3");
    check_text(s, n, "hexahedronIndices", "0");
    check_text(s, n, "hexahedraInROI", "0 1 2 3 0 1 2 3");
  }
  check_close_scene(&s);
}

// every list has the same content whether it is read first or last, and after the points have moved
static void lists_follow_the_points(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene(
      "<Node gravity='0 0 -10' dt='0.5'><DefaultAnimationLoop/><Node name='b'><EulerExplicitSolver/><MechanicalObject "
      "name='mo' " CUBE "/><UniformMass totalMass='1'/>"
      "<BoxROI name='roi' position='@mo.position' box='-1 -1 -4 2 2 -2' " ELEMENTS
      "/><BoxROI name='first' doUpdate='0' position='@mo.position' box='-1 -1 -1 2 2 0.5' " ELEMENTS "/></Node></Node>",
      1);
  check_text(s, "b/roi", "edgesInROI", "");
  check_steps(s, 1);   // fell by 2.5: the bottom is at -2.5, the top at -1.5
  check_text(s, "b/roi", "edgesInROI", "0 1");
  check_text(s, "b/roi", "pointsInROI", "0 0 -2.5 1 0 -2.5 1 1 -2.5 0 1 -2.5");
  check_text(s, "b/first", "pointsInROI", "0 0 0 1 0 0 1 1 0 0 1 0");   // as it was when it was selected
  check_text(s, "b/first", "tetrahedraOutROI", "4 5 6 7");
  check_close_scene(&s);
}

static void meshes_of_every_kind(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene(
      "<Node><MergeMeshes name='merge' template='Vec3' position1='0 0 0 1 0 0' position2='0 0 0 1 0 0 1 1 0 0 1 0 0 0 "
      "1 1 0 1 1 1 1 0 1 1' quads2='0 1 2 3' tetrahedra2='0 1 3 4' hexahedra2='0 1 2 3 4 5 6 7'/>"
      "<MeshSubsetEngine name='part' inputPosition='@merge.position' inputQuads='@merge.quads' "
      "inputTetrahedra='@merge.tetrahedra' inputHexahedra='@merge.hexahedra' indices='2-9'/>"
      "<GenerateGrid name='flat' template='Vec3' max='2 1 0' resolution='2 1 0'/><MapIndices name='map' in='7 5 6' "
      "indices='7 5'/>"
      "<ComplementaryROI name='rest' position='0 0 0 1 0 0 2 0 0' nbSet='1' setIndices1='0 2'/>"
      "<ValuesFromPositions name='field' template='Vec3' direction='0 0 3' fieldType='Vector' position='0 0 0 1 0 0 0 "
      "1 0 0 0 1' triangles='0 1 2' tetrahedra='0 1 2 3 0 1 2 3'/></Node>",
      1);
  check_text(s, "merge", "quads", "2 3 4 5");
  check_text(s, "merge", "tetrahedra", "2 3 5 6");
  check_text(s, "merge", "hexahedra", "2 3 4 5 6 7 8 9");
  check_text(s, "part", "quads", "0 1 2 3");
  check_text(s, "part", "tetrahedra", "0 1 3 4");
  check_text(s, "part", "hexahedra", "0 1 2 3 4 5 6 7");
  check_text(s, "flat", "quads", "0 1 4 3 1 2 5 4");
  check_text(s, "map", "outStr", "0 1 6");
  check_text(s, "rest", "pointsInROI", "1 0 0");
  check_text(s, "field", "triangleVectors", "0 0 3");
  check_text(s, "field", "tetrahedronVectors", "0 0 3 0 0 3");
  check_close_scene(&s);
}

static void a_mesh_is_cut_in_every_kind(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene("<Node><SubsetTopology name='cut' template='Vec3' box='-1 -1 -1 2 2 0.5' rest_position='0 0 "
                           "0 1 0 0 1 1 0 0 1 0 0 0 1 1 0 1 1 1 1 0 1 1' " ELEMENTS MORE "/></Node>",
                           1);
  check_text(s, "cut", "edgeIndices", "0");
  check_text(s, "cut", "edgesOutROI", "4 5 1 5");
  check_text(s, "cut", "pointsInROI", "0 0 0 1 0 0 1 1 0 0 1 0");
  check_text(s, "cut", "quadIndices", "1");
  check_text(s, "cut", "quadsInROI", "0 1 2 3");
  check_text(s, "cut", "quadsOutROI", "4 5 6 7");
  check_text(s, "cut", "tetrahedraOutROI", "4 5 6 7");
  check_text(s, "cut", "hexahedronIndices", "0");
  check_text(s, "cut", "hexahedraInROI", "0 1 2 3 0 1 2 3");
  check_text(s, "cut", "hexahedraOutROI", "0 1 2 3 4 5 6 7");
  check_close_scene(&s);
}

// a selection of nothing tells the region and where the points are
static void empty_selections_are_told(void **state)
{
  DV_UNUSED(state);
  static const struct {
    const char *engine, *message;
  } cases[] = {
      {"<BoxROI position='1 2 3 4 5 6' box='7 7 7 8 8 8'/>",
       "the points reach from (1 2 3) to (4 5 6), the box is 7 7 7 8 8 8; box=\"1 2 3 4 5 6\" takes all"},
      {"<SphereROI position='1 2 3' centers='0 0 0' radii='0.5'/>",
       "(1 2 3) to (1 2 3), the centres are 0 0 0, the radii 0.5"},
      {"<PlaneROI position='1 2 3' plane='0 0 0 1 0 0 0 1 0 1'/>", "the plane is 0 0 0 1 0 0 0 1 0 1"},
      {"<MeshROI position='1 2 3' ROIposition='"
       "0 0 0 1 0 0 0 1 0 0 0 1' ROItriangles='0 2 1 0 1 3 0 3 2 1 2 3'/>",
       "the bounding box of the surface is 0 0 0 1 1 1"},
      {"<PairBoxROI position='1 2 3' inclusiveBox='0 0 0 1 1 1' includedBox='0 0 0 0.5 0.5 0.5'/>",
       "the outer box is 0 0 0 1 1 1, the inner box is 0 0 0 0.5 0.5 0.5"},
  };
  for (size_t i = 0; i < DV_COUNT(cases); i++) {
    Report r;
    char *text = dv_format("<Node>%s</Node>", cases[i].engine);
    report_good(&r, text);
    report_says(&r, "the selection is empty");
    report_says(&r, cases[i].message);
    report_end(&r);
    dv_free(text);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(selectors_have_the_same_lists), cmocka_unit_test(lists_follow_the_points),
      cmocka_unit_test(meshes_of_every_kind),          cmocka_unit_test(a_mesh_is_cut_in_every_kind),
      cmocka_unit_test(empty_selections_are_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

// Engines against closed forms, and how often they run: never when nobody reads them, once in a diamond of links.
#include "engine/outputs.h"

#include <string.h>

// --- transformations -----------------------------------------------------------------------------

static void transforms_points(void **state)
{
  DV_UNUSED(state);
  dvScene *s =
      check_scene("<Node><TransformEngine name='there' input_position='1 0 0  0 2 0' scale='2 3 4' rotation='0 0 90' "
                  "translation='10 0 0' quaternion='0 1 0 0'/>"
                  "<TransformEngine name='back' input_position='@there.output_position' scale='2 3 4' rotation='0 0 "
                  "90' translation='10 0 0' quaternion='0 1 0 0' inverse='1'/>"
                  "<TransformEngine name='frame' template='Rigid3' input_position='1 0 0 0 0 0 1' rotation='0 0 90'/>"
                  "<TransformEngine name='plane' template='Rigid2' input_position='1 0 0.5' rotation='0 0 90'/></Node>",
                  1);
  // scaled to (2 0 0) and (0 6 0), turned to (0 2 0) and (-6 0 0), then half round y
  check_reals(s, "there", "output_position", (const double[]){10, 2, 0, 16, 0, 0}, 6);
  check_reals(s, "back", "output_position", (const double[]){1, 0, 0, 0, 2, 0}, 6);
  check_reals(s, "frame", "output_position", (const double[]){0, 1, 0, 0, 0, sqrt(0.5), sqrt(0.5)}, 7);
  check_reals(s, "plane", "output_position", (const double[]){0, 1, 0.5 + acos(-1.0) / 2}, 3);
  check_close_scene(&s);
}

static void composes_matrices(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene("<Node><TranslateTransformMatrixEngine name='t' translation='1 2 "
                           "3'/><ScaleTransformMatrixEngine name='s' inT='@t.outT' scale='2 4 8'/>"
                           "<RotateTransformMatrixEngine name='r' inT='@s.outT' rotation='0 0 "
                           "90'/><InvertTransformMatrixEngine name='i' inT='@r.outT'/>"
                           "<DisplacementTransformEngine name='d' template='Rigid3,Mat4x4' x0='1 0 0 0 0 0 1' x='1 0 0 "
                           "0 0 0.70710678118654757 0.70710678118654757'/>"
                           "<DisplacementTransformEngine name='f' template='Rigid3,RigidCoord3' x0='1 0 0 0 0 0 1' "
                           "x='1 0 0 0 0 0.70710678118654757 0.70710678118654757'/>"
                           "<DisplacementMatrixEngine name='m' template='Rigid3' x0='0 0 0 0 0 0 1' x='5 0 0 0 0 0 1' "
                           "scales='2 3 4'/></Node>",
                           1);
  const double r[16] = {0, -2, 0, 1, 4, 0, 0, 2, 0, 0, 8, 3, 0, 0, 0, 1},
               i[16] = {0, 0.25, 0, -0.5, -0.5, 0, 0, 0.5, 0, 0, 0.125, -0.375, 0, 0, 0, 1};
  const double *found = output(s, "r", "outT")->value, *inverse = output(s, "i", "outT")->value;
  for (int k = 0; k < 16; k++) {
    check_close(found[k], r[k], 1e-14);
    check_close(inverse[k], i[k], 1e-14);
  }
  check_reals(s, "d", "displacements", (const double[]){0, -1, 0, 1, 1, 0, 0, -1, 0, 0, 1, 0, 0, 0, 0, 1}, 16);
  check_reals(s, "f", "displacements", (const double[]){1, -1, 0, 0, 0, sqrt(0.5), sqrt(0.5)}, 7);
  check_reals(s, "m", "displaceMats", (const double[]){2, 0, 0, 5, 0, 3, 0, 0, 0, 0, 4, 0, 0, 0, 0, 1}, 16);
  check_close_scene(&s);
}

// --- lists ---------------------------------------------------------------------------------------

static void picks_and_finds(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene("<Node><MechanicalObject name='mo' position='0 0 0 1 1 1 2 2 2'/><ValuesFromIndices "
                           "name='pick' in='@mo.position' indices='2 0'/>"
                           "<ValuesFromIndices name='text' template='Vec2d' in='0 1 2 3' "
                           "indices='1'/><PointsFromIndices name='points' indices='1'/>"
                           "<IndicesFromValues name='find' template='Vec3d' values='1 1 1' global='@mo.position'/>"
                           "<IndicesFromValues name='all' values='7' global='7 1 7' recursiveSearch='1'/>"
                           "<MapIndices name='map' template='Triangle' in='5 6 7' indices='7 5'/><MapIndices "
                           "name='back' in='0 1' indices='7 5' transpose='1'/></Node>",
                           1);
  check_reals(s, "pick", "out", (const double[]){2, 2, 2, 0, 0, 0}, 6);
  check_text(s, "pick", "outStr", "2 2 2 0 0 0");
  check_reals(s, "text", "out", (const double[]){2, 3}, 2);
  check_reals(s, "points", "indices_position", (const double[]){1, 1, 1}, 3);
  check_text(s, "find", "indices", "1");
  check_text(s, "all", "indices", "0 2");
  check_text(s, "all", "otherIndices", "1");
  check_reals(s, "map", "out", (const double[]){1, 6, 0}, 3);
  check_reals(s, "back", "out", (const double[]){7, 5}, 2);
  check_close_scene(&s);
}

static void merges_lists(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene(
      "<Node><MergeVectors name='three' nbInputs='3' input1='1 2' input3='5' input2='3 4'/><MergeVectors name='named' "
      "input1='1' input3='3'/>"
      "<BoxROI name='box' position='0 0 0 9 9 9 0.5 0.5 0.5'/><MergeVectors name='linked' template='Data&lt;int&gt;' "
      "input1='@box.indices' input2='7'/>"
      "<MergeSets name='u' in1='3 1 3' in2='2 3'/><MergeSets name='i' in1='3 1' in2='2 3' op='intersection'/>"
      "<MergeSets name='d' in1='3 1' in2='2 3' op='difference'/><MergeSets name='s' in1='3 1' in2='2 3' "
      "op='symmetric_difference'/>"
      "<ComplementaryROI name='rest' position='0 0 0 1 0 0 2 0 0' nbSet='2' setIndices1='0' setIndices2='0 2'/>"
      "<Node name='held'><MechanicalObject position='0 0 0 1 0 0 2 0 0 3 0 0 4 0 0 5 0 0 6 0 0 7 0 "
      "0'/><FixedProjectiveConstraint name='fixed' indices='@../linked.output'/></Node></Node>",
      1);
  check_reals(s, "three", "output", (const double[]){1, 2, 3, 4, 5}, 5);
  check_reals(s, "named", "output", (const double[]){1, 3}, 2);
  check_text(s, "u", "out", "1 2 3");
  check_text(s, "i", "out", "3");
  check_text(s, "d", "out", "1");
  check_text(s, "s", "out", "1 2");
  check_text(s, "rest", "indices", "1");
  check_text(s, "held/fixed", "indices", "0 2 7");   // whole numbers come through as indices
  check_close_scene(&s);
}

static void computes_with_lists(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene(
      "<Node><IndexValueMapper name='map' inputValues='5 5' indices='1 3' value='9'/><Indices2ValuesMapper "
      "name='label' inputValues='1 2 3' indices='1 2' values='10 20'/>"
      "<DifferenceEngine name='d' template='Vec3' input='3 4 0 1 1 1' substractor='0 0 0 1 1 0'/><NormEngine name='n' "
      "input='@d.output'/>"
      "<NormEngine name='most' input='3 -4 0' normType='-1'/><NormEngine name='sum1' input='3 -4 0' "
      "normType='1'/><SumEngine name='sum' template='Vec3' input='1 2 3 4 5 6'/>"
      "<MathOp name='times' op='*' input1='1 2 3' input2='4 5'/><MathOp name='minus' nbInputs='1' op='-' input1='1 2'/>"
      "<MathOp name='least' nbInputs='3' op='&lt;' input1='5 1' input2='4 2' input3='6 0'/><MathOp name='nor' op='!|' "
      "input1='0 1' input2='0 0'/></Node>",
      1);
  check_reals(s, "map", "outputValues", (const double[]){5, 9, 1, 9}, 4);
  check_reals(s, "label", "outputValues", (const double[]){10, 20, 1}, 3);
  check_reals(s, "n", "output", (const double[]){5, 1}, 2);
  check_reals(s, "most", "output", (const double[]){4}, 1);
  check_reals(s, "sum1", "output", (const double[]){7}, 1);
  check_text(s, "sum", "output", "5 7 9");
  check_reals(s, "times", "output", (const double[]){4, 10}, 2);
  check_reals(s, "minus", "output", (const double[]){-1, -2}, 2);
  check_reals(s, "least", "output", (const double[]){4, 0}, 2);
  check_reals(s, "nor", "output", (const double[]){1, 0}, 2);
  check_close_scene(&s);
}

// --- meshes --------------------------------------------------------------------------------------

static void merges_and_splits_meshes(void **state)
{
  DV_UNUSED(state);
  dvScene *s =
      check_scene("<Node><MergeMeshes name='merge' template='Vec3' position1='0 0 0 1 0 0 0 1 0' triangles1='0 1 2' "
                  "position2='5 0 0 6 0 0' edges2='0 1'/>"
                  "<MergePoints name='behind' template='Vec3' position1='0 0 0 1 0 0' position2='2 0 0'/><MergePoints "
                  "name='into' template='Vec3' position1='0 0 0 1 0 0' position2='2 0 0' mappingX2='0'/>"
                  "<MeshSubsetEngine name='part' inputPosition='@merge.position' inputTriangles='0 1 2 2 3 4' "
                  "inputEdges='0 3' indices='3 2 4'/>"
                  "<MeshSplittingEngine name='split' position='@merge.position' triangles='0 1 2' nbInputs='2' "
                  "triangleIndices1='0' indices2='2 3'/>"
                  "<MeshBoundaryROI name='border' triangles='0 1 2 0 2 3 0 3 1'/><MeshBoundaryROI name='some' "
                  "triangles='0 1 2 0 2 3 0 3 1' inputROI='0 1 2'/>"
                  "<JoinPoints name='join' points='0 0 0 1 0 0 5 0 0 1.5 0 0' distance='1.1'/></Node>",
                  1);
  check_text(s, "merge", "triangles", "0 1 2");
  check_text(s, "merge", "edges", "3 4");
  check_text(s, "merge", "npoints", "5");
  check_text(s, "behind", "indices2", "2");
  check_reals(s, "into", "points", (const double[]){2, 0, 0, 1, 0, 0}, 6);
  check_text(s, "into", "indices1", "1");
  check_text(s, "part", "triangles", "1 0 2");
  check_text(s, "part", "edges", "");
  check_reals(s, "part", "position", (const double[]){5, 0, 0, 0, 1, 0, 6, 0, 0}, 9);
  check_text(s, "split", "indexPairs", "0 0 0 1 0 2 1 0 2 0");   // the first part keeps point 2
  check_reals(s, "split", "position2", (const double[]){5, 0, 0}, 3);
  check_reals(s, "split", "position3", (const double[]){6, 0, 0}, 3);
  check_text(s, "border", "indices", "1 2 3");   // a cone without bottom
  check_text(s, "some", "indices", "0 1 2");
  // 1 and 1.5 are nearest to each other, but 0 comes first and takes 1 in; the mean 0.5 then reaches 1.5
  check_reals(s, "join", "mergedPoints", (const double[]){2.5 / 3, 0, 0, 5, 0, 0}, 6);
  check_close_scene(&s);
}

// a strip of three quads cut at 1.5: points 2 and 3 (x = 1) are on the border
static void cuts_a_mesh_in_two(void **state)
{
  DV_UNUSED(state);
  const char *mesh =
      "rest_position='0 0 0 0 1 0 1 0 0 1 1 0 2 0 0 2 1 0' triangles='0 2 1 2 3 1 2 4 3 4 5 3' edges='0 2 2 4 4 5'";
  char *text = dv_format("<Node><SubsetTopology name='global' template='Vec3' box='-1 -1 -1 1.5 2 1' "
                         "%s/><SubsetTopology name='local' template='Vec3' box='-1 -1 -1 1.5 2 1' localIndices='1' %s/>"
                         "<SubsetTopology name='ball' template='Vec3' centers='0 0 0' radii='1.1' %s/>"
                         "<SubsetTopology name='listed' template='Vec3' rest_position='0 0 0 1 0 0 0 1 0 0 0 1 1 1 1' "
                         "tetrahedra='0 1 2 3 1 2 3 4' tetrahedraInput='1' localIndices='1'/></Node>",
                         mesh, mesh, mesh);
  dvScene *s = check_scene(text, 1);
  dv_free(text);
  check_text(s, "global", "indices", "0 1 2 3");
  check_text(s, "global", "triangleIndices", "0 1");
  check_text(s, "global", "trianglesOutROI", "2 4 3 4 5 3");
  check_text(s, "global", "edgesInROI", "0 2");
  check_text(s, "local", "nbrborder", "2");
  check_text(s, "local", "indices", "2 3 0 1");
  check_text(s, "local", "trianglesInROI", "2 0 3 0 1 3");
  check_text(s, "local", "trianglesOutROI", "0 2 1 2 3 1");
  check_reals(s, "local", "pointsOutROI", (const double[]){1, 0, 0, 1, 1, 0, 2, 0, 0, 2, 1, 0}, 12);
  check_text(s, "ball", "indices", "0 1 2");
  check_text(s, "listed", "tetrahedraInROI", "0 1 2 3");
  check_text(s, "listed", "tetrahedronIndices", "1");
  check_close_scene(&s);
}

static void generates_meshes(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene(
      "<Node><GenerateGrid name='grid' template='Vec3' max='2 1 1' resolution='2 1 1'/><GenerateGrid name='flat' "
      "template='Vec2' max='1 1 0' resolution='1 1 0'/>"
      "<VolumeFromVolumetricElements name='tetra' template='Vec3' position='@grid.position' tetras='@grid.tetrahedra'/>"
      "<VolumeFromVolumetricElements name='hexa' template='Vec3' position='@grid.position' hexas='@grid.hexahedra'/>"
      "<ExtrudeSurface name='body' surfaceVertices='0 0 0 2 0 0 2 1 0 0 1 0' triangles='0 1 2 0 2 3' "
      "surfaceTriangles='0 1' heightFactor='3'/>"
      "<VolumeFromTriangles name='volume' template='Vec3' position='@body.extrusionVertices' "
      "triangles='@body.extrusionTriangles' quads=''/>"
      "<NormalsFromPoints name='normals' position='0 0 0 1 0 0 0 1 0' triangles='0 1 2' "
      "useAngles='1'/><NormalsFromPoints name='down' position='0 0 0 1 0 0 1 1 0 0 1 0' quads='0 1 2 3' "
      "invertNormals='1'/>"
      "<Spiral name='spiral' rest_position='0 0 0 3 0 1' curvature='0.5'/></Node>",
      1);
  check_close(*(double *)output(s, "tetra", "volume")->value, 2, 1e-14);   // six tetrahedra fill a cell
  check_close(*(double *)output(s, "hexa", "volume")->value, 2, 1e-14);
  check_close(*(double *)output(s, "volume", "volume")->value, 6, 1e-13);   // a closed box of 2 x 1 x 3
  check_text(s, "grid", "hexahedra", "0 1 4 3 6 7 10 9 1 2 5 4 7 8 11 10");
  check_text(s, "flat", "triangles", "0 1 2 2 1 3");
  check_text(s, "flat", "output_position", "0 0 1 0 0 1 1 1");
  check_reals(s, "normals", "normals", (const double[]){0, 0, 1, 0, 0, 1, 0, 0, 1}, 9);
  check_reals(s, "down", "normals", (const double[]){0, 0, -1, 0, 0, -1, 0, 0, -1, 0, 0, -1}, 12);
  // the point lies where the arc length is 3
  const double *x = ((dvReals *)output(s, "spiral", "position")->value)->data;
  double t = sqrt(x[3] * x[3] + x[4] * x[4]) / 0.5;
  check_close(0.25 * (t * sqrt(1 + t * t) + asinh(t)), 3, 1e-12);
  check_close(atan2(x[4], x[3]), remainder(t, 2 * acos(-1.0)), 1e-12);
  check_close(x[5], 1, 0);
  check_close_scene(&s);
}

static void smooths_and_averages(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene(
      "<Node><MeshTopology name='t' position='0 0 0 1 3 0 2 0 0' edges='0 1 1 2'/><MechanicalObject "
      "name='mo'/><SmoothMeshEngine name='all' input_position='@t.position'/>"
      "<SmoothMeshEngine name='one' input_position='@t.position' input_indices='1' nb_iterations='3'/><AverageCoord "
      "name='mean' template='Vec3'/><AverageCoord name='two' template='Vec3' indices='0 2' vecId='2'/></Node>",
      1);
  check_reals(s, "all", "output_position", (const double[]){1, 3, 0, 1, 0, 0, 1, 3, 0}, 9);
  check_reals(s, "one", "output_position", (const double[]){0, 0, 0, 1, 0, 0, 2, 0, 0}, 9);
  check_text(s, "mean", "average", "1 1 0");
  check_text(s, "two", "average", "1 0 0");
  check_close_scene(&s);
}

// --- laziness ------------------------------------------------------------------------------------

static void runs_once_and_only_when_read(void **state)
{
  DV_UNUSED(state);
  dvScene *s =
      check_scene("<Node><DefaultAnimationLoop/><TransformEngine name='top' input_position='1 0 0'/>"
                  "<TransformEngine name='left' input_position='@top.output_position' translation='1 0 "
                  "0'/><TransformEngine name='right' input_position='@top.output_position' translation='0 1 0'/>"
                  "<MergePoints name='bottom' template='Vec3' position1='@left.output_position' "
                  "position2='@right.output_position'/>"
                  "<TransformEngine name='unused' input_position='@top.output_position'/></Node>",
                  1);
  const char *const names[] = {"top", "left", "right", "bottom"};
  check_steps(s, 3);
  assert_false(check_find(s, "unused")->updated);
  check_reals(s, "bottom", "points", (const double[]){2, 0, 0, 1, 1, 0}, 6);
  uint32_t counters[4];
  for (size_t i = 0; i < 3; i++) counters[i] = dv_object_field(check_find(s, names[i]), "output_position")->counter;
  counters[3] = dv_object_field(check_find(s, "bottom"), "points")->counter;
  for (size_t i = 0; i < 4; i++) assert_int_equal(counters[i], 2);   // the default, and one run
  output(s, "bottom", "points");
  assert_int_equal(dv_object_field(check_find(s, "top"), "output_position")->counter, 2);
  // one change at the top runs each of the diamond once more
  assert_int_equal(dv_object_set(check_find(s, "top"), "translation", "5 0 0"), DV_OK);
  check_reals(s, "bottom", "points", (const double[]){7, 0, 0, 6, 1, 0}, 6);
  for (size_t i = 0; i < 3; i++)
    assert_int_equal(dv_object_field(check_find(s, names[i]), "output_position")->counter, 3);
  assert_int_equal(dv_object_field(check_find(s, "bottom"), "points")->counter, 3);
  check_close_scene(&s);
}

// a state whose positions an engine makes follows what the engine reads
static void a_state_follows_an_engine(void **state)
{
  DV_UNUSED(state);
  dvScene *s =
      check_scene("<Node gravity='0 -10 0' dt='0.1'><DefaultAnimationLoop/><Node "
                  "name='body'><EulerExplicitSolver/><MechanicalObject name='mo' position='0 0 0 1 0 0'/><UniformMass "
                  "totalMass='1'/>"
                  "<PointsFromIndices name='last' position='@mo.position' indices='1'/></Node><Node "
                  "name='copy'><MechanicalObject name='mo' position='@../body/last.indices_position'/></Node></Node>",
                  1);
  check_steps(s, 3);
  check_close(check_value(s, "copy/mo", DV_X, 1), check_value(s, "body/mo", DV_X, 4), 0);
  assert_true(check_value(s, "copy/mo", DV_X, 1) < -0.1);
  check_close_scene(&s);
}

// --- mistakes ------------------------------------------------------------------------------------

static void says_what_is_wrong(void **state)
{
  DV_UNUSED(state);
  check_refused("<PointsFromIndices name='e' position='0 0 0' indices='0 4'/>", "indices_position",
                "entry 1 is 4, but there are 1 points");
  check_refused("<ValuesFromIndices name='e' in='0 1' indices='-1'/>", "out", "entry 0 is -1");
  check_refused("<TransformEngine name='e' input_position='0 0 0' scale='0 1 1' inverse='1'/>", "output_position",
                "cannot be undone");
  check_refused("<InvertTransformMatrixEngine name='e' inT='1 0 0 0 0 0 0 0 0 0 1 0 0 0 0 1'/>", "outT",
                "has no inverse");
  check_refused("<MergeMeshes name='e' position1='0 0 0' triangles1='0 0 3'/>", "triangles",
                "triangles1: entry 2 is 3");
  check_refused("<MergeSets name='e' op='product'/>", "out", "does not know the operation 'product'");
  check_refused("<MathOp name='e' op='%'/>", "output", "does not know the operation '%'");
  check_refused("<MergeVectors name='e' nbInputs='-3'/>", "output", "nbInputs -3 is not between");
  check_refused("<GenerateGrid name='e' resolution='100000 100000 1'/>", "tetrahedra", "is too large");
  check_refused("<IndexValueMapper name='e' indices='2000000000'/>", "outputValues", "entries at most");
  check_refused("<DifferenceEngine name='e' input='1 2 3' substractor='1 2'/>", "output", "to take off");
  check_refused("<TransformEngine name='e' input_position='@f.output_position'/><TransformEngine name='f' "
                "input_position='@e.output_position'/>",
                "output_position",
                "closes a cycle: /f.input_position -> /f.output_position -> /e.input_position -> /e.output_position -> "
                "/f.input_position");
  check_refused("<MathOp name='e' input1='@a.output' input2='1'/><MathOp name='a' input1='1' "
                "input2='@b.output'/><MathOp name='b' input1='@e.output' input2='2'/>",
                "output", "closes a cycle: ");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(transforms_points),         cmocka_unit_test(composes_matrices),
      cmocka_unit_test(picks_and_finds),           cmocka_unit_test(merges_lists),
      cmocka_unit_test(computes_with_lists),       cmocka_unit_test(merges_and_splits_meshes),
      cmocka_unit_test(cuts_a_mesh_in_two),        cmocka_unit_test(generates_meshes),
      cmocka_unit_test(smooths_and_averages),      cmocka_unit_test(runs_once_and_only_when_read),
      cmocka_unit_test(a_state_follows_an_engine), cmocka_unit_test(says_what_is_wrong),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

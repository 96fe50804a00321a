// Selecting engines beyond boxes and spheres, and those on labels, against closed forms.
#include "engine/outputs.h"
#include "topology/report.h"

#include <string.h>

// a cube from 0 to 2 with its faces looking outwards
#define CUBE_POINTS "0 0 0 2 0 0 2 2 0 0 2 0 0 0 2 2 0 2 2 2 2 0 2 2"
#define CUBE_TRIANGLES "0 2 1 0 3 2 4 5 6 4 6 7 0 1 5 0 5 4 1 2 6 1 6 5 2 3 7 2 7 6 3 0 4 3 4 7"

static void a_surface_selects_what_it_encloses(void **state)
{
  DV_UNUSED(state);
  const char *input = "position='1 1 1  0.3 1.7 0.2  2.8 1.1 1  1 -1 1  1.5 1.2 0.9' edges='0 1 0 2 0 4' triangles='0 "
                      "1 4 0 1 3' ROIposition='" CUBE_POINTS "' ROItriangles='" CUBE_TRIANGLES "'";
  char *text = dv_format("<Node><MeshROI name='roi' strict='0' %s/><MeshROI name='strict' %s/><MeshROI name='box' "
                         "computeMeshROI='0' %s/></Node>",
                         input, input, input);
  dvScene *s = check_scene(text, 1);
  dv_free(text);
  check_text(s, "roi", "indices", "0 1 4");
  check_text(s, "roi", "indicesOut", "2 3");
  check_text(s, "roi", "edgeIndices", "0 1 2");   // the middle of 0 2 is inside
  check_text(s, "strict", "edgeIndices", "0 2");
  check_text(s, "roi", "triangleIndices", "0 1");
  check_text(s, "strict", "triangleIndices", "0");
  check_text(s, "strict", "trianglesOutROI", "0 1 3");
  check_text(s, "roi", "nbIndices", "3");
  check_text(s, "roi", "box", "0 0 0 2 2 2");
  check_text(s, "box", "indices", "0 1 4");
  check_close_scene(&s);
}

static void nearest_points_make_pairs(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene(
      "<Node><Node name='a'><MechanicalObject name='mo' position='0 0 0 1 0 0 2 0 0 3 0 0'/></Node>"
      "<Node name='b'><MechanicalObject name='mo' position='0.1 0 0 2.4 0 0 9 0 0 1 0.3 0'/></Node>"
      "<NearestPointROI name='pairs' template='Vec3' object1='@a/mo' object2='@b/mo' radius='0.5'/>"
      "<NearestPointROI name='some' template='Vec3' object1='@a/mo' object2='@b/mo' radius='10' inputIndices1='3 1' "
      "inputIndices2='2 3'/>"
      "<Node name='c'><MechanicalObject name='mo' template='Vec6' position='0 0 0 0 0 0 0 0 0 0 0 2'/></Node>"
      "<NearestPointROI name='six' template='Vec6' object1='@c/mo' object2='@c/mo'/></Node>",
      1);
  check_text(s, "pairs", "indices1", "0 2 1");
  check_text(s, "pairs", "indices2", "0 1 3");
  check_text(s, "pairs", "edges", "0 1 2 3 4 5");
  check_text(s, "pairs", "indexPairs", "0 0 1 0 0 2 1 1 0 1 1 3");
  check_reals(s, "pairs", "distances", (const double[]){0.1, 0.4, 0.3}, 3);
  check_text(s, "some", "indices1", "3 1");
  check_text(s, "some", "indices2", "2 3");
  check_text(s, "six", "indices1", "0 1");
  check_close_scene(&s);
}

// positions that move are paired anew; rest positions are not
static void pairs_follow_positions(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene(
      "<Node gravity='-10 0 0' dt='0.1'><DefaultAnimationLoop/><Node name='a'><MechanicalObject name='mo' position='0 "
      "0 0 1 0 0'/></Node>"
      "<Node name='b'><EulerExplicitSolver/><MechanicalObject name='mo' position='0.9 0 0'/><UniformMass "
      "totalMass='1'/></Node>"
      "<NearestPointROI name='moving' template='Vec3' object1='@a/mo' object2='@b/mo' useRestPosition='0' radius='2'/>"
      "<NearestPointROI name='rest' template='Vec3' object1='@a/mo' object2='@b/mo' radius='2'/></Node>",
      1);
  check_text(s, "moving", "indices1", "1");
  check_steps(s, 4);
  check_text(s, "moving", "indices1", "0");
  check_text(s, "rest", "indices1", "1");
  check_close_scene(&s);
}

static void the_nearest_points_are_selected(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene("<Node><ProximityROI name='two' N='2' centers='0 0 0 10 0 0' radii='5' position='4 0 0 1 0 "
                           "0 9 0 0 20 0 0 2 0 0'/>"
                           "<ProximityROI name='all' N='99' centers='0 0 0 10 0 0' radii='5' position='4 0 0 1 0 0 9 0 "
                           "0 20 0 0 2 0 0'/></Node>",
                           1);
  check_text(s, "two", "indices", "1 2");
  check_text(s, "two", "indicesOut", "0 3 4");
  check_reals(s, "two", "distance", (const double[]){1, 1}, 2);
  check_text(s, "all", "indices", "1 2 4 0");
  check_reals(s, "all", "distance", (const double[]){1, 1, 2, 4}, 4);
  check_reals(s, "two", "pointsInROI", (const double[]){1, 0, 0, 9, 0, 0}, 6);
  check_close_scene(&s);
}

static void sets_of_points_have_a_distance(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene(
      "<Node><HausdorffDistance name='h' template='Vec3' points1='0 0 0 1 0 0' points2='0 0 0 1 0 0 1 3 4'/>"
      "<HausdorffDistance name='plane' template='Vec2' points1='0 0' points2='3 4'/><HausdorffDistance name='frames' "
      "template='Rigid3' points1='0 0 0 0 0 0 1' points2='0 2 0 0 1 0 0'/></Node>",
      1);
  check_close(check_real(s, "h", "d12"), 0, 0);
  check_close(check_real(s, "h", "d21"), 5, 1e-15);
  check_close(check_real(s, "h", "max"), 5, 1e-15);
  check_close(check_real(s, "plane", "max"), 5, 1e-15);
  check_close(check_real(s, "frames", "d12"), 2, 1e-15);
  check_close_scene(&s);
}

static void lists_and_labels(void **state)
{
  DV_UNUSED(state);
  dvScene *s =
      check_scene("<Node><MergeROIs name='merge' nbROIs='3' indices1='3 1' indices2='' indices3='0-2'/><ROIValueMapper "
                  "name='values' nbROIs='2' indices1='1 3' value1='5' indices2='0' value2='7' defaultValue='-1'/>"
                  "<SelectLabelROI name='label' template='unsigned int' labels='[1,2] [3] [] [2]' selectLabels='2 "
                  "9'/><SelectLabelROI name='plain' labels='4 5 4' selectLabels='4'/>"
                  "<SelectLabelROI name='linked' labels='@merge.roiIndices' selectLabels='1'/>"
                  "<SelectConnectedLabelsROI name='meet' nbLabels='2' labels1='[1] [1] [2] []' labels2='[7] [8] [7] "
                  "[7]' connectLabels='7 1'/></Node>",
                  1);
  check_text(s, "merge", "roiIndices", "[3,1] [] [0,1,2]");
  check_reals(s, "values", "outputValues", (const double[]){7, 5, -1, 5}, 4);
  check_text(s, "label", "indices", "0 3");
  check_text(s, "plain", "indices", "0 2");
  check_text(s, "linked", "indices", "0 2");
  check_text(s, "meet", "indices", "0");
  check_close_scene(&s);
}

static void groups_have_a_stiffness(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene("<Node><GroupFilterYoungModulus name='named' groups='soft m 0 0 2 hard m 0 3 2' "
                           "primitives='0-5' mapGroupModulus='hard 500; soft 20;' defaultYoungModulus='1'/>"
                           "<GroupFilterYoungModulus name='listed' groups='soft m 0 0 2 hard m 0 3 1' "
                           "groupModulus='20'/><GroupFilterYoungModulus name='numbers' elementsGroup='3 1 3' "
                           "mapGroupModulus='1 10; 3 30'/></Node>",
                           1);
  check_reals(s, "named", "youngModulus", (const double[]){20, 20, 1, 500, 500, 1}, 6);
  check_reals(s, "listed", "youngModulus", (const double[]){20, 20, 10000}, 3);
  check_reals(s, "numbers", "youngModulus", (const double[]){30, 10, 30}, 3);
  check_close_scene(&s);
}

static void values_change_along_a_direction(void **state)
{
  DV_UNUSED(state);
  dvScene *s =
      check_scene("<Node><ValuesFromPositions name='v' template='Vec3' direction='0 2 0' inputValues='0 10 30' "
                  "position='0 0 0 1 1 0 2 2 0 5 0.5 0 0 4 1' edges='0 1' triangles='0 1 2' tetrahedra='0 2 3 4'/>"
                  "<ValuesFromPositions name='d' template='Vec3' direction='1 1 0' fieldType='Vector' position='0 0 0 "
                  "1 1 0' edges='0 1'/></Node>",
                  1);
  check_reals(s, "v", "values", (const double[]){0, 5, 10, 2.5, 30}, 5);
  check_reals(s, "v", "edgeValues", (const double[]){2.5}, 1);
  check_reals(s, "v", "triangleValues", (const double[]){5}, 1);
  check_reals(s, "v", "tetrahedronValues", (const double[]){8.125}, 1);
  check_reals(s, "d", "pointVectors", (const double[]){1, 1, 0, 1, 1, 0}, 6);
  check_reals(s, "d", "edgeVectors", (const double[]){1, 1, 0}, 3);
  check_text(s, "d", "values", "");
  check_close_scene(&s);
}

// --- clusters ------------------------------------------------------------------------------------

// nine points in a row: the farthest from 0 is 8; then both move to the middle of their halves
static void samples_are_spread(void **state)
{
  DV_UNUSED(state);
  const char *row = "position='0 0 0 1 0 0 2 0 0 3 0 0 4 0 0 5 0 0 6 0 0 7 0 0 8 0 0'";
  char *text =
      dv_format("<Node><MeshSampler name='ends' number='2' maxIter='0' %s/><MeshSampler name='line' number='2' %s/>"
                "<MeshSampler name='edges' number='2' maxIter='0' %s edges='0 8 8 1 1 2 2 3 3 4 4 5 5 6 6 "
                "7'/><MeshSampler name='many' number='20' %s/></Node>",
                row, row, row, row);
  dvScene *s = check_scene(text, 1);
  dv_free(text);
  check_text(s, "ends", "outputIndices", "0 8");
  check_text(s, "line", "outputIndices", "2 6");   // 0 to 4, and 5 to 8 with their mean at 6.5
  check_reals(s, "ends", "outputPosition", (const double[]){0, 0, 0, 8, 0, 0}, 6);
  check_text(s, "edges", "outputIndices", "0 7");   // 8 is next to 0, 7 at the other end of the path
  assert_int_equal(((dvInts *)output(s, "many", "outputIndices")->value)->count, 9);
  check_close_scene(&s);
}

static void clusters_overlap(void **state)
{
  DV_UNUSED(state);
  const char *row = "position='0 0 0 1 0 0 2 0 0 3 0 0 4 0 0'";
  char *text = dv_format("<Node><ClusteringEngine name='each' useTopo='0' radius='1.5' %s/><ClusteringEngine "
                         "name='two' useTopo='0' radius='0.1' number='2' %s fixedPosition='4.5 0 0' fixedRadius='1'/>"
                         "<Node name='mesh'><MeshTopology position='0 0 0 1 0 0 2 0 0 3 0 0 4 0 0' edges='0 1 1 2 2 3 "
                         "3 4'/><ClusteringEngine name='topo' radius='0.1' number='2' %s/></Node></Node>",
                         row, row, row);
  dvScene *s = check_scene(text, 1);
  dv_free(text);
  check_text(s, "each", "cluster", "[0,1] [1,0,2] [2,1,3] [3,2,4] [4,3]");
  // no point is within the radius: each goes to the nearest centre, and a centre to that of the other cluster
  check_text(s, "two", "cluster", "[0,1,2,4] [4,0,3,5]");
  check_text(s, "mesh/topo", "cluster", "[0,1,2,3] [4,3,2]");   // own regions 0 1 2 and 3 4, and one ring more
  check_close_scene(&s);
}

// a turned and moved body is its own target; a stretched one is drawn back to the rotation, or left when it may be
// affine
static void shapes_are_matched(void **state)
{
  DV_UNUSED(state);
  const char *rest = "rest_position='0 0 0 1 0 0 0 2 0 0 0 3'", *cluster = "cluster='[0,1,2,3]'";
  char *text = dv_format("<Node><MechanicalObject name='mo' position='0 0 0 1 0 0 0 2 0 0 0 3' %s/><ShapeMatching "
                         "name='turned' position='5 0 0 5 1 0 3 0 0 5 0 3' %s/>"
                         "<ShapeMatching name='affine' affineRatio='1' position='0 0 0 2 0 0 0 2 0 1 0 3' "
                         "%s/><ShapeMatching name='free' position='0 0 0 7 0 0 0 2 0 0 0 3' cluster='[0,2,3]'/>"
                         "<ShapeMatching name='stretched' position='0 0 0 2 0 0 0 4 0 0 0 6' %s/></Node>",
                         rest, cluster, cluster, cluster);
  dvScene *s = check_scene(text, 1);
  dv_free(text);
  check_reals(s, "turned", "targetPosition", (const double[]){5, 0, 0, 5, 1, 0, 3, 0, 0, 5, 0, 3}, 12);
  check_reals(s, "affine", "targetPosition", (const double[]){0, 0, 0, 2, 0, 0, 0, 2, 0, 1, 0, 3}, 12);
  const double *free_point = ((dvReals *)output(s, "free", "targetPosition")->value)->data + 3;
  check_close(free_point[0], 7, 0);   // in no cluster: stays
  // twice as large: the rotation is the identity, about the centre (0.5 1 1.5)
  check_reals(s, "stretched", "targetPosition",
              (const double[]){0.25, 0.5, 0.75, 1.25, 0.5, 0.75, 0.25, 2.5, 0.75, 0.25, 0.5, 3.75}, 12);
  check_close_scene(&s);
}

static void clusters_are_written_and_read(void **state)
{
  DV_UNUSED(state);
  char *directory = check_mkdir();
  char *text = dv_format("<Node><ClusteringEngine name='out' useTopo='0' radius='1.5' position='0 0 0 1 0 0 2 0 0' "
                         "outFile='%s/clusters.txt'/></Node>",
                         directory);
  dvScene *s = check_scene(text, 1);
  check_text(s, "out", "cluster", "[0,1] [1,0,2] [2,1]");
  check_steps(s, 1);   // the file waits for it
  check_close_scene(&s);
  dv_free(text);
  text = dv_format("<Node><ClusteringEngine name='in' position='0 0 0 1 0 0 2 0 0' inFile='%s/clusters.txt'/></Node>",
                   directory);
  s = check_scene(text, 1);
  check_text(s, "in", "cluster", "[0,1] [1,0,2] [2,1]");
  check_close_scene(&s);
  dv_free(text);
  check_rmdir(directory);
}

// --- mistakes ------------------------------------------------------------------------------------

static void says_what_is_wrong(void **state)
{
  DV_UNUSED(state);
  check_refused("<ProximityROI name='e' centers='0 0 0' radii='1' position='0 0 0'/>", "indices", "N is 0");
  check_refused("<ProximityROI name='e' N='3' centers='0 0 0' position='0 0 0'/>", "indices", "no radii");
  check_refused("<MechanicalObject position='0 0 0'/><NearestPointROI name='e' template='Vec3' radius='-1'/>",
                "indices1", "finds nothing");
  check_refused("<HausdorffDistance name='e' points1='0 0 0'/>", "max", "no distance between 1 and 0 points");
  check_refused("<SelectConnectedLabelsROI name='e' nbLabels='2' labels1='[1] [2]' labels2='[1]'/>", "indices",
                "labels2 has 1 lists, labels1 has 2");
  check_refused("<ROIValueMapper name='e' nbROIs='1' indices1='2000000000' value1='1'/>", "outputValues",
                "entries at most");
  check_refused("<GroupFilterYoungModulus name='e' groups='a m 0 0 2' mapGroupModulus='b 5;'/>", "youngModulus",
                "no group 'b'");
  check_refused("<GroupFilterYoungModulus name='e' groups='a m'/>", "youngModulus", "is no group");
  check_refused("<MeshSampler name='e' position='0 0 0' number='0'/>", "outputIndices", "choose at least one");
  check_refused("<MeshSampler name='e' position='0 0 0' edges='0 1'/>", "outputIndices", "entry 1 is 1");
  check_refused("<ClusteringEngine name='e' position='0 0 0' number='0'/>", "cluster", "no number of clusters");
  check_refused("<ClusteringEngine name='e' position='0 0 0' inFile='none.txt'/>", "cluster", "cannot be read");
  check_refused("<MechanicalObject position='0 0 0'/><ShapeMatching name='e' position='0 0 0 1 0 0' cluster='[0]'/>",
                "targetPosition", "2 points and 1 at rest");
  check_refused("<MechanicalObject position='0 0 0'/><ShapeMatching name='e' position='0 0 0' cluster='[0,3]'/>",
                "targetPosition", "the point 3");
}

// an open surface is told, with an edge of the hole
static void an_open_surface_is_told(void **state)
{
  DV_UNUSED(state);
  Report r;
  report_start(
      &r, "<Node><MeshROI name='e' position='0 0 0' ROIposition='0 0 0 1 0 0 0 1 0' ROItriangles='0 1 2'/></Node>");
  report_says(&r, "not closed: 3 of its edges");
  report_says(&r, "MeshClosingEngine");
  report_end(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_surface_selects_what_it_encloses),
      cmocka_unit_test(nearest_points_make_pairs),
      cmocka_unit_test(pairs_follow_positions),
      cmocka_unit_test(the_nearest_points_are_selected),
      cmocka_unit_test(sets_of_points_have_a_distance),
      cmocka_unit_test(lists_and_labels),
      cmocka_unit_test(groups_have_a_stiffness),
      cmocka_unit_test(values_change_along_a_direction),
      cmocka_unit_test(samples_are_spread),
      cmocka_unit_test(clusters_overlap),
      cmocka_unit_test(shapes_are_matched),
      cmocka_unit_test(clusters_are_written_and_read),
      cmocka_unit_test(says_what_is_wrong),
      cmocka_unit_test(an_open_surface_is_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

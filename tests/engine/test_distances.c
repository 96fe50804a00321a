// Meshes of voxels, distances along them, and the sphere of quads.
#include "engine/outputs.h"

#include "topology/search/rays.h"

#include <string.h>

// an L of five voxels in a grid of 3 x 3 x 1: 0 1 2 along x, 3 and 6 along y
static char *write_l(const char *directory)
{
  const char bytes[] = {10, 20, 30, 40, 0, 0, 51, 0, 0};
  char *path = dv_format("%s/l.raw", directory);
  FILE *f = fopen(path, "wb");
  assert_non_null(f);
  assert_int_equal(fwrite(bytes, 1, sizeof bytes, f), sizeof bytes);
  fclose(f);
  return path;
}

static dvScene *l_scene(const char *path, const char *more)
{
  char *text = dv_format("<Node><VoxelGridLoader name='loader' filename='%s' resolution='3 3 1' "
                         "bgValue='0'/><DynamicSparseGridTopologyContainer name='grid' src='@loader'/>"
                         "<DynamicSparseGridTopologyModifier/><DynamicSparseGridGeometryAlgorithms/>%s</Node>",
                         path, more);
  dvScene *s = check_scene(text, 1);
  dv_free(text);
  return s;
}

static void voxels_know_their_places(void **state)
{
  DV_UNUSED(state);
  char *directory = check_mkdir(), *path = write_l(directory);
  dvScene *s = l_scene(path, "<MultilevelHexahedronSetTopologyContainer name='levels' src='@loader' level='1'/>");
  check_text(s, "grid", "idxInRegularGrid", "0 1 2 3 6");
  check_text(s, "grid", "valuesIndexedInTopology", "10 20 30 40 51");
  check_text(s, "grid", "valuesIndexedInRegularGrid", "255 255 255 255 0 0 255 0 0");
  check_text(s, "grid", "idInRegularGrid2IndexInTopo", "0 0 1 1 2 2 3 3 6 4");
  check_text(s, "levels", "fineComponents", "0 1 2 3 6");
  check_text(s, "levels", "coarseComponents", "0 0 1 0 2");   // two cells of the coarse grid along x and y
  assert_int_equal(((dvInts *)output(s, "grid", "hexahedra")->value)->count / 8, 5);
  check_close_scene(&s);
  dv_free(path);
  check_rmdir(directory);
}

static void distances_follow_the_mesh(void **state)
{
  DV_UNUSED(state);
  char *directory = check_mkdir(), *path = write_l(directory);
  dvScene *s = l_scene(
      path,
      "<Node name='t'><MechanicalObject name='mo' position='0.5 2.5 0.5 1.25 0.5 0.5'/></Node><Distances name='geo' "
      "targetPath='@t/mo' sources='2.5 0.5 0.5'/>"
      "<Distances name='stiff' distanceType='Stiffness Diffusion' sources='2.5 0.5 0.5'/><Distances name='voronoi' "
      "d_distanceType='Voronoi' sources='2.5 0.5 0.5 0.5 2.5 0.5'/>"
      "<Distances name='harmonic' distanceType='Harmonic' harmonicMaxValue='10' sources='2.5 0.5 0.5 0.5 2.5 0.5'/>");
  double d = sqrt(2);
  // from cell 2 to 1, and from there across the corner to 3
  check_reals(s, "geo", "distanceMap", (const double[]){2, 1, 0, 1 + d, 2 + d}, 5);
  check_reals(s, "stiff", "distanceMap",
              (const double[]){(1 + 30.0 / 51) + (1 + 20.0 / 51), 1 + 30.0 / 51, 0,
                               (1 + 30.0 / 51) + d * (1 + 20.0 / 51),
                               (1 + 30.0 / 51) + d * (1 + 20.0 / 51) + (1 + 40.0 / 51)},
              5);
  // the middle cells are as near to the one as to the other: the first has cell 0, each its side
  check_reals(s, "voronoi", "distanceMap", (const double[]){2, 1, 0, -1, -1, -1, -1, -1, 1, 0}, 10);
  // at a point: the value of its cell and the slope
  check_reals(s, "geo", "gradients", (const double[]){0, 1, 0, -1, 0, 0}, 6);
  check_reals(s, "geo", "distances", (const double[]){2 + d, 1.25}, 2);
  // between the two ends the mean of the neighbours: by symmetry half at the corner
  const double *h = ((dvReals *)output(s, "harmonic", "distanceMap")->value)->data;
  check_close(h[2], 0, 0);
  check_close(h[4], 10, 0);
  check_close(h[0], 5, 1e-4);
  check_close(h[1] + h[3], 10, 1e-4);
  check_close(h[1], (2 * h[2] + 2 * h[0] + h[3]) / 5, 1e-3);
  check_close_scene(&s);
  dv_free(path);
  check_rmdir(directory);
}

// cells of a zone are held as the source is that they belong to
static void zones_hold_their_cells(void **state)
{
  DV_UNUSED(state);
  char *directory = check_mkdir(), *path = write_l(directory);
  dvScene *s =
      l_scene(path, "<Distances name='harmonic' distanceType='Harmonic' harmonicMaxValue='10' sources='2.5 0.5 "
                    "0.5 0.5 2.5 0.5' zonesFramePair='20 0 40 1'/>");
  const double *h = ((dvReals *)output(s, "harmonic", "distanceMap")->value)->data;
  const double own[5] = {5, 0, 0, 10, 10};   // of the first source; cell 0 is between the two zones
  for (int i = 0; i < 5; i++) check_close(h[i], own[i], 1e-4);
  for (int i = 0; i < 5; i++) check_close(h[5 + i], 10 - own[i], 1e-4);
  check_close_scene(&s);
  dv_free(path);
  check_rmdir(directory);
}

static void a_target_is_filled(void **state)
{
  DV_UNUSED(state);
  char *directory = check_mkdir(), *path = write_l(directory);
  dvScene *s = l_scene(
      path,
      "<Node name='all'><MechanicalObject name='mo'/></Node><Node name='some'><MechanicalObject name='mo'/></Node>"
      "<Distances targetPath='@all/mo' initTarget='1' offset='0 0 7'/><Distances targetPath='@some/mo' initTarget='1' "
      "initTargetStep='2'/>");
  check_reals(s, "all/mo", "position",
              (const double[]){0.5, 0.5, 7.5, 1.5, 0.5, 7.5, 2.5, 0.5, 7.5, 0.5, 1.5, 7.5, 0.5, 2.5, 7.5}, 15);
  check_reals(s, "some/mo", "rest_position", (const double[]){0.5, 0.5, 0.5, 2.5, 0.5, 0.5, 0.5, 2.5, 0.5}, 9);
  check_close_scene(&s);
  dv_free(path);
  check_rmdir(directory);
}

static void a_box_becomes_a_sphere(void **state)
{
  DV_UNUSED(state);
  dvScene *s =
      check_scene("<Node><SphereQuadTopology name='ball' nx='5' ny='4' nz='6' center='1 2 3' radius='2'/></Node>", 1);
  const dvReals *x = output(s, "ball", "position")->value;
  const dvInts *q = output(s, "ball", "quads")->value;
  assert_int_equal(x->count / 3, 2 * 20 + 4 * 14);
  for (size_t i = 0; i < x->count; i += 3)
    check_close(sqrt(pow(x->data[i] - 1, 2) + pow(x->data[i + 1] - 2, 2) + pow(x->data[i + 2] - 3, 2)), 2, 1e-14);
  assert_int_equal(dv_surface_open_edges(NULL, 0, q->data, q->count / 4, NULL), 0);
  check_close(x->data[0], 1 - 2 / sqrt(3), 1e-14);   // a corner of the box
  check_close_scene(&s);
}

static void says_what_is_wrong(void **state)
{
  DV_UNUSED(state);
  check_refused("<Distances name='e' sources='0 0 0'/>", "distanceMap", "finds no mesh");
  check_refused("<MeshTopology position='0 0 0 1 0 0' edges='0 1'/><Distances name='e' sources='0 0 0'/>",
                "distanceMap", "no hexahedra");
  check_refused("<RegularGridTopology n='2 2 2' max='1 1 1'/><Distances name='e' distanceType='Far' sources='0 0 0'/>",
                "distanceMap", "'Far' is no distance");
  check_refused("<RegularGridTopology n='2 2 2' max='1 1 1'/><Distances name='e' zonesFramePair='1 0 2' "
                "sources='0 0 0'/>",
                "distanceMap", "do not make pairs");
  Report r;
  report_start(&r, "<Node><DynamicSparseGridTopologyContainer resolution='2 1 1' position='0 0 0 1 0 0 1 1 0 0 1 0 0 0 "
                   "1 1 0 1 1 1 1 0 1 1' hexahedra='0 1 2 3 4 5 6 7' idxInRegularGrid='5'/></Node>");
  assert_int_equal(r.status, DV_ERROR_INPUT);
  report_says(&r, "entry 0 is 5, but the grid has 2 voxels");
  report_end(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(voxels_know_their_places), cmocka_unit_test(distances_follow_the_mesh),
      cmocka_unit_test(zones_hold_their_cells),   cmocka_unit_test(a_target_is_filled),
      cmocka_unit_test(a_box_becomes_a_sphere),   cmocka_unit_test(says_what_is_wrong),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

// Sparse grids: cells of a cube counted by hand, SOFA's numbering, coarser levels, pieces, what is refused.
#include "topology/report.h"

#include "topology/grid/sparse_grid.h"

// a cube from 0.5 to 3.5; cells of width 1 from -1 to 5: it touches 4 x 4 x 4 cells and encloses 2 x 2 x 2 of them
#define CUBE                                                                                                    \
  "position='0.5 0.5 0.5 3.5 0.5 0.5 3.5 3.5 0.5 0.5 3.5 0.5 0.5 0.5 3.5 3.5 0.5 3.5 3.5 3.5 3.5 0.5 3.5 3.5' " \
  "triangles='0 1 2 0 2 3 4 6 5 4 7 6 0 5 1 0 4 5' quads='1 5 6 2 2 6 7 3 3 7 4 0' min='-1 -1 -1' max='5 5 5' "

static double real_at(dvObject *o, const char *name, size_t i)
{
  dvField *f = dv_object_field(o, name);
  assert_int_equal(dv_field_pull(f), DV_OK);
  const dvReals *r = f->value;
  assert_true(i < r->count);
  return r->data[i];
}

static void touches_and_encloses(void **state)
{
  DV_UNUSED(state);
  Report r;
  report_good(&r, "<Node><SparseGridTopology name='g' n='7 7 7' " CUBE
                  "/><SparseGridTopology name='in' onlyInsideCells='1' n='7 7 7' " CUBE "/>"
                  "<SparseGridTopology name='width' cellWidth='1' " CUBE "/></Node>");
  dvTopology *g = report_topology(&r, "g");
  assert_int_equal(dv_topology_count(g, DV_HEXAHEDRON), 64);
  assert_int_equal(dv_topology_point_count(g), 125);
  assert_int_equal(dv_topology_count(g, DV_EDGE), 0);   // as in SOFA
  assert_int_equal(dv_topology_count(g, DV_TRIANGLE), 0);
  assert_int_equal(dv_topology_count(report_topology(&r, "in"), DV_HEXAHEDRON), 8);
  assert_int_equal(dv_topology_point_count(report_topology(&r, "in")), 27);
  assert_int_equal(dv_topology_count(report_topology(&r, "width"), DV_HEXAHEDRON), 64);
  // points with z fastest, boundary cells first
  const dvReals *x = dv_topology_positions(g);
  const double first[] = {0, 0, 0, 0, 0, 1, 0, 0, 2, 0, 0, 3, 0, 0, 4, 0, 1, 0};
  for (size_t i = 0; i < DV_COUNT(first); i++) check_close(x->data[i], first[i], 1e-12);
  const dvInts *hexa = dv_topology_elements(g, DV_HEXAHEDRON);
  const int32_t corners[8] = {0, 25, 30, 5, 1, 26, 31, 6}, inner[8] = {31, 56, 61, 36, 32, 57, 62, 37};
  for (size_t i = 0; i < 8; i++) {
    assert_int_equal(hexa->data[i], corners[i]);
    assert_int_equal(hexa->data[8 * 56 + i], inner[i]);
  }
  check_close(real_at(&g->base, "cellStiffness", 55), 0.5, 0);
  check_close(real_at(&g->base, "cellMass", 56), 1, 0);
  report_end(&r);
}

static void reads_a_file_and_finds_the_box(void **state)
{
  DV_UNUSED(state);
  char *directory = check_mkdir();
  char *file = check_write(directory, "box.obj",
                           "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n"
                           "f 1 2 3 4\nf 5 8 7 6\nf 1 5 6 2\nf 2 6 7 3\nf 3 7 8 4\nf 4 8 5 1\n");
  char *text = dv_format("<Node><SparseGridTopology name='g' n='5 5 5' fileTopology='%s'/></Node>", file);
  Report r;
  report_good(&r, text);
  dvTopology *g = report_topology(&r, "g");
  assert_int_equal(dv_topology_count(g, DV_HEXAHEDRON), 64);
  check_close(dv_topology_positions(g)->data[0], -0.01, 1e-15);   // one percent more than the surface
  check_close(dv_topology_positions(g)->data[3 * 124], 1.01, 1e-15);
  report_end(&r);
  dv_free(text);
  dv_free(file);
  check_rmdir(directory);
}

static void coarsens_and_interpolates(void **state)
{
  DV_UNUSED(state);
  Report r;
  report_good(&r, "<Node><SparseGridTopology name='g' n='4 4 4' nbVirtualFinerLevels='1' " CUBE "/></Node>");
  dvObject *g = report_find(&r, "g");
  assert_int_equal(dv_sparse_grid_levels(g), 2);
  const dvSparseLevel *coarse = dv_sparse_grid_level(g, 0), *fine = dv_sparse_grid_level(g, 1);
  assert_int_equal(dv_topology_count(dv_topology(g), DV_HEXAHEDRON), 27);
  assert_int_equal(fine->cell_of.count, 64);
  assert_null(dv_sparse_grid_level(g, 2));
  check_close(real_at(g, "cellStiffness", 0), 0.5 / 8, 0);   // one child at the boundary
  check_close(real_at(g, "cellStiffness", 13), 1, 0);        // eight children inside
  // every fine cell has its parent; a linear field is interpolated exactly
  for (size_t i = 0; i < 64; i++) assert_in_range(fine->parent.data[i], 0, 26);
  dvInts index = {0};
  dvReals weight = {0};
  assert_true(dv_sparse_weights(coarse, fine, &index, &weight));
  for (size_t i = 0; i < dv_reals_size(&fine->points); i++)
    for (size_t k = 0; k < 3; k++) {
      double sum = 0;
      for (size_t c = 0; c < 8; c++)
        if (index.data[8 * i + c] >= 0)
          sum += weight.data[8 * i + c] * coarse->points.data[3 * (size_t)index.data[8 * i + c] + k];
      check_close(sum, fine->points.data[3 * i + k], 1e-12);
    }
  dv_ints_free(&index);
  dv_reals_free(&weight);
  report_end(&r);
}

// two cells that do not touch lie in one coarse cell
static void splits_what_is_not_connected(void **state)
{
  DV_UNUSED(state);
  Report r;
  report_good(&r, "<Node><SparseGridRamificationTopology name='apart' n='2 2 2' nbVirtualFinerLevels='2' position='0.5 "
                  "0.5 0.5 3.5 0.5 0.5' min='0 0 0' max='4 4 4' finestConnectivity='0'/>"
                  "<SparseGridRamificationTopology name='joined' n='2 2 2' nbVirtualFinerLevels='2' position='0.5 0.5 "
                  "0.5 1.5 0.5 0.5' min='0 0 0' max='4 4 4' finestConnectivity='0'/>"
                  "<SparseGridRamificationTopology name='edge' n='3 2 2' position='0.5 0.5 0.5 1.5 0.5 0.5 0.5 0.2 "
                  "0.2' triangles='0 1 2' min='0 0 0' max='2 1 1'/>"
                  "<SparseGridRamificationTopology name='cut' n='3 2 2' position='0.5 0.5 0.5 1.5 0.5 0.5' min='0 0 0' "
                  "max='2 1 1'/></Node>");
  dvObject *apart = report_find(&r, "apart");
  assert_int_equal(dv_topology_count(dv_topology(apart), DV_HEXAHEDRON), 2);
  assert_int_equal(dv_topology_point_count(dv_topology(apart)), 16);
  double at[3];
  assert_int_equal(dv_sparse_grid_find(apart, (double[3]){0.5, 0.5, 0.5}, at), 0);
  assert_int_equal(dv_sparse_grid_find(apart, (double[3]){3.5, 0.5, 0.5}, at), 1);
  check_close(at[0], 3.5 / 4, 1e-15);
  assert_int_equal(dv_topology_count(report_topology(&r, "joined"), DV_HEXAHEDRON), 1);
  // an edge of the surface joins two cells, the lack of one separates them
  assert_int_equal(dv_topology_point_count(report_topology(&r, "edge")), 12);
  assert_int_equal(dv_topology_point_count(report_topology(&r, "cut")), 16);
  report_end(&r);
}

static void mixes_several_surfaces(void **state)
{
  DV_UNUSED(state);
  char *directory = check_mkdir();
  char *a = check_write(directory, "a.obj", "v 0.5 0.5 0.5\nv 1.5 0.5 0.5\n"),
       *b = check_write(directory, "b.obj", "v 1.5 0.5 0.5\n");
  char *text = dv_format("<Node><SparseGridMultipleTopology name='g' n='3 2 2' min='0 0 0' max='2 1 1' "
                         "fileTopologies='%s %s' stiffnessCoefs='10 30' massCoefs='1 3' "
                         "finestConnectivity='0'/><SparseGridMultipleTopology name='last' n='3 2 2' min='0 0 0' max='2 "
                         "1 1' fileTopologies='%s %s' stiffnessCoefs='10 30' "
                         "massCoefs='1 3' finestConnectivity='0' erasePreviousCoef='1'/></Node>",
                         a, b, a, b);
  Report r;
  report_good(&r, text);
  dvObject *g = report_find(&r, "g");
  assert_int_equal(dv_topology_count(dv_topology(g), DV_HEXAHEDRON), 2);
  check_close(real_at(g, "cellStiffness", 0), 5, 0);      // half of 10, then untouched
  check_close(real_at(g, "cellStiffness", 1), 17.5, 0);   // half of 5 + 30
  check_close(real_at(g, "cellMass", 1), 1.75, 0);
  check_close(real_at(report_find(&r, "last"), "cellStiffness", 1), 30, 0);
  report_end(&r);
  dv_free(text);
  dv_free(a);
  dv_free(b);
  check_rmdir(directory);
}

static void reads_voxels(void **state)
{
  DV_UNUSED(state);
  char *directory = check_mkdir();
  char *text_file = check_write(directory, "a.voxel", "3 1 1  1 1 1  0 255 1"),
       *raw = check_write(directory, "b.raw", "xxxx");
  char *text = dv_format("<Node><SparseGridTopology name='v' filename='%s'/><SparseGridTopology name='r' n='3 3 2' "
                         "filename='%s' dataResolution='2 2 1' voxelSize='2 2 2'/></Node>",
                         text_file, raw);
  Report r;
  report_good(&r, text);
  assert_int_equal(dv_topology_count(report_topology(&r, "v"), DV_HEXAHEDRON), 2);
  check_close(dv_topology_positions(report_topology(&r, "v"))->data[0], 1, 0);
  assert_int_equal(dv_topology_count(report_topology(&r, "r"), DV_HEXAHEDRON), 4);
  check_close(real_at(report_find(&r, "v"), "cellStiffness", 0), 1, 0);
  report_end(&r);
  dv_free(text);
  dv_free(text_file);
  dv_free(raw);
  check_rmdir(directory);
}

static void refuses(const char *attributes, const char *message)
{
  Report r;
  char *text = dv_format("<Node><SparseGridTopology %s/></Node>", attributes);
  report_start(&r, text);
  assert_int_equal(r.status, DV_ERROR_INPUT);
  report_says(&r, message);
  report_end(&r);
  dv_free(text);
}

static void says_what_is_wrong(void **state)
{
  DV_UNUSED(state);
  refuses("n='5 5 5'", "has no surface");
  refuses("n='5 5 5' position='0 0 0 1 0 0 0 0 1'", "no extent along y");
  refuses("n='5 5 5' position='0 0 0 1 1 1' triangles='0 1 7'", "names point 7");
  refuses("n='5000 5000 5000' position='0 0 0 1 1 1'", "too large");
  refuses("n='5 5 5' position='0 0 0 1 1 1' nbVirtualFinerLevels='-1'", "is not between");
  refuses("n='5 5 5' position='0 0 0 1 1 1' nbVirtualFinerLevels='9'", "too large");
  refuses("n='5 5 5' position='0 0 0 1 1 1' facets='3 0 1'", "in the middle of a polygon");
  refuses("n='5 5 5' position='0 0 0 1 1 1' onlyInsideCells='1'", "has no cells");
  refuses("n='5 5 5' filename='nowhere.voxel'", "cannot be read");
  refuses("n='5 5 5' filename='nowhere.obj'", "nowhere.obj");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(touches_and_encloses),      cmocka_unit_test(reads_a_file_and_finds_the_box),
      cmocka_unit_test(coarsens_and_interpolates), cmocka_unit_test(splits_what_is_not_connected),
      cmocka_unit_test(mixes_several_surfaces),    cmocka_unit_test(reads_voxels),
      cmocka_unit_test(says_what_is_wrong),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

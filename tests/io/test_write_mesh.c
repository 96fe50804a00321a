// Every format that is written reads back as the same mesh, as far as it has a place for the elements.
#include "support/check.h"

#include "base/file.h"
#include "base/text.h"
#include "io/mesh/write_mesh.h"

#include <string.h>

static void push_all(dvMeshIndices *list, const int32_t *values, size_t n)
{
  for (size_t i = 0; i < n; i++) dv_push(list, values[i]);
}

// points with awkward numbers and an element of every kind
static dvMesh make_mesh(void)
{
  dvMesh mesh = {0};
  for (int i = 0; i < 8; i++) {
    dv_push(&mesh.positions, (i & 1) + 0.1);
    dv_push(&mesh.positions, (i >> 1 & 1) / 3.0);
    dv_push(&mesh.positions, -1e-7 * (i >> 2));
  }
  static const int32_t all[8] = {0, 1, 3, 2, 4, 5, 7, 6};
  push_all(&mesh.edges, (int32_t[]){0, 1, 1, 2}, 4);
  push_all(&mesh.triangles, (int32_t[]){0, 1, 2, 3, 2, 1}, 6);
  push_all(&mesh.quads, all, 4);
  push_all(&mesh.tetrahedra, (int32_t[]){0, 1, 2, 4}, 4);
  push_all(&mesh.hexahedra, all, 8);
  push_all(&mesh.prisms, all, 6);
  push_all(&mesh.pyramids, all, 5);
  return mesh;
}

static void check_same(const dvMeshIndices *a, const dvMeshIndices *b, const char *format, int kind)
{
  if (a->count != b->count)
    print_error("%s, kind %d: %zu indices read, %zu written\n", format, kind, a->count, b->count);
  assert_int_equal(a->count, b->count);
  if (a->count) assert_memory_equal(a->data, b->data, a->count * sizeof *a->data);
}

static void reads_back_equal(void **state)
{
  DV_UNUSED(state);
  static const struct {
    const char *extension;
    unsigned kinds;   // that it has a place for
  } formats[] = {{"vtk", 127}, {"vtu", 127},  {"msh", 127}, {"inp", 127}, {"obj", 7}, {"off", 6},
                 {"node", 8},  {"gidmsh", 8}, {"mesh", 10}, {"trian", 2}, {"xs3", 1}, {"sph", 0}};
  char *directory = check_mkdir();
  dvMesh mesh = make_mesh();
  for (size_t i = 0; i < DV_COUNT(formats); i++) {
    char *path = dv_format("%s/m.%s", directory, formats[i].extension);
    dvMesh back;
    dvMeshError error = {0};
    size_t lost = 0, left_out = 0;
    assert_int_equal(dv_mesh_write(path, &mesh, &lost, &error), DV_OK);
    if (dv_mesh_read(path, &back, &error) != DV_OK) {
      print_error("%s:%d: %s\n", path, error.line, error.text);
      fail();
    }
    assert_int_equal(back.positions.count, mesh.positions.count);
    for (size_t k = 0; k < mesh.positions.count; k++) check_close(back.positions.data[k], mesh.positions.data[k], 0);
    for (int k = 0; k < DV_MESH_KINDS; k++) {
      static const dvMeshIndices none = {0};
      bool kept = formats[i].kinds & (1u << k);
      if (!kept) left_out += dv_mesh_elements(&mesh, k)->count / (size_t)dv_mesh_corners(k);
      check_same(dv_mesh_elements(&back, k), kept ? dv_mesh_elements(&mesh, k) : &none, formats[i].extension, k);
    }
    assert_int_equal(lost, left_out);
    dv_mesh_free(&back);
    dv_free(path);
  }
  dv_mesh_free(&mesh);
  check_rmdir(directory);
}

// values of points and cells survive; those of cells come back in the order in which the cells were written
static void values_read_back_equal(void **state)
{
  DV_UNUSED(state);
  char *directory = check_mkdir();
  char *path = check_write(
      directory, "in.vtk",
      "# vtk DataFile Version 3.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 4 double\n0 0 0 1 0 0 0 1 0 0 0 1\n"
      "CELLS 3 11\n4 0 1 2 3\n3 0 1 2\n1 3\nCELL_TYPES 3\n10 5 1\n"
      "CELL_DATA 3\nSCALARS stiffness double\nLOOKUP_TABLE default\n10 0.1 5\n"
      "POINT_DATA 4\nVECTORS load float\n1 2 3 4 5 6 7 8 9 10 11 12\nFIELD f 1\nlabel 1 4 int\n1 2 3 -4\n");
  dvMesh mesh, back;
  dvMeshError error = {0};
  assert_int_equal(dv_mesh_read(path, &mesh, &error), DV_OK);
  assert_int_equal(mesh.values.count, 3);
  assert_true(mesh.values.data[0].of_cells && !mesh.values.data[1].of_cells && mesh.values.data[2].whole);
  static const char *const extensions[2] = {"vtk", "vtu"};
  for (int i = 0; i < 2; i++) {
    char *copy = dv_format("%s/copy.%s", directory, extensions[i]);
    assert_int_equal(dv_mesh_write(copy, &mesh, NULL, &error), DV_OK);
    assert_int_equal(dv_mesh_read(copy, &back, &error), DV_OK);
    assert_int_equal(back.values.count, 3);
    assert_int_equal(back.unread.count, 0);
    for (size_t k = 0; k < 3; k++) {
      const dvMeshValues *v = &back.values.data[k];
      if (dv_same(v->name, "stiffness")) {   // the triangle is written first; the vertex is not
        assert_int_equal(v->values.count, 2);
        check_close(v->values.data[0], 0.1, 0);
        check_close(v->values.data[1], 10, 0);
      } else if (dv_same(v->name, "load")) {
        assert_int_equal(v->width, 3);
        check_close(v->values.data[11], 12, 0);
      } else {
        assert_string_equal(v->name, "label");
        check_close(v->values.data[3], -4, 0);
      }
    }
    dv_mesh_free(&back);
    dv_free(copy);
  }
  dv_mesh_free(&mesh);
  dv_free(path);
  check_rmdir(directory);
}

static void neighbours_of_trian(void **state)
{
  DV_UNUSED(state);
  char *directory = check_mkdir(), *path = dv_format("%s/m.trian", directory);
  dvMesh mesh = {0}, back;
  dvMeshError error = {0};
  for (int i = 0; i < 12; i++) dv_push(&mesh.positions, i);
  push_all(&mesh.triangles, (int32_t[]){0, 1, 2, 3, 2, 1}, 6);
  assert_int_equal(dv_mesh_write(path, &mesh, NULL, &error), DV_OK);
  assert_int_equal(dv_mesh_read(path, &back, &error), DV_OK);
  const int32_t wanted[6] = {1, -1, -1, 0, -1, -1};
  assert_int_equal(back.neighbours.count, 6);
  assert_memory_equal(back.neighbours.data, wanted, sizeof wanted);
  dv_mesh_free(&mesh);
  dv_mesh_free(&back);
  dv_free(path);
  check_rmdir(directory);
}

static void stl_keeps_the_surface(void **state)
{
  DV_UNUSED(state);
  char *directory = check_mkdir();
  dvMesh mesh = make_mesh();
  char *path = dv_format("%s/m.stl", directory);
  for (int binary = 0; binary < 2; binary++) {
    dvMesh back;
    dvMeshError error = {0};
    assert_int_equal(binary ? dv_mesh_write_stl_binary(path, &mesh, &error) : dv_mesh_write(path, &mesh, NULL, &error),
                     DV_OK);
    assert_int_equal(dv_mesh_read(path, &back, &error), DV_OK);
    assert_int_equal(back.triangles.count, mesh.triangles.count + 6);
    for (size_t k = 0; k < back.triangles.count && k < 6; k++)
      for (int d = 0; d < 3; d++)
        check_close(back.positions.data[3 * back.triangles.data[k] + d],
                    mesh.positions.data[3 * mesh.triangles.data[k] + d], 1e-7);
    dv_mesh_free(&back);
  }
  dv_free(path);
  dv_mesh_free(&mesh);
  check_rmdir(directory);
}

static void what_cannot_be_written_is_told(void **state)
{
  DV_UNUSED(state);
  dvMesh mesh = make_mesh();
  dvMeshError error = {0};
  assert_false(dv_mesh_can_write("a.scn"));
  assert_int_equal(dv_mesh_write("a.xyz", &mesh, NULL, &error), DV_ERROR_INPUT);
  assert_non_null(strstr(error.text, ".vtu"));
  assert_int_equal(dv_mesh_write("/no/such/folder/a.obj", &mesh, NULL, &error), DV_ERROR_INPUT);
  assert_non_null(strstr(error.text, "cannot be written"));
  dv_mesh_free(&mesh);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(reads_back_equal), cmocka_unit_test(values_read_back_equal),
                                     cmocka_unit_test(neighbours_of_trian), cmocka_unit_test(stl_keeps_the_surface),
                                     cmocka_unit_test(what_cannot_be_written_is_told)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

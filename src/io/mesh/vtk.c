// Cells and grids of VTK files. See vtk.h.
#include "io/mesh/vtk.h"

#include "base/text.h"

#include <math.h>

enum { GRID_LIMIT = 10000000 };   // points of a grid, which a file of a few bytes can ask for

static bool push_cell(dvMeshScan *s, dvMeshIndices *list, const int64_t *points, const int *places, size_t n)
{
  if (!dv_try_reserve(list, n)) return dv_mesh_fail(s, "out of memory");
  for (size_t i = 0; i < n; i++) list->data[list->count++] = (int32_t)points[places ? places[i] : (int)i];
  return true;
}

static bool push_triangle(dvMeshScan *s, dvMesh *mesh, const int64_t *p, size_t a, size_t b, size_t c)
{
  const int64_t corners[3] = {p[a], p[b], p[c]};
  return push_cell(s, &mesh->triangles, corners, NULL, 3);
}

// cells with a fixed number of corners; second order ones have more points than corners
static const struct {
  int type;
  dvMeshKind kind;
  size_t points;
} plain[] = {{3, DV_MESH_EDGE, 2},         {5, DV_MESH_TRIANGLE, 3},      {9, DV_MESH_QUAD, 4},
             {10, DV_MESH_TETRAHEDRON, 4}, {12, DV_MESH_HEXAHEDRON, 8},   {13, DV_MESH_PRISM, 6},
             {14, DV_MESH_PYRAMID, 5},     {21, DV_MESH_EDGE, 3},         {22, DV_MESH_TRIANGLE, 6},
             {23, DV_MESH_QUAD, 8},        {24, DV_MESH_TETRAHEDRON, 10}, {25, DV_MESH_HEXAHEDRON, 20},
             {26, DV_MESH_PRISM, 15},      {27, DV_MESH_PYRAMID, 13},     {28, DV_MESH_QUAD, 9},
             {29, DV_MESH_HEXAHEDRON, 27}};

static bool add_polyline(dvMeshScan *s, dvMesh *mesh, const int64_t *points, size_t count)
{
  if (!push_cell(s, &mesh->polylines.index, points, NULL, count)) return false;
  dv_mesh_close_list(&mesh->polylines.offset, mesh->polylines.index.count);
  return true;
}

static bool add_many(dvMeshScan *s, dvMesh *mesh, int type, const int64_t *p, size_t count)
{
  bool good = true;
  if (type == 4) return add_polyline(s, mesh, p, count);
  for (size_t j = 2; j < count && good; j++) {
    if (type == 7) good = push_triangle(s, mesh, p, 0, j - 1, j);
    // SOFA turns every other triangle of a strip, beginning with the first
    else good = j & 1 ? push_triangle(s, mesh, p, j - 2, j - 1, j) : push_triangle(s, mesh, p, j - 2, j, j - 1);
  }
  return good;
}

bool dv_vtk_add_cell(dvMeshScan *s, dvMesh *mesh, int type, const int64_t *points, size_t count)
{
  static const int pixel[4] = {0, 1, 3, 2}, voxel[8] = {0, 1, 3, 2, 4, 5, 7, 6};
  size_t limit = dv_mesh_point_count(mesh);
  for (size_t i = 0; i < count; i++)
    if (points[i] < 0 || (uint64_t)points[i] >= limit)
      return dv_mesh_fail(s, "a cell names point %lld, but there are %zu points", (long long)points[i], limit);
  for (size_t i = 0; i < DV_COUNT(plain); i++) {
    if (plain[i].type != type) continue;
    if (count < plain[i].points)
      return dv_mesh_fail(s, "a cell of type %d has %zu points instead of %zu", type, count, plain[i].points);
    return push_cell(s, dv_mesh_elements(mesh, plain[i].kind), points, NULL, (size_t)dv_mesh_corners(plain[i].kind));
  }
  if (type >= 0 && type <= 2) return true;
  if (type == 4 || type == 6 || type == 7) return add_many(s, mesh, type, points, count);
  if ((type == 8 && count < 4) || (type == 11 && count < 8))
    return dv_mesh_fail(s, "a cell of type %d has only %zu points", type, count);
  if (type == 8) return push_cell(s, &mesh->quads, points, pixel, 4);
  if (type == 11) return push_cell(s, &mesh->hexahedra, points, voxel, 8);
  mesh->skipped++;
  return true;
}

bool dv_vtk_note_cell(dvMeshScan *s, dvMesh *mesh, size_t cell)
{
  for (int kind = 0; kind < DV_MESH_KINDS; kind++) {
    size_t elements = dv_mesh_elements(mesh, kind)->count / (size_t)dv_mesh_corners(kind);
    dvMeshIndices *list = &mesh->cell_of[kind];
    while (list->count < elements) {
      if (!dv_try_reserve(list, 1)) return dv_mesh_fail(s, "out of memory");
      list->data[list->count++] = (int32_t)cell;
    }
  }
  return true;
}

void dv_vtk_finish_values(dvMesh *mesh, size_t cells)
{
  size_t kept = 0;
  bool needed = false;
  for (size_t i = 0; i < mesh->values.count; i++) {
    dvMeshValues *v = &mesh->values.data[i];
    size_t wanted = (v->of_cells ? cells : dv_mesh_point_count(mesh)) * (size_t)v->width;
    if (v->values.count == wanted) {
      needed = needed || v->of_cells;
      mesh->values.data[kept++] = *v;
      continue;
    }
    dv_push(&mesh->unread, dv_format("values '%.60s': %zu numbers instead of %zu", v->name, v->values.count, wanted));
    dv_free(v->name);
    dv_array_free(&v->values);
  }
  mesh->values.count = kept;
  for (int kind = 0; kind < DV_MESH_KINDS && !needed; kind++) dv_array_free(&mesh->cell_of[kind]);
}

static bool check_grid(dvMeshScan *s, const int64_t n[3])
{
  for (int i = 0; i < 3; i++)
    if (n[i] < 1 || n[i] > GRID_LIMIT)
      return dv_mesh_fail(s, "a grid of %lld x %lld x %lld points cannot be read", (long long)n[0], (long long)n[1],
                          (long long)n[2]);
  if (n[0] * n[1] > GRID_LIMIT || n[0] * n[1] * n[2] > GRID_LIMIT)
    return dv_mesh_fail(s, "a grid of more than %d points cannot be read", GRID_LIMIT);
  return true;
}

bool dv_vtk_add_grid_points(dvMeshScan *s, dvMesh *mesh, const int64_t n[3], const double origin[3],
                            const double spacing[3])
{
  if (!check_grid(s, n)) return false;
  if (!dv_try_reserve(&mesh->positions, (size_t)(3 * n[0] * n[1] * n[2]))) return dv_mesh_fail(s, "out of memory");
  for (int64_t k = 0; k < n[2]; k++)
    for (int64_t j = 0; j < n[1]; j++)
      for (int64_t i = 0; i < n[0]; i++) {
        const double x[3] = {origin[0] + spacing[0] * (double)i, origin[1] + spacing[1] * (double)j,
                             origin[2] + spacing[2] * (double)k};
        for (int d = 0; d < 3; d++) {
          if (!isfinite(x[d])) return dv_mesh_fail(s, "a point of the grid is not finite");
          dv_push(&mesh->positions, x[d]);
        }
      }
  return true;
}

size_t dv_vtk_grid_cells(const int64_t n[3])
{
  size_t cells = 1;
  for (int d = 0; d < 3; d++) cells *= n[d] > 1 ? (size_t)n[d] - 1 : 1;
  return cells;
}

bool dv_vtk_add_grid(dvMeshScan *s, dvMesh *mesh, const int64_t n[3])
{
  if (!check_grid(s, n)) return false;
  if ((uint64_t)(n[0] * n[1] * n[2]) != dv_mesh_point_count(mesh))
    return dv_mesh_fail(s, "the grid has %lld points, but %zu are given", (long long)(n[0] * n[1] * n[2]),
                        dv_mesh_point_count(mesh));
  int64_t step[3] = {1, n[0], n[0] * n[1]}, cells[3];
  int axis[3], used = 0;
  for (int d = 0; d < 3; d++) {
    cells[d] = n[d] > 1 ? n[d] - 1 : 1;
    if (n[d] > 1) axis[used++] = d;
  }
  if (used == 0) return true;
  static const int corner[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                   {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
  static const int types[4] = {0, 3, 9, 12};
  for (int64_t k = 0; k < cells[2]; k++)
    for (int64_t j = 0; j < cells[1]; j++)
      for (int64_t i = 0; i < cells[0]; i++) {
        int64_t base = i + n[0] * (j + n[1] * k), points[8];
        for (int c = 0; c < 1 << used; c++) {
          points[c] = base;
          for (int d = 0; d < used; d++) points[c] += corner[c][d] * step[axis[d]];
        }
        if (!dv_vtk_add_cell(s, mesh, types[used], points, (size_t)1 << used)) return false;
        if (!dv_vtk_note_cell(s, mesh, (size_t)(i + cells[0] * (j + cells[1] * k)))) return false;
      }
  return true;
}

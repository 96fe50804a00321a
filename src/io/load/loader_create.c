// StringMeshCreator and GridMeshCreator: meshes of the unit interval and the unit square.
#include "io/load/loader.h"

#include "topology/topology.h"

#include <stdlib.h>

dvStatus dv_loader_make_string(dvLoader *l, dvMesh *mesh)
{
  int n = l->resolution;
  if (n < 2 || n > DV_POINT_LIMIT)
    return dv_field_error(&l->base, &l->resolution, "give at least 2", "a line of %d points cannot be made", n);
  for (int i = 0; i < n; i++) {
    dv_push(&mesh->positions, i * 1.0 / (n - 1));
    dv_push(&mesh->positions, 0);
    dv_push(&mesh->positions, 0);
    if (i > 0) dv_push(&mesh->edges, i - 1), dv_push(&mesh->edges, i);
  }
  return DV_OK;
}

static void push(dvMeshIndices *list, const int32_t *points, int n)
{
  for (int k = 0; k < n; k++) dv_push(list, points[k]);
}

// an edge as it was first seen, and what tells it from others
typedef struct GridEdge {
  int32_t a, b;
  size_t order;
} GridEdge;

static int by_ends(const void *p, const void *q)
{
  const GridEdge *x = p, *y = q;
  int32_t xl = x->a < x->b ? x->a : x->b, yl = y->a < y->b ? y->a : y->b, xh = x->a + x->b - xl, yh = y->a + y->b - yl;
  if (xl != yl) return xl < yl ? -1 : 1;
  if (xh != yh) return xh < yh ? -1 : 1;
  return x->order < y->order ? -1 : x->order > y->order;
}

static int by_first(const void *p, const void *q)
{
  const GridEdge *x = p, *y = q;
  if (x->a != y->a) return x->a < y->a ? -1 : 1;
  return x->b < y->b ? -1 : x->b > y->b;
}

// each edge once, in the direction in which it was first met, sorted by its ends: SOFA keeps them in a sorted set
static bool make_edges(dvMesh *mesh)
{
  DV_ARRAY(GridEdge) edges = {0};
  for (int kind = DV_MESH_TRIANGLE; kind <= DV_MESH_QUAD; kind++) {
    const dvMeshIndices *list = dv_mesh_elements(mesh, (dvMeshKind)kind);
    size_t width = (size_t)dv_mesh_corners((dvMeshKind)kind);
    if (!dv_try_reserve(&edges, list->count + 1)) return false;
    for (size_t i = 0; i < list->count; i++) {
      size_t next = i % width + 1 == width ? i + 1 - width : i + 1;
      edges.data[edges.count] = (GridEdge){list->data[i], list->data[next], edges.count};
      edges.count++;
    }
  }
  qsort(edges.data, edges.count, sizeof(GridEdge), by_ends);
  size_t kept = 0;
  for (size_t i = 0; i < edges.count; i++) {
    const GridEdge *e = &edges.data[i], *last = kept ? &edges.data[kept - 1] : NULL;
    bool same = last && ((last->a == e->a && last->b == e->b) || (last->a == e->b && last->b == e->a));
    if (!same) edges.data[kept++] = *e;
  }
  qsort(edges.data, kept, sizeof(GridEdge), by_first);
  for (size_t i = 0; i < kept; i++) push(&mesh->edges, (int32_t[]){edges.data[i].a, edges.data[i].b}, 2);
  dv_array_free(&edges);
  return true;
}

dvStatus dv_loader_make_grid(dvLoader *l, dvMesh *mesh)
{
  int32_t nx = l->resolution2[0], ny = l->resolution2[1], pattern = l->trianglePattern;
  if (nx < 2 || ny < 2 || nx > DV_POINT_LIMIT / ny)
    return dv_field_error(&l->base, l->resolution2, "give at least 2 2", "a grid of %d x %d points cannot be made", nx,
                          ny);
  if (pattern < 0 || pattern > 3)
    return dv_field_error(&l->base, &l->trianglePattern, "0 to 3 are possible", "pattern %d does not exist", pattern);
  for (int32_t y = 0; y < ny; y++)
    for (int32_t x = 0; x < nx; x++) {
      dv_push(&mesh->positions, x * 1.0 / (nx - 1));
      dv_push(&mesh->positions, y * 1.0 / (ny - 1));
      dv_push(&mesh->positions, 0);
    }
  for (int32_t y = 0; y + 1 < ny; y++)
    for (int32_t x = 0; x + 1 < nx; x++) {
      int32_t a = x + nx * y, b = a + 1, c = b + nx, d = a + nx;
      bool up = pattern == 2 || (pattern == 1 && (x + y) % 2 == 0);
      if (pattern == 0) push(&mesh->quads, (int32_t[]){a, b, c, d}, 4);
      else if (up) push(&mesh->triangles, (int32_t[]){a, b, c, a, c, d}, 6);
      else push(&mesh->triangles, (int32_t[]){a, b, d, b, c, d}, 6);
    }
  if (!make_edges(mesh))
    return dv_field_error(&l->base, l->resolution2, "give a smaller grid", "out of memory for the edges");
  return DV_OK;
}

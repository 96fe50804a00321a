// Distances of a grid as SOFA computes them. See distance_grid.h.
//
// Where the surface crosses an edge of the grid, both ends know how far away it is along that edge, and on which side
// they are. From there distances grow by the width of a cell for every step along an axis, nearest points first; a
// point is inside when most of its neighbours that are known are.
#include "topology/search/distance_grid.h"

#include <float.h>
#include <math.h>

enum { FAR = -1, OUTSIDE = -2, INSIDE = -3 };   // else: the place in the heap

typedef struct March {
  dvDistanceGrid *grid;
  size_t stride[3];
  DV_ARRAY(int32_t) status;   // of each point
  DV_ARRAY(int32_t) heap;     // points by distance, the nearest first
} March;

static double along(dvVec3 v, int k) { return k == 0 ? v.x : k == 1 ? v.y : v.z; }

// --- heap ----------------------------------------------------------------------------------------

static double key(const March *m, int32_t at) { return m->grid->values.data[m->heap.data[at]]; }

static void exchange(March *m, int32_t i, int32_t k)
{
  int32_t a = m->heap.data[i], b = m->heap.data[k];
  m->heap.data[i] = b, m->heap.data[k] = a;
  m->status.data[b] = i, m->status.data[a] = k;
}

static void rise(March *m, int32_t i)
{
  for (; i > 0 && key(m, i) < key(m, (i - 1) / 2); i = (i - 1) / 2) exchange(m, i, (i - 1) / 2);
}

static void sink(March *m)
{
  int32_t count = (int32_t)m->heap.count;
  for (int32_t i = 0, child; 2 * i + 1 < count; i = child) {
    child = 2 * i + 1;
    if (child + 1 < count && !(key(m, child) < key(m, child + 1))) child++;
    if (!(key(m, child) < key(m, i))) break;
    exchange(m, i, child);
  }
}

static void put(March *m, size_t point)
{
  if (m->status.data[point] < 0) {
    m->status.data[point] = (int32_t)m->heap.count;
    dv_push(&m->heap, (int32_t)point);
  }
  rise(m, m->status.data[point]);
}

static size_t take_nearest(March *m)
{
  size_t nearest = (size_t)m->heap.data[0];
  int32_t last = (int32_t)m->heap.count - 1;
  if (last > 0) exchange(m, 0, last);
  m->heap.count = (size_t)last;
  sink(m);
  return nearest;
}

// --- crossings -----------------------------------------------------------------------------------

// does the line through p along axis k meet the triangle?
static bool meets(int k, dvVec3 p, const dvVec3 c[3])
{
  int u = (k + 1) % 3, v = (k + 2) % 3;
  double u0 = along(p, u) - along(c[0], u), v0 = along(p, v) - along(c[0], v);
  double u1 = along(c[1], u) - along(c[0], u), v1 = along(c[1], v) - along(c[0], v);
  double u2 = along(c[2], u) - along(c[0], u), v2 = along(c[2], v) - along(c[0], v);
  double b = u1 == 0 ? u0 / u2 : (v0 * u1 - u0 * v1) / (v2 * u1 - u2 * v1);
  if (b < 0 || b > 1) return false;
  double a = u1 == 0 ? (v0 - b * v2) / v1 : (u0 - b * u2) / u1;
  return !(a < 0 || a + b > 1);
}

static void know(March *m, size_t point, double distance, int32_t side)
{
  if (!(distance < m->grid->values.data[point])) return;
  m->grid->values.data[point] = distance;
  m->status.data[point] = side;
}

// the edges that begin at a point
static void cross_edges(March *m, const int at[3], const dvVec3 c[3], dvVec3 normal)
{
  const dvDistanceGrid *g = m->grid;
  dvVec3 p = dv_distance_grid_point(g, at[0], at[1], at[2]);
  size_t point = (size_t)at[0] * m->stride[0] + (size_t)at[1] * m->stride[1] + (size_t)at[2] * m->stride[2];
  double height = dv_vec3_dot(p, normal) - dv_vec3_dot(c[0], normal);
  for (int k = 0; k < 3; k++) {
    double up = along(normal, k);
    if (!(fabs(up) > 1e-6)) continue;
    double way = -height / up;
    if (!(way >= -0.01 * g->cell[k] && way <= 1.01 * g->cell[k]) || !meets(k, p, c)) continue;
    know(m, point, way, up < 0 ? OUTSIDE : INSIDE);
    know(m, point + m->stride[k], g->cell[k] - way, up < 0 ? INSIDE : OUTSIDE);
  }
}

static void cross_triangle(March *m, const dvVec3 c[3])
{
  const dvDistanceGrid *g = m->grid;
  dvVec3 normal = dv_vec3_normalise(dv_vec3_cross(dv_vec3_sub(c[1], c[0]), dv_vec3_sub(c[2], c[0])));
  int first[3], end[3], at[3];
  for (int k = 0; k < 3; k++) {
    double low = dv_min(along(c[0], k), dv_min(along(c[1], k), along(c[2], k)));
    double high = dv_max(along(c[0], k), dv_max(along(c[1], k), along(c[2], k)));
    low = floor((low - along(g->low, k)) * g->per_length[k]),
    high = floor((high - along(g->low, k)) * g->per_length[k]);
    first[k] = (int)dv_min(dv_max(low - 1, 0), g->n[k]);
    end[k] = (int)dv_max(dv_min(high + 2, g->n[k] - 1), 0);
  }
  for (at[2] = first[2]; at[2] < end[2]; at[2]++)
    for (at[1] = first[1]; at[1] < end[1]; at[1]++)
      for (at[0] = first[0]; at[0] < end[0]; at[0]++) cross_edges(m, at, c, normal);
}

// --- the march -----------------------------------------------------------------------------------

// neighbours get a shorter way through this point; those that are known are counted by their sides
static void reach_out(March *m, size_t point, int *inside, int *outside)
{
  const dvDistanceGrid *g = m->grid;
  for (int k = 0; k < 3; k++) {
    size_t at = point / m->stride[k] % (size_t)g->n[k];
    double way = g->values.data[point] + g->cell[k];
    for (int side = 0; side < 2; side++) {
      if (side ? at + 1 == (size_t)g->n[k] : at == 0) continue;
      size_t other = side ? point + m->stride[k] : point - m->stride[k];
      if (m->status.data[other] == INSIDE) ++*inside;
      else if (m->status.data[other] == OUTSIDE) ++*outside;
      else if (g->values.data[other] > way) {
        g->values.data[other] = way;
        put(m, other);
      }
    }
  }
}

static void march(March *m)
{
  size_t count = m->grid->values.count;
  int inside, outside;
  for (size_t i = 0; i < count; i++)
    if (m->status.data[i] < FAR && i % (size_t)m->grid->n[0] > 0) reach_out(m, i, &(int){0}, &(int){0});
  while (m->heap.count) {
    size_t point = take_nearest(m);
    inside = outside = 0;
    reach_out(m, point, &inside, &outside);
    m->status.data[point] = inside > outside ? INSIDE : OUTSIDE;
  }
  for (size_t i = 0; i < count; i++)
    if (m->status.data[i] == INSIDE) m->grid->values.data[i] = -m->grid->values.data[i];
}

bool dv_distance_grid_march(dvDistanceGrid *g, dvDistanceMesh mesh)
{
  size_t count = g->values.count;
  March m = {.grid = g, .stride = {1, (size_t)g->n[0], (size_t)g->n[0] * (size_t)g->n[1]}};
  dv_distance_grid_take_surface(g, mesh);
  g->per_cell = true;
  bool good = count <= INT32_MAX && dv_try_reserve(&m.status, count) && dv_try_reserve(&m.heap, count);
  if (good) {
    dv_array_resize(&m.status, count);
    for (size_t i = 0; i < count; i++) m.status.data[i] = FAR, g->values.data[i] = DBL_MAX;
    for (size_t t = 0; t < mesh.count; t++) {
      const int32_t *e = mesh.triangles + 3 * t;
      dvVec3 c[3] = {dv_vec3_load(mesh.x + 3 * e[0]), dv_vec3_load(mesh.x + 3 * e[1]), dv_vec3_load(mesh.x + 3 * e[2])};
      cross_triangle(&m, c);
    }
    march(&m);
  }
  dv_array_free(&m.status);
  dv_array_free(&m.heap);
  return good;
}

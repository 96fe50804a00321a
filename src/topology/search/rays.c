// See rays.h. Ray against triangle after T. Möller and B. Trumbore, "Fast, minimum storage ray/triangle intersection",
// 1997.
#include "topology/search/rays.h"

#include "math/vec.h"
#include "object/values.h"
#include "topology/search/tuple_set.h"

#include <stdlib.h>

bool dv_ray_mesh_init(dvRayMesh *m, const double *x, const int32_t *triangles, size_t count)
{
  *m = (dvRayMesh){.x = x, .triangles = triangles, .count = count, .boxes = dv_try_alloc((count + 1) * sizeof(dvBox))};
  if (!m->boxes) return false;
  for (size_t i = 0; i < count; i++)
    for (int k = 0; k < 3; k++) {
      const int32_t *e = triangles + 3 * i;
      double a = x[3 * (size_t)e[0] + (size_t)k], b = x[3 * (size_t)e[1] + (size_t)k],
             c = x[3 * (size_t)e[2] + (size_t)k];
      m->boxes[i].low[k] = dv_min(a, dv_min(b, c));
      m->boxes[i].high[k] = dv_max(a, dv_max(b, c));
    }
  dv_box_tree_init(&m->tree, m->boxes, count);
  return true;
}

void dv_ray_mesh_fini(dvRayMesh *m)
{
  dv_box_tree_fini(&m->tree);
  dv_free(m->boxes);
  *m = (dvRayMesh){0};
}

static bool meets(const dvRayMesh *m, const int32_t *e, dvVec3 origin, dvVec3 direction, double *t)
{
  dvVec3 a = dv_vec3_load(m->x + 3 * (size_t)e[0]);
  dvVec3 ab = dv_vec3_sub(dv_vec3_load(m->x + 3 * (size_t)e[1]), a),
         ac = dv_vec3_sub(dv_vec3_load(m->x + 3 * (size_t)e[2]), a);
  dvVec3 across = dv_vec3_cross(direction, ac);
  double det = dv_vec3_dot(ab, across);
  if (!(fabs(det) > DBL_EPSILON)) return false;
  dvVec3 from = dv_vec3_sub(origin, a), turned = dv_vec3_cross(from, ab);
  double inverse = 1 / det, u = dv_vec3_dot(from, across) * inverse, v = dv_vec3_dot(direction, turned) * inverse;
  if (u < -DBL_EPSILON || u > 1 + DBL_EPSILON || v < -DBL_EPSILON || u + v > 1 + DBL_EPSILON) return false;
  *t = dv_vec3_dot(ac, turned) * inverse;
  return *t >= DBL_EPSILON;
}

static int by_distance(const void *a, const void *b)
{
  const dvRayHit *x = a, *y = b;
  return x->t != y->t ? (x->t < y->t ? -1 : 1) : x->triangle - y->triangle;
}

void dv_ray_mesh_trace(const dvRayMesh *m, const double origin[3], const double direction[3], dvHits *scratch,
                       dvRayHits *hits)
{
  dv_box_tree_ray(&m->tree, origin, direction, scratch);
  hits->count = 0;
  for (size_t i = 0; i < scratch->count; i++) {
    dvRayHit hit = {.triangle = scratch->data[i]};
    if (meets(m, m->triangles + 3 * (size_t)hit.triangle, dv_vec3_load(origin), dv_vec3_load(direction), &hit.t))
      dv_push(hits, hit);
  }
  if (hits->count > 1) qsort(hits->data, hits->count, sizeof *hits->data, by_distance);
}

// --- closed surfaces -----------------------------------------------------------------------------

// +1 for each face along the edge from its smaller to its larger point, -1 for each against it
static bool count_edges(dvTupleSet *set, dvInts *sums, const int32_t *faces, size_t count, size_t corners)
{
  for (size_t i = 0; i < count; i++)
    for (size_t k = 0; k < corners; k++) {
      int32_t a = faces[i * corners + k], b = faces[i * corners + (k + 1) % corners];
      bool fresh;
      int32_t at = dv_tuple_set_add(set, (int32_t[]){a < b ? a : b, a < b ? b : a}, &fresh);
      if (at < 0 || (fresh && !dv_ints_resize(sums, (size_t)at + 1))) return false;
      sums->data[at] += a < b ? 1 : -1;
    }
  return true;
}

size_t dv_surface_open_edges(const int32_t *triangles, size_t triangle_count, const int32_t *quads, size_t quad_count,
                             int32_t first[2])
{
  dvTupleSet set;
  dvInts sums = {.width = 1};
  dv_tuple_set_init(&set, 2);
  bool good = count_edges(&set, &sums, triangles, triangle_count, 3) && count_edges(&set, &sums, quads, quad_count, 4);
  size_t open = 0;
  for (size_t i = 0; i < sums.count && good; i++)
    if (sums.data[i] != 0 && open++ == 0 && first) first[0] = set.keys.data[2 * i], first[1] = set.keys.data[2 * i + 1];
  dv_tuple_set_free(&set);
  dv_ints_free(&sums);
  return good ? open : SIZE_MAX;
}

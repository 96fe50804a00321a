// See normals.h.
#include "visual/normals.h"

#include "math/vec.h"

#include <string.h>

static bool is_shared(const dvSurface *s) { return s->normal_index && s->normal_index->count; }

static void add_corner(const dvSurface *s, double *sums, const int32_t *face, int at, dvVec3 n)
{
  size_t slot = (size_t)face[at];
  if (is_shared(s)) slot = (size_t)s->normal_index->data[slot];
  dv_vec3_accumulate(sums + 3 * slot, n);
}

static dvVec3 vertex(const dvSurface *s, int32_t index) { return dv_vec3_load(s->vertices + 3 * (size_t)index); }

// (b - a) x (c - a)
static dvVec3 corner_normal(const dvSurface *s, int32_t a, int32_t b, int32_t c)
{
  dvVec3 p = vertex(s, a);
  return dv_vec3_cross(dv_vec3_sub(vertex(s, b), p), dv_vec3_sub(vertex(s, c), p));
}

void dv_surface_normals(const dvSurface *s, double *normals, double *shared)
{
  double *sums = is_shared(s) ? shared : normals;
  size_t count = is_shared(s) ? s->normal_count : s->vertex_count;
  memset(sums, 0, 3 * count * sizeof *sums);
  for (size_t i = 0; i + 3 <= s->triangles->count; i += 3) {
    const int32_t *t = s->triangles->data + i;
    dvVec3 n = corner_normal(s, t[0], t[1], t[2]);
    for (int k = 0; k < 3; k++) add_corner(s, sums, t, k, n);
  }
  for (size_t i = 0; i + 4 <= s->quads->count; i += 4) {
    const int32_t *q = s->quads->data + i;
    for (int k = 0; k < 4; k++) add_corner(s, sums, q, k, corner_normal(s, q[k], q[(k + 1) % 4], q[(k + 3) % 4]));
  }
  for (size_t i = 0; i < count; i++) dv_vec3_store(sums + 3 * i, dv_vec3_normalise(dv_vec3_load(sums + 3 * i)));
  if (!is_shared(s)) return;
  for (size_t i = 0; i < s->vertex_count; i++) memcpy(normals + 3 * i, sums + 3 * (size_t)s->normal_index->data[i], 3 * sizeof *normals);
}

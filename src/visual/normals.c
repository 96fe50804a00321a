// See normals.h.
#include "visual/normals.h"

#include <string.h>

static bool is_shared(const dvSurface *s) { return s->normal_index && s->normal_index->count; }
static size_t count_of(const dvSurface *s) { return is_shared(s) ? s->normal_count : s->vertex_count; }

// sums, and behind them the shared normals
size_t dv_surface_scratch(const dvSurface *s) { return (DV_NORMAL_STRIDE + (is_shared(s) ? 3 : 0)) * count_of(s); }

void dv_surface_normals(const dvSurface *s, double *normals, double *scratch)
{
  const dvNormalKernels *k = DV_KERNEL_CHOOSE(dv_normal_kernels);
  const int32_t *index = is_shared(s) ? s->normal_index->data : NULL;
  size_t count = count_of(s);
  memset(scratch, 0, DV_NORMAL_STRIDE * count * sizeof *scratch);
  k->triangles(s->vertices, s->triangles->data, s->triangles->count / 3, index, scratch);
  k->quads(s->vertices, s->quads->data, s->quads->count / 4, index, scratch);
  double *unit = index ? scratch + DV_NORMAL_STRIDE * count : normals;
  k->normalise(scratch, count, unit);
  for (size_t i = 0; index && i < s->vertex_count; i++)
    memcpy(normals + 3 * i, unit + 3 * (size_t)index[i], 3 * sizeof *normals);
}

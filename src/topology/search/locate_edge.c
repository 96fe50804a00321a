// Edges near points. See locate.h.
#include "topology/search/locate.h"

#include "math/vec.h"

#include <math.h>

// where a point lies along an edge, and how far from it, squared
static double along_edge(const int32_t *edge, const double *x, const double *point, double *along)
{
  dvVec3 a = dv_vec3_load(x + 3 * (size_t)edge[0]), e = dv_vec3_sub(dv_vec3_load(x + 3 * (size_t)edge[1]), a),
         p = dv_vec3_sub(dv_vec3_load(point), a);
  *along = dv_vec3_norm2(e) > 0 ? dv_vec3_dot(p, e) / dv_vec3_norm2(e) : 0;
  return dv_vec3_norm2(dv_vec3_add_scaled(p, e, -fmin(fmax(*along, 0), 1)));
}

size_t dv_nearest_edge(const dvInts *edges, const double *x, const double *point, double local[3])
{
  size_t best = 0;
  double least = INFINITY;
  for (size_t e = 0; e < dv_ints_size(edges); e++) {
    double along, away = along_edge(edges->data + 2 * e, x, point, &along);
    if (!(away < least)) continue;
    least = away;
    best = e;
    local[0] = along;
  }
  local[1] = local[2] = 0;
  return best;
}

size_t dv_edge_below(const dvInts *edges, const double *x, const double *point, double local[3])
{
  double along = 0;
  size_t e, last = dv_ints_size(edges) - 1;
  for (e = 0; e <= last; e++) {
    const double *a = x + 3 * (size_t)edges->data[2 * e], *b = x + 3 * (size_t)edges->data[2 * e + 1];
    double length2 = 0, dot = 0;
    for (int k = 0; k < 3; k++) {
      length2 += (b[k] - a[k]) * (b[k] - a[k]);
      dot += (b[k] - a[k]) * (point[k] - a[k]);
    }
    along = length2 > 0 ? dot / length2 : 0;
    if (along >= 0 && along <= 1) break;
  }
  local[0] = along;
  local[1] = local[2] = 0;
  return e > last ? last : e;
}

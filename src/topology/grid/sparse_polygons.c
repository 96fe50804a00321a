// Surfaces of polygons for sparse grids. See sparse_cells.h.
#include "topology/grid/sparse_cells.h"

#include <math.h>

void dv_polygons_add(dvPolygons *s, const int32_t *list, size_t count)
{
  if (s->offset.count == 0) dv_push(&s->offset, 0);
  for (size_t i = 0; i < count; i++) dv_push(&s->corner, list[i]);
  dv_push(&s->offset, (int32_t)s->corner.count);
}

void dv_polygons_free(dvPolygons *s)
{
  dv_reals_free(&s->points);
  dv_array_free(&s->offset);
  dv_array_free(&s->corner);
}

void dv_polygons_add_list(dvPolygons *s, const dvInts *list)
{
  for (size_t i = 0; i + (size_t)list->width <= list->count; i += (size_t)list->width)
    dv_polygons_add(s, list->data + i, (size_t)list->width);
}

bool dv_polygons_add_facets(dvPolygons *s, const dvInts *list)
{
  for (size_t i = 0; i < list->count;) {
    int32_t n = list->data[i++];
    if (n < 0 || (size_t)n > list->count - i) return false;
    dv_polygons_add(s, list->data + i, (size_t)n);
    i += (size_t)n;
  }
  return true;
}

void dv_polygons_box(const dvPolygons *s, size_t count, double min[3], double max[3])
{
  for (int k = 0; k < 3; k++) {
    min[k] = INFINITY, max[k] = -INFINITY;
    for (size_t i = 0; i < count; i++)
      for (size_t p = (size_t)k; p < s[i].points.count; p += 3) {
        min[k] = fmin(min[k], s[i].points.data[p]);
        max[k] = fmax(max[k], s[i].points.data[p]);
      }
    double more = (max[k] - min[k]) / 100;
    min[k] -= more;
    max[k] += more;
  }
}

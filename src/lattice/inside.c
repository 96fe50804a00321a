// Inside of a closed surface: a ray crosses it an odd number of times. See inside.h.
#include "lattice/inside.h"

#include <math.h>

dvStatus dv_inside_init(dvInside *s, const dvObject *o, const dvReals *position, const dvInts *triangles,
                        const dvInts *quads)
{
  *s = (dvInside){.volume = 0};
  size_t points = dv_reals_size(position), t = dv_ints_size(triangles), q = dv_ints_size(quads);
  DV_TRY(dv_engine_check(o, triangles, points, "points"));
  DV_TRY(dv_engine_check(o, quads, points, "points"));
  int32_t edge[2];
  size_t open = dv_surface_open_edges(triangles->data, t, quads->data, q, edge);
  if (open == SIZE_MAX) return dv_engine_no_memory(o);
  if (open)
    return dv_error(o, "close the surface (MeshClosingEngine), or give boxes",
                    "the surface is open: %zu edges belong to one face only, the first joins points %d and %d", open,
                    edge[0], edge[1]);
  s->count = t + 2 * q;
  if (s->count == 0)
    return dv_error(o, "link inputPosition and triangles to a loader", "there is no surface: the lattice is empty");
  s->all = dv_try_alloc((3 * s->count + 1) * sizeof *s->all);
  if (!s->all) return dv_engine_no_memory(o);
  if (t) memcpy(s->all, triangles->data, 3 * t * sizeof *s->all);
  for (size_t i = 0; i < q; i++)
    for (int k = 0; k < 6; k++) s->all[3 * t + 6 * i + (size_t)k] = quads->data[4 * i + (size_t)("012023"[k] - '0')];
  for (int k = 0; k < 3; k++) s->low[k] = INFINITY, s->high[k] = -INFINITY;
  for (size_t i = 0; i < 3 * points; i++) {
    if (!isfinite(position->data[i])) return dv_error(o, NULL, "point %zu of the surface is not finite", i / 3);
    s->low[i % 3] = fmin(s->low[i % 3], position->data[i]);
    s->high[i % 3] = fmax(s->high[i % 3], position->data[i]);
  }
  for (size_t i = 0; i < s->count; i++) {
    const double *a = position->data + 3 * (size_t)s->all[3 * i], *b = position->data + 3 * (size_t)s->all[3 * i + 1],
                 *c = position->data + 3 * (size_t)s->all[3 * i + 2];
    s->volume +=
        (a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0])) /
        6;
  }
  s->volume = fabs(s->volume);
  return dv_ray_mesh_init(&s->mesh, position->data, s->all, s->count) ? DV_OK : dv_engine_no_memory(o);
}

void dv_inside_fini(dvInside *s)
{
  if (s->mesh.boxes) dv_ray_mesh_fini(&s->mesh);
  dv_free(s->all);
  dv_array_free(&s->scratch);
  dv_array_free(&s->hits);
}

// A ray through an edge would meet both of its triangles: it is led past by a small part of the body's size.
void dv_inside_line(dvInside *s, double y, double z)
{
  double size = s->high[1] - s->low[1] + s->high[2] - s->low[2];
  double origin[3] = {s->low[0] - 1, y + 1.3717e-8 * size, z + 2.6180e-8 * size}, direction[3] = {1, 0, 0};
  dv_ray_mesh_trace(&s->mesh, origin, direction, &s->scratch, &s->hits);
}

bool dv_inside_has(dvInside *s, const double p[3])
{
  bool inside = false;
  dv_inside_line(s, p[1], p[2]);
  for (size_t i = 0; i < s->hits.count; i++) inside ^= s->low[0] - 1 + s->hits.data[i].t < p[0];
  return inside;
}

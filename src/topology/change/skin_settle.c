// Where a blade is beside a surface that it is to cut. See cut_skin.h.
#include "topology/change/cut_skin.h"
#include "topology/search/surface.h"

static bool edge_is_near(const dvBlade *b, dvVec3 x, dvVec3 y, dvVec3 margin, double least)
{
  double s, t;
  for (size_t i = 0; i < b->edges.count; i++) {
    dvVec3 p = b->corners.data[b->edges.data[i].ends[0]], q = b->corners.data[b->edges.data[i].ends[1]];
    dvVec3 low = dv_vec3(dv_min(p.x, q.x), dv_min(p.y, q.y), dv_min(p.z, q.z)),
           high = dv_vec3(dv_max(p.x, q.x), dv_max(p.y, q.y), dv_max(p.z, q.z));
    if (dv_boxes_apart(x, y, dv_vec3_sub(low, margin), dv_vec3_add(high, margin))) continue;
    if (dv_segments_distance(x, y, p, q, &s, &t) < least) return true;
  }
  return false;
}

// whether points or edges of the surface are nearer to the blade than can be told apart
static bool is_near(const dvSkin *s, const dvBlade *b, double least)
{
  const double *x = s->x;
  dvVec3 margin = dv_vec3(least, least, least), low = dv_vec3_sub(b->low, margin), high = dv_vec3_add(b->high, margin);
  const dvInts *edges = dv_topology_elements(s->mesh, DV_EDGE), *triangles = dv_topology_elements(s->mesh, DV_TRIANGLE);
  for (size_t i = 0; i < dv_topology_point_count(s->mesh); i++) {
    dvVec3 at = dv_vec3_load(x + 3 * i);
    if (dv_boxes_apart(at, at, low, high)) continue;
    for (size_t f = 0; f < b->facets.count; f++)
      if (fabs(dv_blade_height(b, (int32_t)f, at)) < least && dv_blade_covers(b, (int32_t)f, at, least)) return true;
  }
  for (size_t i = 0; i < dv_ints_size(edges); i++) {
    dvVec3 p = dv_vec3_load(x + 3 * (size_t)edges->data[2 * i]),
           q = dv_vec3_load(x + 3 * (size_t)edges->data[2 * i + 1]);
    if (!dv_boxes_apart(p, q, low, high) && edge_is_near(b, p, q, margin, least)) return true;
  }
  for (size_t i = 0; i < b->corners.count; i++)
    for (size_t t = 0; t < dv_ints_size(triangles); t++) {
      dvVec3 at = dv_nearest_on_triangle(x, triangles->data + 3 * t, b->corners.data[i], NULL);
      if (dv_vec3_norm(dv_vec3_sub(at, b->corners.data[i])) < least) return true;
    }
  return false;
}

static double size_of(const dvSkin *s)
{
  const double *x = s->x;
  double size2 = 0;
  for (size_t i = 0; i < dv_topology_point_count(s->mesh); i++)
    size2 = dv_max(size2, dv_vec3_norm2(dv_vec3_sub(dv_vec3_load(x + 3 * i), dv_vec3_load(x))));
  return sqrt(size2);
}

enum { MOST_SHIFTS = 40 };

bool dv_skin_settle(const dvSkin *skins, size_t count, dvBlade *b)
{
  double least = 1e-12 * b->size;
  for (size_t i = 0; i < count; i++) least = dv_max(least, 1e-9 * size_of(&skins[i]));
  dvVec3 moved = dv_vec3(0, 0, 0);
  for (int shift = 0; shift < MOST_SHIFTS; shift++) {
    bool near = false;
    for (size_t i = 0; i < count && !near; i++) near = is_near(&skins[i], b, least);
    if (!near) return true;
    double far = 20 * (1 + shift) * least;   // by turns along directions that no mesh has
    dvVec3 to = dv_vec3(far * sin(1 + 2.3 * shift), far * sin(2 + 3.7 * shift), far * cos(1 + 5.1 * shift));
    dv_blade_shift(b, dv_vec3_sub(to, moved));
    moved = to;
  }
  return false;
}

bool dv_skin_met(const dvSkin *s, const dvBlade *b)
{
  const double *x = s->x;
  const dvInts *edges = dv_topology_elements(s->mesh, DV_EDGE), *triangles = dv_topology_elements(s->mesh, DV_TRIANGLE);
  for (size_t i = 0; i < dv_ints_size(edges); i++)
    if (dv_blade_meets(b, dv_vec3_load(x + 3 * (size_t)edges->data[2 * i]),
                       dv_vec3_load(x + 3 * (size_t)edges->data[2 * i + 1])))
      return true;
  dvLineHit hit;
  for (size_t e = 0; e < b->edges.count; e++) {
    dvVec3 p = b->corners.data[b->edges.data[e].ends[0]], q = b->corners.data[b->edges.data[e].ends[1]];
    for (size_t i = 0; i < dv_ints_size(triangles); i++)
      if (dv_line_meets_triangle(x, triangles->data + 3 * i, p, q, &hit) && hit.at >= 0 && hit.at <= 1) return true;
  }
  return false;
}

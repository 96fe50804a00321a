// Areas of a surface that a cable pulls at (cable.h):
//
//   w_ij = (r_i - d_ij) / sum over j of (r_i - d_ij),   for the points j of the surface with d_ij < r_i
//
// d is the distance from the centre (sphere), or the way along edges (geodesic, E. W. Dijkstra 1959), at rest. A centre
// beside the points of the surface is joined to the corners of the face nearest to it. Of the points in a ball those
// count that hang together with that face: a thin wall is not pulled at on both sides.
#include "robot/cable.h"

#include "base/heap.h"
#include "object/compat.h"
#include "topology/search/surface.h"

#include <math.h>

typedef struct Surface {
  const double *x;
  size_t points;
  dvTopology *topology;
  const dvInts *triangles, *quads;
  const dvIncidence *at_triangles, *at_quads;
  double *away;   // of each point, infinite beyond the radius
  dvHeap heap;
  DV_ARRAY(int32_t) held;   // points of the areas so far
} Surface;

typedef struct Center {
  dvVec3 at;
  int32_t point;   // nearest to it
  double radius;
  bool along;   // edges
} Center;

static dvVec3 point_at(const Surface *s, int32_t i) { return dv_vec3_load(s->x + 3 * (size_t)i); }
static double between(dvVec3 a, dvVec3 b) { return dv_vec3_norm(dv_vec3_sub(a, b)); }

// --- ways ------------------------------------------------------------------------------------------------

static void reach(Surface *s, const Center *c, int32_t point, double away)
{
  if (!(away < c->radius) || !(away < s->away[point])) return;
  s->away[point] = away;
  dv_heap_push(&s->heap, away, point);
}

// the neighbours along the edges of the faces around a point
static void go_on(Surface *s, const Center *c, dvHeapEntry from, const dvInts *faces, const dvIncidence *around)
{
  int32_t n = faces->width;
  if ((size_t)from.item >= around->count) return;
  for (int32_t k = around->offsets[from.item]; k < around->offsets[from.item + 1]; k++) {
    const int32_t *face = faces->data + n * around->items[k];
    for (int32_t i = 0; i < n; i++) {
      if (face[i] != from.item) continue;
      const int32_t next[2] = {face[(i + 1) % n], face[(i + n - 1) % n]};
      for (int side = 0; side < 2; side++) {
        dvVec3 to = point_at(s, next[side]);
        reach(s, c, next[side], c->along ? from.key + between(point_at(s, from.item), to) : between(c->at, to));
      }
    }
  }
}

static void spread(Surface *s, const Center *c)
{
  while (s->heap.count) {
    dvHeapEntry from = dv_heap_pop(&s->heap);
    if (from.key > s->away[from.item]) continue;
    go_on(s, c, from, s->triangles, s->at_triangles);
    go_on(s, c, from, s->quads, s->at_quads);
  }
}

// --- centres ---------------------------------------------------------------------------------------------

typedef struct Nearest {
  double away;
  dvVec3 on;
  int32_t face[3];
} Nearest;

static void try_face(const Surface *s, dvVec3 p, const int32_t face[3], Nearest *best)
{
  dvVec3 on = dv_nearest_on_triangle(s->x, face, p, NULL);
  double away = between(on, p);
  if (away < best->away) *best = (Nearest){away, on, {face[0], face[1], face[2]}};
}

static Nearest nearest_face(const Surface *s, dvVec3 p)
{
  Nearest best = {.away = INFINITY};
  for (size_t i = 0; i + 3 <= s->triangles->count; i += 3) try_face(s, p, s->triangles->data + i, &best);
  for (size_t i = 0; i + 4 <= s->quads->count; i += 4) {
    const int32_t *q = s->quads->data + i;
    try_face(s, p, q, &best);
    try_face(s, p, (const int32_t[]){q[0], q[2], q[3]}, &best);
  }
  return best;
}

static int32_t nearest_point(const Surface *s, dvVec3 p)
{
  int32_t best = 0;
  for (size_t i = 1; i < s->points; i++)
    if (between(point_at(s, (int32_t)i), p) < between(point_at(s, best), p)) best = (int32_t)i;
  return best;
}

static void begin_at(Surface *s, const Center *c)
{
  Nearest near = nearest_face(s, c->at);
  for (int k = 0; k < 3 && near.away < INFINITY; k++) {
    dvVec3 corner = point_at(s, near.face[k]);
    reach(s, c, near.face[k], c->along ? near.away + between(near.on, corner) : between(c->at, corner));
  }
}

// --- setting up ------------------------------------------------------------------------------------------

static dvStatus find_surface(dvCable *c, Surface *s)
{
  dvObject *o = &c->part.model.base;
  const dvState *state = dv_part_state(&c->part);
  if (o->dof->kind != DV_VEC3)
    return dv_field_error(o, &c->method, "put the cable on points that the frames carry (RigidMapping), or take point",
                          "areas are made of points, and %s has %s", state->base.name, o->dof->name);
  if (!c->surfaceTopology.target) c->surfaceTopology.target = dv_node_find_up(o->node, DV_ROLE_TOPOLOGY);
  if (!c->surfaceTopology.target)
    return dv_field_error(o, &c->surfaceTopology, "add a TriangleSetTopologyContainer, or take method=\"point\"",
                          "there is no surface on which areas could lie");
  DV_TRY(dv_object_ensure(c->surfaceTopology.target));
  dvTopology *t = s->topology = dv_topology(c->surfaceTopology.target);
  s->x = dv_state_read(state, DV_X_REST);
  s->points = state->count;
  s->triangles = dv_topology_elements(t, DV_TRIANGLE), s->quads = dv_topology_elements(t, DV_QUAD);
  s->at_triangles = dv_topology_around_point(t, DV_TRIANGLE), s->at_quads = dv_topology_around_point(t, DV_QUAD);
  if (!s->triangles || !s->quads || !s->at_triangles || !s->at_quads) return dv_error(o, NULL, "out of memory");
  if (s->triangles->count + s->quads->count == 0)
    return dv_field_error(o, &c->surfaceTopology, "areas lie on triangles and quads", "the mesh %s has no faces",
                          t->base.name);
  if (dv_topology_point_count(t) != state->count)
    return dv_field_error(o, &c->surfaceTopology, "put the cable into the node of the surface's own points",
                          "the surface %s has %zu points, and the state %s has %zu", t->base.name,
                          dv_topology_point_count(t), state->base.name, state->count);
  return DV_OK;
}

static dvStatus check_radii(dvCable *c, size_t areas, bool tell)
{
  dvObject *o = &c->part.model.base;
  if (tell && c->radii.count == 0)
    dv_warning(o, "set radii", "no radii were given: areas have a radius of 1, in the unit of the scene");
  else if (tell && c->radii.count != areas && c->radii.count > 1)
    dv_warning(o, "give one radius for all, or one for each", "there are %zu radii for %zu areas: the first is for all",
               c->radii.count, areas);
  for (size_t i = 0; i < c->radii.count; i++)
    if (!(c->radii.data[i] > 0 && isfinite(c->radii.data[i])))
      return dv_field_error(o, &c->radii, NULL, "an area cannot have a radius of %g", c->radii.data[i]);
  for (size_t i = 0; i < c->centers.count; i++)
    if (!isfinite(c->centers.data[i]))
      return dv_field_error(o, &c->centers, NULL, "a centre is %g", c->centers.data[i]);
  return DV_OK;
}

static double radius_of(const dvCable *c, size_t area)
{
  if (c->radii.count == 0) return 1;
  return c->radii.data[c->radii.count == c->areas.count ? area : 0];
}

static dvStatus find_area(dvCable *c, Surface *s, size_t area, bool given)
{
  Center at = {.radius = radius_of(c, area), .along = c->method == DV_CABLE_GEODESIC};
  if (given) {
    at.at = dv_vec3_load(c->centers.data + 3 * area);
    at.point = dv_ints_edit(&c->indices)[area] = nearest_point(s, at.at);
  } else {
    at.point = c->indices.data[area];
    at.at = point_at(s, at.point);
  }
  if (given && c->at_points && !at.along) at.at = point_at(s, at.point);
  for (size_t i = 0; i < s->points; i++) s->away[i] = INFINITY;
  if (given) begin_at(s, &at);
  else reach(s, &at, at.point, 0);
  spread(s, &at);
  size_t before = s->held.count;
  for (size_t i = 0; i < s->points; i++) {
    if (!(s->away[i] < at.radius)) continue;
    dv_push(&c->shares, ((dvCableShare){(int32_t)area, at.radius - s->away[i]}));
    dv_push(&s->held, (int32_t)i);
  }
  if (s->held.count > before) return DV_OK;
  return dv_field_error(&c->part.model.base, &c->centers, "choose a larger radius, or a centre on the surface",
                        "no point of the surface lies within %g of centre %zu; the nearest is %g away", at.radius, area,
                        between(at.at, point_at(s, at.point)));
}

dvStatus dv_cable_find_areas(dvCable *c, bool tell)
{
  dvObject *o = &c->part.model.base;
  bool given = c->centers.count > 0;
  size_t areas = given ? c->centers.count / 3 : c->indices.count;
  Surface s = {0};
  c->at_points = dv_compat(o, DV_COMPAT_CABLE_AREAS);
  DV_TRY(check_radii(c, areas, tell));
  DV_TRY(find_surface(c, &s));
  if (tell && given && dv_was_set(o, &c->indices))
    dv_warning(o, "remove one of them", "both centers and indices were given: the areas are those of the centers");
  if (given && !dv_ints_resize(&c->indices, areas)) return dv_error(o, NULL, "out of memory");
  c->shares.count = c->areas.count = 0;
  dv_array_resize(&c->areas, areas);
  s.away = dv_alloc((s.points + 1) * sizeof *s.away);
  dvStatus status = DV_OK;
  for (size_t i = 0; status == DV_OK && i < areas; i++) status = find_area(c, &s, i, given);
  if (given) dv_touch(o, &c->indices);
  c->held.width = 1;
  if (!dv_ints_assign(&c->held, s.held.data, s.held.count)) status = dv_error(o, NULL, "out of memory");
  dv_free(s.away);
  dv_array_free(&s.heap);
  dv_array_free(&s.held);
  return status;
}

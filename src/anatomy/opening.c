// MembraneOpening: what a tear has made of a membrane: parts, and the size, shape and place of the opening.
//
// The border of the part that is held falls into rings: one has points of `held`, the others are openings. The largest
// of them is measured as it lies now, seen along `axis`: with its points p_i, its area A and centroid c,
//
//   diameter = 2 sqrt(A / pi),   roundness = min |p_i - c| / max |p_i - c|,   decentring = |c - centre|
//
// across the axis. A tear that has come farther from the axis than `limit` has run out, once for each such stretch of
// the border. Of that the shape at rest tells: a flap that is pulled outwards is no tear, and what has run out stays
// so.
#include "anatomy/register.h"
#include "base/array.h"
#include "control/membrane.h"

#include <math.h>
#include <string.h>

#define OPENING_FIELDS(X)                                                                                       \
  X(link, topology, "", "", "the membrane; the mesh of the node or above by default", .role = DV_ROLE_TOPOLOGY) \
  X(indices, held, "", "", "points by which the membrane is held")                                              \
  X(vec3, centre, "0 0 0", "m", "where the opening should be")                                                  \
  X(vec3, axis, "0 0 1", "", "direction along which it is looked at")                                           \
  X(real, limit, "0.0035", "m", "tears farther from the axis, at rest, have run out", .least = "0")             \
  X(int, parts, "1", "", "parts of the membrane that do not hang together", .flags = DV_READ_ONLY)              \
  X(real, free, "0", "m2", "area at rest of what is not held any more", .flags = DV_READ_ONLY)                  \
  X(real, area, "0", "m2", "area at rest of all of it: it stays", .flags = DV_READ_ONLY)                        \
  X(real, diameter, "0", "m", "of a circle with the area of the opening", .flags = DV_READ_ONLY)                \
  X(real, roundness, "0", "", "shortest over longest radius of the opening", .flags = DV_READ_ONLY)             \
  X(real, decentring, "0", "m", "distance of the opening's middle from the centre", .flags = DV_READ_ONLY)      \
  X(real, farthest, "0", "m", "how far tears have come from the axis, at rest", .flags = DV_READ_ONLY)          \
  X(int, tearOuts, "0", "", "tears that have run out beyond the limit", .flags = DV_READ_ONLY)

typedef struct Opening {
  dvObject base;
  OPENING_FIELDS(DV_MEMBER)
  dvMembrane m;
  dvVec3 u, v;              // across the axis
  unsigned seen;            // revision of the mesh that the lists below belong to
  DV_ARRAY(int32_t) next;   // of each point along the border; -1 inside
  DV_ARRAY(int32_t) part;   // of each point
  DV_ARRAY(int32_t) ring;   // points of all rings of openings, one after the other
  DV_ARRAY(int32_t) ring_starts;
} Opening;

#define SELF Opening
static const dvFieldDesc opening_fields[] = {OPENING_FIELDS(DV_DESCRIBE)};
static const dvMemoryDesc opening_memory[] = {DV_REMEMBER(numbers, parts) DV_REMEMBER(numbers, free) DV_REMEMBER(
    numbers, area) DV_REMEMBER(numbers, diameter) DV_REMEMBER(numbers, roundness) DV_REMEMBER(numbers, decentring)
                                                  DV_REMEMBER(numbers, farthest) DV_REMEMBER(numbers, tearOuts)};
#undef SELF

// --- parts and rings -----------------------------------------------------------------------------

static int32_t root_of(int32_t *part, int32_t i)
{
  while (part[i] != i) i = part[i] = part[part[i]];
  return i;
}

static bool is_held(const Opening *p, int32_t root)
{
  for (size_t i = 0; i < p->held.count; i++)
    if (p->part.data[p->held.data[i]] == root) return true;
  return false;
}

static void find_parts(Opening *p)
{
  const dvInts *list = dv_topology_elements(p->m.mesh, DV_TRIANGLE);
  const double *x = dv_state_read(p->m.state, DV_X_REST);
  int32_t points = (int32_t)p->m.state->count;
  p->part.count = 0;
  for (int32_t i = 0; i < points; i++) dv_push(&p->part, i);
  for (size_t i = 0; i < list->count; i++) {
    int32_t a = root_of(p->part.data, list->data[i]), b = root_of(p->part.data, list->data[i - i % 3]);
    if (a < b) p->part.data[b] = a;
    else p->part.data[a] = b;
  }
  for (int32_t i = 0; i < points; i++) p->part.data[i] = root_of(p->part.data, i);
  p->parts = 0, p->free = p->area = 0;
  for (size_t i = 0; i + 2 < list->count; i += 3) {
    const int32_t *c = list->data + i;
    dvVec3 o = dv_vec3_load(x + 3 * (size_t)c[0]), a = dv_vec3_sub(dv_vec3_load(x + 3 * (size_t)c[1]), o),
           b = dv_vec3_sub(dv_vec3_load(x + 3 * (size_t)c[2]), o);
    double area = 0.5 * dv_vec3_norm(dv_vec3_cross(a, b));
    int32_t root = p->part.data[c[0]];
    p->area += area;
    if (p->next.data[root] != -2) p->parts++;   // counted once
    p->next.data[root] = -2;
    if (!is_held(p, root)) p->free += area;
  }
}

// for each point the one that follows it along the border, with the membrane on the left
static void find_border(Opening *p)
{
  const dvInts *list = dv_topology_elements(p->m.mesh, DV_TRIANGLE);
  for (size_t i = 0; i < p->next.count; i++) p->next.data[i] = -1;
  for (size_t i = 0; i < list->count; i++) {
    int32_t a = list->data[i], b = list->data[i % 3 == 2 ? i - 2 : i + 1];
    if (dv_membrane_is_border(&p->m, a, b)) p->next.data[a] = b;
  }
}

static void find_rings(Opening *p)
{
  p->ring.count = p->ring_starts.count = 0;
  dv_push(&p->ring_starts, 0);
  size_t points = p->next.count;
  for (size_t i = 0; i < points; i++) {
    if (p->next.data[i] < 0 || !is_held(p, p->part.data[i])) continue;
    size_t begin = p->ring.count;
    for (int32_t at = (int32_t)i; at >= 0 && p->next.data[at] >= 0;) {
      dv_push(&p->ring, at);
      int32_t on = p->next.data[at];
      p->next.data[at] = -1;
      at = on;
    }
    dv_push(&p->ring_starts, (int32_t)p->ring.count);
    if (p->ring.count - begin < 3) p->ring.count = begin, p->ring_starts.count--;
  }
}

static void find_all(Opening *p)
{
  p->next.count = 0;
  for (size_t i = 0; i < p->m.state->count; i++) dv_push(&p->next, -1);
  find_parts(p);
  find_border(p);
  find_rings(p);
  p->seen = p->m.mesh->revision;
}

// --- measures ------------------------------------------------------------------------------------

// where a point lies across the axis, in the vector DV_X or DV_X_REST
static void across(const Opening *p, int vector, int32_t point, double out[2])
{
  dvVec3 d = dv_vec3_sub(dv_vec3_load(dv_state_read(p->m.state, vector) + 3 * (size_t)point), dv_vec3_load(p->centre));
  out[0] = dv_vec3_dot(d, p->u), out[1] = dv_vec3_dot(d, p->v);
}

static bool names(const Opening *p, int32_t point)
{
  for (size_t k = 0; k < p->held.count; k++)
    if (p->held.data[k] == point) return true;
  return false;
}

// area and centroid of a ring, seen along the axis; negative area: an opening, which has the membrane around it
static double area_of(const Opening *p, size_t ring, double c[2])
{
  size_t from = (size_t)p->ring_starts.data[ring], to = (size_t)p->ring_starts.data[ring + 1];
  double sum = 0, a[2], b[2];
  c[0] = c[1] = 0;
  for (size_t i = from; i < to; i++) {
    across(p, DV_X, p->ring.data[i], a), across(p, DV_X, p->ring.data[i + 1 < to ? i + 1 : from], b);
    double cross = a[0] * b[1] - a[1] * b[0];
    sum += cross / 2;
    for (int k = 0; k < 2; k++) c[k] += (a[k] + b[k]) * cross / 6;
  }
  for (int k = 0; k < 2; k++) c[k] = sum != 0 ? c[k] / sum : 0;
  return sum;
}

static void measure_ring(Opening *p, size_t ring, double area, const double c[2])
{
  double least = INFINITY, most = 0, x[2];
  for (int32_t i = p->ring_starts.data[ring]; i < p->ring_starts.data[ring + 1]; i++) {
    across(p, DV_X, p->ring.data[i], x);
    double r = hypot(x[0] - c[0], x[1] - c[1]);
    least = dv_min(least, r), most = dv_max(most, r);
  }
  p->diameter = 2 * sqrt(area / 3.14159265358979323846);
  p->roundness = most > 0 ? least / most : 0;
  p->decentring = hypot(c[0], c[1]);
}

// stretches of the border beyond the limit, without the ring of points that hold
static void count_out(Opening *p, size_t ring)
{
  size_t from = (size_t)p->ring_starts.data[ring], to = (size_t)p->ring_starts.data[ring + 1];
  bool before = false, first = false;
  double x[2];
  for (size_t i = from; i < to; i++) {
    bool held = names(p, p->ring.data[i]);
    across(p, DV_X_REST, p->ring.data[i], x);
    double r = hypot(x[0], x[1]);
    bool out = !held && r > p->limit;
    if (!held) p->farthest = dv_max(p->farthest, r);
    if (out && !before) p->tearOuts++;
    if (i == from) first = out;
    before = out;
  }
  if (first && before && to - from > 1 && p->tearOuts > 1) p->tearOuts--;   // one stretch over the begin of the list
}

static void measure(Opening *p)
{
  dvObject *o = &p->base;
  if (p->seen != p->m.mesh->revision || p->next.count != p->m.state->count) find_all(p);
  double largest = 0;
  p->diameter = p->roundness = p->decentring = p->farthest = 0;
  p->tearOuts = 0;
  for (size_t ring = 0; ring + 1 < p->ring_starts.count; ring++) {
    double c[2], area = -area_of(p, ring, c);
    bool outer = false;
    for (int32_t i = p->ring_starts.data[ring]; i < p->ring_starts.data[ring + 1]; i++)
      outer |= names(p, p->ring.data[i]);
    count_out(p, ring);
    if (outer || !(area > largest)) continue;
    largest = area;
    measure_ring(p, ring, area, c);
  }
  const void *shown[] = {&p->parts,     &p->free,       &p->area,     &p->diameter,
                         &p->roundness, &p->decentring, &p->farthest, &p->tearOuts};
  for (size_t i = 0; i < DV_COUNT(shown); i++) dv_touch(o, shown[i]);
}

static void opening_event(dvObject *o, const dvEvent *event)
{
  if (event->kind == DV_EVENT_ANIMATE_END) measure((Opening *)o);
}

static dvStatus opening_init(dvObject *o)
{
  Opening *p = (Opening *)o;
  DV_TRY(dv_state_of_mesh(o, &p->topology, &p->m.mesh, &p->m.state));
  if (!dv_topology_count(p->m.mesh, DV_TRIANGLE))
    return dv_error(o, "name a mesh of triangles", "%s has no triangles", p->m.mesh->base.name);
  if (!p->held.count)
    return dv_field_error(o, &p->held, "name the points by which the membrane is held", "nothing holds the membrane");
  for (size_t i = 0; i < p->held.count; i++)
    if (p->held.data[i] < 0 || (size_t)p->held.data[i] >= p->m.state->count)
      return dv_field_error(o, &p->held, "indices count from 0", "entry %zu is %d, but there are %zu points", i,
                            p->held.data[i], p->m.state->count);
  dvVec3 axis = dv_vec3_load(p->axis);
  if (!(dv_vec3_norm(axis) > 0))
    return dv_field_error(o, &p->axis, "the default is 0 0 1", "the axis has no direction");
  axis = dv_vec3_normalise(axis);
  dvVec3 other = fabs(axis.x) < 0.9 ? dv_vec3(1, 0, 0) : dv_vec3(0, 1, 0);
  p->u = dv_vec3_normalise(dv_vec3_add_scaled(other, axis, -dv_vec3_dot(other, axis)));
  p->v = dv_vec3_cross(axis, p->u);
  dv_follow_list(o, p->m.mesh, DV_POINT, &p->held);
  p->seen = p->m.mesh->revision - 1;
  return DV_OK;
}

static void opening_changed(dvObject *o)
{
  Opening *p = (Opening *)o;
  p->seen = p->m.mesh->revision - 1;
}

static void opening_destroy(dvObject *o)
{
  Opening *p = (Opening *)o;
  dv_array_free(&p->next), dv_array_free(&p->part), dv_array_free(&p->ring), dv_array_free(&p->ring_starts);
}

const dvClass dv_opening_class = {
    .struct_size = sizeof(dvClass),
    .name = "MembraneOpening",
    .help = "measures the opening that a tear makes in a membrane: size, roundness, place, and tears that ran out",
    .module = "Anatomy",
    .roles = DV_PLAYS(DV_ROLE_TOPOLOGY_TOOL),
    .size = sizeof(Opening),
    .blocks = {&dv_object_block, DV_BLOCK(opening_fields)},
    .presets = "listening=1",
    .bwd_init = opening_init,
    .handle_event = opening_event,
    .topology_changed = opening_changed,
    .destroy = opening_destroy,
    DV_MEMORY(opening_memory),
};

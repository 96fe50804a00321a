// See cut.h.
#include "topology/change/cut.h"

#include "math/vec.h"
#include "topology/change/part.h"

typedef DV_ARRAY(int32_t) Numbers;
typedef DV_ARRAY(double) Reals;

typedef struct Blade {
  dvTopology *mesh;
  const dvIncision *how;
  const double *polygon;
  size_t corners;
  dvVec3 centre, normal;   // of the plane
  DV_ARRAY(uint8_t) on;    // points that lie on the blade
} Blade;

static dvVec3 place(const Blade *b, int32_t point)
{
  return dv_vec3_load(b->how->positions(b->how->user) + 3 * (size_t)point);
}

static dvVec3 corner(const Blade *b, size_t i) { return dv_vec3_load(b->polygon + 3 * (i % b->corners)); }

// the plane through the middle of the polygon, after Newell
static bool make_plane(Blade *b)
{
  for (size_t i = 0; i < b->corners; i++) {
    b->centre = dv_vec3_add_scaled(b->centre, corner(b, i), 1 / (double)b->corners);
    b->normal = dv_vec3_add(b->normal, dv_vec3_cross(corner(b, i), corner(b, i + 1)));
  }
  double length = dv_vec3_norm(b->normal);
  if (!(length > 0) || !isfinite(length)) return false;
  b->normal = dv_vec3_scale(b->normal, 1 / length);
  return true;
}

static bool is_inside(const Blade *b, dvVec3 x)
{
  for (size_t i = 0; i < b->corners; i++) {
    dvVec3 side = dv_vec3_sub(corner(b, i + 1), corner(b, i));
    if (dv_vec3_dot(dv_vec3_cross(b->normal, side), dv_vec3_sub(x, corner(b, i))) < 0) return false;
  }
  return true;
}

// where the blade crosses an edge, as a share of it; -1 where it does not
static double crossing(const Blade *b, const int32_t *edge)
{
  dvVec3 x = place(b, edge[0]), y = place(b, edge[1]);
  double p = dv_vec3_dot(dv_vec3_sub(x, b->centre), b->normal), q = dv_vec3_dot(dv_vec3_sub(y, b->centre), b->normal);
  if (p * q > 0 || p == q) return -1;
  double s = p / (p - q);
  return is_inside(b, dv_vec3_add_scaled(x, dv_vec3_sub(y, x), s)) ? s : -1;
}

static void mark(Blade *b, int32_t point)
{
  while (b->on.count <= (size_t)point) dv_push(&b->on, 0);
  b->on.data[point] = 1;
}

static bool is_on(const Blade *b, int32_t point) { return (size_t)point < b->on.count && b->on.data[point]; }

// edges to split, by their ends, and where; ends that are near the blade come to lie on it
static void find_crossings(Blade *b, Numbers *edges, Reals *shares)
{
  const dvInts *all = dv_topology_elements(b->mesh, DV_EDGE);
  for (size_t i = 0; i < dv_ints_size(all); i++) {
    const int32_t *e = all->data + 2 * i;
    double s = crossing(b, e);
    if (s < 0) continue;
    if (s <= b->how->snap) mark(b, e[0]);
    if (s >= 1 - b->how->snap) mark(b, e[1]);
    if (s <= b->how->snap || s >= 1 - b->how->snap) continue;
    dv_push(edges, e[0]), dv_push(edges, e[1]);
    dv_push(shares, s);
  }
}

static dvStatus split(Blade *b, const Numbers *edges, const Reals *shares, size_t *count)
{
  for (size_t i = 0; i < shares->count; i++) {
    int32_t p = edges->data[2 * i], q = edges->data[2 * i + 1];
    if (is_on(b, p) || is_on(b, q)) continue;   // an end has come to lie there by another edge
    int32_t fresh = dv_mesh_split_edge(b->mesh, p, q, shares->data[i]);
    if (fresh < 0) return DV_ERROR_USAGE;
    mark(b, fresh);
    (*count)++;
  }
  return DV_OK;
}

// on which side of the blade a tetrahedron lies: that of its points which are not on it, or of its middle
static bool is_above(const Blade *b, int32_t tetrahedron)
{
  const int32_t *c = dv_topology_list(b->mesh, DV_TETRAHEDRON)->data + 4 * (size_t)tetrahedron;
  double off = 0, all = 0;
  bool some = false;
  for (int k = 0; k < 4; k++) {
    double d = dv_vec3_dot(dv_vec3_sub(place(b, c[k]), b->centre), b->normal);
    all += d;
    if (is_on(b, c[k])) continue;
    off += d;
    some = true;
  }
  return (some ? off : all) > 0;
}

// a triangle on the blade between tetrahedra of either side
static bool is_cut(void *user, const int32_t *face)
{
  const Blade *b = user;
  int32_t around[2];
  if (!is_on(b, face[0]) || !is_on(b, face[1]) || !is_on(b, face[2])) return false;
  return dv_mesh_around(b->mesh, DV_TETRAHEDRON, face, 3, around, 2) == 2 &&
         is_above(b, around[0]) != is_above(b, around[1]);
}

// 6 sqrt 2 V over the cube of the root mean square of the edges: 1 for a regular tetrahedron
static double quality(const Blade *b, const int32_t *c)
{
  dvVec3 x[4];
  double squares = 0;
  for (int k = 0; k < 4; k++) x[k] = place(b, c[k]);
  for (int i = 0; i < 4; i++)
    for (int k = i + 1; k < 4; k++) squares += dv_vec3_norm2(dv_vec3_sub(x[i], x[k])) / 6;
  double volume6 =
      dv_vec3_dot(dv_vec3_cross(dv_vec3_sub(x[1], x[0]), dv_vec3_sub(x[2], x[0])), dv_vec3_sub(x[3], x[0]));
  return squares > 0 ? fabs(volume6) * sqrt(2) / (squares * sqrt(squares)) : 0;
}

static double worst(const Blade *b)
{
  double least = 1;
  for (size_t p = 0; p < b->on.count; p++)
    for (int32_t at = b->on.data[p] ? dv_topology_first_at(b->mesh, DV_TETRAHEDRON, (int32_t)p) : -1; at >= 0;
         at = dv_topology_next_at(b->mesh, DV_TETRAHEDRON, at))
      least = dv_min(least, quality(b, dv_topology_list(b->mesh, DV_TETRAHEDRON)->data + at / 4 * 4));
  return least;
}

dvStatus dv_mesh_cut(dvTopology *t, const dvIncision *how, const double *polygon, size_t corners, dvCut *out)
{
  dvIncision snapped = *how;
  snapped.snap = dv_min(dv_max(how->snap, 1e-6), 0.49);   // see incise.c
  Blade b = {.mesh = t, .how = &snapped, .polygon = polygon, .corners = corners};
  dvCut cut = {.quality = 1};
  Numbers edges = {0}, points = {0};
  Reals shares = {0};
  if (out) *out = cut;
  if (corners < 3 || !make_plane(&b)) {
    dv_warning(how->owner, "give at least three corners that span an area", "a blade of %zu corners cuts nothing",
               corners);
    return DV_ERROR_USAGE;
  }
  DV_TRY(dv_topology_first_change(t));
  find_crossings(&b, &edges, &shares);
  dvStatus status = split(&b, &edges, &shares, &cut.split);
  for (size_t i = 0; i < b.on.count; i++)
    if (b.on.data[i]) dv_push(&points, (int32_t)i);
  if (status == DV_OK) status = dv_mesh_part(t, DV_TETRAHEDRON, points.data, points.count, is_cut, &b, &cut.doubled);
  if (status == DV_OK) cut.quality = worst(&b);
  if (out) *out = cut;
  dv_array_free(&edges), dv_array_free(&points), dv_array_free(&shares), dv_array_free(&b.on);
  return status;
}

// See incise.h.
#include "topology/change/incise.h"

#include "math/vec.h"
#include "topology/change/part.h"
#include "topology/search/surface.h"

typedef DV_ARRAY(int32_t) Numbers;

// --- elementary splits ---------------------------------------------------------------------------

static bool can_be_split(dvTopology *t, const dvEdgeSplit *e)
{
  int32_t ends[2] = {e->a, e->b}, points = (int32_t)dv_topology_point_count(t);
  if (e->a >= 0 && e->b >= 0 && e->a < points && e->b < points && e->share > 0 && e->share < 1 &&
      dv_mesh_find(t, DV_EDGE, ends) >= 0)
    return true;
  dv_warning(&t->base, "the mesh stays as it is", "between points %d and %d there is no edge that could be split", e->a,
             e->b);
  return false;
}

dvStatus dv_mesh_add_middles(dvTopology *t, const dvEdgeSplit *edges, size_t count)
{
  Numbers offsets = {0}, ends = {0};
  DV_ARRAY(double) weights = {0};
  for (size_t i = 0; i <= count; i++) dv_push(&offsets, 2 * (int32_t)i);
  for (size_t i = 0; i < count; i++) {
    dv_push(&ends, edges[i].a), dv_push(&ends, edges[i].b);
    dv_push(&weights, 1 - edges[i].share), dv_push(&weights, edges[i].share);
  }
  dvStatus status = dv_topology_add_points(t, count, NULL, (dvOrigin){offsets.data, ends.data, weights.data});
  dv_array_free(&offsets), dv_array_free(&ends), dv_array_free(&weights);
  return status;
}

int32_t dv_mesh_split_edges(dvTopology *t, const dvEdgeSplit *edges, size_t count)
{
  int32_t fresh = (int32_t)dv_topology_point_count(t);
  if (dv_topology_first_change(t) != DV_OK) return -1;
  for (size_t i = 0; i < count; i++)
    if (!can_be_split(t, &edges[i])) return -1;
  if (count && dv_mesh_add_middles(t, edges, count) != DV_OK) return -1;
  dvDraft draft;
  dv_draft_begin(&draft, t, dv_topology_count(t, DV_TETRAHEDRON) ? DV_TETRAHEDRON : DV_TRIANGLE);
  dv_draft_split(&draft, edges, count, fresh);
  return dv_draft_make(&draft, DV_OK) == DV_OK ? fresh : -1;
}

int32_t dv_mesh_split_edge(dvTopology *t, int32_t a, int32_t b, double share)
{
  return dv_mesh_split_edges(t, &(dvEdgeSplit){a, b, share}, 1);
}

int32_t dv_mesh_split_triangle(dvTopology *t, int32_t triangle, const double shares[3])
{
  if (dv_topology_first_change(t) != DV_OK) return -1;
  if (triangle < 0 || (size_t)triangle >= dv_topology_count(t, DV_TRIANGLE)) {
    dv_warning(&t->base, "the mesh stays as it is", "triangle %d cannot be split: it does not exist", triangle);
    return -1;
  }
  int32_t corners[3], offsets[2] = {0, 3}, fresh = (int32_t)dv_topology_point_count(t);
  memcpy(corners, dv_topology_list(t, DV_TRIANGLE)->data + 3 * (size_t)triangle, sizeof corners);
  if (dv_topology_add_points(t, 1, NULL, (dvOrigin){offsets, corners, shares}) != DV_OK) return -1;
  int32_t points[9], ancestors[3] = {triangle, triangle, triangle};
  for (int i = 0; i < 9; i++) points[i] = i % 3 == i / 3 ? fresh : corners[i % 3];   // opposite to a corner: its share
  dvStatus status = dv_mesh_replace(t, DV_TRIANGLE, &triangle, 1, points, ancestors, shares, 3);
  return status == DV_OK ? fresh : -1;
}

// --- where a corner of the polyline lies ---------------------------------------------------------

typedef struct Walk {
  dvTopology *mesh;
  const dvIncision *how;
  Numbers path;   // points, one after the other
} Walk;

static dvVec3 place(const Walk *w, int32_t point)
{
  return dv_vec3_load(w->how->positions(w->how->user) + 3 * (size_t)point);
}

// the nearest triangle, or the one that was told; -1 for a miss
static int32_t locate(const Walk *w, dvVec3 x, int32_t told, double shares[3])
{
  const dvInts *list = dv_topology_elements(w->mesh, DV_TRIANGLE);
  int32_t best = -1, count = (int32_t)dv_ints_size(list);
  double distance = INFINITY, trial[3];
  bool known = told >= 0 && told < count;
  for (int32_t i = known ? told : 0; i < (known ? told + 1 : count); i++) {
    dvVec3 near = dv_nearest_on_triangle(w->how->positions(w->how->user), list->data + 3 * (size_t)i, x, trial);
    double d = dv_vec3_norm2(dv_vec3_sub(near, x));
    if (d >= distance) continue;
    distance = d, best = i;
    memcpy(shares, trial, sizeof trial);
  }
  if (best < 0) return -1;
  const int32_t *c = list->data + 3 * (size_t)best;
  double size = 0;
  for (int k = 0; k < 3; k++) size = dv_max(size, dv_vec3_norm2(dv_vec3_sub(place(w, c[k]), place(w, c[(k + 1) % 3]))));
  return distance <= size ? best : -1;
}

// --- points of the path --------------------------------------------------------------------------

bool dv_mesh_split_is_poor(dvTopology *t, const dvIncision *how, int32_t a, int32_t b, double share)
{
  if (!(how->least > 0) && !(how->worst > 0)) return false;
  const double *x = how->positions(how->user);
  dvVec3 p = dv_vec3_load(x + 3 * (size_t)a), q = dv_vec3_load(x + 3 * (size_t)b), edge = dv_vec3_sub(q, p),
         middle = dv_vec3_add_scaled(p, edge, share);
  if (dv_min(share, 1 - share) * dv_vec3_norm(edge) < how->least) return true;
  for (int32_t at = dv_topology_first_at(t, DV_TRIANGLE, a); at >= 0; at = dv_topology_next_at(t, DV_TRIANGLE, at)) {
    const int32_t *c = dv_topology_list(t, DV_TRIANGLE)->data + at / 3 * 3;
    int32_t one = c[(at + 1) % 3], other = c[(at + 2) % 3];
    if (one != b && other != b) continue;
    dvVec3 far = dv_vec3_load(x + 3 * (size_t)(one == b ? other : one));
    if (dv_min(dv_triangle_roundness(p, middle, far), dv_triangle_roundness(middle, q, far)) < how->worst ||
        dv_vec3_norm(dv_vec3_sub(far, middle)) < how->least)
      return true;
  }
  return false;
}

// a point of an edge, or its nearer end
static int32_t point_of_edge(const Walk *w, int32_t a, int32_t b, double share)
{
  if (dv_mesh_split_is_poor(w->mesh, w->how, a, b, share)) return share < 0.5 ? a : b;
  return dv_mesh_split_edge(w->mesh, a, b, share);
}

// a point of a triangle, or its nearest corner
static int32_t point_of_triangle(const Walk *w, int32_t triangle, const double shares[3])
{
  const int32_t *c = dv_topology_elements(w->mesh, DV_TRIANGLE)->data + 3 * (size_t)triangle;
  dvVec3 x = {0};
  int nearest = 0;
  bool poor = false;
  for (int k = 0; k < 3; k++) {
    x = dv_vec3_add_scaled(x, place(w, c[k]), shares[k]);
    if (shares[k] > shares[nearest]) nearest = k;
  }
  for (int k = 0; k < 3; k++)
    poor = poor || dv_triangle_roundness(place(w, c[k]), place(w, c[(k + 1) % 3]), x) < w->how->worst ||
           dv_vec3_norm(dv_vec3_sub(place(w, c[k]), x)) < w->how->least;
  return poor ? c[nearest] : dv_mesh_split_triangle(w->mesh, triangle, shares);
}

// makes a place of a triangle a point of the mesh: a corner or a point of an edge that is near, or a new one
static int32_t make_point(const Walk *w, int32_t triangle, const double shares[3])
{
  int32_t c[3];
  memcpy(c, dv_topology_elements(w->mesh, DV_TRIANGLE)->data + 3 * (size_t)triangle, sizeof c);
  for (int k = 0; k < 3; k++)
    if (shares[k] >= 1 - w->how->snap_end) return c[k];
  for (int k = 0; k < 3; k++) {
    double along = shares[(k + 1) % 3] + shares[(k + 2) % 3];
    if (shares[k] <= w->how->snap) return point_of_edge(w, c[(k + 1) % 3], c[(k + 2) % 3], shares[(k + 2) % 3] / along);
  }
  return point_of_triangle(w, triangle, shares);
}

// --- the walk ------------------------------------------------------------------------------------

typedef struct Ahead {
  int32_t triangle, p, q;   // the far edge of the triangle ahead
  double s, reach;          // where it is met, and how far the aim is in lengths to there; infinite: nothing ahead
} Ahead;

// the triangle at `point` through whose far edge the way to `aim` leads
static Ahead look_ahead(const Walk *w, int32_t point, dvVec3 aim)
{
  Ahead best = {.triangle = -1};
  double straightest = 0;
  dvVec3 x = place(w, point), way = dv_vec3_sub(aim, x);
  for (int32_t at = dv_topology_first_at(w->mesh, DV_TRIANGLE, point); at >= 0;
       at = dv_topology_next_at(w->mesh, DV_TRIANGLE, at)) {
    const int32_t *c = dv_topology_list(w->mesh, DV_TRIANGLE)->data + at / 3 * 3;
    int32_t p = c[(at + 1) % 3], q = c[(at + 2) % 3];
    dvVec3 u = dv_vec3_sub(place(w, p), x), v = dv_vec3_sub(place(w, q), x);
    dvVec3 side = dv_vec3_cross(way, dv_vec3_cross(u, v));
    double dp = dv_vec3_dot(u, side), dq = dv_vec3_dot(v, side);
    // points that lie in the plane but for roundings are met themselves
    double small = 1e-9 * dv_vec3_norm(side);
    if (fabs(dp) <= small * dv_vec3_norm(u)) dp = 0;
    if (fabs(dq) <= small * dv_vec3_norm(v)) dq = 0;
    if (dp * dq > 0 || dp == dq) continue;
    double s = dp / (dp - dq);
    dvVec3 to = dv_vec3_add_scaled(u, dv_vec3_sub(v, u), s);
    double length = dv_vec3_norm(to), forward = dv_vec3_dot(to, way);
    if (!(forward > 0) || !(length > 0) || forward / length <= straightest) continue;
    straightest = forward / length;
    best = (Ahead){at / 3, p, q, s, forward / (length * length)};
  }
  return best;
}

// one step towards the aim: the next point of the path, or the one where it stands when it has arrived
static int32_t step(const Walk *w, int32_t point, dvVec3 aim, bool *arrived)
{
  Ahead a = look_ahead(w, point, aim);
  *arrived = a.triangle < 0 || a.reach <= w->how->snap_end;   // at the border, or near enough
  if (*arrived) return point;
  int32_t met = a.s <= w->how->snap ? a.p : a.s >= 1 - w->how->snap ? a.q : -1;
  *arrived = a.reach <= 1 + 1e-6;
  if (a.reach >= 1 - w->how->snap_end) return met >= 0 ? met : point_of_edge(w, a.p, a.q, a.s);
  // the aim lies in this triangle
  if (met >= 0) return point_of_edge(w, point, met, a.reach);
  const int32_t *c = dv_topology_list(w->mesh, DV_TRIANGLE)->data + 3 * (size_t)a.triangle;
  double shares[3];
  for (int k = 0; k < 3; k++)
    shares[k] = c[k] == point ? 1 - a.reach : c[k] == a.p ? a.reach * (1 - a.s) : a.reach * a.s;
  return point_of_triangle(w, a.triangle, shares);
}

static dvStatus walk(Walk *w, dvVec3 aim)
{
  size_t most = 4 * dv_topology_count(w->mesh, DV_TRIANGLE) + 100;
  for (size_t i = 0; i < most; i++) {
    int32_t here = w->path.data[w->path.count - 1];
    bool arrived;
    int32_t next = step(w, here, aim, &arrived);
    if (next < 0) return DV_ERROR_USAGE;
    // where points are met instead of edges it might turn back
    if (w->path.count > 1 && next == w->path.data[w->path.count - 2]) return DV_OK;
    if (next != here) dv_push(&w->path, next);
    if (arrived) return DV_OK;
  }
  return DV_OK;
}

// --- the lips part -------------------------------------------------------------------------------

static bool is_cut(void *user, const dvBetween *edge)
{
  const Walk *w = user;
  int32_t a = edge->points[0], b = edge->points[1];
  for (size_t i = 0; i + 1 < w->path.count; i++) {
    int32_t p = w->path.data[i], q = w->path.data[i + 1];
    if ((p == a && q == b) || (p == b && q == a)) return true;
  }
  return false;
}

dvStatus dv_mesh_incise(dvTopology *t, const dvIncision *how, const double *corners, const int32_t *triangles,
                        size_t count, size_t *doubled)
{
  // less would make slivers of roundings, more would leave no edge to split
  dvIncision snapped = *how;
  snapped.snap = dv_min(dv_max(how->snap, 1e-6), 0.49);
  snapped.snap_end = dv_min(dv_max(how->snap_end, 1e-6), 0.49);
  Walk w = {.mesh = t, .how = &snapped};
  size_t parted = 0;
  double shares[3];
  if (doubled) *doubled = 0;
  DV_TRY(dv_topology_first_change(t));
  for (size_t i = 0; i < count; i++)
    if (locate(&w, dv_vec3_load(corners + 3 * i), triangles ? triangles[i] : -1, shares) < 0) {
      dv_warning(how->owner, "nothing is cut", "the incision misses %s: (%g, %g, %g) is far from its triangles",
                 t->base.name, corners[3 * i], corners[3 * i + 1], corners[3 * i + 2]);
      return DV_ERROR_USAGE;
    }
  if (count < 2) return DV_OK;
  int32_t first = make_point(&w, locate(&w, dv_vec3_load(corners), triangles ? triangles[0] : -1, shares), shares);
  if (first < 0) return DV_ERROR_USAGE;
  dv_push(&w.path, first);
  dvStatus status = DV_OK;
  for (size_t i = 1; i < count && status == DV_OK; i++) status = walk(&w, dv_vec3_load(corners + 3 * i));
  dvDraft draft;
  dv_draft_begin(&draft, t, DV_TRIANGLE);
  if (status == DV_OK) status = dv_draft_part(&draft, w.path.data, w.path.count, is_cut, &w, &parted);
  status = dv_draft_make(&draft, status);
  if (doubled) *doubled = parted;
  dv_array_free(&w.path);
  return status;
}

// Nearest points of convex solids, and how deep they overlap. See convex.h.
//
// The difference of two cores, all a - b, is convex; its point x nearest to the origin is their distance. It is found
// as Wolfe does (Finding the nearest point in a polytope, 1976; Gilbert, Johnson and Keerthi's method is the same):
// x is kept as the nearest point of a simplex of at most four corners; the corner farthest along -x comes in, and
// corners whose weight becomes zero go, until no corner lies farther than x itself.
//
// Cores that overlap are moved apart along the axis on which they overlap least. For polytopes that is the normal of a
// face or perpendicular to an edge of each.
#include "collision/intersection/convex.h"

#include <math.h>

enum { ROUNDS = 64 };
#define ROUND_OFF 1e-13
#define TOUCHING 1e-11

// --- cores ---------------------------------------------------------------------------------------

static void load_brick(const dvCollisionModel *m, int32_t element, dvConvex *c)
{
  const double *x = dv_collision_point(m, element), *half = m->lengths->data + 3 * element;
  dvVec3 centre = dv_vec3_load(x), side[3];
  c->centre = centre;
  dvMat3 r = dv_quat_to_matrix(dv_quat_load(x + 3));
  for (int k = 0; k < 3; k++) {
    c->axis[k] = dv_mat3_column(r, k);
    c->half[k] = half[k];
    side[k] = dv_vec3_scale(c->axis[k], half[k]);
  }
  for (int i = 0; i < 8; i++) {
    dvVec3 p = centre;
    for (int k = 0; k < 3; k++) p = dv_vec3_add_scaled(p, side[k], i >> k & 1 ? 1 : -1);
    c->corner[i] = p;
  }
}

void dv_convex_load(const dvCollisionModel *m, int32_t element, dvConvex *out)
{
  out->shape = m->shape;
  out->radius = m->radii ? m->radii->data[element] : 0;
  switch (m->shape) {
  case DV_SHAPE_BRICK:
    out->count = 8;
    load_brick(m, element, out);
    return;
  case DV_SHAPE_CAPSULE:
    out->count = 2;
    dv_ends(m, element, out->corner);
    return;
  default:
    out->count = m->elements.width ? m->elements.width : 1;
    for (int k = 0; k < out->count; k++) out->corner[k] = dv_corner(m, element, k);
  }
}

// the corner farthest along d; of a brick the sides tell
static int farthest(const dvConvex *c, dvVec3 d)
{
  if (c->count == 8)
    return (dv_vec3_dot(c->axis[0], d) > 0) | (dv_vec3_dot(c->axis[1], d) > 0) << 1 |
           (dv_vec3_dot(c->axis[2], d) > 0) << 2;
  int best = 0;
  double most = dv_vec3_dot(c->corner[0], d);
  for (int i = 1; i < c->count; i++) {
    double along = dv_vec3_dot(c->corner[i], d);
    if (along > most) most = along, best = i;
  }
  return best;
}

// --- distance ------------------------------------------------------------------------------------

typedef struct Simplex {
  int count;
  dvVec3 corner[4];   // a - b
  int of[4][2];       // numbers of a and b
  double weight[4];
} Simplex;

static dvVec3 blend(const dvVec3 *p, const double *w, int count)
{
  dvVec3 x = dv_vec3_scale(p[0], w[0]);
  for (int i = 1; i < count; i++) x = dv_vec3_add_scaled(x, p[i], w[i]);
  return x;
}

// The weights of the point nearest to the origin in the plane, line or point through the corners; false when the
// corners do not span one.
static bool flat_weights(const Simplex *s, double *w)
{
  int n = s->count - 1;
  double m[3][4];
  dvVec3 way[3];
  for (int i = 0; i < n; i++) way[i] = dv_vec3_sub(s->corner[i + 1], s->corner[0]);
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) m[i][j] = dv_vec3_dot(way[i], way[j]);
    m[i][3] = -dv_vec3_dot(way[i], s->corner[0]);
  }
  double scale[3];
  for (int i = 0; i < n; i++) scale[i] = m[i][i];
  for (int k = 0; k < n; k++) {   // positive definite: pivots from the diagonal
    if (!(m[k][k] > 1e-14 * scale[k])) return false;
    for (int i = k + 1; i < n; i++) {
      double f = m[i][k] / m[k][k];
      for (int j = k + 1; j < n; j++) m[i][j] -= f * m[k][j];
      m[i][3] -= f * m[k][3];
    }
  }
  w[0] = 1;
  for (int k = n - 1; k >= 0; k--) {
    double sum = m[k][3];
    for (int j = k + 1; j < n; j++) sum -= m[k][j] * w[j + 1];
    w[k + 1] = sum / m[k][k];
    w[0] -= w[k + 1];
  }
  return true;
}

static void drop(Simplex *s, int i)
{
  s->count--;
  for (; i < s->count; i++) {
    s->corner[i] = s->corner[i + 1];
    s->of[i][0] = s->of[i + 1][0], s->of[i][1] = s->of[i + 1][1];
    s->weight[i] = s->weight[i + 1];
  }
}

// moves to the nearest point of the simplex, dropping corners on the way; false when rounding ends that
static bool shrink(Simplex *s)
{
  for (;;) {
    double w[4];
    if (!flat_weights(s, w)) return false;
    double step = 1;
    int out = -1;
    for (int i = 0; i < s->count; i++) {
      if (w[i] > 0) continue;
      double f = s->weight[i] > w[i] ? s->weight[i] / (s->weight[i] - w[i]) : 0;
      if (f < step || out < 0) step = f, out = i;
    }
    if (out < 0) {
      for (int i = 0; i < s->count; i++) s->weight[i] = w[i];
      return true;
    }
    for (int i = 0; i < s->count; i++) s->weight[i] += step * (w[i] - s->weight[i]);
    drop(s, out);
  }
}

static void add_corner(Simplex *s, const dvConvex *a, const dvConvex *b, int i, int j)
{
  s->corner[s->count] = dv_vec3_sub(a->corner[i], b->corner[j]);
  s->of[s->count][0] = i, s->of[s->count][1] = j;
  s->weight[s->count++] = 0;
}

static bool has_corner(const Simplex *s, int i, int j)
{
  for (int k = 0; k < s->count; k++)
    if (s->of[k][0] == i && s->of[k][1] == j) return true;
  return false;
}

typedef enum Apart { OVERLAPPING, APART, TOO_FAR } Apart;

// two corners that look at each other
static void start(const dvConvex *a, const dvConvex *b, Simplex *s)
{
  int i = 0, j = 0;
  if (a->count == 8 && b->count == 8) {
    dvVec3 way = dv_vec3_sub(b->centre, a->centre);
    i = farthest(a, way), j = farthest(b, dv_vec3_neg(way));
  }
  s->count = 0;
  add_corner(s, a, b, i, j);
  s->weight[0] = 1;
}

static Apart nearest(const dvConvex *a, const dvConvex *b, double reach, dvNearest *out)
{
  Simplex s, kept;
  double size = 0;   // squared
  start(a, b, &s);
  dvVec3 x = s.corner[0];
  for (int round = 0; round < ROUNDS; round++) {
    int i = farthest(a, dv_vec3_neg(x)), j = farthest(b, x);
    dvVec3 w = dv_vec3_sub(a->corner[i], b->corner[j]);
    double square = dv_vec3_norm2(x), along = dv_vec3_dot(x, w);
    size = dv_max(size, dv_vec3_norm2(w));
    if (square <= TOUCHING * TOUCHING * size) return OVERLAPPING;
    if (along > 0 && along * along > reach * reach * square) return TOO_FAR;
    if (square - along <= ROUND_OFF * sqrt(size * square) || has_corner(&s, i, j)) break;
    kept = s;
    add_corner(&s, a, b, i, j);
    if (!shrink(&s)) {
      s = kept;
      break;
    }
    if (s.count == 4) return OVERLAPPING;
    dvVec3 nearer = blend(s.corner, s.weight, s.count);
    if (!(dv_vec3_norm2(nearer) < square)) {
      s = kept;
      break;
    }
    x = nearer;
  }
  dvVec3 on[2][4];
  for (int k = 0; k < s.count; k++) on[0][k] = a->corner[s.of[k][0]], on[1][k] = b->corner[s.of[k][1]];
  for (int side = 0; side < 2; side++) out->point[side] = blend(on[side], s.weight, s.count);
  out->normal = dv_direction(dv_vec3_neg(x), &out->distance);
  return APART;
}

// --- two bricks ----------------------------------------------------------------------------------

// how far the second lies beyond the face of the first that looks at it most, and which axis that is
static double beyond_face(const dvConvex *a, const dvConvex *b, int *axis)
{
  dvVec3 way = dv_vec3_sub(b->centre, a->centre);
  double most = -INFINITY;
  for (int k = 0; k < 3; k++) {
    double gap = fabs(dv_vec3_dot(way, a->axis[k])) - a->half[k];
    for (int n = 0; n < 3; n++) gap -= b->half[n] * fabs(dv_vec3_dot(a->axis[k], b->axis[n]));
    if (gap > most) most = gap, *axis = k;
  }
  return most;
}

// The corner of the second that is nearest to that face, if it lies over it: nothing can be nearer, since the plane of
// the face parts the two.
static bool over_face(const dvConvex *a, const dvConvex *b, int axis, bool turned, dvNearest *out)
{
  dvVec3 n = a->axis[axis];
  if (dv_vec3_dot(dv_vec3_sub(b->centre, a->centre), n) < 0) n = dv_vec3_neg(n);
  dvVec3 corner = b->corner[farthest(b, dv_vec3_neg(n))], from = dv_vec3_sub(corner, a->centre);
  for (int k = 0; k < 3; k++)
    if (k != axis && fabs(dv_vec3_dot(from, a->axis[k])) > a->half[k]) return false;
  double gap = dv_vec3_dot(from, n) - a->half[axis];
  dvVec3 below = dv_vec3_add_scaled(corner, n, -gap);
  *out = (dvNearest){.point = {turned ? corner : below, turned ? below : corner},
                     .normal = turned ? dv_vec3_neg(n) : n,
                     .distance = gap};
  return true;
}

static Apart nearest_of_bricks(const dvConvex *a, const dvConvex *b, double reach, dvNearest *out)
{
  int first = 0, second = 0;
  double on_a = beyond_face(a, b, &first), on_b = beyond_face(b, a, &second), gap = dv_max(on_a, on_b);
  if (gap > reach) return TOO_FAR;
  double size = dv_max(dv_max(a->half[0], a->half[1]), a->half[2]);
  if (gap > 1e-9 * size && (on_a >= on_b ? over_face(a, b, first, false, out) : over_face(b, a, second, true, out)))
    return APART;
  return nearest(a, b, reach, out);
}

// --- overlap -------------------------------------------------------------------------------------

typedef struct Axes {
  int normals, edges;
  dvVec3 normal[4], edge[3];
} Axes;

static Axes axes_of(const dvConvex *c)
{
  Axes x = {0};
  if (c->count == 8) {
    x.normals = x.edges = 3;
    for (int k = 0; k < 3; k++) x.normal[k] = x.edge[k] = c->axis[k];
  } else if (c->count == 3) {
    x.edges = 3;
    for (int k = 0; k < 3; k++) x.edge[k] = dv_vec3_sub(c->corner[(k + 1) % 3], c->corner[k]);
    dvVec3 n = dv_vec3_cross(x.edge[0], x.edge[1]);
    x.normal[x.normals++] = n;
    for (int k = 0; k < 3; k++) x.normal[x.normals++] = dv_vec3_cross(x.edge[k], n);   // for coplanar ones
  } else if (c->count == 2) {
    x.edges = 1;
    x.edge[0] = dv_vec3_sub(c->corner[1], c->corner[0]);
  }
  return x;
}

// how far the second lies behind the first along an axis, either way round, if that is more than was found before
static void try_axis(const dvConvex *a, const dvConvex *b, dvVec3 axis, double more, dvNearest *best)
{
  double length = dv_vec3_norm(axis);
  if (!(length > 1e-9)) return;
  dvVec3 n = dv_vec3_scale(axis, 1 / length);
  for (int turn = 0; turn < 2; turn++, n = dv_vec3_neg(n)) {
    int i = farthest(a, n), j = farthest(b, dv_vec3_neg(n));
    double gap = dv_vec3_dot(n, dv_vec3_sub(b->corner[j], a->corner[i]));
    if (gap > best->distance + more) {
      best->distance = gap;
      best->normal = n;
    }
  }
}

static dvVec3 any_perpendicular(dvVec3 d)
{
  dvVec3 size = dv_vec3(fabs(d.x), fabs(d.y), fabs(d.z));
  dvVec3 least = size.x <= size.y && size.x <= size.z ? dv_vec3(1, 0, 0)
                 : size.y <= size.z                   ? dv_vec3(0, 1, 0)
                                                      : dv_vec3(0, 0, 1);
  return dv_vec3_cross(d, least);
}

// what is nearest once both are moved apart along the normal: lines that cross, or a corner
static void touching_points(const dvConvex *a, const dvConvex *b, dvNearest *out)
{
  dvConvex moved = *b;
  double clear = 1 + fabs(out->distance);
  for (int i = 0; i < b->count; i++)
    moved.corner[i] = dv_vec3_add_scaled(b->corner[i], out->normal, clear - out->distance);
  dvNearest apart;
  if (nearest(a, &moved, INFINITY, &apart) == APART) {
    out->point[0] = apart.point[0];
    out->point[1] = dv_vec3_add_scaled(apart.point[1], out->normal, out->distance - clear);
  } else {
    out->point[0] = a->corner[farthest(a, out->normal)];
    out->point[1] = dv_vec3_add_scaled(out->point[0], out->normal, out->distance);
  }
}

static void overlap(const dvConvex *a, const dvConvex *b, dvNearest *out)
{
  Axes first = axes_of(a), second = axes_of(b);
  *out = (dvNearest){.distance = -INFINITY, .normal = {1, 0, 0}};
  for (int i = 0; i < first.normals; i++) try_axis(a, b, first.normal[i], 0, out);
  for (int i = 0; i < second.normals; i++) try_axis(a, b, second.normal[i], 0, out);
  double faces_first = isfinite(out->distance) ? 1e-12 * (1 + fabs(out->distance)) : 0;
  for (int i = 0; i < first.edges; i++)
    for (int j = 0; j < second.edges; j++)
      try_axis(a, b, dv_vec3_cross(first.edge[i], second.edge[j]), faces_first, out);
  // points on each other, or parallel lines
  bool found = isfinite(out->distance);
  for (int i = 0; i < first.edges && !found; i++) try_axis(a, b, any_perpendicular(first.edge[i]), 0, out);
  for (int j = 0; j < second.edges && !found; j++) try_axis(a, b, any_perpendicular(second.edge[j]), 0, out);
  if (!isfinite(out->distance)) out->distance = 0;
  touching_points(a, b, out);
}

bool dv_convex_nearest(const dvConvex *a, const dvConvex *b, double reach, dvNearest *out)
{
  bool bricks = a->count == 8 && b->count == 8;
  Apart found = bricks ? nearest_of_bricks(a, b, reach, out) : nearest(a, b, reach, out);
  if (found == OVERLAPPING) overlap(a, b, out);
  return found != TOO_FAR && out->distance <= reach;
}

// See polygon.h.
#include "topology/search/polygon.h"

#include "base/text.h"

#include <math.h>
#include <stdlib.h>

typedef DV_ARRAY(int32_t) Ring;

typedef struct Hole {
  Ring points;
  size_t right;   // its rightmost point
} Hole;

typedef DV_ARRAY(Hole) Holes;

// twice the area of a triangle, positive when it turns left
static double turn(const double *xy, int32_t a, int32_t b, int32_t c)
{
  const double *p = xy + 2 * (size_t)a, *q = xy + 2 * (size_t)b, *r = xy + 2 * (size_t)c;
  return (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]);
}

static double area(const double *xy, const Ring *r)
{
  double sum = 0;
  for (size_t i = 1; i + 1 < r->count; i++) sum += turn(xy, r->data[0], r->data[i], r->data[i + 1]);
  return sum;
}

static bool is_inside(const double *xy, const Ring *r, const double *p)
{
  bool inside = false;
  for (size_t i = 0, j = r->count - 1; i < r->count; j = i++) {
    const double *a = xy + 2 * (size_t)r->data[i], *b = xy + 2 * (size_t)r->data[j];
    if ((a[1] > p[1]) != (b[1] > p[1]) && p[0] < (b[0] - a[0]) * (p[1] - a[1]) / (b[1] - a[1]) + a[0]) inside = !inside;
  }
  return inside;
}

// the point of a ring that the rightmost point of a hole sees
static size_t find_bridge(const double *xy, const Ring *r, int32_t from)
{
  const double *m = xy + 2 * (size_t)from;
  double nearest = INFINITY;
  size_t best = 0;
  for (size_t i = 0; i < r->count; i++) {
    size_t j = (i + 1) % r->count;
    const double *a = xy + 2 * (size_t)r->data[i], *b = xy + 2 * (size_t)r->data[j];
    if (!(a[1] <= m[1] && b[1] > m[1])) continue;   // the ring lies left of its edges: these have the hole on it
    double x = a[0] + (m[1] - a[1]) / (b[1] - a[1]) * (b[0] - a[0]);
    if (x < m[0] || x >= nearest) continue;
    nearest = x;
    best = a[0] > b[0] ? i : j;
  }
  if (!isfinite(nearest)) return best;
  // points between may stand in the way: then the one at the smallest angle
  const double *p = xy + 2 * (size_t)r->data[best];
  double steepest = p[0] > m[0] ? fabs(p[1] - m[1]) / (p[0] - m[0]) : INFINITY, reach = p[0];
  size_t way = best;
  double hit[2] = {nearest, m[1]};
  for (size_t i = 0; i < r->count; i++) {
    const double *q = xy + 2 * (size_t)r->data[i];
    if (q[0] < m[0] || q[0] > reach || r->data[i] == r->data[best]) continue;
    double s = (p[1] - m[1]) >= 0 ? 1 : -1;
    double c1 = s * ((hit[0] - m[0]) * (q[1] - m[1]) - (hit[1] - m[1]) * (q[0] - m[0]));
    double c2 = s * ((p[0] - hit[0]) * (q[1] - hit[1]) - (p[1] - hit[1]) * (q[0] - hit[0]));
    double c3 = s * ((m[0] - p[0]) * (q[1] - p[1]) - (m[1] - p[1]) * (q[0] - p[0]));
    if (c1 < 0 || c2 < 0 || c3 < 0) continue;
    double slope = q[0] > m[0] ? fabs(q[1] - m[1]) / (q[0] - m[0]) : INFINITY;
    if (slope < steepest) steepest = slope, way = i;
  }
  return way;
}

static void join(const double *xy, Ring *outer, const Hole *h)
{
  size_t at = find_bridge(xy, outer, h->points.data[h->right]);
  Ring joined = {0};
  for (size_t i = 0; i <= at; i++) dv_push(&joined, outer->data[i]);
  for (size_t i = 0; i <= h->points.count; i++) dv_push(&joined, h->points.data[(h->right + i) % h->points.count]);
  for (size_t i = at; i < outer->count; i++) dv_push(&joined, outer->data[i]);
  dv_array_free(outer);
  *outer = joined;
}

static bool is_ear(const double *xy, const Ring *r, size_t i)
{
  size_t n = r->count;
  int32_t a = r->data[(i + n - 1) % n], b = r->data[i], c = r->data[(i + 1) % n];
  if (turn(xy, a, b, c) <= 0) return false;
  for (size_t k = 0; k < n; k++) {
    int32_t p = r->data[k];
    if (p == a || p == b || p == c) continue;
    if (turn(xy, a, b, p) >= 0 && turn(xy, b, c, p) >= 0 && turn(xy, c, a, p) >= 0) return false;
  }
  return true;
}

// where no ear is left because of rounding, the corner that turns most
static size_t find_ear(const double *xy, const Ring *r, size_t from)
{
  size_t n = r->count, best = 0;
  double most = -INFINITY;
  for (size_t k = 0; k < n; k++)
    if (is_ear(xy, r, (from + k) % n)) return (from + k) % n;
  for (size_t i = 0; i < n; i++) {
    int32_t a = r->data[(i + n - 1) % n], c = r->data[(i + 1) % n];
    double t = turn(xy, a, r->data[i], c);
    if (a != c && t > most) most = t, best = i;
  }
  return best;
}

static void clip(const double *xy, Ring *r, dvPolygonTriangles *out)
{
  size_t from = 0;
  while (r->count >= 3) {
    size_t n = r->count, i = n == 3 ? 1 : find_ear(xy, r, from);
    dv_push(out, r->data[(i + n - 1) % n]), dv_push(out, r->data[i]), dv_push(out, r->data[(i + 1) % n]);
    dv_array_remove(r, i);
    if (n == 3) break;
    from = i % r->count;   // go round, so that triangles do not all meet in one corner
  }
}

static int by_right(const void *a, const void *b, const double *xy)
{
  const Hole *p = a, *q = b;
  double x = xy[2 * (size_t)p->points.data[p->right]], y = xy[2 * (size_t)q->points.data[q->right]];
  return (x < y) - (x > y);
}

// holes from right to left
static void sort_holes(const double *xy, Holes *holes)
{
  for (size_t i = 1; i < holes->count; i++)
    for (size_t k = i; k > 0 && by_right(&holes->data[k - 1], &holes->data[k], xy) > 0; k--) {
      Hole swap = holes->data[k];
      holes->data[k] = holes->data[k - 1];
      holes->data[k - 1] = swap;
    }
}

void dv_polygon_triangulate(const double *xy, const int32_t *points, const size_t *offsets, size_t rings,
                            dvPolygonTriangles *out)
{
  DV_ARRAY(Ring) outers = {0};
  Holes holes = {0};
  for (size_t i = 0; i < rings; i++) {
    Ring r = {0};
    for (size_t k = offsets[i]; k < offsets[i + 1]; k++) dv_push(&r, points[k]);
    if (area(xy, &r) >= 0 || rings == 1) {
      dv_push(&outers, r);
      continue;
    }
    Hole h = {.points = r};
    for (size_t k = 1; k < r.count; k++)
      if (xy[2 * (size_t)r.data[k]] > xy[2 * (size_t)r.data[h.right]]) h.right = k;
    dv_push(&holes, h);
  }
  if (!outers.count && holes.count) {   // rounding has turned them
    dv_push(&outers, holes.data[0].points);
    dv_array_remove(&holes, 0);
  }
  sort_holes(xy, &holes);
  for (size_t i = 0; i < holes.count; i++) {
    size_t best = SIZE_MAX;
    double least = INFINITY;
    const double *p = xy + 2 * (size_t)holes.data[i].points.data[holes.data[i].right];
    for (size_t k = 0; k < outers.count; k++) {
      double a = area(xy, &outers.data[k]);
      if (a < least && is_inside(xy, &outers.data[k], p)) least = a, best = k;
    }
    join(xy, &outers.data[best == SIZE_MAX ? 0 : best], &holes.data[i]);
    dv_array_free(&holes.data[i].points);
  }
  for (size_t i = 0; i < outers.count; i++) {
    clip(xy, &outers.data[i], out);
    dv_array_free(&outers.data[i]);
  }
  dv_array_free(&outers), dv_array_free(&holes);
}

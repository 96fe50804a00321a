// What walls add to the density of a particle beside them. See flow.h.
//
// The density misses what W would have inside of the solid. By the theorem of Gauss that is a sum over its surface:
// with (r^3 F)' = r^2 W and F = 0 from the radius on, W is the divergence of F(r) times the way, so that
//
//   integral of W over the solid = sum_b s_b Psi(r_b) t_b,   Psi = -F = (C(r) + r A(r)) / (2 pi r^3)
//
// t being the height of the particle above the plane of the piece b. Flat walls have C(z), and edges and corners, on
// which side so ever, what they miss: a particle beside an edge is behind the plane of the other face, which takes away
// what this face has too much. (Ferrand et al. 2013 have the same identity for the plane.)
//
// A surface knows no inside: the side on which a particle is is that of the nearest piece of its wall. A skin on the
// other side of a thin wall would leave nothing of it: it does not count.
//
// Nearer than half the distance of particles to the pieces before it (the nearest, and those of other faces in a
// corner) a particle is pushed off, so that a single drop does not pass. It is before a face when its wall adds most of
// what an endless plane would: beside its border that is less, and nothing pushes.
#include "fluid/flow.h"

#include <math.h>

// of the cubic spline
double dv_flow_plane(const dvFlow *f, double q)
{
  double a = 1 - q, q2 = q * q;
  if (!(q < 1)) return 0;
  return (q < 0.5 ? 1.4 - 8 * q2 + 24 * q2 * q2 - 19.2 * q2 * q2 * q : a * a * a * a * (8 - 6.4 * a)) / f->radius;
}

// dA/dq, times the radius
static double plane_slope(double q)
{
  double a = 1 - q;
  if (!(q < 1)) return 0;
  return q < 0.5 ? q * (-16 + q * q * (96 - 96 * q)) : -32 * a * a * a * q;
}

// C: what W misses behind a plane
static double missing(double q)
{
  double q2 = q * q, a = 1 - q;
  if (!(q < 1)) return 0;
  return q < 0.5 ? 0.5 - q * (1.4 - q2 * (8.0 / 3 - q2 * (4.8 - 3.2 * q))) : a * a * a * a * a * (1.6 - 6.4 / 6 * a);
}

// Psi, and its slope over r. Pieces are not points: nearer than a third of their width it stays as it is.
static double weight_at(const dvFlow *f, double r, double width, double *slope)
{
  double least = 0.35 * width, to = fmax(r, least), q = to / f->radius, a = dv_flow_plane(f, q) * f->radius,
         sum = missing(q) + q * a, cube = 2 * M_PI * to * to * to;
  *slope = r > least ? (q * q * plane_slope(q) - 3 * sum) / (cube * to * to) : 0;
  return sum / cube;
}

// P of the square of the distance, for friction and adhesion
static double spread(const dvFlow *f, double square)
{
  const double wide = 0.6;   // of the radius
  double r2 = wide * wide * f->radius * f->radius, a = 1 - square / r2;
  return a > 0 ? 3 * a * a / (M_PI * r2) : 0;
}

// of a piece of wall; some have no area
static double width_of(const dvFlow *f, size_t home) { return fmax(sqrt(f->weight.data[home]), 0.01 * f->radius); }

static double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

// --- walls that are longer than space -------------------------------------------------------------

// How many times a piece of wall is there: where space repeats itself a long wall comes to lie on itself.
static void fold_body(void *user, size_t begin, size_t end)
{
  dvFlow *f = user;
  for (size_t i = begin * DV_NEAR_CHUNK; i < dv_min_size(end * DV_NEAR_CHUNK, f->near.count); i++) {
    const int32_t *list;
    if (!dv_flow_stands(f, i)) continue;
    double sum = f->weight.data[i] * spread(f, 0);
    size_t count = dv_near_of(&f->near, i, &list);
    for (size_t n = 0; n < count; n++) {
      size_t home = dv_flow_home(f, (size_t)list[n]);
      const double *a = f->near.x.data + 3 * i, *b = f->near.x.data + 3 * (size_t)list[n],
                   d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
      if (dv_flow_stands(f, home) && f->wall.data[home] == f->wall.data[i] &&
          dot(f->normal.data + 3 * i, f->normal.data + 3 * home) > 0.9)
        sum += f->weight.data[home] * spread(f, dot(d, d));
    }
    f->rho.data[i] = fmax(1, floor(sum + 0.5));   // samples have no other use for it
  }
}

void dv_flow_fold(dvFlow *f)
{
  dv_flow_run(f, 200, fold_body, f);
  for (size_t i = 0; i < f->near.count; i++)
    if (dv_flow_stands(f, i)) f->weight.data[i] /= f->rho.data[i];
}

// --- a particle and the pieces around it ----------------------------------------------------------

enum { MOST_WALLS = 8, MOST_FACES = 3 };

typedef struct Face {   // the nearest piece of a wall
  int32_t wall;
  double square, side;
  const double *normal;
} Face;

typedef struct Around {
  const dvFlow *f;
  const double *x;   // of the particle
  const int32_t *list;
  size_t count;
  Face faces[MOST_WALLS];
  int known;
} Around;

// the way from a piece to the particle
static double way_from(const Around *s, size_t n, double d[3])
{
  const double *b = s->f->near.x.data + 3 * (size_t)s->list[n];
  for (int k = 0; k < 3; k++) d[k] = s->x[k] - b[k];
  return dot(d, d);
}

static const double *normal_of(const Around *s, size_t n)
{
  return s->f->normal.data + 3 * dv_flow_home(s->f, (size_t)s->list[n]);
}

static void find_faces(Around *s)
{
  for (size_t n = 0; n < s->count; n++) {
    double d[3], square = way_from(s, n, d);
    int32_t wall = s->f->wall.data[dv_flow_home(s->f, (size_t)s->list[n])];
    int at = 0;
    while (at < s->known && s->faces[at].wall != wall) at++;
    if (at == s->known && s->known == MOST_WALLS) continue;
    if (at == s->known) s->faces[s->known++] = (Face){.wall = wall, .square = INFINITY};
    if (!(square < s->faces[at].square)) continue;
    const double *normal = normal_of(s, n);
    s->faces[at] = (Face){wall, square, dot(d, normal) < 0 ? -1 : 1, normal};
  }
}

// How much a piece counts, and on which side of it the particle is.
static double side_of(const Around *s, size_t n, const double d[3], double *side)
{
  int32_t wall = s->f->wall.data[dv_flow_home(s->f, (size_t)s->list[n])];
  const double *normal = normal_of(s, n);
  *side = dot(d, normal) < 0 ? -1 : 1;
  for (int i = 0; i < s->known; i++) {
    if (s->faces[i].wall != wall) continue;
    bool before = s->faces[i].side == *side;
    *side = s->faces[i].side;
    double turned = dot(normal, s->faces[i].normal);
    return before ? 1 : fmin(1, fmax(0, (turned + 0.9) / 0.6));   // the other skin of a thin wall
  }
  return 1;
}

static double meet(const Around *s, size_t n, dvFlowPair out)
{
  const dvFlow *f = s->f;
  size_t home = dv_flow_home(f, (size_t)s->list[n]);
  const double *normal = f->normal.data + 3 * home;
  double d[3], square = way_from(s, n, d), side, counts = side_of(s, n, d, &side), area = f->weight.data[home];
  double way = dot(d, normal), slope, psi = weight_at(f, sqrt(square), width_of(f, home), &slope),
         w = f->density * area * counts * side;
  *out.r = way;
  *out.share = area * spread(f, square - way * way);
  *out.front = 0;
  for (int k = 0; k < 3; k++) out.g[k] = w * (psi * normal[k] + slope * way * d[k]);
  return w * psi * way;
}

// --- drops do not pass ----------------------------------------------------------------------------

// How much of a face is before the particle: 1 from 0.65 of a plane on, 0 below 0.35.
static double stands_before(double part, double *slope)
{
  const double full = 0.65, none = 0.35;
  double a = (part - none) / (full - none);
  *slope = a > 0 && a < 1 ? 6 * a * (1 - a) / (full - none) : 0;
  return a >= 1 ? 1 : a > 0 ? a * a * (3 - 2 * a) : 0;
}

static int32_t wall_of(const Around *s, size_t n) { return s->f->wall.data[dv_flow_home(s->f, (size_t)s->list[n])]; }

// The wall around a piece: beside its part of a plane it pushes the particle off. What the pieces add to the density
// stands in `added`; in a corner the other faces count as well, behind an edge they count against it.
static double push_off(const Around *s, size_t n, const double *added, dvFlowPair out)
{
  const dvFlow *f = s->f;
  const double *normal = normal_of(s, n), extra = 3;
  double d[3], sum = 0, slope, square = way_from(s, n, d);
  double way = dot(d, normal), side = way < 0 ? -1 : 1, z = fabs(way), near = 0.5 * cbrt(f->mass / f->density),
         c = missing(z / f->radius), depth = fmax(0, 1 - z / near), push = extra * depth * depth;
  if (!(c > 0)) return 0;
  for (size_t k = 0; k < s->count; k++)
    if (wall_of(s, k) == wall_of(s, n)) sum += added[k] / f->density;
  double before = stands_before(sum / c, &slope), falls = -dv_flow_plane(f, z / f->radius);
  double width = width_of(f, dv_flow_home(f, (size_t)s->list[n]));
  *dv_flow_pair(out, n).front = before > 0.5 || square - z * z < width * width;
  if (!(push > 0) || !(before > 0)) return 0;
  for (size_t k = 0; k < s->count && slope > 0; k++)
    for (int a = 0; a < 3 && wall_of(s, k) == wall_of(s, n); a++) out.g[3 * k + (size_t)a] *= 1 + push * slope / c;
  double along = -2 * extra * depth / near * before - push * slope * sum * falls / (c * c);
  for (int a = 0; a < 3; a++) dv_flow_pair(out, n).g[a] += f->density * along * side * normal[a];
  return f->density * push * before;
}

// The nearest piece that the particle is in front of and that is turned away from those that were taken.
static size_t next_face(const Around *s, const size_t *taken, int count)
{
  size_t best = s->count;
  double least = INFINITY;
  for (size_t n = 0; n < s->count; n++) {
    double d[3], square = way_from(s, n, d), side;
    if (!(square < least) || !(side_of(s, n, d, &side) > 0) || !(side * dot(d, normal_of(s, n)) > 0)) continue;
    bool turned = true;
    for (int i = 0; i < count; i++) turned = turned && fabs(dot(normal_of(s, n), normal_of(s, taken[i]))) < 0.7;
    if (turned) best = n, least = square;
  }
  return best;
}

double dv_flow_meet_walls(const dvFlow *f, size_t i, const int32_t *list, size_t count, dvFlowPair out)
{
  Around s = {.f = f, .x = f->near.x.data + 3 * i, .list = list, .count = count};
  size_t taken[MOST_FACES];
  double rho = 0, added[DV_NEAR_MOST];
  find_faces(&s);
  for (size_t n = 0; n < count; n++) rho += added[n] = meet(&s, n, dv_flow_pair(out, n));
  for (int face = 0; face < MOST_FACES; face++) {
    size_t n = taken[face] = next_face(&s, taken, face);
    if (n == count) break;
    rho += push_off(&s, n, added, out);
  }
  return rho;
}

// The curvature of a free surface, for its tension. See cells.h.
//
//   p = sigma kappa at the surface,   kappa = div (grad phi / |grad phi|)
//
// Second derivatives of phi ask for distances that are better than those of level.c: near the surface the point of it
// that is closest is looked for by Newton's method (Chopp 2001) on cubic polynomials through 4 cells along each axis,
// so that distances are of fourth order and curvatures of second. Where that does not end at one point (thin sheets,
// edges) the distance of level.c stays.
#include "fluid/cells/cells.h"

#include <math.h>

static const double reach = 3.5;   // cells: curvatures are asked for within 1, with neighbours across corners

// weights of the four cells around t, 0 to 1 between the middle two, and their derivatives
static inline void cubic(double t, double w[4], double d[4])
{
  double a = t + 1, b = t, c = t - 1, e = t - 2;
  w[0] = -b * c * e / 6, w[1] = a * c * e / 2, w[2] = -a * b * e / 2, w[3] = a * b * c / 6;
  d[0] = -(c * e + b * e + b * c) / 6, d[1] = (c * e + a * e + a * c) / 2, d[2] = -(b * e + a * e + a * b) / 2,
  d[3] = (b * c + a * c + a * b) / 6;
}

// behind walls stands what is before them
static inline size_t mirrored(int i, int n)
{
  i = i < 1 ? 1 - i : i > n - 2 ? 2 * n - 3 - i : i;
  return (size_t)(i < 1 ? 1 : i > n - 2 ? n - 2 : i);
}

typedef struct Around {
  size_t at[3][4];   // offsets of the cells along an axis
  double w[3][4], d[3][4];
} Around;

static void look_around(const dvCells *c, const double x[3], Around *a)
{
  for (int k = 0; k < 3; k++) {
    if (k >= c->axes) {
      for (int n = 0; n < 4; n++) a->at[k][n] = 0, a->w[k][n] = n == 0, a->d[k][n] = 0;
      continue;
    }
    double low = floor(x[k]);
    cubic(x[k] - low, a->w[k], a->d[k]);
    for (int n = 0; n < 4; n++) a->at[k][n] = mirrored((int)low + n - 1, c->n[k]) * c->stride[k];
  }
}

// the value at a place, in cells, and its gradient
static double smooth_at(const dvCells *c, const double *phi, const double x[3], double g[3])
{
  Around a;
  look_around(c, x, &a);
  double value = 0;
  g[0] = g[1] = g[2] = 0;
  for (int k = 0; k < (c->axes == 3 ? 4 : 1); k++) {
    double plane = 0, px = 0, py = 0;
    for (int j = 0; j < 4; j++) {
      const double *row = phi + a.at[2][k] + a.at[1][j];
      double line = 0, slope = 0;
      for (int i = 0; i < 4; i++) line += a.w[0][i] * row[a.at[0][i]], slope += a.d[0][i] * row[a.at[0][i]];
      plane += a.w[1][j] * line, px += a.w[1][j] * slope, py += a.d[1][j] * line;
    }
    value += a.w[2][k] * plane, g[0] += a.w[2][k] * px, g[1] += a.w[2][k] * py, g[2] += a.d[2][k] * plane;
  }
  return value;
}

// How far it is from a cell to the surface; false when there is no one point that is closest.
static bool closest(const dvCells *c, const double *phi, const double from[3], double *distance)
{
  enum { TRIES = 20 };
  double x[3] = {from[0], from[1], from[2]}, g[3], last = INFINITY;
  for (int n = 0; n < TRIES; n++) {
    double value = smooth_at(c, phi, x, g), gg = g[0] * g[0] + g[1] * g[1] + g[2] * g[2], along = 0, moved = 0, way = 0;
    if (!(gg > 0.04) || !(gg < 25)) return false;
    for (int k = 0; k < 3; k++) along += (from[k] - x[k]) * g[k] / gg;
    for (int k = 0; k < 3; k++) {
      double to = -value * g[k] / gg + 0.7 * (from[k] - x[k] - along * g[k]);
      to = fmin(fmax(to, -1), 1);
      x[k] += to, moved += to * to, way += (from[k] - x[k]) * (from[k] - x[k]);
    }
    if (!(way < (reach + 1) * (reach + 1))) return false;
    *distance = sqrt(way);
    if (moved < 1e-12) return true;
    last = moved;
  }
  // polynomials of neighbouring cells have other slopes: it may go to and fro between two, a little
  return last < 1e-4;
}

typedef struct Curve {
  dvCells *c;
  double *to;
} Curve;

static inline bool inner_row(const dvCells *c, int j, int k)
{
  return j > 0 && j < c->n[1] - 1 && (c->axes == 2 || (k > 0 && k < c->n[2] - 1));
}

static void closest_body(void *user, size_t begin, size_t end)
{
  const Curve *w = user;
  dvCells *c = w->c;
  DV_EACH_ROW(c, begin, end)
  for (int i = 1; i < c->n[0] - 1 && inner_row(c, j, k); i++) {
    size_t at = dv_cells_at(c, i, j, k);
    double here = c->phi.data[at], distance;
    if (!(fabs(here) < reach) || !closest(c, c->phi.data, (const double[]){i, j, k}, &distance)) continue;
    w->to[at] = here < 0 ? -distance : distance;
    c->kind.data[at] = 1;
  }
}

void dv_cells_closest(dvCells *c, double *to)
{
  Curve w = {c, to};
  dv_cells_rows(c, 100, closest_body, &w);
}

// div (grad phi / |grad phi|), 1/cells, by central differences; not more than a drop of a cell has
static double curvature(const dvCells *c, size_t at)
{
  const double *phi = c->phi.data + at;
  double g[3] = {0}, second[3] = {0}, gg = 0, sum = 0, mixed = 0;
  for (int d = 0; d < c->axes; d++) {
    const ptrdiff_t s = (ptrdiff_t)c->stride[d];
    g[d] = 0.5 * (phi[s] - phi[-s]), second[d] = phi[s] - 2 * phi[0] + phi[-s];
    gg += g[d] * g[d];
  }
  if (!(gg > 1e-4)) return 0;
  for (int d = 0; d < c->axes; d++) sum += (gg - g[d] * g[d]) * second[d];
  for (int d = 0; d < c->axes; d++)
    for (int e = 0; e < d; e++) {
      const ptrdiff_t s = (ptrdiff_t)c->stride[d], t = (ptrdiff_t)c->stride[e];
      mixed += 2 * g[d] * g[e] * 0.25 * (phi[s + t] - phi[s - t] - phi[t - s] + phi[-s - t]);
    }
  double most = c->axes - 1;
  return fmin(fmax((sum - mixed) / (gg * sqrt(gg)), -most), most);
}

static void bend_body(void *user, size_t begin, size_t end)
{
  dvCells *c = user;
  double scale = c->tension / (c->density * c->h * c->h);
  DV_EACH_ROW(c, begin, end)
  for (int i = 1; i < c->n[0] - 1 && inner_row(c, j, k); i++) {
    size_t at = dv_cells_at(c, i, j, k);
    c->bent.data[at] = fabs(c->phi.data[at]) < 1.5 ? scale * curvature(c, at) : 0;
  }
}

void dv_cells_bend(dvCells *c) { dv_cells_rows(c, 20, bend_body, c); }

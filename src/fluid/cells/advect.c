// What moves with the flow. See cells.h.
//
// The value at a place was at its source, a time step up the flow (midpoint rule); followed down the flow again it
// shows the error of that way, half of which is taken off (MacCormack). Values stay within those of the corners of the
// source's cell.
#include "fluid/cells/cells.h"

#include <math.h>

// where numbers of an axis (3: middles) can be read
static inline double clamp_place(const dvCells *c, int axis, int d, double x)
{
  double low = d == axis ? 1 : 0, high = c->n[d] - 1;
  return x < low ? low : x > high ? high : x;
}

typedef struct Corner {
  size_t at;
  double f[3];
} Corner;

static inline Corner corner_of(const dvCells *c, int axis, const double x[3])
{
  Corner r = {0};
  for (int d = 0; d < c->axes; d++) {
    double at = clamp_place(c, axis, d, x[d] + (d == axis ? 0.5 : 0));
    int i = (int)at;
    if (i > c->n[d] - 2) i = c->n[d] - 2;
    r.at += (size_t)i * c->stride[d];
    r.f[d] = at - i;
  }
  return r;
}

static inline double blend(const dvCells *c, const double *q, Corner r)
{
  const double *a = q + r.at;
  size_t sy = c->stride[1], sz = c->stride[2];
  double y0 = a[0] + r.f[0] * (a[1] - a[0]), y1 = a[sy] + r.f[0] * (a[sy + 1] - a[sy]);
  double z0 = y0 + r.f[1] * (y1 - y0);
  if (c->axes == 2) return z0;
  a += sz;
  y0 = a[0] + r.f[0] * (a[1] - a[0]), y1 = a[sy] + r.f[0] * (a[sy + 1] - a[sy]);
  return z0 + r.f[2] * (y0 + r.f[1] * (y1 - y0) - z0);
}

static inline void bounds(const dvCells *c, const double *q, size_t first, double *low, double *high)
{
  *low = INFINITY, *high = -INFINITY;
  for (int n = 0; n < (c->axes == 3 ? 8 : 4); n++) {
    double v = q[first + (size_t)(n & 1) + (n >> 1 & 1 ? c->stride[1] : 0) + (n >> 2 ? c->stride[2] : 0)];
    *low = v < *low ? v : *low, *high = v > *high ? v : *high;
  }
}

static inline void velocity_at(const dvCells *c, const double *u, const double x[3], double out[3])
{
  out[2] = 0;
  for (int d = 0; d < c->axes; d++) out[d] = blend(c, u + (size_t)d * c->count, corner_of(c, d, x));
}

void dv_cells_velocity(const dvCells *c, const double *u, const double x[3], double out[3])
{
  velocity_at(c, u, x, out);
}

double dv_cells_sample(const dvCells *c, const double *q, const double x[3]) { return blend(c, q, corner_of(c, 3, x)); }

// where what is at x was `dt` ago
static void trace(const dvCells *c, const double x[3], double dt, double out[3])
{
  double u[3], middle[3];
  velocity_at(c, c->u.data, x, u);
  for (int d = 0; d < 3; d++) middle[d] = x[d] - 0.5 * dt / c->h * u[d];
  velocity_at(c, c->u.data, middle, u);
  out[2] = x[2];
  for (int d = 0; d < c->axes; d++) {
    // nothing comes out of the walls: half a cell before the middle of the first cell
    double at = x[d] - dt / c->h * u[d], last = c->n[d] - 1.5;
    out[d] = at < 0.5 ? 0.5 : at > last ? last : at;
  }
}

typedef struct Move {
  const dvCells *c;
  const double *q;
  int axis;
  double dt;
  double *out, *first;
} Move;

static void place_of(const Move *m, int i, int j, int k, double x[3])
{
  x[0] = i, x[1] = j, x[2] = k;
  if (m->axis < 3) x[m->axis] -= 0.5;
}

// Far from the fluid nothing moves: velocities do not reach there.
static inline bool is_far(const dvCells *c, size_t at) { return c->surface && c->phi.data[at] >= DV_CELLS_BAND; }

static void first_body(void *user, size_t begin, size_t end)
{
  const Move *m = user;
  const dvCells *c = m->c;
  DV_EACH_ROW(c, begin, end)
  for (int i = 0; i < c->n[0]; i++) {
    double x[3], source[3];
    size_t at = dv_cells_at(c, i, j, k);
    m->first[at] = m->q[at];
    if (is_far(c, at)) continue;
    place_of(m, i, j, k, x);
    trace(c, x, m->dt, source);
    Corner r = corner_of(c, m->axis, source);
    m->first[at] = blend(c, m->q, r);
    c->queue.data[at] = (int32_t)r.at;
  }
}

static void second_body(void *user, size_t begin, size_t end)
{
  const Move *m = user;
  const dvCells *c = m->c;
  DV_EACH_ROW(c, begin, end)
  for (int i = 0; i < c->n[0]; i++) {
    double x[3], target[3], low, high;
    size_t at = dv_cells_at(c, i, j, k);
    m->out[at] = m->first[at];
    if (is_far(c, at)) continue;
    place_of(m, i, j, k, x);
    trace(c, x, -m->dt, target);
    double once = m->first[at], again = blend(c, m->first, corner_of(c, m->axis, target));
    double better = once + 0.5 * (m->q[at] - again);
    bounds(c, m->q, (size_t)c->queue.data[at], &low, &high);
    m->out[at] = better < low ? low : better > high ? high : better;
  }
}

void dv_cells_advect(const dvCells *c, const double *q, int axis, double dt, double *out, double *work)
{
  Move m = {c, q, axis, dt, out, work};
  dv_cells_rows(c, 60, first_body, &m);
  dv_cells_rows(c, 120, second_body, &m);
}

static void fastest_body(void *user, size_t begin, size_t end)
{
  const dvCells *c = user;
  DV_EACH_ROW(c, begin, end)
  {
    double most = 0;
    for (int d = 0; d < c->axes; d++)
      for (int i = 0; i < c->n[0]; i++)
        most = fmax(most, fabs(c->u.data[(size_t)d * c->count + dv_cells_at(c, i, j, k)]));
    c->parts.data[row_] = most;
  }
}

double dv_cells_fastest(const dvCells *c)
{
  dv_cells_rows(c, 3, fastest_body, (void *)c);
  double most = 0;
  for (size_t r = 0; r < (size_t)c->n[1] * (size_t)c->n[2]; r++) most = fmax(most, c->parts.data[r]);
  return most;
}

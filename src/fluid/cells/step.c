// Viscosity and pressure of a step. See cells.h.
#include "fluid/cells/cells.h"

#include "math/kernels.h"

#include <math.h>

// --- viscosity ------------------------------------------------------------------------------------

// One component at a time: (1 - a lap) u = u before, a = nu dt / h^2, on the faces that the flow has. Behind walls and
// solids where it does not slip the velocity is theirs; towards air nothing is passed on.
typedef struct Drag {
  dvCells *c;
  int d;
  double a;
  const double *from;
  double *to;
  bool whole;   // with what is given: else of a change
} Drag;

static inline bool given_face(const dvCells *c, const int place[3], int d)
{
  return place[d] <= 1 || place[d] >= c->n[d] - 1;
}

static void drag_body(void *user, size_t begin, size_t end)
{
  const Drag *g = user;
  const dvCells *c = g->c;
  const uint8_t *known = c->known.data + (size_t)g->d * c->count;
  const float *open = c->open.data + (size_t)g->d * c->count;
  const double *push = c->push.data + (size_t)g->d * c->count, *x = g->from;
  DV_EACH_ROW(c, begin, end)
  for (int i = 0; i < c->n[0]; i++) {
    size_t at = dv_cells_at(c, i, j, k);
    g->to[at] = 0;
    if (known[at] != 1) continue;
    double sum = 0;
    for (int o = 0; o < c->axes; o++)
      for (int s = 0; s < 2; s++) {
        int place[3] = {i, j, k};
        place[o] += s ? 1 : -1;
        size_t n = s ? at + c->stride[o] : at - c->stride[o];
        bool behind = o != g->d && (place[o] == 0 || place[o] == c->n[o] - 1);
        if (known[n] == 1) sum += x[at] - x[n];
        else if (behind) sum += c->slip ? 0 : 2 * (x[at] - (g->whole ? c->wall[2 * o + s][g->d] : 0));
        else if (o == g->d && given_face(c, place, o)) sum += c->loose.data[s ? at : n] >> (2 * o + s) & 1 ? 0 : x[at];
        else if (c->solids && !c->slip && !(open[n] > 0)) sum += x[at] - (g->whole ? push[n] : 0);
      }
    g->to[at] = x[at] + g->a * sum;
  }
}

static void only_known(const dvCells *c, int d, double *x)
{
  for (size_t i = 0; i < c->count; i++)
    if (c->known.data[(size_t)d * c->count + i] != 1) x[i] = 0;
}

static void gradient_body(void *user, size_t begin, size_t end);

// takes `by` times the gradient of the pressures off, at whose surface stands `bent` times that of its tension
typedef struct Slope {
  dvCells *c;
  double by, bent;
} Slope;

// The pressure of the step before acts while viscosity does, and is taken off again: what the two do to each other at
// walls is then of second order in the time step (Van Kan 1986).
void dv_cells_viscosity(dvCells *c, double dt)
{
  double a = c->viscosity / c->density * dt / (c->h * c->h);
  size_t n = c->count;
  if (!(a > 0)) return;
  Slope slope = {c, dt, 1};
  dv_cells_rows(c, 10, gradient_body, &slope);
  double *r = c->rhs.data, *p = c->way.data, *q = c->image.data;
  for (int d = 0; d < c->axes; d++) {
    double *u = dv_cells_u(c, d);
    Drag g = {c, d, a, u, q, true};
    dv_cells_rows(c, 10, drag_body, &g);
    memcpy(r, u, n * sizeof *r);
    only_known(c, d, r);
    double start = dv_norm2(c->pool, r, n);
    dv_axpy(c->pool, -1, q, r, n);
    memcpy(p, r, n * sizeof *p);
    double rr = dv_norm2(c->pool, r, n), least = fmax(start, rr) * c->tolerance * c->tolerance * 1e-2;
    g = (Drag){c, d, a, p, q, false};
    for (int i = 0; i < 500 && rr > least && isfinite(rr); i++) {
      dv_cells_rows(c, 10, drag_body, &g);
      double pq = dv_dot(c->pool, p, q, n), before = rr;
      if (!(pq > 0)) break;
      rr = dv_cg_step(c->pool, rr / pq, p, q, u, r, n);
      dv_xpay(c->pool, r, rr / before, p, n);
    }
  }
  slope.by = -dt;
  dv_cells_rows(c, 10, gradient_body, &slope);
}

// --- pressure -------------------------------------------------------------------------------------

static inline double theta_of(double fluid, double air) { return fmax(fluid / (fluid - air), 0.05); }

// the pressure at the surface between two cells
static inline double at_surface(const dvCells *c, size_t fluid, size_t air)
{
  if (!(c->tension > 0)) return 0;
  double part = c->phi.data[fluid] / (c->phi.data[fluid] - c->phi.data[air]);
  return (1 - part) * c->bent.data[fluid] + part * c->bent.data[air];
}

enum { SEPARATION_PASSES = 6 };

typedef struct Matrix {
  dvCells *c;
  double dt;
} Matrix;

// cells whose pressure is sought
static inline bool solved(const dvCells *c, size_t at)
{
  return c->kind.data[at] == DV_CELL_FLUID && !(c->loose.data[at] & DV_CELL_LOOSE);
}

static void coefficient_body(void *user, size_t begin, size_t end)
{
  const Matrix *m = user;
  dvCells *c = m->c;
  dvMgLevel *l = &c->mg.level[0];
  const uint8_t *kind = c->kind.data;
  DV_EACH_ROW(c, begin, end)
  for (int i = 0; i < c->n[0]; i++) {
    size_t at = dv_cells_at(c, i, j, k);
    double air = 0, out = 0;
    l->c[2][at] = 0;
    for (int d = 0; d < c->axes; d++) {
      size_t low = (size_t)d * c->count + at, high = low + c->stride[d];
      float open = c->open.data[low];
      bool both = open > 0 && solved(c, at) && solved(c, at - c->stride[d]);
      l->c[d][at] = both ? open : 0;
      if (!solved(c, at)) continue;
      double before = c->open.data[low], behind = c->open.data[high];
      out += behind * c->u.data[high] + (1 - behind) * dv_cells_solid(c, at, d, 1);
      out -= before * c->u.data[low] + (1 - before) * dv_cells_solid(c, at, d, 0);
      for (int s = 0; s < 2; s++) {
        size_t n = s ? at + c->stride[d] : at - c->stride[d];
        double part = s ? behind : before;
        if (part > 0 && kind[n] == DV_CELL_FLUID && !solved(c, n)) air += part;   // its pressure is 0
        if (!(part > 0) || kind[n] != DV_CELL_AIR) continue;
        double to_air = part / theta_of(c->phi.data[at], c->phi.data[n]);
        air += to_air;
        out -= to_air * m->dt * at_surface(c, at, n);
      }
    }
    l->e[at] = (float)air;
    c->rhs.data[at] = -out;
    if (!solved(c, at)) c->press.data[at] = 0;
  }
}

// Fluid that nothing but walls surrounds: what flows into it must be 0 altogether, and is made so.
static void level_closed_parts(dvCells *c)
{
  const dvMgLevel *l = &c->mg.level[0];
  uint8_t *seen = c->known.data;   // of axis 0: made again behind
  memset(seen, 0, c->count);
  int32_t *queue = c->queue.data;
  for (size_t first = 0; first < c->count; first++) {
    if (!solved(c, first) || seen[first]) continue;
    size_t many = 0;
    double sum = 0;
    bool air = false;
    queue[many++] = (int32_t)first, seen[first] = 1;
    for (size_t i = 0; i < many; i++) {
      size_t at = (size_t)queue[i];
      sum += c->rhs.data[at];
      air = air || l->e[at] > 0;
      for (int d = 0; d < c->axes; d++) {
        size_t low = at - c->stride[d], high = at + c->stride[d];
        if (l->c[d][at] > 0 && !seen[low]) queue[many++] = (int32_t)low, seen[low] = 1;
        if (l->c[d][high] > 0 && !seen[high]) queue[many++] = (int32_t)high, seen[high] = 1;
      }
    }
    for (size_t i = 0; i < many && !air; i++) c->rhs.data[queue[i]] -= sum / (double)many;
  }
}

static void gradient_body(void *user, size_t begin, size_t end)
{
  const Slope *slope = user;
  dvCells *c = slope->c;
  const double *p = c->press.data;
  DV_EACH_ROW(c, begin, end)
  for (int i = 0; i < c->n[0]; i++) {
    size_t at = dv_cells_at(c, i, j, k);
    for (int d = 0; d < c->axes; d++) {
      size_t face = (size_t)d * c->count + at, low = at - c->stride[d];
      if (c->known.data[face] != 1) continue;
      double theta = 1, here = p[at], before = p[low];
      if (c->kind.data[at] == DV_CELL_AIR) {
        theta = theta_of(c->phi.data[low], c->phi.data[at]);
        here = slope->bent * at_surface(c, low, at);
      }
      if (c->kind.data[low] == DV_CELL_AIR) {
        theta = theta_of(c->phi.data[at], c->phi.data[low]);
        before = slope->bent * at_surface(c, at, low);
      }
      c->u.data[face] -= slope->by * (here - before) / theta;
    }
  }
}

static void divergence_body(void *user, size_t begin, size_t end)
{
  const dvCells *c = user;
  DV_EACH_ROW(c, begin, end)
  {
    double most = 0;
    for (int i = 0; i < c->n[0]; i++) {
      size_t at = dv_cells_at(c, i, j, k);
      double out = 0;
      if (!solved(c, at)) continue;
      for (int d = 0; d < c->axes; d++) {
        size_t low = (size_t)d * c->count + at, high = low + c->stride[d];
        double before = c->open.data[low], behind = c->open.data[high];
        out += behind * c->u.data[high] + (1 - behind) * dv_cells_solid(c, at, d, 1);
        out -= before * c->u.data[low] + (1 - before) * dv_cells_solid(c, at, d, 0);
      }
      most = fmax(most, fabs(out));
    }
    c->parts.data[row_] = most;
  }
}

dvCellsReport dv_cells_project(dvCells *c, double dt)
{
  dvCellsReport report = {0};
  dv_scale(c->pool, dt, c->press.data, c->count);
  dv_cells_close_gaps(c, dt);
  report.reached = true;
  for (int pass = 0; pass < SEPARATION_PASSES; pass++) {
    dv_cells_rows(c, 25, coefficient_body, &(Matrix){c, dt});
    level_closed_parts(c);
    dv_cells_classify(c);
    dv_mg_prepare(&c->mg, c->pool);
    dvMgWork w = {c->rhs.data, c->way.data, c->image.data};
    double left;
    report.iterations += dv_mg_solve(&c->mg, c->pool, c->press.data, w, c->tolerance, c->most, &left);
    report.residual = left;
    report.reached = report.reached && left <= c->tolerance;
    bool last = pass + 1 == SEPARATION_PASSES || !c->surface || !c->separates;
    if (last || !dv_cells_let_go(c, dt)) break;
  }
  dv_cells_rows(c, 10, gradient_body, &(Slope){c, 1, dt});
  dv_scale(c->pool, 1 / dt, c->press.data, c->count);
  dv_cells_rows(c, 10, divergence_body, c);
  for (size_t r = 0; r < (size_t)c->n[1] * (size_t)c->n[2]; r++)
    report.divergence = fmax(report.divergence, c->parts.data[r] / c->h);
  return report;
}

// A cell's pressure acts on the part of its faces that is solid.
void dv_cells_load(const dvCells *c, dvCellsLoad *load)
{
  double scale = c->density * c->h * c->h * (c->axes == 3 ? c->h : 1);
  for (int d = 0; d < 3; d++) load->force[d] = load->moment[d] = 0;
  for (int k = dv_cells_first(c, 2); k <= dv_cells_last(c, 2); k++)
    for (int j = 1; j < c->n[1] - 1; j++)
      for (int i = 1; i < c->n[0] - 1; i++) {
        size_t at = dv_cells_at(c, i, j, k);
        const int place[3] = {i, j, k};
        if (c->kind.data[at] != DV_CELL_FLUID) continue;
        for (int d = 0; d < c->axes; d++)
          for (int s = 0; s < 2; s++) {
            if (place[d] == (s ? c->n[d] - 2 : 1)) continue;   // a wall of the box is no solid
            double part = 1 - (double)c->open.data[(size_t)d * c->count + at + (s ? c->stride[d] : 0)];
            double x[3] = {i, j, k}, f[3] = {0};
            x[d] += s ? 0.5 : -0.5;
            if (!(part > 0) || !load->mine(load->user, x)) continue;
            f[d] = scale * c->press.data[at] * (s ? part : -part);
            load->force[d] += f[d];
            for (int m = 0; m < 3; m++) {
              int a = (m + 1) % 3, b = (m + 2) % 3;
              load->moment[m] += c->h * ((x[a] - load->about[a]) * f[b] - (x[b] - load->about[b]) * f[a]);
            }
          }
      }
}

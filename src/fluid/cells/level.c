// The free surface: where phi, a distance in cells, is 0. See cells.h.
//
// phi is moved with the flow and loses its slope. Cells at the surface get their distance from the values around them,
// phi / |grad phi| with the largest of all differences where that is not about 1, so that the surface stays (Russo and
// Smereka 2000); the others, within a band, the least that agrees with |grad phi| = 1 and their neighbours, by passes
// over all of them (Jacobi: any thread may do any row).
#include "fluid/cells/cells.h"

#include <math.h>

typedef struct Level {
  dvCells *c;
  const double *from;
  double *to;
} Level;

static inline bool at_surface(const dvCells *c, const double *phi, size_t at)
{
  for (int d = 0; d < c->axes; d++)
    if ((phi[at] < 0) != (phi[at - c->stride[d]] < 0) || (phi[at] < 0) != (phi[at + c->stride[d]] < 0)) return true;
  return false;
}

static inline bool inner_row(const dvCells *c, int j, int k)
{
  return j > 0 && j < c->n[1] - 1 && (c->axes == 2 || (k > 0 && k < c->n[2] - 1));
}

// distances of the cells at the surface; the rest is far
static void start_body(void *user, size_t begin, size_t end)
{
  const Level *l = user;
  dvCells *c = l->c;
  DV_EACH_ROW(c, begin, end)
  for (int i = 0; i < c->n[0]; i++) {
    size_t at = dv_cells_at(c, i, j, k);
    bool inner = inner_row(c, j, k) && i > 0 && i < c->n[0] - 1;
    c->kind.data[at] = inner && at_surface(c, l->from, at);
    double here = l->from[at], sum = 0, most = 1e-3;
    l->to[at] = here < 0 ? -DV_CELLS_BAND : DV_CELLS_BAND;
    if (!c->kind.data[at]) continue;
    for (int d = 0; d < c->axes; d++) {
      double low = l->from[at - c->stride[d]], high = l->from[at + c->stride[d]];
      most = fmax(most, fmax(fabs(high - here), fabs(here - low)));
      sum += 0.25 * (high - low) * (high - low);
    }
    // cells on both sides that are scaled differently move the surface, if only a little: time and again it adds up
    double slope = fmax(most, sqrt(sum));
    l->to[at] = slope > 0.8 && slope < 1.25 ? here : here / slope;
    if (c->loose.data[at] && here < 0) l->to[at] = fmax(here, -0.5);   // a gap has its distance
  }
}

// the solution of sum over axes of max(0, x - a)^2 = 1, a ascending
static double eikonal(const double a[3], int axes)
{
  double x = a[0] + 1;
  if (x > a[1]) {
    double d = a[0] - a[1];
    x = 0.5 * (a[0] + a[1] + sqrt(fmax(0, 2 - d * d)));
    if (axes == 3 && x > a[2]) {
      double s = a[0] + a[1] + a[2], q = a[0] * a[0] + a[1] * a[1] + a[2] * a[2];
      x = (s + sqrt(fmax(0, s * s - 3 * (q - 1)))) / 3;
    }
  }
  return x;
}

static void march_body(void *user, size_t begin, size_t end)
{
  const Level *l = user;
  const dvCells *c = l->c;
  DV_EACH_ROW(c, begin, end)
  for (int i = 0; i < c->n[0]; i++) {
    size_t at = dv_cells_at(c, i, j, k);
    double here = l->from[at];
    l->to[at] = here;
    if (!inner_row(c, j, k) || i == 0 || i == c->n[0] - 1 || c->kind.data[at]) continue;
    double a[3] = {INFINITY, INFINITY, INFINITY}, sign = here < 0 ? -1 : 1;
    for (int d = 0; d < c->axes; d++) a[d] = fmin(fabs(l->from[at - c->stride[d]]), fabs(l->from[at + c->stride[d]]));
    for (int d = 1; d < c->axes; d++)
      for (int e = d; e > 0 && a[e] < a[e - 1]; e--) {
        double swap = a[e];
        a[e] = a[e - 1], a[e - 1] = swap;
      }
    l->to[at] = sign * fmin(fabs(here), eikonal(a, c->axes));
  }
}

void dv_cells_redistance(dvCells *c)
{
  dv_cells_mirror_phi(c);
  double *a = c->rhs.data, *b = c->way.data;
  Level l = {c, c->phi.data, a};
  dv_cells_rows(c, 15, start_body, &l);
  if (c->tension > 0) dv_cells_closest(c, a);
  for (int pass = 0; pass < 2 * DV_CELLS_BAND; pass++) {
    dv_cells_mirror(c, a, 3);
    l.from = a, l.to = b;
    dv_cells_rows(c, 20, march_body, &l);
    a = l.to, b = (double *)l.from;
  }
  memcpy(c->phi.data, a, c->count * sizeof *a);
  dv_cells_mirror_phi(c);
}

// --- volume ---------------------------------------------------------------------------------------

// how much of a cell the surface leaves to the fluid, and how much that grows when phi falls by 1
static void volume_body(void *user, size_t begin, size_t end)
{
  const dvCells *c = user;
  size_t rows = (size_t)c->n[1] * (size_t)c->n[2];
  DV_EACH_ROW(c, begin, end)
  {
    double sum = 0, area = 0;
    for (int i = 1; i < c->n[0] - 1 && inner_row(c, j, k); i++) {
      size_t at = dv_cells_at(c, i, j, k);
      double phi = c->phi.data[at];
      if (c->kind.data[at] == DV_CELL_WALL) continue;
      sum += fmin(fmax(0.5 - phi, 0), 1);
      area += fabs(phi) < 0.5;
    }
    c->parts.data[row_] = sum, c->parts.data[rows + row_] = area;
  }
}

static double measure(const dvCells *c, double *area)
{
  size_t rows = (size_t)c->n[1] * (size_t)c->n[2];
  double sum = 0;
  dv_cells_rows(c, 5, volume_body, (void *)c);
  *area = 0;
  for (size_t r = 0; r < rows; r++) sum += c->parts.data[r], *area += c->parts.data[rows + r];
  return sum;
}

double dv_cells_volume(const dvCells *c)
{
  double area;
  return measure(c, &area);
}

void dv_cells_shift(dvCells *c, double volume)
{
  for (int n = 0; n < 3; n++) {
    double area, sum = measure(c, &area), by = area > 0 ? (volume - sum) / area : 0;
    by = fmin(fmax(by, -0.1), 0.1);
    if (!(fabs(by) > 1e-9)) return;
    for (size_t i = 0; i < c->count; i++) c->phi.data[i] -= by;
  }
}

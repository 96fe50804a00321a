// Fluid that comes off walls and bodies. See cells.h.
//
// A wall presses, it does not pull: of each cell at a solid either its pressure is at least 0 and the fluid stays at
// the solid, or the pressure is 0 and the fluid leaves (Batty et al. 2007),
//
//   0 <= P  and  0 <= sum over faces of (open u + (1 - open) u_solid),  one of them 0
//
// Which is which is found by active sets: cells whose pressure came out below 0 and at which the solid pulls (the
// pressure rises away from it) are let go, those that fluid still flows into are taken back, and the pressure is solved
// again, a few times at most. As the matrix is an M-matrix this ends by itself (Hintermueller, Ito and Kunisch 2002),
// mostly behind the second solve. A cell that is let go has the pressure of air. With a surface tension air comes in
// only against the pressure in a bubble of a cell's size.
//
// Between a closed face and fluid that left it there is a gap, of less than half a cell, until the cell is air: phi in
// the solid is then air's, and the face moves with the fluid. Fluid that comes back presses on the solid only when the
// gap would be closed within the step: u_solid is then that which closes it, so that no volume is won or lost.
#include "fluid/cells/cells.h"

#include <math.h>

typedef struct Letting {
  dvCells *c;
  double limit;   // what is below is not 0
} Letting;

static inline uint8_t gap_bit(int d, int side) { return (uint8_t)(1u << (2 * d + side)); }

double dv_cells_solid(const dvCells *c, size_t at, int d, int side)
{
  size_t face = (size_t)d * c->count + at + (side ? c->stride[d] : 0);
  double solid = c->push.data[face];
  if (!(c->loose.data[at] & gap_bit(d, side))) return solid;
  double gap = fmin(fmax(0.5 + c->phi.data[at], 0), 0.5) * c->closing;
  return side ? solid + gap : solid - gap;
}

// what flows out of a cell that is let go, with the pressures that were found
static double flow_out(const dvCells *c, size_t at)
{
  double out = 0;
  for (int d = 0; d < c->axes; d++)
    for (int s = 0; s < 2; s++) {
      size_t face = (size_t)d * c->count + at + (s ? c->stride[d] : 0), n = s ? at + c->stride[d] : at - c->stride[d];
      double open = c->open.data[face], u = c->u.data[face], there = c->press.data[n];
      if (open > 0 && c->kind.data[n] == DV_CELL_FLUID) u += s ? -there : there;
      out += (s ? 1 : -1) * (open * u + (1 - open) * dv_cells_solid(c, at, d, s));
    }
  return out;
}

// Whether a solid pulls at the fluid of a cell: the pressure rises away from it. Along a wall at which it does not
// change, the wall holds nothing back, and a flow is the same with it as without.
static bool pulled(const dvCells *c, size_t at, double limit)
{
  for (int d = 0; d < c->axes; d++) {
    const float *open = c->open.data + (size_t)d * c->count + at;
    float low = open[0], high = open[c->stride[d]];
    if (low == high) continue;
    size_t across = low < high ? at + c->stride[d] : at - c->stride[d];
    if (c->press.data[across] > c->press.data[at] + limit) return true;
  }
  return false;
}

static void highest_body(void *user, size_t begin, size_t end)
{
  const dvCells *c = ((const Letting *)user)->c;
  DV_EACH_ROW(c, begin, end)
  {
    double most = 0;
    for (int i = 0; i < c->n[0]; i++) most = fmax(most, fabs(c->press.data[dv_cells_at(c, i, j, k)]));
    c->parts.data[row_] = most;
  }
}

static void let_go_body(void *user, size_t begin, size_t end)
{
  const Letting *l = user;
  dvCells *c = l->c;
  DV_EACH_ROW(c, begin, end)
  {
    double changed = 0;
    for (int i = 0; i < c->n[0]; i++) {
      size_t at = dv_cells_at(c, i, j, k);
      if (c->kind.data[at] != DV_CELL_FLUID) continue;
      bool before = c->loose.data[at] & DV_CELL_LOOSE, now;
      if (before) now = flow_out(c, at) > -l->limit;
      else now = c->press.data[at] < -l->limit && pulled(c, at, l->limit);
      if (now != before) c->loose.data[at] ^= DV_CELL_LOOSE, changed++;
    }
    c->parts.data[row_] = changed;
  }
}

bool dv_cells_let_go(dvCells *c, double dt)
{
  size_t rows = (size_t)c->n[1] * (size_t)c->n[2];
  Letting l = {c, 0};
  double highest = 0, changed = 0;
  dv_cells_rows(c, 2, highest_body, &l);
  for (size_t r = 0; r < rows; r++) highest = fmax(highest, c->parts.data[r]);
  l.limit = 10 * c->tolerance * highest + 2 * c->tension * dt / (c->density * c->h * c->h);
  dv_cells_rows(c, 4, let_go_body, &l);
  for (size_t r = 0; r < rows; r++) changed += c->parts.data[r];
  c->gaps = c->gaps || changed > 0;
  return changed > 0;
}

// --- gaps -----------------------------------------------------------------------------------------

// gaps that are closed, or belong to air now, are none
static void close_body(void *user, size_t begin, size_t end)
{
  dvCells *c = user;
  DV_EACH_ROW(c, begin, end)
  for (int i = 0; i < c->n[0]; i++) {
    size_t at = dv_cells_at(c, i, j, k);
    bool open = c->kind.data[at] == DV_CELL_FLUID && c->phi.data[at] > -0.49;
    c->loose.data[at] &= open ? (uint8_t)~DV_CELL_LOOSE : 0;
  }
}

void dv_cells_close_gaps(dvCells *c, double dt)
{
  c->closing = c->h / dt;
  if (c->gaps) dv_cells_rows(c, 2, close_body, c);
  c->gaps = false;
  for (size_t i = 0; i < c->count && !c->gaps; i++) c->gaps = c->loose.data[i] != 0;
}

// How fast the fluid of a cell goes away from a solid at one of its faces, by its speed at the face across.
static double leaves(const dvCells *c, size_t at, int d, int side)
{
  size_t low = (size_t)d * c->count + at, high = low + c->stride[d];
  if (c->open.data[side ? high : low] > 0) return 0;
  double across = c->u.data[side ? low : high], solid = c->push.data[side ? high : low];
  return fmax(side ? solid - across : across - solid, 0);
}

// What flows out of a cell that is let go is what comes in between it and the solid: its closed faces move by that, so
// that its volume stays. It comes in where the fluid goes away: not at walls that it goes along. Gaps of other cells
// close as fast as they may. Only open faces are read, and only closed ones written, by the one cell that has the gap.
static void move_faces(dvCells *c, size_t at)
{
  bool loose = c->loose.data[at] & DV_CELL_LOOSE;
  double out = 0, away[3][2], most = 0, sum = 0;
  int closed = 0;
  for (int d = 0; d < c->axes; d++)
    for (int s = 0; s < 2; s++) {
      size_t face = (size_t)d * c->count + at + (s ? c->stride[d] : 0);
      double open = c->open.data[face];
      out += (s ? 1 : -1) * (open * c->u.data[face] + (1 - open) * c->push.data[face]);
      closed += !(open > 0);
      most = fmax(most, away[d][s] = leaves(c, at, d, s));
    }
  for (int d = 0; d < c->axes; d++)
    for (int s = 0; s < 2; s++) {
      if (away[d][s] < 0.01 * most) away[d][s] = 0;   // what the solve leaves of a speed that is none
      sum += away[d][s];
    }
  for (int d = 0; d < c->axes; d++)
    for (int s = 0; s < 2; s++) {
      size_t face = (size_t)d * c->count + at + (s ? c->stride[d] : 0);
      double part = sum > 0 ? away[d][s] / sum : 1.0 / closed;
      if (c->open.data[face] > 0 || !((loose && part > 0) || c->loose.data[at] & gap_bit(d, s))) continue;
      if (loose) c->u.data[face] = c->push.data[face] + (s ? -1 : 1) * out * part;
      else c->u.data[face] = dv_cells_solid(c, at, d, s);
      c->loose.data[at] |= gap_bit(d, s);
    }
  if (c->loose.data[at] & (DV_CELL_LOOSE - 1)) c->phi.data[at] = fmax(c->phi.data[at], -0.5);
}

// Before a solid that fluid comes to or has left, the air goes with the fluid: else its surface would be held back. It
// does not get behind the solid.
static void move_air(dvCells *c, size_t at)
{
  double room = fmax(0.5 + c->phi.data[at], 0) * c->closing;
  for (int d = 0; d < c->axes; d++)
    for (int s = 0; s < 2; s++) {
      size_t low = (size_t)d * c->count + at, face = s ? low + c->stride[d] : low, other = s ? low : low + c->stride[d];
      if (c->open.data[face] > 0 || !(c->open.data[other] > 0)) continue;
      double solid = c->push.data[face], v = c->u.data[other];
      c->u.data[face] = s ? fmin(v, solid + room) : fmax(v, solid - room);
    }
}

static void faces_body(void *user, size_t begin, size_t end)
{
  dvCells *c = user;
  DV_EACH_ROW(c, begin, end)
  for (int i = 0; i < c->n[0]; i++) {
    size_t at = dv_cells_at(c, i, j, k);
    if (c->loose.data[at]) move_faces(c, at);
    else if (c->kind.data[at] == DV_CELL_AIR && c->phi.data[at] < DV_CELLS_BAND) move_air(c, at);
  }
}

static bool is_closed(const dvCells *c, size_t at, const int place[3])
{
  for (int d = 0; d < c->axes; d++) {
    const float *open = c->open.data + (size_t)d * c->count + at;
    if (place[d] == 0 || place[d] == c->n[d] - 1) return true;
    if (open[0] > 0 || open[c->stride[d]] > 0) return false;
  }
  return true;
}

// Behind a gap there is air: the slope of phi is 1 across it.
static void phi_body(void *user, size_t begin, size_t end)
{
  dvCells *c = user;
  DV_EACH_ROW(c, begin, end)
  for (int i = 0; i < c->n[0]; i++) {
    size_t at = dv_cells_at(c, i, j, k);
    const int place[3] = {i, j, k};
    double air = -INFINITY;
    for (int d = 0; d < c->axes; d++)
      for (int s = 0; s < 2; s++) {
        if (place[d] == (s ? c->n[d] - 1 : 0)) continue;
        size_t n = s ? at + c->stride[d] : at - c->stride[d];
        if (c->loose.data[n] & gap_bit(d, !s)) air = fmax(air, fmax(c->phi.data[n], -0.5) + 1);
      }
    if (air > -INFINITY && is_closed(c, at, place)) c->phi.data[at] = fmin(air, DV_CELLS_BAND);
  }
}

void dv_cells_gap_faces(dvCells *c)
{
  if (c->surface && c->separates) dv_cells_rows(c, 4, faces_body, c);
}

void dv_cells_mirror_phi(dvCells *c)
{
  dv_cells_mirror(c, c->phi.data, 3);
  if (c->gaps) dv_cells_rows(c, 6, phi_body, c);
}

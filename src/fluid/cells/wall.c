// Walls of the box, solids in it, and velocities beyond the fluid. See cells.h.
#include "fluid/cells/cells.h"

#include <math.h>

// --- the box --------------------------------------------------------------------------------------

// rows of a layer of cells at the low or high end of an axis: the cell, and the one before it
static void each_layer(const dvCells *c, int axis, bool high, void (*visit)(void *user, size_t at, size_t inside),
                       void *user)
{
  int a = (axis + 1) % 3, b = (axis + 2) % 3, end = high ? c->n[axis] - 1 : 0;
  for (int v = 0; v < c->n[b]; v++)
    for (int w = 0; w < c->n[a]; w++) {
      size_t at = (size_t)end * c->stride[axis] + (size_t)w * c->stride[a] + (size_t)v * c->stride[b];
      visit(user, at, high ? at - c->stride[axis] : at + c->stride[axis]);
    }
}

typedef struct Layer {
  double *q, wall;
  int how;   // 0: the same, 1: mirrored about the wall's
} Layer;

static void fill_layer(void *user, size_t at, size_t inside)
{
  Layer *l = user;
  l->q[at] = l->how ? 2 * l->wall - l->q[inside] : l->q[inside];
}

void dv_cells_mirror(const dvCells *c, double *q, int axis)
{
  for (int d = 0; d < c->axes; d++)
    for (int high = 0; high < 2; high++)
      if (d != axis) each_layer(c, d, high, fill_layer, &(Layer){q, 0, 0});
}

static void still(void *user, size_t at, size_t inside)
{
  DV_UNUSED(inside);
  ((double *)user)[at] = 0;
}

void dv_cells_wall(const dvCells *c, double *u)
{
  for (int d = 0; d < c->axes; d++) {
    double *q = u + (size_t)d * c->count;
    // nothing passes: the face behind the low wall, that at it, and that at the high one
    each_layer(c, d, false, still, q);
    each_layer(c, d, false, still, q + c->stride[d]);
    each_layer(c, d, true, still, q);
    for (int other = 0; other < c->axes; other++)
      for (int high = 0; high < 2 && other != d; high++)
        each_layer(c, other, high, fill_layer, &(Layer){q, c->wall[2 * other + high][d], !c->slip});
  }
}

// --- solids ---------------------------------------------------------------------------------------

// the part of a line between two corners that is outside
static inline double outside_part(double a, double b)
{
  if (a >= 0 && b >= 0) return 1;
  if (a < 0 && b < 0) return 0;
  return a >= 0 ? a / (a - b) : b / (b - a);
}

// The part of a square outside of the solid: by marching squares, where two corners across are in it they are apart.
static double outside_square(const double s[4])
{
  double sum = 0;
  int in = 0;
  for (int k = 0; k < 4; k++) in += s[k] < 0;
  if (in == 0) return 1;
  if (in == 4) return 0;
  // triangles around the middle
  double middle = 0.25 * (s[0] + s[1] + s[2] + s[3]);
  for (int k = 0; k < 4; k++) {
    double v[3] = {middle, s[k], s[(k + 1) % 4]};
    int n = (v[0] < 0) + (v[1] < 0) + (v[2] < 0), odd = 0;
    if (n == 0 || n == 3) {
      sum += n ? 0 : 1;
      continue;
    }
    while ((v[odd] < 0) == (v[(odd + 1) % 3] < 0) || (v[odd] < 0) == (v[(odd + 2) % 3] < 0)) odd++;
    double a = v[odd], b = v[(odd + 1) % 3], d = v[(odd + 2) % 3];
    double part = a / (a - b) * (a / (a - d));   // the corner that is alone
    sum += a < 0 ? 1 - part : part;
  }
  return 0.25 * sum;
}

static void open_body(void *user, size_t begin, size_t end)
{
  dvCells *c = user;
  const double *s = c->solid.data;
  DV_EACH_ROW(c, begin, end)
  for (int i = 0; i < c->n[0]; i++) {
    size_t at = dv_cells_at(c, i, j, k);
    int place[3] = {i, j, k};
    for (int d = 0; d < 3; d++) {
      float *open = &c->open.data[(size_t)d * c->count + at];
      bool inner = d < c->axes && place[d] > 1 && place[d] < c->n[d] - 1;
      for (int o = 0; o < c->axes; o++) inner = inner && (o == d || (place[o] > 0 && place[o] < c->n[o] - 1));
      *open = inner ? 1 : 0;
      if (!inner || !c->solids) continue;
      size_t a = c->stride[(d + 1) % 3], b = c->stride[(d + 2) % 3];
      if (c->axes == 2) *open = (float)outside_part(s[at], s[at + c->stride[1 - d]]);
      else *open = (float)outside_square((const double[4]){s[at], s[at + a], s[at + a + b], s[at + b]});
      if (*open < 0.01f) *open = 0;   // slivers only spoil the solve
    }
  }
}

void dv_cells_open_faces(dvCells *c) { dv_cells_rows(c, c->solids ? 40 : 6, open_body, c); }

// --- kinds ----------------------------------------------------------------------------------------

static void kind_body(void *user, size_t begin, size_t end)
{
  dvCells *c = user;
  DV_EACH_ROW(c, begin, end)
  for (int i = 0; i < c->n[0]; i++) {
    size_t at = dv_cells_at(c, i, j, k);
    int place[3] = {i, j, k};
    bool inner = true;
    float open = 0;
    for (int d = 0; d < c->axes; d++) inner = inner && place[d] > 0 && place[d] < c->n[d] - 1;
    for (int d = 0; d < c->axes && inner; d++) {
      const float *o = c->open.data + (size_t)d * c->count + at;
      open += o[0] + o[c->stride[d]];
    }
    c->kind.data[at] = !(open > 0) ? DV_CELL_WALL : c->surface && !(c->phi.data[at] < 0) ? DV_CELL_AIR : DV_CELL_FLUID;
  }
}

static void known_body(void *user, size_t begin, size_t end)
{
  dvCells *c = user;
  DV_EACH_ROW(c, begin, end)
  for (int i = 0; i < c->n[0]; i++) {
    size_t at = dv_cells_at(c, i, j, k);
    for (int d = 0; d < c->axes; d++) {
      size_t face = (size_t)d * c->count + at;
      c->known.data[face] = c->open.data[face] > 0 &&
                            (c->kind.data[at] == DV_CELL_FLUID || c->kind.data[at - c->stride[d]] == DV_CELL_FLUID);
    }
  }
}

void dv_cells_classify(dvCells *c)
{
  dv_cells_rows(c, 8, kind_body, c);
  dv_cells_rows(c, 8, known_body, c);
}

// --- velocities beyond the fluid ------------------------------------------------------------------

typedef struct Extend {
  dvCells *c;
  int d, layer;
} Extend;

// faces that have neighbours of an earlier layer take their mean
static void extend_body(void *user, size_t begin, size_t end)
{
  const Extend *e = user;
  dvCells *c = e->c;
  double *u = c->u.data + (size_t)e->d * c->count;
  uint8_t *known = c->known.data + (size_t)e->d * c->count;
  DV_EACH_ROW(c, begin, end)
  {
    if (j == 0 || j == c->n[1] - 1 || (c->axes == 3 && (k == 0 || k == c->n[2] - 1))) continue;
    for (int i = 1; i < c->n[0] - 1; i++) {
      size_t at = dv_cells_at(c, i, j, k);
      if (known[at]) continue;
      double sum = 0;
      int many = 0;
      for (int o = 0; o < c->axes; o++)
        for (int s = 0; s < 2; s++) {
          size_t n = s ? at + c->stride[o] : at - c->stride[o];
          // what this pass fills has a number of its own: it is not read in the same pass
          uint8_t from = __atomic_load_n(&known[n], __ATOMIC_RELAXED);
          if (from && from <= e->layer) sum += u[n], many++;
        }
      if (!many) continue;
      u[at] = sum / many;
      __atomic_store_n(&known[at], (uint8_t)(e->layer + 1), __ATOMIC_RELAXED);
    }
  }
}

// In solids what goes through their surface is theirs; all of it where fluids stick to them.
static void hold_body(void *user, size_t begin, size_t end)
{
  dvCells *c = user;
  DV_EACH_ROW(c, begin, end)
  {
    if (j == 0 || j >= c->n[1] - 1 || (c->axes == 3 && (k == 0 || k >= c->n[2] - 1))) continue;
    for (int i = 1; i < c->n[0] - 1; i++) {
      size_t at = dv_cells_at(c, i, j, k);
      for (int d = 0; d < c->axes; d++) {
        size_t face = (size_t)d * c->count + at;
        if (c->open.data[face] > 0) continue;
        // slope of the distance at the face, from the corners around it
        double n[3] = {0}, length = 0;
        size_t a = c->stride[(d + 1) % 3], b = c->stride[(d + 2) % 3];
        if (c->axes == 2) a = c->stride[1 - d], b = 0;
        for (int o = 0; o < c->axes; o++) {
          const double *s = c->solid.data + at;
          n[o] = o == d ? s[c->stride[d]] - *(s - c->stride[d]) : c->stride[o] == a ? s[a] - s[0] : s[b] - s[0];
          if (o == d) n[o] *= 0.5;
          length += n[o] * n[o];
        }
        double share = c->slip && length > 0 ? n[d] * n[d] / length : 1;
        c->u.data[face] += share * (c->push.data[face] - c->u.data[face]);
      }
    }
  }
}

// far from the fluid nothing moves: else gravity would go on there for ever
static void rest_body(void *user, size_t begin, size_t end)
{
  dvCells *c = user;
  DV_EACH_ROW(c, begin, end)
  for (int d = 0; d < c->axes; d++)
    for (int i = 0; i < c->n[0]; i++) {
      size_t face = (size_t)d * c->count + dv_cells_at(c, i, j, k);
      if (!c->known.data[face]) c->u.data[face] = 0;
    }
}

void dv_cells_extend(dvCells *c, int layers)
{
  for (int d = 0; d < c->axes; d++)
    for (int layer = 1; layer <= layers; layer++) {
      Extend e = {c, d, layer};
      dv_cells_rows(c, 5, extend_body, &e);
    }
  if (c->surface) dv_cells_rows(c, 3, rest_body, c);
  if (c->solids) dv_cells_rows(c, 10, hold_body, c);
  dv_cells_wall(c, c->u.data);
  dv_cells_gap_faces(c);
}

// VoxelLattice: a body as cubes; masses at their corners, springs along edges, face diagonals and long diagonals.
//
// A cube belongs to the body when its centre lies inside of the closed surface, or of one of the boxes. Springs that
// several cubes have in common are one spring; its weight is the part of them that exists: an edge belongs to four
// cubes, a face diagonal to two. So a bar of any number of cubes has the stiffness of its cross-section, and shares
// of volume (an eighth of each cube) its mass.
#include "lattice/inside.h"

#include "lattice/parts.h"
#include "topology/search/box_tree.h"

#include <math.h>
#include <string.h>

#define VOXEL_FIELDS(X)                                                                                \
  DV_BODY_FIELDS(X)                                                                                    \
  X(vec6s, boxes, "", "m", "instead of a surface: corners of boxes, smallest and largest coordinates", \
    .flags = DV_INPUT)                                                                                 \
  X(real, cell, "0.1", "m", "edge of a cube", .flags = DV_INPUT, .least = "0")                         \
  X(vec3s, position, "", "m", "corners of the cubes", .flags = DV_OUTPUT)                              \
  X(edges, edges, "", "", "springs", .flags = DV_OUTPUT, .alias = "springs")                           \
  X(reals, weights, "", "", "part of the cubes around each spring that exists", .flags = DV_OUTPUT)    \
  X(reals, shares, "", "m3", "volume that belongs to each corner", .flags = DV_OUTPUT)                 \
  X(hexahedra, hexahedra, "", "", "the cubes", .flags = DV_OUTPUT)                                     \
  X(real, volume, "0", "m3", "of all cubes", .flags = DV_OUTPUT)

typedef struct Voxels {
  dvObject base;
  VOXEL_FIELDS(DV_MEMBER)
} Voxels;

#define SELF Voxels
static const dvFieldDesc voxel_fields[] = {VOXEL_FIELDS(DV_DESCRIBE)};
#undef SELF

enum { MOST_CELLS = 1 << 28 };

typedef struct Cells {
  double low[3];
  size_t n[3];       // cubes
  uint8_t *full;     // [n]
  int32_t *corner;   // [n + 1] number of a corner, -1: none
} Cells;

static size_t cell_at(const Cells *c, size_t i, size_t j, size_t k) { return i + c->n[0] * (j + c->n[1] * k); }
static size_t corner_at(const Cells *c, size_t i, size_t j, size_t k)
{
  return i + (c->n[0] + 1) * (j + (c->n[1] + 1) * k);
}

static bool is_full(const Cells *c, long i, long j, long k)
{
  if (i < 0 || j < 0 || k < 0 || (size_t)i >= c->n[0] || (size_t)j >= c->n[1] || (size_t)k >= c->n[2]) return false;
  return c->full[cell_at(c, (size_t)i, (size_t)j, (size_t)k)];
}

// --- filling ---

static dvStatus measure(const Voxels *v, Cells *c, const double low[3], const double high[3])
{
  double total = 1, corners = 1;
  for (int k = 0; k < 3; k++) {
    double n = ceil((high[k] - low[k]) / v->cell - 1e-6);
    if (!(n >= 1)) n = 1;
    total *= n, corners *= n + 1;
    c->low[k] = low[k];
    if (!(corners < MOST_CELLS))
      return dv_field_error(&v->base, &v->cell, "give a larger cell", "cells of %g m would be more than %d", v->cell,
                            MOST_CELLS);
    c->n[k] = (size_t)n;
  }
  c->full = dv_try_alloc((size_t)total);
  c->corner = dv_try_alloc((size_t)corners * sizeof *c->corner);
  return c->full && c->corner ? DV_OK : dv_engine_no_memory(&v->base);
}

static dvStatus fill_boxes(const Voxels *v, Cells *c)
{
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
  size_t count = dv_reals_size(&v->boxes);
  for (size_t b = 0; b < count; b++)
    for (int k = 0; k < 3; k++) {
      const double *box = v->boxes.data + 6 * b;
      if (!(box[k] < box[3 + k]) || !isfinite(box[3 + k] - box[k]))
        return dv_field_error(&v->base, &v->boxes, "give the smallest coordinates first", "box %zu has no size", b);
      low[k] = fmin(low[k], box[k]);
      high[k] = fmax(high[k], box[3 + k]);
    }
  DV_TRY(measure(v, c, low, high));
  for (size_t b = 0; b < count; b++) {   // cubes whose centres are in the box
    size_t from[3], to[3];
    for (int a = 0; a < 3; a++) {
      const double *box = v->boxes.data + 6 * b;
      double first = ceil((box[a] - low[a]) / v->cell - 0.5 - 1e-9),
             last = ceil((box[3 + a] - low[a]) / v->cell - 0.5 - 1e-9);
      from[a] = (size_t)fmax(first, 0);
      to[a] = (size_t)fmin(fmax(last, 0), (double)c->n[a]);
    }
    for (size_t k = from[2]; k < to[2]; k++)
      for (size_t j = from[1]; j < to[1]; j++)
        for (size_t i = from[0]; i < to[0]; i++) c->full[cell_at(c, i, j, k)] = 1;
  }
  return DV_OK;
}

static dvStatus fill_surface(const Voxels *v, Cells *c)
{
  dvInside s;
  dvStatus status = dv_inside_init(&s, &v->base, &v->inputPosition, &v->triangles, &v->quads);
  if (status == DV_OK) status = measure(v, c, s.low, s.high);
  for (size_t k = 0; status == DV_OK && k < c->n[2]; k++)
    for (size_t j = 0; j < c->n[1]; j++) {
      dv_inside_line(&s, c->low[1] + ((double)j + 0.5) * v->cell, c->low[2] + ((double)k + 0.5) * v->cell);
      bool inside = false;
      for (size_t i = 0, next = 0; i < c->n[0]; i++) {
        double x = ((double)i + 0.5) * v->cell + 1;   // as t of the ray
        for (; next < s.hits.count && s.hits.data[next].t < x; next++) inside = !inside;
        c->full[cell_at(c, i, j, k)] = inside;
      }
    }
  dv_inside_fini(&s);
  return status;
}

// --- masses and springs ---

// how many of the cubes around the spring from corner (i, j, k) in the direction d exist, and how many there can be
static int cubes_around(const Cells *c, const size_t at[3], const int d[3], int *all)
{
  long from[3], to[3];
  *all = 1;
  for (int k = 0; k < 3; k++) {   // along d one cube, across it two
    from[k] = (long)at[k] - (d[k] <= 0);
    to[k] = (long)at[k] - (d[k] < 0);
    if (d[k]) to[k] = from[k];
    else *all *= 2;
  }
  int found = 0;
  for (long z = from[2]; z <= to[2]; z++)
    for (long y = from[1]; y <= to[1]; y++)
      for (long x = from[0]; x <= to[0]; x++) found += is_full(c, x, y, z);
  return found;
}

static dvStatus count_corners(Voxels *v, Cells *c, size_t *corners, size_t *cubes)
{
  size_t total = (c->n[0] + 1) * (c->n[1] + 1) * (c->n[2] + 1);
  *corners = *cubes = 0;
  for (size_t k = 0; k < c->n[2]; k++)
    for (size_t j = 0; j < c->n[1]; j++)
      for (size_t i = 0; i < c->n[0]; i++) {
        if (!c->full[cell_at(c, i, j, k)]) continue;
        ++*cubes;
        for (int m = 0; m < 8; m++) c->corner[corner_at(c, i + (m & 1), j + (m >> 1 & 1), k + (size_t)(m >> 2))] = 1;
      }
  for (size_t i = 0; i < total; i++) c->corner[i] = c->corner[i] ? (int32_t)(*corners)++ : -1;
  if (*cubes == 0)
    return dv_field_error(&v->base, &v->cell, "give a smaller cell",
                          "the lattice is empty: no cube of %g m has its centre inside of the body", v->cell);
  return DV_OK;
}

static bool add_springs(Voxels *v, const Cells *c, const size_t at[3], int32_t here, double *share)
{
  for (int m = 14; m < 27; m++) {   // the half of the 26 neighbours that comes later
    int d[3] = {m % 3 - 1, m / 3 % 3 - 1, m / 9 - 1}, all, found = cubes_around(c, at, d, &all);
    if (!found) continue;
    int32_t pair[2] = {here, c->corner[corner_at(c, at[0] + (size_t)d[0], at[1] + (size_t)d[1], at[2] + (size_t)d[2])]};
    double weight = (double)found / all;
    if (!dv_engine_add_ints(&v->edges, pair, 2) || !dv_engine_add_reals(&v->weights, &weight, 1)) return false;
  }
  int cubes = 0;
  for (int m = 0; m < 8; m++)
    cubes += is_full(c, (long)at[0] - (m & 1), (long)at[1] - (m >> 1 & 1), (long)at[2] - (m >> 2));
  *share = cubes * v->cell * v->cell * v->cell / 8;
  return true;
}

static dvStatus voxel_build(Voxels *v, Cells *c)
{
  static const int ring[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                 {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
  size_t corners, cubes, cube = 0;
  DV_TRY(count_corners(v, c, &corners, &cubes));
  if (!dv_reals_resize(&v->position, 3 * corners) || !dv_reals_resize(&v->shares, corners) ||
      !dv_ints_resize(&v->hexahedra, 8 * cubes) || !dv_ints_resize(&v->edges, 0) || !dv_reals_resize(&v->weights, 0))
    return dv_engine_no_memory(&v->base);
  double *position = dv_reals_edit(&v->position), *shares = dv_reals_edit(&v->shares);
  int32_t *hexahedra = dv_ints_edit(&v->hexahedra);
  for (size_t k = 0; k <= c->n[2]; k++)
    for (size_t j = 0; j <= c->n[1]; j++)
      for (size_t i = 0; i <= c->n[0]; i++) {
        int32_t here = c->corner[corner_at(c, i, j, k)];
        size_t at[3] = {i, j, k};
        if (here < 0) continue;
        for (int a = 0; a < 3; a++) position[3 * here + a] = c->low[a] + (double)at[a] * v->cell;
        if (!add_springs(v, c, at, here, &shares[here])) return dv_engine_no_memory(&v->base);
        if (!is_full(c, (long)i, (long)j, (long)k)) continue;
        for (int m = 0; m < 8; m++)
          hexahedra[8 * cube + (size_t)m] =
              c->corner[corner_at(c, i + (size_t)ring[m][0], j + (size_t)ring[m][1], k + (size_t)ring[m][2])];
        cube++;
      }
  v->volume = (double)cubes * v->cell * v->cell * v->cell;
  return DV_OK;
}

static dvStatus voxel_update(dvObject *o)
{
  Voxels *v = (Voxels *)o;
  Cells c = {.full = NULL};
  if (!(v->cell > 0) || !isfinite(v->cell))
    return dv_field_error(o, &v->cell, "give a length in m", "a cell cannot be %g m", v->cell);
  dvStatus status = v->boxes.count ? fill_boxes(v, &c) : fill_surface(v, &c);
  if (status == DV_OK) status = voxel_build(v, &c);
  dv_free(c.full);
  dv_free(c.corner);
  return status;
}

DV_ENGINE_CLASS(dv_voxel_lattice_class, "VoxelLattice", "cuts a body into cubes and joins their corners with springs",
                "Divan.Lattice", 0, Voxels, .blocks = {&dv_object_block, DV_BLOCK(voxel_fields)},
                .update = voxel_update);

// Points in sparse grids. See sparse_cells.h.
#include "topology/grid/sparse_cells.h"

#include <math.h>

// hexahedron of the boundary (any, where none is at the boundary) whose centre is nearest; distances in single
// precision
static int32_t nearest(const dvSparseLevel *l, const double p[3])
{
  int32_t best = -1;
  for (int pass = 0; pass < 2 && best < 0; pass++) {
    float least = INFINITY;
    for (size_t i = 0; i < l->cell_of.count; i++) {
      if (pass == 0 && l->type.data[i] != DV_CELL_BOUNDARY) continue;
      const double *a = l->points.data + 3 * (size_t)l->hexahedra.data[8 * i],
                   *b = l->points.data + 3 * (size_t)l->hexahedra.data[8 * i + 6];
      double d2 = 0;
      for (int k = 0; k < 3; k++) {
        double d = p[k] - (a[k] + b[k]) * 0.5;
        d2 += d * d;
      }
      float d = (float)sqrt(d2);
      if (!(d < least)) continue;
      least = d;
      best = (int32_t)i;
    }
  }
  return best;
}

static int32_t first_piece(const dvSparseLevel *l, const int32_t cell[3])
{
  int32_t at = l->cell_at.data[dv_sparse_cell_number(l, cell[0], cell[1], cell[2])];
  return at < 0 ? -1 : l->first_piece.data[at];
}

// The place counts from the cell of the coarse grid in which the point lies, also where that is not the cell of the
// piece, as in SOFA.
int32_t dv_sparse_piece_find(const dvSparseLevel *levels, int count, const double p[3], double at[3])
{
  const dvSparseLevel *finest = &levels[count - 1];
  int32_t cell[3], piece = dv_sparse_place(finest, p, cell, at) ? first_piece(finest, cell) : -1;
  if (piece < 0) piece = nearest(finest, p);
  for (int i = count - 1; i > 0 && piece >= 0; i--) piece = levels[i].parent.data[piece];
  dv_sparse_place(&levels[0], p, cell, at);
  return piece;
}

int32_t dv_sparse_level_find(const dvSparseLevel *l, const double p[3], double at[3])
{
  int32_t cell[3], found = dv_sparse_place(l, p, cell, at) ? first_piece(l, cell) : -1;
  if (found >= 0) return found;
  found = nearest(l, p);
  if (found < 0) return -1;
  const double *a = l->points.data + 3 * (size_t)l->hexahedra.data[8 * (size_t)found];
  const double *b = l->points.data + 3 * (size_t)l->hexahedra.data[8 * (size_t)found + 6];
  for (int k = 0; k < 3; k++) at[k] = (p[k] - a[k]) / (b[k] - a[k]);
  return found;
}

// How masses and springs of a lattice are laid out: between lattice.c and the two layouts.
#ifndef DV_LATTICE_LAYOUT_H
#define DV_LATTICE_LAYOUT_H

#include "lattice/lattice.h"

typedef enum dvLayoutResult { DV_LAYOUT_DONE, DV_LAYOUT_UNFIT, DV_LAYOUT_NO_MEMORY } dvLayoutResult;

// Each sets slots, slices, the tables between points and slots, and what springs need. UNFIT leaves nothing behind.
dvLayoutResult dv_layout_grid(dvLattice *l, const dvLatticeDef *def);
dvLayoutResult dv_layout_list(dvLattice *l, const dvLatticeDef *def);
// After the classes of single springs were written: what all of a row have.
void dv_layout_summarise(dvLattice *l);
// Where the classes of a spring stand, one entry for each end.
void dv_layout_entries(const dvLattice *l, const dvLatticeDef *def, size_t spring, size_t at[2]);
// The same for a list, for all springs: two entries each; NULL when memory is short. The caller frees it.
size_t *dv_layout_list_entries(const dvLattice *l, const dvLatticeDef *def);

// The number of a neighbour on a grid, by the steps to it along the three axes of the layout.
static inline int dv_layout_way(const int step[3])
{
  int line = 3 * (step[2] + 1) + step[1] + 1, way = 3 * line + step[0] + 1;
  return way > 13 ? way - 1 : way;   // 13 is the mass itself
}

static inline double dv_layout_length(const dvLatticeDef *def, size_t i)
{
  if (def->lengths) return def->lengths[i];
  const double *a = def->rest + 3 * (size_t)def->pairs[2 * i], *b = def->rest + 3 * (size_t)def->pairs[2 * i + 1];
  double d[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
  return __builtin_sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
}

#endif

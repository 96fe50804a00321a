// What a grid will cost, told before memory is taken: a slip of the pen in `n` makes gigabytes.
#ifndef DV_TOPOLOGY_GRID_FORETELL_H
#define DV_TOPOLOGY_GRID_FORETELL_H

#include "topology/topology.h"

// Bytes that the components which live on a grid will take, about: within a factor of two for what was measured, a
// guess for others. The dimension is 1 for a row of points, 2 for a sheet, 3 for a solid.
double dv_grid_foresee(const dvTopology *grid, size_t points, int dimension);
// Tells it where it is much: a note, or a warning where the machine does not have as much.
void dv_grid_foretell(const dvTopology *grid, size_t points, int dimension);

#endif

// Sparse grids for those who map from them or compute on their finer levels.
#ifndef DV_TOPOLOGY_GRID_SPARSE_GRID_H
#define DV_TOPOLOGY_GRID_SPARSE_GRID_H

#include "topology/grid/sparse_cells.h"
#include "topology/topology.h"

enum { DV_SPARSE_FINER = 9 };   // most finer levels: a cell becomes 2^27 cells

bool dv_is_sparse_grid(const dvObject *o);
// Level 0 is the grid itself, the following ones are the virtual finer ones; NULL when there is none, or when the grid
// could not be made. Lives until the grid changes.
const dvSparseLevel *dv_sparse_grid_level(dvObject *grid, int level);
int dv_sparse_grid_levels(dvObject *grid);
// Hexahedron for a point, the one that contains it or else the nearest of the boundary, and the place in it from 0 to 1
// (beyond these outside). -1 when the grid has no cells.
int32_t dv_sparse_grid_find(dvObject *grid, const double p[3], double at[3]);

#endif

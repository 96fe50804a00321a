// Regular grids, for those that know better than to search in them.
#ifndef DV_TOPOLOGY_GRID_GRID_H
#define DV_TOPOLOGY_GRID_GRID_H

#include "topology/topology.h"

typedef struct dvLattice {
  int n[3];   // points along each axis, x fastest
  double origin[3], step[3];
} dvLattice;

// False when the topology is no RegularGridTopology.
bool dv_topology_lattice(const dvObject *topology, dvLattice *out);
// Number of the cell of a point, x fastest, and where in it, from 0 to 1; outside of the grid the nearest cell, and
// coordinates that extrapolate. There are at least two points along each axis.
size_t dv_lattice_find(const dvLattice *g, const double p[3], double at[3]);
void dv_lattice_corners(const dvLattice *g, size_t cell, int32_t corners[8]);

#endif

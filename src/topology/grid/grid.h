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

#endif

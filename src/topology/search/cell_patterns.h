// Triangles of a cell of a lattice whose corners lie inside or outside of something (marching cubes).
//
// Corners are numbered by bits (1: x, 2: y, 4: z), edges by axis and by the bits of their first corner along the other
// two. The crossings of a cell's edges are joined face by face: where a face has two inside corners across from each
// other they are kept apart. Two cells see a common face in the same way, so the surface is closed, each of its edges
// belongs to two triangles, and the normals point out.
#ifndef DV_TOPOLOGY_SEARCH_CELL_PATTERNS_H
#define DV_TOPOLOGY_SEARCH_CELL_PATTERNS_H

#include "base/base.h"

enum { DV_CELL_PATTERN = 31 };

// Of each pattern of inside corners: how many triangles, then three edges for each.
void dv_cell_patterns(uint8_t edges[256][DV_CELL_PATTERN]);
// The first corner of an edge; its axis is edge / 4.
void dv_cell_edge_corner(int edge, int corner[3]);

#endif

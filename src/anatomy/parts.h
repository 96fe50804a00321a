// Parts that elements fall into, and which tetrahedra share a face.
#ifndef DV_ANATOMY_PARTS_H
#define DV_ANATOMY_PARTS_H

#include "topology/topology.h"

// Numbers the parts that hang together over points, from 0 in the order of their first element, of `width` points each;
// `part` has a place for each element. Returns how many there are, -1 when memory is short.
int32_t dv_mesh_parts(const dvInts *elements, size_t width, size_t points, int32_t *part);
// For each tetrahedron the ones behind its four faces, opposite to its corners; -1 where there is none. `out` has four
// places for each. False when memory is short.
DV_CHECK_RESULT bool dv_tetra_neighbours(const dvInts *tetrahedra, int32_t *out);

#endif

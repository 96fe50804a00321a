// Where the points of a BarycentricMapping are, for those who cut the mesh that carries them.
#ifndef DV_MAPPING_LINEAR_BARYCENTRIC_H
#define DV_MAPPING_LINEAR_BARYCENTRIC_H

#include "mechanics/component.h"

// A point of the output in a hexahedron of the input, at coordinates between 0 and 1 along its edges.
typedef struct dvPlaceInCell {
  int32_t point, hexahedron;   // -1: in none
  double local[3];
} dvPlaceInCell;

// The mapping of an object that maps points with the elements of a topology; NULL when it is none.
const dvMapping *dv_barycentric_from(const dvObject *o, const dvTopology *mesh);
// The places of all points of the output, in their order, as many as `out` has room for.
void dv_barycentric_places(const dvObject *o, dvPlaceInCell *out, size_t count);
// Puts points elsewhere, within a batch of changes. Their elements must exist.
void dv_barycentric_put(dvObject *o, const dvPlaceInCell *places, size_t count);

#endif

// Edges, triangles and quads that follow from larger elements, in SOFA's order: the elements one after the other, in each
// the parts in the order of the tables below, every part once, where it first appears.
#ifndef DV_TOPOLOGY_DERIVE_H
#define DV_TOPOLOGY_DERIVE_H

#include "object/values.h"

// corners of the parts, as places in the larger element
extern const int dv_edges_of_triangle[3][2];       // edge i lies opposite to corner i
extern const int dv_edges_of_quad[4][2];
extern const int dv_edges_of_tetrahedron[6][2];
extern const int dv_edges_of_hexahedron[12][2];
extern const int dv_triangles_of_tetrahedron[4][3];   // triangle i lies opposite to corner i and looks outwards
extern const int dv_quads_of_hexahedron[6][4];        // looking outwards

// All of these append to nothing: `out` gets a fresh list. False when memory is short; then `out` is empty.

// Edges of volumes: from the smaller index to the larger. Either list may be empty.
bool dv_derive_volume_edges(const dvInts *tetrahedra, const dvInts *hexahedra, dvInts *out);
// Edges of surfaces: those of triangles run as in the first triangle that has them, those that only quads have run from
// the smaller index to the larger.
bool dv_derive_surface_edges(const dvInts *triangles, const dvInts *quads, dvInts *out);
// Faces, turned so that the smallest index comes first. A face shared by two elements is seen from its two sides. With
// `repeat`, a face that comes twice from the same side (an element is turned inside out) is listed twice, as
// MeshTopology does.
bool dv_derive_triangles(const dvInts *tetrahedra, bool repeat, dvInts *out);
bool dv_derive_quads(const dvInts *hexahedra, dvInts *out);

#endif

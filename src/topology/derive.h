// Edges, triangles and quads that follow from larger elements, in SOFA's order: the elements one after the other, in
// each the parts in the order of the tables below, every part once, where it first appears.
#ifndef DV_TOPOLOGY_DERIVE_H
#define DV_TOPOLOGY_DERIVE_H

#include "object/values.h"

// corners of the parts, as places in the larger element
extern const int dv_edges_of_triangle[3][2];   // edge i lies opposite to corner i
extern const int dv_edges_of_quad[4][2];
extern const int dv_edges_of_tetrahedron[6][2];
extern const int dv_edges_of_hexahedron[12][2];
extern const int dv_triangles_of_tetrahedron[4][3];   // triangle i lies opposite to corner i and looks outwards
extern const int dv_quads_of_hexahedron[6][4];        // looking outwards
extern const int dv_quads_of_prism[3][4], dv_triangles_of_prism[2][3];
extern const int dv_quads_of_pyramid[1][4], dv_triangles_of_pyramid[4][3];

// Parts of elements: part j of element i has the corners elements[i * width + table[j * corners + k]], k < corners.
typedef struct dvPartList {
  const int32_t *elements;
  size_t count;
  int width;
  const int *table;
  int parts;
} dvPartList;

// How parts are compared: by their corners, or also by the order in which a face runs through them, from either side.
typedef enum dvPartOrder { DV_PART_CORNERS, DV_PART_CYCLE } dvPartOrder;

// Numbers the parts of several lists, one list after the other, equal parts alike, in the order in which each first
// appears. Returns how many different ones there are, -1 when memory is short; the caller frees *numbers.
int32_t dv_parts_number(const dvPartList *lists, int count, int corners, dvPartOrder order, int32_t **numbers);
size_t dv_parts_count(const dvPartList *lists, int count);
// A list as parts of itself, to be numbered together with others.
dvPartList dv_parts_given(const int32_t *elements, size_t count, int width);

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

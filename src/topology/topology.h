// Topologies: points and the elements between them. One container serves every element kind; SOFA's names
// (MeshTopology, TetrahedronSetTopologyContainer, RegularGridTopology …) are thin classes on top of it.
#ifndef DV_TOPOLOGY_TOPOLOGY_H
#define DV_TOPOLOGY_TOPOLOGY_H

#include "object/context.h"
#include "scene/node.h"

typedef enum dvElementKind {
  DV_POINT,
  DV_EDGE,
  DV_TRIANGLE,
  DV_QUAD,
  DV_TETRAHEDRON,
  DV_HEXAHEDRON,
  DV_PRISM,
  DV_PYRAMID,
  DV_ELEMENT_KINDS
} dvElementKind;

// Points of an element: 1, 2, 3, 4, 4, 8, 6, 5.
int dv_element_points(dvElementKind kind);
const char *dv_element_name(dvElementKind kind);   // "tetrahedra" …

#define DV_TOPOLOGY_FIELDS(X)                                                                                         \
  X(file, filename, "", "", "mesh file to read", .alias = "fileTopology", .flags = DV_INPUT)                          \
  X(vec3s, position, "", "m", "positions of the points", .alias = "points", .flags = DV_OUTPUT)                       \
  X(edges, edges, "", "", "pairs of point indices", .alias = "lines", .flags = DV_OUTPUT)                             \
  X(triangles, triangles, "", "", "triples of point indices", .flags = DV_OUTPUT)                                     \
  X(quads, quads, "", "", "quadruples of point indices", .flags = DV_OUTPUT)                                          \
  X(tetrahedra, tetrahedra, "", "", "quadruples of point indices", .alias = "tetras", .flags = DV_OUTPUT)             \
  X(hexahedra, hexahedra, "", "", "eight point indices each, bottom then top", .alias = "hexas", .flags = DV_OUTPUT)  \
  X(prisms, prisms, "", "", "six point indices each", .flags = DV_OUTPUT)                                             \
  X(pyramids, pyramids, "", "", "five point indices each", .flags = DV_OUTPUT)                                        \
  X(vec2s, uv, "", "", "texture coordinates of the points")

// Elements around something, as compressed rows: items[offsets[i] .. offsets[i + 1]).
typedef struct dvIncidence {
  int32_t *offsets, *items;
  size_t count;              // rows
  unsigned revision;         // of the topology it was made for
} dvIncidence;

typedef struct dvTopology {
  dvObject base;
  DV_TOPOLOGY_FIELDS(DV_MEMBER)
  size_t point_count;                        // may exceed the positions given: elements can name more points
  unsigned revision;                         // moves with every change of points or elements
  dvInts derived[DV_ELEMENT_KINDS];          // elements that follow from larger ones, made on demand
  unsigned derived_revision[DV_ELEMENT_KINDS];
  dvIncidence around_point[DV_ELEMENT_KINDS];
} dvTopology;

extern const dvFieldBlock dv_topology_block;

static inline dvTopology *dv_topology(dvObject *o) { return (dvTopology *)o; }

// Elements of a kind: as given or, for edges, triangles and quads that were not given, the distinct ones of the larger
// elements in SOFA's order. Width dv_element_points(kind). The pointer lives until the topology changes.
const dvInts *dv_topology_elements(dvTopology *t, dvElementKind kind);
// Only what was given.
const dvInts *dv_topology_given(const dvTopology *t, dvElementKind kind);
size_t dv_topology_count(dvTopology *t, dvElementKind kind);
size_t dv_topology_point_count(dvTopology *t);
// Which elements of a kind touch each point, in ascending order.
const dvIncidence *dv_topology_around_point(dvTopology *t, dvElementKind kind);

// Checks element indices, counts points; called by init of every topology. Reports the first index out of range.
dvStatus dv_topology_settle(dvTopology *t);
void dv_topology_free(dvTopology *t);

#endif

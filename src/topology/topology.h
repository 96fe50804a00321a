// Topologies: points and the elements between them. One container serves every element kind; SOFA's names
// (MeshTopology, TetrahedronSetTopologyContainer, RegularGridTopology …) are thin classes on top of it.
//
// Elements that were not given but follow from larger ones are made when somebody asks: through these functions or by
// reading (linking to) the field. The fields then show them as well. A program that changes points or elements edits
// the list of the field and touches it (dv_touch): what is derived from it is made anew when it is next asked for.
#ifndef DV_TOPOLOGY_TOPOLOGY_H
#define DV_TOPOLOGY_TOPOLOGY_H

#include "object/context.h"
#include "scene/node.h"

DV_PUBLIC_BEGIN

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

// More points than this are refused, with advice: nothing that is simulated in sensible time has them.
enum { DV_POINT_LIMIT = 50000000 };

// Points of an element: 1, 2, 3, 4, 4, 8, 6, 5.
int dv_element_points(dvElementKind kind);
const char *dv_element_name(dvElementKind kind);   // "tetrahedra" …

// fields of the points and of each element kind: a class lists those that it has
#define DV_TOPOLOGY_POINT_FIELDS(X)                                                          \
  X(file, filename, "", "", "mesh file to read", .alias = "fileTopology", .flags = DV_INPUT) \
  X(vec3s, position, "", "m", "positions of the points", .alias = "points", .flags = DV_OUTPUT)
#define DV_TOPOLOGY_EDGE_FIELDS(X) \
  X(edges, edges, "", "", "pairs of point indices", .alias = "lines", .flags = DV_OUTPUT)
#define DV_TOPOLOGY_TRIANGLE_FIELDS(X) X(triangles, triangles, "", "", "triples of point indices", .flags = DV_OUTPUT)
#define DV_TOPOLOGY_QUAD_FIELDS(X) X(quads, quads, "", "", "quadruples of point indices", .flags = DV_OUTPUT)
#define DV_TOPOLOGY_TETRAHEDRON_FIELDS(X) \
  X(tetrahedra, tetrahedra, "", "", "quadruples of point indices", .alias = "tetras", .flags = DV_OUTPUT)
#define DV_TOPOLOGY_HEXAHEDRON_FIELDS(X) \
  X(hexahedra, hexahedra, "", "", "eight point indices each, bottom then top", .alias = "hexas", .flags = DV_OUTPUT)
#define DV_TOPOLOGY_OTHER_FIELDS(X)                                                                     \
  X(prisms, prisms, "", "", "six point indices each", .alias = "pentahedra pentas", .flags = DV_OUTPUT) \
  X(pyramids, pyramids, "", "", "five point indices each", .flags = DV_OUTPUT)                          \
  X(vec2s, uv, "", "", "texture coordinates of the points", .alias = "texcoords", .flags = DV_OUTPUT)

#define DV_TOPOLOGY_FIELDS(X)       \
  DV_TOPOLOGY_POINT_FIELDS(X)       \
  DV_TOPOLOGY_EDGE_FIELDS(X)        \
  DV_TOPOLOGY_TRIANGLE_FIELDS(X)    \
  DV_TOPOLOGY_QUAD_FIELDS(X)        \
  DV_TOPOLOGY_TETRAHEDRON_FIELDS(X) \
  DV_TOPOLOGY_HEXAHEDRON_FIELDS(X)  \
  DV_TOPOLOGY_OTHER_FIELDS(X)

// Elements around something, as compressed rows: items[offsets[i] .. offsets[i + 1]).
typedef struct dvIncidence {
  int32_t *offsets, *items;
  size_t count;        // rows
  unsigned revision;   // of the topology it was made for
} dvIncidence;

typedef struct dvTopology dvTopology;

// How a class makes its own points and elements (grids); every slot may be NULL.
typedef struct dvTopologyMaker {
  bool (*points)(dvTopology *t, dvReals *out);   // false when memory is short
  // *made is false for elements that are to be derived from larger ones as usual
  bool (*elements)(dvTopology *t, dvElementKind kind, dvInts *out, bool *made);
} dvTopologyMaker;

struct dvTopology {
  dvObject base;
  DV_TOPOLOGY_FIELDS(DV_MEMBER)
  size_t point_count;                 // may exceed the positions given: elements can name more points
  unsigned revision;                  // moves with every change of points or elements
  dvInts derived[DV_ELEMENT_KINDS];   // elements that follow from larger ones, made on demand
  unsigned derived_revision[DV_ELEMENT_KINDS];
  dvIncidence around_point[DV_ELEMENT_KINDS];
  dvIncidence around_part[DV_ELEMENT_KINDS][DV_ELEMENT_KINDS];
  dvInts parts[DV_ELEMENT_KINDS][DV_ELEMENT_KINDS];
  unsigned parts_revision[DV_ELEMENT_KINDS][DV_ELEMENT_KINDS];
  // set by the class in `create`
  const dvTopologyMaker *maker;   // NULL when everything is given
  size_t least_points;            // there are at least so many; for the maker, else for the mapping that fills it
  bool repeat_faces;              // see dv_derive_triangles
  bool dynamic;                   // made to be changed: one of SOFA's ...SetTopologyContainer
  // the container's own
  dvField *fields[DV_ELEMENT_KINDS];   // of the positions and of each kind; NULL where the class has none
  dvReals made_points;
  dvObject *reader;   // loads `filename`
  dvObject *filler;   // the topological mapping that gives it elements or points
  uint64_t stamp;     // of what was given at the last refresh
  bool refreshing;
  bool remade;                 // edited as a whole, and nobody who watches knows it yet
  bool kept;                   // a change was made: lists are what they are, even when empty
  struct dvChanges *changes;   // who watches, and what changes need; see change.h
};

extern const dvFieldBlock dv_topology_block;

static inline dvTopology *dv_topology(dvObject *o) { return (dvTopology *)o; }

// Elements of a kind: as given or, for edges, triangles and quads that were not given, the distinct ones of the larger
// elements in SOFA's order. Width dv_element_points(kind). The pointer lives until the topology changes.
const dvInts *dv_topology_elements(dvTopology *t, dvElementKind kind);
// Only what was given.
const dvInts *dv_topology_given(const dvTopology *t, dvElementKind kind);
size_t dv_topology_count(dvTopology *t, dvElementKind kind);
size_t dv_topology_point_count(dvTopology *t);
// Positions that belong to the topology, width 3; may be fewer than there are points. The state's positions move, these
// do not.
const dvReals *dv_topology_positions(dvTopology *t);
// The largest elements there are: hexahedra, tetrahedra, prisms, pyramids, quads, triangles, edges or points.
dvElementKind dv_topology_largest(dvTopology *t);

// Which elements of a kind touch each point, in ascending order. NULL when memory is short.
const dvIncidence *dv_topology_around_point(dvTopology *t, dvElementKind kind);
// For every element of `kind` the numbers of its edges, triangles or quads, in the order of derive.h; -1 for a part
// that is not in the list. NULL when memory is short or `kind` has no such parts.
const dvInts *dv_topology_parts(dvTopology *t, dvElementKind part, dvElementKind kind);
// Which elements of a kind touch each edge, triangle or quad, in ascending order; of the triangles around an edge those
// that run along it come first, the last of them foremost, as in SOFA. NULL as above.
const dvIncidence *dv_topology_around(dvTopology *t, dvElementKind part, dvElementKind kind);

// --- for classes ---

// Hooks that every topology uses; a class that has its own calls them from there.
void dv_topology_create(dvObject *o);
dvStatus dv_topology_link(dvObject *o);
dvStatus dv_topology_init(dvObject *o);
dvStatus dv_topology_fetch(dvObject *o, dvField *f);
void dv_topology_destroy(dvObject *o);

// Brings the container up to date with its fields: checks element indices, counts points. Reports the first index out
// of range. Cheap when nothing changed.
dvStatus dv_topology_settle(dvTopology *t);
// Tells that points or elements have been edited as a whole. Followers hear of it at the beginning of the next step.
void dv_topology_changed(dvTopology *t);
void dv_topology_free(dvTopology *t);

// --- for change.c ---

// The list of a kind, as it stands.
dvInts *dv_topology_list(dvTopology *t, dvElementKind kind);
// Makes the list of a kind, or the positions, the topology's own: no link fills it and nothing derives it any more.
void dv_topology_keep(dvTopology *t, dvElementKind kind);
// A list has been changed as it should be: nothing needs to be checked again.
void dv_topology_settled(dvTopology *t, dvElementKind kind, size_t point_count);

DV_PUBLIC_END

#endif

// In which element does a point lie, and where in it?
//
// Every element has an affine frame: its first corner and the edges to three others (for a triangle or quad, to two
// others and their cross product). Local coordinates v are those of the point in that frame, and
//
//   tetrahedron  depth = max(-v0, -v1, -v2, v0 + v1 + v2 - 1)
//   hexahedron   depth = max(-v0, -v1, -v2, v0 - 1, v1 - 1, v2 - 1)
//   triangle     depth = max(-v0, -v1, v0 + v1 - 1, |v2| - 0.01)
//   quad         depth = max(-v0, -v1, v0 - 1, v1 - 1, |v2| - 0.01)
//
// say how deep inside it is (negative) or that it is outside. The element with the smallest value wins, the first of
// equals; outside of an element the value is the squared distance to its centre. A point outside of all is so given to
// the element with the nearest centre, with local coordinates that extrapolate. These are SOFA's rules, element by
// element; only the search is different.
#ifndef DV_TOPOLOGY_SEARCH_LOCATE_H
#define DV_TOPOLOGY_SEARCH_LOCATE_H

#include "base/pool.h"
#include "topology/search/box_tree.h"
#include "topology/topology.h"

typedef struct dvLocation {
  int32_t element;   // in the order of the lists, -1 when no element can take the point
  double local[3];
} dvLocation;

typedef struct dvLocateElements {
  dvElementKind kind;       // triangle, quad, tetrahedron or hexahedron
  const int32_t *corners;   // all below `points`
  size_t count;
} dvLocateElements;

typedef struct dvLocateDef {
  const double *x;             // points of the elements, three numbers each
  dvLocateElements lists[2];   // elements are counted through both
  // SOFA's set containers look only into the grid cell of a point, and around it when what they find there is further
  // than half a cell. 0: every element counts.
  double cell;
} dvLocateDef;

// Finds the locations of `count` points. Elements without volume (area) take no point; their number is returned.
size_t dv_locate(const dvLocateDef *def, dvPool *pool, const double *points, size_t count, dvLocation *out);
// The same for one point and, of the first list, some elements in ascending order, by looking at all of them: they are
// all that there are in the cells around the point's. False when none is in its own cell, where all elements of the
// mesh would count: then, and always without cells, `all` says that they are among these.
bool dv_locate_among(const dvLocateDef *def, const int32_t *elements, size_t count, const double *point, bool all,
                     dvLocation *out);
// The squared distance of a point from the centre of an element, and the box around its corners and all points inside
// (nothing when it takes none).
double dv_locate_distance2(const dvLocateDef *def, int32_t element, const double *point);
dvBox dv_locate_box(const dvLocateDef *def, int32_t element);
// Weights of the corners at local coordinates; returns their number.
int dv_locate_weights(dvElementKind kind, const double local[3], double weights[8]);

// Edges have one local coordinate, along them. The nearest edge, for points that have lost theirs; and SOFA's rule, the
// first edge onto which the point projects, else the last one. There is at least one.
size_t dv_nearest_edge(const dvInts *edges, const double *x, const double *point, double local[3]);
size_t dv_edge_below(const dvInts *edges, const double *x, const double *point, double local[3]);

#endif

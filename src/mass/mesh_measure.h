// The mesh that masses are computed from: which elements count, where their points are, how large they are.
#ifndef DV_MASS_MESH_MEASURE_H
#define DV_MASS_MESH_MEASURE_H

#include "mechanics/component.h"
#include "topology/change/follow.h"

typedef struct dvMassMesh {
  dvTopology *topology;
  dvState *geometry;   // whose positions are measured
  dvElementKind
      kind;   // the largest kind that exists: hexahedra, tetrahedra, prisms, pyramids, quads, triangles, edges
  const dvInts *elements;
  bool at_rest;    // elements are measured at rest, else where they stood at the start
  dvReals first;   // positions at the start
} dvMassMesh;

// Finds topology and state: linked, else the topology in the node or above and the state beside it. Warns and returns
// false when one is missing or there are no elements.
bool dv_mass_mesh_find(dvObject *o, dvLink *topology, dvLink *geometry, dvMassMesh *mesh);
// Says where elements are measured, and follows the mesh: elements keep their size while the state deforms, and new
// ones are measured in the same shape. Returns what has a row for each element, for more columns.
dvElementData *dv_mass_mesh_follow(dvMassMesh *mesh, dvObject *o, bool at_rest);
// The positions in which elements are measured, and the elements there are now: first thing of every computation.
const double *dv_mass_mesh_settle(dvMassMesh *mesh);
void dv_mass_mesh_free(dvMassMesh *mesh);
// For `topology_changed`: what has happened to the mesh, when the points of a state of `points` are its own one for
// one; NULL when all masses are to be computed again.
const dvTrace *dv_mass_mesh_trace(const dvMassMesh *mesh, const dvObject *o, size_t points);
// Elements around a point, in ascending order: the order in which their shares are summed.
void dv_mass_mesh_around(const dvMassMesh *mesh, int32_t point, dvNumbers *out);
// Places of an element's corners, three numbers each. False when it names points that the state does not have.
bool dv_mass_mesh_corners(const dvMassMesh *mesh, const double *x, size_t element, double *points);
// Length, area or volume of an element (never negative). x: from dv_mass_mesh_settle. Elements that name points
// the state does not have measure 0.
double dv_mass_mesh_measure(const dvMassMesh *mesh, const double *x, size_t element);

#endif

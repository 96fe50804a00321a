// The mesh that masses are computed from: which elements count, where their points are, how large they are.
#ifndef DV_MASS_MESH_MEASURE_H
#define DV_MASS_MESH_MEASURE_H

#include "mechanics/component.h"
#include "topology/topology.h"

typedef struct dvMassMesh {
  dvTopology *topology;
  dvState *geometry;   // whose positions are measured
  dvElementKind
      kind;   // the largest kind that exists: hexahedra, tetrahedra, prisms, pyramids, quads, triangles, edges
  const dvInts *elements;
} dvMassMesh;

// Finds topology and state: linked, else the topology in the node or above and the state beside it. Warns and returns
// false when one is missing or there are no elements.
bool dv_mass_mesh_find(dvObject *o, dvLink *topology, dvLink *geometry, dvMassMesh *mesh);
// Places of an element's corners, three numbers each. False when it names points that the state does not have.
bool dv_mass_mesh_corners(const dvMassMesh *mesh, const double *x, size_t element, double *points);
// Length, area or volume of an element (never negative). x: dv_state_read of the geometry. Elements that name points
// the state does not have measure 0.
double dv_mass_mesh_measure(const dvMassMesh *mesh, const double *x, size_t element);

#endif

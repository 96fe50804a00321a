// What other methods take over from NewProximityIntersection.
#ifndef DV_COLLISION_INTERSECTION_NEW_PROXIMITY_H
#define DV_COLLISION_INTERSECTION_NEW_PROXIMITY_H

#include "collision/intersection/primitives.h"

#define DV_NEW_PROXIMITY_FIELDS(X) X(bool, useLineLine, "0", "", "test the edges of triangles against lines and edges")

typedef struct dvNewProximity {
  dvProximityMethod base;
  DV_NEW_PROXIMITY_FIELDS(DV_MEMBER)
  // as in SOFA:
  bool first_corners;   // count for every triangle
  bool sphere_edges;    // are asked for by wrong names
} dvNewProximity;

extern const dvFieldBlock dv_new_proximity_block;
extern const dvShapePair dv_new_proximity_pairs[];
// For dvIntersectionOps: notes what is as in SOFA, for methods that use these pairs.
bool dv_new_proximity_wants(dvObject *o, const dvShapePair *pair);

#endif

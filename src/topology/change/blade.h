// What a blade sweeps, for cuts that split hexahedra and surfaces: flat convex facets that meet in edges. Corners at
// the same place are one corner, so that it is known where the sheet goes on and where it ends.
#ifndef DV_TOPOLOGY_CHANGE_BLADE_H
#define DV_TOPOLOGY_CHANGE_BLADE_H

#include "base/array.h"
#include "math/vec.h"
#include "topology/change/cut.h"

typedef struct dvBladeFacet {
  int32_t first,
      count;   // its corners: blade.ring[first] to ring[first + count - 1]; edges alike, from each to the next
  dvVec3 centre, normal, low, high;
} dvBladeFacet;

typedef struct dvBladeEdge {
  int32_t ends[2];     // corners
  int32_t facets[2];   // that have it; the second is -1 where the sheet ends
} dvBladeEdge;

typedef struct dvBlade {
  DV_ARRAY(dvVec3) corners;
  DV_ARRAY(dvBladeFacet) facets;
  DV_ARRAY(int32_t) ring;    // corners of the facets
  DV_ARRAY(int32_t) sides;   // edges of the facets
  DV_ARRAY(dvBladeEdge) edges;
  dvVec3 low, high;   // box around it
  double size;        // of that box
} dvBlade;

// Facets without area are left out; false when there are no others, or an edge has more than two of them.
bool dv_blade_init(dvBlade *b, const dvSheet *sheet);
void dv_blade_fini(dvBlade *b);
// Moves all of it.
void dv_blade_shift(dvBlade *b, dvVec3 by);

static inline double dv_blade_height(const dvBlade *b, int32_t facet, dvVec3 x)
{
  const dvBladeFacet *f = &b->facets.data[facet];
  return dv_vec3_dot(dv_vec3_sub(x, f->centre), f->normal);
}
// Whether a place of a facet's plane lies in it, or beyond its sides by no more than `slack`.
bool dv_blade_covers(const dvBlade *b, int32_t facet, dvVec3 x, double slack);
// Where a segment crosses a facet, as a share of the way; -1 where it does not. What lies on the plane counts as above.
double dv_blade_crossing(const dvBlade *b, int32_t facet, dvVec3 from, dvVec3 to);
// Whether a segment crosses any of them.
bool dv_blade_meets(const dvBlade *b, dvVec3 from, dvVec3 to);
// Whether the box of two places is clear of another one.
static inline bool dv_boxes_apart(dvVec3 x, dvVec3 y, dvVec3 low, dvVec3 high)
{
  return dv_max(x.x, y.x) < low.x || dv_min(x.x, y.x) > high.x || dv_max(x.y, y.y) < low.y ||
         dv_min(x.y, y.y) > high.y || dv_max(x.z, y.z) < low.z || dv_min(x.z, y.z) > high.z;
}

#endif

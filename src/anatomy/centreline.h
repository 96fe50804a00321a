// What the two halves of the search for a centreline share: paths (centreline.c) and their refinement (refine.c).
#ifndef DV_ANATOMY_CENTRELINE_H
#define DV_ANATOMY_CENTRELINE_H

#include "anatomy/vessels.h"

typedef struct dvTrace {
  const dvMask *m;
  double finest, coarsest, deepest;   // smallest and largest side of a voxel; greatest distance from the wall
  float *wall;                        // of each voxel: its distance from the wall, m
  int32_t *parent;                    // on the way to the root
  uint8_t *served, *on_path, *seen;
  DV_ARRAY(int32_t) roots;
} dvTrace;

dvVec3 dv_trace_centre(const dvMask *m, size_t voxel);   // in the axes of the mask
// Branches of voxels become branches of points in the middle of their sections, in their final places and order.
DV_CHECK_RESULT bool dv_trace_refine(const dvTrace *t, dvVessels *v);
// Puts branches in order from the thickest end on, and counts; lists of points follow.
void dv_vessels_order(dvVessels *v);

#endif

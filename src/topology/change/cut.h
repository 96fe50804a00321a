// Cutting tetrahedra along a blade.
//
// What a blade sweeps in one stroke is a flat convex polygon. Edges that it crosses are split where they meet it, with
// all tetrahedra around; an edge that is met near one of its ends is left whole, and that end counts as lying on the
// blade (snap), so that no sliver is made. Edges made by splits begin on the blade and are not crossed again: when all
// are split, tetrahedra are separated by triangles whose three points lie on the blade. Along these they part (part.h);
// where the blade ends inside of the body the mesh stays closed. Volume and everything in proportion to it stay.
#ifndef DV_TOPOLOGY_CHANGE_CUT_H
#define DV_TOPOLOGY_CHANGE_CUT_H

#include "topology/change/incise.h"

DV_PUBLIC_BEGIN

typedef struct dvCut {
  size_t split;     // edges that were split
  size_t doubled;   // points that were doubled
  double quality;   // the smallest of the tetrahedra at the cut: 1 for a regular one, 0 for a flat one; 1 for none
} dvCut;

// Cuts along a flat convex polygon of at least three corners, three numbers each. `how` gives positions and snap; its
// snap_end is not used. A blade that misses changes nothing; that is no mistake, `out` (may be NULL) tells.
dvStatus dv_mesh_cut(dvTopology *t, const dvIncision *how, const double *polygon, size_t corners, dvCut *out);

DV_PUBLIC_END

#endif

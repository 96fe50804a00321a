// Refinement and incision of triangle surfaces.
//
// Elementary: an edge is split at a point of it, with all triangles around; a triangle is split into three. New
// triangles descend from the old ones by their shares of the area, new points from the corners.
//
// An incision follows a polyline on the surface. The walk goes from point to point: ahead of where it stands there is
// one triangle, and the plane through the next corner of the polyline and the normal of that triangle meets its far
// edge. There the edge is split, unless one of its ends is near (snap): then the walk goes there. Since the split edge
// lies opposite to where the walk stands, the edges of the path come by themselves. At last points of the path are
// doubled, once for each sector of triangles around them beyond the first: the lips part, and an end that lies inside
// the surface stays closed. A cut through a point or along an edge needs nothing special.
#ifndef DV_TOPOLOGY_CHANGE_INCISE_H
#define DV_TOPOLOGY_CHANGE_INCISE_H

#include "topology/change/modify.h"

DV_PUBLIC_BEGIN

// Splits an edge between two points at a + share (b - a), with the tetrahedra around it, or the triangles where there
// are no tetrahedra. Returns the number of the new point, -1 with a message when that cannot be.
int32_t dv_mesh_split_edge(dvTopology *t, int32_t a, int32_t b, double share);
// Splits many edges, each of them once, as if one after the other in this order, and in one change. The new points come
// in the same order; returns the number of the first, or -1.
typedef struct dvEdgeSplit {
  int32_t a, b;
  double share;
} dvEdgeSplit;
int32_t dv_mesh_split_edges(dvTopology *t, const dvEdgeSplit *edges, size_t count);
// Only the new points of that, with nothing that has them.
dvStatus dv_mesh_add_middles(dvTopology *t, const dvEdgeSplit *edges, size_t count);
// Splits a triangle into three at the point with these shares of its corners. Returns as above.
int32_t dv_mesh_split_triangle(dvTopology *t, int32_t triangle, const double shares[3]);

typedef struct dvIncision {
  const dvObject *owner;   // for messages
  // positions of the points now, three numbers each; asked again after every change
  const double *(*positions)(void *user);
  void *user;
  double snap;       // share of an edge within which the path takes its end instead
  double snap_end;   // the same for the ends of the path
  double least;      // no edge is split into a shorter piece, an end is taken instead
  double worst;      // on surfaces: nor one whose triangles would become worse than this (dv_triangle_roundness)
} dvIncision;

// Whether splitting the edge a b at this share would leave a shorter edge or a worse triangle than `how` lets pass.
bool dv_mesh_split_is_poor(dvTopology *t, const dvIncision *how, int32_t a, int32_t b, double share);
// Cuts along a polyline of `count` corners, three numbers each. `triangles` (may be NULL) tells in which triangle each
// lies, -1 where that is not known. Corners beyond the border end the cut there; one that is farther from the surface
// than a triangle is wide is a miss: nothing happens, and a warning says so. *doubled (may be NULL) gets the number of
// points that were doubled.
dvStatus dv_mesh_incise(dvTopology *t, const dvIncision *how, const double *corners, const int32_t *triangles,
                        size_t count, size_t *doubled);

DV_PUBLIC_END

#endif

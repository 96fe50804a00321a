// Cutting a closed surface of triangles along a blade, and closing it on both sides of the cut.
//
// Triangles are split where the blade crosses them; its points double along the cut, and what of the blade lies inside
// of the surface becomes two sheets of triangles, one for each side. Where the blade ends inside, the two sheets meet
// in its edge. Both have the same triangles, so that the volumes of all parts sum up to that of before, and every edge
// has two triangles as before.
//
// A blade through a point or along an edge of the surface is moved a little (a few 1e-7 of its size), until it passes
// all points and edges: nothing else has to be told apart then. That is dv_skin_settle.
#ifndef DV_TOPOLOGY_CHANGE_CUT_SKIN_H
#define DV_TOPOLOGY_CHANGE_CUT_SKIN_H

#include "topology/change/blade.h"

// A point that came with the cut.
typedef struct dvSkinPoint {
  dvVec3 at;
  int32_t near;    // an old point of the surface beside it
  int32_t point;   // its number
  int32_t facet;   // of the blade, on which it lies
  int side;        // 1 above the facet, -1 below, 0 where the blade ends
} dvSkinPoint;

typedef DV_ARRAY(dvSkinPoint) dvSkinPoints;

typedef struct dvSkin {
  dvTopology *mesh;
  const double *x;   // positions of its points, before the cut
} dvSkin;

// Whether the blade crosses the surface.
bool dv_skin_met(const dvSkin *s, const dvBlade *b);
// Moves the blade by a little, if need be, so that it passes all points and edges of some surfaces. False when it does
// not find a place.
bool dv_skin_settle(const dvSkin *skins, size_t count, dvBlade *b);
// Cuts. The blade must have been settled, and the surface be closed, with triangles alone. Appends to `points`. When it
// cannot be (a surface that crosses itself), triangles may have been split, but nothing is parted; the points that came
// are told all the same. The caller ends the batch.
dvStatus dv_skin_cut(const dvSkin *s, const dvBlade *b, dvSkinPoints *points);

#endif

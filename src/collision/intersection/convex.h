// Convex solids: a core of at most eight corners, and a radius around it. Spheres, capsules, triangles and bricks are
// all of that kind, so one kernel has their nearest points, how deep they overlap and where they rest on each other.
#ifndef DV_COLLISION_INTERSECTION_CONVEX_H
#define DV_COLLISION_INTERSECTION_CONVEX_H

#include "collision/intersection/primitives.h"

typedef struct dvConvex {
  dvShape shape;
  int count;
  dvVec3 corner[8];   // of a brick: bit k of the number tells on which side of axis k it lies
  dvVec3 axis[3];     // of a brick: unit vectors
  dvVec3 centre;      // of a brick
  double half[3];     // its half lengths
  double radius;
} dvConvex;

// Two cores.
typedef struct dvNearest {
  dvVec3
      point[2];    // nearest ones; where the cores overlap, ones that touch when they are moved apart along the normal
  dvVec3 normal;   // unit vector from the first to the second
  double distance;   // of the points along the normal; negative: that far have they to be moved apart
} dvNearest;

// A point, line, triangle, sphere, capsule or brick of a model.
void dv_convex_load(const dvCollisionModel *m, int32_t element, dvConvex *out);
// False when their cores are farther apart than `reach`.
bool dv_convex_nearest(const dvConvex *a, const dvConvex *b, double reach, dvNearest *out);

enum { DV_PATCH = 8 };
// Where they rest on each other, given what is nearest: the corners of the common part of a face with what lies against
// it, or the ends of what parallel lines have in common; one place otherwise. Their normals are that of the face,
// within a few degrees of the nearest, and the deepest is as deep as what is nearest, within a per cent. Returns their
// number.
int dv_convex_patch(const dvConvex *a, const dvConvex *b, const dvNearest *nearest, dvNearest out[DV_PATCH]);

#endif

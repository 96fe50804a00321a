// Vessels as closed tubes, one for each piece, for pictures: each has one value, so that rays that go through it find
// it along their whole way.
#ifndef DV_FLUID_VESSEL_SKIN_H
#define DV_FLUID_VESSEL_SKIN_H

#include "base/base.h"

enum { DV_SKIN_MOST_SIDES = 64, DV_SKIN_MOST = 4000000 /* points */ };

// Corners around a tube, and the middles of its ends.
static inline size_t dv_skin_points(int sides) { return 2 * (size_t)sides + 2; }
static inline size_t dv_skin_triangles(int sides) { return 4 * (size_t)sides; }
// The triangles of a number of tubes, outwards.
void dv_skin_faces(int32_t *out, size_t tubes, int sides);
// The points of a tube between two places with these radii.
void dv_skin_tube(double *out, int sides, const double a[3], const double b[3], double radius_a, double radius_b);

#endif

// Ventricles as truncated ellipsoids, with fibres by rule, on plain arrays.
//
// The left wall lies between two ellipsoids of revolution about z. At the depth t (0 endocardium, 1 epicardium), the
// angle u from pi (apex) to acos(base / l(t)) and the angle v around,
//   x = (s(t) sin u cos v, s(t) sin u sin v, l(t) cos u),   s(t) = s0 + t (s1 - s0), l(t) likewise,
// so that the base is the plane z = base. Rings of points are as far apart as the points in them; strips of triangles
// between the rings, times layers through the wall, make prisms, and each of these three tetrahedra (the diagonal of a
// side goes from the lower column to the higher one, so that neighbours agree).
//
// The right ventricle is a wall over a patch of the left epicardium around v = pi: it stands off by
// d = gap cos^2(pi/2 a) sin^2(pi/2 b) with a from -1 to 1 around and b from 0 at its apex to 1 at the base, and is
// grown onto the left wall where d is 0, in a rim around the cavity that slopes down to the left epicardium.
//
// Fibres: f = cos(alpha) e_v + sin(alpha) e_u, where e_v points around and e_u towards the base, and alpha goes from
// the endocardial to the epicardial angle through the wall; where the two walls are one, through both of them. In the
// septum alpha goes on as in the rest of the left wall.
#ifndef DV_HEART_VENTRICLE_H
#define DV_HEART_VENTRICLE_H

#include "object/values.h"

typedef struct dvVentricleShape {
  double inner[2], outer[2];   // short and long radius of the endocardium and the epicardium
  double base;                 // height of the base plane, below the long radii
  double angles[2];            // of fibres, degrees: endocardium, epicardium
  double spacing;              // of points along the wall
  int layers;                  // of cells through the left wall
  double right;                // thickness of the right wall; 0 for the left ventricle alone
  double gap;                  // largest distance of the right wall from the left one
} dvVentricleShape;

enum { DV_ZONE_LEFT = 1, DV_ZONE_RIGHT = 2, DV_ZONE_OUTSIDE = 4, DV_ZONE_BASE = 8 };   // zones of points

typedef struct dvVentricle {
  dvReals position, fibres, sheets;   // three numbers a point, a tetrahedron, a tetrahedron
  dvReals depth, height;              // of points: 0 at the endocardium to 1 outside; 0 at the apex to 1 at the base
  dvInts tetrahedra;
  dvInts left, right, outside, bottom;   // triangles; those of a cavity turn their normals away from the blood
  dvInts segments;                       // of tetrahedra: 1 to 17 of the American Heart Association, 0 right wall
  dvInts zones;                          // of points, bits DV_ZONE_...
} dvVentricle;

// About how many points there will be.
double dv_ventricle_points(const dvVentricleShape *s);
// False when memory is short. What was there before is replaced. The shape must make sense (dv_ventricle_problem).
bool dv_ventricle_make(const dvVentricleShape *s, dvVentricle *out);
// A sentence about what is wrong with a shape, or NULL; `member` gets the member of the shape that it is about.
const char *dv_ventricle_problem(const dvVentricleShape *s, const void **member);
void dv_ventricle_free(dvVentricle *v);
// Volume between the endocardium and the base plane: pi s^2 (2 l / 3 + b - b^3 / (3 l^2)).
double dv_ventricle_cavity(double s, double l, double base);

#endif

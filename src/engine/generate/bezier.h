// Control points of Bézier triangles and tetrahedra over a mesh of straight ones.
//
// A mesh of degree d has the corners first, then d - 1 points on each edge (edges in the order in which elements bring
// them), then (d - 1)(d - 2) / 2 points in each triangle, then those inside of each tetrahedron. Edges that are curved
// are arcs of circles or ellipses, as rational curves: control points with weights.
#ifndef DV_ENGINE_GENERATE_BEZIER_H
#define DV_ENGINE_GENERATE_BEZIER_H

#include "object/values.h"

enum { DV_BEZIER_LIMIT = 20 };   // the highest degree

// The control polygon of an edge in homogeneous coordinates (w x, w y, w z, w), both ends included; returns its degree,
// 1 to 3, 1 for a straight edge.
typedef int (*dvBezierEdge)(const void *user, const double *x, int32_t a, int32_t b, double polygon[4][4]);

typedef struct dvBezier {
  int degree;
  const dvInts *elements;   // triangles (width 3) or tetrahedra (width 4)
  dvBezierEdge edge;
  const void *user;
} dvBezier;

// Appends the control points to the corners in `x` and sets `weights` for all points. False when memory is short.
bool dv_bezier_points(const dvBezier *b, dvReals *x, dvReals *weights);

#endif

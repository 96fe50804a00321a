// Triangles that fill flat polygons with holes.
#ifndef DV_TOPOLOGY_SEARCH_POLYGON_H
#define DV_TOPOLOGY_SEARCH_POLYGON_H

#include "base/array.h"

// Rings of points (numbers into `xy`, two coordinates each): ring i has the entries offsets[i] to offsets[i + 1] - 1.
// Rings that turn left bound a region from outside, those that turn right are holes. Appends the points of triangles
// that turn left: every edge of a ring is an edge of one of them, in the same direction, and every other edge has two
// of them, whatever the coordinates are. (D. Eberly, Triangulation by ear clipping, 2002.)
typedef DV_ARRAY(int32_t) dvPolygonTriangles;
void dv_polygon_triangulate(const double *xy, const int32_t *points, const size_t *offsets, size_t rings,
                            dvPolygonTriangles *out);

#endif

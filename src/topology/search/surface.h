// Geometry of meshes: normals, coordinates inside of elements, curvature, nearest points, rays and segments. What
// SOFA's …GeometryAlgorithms offer to other components. `x` are points of three coordinates each.
#ifndef DV_TOPOLOGY_SEARCH_SURFACE_H
#define DV_TOPOLOGY_SEARCH_SURFACE_H

#include "topology/geometry.h"

// --- single elements ---

// Unit normal of a triangle or quad, by the right-hand rule; that of a quad is the mean over its corners. 0 where there
// is none.
dvVec3 dv_element_normal(dvElementKind kind, const double *x, const int32_t *e);
// 4 sqrt(3) area over the sum of the squares of the sides: 1 when all are equal, 0 for a flat triangle.
double dv_triangle_roundness(dvVec3 a, dvVec3 b, dvVec3 c);
// Weights of the element's points that give `p`, for edges, triangles (of the nearest point of their line or plane),
// tetrahedra and hexahedra (trilinear, by Newton's method). They sum up to 1; all are between 0 and 1 inside. False
// when the element has no size, or the search does not end.
bool dv_element_coordinates(dvElementKind kind, const double *x, const int32_t *e, dvVec3 p, double *weights);
// The nearest point of an edge or triangle, and its weights (may be NULL).
dvVec3 dv_nearest_on_segment(dvVec3 a, dvVec3 b, dvVec3 p, double weights[2]);
dvVec3 dv_nearest_on_triangle(const double *x, const int32_t *e, dvVec3 p, double weights[3]);
// Nearest points of two segments a + s (b - a) and c + t (d - c), with s and t between 0 and 1; returns their distance.
double dv_segments_distance(dvVec3 a, dvVec3 b, dvVec3 c, dvVec3 d, double *s, double *t);

// A place where a line from + at (to - from) meets a triangle: at, and the weights of its points.
typedef struct dvLineHit {
  size_t element;
  double at, weights[3];
} dvLineHit;

// Where the line through `from` and `to` meets a triangle, from either side; false when it does not, or runs along it.
// For a ray ask for at >= 0, for a segment for 0 <= at <= 1.
bool dv_line_meets_triangle(const double *x, const int32_t *e, dvVec3 from, dvVec3 to, dvLineHit *hit);

// --- whole meshes ---

// Sum of the lengths, areas or volumes of all elements of a kind.
double dv_topology_measure(dvTopology *t, dvElementKind kind, const double *x);
// Volume that a closed surface of triangles and quads encloses; negative when it looks inwards.
double dv_topology_enclosed_volume(dvTopology *t, const double *x);
// Mean of all places of the elements of a kind, weighted with their size. False when they have none.
bool dv_topology_centre(dvTopology *t, dvElementKind kind, const double *x, dvVec3 *out);
// A unit normal for each point from the triangles and quads around it, weighted with their angles there. `out` has
// three numbers a point; points without faces get 0.
void dv_topology_normals(dvTopology *t, const double *x, double *out);
// Mean and Gaussian curvature at each point of a surface of triangles (M. Meyer, M. Desbrun, P. Schröder, A. Barr,
// Discrete differential-geometry operators for triangulated 2-manifolds, 2003): half the length of the cotangent
// Laplacian, with the sign that makes a sphere that looks outwards positive, and the defect of the angles, each over
// the area around the point. Points of the border and points without triangles get 0. Either result may be NULL. False
// when memory is short.
bool dv_topology_curvature(dvTopology *t, const double *x, double *mean, double *gaussian);
// Where a ray or, with `segment`, a segment meets the triangles and quads (as two triangles; their number follows those
// of the triangles), the nearest first. Returns how many there are; `hits` gets at most `limit` of them.
size_t dv_topology_cast(dvTopology *t, const double *x, dvVec3 from, dvVec3 to, bool segment, dvLineHit *hits,
                        size_t limit);

#endif

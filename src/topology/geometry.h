// Measures of elements, as masses, forces and engines need them. `x` are points of three coordinates each, `e` the
// indices of one element.
#ifndef DV_TOPOLOGY_GEOMETRY_H
#define DV_TOPOLOGY_GEOMETRY_H

#include "math/vec.h"
#include "topology/topology.h"

static inline dvVec3 dv_point_at(const double *x, int32_t i) { return dv_vec3_load(x + 3 * (size_t)i); }

double dv_edge_length(const double *x, const int32_t *e);
double dv_triangle_area(const double *x, const int32_t *e);
// Half the cross product: its length is the area.
dvVec3 dv_triangle_area_vector(const double *x, const int32_t *e);
// Of the triangles 0 1 2 and 0 2 3.
double dv_quad_area(const double *x, const int32_t *e);
// Positive when corners 1 2 3, seen from corner 0, run clockwise: SOFA's orientation of a tetrahedron.
double dv_tetrahedron_signed_volume(const double *x, const int32_t *e);
double dv_tetrahedron_volume(const double *x, const int32_t *e);
// Sum over tetrahedra without regard to their sign, cut as in SOFA: exact for a box whose faces are plane.
double dv_hexahedron_volume(const double *x, const int32_t *e);
double dv_prism_volume(const double *x, const int32_t *e);
double dv_pyramid_volume(const double *x, const int32_t *e);

// With its sign, which is negative for a volume that is turned inside out; 0 for what is no volume. Prisms have no
// sign: the formats in use number them in either way.
double dv_element_signed_volume(dvElementKind kind, const double *x, const int32_t *e);
// Length, area or volume of an element of any kind; 0 for points.
double dv_element_measure(dvElementKind kind, const double *x, const int32_t *e);
// Mean of its points.
dvVec3 dv_element_centre(dvElementKind kind, const double *x, const int32_t *e);

#endif

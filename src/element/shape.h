// Linear shape functions of every element, their quadrature, and the stiffness they give to an isotropic material.
#ifndef DV_ELEMENT_SHAPE_H
#define DV_ELEMENT_SHAPE_H

#include "math/vec.h"
#include "topology/topology.h"

enum { DV_SHAPE_NODES = 8, DV_SHAPE_POINTS = 12 };

typedef struct dvQuadrature {
  int points;
  double at[DV_SHAPE_POINTS][3], weight[DV_SHAPE_POINTS];
} dvQuadrature;

// Coordinates of the corners in the reference element: lines, squares and cubes from -1 to 1, triangles and prisms from
// 0 to 1, a pyramid in the cube.
int dv_shape_dimension(dvElementKind kind);   // 1, 2 or 3
const dvQuadrature *dv_shape_quadrature(dvElementKind kind);
// With more points: exact for products of two shape functions, on elements with straight, parallel sides.
const dvQuadrature *dv_shape_product_quadrature(dvElementKind kind);
// Values of the shape functions at a point of the reference element, and their derivatives along its axes.
void dv_shape_values(dvElementKind kind, const double q[3], double n[DV_SHAPE_NODES]);
void dv_shape_derivatives(dvElementKind kind, const double q[3], double dn[DV_SHAPE_NODES][3]);
// Gradients in space for corners at x (three numbers each); returns how much space a unit of the reference element
// takes (not negative), 0 when the element is flat: the gradients are then 0. For lines and faces in space the
// gradients lie in them.
double dv_shape_gradients(dvElementKind kind, const double q[3], const double *x, dvVec3 g[DV_SHAPE_NODES]);

// k += weight B^T C B for gradients g: blocks lambda g_i g_j^T + mu g_j g_i^T + mu g_i.g_j, (3 nodes) x (3 nodes)
void dv_stiffness_add(int nodes, const dvVec3 *g, double weight, double lambda, double mu, double *k);
// Stiffness of an element. False when it is flat at a quadrature point, which then is left out.
bool dv_element_stiffness(dvElementKind kind, const double *x, double lambda, double mu, double *k);

// Lame's parameters in a space of 3, 2 (plane stress) or 1 dimensions.
static inline double dv_lame_mu(double young, double poisson) { return young / (2 * (1 + poisson)); }
static inline double dv_lame_lambda(double young, double poisson, int space)
{
  return young * poisson / ((1 + poisson) * (1 - (space - 1) * poisson));
}

#endif

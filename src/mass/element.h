// The mass matrix of one element by numerical integration: entry ij is the integral of rho N_i N_j.
#ifndef DV_MASS_ELEMENT_H
#define DV_MASS_ELEMENT_H

#include "element/shape.h"

enum { DV_MASS_ENTRIES = DV_SHAPE_NODES * DV_SHAPE_NODES };

// x: three numbers per corner; density: one per corner, interpolated like everything else. entries: corners x corners.
// dv_shape_quadrature(kind) is SOFA's rule (with one point all entries are equal), dv_shape_product_quadrature the
// exact one.
void dv_mass_element(dvElementKind kind, const dvQuadrature *rule, const double *x, const double *density,
                     double *entries);

#endif

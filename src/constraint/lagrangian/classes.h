// Classes of Lagrangian constraints, for the list of the room.
#ifndef DV_CONSTRAINT_LAGRANGIAN_CLASSES_H
#define DV_CONSTRAINT_LAGRANGIAN_CLASSES_H

#include "constraint/lagrangian/problem.h"

extern const dvClass dv_linear_correction_class, dv_generic_correction_class, dv_uncoupled_correction_class;
extern const dvClass dv_gauss_seidel_class, dv_lcp_solver_class;
extern const dvClass dv_bilateral_class;

#endif

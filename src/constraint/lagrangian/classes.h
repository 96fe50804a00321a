// Classes of Lagrangian constraints, for the list of the room.
#ifndef DV_CONSTRAINT_LAGRANGIAN_CLASSES_H
#define DV_CONSTRAINT_LAGRANGIAN_CLASSES_H

#include "constraint/lagrangian/problem.h"

extern const dvClass dv_linear_correction_class, dv_generic_correction_class, dv_uncoupled_correction_class,
    dv_precomputed_correction_class;
extern const dvClass dv_gauss_seidel_class, dv_unbuilt_gauss_seidel_class, dv_nncg_class, dv_improved_jacobi_class,
    dv_conjugate_residual_class, dv_lcp_solver_class, dv_siconos_class;
extern const dvClass dv_bilateral_class, dv_fixed_lagrangian_class, dv_uniform_lagrangian_class, dv_stopper_class,
    dv_sliding_class, dv_joint_class;
extern const dvClass dv_constraint_loop_class;
extern const dvClass dv_compliance_exporter_class, dv_compliance_image_class;

#endif

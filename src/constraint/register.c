// The constraints that exist: one line each.
#include "constraint/register.h"

#include "constraint/lagrangian/classes.h"
#include "constraint/projective/classes.h"

void dv_register_constraint(dvRegistry *r)
{
  dv_registry_add(r, &dv_fixed_class);
  dv_registry_add(r, &dv_partial_fixed_class);
  dv_registry_add(r, &dv_fixed_plane_class);
  dv_registry_add(r, &dv_fixed_translation_class);
  dv_registry_add(r, &dv_fixed_rotation_class);
  dv_registry_add(r, &dv_linear_movement_class);
  dv_registry_add(r, &dv_partial_linear_movement_class);
  dv_registry_add(r, &dv_linear_velocity_class);
  dv_registry_add(r, &dv_affine_movement_class);
  dv_registry_add(r, &dv_patch_test_class);
  dv_registry_add(r, &dv_oscillator_class);
  dv_registry_add(r, &dv_direction_class);
  dv_registry_add(r, &dv_line_class);
  dv_registry_add(r, &dv_plane_class);
  dv_registry_add(r, &dv_point_class);
  dv_registry_add(r, &dv_parabolic_class);
  dv_registry_add(r, &dv_hermite_spline_class);
  dv_registry_add(r, &dv_attach_class);
  dv_registry_add(r, &dv_position_based_class);
  dv_registry_add(r, &dv_skeletal_motion_class);
  dv_registry_add(r, &dv_linear_correction_class);
  dv_registry_add(r, &dv_generic_correction_class);
  dv_registry_add(r, &dv_uncoupled_correction_class);
  dv_registry_add(r, &dv_precomputed_correction_class);
  dv_registry_add(r, &dv_gauss_seidel_class);
  dv_registry_add(r, &dv_unbuilt_gauss_seidel_class);
  dv_registry_add(r, &dv_nncg_class);
  dv_registry_add(r, &dv_improved_jacobi_class);
  dv_registry_add(r, &dv_conjugate_residual_class);
  dv_registry_add(r, &dv_lcp_solver_class);
  dv_registry_add(r, &dv_siconos_class);
  dv_registry_add(r, &dv_bilateral_class);
  dv_registry_add(r, &dv_fixed_lagrangian_class);
  dv_registry_add(r, &dv_uniform_lagrangian_class);
  dv_registry_add(r, &dv_stopper_class);
  dv_registry_add(r, &dv_sliding_class);
  dv_registry_add(r, &dv_joint_class);
  dv_registry_add(r, &dv_constraint_loop_class);
  dv_registry_add(r, &dv_compliance_exporter_class);
  dv_registry_add(r, &dv_compliance_image_class);
}

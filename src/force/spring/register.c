// The springs that exist: one line each.
#include "force/spring/register.h"

extern const dvClass dv_spring_force_class, dv_repulsive_spring_class, dv_mesh_spring_class;
extern const dvClass dv_triangular_bending_class, dv_quadular_bending_class, dv_triangle_bending_class,
    dv_quad_bending_class;
extern const dvClass dv_grid_spring_class, dv_rest_shape_class, dv_fast_bending_class;
extern const dvClass dv_vector_spring_class, dv_angular_spring_class, dv_polynomial_spring_class,
    dv_polynomial_rest_class;
extern const dvClass dv_joint_spring_class, dv_frame_spring_class, dv_gear_spring_class, dv_quadratic_membrane_class,
    dv_biquadratic_membrane_class;

void dv_register_springs(dvRegistry *r)
{
  dv_registry_add(r, &dv_spring_force_class);
  dv_registry_add(r, &dv_repulsive_spring_class);
  dv_registry_add(r, &dv_mesh_spring_class);
  dv_registry_add(r, &dv_triangular_bending_class);
  dv_registry_add(r, &dv_quadular_bending_class);
  dv_registry_add(r, &dv_triangle_bending_class);
  dv_registry_add(r, &dv_quad_bending_class);
  dv_registry_add(r, &dv_grid_spring_class);
  dv_registry_add(r, &dv_rest_shape_class);
  dv_registry_add(r, &dv_fast_bending_class);
  dv_registry_add(r, &dv_vector_spring_class);
  dv_registry_add(r, &dv_angular_spring_class);
  dv_registry_add(r, &dv_polynomial_spring_class);
  dv_registry_add(r, &dv_polynomial_rest_class);
  dv_registry_add(r, &dv_joint_spring_class);
  dv_registry_add(r, &dv_frame_spring_class);
  dv_registry_add(r, &dv_gear_spring_class);
  dv_registry_add(r, &dv_quadratic_membrane_class);
  dv_registry_add(r, &dv_biquadratic_membrane_class);
}

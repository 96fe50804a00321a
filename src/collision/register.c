// The components of collision: one line each.
#include "collision/register.h"

void dv_register_collision(dvRegistry *r)
{
  static const dvClass *const classes[] = {
      &dv_sphere_collision_model_class,
      &dv_triangle_collision_model_class,
      &dv_line_collision_model_class,
      &dv_point_collision_model_class,
      &dv_particle_collision_model_class,
      &dv_tetrahedron_collision_model_class,
      &dv_triangle_octree_model_class,
      &dv_triangle_grid_model_class,
      &dv_cube_collision_model_class,
      &dv_obb_collision_model_class,
      &dv_capsule_collision_model_class,
      &dv_cylinder_collision_model_class,
      &dv_ray_collision_model_class,
      &dv_min_proximity_class,
      &dv_new_proximity_class,
      &dv_local_min_distance_class,
      &dv_discrete_intersection_class,
      &dv_lmd_new_proximity_class,
      &dv_ccd_class,
      &dv_collision_response_class,
      &dv_rule_based_manager_class,
      &dv_collision_pipeline_class,
      &dv_contact_constraint_class,
      &dv_sub_pipeline_class,
      &dv_group_manager_class,
      &dv_contact_listener_class,
      &dv_composite_pipeline_class,
      &dv_rigid_distance_model_class,
      &dv_cell_distance_model_class,
      &dv_augmented_constraint_class,
      &dv_persistent_rigid_class,
      &dv_persistent_barycentric_class,
  };
  for (size_t i = 0; i < DV_COUNT(classes); i++) dv_registry_add(r, classes[i]);
  dv_register_phases(r);
}

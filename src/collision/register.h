// Components of this room.
#ifndef DV_COLLISION_REGISTER_H
#define DV_COLLISION_REGISTER_H

#include "object/context.h"

extern const dvClass dv_sphere_collision_model_class, dv_triangle_collision_model_class, dv_line_collision_model_class,
    dv_point_collision_model_class, dv_tetrahedron_collision_model_class, dv_triangle_octree_model_class,
    dv_triangle_grid_model_class, dv_cube_collision_model_class, dv_particle_collision_model_class;
extern const dvClass dv_obb_collision_model_class, dv_capsule_collision_model_class, dv_cylinder_collision_model_class,
    dv_ray_collision_model_class;
extern const dvClass dv_min_proximity_class, dv_new_proximity_class, dv_local_min_distance_class,
    dv_lmd_new_proximity_class, dv_ccd_class, dv_discrete_intersection_class;
extern const dvClass dv_collision_response_class, dv_rule_based_manager_class;
// not by name: contact managers make them
extern const dvClass dv_penalty_response_class, dv_friction_response_class, dv_augmented_response_class,
    dv_stick_response_class, dv_stick_springs_class, dv_persistent_response_class;
extern const dvClass dv_contact_constraint_class, dv_augmented_constraint_class;
extern const dvClass dv_persistent_rigid_class, dv_persistent_barycentric_class;
extern const dvClass dv_group_manager_class, dv_contact_listener_class;
extern const dvClass dv_rigid_distance_model_class, dv_cell_distance_model_class;
extern const dvClass dv_collision_pipeline_class, dv_sub_pipeline_class, dv_composite_pipeline_class;

void dv_register_phases(dvRegistry *registry);
void dv_register_collision(dvRegistry *registry);

#endif

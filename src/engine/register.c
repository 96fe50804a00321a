// The engines that exist: one line each.
#include "engine/register.h"

#include "engine/classes.h"

void dv_register_engine(dvRegistry *r)
{
  dv_registry_add(r, &dv_box_roi_class);
  dv_registry_add(r, &dv_pair_box_roi_class);
  dv_registry_add(r, &dv_sphere_roi_class);
  dv_registry_add(r, &dv_plane_roi_class);
  dv_registry_add(r, &dv_volume_from_triangles_class);
  dv_registry_add(r, &dv_volume_from_elements_class);
  dv_registry_add(r, &dv_normals_from_points_class);
  dv_registry_add(r, &dv_smooth_mesh_class);
  dv_registry_add(r, &dv_average_coord_class);
  dv_registry_add(r, &dv_merge_meshes_class);
  dv_registry_add(r, &dv_merge_points_class);
  dv_registry_add(r, &dv_generate_grid_class);
  dv_registry_add(r, &dv_spiral_class);
  dv_registry_add(r, &dv_extrude_surface_class);
  dv_registry_add(r, &dv_join_points_class);
  dv_registry_add(r, &dv_mesh_subset_class);
  dv_registry_add(r, &dv_mesh_splitting_class);
  dv_registry_add(r, &dv_mesh_boundary_class);
  dv_registry_add(r, &dv_complementary_roi_class);
  dv_registry_add(r, &dv_mesh_part_class);
  dv_registry_add(r, &dv_values_from_indices_class);
  dv_registry_add(r, &dv_points_from_indices_class);
  dv_registry_add(r, &dv_indices_from_values_class);
  dv_registry_add(r, &dv_merge_vectors_class);
  dv_registry_add(r, &dv_merge_sets_class);
  dv_registry_add(r, &dv_map_indices_class);
  dv_registry_add(r, &dv_index_value_mapper_class);
  dv_registry_add(r, &dv_indices_values_mapper_class);
  dv_registry_add(r, &dv_difference_engine_class);
  dv_registry_add(r, &dv_norm_engine_class);
  dv_registry_add(r, &dv_sum_engine_class);
  dv_registry_add(r, &dv_math_op_class);
  dv_registry_add(r, &dv_transform_engine_class);
  dv_registry_add(r, &dv_translate_matrix_class);
  dv_registry_add(r, &dv_rotate_matrix_class);
  dv_registry_add(r, &dv_scale_matrix_class);
  dv_registry_add(r, &dv_invert_matrix_class);
  dv_registry_add(r, &dv_displacement_transform_class);
  dv_registry_add(r, &dv_displacement_matrix_class);
}

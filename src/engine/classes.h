// The classes of this room.
#ifndef DV_ENGINE_CLASSES_H
#define DV_ENGINE_CLASSES_H

#include "object/object.h"

extern const dvClass dv_box_roi_class, dv_pair_box_roi_class, dv_plane_roi_class, dv_sphere_roi_class;
extern const dvClass dv_volume_from_triangles_class, dv_volume_from_elements_class, dv_normals_from_points_class,
    dv_smooth_mesh_class, dv_average_coord_class, dv_merge_meshes_class, dv_merge_points_class, dv_generate_grid_class,
    dv_spiral_class, dv_extrude_surface_class, dv_join_points_class, dv_mesh_subset_class, dv_mesh_splitting_class,
    dv_mesh_boundary_class, dv_complementary_roi_class, dv_mesh_part_class, dv_values_from_indices_class,
    dv_points_from_indices_class, dv_indices_from_values_class, dv_merge_vectors_class, dv_merge_sets_class,
    dv_map_indices_class, dv_index_value_mapper_class, dv_indices_values_mapper_class, dv_difference_engine_class,
    dv_norm_engine_class, dv_sum_engine_class, dv_math_op_class, dv_transform_engine_class, dv_translate_matrix_class,
    dv_rotate_matrix_class, dv_scale_matrix_class, dv_invert_matrix_class, dv_displacement_transform_class,
    dv_displacement_matrix_class, dv_mesh_roi_class, dv_nearest_point_roi_class, dv_proximity_roi_class,
    dv_hausdorff_class, dv_merge_rois_class, dv_roi_value_mapper_class, dv_select_label_class,
    dv_connected_labels_class, dv_group_young_class, dv_values_from_positions_class, dv_mesh_sampler_class,
    dv_clustering_class, dv_shape_matching_class, dv_quat_to_rigid_class, dv_rigid_to_quat_class,
    dv_vertex_to_frame_class, dv_transform_position_class, dv_projective_transform_class, dv_dilate_class,
    dv_extrude_edges_class, dv_extrude_quads_class, dv_generate_rigid_mass_class, dv_mesh_closing_class,
    dv_scatter_class, dv_barycentric_mapper_class, dv_generate_cylinder_class, dv_generate_sphere_class,
    dv_tetra_stuffing_class, dv_distances_class, dv_mean_class, dv_texture_interpolation_class;

#endif

// Components of this room.
#ifndef DV_MAPPING_REGISTER_H
#define DV_MAPPING_REGISTER_H

#include "object/context.h"

extern const dvClass dv_identity_mapping_class, dv_subset_mapping_class, dv_barycentric_mapping_class,
    dv_rigid_mapping_class;
extern const dvClass dv_composite_mapping_class;
extern const dvClass dv_distance_mapping_class, dv_distance_multi_mapping_class, dv_distance_from_target_mapping_class,
    dv_square_distance_mapping_class, dv_square_mapping_class, dv_area_mapping_class, dv_volume_mapping_class;
extern const dvClass dv_identity_multi_mapping_class, dv_subset_multi_mapping_class, dv_center_of_mass_mapping_class,
    dv_center_of_mass_multi_mapping_class, dv_center_of_mass_multi2_mapping_class, dv_distance_to_plane_mapping_class,
    dv_tesselated_mapping_class, dv_mesh2point_mapping_class;
extern const dvClass dv_tubular_mapping_class, dv_beam_linear_mapping_class, dv_beam_linear_mapping_mt_class,
    dv_line_set_skinning_mapping_class, dv_skinning_mapping_class;
extern const dvClass dv_deformable_on_rigid_frame_mapping_class, dv_void_mapping_class;
extern const dvClass dv_articulation_class, dv_articulation_center_class, dv_articulated_hierarchy_container_class,
    dv_articulated_system_mapping_class;
extern const dvClass dv_spline_mapping_class;
extern const dvClass dv_frame_blending_mapping_class;
extern const dvClass dv_material_map_class, dv_frame_sampler_class, dv_voxel_shape_class, dv_point_sampler_class;

void dv_register_mapping(dvRegistry *registry);

#endif

// The classes of this folder.
#ifndef DV_CONSTRAINT_PROJECTIVE_CLASSES_H
#define DV_CONSTRAINT_PROJECTIVE_CLASSES_H

#include "object/object.h"

#define DV_PROJECTIVE_MODULE "Sofa.Component.Constraint.Projective"

extern const dvClass dv_fixed_class, dv_partial_fixed_class, dv_fixed_translation_class, dv_fixed_plane_class,
    dv_fixed_rotation_class;
extern const dvClass dv_linear_movement_class, dv_partial_linear_movement_class, dv_linear_velocity_class,
    dv_affine_movement_class;
extern const dvClass dv_oscillator_class, dv_direction_class, dv_line_class, dv_plane_class, dv_point_class;
extern const dvClass dv_patch_test_class, dv_parabolic_class, dv_hermite_spline_class, dv_attach_class,
    dv_position_based_class, dv_skeletal_motion_class;

#endif

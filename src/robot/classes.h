// Classes of this room.
#ifndef DV_ROBOT_CLASSES_H
#define DV_ROBOT_CLASSES_H

#include "object/object.h"

extern const dvClass dv_cable_constraint_class, dv_pressure_constraint_class, dv_position_constraint_class,
    dv_joint_constraint_class, dv_plane_constraint_class, dv_center_of_mass_class, dv_inverse_class,
    dv_cable_actuator_class, dv_cable_equality_class, dv_pressure_actuator_class, dv_pressure_equality_class,
    dv_force_point_class, dv_sliding_actuator_class, dv_position_equality_class, dv_joint_actuator_class,
    dv_position_effector_class, dv_centre_effector_class, dv_volume_effector_class, dv_cable_effector_class,
    dv_cable_sensor_class, dv_pressure_sensor_class, dv_limiter_class, dv_communication_class, dv_serial_class,
    dv_animation_class, dv_rigid_parts_class, dv_rigid_rows_class, dv_pipe_class, dv_young_class,
    dv_surface_force_class, dv_equivalent_class, dv_beam_rest_class, dv_robotino_class;

#endif

// Parts of robots that exist: one line each.
#include "robot/register.h"

#include "robot/classes.h"

void dv_register_robot(dvRegistry *r)
{
  dv_registry_add(r, &dv_cable_constraint_class);
  dv_registry_add(r, &dv_pressure_constraint_class);
  dv_registry_add(r, &dv_position_constraint_class);
  dv_registry_add(r, &dv_joint_constraint_class);
  dv_registry_add(r, &dv_plane_constraint_class);
  dv_registry_add(r, &dv_center_of_mass_class);
  dv_registry_add(r, &dv_inverse_class);
  dv_registry_add(r, &dv_cable_actuator_class);
  dv_registry_add(r, &dv_cable_equality_class);
  dv_registry_add(r, &dv_pressure_actuator_class);
  dv_registry_add(r, &dv_pressure_equality_class);
  dv_registry_add(r, &dv_force_point_class);
  dv_registry_add(r, &dv_sliding_actuator_class);
  dv_registry_add(r, &dv_position_equality_class);
  dv_registry_add(r, &dv_joint_actuator_class);
  dv_registry_add(r, &dv_position_effector_class);
  dv_registry_add(r, &dv_centre_effector_class);
  dv_registry_add(r, &dv_volume_effector_class);
  dv_registry_add(r, &dv_cable_effector_class);
  dv_registry_add(r, &dv_cable_sensor_class);
  dv_registry_add(r, &dv_pressure_sensor_class);
  dv_registry_add(r, &dv_limiter_class);
  dv_registry_add(r, &dv_communication_class);
  dv_registry_add(r, &dv_serial_class);
  dv_registry_add(r, &dv_animation_class);
  dv_registry_add(r, &dv_rigid_parts_class);
  dv_registry_add(r, &dv_rigid_rows_class);
  dv_registry_add(r, &dv_pipe_class);
  dv_registry_add(r, &dv_young_class);
  dv_registry_add(r, &dv_surface_force_class);
  dv_registry_add(r, &dv_equivalent_class);
  dv_registry_add(r, &dv_beam_rest_class);
  dv_registry_add(r, &dv_robotino_class);
}

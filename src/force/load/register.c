// The loads that exist: one line each.
#include "force/load/register.h"

extern const dvClass dv_constant_force_class, dv_linear_force_class, dv_plane_force_class, dv_sphere_force_class,
    dv_ellipsoid_force_class;
extern const dvClass dv_conical_force_class, dv_uniform_damping_class, dv_diagonal_damping_class, dv_gravity_class,
    dv_mapped_inertia_class;
extern const dvClass dv_edge_pressure_class, dv_triangle_pressure_class, dv_quad_pressure_class,
    dv_surface_pressure_class, dv_tait_pressure_class;
extern const dvClass dv_moving_ellipsoid_class, dv_torsion_class, dv_oscillating_torsion_class, dv_distance_force_class;

void dv_register_loads(dvRegistry *r)
{
  dv_registry_add(r, &dv_constant_force_class);
  dv_registry_add(r, &dv_linear_force_class);
  dv_registry_add(r, &dv_plane_force_class);
  dv_registry_add(r, &dv_sphere_force_class);
  dv_registry_add(r, &dv_ellipsoid_force_class);
  dv_registry_add(r, &dv_conical_force_class);
  dv_registry_add(r, &dv_uniform_damping_class);
  dv_registry_add(r, &dv_diagonal_damping_class);
  dv_registry_add(r, &dv_gravity_class);
  dv_registry_add(r, &dv_mapped_inertia_class);
  dv_registry_add(r, &dv_edge_pressure_class);
  dv_registry_add(r, &dv_triangle_pressure_class);
  dv_registry_add(r, &dv_quad_pressure_class);
  dv_registry_add(r, &dv_surface_pressure_class);
  dv_registry_add(r, &dv_tait_pressure_class);
  dv_registry_add(r, &dv_moving_ellipsoid_class);
  dv_registry_add(r, &dv_torsion_class);
  dv_registry_add(r, &dv_oscillating_torsion_class);
  dv_registry_add(r, &dv_distance_force_class);
}

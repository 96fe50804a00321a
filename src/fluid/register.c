// Fluids that exist: one line each.
#include "fluid/register.h"

#include "fluid/boundary.h"
#include "fluid/field/field.h"
#include "fluid/grid.h"
#include "fluid/sph.h"
#include "fluid/vessel/parts.h"

extern const dvClass dv_incompressible_class, dv_repulsion_class, dv_particle_source_class, dv_particle_sink_class,
    dv_fluid_surface_class, dv_implicit_surface_class;

void dv_register_fluid(dvRegistry *r)
{
  dv_registry_add(r, &dv_spatial_grid_class);
  dv_registry_add(r, &dv_sph_force_class);
  dv_registry_add(r, &dv_incompressible_class);
  dv_registry_add(r, &dv_fluid_boundary_class);
  dv_registry_add(r, &dv_fluid_surface_class);
  dv_registry_add(r, &dv_repulsion_class);
  dv_registry_add(r, &dv_particle_source_class);
  dv_registry_add(r, &dv_particle_sink_class);
  dv_register_grid_fluids(r);
  for (size_t i = 0; i < dv_scalar_field_class_count; i++) dv_registry_add(r, &dv_scalar_field_classes[i]);
  dv_registry_add(r, &dv_field_surface_class);
  dv_registry_add(r, &dv_implicit_surface_class);
  dv_registry_add(r, &dv_vessel_network_class);
  dv_registry_add(r, &dv_vessel_leak_class);
}

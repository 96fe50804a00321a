// Fluids that exist: one line each.
#include "fluid/register.h"

#include "fluid/boundary.h"
#include "fluid/grid.h"
#include "fluid/sph.h"

extern const dvClass dv_incompressible_class, dv_repulsion_class, dv_particle_source_class, dv_particle_sink_class,
    dv_fluid_surface_class;

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
}

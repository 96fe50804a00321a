// The masses that exist: one line each.
#include "mass/register.h"

#include "mass/classes.h"

void dv_register_mass(dvRegistry *r)
{
  dv_registry_add(r, &dv_uniform_mass_class);
  dv_registry_add(r, &dv_diagonal_mass_class);
  dv_registry_add(r, &dv_mesh_matrix_mass_class);
  dv_registry_add(r, &dv_nodal_mass_density_class);
  dv_registry_add(r, &dv_fem_mass_class);
}

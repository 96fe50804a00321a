// Lattices of springs that exist: one line each.
#include "lattice/register.h"

#include "lattice/parts.h"

void dv_register_lattice(dvRegistry *r)
{
  dv_registry_add(r, &dv_spring_lattice_class);
  dv_registry_add(r, &dv_lattice_material_class);
  dv_registry_add(r, &dv_lattice_actuator_class);
  dv_registry_add(r, &dv_lattice_contact_class);
  dv_registry_add(r, &dv_lattice_guide_class);
  dv_registry_add(r, &dv_lattice_motor_class);
  dv_registry_add(r, &dv_voxel_lattice_class);
  dv_registry_add(r, &dv_sampled_lattice_class);
}

// The loaders that exist: one line each.
#include "io/register.h"

extern const dvClass dv_gmsh_loader_class, dv_obj_loader_class, dv_mesh_loader_class, dv_sphere_loader_class;

void dv_register_io(dvRegistry *r)
{
  dv_registry_add(r, &dv_gmsh_loader_class);
  dv_registry_add(r, &dv_obj_loader_class);
  dv_registry_add(r, &dv_mesh_loader_class);
  dv_registry_add(r, &dv_sphere_loader_class);
}

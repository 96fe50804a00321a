// The loaders, exporters and players that exist: one line each.
#include "io/register.h"

extern const dvClass dv_gmsh_loader_class, dv_obj_loader_class, dv_vtk_loader_class, dv_stl_loader_class,
    dv_off_loader_class, dv_trian_loader_class, dv_gid_loader_class, dv_xsp_loader_class, dv_string_creator_class,
    dv_grid_creator_class, dv_mesh_loader_class, dv_sphere_loader_class, dv_vtk_exporter_class, dv_mesh_exporter_class,
    dv_stl_exporter_class, dv_obj_exporter_class, dv_write_state_class, dv_read_state_class, dv_compare_state_class,
    dv_voxel_loader_class, dv_off_sequence_class, dv_blender_exporter_class, dv_write_topology_class,
    dv_read_topology_class, dv_compare_topology_class;

void dv_register_io(dvRegistry *r)
{
  dv_registry_add(r, &dv_gmsh_loader_class);
  dv_registry_add(r, &dv_obj_loader_class);
  dv_registry_add(r, &dv_vtk_loader_class);
  dv_registry_add(r, &dv_stl_loader_class);
  dv_registry_add(r, &dv_off_loader_class);
  dv_registry_add(r, &dv_trian_loader_class);
  dv_registry_add(r, &dv_gid_loader_class);
  dv_registry_add(r, &dv_xsp_loader_class);
  dv_registry_add(r, &dv_string_creator_class);
  dv_registry_add(r, &dv_grid_creator_class);
  dv_registry_add(r, &dv_mesh_loader_class);
  dv_registry_add(r, &dv_sphere_loader_class);
  dv_registry_add(r, &dv_vtk_exporter_class);
  dv_registry_add(r, &dv_mesh_exporter_class);
  dv_registry_add(r, &dv_stl_exporter_class);
  dv_registry_add(r, &dv_obj_exporter_class);
  dv_registry_add(r, &dv_write_state_class);
  dv_registry_add(r, &dv_read_state_class);
  dv_registry_add(r, &dv_compare_state_class);
  dv_registry_add(r, &dv_voxel_loader_class);
  dv_registry_add(r, &dv_off_sequence_class);
  dv_registry_add(r, &dv_blender_exporter_class);
  dv_registry_add(r, &dv_write_topology_class);
  dv_registry_add(r, &dv_read_topology_class);
  dv_registry_add(r, &dv_compare_topology_class);
}

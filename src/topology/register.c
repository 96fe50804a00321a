// The topologies that exist: one line each.
#include "topology/register.h"

extern const dvClass dv_mesh_topology_class, dv_point_set_class, dv_edge_set_class, dv_triangle_set_class,
    dv_quad_set_class, dv_tetrahedron_set_class, dv_hexahedron_set_class, dv_grid_class, dv_regular_grid_class,
    dv_sphere_grid_class, dv_cylinder_grid_class, dv_cube_class, dv_sparse_grid_class, dv_sparse_grid_split_class,
    dv_sparse_grid_multiple_class, dv_point_modifier_class, dv_edge_modifier_class, dv_triangle_modifier_class,
    dv_quad_modifier_class, dv_tetrahedron_modifier_class, dv_hexahedron_modifier_class, dv_point_geometry_class,
    dv_edge_geometry_class, dv_triangle_geometry_class, dv_quad_geometry_class, dv_tetrahedron_geometry_class,
    dv_hexahedron_geometry_class, dv_tetra_to_triangle_class, dv_hexa_to_quad_class, dv_triangle_to_edge_class,
    dv_hexa_to_tetra_class, dv_hexa_to_prism_class, dv_quad_to_triangle_class, dv_tetra_refinement_class,
    dv_hexa_refinement_class, dv_mesh_to_point_class, dv_center_point_class, dv_edge_to_quad_class,
    dv_subset_topology_class, dv_identity_topology_class, dv_manifold_edge_set_class, dv_manifold_triangle_set_class,
    dv_manifold_tetrahedron_set_class, dv_sphere_quad_class, dv_topology_checker_class, dv_sparse_set_class,
    dv_multilevel_set_class, dv_sparse_modifier_class, dv_sparse_geometry_class;

void dv_register_topology(dvRegistry *r)
{
  dv_registry_add(r, &dv_mesh_topology_class);
  dv_registry_add(r, &dv_point_set_class);
  dv_registry_add(r, &dv_edge_set_class);
  dv_registry_add(r, &dv_triangle_set_class);
  dv_registry_add(r, &dv_quad_set_class);
  dv_registry_add(r, &dv_tetrahedron_set_class);
  dv_registry_add(r, &dv_hexahedron_set_class);
  dv_registry_add(r, &dv_grid_class);
  dv_registry_add(r, &dv_regular_grid_class);
  dv_registry_add(r, &dv_sphere_grid_class);
  dv_registry_add(r, &dv_cylinder_grid_class);
  dv_registry_add(r, &dv_cube_class);
  dv_registry_add(r, &dv_sparse_grid_class);
  dv_registry_add(r, &dv_sparse_grid_split_class);
  dv_registry_add(r, &dv_sparse_grid_multiple_class);
  dv_registry_add(r, &dv_point_modifier_class);
  dv_registry_add(r, &dv_edge_modifier_class);
  dv_registry_add(r, &dv_triangle_modifier_class);
  dv_registry_add(r, &dv_quad_modifier_class);
  dv_registry_add(r, &dv_tetrahedron_modifier_class);
  dv_registry_add(r, &dv_hexahedron_modifier_class);
  dv_registry_add(r, &dv_point_geometry_class);
  dv_registry_add(r, &dv_edge_geometry_class);
  dv_registry_add(r, &dv_triangle_geometry_class);
  dv_registry_add(r, &dv_quad_geometry_class);
  dv_registry_add(r, &dv_tetrahedron_geometry_class);
  dv_registry_add(r, &dv_hexahedron_geometry_class);
  dv_registry_add(r, &dv_tetra_to_triangle_class);
  dv_registry_add(r, &dv_hexa_to_quad_class);
  dv_registry_add(r, &dv_triangle_to_edge_class);
  dv_registry_add(r, &dv_hexa_to_tetra_class);
  dv_registry_add(r, &dv_hexa_to_prism_class);
  dv_registry_add(r, &dv_quad_to_triangle_class);
  dv_registry_add(r, &dv_tetra_refinement_class);
  dv_registry_add(r, &dv_hexa_refinement_class);
  dv_registry_add(r, &dv_mesh_to_point_class);
  dv_registry_add(r, &dv_center_point_class);
  dv_registry_add(r, &dv_edge_to_quad_class);
  dv_registry_add(r, &dv_subset_topology_class);
  dv_registry_add(r, &dv_identity_topology_class);
  dv_registry_add(r, &dv_manifold_edge_set_class);
  dv_registry_add(r, &dv_manifold_triangle_set_class);
  dv_registry_add(r, &dv_manifold_tetrahedron_set_class);
  dv_registry_add(r, &dv_sphere_quad_class);
  dv_registry_add(r, &dv_topology_checker_class);
  dv_registry_add(r, &dv_sparse_set_class);
  dv_registry_add(r, &dv_multilevel_set_class);
  dv_registry_add(r, &dv_sparse_modifier_class);
  dv_registry_add(r, &dv_sparse_geometry_class);
}

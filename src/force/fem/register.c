// The finite elements that exist: one line each.
#include "force/fem/register.h"

extern const dvClass dv_tetra_fem_class, dv_tetra_corot_class, dv_fast_tetra_class, dv_parallel_tetra_fem_class;
extern const dvClass dv_hexa_fem_class, dv_parallel_hexa_fem_class, dv_hexa_fem_mass_class, dv_hexahedral_class,
    dv_hexahedral_mass_class;
extern const dvClass dv_nonuniform_hexa_class, dv_nonuniform_hexahedral_class, dv_composite_hexa_class;
extern const dvClass dv_corotational_fem_class, dv_small_strain_fem_class;
extern const dvClass dv_hyperelasticity_class, dv_standard_tetra_class, dv_mjed_class, dv_mooney_rivlin_class,
    dv_tetra_tled_class, dv_hexa_tled_class, dv_nodal_volume_class;
extern const dvClass dv_triangular_fem_class, dv_triangular_optim_class, dv_triangle_fem_class,
    dv_triangular_anisotropic_class;
extern const dvClass dv_beam_class, dv_shell_class, dv_quad_bending_fem_class, dv_tetra_tensor_mass_class,
    dv_triangle_tensor_mass_class;
extern const dvClass dv_green_lagrange_class, dv_volume_preservation_class;

void dv_register_fem(dvRegistry *r)
{
  dv_registry_add(r, &dv_tetra_fem_class);
  dv_registry_add(r, &dv_tetra_corot_class);
  dv_registry_add(r, &dv_fast_tetra_class);
  dv_registry_add(r, &dv_parallel_tetra_fem_class);
  dv_registry_add(r, &dv_hexa_fem_class);
  dv_registry_add(r, &dv_parallel_hexa_fem_class);
  dv_registry_add(r, &dv_hexa_fem_mass_class);
  dv_registry_add(r, &dv_hexahedral_class);
  dv_registry_add(r, &dv_hexahedral_mass_class);
  dv_registry_add(r, &dv_nonuniform_hexa_class);
  dv_registry_add(r, &dv_nonuniform_hexahedral_class);
  dv_registry_add(r, &dv_composite_hexa_class);
  dv_registry_add(r, &dv_corotational_fem_class);
  dv_registry_add(r, &dv_small_strain_fem_class);
  dv_registry_add(r, &dv_hyperelasticity_class);
  dv_registry_add(r, &dv_standard_tetra_class);
  dv_registry_add(r, &dv_mjed_class);
  dv_registry_add(r, &dv_mooney_rivlin_class);
  dv_registry_add(r, &dv_tetra_tled_class);
  dv_registry_add(r, &dv_hexa_tled_class);
  dv_registry_add(r, &dv_nodal_volume_class);
  dv_registry_add(r, &dv_triangular_fem_class);
  dv_registry_add(r, &dv_triangular_optim_class);
  dv_registry_add(r, &dv_triangle_fem_class);
  dv_registry_add(r, &dv_triangular_anisotropic_class);
  dv_registry_add(r, &dv_beam_class);
  dv_registry_add(r, &dv_shell_class);
  dv_registry_add(r, &dv_quad_bending_fem_class);
  dv_registry_add(r, &dv_tetra_tensor_mass_class);
  dv_registry_add(r, &dv_triangle_tensor_mass_class);
  dv_registry_add(r, &dv_green_lagrange_class);
  dv_registry_add(r, &dv_volume_preservation_class);
}

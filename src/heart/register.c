// Parts of hearts that exist: one line each.
#include "heart/register.h"

#include "heart/classes.h"

void dv_register_heart(dvRegistry *r)
{
  dv_registry_add(r, &dv_generate_ventricle_class);
  dv_registry_add(r, &dv_ventricle_surfaces_class);
  dv_registry_add(r, &dv_fibre_field_class);
  dv_registry_add(r, &dv_stimulus_class);
  dv_registry_add(r, &dv_tissue_zone_class);
  dv_registry_add(r, &dv_monodomain_class);
  dv_registry_add(r, &dv_eikonal_class);
  dv_registry_add(r, &dv_ecg_class);
  dv_registry_add(r, &dv_contraction_class);
  dv_registry_add(r, &dv_heart_pressure_class);
  dv_registry_add(r, &dv_projective_pressure_class);
  dv_registry_add(r, &dv_lagrangian_pressure_class);
}

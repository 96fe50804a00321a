// The mappings that exist: one line each.
#include "mapping/register.h"

void dv_register_mapping(dvRegistry *r)
{
  dv_registry_add(r, &dv_identity_mapping_class);
  dv_registry_add(r, &dv_subset_mapping_class);
  dv_registry_add(r, &dv_barycentric_mapping_class);
  dv_registry_add(r, &dv_rigid_mapping_class);
  dv_registry_add(r, &dv_composite_mapping_class);
}

// Components of anatomy that exist: one line each.
#include "anatomy/register.h"

void dv_register_anatomy(dvRegistry *r)
{
  dv_registry_add(r, &dv_mesh_parts_class);
  dv_registry_add(r, &dv_vessel_cutter_class);
  dv_registry_add(r, &dv_procedure_class);
  dv_registry_add(r, &dv_membrane_tear_class);
  dv_registry_add(r, &dv_sharp_tip_class);
  dv_registry_add(r, &dv_grasper_class);
  dv_registry_add(r, &dv_opening_class);
  dv_registry_add(r, &dv_cautery_class);
}

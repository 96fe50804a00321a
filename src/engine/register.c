// The engines that exist: one line each.
#include "engine/register.h"

#include "engine/classes.h"

void dv_register_engine(dvRegistry *r)
{
  dv_registry_add(r, &dv_box_roi_class);
  dv_registry_add(r, &dv_pair_box_roi_class);
  dv_registry_add(r, &dv_sphere_roi_class);
  dv_registry_add(r, &dv_plane_roi_class);
}

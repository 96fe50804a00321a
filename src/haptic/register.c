// Devices, and what is felt through them: one line each.
#include "haptic/register.h"

void dv_register_haptic(dvRegistry *r)
{
  dv_registry_add(r, &dv_null_feedback_class);
  dv_registry_add(r, &dv_null_feedback_template_class);
  dv_registry_add(r, &dv_enslavement_feedback_class);
  dv_registry_add(r, &dv_lcp_feedback_class);
  dv_registry_add(r, &dv_virtual_coupling_class);
  dv_registry_add(r, &dv_geomagic_driver_class);
  dv_registry_add(r, &dv_geomagic_emulator_class);
  dv_registry_add(r, &dv_omni_driver_class);
  dv_registry_add(r, &dv_new_omni_driver_class);
  dv_registry_add(r, &dv_udp_driver_class);
  dv_registry_add(r, &dv_space_mouse_driver_class);
  dv_registry_add(r, &dv_vrpn_driver_class);
}

// Components of this room.
#ifndef DV_HAPTIC_REGISTER_H
#define DV_HAPTIC_REGISTER_H

#include "object/context.h"

extern const dvClass dv_null_feedback_class, dv_null_feedback_template_class, dv_enslavement_feedback_class,
    dv_lcp_feedback_class, dv_virtual_coupling_class, dv_geomagic_driver_class, dv_geomagic_emulator_class,
    dv_omni_driver_class, dv_new_omni_driver_class, dv_udp_driver_class, dv_space_mouse_driver_class,
    dv_vrpn_driver_class;

void dv_register_haptic(dvRegistry *registry);

#endif

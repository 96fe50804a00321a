// Components of this room.
#ifndef DV_CONTROL_REGISTER_H
#define DV_CONTROL_REGISTER_H

#include "object/context.h"

extern const dvClass dv_bvh_controller_class;

void dv_register_control(dvRegistry *registry);

#endif

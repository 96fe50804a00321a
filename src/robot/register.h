// Components of this room.
#ifndef DV_ROBOT_REGISTER_H
#define DV_ROBOT_REGISTER_H

#include "object/context.h"

void dv_register_robot(dvRegistry *registry);

#endif

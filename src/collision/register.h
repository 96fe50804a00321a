// Components of this room.
#ifndef DV_COLLISION_REGISTER_H
#define DV_COLLISION_REGISTER_H

#include "object/context.h"

void dv_register_collision(dvRegistry *registry);

#endif

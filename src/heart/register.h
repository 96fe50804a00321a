// Components of this room.
#ifndef DV_HEART_REGISTER_H
#define DV_HEART_REGISTER_H

#include "object/context.h"

void dv_register_heart(dvRegistry *registry);

#endif

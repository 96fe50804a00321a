// Components of this room.
#ifndef DV_FORCE_SPRING_REGISTER_H
#define DV_FORCE_SPRING_REGISTER_H

#include "object/context.h"

void dv_register_springs(dvRegistry *registry);

#endif

// Components of this room.
#ifndef DV_STATE_REGISTER_H
#define DV_STATE_REGISTER_H

#include "object/context.h"

void dv_register_state(dvRegistry *registry);

#endif

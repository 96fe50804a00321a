// Components of this room.
#ifndef DV_LINEAR_REGISTER_H
#define DV_LINEAR_REGISTER_H

#include "object/context.h"

void dv_register_linear(dvRegistry *registry);

#endif

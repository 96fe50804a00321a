// Components of this room.
#ifndef DV_ENGINE_REGISTER_H
#define DV_ENGINE_REGISTER_H

#include "object/context.h"

void dv_register_engine(dvRegistry *registry);

#endif

// Components of this room.
#ifndef DV_INSTRUMENT_REGISTER_H
#define DV_INSTRUMENT_REGISTER_H

#include "object/context.h"

void dv_register_instrument(dvRegistry *registry);

#endif

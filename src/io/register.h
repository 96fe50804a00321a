// Components of this room.
#ifndef DV_IO_REGISTER_H
#define DV_IO_REGISTER_H

#include "object/context.h"

void dv_register_io(dvRegistry *registry);

#endif

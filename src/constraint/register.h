// Components of this room.
#ifndef DV_CONSTRAINT_REGISTER_H
#define DV_CONSTRAINT_REGISTER_H

#include "object/context.h"

void dv_register_constraint(dvRegistry *registry);

#endif

// Components of this room.
#ifndef DV_MASS_REGISTER_H
#define DV_MASS_REGISTER_H

#include "object/context.h"

void dv_register_mass(dvRegistry *registry);

#endif

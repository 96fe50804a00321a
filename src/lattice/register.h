// Components of this room.
#ifndef DV_LATTICE_REGISTER_H
#define DV_LATTICE_REGISTER_H

#include "object/context.h"

void dv_register_lattice(dvRegistry *registry);

#endif

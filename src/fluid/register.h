// Components of this room.
#ifndef DV_FLUID_REGISTER_H
#define DV_FLUID_REGISTER_H

#include "object/context.h"

void dv_register_fluid(dvRegistry *registry);
void dv_register_grid_fluids(dvRegistry *registry);   // cells/

#endif

// Components of this room.
#ifndef DV_ODE_REGISTER_H
#define DV_ODE_REGISTER_H

#include "object/context.h"

void dv_register_ode(dvRegistry *registry);

#endif

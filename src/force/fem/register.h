// Components of this room.
#ifndef DV_FORCE_FEM_REGISTER_H
#define DV_FORCE_FEM_REGISTER_H

#include "object/context.h"

void dv_register_fem(dvRegistry *registry);

#endif

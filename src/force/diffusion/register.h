// Components of this room.
#ifndef DV_FORCE_DIFFUSION_REGISTER_H
#define DV_FORCE_DIFFUSION_REGISTER_H

#include "object/context.h"

void dv_register_diffusion(dvRegistry *registry);

#endif

// Components of this room.
#ifndef DV_VISUAL_REGISTER_H
#define DV_VISUAL_REGISTER_H

#include "object/context.h"

void dv_register_visual(dvRegistry *registry);

#endif

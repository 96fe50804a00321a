// Components of this room.
#ifndef DV_MAPPING_REGISTER_H
#define DV_MAPPING_REGISTER_H

#include "object/context.h"

void dv_register_mapping(dvRegistry *registry);

#endif

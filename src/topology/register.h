// Components of this room.
#ifndef DV_TOPOLOGY_REGISTER_H
#define DV_TOPOLOGY_REGISTER_H

#include "object/context.h"

void dv_register_topology(dvRegistry *registry);

#endif

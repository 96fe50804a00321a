// Components of this room.
#ifndef DV_ANATOMY_REGISTER_H
#define DV_ANATOMY_REGISTER_H

#include "object/context.h"

extern const dvClass dv_mesh_parts_class, dv_vessel_cutter_class, dv_procedure_class;

void dv_register_anatomy(dvRegistry *registry);

#endif

// Components of this room.
#ifndef DV_ANATOMY_REGISTER_H
#define DV_ANATOMY_REGISTER_H

#include "object/context.h"

extern const dvClass dv_mesh_parts_class, dv_vessel_cutter_class, dv_procedure_class;
extern const dvClass dv_membrane_tear_class, dv_sharp_tip_class, dv_grasper_class, dv_opening_class;
extern const dvClass dv_cautery_class;

void dv_register_anatomy(dvRegistry *registry);

#endif

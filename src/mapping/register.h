// Components of this room.
#ifndef DV_MAPPING_REGISTER_H
#define DV_MAPPING_REGISTER_H

#include "object/context.h"

extern const dvClass dv_identity_mapping_class, dv_subset_mapping_class, dv_barycentric_mapping_class, dv_rigid_mapping_class;
extern const dvClass dv_composite_mapping_class;

void dv_register_mapping(dvRegistry *registry);

#endif

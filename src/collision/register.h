// Components of this room.
#ifndef DV_COLLISION_REGISTER_H
#define DV_COLLISION_REGISTER_H

#include "object/context.h"

extern const dvClass dv_sphere_collision_model_class, dv_triangle_collision_model_class, dv_line_collision_model_class,
    dv_point_collision_model_class;

void dv_register_collision(dvRegistry *registry);

#endif

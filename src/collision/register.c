// The collision models that exist: one line each.
#include "collision/register.h"

void dv_register_collision(dvRegistry *r)
{
  dv_registry_add(r, &dv_sphere_collision_model_class);
  dv_registry_add(r, &dv_triangle_collision_model_class);
  dv_registry_add(r, &dv_line_collision_model_class);
  dv_registry_add(r, &dv_point_collision_model_class);
}

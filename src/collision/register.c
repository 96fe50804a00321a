// The collision components that exist: one line each.
#include "collision/register.h"

void dv_register_collision(dvRegistry *r) { DV_UNUSED(r); }

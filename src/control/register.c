// The settings and controllers that exist: one line each.
#include "control/register.h"

void dv_register_control(dvRegistry *r) { DV_UNUSED(r); }

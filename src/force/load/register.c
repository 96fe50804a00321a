// The loads that exist: one line each.
#include "force/load/register.h"

void dv_register_loads(dvRegistry *r) { DV_UNUSED(r); }

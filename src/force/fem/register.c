// The finite elements that exist: one line each.
#include "force/fem/register.h"

void dv_register_fem(dvRegistry *r) { DV_UNUSED(r); }

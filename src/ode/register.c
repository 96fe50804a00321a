// The integrators and loops that exist: one line each.
#include "ode/register.h"

void dv_register_ode(dvRegistry *r) { DV_UNUSED(r); }

// The constraints that exist: one line each.
#include "constraint/register.h"

void dv_register_constraint(dvRegistry *r) { DV_UNUSED(r); }

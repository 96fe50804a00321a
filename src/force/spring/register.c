// The springs that exist: one line each.
#include "force/spring/register.h"

void dv_register_springs(dvRegistry *r) { DV_UNUSED(r); }

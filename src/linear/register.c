// The linear solvers that exist: one line each.
#include "linear/register.h"

void dv_register_linear(dvRegistry *r) { DV_UNUSED(r); }

// The visual models that exist: one line each.
#include "visual/register.h"

void dv_register_visual(dvRegistry *r) { DV_UNUSED(r); }

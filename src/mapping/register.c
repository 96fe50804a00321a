// The mappings that exist: one line each.
#include "mapping/register.h"

void dv_register_mapping(dvRegistry *r) { DV_UNUSED(r); }

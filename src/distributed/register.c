// The components of this room: one line each.
#include "distributed/register.h"

void dv_register_distributed(dvRegistry *r) { dv_registry_add(r, &dv_petsc_class); }

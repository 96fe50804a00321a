// The linear solvers that exist: one line each.
#include "linear/register.h"

extern const dvClass dv_cg_class;

void dv_register_linear(dvRegistry *r) { dv_registry_add(r, &dv_cg_class); }

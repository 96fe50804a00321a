// The integrators and loops that exist: one line each.
#include "ode/register.h"

extern const dvClass dv_default_loop_class, dv_euler_explicit_class, dv_euler_implicit_class;

void dv_register_ode(dvRegistry *r)
{
  dv_registry_add(r, &dv_default_loop_class);
  dv_registry_add(r, &dv_euler_explicit_class);
  dv_registry_add(r, &dv_euler_implicit_class);
}

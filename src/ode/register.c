// The integrators and loops that exist: one line each.
#include "ode/register.h"

extern const dvClass dv_default_loop_class, dv_euler_explicit_class, dv_euler_implicit_class, dv_runge_kutta2_class,
    dv_runge_kutta4_class, dv_central_difference_class, dv_damp_velocity_class, dv_newmark_class, dv_newton_class,
    dv_static_class, dv_bdf_class, dv_variational_class, dv_multi_step_loop_class, dv_multi_tag_loop_class,
    dv_quasi_dynamic_class, dv_free_motion_loop_class, dv_parallel_loop_class, dv_repeat_loop_class;

void dv_register_ode(dvRegistry *r)
{
  dv_registry_add(r, &dv_default_loop_class);
  dv_registry_add(r, &dv_multi_step_loop_class);
  dv_registry_add(r, &dv_repeat_loop_class);
  dv_registry_add(r, &dv_multi_tag_loop_class);
  dv_registry_add(r, &dv_free_motion_loop_class);
  dv_registry_add(r, &dv_parallel_loop_class);
  dv_registry_add(r, &dv_euler_explicit_class);
  dv_registry_add(r, &dv_runge_kutta2_class);
  dv_registry_add(r, &dv_runge_kutta4_class);
  dv_registry_add(r, &dv_central_difference_class);
  dv_registry_add(r, &dv_damp_velocity_class);
  dv_registry_add(r, &dv_euler_implicit_class);
  dv_registry_add(r, &dv_newmark_class);
  dv_registry_add(r, &dv_bdf_class);
  dv_registry_add(r, &dv_variational_class);
  dv_registry_add(r, &dv_newton_class);
  dv_registry_add(r, &dv_static_class);
  dv_registry_add(r, &dv_quasi_dynamic_class);
}

// Plugins; settings and everything else that only holds fields: one row of the table each.
#include "control/register.h"

#include "control/controllers.h"
#include "control/settings.h"

extern const dvClass dv_mouse_spring_class;
extern const dvClass dv_required_plugin_class;

void dv_register_control(dvRegistry *r)
{
  dv_registry_add(r, &dv_required_plugin_class);
  for (size_t i = 0; i < dv_setting_row_count; i++) dv_registry_add(r, dv_setting_class(r, &dv_setting_rows[i]));
  dv_registry_add(r, &dv_bvh_controller_class);
  dv_registry_add(r, &dv_skeleton_controller_class);
  dv_registry_add(r, &dv_mouse_spring_class);
  dv_registry_add(r, &dv_mechanical_state_controller_class);
  dv_registry_add(r, &dv_input_event_reader_class);
  dv_registry_add(r, &dv_pause_on_event_class);
  dv_registry_add(r, &dv_monitor_class);
}

// Plugins; settings and everything else that only holds fields: one row of the table each.
#include "control/register.h"

#include "control/controllers.h"
#include "control/settings/settings.h"

extern const dvClass dv_mouse_spring_class;
extern const dvClass dv_change_processor_class, dv_bounding_trasher_class, dv_carving_manager_class, dv_tearing_class;
extern const dvClass dv_required_plugin_class;

static void add_settings(dvRegistry *r, const dvSettingTable *table)
{
  for (size_t i = 0; i < table->count; i++) dv_registry_add(r, dv_setting_class(r, &table->rows[i]));
}

void dv_register_control(dvRegistry *r)
{
  dv_registry_add(r, &dv_required_plugin_class);
  add_settings(r, &dv_program_settings);
  add_settings(r, &dv_viewer_settings);
  add_settings(r, &dv_picture_settings);
  add_settings(r, &dv_shader_settings);
  dv_registry_add(r, &dv_bvh_controller_class);
  dv_registry_add(r, &dv_skeleton_controller_class);
  dv_registry_add(r, &dv_mouse_spring_class);
  dv_registry_add(r, &dv_mechanical_state_controller_class);
  dv_registry_add(r, &dv_input_event_reader_class);
  dv_registry_add(r, &dv_pause_on_event_class);
  dv_registry_add(r, &dv_monitor_class);
  dv_registry_add(r, &dv_change_processor_class);
  dv_registry_add(r, &dv_bounding_trasher_class);
  dv_registry_add(r, &dv_carving_manager_class);
  dv_registry_add(r, &dv_tearing_class);
  dv_registry_add(r, &dv_data_exchange_class);
  dv_registry_add(r, &dv_message_file_class);
}

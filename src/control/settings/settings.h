// Components that only hold fields: looks, viewer and detection settings. One row of a table makes one class.
#ifndef DV_CONTROL_SETTINGS_SETTINGS_H
#define DV_CONTROL_SETTINGS_SETTINGS_H

#include "object/context.h"

typedef struct dvSettingRow {
  const char *name, *aliases, *module;
  dvRole role;
  const char *help;
  // one field a line: "name/alias type = default | help [unit]"; the types of object/field.h
  const char *fields;
  const char *more;   // further lines that several rows share, may be NULL
  dvStatus (*parse)(dvObject *o, dvAttributes *attributes);
  dvStatus (*init)(dvObject *o);
} dvSettingRow;

// One table for each subject.
typedef struct dvSettingTable {
  const dvSettingRow *rows;
  size_t count;
} dvSettingTable;
extern const dvSettingTable dv_program_settings, dv_viewer_settings, dv_picture_settings, dv_shader_settings;

// Makes a class from a row; the registry owns it.
const dvClass *dv_setting_class(dvRegistry *r, const dvSettingRow *row);

// Hooks of single rows.
dvStatus dv_add_data_repository_parse(dvObject *o, dvAttributes *attributes);
dvStatus dv_add_plugin_repository_init(dvObject *o);

#endif

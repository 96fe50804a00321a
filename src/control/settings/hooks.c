// What the few settings do that do something: data directories.
#include "base/file.h"
#include "control/settings/settings.h"
#include "scene/node.h"

#include <string.h>
#include <sys/stat.h>

// --- directories ---------------------------------------------------------------------------------

// while the scene is read, so that every component finds its files
dvStatus dv_add_data_repository_parse(dvObject *o, dvAttributes *a)
{
  DV_UNUSED(a);
  const char *path = *(char *const *)dv_object_field(o, "path")->value;
  if (!*path) return DV_OK;
  char *beside = o->place.file && path[0] != '/' ? dv_path_directory(o->place.file) : dv_strdup("");
  char *full = dv_path_join(beside, path);
  struct stat info;
  if (stat(full, &info) != 0 || !S_ISDIR(info.st_mode))
    dv_warning(o, "paths are relative to the scene file", "there is no directory %s", full);
  else dv_context_add_data_path(o->context, full);
  dv_free(full);
  dv_free(beside);
  return DV_OK;
}

dvStatus dv_add_plugin_repository_init(dvObject *o)
{
  dv_note(o, "a scene does not say where plugins are; --plugin-path and DIVAN_PLUGIN_PATH do");
  return DV_OK;
}

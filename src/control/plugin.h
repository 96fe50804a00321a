// Plugins: shared libraries that bring components (include/divan/sdk/plugin.h).
#ifndef DV_CONTROL_PLUGIN_H
#define DV_CONTROL_PLUGIN_H

#include "object/context.h"

// Loads a plugin and registers its components. `name` is a file when it holds a slash or ends with .so; else NAME.so or
// libNAME.so is looked for in the context's plugin directories, in DIVAN_PLUGIN_PATH and where the library installs
// them. Loading it again does nothing. On failure `why` and `advice` (empty texts) say what is wrong and what to do.
dvStatus dv_plugin_load(dvContext *context, const char *name, dvText *why, dvText *advice);
// The file that a name stands for, NULL when there is none; the caller frees it. A name with a slash stands for
// nothing: a scene may ask for a plugin, but not say where code is to be taken from.
char *dv_plugin_find(const dvContext *context, const char *name);
bool dv_plugin_is_loaded(const dvContext *context, const char *name);

#endif

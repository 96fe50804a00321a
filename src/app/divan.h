// The library as one: a context that knows every component.
#ifndef DV_APP_DIVAN_H
#define DV_APP_DIVAN_H

#include "object/context.h"

// A context with all components registered. `threads` counts the caller; 0 takes the number of cores.
dvContext *dv_divan_create(int threads);
// Loads a plugin by file or name (control/plugin.h); a failure goes to the log.
dvStatus dv_divan_load_plugin(dvContext *context, const char *name);
void dv_divan_destroy(dvContext **context);

#endif

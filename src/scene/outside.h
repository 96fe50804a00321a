// What is asked before a component reaches out of the program, to another one or to a device.
#ifndef DV_SCENE_OUTSIDE_H
#define DV_SCENE_OUTSIDE_H

#include "object/object.h"

// False, and told, for a scene that came through the viewer's page (base/file.h), and where the environment variable
// DIVAN_OFFLINE is set to something.
bool dv_outside_is_permitted(const dvObject *o, const char *what);

#endif

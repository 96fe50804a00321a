// What comes into a scene after it was initialised.
#ifndef DV_SCENE_LATE_H
#define DV_SCENE_LATE_H

#include "scene/node.h"

// Links and initialises the components that are not initialised yet. Those that cannot be are told of and left out of
// the simulation. A reset puts them back to how they are now. Between steps (`between`) mapped states follow at once,
// else, in the event of a step, when it goes on.
dvStatus dv_scene_init_late(dvScene *scene, bool between);

#endif

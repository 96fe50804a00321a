// Scenes that a program builds piece by piece. They come out as those that are read from files: the same names of old,
// the same attributes, the same messages.
#ifndef DV_IO_SCENE_SCENE_BUILD_H
#define DV_IO_SCENE_SCENE_BUILD_H

#include "scene/node.h"

// A component in a node, with attributes as of a scene file, which are moved out of `attributes`. They are not read
// yet: more may be added to the object until dv_build_read. NULL, after a message, when there is no such component.
dvObject *dv_build_create(dvNode *node, const char *type, dvAttributes *attributes, dvPlace place);
// Deduces the template from what is there and reads the attributes of a component or node. Mistakes go to the log.
dvStatus dv_build_read(dvObject *o);
dvNode *dv_build_node(dvNode *parent, const char *name, dvPlace place);   // NULL, after a message, when it is too deep
// Before the scene is initialised: components that came before their state take its template.
dvStatus dv_build_settle(dvScene *scene);

#endif

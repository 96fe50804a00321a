// Finding by name: a table of objects in which the first of each name stands. Large nodes have thousands of components,
// and each link to one of them looks for its name.
#ifndef DV_SCENE_NAMES_H
#define DV_SCENE_NAMES_H

#include "scene/node.h"

// The name must not change while the object is in the table.
void dv_names_add(dvNames *n, dvObject *o);
dvObject *dv_names_find(const dvNames *n, const char *name);   // NULL when there is none
void dv_names_free(dvNames *n);

#endif

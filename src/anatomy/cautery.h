// What others ask of a Cautery.
#ifndef DV_ANATOMY_CAUTERY_H
#define DV_ANATOMY_CAUTERY_H

#include "scene/node.h"

// Whether one of the scene begins to cut with the next step: who wants to undo that keeps the scene as it is now.
bool dv_cautery_begins(dvScene *scene);

#endif

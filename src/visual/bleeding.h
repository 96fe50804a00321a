// What a picture shows of blood on a surface.
#ifndef DV_VISUAL_BLEEDING_H
#define DV_VISUAL_BLEEDING_H

#include "scene/node.h"

// Red, green, blue and how much of them, for each corner that is drawn of a surface on which a BleedingDecal of its
// node bleeds; NULL for all others.
dvField *dv_bleeding_paint(const dvObject *surface);

#endif

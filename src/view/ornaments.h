// Lines that a scene asks for beside its bodies: axes, grids, the box around a node. See draw.h.
#ifndef DV_VIEW_ORNAMENTS_H
#define DV_VIEW_ORNAMENTS_H

#include "base/array.h"
#include "scene/node.h"

typedef DV_ARRAY(double) dvOrnamentPoints;   // three numbers a point, two points a line

// How many lists of lines a component is drawn as, each of its own colour; 0 for all other components.
int dv_ornament_parts(dvObject *o);
void dv_ornament_colour(dvObject *o, int part, double out[4]);
// Where the lines of a part are now; replaces what is in `out`.
void dv_ornament_points(dvObject *o, int part, dvOrnamentPoints *out);

#endif

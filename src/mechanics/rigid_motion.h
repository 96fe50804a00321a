// Rigid motions that nothing resists: where a stiffness matrix is singular.
#ifndef DV_MECHANICS_RIGID_MOTION_H
#define DV_MECHANICS_RIGID_MOTION_H

#include "base/text.h"
#include "mechanics/mechanics.h"

enum { DV_RIGID_BODIES = 8 };   // independent states that are looked at together

// How many independent rigid motions of the plan's states are free: neither held by projective constraints nor resisted
// by a force. Forces must have been evaluated. `a` and `b` are numbers of two vectors to work with. The ones that are
// simple (a translation or rotation of one state) are named in `what`, which may be NULL. -1 when the plan has too many
// states to tell.
int dv_rigid_motions(dvPlan *plan, const dvMech *m, int a, int b, dvText *what);

#endif

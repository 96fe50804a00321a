// What forces on the elements of a topology have in common.
#ifndef DV_FORCE_MESH_H
#define DV_FORCE_MESH_H

#include "mechanics/component.h"
#include "topology/topology.h"

DV_PUBLIC_BEGIN

// The topology of a link or, when it has none, of the node or above; NULL and an error that says what is missing when
// there is none. The link's target is set, and the force follows it (topology/change/follow.h).
dvTopology *dv_force_topology(dvObject *o, dvLink *link);
// Elements of a kind whose points all exist in the state; NULL and an error when one does not.
const dvInts *dv_force_elements(const dvObject *o, dvTopology *t, dvElementKind kind, const dvState *s);
// `topology_changed` of forces whose `reinit` makes everything from the mesh, the rest positions and the fields.
void dv_force_remake(dvObject *o);
// The same for those that can also bring up to date only what has changed of a topology that they follow: `patch` does
// so; where there is no trace of the changes, or it returns false, everything is made again.
void dv_force_patch_or_remake(dvObject *o, const dvTopology *t, bool (*patch)(dvObject *o));

DV_PUBLIC_END

#endif

// Following topologies: one way for every component.
//
// A component says in `init` (and may say again in `reinit`) what it follows:
//
//   dv_follow(o, topology);                                          // the hook alone
//   dv_follow_elements(o, topology, DV_TETRAHEDRON);                 // and arrays with a row for each tetrahedron
//   dv_follow_list(o, topology, DV_POINT, &self->indices);           // and lists that name some of the points
//
// Rows and lists then move while a batch of changes goes on (element_data.h). At its end `topology_changed` of its
// class is called, once, however many topologies and kinds it follows: states first, then in the order in which the
// components began to follow, which is that of the graph. There it makes again what is made of elements, for those that
// the trace names (trace.h) or, where it cannot, for all; surviving elements keep their shape at rest, because the rest
// positions of states follow as well. Meshes that were edited as a
// whole, and what topological mappings make of changed ones, are looked at there and at the beginning of each step.
//
// Everything ends by itself when the component or the topology is destroyed.
#ifndef DV_TOPOLOGY_CHANGE_FOLLOW_H
#define DV_TOPOLOGY_CHANGE_FOLLOW_H

#include "topology/change/element_data.h"
#include "topology/change/trace.h"

DV_PUBLIC_BEGIN

// Begins to follow; nothing new happens when it does so already.
void dv_follow(dvObject *o, dvTopology *t);
// One entry for every element of a kind; the caller adds columns. The same one each time it is asked for.
dvElementData *dv_follow_elements(dvObject *o, dvTopology *t, dvElementKind kind);
// Entries for some elements, which `list` names. The same one each time it is asked for.
dvElementList *dv_follow_list(dvObject *o, dvTopology *t, dvElementKind kind, dvInts *list);

// For `topology_changed`: what has happened to a topology that the component follows, so that it brings up to date only
// what that concerns. NULL when everything is to be made again.
const dvTrace *dv_follow_trace(const dvObject *o, const dvTopology *t);
// It has done so: who does not say it counts as one that has made everything again (dvScene.remade).
static inline bool dv_follow_patched(dvObject *o) { return o->patched = true; }

// What a component makes of a mesh by other ways at its start than after a change, or would make with other rounding: a
// reset puts it back as it was before the first change, and `topology_changed` finds `o->rewound` then.
void dv_follow_keep_reals(dvObject *o, dvReals *values);
void dv_follow_keep_ints(dvObject *o, dvInts *values);
#define dv_follow_keep_number(o, number) dv_follow_keep_bytes_((o), (number), sizeof *(number))
void dv_follow_keep_bytes_(dvObject *o, void *bytes, size_t size);

// For a reset (dvScene.rewind): the topologies of the scene are what they were before their first change, and so is all
// that follows them; `topology_changed` is called as at the end of a batch, of states first. Then `states` puts back
// their positions, which the others may look at, and at the end the memory of the scene can be put back.
void dv_follow_rewind(dvScene *scene, void (*states)(dvScene *scene));

DV_PUBLIC_END

#endif

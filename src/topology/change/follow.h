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
// components began to follow, which is that of the graph. There it makes again what is made of many elements; surviving
// elements keep their shape at rest, because the rest positions of states follow as well. Meshes that were edited as a
// whole, and what topological mappings make of changed ones, are looked at there and at the beginning of each step.
//
// Everything ends by itself when the component or the topology is destroyed.
#ifndef DV_TOPOLOGY_CHANGE_FOLLOW_H
#define DV_TOPOLOGY_CHANGE_FOLLOW_H

#include "topology/change/element_data.h"

DV_PUBLIC_BEGIN

// Begins to follow; nothing new happens when it does so already.
void dv_follow(dvObject *o, dvTopology *t);
// One entry for every element of a kind; the caller adds columns. The same one each time it is asked for.
dvElementData *dv_follow_elements(dvObject *o, dvTopology *t, dvElementKind kind);
// Entries for some elements, which `list` names. The same one each time it is asked for.
dvElementList *dv_follow_list(dvObject *o, dvTopology *t, dvElementKind kind, dvInts *list);

DV_PUBLIC_END

#endif

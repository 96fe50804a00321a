// What comes and goes between steps: contacts, the hand of a user, tools.
//
// Components that an owner (a contact manager, the viewer) brings in and takes out without changing the graph: they
// stand in a group instead of in a node's list, and plans append those of them whose node lies in the plan's subgraph
// behind their fixed part. So a step with other contacts compiles nothing anew, and an assembled system keeps its
// pattern.
//
// A live object has a node, from which it takes gravity, tags and the solver that rules it, and is in no node's list:
// it gets no events and is not written to scene files. It may be a force, a mapping, a Lagrangian constraint, or a
// state that a live mapping drives; a mapping stands in the group behind those that feed it, a state anywhere. The
// owner keeps objects that it has no use for in the group's pool: nothing is allocated once it is warm.
#ifndef DV_SCENE_LIVE_H
#define DV_SCENE_LIVE_H

#include "scene/node.h"

DV_PUBLIC_BEGIN

typedef struct dvLiveGroup {
  dvScene *scene;                 // NULL before it enters one
  DV_ARRAY(dvObject *) objects;   // take part now
  DV_ARRAY(dvObject *) made;      // all that were taken from the pool and not given back, in that order
  DV_ARRAY(dvObject *) pool;      // wait to be taken
} dvLiveGroup;

// Groups act in the order in which they enter a scene.
void dv_live_enter(dvLiveGroup *g, dvScene *scene);
// Leaves the scene and destroys all objects of the group.
void dv_live_leave(dvLiveGroup *g);

// An object of a class, with the given template (may be NULL): one from the pool, which is as it was given back, or a
// new one. It belongs to the group. `node` is where it acts; the caller sets its fields and calls dv_object_ensure.
dvObject *dv_live_take(dvLiveGroup *g, const dvClass *cls, const dvDof *dof, dvNode *node);
// Back into the pool, out of what takes part. It is initialised again by the dv_object_ensure that follows the next
// take.
void dv_live_give(dvLiveGroup *g, dvObject *o);
void dv_live_give_all(dvLiveGroup *g);
// Takes part from now on, behind what does already.
void dv_live_add(dvLiveGroup *g, dvObject *o);
// Nothing takes part any more; objects stay taken.
void dv_live_clear(dvLiveGroup *g);

DV_PUBLIC_END

#endif

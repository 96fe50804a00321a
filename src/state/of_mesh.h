// For components that work on a mesh with the points that move it.
#ifndef DV_STATE_OF_MESH_H
#define DV_STATE_OF_MESH_H

#include "state/state.h"

// The topology that `link` names, else that of the node or above, and the state of Vec3 whose points it has. Reports
// what is missing.
dvStatus dv_state_of_mesh(dvObject *o, const dvLink *link, dvTopology **mesh, dvState **state);

#endif

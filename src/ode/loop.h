// What animation loops share.
#ifndef DV_ODE_LOOP_H
#define DV_ODE_LOOP_H

#include "state/state.h"

// Solvers, and interaction forces outside of every solver, in the order of the graph.
typedef struct dvIntegration {
  DV_ARRAY(dvObject *) items;
  unsigned version;
} dvIntegration;

// Runs them: results go to the vectors x and v. Stops at the first failure.
dvStatus dv_integrate(dvIntegration *list, dvNode *root, double dt, int x, int v, bool outside_forces);
void dv_integration_free(dvIntegration *list);

// Reports the first state that is no longer finite.
dvStatus dv_loop_check(dvScene *scene);
void dv_loop_touch(dvScene *scene);             // positions and velocities have changed
void dv_loop_clear_external(dvScene *scene);
void dv_loop_update_visual(dvScene *scene);
dvStatus dv_loop_start(dvObject *o);            // for dvLoopOps.start

#endif

// What animation loops share.
#ifndef DV_ODE_LOOP_H
#define DV_ODE_LOOP_H

#include "mechanics/mechanics.h"

typedef struct dvIntegrationItem {
  dvObject *object;   // a solver, or an interaction force outside of every solver
  dvPlan *plan;       // of the solver's node, when it ends its step itself
} dvIntegrationItem;

// A node outside of every solver, in the order of the walk: live forces in it come behind the items up to `end`.
typedef struct dvIntegrationNode {
  dvNode *node;
  size_t end;
} dvIntegrationNode;

typedef struct dvIntegrationForce {
  dvObject *object;
  size_t end;   // number of items before it
} dvIntegrationForce;

// Solvers, and interaction forces outside of them, in the order of the graph. With tags, only those that have them.
typedef struct dvIntegration {
  DV_ARRAY(dvIntegrationItem) items;
  DV_ARRAY(dvIntegrationNode) nodes;
  DV_ARRAY(dvIntegrationForce) live;   // live forces outside of every solver, in the order in which they act
  dvAddressMap outside;                // numbers of the nodes
  unsigned version, live_version;
  dvNode *root;
  dvStrings tags;
  bool one_by_one;   // each solver ends its own step, and only the first solver of a node runs: the rule of loops with
                     // parts
} dvIntegration;

// Brings the list up to date with the graph.
void dv_integration_refresh(dvIntegration *list, dvNode *root);
void dv_integration_set_tag(dvIntegration *list, const char *tag);
// Runs them: results go to the vectors x and v. Stops at the first failure.
dvStatus dv_integrate(dvIntegration *list, dvNode *root, double dt, int x, int v, bool outside_forces);
void dv_integration_free(dvIntegration *list);

// Whether a loop that solves the systems of its tags one by one gives a solver its turn; false for any other loop.
bool dv_loop_has_turn(const dvObject *loop, const dvObject *solver);

// Parts of a step, in this order. The node whose subgraph is animated: the target, else the loop's own.
dvNode *dv_loop_node(const dvObject *o, const dvLink *target);
dvStatus dv_loop_begin(dvObject *o, double dt);   // event, links, engines
// Runs the collision pipelines, between their events. contacts (may be NULL): how many there are.
dvStatus dv_loop_collide(dvObject *o, double dt, size_t *contacts);
dvStatus dv_loop_integrate(dvObject *o, dvIntegration *list, dvNode *root, double dt);
// After constraints have moved the states: boundary conditions, mappings, dv_loop_end.
dvStatus dv_loop_end_corrected(dvObject *o, double dt);
dvStatus dv_loop_end(dvObject *o, double dt, double time);   // the new time, event, visual models, check

// Reports the first state that is no longer finite; then all states stand as they were after the last step that ended
// well.
dvStatus dv_loop_check(dvScene *scene);
void dv_loop_keep_good(dvScene *scene);
void dv_loop_put_back(dvScene *scene);   // where the last good step ended
// Puts the last good state back and adds what is known of the cause (diverge.c).
void dv_loop_explain(dvScene *scene, dvState *s, dvText *text, dvText *advice);
void dv_loop_touch(dvScene *scene);   // positions and velocities have changed
void dv_loop_clear_external(const dvPlan *plan);
void dv_loop_update_visual(dvScene *scene);
dvStatus dv_loop_start(dvObject *o);    // for dvLoopOps.start
dvStatus dv_loop_resume(dvObject *o);   // and .resume

// Fields of every loop.
#define DV_LOOP_FIELDS(X)                                                                       \
  X(bool, computeBoundingBox, "1", "", "keep the bounding boxes up to date", .flags = DV_LOOKS) \
  X(link, targetNode, "", "", "node whose subgraph is animated; the loop's own by default", .role = DV_ROLE_NODE)

#endif

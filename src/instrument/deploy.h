// InterventionalRadiologyController, for those who command it.
#ifndef DV_INSTRUMENT_DEPLOY_H
#define DV_INSTRUMENT_DEPLOY_H

#include "instrument/beams.h"

// What an instrument may be told to do. The numbers are those of scenes.
typedef enum dvInstrumentAction {
  DV_INSTRUMENT_REST,
  DV_INSTRUMENT_FORWARD,
  DV_INSTRUMENT_BACKWARD,
  DV_INSTRUMENT_RIGHT,
  DV_INSTRUMENT_LEFT,
  DV_INSTRUMENT_NEXT,
  DV_INSTRUMENT_PREVIOUS,
  DV_INSTRUMENT_DROP,
  DV_INSTRUMENT_USE_0,
  DV_INSTRUMENT_USE_1,
  DV_INSTRUMENT_USE_2,
  DV_INSTRUMENT_ACTIONS
} dvInstrumentAction;

extern const dvClass dv_deploy_class, dv_instrument_actions_class;
// The action of a key; DV_INSTRUMENT_REST for others.
dvInstrumentAction dv_instrument_key(int key);
// From here on it acts when it is told, not by itself.
void dv_deploy_command(dvObject *controller);
void dv_deploy_act(dvObject *controller, dvInstrumentAction action);
// Lays out the beams for where the tips are now.
void dv_deploy_apply(dvObject *controller);

// The indices of the FixedProjectiveConstraint that a link names or that stands in the node: degrees of freedom that
// are not in use are held by it. NULL with an error when there is none.
dvField *dv_waiting_indices(dvObject *o, const dvLink *link, const char *what);

// A walk from the tip to the sheath along the outermost instrument, in steps as long as the edges for collision of the
// section it passes; it stays at the sheath.
typedef struct dvDeployWalk {
  const dvObject *controller;
  double x;      // along what is out
  size_t node;   // the next one towards the tip
} dvDeployWalk;
dvDeployWalk dv_deploy_walk(const dvObject *controller);
// The instrument and the place along it, from its handle; then goes on.
const dvBeams *dv_deploy_next(dvDeployWalk *walk, double *along);
bool dv_deploy_is_out(const dvObject *controller);   // there are beams
dvState *dv_deploy_state(const dvObject *controller);
// Edges for collision of the instrument that has most of them, and their mean length.
size_t dv_deploy_collision_edges(const dvObject *controller, double *length);

#endif

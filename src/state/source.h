// Who gives a state its positions anew, when they come from outside: a device in a hand, or an engine.
#ifndef DV_STATE_SOURCE_H
#define DV_STATE_SOURCE_H

#include "state/state.h"

// The output that the positions follow from step to step; NULL when they are the state's own. It lives with the scene.
const dvField *dv_state_source(const dvState *s);

#endif

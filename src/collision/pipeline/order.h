// The order in which SOFA answers pairs of models. See order.c.
#ifndef DV_COLLISION_PIPELINE_ORDER_H
#define DV_COLLISION_PIPELINE_ORDER_H

#include "collision/collision.h"

typedef struct dvPairKey {
  int32_t first, second;   // numbers of models in the pipeline's list
} dvPairKey;

typedef struct dvPairOrder {
  DV_ARRAY(int32_t)
  seen[2];                     // models in the order in which they were first compared: among what detection finds, and
                               // among responses. What the next step depends on
  DV_ARRAY(int32_t) rank[2];   // places of the models in `seen`, -1 for none
  DV_ARRAY(dvPairKey) kept;    // pairs that touched in the step before
  DV_ARRAY(uint64_t) keys, scratch;
  DV_ARRAY(dvContactList) moved;
} dvPairOrder;

// Before a step: `lists` are those of the step before.
void dv_pair_order_begin(dvPairOrder *o, const dvModelList *models, const dvContactLists *lists);
// After detection has tested `pairs`: puts the lists into SOFA's order.
void dv_pair_order_apply(dvPairOrder *o, const dvModelList *models, const dvObject *intersection,
                         const dvModelPairs *pairs, dvContactLists *lists);
void dv_pair_order_free(dvPairOrder *o);

#endif

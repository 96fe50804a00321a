// Who feeds whom among mappings: a mapping feeds another when one of its outputs is an input of the other.
#ifndef DV_SCENE_FLOW_H
#define DV_SCENE_FLOW_H

#include "scene/plan.h"

// The mapping that has a state as input or output.
typedef struct dvFlowPort {
  const dvObject *state;
  int32_t mapping;
} dvFlowPort;

// In the order of states (which one comes first means nothing), for each in the order of mappings.
typedef struct dvFlowPorts {
  dvFlowPort *data;
  size_t count, capacity;
} dvFlowPorts;

typedef struct dvFlow {
  dvObject *const *mappings;   // borrowed
  size_t count;
  dvFlowPorts inputs, outputs;
} dvFlow;

void dv_flow_init(dvFlow *f, dvObject *const *mappings, size_t count);
void dv_flow_fini(dvFlow *f);
// The ports of a state: the first, and where they end.
const dvFlowPort *dv_flow_ports(const dvFlowPorts *ports, const dvObject *state, const dvFlowPort **end);
// Writes an order of the mappings in which each comes after those that feed it: next is always the first one that waits
// for none of the others; in a circle, the first one.
void dv_flow_order(const dvFlow *f, int32_t *order);
// Marks the mappings that stand in a circle or behind one; how many there are.
size_t dv_flow_circles(const dvFlow *f, bool *stuck);

#endif

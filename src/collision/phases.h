// Broad and narrow phases: one kernel each behind many names.
#ifndef DV_COLLISION_PHASES_H
#define DV_COLLISION_PHASES_H

#include "collision/collision.h"

#define DV_BROAD_PHASE_FIELDS(X) \
  X(vec6, box, "0 0 0 0 0 0", "m", "region outside of which models are not tested: minimum, maximum")

// A broad phase, a narrow phase, or both in one.
typedef struct dvBroadPhase {
  dvObject base;
  DV_BROAD_PHASE_FIELDS(DV_MEMBER)
  struct dvNarrowScratch *scratch;   // of the narrow phase
  struct dvRayScratch *rays;         // of one with rays
} dvBroadPhase;

extern const dvFieldBlock dv_broad_phase_block;
extern const dvBroadPhaseOps dv_broad_phase_ops;
extern const dvNarrowPhaseOps dv_narrow_phase_ops;
void dv_narrow_phase_destroy(dvObject *o);
extern const dvNarrowPhaseOps dv_ray_trace_ops;
void dv_ray_trace_destroy(dvObject *o);

#endif

// Products through mappings that carry only what is live.
//
// Contacts touch a few points of a surface that has thousands. A mapping that carries forces for their sake only is
// replaced, in the many products of a solve, by the rows of its Jacobian at the points that live forces touch.
#ifndef DV_MECHANICS_TOUCHED_H
#define DV_MECHANICS_TOUCHED_H

#include "mechanics/mechanics.h"

DV_PUBLIC_BEGIN

// The rows of a mapping at some points of its output; as it is where `narrow` is false.
typedef struct dvTouchedMapping {
  bool narrow;
  bool scalar;   // every block is a number times the identity
  dvState *in, *out;
  DV_ARRAY(int32_t) points;   // of the output
  DV_ARRAY(size_t) start;     // of each point's blocks, and the end
  DV_ARRAY(int32_t) dofs;     // of the input, one a block
  DV_ARRAY(double) weights;   // one a block, where all are scalar
  DV_ARRAY(double) blocks;    // numbers of all blocks
} dvTouchedMapping;

// Which points of a state are touched.
typedef struct dvTouchedState {
  const dvState *state;
  bool all;
  DV_ARRAY(uint8_t) marks;
  DV_ARRAY(int32_t) points;   // in the order in which they were met
} dvTouchedState;

typedef struct dvTouched {
  DV_ARRAY(dvTouchedMapping) mappings;   // as the plan has them
  DV_ARRAY(dvTouchedState) states;       // `used` of them
  size_t used;
  dvAddressMap table;   // of states
  dvInts pairs;
} dvTouched;

// Finds what the live forces of the plan touch, with the mappings' rows as they are now.
void dv_touched_find(dvTouched *t, dvPlan *plan);
void dv_touched_free(dvTouched *t);
// dv_mech_product with these rows: valid until positions move.
void dv_mech_product_touched(dvPlan *plan, dvMech *m, int q, int p, const dvTouched *t);
// v_out = J v_in and f_in += J^T f_out at the touched points.
void dv_touched_apply_j(const dvTouchedMapping *m, int id);
void dv_touched_apply_jt(const dvTouchedMapping *m, int id);

DV_PUBLIC_END

#endif

// Work space of the factorisation of a sparse LDL^T.
#ifndef DV_LINEAR_DIRECT_LDL_WORK_H
#define DV_LINEAR_DIRECT_LDL_WORK_H

#include "linear/direct/ldl_front.h"

#include <stdatomic.h>

// Of one thread.
typedef struct dvLdlSlot {
  atomic_bool taken;
  double *arena;     // update matrices inside a subtree
  double *scratch;   // columns of a block before they are divided by the pivots
  int32_t *place;    // of the rows of a child
} dvLdlSlot;

// What was met in a front.
typedef struct dvLdlOutcome {
  int32_t bad;   // first pivot that was too small, -1
  int32_t negative, perturbed;
} dvLdlOutcome;

typedef struct dvLdlWork {
  int slots;
  dvLdlSlot *slot;
  double *shared;   // update matrices above the subtrees
  double *scale;    // what pivots are measured in
  dvLdlOutcome *outcome;
  // to do only what has changed since the last factorisation
  double *values;     // of the matrix then
  bool outdated;      // they are not: nothing was kept of it
  unsigned changes;   // factorisations in a row that found most of the matrix changed
  bool *changed;      // fronts
  double *kept;       // update matrices of all fronts, where they are kept
  size_t *kept_at;
  bool kept_valid;   // they belong to the factor
} dvLdlWork;

dvLdlWork *dv_ldl_work_create(const dvLdlSymbolic *s);   // NULL when memory is short
void dv_ldl_work_free(dvLdlWork *w);

#endif

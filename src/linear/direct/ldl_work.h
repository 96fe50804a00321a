// Work space of the factorisation of a sparse LDL^T.
#ifndef DV_LINEAR_DIRECT_LDL_WORK_H
#define DV_LINEAR_DIRECT_LDL_WORK_H

#include "linear/direct/ldl_front.h"

#include <stdatomic.h>

// Memory that outlives the pattern it was taken for: new pages cost as much as a small factorisation.
typedef struct dvLdlRoom {
  double *data;
  size_t room;
} dvLdlRoom;

// Room for that many numbers, whatever they are. False when memory is short; there is none then.
bool dv_ldl_room_fit(dvLdlRoom *r, size_t count);

// Of one thread.
typedef struct dvLdlSlot {
  atomic_bool taken;
  dvLdlRoom arena;     // update matrices inside a subtree
  dvLdlRoom scratch;   // columns of a block before they are divided by the pivots
  int32_t *place;      // of the rows of a child
} dvLdlSlot;

// What was met in a front.
typedef struct dvLdlOutcome {
  int32_t bad;   // first pivot that was too small, -1
  int32_t negative, perturbed;
} dvLdlOutcome;

// A factor and its matrix, after the pattern has become another one. What outlives it is memory for the next.
typedef struct dvLdlBefore {
  dvLdlSymbolic *symbolic;   // NULL: only memory is left
  dvLdlRoom lower, values, kept;
  double *d, *scale;
  dvLdlOutcome *outcome;
  size_t *kept_at;
  bool kept_valid;
} dvLdlBefore;

typedef struct dvLdlWork {
  int slots;
  dvLdlSlot *slot;
  dvLdlRoom shared;   // update matrices above the subtrees
  double *scale;      // what pivots are measured in
  dvLdlOutcome *outcome;
  // to do only what has changed since the last factorisation
  dvLdlRoom values;   // of the matrix then
  bool known;         // there are values
  bool outdated;      // they are not: nothing was kept of it
  unsigned changes;   // factorisations in a row that found most of the matrix changed
  bool *changed;      // fronts
  dvLdlRoom kept;     // update matrices of all fronts, where they are kept
  size_t *kept_at;
  bool kept_valid;   // they belong to the factor
  dvLdlBefore before;
} dvLdlWork;

// Work space for a pattern, out of that of another one (may be NULL), which is used up. NULL when memory is short.
dvLdlWork *dv_ldl_work_create(const dvLdlSymbolic *s, dvLdlWork *before);
void dv_ldl_work_free(dvLdlWork *w);

// --- over a change of the pattern (ldl_carry.c) ---

// Whether the next pattern may leave most of a factor as it is: its matrix is known and has changed little so far.
bool dv_ldl_carries(const dvLdl *f);
// Takes factor and matrix out of `f`, whose memory is that of an earlier one then.
void dv_ldl_carry(dvLdl *f, dvLdlBefore *out);
// Of a factor that was analysed again: marks in `changed` the fronts that are not as they were before, with the same
// points, rows, entries and children. Returns their part of the operations.
double dv_ldl_match(const dvLdl *f, const dvBlockMatrix *a, bool *changed);
// Copies the others.
void dv_ldl_adopt(dvLdl *f, const bool *changed);
// The factor of before is done with; its memory stays.
void dv_ldl_forget(dvLdlBefore *b);
void dv_ldl_before_free(dvLdlBefore *b);

#endif

// What a direct solver knows of the matrices before, while a mesh changes: their order of elimination. A point that is
// new takes its place behind the last of its neighbours, so that what separates parts of the mesh goes on to do so,
// and neither METIS nor AMD looks at the whole again.
//
// The first two patterns are ordered from scratch: the second shows that the mesh changes, and only from then on a
// solver has to remember pattern and order for a snapshot (a run that goes on and one that was restored take the same
// decisions, and with them the same bits). So is one whose order has become dear.
#ifndef DV_LINEAR_DIRECT_REORDER_H
#define DV_LINEAR_DIRECT_REORDER_H

#include "linear/direct/ordering.h"
#include "object/memory.h"

typedef struct dvOrderHistory {
  unsigned analyses;                  // different patterns, one after the other
  uint64_t hash;                      // of the last one
  DV_ARRAY(int32_t) row_start, col;   // that pattern, once there have been two
  DV_ARRAY(int32_t) order;            // and its order
  double work, rows;                  // of the last order from scratch
} dvOrderHistory;

// How an analysis comes to its order.
typedef struct dvOrderChoice {
  dvOrder method;
  const int32_t *given;   // tried first, may be NULL
  double most;            // and what it may cost
  dvPattern before;       // when there is one: the pattern it comes from
  const bool *moved;      // and which rows have another place in it than in the order before
  int32_t *used;          // gets the order that was taken, may be NULL
  double work;            // sum of squares of the columns of L, in blocks
  bool whole;             // it was made from scratch
} dvOrderChoice;

void dv_order_history_free(dvOrderHistory *h);
// Before an analysis: `given` and what belongs to it for the pattern, or nothing of it; `room` and `moved` (for as many
// as rows) hold what the choice points to. After it: takes note.
void dv_order_history_propose(const dvOrderHistory *h, const dvPattern *a, int32_t *room, bool *moved,
                              dvOrderChoice *choice);
void dv_order_history_note(dvOrderHistory *h, const dvPattern *a, const dvOrderChoice *choice);
// Tells apart what has another pattern or another order; 0 before there is one.
uint64_t dv_order_history_key(const dvOrderHistory *h);
void dv_order_history_remember(dvOrderHistory *h, dvMemoryStream *s);

// perm: the order of pattern `now`, near to the order `before` of pattern `was`: rows that have not moved (`moved` may
// be NULL) follow each other as before. False when memory is short.
bool dv_order_near(const dvPattern *was, const int32_t *before, const dvPattern *now, int32_t *perm, bool *moved);

#endif

// What the rows of a component were before its mesh changed for the first time, so that a reset can put them back.
//
// A follower (follow.h) has one of these. Lists that share their storage cost nothing until they are written, which is
// when the first change copies them.
#ifndef DV_TOPOLOGY_CHANGE_KEEP_H
#define DV_TOPOLOGY_CHANGE_KEEP_H

#include "topology/change/element_data.h"

typedef struct dvKeptColumn {
  dvColumn column;
  dvReals reals;
  dvInts ints;
  void *bytes;
  size_t count;     // entries of an array
  dvField *field;   // that holds it; NULL when none does
  dvField *source;
  uint32_t source_seen;
} dvKeptColumn;

typedef struct dvKept {
  DV_ARRAY(dvKeptColumn) columns;
} dvKept;

// Whether a watcher that hears of a change keeps what it has: all of them but the edit of a mesh by its user, which a
// reset does not undo.
bool dv_keeps(const dvWatcher *w, const dvChange *c);
// Keeps a column as it is now, unless it is kept already; an array without a count is `size` bytes at `values`. Nothing
// happens when `k` is NULL.
void dv_keep_column(dvKept *k, const dvObject *owner, const dvColumn *c);
// Puts all of them back, with the links of fields, and forgets them. False when there are none. `settled`: what fields
// are linked to is back too, and has nothing new for them.
bool dv_keep_put_back(dvKept *k, bool settled);
void dv_keep_free(dvKept *k);

#endif

// What was done to a topology since it was read: every change in turn, so that it can be done again to one that was
// read from the same file. Those who follow it follow as they did then. For snapshots; topologies that a mapping fills
// have none, since they follow their input.
#ifndef DV_TOPOLOGY_CHANGE_JOURNAL_H
#define DV_TOPOLOGY_CHANGE_JOURNAL_H

#include "topology/change/change.h"
#include "topology/change/fill.h"

typedef struct dvJournal {
  DV_ARRAY(int32_t) words;   // changes one after the other: what, kind, count, what follows, then the numbers
  DV_ARRAY(double) reals;    // positions and coefficients of them
  bool open;                 // something was noted since the last end of a batch
} dvJournal;

// Adds a change; `positions` of added points may be NULL. The end of a batch counts when something came before it.
void dv_journal_note(dvJournal *j, const dvChange *change, const double *positions);
// The same for what dv_topology_fill is told.
void dv_journal_note_fill(dvJournal *j, const int32_t *hexahedra, const dvCellFill *fills, size_t count);
void dv_topology_note_fill(dvTopology *t, const int32_t *hexahedra, const dvCellFill *fills, size_t count);
void dv_journal_free(dvJournal *j);
// Whether `other` begins with all that stands in `j`.
bool dv_journal_begins(const dvJournal *j, const dvJournal *other);
// What was noted for a topology; NULL when it has never been changed.
const dvJournal *dv_topology_journal(const dvTopology *t);
// Does to a topology what a journal tells. What was done to it already must be the beginning of the journal: else, or
// when the journal makes no sense, DV_ERROR_INPUT with the reason in `why`.
dvStatus dv_topology_replay(dvTopology *t, const dvJournal *j, dvText *why);

#endif

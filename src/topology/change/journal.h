// What was done to a topology since it was read: every change in turn, so that it can be done again to one that was
// read from the same file. Those who follow it follow as they did then. For snapshots; topologies that a mapping fills
// have none, since they follow their input.
#ifndef DV_TOPOLOGY_CHANGE_JOURNAL_H
#define DV_TOPOLOGY_CHANGE_JOURNAL_H

#include "topology/change/change.h"
#include "topology/change/fill.h"

typedef struct dvJournal {
  DV_ARRAY(int32_t) words;   // changes one after the other: what, kind, count, what follows, turn, then the numbers
  DV_ARRAY(double) reals;    // positions and coefficients of them
  bool open;                 // something was noted since the last end of a batch
} dvJournal;

// Adds a change; `positions` of added points may be NULL. The end of a batch counts when something came before it.
// `turn` counts the changes of all meshes of the scene, and goes on by one: a mesh that is linked to another takes over
// what that one has when its own first change comes.
void dv_journal_note(dvJournal *j, const dvChange *change, const double *positions, uint32_t *turn);
// The same for what dv_topology_fill is told.
void dv_journal_note_fill(dvJournal *j, const int32_t *hexahedra, const dvCellFill *fills, size_t count,
                          uint32_t *turn);
void dv_topology_note_fill(dvTopology *t, const int32_t *hexahedra, const dvCellFill *fills, size_t count);
void dv_journal_free(dvJournal *j);
// Whether `other` begins with all that stands in `j`.
bool dv_journal_begins(const dvJournal *j, const dvJournal *other);
// What was noted for a topology; NULL when it has never been changed.
const dvJournal *dv_topology_journal(const dvTopology *t);
// Does to topologies of a scene what their journals tell, in the order in which it was done. What was done to one of
// them already must be the beginning of its journal: else, or when a journal makes no sense, DV_ERROR_INPUT with the
// reason in `why`.
typedef struct dvReplay {
  dvTopology *topology;
  const dvJournal *journal;
  size_t word, real;   // how far it is
} dvReplay;
dvStatus dv_topologies_replay(dvScene *scene, dvReplay *replays, size_t count, dvText *why);

#endif

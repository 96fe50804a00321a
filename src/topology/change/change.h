// Elementary changes of a topology, and who hears of them.
//
// Three things happen to the elements of one kind: some are added at the end, some are removed, all are renumbered. An
// element that is removed gives its number to the last one, so that lists stay without holes: removing 3 of 0 … 9
// leaves 9 as the new 3. Several are removed from the highest number to the lowest, each in turn.
//
// Watchers hear of an addition when it is done, and of a removal while the elements are still there, in the order in
// which they began to watch. What a change costs depends on the number of elements it concerns, never on the size of
// the mesh, except for renumbering and for the first change, after which nothing is derived any more: whoever removes a
// tetrahedron also removes the faces and edges that only it had, faces and edges after volumes, points last.
//
// After the first change the lists are changed through these functions only, not by editing the fields. Before it they
// may be edited as a whole (topology.h): watchers then hear at the beginning of the next step that all is new. What the
// lists were before the first change is kept: a reset puts it back (follow.h).
//
// Components do not watch by themselves: follow.h keeps their arrays in step and calls them once for a batch.
#ifndef DV_TOPOLOGY_CHANGE_CHANGE_H
#define DV_TOPOLOGY_CHANGE_CHANGE_H

#include "topology/topology.h"

DV_PUBLIC_BEGIN

typedef enum dvChangeKind {
  DV_ADDED,
  DV_REMOVING,
  DV_RENUMBERED,
  DV_MOVED,         // points are elsewhere: the weighted sums of their ancestors as these were before
  DV_REMADE,        // somebody edited the lists as a whole: nothing is known of what became of the elements
  DV_CHANGES_END,   // of a batch of changes
} dvChangeKind;

// What new elements come from: number i has the ancestors offsets[i] to offsets[i + 1] - 1, elements of the same kind
// (or points) that existed before, with a coefficient each. A triangle that is one half of another one has that one
// with 0.5; a point in the middle of an edge has both ends with 0.5. All NULL: they come from nothing.
typedef struct dvOrigin {
  const int32_t *offsets, *ancestors;
  const double *coefficients;
} dvOrigin;

typedef struct dvChange {
  dvChangeKind what;
  dvElementKind kind;
  size_t count;    // elements concerned
  size_t before;   // elements of this kind before the change
  // removing: numbers, from the highest to the lowest. Renumbered: indices[new] = old. Moved: numbers
  const int32_t *indices;
  const int32_t *points;   // added: the points of the new elements; NULL for points
  // May be NULL: numbers of their largest parts, those of an element in the order of dv_element_parts. Of elements that
  // are exchanged for others and go: -1 for those that a new one has.
  const int32_t *parts;
  dvOrigin origin;   // added, moved
  // Added: the ancestors go next, and the new elements are what they were made into. Removing: these are they.
  bool exchange;
} dvChange;

typedef struct dvWatcher {
  void (*notice)(struct dvWatcher *w, const dvChange *change);
  // may be NULL: the first change is about to come, and all is still as it was given or derived
  void (*before_first)(struct dvWatcher *w);
  // may be NULL: the topology is what it was before the first change, and follows loaders and mappings again
  void (*put_back)(struct dvWatcher *w);
  dvTopology *topology;   // NULL when it does not watch, or the topology has gone
} dvWatcher;

void dv_topology_watch(dvTopology *t, dvWatcher *w);
// The same before all that watch now, except those who came in this way: states, whose rows others read.
void dv_topology_watch_first(dvTopology *t, dvWatcher *w);
void dv_topology_unwatch(dvWatcher *w);

// Each returns DV_ERROR_USAGE without having changed anything when it is asked for something that cannot be, and
// DV_ERROR_INPUT when memory is short; both with a message.

// `positions` (three numbers each) may be NULL: then they are the weighted sums of the ancestors, or 0.
dvStatus dv_topology_add_points(dvTopology *t, size_t count, const double *positions, dvOrigin origin);
dvStatus dv_topology_add(dvTopology *t, dvElementKind kind, const int32_t *points, size_t count, dvOrigin origin);
// The same for who knows the largest parts of the new elements (dvChange.parts), or exchanges elements for their pieces
// (dvChange.exchange): then the ancestors are to be removed next, in the same way.
dvStatus dv_topology_add_whole(dvTopology *t, dvElementKind kind, const int32_t *points, const int32_t *parts,
                               size_t count, dvOrigin origin, bool exchange);
// Numbers in any order, each once. Points must not belong to an element any more.
dvStatus dv_topology_remove(dvTopology *t, dvElementKind kind, const int32_t *indices, size_t count);
// `parts` are those of the indices, which must descend then; may be NULL.
dvStatus dv_topology_remove_exchanged(dvTopology *t, dvElementKind kind, const int32_t *indices, const int32_t *parts,
                                      size_t count);
// order[new] = old, for all elements of the kind; elements follow when points are renumbered.
dvStatus dv_topology_renumber(dvTopology *t, dvElementKind kind, const int32_t *order);
// Points go to the weighted sums of their ancestors, which must be told, in everything that has positions for them.
dvStatus dv_topology_move_points(dvTopology *t, const int32_t *indices, size_t count, dvOrigin origin);
// Ends a batch, which may concern several topologies of the scene: whoever follows one that has changed is called once.
void dv_topology_end_changes(dvTopology *t);

// Elements of a kind that have this point, first to last; -1 behind the last. Only valid until the next change. For
// those who change topologies: unlike dv_topology_around_point nothing is rebuilt after a change.
//
//   for (int32_t at = dv_topology_first_at(t, DV_TETRAHEDRON, p); at >= 0; at = dv_topology_next_at(t, DV_TETRAHEDRON,
//   at))
//     use(at / 4);      // the element; at % 4 is the corner
int32_t dv_topology_first_at(dvTopology *t, dvElementKind kind, int32_t point);
int32_t dv_topology_next_at(dvTopology *t, dvElementKind kind, int32_t at);

// The chains themselves, for those who follow many of them. Places are numbers + 1, 0 ends; list[place - 1] is the
// point. Valid until the next change; `first` is NULL when there are none.
typedef struct dvChains {
  const int32_t *first, *next, *list;
} dvChains;
dvChains dv_topology_chains(dvTopology *t, dvElementKind kind);

// Prepares for changes, as each of them does: from here on nothing is derived or linked.
dvStatus dv_topology_first_change(dvTopology *t);
// For topological mappings: the batch of the input ends, and with it that of `t`.
void dv_topology_tell_end(dvTopology *t);
// For follow.c: tells the watchers that the lists are new, if they are since the last call. Returns whether they are.
bool dv_topology_tell_remade(dvTopology *t);
void dv_topology_free_changes(dvTopology *t);   // for dv_topology_free
// For a reset (follow.h): lists, links and what is derived are as before the first change. False when there was none.
bool dv_topology_put_back(dvTopology *t);

DV_PUBLIC_END

#endif

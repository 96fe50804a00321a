// What a batch of changes did to a topology, for those who bring up to date only what it concerns.
//
// In `topology_changed` (follow.h) a component asks for the trace of a topology that it follows. It names the elements
// and points whose rows are others than before; everything else is as it was. What a component does for each of them
// makes up its cost, which then does not depend on the size of the mesh:
//
//   const dvTrace *trace = dv_topology_trace(mesh);
//   if (!trace || o->rewound) make_everything();
//   else for each i of dv_trace_rows(mesh, DV_TRIANGLE): take the points of triangle i again
//
// There is none when all may be new: elements were renumbered or edited as a whole, or so many have changed that making
// everything is quicker.
#ifndef DV_TOPOLOGY_CHANGE_TRACE_H
#define DV_TOPOLOGY_CHANGE_TRACE_H

#include "base/array.h"
#include "topology/change/change.h"

DV_PUBLIC_BEGIN

// One of the elements of a kind, in the order in which things happened. Added: number `number` came, at the end.
// Removing: it went, and number `last` took its place (itself, when it was the last). Moved: a point is elsewhere.
typedef struct dvTraceStep {
  dvChangeKind what;
  int32_t number, last;
} dvTraceStep;

typedef DV_ARRAY(int32_t) dvNumbers;
// Sorts numbers from 0 on, ascending. Many are sorted digit by digit.
void dv_numbers_sort(int32_t *numbers, size_t count);
// The same, and leaves one of several that are alike.
void dv_numbers_unique(dvNumbers *n);

// A set of numbers that follows when the last takes the number of one that goes: its members, and where each of them is
// in the list.
typedef struct dvMarked {
  dvNumbers list, place;   // place[number]: 1 + index in the list; 0 for those that are not in it
} dvMarked;

typedef struct dvTrace {
  bool whole;                                      // more has happened than steps tell
  bool ended;                                      // by the end of a batch: the next change begins a new one
  size_t length;                                   // steps of all kinds
  DV_ARRAY(dvTraceStep) steps[DV_ELEMENT_KINDS];   // of elements and points
  dvMarked points;                                 // see dv_trace_points
  dvNumbers rows[DV_ELEMENT_KINDS];                // what dv_trace_rows has found
  bool found[DV_ELEMENT_KINDS];
} dvTrace;

// The trace since the last call of `topology_changed`; NULL when there is none.
const dvTrace *dv_topology_trace(const dvTopology *t);
// Elements (or points) that are new, have another number, or whose points have: in ascending order, each once. Points
// that were moved are among the points, not so the elements that have them.
const dvNumbers *dv_trace_rows(dvTopology *t, dvElementKind kind);
// Elements with a point that was moved, and others around points that were touched; none when nothing was moved.
void dv_trace_moved(dvTopology *t, dvElementKind kind, dvNumbers *out);
// Both: all that is computed of the number, the points or the shape of an
// element.
void dv_trace_shapes(dvTopology *t, dvElementKind kind, dvNumbers *out);
// How many elements of a kind there were before, when there are `now`.
size_t dv_trace_before(const dvTrace *trace, dvElementKind kind, size_t now);
// Whether the same has happened to the points of two topologies.
bool dv_trace_same_points(const dvTrace *a, const dvTrace *b);
// Points that are new, moved, have another number, or whose elements are others or have other numbers or shapes. In no
// order.
static inline const dvNumbers *dv_trace_points(const dvTrace *trace) { return &trace->points.list; }
// Elements of a kind that have one of these points, in ascending order, each once: what is computed of neighbours.
void dv_trace_around(dvTopology *t, dvElementKind kind, const dvNumbers *points, dvNumbers *out);
// Elements of a kind that have both points, in ascending order.
void dv_topology_between(dvTopology *t, dvElementKind kind, int32_t p, int32_t q, dvNumbers *out);
// The points of such elements, in ascending order: `points` and those beside them.
void dv_trace_beside(dvTopology *t, dvElementKind kind, const dvNumbers *points, dvNumbers *out);

// --- for change.c and follow.c ---

// A change is about to be told: of a removal the elements are still there.
void dv_trace_note(dvTrace *trace, dvTopology *t, const dvChange *change);
void dv_trace_clear(dvTrace *trace);
void dv_trace_free(dvTrace *trace);
void dv_topology_clear_trace(dvTopology *t);

DV_PUBLIC_END

#endif

// Modifiers: PointSet-, EdgeSet-, TriangleSet-, QuadSet-, TetrahedronSet- and HexahedronSetTopologyModifier.
//
// Through them a scene says which elements of a topology are changed, and what becomes of points that nothing has any
// more. Programs need none: they use modify.h.
#ifndef DV_TOPOLOGY_CHANGE_MODIFIER_H
#define DV_TOPOLOGY_CHANGE_MODIFIER_H

#include "topology/change/modify.h"

#define DV_MODIFIER_FIELDS(X) \
  X(bool, propagateToDOF, "1", "", "no effect: who holds values for points follows their changes", .flags = DV_IDLE)
#define DV_MODIFIER_REMOVAL_FIELDS(X) \
  X(indices, list_Out, "", "", "points: when this is set while the scene runs, the elements that have one are removed")
#define DV_MODIFIER_ISOLATED_FIELDS(X) \
  X(bool, removeIsolated, "1", "", "remove points that no element has any more with their last element")

typedef struct dvModifier {
  dvObject base;
  DV_MODIFIER_FIELDS(DV_MEMBER)
  DV_MODIFIER_REMOVAL_FIELDS(DV_MEMBER)
  DV_MODIFIER_ISOLATED_FIELDS(DV_MEMBER)
  dvTopology *container;   // NULL when there is none
} dvModifier;

// The modifier of a topology: that of its node, or one above. NULL when there is none.
dvModifier *dv_modifier_of(const dvTopology *t);
// What it changes.
dvElementKind dv_modifier_kind(const dvModifier *m);
// Removes elements of a kind from a topology, with the parts and, unless its modifier says otherwise, the points that
// nothing has any more; the message when that cannot be stands at `o`.
dvStatus dv_modifier_remove(dvTopology *t, const dvObject *o, dvElementKind kind, const int32_t *indices, size_t count);

#endif

// Changes of a mesh as its user sees them: parts come and go with the elements that have them.
//
// Who adds a tetrahedron gets the triangles and edges that were missing; who removes one may have the triangles, edges
// and points removed that nothing has any more. Numbers are SOFA's: missing parts are added element by element in the
// order of derive.h, faces before edges that no face has; what goes goes from the largest kind to the points, and the
// last of a kind takes the number of the removed one (change.h). The caller ends the batch (dv_topology_end_changes).
//
// A topology that a topological mapping fills follows its input and is not changed from outside (dv_mesh_may_change).
#ifndef DV_TOPOLOGY_CHANGE_MODIFY_H
#define DV_TOPOLOGY_CHANGE_MODIFY_H

#include "topology/change/change.h"

DV_PUBLIC_BEGIN

// for qsort and bsearch over numbers of elements
static inline int dv_numbers_ascending(const void *a, const void *b)
{
  int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
  return (x > y) - (x < y);
}
static inline int dv_numbers_descending(const void *a, const void *b) { return dv_numbers_ascending(b, a); }

// what goes with removed elements when nothing has it any more
typedef enum dvIsolated {
  DV_KEEP_ISOLATED,
  DV_REMOVE_PARTS,    // faces and edges
  DV_REMOVE_POINTS,   // points too
} dvIsolated;

// Whether the topology may be changed: else false, with a warning at `o` that names the one to change instead.
bool dv_mesh_may_change(dvTopology *t, const dvObject *o);

// Adds elements with the parts that they lack. An element with a point twice, or one that is there already, is refused
// as dv_topology_add refuses points that do not exist; nothing is changed then.
dvStatus dv_mesh_add(dvTopology *t, dvElementKind kind, const int32_t *points, size_t count, dvOrigin origin);
// Removes elements. Numbers that do not exist or come again are left out, with a warning.
dvStatus dv_mesh_remove(dvTopology *t, dvElementKind kind, const int32_t *indices, size_t count, dvIsolated isolated);
// Puts elements in the place of others, whose pieces they are: piece i is `shares[i]` of the element ancestors[i].
dvStatus dv_mesh_replace(dvTopology *t, dvElementKind kind, const int32_t *gone, size_t gone_count,
                         const int32_t *points, const int32_t *ancestors, const double *shares, size_t count);
// Moves points, of all that hold positions for them, to the weighted sums of their ancestors.
dvStatus dv_mesh_move_points(dvTopology *t, const int32_t *indices, size_t count, dvOrigin origin);

// The number of the element with these points, in any order; -1 when there is none. As quick as a point has few
// neighbours.
int32_t dv_mesh_find(dvTopology *t, dvElementKind kind, const int32_t *points);
// Numbers of the elements of a kind that have all of some points, up to `room` of them in `out` in ascending order;
// returns how many there are.
size_t dv_mesh_around(dvTopology *t, dvElementKind kind, const int32_t *points, size_t count, int32_t *out,
                      size_t room);
// How many there are, counted up to `most`: quicker.
size_t dv_mesh_count_around(dvTopology *t, dvElementKind kind, const int32_t *points, size_t count, size_t most);

// Parts of an element, places as in derive.h: table[part * dv_element_points(kind) + corner]
typedef struct dvElementParts {
  dvElementKind kind;
  int count;
  const int *table;
} dvElementParts;

// The kinds of parts of an element, largest first; the list ends with count 0.
const dvElementParts *dv_element_parts(dvElementKind kind);

DV_PUBLIC_END

#endif

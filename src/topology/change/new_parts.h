// Faces and edges of elements that come and go: which of them a mesh lacks, and which nothing new has.
#ifndef DV_TOPOLOGY_CHANGE_NEW_PARTS_H
#define DV_TOPOLOGY_CHANGE_NEW_PARTS_H

#include "topology/change/modify.h"
#include "topology/change/trace.h"

typedef struct dvNewParts {
  dvNumbers
      missing[DV_QUAD + 1];   // points of those that the mesh lacks, each kind in its order: edges, triangles, quads
  dvNumbers leaving[DV_QUAD + 1];   // numbers of those that only elements have that go; each once
  dvNumbers largest;   // for each new element the numbers of its largest parts, as they will be when all have come
  dvNumbers going;   // for each that goes, from the last to the first: those of its parts that no new one has, else -1
} dvNewParts;

// New elements, and numbers of others that go for them (may be none). DV_ERROR_INPUT with a message when memory is
// short. The struct is empty before; dv_new_parts_free in any case.
dvStatus dv_new_parts_find(dvNewParts *p, dvTopology *t, dvElementKind kind, const int32_t *elements, size_t count,
                           const dvNumbers *gone);
void dv_new_parts_free(dvNewParts *p);

// 0 for points, 1 for edges, 2 for faces, 3 for volumes
static inline int dv_element_dimension(dvElementKind kind)
{
  return kind == DV_POINT ? 0 : kind == DV_EDGE ? 1 : kind == DV_TRIANGLE || kind == DV_QUAD ? 2 : 3;
}

#endif

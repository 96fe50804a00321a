// Parting: elements fall apart along faces (edges of triangles, triangles of tetrahedra) that are cut.
//
// Around a point elements hang together over faces that are not cut. Those that do so make a sector, and every sector
// but that of the first element gets a point of its own, which descends from the old one. Where elements still hang
// together all around, as at the end of a cut, nothing parts.
#ifndef DV_TOPOLOGY_CHANGE_PART_H
#define DV_TOPOLOGY_CHANGE_PART_H

#include "topology/change/draft.h"

// A face between elements: its points, the one that is looked at first, and the elements that have it.
typedef struct dvBetween {
  int32_t points[3];
  const int32_t *elements;   // numbers in the draft
  size_t count;
} dvBetween;

// Parts the elements of a draft around some points. `is_cut` tells whether a face is cut. *doubled gets the number of
// new points.
dvStatus dv_draft_part(dvDraft *d, const int32_t *points, size_t count,
                       bool (*is_cut)(void *user, const dvBetween *face), void *user, size_t *doubled);

#endif

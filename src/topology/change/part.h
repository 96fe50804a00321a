// Parting: elements fall apart along faces (edges of triangles, triangles of tetrahedra) that are cut.
//
// Around a point elements hang together over faces that are not cut. Those that do so make a sector, and every sector
// but that of the first element gets a point of its own, which descends from the old one. Where elements still hang
// together all around, as at the end of a cut, nothing parts.
#ifndef DV_TOPOLOGY_CHANGE_PART_H
#define DV_TOPOLOGY_CHANGE_PART_H

#include "topology/change/modify.h"

// Parts the elements of a kind (triangles or tetrahedra) around some points. `is_cut` tells whether a face, by its
// points, is cut: of an edge the point that is looked at comes first. *doubled gets the number of new points.
dvStatus dv_mesh_part(dvTopology *t, dvElementKind kind, const int32_t *points, size_t count,
                      bool (*is_cut)(void *user, const int32_t *face), void *user, size_t *doubled);

#endif

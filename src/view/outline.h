// What a picture shows of the elements of a topology: the faces that only one volume has, and the edges.
#ifndef DV_VIEW_OUTLINE_H
#define DV_VIEW_OUTLINE_H

#include "scene/node.h"
#include "topology/topology.h"

// Triangles (corners 3) or quads (corners 4): those of the volumes that no two share, and those that are no sides of
// volumes. False when memory is short. `out` is appended to.
bool dv_outline_faces(dvTopology *t, int corners, dvInts *out);
// Of the faces of a surface, as triangles, those that no two volumes share. False, and nothing, where no topology of
// the node or above has volumes between as many points, or where the faces do not cover the outer ones: then they are
// meant as they are.
bool dv_outline_skin(const dvNode *node, size_t points, const dvInts *triangles, const dvInts *quads, dvInts *out);
// The edges of all elements, each once.
bool dv_outline_edges(dvTopology *t, dvInts *out);

#endif

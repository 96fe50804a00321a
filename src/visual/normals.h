// Normals of a surface at its vertices.
#ifndef DV_VISUAL_NORMALS_H
#define DV_VISUAL_NORMALS_H

#include "object/values.h"

typedef struct dvSurface {
  const double *vertices;           // three numbers each
  size_t vertex_count;
  const dvInts *triangles, *quads;  // indices below vertex_count
  const dvInts *normal_index;       // vertices of the same number share a normal; NULL or empty: each has its own
  size_t normal_count;              // numbers in normal_index are below this
} dvSurface;

// Unit normals, three numbers a vertex: the sum over the faces around it, each with the length of the cross product of
// the two edges that meet there (twice the area of a triangle). A vertex without faces gets zeros. `shared` has room
// for three numbers a shared normal and may be NULL without normal_index.
void dv_surface_normals(const dvSurface *s, double *normals, double *shared);

#endif

// Normals of a deforming surface, which is taken apart at its creases.
#ifndef DV_RENDER_CREASES_H
#define DV_RENDER_CREASES_H

#include "base/array.h"

// A surface as it is drawn: a point on a crease is there once for each smooth part around it.
typedef struct dvCreases {
  DV_ARRAY(uint32_t) index;    // three each; indices that point nowhere are left out
  DV_ARRAY(uint32_t) source;   // which point each of the new ones was
  DV_ARRAY(uint32_t) same;     // the first of those that share a normal (seams of a texture); empty: none
} dvCreases;

// `x`: three numbers a point. Two triangles that turn away from each other by more than 50 degrees form a crease.
// `seams`: points at one place belong together, as where a texture is sewn.
void dv_creases_find(dvCreases *c, const float *x, size_t points, const uint32_t *triangles, size_t corners,
                     bool seams);
// Normals of the new points, weighted by the areas around them, at the places that the points have now.
void dv_creases_normals(const dvCreases *c, const float *x, float *normals);
void dv_creases_free(dvCreases *c);

#endif

// What the files that make shapes share.
#ifndef DV_RENDER_INSIDE_H
#define DV_RENDER_INSIDE_H

#include "render/shapes.h"

// Numbers of an array of the list; NULL and 0 where there is none.
const float *dv_shape_numbers(const dvDraw *d, int array, size_t *count);
// Begins a batch with the colour of the drawable.
dvBatch *dv_shape_batch(dvShapes *s, const dvDrawable *a, dvBatchKind kind);
// Spheres, arrows, frames and boxes (copies.c).
void dv_shape_copies(dvShapes *s, const dvDraw *d, size_t which);
void dv_shape_box_size(const float size[3], double diagonal, float out[3]);

#endif

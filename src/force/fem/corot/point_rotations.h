// Rotations of points as means over the elements around them.
#ifndef DV_FORCE_FEM_COROT_POINT_ROTATIONS_H
#define DV_FORCE_FEM_COROT_POINT_ROTATIONS_H

#include "base/pool.h"

#include <stdint.h>

// Adds the rotation of an element to those of its corners; `sums` has nine numbers a point.
static inline void dv_point_rotations_add(double *sums, const int32_t *corner, size_t corners, const double rotation[9])
{
  for (size_t i = 0; i < corners; i++)
    for (size_t k = 0; k < 9; k++) sums[9 * (size_t)corner[i] + k] += rotation[k];
}

// From sums to rotations: their polar factors; the identity for points without elements.
void dv_point_rotations_finish(double *sums, size_t points, dvPool *pool);

#endif

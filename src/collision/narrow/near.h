// Which boxes of many are near another one: the inner loop of walks over trees.
#ifndef DV_COLLISION_NARROW_NEAR_H
#define DV_COLLISION_NARROW_NEAR_H

#include "base/isa.h"
#include "topology/search/box_tree.h"

typedef struct dvNearKernels {
  // Lists those of the boxes that are within a distance of one along every axis, in ascending order; `out` has room
  // for all. How many.
  size_t (*boxes)(const dvBox *boxes, size_t count, const dvBox *one, double distance, int32_t *out);
} dvNearKernels;

DV_KERNEL_DECLARE(dvNearKernels, dv_near_kernels);

#endif

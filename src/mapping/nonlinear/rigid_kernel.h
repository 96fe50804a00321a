// Inner loop of RigidMapping: points in frames to points of the world.
#ifndef DV_MAPPING_NONLINEAR_RIGID_KERNEL_H
#define DV_MAPPING_NONLINEAR_RIGID_KERNEL_H

#include "base/isa.h"

#include <stddef.h>
#include <stdint.h>

// A frame as four columns of four numbers: R and the centre, the last row unused.
typedef struct dvRigidFrame {
  double column[4][4];
} dvRigidFrame;

typedef struct dvRigidKernels {
  // out = c + R p for points begin to end - 1, three numbers each; `frame` is NULL when all belong to the first one
  void (*points)(const dvRigidFrame *frames, const int32_t *frame, const double *p, double *out, size_t begin,
                 size_t end);
} dvRigidKernels;

DV_KERNEL_DECLARE(dvRigidKernels, dv_rigid_kernels);

#endif

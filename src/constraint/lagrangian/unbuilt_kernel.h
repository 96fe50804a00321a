// Sweeps over contacts without W; see unbuilt.h.
#ifndef DV_CONSTRAINT_LAGRANGIAN_UNBUILT_KERNEL_H
#define DV_CONSTRAINT_LAGRANGIAN_UNBUILT_KERNEL_H

#include "base/isa.h"
#include "constraint/lagrangian/unbuilt.h"

typedef struct dvUnbuiltKernels {
  // u += c lambda of a law with three rows
  void (*move)(dvUnbuilt *u, const dvUnbuiltLaw *l, const double lambda[3]);
  // own block of W of a law with three rows
  void (*own)(const dvUnbuilt *u, const dvUnbuiltLaw *l, double own[9]);
  void (*friction)(dvUnbuilt *u, size_t begin, size_t end, const double *free, double *lambda, bool together,
                   double *errors, double *most);
} dvUnbuiltKernels;
DV_KERNEL_DECLARE(dvUnbuiltKernels, dv_unbuilt_kernels);

#endif

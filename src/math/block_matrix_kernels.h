// Inner loops of block matrices (block_matrix.h), for each instruction set.
#ifndef DV_MATH_BLOCK_MATRIX_KERNELS_H
#define DV_MATH_BLOCK_MATRIX_KERNELS_H

#include "base/isa.h"
#include "math/block_matrix.h"

// Rows begin to end - 1 of y = A x.
typedef void (*dvRowProduct)(const dvBlockMatrix *a, size_t begin, size_t end, const double *x, double *y);
typedef struct dvBlockMatrixKernels {
  dvRowProduct product1, product3, product6;
  // Adds the matrix of an element with `count` points, 3 count numbers a side, to blocks of three: block (i, j) to the
  // entry place[i count + j].
  void (*add_element3)(double *values, const int32_t *place, size_t count, const double *element);
} dvBlockMatrixKernels;

DV_KERNEL_DECLARE(dvBlockMatrixKernels, dv_block_matrix_kernels);

#endif

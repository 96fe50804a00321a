// Products with wide blocks of Jacobians, those of frames that deform. See project.h.
#include "linear/system/project.h"

// c += a b, a: n x m, b: m x l
static void wide_product(double *restrict c, const double *restrict a, const double *restrict b, int n, int m, int l)
{
  for (int i = 0; i < n; i++)
    for (int k = 0; k < m; k++) {
      double value = a[i * m + k];
      if (value == 0) continue;
      for (int j = 0; j < l; j++) c[i * l + j] += value * b[k * l + j];
    }
}

// c += a^T b, a: n x m, b: n x l
static void wide_transposed(double *restrict c, const double *restrict a, const double *restrict b, int n, int m, int l)
{
  for (int k = 0; k < n; k++)
    for (int i = 0; i < m; i++) {
      double value = a[k * m + i];
      if (value == 0) continue;   // of ten columns one has a number in this row
      for (int j = 0; j < l; j++) c[i * l + j] += value * b[k * l + j];
    }
}

const dvProjectionKernels DV_KERNEL_NAME(dv_projection_kernels) = {.product = wide_product,
                                                                   .transposed = wide_transposed};

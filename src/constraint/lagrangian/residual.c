// See residual.h.
#include "constraint/lagrangian/residual.h"

#include "math/kernels.h"

#include <math.h>
#include <string.h>

enum { SWEEPS = 32 };   // until d is computed anew

void dv_residual_reset(dvResidual *r, bool symmetric)
{
  r->d.count = 0;
  r->symmetric = symmetric;
}

static bool is_symmetric(const double *w, size_t rows)
{
  for (size_t i = 0; i < rows; i++)
    for (size_t k = 0; k < i; k++) {
      double a = w[i * rows + k], b = w[k * rows + i];
      if (fabs(a - b) > 1e-9 * (fabs(a) + fabs(b)) && fabs(a - b) > 1e-12 * w[i * rows + i]) return false;
    }
  return true;
}

void dv_residual_follow(dvResidual *r, const double *w, const double *free, const double *lambda, size_t rows)
{
  if (rows == 0) return;
  bool same = r->d.count == rows && memcmp(r->lambda.data, lambda, rows * sizeof *lambda) == 0;
  if (same && ++r->age < SWEEPS) return;
  const dvVectorKernels *kernels = dv_vector_kernels();
  if (r->d.count != rows && !r->symmetric) r->symmetric = is_symmetric(w, rows);
  dv_array_resize(&r->d, rows);
  dv_array_resize(&r->lambda, rows);
  memcpy(r->lambda.data, lambda, rows * sizeof *lambda);
  for (size_t i = 0; i < rows; i++) r->d.data[i] = free[i] + kernels->dot(w + i * rows, lambda, rows);
  r->age = 0;
}

void dv_residual_change(dvResidual *r, const double *w, size_t first, size_t count, const double *lambda)
{
  const dvVectorKernels *kernels = dv_vector_kernels();
  size_t rows = r->d.count;
  for (size_t i = 0; i < count; i++) {
    double change = lambda[i] - r->lambda.data[first + i];
    r->lambda.data[first + i] = lambda[i];
    if (change == 0) continue;
    if (r->symmetric) kernels->axpy(change, w + (first + i) * rows, r->d.data, rows);
    for (size_t k = 0; !r->symmetric && k < rows; k++) r->d.data[k] += change * w[k * rows + first + i];
  }
}

void dv_residual_free(dvResidual *r)
{
  dv_array_free(&r->d);
  dv_array_free(&r->lambda);
}

// See dense.h.
#include "math/dense.h"

#include "math/kernels.h"

#include <float.h>
#include <math.h>
#include <string.h>

// --- LU ------------------------------------------------------------------------------------------

static void swap_rows(double *a, double *b, size_t n)
{
  for (size_t j = 0; j < n; j++) {
    double t = a[j];
    a[j] = b[j];
    b[j] = t;
  }
}

bool dv_dense_lu(double *a, int32_t *exchange, size_t n, double small, size_t *bad)
{
  const dvVectorKernels *v = dv_vector_kernels();
  double largest = 0;
  for (size_t i = 0; i < n * n; i++) largest = fmax(largest, fabs(a[i]));
  for (size_t k = 0; k < n; k++) {
    size_t best = k;
    for (size_t i = k + 1; i < n; i++)
      if (fabs(a[i * n + k]) > fabs(a[best * n + k])) best = i;
    if (fabs(a[best * n + k]) <= small * largest) {
      *bad = k;
      return false;
    }
    exchange[k] = (int32_t)best;
    if (best != k) swap_rows(a + k * n, a + best * n, n);
    for (size_t i = k + 1; i < n; i++) {
      double factor = a[i * n + k] / a[k * n + k];
      a[i * n + k] = factor;
      if (factor != 0) v->axpy(-factor, a + k * n + k + 1, a + i * n + k + 1, n - k - 1);
    }
  }
  return true;
}

void dv_dense_lu_solve(const double *lu, const int32_t *exchange, size_t n, double *x)
{
  for (size_t k = 0; k < n; k++) {
    double t = x[exchange[k]];
    x[exchange[k]] = x[k];
    x[k] = t;
  }
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < i; j++) x[i] -= lu[i * n + j] * x[j];
  for (size_t i = n; i-- > 0;) {
    for (size_t j = i + 1; j < n; j++) x[i] -= lu[i * n + j] * x[j];
    x[i] /= lu[i * n + i];
  }
}

void dv_dense_lu_solve_transposed(const double *lu, const int32_t *exchange, size_t n, double *x)
{
  const dvVectorKernels *v = dv_vector_kernels();
  for (size_t i = 0; i < n; i++) {
    x[i] /= lu[i * n + i];
    v->axpy(-x[i], lu + i * n + i + 1, x + i + 1, n - i - 1);
  }
  for (size_t i = n; i-- > 0;) v->axpy(-x[i], lu + i * n, x, i);
  for (size_t k = n; k-- > 0;) {
    double t = x[exchange[k]];
    x[exchange[k]] = x[k];
    x[k] = t;
  }
}

// --- Cholesky ------------------------------------------------------------------------------------

static double dot(const double *a, const double *b, size_t n)
{
  const dvVectorKernels *v = dv_vector_kernels();
  double sum = 0;
  for (size_t i = 0; i < n; i += DV_VECTOR_CHUNK) sum += v->dot(a + i, b + i, dv_min_size(DV_VECTOR_CHUNK, n - i));
  return sum;
}

bool dv_dense_cholesky(double *a, size_t n, size_t *bad)
{
  for (size_t i = 0; i < n; i++) {
    double diagonal = a[i * n + i];
    for (size_t j = 0; j < i; j++) a[i * n + j] = (a[i * n + j] - dot(a + i * n, a + j * n, j)) / a[j * n + j];
    double pivot = diagonal - dot(a + i * n, a + i * n, i);
    if (pivot <= 1e-14 * fabs(diagonal)) {
      *bad = i;
      return false;
    }
    a[i * n + i] = sqrt(pivot);
  }
  return true;
}

void dv_dense_cholesky_solve(const double *l, size_t n, double *x)
{
  const dvVectorKernels *v = dv_vector_kernels();
  for (size_t i = 0; i < n; i++) x[i] = (x[i] - dot(l + i * n, x, i)) / l[i * n + i];
  for (size_t i = n; i-- > 0;) {
    x[i] /= l[i * n + i];
    v->axpy(-x[i], l + i * n, x, i);
  }
}

// --- singular values -----------------------------------------------------------------------------

// turns two columns of A (rows here) so that they are orthogonal; true when they were not
static bool rotate_pair(double *a, double *b, double *va, double *vb, size_t n)
{
  double aa = dot(a, a, n), bb = dot(b, b, n), ab = dot(a, b, n);
  if (fabs(ab) <= 4 * DBL_EPSILON * sqrt(aa * bb) || ab == 0) return false;
  double zeta = (bb - aa) / (2 * ab);
  double t = (zeta >= 0 ? 1 : -1) / (fabs(zeta) + sqrt(1 + zeta * zeta)), c = 1 / sqrt(1 + t * t), s = c * t;
  double *pairs[2][2] = {{a, b}, {va, vb}};
  for (int k = 0; k < 2; k++)
    for (size_t i = 0; i < n; i++) {
      double p = pairs[k][0][i], q = pairs[k][1][i];
      pairs[k][0][i] = c * p - s * q;
      pairs[k][1][i] = s * p + c * q;
    }
  return true;
}

static void sort_downwards(double *ut, double *vt, double *sigma, size_t n)
{
  for (size_t k = 0; k < n; k++) {
    size_t best = k;
    for (size_t i = k + 1; i < n; i++)
      if (sigma[i] > sigma[best]) best = i;
    if (best == k) continue;
    swap_rows(ut + k * n, ut + best * n, n);
    swap_rows(vt + k * n, vt + best * n, n);
    double t = sigma[k];
    sigma[k] = sigma[best];
    sigma[best] = t;
  }
}

void dv_dense_svd(double *ut, double *vt, double *sigma, size_t n)
{
  // columns become rows: rotations run along memory
  for (size_t i = 0; i < n; i++)
    for (size_t j = i + 1; j < n; j++) {
      double t = ut[i * n + j];
      ut[i * n + j] = ut[j * n + i];
      ut[j * n + i] = t;
    }
  memset(vt, 0, n * n * sizeof *vt);
  for (size_t i = 0; i < n; i++) vt[i * n + i] = 1;
  bool turned = true;
  for (int sweep = 0; sweep < 60 && turned; sweep++) {
    turned = false;
    for (size_t i = 0; i + 1 < n; i++)
      for (size_t j = i + 1; j < n; j++) turned |= rotate_pair(ut + i * n, ut + j * n, vt + i * n, vt + j * n, n);
  }
  for (size_t i = 0; i < n; i++) {
    sigma[i] = sqrt(dot(ut + i * n, ut + i * n, n));
    for (size_t j = 0; j < n && sigma[i] > 0; j++) ut[i * n + j] /= sigma[i];
  }
  sort_downwards(ut, vt, sigma, n);
}

// --- eigenvalues ---------------------------------------------------------------------------------

enum { EIGEN_LIMIT = 32 };   // rows that fit on the stack

// the rotation of rows and columns p and q that makes a_pq zero
static void eigen_rotate(double *a, double *v, size_t n, size_t p, size_t q)
{
  double theta = (a[q * n + q] - a[p * n + p]) / (2 * a[p * n + q]);
  double t = copysign(1, theta) / (fabs(theta) + sqrt(theta * theta + 1)), c = 1 / sqrt(t * t + 1), s = t * c;
  for (size_t k = 0; k < n; k++) {
    double x = a[k * n + p], y = a[k * n + q];
    a[k * n + p] = c * x - s * y, a[k * n + q] = s * x + c * y;
  }
  for (size_t k = 0; k < n; k++) {
    double x = a[p * n + k], y = a[q * n + k], w = v[p * n + k], z = v[q * n + k];
    a[p * n + k] = c * x - s * y, a[q * n + k] = s * x + c * y;
    v[p * n + k] = c * w - s * z, v[q * n + k] = s * w + c * z;
  }
  a[p * n + q] = a[q * n + p] = 0;
}

void dv_dense_eigen_symmetric(const double *given, double *values, double *v, size_t n)
{
  double small[EIGEN_LIMIT * EIGEN_LIMIT], *a = n <= EIGEN_LIMIT ? small : dv_alloc(n * n * sizeof *a), total = 0;
  memcpy(a, given, n * n * sizeof *a);
  memset(v, 0, n * n * sizeof *v);
  for (size_t i = 0; i < n; i++) v[i * n + i] = 1;
  for (size_t i = 0; i < n * n; i++) total += a[i] * a[i];
  for (int sweep = 0; sweep < 60; sweep++) {
    double left = 0;
    for (size_t p = 0; p < n; p++)
      for (size_t q = p + 1; q < n; q++) left += a[p * n + q] * a[p * n + q];
    if (left <= 1e-34 * total) break;
    for (size_t p = 0; p < n; p++)
      for (size_t q = p + 1; q < n; q++)
        if (fabs(a[p * n + q]) > 1e-300) eigen_rotate(a, v, n, p, q);
  }
  for (size_t i = 0; i < n; i++) values[i] = a[i * n + i];
  if (a != small) dv_free(a);
}

void dv_dense_product(const double *a, size_t rows, size_t cols, const double *x, double *y)
{
  for (size_t i = 0; i < rows; i++) y[i] = dot(a + i * cols, x, cols);
}

void dv_dense_pseudo_inverse(const double *a, size_t n, double *inverse, double *work)
{
  double *factor = work, *values = work + n * n, largest = 0;
  size_t bad;
  memcpy(factor, a, n * n * sizeof *factor);
  memset(inverse, 0, n * n * sizeof *inverse);
  if (dv_dense_cholesky(factor, n, &bad)) {
    for (size_t k = 0; k < n; k++) {
      memset(values, 0, n * sizeof *values);
      values[k] = 1;
      dv_dense_cholesky_solve(factor, n, values);
      for (size_t i = 0; i < n; i++) inverse[i * n + k] = values[i];
    }
    return;
  }
  dv_dense_eigen_symmetric(a, values, factor, n);
  for (size_t k = 0; k < n; k++) largest = fmax(largest, fabs(values[k]));
  for (size_t k = 0; k < n; k++) {
    if (!(fabs(values[k]) > 1e-12 * largest)) continue;
    for (size_t i = 0; i < n; i++)
      for (size_t j = 0; j < n; j++) inverse[i * n + j] += factor[k * n + i] * factor[k * n + j] / values[k];
  }
}

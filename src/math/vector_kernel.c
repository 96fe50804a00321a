// Inner loops of vector operations, four packs of four numbers at a time in the sums. What is left
// over goes to the first pack, the last three numbers to a sum of their own: the order depends on n
// alone.
#include "base/simd.h"
#include "math/kernels.h"

enum { PACKS = 4, STEP = PACKS * DV_LANES };

DV_INLINE double sum_of_packs(const dvPack s[PACKS]) { return dv_pack_sum((s[0] + s[1]) + (s[2] + s[3])); }

static double vector_dot(const double *a, const double *b, size_t n)
{
  dvPack s[PACKS] = {{0}};
  size_t i = 0;
  for (; i + STEP <= n; i += STEP)
    for (int k = 0; k < PACKS; k++) s[k] += dv_pack_load(a + i + 4 * k) * dv_pack_load(b + i + 4 * k);
  for (; i + DV_LANES <= n; i += DV_LANES) s[0] += dv_pack_load(a + i) * dv_pack_load(b + i);
  double tail = 0;
  for (; i < n; i++) tail += a[i] * b[i];
  return sum_of_packs(s) + tail;
}

static double vector_norm2(const double *a, size_t n) { return vector_dot(a, a, n); }

static void vector_axpy(double k, const double *x, double *y, size_t n)
{
  dvPack kk = dv_pack(k);
  size_t i = 0;
  for (; i + DV_LANES <= n; i += DV_LANES) dv_pack_store(y + i, dv_pack_load(y + i) + kk * dv_pack_load(x + i));
  for (; i < n; i++) y[i] += k * x[i];
}

static void vector_xpay(const double *x, double k, double *y, size_t n)
{
  dvPack kk = dv_pack(k);
  size_t i = 0;
  for (; i + DV_LANES <= n; i += DV_LANES) dv_pack_store(y + i, dv_pack_load(x + i) + kk * dv_pack_load(y + i));
  for (; i < n; i++) y[i] = x[i] + k * y[i];
}

static void vector_scale(double k, double *x, size_t n)
{
  dvPack kk = dv_pack(k);
  size_t i = 0;
  for (; i + DV_LANES <= n; i += DV_LANES) dv_pack_store(x + i, kk * dv_pack_load(x + i));
  for (; i < n; i++) x[i] *= k;
}

static void vector_copy(const double *x, double *y, size_t n)
{
  if (x != y) memcpy(y, x, n * sizeof *y);
}

static void vector_fill(double value, double *x, size_t n)
{
  dvPack v = dv_pack(value);
  size_t i = 0;
  for (; i + DV_LANES <= n; i += DV_LANES) dv_pack_store(x + i, v);
  for (; i < n; i++) x[i] = value;
}

static void vector_combine(const double *a, double k, const double *b, double *r, size_t n)
{
  dvPack kk = dv_pack(k);
  size_t i = 0;
  for (; i + DV_LANES <= n; i += DV_LANES) dv_pack_store(r + i, dv_pack_load(a + i) + kk * dv_pack_load(b + i));
  for (; i < n; i++) r[i] = a[i] + k * b[i];
}

// one pack of the conjugate gradient step; returns the square of the new residual
DV_INLINE dvPack cg_pack(dvPack alpha, const double *p, const double *q, double *x, double *r)
{
  dvPack rest = dv_pack_load(r) - alpha * dv_pack_load(q);
  dv_pack_store(x, dv_pack_load(x) + alpha * dv_pack_load(p));
  dv_pack_store(r, rest);
  return rest * rest;
}

static double vector_cg_step(double alpha, const double *p, const double *q, double *x, double *r, size_t n)
{
  dvPack k = dv_pack(alpha), s[PACKS] = {{0}};
  size_t i = 0;
  for (; i + STEP <= n; i += STEP)
    for (size_t j = 0; j < PACKS; j++) s[j] += cg_pack(k, p + i + 4 * j, q + i + 4 * j, x + i + 4 * j, r + i + 4 * j);
  for (; i + DV_LANES <= n; i += DV_LANES) s[0] += cg_pack(k, p + i, q + i, x + i, r + i);
  double tail = 0;
  for (; i < n; i++) {
    x[i] += alpha * p[i];
    r[i] -= alpha * q[i];
    tail += r[i] * r[i];
  }
  return sum_of_packs(s) + tail;
}

const dvVectorKernels DV_KERNEL_NAME(dv_vector_kernels) = {
    .dot = vector_dot,
    .norm2 = vector_norm2,
    .axpy = vector_axpy,
    .xpay = vector_xpay,
    .scale = vector_scale,
    .copy = vector_copy,
    .fill = vector_fill,
    .combine = vector_combine,
    .cg_step = vector_cg_step,
};

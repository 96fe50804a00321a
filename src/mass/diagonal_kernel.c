// Inner loops of diagonal masses on points in space. Four points are twelve numbers: three packs, whose masses are
// the four of one load, spread out.
#include "base/simd.h"
#include "mass/diagonal.h"

DV_INLINE void spread(dvPack m, dvPack *a, dvPack *b, dvPack *c)
{
  *a = DV_SHUFFLE(m, m, 0, 0, 0, 1);
  *b = DV_SHUFFLE(m, m, 1, 1, 2, 2);
  *c = DV_SHUFFLE(m, m, 2, 3, 3, 3);
}

static void diagonal_add(double factor, const double *mass, const double *x, double *y, size_t n)
{
  dvPack k = dv_pack(factor);
  size_t i = 0;
  for (; i + DV_LANES <= n; i += DV_LANES) {
    dvPack a, b, c;
    spread(k * dv_pack_load(mass + i), &a, &b, &c);
    const double *p = x + 3 * i;
    double *q = y + 3 * i;
    dv_pack_store(q, dv_pack_load(q) + a * dv_pack_load(p));
    dv_pack_store(q + 4, dv_pack_load(q + 4) + b * dv_pack_load(p + 4));
    dv_pack_store(q + 8, dv_pack_load(q + 8) + c * dv_pack_load(p + 8));
  }
  for (; i < n; i++)
    for (size_t j = 3 * i; j < 3 * i + 3; j++) y[j] += factor * mass[i] * x[j];
}

static void diagonal_divide(const double *mass, const double *f, double *a, size_t n)
{
  for (size_t i = 0; i < n; i++)
    for (size_t j = 3 * i; j < 3 * i + 3; j++) a[j] = mass[i] != 0 ? f[j] / mass[i] : 0;
}

static void diagonal_add_same(const double *mass, const double g[3], double *y, size_t n)
{
  dvPack ga = {g[0], g[1], g[2], g[0]}, gb = {g[1], g[2], g[0], g[1]}, gc = {g[2], g[0], g[1], g[2]};
  size_t i = 0;
  for (; i + DV_LANES <= n; i += DV_LANES) {
    dvPack a, b, c;
    spread(dv_pack_load(mass + i), &a, &b, &c);
    double *q = y + 3 * i;
    dv_pack_store(q, dv_pack_load(q) + a * ga);
    dv_pack_store(q + 4, dv_pack_load(q + 4) + b * gb);
    dv_pack_store(q + 8, dv_pack_load(q + 8) + c * gc);
  }
  for (; i < n; i++)
    for (size_t j = 0; j < 3; j++) y[3 * i + j] += mass[i] * g[j];
}

const dvDiagonalKernels DV_KERNEL_NAME(dv_diagonal_kernels) = {
    .add = diagonal_add,
    .divide = diagonal_divide,
    .add_same = diagonal_add_same,
};

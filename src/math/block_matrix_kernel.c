// Inner loops of products with block matrices.
//
// Blocks of three: each row of a block is one pack whose fourth lane is not used, so one product and sum a row. Blocks
// of six: the 36 numbers are nine packs; the columns they meet repeat every three packs (0123 4501 2345).
#include "base/simd.h"
#include "math/block_matrix_kernels.h"

enum { LARGE = 3 << 17 };   // numbers: 3 MB, more than the second level of a cache keeps

static void product1(const dvBlockMatrix *a, size_t begin, size_t end, const double *x, double *y)
{
  const int32_t *start = a->pattern.row_start, *col = a->pattern.col;
  for (size_t r = begin; r < end; r++) {
    double even = 0, odd = 0;
    int32_t e = start[r];
    for (; e + 1 < start[r + 1]; e += 2) {
      even += a->values[e] * x[col[e]];
      odd += a->values[e + 1] * x[col[e + 1]];
    }
    if (e < start[r + 1]) even += a->values[e] * x[col[e]];
    y[r] = even + odd;
  }
}

// three numbers of x; the lane behind them is read too, except at the very end of x
DV_INLINE dvPack load_point(const double *x, int32_t point, int32_t last)
{
  const double *p = x + 3 * (size_t)point;
  return point == last ? (dvPack){p[0], p[1], p[2], 0} : dv_pack_load(p);
}

// Two entries at a time: a sum waits for itself only every second entry. `fetch` is a constant where this is inlined.
DV_INLINE void product3_rows(const dvBlockMatrix *a, size_t begin, size_t end, const double *x, double *y, bool fetch)
{
  const int32_t *start = a->pattern.row_start, *col = a->pattern.col;
  int32_t last = (int32_t)a->pattern.cols - 1;
  const double *v = a->values + 9 * (size_t)start[begin];
  for (size_t r = begin; r < end; r++) {
    dvPack s0 = {0}, s1 = {0}, s2 = {0}, t0 = {0}, t1 = {0}, t2 = {0};
    int32_t e = start[r], stop = start[r + 1];
    for (; e + 1 < stop; e += 2, v += 18) {
      dvPack p = load_point(x, col[e], last), q = load_point(x, col[e + 1], last);
      if (fetch) {
        __builtin_prefetch(v + DV_PREFETCH);
        __builtin_prefetch(v + DV_PREFETCH + 8);
      }
      s0 += dv_pack_load(v) * p;
      s1 += dv_pack_load(v + 3) * p;
      s2 += dv_pack_load(v + 6) * p;
      t0 += dv_pack_load(v + 9) * q;
      t1 += dv_pack_load(v + 12) * q;
      t2 += dv_pack_load(v + 15) * q;
    }
    if (e < stop) {
      dvPack p = load_point(x, col[e], last);
      s0 += dv_pack_load(v) * p;
      s1 += dv_pack_load(v + 3) * p;
      s2 += dv_pack_load(v + 6) * p;
      v += 9;
    }
    s0 += t0;
    s1 += t1;
    s2 += t2;
    y[3 * r] = s0[0] + s0[1] + s0[2];
    y[3 * r + 1] = s1[0] + s1[1] + s1[2];
    y[3 * r + 2] = s2[0] + s2[1] + s2[2];
  }
}

static void product3(const dvBlockMatrix *a, size_t begin, size_t end, const double *x, double *y)
{
  if (dv_pattern_count(&a->pattern) * 9 > LARGE) product3_rows(a, begin, end, x, y, true);
  else product3_rows(a, begin, end, x, y, false);
}

static void product6(const dvBlockMatrix *a, size_t begin, size_t end, const double *x, double *y)
{
  const int32_t *start = a->pattern.row_start, *col = a->pattern.col;
  for (size_t r = begin; r < end; r++) {
    double flat[36] __attribute__((aligned(32)));
    dvPack s[9] = {{0}};
    const double *v = a->values + 36 * (size_t)start[r];
    for (int32_t e = start[r]; e < start[r + 1]; e++, v += 36) {
      const double *p = x + 6 * (size_t)col[e];
      dvPack meets[3] = {dv_pack_load(p), {p[4], p[5], p[0], p[1]}, dv_pack_load(p + 2)};
      for (int k = 0; k < 9; k++) s[k] += dv_pack_load(v + 4 * k) * meets[k % 3];
    }
    for (int k = 0; k < 9; k++) dv_pack_store(flat + 4 * k, s[k]);
    for (int i = 0; i < 6; i++) {
      const double *f = flat + 6 * i;
      y[6 * r + (size_t)i] = ((f[0] + f[1]) + (f[2] + f[3])) + (f[4] + f[5]);
    }
  }
}

// nine numbers in a row from three rows: two packs and one number, so that few of them are touched one by one
DV_INLINE void add_block3(double *restrict to, const double *row, size_t side)
{
#ifdef __AVX__
  const double *second = row + side, *third = second + side;
  dvPack head = (dvPack)_mm256_blend_pd(_mm256_loadu_pd(row), _mm256_broadcast_sd(second), 8);
  dvPack tail = (dvPack)_mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(second + 1)), _mm_loadu_pd(third), 1);
  dv_pack_store(to, dv_pack_load(to) + head);
  dv_pack_store(to + 4, dv_pack_load(to + 4) + tail);
  to[8] += third[2];
#else
  for (size_t k = 0; k < 3; k++) to[k] += row[k], to[3 + k] += row[side + k], to[6 + k] += row[2 * side + k];
#endif
}

static void add_element3(double *values, const int32_t *place, size_t count, const double *element)
{
  size_t side = 3 * count;
  for (size_t i = 0; i < count; i++, element += 2 * side)
    for (size_t j = 0; j < count; j++, element += 3) add_block3(values + 9 * (size_t)*place++, element, side);
}

const dvBlockMatrixKernels DV_KERNEL_NAME(dv_block_matrix_kernels) = {
    .product1 = product1, .product3 = product3, .product6 = product6, .add_element3 = add_element3};

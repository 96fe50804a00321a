// Inner loops of the sparse LDL^T on the slabs of a front (ldl_front.h): substitution, with one right-hand side or
// DV_RHS of them.
//
// With many, rows of DV_RHS numbers are held in registers.
#include "base/simd.h"
#include "linear/direct/ldl_front.h"
#include "linear/direct/ldl_lanes.h"

// --- one right-hand side -------------------------------------------------------------------------

#define NUMBER double
#define LOAD(p) (*(const Lane *)(p))
#define COLUMNS_OF(v) ((const double *)(v)->lower)
#define NAME(x) x##_double
#include "linear/direct/ldl_substitute.h"
#undef NUMBER
#undef LOAD
#undef COLUMNS_OF
#undef NAME

#define NUMBER float
#define LOAD(p) lane_of_floats(p)
#define COLUMNS_OF(v) ((const float *)(v)->copy)
#define NAME(x) x##_float
#include "linear/direct/ldl_substitute.h"
#undef NUMBER
#undef LOAD
#undef COLUMNS_OF
#undef NAME

typedef double LooseLane __attribute__((vector_size(8 * LANES), aligned(8), may_alias));

static void front_narrow(size_t count, const double *from, float *to)
{
  for (size_t i = 0; i < count; i += LANES) *(Narrow *)(to + i) = lane_to_floats(*(const Lane *)(from + i));
}

// --- many ----------------------------------------------------------------------------------------

// Rows of DV_RHS numbers are PARTS registers. TWO slabs at once where there are enough registers.
#define PARTS (DV_RHS / LANES)
#if LANES == 8
#define TWO 2
#else
#define TWO 1
#endif
typedef struct Many {
  Lane part[PARTS];
} Many;

// sum[s][r] += l[s][k][r] x[k] for n slabs
DV_INLINE void product_many(size_t n, size_t depth, const double *l, size_t stride, const double *x, Many (*sum)[LANES])
{
  for (size_t k = 0; k < depth; k++) {
    Many from = *(const Many *)(x + k * DV_RHS);
#pragma GCC unroll 2
    for (size_t s = 0; s < n; s++)
#pragma GCC unroll 8
      for (size_t r = 0; r < LANES; r++) {
        Lane factor = splat(l[s * stride + k * LANES + r]);
#pragma GCC unroll 2
        for (size_t p = 0; p < PARTS; p++) sum[s][r].part[p] += factor * from.part[p];
      }
  }
}

// n slabs of rows, `stride` apart: to += or -= L x
DV_INLINE void rows_many(size_t n, size_t depth, const double *l, size_t stride, const double *x, Many *to, int sign)
{
  Many sum[TWO][LANES];
#pragma GCC unroll 2
  for (size_t s = 0; s < n; s++)
#pragma GCC unroll 8
    for (size_t r = 0; r < LANES; r++)
#pragma GCC unroll 2
      for (size_t p = 0; p < PARTS; p++) sum[s][r].part[p] = splat(0);
  product_many(n, depth, l, stride, x, sum);
#pragma GCC unroll 2
  for (size_t s = 0; s < n; s++)
#pragma GCC unroll 8
    for (size_t r = 0; r < LANES; r++)
#pragma GCC unroll 2
      for (size_t p = 0; p < PARTS; p++) {
        Lane *at = &to[s * LANES + r].part[p], v = sum[s][r].part[p];
        *at = sign == 0 ? v : sign > 0 ? *at + v : *at - v;
      }
}

// rows j to j + w - 1 among themselves
DV_INLINE void triangle_many(size_t w, const double *own, Many *rows)
{
  Many y[LANES];
#pragma GCC unroll 8
  for (size_t i = 0; i < LANES; i++) {
    if (i >= w) continue;
    y[i] = rows[i];
#pragma GCC unroll 8
    for (size_t c = 0; c < i; c++) {
      Lane factor = splat(own[c * LANES + i]);
#pragma GCC unroll 2
      for (size_t p = 0; p < PARTS; p++) y[i].part[p] -= factor * y[c].part[p];
    }
    rows[i] = y[i];
  }
}

// what stands before column `first` is zero
static void diagonal_many(size_t width, size_t first, const double *l, double *x)
{
  Many *rows = (Many *)x;
  for (size_t j = first; j < width; j += LANES) {
    const double *own = l + j * width;
    rows_many(1, j - first, own + first * LANES, 0, x + first * DV_RHS, rows + j, -1);
    if (j + LANES <= width) triangle_many(LANES, own + j * LANES, rows + j);
    else triangle_many(width - j, own + j * LANES, rows + j);
  }
}

static void front_forward_many(const dvFrontView *v, size_t packs, const size_t *first, double *const *x,
                               double *const *r)
{
  for (size_t k = 0; k < v->cols; k += DV_FRONT_BLOCK) {
    size_t width = dv_front_width(v->cols, k), row = dv_whole(k + width, LANES), stride = width * LANES;
    const double *l = v->lower + dv_front_offset(v->height, k);
    size_t skip[DV_MOST_PACKS];   // zeros, in whole slabs; some columns are left to fill r with
    for (size_t p = 0; p < packs; p++) {
      skip[p] = k == 0 ? dv_min_size(first[p], width - 1) / LANES * LANES : 0;
      diagonal_many(width, skip[p], l, x[p] + k * DV_RHS);
    }
    for (; row < v->pivots; row += LANES)
      for (size_t p = 0; p < packs; p++)
        rows_many(1, width - skip[p], l + (row - k) * width + skip[p] * LANES, stride, x[p] + (k + skip[p]) * DV_RHS,
                  (Many *)(x[p] + row * DV_RHS), -1);
    for (size_t n; row < v->height; row += n * LANES) {
      size_t to = (row - v->pivots) * DV_RHS;
      n = TWO == 2 && row + 2 * LANES <= v->height ? 2 : 1;
      for (size_t p = 0; p < packs; p++) {   // the slab stays in the cache
        const double *slab = l + (row - k) * width + skip[p] * LANES, *from = x[p] + (k + skip[p]) * DV_RHS;
        size_t depth = width - skip[p];
        if (n == 2 && k == 0) rows_many(TWO, depth, slab, stride, from, (Many *)(r[p] + to), 0);
        else if (n == 2) rows_many(TWO, depth, slab, stride, from, (Many *)(r[p] + to), 1);
        else if (k == 0) rows_many(1, depth, slab, stride, from, (Many *)(r[p] + to), 0);
        else rows_many(1, depth, slab, stride, from, (Many *)(r[p] + to), 1);
      }
    }
  }
}

// sum[c] += l[c][i] y[i], for columns of one slab
DV_INLINE void columns_many(size_t w, const double *l, const Many *y, Many *sum)
{
#pragma GCC unroll 8
  for (size_t i = 0; i < LANES; i++) {
    Many from = y[i];
#pragma GCC unroll 8
    for (size_t c = 0; c < LANES; c++) {
      if (c >= w) continue;
      Lane factor = splat(l[c * LANES + i]);
#pragma GCC unroll 2
      for (size_t p = 0; p < PARTS; p++) sum[c].part[p] += factor * from.part[p];
    }
  }
}

// columns j to j + w - 1 of a block: x -= L^T of all rows below them
DV_INLINE void backward_columns(const dvFrontView *v, size_t k, size_t j, size_t w, double *x, const double *r)
{
  size_t width = dv_front_width(v->cols, k);
  const double *l = v->lower + dv_front_offset(v->height, k) + j * width;
  Many sum[LANES], *own = (Many *)(x + (k + j) * DV_RHS);
#pragma GCC unroll 8
  for (size_t c = 0; c < LANES; c++)
#pragma GCC unroll 2
    for (size_t p = 0; p < PARTS; p++) sum[c].part[p] = splat(0);
  for (size_t row = k + j + LANES; row < v->height; row += LANES) {
    const double *from = row < v->pivots ? x + row * DV_RHS : r + (row - v->pivots) * DV_RHS;
    columns_many(w, l + (row - k - j) * width + j * LANES, (const Many *)from, sum);
  }
#pragma GCC unroll 8
  for (size_t c = LANES; c-- > 0;) {
    if (c >= w) continue;
    for (size_t p = 0; p < PARTS; p++) {
      Lane y = own[c].part[p] - sum[c].part[p];
      for (size_t i = c + 1; i < w; i++) y -= splat(l[(j + c) * LANES + i]) * own[i].part[p];
      own[c].part[p] = y;
    }
  }
}

static void front_backward_many(const dvFrontView *v, size_t packs, double *const *x, double *const *r)
{
  for (size_t k = (v->cols - 1) / DV_FRONT_BLOCK * DV_FRONT_BLOCK;; k -= DV_FRONT_BLOCK) {
    size_t width = dv_front_width(v->cols, k);
    for (size_t j = (width - 1) / LANES * LANES;; j -= LANES) {
      size_t w = dv_min_size(LANES, width - j);
      for (size_t p = 0; p < packs; p++) {
        if (w == LANES) backward_columns(v, k, j, LANES, x[p], r[p]);
        else backward_columns(v, k, j, w, x[p], r[p]);
      }
      if (j == 0) break;
    }
    if (k == 0) return;
  }
}

// LANES rows of the sum at a time
static void front_gram(size_t depth, const double *a, const double *b, double *sum)
{
  for (size_t i = 0; i < DV_RHS; i += LANES) {
    Many acc[1][LANES], *to = (Many *)(sum + i * DV_RHS);
#pragma GCC unroll 8
    for (size_t r = 0; r < LANES; r++) acc[0][r] = to[r];
    for (size_t k = 0; k < depth; k++) {
      Many from = *(const Many *)(b + k * DV_RHS);
#pragma GCC unroll 8
      for (size_t r = 0; r < LANES; r++) {
        Lane factor = splat(a[k * DV_RHS + i + r]);
#pragma GCC unroll 2
        for (size_t p = 0; p < PARTS; p++) acc[0][r].part[p] += factor * from.part[p];
      }
    }
#pragma GCC unroll 8
    for (size_t r = 0; r < LANES; r++) to[r] = acc[0][r];
  }
}

// --- sums of rows --------------------------------------------------------------------------------

// n registers of every row at once: the sum is written once
DV_INLINE void combine_lanes(size_t n, const dvRowSum *s, size_t k, double *y)
{
  Lane sum[4];
  for (size_t i = 0; i < n; i++) sum[i] = splat(0);
  for (size_t e = 0; e < s->count; e++) {
    const double *row = s->rows + (size_t)s->at[e] * s->width + k;
    Lane factor = splat(s->value[e]);
#pragma GCC unroll 4
    for (size_t i = 0; i < n; i++) sum[i] += factor * (Lane) * (const LooseLane *)(row + i * LANES);
  }
  for (size_t i = 0; i < n; i++) *(LooseLane *)(y + k + i * LANES) = sum[i];
}

static void front_combine(const dvRowSum *s, size_t n, double *y)
{
  size_t k = 0;
  for (; k + 4 * LANES <= n; k += 4 * LANES) combine_lanes(4, s, k, y);
  for (; k + LANES <= n; k += LANES) combine_lanes(1, s, k, y);
  for (; k < n; k++) {
    double sum = 0;
    for (size_t e = 0; e < s->count; e++) sum += s->value[e] * s->rows[(size_t)s->at[e] * s->width + k];
    y[k] = sum;
  }
}

#define SUBSTITUTE(t)                                                                                              \
  {                                                                                                                \
    forward_##t, backward_##t, forward_diagonal_##t, forward_rows_##t, backward_columns_##t, backward_diagonal_##t \
  }
const dvFrontSolveKernels DV_KERNEL_NAME(dv_front_solve_kernels) = {
    .one = SUBSTITUTE(double),
    .single = SUBSTITUTE(float),
    .narrow = front_narrow,
    .forward_many = front_forward_many,
    .backward_many = front_backward_many,
    .gram = front_gram,
    .combine = front_combine,
};

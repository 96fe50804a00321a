// Inner loops of the sparse LDL^T on the slabs of a front (ldl_front.h): substitution, with one right-hand side or
// DV_RHS of them.
//
// With one, the factor comes from memory and is read once, in order. With many, rows of DV_RHS numbers are held in
// registers.
#include "base/simd.h"
#include "linear/direct/ldl_front.h"
#include "linear/direct/ldl_lanes.h"

// --- one right-hand side -------------------------------------------------------------------------

// l x for one slab: four sums, so that none waits for the other
DV_INLINE Lane product_one(size_t depth, const double *l, const double *x)
{
  Lane sum[4] = {splat(0), splat(0), splat(0), splat(0)};
  size_t k = 0;
  for (; k + 4 <= depth; k += 4)
#pragma GCC unroll 4
    for (size_t s = 0; s < 4; s++) sum[s] += *(const Lane *)(l + (k + s) * LANES) * splat(x[k + s]);
  for (; k < depth; k++) sum[0] += *(const Lane *)(l + k * LANES) * splat(x[k]);
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

// out[s] = l[s] x for n slabs
DV_INLINE void product(size_t n, size_t depth, const double *l, size_t stride, const double *x, Lane *out)
{
  Lane sum[4];
  for (size_t s = 0; s < n; s++) sum[s] = splat(0);
  for (size_t k = 0; k < depth; k++) {
    Lane factor = splat(x[k]);
#pragma GCC unroll 4
    for (size_t s = 0; s < n; s++) sum[s] += *(const Lane *)(l + s * stride + k * LANES) * factor;
  }
  for (size_t s = 0; s < n; s++) out[s] = sum[s];
}

static size_t first_row(const dvFrontView *v, size_t k) { return dv_whole(k + dv_front_width(v->cols, k), LANES); }

// pivots of a block of columns: x = L^-1 x
static void front_forward_diagonal(const dvFrontView *v, size_t k, double *pivots)
{
  size_t width = dv_front_width(v->cols, k);
  const double *l = v->lower + dv_front_offset(v->height, k);
  double *x = pivots + k;
  for (size_t j = 0; j < width; j += LANES) {
    const double *own = l + j * width;
    Lane u = *(const Lane *)(x + j) - product_one(j, own, x);
    for (size_t c = 0; c < LANES && j + c < width; c++) u -= *(const Lane *)(own + (j + c) * LANES) * splat(u[c]);
    *(Lane *)(x + j) = u;
  }
}

static void front_forward_rows(const dvFrontView *v, size_t k, size_t begin, size_t end, double *x, double *r)
{
  size_t width = dv_front_width(v->cols, k), stride = width * LANES, row = begin;
  const double *l = v->lower + dv_front_offset(v->height, k) + (row - k) * width;
  while (row < end) {
    Lane out[4];
    size_t n = row + 4 * LANES <= end ? 4 : 1;
    if (n == 4) product(4, width, l, stride, x + k, out);
    else out[0] = product_one(width, l, x + k);
    for (size_t s = 0; s < n; s++, row += LANES, l += stride) {
      if (row < v->pivots) *(Lane *)(x + row) -= out[s];
      else if (k == 0) *(Lane *)(r + row - v->pivots) = out[s];
      else *(Lane *)(r + row - v->pivots) += out[s];
    }
  }
}

static void front_forward(const dvFrontView *v, double *x, double *r)
{
  for (size_t k = 0; k < v->cols; k += DV_FRONT_BLOCK) {
    front_forward_diagonal(v, k, x);
    front_forward_rows(v, k, first_row(v, k), v->height, x, r);
  }
}

// sums[k] += l[s][k] x[s] for n slabs
DV_INLINE void product_transposed(size_t n, size_t depth, const double *l, size_t stride, const Lane *x, double *sums)
{
  for (size_t k = 0; k < depth; k++) {
    Lane sum = *(const Lane *)(sums + k * LANES);
#pragma GCC unroll 4
    for (size_t s = 0; s < n; s++) sum += *(const Lane *)(l + s * stride + k * LANES) * x[s];
    *(Lane *)(sums + k * LANES) = sum;
  }
}

static void front_backward_diagonal(const dvFrontView *v, size_t k, double *pivots, double *sums)
{
  size_t width = dv_front_width(v->cols, k);
  const double *l = v->lower + dv_front_offset(v->height, k);
  double *x = pivots + k;
  for (size_t j = (width - 1) / LANES * LANES;; j -= LANES) {
    const double *own = l + j * width;
    Lane u = splat(0);
    size_t w = dv_min_size(LANES, width - j);
    for (size_t c = 0; c < w; c++) u[c] = x[j + c] - lane_sum(*(const Lane *)(sums + (j + c) * LANES));
    for (size_t c = w; c-- > 0;) u[c] -= lane_sum(*(const Lane *)(own + (j + c) * LANES) * u);
    *(Lane *)(x + j) = u;
    product_transposed(1, j, own, 0, &u, sums);
    if (j == 0) return;
  }
}

static void front_backward_columns(const dvFrontView *v, size_t k, size_t begin, size_t end, const double *x,
                                   const double *r, double *sums)
{
  size_t width = dv_front_width(v->cols, k), stride = width * LANES, row = first_row(v, k);
  const double *below = v->lower + dv_front_offset(v->height, k) + (row - k) * width + begin * LANES;
  double *own = sums + begin * LANES;
  memset(own, 0, (end - begin) * LANES * sizeof *own);
  while (row < v->height) {
    Lane from[4];
    size_t n = row + 4 * LANES <= v->height ? 4 : 1;
    for (size_t s = 0; s < n; s++, row += LANES)
      from[s] = *(const Lane *)(row < v->pivots ? x + row : r + row - v->pivots);
    if (n == 4) product_transposed(4, end - begin, below, stride, from, own);
    else product_transposed(1, end - begin, below, stride, from, own);
    below += n * stride;
  }
}

static void front_backward(const dvFrontView *v, double *x, const double *r, double *sums)
{
  for (size_t k = (v->cols - 1) / DV_FRONT_BLOCK * DV_FRONT_BLOCK;; k -= DV_FRONT_BLOCK) {
    front_backward_columns(v, k, 0, dv_front_width(v->cols, k), x, r, sums);
    front_backward_diagonal(v, k, x, sums);
    if (k == 0) return;
  }
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

typedef double LooseLane __attribute__((vector_size(8 * LANES), aligned(8), may_alias));

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

const dvFrontSolveKernels DV_KERNEL_NAME(dv_front_solve_kernels) = {
    .forward = front_forward,
    .backward = front_backward,
    .forward_diagonal = front_forward_diagonal,
    .forward_rows = front_forward_rows,
    .backward_columns = front_backward_columns,
    .backward_diagonal = front_backward_diagonal,
    .forward_many = front_forward_many,
    .backward_many = front_backward_many,
    .gram = front_gram,
    .combine = front_combine,
};

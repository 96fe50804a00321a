// Inner loops of the sparse LDL^T on the slabs of a front (ldl_front.h): substitution, with one right-hand side or
// DV_RHS of them.
//
// With one, the factor comes from memory and is read once, in order. With many, rows of DV_RHS numbers are held in
// registers.
#include "base/simd.h"
#include "linear/direct/ldl_front.h"
#include "linear/direct/ldl_lanes.h"

// --- one right-hand side -------------------------------------------------------------------------

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
    Lane out[1], u;
    product(1, j, own, 0, x, out);
    u = *(const Lane *)(x + j) - out[0];
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
    else product(1, width, l, stride, x + k, out);
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

// n slabs of rows below a block of columns: to += or -= L x
DV_INLINE void rows_many(size_t n, size_t width, const double *l, const double *x, Many *to, int sign)
{
  Many sum[TWO][LANES];
#pragma GCC unroll 2
  for (size_t s = 0; s < n; s++)
#pragma GCC unroll 8
    for (size_t r = 0; r < LANES; r++)
#pragma GCC unroll 2
      for (size_t p = 0; p < PARTS; p++) sum[s][r].part[p] = splat(0);
  product_many(n, width, l, width * LANES, x, sum);
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

static void diagonal_many(size_t width, const double *l, double *x)
{
  Many *rows = (Many *)x;
  for (size_t j = 0; j < width; j += LANES) {
    const double *own = l + j * width;
    rows_many(1, j, own, x, rows + j, -1);
    for (size_t c = 0; c < LANES && j + c < width; c++)
      for (size_t i = c + 1; i < LANES && j + i < width; i++)
        for (size_t p = 0; p < PARTS; p++) rows[j + i].part[p] -= splat(own[(j + c) * LANES + i]) * rows[j + c].part[p];
  }
}

static void front_forward_many(const dvFrontView *v, size_t packs, double *const *x, double *const *r)
{
  for (size_t k = 0; k < v->cols; k += DV_FRONT_BLOCK) {
    size_t width = dv_front_width(v->cols, k), row = dv_whole(k + width, LANES), at = k * DV_RHS;
    const double *l = v->lower + dv_front_offset(v->height, k);
    for (size_t p = 0; p < packs; p++) diagonal_many(width, l, x[p] + at);
    for (; row < v->pivots; row += LANES)
      for (size_t p = 0; p < packs; p++)
        rows_many(1, width, l + (row - k) * width, x[p] + at, (Many *)(x[p] + row * DV_RHS), -1);
    for (size_t n; row < v->height; row += n * LANES) {
      const double *slab = l + (row - k) * width;
      size_t to = (row - v->pivots) * DV_RHS;
      n = TWO == 2 && row + 2 * LANES <= v->height ? 2 : 1;
      for (size_t p = 0; p < packs; p++) {   // the slab stays in the cache
        if (n == 2 && k == 0) rows_many(TWO, width, slab, x[p] + at, (Many *)(r[p] + to), 0);
        else if (n == 2) rows_many(TWO, width, slab, x[p] + at, (Many *)(r[p] + to), 1);
        else if (k == 0) rows_many(1, width, slab, x[p] + at, (Many *)(r[p] + to), 0);
        else rows_many(1, width, slab, x[p] + at, (Many *)(r[p] + to), 1);
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
};

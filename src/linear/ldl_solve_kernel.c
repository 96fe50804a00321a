// Inner loops of the sparse LDL^T on the slabs of a front (ldl_front.h): substitution, with one right-hand side or DV_RHS of them.
//
// With one, the factor comes from memory and is read once, in order. With many, rows of DV_RHS numbers are held in registers.
#include "base/simd.h"
#include "linear/ldl_front.h"
#include "linear/ldl_lanes.h"

typedef double Many __attribute__((vector_size(8 * DV_RHS), aligned(8 * DV_RHS)));

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

// pivots of a block of columns: x = L^-1 x
static void forward_diagonal(const double *l, size_t width, double *x)
{
  for (size_t j = 0; j < width; j += LANES) {
    const double *own = l + j * width;
    Lane out[1], v;
    product(1, j, own, 0, x, out);
    v = *(const Lane *)(x + j) - out[0];
    for (size_t c = 0; c < LANES && j + c < width; c++) v -= *(const Lane *)(own + (j + c) * LANES) * splat(v[c]);
    *(Lane *)(x + j) = v;
  }
}

static void front_forward(const dvFrontView *v, double *x, double *r)
{
  for (size_t k = 0; k < v->cols; k += DV_FRONT_BLOCK) {
    size_t width = dv_front_width(v->cols, k), stride = width * LANES, row = dv_whole(k + width, LANES);
    const double *l = v->lower + dv_front_offset(v->height, k);
    forward_diagonal(l, width, x + k);
    l += (row - k) * width;
    while (row < v->height) {
      Lane out[4];
      size_t n = row + 4 * LANES <= v->height ? 4 : 1;
      if (n == 4) product(4, width, l, stride, x + k, out);
      else product(1, width, l, stride, x + k, out);
      for (size_t s = 0; s < n; s++, row += LANES, l += stride) {
        if (row < v->pivots) *(Lane *)(x + row) -= out[s];
        else if (k == 0) *(Lane *)(r + row - v->pivots) = out[s];
        else *(Lane *)(r + row - v->pivots) += out[s];
      }
    }
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

static void backward_diagonal(const double *l, size_t width, double *x, double *sums)
{
  for (size_t j = (width - 1) / LANES * LANES;; j -= LANES) {
    const double *own = l + j * width;
    Lane v = splat(0);
    size_t w = dv_min_size(LANES, width - j);
    for (size_t c = 0; c < w; c++) v[c] = x[j + c] - lane_sum(*(const Lane *)(sums + (j + c) * LANES));
    for (size_t c = w; c-- > 0;) v[c] -= lane_sum(*(const Lane *)(own + (j + c) * LANES) * v);
    *(Lane *)(x + j) = v;
    product_transposed(1, j, own, 0, &v, sums);
    if (j == 0) return;
  }
}

static void front_backward(const dvFrontView *v, double *x, const double *r, double *sums)
{
  for (size_t k = (v->cols - 1) / DV_FRONT_BLOCK * DV_FRONT_BLOCK;; k -= DV_FRONT_BLOCK) {
    size_t width = dv_front_width(v->cols, k), stride = width * LANES, row = dv_whole(k + width, LANES);
    const double *l = v->lower + dv_front_offset(v->height, k), *below = l + (row - k) * width;
    memset(sums, 0, stride * sizeof *sums);
    while (row < v->height) {
      Lane from[4];
      size_t n = row + 4 * LANES <= v->height ? 4 : 1;
      for (size_t s = 0; s < n; s++, row += LANES) from[s] = *(const Lane *)(row < v->pivots ? x + row : r + row - v->pivots);
      if (n == 4) product_transposed(4, width, below, stride, from, sums);
      else product_transposed(1, width, below, stride, from, sums);
      below += n * stride;
    }
    backward_diagonal(l, width, x + k, sums);
    if (k == 0) return;
  }
}

// --- many ----------------------------------------------------------------------------------------

// sum[r] += l[k][r] x[k]
DV_INLINE void product_many(size_t depth, const double *l, const double *x, Many *sum)
{
  for (size_t k = 0; k < depth; k++) {
    Many from = *(const Many *)(x + k * DV_RHS);
#pragma GCC unroll 8
    for (size_t r = 0; r < LANES; r++) sum[r] += l[k * LANES + r] * from;
  }
}

static void front_forward_many(const dvFrontView *v, double *x, double *r)
{
  for (size_t k = 0; k < v->cols; k += DV_FRONT_BLOCK) {
    size_t width = dv_front_width(v->cols, k), stride = width * LANES, row = k;
    const double *l = v->lower + dv_front_offset(v->height, k);
    for (; row < v->height; row += LANES, l += stride) {
      Many sum[LANES] = {{0}};
      size_t j = dv_min_size(row - k, width);
      product_many(j, l, x + k * DV_RHS, sum);
      Many *to = (Many *)(row < v->pivots ? x + row * DV_RHS : r + (row - v->pivots) * DV_RHS);
      if (row >= v->pivots) {
        for (size_t i = 0; i < LANES; i++) to[i] = k == 0 ? sum[i] : to[i] + sum[i];
        continue;
      }
      for (size_t i = 0; i < LANES; i++) sum[i] = to[i] - sum[i];
      for (size_t c = 0; c < LANES && j + c < width && row < k + width; c++)
        for (size_t i = c + 1; i < LANES; i++) sum[i] -= l[(j + c) * LANES + i] * sum[c];
      for (size_t i = 0; i < LANES; i++) to[i] = sum[i];
    }
  }
}

// columns j to j + LANES - 1 of a block: x -= L^T of all rows below them
DV_INLINE void backward_columns(const dvFrontView *v, size_t k, size_t j, size_t width, double *x, const double *r)
{
  const double *l = v->lower + dv_front_offset(v->height, k) + j * width;
  size_t stride = width * LANES, w = dv_min_size(LANES, width - j);
  Many sum[LANES] = {{0}}, *own = (Many *)(x + (k + j) * DV_RHS);
  for (size_t row = k + j + LANES; row < v->height; row += LANES) {
    const Many *from = (const Many *)(row < v->pivots ? x + row * DV_RHS : r + (row - v->pivots) * DV_RHS);
    const double *slab = l + (row - k - j) / LANES * stride + j * LANES;
    if (w == LANES)
      for (size_t i = 0; i < LANES; i++) {
        Many y = from[i];
#pragma GCC unroll 8
        for (size_t c = 0; c < LANES; c++) sum[c] += slab[c * LANES + i] * y;
      }
    else
      for (size_t c = 0; c < w; c++)
        for (size_t i = 0; i < LANES; i++) sum[c] += slab[c * LANES + i] * from[i];
  }
  for (size_t c = w; c-- > 0;) {
    Many y = own[c] - sum[c];
    for (size_t i = c + 1; i < w; i++) y -= l[(j + c) * LANES + i] * own[i];
    own[c] = y;
  }
}

static void front_backward_many(const dvFrontView *v, double *x, const double *r)
{
  for (size_t k = (v->cols - 1) / DV_FRONT_BLOCK * DV_FRONT_BLOCK;; k -= DV_FRONT_BLOCK) {
    size_t width = dv_front_width(v->cols, k);
    for (size_t j = (width - 1) / LANES * LANES;; j -= LANES) {
      backward_columns(v, k, j, width, x, r);
      if (j == 0) break;
    }
    if (k == 0) return;
  }
}

const dvFrontSolveKernels DV_KERNEL_NAME(dv_front_solve_kernels) = {
    .forward = front_forward,
    .backward = front_backward,
    .forward_many = front_forward_many,
    .backward_many = front_backward_many,
};

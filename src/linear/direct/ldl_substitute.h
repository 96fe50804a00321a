// Substitution with one right-hand side on the slabs of a front, for ldl_solve_kernel.c, which includes this once for
// each kind of numbers that a factor may have: NUMBER is their type, LOAD reads a slab's column, COLUMNS_OF a front's
// columns, NAME makes names. What is summed is summed in doubles.
//
// The factor comes from memory and is read once, in order.

// l x for one slab: four sums, so that none waits for the other
DV_INLINE Lane NAME(product_one)(size_t depth, const NUMBER *l, const double *x)
{
  Lane sum[4] = {splat(0), splat(0), splat(0), splat(0)};
  size_t k = 0;
  for (; k + 4 <= depth; k += 4)
#pragma GCC unroll 4
    for (size_t s = 0; s < 4; s++) sum[s] += LOAD(l + (k + s) * LANES) * splat(x[k + s]);
  for (; k < depth; k++) sum[0] += LOAD(l + k * LANES) * splat(x[k]);
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

// four slabs are read side by side: so many columns are what one column of them takes of the next four
DV_INLINE void NAME(fetch)(const NUMBER *p)
{
#pragma GCC unroll 4
  for (size_t i = 0; sizeof *p < sizeof(double) && i < 4 * LANES * sizeof *p; i += 64)
    __builtin_prefetch((const char *)p + i);
}

// out[s] = l[s] x for n slabs
DV_INLINE void NAME(product)(size_t n, size_t depth, const NUMBER *l, const double *x, Lane *out)
{
  size_t stride = depth * LANES;
  Lane sum[4];
  for (size_t s = 0; s < n; s++) sum[s] = splat(0);
  for (size_t k = 0; k < depth; k++) {
    Lane factor = splat(x[k]);
    NAME(fetch)(l + 4 * stride + k * 4 * LANES);
#pragma GCC unroll 4
    for (size_t s = 0; s < n; s++) sum[s] += LOAD(l + s * stride + k * LANES) * factor;
  }
  for (size_t s = 0; s < n; s++) out[s] = sum[s];
}

static size_t NAME(first_row)(const dvFrontView *v, size_t k)
{
  return dv_whole(k + dv_front_width(v->cols, k), LANES);
}

// w columns where they cross the diagonal
DV_INLINE Lane NAME(forward_tile)(size_t w, const NUMBER *l, Lane u)
{
  for (size_t c = 0; c < w; c++) u -= LOAD(l + c * LANES) * splat(u[c]);
  return u;
}

DV_INLINE Lane NAME(backward_tile)(size_t w, const NUMBER *l, Lane u)
{
  for (size_t c = w; c-- > 0;) u[c] -= lane_sum(LOAD(l + c * LANES) * u);
  return u;
}

// pivots of a block of columns: x = L^-1 x
static void NAME(forward_diagonal)(const dvFrontView *v, size_t k, double *pivots)
{
  size_t width = dv_front_width(v->cols, k);
  const NUMBER *l = COLUMNS_OF(v) + dv_front_offset(v->height, k);
  double *x = pivots + k;
  for (size_t j = 0; j < width; j += LANES) {
    const NUMBER *own = l + j * width;
    Lane u = *(const Lane *)(x + j) - NAME(product_one)(j, own, x);
    *(Lane *)(x + j) = NAME(forward_tile)(dv_min_size(LANES, width - j), own + j * LANES, u);
  }
}

static void NAME(forward_rows)(const dvFrontView *v, size_t k, size_t begin, size_t end, double *x, double *r)
{
  size_t width = dv_front_width(v->cols, k), stride = width * LANES, row = begin;
  const NUMBER *l = COLUMNS_OF(v) + dv_front_offset(v->height, k) + (row - k) * width;
  while (row < end) {
    Lane out[4];
    size_t n = row + 4 * LANES <= end ? 4 : 1;
    if (n == 4) NAME(product)(4, width, l, x + k, out);
    else out[0] = NAME(product_one)(width, l, x + k);
    for (size_t s = 0; s < n; s++, row += LANES, l += stride) {
      if (row < v->pivots) *(Lane *)(x + row) -= out[s];
      else if (k == 0) *(Lane *)(r + row - v->pivots) = out[s];
      else *(Lane *)(r + row - v->pivots) += out[s];
    }
  }
}

static void NAME(forward)(const dvFrontView *v, double *x, double *r)
{
  for (size_t k = 0; k < v->cols; k += DV_FRONT_BLOCK) {
    NAME(forward_diagonal)(v, k, x);
    NAME(forward_rows)(v, k, NAME(first_row)(v, k), v->height, x, r);
  }
}

// sums[k] += l[s][k] x[s] for n slabs
DV_INLINE void NAME(product_transposed)(size_t n, size_t depth, const NUMBER *l, size_t stride, const Lane *x,
                                        double *sums)
{
  for (size_t k = 0; k < depth; k++) {
    Lane sum = *(const Lane *)(sums + k * LANES);
    if (n == 4) NAME(fetch)(l + 4 * stride + k * 4 * LANES);
#pragma GCC unroll 4
    for (size_t s = 0; s < n; s++) sum += LOAD(l + s * stride + k * LANES) * x[s];
    *(Lane *)(sums + k * LANES) = sum;
  }
}

static void NAME(backward_diagonal)(const dvFrontView *v, size_t k, double *pivots, double *sums)
{
  size_t width = dv_front_width(v->cols, k);
  const NUMBER *l = COLUMNS_OF(v) + dv_front_offset(v->height, k);
  double *x = pivots + k;
  for (size_t j = (width - 1) / LANES * LANES;; j -= LANES) {
    const NUMBER *own = l + j * width;
    size_t w = dv_min_size(LANES, width - j);
    Lane sum[LANES], u;
#pragma GCC unroll 8
    for (size_t c = 0; c < LANES; c++) sum[c] = c < w ? *(const Lane *)(sums + (j + c) * LANES) : splat(0);
    for (size_t row = (width - 1) / LANES * LANES; row > j; row -= LANES) {
      Lane from = *(const Lane *)(x + row);
#pragma GCC unroll 8
      for (size_t c = 0; c < LANES; c++) sum[c] += LOAD(l + row * width + (j + c) * LANES) * from;
    }
    u = *(const Lane *)(x + j) - lane_sums(sum);
    *(Lane *)(x + j) = NAME(backward_tile)(w, own + j * LANES, u);
    if (j == 0) return;
  }
}

static void NAME(backward_columns)(const dvFrontView *v, size_t k, size_t begin, size_t end, const double *x,
                                   const double *r, double *sums)
{
  size_t width = dv_front_width(v->cols, k), stride = width * LANES, row = NAME(first_row)(v, k);
  const NUMBER *below = COLUMNS_OF(v) + dv_front_offset(v->height, k) + (row - k) * width + begin * LANES;
  double *own = sums + begin * LANES;
  memset(own, 0, (end - begin) * LANES * sizeof *own);
  while (row < v->height) {
    Lane from[4];
    size_t n = row + 4 * LANES <= v->height ? 4 : 1;
    for (size_t s = 0; s < n; s++, row += LANES)
      from[s] = *(const Lane *)(row < v->pivots ? x + row : r + row - v->pivots);
    if (n == 4) NAME(product_transposed)(4, end - begin, below, stride, from, own);
    else NAME(product_transposed)(1, end - begin, below, stride, from, own);
    below += n * stride;
  }
}

static void NAME(backward)(const dvFrontView *v, double *x, const double *r, double *sums)
{
  for (size_t k = (v->cols - 1) / DV_FRONT_BLOCK * DV_FRONT_BLOCK;; k -= DV_FRONT_BLOCK) {
    NAME(backward_columns)(v, k, 0, dv_front_width(v->cols, k), x, r, sums);
    NAME(backward_diagonal)(v, k, x, sums);
    if (k == 0) return;
  }
}

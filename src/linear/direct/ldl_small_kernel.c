// Inner loops of the sparse LDL^T on the slabs of a front (ldl_front.h) in numbers of 16 bits, for preconditioners:
// making them, and substitution with one right-hand side.
//
// Each column has a unit of its own, 1 / 32767 of its largest number. What is summed is summed in single precision, two
// columns of a slab side by side in one register; a column that is left over goes with the one behind it in memory,
// times zero. Triangles on the diagonal are inverted, so that no column waits for the one before.
#include "linear/direct/ldl_front.h"
#include "linear/direct/ldl_lanes.h"

#include <string.h>

typedef double LooseLane __attribute__((vector_size(8 * LANES), aligned(8), may_alias));

// --- making them ---------------------------------------------------------------------------------

// the inverses of the triangles on the diagonal of a block of columns, without the diagonal itself
static void invert_tiles(size_t width, const double *l, Lane *inverse)
{
  for (size_t j = 0; j < width; j += LANES, l += width * LANES) {
    size_t w = dv_min_size(LANES, width - j);
    for (size_t c = 0; c < w; c++) {
      Lane x = splat(0);
      for (size_t i = c; i < w; i++) x -= *(const Lane *)(l + (j + i) * LANES) * splat(i == c ? 1 : x[i]);
      inverse[j + c] = x;
    }
  }
}

// A slab of a block of columns: as many columns as stand on the diagonal or before it, the last ones inverted.
typedef struct SlabOf {
  const double *l;
  size_t columns, plain;
} SlabOf;

static SlabOf slab_of(const dvFrontView *v, size_t k, size_t row)
{
  size_t width = dv_front_width(v->cols, k);
  SlabOf s = {.l = v->lower + dv_front_offset(v->height, k) + (row - k) * width};
  s.columns = dv_min_size(width, row - k + LANES);
  s.plain = dv_min_size(width, row - k);
  return s;
}

// the larger of two, without signs; what is not a number is larger than all
DV_INLINE Lane larger_of(Lane most, Lane a)
{
  a = (Lane)((LaneMask)a & INT64_MAX);
  LaneMask larger = ~(a <= most) & (most == most);
  return (Lane)(((LaneMask)a & larger) | ((LaneMask)most & ~larger));
}

// the units of a block of columns, and 1 / unit in lanes
static void find_units(const dvFrontView *v, size_t k, const Lane *inverse, double *unit, Lane *over)
{
  size_t width = dv_front_width(v->cols, k);
  for (size_t j = 0; j < width; j++) over[j] = larger_of(splat(0), inverse[j]);
  for (size_t row = k; row < v->height; row += LANES) {
    SlabOf s = slab_of(v, k, row);
    for (size_t j = 0; j < s.plain; j++) over[j] = larger_of(over[j], *(const Lane *)(s.l + j * LANES));
  }
  for (size_t j = 0; j < width; j++) {
    double most = 0;
    for (size_t c = 0; c < LANES && most == most; c++) most = over[j][c] <= most ? most : over[j][c];
    unit[j] = most / INT16_MAX;
    over[j] = splat(unit[j] > 0 ? 1 / unit[j] : 0);
  }
}

static void front_shorten(const dvFrontView *v, int16_t *to, double *unit)
{
  Lane inverse[DV_FRONT_BLOCK], over[DV_FRONT_BLOCK];
  for (size_t k = 0; k < v->cols; k += DV_FRONT_BLOCK) {
    size_t width = dv_front_width(v->cols, k), offset = dv_front_offset(v->height, k);
    invert_tiles(width, v->lower + offset, inverse);
    find_units(v, k, inverse, unit + k, over);
    for (size_t row = k; row < v->height; row += LANES) {
      SlabOf s = slab_of(v, k, row);
      int16_t *out = to + offset + (row - k) * width;
      for (size_t j = 0; j < s.columns; j++) {
        Lane a = j < s.plain ? *(const Lane *)(s.l + j * LANES) : inverse[j];
        lane_to_shorts(out + j * LANES, a * over[j]);
      }
    }
  }
}

// --- pairs of columns ----------------------------------------------------------------------------

enum { PAIR = 2 * LANES };
typedef float Pair __attribute__((vector_size(4 * PAIR), aligned(4 * PAIR), may_alias));

DV_INLINE Pair pair_of_shorts(const int16_t *p)
{
#if LANES == 8
  return (Pair)_mm512_cvtepi32_ps(_mm512_cvtepi16_epi32(_mm256_loadu_si256((const __m256i_u *)p)));
#elif defined(__AVX2__)
  return (Pair)_mm256_cvtepi32_ps(_mm256_cvtepi16_epi32(_mm_loadu_si128((const __m128i_u *)p)));
#else
  typedef int16_t Shorts __attribute__((vector_size(2 * PAIR), aligned(2), may_alias));
  return __builtin_convertvector(*(const Shorts *)p, Pair);
#endif
}

DV_INLINE Pair zero_pair(void)
{
  Pair zero = {0};
  return zero;
}

// a slab of rows beside itself
DV_INLINE Pair twice(Lane a)
{
  union {
    Narrow half[2];
    Pair pair;
  } u;
  u.half[0] = u.half[1] = lane_to_floats(a);
  return u.pair;
}

DV_INLINE Lane half_of(const float *sums) { return lane_of_floats(sums); }

DV_INLINE Lane halves_of(Pair a)
{
  union {
    Pair pair;
    Narrow half[2];
  } u = {a};
  Narrow sum = u.half[0] + u.half[1];
  return half_of((const float *)&sum);
}

// The numbers of w columns times their units, each in all lanes; 0 behind them.
DV_INLINE void spread(const double *x, const double *unit, size_t w, float *to)
{
  for (size_t k = 0; k < w; k++) *(Narrow *)(to + k * LANES) = lane_to_floats(splat(x[k] * unit[k]));
  *(Narrow *)(to + w * LANES) = lane_to_floats(splat(0));
}

// 0 behind w columns
DV_INLINE Lane units_of(const double *unit, size_t w)
{
  if (w == LANES) return (Lane) * (const LooseLane *)unit;
  Lane some = splat(0);
  for (size_t c = 0; c < w; c++) some[c] = unit[c];
  return some;
}

DV_INLINE const int16_t *columns_of(const dvFrontView *v, size_t k)
{
  return (const int16_t *)v->copy + dv_front_offset(v->height, k);
}

static size_t first_row(const dvFrontView *v, size_t k) { return dv_whole(k + dv_front_width(v->cols, k), LANES); }

// four slabs are read side by side: so much is what one pair of columns of them takes of the next four
DV_INLINE void fetch(const int16_t *p)
{
#pragma GCC unroll 2
  for (size_t i = 0; i < 4 * PAIR * sizeof *p; i += 64) __builtin_prefetch((const char *)p + i);
}

// --- forward -------------------------------------------------------------------------------------

// l x for one slab: four sums, so that none waits for the other
DV_INLINE Lane product_one(size_t depth, const int16_t *l, const float *x)
{
  Pair sum[4] = {zero_pair(), zero_pair(), zero_pair(), zero_pair()};
  size_t end = depth * LANES, k = 0;
  for (; k + 4 * PAIR <= end; k += 4 * PAIR)
#pragma GCC unroll 4
    for (size_t s = 0; s < 4; s++) sum[s] += pair_of_shorts(l + k + s * PAIR) * *(const Pair *)(x + k + s * PAIR);
  for (; k < end; k += PAIR) sum[0] += pair_of_shorts(l + k) * *(const Pair *)(x + k);
  return halves_of((sum[0] + sum[1]) + (sum[2] + sum[3]));
}

// out[s] = l[s] x for four slabs
DV_INLINE void product_four(size_t depth, const int16_t *l, const float *x, Lane *out)
{
  Pair sum[4] = {zero_pair(), zero_pair(), zero_pair(), zero_pair()};
  size_t stride = depth * LANES;
  for (size_t k = 0; k < stride; k += PAIR) {
    Pair factor = *(const Pair *)(x + k);
    fetch(l + 4 * (stride + k));
#pragma GCC unroll 4
    for (size_t s = 0; s < 4; s++) sum[s] += pair_of_shorts(l + s * stride + k) * factor;
  }
#pragma GCC unroll 4
  for (size_t s = 0; s < 4; s++) out[s] = halves_of(sum[s]);
}

DV_INLINE Lane forward_tile(size_t w, const int16_t *l, const double *unit, Lane u)
{
  Lane x[2] = {u, splat(0)};
  for (size_t c = 0; c < w; c++) x[c % 2] += lane_of_shorts(l + c * LANES) * splat(u[c] * unit[c]);
  return x[0] + x[1];
}

// pivots of a block of columns: x = L^-1 x
static void forward_diagonal(const dvFrontView *v, size_t k, double *pivots)
{
  float y[(DV_FRONT_BLOCK + 1) * LANES] __attribute__((aligned(64)));
  size_t width = dv_front_width(v->cols, k);
  const int16_t *l = columns_of(v, k);
  const double *unit = v->unit + k;
  double *x = pivots + k;
  for (size_t j = 0; j < width; j += LANES) {
    size_t w = dv_min_size(LANES, width - j);
    const int16_t *own = l + j * width;
    Lane u = *(const Lane *)(x + j) - product_one(j, own, y);
    *(Lane *)(x + j) = forward_tile(w, own + j * LANES, unit + j, u);
    spread(x + j, unit + j, w, y + j * LANES);
  }
}

static void forward_rows(const dvFrontView *v, size_t k, size_t begin, size_t end, double *x, double *r)
{
  float y[(DV_FRONT_BLOCK + 1) * LANES] __attribute__((aligned(64)));
  size_t width = dv_front_width(v->cols, k), stride = width * LANES, row = begin;
  const int16_t *l = columns_of(v, k) + (row - k) * width;
  if (begin < end) spread(x + k, v->unit + k, width, y);
  while (row < end) {
    Lane out[4];
    size_t n = row + 4 * LANES <= end ? 4 : 1;
    if (n == 4) product_four(width, l, y, out);
    else out[0] = product_one(width, l, y);
    for (size_t s = 0; s < n; s++, row += LANES, l += stride) {
      if (row < v->pivots) *(Lane *)(x + row) -= out[s];
      else if (k == 0) *(Lane *)(r + row - v->pivots) = out[s];
      else *(Lane *)(r + row - v->pivots) += out[s];
    }
  }
}

static void forward(const dvFrontView *v, double *x, double *r)
{
  for (size_t k = 0; k < v->cols; k += DV_FRONT_BLOCK) {
    forward_diagonal(v, k, x);
    forward_rows(v, k, first_row(v, k), v->height, x, r);
  }
}

// --- back ----------------------------------------------------------------------------------------

// sums[k] += l[s][k] x[s] for n slabs
DV_INLINE void product_transposed(size_t n, size_t depth, const int16_t *l, size_t stride, const Pair *x, float *sums)
{
  for (size_t k = 0; k < depth * LANES; k += PAIR) {
    Pair sum = *(const Pair *)(sums + k);
    if (n == 4) fetch(l + 4 * (stride + k));
#pragma GCC unroll 4
    for (size_t s = 0; s < n; s++) sum += pair_of_shorts(l + s * stride + k) * x[s];
    *(Pair *)(sums + k) = sum;
  }
}

static void backward_columns(const dvFrontView *v, size_t k, size_t begin, size_t end, const double *x, const double *r,
                             double *sums)
{
  size_t width = dv_front_width(v->cols, k), stride = width * LANES, row = first_row(v, k);
  const int16_t *below = columns_of(v, k) + (row - k) * width + begin * LANES;
  float *own = (float *)sums + begin * LANES;
  memset(own, 0, dv_whole(end - begin, 2) * LANES * sizeof *own);
  while (row < v->height) {
    Pair from[4];
    size_t n = row + 4 * LANES <= v->height ? 4 : 1;
    for (size_t s = 0; s < n; s++, row += LANES)
      from[s] = twice(*(const Lane *)(row < v->pivots ? x + row : r + row - v->pivots));
    if (n == 4) product_transposed(4, end - begin, below, stride, from, own);
    else product_transposed(1, end - begin, below, stride, from, own);
    below += n * stride;
  }
}

DV_INLINE Lane backward_tile(size_t w, const int16_t *l, Lane units, Lane u)
{
  Lane product[LANES];
#pragma GCC unroll 8
  for (size_t c = 0; c < LANES; c++) product[c] = c < w ? lane_of_shorts(l + c * LANES) * u : splat(0);
  return u + lane_sums(product) * units;
}

static void backward_diagonal(const dvFrontView *v, size_t k, double *pivots, double *all)
{
  Pair y[DV_FRONT_BLOCK / LANES];
  size_t width = dv_front_width(v->cols, k);
  const int16_t *l = columns_of(v, k);
  float *sums = (float *)all;
  double *x = pivots + k;
  for (size_t j = (width - 1) / LANES * LANES;; j -= LANES) {
    const int16_t *own = l + j * width;
    size_t w = dv_min_size(LANES, width - j);
    Pair pair[LANES / 2];
    Lane sum[LANES], units = units_of(v->unit + k + j, w);
#pragma GCC unroll 4
    for (size_t c = 0; c < LANES / 2; c++)
      pair[c] = 2 * c < w ? *(const Pair *)(sums + j * LANES + c * PAIR) : zero_pair();
    for (size_t row = (width - 1) / LANES * LANES; row > j; row -= LANES)
#pragma GCC unroll 4
      for (size_t c = 0; c < LANES / 2; c++)
        pair[c] += pair_of_shorts(l + row * width + j * LANES + c * PAIR) * y[row / LANES];
#pragma GCC unroll 8
    for (size_t c = 0; c < LANES; c++) sum[c] = c < w ? half_of((const float *)pair + c * LANES) : splat(0);
    Lane u = backward_tile(w, own + j * LANES, units, *(const Lane *)(x + j) - lane_sums(sum) * units);
    *(Lane *)(x + j) = u;
    y[j / LANES] = twice(u);
    if (j == 0) return;
  }
}

static void backward(const dvFrontView *v, double *x, const double *r, double *sums)
{
  for (size_t k = (v->cols - 1) / DV_FRONT_BLOCK * DV_FRONT_BLOCK;; k -= DV_FRONT_BLOCK) {
    backward_columns(v, k, 0, dv_front_width(v->cols, k), x, r, sums);
    backward_diagonal(v, k, x, sums);
    if (k == 0) return;
  }
}

const dvFrontSmallKernels DV_KERNEL_NAME(dv_front_small_kernels) = {
    .solve = {forward, backward, forward_diagonal, forward_rows, backward_columns, backward_diagonal},
    .shorten = front_shorten,
};

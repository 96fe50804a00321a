// Inner loops of the sparse LDL^T on the slabs of a front (ldl_front.h): elimination.
//
// Elimination is one loop in three dresses: acc(i, c) -= a(i, k) b(c, k) over k, with `SLABS` slabs of rows and as many
// columns as a slab has rows held in registers. Every number is summed over k in one order, whatever the slabs around
// it are.
#include "base/simd.h"
#include "linear/direct/ldl_front.h"
#include "linear/direct/ldl_lanes.h"

#include <math.h>

// --- products ------------------------------------------------------------------------------------

// acc[s] -= a[s] b^T for n slabs, `stride` apart
DV_INLINE void multiply(size_t n, size_t depth, const double *a, size_t stride, const double *b, Lane (*acc)[LANES])
{
  for (size_t k = 0; k < depth; k++, a += LANES, b += LANES) {
    Lane row[SLABS];
#pragma GCC unroll 4
    for (size_t s = 0; s < n; s++) row[s] = *(const Lane *)(a + s * stride);
#pragma GCC unroll 8
    for (size_t c = 0; c < LANES; c++) {
      Lane factor = splat(b[c]);
#pragma GCC unroll 4
      for (size_t s = 0; s < n; s++) acc[s][c] -= row[s] * factor;
    }
  }
}

DV_INLINE void update_slabs(size_t n, const dvTile *t, size_t width)
{
  Lane acc[SLABS][LANES];
#pragma GCC unroll 4
  for (size_t s = 0; s < n; s++)
#pragma GCC unroll 8
    for (size_t j = 0; j < LANES; j++) acc[s][j] = splat(0);
#pragma GCC unroll 4
  for (size_t s = 0; s < n; s++)
#pragma GCC unroll 8
    for (size_t j = 0; j < LANES; j++) __builtin_prefetch(t->c[s] + j * LANES, 1);
  multiply(n, t->depth, t->a, t->depth * LANES, t->b, acc);
#pragma GCC unroll 4
  for (size_t s = 0; s < n; s++) {
    double *to = t->c[s];
#pragma GCC unroll 8
    for (size_t j = 0; j < LANES; j++) {
      if (j >= width) continue;
      *(Lane *)(to + j * LANES) = t->fresh ? acc[s][j] : *(Lane *)(to + j * LANES) + acc[s][j];
    }
  }
}

static void front_update(const dvTile *t)
{
#if SLABS > 1
  if (t->slabs == 3 && t->width >= LANES) update_slabs(3, t, LANES);
  else if (t->slabs == 2 && t->width >= LANES) update_slabs(2, t, LANES);
  else if (t->slabs == 3) update_slabs(3, t, t->width);
  else if (t->slabs == 2) update_slabs(2, t, t->width);
  else
#endif
    update_slabs(1, t, t->width);
}

// The same with pairs of slabs in single precision.
typedef float Pair __attribute__((vector_size(8 * LANES), aligned(8 * LANES)));
typedef union PairHalves {
  Pair both;
  Narrow half[2];
} PairHalves;

DV_INLINE void update_pairs(size_t n, const dvPairTile *t)
{
  Pair acc[SLABS][LANES];
#pragma GCC unroll 4
  for (size_t s = 0; s < n; s++)
#pragma GCC unroll 8
    for (size_t j = 0; j < LANES; j++) acc[s][j] = (Pair){0};
  const float *a = t->a, *b = t->b;
  size_t stride = 2 * LANES * t->depth;
  for (size_t k = 0; k < t->depth; k++, a += 2 * LANES, b += LANES) {
    Pair row[SLABS];
#pragma GCC unroll 4
    for (size_t s = 0; s < n; s++) row[s] = *(const Pair *)(a + s * stride);
#pragma GCC unroll 8
    for (size_t c = 0; c < LANES; c++) {
      Pair factor = b[c] - (Pair){0};
#pragma GCC unroll 4
      for (size_t s = 0; s < n; s++) acc[s][c] -= row[s] * factor;
    }
  }
#pragma GCC unroll 4
  for (size_t s = 0; s < n; s++)
#pragma GCC unroll 8
    for (size_t j = 0; j < LANES; j++) {
      if (j >= t->width) continue;
      PairHalves sum = {acc[s][j]};
#pragma GCC unroll 2
      for (size_t h = 0; h < 2; h++) {
        double *to = t->c[2 * s + h];
        Lane v = lane_of_floats((const float *)&sum.half[h]);
        if (to) *(Lane *)(to + j * LANES) = t->fresh ? v : *(Lane *)(to + j * LANES) + v;
      }
    }
}

static void front_update_single(const dvPairTile *t)
{
#if SLABS > 1
  if (t->pairs == 3) update_pairs(3, t);
  else if (t->pairs == 2) update_pairs(2, t);
  else
#endif
    update_pairs(1, t);
}

// --- columns -------------------------------------------------------------------------------------

// columns j to j + w - 1 of n slabs x: takes out the columns before them, then those among themselves. `own` is the
// slab of pivot rows j.
DV_INLINE void eliminate(size_t n, size_t w, size_t j, const double *own, double *x, size_t stride)
{
  Lane acc[SLABS][LANES];
  const double *triangle = own + j * LANES;
#pragma GCC unroll 4
  for (size_t s = 0; s < n; s++)
#pragma GCC unroll 8
    for (size_t c = 0; c < LANES; c++) acc[s][c] = c < w ? *(const Lane *)(x + s * stride + (j + c) * LANES) : splat(0);
  multiply(n, j, x, stride, own, acc);
#pragma GCC unroll 8
  for (size_t c = 0; c < LANES; c++) {
    if (c >= w) continue;
#pragma GCC unroll 8
    for (size_t k = 0; k < c; k++) {
      Lane factor = splat(triangle[k * LANES + c]);
#pragma GCC unroll 4
      for (size_t s = 0; s < n; s++) acc[s][c] -= acc[s][k] * factor;
    }
#pragma GCC unroll 4
    for (size_t s = 0; s < n; s++) *(Lane *)(x + s * stride + (j + c) * LANES) = acc[s][c];
  }
}

// the columns from j on of `slabs` slabs, in as many at once as fit
static void eliminate_slabs(size_t slabs, size_t width, size_t j, const double *own, double *x)
{
  size_t stride = width * LANES, w = dv_min_size(LANES, width - j);
  for (size_t s = 0; s < slabs;) {
    size_t n = dv_min_size(SLABS, slabs - s);
    double *to = x + s * stride;
#if SLABS > 1
    if (n == 3 && w == LANES) eliminate(3, LANES, j, own, to, stride);
    else if (n == 2 && w == LANES) eliminate(2, LANES, j, own, to, stride);
    else if (n == 3) eliminate(3, w, j, own, to, stride);
    else if (n == 2) eliminate(2, w, j, own, to, stride);
    else
#endif
      eliminate(1, w, j, own, to, stride);
    s += n;
  }
}

// what is not a number passes as a pivot: the result is not finite
static void take_pivot(dvPivots *p, size_t k, double d)
{
  if (fabs(d) <= p->small * p->scale[k]) {
    if (p->bad < 0) p->bad = (int)k;
    p->perturbed++;
    double least = 1e-8 * p->scale[k];
    d = d < 0 ? -least : least;
  }
  p->negative += d < 0;
  p->d[k] = d;
  p->inverse_d[k] = 1 / d;
}

// columns j to j + w - 1 where they cross the diagonal: pivots, and L strictly below them
DV_INLINE void factorise_tile(dvPivots *p, size_t j, size_t w, double *own)
{
  Lane tile[LANES];
#pragma GCC unroll 8
  for (size_t c = 0; c < LANES; c++) tile[c] = c < w ? *(const Lane *)(own + (j + c) * LANES) : splat(0);
#pragma GCC unroll 8
  for (size_t c = 0; c < LANES; c++) {
    if (c >= w) continue;
    take_pivot(p, j + c, tile[c][c]);
    Lane l = tile[c] * splat(p->inverse_d[j + c]);
#pragma GCC unroll 8
    for (size_t k = c + 1; k < LANES; k++) tile[k] -= tile[c] * splat(l[k]);
#pragma GCC unroll 8
    for (size_t r = 0; r <= c; r++) l[r] = 0;
    *(Lane *)(own + (j + c) * LANES) = l;
  }
}

static void front_diagonal(dvPivots *p, double *row)
{
  size_t width = p->width, stride = width * LANES, slabs = (width + LANES - 1) / LANES;
  for (size_t q = 0; q < slabs; q++) {
    size_t j = q * LANES, w = dv_min_size(LANES, width - j);
    double *own = p->diagonal + q * stride;
    // Y of these rows becomes L
    for (size_t k = 0; k < j; k++)
      *(Lane *)(row + k * LANES) = *(const Lane *)(own + k * LANES) * splat(p->inverse_d[k]);
    double *c[1] = {own + j * LANES};
    Lane acc[SLABS][LANES];
    for (size_t i = 0; i < LANES; i++) acc[0][i] = splat(0);
    multiply(1, j, own, stride, row, acc);
    for (size_t i = 0; i < w; i++) *(Lane *)(c[0] + i * LANES) += acc[0][i];
    memcpy(own, row, j * LANES * sizeof *row);
    if (w == LANES) factorise_tile(p, j, LANES, own);
    else factorise_tile(p, j, w, own);
    // columns to the right of the diagonal are never read
    eliminate_slabs(slabs - q - 1, width, j, own, own + stride);
  }
}

static void front_rows(const dvPivots *p, size_t slabs, double *x, double *y)
{
  size_t width = p->width, stride = width * LANES;
  for (size_t s = 0; s < slabs;) {
    size_t n = dv_min_size(SLABS, slabs - s);
    for (size_t j = 0; j < width; j += LANES) eliminate_slabs(n, width, j, p->diagonal + j * width, x + s * stride);
    for (size_t t = 0; t < n; t++, s++) {
      double *from = x + s * stride, *to = y + s * stride;
      for (size_t k = 0; k < width; k++) {
        Lane v = *(const Lane *)(from + k * LANES);
        *(Lane *)(to + k * LANES) = v;
        *(Lane *)(from + k * LANES) = v * splat(p->inverse_d[k]);
      }
    }
  }
}

static void front_rows_single(const dvPivots *p, size_t slabs, double *x, float *pairs, float *l)
{
  size_t width = p->width, stride = width * LANES;
  for (size_t s = 0; s < slabs;) {
    size_t n = dv_min_size(SLABS, slabs - s);
    for (size_t j = 0; j < width; j += LANES) eliminate_slabs(n, width, j, p->diagonal + j * width, x + s * stride);
    for (size_t t = 0; t < n; t++, s++) {
      double *from = x + s * stride;
      float *to = pairs + s / 2 * 2 * stride + s % 2 * LANES;
      for (size_t k = 0; k < width; k++) {
        Lane v = *(const Lane *)(from + k * LANES), divided = v * splat(p->inverse_d[k]);
        *(Narrow *)(to + k * 2 * LANES) = lane_to_floats(v);
        *(Narrow *)(l + s * stride + k * LANES) = lane_to_floats(divided);
        *(Lane *)(from + k * LANES) = divided;
      }
    }
  }
  if (slabs % 2 == 0) return;
  float *to = pairs + slabs / 2 * 2 * stride + LANES;   // nobody asks for it
  for (size_t k = 0; k < width; k++) *(Narrow *)(to + k * 2 * LANES) = (Narrow){0};
}

// --- assembly ------------------------------------------------------------------------------------

// Where the rows of a slab of a child go: to few slabs of the front, each with lanes from the child's in ascending
// order.
typedef struct Target {
  size_t count;
  size_t slab[LANES];
  LaneRows rows[LANES];   // of the child, for each lane
  size_t last[LANES];     // last row of the child that goes there
  double *to[LANES];      // where column 0 of the slab would be
} Target;

static void aim(Target *t, const int32_t *place, size_t rows)
{
  size_t slab = SIZE_MAX;
  t->count = 0;
  for (size_t r = 0; r < rows; r++) {
    if (slab != (size_t)place[r] / LANES) {
      slab = (size_t)place[r] / LANES;
      t->slab[t->count] = slab;
      t->rows[t->count++] = NO_ROWS;
    }
    size_t k = t->count - 1;
    t->rows[k] = lane_takes(t->rows[k], (size_t)place[r] % LANES, r);
    t->last[k] = r;
  }
}

// the block of columns that begins at k0; slabs above it have no columns there
static void aim_lower(Target *t, const dvFrontView *to, size_t k0)
{
  size_t width = dv_front_width(to->cols, k0);
  for (size_t k = 0; k < t->count; k++)
    t->to[k] = t->slab[k] * LANES < k0
                   ? NULL
                   : to->lower + dv_front_offset(to->height, k0) + ((t->slab[k] * LANES - k0) * width - k0 * LANES);
}

static void aim_update(Target *t, const dvFrontView *to)
{
  size_t first = to->pivots / LANES;
  for (size_t k = 0; k < t->count; k++)
    t->to[k] = to->update + dv_update_slab(t->slab[k] - first, LANES) - to->pivots * LANES;
}

DV_INLINE void add_lanes(double *to, Lane v, LaneMask mask) { *(Lane *)to += (Lane)((LaneMask)v & mask); }

// columns before the diagonal of the slab
DV_INLINE void add_columns(size_t count, const double *from, const int32_t *place, size_t begin, size_t end,
                           const Target *t)
{
  LaneOrder order[LANES];
  LaneMask mask[LANES];
#pragma GCC unroll 3
  for (size_t k = 0; k < count; k++) {
    LaneMask rows = lane_rows(t->rows[k]);
    mask[k] = rows >= 0;
    order[k] = lane_order(rows & mask[k]);
  }
  for (size_t c = begin; c < end; c++) {
    Lane v = *(const Lane *)(from + c * LANES);
    size_t at = (size_t)place[c] * LANES;
#pragma GCC unroll 3
    for (size_t k = 0; k < count; k++) add_lanes(t->to[k] + at, lane_shuffle(v, order[k]), mask[k]);
  }
}

// columns that cross it: only rows from the diagonal down
static void add_triangle(const double *from, const int32_t *place, size_t begin, size_t end, size_t diagonal,
                         const Target *t)
{
  for (size_t k = 0; k < t->count; k++) {
    LaneMask rows = lane_rows(t->rows[k]);
    LaneOrder order = lane_order(rows & (rows >= 0));
    for (size_t c = begin; c < end && c - diagonal <= t->last[k]; c++) {
      Lane v = *(const Lane *)(from + c * LANES);
      add_lanes(t->to[k] + (size_t)place[c] * LANES, lane_shuffle(v, order), rows >= (int64_t)(c - diagonal));
    }
  }
}

static void front_add(const double *from, size_t rows, const int32_t *place, size_t begin, size_t end,
                      const dvFrontView *to)
{
  bool lower = (size_t)place[begin] < to->cols;
  size_t k0 = (size_t)place[begin] / DV_FRONT_BLOCK * DV_FRONT_BLOCK;
  for (size_t t = begin / LANES; t * LANES < rows; t++) {
    size_t first = t * LANES, count = dv_min_size(LANES, rows - first), stop = dv_min_size(end, first + count),
           inner = dv_min_size(stop, first);
    const double *slab = from + dv_update_slab(t, LANES);
    Target target;
    aim(&target, place + first, count);
    if (lower) aim_lower(&target, to, k0);
    else aim_update(&target, to);
    if (target.count == 1) add_columns(1, slab, place, begin, inner, &target);
    else if (target.count == 2) add_columns(2, slab, place, begin, inner, &target);
    else add_columns(target.count, slab, place, begin, inner, &target);
    add_triangle(slab, place, dv_max_size(begin, first), stop, first, &target);
  }
}

const dvFrontKernels DV_KERNEL_NAME(dv_front_kernels) = {
    .lanes = LANES,
    .diagonal = front_diagonal,
    .rows = front_rows,
    .update = front_update,
    .most = SLABS,
    .rows_single = front_rows_single,
    .update_single = front_update_single,
    .most_pairs = SLABS,
    .add = front_add,
};

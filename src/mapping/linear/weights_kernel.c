// Sums over compressed rows for points of three numbers. See weights.h.
//
// A point is one pack (x y z 0). Rows that are only set are written four numbers wide: the fourth is the first of the
// next row, which comes right after; the last row is written exactly.
#include "base/simd.h"
#include "mapping/linear/weights.h"

DV_INLINE dvPack sum_row(dvRowView r, size_t row, const double *restrict from, dvPack sum)
{
  for (int32_t e = r.begin[row]; e < r.end[row]; e++)
    sum += dv_pack(r.value[e]) * dv_pack_load3(from + 3 * (size_t)r.index[e]);
  return sum;
}

static void weights_gather(dvRowView r, size_t begin, size_t end, const double *restrict from, double *restrict to)
{
  for (size_t i = begin; i + 1 < end; i++) dv_pack_store(to + 3 * i, sum_row(r, i, from, dv_pack(0)));
  if (begin < end) dv_pack_store3(to + 3 * (end - 1), sum_row(r, end - 1, from, dv_pack(0)));
}

// rows of a transposed matrix are long: four terms a round, in their order
static void weights_gather_add(dvRowView r, size_t begin, size_t end, const double *restrict from, double *restrict to)
{
  for (size_t i = begin; i < end; i++) {
    int32_t e = r.begin[i], end_row = r.end[i];
    if (e == end_row) continue;
    dvPack sum = dv_pack_load3(to + 3 * i);
    for (; e + 4 <= end_row; e += 4)
      for (int32_t k = e; k < e + 4; k++) sum += dv_pack(r.value[k]) * dv_pack_load3(from + 3 * (size_t)r.index[k]);
    for (; e < end_row; e++) sum += dv_pack(r.value[e]) * dv_pack_load3(from + 3 * (size_t)r.index[e]);
    dv_pack_store3(to + 3 * i, sum);
  }
}

const dvWeightsKernels DV_KERNEL_NAME(dv_weights_kernels) = {.gather = weights_gather,
                                                             .gather_add = weights_gather_add};

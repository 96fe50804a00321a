// Sums over compressed rows for points of three numbers. See weights.h.
#include "base/simd.h"
#include "mapping/linear/weights.h"

DV_INLINE void sum_row(dvRowView r, size_t row, const double *restrict from, double sum[3])
{
  for (int32_t e = r.offset[row]; e < r.offset[row + 1]; e++) {
    const double *p = from + 3 * (size_t)r.index[e];
    double w = r.value[e];
    sum[0] += w * p[0];
    sum[1] += w * p[1];
    sum[2] += w * p[2];
  }
}

static void weights_gather(dvRowView r, size_t begin, size_t end, const double *restrict from, double *restrict to)
{
  for (size_t i = begin; i < end; i++) {
    double sum[3] = {0, 0, 0};
    sum_row(r, i, from, sum);
    memcpy(to + 3 * i, sum, sizeof sum);
  }
}

static void weights_gather_add(dvRowView r, size_t begin, size_t end, const double *restrict from, double *restrict to)
{
  for (size_t i = begin; i < end; i++) {
    if (r.offset[i] == r.offset[i + 1]) continue;
    double sum[3];
    memcpy(sum, to + 3 * i, sizeof sum);
    sum_row(r, i, from, sum);
    memcpy(to + 3 * i, sum, sizeof sum);
  }
}

const dvWeightsKernels DV_KERNEL_NAME(dv_weights_kernels) = {.gather = weights_gather, .gather_add = weights_gather_add};

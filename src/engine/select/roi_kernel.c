// Inner loop of selections: which points are in a box.
#include "engine/select/roi.h"

static void mark_box(const double *x, size_t stride, size_t n, const double low[3], const double high[3],
                     uint8_t *inside)
{
  const double a = low[0], b = low[1], c = low[2], d = high[0], e = high[1], f = high[2];
  if (stride == 3) {
    for (size_t i = 0; i < n; i++) {
      const double *p = x + 3 * i;
      inside[i] |= (uint8_t)((p[0] >= a) & (p[0] <= d) & (p[1] >= b) & (p[1] <= e) & (p[2] >= c) & (p[2] <= f));
    }
    return;
  }
  for (size_t i = 0; i < n; i++) {
    const double *p = x + stride * i;
    inside[i] |= (uint8_t)((p[0] >= a) & (p[0] <= d) & (p[1] >= b) & (p[1] <= e) & (p[2] >= c) & (p[2] <= f));
  }
}

static size_t list_marked(const uint8_t *inside, size_t n, int32_t *out, int32_t first)
{
  size_t count = 0;
  for (size_t i = 0; i < n; i++) {
    out[count] = first + (int32_t)i;
    count += inside[i];
  }
  return count;
}

const dvRoiKernels DV_KERNEL_NAME(dv_roi_kernels) = {.mark_box = mark_box, .list_marked = list_marked};

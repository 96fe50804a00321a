// See near.h. A box is two overlapping packs, (low, high_x) and (low_z, high): no branch but the loop's.
#include "collision/narrow/near.h"

#include "base/simd.h"

#include <math.h>

DV_INLINE bool any(dvPackMask m)
{
#ifdef __AVX__
  return !_mm256_testz_si256((__m256i)m, (__m256i)m);
#else
  return m[0] | m[1] | m[2] | m[3];
#endif
}

static size_t near_boxes(const dvBox *boxes, size_t count, const dvBox *one, double distance, int32_t *out)
{
  dvPack high = {one->high[0] + distance, one->high[1] + distance, one->high[2] + distance, INFINITY};
  dvPack low = {-INFINITY, one->low[0], one->low[1], one->low[2]}, more = dv_pack(distance);
  size_t found = 0;
  for (size_t i = 0; i < count; i++) {
    dvPackMask beyond = dv_pack_load(boxes[i].low) > high, before = low > dv_pack_load(boxes[i].low + 2) + more;
    out[found] = (int32_t)i;
    found += !any(beyond | before);
  }
  return found;
}

const dvNearKernels DV_KERNEL_NAME(dv_near_kernels) = {.boxes = near_boxes};

// See rigid_kernel.h. A point is one pack (x y z and a number that is overwritten by the next point, which comes right
// after; the last point is written exactly).
#include "mapping/nonlinear/rigid_kernel.h"

#include "base/simd.h"

DV_INLINE dvPack move(const dvRigidFrame *f, const double *restrict p)
{
  return dv_pack_load(f->column[3]) + dv_pack_load(f->column[0]) * dv_pack(p[0]) +
         dv_pack_load(f->column[1]) * dv_pack(p[1]) + dv_pack_load(f->column[2]) * dv_pack(p[2]);
}

static void rigid_points(const dvRigidFrame *frames, const int32_t *restrict frame, const double *restrict p,
                         double *restrict out, size_t begin, size_t end)
{
  if (begin >= end) return;
  if (frame)
    for (size_t i = begin; i + 1 < end; i++) dv_pack_store(out + 3 * i, move(frames + frame[i], p + 3 * i));
  else
    for (size_t i = begin; i + 1 < end; i++) dv_pack_store(out + 3 * i, move(frames, p + 3 * i));
  dv_pack_store3(out + 3 * (end - 1), move(frames + (frame ? frame[end - 1] : 0), p + 3 * (end - 1)));
}

const dvRigidKernels DV_KERNEL_NAME(dv_rigid_kernels) = {.points = rigid_points};

// Sums over the slots of points. See blocks.h.
#include "element/blocks.h"

static void blocks_add(const dvElementBlocks *m, const double *slots, int width, double *f)
{
  if (width == 3) {
    dv_blocks_add(m, 0, slots, f);
    return;
  }
  size_t w = (size_t)width;
  for (size_t i = 0; i < m->blocks[0].points; i++)
    for (size_t d = 0; d < w; d++) f[w * (size_t)m->point[i] + d] += slots[DV_BLOCK_STRIDE * i + d];
}

static void blocks_reduce(const dvElementBlocks *m, const double *slots, int width, size_t begin, size_t end, double *f)
{
  if (width == 3) {
    dv_blocks_reduce(m, slots, begin, end, f);
    return;
  }
  size_t w = (size_t)width;
  for (size_t p = begin; p < end; p++)
    for (uint32_t i = m->range[p].begin; i < m->range[p].end; i++)
      for (size_t d = 0; d < w; d++) f[w * p + d] += slots[DV_BLOCK_STRIDE * (size_t)m->slot[i] + d];
}

const dvBlocksKernels DV_KERNEL_NAME(dv_blocks_kernels) = {.add = blocks_add, .reduce = blocks_reduce};

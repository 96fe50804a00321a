// See matrices.h. The table of pairs is made when a matrix is wanted for the first time, and kept with the blocks.
#include "force/fem/matrices.h"

typedef struct Matrices {
  dvElementMatrices m;
  const dvElementSumKernels *kernels;
} Matrices;

_Static_assert(sizeof(Matrices) <= DV_SUM_USER, "sums are left for later only with a small description");

static size_t matrix_numbers(const dvElementMatrices *m)
{
  return m->blocks->nodes * m->blocks->nodes * (size_t)(m->width * m->width);
}

static void add_block(const Matrices *a, const dvElementSum *sum, size_t block, double *local)
{
  const dvElementMatrices *m = &a->m;
  if (m->sum) {
    m->sum(m->elements, sum, block, m->k, local);
    return;
  }
  double matrices[DV_LANES * DV_ELEMENT_MATRIX] __attribute__((aligned(64)));
  const dvElementBlock *b = &m->blocks->blocks[block];
  size_t size = matrix_numbers(m);
  for (size_t pack = b->first_pack; pack < b->first_pack + b->packs; pack++) {
    m->pack(m->elements, pack, m->k, matrices);
    a->kernels->add(sum, DV_LANES * pack, DV_LANES, matrices, size, local);
  }
}

static void fill_group(const void *user, const dvElementSum *sum, size_t group, double *local)
{
  const Matrices *a = user;
  size_t end = dv_blocks_group(a->m.blocks, group + 1, sum->count);
  for (size_t b = dv_blocks_group(a->m.blocks, group, sum->count); b < end; b++) add_block(a, sum, b, local);
}

// one element after the other: for meshes without a table of pairs
static void add_each(const dvElementMatrices *m, dvMatrixSink *sink, const dvState *state)
{
  double matrices[DV_LANES * DV_ELEMENT_MATRIX] __attribute__((aligned(64)));
  const dvElementBlocks *blocks = m->blocks;
  size_t size = matrix_numbers(m);
  for (size_t b = 0; b < blocks->count; b++)
    for (size_t pack = blocks->blocks[b].first_pack; pack < blocks->blocks[b].first_pack + blocks->blocks[b].packs;
         pack++) {
      m->pack(m->elements, pack, m->k, matrices);
      for (size_t lane = 0; lane < DV_LANES; lane++) {
        int32_t point[DV_SUM_NODES];
        if (blocks->element[DV_LANES * pack + lane] < 0) continue;
        for (size_t i = 0; i < blocks->nodes; i++) point[i] = dv_blocks_point(blocks, b, pack, i, lane);
        dv_sink_add_element(sink, state, point, (int)blocks->nodes, matrices + size * lane);
      }
    }
}

void dv_element_matrices_add(const dvElementMatrices *m, dvMatrixSink *sink, const dvState *state)
{
  dvElementSum *sum = m->width == 3 ? dv_blocks_sum(m->blocks) : NULL;
  if (sum)
    dv_sink_add_sum(sink, state, sum, fill_group, &(Matrices){*m, DV_KERNEL_CHOOSE(dv_element_sum_kernels)},
                    sizeof(Matrices));
  else add_each(m, sink, state);
}

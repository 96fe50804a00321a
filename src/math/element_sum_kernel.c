// Sums over pairs of points: adding matrices of elements, and writing sums out. See element_sum.h.
#include "math/element_sum.h"

enum { AHEAD = 8 };   // how many pairs before their turn places are fetched

static void sum_add(const dvElementSum *s, size_t first_lane, size_t lanes, const double *matrices, size_t size,
                    double *local)
{
  const size_t side = 3 * s->nodes;
  for (size_t lane = first_lane; lane < first_lane + lanes; lane++, matrices += size) {
    const uint16_t *entry = dv_element_sum_entries(s, lane);
    const uint8_t *order = dv_element_sum_order(s, lane);
    for (size_t i = 0; i < s->nodes; i++)
      for (size_t j = i; j < s->nodes; j++, entry++) {
        const double *from = matrices + 3 * side * order[i] + 3 * (size_t)order[j];
        dvPairSum b =
            dv_pair_sum_of_rows(dv_pack_load3(from), dv_pack_load3(from + side), dv_pack_load3(from + 2 * side));
        dvPairSum sum = dv_pair_sum_load(local + 4 * (size_t)*entry);
        dv_pair_sum_store(local + 4 * (size_t)*entry,
                          (dvPairSum){sum.diagonal + b.diagonal, sum.even + b.even, sum.odd + b.odd});
      }
  }
}

// Nine numbers that stand one after the other. Rows overlap by one: all are read before any is written, and the next
// row mends what a row spoils.
DV_INLINE void put_block(double *values, int32_t place, dvPack diagonal, dvPack upper, dvPack lower)
{
  dvPack row[3];
  dv_pair_sum_rows(diagonal, upper, lower, row);
  double *to = values + 9 * (size_t)(place < 0 ? ~place : place);
  if (place >= 0) row[0] += dv_pack_load(to), row[1] += dv_pack_load(to + 3), row[2] += dv_pack_load3(to + 6);
  dv_pack_store(to, row[0]);
  dv_pack_store(to + 3, row[1]);
  dv_pack_store3(to + 6, row[2]);
}

// without places sums stand one after the other
DV_INLINE void write_out(const dvElementSum *s, size_t entry, const double *from, double *values, const int32_t *places)
{
  dvPairSum sum = dv_pair_sum_load(from);
  bool one_point = s->point[2 * entry] == s->point[2 * entry + 1];
  dvPack diagonal = sum.diagonal + dv_pack(from[3] + from[7]), odd = one_point ? dv_pack(0) : sum.odd,
         upper = sum.even + odd, lower = sum.even - odd;
  put_block(values, places ? places[2 * entry] : ~(int32_t)entry, diagonal, upper, lower);
  if (places && !one_point) put_block(values, places[2 * entry + 1], diagonal, lower, upper);
}

// Blocks of the matrix lie apart, and stores that wait for them would hold up all others: both places of an entry are
// fetched before their turn.
DV_INLINE void fetch(const double *values, const int32_t *places, size_t entry, size_t end)
{
  if (!places || entry >= end) return;
  for (size_t i = 2 * entry; i < 2 * entry + 2; i++) {
    const double *to = values + 9 * (size_t)(places[i] < 0 ? ~places[i] : places[i]);
    __builtin_prefetch(to, 1);
    __builtin_prefetch(to + 8, 1);
  }
}

// Sums of a block leave zeros behind, while they are at hand: the next block starts with them.
static void sum_inner(const dvElementSum *s, size_t block, double *local, double *values, const int32_t *places)
{
  const dvElementSumBlock *b = &s->blocks[block];
  const dvPack zero = dv_pack(0);
  double *kept = s->kept + DV_SUM_STRIDE * (size_t)b->first_border;
  for (size_t i = 0; i < b->inner; i++, local += DV_SUM_STRIDE) {
    fetch(values, places, b->first + i + AHEAD, b->first + b->inner);
    write_out(s, b->first + i, local, values, places);
    for (size_t r = 0; r < DV_SUM_STRIDE; r += 4) dv_pack_store(local + r, zero);
  }
  for (size_t i = 0; i < DV_SUM_STRIDE * (size_t)b->border; i += 4) {
    dv_pack_store(kept + i, dv_pack_load(local + i));
    dv_pack_store(local + i, zero);
  }
}

static void sum_border(const dvElementSum *s, size_t begin, size_t end, double *values, const int32_t *places)
{
  for (size_t e = begin; e < end; e++) {
    fetch(values, places, s->inner + e + AHEAD, s->inner + end);
    const double *kept = s->kept + DV_SUM_STRIDE * (size_t)s->slot[s->start[e]];
    double sum[DV_SUM_STRIDE] __attribute__((aligned(32)));
    for (size_t r = 0; r < DV_SUM_STRIDE; r += 4) dv_pack_store(sum + r, dv_pack_load(kept + r));
    for (uint32_t i = s->start[e] + 1; i < s->start[e + 1]; i++) {
      kept = s->kept + DV_SUM_STRIDE * (size_t)s->slot[i];
      for (size_t r = 0; r < DV_SUM_STRIDE; r += 4)
        dv_pack_store(sum + r, dv_pack_load(sum + r) + dv_pack_load(kept + r));
    }
    write_out(s, s->inner + e, sum, values, places);
  }
}

const dvElementSumKernels DV_KERNEL_NAME(dv_element_sum_kernels) = {
    .add = sum_add, .inner = sum_inner, .border = sum_border};

// Sums over pairs of points: adding matrices of elements, and writing sums out. See element_sum.h.
#include "math/element_sum.h"

typedef struct { dvPack row[3]; } Block;   // (x y z .) each

static void sum_add(const dvElementSum *s, size_t first_lane, size_t lanes, const double *matrices, size_t size, double *local)
{
  for (size_t i = 0; i < lanes; i++, matrices += size) {
    if (s->nodes == 4) dv_element_sum_add(s, first_lane + i, matrices, 4, local);
    else if (s->nodes == 8) dv_element_sum_add(s, first_lane + i, matrices, 8, local);
    else dv_element_sum_add(s, first_lane + i, matrices, s->nodes, local);
  }
}

// the diagonal takes what stands in the fourth places
DV_INLINE Block load_sum(const double *from)
{
  static const dvPack unit[3] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}};
  dvPack rest = dv_pack(from[3] + from[7] + from[11]);
  return (Block){{dv_pack_load(from) + rest * unit[0], dv_pack_load(from + 4) + rest * unit[1], dv_pack_load(from + 8) + rest * unit[2]}};
}

DV_INLINE Block transposed(Block b)
{
  dvPack none = dv_pack(0);
  dv_pack_transpose(&b.row[0], &b.row[1], &b.row[2], &none);
  return b;
}

// Nine numbers that stand one after the other: all are read before any is written, as rows overlap by one.
DV_INLINE void add_block(double *to, Block b)
{
  dvPack first = dv_pack_load(to) + b.row[0], second = dv_pack_load(to + 3) + b.row[1], third = dv_pack_load3(to + 6) + b.row[2];
  dv_pack_store(to, first);
  dv_pack_store(to + 3, second);
  dv_pack_store3(to + 6, third);
}

// the upper half of a block on the diagonal counts
DV_INLINE Block mirrored(Block b)
{
  Block t = transposed(b);
  return (Block){{b.row[0], DV_SHUFFLE(t.row[1], b.row[1], 0, 5, 6, 7), t.row[2]}};
}

DV_INLINE void write_out(const dvElementSum *s, size_t entry, Block b, double *values, const int32_t *places)
{
  bool diagonal = s->point[2 * entry] == s->point[2 * entry + 1];
  if (diagonal) b = mirrored(b);
  add_block(values + 9 * (places ? (size_t)places[2 * entry] : entry), b);
  if (places && !diagonal) add_block(values + 9 * (size_t)places[2 * entry + 1], transposed(b));
}

// Sums of a block leave zeros behind, while they are at hand: the next block starts with them.
static void sum_inner(const dvElementSum *s, size_t block, double *local, double *values, const int32_t *places)
{
  const dvElementSumBlock *b = &s->blocks[block];
  const dvPack zero = dv_pack(0);
  double *kept = s->kept + DV_SUM_STRIDE * (size_t)b->first_border;
  for (size_t i = 0; i < b->inner; i++, local += DV_SUM_STRIDE) {
    write_out(s, b->first + i, load_sum(local), values, places);
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
    const double *kept = s->kept + DV_SUM_STRIDE * (size_t)s->slot[s->start[e]];
    double sum[DV_SUM_STRIDE] __attribute__((aligned(32)));
    for (size_t r = 0; r < DV_SUM_STRIDE; r += 4) dv_pack_store(sum + r, dv_pack_load(kept + r));
    for (uint32_t i = s->start[e] + 1; i < s->start[e + 1]; i++) {
      kept = s->kept + DV_SUM_STRIDE * (size_t)s->slot[i];
      for (size_t r = 0; r < DV_SUM_STRIDE; r += 4) dv_pack_store(sum + r, dv_pack_load(sum + r) + dv_pack_load(kept + r));
    }
    write_out(s, s->inner + e, load_sum(sum), values, places);
  }
}

const dvElementSumKernels DV_KERNEL_NAME(dv_element_sum_kernels) = {.add = sum_add, .inner = sum_inner, .border = sum_border};

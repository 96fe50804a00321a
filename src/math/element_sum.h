// Sums of the symmetric matrices of elements over pairs of points.
//
// An element of n corners has a matrix of n x n blocks of 3 x 3 numbers. Block (i, j) goes to the pair of its two
// points, so that only pairs p <= q are summed: the other half is the transposed one. Elements stand in blocks of
// neighbours; a block sums its pairs into a buffer of its own. Pairs that no other block has are then written straight
// to where they belong; what blocks share is kept, and summed in the order of the blocks. So the bits are the same for
// any number of threads.
//
// The sum of a pair has twelve numbers (dvPairSum): the diagonal of its block, and of what is beside it the symmetric
// and the antisymmetric part. Kernels form these three packs from vectors without turning rows into columns, and the
// sign of the last transposes a sum.
#ifndef DV_MATH_ELEMENT_SUM_H
#define DV_MATH_ELEMENT_SUM_H

#include "base/isa.h"
#include "base/pool.h"
#include "base/simd.h"

#include <stdatomic.h>

enum { DV_SUM_STRIDE = 12, DV_SUM_NODES = 8 };

typedef struct dvElementSumBlock {
  uint32_t first_lane, lanes;   // its elements
  uint32_t inner,
      border;   // pairs: those of this block alone come first; pair inner + border is for lanes without an element
  uint32_t first,
      first_border;   // number of its first inner pair among all; of its first border pair among the kept ones
} dvElementSumBlock;

typedef struct dvElementSum {
  size_t nodes, pairs;     // corners of an element; n (n + 1) / 2
  size_t points, count;    // points of the mesh; blocks
  size_t entries, inner;   // distinct pairs of points; how many of them belong to one block: they come first
  uint64_t stamp;          // tells apart what has other pairs
  dvElementSumBlock *blocks;
  int32_t *point;    // [entries][2] the pairs, the smaller point first
  uint16_t *entry;   // [lanes][pairs] where corners order[k], order[l] go in the block, in fours of numbers: 00, 01,
                     // .., 11, 12, ..
  uint8_t *order;    // [lanes][nodes] corners by rising point
  uint32_t *start, *slot;   // of border entries: places in `kept`
  // for the table of a mesh that is nearly the same
  int32_t *corner;       // [lanes][nodes] what it was made of
  uint64_t *own;         // the pairs of each block by their points, one block after the other
  uint32_t *own_start;   // [count + 1]
  uint16_t *rank;        // [lanes][pairs] among those of the block
  size_t copied;         // blocks whose pairs were known
  double *kept;
  size_t room;   // doubles of a buffer
  int buffers;
  double *memory, *buffer;   // one buffer a thread, of zeros between blocks
  atomic_bool *busy;
  double *total;   // [entries][9] of dv_element_sum_total
} dvElementSum;

// `corner` has the points of each lane, -1 in a lane without an element. `first_lane` has `count` + 1 numbers. False
// when memory is short or a sum is not possible: an element names a point twice, or there are too many corners or
// pairs. `before` (may be NULL) is the table of the mesh before a change: what blocks without a change have is copied.
bool dv_element_sum_create(const int32_t *corner, size_t nodes, size_t points, const uint32_t *first_lane, size_t count,
                           const dvElementSum *before, dvElementSum **out);
void dv_element_sum_destroy(dvElementSum **sum);

// Adds the matrices of the elements of a block to its pairs.
typedef void (*dvElementFill)(const void *user, const dvElementSum *sum, size_t block, double *local);
// values[9 place] += the sum of each pair, and its transpose: `places` has two places an entry, of (p, q) and of (q,
// p), the second without a meaning where p = q. At a place ~n the sum replaces what stands at n. The pool may be NULL.
void dv_element_sum_run(dvElementSum *sum, dvPool *pool, dvElementFill fill, const void *user, double *values,
                        const int32_t *places);
// The same sums by themselves: nine numbers an entry, until the next call.
const double *dv_element_sum_total(dvElementSum *sum, dvPool *pool, dvElementFill fill, const void *user);

// --- for kernels ---

DV_INLINE const uint16_t *dv_element_sum_entries(const dvElementSum *s, size_t lane)
{
  return s->entry + s->pairs * lane;
}
DV_INLINE const uint8_t *dv_element_sum_order(const dvElementSum *s, size_t lane) { return s->order + s->nodes * lane; }

// A block of 3 x 3 numbers as it is summed: (xx yy zz .), then of (yz zx xy .) and (zy xz yx .) half the sum and half
// the difference. What stands in the fourth places of the first two is still to be added to every number of the
// diagonal. `odd` of a pair of equal points is not read.
typedef struct dvPairSum {
  dvPack diagonal, even, odd;
} dvPairSum;

DV_INLINE dvPairSum dv_pair_sum_load(const double *from)
{
  return (dvPairSum){dv_pack_load(from), dv_pack_load(from + 4), dv_pack_load(from + 8)};
}
DV_INLINE void dv_pair_sum_store(double *to, dvPairSum s)
{
  dv_pack_store(to, s.diagonal);
  dv_pack_store(to + 4, s.even);
  dv_pack_store(to + 8, s.odd);
}

// the first place of a, the second of b, the third of c
DV_INLINE dvPack dv_pair_sum_mix_(dvPack a, dvPack b, dvPack c)
{
  return DV_SHUFFLE(DV_SHUFFLE(a, b, 0, 5, 2, 3), c, 0, 1, 6, 3);
}

// A block from its rows (x y z 0).
DV_INLINE dvPairSum dv_pair_sum_of_rows(dvPack x, dvPack y, dvPack z)
{
  dvPack upper = dv_pair_sum_mix_(z, x, y), lower = dv_pair_sum_mix_(y, z, x), half = dv_pack(0.5);
  upper = DV_SHUFFLE(upper, upper, 2, 0, 1, 3);
  lower = DV_SHUFFLE(lower, lower, 1, 2, 0, 3);
  return (dvPairSum){dv_pair_sum_mix_(x, y, z), half * (upper + lower), half * (upper - lower)};
}

// Rows (x y z .) from the diagonal, (yz zx xy .) and (zy xz yx .); with the last two exchanged those of the transposed
// block.
DV_INLINE void dv_pair_sum_rows(dvPack diagonal, dvPack upper, dvPack lower, dvPack row[3])
{
  upper = DV_SHUFFLE(upper, upper, 1, 2, 0, 3);
  lower = DV_SHUFFLE(lower, lower, 2, 0, 1, 3);
  row[0] = dv_pair_sum_mix_(diagonal, upper, lower);
  row[1] = dv_pair_sum_mix_(lower, diagonal, upper);
  row[2] = dv_pair_sum_mix_(upper, lower, diagonal);
}

// --- between element_sum.c and its kernels ---

typedef struct dvElementSumKernels {
  // a matrix of each of `lanes` lanes, one behind the other with `size` numbers each
  void (*add)(const dvElementSum *s, size_t first_lane, size_t lanes, const double *matrices, size_t size,
              double *local);
  void (*inner)(const dvElementSum *s, size_t block, double *local, double *values, const int32_t *places);
  void (*border)(const dvElementSum *s, size_t begin, size_t end, double *values, const int32_t *places);
} dvElementSumKernels;
DV_KERNEL_DECLARE(dvElementSumKernels, dv_element_sum_kernels);

#endif

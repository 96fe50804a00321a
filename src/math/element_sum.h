// Sums of the symmetric matrices of elements over pairs of points.
//
// An element of n corners has a matrix of n x n blocks of 3 x 3 numbers. Block (i, j) goes to the pair of its two points, so that only
// pairs p <= q are summed: the other half is the transposed one. Elements stand in blocks of neighbours; a block sums
// its pairs into a buffer of its own. Pairs that no other block has are then written straight to where they belong; what
// blocks share is kept, and summed in the order of the blocks. So the bits are the same for any number of threads.
//
// The sum of a pair has twelve numbers: rows of three, and in the fourth place of each row a part of what is still to be added to
// every number of the diagonal.
#ifndef DV_MATH_ELEMENT_SUM_H
#define DV_MATH_ELEMENT_SUM_H

#include "base/isa.h"
#include "base/pool.h"
#include "base/simd.h"

#include <stdatomic.h>

enum { DV_SUM_STRIDE = 12, DV_SUM_NODES = 8 };

typedef struct dvElementSumBlock {
  uint32_t first_lane, lanes;   // its elements
  uint32_t inner, border;       // pairs: those of this block alone come first; pair inner + border is for lanes without an element
  uint32_t first, first_border; // number of its first inner pair among all; of its first border pair among the kept ones
} dvElementSumBlock;

typedef struct dvElementSum {
  size_t nodes, pairs;          // corners of an element; n (n + 1) / 2
  size_t points, count;         // points of the mesh; blocks
  size_t entries, inner;        // distinct pairs of points; how many of them belong to one block: they come first
  uint64_t stamp;               // tells apart what has other pairs
  dvElementSumBlock *blocks;
  int32_t *point;               // [entries][2] the pairs, the smaller point first
  uint16_t *entry;              // [lanes][pairs] where corners order[k], order[l] go in the block, in fours of numbers: 00, 01, .., 11, 12, ..
  uint8_t *order;               // [lanes][nodes] corners by rising point
  uint32_t *start, *slot;       // of border entries: places in `kept`
  double *kept;
  size_t room;                  // doubles of a buffer
  int buffers;
  double *memory, *buffer;      // one buffer a thread, of zeros between blocks
  atomic_bool *busy;
  double *total;                // [entries][9] of dv_element_sum_total
} dvElementSum;

// `corner` has the points of each lane, -1 in a lane without an element. `first_lane` has `count` + 1 numbers. False when memory is short
// or a sum is not possible: an element names a point twice, or there are too many corners or pairs.
bool dv_element_sum_create(const int32_t *corner, size_t nodes, size_t points, const uint32_t *first_lane, size_t count, dvElementSum **out);
void dv_element_sum_destroy(dvElementSum **sum);

// Adds the matrices of the elements of a block to its pairs.
typedef void (*dvElementFill)(const void *user, const dvElementSum *sum, size_t block, double *local);
// values[9 place] += the sum of each pair, and its transpose: `places` has two places an entry, of (p, q) and of (q, p), equal where p = q.
// The pool may be NULL.
void dv_element_sum_run(dvElementSum *sum, dvPool *pool, dvElementFill fill, const void *user, double *values, const int32_t *places);
// The same sums by themselves: nine numbers an entry, until the next call.
const double *dv_element_sum_total(dvElementSum *sum, dvPool *pool, dvElementFill fill, const void *user);

// --- for kernels ---

DV_INLINE const uint16_t *dv_element_sum_entries(const dvElementSum *s, size_t lane) { return s->entry + s->pairs * lane; }
DV_INLINE const uint8_t *dv_element_sum_order(const dvElementSum *s, size_t lane) { return s->order + s->nodes * lane; }

// Adds a matrix of 3 nodes x 3 nodes numbers, row by row.
DV_INLINE void dv_element_sum_add(const dvElementSum *s, size_t lane, const double *matrix, size_t nodes, double *local)
{
  const uint16_t *entry = dv_element_sum_entries(s, lane);
  const uint8_t *order = dv_element_sum_order(s, lane);
  const size_t side = 3 * nodes;
  for (size_t i = 0; i < nodes; i++)
    for (size_t j = i; j < nodes; j++, entry++) {
      double *to = local + 4 * (size_t)*entry;
      const double *from = matrix + 3 * side * order[i] + 3 * (size_t)order[j];
      for (size_t r = 0; r < 3; r++) dv_pack_store(to + 4 * r, dv_pack_load(to + 4 * r) + dv_pack_load3(from + side * r));
    }
}

// --- between element_sum.c and its kernels ---

typedef struct dvElementSumKernels {
  // a matrix of each of `lanes` lanes, one behind the other with `size` numbers each
  void (*add)(const dvElementSum *s, size_t first_lane, size_t lanes, const double *matrices, size_t size, double *local);
  void (*inner)(const dvElementSum *s, size_t block, double *local, double *values, const int32_t *places);
  void (*border)(const dvElementSum *s, size_t begin, size_t end, double *values, const int32_t *places);
} dvElementSumKernels;
DV_KERNEL_DECLARE(dvElementSumKernels, dv_element_sum_kernels);

#endif

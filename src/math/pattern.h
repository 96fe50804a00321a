// Sparsity patterns: which columns each row has.
//
// A pattern is built from pairs (row, column) in the order in which contributions come. Every pair learns its place
// among the distinct ones, so that the next time values go straight there.
#ifndef DV_MATH_PATTERN_H
#define DV_MATH_PATTERN_H

#include "base/base.h"

DV_PUBLIC_BEGIN

typedef struct dvPattern {
  size_t rows, cols;
  int32_t *row_start;   // rows + 1
  int32_t *col;         // ascending within a row
} dvPattern;

// A pair that belongs to no row: it is skipped and its place is -1.
#define DV_PAIR_NONE UINT64_MAX
static inline uint64_t dv_pair(size_t row, size_t col) { return (uint64_t)row << 32 | (uint64_t)col; }
static inline size_t dv_pair_row(uint64_t pair) { return (size_t)(pair >> 32); }
static inline size_t dv_pair_col(uint64_t pair) { return (size_t)(pair & 0xffffffffu); }

// Replaces the pattern by the distinct pairs; `place` (may be NULL) gets the place of each. Rows and columns of all
// pairs must be below the given numbers. False when memory is short or there are too many; the pattern is empty then.
bool dv_pattern_build(dvPattern *p, size_t rows, size_t cols, const uint64_t *pairs, size_t count, int32_t *place);
void dv_pattern_free(dvPattern *p);
static inline size_t dv_pattern_count(const dvPattern *p) { return p->row_start ? (size_t)p->row_start[p->rows] : 0; }
// The place of an entry, or -1.
int32_t dv_pattern_find(const dvPattern *p, size_t row, size_t col);
bool dv_pattern_same(const dvPattern *a, const dvPattern *b);
bool dv_pattern_copy(dvPattern *p, const dvPattern *from);
// The pattern of the transposed matrix. `source` (may be NULL) gets for each of its entries the place in `from`.
bool dv_pattern_transpose(dvPattern *p, const dvPattern *from, int32_t *source);

DV_PUBLIC_END

#endif

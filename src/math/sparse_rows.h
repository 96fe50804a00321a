// Rows of a sparse matrix: the directions H of constraints, what they say about unknowns, rows of Jacobians.
//
// Entries come in any order; settling sorts them by row and column and adds up those that name the same place, in the
// order in which they came. Memory is kept when the rows are cleared: what is filled every step allocates nothing once
// it is warm.
#ifndef DV_MATH_SPARSE_ROWS_H
#define DV_MATH_SPARSE_ROWS_H

#include "base/array.h"

DV_PUBLIC_BEGIN

typedef struct dvSparseRows {
  size_t count;             // rows; rows without entries count too
  bool settled;             // `start` is valid, columns ascend within a row
  bool mixed;               // entries did not come in the order of rows and columns
  DV_ARRAY(size_t) start;   // count + 1, once settled
  DV_ARRAY(int32_t) col;
  DV_ARRAY(double) value;
  DV_ARRAY(int32_t) row;   // of each entry
  // scratch of settling
  DV_ARRAY(int32_t) other_col;
  DV_ARRAY(double) other_value;
} dvSparseRows;

void dv_sparse_rows_clear(dvSparseRows *r);   // keeps the memory
void dv_sparse_rows_free(dvSparseRows *r);
// Adds value to an entry that need not exist; `count` grows with the largest row.
void dv_sparse_rows_add(dvSparseRows *r, int32_t row, int32_t col, double value);
// The same for `width` columns from `col` on: factor x values.
void dv_sparse_rows_add_many(dvSparseRows *r, int32_t row, int32_t col, const double *values, int width, double factor);
// Sorts and sums. `count` is the number of rows there are to be, at least those that have entries.
void dv_sparse_rows_settle(dvSparseRows *r, size_t count);

// y = R x, and y += R^T x; settled rows.
void dv_sparse_rows_product(const dvSparseRows *r, const double *x, double *y);
void dv_sparse_rows_add_transposed(const dvSparseRows *r, const double *x, double *y);

DV_PUBLIC_END

#endif

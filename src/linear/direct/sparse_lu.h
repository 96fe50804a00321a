// Sparse LU with row exchanges, for square matrices of any kind: P A Q = L U, scalar by scalar (Gilbert and Peierls
// 1988).
#ifndef DV_LINEAR_DIRECT_SPARSE_LU_H
#define DV_LINEAR_DIRECT_SPARSE_LU_H

#include "base/array.h"
#include "linear/direct/ordering.h"
#include "math/block_matrix.h"

// Columns one after the other.
typedef struct dvColumns {
  DV_ARRAY(int32_t) start, row;
  DV_ARRAY(double) value;
} dvColumns;

typedef struct dvSparseLu {
  size_t n;
  dvColumns a;   // the matrix, scalar by scalar
  dvColumns lower,
      upper;   // rows of L as in A, of U by pivots; the diagonal is the first of a column of L, the last of one of U
  DV_ARRAY(int32_t) order;      // column that is eliminated k-th
  DV_ARRAY(int32_t) pivot_of;   // when a row becomes pivot, -1 before
  DV_ARRAY(int32_t) mark, stack, cursor;
  DV_ARRAY(double) work;
} dvSparseLu;

// Chooses the order of columns for a pattern. False when memory is short.
bool dv_sparse_lu_analyse(dvSparseLu *f, const dvBlockMatrix *a, dvOrder order);
// Rows are exchanged when the diagonal is smaller than a tenth of the largest number of its column. False when a column
// has nothing larger than `small` times its largest number left: *column is its number.
bool dv_sparse_lu_factorise(dvSparseLu *f, const dvBlockMatrix *a, double small, size_t *column);
void dv_sparse_lu_solve(dvSparseLu *f, const double *rhs, double *x);
void dv_sparse_lu_free(dvSparseLu *f);
// Numbers of L, without the diagonal.
static inline size_t dv_sparse_lu_count(const dvSparseLu *f) { return f->lower.row.count - f->n; }

#endif

// Sparse QR of a square matrix by plane rotations, row by row (George and Heath 1980): R has the pattern of the
// Cholesky factor of A^T A.
#ifndef DV_LINEAR_DIRECT_SPARSE_QR_H
#define DV_LINEAR_DIRECT_SPARSE_QR_H

#include "base/array.h"
#include "linear/direct/ordering.h"
#include "math/block_matrix.h"

// One rotation of a row of A with row k of R; a sine of 1 with an empty row of R puts it there.
typedef struct dvTurn {
  int32_t row;
  double cosine, sine;
} dvTurn;

typedef struct dvSparseQr {
  size_t n, rank;
  DV_ARRAY(int32_t) order, inverse;   // column that comes k-th, and back
  DV_ARRAY(int32_t) parent;           // next row of R that a row of A meets
  dvPattern pattern;                  // of R: rows with their diagonal first
  DV_ARRAY(double) value;
  DV_ARRAY(unsigned char) filled;   // rows of R that exist
  DV_ARRAY(dvTurn) turns;
  DV_ARRAY(size_t) turn_start;   // of each row of A, then of each moved row
  DV_ARRAY(int32_t) moved;       // rows of R that had no diagonal and were turned into later ones
  DV_ARRAY(double) work, size;   // a row; the norm of each column
} dvSparseQr;

// False when memory is short.
bool dv_sparse_qr_analyse(dvSparseQr *f, const dvBlockMatrix *a, dvOrder order);
// Columns that are dependent up to `small` times their norm are left out: rank tells how many are not.
void dv_sparse_qr_factorise(dvSparseQr *f, const dvBlockMatrix *a, double small);
// The least squares solution; unknowns of columns that were left out are 0.
void dv_sparse_qr_solve(dvSparseQr *f, const double *rhs, double *x);
void dv_sparse_qr_free(dvSparseQr *f);

#endif

// Dense matrices, row by row: factorisations for small systems and for checking larger ones.
#ifndef DV_MATH_DENSE_H
#define DV_MATH_DENSE_H

#include "base/base.h"

// LU with row exchanges, in place: unit lower triangle and upper triangle. A pivot not larger than `small` times the
// largest number of the matrix counts as zero: false then, and *bad is its column.
bool dv_dense_lu(double *a, int32_t *exchange, size_t n, double small, size_t *bad);
void dv_dense_lu_solve(const double *lu, const int32_t *exchange, size_t n, double *x);              // x = A^-1 x
void dv_dense_lu_solve_transposed(const double *lu, const int32_t *exchange, size_t n, double *x);   // x = A^-T x

// A = L L^T in the lower triangle, in place; reads the lower triangle. False when a pivot is not above zero: *bad is
// its row.
bool dv_dense_cholesky(double *a, size_t n, size_t *bad);
void dv_dense_cholesky_solve(const double *l, size_t n, double *x);

// A = U diag(sigma) V^T by one-sided Jacobi rotations; sigma sorted downwards. On return row k of `ut` (in: A) is the
// k-th left and row k of `vt` the k-th right singular vector. Left vectors of singular values that are zero are zero.
void dv_dense_svd(double *ut, double *vt, double *sigma, size_t n);

// A = V^T diag(values) V for a symmetric matrix, by Jacobi rotations; reads all of it. Row k of `v` is the k-th
// eigenvector.
void dv_dense_eigen_symmetric(const double *a, double *values, double *v, size_t n);

// The inverse of a symmetric matrix by Cholesky's method, its pseudo-inverse where it is not positive definite. `work`
// has room for n n + n numbers.
void dv_dense_pseudo_inverse(const double *a, size_t n, double *inverse, double *work);

// y = A x
void dv_dense_product(const double *a, size_t rows, size_t cols, const double *x, double *y);

#endif

// Sparse LDL^T of a symmetric block matrix: A = P^T L D L^T P, L with unit diagonal blocks, D of blocks.
//
// The pattern is analysed once; matrices of that pattern are then factorised without allocating. A factor is only read by
// solves, so several threads may use it, each with its own work vector.
#ifndef DV_LINEAR_LDL_H
#define DV_LINEAR_LDL_H

#include "linear/ordering.h"
#include "math/block_matrix.h"

// A pivot this small in proportion to its row counts as zero: what is left there is rounding.
#define DV_LDL_SMALL 1e-13

typedef struct dvLdl {
  int block;
  size_t n;              // block rows
  int32_t *perm;         // row that is eliminated k-th
  int32_t *inverse;      // when a row is eliminated
  int32_t *parent;       // elimination tree, -1 for roots
  int32_t *col_start;    // n + 1
  int32_t *row;          // of each block of L below the diagonal, column by column
  double *lower;         // blocks of L, each transposed
  double *inverse_d;     // D^-1, a block a row
  size_t negative;       // pivots below zero of the last factorisation
  bool valid;            // there is a factor
  // work of the factorisation
  int32_t *filled, *mark, *stack;
  double *line;          // the row at hand, padded blocks
} dvLdl;

// Looks at the pattern and finds an order. False when memory is short.
bool dv_ldl_analyse(dvLdl *f, const dvPattern *a, int block, dvOrder order);
void dv_ldl_free(dvLdl *f);
// Factorises the lower triangle of the permuted matrix, whose pattern must be the analysed one. A pivot below `small` times the
// diagonal entry of its row counts as zero: false then, and *pivot is the scalar row.
bool dv_ldl_factorise(dvLdl *f, const dvBlockMatrix *a, double small, size_t *pivot);
// x = A^-1 rhs; x may be rhs. `work` has room for dv_ldl_work numbers.
void dv_ldl_solve(const dvLdl *f, const double *rhs, double *x, double *work);
// After a factorisation that failed at `pivot`: a vector that the rows up to there map to nearly zero; A does, when it has no negative
// eigenvalues. It is 0 for rows that are eliminated later.
void dv_ldl_null_vector(const dvLdl *f, size_t pivot, double *x);
// Blocks of L below the diagonal.
static inline size_t dv_ldl_count(const dvLdl *f) { return f->col_start ? (size_t)f->col_start[f->n] : 0; }

// Padded width of a row of a block: packs hold whole rows.
static inline int dv_ldl_stride(int block) { return block == 1 ? 1 : block == 3 ? 4 : 8; }
static inline size_t dv_ldl_work(const dvLdl *f) { return f->n * (size_t)dv_ldl_stride(f->block); }

// --- inner loops ---

typedef struct dvLdlKernels {
  // takes column j out of the row at hand, row k: L_kj, what it changes in the rest of the row, and d, the diagonal block of k
  void (*eliminate)(dvLdl *f, int32_t k, int32_t j, double *d);
  // x[row[k]] -= L_k x_j, and the transposed: returns in s the sum of L_k^T x[row[k]]; vectors are padded
  void (*forward)(int block, const int32_t *row, size_t count, const double *l, const double *xj, double *x);
  void (*backward)(int block, const int32_t *row, size_t count, const double *l, const double *x, double *s);
} dvLdlKernels;

DV_KERNEL_DECLARE(dvLdlKernels, dv_ldl_kernels);

#endif

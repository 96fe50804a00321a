// Sparse LDL^T of a symmetric block matrix: A = P^T L D L^T P, L with a unit diagonal, D of numbers.
//
// The pattern is analysed once: order of elimination, tree of fronts (dense parts), where every entry goes. Matrices of
// that pattern are then factorised without allocating, with the same bits for any number of threads. A factor is only
// read by solves: several threads may use it at once, each with its own work vector.
#ifndef DV_LINEAR_DIRECT_LDL_H
#define DV_LINEAR_DIRECT_LDL_H

#include "linear/direct/reorder.h"
#include "math/block_matrix.h"
#include "object/memory.h"

// A pivot this small in proportion to its row counts as zero: what is left there is rounding.
#define DV_LDL_SMALL 1e-13

// What the columns that solutions read consist of.
typedef enum dvLdlNumbers {
  DV_LDL_DOUBLE,
  DV_LDL_SINGLE,
  DV_LDL_SHORT   // 16 bits, and a unit of each column: 1 / 32767 of its largest number
} dvLdlNumbers;

typedef struct dvLdl {
  struct dvLdlSymbolic *symbolic;   // shared by factors of one pattern
  double *lower;                    // the fronts' columns of L
  size_t room;                      // numbers that there is memory for
  double *d, *inverse_d;            // pivots and 1 / pivot, in the order of elimination
  size_t negative;                  // pivots below zero of the last factorisation
  size_t perturbed;                 // pivots that were zero and were replaced: solutions need refinement
  bool valid;                       // there is a factor
  bool rough;                       // set by who wants that: products are in single precision, for preconditioners
  void *copy;                       // the columns in smaller numbers, and the bytes that there is room for
  size_t copy_room;
  double *unit;             // what numbers of 16 bits are counted in, of each column in the order of elimination
  double pivot_unit;        // what solutions with these multiply 1 / pivot with, a power of two
  dvLdlNumbers numbers;     // solutions read these: the columns themselves, or the copy
  double redone;            // part of the operations that the last factorisation did: 1 for all
  struct dvLdlWork *work;   // of the factorisation
} dvLdl;

// Looks at the pattern and finds an order. False when memory is short.
bool dv_ldl_analyse(dvLdl *f, const dvPattern *a, int block, dvOrder order);
// The same for one of several patterns of a mesh that changes: the order is near to the one before.
bool dv_ldl_analyse_again(dvLdl *f, const dvPattern *a, int block, dvOrder order, dvOrderHistory *history);
// Makes f ready for matrices of the pattern of `from` without another analysis. False when memory is short.
bool dv_ldl_analyse_like(dvLdl *f, const dvLdl *from);
void dv_ldl_free(dvLdl *f);
// Factorises the lower triangle of the permuted matrix, whose pattern must be the analysed one. A pivot below `small`
// times the diagonal entry of its row counts as zero. When that makes the matrix singular: false, and *pivot is the
// scalar row. When it does not (an indefinite matrix), the pivot is replaced and counted in `perturbed`. The pool may
// be NULL.
bool dv_ldl_factorise(dvLdl *f, const dvBlockMatrix *a, dvPool *pool, double small, size_t *pivot);
// The same, to the last bit, but only for fronts whose entries or whose children have changed since the last call:
// nothing when the matrix is the same, the way up from a few elements when these have changed. Costs a copy of the
// matrix and, once few fronts have changed, room for what every front leaves for its parent.
bool dv_ldl_refactorise(dvLdl *f, const dvBlockMatrix *a, dvPool *pool, double small, size_t *pivot);
// x = A^-1 rhs; x may be rhs. `work` has room for dv_ldl_work numbers.
void dv_ldl_solve(const dvLdl *f, const double *rhs, double *x, double *work);
// The same, to the last bit, with the threads of a pool (may be NULL) where the factor is large.
void dv_ldl_solve_with(const dvLdl *f, dvPool *pool, const double *rhs, double *x, double *work);
// For preconditioners: solutions with the factor that is there, until it is factorised anew, read a copy in smaller
// numbers, in as much less time. False when memory is short.
bool dv_ldl_make_copy(dvLdl *f, dvLdlNumbers numbers, dvPool *pool);
// One step of refinement of a solution x of A x = rhs: x += A^-1 (rhs - A x). `work` has room for dv_ldl_work + 2 rows
// numbers. Returns the largest |rhs - A x| before the step over the largest |rhs|.
double dv_ldl_refine(const dvLdl *f, const dvBlockMatrix *a, const double *rhs, double *x, double *work);
// After a factorisation that failed at `pivot`: a vector that the rows up to there map to nearly zero; A does, when it
// has no negative eigenvalues. It is 0 for rows that are eliminated later.
void dv_ldl_null_vector(const dvLdl *f, size_t pivot, double *x);

// The numbers of a factor (none: NULL) as an entry of a memory, and a factor from such numbers, for the pattern that
// was analysed; false when there are too few or too many.
void dv_ldl_remember(const dvLdl *f, dvMemoryStream *s, const char *name);
bool dv_ldl_assign(dvLdl *f, const double *numbers, size_t count);

// Figures of the analysis: blocks of L below the diagonal; numbers stored, with zeros that widen fronts; operations of
// a factorisation.
size_t dv_ldl_count(const dvLdl *f);
size_t dv_ldl_stored(const dvLdl *f);
double dv_ldl_flops(const dvLdl *f);
size_t dv_ldl_rows(const dvLdl *f);   // scalar ones
size_t dv_ldl_work(const dvLdl *f);

#endif

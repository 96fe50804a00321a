// Contributions on mapped states, carried up to the main ones: A += J^T K J.
//
// Degrees of freedom of all states are numbered through, the main ones first. K holds the blocks of pairs of which at
// least one is mapped. J has a row for each mapped degree of freedom, in terms of main ones: the product of the
// Jacobians on the way. A is formed by rows of K: T = K J, then A += J^T T.
#ifndef DV_LINEAR_SYSTEM_PROJECT_H
#define DV_LINEAR_SYSTEM_PROJECT_H

#include "base/array.h"
#include "base/isa.h"
#include "math/pattern.h"

// Blocks of any shape at the entries of a pattern.
typedef struct dvRagged {
  dvPattern pattern;
  DV_ARRAY(size_t) start;   // of the values of each entry
  DV_ARRAY(double) values;
} dvRagged;

// The pattern is the caller's to fill before; widths of rows and columns by number. False when memory is short.
bool dv_ragged_settle(dvRagged *r, const int *row_width, const int *col_width);
void dv_ragged_clear(dvRagged *r);
void dv_ragged_free(dvRagged *r);

typedef struct dvProjection {
  size_t main, total;         // degrees of freedom: of main states, of all
  const int *width;           // scalars of each, borrowed
  dvRagged k;                 // total x total
  dvRagged raw;               // Jacobians of the single mappings, total x total: from inputs to outputs
  dvRagged j;                 // total x main
  dvRagged t;                 // total x main
  DV_ARRAY(int32_t) order;    // mapped degrees of freedom, inputs before outputs
  DV_ARRAY(int32_t) target;   // entry of A for each pair (entry of J, entry of T) of a row, in order
  DV_ARRAY(int32_t) marker;   // scratch, one a main degree of freedom
  const struct dvProjectionKernels *kernels;
} dvProjection;

// Where a block of A goes: degrees of freedom, and its values.
typedef void (*dvProjectionSink)(void *user, int32_t target, size_t row, size_t col, const double *block);

// Patterns of J and T from those of K and `raw`. `pairs` gets the entries of A that follow, in the order in which
// dv_projection_run hands them over.
typedef DV_ARRAY(uint64_t) dvPairs;
bool dv_projection_analyse(dvProjection *p, dvPairs *pairs);
// Forms J and T from the values of K and `raw`, and hands over each contribution to A with its `target`.
void dv_projection_run(dvProjection *p, dvProjectionSink sink, void *user);
void dv_projection_free(dvProjection *p);

// --- inner loops ---

enum { DV_PROJECTION_WIDE = 6 };   // blocks with more columns go through these

typedef struct dvProjectionKernels {
  void (*product)(double *c, const double *a, const double *b, int n, int m, int l);   // c += a b, a: n x m, b: m x l
  void (*transposed)(double *c, const double *a, const double *b, int n, int m,
                     int l);   // c += a^T b, a: n x m, b: n x l
} dvProjectionKernels;

DV_KERNEL_DECLARE(dvProjectionKernels, dv_projection_kernels);

#endif

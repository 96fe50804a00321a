// Operations on long vectors of doubles, as the solvers use them.
//
// Sums are formed in one order only: the vector is cut into chunks of DV_VECTOR_CHUNK numbers, a
// chunk is summed in sixteen interleaved partial sums that are added in a fixed tree, and chunk sums are
// added from first to last. Neither the length of the vector nor the number of threads changes that
// order, so a result has the same bits for any number of threads. (It differs in the last digits
// between instruction sets: the fast one fuses multiplications and additions.)
#ifndef DV_MATH_KERNELS_H
#define DV_MATH_KERNELS_H

#include "base/isa.h"
#include "base/pool.h"

enum { DV_VECTOR_CHUNK = 2048 };

// Inner loops on one piece. The sums take at most one chunk. Input and output may be the same array,
// but may not overlap otherwise.
typedef struct dvVectorKernels {
  double (*dot)(const double *a, const double *b, size_t n);
  double (*norm2)(const double *a, size_t n);                                         // sum of squares
  void (*axpy)(double k, const double *x, double *y, size_t n);                       // y += k x
  void (*xpay)(const double *x, double k, double *y, size_t n);                       // y = x + k y
  void (*scale)(double k, double *x, size_t n);                                       // x *= k
  void (*copy)(const double *x, double *y, size_t n);                                 // y = x
  void (*fill)(double value, double *x, size_t n);                                    // x = value
  void (*combine)(const double *a, double k, const double *b, double *r, size_t n);   // r = a + k b
  // x += alpha p, r -= alpha q; returns r.r
  double (*cg_step)(double alpha, const double *p, const double *q, double *x, double *r, size_t n);
} dvVectorKernels;

DV_KERNEL_DECLARE(dvVectorKernels, dv_vector_kernels);
// The table for this processor, chosen at the first call.
const dvVectorKernels *dv_vector_kernels(void);

// The same on whole vectors. The pool may be NULL; short vectors run in the caller.
double dv_dot(dvPool *pool, const double *a, const double *b, size_t n);
double dv_norm2(dvPool *pool, const double *a, size_t n);
void dv_axpy(dvPool *pool, double k, const double *x, double *y, size_t n);
void dv_xpay(dvPool *pool, const double *x, double k, double *y, size_t n);
void dv_scale(dvPool *pool, double k, double *x, size_t n);
void dv_copy(dvPool *pool, const double *x, double *y, size_t n);
void dv_fill(dvPool *pool, double value, double *x, size_t n);
void dv_combine(dvPool *pool, const double *a, double k, const double *b, double *r, size_t n);
double dv_cg_step(dvPool *pool, double alpha, const double *p, const double *q, double *x, double *r, size_t n);

// a.b as SOFA sums it: point after point, the products of a point's `width` numbers first, those behind `part` on their
// own (the rotation of a frame). The same bits with every instruction set; about five times as slow as dv_dot.
double dv_dot_of_points(const double *a, const double *b, size_t points, int width, int part);

#endif

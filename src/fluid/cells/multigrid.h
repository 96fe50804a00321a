// Conjugate gradients for the pressure, preconditioned by a V-cycle.
//
//   (A x)_i = sum over neighbours j of c_ij (x_i - x_j) + e_i x_i
//
// Coefficients stand at the lower face of a cell, in floats; e is what air beyond a face adds. A coarse cell is made of
// 2 x 2 (x 2) cells; its coefficients are sums of those of the faces it covers, halved, which is A on the coarser grid.
// Values go down along the plane through the coarse cell and its neighbours on the side of the fine one (weights 1/4
// each, where the face between them is open enough: values beyond a gap are others); residuals go up with the
// transposed weights, so that the cycle is symmetric: one sweep of Gauss-Seidel before (every other row, then the
// rest), one in the opposite order behind. The cycle works in floats, the outer iteration in doubles.
#ifndef DV_FLUID_MULTIGRID_H
#define DV_FLUID_MULTIGRID_H

#include "base/array.h"
#include "base/isa.h"
#include "base/pool.h"

enum { DV_MG_LEVELS = 16, DV_MG_WIDEST = 4096 /* cells of a row */ };

typedef struct dvMgLevel {
  int n[3], axes;   // with a border of one cell along each axis that has an extent
  size_t count, stride[3];
  float *c[3], *e, *diag, *inverse;   // diag is 1 where there is nothing to solve, inverse is 0
  float *x, *b, *r;
  uint8_t *links;   // bits: open to the neighbour at -x, +x, -y ...; with bit 6 in the solve
  float open;       // least coefficient of such faces: a tenth of that of a whole one
} dvMgLevel;

typedef struct dvMultigrid {
  int levels;
  dvMgLevel level[DV_MG_LEVELS];
  float *store;
  uint8_t *bits;
  float *mask;   // 0 1 0 1 ...
} dvMultigrid;

// Memory for a grid of n cells, borders included. False when it is short, or a row longer than DV_MG_WIDEST.
DV_CHECK_RESULT bool dv_mg_open(dvMultigrid *m, const int n[3]);
void dv_mg_free(dvMultigrid *m);
// The coefficients c and e of level 0 are set: makes the rest.
void dv_mg_prepare(dvMultigrid *m, dvPool *pool);

typedef struct dvMgWork {
  double *r, *p, *q;   // a number for each cell
} dvMgWork;
// A x = b from x as a start; w.r holds b and is overwritten. Returns iterations; *residual is |b - A x| / |b|.
int dv_mg_solve(dvMultigrid *m, dvPool *pool, double *x, dvMgWork w, double tolerance, int most, double *residual);

// Inner loops over rows (j, k) of a level, j fastest.
typedef struct dvMgKernels {
  void (*smooth)(const dvMgLevel *l, const float *mask, int phase, bool back, size_t begin, size_t end);
  void (*residual)(const dvMgLevel *l, size_t begin, size_t end);
  void (*up)(const dvMgLevel *fine, const dvMgLevel *coarse, size_t begin, size_t end);     // rows of the coarse one
  void (*down)(const dvMgLevel *fine, const dvMgLevel *coarse, size_t begin, size_t end);   // rows of the fine one
  void (*product)(const dvMgLevel *l, const double *x, double *y, size_t begin, size_t end);
} dvMgKernels;
DV_KERNEL_DECLARE(dvMgKernels, dv_mg_kernels);

#endif

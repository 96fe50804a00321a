// Diffusion of a potential in tissue: M u' = -K u with linear tetrahedra, D = d (f f^T + r (1 - f f^T)), by the theta
// rule (1/2: Crank and Nicolson, order 2):
//   (M + theta h K) du = -h K u.
// M is lumped, full, or between: s of it lumped. Of a mode with wave number k on an even mesh, lumped masses make
// k^2 (1 - k^2 h^2 / 12) and full ones k^2 (1 + k^2 h^2 / 12): waves are too slow or too fast, and with half of each
// right to order 4. Conjugate gradients with the diagonal as preconditioner; sums in a fixed order.
#ifndef DV_HEART_CONDUCT_H
#define DV_HEART_CONDUCT_H

#include "heart/muscle.h"
#include "math/block_matrix.h"

typedef struct dvConduct {
  dvBlockMatrix k, a;               // K, and M + theta h K for the step `h`
  DV_ARRAY(double) mass;            // lumped: sums of the rows of M
  DV_ARRAY(double) full;            // entries of M, where it is not all lumped
  DV_ARRAY(double) inverse;         // 1 / diagonal of a
  DV_ARRAY(double) r, z, p, q, d;   // of the conjugate gradients
  DV_ARRAY(int32_t) place;          // of the 16 entries of each tetrahedron
  double h, theta;
  double total;   // volume
  size_t n;
  int iterations;   // of the last step
} dvConduct;

typedef struct dvConductDef {
  double diffusivity, ratio;   // along the fibres; across over along
  double theta;
  double lumped;   // 0 to 1: share of the masses that is at the points
} dvConductDef;

// The pattern, once; then the numbers, whenever conduction changes. False when memory is short.
bool dv_conduct_init(dvConduct *c, const dvMuscle *t);
void dv_conduct_fill(dvConduct *c, const dvMuscle *t, const dvConductDef *def);
// u moves on by h. Stops when the mean error of u is below `tolerance`; false when `most` iterations do not do.
bool dv_conduct_step(dvConduct *c, dvPool *pool, double h, double tolerance, int most, double *u);
void dv_conduct_free(dvConduct *c);

#endif

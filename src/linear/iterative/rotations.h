// Rotations of points since rest, by what their neighbours in a matrix do: F_i = sum w_ij (x_j - x_i)(X_j - X_i)^T over
// the columns of row i, and R_i its nearest rotation. They warp the factor of an older matrix: A^-1 ~ R A_0^-1 R^T with
// R since that matrix.
//
// A neighbour counts as much as the matrix couples the two: w_ij = |A_ij|. Where soft and stiff parts meet, points turn
// with the stiff one, whose error would be the larger one. The weights are those of the first matrix with a pattern.
#ifndef DV_LINEAR_ITERATIVE_ROTATIONS_H
#define DV_LINEAR_ITERATIVE_ROTATIONS_H

#include "base/isa.h"
#include "linear/system/assembly.h"

// One 3x3 block for every three scalars of the system; the identity for states other than Vec3 and for points whose
// neighbours leave it open.
typedef struct dvRotations {
  DV_ARRAY(double) now, then;   // present ones, and those of the matrix that was factorised
  DV_ARRAY(double) between;     // now then^T
  // neighbours of each point, numbered within its state
  unsigned listed;   // stamp of the pattern that they come from
  bool listed_once;
  DV_ARRAY(int32_t) start, neighbour;
  DV_ARRAY(double) weight;
  DV_ARRAY(double) kept;          // remembered weights, for lists that are made again
  DV_ARRAY(unsigned char) open;   // points whose neighbours are flat or inverted
} dvRotations;

void dv_rotations_free(dvRotations *r);
// For the hook `remember` of who uses them: what counts from the matrix.
void dv_rotations_remember(dvRotations *r, dvMemoryStream *s);
// The two halves of what follows: present rotations, and `between` from older ones (NULL: those of now).
void dv_rotations_measure(dvRotations *r, const dvAssembly *a, dvPool *pool);
void dv_rotations_compare(dvRotations *r, const double *then);
// The matrix is a new one: rotations are counted from here on.
void dv_rotations_start(dvRotations *r, const dvAssembly *a, dvPool *pool);
// Brings `between` up to the present positions.
void dv_rotations_update(dvRotations *r, const dvAssembly *a, dvPool *pool);
// y = R x and y = R^T x with R = between; y may be x.
void dv_rotations_turn(const dvRotations *r, const double *x, double *y, bool transposed);

// --- inner loop ---

// Points of one state: lists, positions, and where the rotations go.
typedef struct dvTurning {
  const int32_t *start, *neighbour;
  const double *weight;
  const double *x, *rest;
  double *out;           // 9 numbers each
  unsigned char *open;   // set where F is flat or inverted: out then gets F itself, in units of its largest number
} dvTurning;

typedef struct dvRotationKernels {
  void (*measure)(const dvTurning *t, size_t begin, size_t end);
} dvRotationKernels;

DV_KERNEL_DECLARE(dvRotationKernels, dv_rotation_kernels);

#endif

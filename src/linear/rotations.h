// Rotations of points since rest, by what their neighbours in a matrix do: F_i = sum (x_j - x_i)(X_j - X_i)^T over the columns of row i, and
// R_i its nearest rotation. They warp the factor of an older matrix: A^-1 ~ R A_0^-1 R^T with R since that matrix.
#ifndef DV_LINEAR_ROTATIONS_H
#define DV_LINEAR_ROTATIONS_H

#include "linear/assembly.h"

// One 3x3 block for every three scalars of the system; the identity for states other than Vec3 and for points whose neighbours leave it open.
typedef struct dvRotations {
  DV_ARRAY(double) now, then;       // present ones, and those of the matrix that was factorised
  DV_ARRAY(double) between;         // now then^T
} dvRotations;

void dv_rotations_free(dvRotations *r);
// The two halves of what follows: present rotations, and `between` from older ones (NULL: those of now).
void dv_rotations_measure(dvRotations *r, const dvAssembly *a);
void dv_rotations_compare(dvRotations *r, const double *then);
// The matrix is a new one: rotations are counted from here on.
void dv_rotations_start(dvRotations *r, const dvAssembly *a);
// Brings `between` up to the present positions.
void dv_rotations_update(dvRotations *r, const dvAssembly *a);
// y = R x and y = R^T x with R = between; y may be x.
void dv_rotations_turn(const dvRotations *r, const double *x, double *y, bool transposed);

#endif

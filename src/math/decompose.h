// Decompositions of 3x3 matrices: polar, singular values, symmetric eigenvalues.
#ifndef DV_MATH_DECOMPOSE_H
#define DV_MATH_DECOMPOSE_H

#include "base/base.h"
#include "math/vec.h"

DV_PUBLIC_BEGIN

// M = Q S, Q orthogonal, S symmetric positive semi-definite; s may be NULL. Q has the sign of
// det M: an inverted M gives a reflection. Returns the determinant of the last iterate, near 1 or -1.
// A singular M has no unique Q: the result is then 0 and Q is the matrix the iteration stopped at, M
// itself in exact arithmetic (SOFA's behaviour); use dv_polar_stable where that can happen.
double dv_polar(const dvMat3 *m, dvMat3 *q, dvMat3 *s);

// M = Q S with Q always a rotation; s may be NULL. S of an inverted M has one negative eigenvalue, the
// smallest in size. True when M was inverted or had a singular value below 1e-4.
bool dv_polar_stable(const dvMat3 *m, dvMat3 *q, dvMat3 *s);

// M = U diag(sigma) V^T, sigma sorted downwards and not negative, U and V orthogonal whatever the
// rank of M; either may be a reflection.
void dv_svd(const dvMat3 *m, dvMat3 *u, dvVec3 *sigma, dvMat3 *v);

// The same with U and V rotations: sigma.z carries the sign of det M. True as in dv_polar_stable.
bool dv_svd_rotations(const dvMat3 *m, dvMat3 *u, dvVec3 *sigma, dvMat3 *v);

// A = V diag(values) V^T for a symmetric A (the upper triangle is read); values sorted downwards,
// eigenvectors in the columns of V, which is a rotation.
void dv_eigen_symmetric(const dvMat3 *a, dvVec3 *values, dvMat3 *v);

// The inverse with SOFA's digits: cofactors over the determinant, division last, so that ties between elements fall the
// same way. False, and *inverse untouched, when the determinant is below 1e-100 or not finite.
bool dv_mat3_inverse_divided(dvMat3 m, dvMat3 *inverse);

DV_PUBLIC_END

#endif

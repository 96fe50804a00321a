// Matrices for tests of linear algebra: random, ill-conditioned, singular; and the dense reference.
#ifndef DV_TESTS_MATRIX_H
#define DV_TESTS_MATRIX_H

#include "math/block_matrix.h"

// A number in [-1, 1]; the same sequence for a seed in every run.
double check_random(uint64_t *seed);
void check_random_vector(uint64_t *seed, double *x, size_t n);

// A symmetric positive definite block matrix: graph Laplacian of `rows` random neighbours a row plus the identity,
// blocks turned at random.
void check_random_spd(dvBlockMatrix *a, int block, size_t rows, int neighbours, uint64_t seed);
// A chain of `rows` equal springs of stiffness 1 in `block` directions, the first and last point held by `hold` (0:
// free, singular).
void check_chain(dvBlockMatrix *a, int block, size_t rows, double hold);
// A grid of side x side points with unit springs between neighbours and `hold` on the diagonal.
void check_grid(dvBlockMatrix *a, int block, size_t side, double hold);
// Multiplies row and column i by s_i = 10^(decades random).
void check_scale(dvBlockMatrix *a, double decades, uint64_t seed);
// Solves densely by LU; the test fails when that is singular.
void check_dense_solve(const dvBlockMatrix *a, const double *rhs, double *x);
// |A x - b| / (|A| |x| + |b|), largest norms.
double check_residual(const dvBlockMatrix *a, const double *x, const double *b);
// |x - y| / |y|, largest norms.
double check_distance(const double *x, const double *y, size_t n);

#endif

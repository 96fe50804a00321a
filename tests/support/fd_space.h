// Inside of the finite differences (fd.h): states one after the other as one long vector of derivatives, a "space", in
// which a column of a matrix is what one unit entry gives; random numbers, comparisons and dense matrices.
#ifndef DV_TESTS_FD_SPACE_H
#define DV_TESTS_FD_SPACE_H

#include "support/fd.h"

enum { FD_STATES = 16 };

typedef struct fdSpace {
  int count;
  dvState *states[FD_STATES];
  size_t offset[FD_STATES + 1];                      // first scalar of each state
  double *x[FD_STATES], *v[FD_STATES];               // kept positions and velocities
  double *start_x[FD_STATES], *start_v[FD_STATES];   // to go back to
} fdSpace;

typedef struct fdCompared {
  const char *what, *a_name, *b_name;
  const double *a, *b;          // rows x cols
  const fdSpace *rows, *cols;   // cols NULL: one column
  double tolerance;
} fdCompared;

typedef struct fdDenseSink {
  dvMatrixSink sink;
  const fdSpace *rows, *cols;
  double *values;
  bool bad;   // a block lies outside
} fdDenseSink;

// Between -size and size, splitmix64.
double fd_random(uint64_t *state, double size);
void fd_random_fill(uint64_t *state, double *v, size_t n);
// A copy of a vector that the caller frees.
double *fd_keep(dvState *s, int id);
double *fd_matrix(size_t rows, size_t cols);
// Keeps positions and velocities, to which fd_space_restore goes back after every move and fd_space_fini at the end.
void fd_space_init(fdSpace *p, dvObject **states, int count);
size_t fd_space_size(const fdSpace *p);
void fd_space_restore(fdSpace *p);
void fd_space_shake(fdSpace *p, const fdOptions *o, uint64_t *random);
void fd_space_fini(fdSpace *p);
void fd_space_fill(const fdSpace *p, int id, double value);
void fd_space_get(const fdSpace *p, int id, double *out);
void fd_space_set(const fdSpace *p, int id, const double *values);
void fd_space_set_unit(const fdSpace *p, int id, size_t scalar);
void fd_space_move_x(const fdSpace *p, size_t scalar, double h);
void fd_space_move_v(const fdSpace *p, size_t scalar, double h);
// True when all entries agree; prints the worst one otherwise.
bool fd_compare(const dvObject *o, const fdOptions *options, const fdCompared *c);
// A sink that fills a dense matrix, which the caller frees.
fdDenseSink fd_dense_sink(const fdSpace *rows, const fdSpace *cols);
// Factors k = 1, all else 0, at the time of the object's node.
dvMech fd_mech_of(const dvObject *o);
// K = K^T
bool fd_check_symmetry(const dvObject *o, const fdSpace *p, const fdOptions *options, const double *k,
                       const char *what);

#endif

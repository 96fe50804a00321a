// Corotational elements of any shape, each with a stiffness matrix, on plain arrays.
//
// An element of n corners has a frame R that turns with it. In the frame, u_i = X_i - R^T (x_i - x_0) is how far corner
// i is from its place at rest, f = R K u, and dforce is -R K R^T dx. K has no stiffness against translations, so the
// first corner drops out: u_0 = 0, f_0 = -sum of the others, and 3 (n - 1) rows of K are enough. Where all elements
// have the same matrix, as in a regular grid, it is stored once.
//
// A matrix may also be kept whole, where its rows do not sum to zero. Then u is not relative to the first corner, u_i =
// A_0 X_i - A x_i with the axes at rest and now as rows, and what the short matrix leaves out is E, which has a first
// row and column of blocks only: E_0j = sum_i K_ij for j > 0, E_j0 = E_0j^T, sum_j E_0j = sum_j K_0j. Energies are
// those of the short matrix.
//
// Frames of an element:
//   FIXED   that of the world;
//   EDGES   x along a first, z normal to a first and a second combination of corners (such as mean edges);
//   POLAR   the orthogonal factor of the matrix of three vectors: combinations of corners or, without weights,
//           the columns of sum (x_i - x) (X_i - X)^T, with x and X the centres;
//   STABLE  the same, from singular values where the matrix is singular or turned inside out.
#ifndef DV_FORCE_FEM_COROT_COROT_H
#define DV_FORCE_FEM_COROT_COROT_H

#include "base/isa.h"
#include "base/pool.h"
#include "force/fem/matrices.h"

typedef enum dvCorotFrame { DV_FRAME_FIXED, DV_FRAME_EDGES, DV_FRAME_POLAR, DV_FRAME_STABLE } dvCorotFrame;

enum { DV_COROT_NODES = 8, DV_COROT_MATRIX = 9 * DV_COROT_NODES * DV_COROT_NODES, DV_COROT_ENTRIES = 21 * 22 / 2 };

typedef struct dvCorot dvCorot;

// Stiffness of an element whose corners are at `x` (three numbers each, the first corner at 0, in the frame of the
// element): (3 nodes) x (3 nodes), row by row.
typedef void (*dvCorotStiffness)(void *user, size_t element, const double *x, double *k);

typedef struct dvCorotDef {
  const double *rest;   // positions at rest
  int width;            // numbers a point: 1, 2 or 3; what is missing is 0
  size_t points;
  const int32_t *connectivity;   // `nodes` point indices each
  size_t nodes, count;           // nodes: 2, 3, 4, 5, 6 or 8
  dvCorotFrame frame;
  const double *weights;   // 3 x nodes, each row of sum 0; NULL for positions at rest
  dvCorotStiffness stiffness;
  void *user;
  bool changing;   // dv_corot_update will be called: every element keeps a matrix of its own
  bool whole;      // rows of the matrices do not sum to zero
} dvCorotDef;

// Nothing of the definition but `user` is kept. DV_ERROR_INPUT when an index is out of range, DV_ERROR_USAGE when
// memory is short; *out is then NULL.
dvStatus dv_corot_create(const dvCorotDef *def, dvCorot **out);
void dv_corot_destroy(dvCorot **c);
// After a batch of changes of a mesh whose elements of a kind these are, one for one: brings up to date what that
// concerns. The definition is that of the elements now, otherwise as it was. False when they are to be created again.
bool dv_corot_patch(dvCorot *c, const dvCorotDef *def, dvTopology *mesh, dvElementKind kind);

// New matrices, from the shape at rest.
void dv_corot_reset_stiffness(dvCorot *c);
// New matrices, from the present shape of each element in its present frame.
void dv_corot_update(dvCorot *c, const double *x);

// f += forces at x. Keeps the frames for the functions below, which before the first call use those at rest. The pool
// may be NULL here and below.
void dv_corot_add_force(dvCorot *c, dvPool *pool, const double *x, double *f);
// df += k (df/dx) dx with the frames of the last dv_corot_add_force held.
void dv_corot_add_dforce(dvCorot *c, dvPool *pool, const double *dx, double k, double *df);
// k (df/dx) of one element: (width nodes) x (width nodes), row by row, frames as above.
void dv_corot_stiffness(const dvCorot *c, size_t element, double k, double *out);
// The same of all of them, for assembly.
dvElementMatrices dv_corot_matrices(const dvCorot *c, double k);
// The matrix of one element in its frame, as its stiffness was given: (3 nodes) x (3 nodes).
void dv_corot_local_stiffness(const dvCorot *c, size_t element, double *out);
// 1/2 sum of u K u at x.
double dv_corot_energy(dvCorot *c, dvPool *pool, const double *x);
// Rotation of an element from rest to the last dv_corot_add_force, row by row.
void dv_corot_rotation(const dvCorot *c, size_t element, double out[9]);
// The axes of an element now, in the axes at rest: A A_0^T, both with rows of axes. At rest along those of the world
// this is the inverse of the rotation.
void dv_corot_axes(const dvCorot *c, size_t element, double out[9]);
const dvElementBlocks *dv_corot_blocks(const dvCorot *c);
// True when one matrix serves all elements.
bool dv_corot_shares(const dvCorot *c);

// --- between corot.c and its kernels ---

typedef struct dvCorotData {
  const dvElementBlocks *blocks;
  int width;
  dvCorotFrame frame;
  const double *weights;   // NULL for positions at rest
  bool shared;
  double *rest;        // a pack of each number of corners 1 .. nodes - 1 in the frame at rest
  double *frames;      // nine packs: the axes
  double *stiffness;   // blocks of 3 x 3, upper ones only: nodes 1 1 (xx xy xz yy yz zz), 1 2 (nine), …; packs, or
                       // numbers when shared
  double *sums;        // sum_j K_0j, then E_0j for j > 0; like stiffness. NULL: zero
  double *origin;      // of matrices that are whole: a pack of each number of the first corner at rest, A_0 X_0
  double *slots;
} dvCorotData;

static inline size_t dv_corot_entries(size_t nodes) { return 3 * (nodes - 1) * (3 * (nodes - 1) + 1) / 2; }

typedef struct dvCorotKernels {
  void (*force)(const dvCorotData *c, size_t block, const double *x);
  void (*dforce)(const dvCorotData *c, size_t block, const double *dx, double k);
  void (*measure)(const dvCorotData *c, size_t block, const double *x, double *energy);   // lane by lane
  // the whole matrix of the element of a lane, 3 nodes x 3 nodes, row by row: axes^T K axes with rows of axes
  void (*turn)(const dvCorotData *c, size_t lane, const double axes[9], double factor, double *out);
  void (*sum)(const dvCorotData *c, const dvElementSum *sum, size_t block, double k,
              double *local);   // into the sums of a block, width 3
} dvCorotKernels;

DV_KERNEL_DECLARE(dvCorotKernels, dv_corot_kernels);

#endif

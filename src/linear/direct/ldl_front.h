// What the parts of the sparse LDL^T share: the tree of fronts and the inner loops on their dense parts.
//
// A front holds the columns of L that are eliminated together (its pivots) and all rows these have below: a dense
// trapezoid. Rows are cut into slabs of as many rows as a register has lanes; within a slab columns follow each other:
//
//   number (i, k) of a block of columns is at  slab(i / lanes) + k lanes + i % lanes
//
// so that every loop reads memory in order and in whole registers. Pivot rows fill up to a whole slab, and so do the
// rows below. Wide fronts are cut into blocks of DV_FRONT_BLOCK columns, each stored from its own first row down. What
// elimination leaves for the parent (the update matrix of the multifrontal method, Duff and Reid 1983) has the same
// slabs, the t-th with the columns up to its diagonal only.
#ifndef DV_LINEAR_DIRECT_LDL_FRONT_H
#define DV_LINEAR_DIRECT_LDL_FRONT_H

#include "base/isa.h"
#include "linear/direct/ldl.h"

enum { DV_FRONT_BLOCK = 256, DV_MAX_LANES = 8, DV_RHS = 8, DV_MOST_PACKS = 10 };

typedef struct dvFront {
  int32_t first, cols;       // pivots: first scalar and number
  int32_t rows;              // scalars below them
  int32_t parent;            // front, -1 for roots
  int32_t child, children;   // place in the list of children and number
  int32_t task;              // subtree that it belongs to, -1 above them
  bool shared;               // its update matrix outlives the task
  size_t row;                // where its rows begin, blocks
  size_t entry;              // where its entries of A begin, those on the diagonal first
  size_t lower;              // where its columns begin
  size_t update;             // where its update matrix begins, in the arena of the thread or the shared one
} dvFront;

// An entry of A: where it stands there, and its first row and column in the front.
typedef struct dvFrontEntry {
  int32_t entry, row, col;
} dvFrontEntry;

// What the next analysis of nearly the same pattern wants to know of a front: numbers stored for nothing, memory of
// update matrices while its subtree is at work; of its columns the rows of L below the diagonal, and their squares.
typedef struct dvFrontShape {
  double zeros, peak;
  size_t count;
  double work;
} dvFrontShape;

// A subtree that one thread works through.
typedef struct dvFrontTask {
  int32_t begin, end;   // fronts, the last one is its root
  double flops;
  size_t left;   // where a solution keeps what it has for the rows above it
} dvFrontTask;

typedef struct dvLdlSymbolic {
  int users;
  int block, lanes;
  size_t n;           // block rows
  int32_t *perm;      // row that is eliminated k-th
  int32_t *inverse;   // when a row is eliminated
  size_t count;       // blocks of L below the diagonal
  int32_t fronts;
  dvFront *front;   // children before parents; one more at the end
  dvFrontShape *shape;
  int32_t *child;      // lists of children
  int32_t *front_of;   // of each block row, in the order of elimination
  int32_t *row;        // of each front: blocks below its pivots, when they are eliminated
  int32_t *place;      // the same rows: first scalar in the parent's front
  dvFrontEntry *entry;
  int32_t tasks;
  dvFrontTask *task;   // subtrees, the heaviest first; behind them, for substitutions, each front above them as one
  int32_t stages;
  int32_t *stage;   // where the tasks of a stage begin, which do not depend on each other: subtrees, and levels above
  int32_t tops;
  int32_t *top;         // fronts above the subtrees, children before parents
  double flops, work;   // of a factorisation; sum of squares of the columns of L, in blocks
  uint64_t origin;      // of pattern and order (reorder.h), 0 when these are not known
  size_t looked;        // points that the analysis looked at; the others stand in subtrees that an earlier one knew
  // sizes, numbers
  size_t lower, arena, shared;
  size_t left;                   // rows below the roots of all subtrees
  size_t scratch, scratch_top;   // columns of a block of the largest front, in subtrees and above
  size_t most_rows;              // slabs and all, of any front
} dvLdlSymbolic;

// `was` is the analysis of order->before with its order, or NULL: only what has changed since is looked at. The result
// is the same. NULL when memory is short.
dvLdlSymbolic *dv_ldl_symbolic_create(const dvPattern *a, int block, int lanes, dvOrderChoice *order,
                                      const dvLdlSymbolic *was);
void dv_ldl_symbolic_release(dvLdlSymbolic *s);

// --- shapes ---

static inline size_t dv_whole(size_t count, size_t lanes) { return (count + lanes - 1) / lanes * lanes; }
// Pivot rows with what fills the last slab, and all rows.
static inline size_t dv_front_pivots(const dvFront *f, size_t lanes) { return dv_whole((size_t)f->cols, lanes); }
static inline size_t dv_front_height(const dvFront *f, size_t lanes)
{
  return dv_front_pivots(f, lanes) + dv_whole((size_t)f->rows, lanes);
}
// Columns of the block that begins at k, and where the block is.
static inline size_t dv_front_width(size_t cols, size_t k) { return dv_min_size(DV_FRONT_BLOCK, cols - k); }
static inline size_t dv_front_offset(size_t height, size_t k)
{
  return k * height - (k ? k * (k - DV_FRONT_BLOCK) / 2 : 0);
}
// Where slab t of an update matrix begins.
static inline size_t dv_update_slab(size_t t, size_t lanes) { return t * (t + 1) / 2 * lanes * lanes; }
static inline size_t dv_update_size(const dvFront *f, size_t lanes)
{
  return dv_update_slab(dv_whole((size_t)f->rows, lanes) / lanes, lanes);
}

// Products and sums of the elimination of a front's pivots: (m - j)^2 + m - j for j = 1 .. c.
static inline double dv_front_flops(const dvFront *f)
{
  double c = f->cols, m = c + f->rows;
  return c * m * m - c * (c + 1) * m + c * (c + 1) * (2 * c + 1) / 6 + c * m - c * (c + 1) / 2;
}

// --- inner loops ---

// A front as the loops see it.
typedef struct dvFrontView {
  double *lower, *update;
  size_t cols, pivots, height;
  const void *copy;     // the same columns in smaller numbers, for loops that read these
  const double *unit;   // of each column of it
} dvFrontView;

// Rows of a block of columns under its diagonal block.
typedef struct dvPivots {
  double *diagonal;   // slabs of the diagonal block
  size_t width;       // of the block of columns
  double *d, *inverse_d;
  const double *scale;   // what the pivots are measured in
  double small;
  int bad;   // first pivot that is too small, -1
  size_t negative;
  size_t perturbed;
} dvPivots;

// c[s] -= a[s] b^T for a few slabs: `depth` products for each number, the first `width` columns. Fresh: what c holds
// does not count.
typedef struct dvTile {
  size_t slabs, depth, width;
  const double *a, *b;
  double *c[4];
  bool fresh;
} dvTile;

// The same in single precision, for factors of preconditioners: `a` has pairs of slabs, number (i, k) of a pair at k 2
// lanes + i, and c is NULL for slabs that are not wanted.
enum { DV_MOST_PAIRS = 3 };
typedef struct dvPairTile {
  size_t pairs, depth, width;
  const float *a, *b;
  double *c[2 * DV_MOST_PAIRS];
  bool fresh;
} dvPairTile;

typedef struct dvFrontKernels {
  int lanes;
  // L D L^T of a diagonal block in place; `row` has room for width x lanes numbers
  void (*diagonal)(dvPivots *p, double *row);
  // rows below: Y = A L^-T goes to y, L = Y D^-1 stays in place
  void (*rows)(const dvPivots *p, size_t slabs, double *x, double *y);
  void (*update)(const dvTile *t);
  size_t most;   // slabs of a tile
  // the same two in single precision: Y goes to pairs of slabs, and a copy of L to slabs
  void (*rows_single)(const dvPivots *p, size_t slabs, double *x, float *pairs, float *l);
  void (*update_single)(const dvPairTile *t);
  size_t most_pairs;
  // adds columns begin to end - 1 of a child's update matrix; place: of each of its `rows` rows in the front. The
  // columns all go to one block of columns of the front, or all to its update matrix.
  void (*add)(const double *from, size_t rows, const int32_t *place, size_t begin, size_t end, const dvFrontView *to);
} dvFrontKernels;

// The sum of `count` rows of a matrix with `width` columns, each with its value.
typedef struct dvRowSum {
  size_t count, width;
  const double *value, *rows;
  const int32_t *at;
} dvRowSum;

typedef struct dvSubstituteKernels {
  // columns of a front: x are its pivots (filled up with zeros), r gets L x for the rows below; and back: x = L^-T (x -
  // L^T r)
  void (*forward)(const dvFrontView *v, double *x, double *r);
  void (*backward)(const dvFrontView *v, double *x, const double *r, double *sums);
  // their parts, for the block of columns at k: its diagonal; rows begin to end - 1 below; sums over all rows below for
  // columns begin to end - 1
  void (*forward_diagonal)(const dvFrontView *v, size_t k, double *x);
  void (*forward_rows)(const dvFrontView *v, size_t k, size_t begin, size_t end, double *x, double *r);
  void (*backward_columns)(const dvFrontView *v, size_t k, size_t begin, size_t end, const double *x, const double *r,
                           double *sums);
  void (*backward_diagonal)(const dvFrontView *v, size_t k, double *x, double *sums);
} dvSubstituteKernels;

typedef struct dvFrontSolveKernels {
  dvSubstituteKernels one, single;                               // on numbers of L in full, and in single precision
  void (*narrow)(size_t count, const double *from, float *to);   // whole slabs
  // the same with packs of DV_RHS right-hand sides side by side, at most DV_MOST_PACKS; in a pack x[p] what stands
  // before column first[p] is zero
  void (*forward_many)(const dvFrontView *v, size_t packs, const size_t *first, double *const *x, double *const *r);
  void (*backward_many)(const dvFrontView *v, size_t packs, double *const *x, double *const *r);
  // sum(i, j) += a(k, i) b(k, j) over k
  void (*gram)(size_t depth, const double *a, const double *b, double *sum);
  // y = the first n columns of a sum of rows
  void (*combine)(const dvRowSum *s, size_t n, double *y);
} dvFrontSolveKernels;

// On numbers of 16 bits. Loops read up to DV_MAX_LANES of them behind the last one, which count for nothing.
typedef struct dvFrontSmallKernels {
  dvSubstituteKernels solve;
  // the columns of a front in 16 bits and their units; the triangles on the diagonal are inverted
  void (*shorten)(const dvFrontView *v, int16_t *to, double *unit);
} dvFrontSmallKernels;

DV_KERNEL_DECLARE_WIDE(dvFrontKernels, dv_front_kernels);
DV_KERNEL_DECLARE_WIDE(dvFrontSolveKernels, dv_front_solve_kernels);
DV_KERNEL_DECLARE_WIDE(dvFrontSmallKernels, dv_front_small_kernels);

#endif

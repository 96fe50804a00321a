// BTDLinearSolver: block tridiagonal systems in O(n) (Thomas algorithm on 6x6 blocks), as chains of beams give them.
//
//   alpha_0 = A_0,  lambda_i = alpha_i^-1 C_i,  alpha_i = A_i - B_i lambda_i-1
//   down:  y_i = alpha_i^-1 (b_i - B_i y_i-1);   up:  x_i = y_i - lambda_i x_i+1
//
// Entries further from the diagonal are left out. What live forces add is no part of the three diagonals (inverse.h),
// unless it is to be done as SOFA does.
#include "linear/classes.h"
#include "linear/solver.h"

#include "math/dense.h"
#include "object/compat.h"

#include <string.h>

enum { SIDE = 6, SQUARE = SIDE * SIDE };

#define BTD_FIELDS(X)                                                                                  \
  X(bool, verbose, "0", "", "accepted for compatibility", .flags = DV_HIDDEN)                          \
  X(bool, showProblem, "0", "", "accepted for compatibility", .flags = DV_HIDDEN)                      \
  X(bool, subpartSolve, "0", "", "accepted: solves are always of the whole chain", .flags = DV_HIDDEN) \
  X(bool, verification, "0", "", "accepted for compatibility", .flags = DV_HIDDEN)

typedef struct Btd {
  dvLinearSolver solver;
  BTD_FIELDS(DV_MEMBER)
  size_t n, blocks;
  bool prepared, warned;
  bool aliases;          // as SOFA: blocks far below the diagonal count elsewhere, those of live forces too
  unsigned live_stamp;   // of what is live in the matrix, when it aliases
  DV_ARRAY(double) below, diagonal, above;   // B, alpha as LU, C and then lambda; SQUARE numbers a block
  DV_ARRAY(int32_t) exchange;                // row exchanges of alpha
} Btd;

#define SELF Btd
static const dvFieldDesc btd_fields[] = {BTD_FIELDS(DV_DESCRIBE)};
#undef SELF

static dvStatus btd_init(dvObject *o)
{
  Btd *t = (Btd *)o;
  DV_TRY(dv_linear_solver_init(o, DV_SYSTEM_MATRIX, &dv_matrix_system_class));
  t->aliases = t->solver.has_live = o->as_sofa;
  dv_linear_system(t->solver.system)->own.live.keep_held = t->aliases;
  return DV_OK;
}

// Where an entry of the matrix is kept, and which entry of the three diagonals that is; NULL when it is left out. SOFA
// has block (i, j) at 3 i + (j - i + 1) and asks only whether the bracket is below 3: far below the diagonal that is
// the place of another block.
static double *place_of(Btd *t, size_t row, size_t col, size_t *to_row, size_t *to_col)
{
  size_t i = row / SIDE, j = col / SIDE, within = row % SIDE * SIDE + col % SIDE;
  if (j > i + 1) return NULL;
  if (j + 1 < i) {
    if (!dv_compat(&t->solver.base, DV_COMPAT_FAR_BLOCKS)) return NULL;
    size_t place = 2 * i + j + 1;
    i = place / 3;
    j = i + place % 3;
    if (j == 0 || j > t->blocks) return NULL;   // of the places that no solve reads
    j--;
  }
  *to_row = i * SIDE + row % SIDE;
  *to_col = j * SIDE + col % SIDE;
  return (j < i ? t->below.data : j > i ? t->above.data : t->diagonal.data) + i * SQUARE + within;
}

// Adds H^T B H, where the unknowns it comes to are not held.
static void fold_live(Btd *t, const dvAssembly *a)
{
  const dvLiveStiffness *l = &a->live;
  for (size_t r = 0; r < l->h.count; r++)
    for (size_t e = l->b.start.data[r]; e < l->b.start.data[r + 1]; e++) {
      size_t c = (size_t)l->b.col.data[e];
      for (size_t p = l->h.start.data[r]; p < l->h.start.data[r + 1]; p++)
        for (size_t q = l->h.start.data[c]; q < l->h.start.data[c + 1]; q++) {
          size_t row, col;
          double *at = place_of(t, (size_t)l->h.col.data[p], (size_t)l->h.col.data[q], &row, &col);
          if (at && !a->fixed.data[row] && !a->fixed.data[col])
            *at += l->b.value.data[e] * l->h.value.data[p] * l->h.value.data[q];
        }
    }
  t->live_stamp = l->stamp;
}

// copies the three diagonals; true when there is something else. Rows that fill up the last block get 1 on the
// diagonal.
static bool take_diagonals(Btd *t, const dvBlockMatrix *a)
{
  size_t b = (size_t)a->block;
  bool more = false;
  memset(t->below.data, 0, t->below.count * sizeof(double));
  memset(t->diagonal.data, 0, t->diagonal.count * sizeof(double));
  memset(t->above.data, 0, t->above.count * sizeof(double));
  for (size_t r = 0; r < a->pattern.rows; r++)
    for (int32_t e = a->pattern.row_start[r]; e < a->pattern.row_start[r + 1]; e++)
      for (size_t k = 0; k < b * b; k++) {
        double v = dv_block_matrix_at(a, e)[k];
        size_t row = r * b + k / b, col = (size_t)a->pattern.col[e] * b + k % b, to_row, to_col;
        double *at = v != 0 ? place_of(t, row, col, &to_row, &to_col) : NULL;
        if (at) *at += v;
        else more = more || v != 0;
      }
  for (size_t row = t->n; row < t->blocks * SIDE; row++)
    t->diagonal.data[row / SIDE * SQUARE + row % SIDE * (SIDE + 1)] = 1;
  return more;
}

// the columns of a block become alpha^-1 times themselves
static void divide(const double *lu, const int32_t *exchange, double *block)
{
  for (size_t c = 0; c < SIDE; c++) {
    double column[SIDE];
    for (size_t r = 0; r < SIDE; r++) column[r] = block[r * SIDE + c];
    dv_dense_lu_solve(lu, exchange, SIDE, column);
    for (size_t r = 0; r < SIDE; r++) block[r * SIDE + c] = column[r];
  }
}

static dvStatus btd_prepare(dvObject *o)
{
  Btd *t = (Btd *)o;
  const dvBlockMatrix *a;
  bool changed;
  DV_TRY(dv_linear_solver_matrix(o, &a, &changed));
  const dvAssembly *system = dv_linear_system(t->solver.system)->assembly;
  if (!changed && t->prepared && (!t->aliases || t->live_stamp == system->live.stamp)) return DV_OK;
  t->n = dv_block_matrix_rows(a);
  t->blocks = (t->n + SIDE - 1) / SIDE;
  t->prepared = false;
  dv_array_resize(&t->below, t->blocks * SQUARE);
  dv_array_resize(&t->diagonal, t->blocks * SQUARE);
  dv_array_resize(&t->above, t->blocks * SQUARE);
  dv_array_resize(&t->exchange, t->blocks * SIDE);
  if (take_diagonals(t, a) && !t->warned) {
    dv_warning(o, "number the points along the chain, or use SparseLDLSolver",
               "the matrix is not block tridiagonal: entries further from the diagonal are left out");
    t->warned = true;
  }
  if (system->live.h.count) dv_compat(o, DV_COMPAT_FAR_BLOCKS);
  if (t->aliases) fold_live(t, system);
  for (size_t i = 0; i < t->blocks; i++) {
    double *alpha = t->diagonal.data + i * SQUARE;
    const double *b = t->below.data + i * SQUARE;
    const double *lambda = i > 0 ? t->above.data + (i - 1) * SQUARE : NULL;
    for (size_t k = 0; lambda && k < SQUARE; k++)
      for (size_t m = 0; m < SIDE; m++) alpha[k] -= b[k / SIDE * SIDE + m] * lambda[m * SIDE + k % SIDE];
    size_t bad;
    if (!dv_dense_lu(alpha, t->exchange.data + i * SIDE, SIDE, 1e-14, &bad))
      return dv_linear_solver_singular(o, dv_min_size(i * SIDE + bad, t->n - 1), NULL);
    divide(alpha, t->exchange.data + i * SIDE, t->above.data + i * SQUARE);
  }
  t->prepared = true;
  return DV_OK;
}

// y -= block x, for the numbers that exist
static void subtract(const double *block, const double *x, double *y)
{
  for (size_t r = 0; r < SIDE; r++)
    for (size_t c = 0; c < SIDE; c++) y[r] -= block[r * SIDE + c] * x[c];
}

static void btd_apply(dvObject *o, double *x, const double *rhs)
{
  const Btd *t = (const Btd *)o;
  double block[2][SIDE] = {{0}};
  for (size_t i = 0; i < t->blocks; i++) {
    size_t count = dv_min_size(SIDE, t->n - i * SIDE);
    double *y = block[i % 2];
    memset(y, 0, SIDE * sizeof *y);
    memcpy(y, rhs + i * SIDE, count * sizeof *y);
    if (i > 0) subtract(t->below.data + i * SQUARE, block[(i + 1) % 2], y);
    dv_dense_lu_solve(t->diagonal.data + i * SQUARE, t->exchange.data + i * SIDE, SIDE, y);
    memcpy(x + i * SIDE, y, count * sizeof *y);
  }
  for (size_t i = t->blocks - 1; i-- > 0;) {
    double next[SIDE] = {0};
    memcpy(next, x + (i + 1) * SIDE, dv_min_size(SIDE, t->n - (i + 1) * SIDE) * sizeof *next);
    subtract(t->above.data + i * SQUARE, next, x + i * SIDE);
  }
}

static void btd_destroy(dvObject *o)
{
  Btd *t = (Btd *)o;
  dv_array_free(&t->below);
  dv_array_free(&t->diagonal);
  dv_array_free(&t->above);
  dv_array_free(&t->exchange);
  dv_linear_solver_destroy(o);
}

static const dvLinearSolverOps btd_ops = {.solve = dv_linear_solver_solve, .prepare = btd_prepare, .apply = btd_apply};

const dvClass dv_btd_class = {
    .struct_size = sizeof(dvClass),
    .name = "BTDLinearSolver",
    .help = "solves block tridiagonal systems, as chains have them, directly and in linear time",
    .module = "Sofa.Component.LinearSolver.Direct",
    .size = sizeof(Btd),
    .blocks = {&dv_object_block, &dv_linear_solver_block, DV_BLOCK(btd_fields)},
    .ops = {[DV_ROLE_LINEAR_SOLVER] = &btd_ops},
    .init = btd_init,
    .destroy = btd_destroy,
    .remember = dv_linear_solver_remember,
    .restored = dv_linear_solver_restored,
};

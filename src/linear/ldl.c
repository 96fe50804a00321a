// See ldl.h.
//
// Row by row ("up-looking"): row k of L solves L(1..k-1) D y = A(k, 1..k-1), which only needs the columns that are reached from
// the entries of row k of A by walking up the elimination tree.
//
//   for j in reach(k), children first:  y_j known;  L_kj = y_j D_j^-1;  y_i -= y_j L_ij^T for i > j;  D_k -= L_kj y_j^T
#include "linear/ldl.h"

#include <math.h>
#include <string.h>

void dv_ldl_free(dvLdl *f)
{
  dv_free(f->perm);
  dv_free(f->col_start);
  dv_free(f->row);
  dv_free(f->lower);
  dv_free(f->inverse_d);
  dv_free(f->line);
  *f = (dvLdl){0};
}

// --- analysis ------------------------------------------------------------------------------------

// walks up from the entries of row k; calls of `count` and `parent` grow the tree and the columns
static void analyse_tree(dvLdl *f, const dvPattern *a, int32_t *count)
{
  int32_t *ancestor = f->stack;
  for (int32_t k = 0; k < (int32_t)f->n; k++) {
    int32_t row = f->perm[k];
    f->parent[k] = ancestor[k] = -1;
    for (int32_t e = a->row_start[row]; e < a->row_start[row + 1]; e++) {
      int32_t j = f->inverse[a->col[e]], up;
      if (j >= k) continue;
      for (; ancestor[j] != k && ancestor[j] >= 0; j = up) {
        up = ancestor[j];
        ancestor[j] = k;   // a shortcut for the next walk
      }
      if (ancestor[j] < 0) ancestor[j] = f->parent[j] = k;
    }
  }
  for (int32_t k = 0; k < (int32_t)f->n; k++) {
    int32_t row = f->perm[k];
    f->mark[k] = k;
    for (int32_t e = a->row_start[row]; e < a->row_start[row + 1]; e++)
      for (int32_t j = f->inverse[a->col[e]]; j < k && f->mark[j] != k; j = f->parent[j]) count[j]++, f->mark[j] = k;
  }
}

bool dv_ldl_analyse(dvLdl *f, const dvPattern *a, int block, dvOrder order)
{
  dv_ldl_free(f);
  size_t n = a->rows, square = (size_t)(block * block);
  f->block = block;
  f->n = n;
  int32_t *block_of_ints = dv_try_alloc(6 * (n + 1) * sizeof *f->perm);
  f->perm = block_of_ints;
  f->col_start = dv_try_alloc((n + 1) * sizeof *f->col_start);
  if (!block_of_ints || !f->col_start || !dv_order(order, a, f->perm)) {
    dv_ldl_free(f);
    return false;
  }
  f->inverse = f->perm + (n + 1);
  f->parent = f->perm + 2 * (n + 1);
  f->filled = f->perm + 3 * (n + 1);
  f->mark = f->perm + 4 * (n + 1);
  f->stack = f->perm + 5 * (n + 1);
  for (size_t k = 0; k < n; k++) f->inverse[f->perm[k]] = (int32_t)k;
  analyse_tree(f, a, f->filled);
  size_t total = 0;
  for (size_t j = 0; j < n; j++) {
    f->col_start[j] = (int32_t)total;
    total += (size_t)f->filled[j];
    if (total > INT32_MAX) {
      dv_ldl_free(f);
      return false;
    }
  }
  f->col_start[n] = (int32_t)total;
  f->row = dv_try_alloc(total * sizeof *f->row);
  f->lower = dv_alloc_aligned((total * square + 8) * sizeof *f->lower);   // packs read past the last row of a block
  f->inverse_d = dv_alloc_aligned(n * square * sizeof *f->inverse_d);
  f->line = dv_alloc_aligned(n * (size_t)(block * dv_ldl_stride(block)) * sizeof *f->line);
  if (f->row && f->lower && f->inverse_d && f->line) return true;
  dv_ldl_free(f);
  return false;
}

// --- small blocks --------------------------------------------------------------------------------

// inverts an n x n block in place by elimination with full pivoting; the row of a pivot that is too small, else -1
static int invert_block(int n, double *a, double small, size_t *negative)
{
  int rows[DV_MAX_BLOCK], cols[DV_MAX_BLOCK];
  bool used[DV_MAX_BLOCK] = {false};
  for (int step = 0; step < n; step++) {
    int pr = -1, pc = -1;
    double largest = -1;
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        if (!used[i] && !used[j] && fabs(a[i * n + j]) > largest) largest = fabs(a[i * n + j]), pr = i, pc = j;
    if (pr < 0) pr = pc = step;   // not a number: goes on, the result is not finite
    else if (largest <= small) return pr;
    // the pivot goes to the diagonal by exchanging rows
    for (int j = 0; j < n && pr != pc; j++) {
      double t = a[pr * n + j];
      a[pr * n + j] = a[pc * n + j];
      a[pc * n + j] = t;
    }
    rows[step] = pr;
    cols[step] = pc;
    used[pc] = true;
    double pivot = a[pc * n + pc], scale = 1 / pivot;
    if (pr == pc && pivot < 0) (*negative)++;
    a[pc * n + pc] = 1;
    for (int j = 0; j < n; j++) a[pc * n + j] *= scale;
    for (int i = 0; i < n; i++) {
      if (i == pc) continue;
      double factor = a[i * n + pc];
      a[i * n + pc] = 0;
      for (int j = 0; j < n; j++) a[i * n + j] -= factor * a[pc * n + j];
    }
  }
  for (int step = n - 1; step >= 0; step--)
    for (int i = 0; i < n && rows[step] != cols[step]; i++) {
      double t = a[i * n + rows[step]];
      a[i * n + rows[step]] = a[i * n + cols[step]];
      a[i * n + cols[step]] = t;
    }
  return -1;
}

// --- factorisation -------------------------------------------------------------------------------

typedef struct Row {
  dvLdl *f;
  const dvLdlKernels *kernels;
  int n, stride;          // of a block
  double d[DV_MAX_BLOCK * DV_MAX_BLOCK];
} Row;

// spreads row k of the matrix over the line; returns where the reach begins in the stack
static int32_t spread_row(Row *r, const dvBlockMatrix *a, int32_t k)
{
  dvLdl *f = r->f;
  int32_t top = (int32_t)f->n, row = f->perm[k];
  int n = r->n;
  f->mark[k] = k;
  memset(r->d, 0, sizeof r->d);
  for (int32_t e = a->pattern.row_start[row]; e < a->pattern.row_start[row + 1]; e++) {
    int32_t j = f->inverse[a->pattern.col[e]], length = 0;
    if (j > k) continue;
    const double *v = dv_block_matrix_at(a, e);
    if (j == k) {
      memcpy(r->d, v, (size_t)(n * n) * sizeof *v);
      continue;
    }
    double *to = f->line + (size_t)j * (size_t)(n * r->stride);
    for (int i = 0; i < n; i++)
      for (int c = 0; c < n; c++) to[i * r->stride + c] = v[i * n + c];
    for (; f->mark[j] != k; j = f->parent[j]) f->stack[length++] = j, f->mark[j] = k;
    while (length > 0) f->stack[--top] = f->stack[--length];
  }
  return top;
}

// square roots of the diagonal of a block: what its rows and columns are measured in
static void measure(int n, const double *block, double *scale)
{
  for (int i = 0; i < n; i++) {
    double size = fabs(block[i * n + i]);
    for (int j = 0; j < n && size == 0; j++) size = fabs(block[i * n + j]);
    scale[i] = size > 0 ? sqrt(size) : 1;
  }
}

// inverts the pivot block, measured in what it was before the elimination; the row of a pivot that is too small, else -1
static int invert_pivot(int n, double *block, const double *scale, double small, size_t *negative)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) block[i * n + j] /= scale[i] * scale[j];
  int bad = invert_block(n, block, small, negative);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) block[i * n + j] /= scale[i] * scale[j];
  return bad;
}

bool dv_ldl_factorise(dvLdl *f, const dvBlockMatrix *a, double small, size_t *pivot)
{
  DV_REQUIRE(a->block == f->block && a->pattern.rows == f->n);
  Row r = {.f = f, .kernels = DV_KERNEL_CHOOSE(dv_ldl_kernels), .n = f->block, .stride = dv_ldl_stride(f->block)};
  size_t square = (size_t)(r.n * r.n);
  memset(f->filled, 0, f->n * sizeof *f->filled);
  memset(f->line, 0, f->n * (size_t)(r.n * r.stride) * sizeof *f->line);
  f->negative = 0;
  f->valid = false;
  for (size_t k = 0; k < f->n; k++) f->mark[k] = -1;
  for (int32_t k = 0; k < (int32_t)f->n; k++) {
    int32_t top = spread_row(&r, a, k);
    double scale[DV_MAX_BLOCK], *d = f->inverse_d + (size_t)k * square;
    measure(r.n, r.d, scale);
    for (; top < (int32_t)f->n; top++) r.kernels->eliminate(f, k, f->stack[top], r.d);
    memcpy(d, r.d, square * sizeof *d);
    int bad = invert_pivot(r.n, d, scale, small, &f->negative);
    if (bad >= 0) {
      memcpy(d, r.d, square * sizeof *d);   // for the null vector
      *pivot = (size_t)f->perm[k] * (size_t)r.n + (size_t)bad;
      return false;
    }
  }
  f->valid = true;
  return true;
}

// --- solution ------------------------------------------------------------------------------------

// solves L^T x = x for the rows below `end`
static void solve_transposed(const dvLdl *f, double *x, int32_t end)
{
  const dvLdlKernels *kernels = DV_KERNEL_CHOOSE(dv_ldl_kernels);
  size_t n = (size_t)f->block, stride = (size_t)dv_ldl_stride(f->block);
  double s[DV_MAX_BLOCK];
  for (int32_t j = end - 1; j >= 0; j--) {
    int32_t begin = f->col_start[j];
    kernels->backward(f->block, f->row + begin, (size_t)f->filled[j], f->lower + (size_t)begin * n * n, x, s);
    for (size_t i = 0; i < n; i++) x[(size_t)j * stride + i] -= s[i];
  }
}

static void divide_pivot(const dvLdl *f, size_t j, double *x)
{
  size_t n = (size_t)f->block;
  const double *d = f->inverse_d + j * n * n;
  double y[DV_MAX_BLOCK];
  memcpy(y, x, n * sizeof *y);
  for (size_t i = 0; i < n; i++) {
    double sum = 0;
    for (size_t c = 0; c < n; c++) sum += d[i * n + c] * y[c];
    x[i] = sum;
  }
}

void dv_ldl_solve(const dvLdl *f, const double *rhs, double *x, double *work)
{
  const dvLdlKernels *kernels = DV_KERNEL_CHOOSE(dv_ldl_kernels);
  size_t n = (size_t)f->block, stride = (size_t)dv_ldl_stride(f->block);
  for (size_t k = 0; k < f->n; k++) {
    memcpy(work + k * stride, rhs + (size_t)f->perm[k] * n, n * sizeof *work);
    for (size_t i = n; i < stride; i++) work[k * stride + i] = 0;
  }
  for (size_t j = 0; j < f->n; j++) {
    size_t begin = (size_t)f->col_start[j];
    kernels->forward(f->block, f->row + begin, (size_t)f->filled[j], f->lower + begin * n * n, work + j * stride, work);
    divide_pivot(f, j, work + j * stride);
  }
  solve_transposed(f, work, (int32_t)f->n);
  for (size_t k = 0; k < f->n; k++) memcpy(x + (size_t)f->perm[k] * n, work + k * stride, n * sizeof *x);
}

// a vector that the block maps to nearly zero: elimination with full pivoting, the last unknown is free
static void null_of_block(int n, const double *block, double *x)
{
  double a[DV_MAX_BLOCK * DV_MAX_BLOCK];
  int col[DV_MAX_BLOCK];
  memcpy(a, block, (size_t)(n * n) * sizeof *a);
  for (int i = 0; i < n; i++) col[i] = i, x[i] = 0;
  for (int k = 0; k < n - 1; k++) {
    int pr = k, pc = k;
    for (int i = k; i < n; i++)
      for (int j = k; j < n; j++)
        if (fabs(a[i * n + j]) > fabs(a[pr * n + pc])) pr = i, pc = j;
    for (int j = 0; j < n; j++) {
      double t = a[pr * n + j];
      a[pr * n + j] = a[k * n + j];
      a[k * n + j] = t;
    }
    for (int i = 0; i < n; i++) {
      double t = a[i * n + pc];
      a[i * n + pc] = a[i * n + k];
      a[i * n + k] = t;
    }
    int swapped = col[pc];
    col[pc] = col[k];
    col[k] = swapped;
    for (int i = k + 1; i < n && a[k * n + k] != 0; i++) {
      double factor = a[i * n + k] / a[k * n + k];
      for (int j = k; j < n; j++) a[i * n + j] -= factor * a[k * n + j];
    }
  }
  double y[DV_MAX_BLOCK];
  y[n - 1] = 1;
  double scale = fabs(a[0]);
  for (int k = n - 2; k >= 0; k--) {
    double sum = 0;
    for (int j = k + 1; j < n; j++) sum += a[k * n + j] * y[j];
    y[k] = fabs(a[k * n + k]) > 1e-12 * scale ? -sum / a[k * n + k] : 0;
  }
  for (int k = 0; k < n; k++) x[col[k]] = y[k];
}

void dv_ldl_null_vector(const dvLdl *f, size_t pivot, double *x)
{
  size_t n = (size_t)f->block, stride = (size_t)dv_ldl_stride(f->block);
  int32_t k = f->inverse[pivot / n];
  double *work = dv_alloc(dv_ldl_work(f) * sizeof *work);
  null_of_block(f->block, f->inverse_d + (size_t)k * n * n, work + (size_t)k * stride);
  solve_transposed(f, work, k);
  for (size_t i = 0; i < f->n; i++) memcpy(x + (size_t)f->perm[i] * n, work + i * stride, n * sizeof *x);
  dv_free(work);
}

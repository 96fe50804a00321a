// See sparse_lu.h. Column k of L and U solves L x = A(:, k) with the columns found so far; which entries x has is found
// first, by walking from the entries of A along the columns of L.
#include "linear/direct/sparse_lu.h"

#include <math.h>
#include <string.h>

static void columns_free(dvColumns *c)
{
  dv_array_free(&c->start);
  dv_array_free(&c->row);
  dv_array_free(&c->value);
}

void dv_sparse_lu_free(dvSparseLu *f)
{
  columns_free(&f->a);
  columns_free(&f->lower);
  columns_free(&f->upper);
  dv_array_free(&f->order);
  dv_array_free(&f->pivot_of);
  dv_array_free(&f->mark);
  dv_array_free(&f->stack);
  dv_array_free(&f->cursor);
  dv_array_free(&f->work);
  *f = (dvSparseLu){0};
}

bool dv_sparse_lu_analyse(dvSparseLu *f, const dvBlockMatrix *a, dvOrder order)
{
  size_t blocks = a->pattern.rows, b = (size_t)a->block;
  dv_sparse_lu_free(f);
  f->n = blocks * b;
  int32_t *perm = dv_try_alloc((blocks + 1) * sizeof *perm);
  bool good = perm && dv_order(order, &a->pattern, perm);
  if (good) {
    dv_array_resize(&f->order, f->n);
    for (size_t k = 0; k < blocks; k++)
      for (size_t i = 0; i < b; i++) f->order.data[k * b + i] = perm[k] * (int32_t)b + (int32_t)i;
    dv_array_resize(&f->pivot_of, f->n);
    dv_array_resize(&f->mark, f->n);
    dv_array_resize(&f->stack, f->n);
    dv_array_resize(&f->cursor, f->n);
    dv_array_resize(&f->work, f->n);
  }
  dv_free(perm);
  return good;
}

// entries by columns; zeros are left out
static void take_columns(dvSparseLu *f, const dvBlockMatrix *a)
{
  size_t b = (size_t)a->block, count = dv_pattern_count(&a->pattern) * b * b;
  dv_array_resize(&f->a.start, f->n + 2);
  dv_array_resize(&f->a.row, count);
  dv_array_resize(&f->a.value, count);
  int32_t *start = f->a.start.data;
  memset(start, 0, (f->n + 2) * sizeof *start);
  for (int pass = 0; pass < 2; pass++) {
    for (size_t r = 0; r < a->pattern.rows; r++)
      for (int32_t e = a->pattern.row_start[r]; e < a->pattern.row_start[r + 1]; e++) {
        const double *v = dv_block_matrix_at(a, e);
        for (size_t i = 0; i < b * b; i++) {
          if (v[i] == 0) continue;
          size_t row = r * b + i / b, col = (size_t)a->pattern.col[e] * b + i % b;
          if (pass == 0) {
            start[col + 2]++;
            continue;
          }
          int32_t at = start[col + 1]++;
          f->a.row.data[at] = (int32_t)row;
          f->a.value.data[at] = v[i];
        }
      }
    for (size_t c = 2; pass == 0 && c < f->n + 2; c++) start[c] += start[c - 1];
  }
}

// rows that column k of L and U will have: from `top` of the stack on, in an order in which each comes before those it
// changes
static int32_t reach(dvSparseLu *f, int32_t col, int32_t k)
{
  int32_t top = (int32_t)f->n, *stack = f->stack.data;
  for (int32_t e = f->a.start.data[col]; e < f->a.start.data[col + 1]; e++) {
    int32_t depth = 0;
    if (f->mark.data[f->a.row.data[e]] == k) continue;
    stack[0] = f->a.row.data[e];
    f->mark.data[stack[0]] = k;
    f->cursor.data[0] = -1;
    while (depth >= 0) {
      int32_t row = stack[depth], pivot = f->pivot_of.data[row];
      bool deeper = false;
      if (pivot >= 0) {
        int32_t begin = f->cursor.data[depth] < 0 ? f->lower.start.data[pivot] + 1 : f->cursor.data[depth];
        for (int32_t l = begin; l < f->lower.start.data[pivot + 1] && !deeper; l++) {
          int32_t next = f->lower.row.data[l];
          if (f->mark.data[next] == k) continue;
          f->mark.data[next] = k;
          f->cursor.data[depth] = l + 1;
          stack[++depth] = next;
          f->cursor.data[depth] = -1;
          deeper = true;
        }
      }
      if (deeper) continue;
      stack[--top] = stack[depth--];
    }
  }
  return top;
}

// L x = A(:, col) for the rows found
static void solve_column(dvSparseLu *f, int32_t col, int32_t top)
{
  double *x = f->work.data;
  for (int32_t i = top; i < (int32_t)f->n; i++) x[f->stack.data[i]] = 0;
  for (int32_t e = f->a.start.data[col]; e < f->a.start.data[col + 1]; e++) x[f->a.row.data[e]] = f->a.value.data[e];
  for (int32_t i = top; i < (int32_t)f->n; i++) {
    int32_t row = f->stack.data[i], pivot = f->pivot_of.data[row];
    if (pivot < 0) continue;
    for (int32_t l = f->lower.start.data[pivot] + 1; l < f->lower.start.data[pivot + 1]; l++)
      x[f->lower.row.data[l]] -= f->lower.value.data[l] * x[row];
  }
}

static void push(dvColumns *c, int32_t row, double value)
{
  dv_push(&c->row, row);
  dv_push(&c->value, value);
}

// the row that becomes pivot, or -1
static int32_t choose_pivot(const dvSparseLu *f, int32_t col, int32_t top, double small)
{
  double largest = 0, size = 0;
  int32_t best = -1;
  for (int32_t e = f->a.start.data[col]; e < f->a.start.data[col + 1]; e++) size = fmax(size, fabs(f->a.value.data[e]));
  for (int32_t i = top; i < (int32_t)f->n; i++) {
    int32_t row = f->stack.data[i];
    if (f->pivot_of.data[row] < 0 && fabs(f->work.data[row]) > largest) largest = fabs(f->work.data[row]), best = row;
  }
  if (largest <= small * size) return -1;
  return f->pivot_of.data[col] < 0 && fabs(f->work.data[col]) >= 0.1 * largest ? col : best;
}

bool dv_sparse_lu_factorise(dvSparseLu *f, const dvBlockMatrix *a, double small, size_t *column)
{
  take_columns(f, a);
  f->lower.row.count = f->lower.value.count = f->upper.row.count = f->upper.value.count = 0;
  f->lower.start.count = f->upper.start.count = 0;
  for (size_t i = 0; i < f->n; i++) f->pivot_of.data[i] = f->mark.data[i] = -1, f->work.data[i] = 0;
  dv_push(&f->lower.start, 0);
  dv_push(&f->upper.start, 0);
  for (int32_t k = 0; k < (int32_t)f->n; k++) {
    int32_t col = f->order.data[k], top = reach(f, col, k);
    solve_column(f, col, top);
    if (f->mark.data[col] != k) f->work.data[col] = 0;   // the diagonal is not among the entries
    int32_t pivot = choose_pivot(f, col, top, small);
    if (pivot < 0) {
      *column = (size_t)col;
      return false;
    }
    double d = f->work.data[pivot];
    push(&f->lower, pivot, 1);
    for (int32_t i = top; i < (int32_t)f->n; i++) {
      int32_t row = f->stack.data[i];
      double value = f->work.data[row];
      if (row == pivot || value == 0) continue;
      if (f->pivot_of.data[row] >= 0) push(&f->upper, f->pivot_of.data[row], value);
      else push(&f->lower, row, value / d);
    }
    push(&f->upper, k, d);
    f->pivot_of.data[pivot] = k;
    dv_push(&f->lower.start, (int32_t)f->lower.row.count);
    dv_push(&f->upper.start, (int32_t)f->upper.row.count);
  }
  return true;
}

void dv_sparse_lu_solve(dvSparseLu *f, const double *rhs, double *x)
{
  double *y = f->work.data;
  int32_t n = (int32_t)f->n;
  for (int32_t i = 0; i < n; i++) y[f->pivot_of.data[i]] = rhs[i];
  for (int32_t k = 0; k < n; k++)
    for (int32_t l = f->lower.start.data[k] + 1; l < f->lower.start.data[k + 1]; l++)
      y[f->pivot_of.data[f->lower.row.data[l]]] -= f->lower.value.data[l] * y[k];
  for (int32_t k = n - 1; k >= 0; k--) {
    int32_t last = f->upper.start.data[k + 1] - 1;
    y[k] /= f->upper.value.data[last];
    for (int32_t u = f->upper.start.data[k]; u < last; u++) y[f->upper.row.data[u]] -= f->upper.value.data[u] * y[k];
  }
  for (int32_t k = 0; k < n; k++) x[f->order.data[k]] = y[k];
}

// See sparse_qr.h.
#include "linear/direct/sparse_qr.h"

#include <math.h>
#include <string.h>

void dv_sparse_qr_free(dvSparseQr *f)
{
  dv_array_free(&f->order);
  dv_array_free(&f->inverse);
  dv_array_free(&f->parent);
  dv_pattern_free(&f->pattern);
  dv_array_free(&f->value);
  dv_array_free(&f->filled);
  dv_array_free(&f->turns);
  dv_array_free(&f->turn_start);
  dv_array_free(&f->moved);
  dv_array_free(&f->work);
  dv_array_free(&f->size);
  *f = (dvSparseQr){0};
}

typedef DV_ARRAY(uint64_t) Pairs;

// columns of A that meet in a row, block by block
static bool meeting_columns(const dvPattern *a, dvPattern *out)
{
  Pairs pairs = {0};
  for (size_t r = 0; r < a->rows; r++)
    for (int32_t e = a->row_start[r]; e < a->row_start[r + 1]; e++)
      for (int32_t g = a->row_start[r]; g < a->row_start[r + 1]; g++)
        dv_push(&pairs, dv_pair((size_t)a->col[e], (size_t)a->col[g]));
  bool good = dv_pattern_build(out, a->cols, a->cols, pairs.data, pairs.count, NULL);
  dv_array_free(&pairs);
  return good;
}

// pattern of R by elimination: a row hands its columns on to the next one it meets
static bool fill_in(dvSparseQr *f, const dvPattern *blocks, size_t b)
{
  size_t n = f->n;
  Pairs pairs = {0};
  DV_ARRAY(size_t) begin = {0};
  DV_ARRAY(int32_t) mark = {0}, child = {0}, sibling = {0};
  dv_array_resize(&begin, n + 1);
  dv_array_resize(&mark, n);
  dv_array_resize(&child, n);
  dv_array_resize(&sibling, n);
  for (size_t i = 0; i < n; i++) mark.data[i] = child.data[i] = sibling.data[i] = -1;
  for (size_t k = 0; k < n; k++) {
    size_t col = (size_t)f->order.data[k], first = pairs.count;
    begin.data[k] = first;
    mark.data[k] = (int32_t)k;
    dv_push(&pairs, dv_pair(k, k));
    for (int32_t e = blocks->row_start[col / b]; e < blocks->row_start[col / b + 1]; e++)
      for (size_t i = 0; i < b; i++) {
        size_t j = (size_t)f->inverse.data[(size_t)blocks->col[e] * b + i];
        if (j <= k || mark.data[j] == (int32_t)k) continue;
        mark.data[j] = (int32_t)k;
        dv_push(&pairs, dv_pair(k, j));
      }
    for (int32_t c = child.data[k]; c >= 0; c = sibling.data[c])
      for (size_t i = begin.data[c]; i < begin.data[c + 1]; i++) {
        size_t j = dv_pair_col(pairs.data[i]);
        if (j <= k || mark.data[j] == (int32_t)k) continue;
        mark.data[j] = (int32_t)k;
        uint64_t pair = dv_pair(k, j);
        dv_push(&pairs, pair);
      }
    begin.data[k + 1] = pairs.count;
    size_t next = n;
    for (size_t i = first + 1; i < pairs.count; i++) next = dv_min_size(next, dv_pair_col(pairs.data[i]));
    f->parent.data[k] = next < n ? (int32_t)next : -1;
    if (next < n) sibling.data[k] = child.data[next], child.data[next] = (int32_t)k;
  }
  bool good = dv_pattern_build(&f->pattern, n, n, pairs.data, pairs.count, NULL);
  dv_array_free(&pairs);
  dv_array_free(&begin);
  dv_array_free(&mark);
  dv_array_free(&child);
  dv_array_free(&sibling);
  return good;
}

bool dv_sparse_qr_analyse(dvSparseQr *f, const dvBlockMatrix *a, dvOrder order)
{
  dvPattern meeting = {0};
  size_t b = (size_t)a->block, blocks = a->pattern.cols;
  dv_sparse_qr_free(f);
  f->n = blocks * b;
  int32_t *perm = dv_try_alloc((blocks + 1) * sizeof *perm);
  bool good = perm && meeting_columns(&a->pattern, &meeting) && dv_order(order, &meeting, perm);
  if (good) {
    dv_array_resize(&f->order, f->n);
    dv_array_resize(&f->inverse, f->n);
    dv_array_resize(&f->parent, f->n);
    dv_array_resize(&f->filled, f->n);
    dv_array_resize(&f->work, f->n);
    dv_array_resize(&f->size, f->n);
    for (size_t k = 0; k < f->n; k++) {
      f->order.data[k] = perm[k / b] * (int32_t)b + (int32_t)(k % b);
      f->inverse.data[f->order.data[k]] = (int32_t)k;
    }
    good = fill_in(f, &meeting, b);
  }
  if (good) good = dv_try_reserve(&f->value, dv_pattern_count(&f->pattern));
  dv_pattern_free(&meeting);
  dv_free(perm);
  return good;
}

// spreads a row of A over the work vector; returns its first column, n when it is empty
static size_t spread(dvSparseQr *f, const dvBlockMatrix *a, size_t row)
{
  size_t b = (size_t)a->block, first = f->n;
  for (int32_t e = a->pattern.row_start[row / b]; e < a->pattern.row_start[row / b + 1]; e++)
    for (size_t j = 0; j < b; j++) {
      double v = dv_block_matrix_at(a, e)[(row % b) * b + j];
      size_t k = (size_t)f->inverse.data[(size_t)a->pattern.col[e] * b + j];
      f->work.data[k] = v;
      f->size.data[k] += v * v;
      if (v != 0) first = dv_min_size(first, k);
    }
  return first;
}

// rotates the work vector against row k of R so that its number k vanishes; false when it went into an empty row
static bool rotate(dvSparseQr *f, size_t k)
{
  double *w = f->work.data, *r = f->value.data + f->pattern.row_start[k];
  int32_t count = f->pattern.row_start[k + 1] - f->pattern.row_start[k];
  const int32_t *col = f->pattern.col + f->pattern.row_start[k];
  if (w[k] == 0) return true;
  double length = hypot(r[0], w[k]), c = r[0] / length, s = w[k] / length;
  bool empty = !f->filled.data[k];
  if (empty) c = 0, s = 1, f->filled.data[k] = 1;
  dv_push(&f->turns, ((dvTurn){(int32_t)k, c, s}));
  for (int32_t i = 0; i < count; i++) {
    double p = r[i], q = w[col[i]];
    r[i] = c * p + s * q;
    w[col[i]] = empty ? 0 : c * q - s * p;
  }
  w[k] = 0;
  return !empty;
}

// a row without a diagonal belongs further down: the equation is one between later unknowns
static void move_row(dvSparseQr *f, size_t k)
{
  double *r = f->value.data + f->pattern.row_start[k];
  int32_t count = f->pattern.row_start[k + 1] - f->pattern.row_start[k];
  for (int32_t i = 1; i < count; i++) f->work.data[f->pattern.col[f->pattern.row_start[k] + i]] = r[i];
  memset(r, 0, (size_t)count * sizeof *r);
  f->filled.data[k] = 0;
  dv_push(&f->moved, (int32_t)k);
  for (int32_t next = f->parent.data[k]; next >= 0 && rotate(f, (size_t)next); next = f->parent.data[next]) continue;
  dv_push(&f->turn_start, f->turns.count);
}

void dv_sparse_qr_factorise(dvSparseQr *f, const dvBlockMatrix *a, double small)
{
  f->value.count = dv_pattern_count(&f->pattern);
  memset(f->value.data, 0, f->value.count * sizeof *f->value.data);
  memset(f->filled.data, 0, f->n);
  f->turns.count = f->turn_start.count = f->moved.count = 0;
  for (size_t i = 0; i < f->n; i++) f->work.data[i] = f->size.data[i] = 0;
  dv_push(&f->turn_start, 0);
  for (size_t row = 0; row < f->n; row++) {
    int32_t k = (int32_t)spread(f, a, row);
    for (; (size_t)k < f->n && rotate(f, (size_t)k); k = f->parent.data[k])
      if (f->parent.data[k] < 0) break;
    dv_push(&f->turn_start, f->turns.count);
  }
  f->rank = 0;
  for (size_t k = 0; k < f->n; k++) {
    bool independent = fabs(f->value.data[f->pattern.row_start[k]]) > small * sqrt(f->size.data[k]);
    f->rank += independent;
    if (!independent) move_row(f, k);
  }
}

// rotates a number along with the rows it belongs to
static void follow(const dvSparseQr *f, size_t row, double beta, double *y)
{
  for (size_t t = f->turn_start.data[row]; t < f->turn_start.data[row + 1]; t++) {
    const dvTurn *turn = &f->turns.data[t];
    double p = y[turn->row];
    y[turn->row] = turn->cosine * p + turn->sine * beta;
    beta = turn->cosine * beta - turn->sine * p;
  }
}

void dv_sparse_qr_solve(dvSparseQr *f, const double *rhs, double *x)
{
  double *y = f->work.data;
  memset(y, 0, f->n * sizeof *y);
  for (size_t row = 0; row < f->n; row++) follow(f, row, rhs[row], y);
  for (size_t i = 0; i < f->moved.count; i++) {
    double beta = y[f->moved.data[i]];
    y[f->moved.data[i]] = 0;
    follow(f, f->n + i, beta, y);
  }
  for (size_t k = f->n; k-- > 0;) {
    int32_t begin = f->pattern.row_start[k];
    for (int32_t e = begin + 1; e < f->pattern.row_start[k + 1]; e++) y[k] -= f->value.data[e] * y[f->pattern.col[e]];
    y[k] = f->filled.data[k] ? y[k] / f->value.data[begin] : 0;
  }
  for (size_t k = 0; k < f->n; k++) x[f->order.data[k]] = y[k];
}

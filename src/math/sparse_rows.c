// See sparse_rows.h.
#include "math/sparse_rows.h"

void dv_sparse_rows_clear(dvSparseRows *r)
{
  r->count = r->col.count = r->value.count = r->row.count = r->start.count = 0;
  r->settled = r->mixed = false;
}

void dv_sparse_rows_free(dvSparseRows *r)
{
  dv_array_free(&r->start);
  dv_array_free(&r->col);
  dv_array_free(&r->value);
  dv_array_free(&r->row);
  dv_array_free(&r->other_col);
  dv_array_free(&r->other_value);
  r->count = 0;
  r->settled = false;
}

// n is a constant where this is called for frames and points
static inline void put(dvSparseRows *r, size_t at, int32_t row, int32_t col, const double *restrict values, size_t n,
                       double factor)
{
  int32_t *restrict rows = r->row.data + at, *restrict cols = r->col.data + at;
  double *restrict to = r->value.data + at;
  for (size_t k = 0; k < n; k++) to[k] = factor * values[k];
  for (size_t k = 0; k < n; k++) rows[k] = row;
  for (size_t k = 0; k < n; k++) cols[k] = col + (int32_t)k;
}

void dv_sparse_rows_add_many(dvSparseRows *r, int32_t row, int32_t col, const double *values, int width, double factor)
{
  size_t at = r->col.count, n = (size_t)width;
  DV_ASSERT(row >= 0 && col >= 0);
  if (at > 0 && (row < r->row.data[at - 1] || (row == r->row.data[at - 1] && col <= r->col.data[at - 1])))
    r->mixed = true;
  dv_reserve(&r->row, n);
  dv_reserve(&r->col, n);
  dv_reserve(&r->value, n);
  if (n == 6) put(r, at, row, col, values, 6, factor);
  else if (n == 3) put(r, at, row, col, values, 3, factor);
  else put(r, at, row, col, values, n, factor);
  r->row.count = r->col.count = r->value.count = at + n;
  r->count = dv_max_size(r->count, (size_t)row + 1);
  r->settled = false;
}

void dv_sparse_rows_add(dvSparseRows *r, int32_t row, int32_t col, double value)
{
  dv_sparse_rows_add_many(r, row, col, &value, 1, 1);
}

// --- settling --------------------------------------------------------------------------------------

static bool rows_ascend(const dvSparseRows *r)
{
  for (size_t i = 1; i < r->row.count; i++)
    if (r->row.data[i] < r->row.data[i - 1]) return false;
  return true;
}

// Runs of one row are counted in a register: a counter in memory would make each entry wait for the one before.
static void count_rows(dvSparseRows *r)
{
  dv_array_resize(&r->start, r->count + 1);
  memset(r->start.data, 0, (r->count + 1) * sizeof *r->start.data);
  for (size_t i = 0, end; i < r->row.count; i = end) {
    int32_t row = r->row.data[i];
    for (end = i + 1; end < r->row.count && r->row.data[end] == row;) end++;
    r->start.data[row + 1] += end - i;
  }
  for (size_t i = 0; i < r->count; i++) r->start.data[i + 1] += r->start.data[i];
}

// entries of a row one behind the other, in the order in which they came
static void gather_rows(dvSparseRows *r)
{
  size_t n = r->row.count;
  dv_array_resize(&r->other_col, n);
  dv_array_resize(&r->other_value, n);
  for (size_t i = 0; i < n; i++) {
    size_t to = r->start.data[r->row.data[i]]++;
    r->other_col.data[to] = r->col.data[i];
    r->other_value.data[to] = r->value.data[i];
  }
  for (size_t i = r->count; i > 0; i--) r->start.data[i] = r->start.data[i - 1];
  r->start.data[0] = 0;
  memcpy(r->col.data, r->other_col.data, n * sizeof *r->col.data);
  memcpy(r->value.data, r->other_value.data, n * sizeof *r->value.data);
}

static void insertion_sort(int32_t *col, double *value, size_t n)
{
  for (size_t i = 1; i < n; i++) {
    int32_t c = col[i];
    double v = value[i];
    size_t k = i;
    for (; k > 0 && col[k - 1] > c; k--) col[k] = col[k - 1], value[k] = value[k - 1];
    col[k] = c, value[k] = v;
  }
}

// stable, bottom up, for the rare long rows
static void merge_sort(int32_t *col, double *value, size_t n, int32_t *col2, double *value2)
{
  enum { RUN = 16 };
  for (size_t i = 0; i < n; i += RUN) insertion_sort(col + i, value + i, dv_min_size(RUN, n - i));
  for (size_t width = RUN; width < n; width *= 2) {
    for (size_t low = 0; low < n; low += 2 * width) {
      size_t middle = dv_min_size(low + width, n), high = dv_min_size(low + 2 * width, n), a = low, b = middle;
      for (size_t k = low; k < high; k++) {
        bool first = a < middle && (b >= high || col[a] <= col[b]);
        size_t from = first ? a++ : b++;
        col2[k] = col[from], value2[k] = value[from];
      }
    }
    memcpy(col, col2, n * sizeof *col);
    memcpy(value, value2, n * sizeof *value);
  }
}

static void sort_row(dvSparseRows *r, size_t begin, size_t end)
{
  size_t n = end - begin;
  if (n <= 32) {
    insertion_sort(r->col.data + begin, r->value.data + begin, n);
    return;
  }
  dv_array_resize(&r->other_col, dv_max_size(r->other_col.count, n));
  dv_array_resize(&r->other_value, dv_max_size(r->other_value.count, n));
  merge_sort(r->col.data + begin, r->value.data + begin, n, r->other_col.data, r->other_value.data);
}

// adds up equal columns; entries move towards the front
static void sum_rows(dvSparseRows *r)
{
  size_t kept = 0, begin = 0;
  for (size_t i = 0; i < r->count; i++) {
    size_t end = r->start.data[i + 1], first = kept;
    sort_row(r, begin, end);
    for (size_t e = begin; e < end; e++) {
      if (kept > first && r->col.data[kept - 1] == r->col.data[e]) {
        r->value.data[kept - 1] += r->value.data[e];
        continue;
      }
      r->col.data[kept] = r->col.data[e];
      r->value.data[kept] = r->value.data[e];
      r->row.data[kept++] = (int32_t)i;
    }
    r->start.data[i + 1] = kept;
    begin = end;
  }
  r->row.count = r->col.count = r->value.count = kept;
}

void dv_sparse_rows_settle(dvSparseRows *r, size_t count)
{
  if (r->settled && r->count >= count) return;
  r->count = dv_max_size(r->count, count);
  bool ordered = !r->mixed || rows_ascend(r);
  count_rows(r);
  if (!ordered) gather_rows(r);
  if (r->mixed) sum_rows(r);
  r->mixed = false;
  r->settled = true;
}

// --- products --------------------------------------------------------------------------------------

void dv_sparse_rows_product(const dvSparseRows *r, const double *x, double *y)
{
  DV_ASSERT(r->settled);
  for (size_t i = 0; i < r->count; i++) {
    double sum = 0;
    for (size_t e = r->start.data[i]; e < r->start.data[i + 1]; e++) sum += r->value.data[e] * x[r->col.data[e]];
    y[i] = sum;
  }
}

void dv_sparse_rows_add_transposed(const dvSparseRows *r, const double *x, double *y)
{
  DV_ASSERT(r->settled);
  for (size_t i = 0; i < r->count; i++)
    for (size_t e = r->start.data[i]; e < r->start.data[i + 1]; e++) y[r->col.data[e]] += r->value.data[e] * x[i];
}

// See pattern.h. Pairs are sorted by counting twice: by column, then by row, which leaves the columns of each row
// in ascending order without comparing anything.
#include "math/pattern.h"

#include <string.h>

void dv_pattern_free(dvPattern *p)
{
  dv_free(p->row_start);
  dv_free(p->col);
  *p = (dvPattern){0};
}

// sorts `order` by a key below `keys`; stable. `start` has room for keys + 1 counts.
static void sort_by(const uint64_t *pairs, bool by_row, size_t keys, const int32_t *order, size_t n, int32_t *sorted,
                    int32_t *start)
{
  memset(start, 0, (keys + 1) * sizeof *start);
  for (size_t i = 0; i < n; i++) {
    uint64_t pair = pairs[order[i]];
    start[(by_row ? dv_pair_row(pair) : dv_pair_col(pair)) + 1]++;
  }
  for (size_t k = 0; k < keys; k++) start[k + 1] += start[k];
  for (size_t i = 0; i < n; i++) {
    uint64_t pair = pairs[order[i]];
    sorted[start[by_row ? dv_pair_row(pair) : dv_pair_col(pair)]++] = order[i];
  }
}

// walks the sorted pairs; the first of equal ones opens a place
static size_t give_places(const uint64_t *pairs, const int32_t *sorted, size_t n, dvPattern *p, int32_t *place)
{
  size_t found = 0;
  uint64_t before = DV_PAIR_NONE;
  for (size_t i = 0; i < n; i++) {
    uint64_t pair = pairs[sorted[i]];
    if (pair != before) {
      if (p->col) p->col[found] = (int32_t)dv_pair_col(pair);
      if (p->col) p->row_start[dv_pair_row(pair) + 1]++;
      found++;
      before = pair;
    }
    if (place) place[sorted[i]] = (int32_t)found - 1;
  }
  return found;
}

static bool build(dvPattern *p, const uint64_t *pairs, size_t count, int32_t *place, int32_t *order, int32_t *sorted,
                  int32_t *start)
{
  size_t n = 0;
  for (size_t i = 0; i < count; i++) {
    if (pairs[i] != DV_PAIR_NONE) order[n++] = (int32_t)i;
    else if (place) place[i] = -1;
  }
  sort_by(pairs, false, p->cols, order, n, sorted, start);
  sort_by(pairs, true, p->rows, sorted, n, order, start);
  size_t distinct = give_places(pairs, order, n, p, place);
  p->col = dv_try_alloc(distinct * sizeof *p->col);
  p->row_start = dv_try_alloc((p->rows + 1) * sizeof *p->row_start);
  if (!p->col || !p->row_start) return false;
  give_places(pairs, order, n, p, NULL);
  for (size_t r = 0; r < p->rows; r++) p->row_start[r + 1] += p->row_start[r];
  return true;
}

bool dv_pattern_build(dvPattern *p, size_t rows, size_t cols, const uint64_t *pairs, size_t count, int32_t *place)
{
  dv_pattern_free(p);
  if (rows > INT32_MAX || cols > INT32_MAX || count > INT32_MAX) return false;
  p->rows = rows;
  p->cols = cols;
  size_t keys = dv_max_size(rows, cols);
  int32_t *order = dv_try_alloc(count * sizeof *order), *sorted = dv_try_alloc(count * sizeof *sorted);
  int32_t *start = dv_try_alloc((keys + 1) * sizeof *start);
  bool good = order && sorted && start && build(p, pairs, count, place, order, sorted, start);
  dv_free(order);
  dv_free(sorted);
  dv_free(start);
  if (!good) dv_pattern_free(p);
  return good;
}

int32_t dv_pattern_find(const dvPattern *p, size_t row, size_t col)
{
  int32_t low = p->row_start[row], high = p->row_start[row + 1] - 1;
  while (low <= high) {
    int32_t middle = low + (high - low) / 2;
    if (p->col[middle] == (int32_t)col) return middle;
    if (p->col[middle] < (int32_t)col) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}

bool dv_pattern_same(const dvPattern *a, const dvPattern *b)
{
  if (a->rows != b->rows || a->cols != b->cols || !a->row_start != !b->row_start) return false;
  if (!a->row_start) return true;
  return memcmp(a->row_start, b->row_start, (a->rows + 1) * sizeof *a->row_start) == 0 &&
         memcmp(a->col, b->col, dv_pattern_count(a) * sizeof *a->col) == 0;
}

bool dv_pattern_copy(dvPattern *p, const dvPattern *from)
{
  size_t count = dv_pattern_count(from);
  dv_pattern_free(p);
  p->row_start = dv_try_alloc((from->rows + 1) * sizeof *p->row_start);
  p->col = dv_try_alloc(count * sizeof *p->col);
  if (!p->row_start || !p->col) {
    dv_pattern_free(p);
    return false;
  }
  p->rows = from->rows;
  p->cols = from->cols;
  if (from->row_start) memcpy(p->row_start, from->row_start, (from->rows + 1) * sizeof *p->row_start);
  if (count) memcpy(p->col, from->col, count * sizeof *p->col);
  return true;
}

bool dv_pattern_transpose(dvPattern *p, const dvPattern *from, int32_t *source)
{
  size_t count = dv_pattern_count(from), rows = from->cols;
  dv_pattern_free(p);
  p->row_start = dv_try_alloc((rows + 2) * sizeof *p->row_start);
  p->col = dv_try_alloc(count * sizeof *p->col);
  if (!p->row_start || !p->col) {
    dv_pattern_free(p);
    return false;
  }
  p->rows = rows;
  p->cols = from->rows;
  // counts go two places up, starts one place up: filling moves them to where they belong
  for (size_t e = 0; e < count; e++) p->row_start[from->col[e] + 2]++;
  for (size_t r = 2; r < rows + 2; r++) p->row_start[r] += p->row_start[r - 1];
  for (size_t r = 0; r < from->rows; r++)
    for (int32_t e = from->row_start[r]; e < from->row_start[r + 1]; e++) {
      int32_t at = p->row_start[from->col[e] + 1]++;
      p->col[at] = (int32_t)r;
      if (source) source[at] = e;
    }
  return true;
}

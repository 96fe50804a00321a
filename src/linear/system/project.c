// See project.h.
#include "linear/system/project.h"

#include "object/dof.h"

#include <string.h>

// --- ragged matrices -----------------------------------------------------------------------------

bool dv_ragged_settle(dvRagged *r, const int *row_width, const int *col_width)
{
  size_t count = dv_pattern_count(&r->pattern), total = 0;
  r->start.count = r->values.count = 0;
  if (!dv_try_reserve(&r->start, count)) return false;
  for (size_t row = 0; row < r->pattern.rows; row++)
    for (int32_t e = r->pattern.row_start[row]; e < r->pattern.row_start[row + 1]; e++) {
      r->start.data[e] = total;
      total += (size_t)(row_width[row] * col_width[r->pattern.col[e]]);
    }
  r->start.count = count;
  if (!dv_try_reserve(&r->values, total)) return false;
  r->values.count = total;
  dv_ragged_clear(r);
  return true;
}

void dv_ragged_clear(dvRagged *r)
{
  if (r->values.count) memset(r->values.data, 0, r->values.count * sizeof *r->values.data);
}

void dv_ragged_free(dvRagged *r)
{
  dv_pattern_free(&r->pattern);
  dv_array_free(&r->start);
  dv_array_free(&r->values);
}

void dv_projection_free(dvProjection *p)
{
  dv_ragged_free(&p->k);
  dv_ragged_free(&p->raw);
  dv_ragged_free(&p->j);
  dv_ragged_free(&p->t);
  dv_array_free(&p->order);
  dv_array_free(&p->target);
  dv_array_free(&p->marker);
}

// --- patterns ------------------------------------------------------------------------------------

// removes repeated columns of the row that begins at `begin`
static void unique_row(dvProjection *p, dvPairs *pairs, size_t begin, int32_t stamp)
{
  size_t kept = begin;
  for (size_t i = begin; i < pairs->count; i++) {
    int32_t *mark = &p->marker.data[dv_pair_col(pairs->data[i])];
    if (*mark == stamp) continue;
    *mark = stamp;
    pairs->data[kept++] = pairs->data[i];
  }
  pairs->count = kept;
}

// rows of J one after the other in the order of the mappings: a row is the union of the rows its inputs have
static bool analyse_j(dvProjection *p)
{
  dvPairs pairs = {0};
  DV_ARRAY(size_t) begin = {0}, end = {0};
  dv_array_resize(&begin, p->total);
  dv_array_resize(&end, p->total);
  memset(p->marker.data, -1, p->marker.count * sizeof *p->marker.data);
  for (size_t i = 0; i < p->order.count; i++) {
    size_t row = (size_t)p->order.data[i];
    begin.data[row] = pairs.count;
    for (int32_t e = p->raw.pattern.row_start[row]; e < p->raw.pattern.row_start[row + 1]; e++) {
      size_t of = (size_t)p->raw.pattern.col[e];
      if (of < p->main) dv_push(&pairs, dv_pair(row, of));
      for (size_t k = begin.data[of]; k < end.data[of]; k++) {
        uint64_t pair = dv_pair(row, dv_pair_col(pairs.data[k]));   // a copy: the list grows
        dv_push(&pairs, pair);
      }
    }
    unique_row(p, &pairs, begin.data[row], (int32_t)row);
    end.data[row] = pairs.count;
  }
  bool good = dv_pattern_build(&p->j.pattern, p->total, p->main, pairs.data, pairs.count, NULL) &&
              dv_ragged_settle(&p->j, p->width, p->width);
  dv_array_free(&pairs);
  dv_array_free(&begin);
  dv_array_free(&end);
  return good;
}

static void push_row(const dvProjection *p, size_t row, int32_t of, dvPairs *out)
{
  if ((size_t)of < p->main) {
    dv_push(out, dv_pair(row, (size_t)of));
    return;
  }
  for (int32_t e = p->j.pattern.row_start[of]; e < p->j.pattern.row_start[of + 1]; e++)
    dv_push(out, dv_pair(row, (size_t)p->j.pattern.col[e]));
}

static bool analyse_t(dvProjection *p)
{
  dvPairs pairs = {0};
  memset(p->marker.data, -1, p->marker.count * sizeof *p->marker.data);
  for (size_t row = 0; row < p->total; row++) {
    size_t first = pairs.count;
    for (int32_t e = p->k.pattern.row_start[row]; e < p->k.pattern.row_start[row + 1]; e++)
      push_row(p, row, p->k.pattern.col[e], &pairs);
    unique_row(p, &pairs, first, (int32_t)row);
  }
  bool good = dv_pattern_build(&p->t.pattern, p->total, p->main, pairs.data, pairs.count, NULL) &&
              dv_ragged_settle(&p->t, p->width, p->width);
  dv_array_free(&pairs);
  return good;
}

bool dv_projection_analyse(dvProjection *p, dvPairs *pairs)
{
  dv_array_resize(&p->marker, p->main);
  if (!analyse_j(p) || !analyse_t(p)) return false;
  dvPairs ups = {0};
  for (size_t row = 0; row < p->total; row++) {
    const int32_t *t = p->t.pattern.row_start;
    if (t[row] == t[row + 1]) continue;
    ups.count = 0;
    push_row(p, 0, (int32_t)row, &ups);
    for (size_t i = 0; i < ups.count; i++)
      for (int32_t e = t[row]; e < t[row + 1]; e++)
        dv_push(pairs, dv_pair(dv_pair_col(ups.data[i]), (size_t)p->t.pattern.col[e]));
  }
  dv_array_free(&ups);
  return true;
}

// --- values --------------------------------------------------------------------------------------

// c += a b, a: n x m, b: m x l
static inline void add_product(double *c, const double *a, const double *b, int n, int m, int l)
{
  for (int i = 0; i < n; i++)
    for (int k = 0; k < m; k++) {
      double value = a[i * m + k];
      if (value == 0) continue;   // Jacobians are mostly zeros
      for (int j = 0; j < l; j++) c[i * l + j] += value * b[k * l + j];
    }
}

// adds block x (row `of` of J) to the row of `to` whose columns are marked
static void add_row(dvProjection *p, dvRagged *to, const double *block, int rows, int32_t of)
{
  int width = p->width[of];
  if ((size_t)of < p->main) {
    double *values = to->values.data + to->start.data[p->marker.data[of]];
    for (int i = 0; i < rows * width; i++) values[i] += block[i];
    return;
  }
  for (int32_t e = p->j.pattern.row_start[of]; e < p->j.pattern.row_start[of + 1]; e++) {
    int32_t col = p->j.pattern.col[e];
    double *values = to->values.data + to->start.data[p->marker.data[col]];
    const double *j = p->j.values.data + p->j.start.data[e];
    if (p->width[col] > DV_PROJECTION_WIDE) p->kernels->product(values, block, j, rows, width, p->width[col]);
    else add_product(values, block, j, rows, width, p->width[col]);
  }
}

// row of to += (row of from) J
static void form_row(dvProjection *p, dvRagged *to, const dvRagged *from, size_t row)
{
  for (int32_t e = to->pattern.row_start[row]; e < to->pattern.row_start[row + 1]; e++)
    p->marker.data[to->pattern.col[e]] = e;
  for (int32_t e = from->pattern.row_start[row]; e < from->pattern.row_start[row + 1]; e++)
    add_row(p, to, from->values.data + from->start.data[e], p->width[row], from->pattern.col[e]);
}

typedef struct Up {
  dvProjectionSink sink;
  void *user;
  size_t next;   // target
} Up;

// hands over (J block)^T T for every entry of a row of T; a main row has the identity for J
static void hand_over(dvProjection *p, Up *up, size_t row, int32_t col, const double *j)
{
  int rows = p->width[row], width = p->width[col];
  for (int32_t e = p->t.pattern.row_start[row]; e < p->t.pattern.row_start[row + 1]; e++) {
    const double *t = p->t.values.data + p->t.start.data[e];
    int32_t other = p->t.pattern.col[e];
    int cols = p->width[other];
    double block[DV_MAX_COORD * DV_MAX_COORD];
    memset(block, 0, (size_t)(width * cols) * sizeof *block);
    for (int k = 0; j && k < rows; k++)
      for (int i = 0; i < width; i++) {
        double value = j[k * width + i];
        if (value == 0) continue;
        for (int c = 0; c < cols; c++) block[i * cols + c] += value * t[k * cols + c];
      }
    up->sink(up->user, p->target.data[up->next++], (size_t)col, (size_t)other, j ? block : t);
  }
}

// --- wide degrees of freedom: frames that deform ---

// the same columns in a row and the next
static bool same_row(const dvRagged *r, size_t row)
{
  const int32_t *start = r->pattern.row_start + row;
  size_t count = (size_t)(start[1] - start[0]);
  return start[2] - start[1] == start[1] - start[0] &&
         memcmp(r->pattern.col + start[0], r->pattern.col + start[1], count * sizeof *r->pattern.col) == 0;
}

// mapped rows from `row` on that go to the same places: the columns of a gradient
static size_t group_at(const dvProjection *p, size_t row)
{
  size_t count = 1;
  const int32_t *start = p->j.pattern.row_start;
  if (start[row] == start[row + 1] || p->width[p->j.pattern.col[start[row]]] <= DV_PROJECTION_WIDE) return 1;
  while (count < 3 && row + count < p->total && p->width[row + count] == p->width[row] &&
         same_row(&p->j, row + count - 1) && same_row(&p->t, row + count - 1))
    count++;
  return count;
}

// hands over the sum of (J block)^T T over a group of rows
static void hand_over_group(dvProjection *p, Up *up, size_t row, size_t group)
{
  const int32_t *js = p->j.pattern.row_start, *ts = p->t.pattern.row_start;
  int rows = p->width[row];
  for (int32_t a = 0; a < js[row + 1] - js[row]; a++)
    for (int32_t b = 0; b < ts[row + 1] - ts[row]; b++) {
      int32_t col = p->j.pattern.col[js[row] + a], other = p->t.pattern.col[ts[row] + b];
      int width = p->width[col], cols = p->width[other];
      double block[DV_MAX_COORD * DV_MAX_COORD];
      memset(block, 0, (size_t)(width * cols) * sizeof *block);
      for (size_t g = 0; g < group; g++) {
        const double *j = p->j.values.data + p->j.start.data[js[row + g] + a],
                     *t = p->t.values.data + p->t.start.data[ts[row + g] + b];
        p->kernels->transposed(block, j, t, rows, width, cols);
      }
      up->sink(up->user, p->target.data[up->next++], (size_t)col, (size_t)other, block);
    }
  up->next += (group - 1) *
              (size_t)((js[row + 1] - js[row]) * (ts[row + 1] - ts[row]));   // those of the other rows are the same
}

void dv_projection_run(dvProjection *p, dvProjectionSink sink, void *user)
{
  p->kernels = DV_KERNEL_CHOOSE(dv_projection_kernels);
  dv_ragged_clear(&p->j);
  dv_ragged_clear(&p->t);
  for (size_t i = 0; i < p->order.count; i++) form_row(p, &p->j, &p->raw, (size_t)p->order.data[i]);
  Up up = {sink, user, 0};
  for (size_t row = 0, group = 1; row < p->total; row += group) {
    group = 1;
    if (p->t.pattern.row_start[row] == p->t.pattern.row_start[row + 1]) continue;
    if (row >= p->main) group = group_at(p, row);
    for (size_t g = 0; g < group; g++) form_row(p, &p->t, &p->k, row + g);
    if (row < p->main) {
      hand_over(p, &up, row, (int32_t)row, NULL);
      continue;
    }
    if (group > 1) {
      hand_over_group(p, &up, row, group);
      continue;
    }
    for (int32_t e = p->j.pattern.row_start[row]; e < p->j.pattern.row_start[row + 1]; e++)
      hand_over(p, &up, row, p->j.pattern.col[e], p->j.values.data + p->j.start.data[e]);
  }
}

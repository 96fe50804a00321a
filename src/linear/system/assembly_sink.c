// How contributions of components reach the matrix: recorded at first, then written to the places that were found for
// them.
#include "linear/system/assembly_work.h"

#include "math/element_sum.h"

#include <string.h>

const dvAssemblyState *dv_assembly_find(const dvAssembly *a, const dvState *s)
{
  const dvAssemblyWork *w = a->work;
  for (size_t slot = dv_assembly_slot(w, s); w->table.data[slot]; slot = (slot + 1) & (w->table.count - 1)) {
    const dvAssemblyState *found = &a->states.data[w->table.data[slot] - 1];
    if (found->state == s) return found;
  }
  return NULL;
}

static inline void add_rows(double *block, const double *from, int b, int cols)
{
  for (int i = 0; i < b; i++)
    for (int j = 0; j < b; j++) block[i * b + j] += from[i * cols + j];
}

void dv_assembly_add_block(dvAssembly *a, int32_t place, size_t row, int rows, int cols, const double *values)
{
  const dvBlockMatrix *m = &a->matrix;
  int b = m->block;
  double *at = dv_block_matrix_at(m, place);
  if (b == 3 && rows == 3 && cols == 3) {
    for (int i = 0; i < 9; i++) at[i] += values[i];
    return;
  }
  if (b == rows && b == cols) {
    for (int i = 0; i < b * b; i++) at[i] += values[i];
    return;
  }
  // all block rows of a degree of freedom are equally long
  int32_t block_row = a->work->block_row.data[row];
  int32_t length = m->pattern.row_start[block_row + 1] - m->pattern.row_start[block_row];
  for (int r = 0; r < rows; r += b, place += length)
    for (int c = 0; c < cols; c += b) {
      double *block = dv_block_matrix_at(m, place + c / b);
      const double *from = values + r * cols + c;
      if (b == 3) add_rows(block, from, 3, cols);
      else add_rows(block, from, b, cols);
    }
}

static const dvAssemblyState *remembered(const dvAssembly *a, const dvAssemblyState **last, const dvState *s)
{
  if (!*last || (*last)->state != s) *last = dv_assembly_find(a, s);
  return *last;
}

static void sink_add(dvMatrixSink *base, const dvState *row_state, size_t row, const dvState *col_state, size_t col,
                     int rows, int cols, const double *values)
{
  dvAssemblySink *s = (dvAssemblySink *)base;
  const dvAssemblyState *r = remembered(s->a, &s->row, row_state), *c = remembered(s->a, &s->col, col_state);
  uint64_t pair = DV_PAIR_NONE;   // a state outside of the system
  if (r && c) {
    if (row >= r->count || col >= c->count || rows != r->width || cols != c->width) {
      s->bad = row >= r->count || col >= c->count ? "points that do not exist" : "blocks of the wrong size";
      return;
    }
    pair = dv_pair(r->first + row, c->first + col);
  }
  if (s->recording) {
    dv_push(&s->sequence->pairs, pair);
    return;
  }
  size_t i = s->next++;
  if (i >= s->sequence->pairs.count || s->sequence->pairs.data[i] != pair) {
    s->changed = true;
    return;
  }
  int32_t place = s->sequence->places.data[i];
  if (place < 0) return;
  size_t main = s->a->work->projection.main, dof = dv_pair_row(pair);
  if (!s->ragged || (dof < main && dv_pair_col(pair) < main && s->ragged == &s->a->work->projection.k)) {
    dv_assembly_add_block(s->a, place, dof, rows, cols, values);
    return;
  }
  double *to = s->ragged->values.data + s->ragged->start.data[place];
  for (int k = 0; k < rows * cols; k++) to[k] += values[k];
}

// Blocks of three that go straight into the matrix, nine numbers of each pair of points; false when that is not what
// they are.
static bool add_direct(dvAssemblySink *s, const dvState *state, const int32_t *dofs, int count, const double *values)
{
  const dvAssemblyState *r = remembered(s->a, &s->row, state);
  const dvSequence *q = s->sequence;
  if (s->recording || !r || r->width != 3 || s->a->matrix.block != 3 || r->first >= s->a->work->projection.main)
    return false;
  if (s->ragged && s->ragged != &s->a->work->projection.k) return false;
  if (s->next + (size_t)(count * count) > q->pairs.count) return false;
  for (int i = 0; i < count; i++)
    if (dofs[i] < 0 || (size_t)dofs[i] >= r->count) return false;
  const uint64_t *pair = q->pairs.data + s->next;
  uint64_t other = 0;
  for (int i = 0; i < count; i++)
    for (int j = 0; j < count; j++) other |= *pair++ ^ dv_pair(r->first + (size_t)dofs[i], r->first + (size_t)dofs[j]);
  if (other) s->changed = true;
  else s->kernels->add_element3(s->a->matrix.values, q->places.data + s->next, (size_t)count, values);
  s->next += (size_t)(count * count);
  return true;
}

static void sink_add_element(dvMatrixSink *base, const dvState *state, const int32_t *dofs, int count,
                             const double *values)
{
  if (!add_direct((dvAssemblySink *)base, state, dofs, count, values))
    dv_sink_add_blocks(base, state, dofs, count, values);
}

// --- sums of elements ---

static void record_sum(dvAssemblySink *s, const dvAssemblyState *r, const dvElementSum *sum)
{
  dv_push(&s->sequence->sums, ((dvSumRecord){sum->stamp, s->sequence->pairs.count, 2 * sum->entries}));
  for (size_t e = 0; e < sum->entries; e++) {   // two pairs an entry; one on the diagonal has no second
    size_t p = r->first + (size_t)sum->point[2 * e], q = r->first + (size_t)sum->point[2 * e + 1];
    dv_push(&s->sequence->pairs, dv_pair(p, q));
    dv_push(&s->sequence->pairs, p == q ? DV_PAIR_NONE : dv_pair(q, p));
  }
}

// True when the blocks of a state's pairs are blocks of the matrix.
static bool is_direct(const dvAssemblySink *s, const dvAssemblyState *r)
{
  return s->a->matrix.block == 3 && r->first < s->a->work->projection.main &&
         (!s->ragged || s->ragged == &s->a->work->projection.k);
}

static void add_totals(dvAssemblySink *s, const dvState *state, const dvElementSum *sum, const double *total)
{
  for (size_t e = 0; e < sum->entries; e++, total += 9) {
    size_t row = (size_t)sum->point[2 * e], col = (size_t)sum->point[2 * e + 1];
    const double turned[9] = {total[0], total[3], total[6], total[1], total[4], total[7], total[2], total[5], total[8]};
    sink_add(&s->base, state, row, state, col, 3, 3, total);
    if (row != col) sink_add(&s->base, state, col, state, row, 3, 3, turned);
    else s->next++;
  }
}

static void queue_sum(dvAssemblyWork *w, dvElementSum *sum, dvElementSumFill fill, const void *user, size_t size,
                      const int32_t *places)
{
  dvLateSum late = {.sum = sum, .fill = fill, .places = places};
  memcpy(late.user, user, size);
  dv_push(&w->late, late);
}

static void sink_add_sum(dvMatrixSink *base, const dvState *state, dvElementSum *sum, dvElementSumFill fill,
                         const void *user, size_t size)
{
  dvAssemblySink *s = (dvAssemblySink *)base;
  const dvAssemblyState *r = remembered(s->a, &s->row, state);
  dvSequence *q = s->sequence;
  if (!r) return;   // a state outside of the system
  if (r->width != 3 || sum->points > r->count) {
    s->bad = r->width != 3 ? "blocks of the wrong size" : "points that do not exist";
    return;
  }
  if (s->recording) {
    record_sum(s, r, sum);
    return;
  }
  size_t i = s->next_sum++;
  if (i >= q->sums.count || q->sums.data[i].stamp != sum->stamp || q->sums.data[i].first != s->next ||
      s->next + 2 * sum->entries > q->pairs.count ||
      (sum->entries &&
       q->pairs.data[s->next] != dv_pair(r->first + (size_t)sum->point[0], r->first + (size_t)sum->point[1]))) {
    s->changed = true;
    return;
  }
  dvPool *pool = state->base.context->pool;
  if (is_direct(s, r)) {
    const int32_t *places = q->places.data + s->next;
    if (s->a->later && size <= DV_SUM_USER) queue_sum(s->a->work, sum, fill, user, size, places);
    else dv_element_sum_run(sum, pool, fill, user, s->a->matrix.values, places);
    s->next += 2 * sum->entries;
  } else {
    add_totals(s, state, sum, dv_element_sum_total(sum, pool, fill, user));
  }
}

dvAssemblySink dv_assembly_sink(dvAssembly *a, dvSequence *sequence, dvRagged *ragged, bool recording)
{
  return (dvAssemblySink){.base = {sink_add, sink_add_element, sink_add_sum},
                          .a = a,
                          .kernels = DV_KERNEL_CHOOSE(dv_block_matrix_kernels),
                          .sequence = sequence,
                          .ragged = ragged,
                          .recording = recording};
}

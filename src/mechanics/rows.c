// See rows.h.
#include "mechanics/rows.h"

#include <stdlib.h>
#include <string.h>

static size_t width_of(const dvStateRows *r) { return (size_t)r->state->base.dof->deriv; }

dvStateRows *dv_rows_on(dvRowSet *set, dvState *state)
{
  for (size_t i = 0; i < set->states.count; i++)
    if (set->states.data[i].state == state) return &set->states.data[i];
  dv_push(&set->states, (dvStateRows){.state = state});
  return &set->states.data[set->states.count - 1];
}

void dv_rows_add(dvStateRows *r, int32_t row, size_t dof, const double *values, double factor)
{
  DV_REQUIRE(dof < r->state->count);
  dv_push(&r->entries, ((dvRowEntry){row, (int32_t)dof}));
  for (size_t k = 0; k < width_of(r); k++) dv_push(&r->values, factor * values[k]);
}

typedef struct Keyed {
  dvRowEntry entry;
  size_t place;
} Keyed;

static int by_row(const void *a, const void *b)
{
  const Keyed *x = a, *y = b;
  if (x->entry.row != y->entry.row) return x->entry.row < y->entry.row ? -1 : 1;
  if (x->entry.dof != y->entry.dof) return x->entry.dof < y->entry.dof ? -1 : 1;
  return x->place < y->place ? -1 : x->place > y->place;
}

void dv_rows_settle(dvStateRows *r)
{
  size_t n = r->entries.count, w = width_of(r), kept = 0;
  if (n < 2) return;
  Keyed *order = dv_alloc(n * sizeof *order);
  double *values = dv_alloc(n * w * sizeof *values);
  for (size_t i = 0; i < n; i++) order[i] = (Keyed){r->entries.data[i], i};
  qsort(order, n, sizeof *order, by_row);
  for (size_t i = 0; i < n; i++) {
    const double *from = r->values.data + order[i].place * w;
    bool same = i > 0 && order[i].entry.row == order[i - 1].entry.row && order[i].entry.dof == order[i - 1].entry.dof;
    if (!same) r->entries.data[kept++] = order[i].entry;
    for (size_t k = 0; k < w; k++) values[(kept - 1) * w + k] = (same ? values[(kept - 1) * w + k] : 0) + from[k];
  }
  memcpy(r->values.data, values, kept * w * sizeof *values);
  r->entries.count = kept;
  r->values.count = kept * w;
  dv_free(values);
  dv_free(order);
}

void dv_rows_clear(dvRowSet *set)
{
  for (size_t i = 0; i < set->states.count; i++)
    set->states.data[i].entries.count = set->states.data[i].values.count = 0;
}

void dv_rows_free(dvRowSet *set)
{
  for (size_t i = 0; i < set->states.count; i++) {
    dv_array_free(&set->states.data[i].entries);
    dv_array_free(&set->states.data[i].values);
  }
  dv_array_free(&set->states);
}

// --- through mappings ----------------------------------------------------------------------------

typedef struct RowSink {
  dvMatrixSink base;
  dvRowSet *set;
  const dvState *out;
  const dvRowEntry *entries;   // the rows on the output that are being carried up
  const double *values;
  size_t count;
} RowSink;

// h^T J for one entry of H and one block of J
static void carry(RowSink *s, size_t entry, dvStateRows *to, size_t col, int rows, int cols, const double *block)
{
  double sum[DV_MAX_COORD] = {0};
  const double *h = s->values + entry * (size_t)rows;
  for (int r = 0; r < rows; r++)
    for (int c = 0; c < cols; c++) sum[c] += h[r] * block[r * cols + c];
  dv_rows_add(to, s->entries[entry].row, col, sum, 1);
}

static void row_sink_add(dvMatrixSink *base, const dvState *row_state, size_t row, const dvState *col_state, size_t col,
                         int rows, int cols, const double *values)
{
  RowSink *s = (RowSink *)base;
  if (row_state != s->out) return;
  dvStateRows *to = dv_rows_on(s->set, (dvState *)col_state);
  for (size_t e = 0; e < s->count; e++)
    if ((size_t)s->entries[e].dof == row) carry(s, e, to, col, rows, cols, values);
}

void dv_mapping_rows_up(dvObject *mapping, dvRowSet *set)
{
  const dvMappingOps *ops = dv_ops(mapping, DV_ROLE_MAPPING);
  dvObject *output;
  if (!dv_mapping_hands_up(mapping, DV_UP_CONSTRAINTS) || (!ops->row && !ops->build_j)) return;
  for (size_t k = 0; (output = dv_mapping_output(mapping, k)); k++) {
    // the list of states may move while inputs are added to it: the entries are copied
    dvStateRows *rows = dv_rows_on(set, dv_state(output));
    size_t count = rows->entries.count, w = width_of(rows);
    if (count == 0) continue;
    dvRowEntry *entries = dv_alloc(count * sizeof *entries);
    double *values = dv_alloc(count * w * sizeof *values);
    memcpy(entries, rows->entries.data, count * sizeof *entries);
    memcpy(values, rows->values.data, count * w * sizeof *values);
    RowSink s = {.base = {.add = row_sink_add},
                 .set = set,
                 .out = dv_state(output),
                 .entries = entries,
                 .values = values,
                 .count = count};
    if (!ops->row) ops->build_j(mapping, &s.base);
    s.count = 1;
    for (size_t e = 0; ops->row && e < count; e++, s.entries++, s.values += w)
      ops->row(mapping, (size_t)s.entries->dof, &s.base);
    dv_free(values);
    dv_free(entries);
  }
}

void dv_mech_rows_up(dvPlan *plan, dvRowSet *set)
{
  for (size_t i = plan->mappings.count; i > 0; i--) dv_mapping_rows_up(plan->mappings.data[i - 1].object, set);
  for (size_t i = 0; i < set->states.count; i++) dv_rows_settle(&set->states.data[i]);
}

// See rows.h.
#include "mechanics/rows.h"

#include <string.h>

static int width_of(const dvState *s) { return s->base.dof->deriv; }

// --- rows by state -----------------------------------------------------------------------------------

const dvStateRows *dv_rows_find(const dvRowSet *set, const dvState *state)
{
  int32_t at = dv_address_map_find(&set->table, state, 0);
  return at >= 0 ? &set->states.data[at] : NULL;
}

dvStateRows *dv_rows_on(dvRowSet *set, dvState *state)
{
  int32_t *at = dv_address_map_at(&set->table, state, 0);
  if (*at >= 0) return &set->states.data[*at];
  *at = (int32_t)set->used;
  if (set->used == set->states.count) dv_push(&set->states, (dvStateRows){0});
  dvStateRows *fresh = &set->states.data[set->used++];
  fresh->state = state;
  dv_sparse_rows_clear(&fresh->rows);
  return fresh;
}

void dv_rows_add(dvRowSet *set, dvState *state, int32_t row, size_t dof, const double *values, double factor)
{
  DV_REQUIRE(dof < state->count);
  int w = width_of(state);
  dv_sparse_rows_add_many(&dv_rows_on(set, state)->rows, row, (int32_t)dof * w, values, w, factor);
}

void dv_rows_clear(dvRowSet *set)
{
  dv_address_map_clear(&set->table);
  set->used = 0;
}

void dv_rows_free(dvRowSet *set)
{
  for (size_t i = 0; i < set->states.count; i++) dv_sparse_rows_free(&set->states.data[i].rows);
  dv_array_free(&set->states);
  dv_address_map_free(&set->table);
  dv_array_free(&set->met);
  dv_array_free(&set->ends);
  dv_array_free(&set->blocks);
  dv_array_free(&set->numbers);
  set->used = 0;
}

// --- rows of J ---------------------------------------------------------------------------------------

// Keeps the blocks of J of degrees of freedom that rows touch.
typedef struct JacobianSink {
  dvMatrixSink base;
  dvRowSet *set;
  const dvState *out;
  long wanted;   // the only degree of freedom, or -1: all
} JacobianSink;

static void jacobian_sink_add(dvMatrixSink *base, const dvState *row_state, size_t row, const dvState *col_state,
                              size_t col, int rows, int cols, const double *values)
{
  JacobianSink *s = (JacobianSink *)base;
  if (row_state != s->out || (s->wanted >= 0 && row != (size_t)s->wanted)) return;
  size_t n = (size_t)(rows * cols), first = s->set->numbers.count;
  dv_push(&s->set->blocks, ((dvRowBlock){(dvState *)col_state, col, first, rows, cols}));
  dv_reserve(&s->set->numbers, n);
  memcpy(s->set->numbers.data + first, values, n * sizeof *values);
  s->set->numbers.count += n;
}

// the blocks of one degree of freedom of the output stand one behind the other; *met is their number, from 1
static int32_t jacobian_row(dvObject *mapping, JacobianSink *s, size_t dof)
{
  dvRowSet *set = s->set;
  int32_t *met = &set->met.data[dof];
  if (*met) return *met;
  s->wanted = (long)dof;
  const dvMappingOps *ops = dv_ops(mapping, DV_ROLE_MAPPING);
  if (ops->row) ops->row(mapping, dof, &s->base);
  else ops->build_j(mapping, &s->base);
  dv_push(&set->ends, set->blocks.count);
  return *met = (int32_t)set->ends.count;
}

// H_in += h J for what one row says about one degree of freedom of the output
static void carry(dvRowSet *set, int32_t row, int32_t met, const double *h)
{
  size_t begin = met > 1 ? set->ends.data[met - 2] : 0, end = set->ends.data[met - 1];
  for (size_t b = begin; b < end; b++) {
    const dvRowBlock block = set->blocks.data[b];
    const double *j = set->numbers.data + block.first;
    double sum[DV_MAX_COORD] = {0};
    for (int r = 0; r < block.rows; r++)
      for (int c = 0; c < block.cols; c++) sum[c] += h[r] * j[r * block.cols + c];
    dv_rows_add(set, block.state, row, block.dof, sum, 1);
  }
}

static void carry_rows(dvObject *mapping, dvRowSet *set, dvState *out, size_t count)
{
  size_t index = (size_t)(dv_rows_on(set, out) - set->states.data);
  dvSparseRows h = set->states.data[index].rows;   // the list of states may move while inputs are added to it
  int w = width_of(out);
  JacobianSink s = {.base = {.add = jacobian_sink_add}, .set = set, .out = out};
  set->met.count = set->ends.count = set->blocks.count = set->numbers.count = 0;
  dv_array_resize(&set->met, out->count);
  memset(set->met.data, 0, out->count * sizeof *set->met.data);
  for (size_t row = 0; row < dv_min_size(h.count, count); row++)
    for (size_t e = h.start.data[row]; e < h.start.data[row + 1];) {
      double values[DV_MAX_COORD] = {0};
      int32_t dof = h.col.data[e] / w;
      for (; e < h.start.data[row + 1] && h.col.data[e] / w == dof; e++) values[h.col.data[e] % w] = h.value.data[e];
      carry(set, (int32_t)row, jacobian_row(mapping, &s, (size_t)dof), values);
    }
}

static void rows_up(dvObject *mapping, dvRowSet *set)
{
  const dvMappingOps *ops = dv_ops(mapping, DV_ROLE_MAPPING);
  dvObject *output;
  if (!ops->row && !ops->build_j) return;
  for (size_t k = 0; (output = dv_mapping_output(mapping, k)); k++) {
    dvStateRows *on = (dvStateRows *)dv_rows_find(set, dv_state(output));
    if (!on || on->rows.col.count == 0) continue;
    dv_sparse_rows_settle(&on->rows, 0);
    carry_rows(mapping, set, on->state, on->rows.count);
  }
}

void dv_mapping_rows_up(dvObject *mapping, dvRowSet *set)
{
  if (dv_mapping_hands_up(mapping, DV_UP_CONSTRAINTS)) rows_up(mapping, set);
}

static void settle_all(dvRowSet *set, size_t count)
{
  for (size_t i = 0; i < set->used; i++) dv_sparse_rows_settle(&set->states.data[i].rows, count);
}

void dv_mech_rows_up(dvPlan *plan, dvRowSet *set, size_t count)
{
  for (size_t i = plan->mappings.count; i > 0; i--) dv_mapping_rows_up(plan->mappings.data[i - 1].object, set);
  settle_all(set, count);
}

void dv_mech_jacobians_up(dvPlan *plan, dvRowSet *set, size_t count)
{
  for (size_t i = plan->mappings.count; i > 0; i--)
    if (plan->mappings.data[i - 1].carries) rows_up(plan->mappings.data[i - 1].object, set);
  settle_all(set, count);
}

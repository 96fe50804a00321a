// See touched.h.
#include "mechanics/touched.h"

#include "mechanics/component.h"

#include <string.h>

static dvTouchedState *touched_state(dvTouched *t, const dvState *state)
{
  int32_t *at = dv_address_map_at(&t->table, state, 0);
  if (*at >= 0) return &t->states.data[*at];
  *at = (int32_t)t->used;
  if (t->used == t->states.count) dv_push(&t->states, (dvTouchedState){0});
  dvTouchedState *s = &t->states.data[t->used++];
  s->state = state;
  s->all = false;
  s->points.count = 0;
  dv_array_resize(&s->marks, state->count);
  if (state->count) memset(s->marks.data, 0, state->count);
  return s;
}

static void touch(dvTouchedState *s, int32_t point)
{
  if (point < 0 || (size_t)point >= s->marks.count || s->marks.data[point]) return;
  s->marks.data[point] = 1;
  dv_push(&s->points, point);
}

// forces between points tell which; others touch all of their states
static void touch_by_force(dvTouched *t, dvObject *force)
{
  const dvForceOps *ops = dv_ops(force, DV_ROLE_FORCE);
  dvObject *states[DV_FORCE_STATES];
  int count = dv_force_states(force, states);
  bool known = count == 2 && ops->pairs;
  if (known) ops->pairs(force, &t->pairs);
  for (int k = 0; k < count; k++) {
    dvTouchedState *s = touched_state(t, dv_state(states[k]));
    s->all = s->all || !known;
    for (size_t i = (size_t)k; known && i < t->pairs.count; i += 2) touch(s, t->pairs.data[i]);
  }
}

// --- rows of a mapping ---------------------------------------------------------------------------

typedef struct RowSink {
  dvMatrixSink base;
  dvTouched *touched;
  dvTouchedMapping *narrow;   // NULL: only the input is marked
} RowSink;

static bool is_scalar(const double *v, int rows, int cols)
{
  if (rows != cols) return false;
  for (int i = 0; i < rows; i++)
    for (int k = 0; k < cols; k++)
      if (v[i * cols + k] != (i == k ? v[0] : 0)) return false;
  return true;
}

static void row_sink_add(dvMatrixSink *base, const dvState *out, size_t point, const dvState *in, size_t dof, int rows,
                         int cols, const double *values)
{
  RowSink *s = (RowSink *)base;
  DV_UNUSED(out);
  DV_UNUSED(point);
  touch(touched_state(s->touched, in), (int32_t)dof);
  dvTouchedMapping *m = s->narrow;
  if (!m) return;
  size_t n = (size_t)(rows * cols);
  m->scalar = m->scalar && is_scalar(values, rows, cols);
  dv_push(&m->dofs, (int32_t)dof);
  dv_push(&m->weights, values[0]);
  dv_reserve(&m->blocks, n);
  memcpy(m->blocks.data + m->blocks.count, values, n * sizeof *values);
  m->blocks.count += n;
}

static void find_rows(dvTouched *t, dvTouchedMapping *m, dvObject *mapping, const dvTouchedState *out)
{
  const dvMappingOps *ops = dv_ops(mapping, DV_ROLE_MAPPING);
  RowSink sink = {.base = {.add = row_sink_add}, .touched = t, .narrow = m};
  m->points.count = m->start.count = m->dofs.count = m->weights.count = m->blocks.count = 0;
  m->scalar = true;
  for (size_t i = 0; i < out->points.count; i++) {
    dv_push(&m->points, out->points.data[i]);
    dv_push(&m->start, m->dofs.count);
    ops->row(mapping, (size_t)out->points.data[i], &sink.base);
  }
  dv_push(&m->start, m->dofs.count);
}

static void touch_all_inputs(dvTouched *t, dvObject *mapping)
{
  dvObject *input;
  for (size_t k = 0; (input = dv_mapping_input(mapping, k)); k++) touched_state(t, dv_state(input))->all = true;
}

// what a mapping touches on its inputs; a fixed one with a single input and output whose points are few gets rows
static void through(dvTouched *t, dvTouchedMapping *m, const dvPlanMapping *pm, bool live)
{
  dvObject *o = pm->object, *in = dv_mapping_input(o, 0), *out = dv_mapping_output(o, 0);
  const dvMappingOps *ops = dv_ops(o, DV_ROLE_MAPPING);
  m->narrow = false;
  bool plain = ops->row && in && out && !dv_mapping_input(o, 1) && !dv_mapping_output(o, 1);
  if (!plain || pm->carries_always) {
    touch_all_inputs(t, o);
    return;
  }
  touched_state(t, dv_state(in));   // the list of states may move: the output's is looked up behind it
  dvTouchedState *s = touched_state(t, dv_state(out));
  if (live) {
    RowSink sink = {.base = {.add = row_sink_add}, .touched = t};
    for (size_t i = 0; i < s->state->count; i++) ops->row(o, i, &sink.base);
  } else if (s->all || 2 * s->points.count > s->state->count) {
    touched_state(t, dv_state(in))->all = true;
  } else {
    m->in = dv_state(in), m->out = dv_state(out);
    m->narrow = true;
    find_rows(t, m, o, s);
  }
}

void dv_touched_find(dvTouched *t, dvPlan *plan)
{
  size_t had = t->mappings.count;
  if (plan->mappings.count > had) {
    dv_array_resize(&t->mappings, plan->mappings.count);
    memset(t->mappings.data + had, 0, (plan->mappings.count - had) * sizeof *t->mappings.data);
  }
  for (size_t i = 0; i < t->mappings.count; i++) t->mappings.data[i].narrow = false;
  if (plan->forces.count == plan->fixed.forces) return;
  dv_address_map_clear(&t->table);
  t->used = 0;
  for (size_t i = plan->fixed.forces; i < plan->forces.count; i++) touch_by_force(t, plan->forces.data[i].object);
  for (size_t i = plan->mappings.count; i > 0; i--)
    if (plan->mappings.data[i - 1].carries)
      through(t, &t->mappings.data[i - 1], &plan->mappings.data[i - 1], i > plan->fixed.mappings);
}

void dv_touched_free(dvTouched *t)
{
  for (size_t i = 0; i < t->mappings.count; i++) {
    dvTouchedMapping *m = &t->mappings.data[i];
    dv_array_free(&m->points);
    dv_array_free(&m->start);
    dv_array_free(&m->dofs);
    dv_array_free(&m->weights);
    dv_array_free(&m->blocks);
  }
  for (size_t i = 0; i < t->states.count; i++) {
    dv_array_free(&t->states.data[i].marks);
    dv_array_free(&t->states.data[i].points);
  }
  dv_array_free(&t->mappings);
  dv_array_free(&t->states);
  dv_address_map_free(&t->table);
  dv_ints_free(&t->pairs);
}

// --- products ------------------------------------------------------------------------------------

// three numbers a point, times a weight
static void gather_points(const dvTouchedMapping *m, const double *in, double *out)
{
  for (size_t i = 0; i < m->points.count; i++) {
    double x = 0, y = 0, z = 0;
    for (size_t b = m->start.data[i]; b < m->start.data[i + 1]; b++) {
      const double *v = in + 3 * (size_t)m->dofs.data[b], w = m->weights.data[b];
      x += w * v[0], y += w * v[1], z += w * v[2];
    }
    double *to = out + 3 * (size_t)m->points.data[i];
    to[0] = x, to[1] = y, to[2] = z;
  }
}

static void scatter_points(const dvTouchedMapping *m, const double *out, double *in)
{
  for (size_t i = 0; i < m->points.count; i++) {
    const double *f = out + 3 * (size_t)m->points.data[i], x = f[0], y = f[1], z = f[2];
    for (size_t b = m->start.data[i]; b < m->start.data[i + 1]; b++) {
      double *to = in + 3 * (size_t)m->dofs.data[b], w = m->weights.data[b];
      to[0] += w * x, to[1] += w * y, to[2] += w * z;
    }
  }
}

static bool is_plain(const dvTouchedMapping *m)
{
  return m->scalar && m->in->base.dof->deriv == 3 && m->out->base.dof->deriv == 3;
}

void dv_touched_apply_j(const dvTouchedMapping *m, int id)
{
  size_t rows = (size_t)m->out->base.dof->deriv, cols = (size_t)m->in->base.dof->deriv;
  const double *in = dv_state_read(m->in, id);
  double *out = dv_state_write(m->out, id);
  if (is_plain(m)) {
    gather_points(m, in, out);
    return;
  }
  for (size_t i = 0; i < m->points.count; i++) {
    double *to = out + (size_t)m->points.data[i] * rows;
    memset(to, 0, rows * sizeof *to);
    for (size_t b = m->start.data[i]; b < m->start.data[i + 1]; b++) {
      const double *v = in + (size_t)m->dofs.data[b] * cols, *block = m->blocks.data + b * rows * cols;
      for (size_t k = 0; k < rows; k++)
        for (size_t c = 0; c < cols; c++) to[k] += block[k * cols + c] * v[c];
    }
  }
}

void dv_touched_apply_jt(const dvTouchedMapping *m, int id)
{
  size_t rows = (size_t)m->out->base.dof->deriv, cols = (size_t)m->in->base.dof->deriv;
  const double *out = dv_state_read(m->out, id);
  double *in = dv_state_write(m->in, id);
  if (is_plain(m)) {
    scatter_points(m, out, in);
    return;
  }
  for (size_t i = 0; i < m->points.count; i++) {
    const double *f = out + (size_t)m->points.data[i] * rows;
    for (size_t b = m->start.data[i]; b < m->start.data[i + 1]; b++) {
      double *to = in + (size_t)m->dofs.data[b] * cols;
      const double *block = m->blocks.data + b * rows * cols;
      for (size_t k = 0; k < rows; k++)
        for (size_t c = 0; c < cols; c++) to[c] += block[k * cols + c] * f[k];
    }
  }
}

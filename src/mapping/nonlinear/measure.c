// See measure.h.
#include "mapping/nonlinear/measure.h"

#include "mapping/linear/linear.h"

#include <string.h>

enum { GRAIN = 512 };

#define SELF dvMeasureMapping
static const dvFieldDesc measure_fields[] = {DV_MEASURE_FIELDS(DV_DESCRIBE)};
#undef SELF
const dvFieldBlock dv_measure_block = {measure_fields, (int)DV_COUNT(measure_fields)};

// --- set-up --------------------------------------------------------------------------------------

static size_t input_of(const dvMeasureMapping *m, size_t corner)
{
  return m->input.count ? (size_t)m->input.data[corner] : 0;
}

static dvStatus check_corners(const dvMeasureMapping *m, const char *what)
{
  size_t corners = m->count * (size_t)m->measure->points;
  for (size_t c = 0; c < corners; c++) {
    size_t input = input_of(m, c);
    int32_t point = m->point.data[c];
    if (input >= (size_t)m->base.input_count)
      return dv_error(&m->base.base, NULL, "%s %zu names input %zu, but there are %d", what,
                      c / (size_t)m->measure->points, input, m->base.input_count);
    if (point < 0 || (size_t)point >= dv_mapping_in(&m->base, input)->count)
      return dv_error(&m->base.base, NULL, "%s %zu names point %d, but the state %s has %zu points", what,
                      c / (size_t)m->measure->points, point, dv_mapping_in(&m->base, input)->base.name,
                      dv_mapping_in(&m->base, input)->count);
  }
  return DV_OK;
}

// corners by point
static bool index_corners(dvMeasureMapping *m)
{
  size_t corners = m->count * (size_t)m->measure->points;
  dv_array_resize(&m->start, (size_t)m->base.input_count + 1);
  dv_array_resize(&m->in, (size_t)m->base.input_count);
  m->start.data[0] = 0;
  for (int k = 0; k < m->base.input_count; k++)
    m->start.data[k + 1] = m->start.data[k] + dv_mapping_in(&m->base, k)->count;
  size_t points = m->start.data[m->base.input_count];
  if (m->input.count == 0) return dv_loose_invert(&m->around, m->point.data, corners, points);
  int32_t *row = dv_try_alloc((corners + 1) * sizeof *row);
  for (size_t c = 0; c < corners && row; c++) row[c] = (int32_t)m->start.data[input_of(m, c)] + m->point.data[c];
  bool good = row && dv_loose_invert(&m->around, row, corners, points);
  dv_free(row);
  return good;
}

dvStatus dv_measure_settle(dvObject *o, const dvMeasure *measure, size_t count, const char *what)
{
  dvMeasureMapping *m = (dvMeasureMapping *)o;
  m->measure = measure;
  m->count = count;
  m->space = o->dof->kind == DV_VEC6 ? 6 : o->dof->space;
  size_t corners = count * (size_t)measure->points, scalars = corners * (size_t)m->space;
  if (corners > INT32_MAX) return dv_error(o, NULL, "%zu elements are too many", count);
  DV_REQUIRE(m->point.count == corners && measure->points * m->space <= DV_MEASURE_SCALARS);
  DV_TRY(check_corners(m, what));
  dv_array_resize(&m->x, scalars);
  dv_array_resize(&m->gradient, scalars);
  if (!dv_state_resize(m->base.out, count)) return dv_error(o, NULL, "out of memory for %zu elements", count);
  if (!index_corners(m)) return dv_error(o, NULL, "out of memory for %zu elements", count);
  dv_mapping_follow(o);
  dv_mapping_first_apply(o, &dv_measure_ops);
  return DV_OK;
}

dvStatus dv_measure_topology(dvObject *o, const dvLink *link, dvTopology **out)
{
  dvObject *t = link->target ? link->target : dv_node_find_up(o->node, DV_ROLE_TOPOLOGY);
  if (!t) return dv_error(o, "give topology=\"@path\"", "%s finds no topology in its node or above", o->cls->name);
  DV_TRY(dv_object_ensure(t));
  *out = dv_topology(t);
  dv_follow(o, *out);
  return DV_OK;
}

void dv_measure_take(dvMeasureMapping *m, const dvInts *elements)
{
  m->point.count = m->input.count = 0;
  for (size_t i = 0; i < elements->count; i++) dv_push(&m->point, elements->data[i]);
}

void dv_measure_destroy(dvObject *o)
{
  dvMeasureMapping *m = (dvMeasureMapping *)o;
  dv_array_free(&m->point);
  dv_array_free(&m->input);
  dv_array_free(&m->x);
  dv_array_free(&m->gradient);
  dv_loose_free(&m->around);
  dv_array_free(&m->start);
  dv_array_free(&m->in);
}

// --- operations ----------------------------------------------------------------------------------

typedef struct Pass {
  dvMeasureMapping *m;
  size_t width;            // numbers a point in the vectors of the inputs
  const double *f;         // forces on the output
  const double *corners;   // what is gathered: as many numbers as the gradient has
  double *out, k;
  int input;
  bool exact;
} Pass;

static bool sizes_hold(const dvMeasureMapping *m)
{
  if (m->base.out->count != m->count || (m->measure->ready && !m->measure->ready(&m->base.base))) return false;
  for (int k = 0; k < m->base.input_count; k++)
    if (dv_mapping_in(&m->base, k)->count != m->start.data[k + 1] - m->start.data[k]) return false;
  return true;
}

static Pass make_pass(dvMeasureMapping *m, int in)
{
  Pass p = {.m = m, .width = (size_t)(dv_vec_is_coord(in) ? m->base.base.dof->coord : m->base.base.dof->deriv)};
  for (int k = 0; k < m->base.input_count; k++) m->in.data[k] = dv_state_read(dv_mapping_in(&m->base, k), in);
  return p;
}

static const double *corner_of(const Pass *p, size_t c)
{
  return p->m->in.data[input_of(p->m, c)] + p->width * (size_t)p->m->point.data[c];
}

static void apply_body(void *user, size_t begin, size_t end)
{
  const Pass *p = user;
  dvMeasureMapping *m = p->m;
  size_t n = (size_t)m->measure->points, s = (size_t)m->space;
  for (size_t e = begin; e < end; e++) {
    double *x = m->x.data + e * n * s;
    for (size_t c = 0; c < n; c++) memcpy(x + c * s, corner_of(p, e * n + c), s * sizeof *x);
    p->out[e] = m->measure->value(&m->base.base, e, x, m->gradient.data + e * n * s);
  }
}

static void measure_apply(dvObject *o, int out_x, int in_x)
{
  dvMeasureMapping *m = (dvMeasureMapping *)o;
  if (!dv_mapping_fits(&m->base, sizes_hold(m))) return;
  Pass p = make_pass(m, in_x);
  p.out = dv_state_overwrite(m->base.out, out_x);
  dv_parallel_for(o->context->pool, m->count, GRAIN, apply_body, &p);
  dv_mapping_touch(&m->base, out_x);
}

static void apply_j_body(void *user, size_t begin, size_t end)
{
  const Pass *p = user;
  const dvMeasureMapping *m = p->m;
  size_t n = (size_t)m->measure->points, s = (size_t)m->space;
  for (size_t e = begin; e < end; e++) {
    double sum = 0;
    for (size_t c = e * n; c < (e + 1) * n; c++) {
      const double *v = corner_of(p, c), *g = m->gradient.data + c * s;
      for (size_t i = 0; i < s; i++) sum += g[i] * v[i];
    }
    p->out[e] = sum;
  }
}

static void measure_apply_j(dvObject *o, int out_v, int in_v)
{
  dvMeasureMapping *m = (dvMeasureMapping *)o;
  if (!sizes_hold(m)) return;
  Pass p = make_pass(m, in_v);
  p.out = dv_state_overwrite(m->base.out, out_v);
  dv_parallel_for(o->context->pool, m->count, GRAIN, apply_j_body, &p);
}

void dv_measure_apply_to(dvMeasureMapping *m, const dvNumbers *elements)
{
  static const int ids[] = {DV_X_REST, DV_X, DV_V};   // the gradient is that of the present positions
  const bool wanted[] = {m->base.applyRestPosition, true, dv_is_mechanical_state(&m->base.out->base)};
  if (elements->count == 0) return;
  for (size_t k = 0; k < DV_COUNT(ids); k++) {
    if (!wanted[k]) continue;
    Pass p = make_pass(m, ids[k]);
    p.out = dv_state_write(m->base.out, ids[k]);
    for (size_t i = 0; i < elements->count; i++) {
      size_t e = (size_t)elements->data[i];
      (ids[k] == DV_V ? apply_j_body : apply_body)(&p, e, e + 1);
    }
    if (ids[k] != DV_V) dv_mapping_touch(&m->base, ids[k]);
  }
}

// adds the corners of each point, f times what the list has for them
static void gather_body(void *user, size_t begin, size_t end)
{
  const Pass *p = user;
  const dvMeasureMapping *m = p->m;
  size_t n = (size_t)m->measure->points, s = (size_t)m->space, from = m->start.data[p->input];
  dvRowView around = dv_rows_view(&m->around);
  for (size_t i = begin; i < end; i++) {
    double *out = p->out + i * p->width;
    for (int32_t at = around.begin[from + i]; at < around.end[from + i]; at++) {
      size_t c = (size_t)around.index[at];
      const double *g = p->corners + c * s;
      double f = p->f ? p->f[c / n] : 1;
      for (size_t k = 0; k < s; k++) out[k] += f * g[k];
    }
  }
}

// f: a number an element; NULL: 1
static void gather(dvMeasureMapping *m, int in, const double *corners, const double *f)
{
  Pass p = {.m = m, .f = f, .corners = corners, .width = (size_t)m->base.base.dof->deriv};
  for (p.input = 0; p.input < m->base.input_count; p.input++) {
    p.out = dv_state_write(dv_mapping_in(&m->base, p.input), in);
    dv_parallel_for(m->base.base.context->pool, dv_mapping_in(&m->base, p.input)->count, GRAIN, gather_body, &p);
  }
}

static void measure_apply_jt(dvObject *o, int in_f, int out_f)
{
  dvMeasureMapping *m = (dvMeasureMapping *)o;
  if (m->base.mapForces && sizes_hold(m)) gather(m, in_f, m->gradient.data, dv_state_read(m->base.out, out_f));
}

// --- second derivatives --------------------------------------------------------------------------

static void curvature_at(const dvMeasureMapping *m, size_t element, double *h)
{
  size_t w = (size_t)(m->measure->points * m->space);
  memset(h, 0, w * w * sizeof *h);
  m->measure->curvature(&m->base.base, element, m->x.data + element * w, h);
}

static void djt_body(void *user, size_t begin, size_t end)
{
  const Pass *p = user;
  const dvMeasureMapping *m = p->m;
  size_t n = (size_t)m->measure->points, s = (size_t)m->space, w = n * s;
  double h[DV_MEASURE_SCALARS * DV_MEASURE_SCALARS], dx[DV_MEASURE_SCALARS];
  for (size_t e = begin; e < end; e++) {
    double *df = p->out + e * w;
    memset(df, 0, w * sizeof *df);
    if (!(p->f[e] < 0 || p->exact)) continue;
    curvature_at(m, e, h);
    for (size_t c = 0; c < n; c++) memcpy(dx + c * s, corner_of(p, e * n + c), s * sizeof *dx);
    for (size_t i = 0; i < w; i++)
      for (size_t j = 0; j < w; j++) df[i] += p->k * p->f[e] * h[i * w + j] * dx[j];
  }
}

static bool has_geometric(const dvMeasureMapping *m)
{
  return m->measure->curvature && m->geometricStiffness != DV_GEOMETRIC_NONE && m->base.mapForces && sizes_hold(m);
}

static void measure_apply_djt(dvObject *o, const dvMech *mech, int in_df, int in_dx, int out_f)
{
  dvMeasureMapping *m = (dvMeasureMapping *)o;
  if (!has_geometric(m)) return;
  Pass p = make_pass(m, in_dx);
  p.f = dv_state_read(m->base.out, out_f);
  dvArena *scratch = dv_scratch(o->context->pool);
  dvMark mark = dv_arena_mark(scratch);
  p.out = dv_arena_take(scratch, m->gradient.count * sizeof *p.out);
  p.k = mech->k;
  p.exact = m->geometricStiffness == DV_GEOMETRIC_EXACT;
  dv_parallel_for(o->context->pool, m->count, GRAIN, djt_body, &p);
  gather(m, in_df, p.out, NULL);
  dv_arena_release(scratch, mark);
}

// elements that are left out add zeros: the pattern of the matrix stays the same
static void measure_add_geometric(dvObject *o, const dvMech *mech, int out_f, dvMatrixSink *sink)
{
  dvMeasureMapping *m = (dvMeasureMapping *)o;
  if (!has_geometric(m)) return;
  const double *f = dv_state_read(m->base.out, out_f);
  size_t n = (size_t)m->measure->points, s = (size_t)m->space, w = n * s, d = (size_t)o->dof->deriv;
  double h[DV_MEASURE_SCALARS * DV_MEASURE_SCALARS], block[36];
  for (size_t e = 0; e < m->count; e++) {
    bool acts = f[e] < 0 || m->geometricStiffness == DV_GEOMETRIC_EXACT;
    curvature_at(m, e, h);
    for (size_t a = 0; a < n; a++)
      for (size_t b = 0; b < n; b++) {
        memset(block, 0, sizeof block);
        for (size_t i = 0; i < s * s && acts; i++)
          block[i / s * d + i % s] = mech->k * f[e] * h[(a * s + i / s) * w + b * s + i % s];
        sink->add(sink, dv_mapping_in(&m->base, input_of(m, e * n + a)), (size_t)m->point.data[e * n + a],
                  dv_mapping_in(&m->base, input_of(m, e * n + b)), (size_t)m->point.data[e * n + b], (int)d, (int)d,
                  block);
      }
  }
}

static void measure_row(dvObject *o, size_t element, dvMatrixSink *sink)
{
  const dvMeasureMapping *m = (const dvMeasureMapping *)o;
  if (!sizes_hold(m)) return;
  size_t n = (size_t)m->measure->points, s = (size_t)m->space;
  for (size_t c = element * n; c < (element + 1) * n; c++) {
    double block[DV_MAX_COORD] = {0};
    memcpy(block, m->gradient.data + c * s, s * sizeof *block);
    sink->add(sink, m->base.out, element, dv_mapping_in(&m->base, input_of(m, c)), (size_t)m->point.data[c], 1,
              o->dof->deriv, block);
  }
}

static void measure_add_jdot(dvObject *o, int out_a, int in_v)
{
  dvMeasureMapping *m = (dvMeasureMapping *)o;
  if (!m->measure->curvature || !sizes_hold(m)) return;
  Pass p = make_pass(m, in_v);
  size_t n = (size_t)m->measure->points, s = (size_t)m->space, w = n * s;
  double h[DV_MEASURE_SCALARS * DV_MEASURE_SCALARS], v[DV_MEASURE_SCALARS], *a = dv_state_write(m->base.out, out_a);
  for (size_t e = 0; e < m->count; e++) {
    curvature_at(m, e, h);
    for (size_t c = 0; c < n; c++) memcpy(v + c * s, corner_of(&p, e * n + c), s * sizeof *v);
    for (size_t i = 0; i < w * w; i++) a[e] += v[i / w] * h[i] * v[i % w];
  }
}

const dvMappingOps dv_measure_ops = {
    .apply = measure_apply,
    .apply_j = measure_apply_j,
    .apply_jt = measure_apply_jt,
    .apply_djt = measure_apply_djt,
    .build_j = dv_mapping_build_rows,
    .row = measure_row,
    .add_geometric = measure_add_geometric,
    .add_jdot = measure_add_jdot,
    DV_MAPPING_SLOTS,
};

// Measures of elements while their mesh changes: elements that are new or others are taken and measured again. See
// measure.h.
#include "mapping/linear/linear.h"
#include "mapping/nonlinear/measure.h"

#include <string.h>

// corners of an element leave the lists of their points
static void leave_points(dvMeasureMapping *m, size_t element)
{
  size_t n = (size_t)m->measure->points;
  for (size_t c = element * n; c < (element + 1) * n; c++)
    dv_loose_take_out(&m->around, (size_t)m->point.data[c], (int32_t)c);
}

static bool enter_points(dvMeasureMapping *m, size_t element, const int32_t *points)
{
  size_t n = (size_t)m->measure->points;
  for (size_t k = 0; k < n; k++) {
    int32_t point = points ? points[k] : (int32_t)element;
    if (point < 0 || (size_t)point >= m->base.in->count) return false;   // who makes all of it says so
    m->point.data[element * n + k] = point;
    if (!dv_loose_put_in(&m->around, (size_t)point, (int32_t)(element * n + k), 0)) return false;
  }
  return true;
}

static bool resize(dvMeasureMapping *m, size_t count)
{
  size_t corners = count * (size_t)m->measure->points, scalars = corners * (size_t)m->space;
  if (corners > INT32_MAX || !dv_state_resize(m->base.out, count)) return false;
  dv_array_resize(&m->point, corners);
  dv_array_resize(&m->x, scalars);
  dv_array_resize(&m->gradient, scalars);
  m->count = count;
  return true;
}

static bool is_known(const dvMeasureMapping *m, const dvTrace *points)
{
  return m->base.input_count == 1 && !m->base.out->topology && m->base.out->count == m->count &&
         m->start.data[1] == (points ? dv_trace_before(points, DV_POINT, m->base.in->count) : m->base.in->count);
}

// `list` has the points of all elements; NULL: an element is the point of its number
static bool patch(dvObject *o, const dvNumbers *changed, size_t count, const int32_t *list)
{
  dvMeasureMapping *m = (dvMeasureMapping *)o;
  size_t before = m->count, n = (size_t)m->measure->points;
  const dvTrace *points;
  if (!dv_mapping_trace(o, m->base.in, &points) || !is_known(m, points)) return false;
  if (dv_loose_are_wasteful(&m->around) || !dv_loose_loosen(&m->around, m->start.data[1])) return false;
  for (size_t i = 0; i < changed->count; i++)
    if ((size_t)changed->data[i] < dv_min_size(before, count)) leave_points(m, (size_t)changed->data[i]);
  for (size_t e = count; e < before; e++) leave_points(m, e);
  if (!dv_mapping_follow_inputs(&m->around, points) || !resize(m, count)) return false;
  m->start.data[1] = m->base.in->count;
  for (size_t i = 0; i < changed->count; i++) {
    size_t e = (size_t)changed->data[i];
    if (e >= count || !enter_points(m, e, list ? list + n * e : NULL)) return false;
  }
  if (m->measure->ready && !m->measure->ready(o)) return false;
  dv_measure_apply_to(m, changed);
  return dv_follow_patched(o);
}

// rows whose points were moved are measured again as well
static bool patch_elements(dvObject *o, dvTopology *t, dvElementKind kind)
{
  const dvMeasureMapping *m = (const dvMeasureMapping *)o;
  if (!t) t = m->base.in->topology;
  const dvTrace *trace = t ? dv_follow_trace(o, t) : NULL, *points;
  if (!trace || !m->measure || !dv_mapping_trace(o, m->base.in, &points)) return false;
  if (!points || (points != trace && !dv_trace_same_points(points, trace))) return false;
  if (kind == DV_POINT) return patch(o, dv_trace_rows(t, DV_POINT), dv_topology_point_count(t), NULL);
  dvNumbers changed = {0};
  dv_trace_shapes(t, kind, &changed);
  bool good = patch(o, &changed, dv_topology_count(t, kind), dv_topology_list(t, kind)->data);
  dv_array_free(&changed);
  return good;
}

void dv_measure_follow(dvObject *o, dvTopology *t, dvElementKind kind)
{
  if (!patch_elements(o, t, kind)) dv_mapping_remake(o);
}

bool dv_measure_patch_list(dvObject *o, const dvNumbers *changed, const dvInts *list)
{
  return ((dvMeasureMapping *)o)->measure && patch(o, changed, list->count, list->data);
}

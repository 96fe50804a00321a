// Mappings while meshes change: what they share to bring up to date the rows that a batch concerns. See linear.h.
//
// Rows that are others leave the transposed rows of their inputs while these have their old numbers; then inputs come
// and go; then the rows enter again. Rows at the end that are no more only leave.
#include "mapping/linear/linear.h"

bool dv_mapping_trace(const dvObject *o, const dvState *s, const dvTrace **out)
{
  *out = NULL;
  if (!o->following || o->rewound) return false;
  if (!s->topology || !s->topology->changes) return true;   // it has never changed
  *out = dv_follow_trace(o, s->topology);
  return *out != NULL;
}

bool dv_mapping_follow_inputs(dvRows *transposed, const dvTrace *points)
{
  bool good = true;
  for (size_t i = 0; points && i < points->steps[DV_POINT].count && good; i++) {
    const dvTraceStep *s = &points->steps[DV_POINT].data[i];
    if (s->what == DV_ADDED) dv_loose_push(transposed);
    if (s->what == DV_REMOVING) good = dv_loose_pop(transposed, (size_t)s->number);
  }
  return good;
}

bool dv_linear_follow_inputs(dvWeights *w, const dvTrace *points)
{
  bool good = true;
  for (size_t i = 0; points && i < points->steps[DV_POINT].count && good; i++) {
    const dvTraceStep *s = &points->steps[DV_POINT].data[i];
    if (s->what == DV_ADDED) good = dv_weights_add_input(w);
    if (s->what == DV_REMOVING) good = dv_weights_remove_input(w, (size_t)s->number);
  }
  return good;
}

// what apply would write there
static void apply_to(dvLinearMapping *l, const dvNumbers *rows, int id)
{
  const dvMapping *m = &l->base;
  dvRowView r = dv_rows_view(&l->weights.rows);
  const double *from = dv_state_read(m->in, id);
  double *to = dv_state_write(m->out, id);
  size_t in = (size_t)dv_state_width(m->in, id), out = (size_t)dv_state_width(m->out, id), width = dv_min_size(in, out);
  for (size_t i = 0; i < rows->count; i++)
    for (size_t p = (size_t)rows->data[i], k = 0; k < width; k++) {
      to[out * p + k] = 0;
      for (int32_t e = r.begin[p]; e < r.end[p]; e++) to[out * p + k] += r.value[e] * from[in * (size_t)r.index[e] + k];
    }
  if (dv_vec_is_coord(id)) dv_mapping_touch(m, id);
}

void dv_linear_apply_to(dvObject *o, const dvNumbers *rows)
{
  dvLinearMapping *l = (dvLinearMapping *)o;
  if (rows->count == 0) return;
  apply_to(l, rows, DV_X);
  if (dv_is_mechanical_state(&l->base.out->base)) apply_to(l, rows, DV_V);
  if (l->base.applyRestPosition) apply_to(l, rows, DV_X_REST);
}

static bool is_known(const dvLinearMapping *l, const dvTrace *in, size_t rows)
{
  const dvMapping *m = &l->base;
  const dvWeights *w = &l->weights;
  return m->input_count == 1 && m->out->count == rows && !l->offset && !l->leading &&
         w->in_points == (in ? dv_trace_before(in, DV_POINT, m->in->count) : m->in->count);
}

bool dv_linear_patch_list(dvObject *o, const dvNumbers *changed, const dvInts *list)
{
  dvLinearMapping *l = (dvLinearMapping *)o;
  dvWeights *w = &l->weights;
  size_t before = w->out_points, count = list->count;
  const dvTrace *in, *out;
  if (!dv_mapping_trace(o, l->base.in, &in) || !dv_mapping_trace(o, l->base.out, &out) || !is_known(l, in, count) ||
      !dv_weights_loosen(w))
    return false;
  for (size_t i = 0; i < changed->count; i++)
    if ((size_t)changed->data[i] < dv_min_size(before, count)) dv_weights_drop(w, (size_t)changed->data[i]);
  for (size_t row = count; row < before; row++) dv_weights_drop(w, row);
  bool good = dv_linear_follow_inputs(w, in) && dv_weights_resize_rows(w, count);
  for (size_t i = 0; i < changed->count && good; i++) {
    int32_t point = list->data[changed->data[i]];
    if (point >= 0 && (size_t)point < w->in_points)
      good = dv_weights_put(w, (size_t)changed->data[i], &point, &(double){1}, 1);
  }
  if (good) dv_linear_apply_to(o, changed);
  return good;
}

// See linear.h.
//
//   x_out = W x_in,  v_out = W v_in,  f_in += W^T f_out
//
// J = W is constant, so there is no geometric stiffness.
#include "mapping/linear/linear.h"

dvStatus dv_mapping_link(dvObject *o) { return o->failed ? DV_OK : dv_mapping_init(o); }
dvStatus dv_mapping_link_multi(dvObject *o) { return o->failed ? DV_OK : dv_mapping_init_multi(o); }

void dv_mapping_touch(const dvMapping *m, int out_x)
{
  if (!dv_is_mechanical_state(&m->out->base)) dv_state_touch(m->out, out_x);
}

void dv_mapping_first_apply(dvObject *o, const dvMappingOps *ops)
{
  const dvMapping *m = (const dvMapping *)o;
  ops->apply(o, DV_X, DV_X);
  if (dv_is_mechanical_state(&m->out->base)) ops->apply_j(o, DV_V, DV_V);
  if (m->applyRestPosition) ops->apply(o, DV_X_REST, DV_X_REST);
}

void dv_mapping_follow(dvObject *o)
{
  const dvMapping *m = (const dvMapping *)o;
  for (int k = 0; k < m->input_count; k++)
    if (dv_mapping_in(m, (size_t)k)->topology) dv_follow(o, dv_mapping_in(m, (size_t)k)->topology);
  if (m->out->topology) dv_follow(o, m->out->topology);
}

void dv_mapping_remake(dvObject *o)
{
  if (o->cls->init(o) != DV_OK) o->failed = true;
}

static bool has_changed(const dvState *s) { return s->topology && s->topology->kept; }

// meshes that are only made again are as they were, or the sizes of the states tell
void dv_mapping_cannot_follow(dvObject *o)
{
  const dvMapping *m = (const dvMapping *)o;
  bool changed = has_changed(m->out);
  for (int k = 0; k < m->input_count; k++) changed = changed || has_changed(dv_mapping_in(m, (size_t)k));
  if (!changed) return;
  dv_error(o, "leave the meshes of its states as they are, or use a BarycentricMapping",
           "%s does not follow a mesh that changes", o->cls->name);
}

void dv_linear_clear(dvObject *o)
{
  dvLinearMapping *l = (dvLinearMapping *)o;
  int more = l->base.input_count - 1;
  if (more > 0 && !l->others) l->others = dv_alloc((size_t)more * sizeof *l->others);
  for (int k = 0; k <= more; k++) dv_weights_clear(dv_linear_weights(l, k));
}

void dv_linear_end_row(dvObject *o)
{
  dvLinearMapping *l = (dvLinearMapping *)o;
  for (int k = 0; k < l->base.input_count; k++) dv_weights_end_row(dv_linear_weights(l, k));
}

dvStatus dv_linear_settle(dvObject *o)
{
  dvLinearMapping *l = (dvLinearMapping *)o;
  dvMapping *m = &l->base;
  bool good = true;
  for (int k = 0; k < m->input_count && good; k++) {
    dvWeights *w = dv_linear_weights(l, k);
    w->one_way = !dv_is_mechanical_state(&m->out->base);   // what is only drawn hands nothing back
    good = dv_weights_finish(w, dv_mapping_in(m, k)->count);
  }
  if (!good || !dv_state_resize(m->out, l->weights.out_points))
    return dv_error(o, NULL, "out of memory for %zu mapped points", l->weights.out_points);
  dv_mapping_follow(o);
  return DV_OK;
}

static dvStrides strides(const dvLinearMapping *l, int input, bool coord)
{
  const dvDof *in = dv_mapping_in(&l->base, input)->base.dof, *out = l->base.out->base.dof;
  dvStrides s = {coord ? in->coord : in->deriv, coord ? out->coord : out->deriv, 0};
  s.width = dv_min_int(s.in, s.out);
  if (l->leading) s.width = dv_min_int(s.width, l->leading);
  return s;
}

// sizes may have changed behind the mapping's back: a state that shrank is not read past its end
static bool fits(dvLinearMapping *l)
{
  bool good = l->base.out->count == l->weights.out_points;
  for (int k = 0; k < l->base.input_count; k++)
    good = good && dv_mapping_in(&l->base, k)->count >= dv_linear_weights(l, k)->in_points;
  return good;
}

static void apply_rows(dvLinearMapping *l, int out, int in)
{
  dvMapping *m = &l->base;
  for (int k = 0; k < m->input_count; k++) {
    const double *from = dv_state_read(dv_mapping_in(m, k), in);
    dvStrides s = strides(l, k, dv_vec_is_coord(in));
    double *to = k == 0 && s.width == s.out ? dv_state_overwrite(m->out, out) : dv_state_write(m->out, out);
    (k ? dv_weights_apply_add : dv_weights_apply)(dv_linear_weights(l, k), m->base.context->pool, s, from, to);
  }
}

void dv_linear_apply(dvObject *o, int out_x, int in_x)
{
  dvLinearMapping *l = (dvLinearMapping *)o;
  if (!dv_mapping_fits(&l->base, fits(l))) return;
  apply_rows(l, out_x, in_x);
  if (l->offset) {
    dvStrides s = strides(l, 0, true);
    double *x = dv_state_write(l->base.out, out_x);
    for (size_t i = 0; i < l->weights.out_points; i++)
      for (int k = 0; k < s.width; k++) x[i * (size_t)s.out + (size_t)k] += l->offset[i * (size_t)s.width + (size_t)k];
  }
  dv_mapping_touch(&l->base, out_x);
}

void dv_linear_apply_j(dvObject *o, int out_v, int in_v)
{
  dvLinearMapping *l = (dvLinearMapping *)o;
  if (!fits(l)) return;
  apply_rows(l, out_v, in_v);
}

void dv_linear_apply_jt(dvObject *o, int in_f, int out_f)
{
  dvLinearMapping *l = (dvLinearMapping *)o;
  dvMapping *m = &l->base;
  if (!m->mapForces || l->weights.one_way || !fits(l)) return;
  const double *out = dv_state_read(m->out, out_f);
  for (int k = 0; k < m->input_count; k++)
    dv_weights_apply_transposed(dv_linear_weights(l, k), o->context->pool, strides(l, k, false), out,
                                dv_state_write(dv_mapping_in(m, k), in_f));
}

void dv_linear_row(dvObject *o, size_t out, dvMatrixSink *sink)
{
  dvLinearMapping *l = (dvLinearMapping *)o;
  if (!fits(l)) return;
  double block[DV_MAX_COORD * DV_MAX_COORD];
  for (int input = 0; input < l->base.input_count; input++) {
    dvRowView r = dv_rows_view(&dv_linear_weights(l, input)->rows);
    dvStrides s = strides(l, input, false);
    for (int32_t e = r.begin[out]; e < r.end[out]; e++) {
      memset(block, 0, (size_t)(s.out * s.in) * sizeof *block);
      for (int k = 0; k < s.width; k++) block[k * s.in + k] = r.value[e];
      sink->add(sink, l->base.out, out, dv_mapping_in(&l->base, input), (size_t)r.index[e], s.out, s.in, block);
    }
  }
}

void dv_linear_destroy(dvObject *o)
{
  dvLinearMapping *l = (dvLinearMapping *)o;
  for (int k = 1; l->others && k < l->base.input_count; k++) dv_weights_free(dv_linear_weights(l, k));
  dv_free(l->others);
  dv_weights_free(&l->weights);
}

const dvMappingOps dv_linear_ops = {
    .apply = dv_linear_apply,
    .apply_j = dv_linear_apply_j,
    .apply_jt = dv_linear_apply_jt,
    .build_j = dv_mapping_build_rows,
    .row = dv_linear_row,
    DV_MAPPING_SLOTS,
};

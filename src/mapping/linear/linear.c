// See linear.h.
//
//   x_out = W x_in,  v_out = W v_in,  f_in += W^T f_out
//
// J = W is constant, so there is no geometric stiffness.
#include "mapping/linear/linear.h"

dvStatus dv_mapping_link(dvObject *o) { return o->failed ? DV_OK : dv_mapping_init(o); }

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

dvStatus dv_linear_settle(dvObject *o)
{
  dvLinearMapping *l = (dvLinearMapping *)o;
  dvMapping *m = &l->base;
  if (!dv_weights_finish(&l->weights, m->in->count) || !dv_state_resize(m->out, l->weights.out_points))
    return dv_error(o, NULL, "out of memory for %zu mapped points", l->weights.out_points);
  return DV_OK;
}

static dvStrides strides(const dvMapping *m, bool coord)
{
  const dvDof *in = m->in->base.dof, *out = m->out->base.dof;
  dvStrides s = {coord ? in->coord : in->deriv, coord ? out->coord : out->deriv, 0};
  s.width = dv_min_int(s.in, s.out);
  return s;
}

// sizes may have changed behind the mapping's back: a state that shrank is not read past its end
static bool fits(const dvLinearMapping *l)
{
  return l->base.in->count >= l->weights.in_points && l->base.out->count == l->weights.out_points;
}

void dv_linear_apply(dvObject *o, int out_x, int in_x)
{
  dvLinearMapping *l = (dvLinearMapping *)o;
  dvMapping *m = &l->base;
  if (!fits(l)) return;
  const double *in = dv_state_read(m->in, in_x);
  dv_weights_apply(&l->weights, o->context->pool, strides(m, true), in, dv_state_write(m->out, out_x));
  dv_mapping_touch(m, out_x);
}

void dv_linear_apply_j(dvObject *o, int out_v, int in_v)
{
  dvLinearMapping *l = (dvLinearMapping *)o;
  dvMapping *m = &l->base;
  if (!fits(l)) return;
  const double *in = dv_state_read(m->in, in_v);
  dv_weights_apply(&l->weights, o->context->pool, strides(m, false), in, dv_state_write(m->out, out_v));
}

void dv_linear_apply_jt(dvObject *o, int in_f, int out_f)
{
  dvLinearMapping *l = (dvLinearMapping *)o;
  dvMapping *m = &l->base;
  if (!m->mapForces || !fits(l)) return;
  const double *out = dv_state_read(m->out, out_f);
  dv_weights_apply_transposed(&l->weights, o->context->pool, strides(m, false), out, dv_state_write(m->in, in_f));
}

void dv_linear_build_j(dvObject *o, dvMatrixSink *sink)
{
  dvLinearMapping *l = (dvLinearMapping *)o;
  const dvMapping *m = &l->base;
  const dvRows *r = &l->weights.rows;
  dvStrides s = strides(m, false);
  double block[DV_MAX_COORD * DV_MAX_COORD];
  for (size_t i = 0; i < l->weights.out_points; i++) {
    for (int32_t e = r->offset.data[i]; e < r->offset.data[i + 1]; e++) {
      memset(block, 0, sizeof block);
      for (int k = 0; k < s.width; k++) block[k * s.in + k] = r->value.data[e];
      sink->add(sink, m->out, i, m->in, (size_t)r->index.data[e], s.out, s.in, block);
    }
  }
}

void dv_linear_destroy(dvObject *o) { dv_weights_free(&((dvLinearMapping *)o)->weights); }

const dvMappingOps dv_linear_ops = {
    .apply = dv_linear_apply,
    .apply_j = dv_linear_apply_j,
    .apply_jt = dv_linear_apply_jt,
    .build_j = dv_linear_build_j,
};

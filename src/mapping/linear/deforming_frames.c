// See deforming_frames.h.
#include "mapping/linear/deforming_frames.h"

#include <string.h>

static const dvStrides strides = {3, 3, 3};

void dv_deforming_basis(int columns, dvVec3 p, double b[DV_DEFORMING_COLUMNS])
{
  const double all[DV_DEFORMING_COLUMNS] = {1,         p.x,       p.y,       p.z,       p.x * p.x,
                                            p.y * p.y, p.z * p.z, p.x * p.y, p.y * p.z, p.z * p.x};
  memcpy(b, all, (size_t)columns * sizeof *b);
}

void dv_deforming_basis_change(int columns, dvVec3 p, dvVec3 dp, double b[DV_DEFORMING_COLUMNS])
{
  const double all[DV_DEFORMING_COLUMNS] = {0,
                                            dp.x,
                                            dp.y,
                                            dp.z,
                                            2 * p.x * dp.x,
                                            2 * p.y * dp.y,
                                            2 * p.z * dp.z,
                                            p.x * dp.y + dp.x * p.y,
                                            p.y * dp.z + dp.y * p.z,
                                            p.z * dp.x + dp.z * p.x};
  memcpy(b, all, (size_t)columns * sizeof *b);
}

void dv_deforming_clear(dvDeformingFrames *d, const dvDof *dof)
{
  d->columns = 1 + dv_dof_columns(dof);
  dv_weights_clear(&d->weights);
}

void dv_deforming_add(dvDeformingFrames *d, size_t frame, const double b[DV_DEFORMING_COLUMNS])
{
  for (int k = 0; k < d->columns; k++) dv_weights_add(&d->weights, (int32_t)frame * d->columns + k, b[k]);
}

void dv_deforming_end_point(dvDeformingFrames *d) { dv_weights_end_row(&d->weights); }

dvStatus dv_deforming_settle(dvDeformingFrames *d, const dvMapping *m)
{
  d->weights.one_way = !dv_is_mechanical_state(&m->out->base);
  if (!dv_weights_finish(&d->weights, m->in->count * (size_t)d->columns) ||
      !dv_state_resize(m->out, d->weights.out_points))
    return dv_error(&m->base, NULL, "out of memory for %zu mapped points", d->weights.out_points);
  return DV_OK;
}

void dv_deforming_free(dvDeformingFrames *d) { dv_weights_free(&d->weights); }

bool dv_deforming_hold(const dvDeformingFrames *d, const dvMapping *m)
{
  return m->out->count == d->weights.out_points && m->in->count * (size_t)d->columns == d->weights.in_points;
}

void dv_deforming_apply(const dvDeformingFrames *d, const dvMapping *m, int out, int in)
{
  const double *from = dv_state_read(m->in, in);
  dv_weights_apply(&d->weights, m->base.context->pool, strides, from, dv_state_write(m->out, out));
}

void dv_deforming_apply_jt(const dvDeformingFrames *d, const dvMapping *m, int in_f, int out_f)
{
  if (d->weights.one_way) return;
  const double *from = dv_state_read(m->out, out_f);
  dv_weights_apply_transposed(&d->weights, m->base.context->pool, strides, from, dv_state_write(m->in, in_f));
}

void dv_deforming_row(const dvDeformingFrames *d, const dvMapping *m, size_t out, dvMatrixSink *sink)
{
  const dvRows *r = &d->weights.rows;
  double block[3 * 3 * DV_DEFORMING_COLUMNS];
  int width = 3 * d->columns;
  for (int32_t e = r->offset.data[out]; e < r->offset.data[out + 1];) {
    int32_t frame = r->index.data[e] / d->columns;
    memset(block, 0, sizeof block);
    for (; e < r->offset.data[out + 1] && r->index.data[e] / d->columns == frame; e++)
      for (int k = 0; k < 3; k++) block[k * width + 3 * (r->index.data[e] % d->columns) + k] = r->value.data[e];
    sink->add(sink, m->out, out, m->in, (size_t)frame, 3, width, block);
  }
}

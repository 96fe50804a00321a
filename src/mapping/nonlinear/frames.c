// See frames.h.
#include "mapping/nonlinear/frames.h"

#include "mapping/linear/linear.h"
#include "math/decompose.h"

#include <string.h>

enum { GRAIN = 1024 };

// --- set-up --------------------------------------------------------------------------------------

dvVec3 dv_frame_local(const double *frame, dvVec3 world)
{
  return dv_quat_inverse_rotate(dv_quat_load(frame + 3), dv_vec3_sub(world, dv_vec3_load(frame)));
}

void dv_frames_clear(dvObject *o)
{
  dvFramesMapping *m = (dvFramesMapping *)o;
  m->count = m->first.count = m->end.count = m->frame.count = m->weight.count = m->local.count = m->point.count = 0;
}

void dv_frames_add_arm(dvObject *o, size_t frame, double weight, dvVec3 arm)
{
  dvFramesMapping *m = (dvFramesMapping *)o;
  dv_push(&m->frame, (int32_t)frame);
  dv_push(&m->point, (int32_t)m->count);
  dv_push(&m->weight, weight);
  dv_push(&m->local, arm.x);
  dv_push(&m->local, arm.y);
  dv_push(&m->local, arm.z);
}

void dv_frames_add(dvObject *o, size_t frame, double weight, dvVec3 place)
{
  dv_frames_add_arm(o, frame, weight, dv_vec3_scale(place, weight));
}

void dv_frames_end_point(dvObject *o)
{
  dvFramesMapping *m = (dvFramesMapping *)o;
  size_t begin = m->count ? (size_t)m->end.data[m->count - 1] : 0;
  if (m->stride) begin = m->count * m->stride;
  dv_push(&m->first, (int32_t)begin);
  dv_push(&m->end, (int32_t)m->frame.count);
  while (m->frame.count < begin + m->stride) {
    dv_frames_add_arm(o, 0, 0, dv_vec3(0, 0, 0));
    m->frame.data[m->frame.count - 1] = -1;
  }
  m->count++;
}

dvStatus dv_frames_settle(dvObject *o, bool apply)
{
  dvFramesMapping *m = (dvFramesMapping *)o;
  m->frames = m->base.in->count;
  if (m->frame.count > INT32_MAX / 3) return dv_error(o, NULL, "%zu points with their frames are too many", m->count);
  m->rotated.count = 0;
  dv_array_resize(&m->rotated, m->local.count);
  if (m->rotated.count) memset(m->rotated.data, 0, m->rotated.count * sizeof *m->rotated.data);
  if (!dv_loose_invert(&m->carried, m->frame.data, m->frame.count, m->frames))
    return dv_error(o, NULL, "out of memory for %zu points", m->count);
  dv_mapping_follow(o);
  if (!dv_state_resize(m->base.out, m->count)) return dv_error(o, NULL, "out of memory for %zu points", m->count);
  if (apply) dv_mapping_first_apply(o, dv_ops(o, DV_ROLE_MAPPING));
  return DV_OK;
}

void dv_frames_destroy(dvObject *o)
{
  dvFramesMapping *m = (dvFramesMapping *)o;
  dv_array_free(&m->first);
  dv_array_free(&m->frame);
  dv_array_free(&m->weight);
  dv_array_free(&m->local);
  dv_array_free(&m->rotated);
  dv_array_free(&m->point);
  dv_array_free(&m->end);
  dv_loose_free(&m->carried);
}

// --- meshes that change --------------------------------------------------------------------------

bool dv_frames_put(dvObject *o, size_t point, size_t frame, double weight, dvVec3 place)
{
  dvFramesMapping *m = (dvFramesMapping *)o;
  int32_t e = m->end.data[point];
  if ((size_t)(e - m->first.data[point]) >= m->stride || frame >= m->frames) return false;
  m->end.data[point]++;
  m->frame.data[e] = (int32_t)frame;
  m->weight.data[e] = weight;
  dv_vec3_store(m->local.data + 3 * e, dv_vec3_scale(place, weight));
  return dv_loose_put_in(&m->carried, frame, e, 0);
}

static void empty_point(dvFramesMapping *m, size_t point)
{
  for (int32_t e = m->first.data[point]; e < m->end.data[point]; e++) {
    dv_loose_take_out(&m->carried, (size_t)m->frame.data[e], e);
    m->frame.data[e] = -1;
  }
  m->end.data[point] = m->first.data[point];
}

static bool resize_points(dvFramesMapping *m, size_t count)
{
  size_t before = m->count, entries = count * m->stride;
  if (entries > INT32_MAX / 3) return false;
  dv_array_resize(&m->first, count);
  dv_array_resize(&m->end, count);
  dv_array_resize(&m->frame, entries);
  dv_array_resize(&m->point, entries);
  dv_array_resize(&m->weight, entries);
  dv_array_resize(&m->local, 3 * entries);
  dv_array_resize(&m->rotated, 3 * entries);
  for (size_t i = before; i < count; i++) {
    m->first.data[i] = m->end.data[i] = (int32_t)(i * m->stride);
    for (size_t e = i * m->stride; e < (i + 1) * m->stride; e++) {
      m->frame.data[e] = -1;
      m->point.data[e] = (int32_t)i;
    }
  }
  m->count = count;
  return true;
}

bool dv_frames_patch(dvObject *o, bool (*fill)(dvObject *o, size_t point))
{
  dvFramesMapping *m = (dvFramesMapping *)o;
  const dvTrace *in, *out;
  if (!dv_mapping_trace(o, m->base.in, &in) || !dv_mapping_trace(o, m->base.out, &out) || in || !out) return false;
  size_t count = m->base.out->count;
  if (!m->stride || m->base.in->count != m->frames || m->count != dv_trace_before(out, DV_POINT, count) ||
      dv_loose_are_wasteful(&m->carried) || !dv_loose_loosen(&m->carried, m->frames))
    return false;
  const dvNumbers *rows = dv_trace_rows(m->base.out->topology, DV_POINT);
  for (size_t i = 0; i < rows->count; i++)
    if ((size_t)rows->data[i] < dv_min_size(m->count, count)) empty_point(m, (size_t)rows->data[i]);
  for (size_t i = count; i < m->count; i++) empty_point(m, i);
  if (!resize_points(m, count)) return false;
  bool good = true;
  for (size_t i = 0; i < rows->count && good; i++) good = fill(o, (size_t)rows->data[i]);
  return good;
}

// --- operations ----------------------------------------------------------------------------------

typedef struct Pass {
  dvFramesMapping *m;
  const double *in;
  double *out;
} Pass;

bool dv_frames_hold(const dvFramesMapping *m)
{
  return m->base.out->count == m->count && m->base.in->count == m->frames;
}

static void apply_body(void *user, size_t begin, size_t end)
{
  const Pass *p = user;
  dvFramesMapping *m = p->m;
  for (size_t i = begin; i < end; i++) {
    dvVec3 x = {0, 0, 0};
    for (int32_t e = m->first.data[i]; e < m->end.data[i]; e++) {
      const double *frame = p->in + 7 * (size_t)m->frame.data[e];
      dvVec3 r = dv_quat_rotate(dv_quat_load(frame + 3), dv_vec3_load(m->local.data + 3 * e));
      dv_vec3_store(m->rotated.data + 3 * e, r);
      x = dv_vec3_add(dv_vec3_add_scaled(x, dv_vec3_load(frame), m->weight.data[e]), r);
    }
    dv_vec3_store(p->out + 3 * i, x);
  }
}

static void frames_apply(dvObject *o, int out_x, int in_x)
{
  dvFramesMapping *m = (dvFramesMapping *)o;
  if (!dv_mapping_fits(&m->base, dv_frames_hold(m))) return;
  Pass p = {.m = m, .in = dv_state_read(m->base.in, in_x)};
  p.out = dv_state_overwrite(m->base.out, out_x);
  dv_parallel_for(o->context->pool, m->count, GRAIN, apply_body, &p);
  dv_mapping_touch(&m->base, out_x);
}

static void apply_j_body(void *user, size_t begin, size_t end)
{
  const Pass *p = user;
  const dvFramesMapping *m = p->m;
  for (size_t i = begin; i < end; i++) {
    dvVec3 sum = {0, 0, 0};
    for (int32_t e = m->first.data[i]; e < m->end.data[i]; e++) {
      const double *v = p->in + 6 * (size_t)m->frame.data[e];
      dvVec3 turn = dv_vec3_cross(dv_vec3_load(v + 3), dv_vec3_load(m->rotated.data + 3 * e));
      sum = dv_vec3_add(dv_vec3_add_scaled(sum, dv_vec3_load(v), m->weight.data[e]), turn);
    }
    dv_vec3_store(p->out + 3 * i, sum);
  }
}

static void frames_apply_j(dvObject *o, int out_v, int in_v)
{
  dvFramesMapping *m = (dvFramesMapping *)o;
  if (!dv_frames_hold(m)) return;
  Pass p = {.m = m, .in = dv_state_read(m->base.in, in_v)};
  p.out = dv_state_overwrite(m->base.out, out_v);
  dv_parallel_for(o->context->pool, m->count, GRAIN, apply_j_body, &p);
}

void dv_frames_apply_patched(dvObject *o)
{
  dvFramesMapping *m = (dvFramesMapping *)o;
  static const int ids[] = {DV_X_REST, DV_X, DV_V};   // arms are turned as they are now
  const bool wanted[] = {m->base.applyRestPosition, true, dv_is_mechanical_state(&m->base.out->base)};
  const dvNumbers *rows = dv_trace_rows(m->base.out->topology, DV_POINT);
  for (size_t k = 0; k < DV_COUNT(ids) && rows->count; k++) {
    if (!wanted[k]) continue;
    Pass p = {.m = m, .in = dv_state_read(m->base.in, ids[k]), .out = dv_state_write(m->base.out, ids[k])};
    for (size_t i = 0; i < rows->count; i++)
      (ids[k] == DV_V ? apply_j_body : apply_body)(&p, (size_t)rows->data[i], (size_t)rows->data[i] + 1);
    if (ids[k] != DV_V) dv_mapping_touch(&m->base, ids[k]);
  }
}

static void apply_jt_body(void *user, size_t begin, size_t end)
{
  const Pass *p = user;
  const dvFramesMapping *m = p->m;
  dvRowView carried = dv_rows_view(&m->carried);
  for (size_t f = begin; f < end; f++) {
    dvVec3 force = {0, 0, 0}, torque = {0, 0, 0};
    for (int32_t at = carried.begin[f]; at < carried.end[f]; at++) {
      int32_t e = carried.index[at];
      dvVec3 f_out = dv_vec3_load(p->in + 3 * (size_t)m->point.data[e]);
      force = dv_vec3_add_scaled(force, f_out, m->weight.data[e]);
      torque = dv_vec3_add(torque, dv_vec3_cross(dv_vec3_load(m->rotated.data + 3 * e), f_out));
    }
    dv_vec3_accumulate(p->out + 6 * f, force);
    dv_vec3_accumulate(p->out + 6 * f + 3, torque);
  }
}

static void frames_apply_jt(dvObject *o, int in_f, int out_f)
{
  dvFramesMapping *m = (dvFramesMapping *)o;
  if (!m->base.mapForces || !dv_frames_hold(m)) return;
  Pass p = {.m = m, .in = dv_state_read(m->base.out, out_f)};
  p.out = dv_state_write(m->base.in, in_f);
  dv_parallel_for(o->context->pool, m->frames, 8, apply_jt_body, &p);
}

static void frames_row(dvObject *o, size_t i, dvMatrixSink *sink)
{
  const dvFramesMapping *m = (const dvFramesMapping *)o;
  if (!dv_frames_hold(m)) return;
  for (int32_t e = m->first.data[i]; e < m->end.data[i]; e++) {
    double block[18] = {0}, w = m->weight.data[e];
    dvMat3 turn = dv_mat3_skew(dv_vec3_neg(dv_vec3_load(m->rotated.data + 3 * e)));   // w x r = -[r]x w
    for (int k = 0; k < 3; k++) block[7 * k] = w;
    for (int k = 0; k < 9; k++) block[6 * (k / 3) + 3 + k % 3] = turn.m[k / 3][k % 3];
    sink->add(sink, m->base.out, i, m->base.in, (size_t)m->frame.data[e], 3, 6, block);
  }
}

static void frames_add_jdot(dvObject *o, int out_a, int in_v)
{
  dvFramesMapping *m = (dvFramesMapping *)o;
  if (!dv_frames_hold(m)) return;
  const double *v = dv_state_read(m->base.in, in_v);
  double *a = dv_state_write(m->base.out, out_a);
  for (size_t i = 0; i < m->count; i++)
    for (int32_t e = m->first.data[i]; e < m->end.data[i]; e++) {
      dvVec3 w = dv_vec3_load(v + 6 * (size_t)m->frame.data[e] + 3);
      dv_vec3_accumulate(a + 3 * i, dv_vec3_cross(w, dv_vec3_cross(w, dv_vec3_load(m->rotated.data + 3 * e))));
    }
}

// --- geometric stiffness -------------------------------------------------------------------------

dvMat3 dv_turn_stabilise(dvMat3 k)
{
  dvMat3 symmetric = dv_mat3_scale(dv_mat3_add(k, dv_mat3_transpose(k)), 0.5), v;
  dvVec3 values;
  dv_eigen_symmetric(&symmetric, &values, &v);
  values = dv_vec3(fmin(values.x, 0), fmin(values.y, 0), fmin(values.z, 0));
  return dv_mat3_mul_t(dv_mat3_mul(v, dv_mat3_diagonal(values)), v);
}

// derivative of the torque on a frame
static dvMat3 turn_of(const dvFramesMapping *m, int method, size_t frame, const double *f)
{
  dvMat3 sum = {{{0}}};
  dvRowView carried = dv_rows_view(&m->carried);
  for (int32_t at = carried.begin[frame]; at < carried.end[frame]; at++) {
    size_t e = (size_t)carried.index[at];
    sum = dv_mat3_add(sum, dv_mat3_mul(dv_mat3_skew(dv_vec3_load(f + 3 * (size_t)m->point.data[e])),
                                       dv_mat3_skew(dv_vec3_load(m->rotated.data + 3 * e))));
  }
  return method == DV_TURN_STABILIZED ? dv_turn_stabilise(sum) : sum;
}

void dv_frames_apply_djt(const dvFramesMapping *m, int method, double k, int in_df, int in_dx, int out_f)
{
  if (method == DV_TURN_NONE || !m->base.mapForces || !dv_frames_hold(m)) return;
  const double *f = dv_state_read(m->base.out, out_f), *dx = dv_state_read(m->base.in, in_dx);
  double *df = dv_state_write(m->base.in, in_df);
  for (size_t i = 0; i < m->frames; i++)
    dv_vec3_accumulate(df + 6 * i + 3,
                       dv_vec3_scale(dv_mat3_mul_vec(turn_of(m, method, i, f), dv_vec3_load(dx + 6 * i + 3)), k));
}

void dv_frames_add_geometric(const dvFramesMapping *m, int method, double k, int out_f, dvMatrixSink *sink)
{
  if (method == DV_TURN_NONE || !m->base.mapForces || !dv_frames_hold(m)) return;
  const double *f = dv_state_read(m->base.out, out_f);
  for (size_t i = 0; i < m->frames; i++) {
    dvMat3 turn = turn_of(m, method, i, f);
    double block[36] = {0};
    for (int e = 0; e < 9; e++) block[(3 + e / 3) * 6 + 3 + e % 3] = k * turn.m[e / 3][e % 3];
    sink->add(sink, m->base.in, i, m->base.in, i, 6, 6, block);
  }
}

const dvMappingOps dv_frames_ops = {
    .apply = frames_apply,
    .apply_j = frames_apply_j,
    .apply_jt = frames_apply_jt,
    .build_j = dv_mapping_build_rows,
    .row = frames_row,
    .add_jdot = frames_add_jdot,
    DV_MAPPING_SLOTS,
};

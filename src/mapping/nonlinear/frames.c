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
  m->count = m->first.count = m->frame.count = m->weight.count = m->local.count = 0;
  dv_push(&m->first, 0);
}

void dv_frames_add_arm(dvObject *o, size_t frame, double weight, dvVec3 arm)
{
  dvFramesMapping *m = (dvFramesMapping *)o;
  dv_push(&m->frame, (int32_t)frame);
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
  dv_push(&m->first, (int32_t)m->frame.count);
  m->count++;
}

// entries by frame: count, start, enter
static void index_frames(dvFramesMapping *m)
{
  size_t entries = m->frame.count;
  m->start.count = m->entry.count = m->point.count = 0;
  dv_array_resize(&m->start, m->frames + 2);
  dv_array_resize(&m->entry, entries + 1);
  dv_array_resize(&m->point, entries + 1);
  memset(m->start.data, 0, (m->frames + 2) * sizeof *m->start.data);
  for (size_t e = 0; e < entries; e++) m->start.data[m->frame.data[e] + 2]++;
  for (size_t f = 2; f < m->frames + 2; f++) m->start.data[f] += m->start.data[f - 1];
  for (size_t i = 0; i < m->count; i++)
    for (int32_t e = m->first.data[i]; e < m->first.data[i + 1]; e++) {
      int32_t at = m->start.data[m->frame.data[e] + 1]++;
      m->entry.data[at] = e;
      m->point.data[at] = (int32_t)i;
    }
}

dvStatus dv_frames_settle(dvObject *o, bool apply)
{
  dvFramesMapping *m = (dvFramesMapping *)o;
  m->frames = m->base.in->count;
  if (m->frame.count > INT32_MAX / 3) return dv_error(o, NULL, "%zu points with their frames are too many", m->count);
  for (size_t e = 0; e < m->frame.count; e++) DV_REQUIRE(m->frame.data[e] >= 0 && (size_t)m->frame.data[e] < m->frames);
  m->rotated.count = 0;
  dv_array_resize(&m->rotated, m->local.count);
  if (m->rotated.count) memset(m->rotated.data, 0, m->rotated.count * sizeof *m->rotated.data);
  index_frames(m);
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
  dv_array_free(&m->start);
  dv_array_free(&m->entry);
  dv_array_free(&m->point);
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
    for (int32_t e = m->first.data[i]; e < m->first.data[i + 1]; e++) {
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
    for (int32_t e = m->first.data[i]; e < m->first.data[i + 1]; e++) {
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

static void apply_jt_body(void *user, size_t begin, size_t end)
{
  const Pass *p = user;
  const dvFramesMapping *m = p->m;
  for (size_t f = begin; f < end; f++) {
    dvVec3 force = {0, 0, 0}, torque = {0, 0, 0};
    for (int32_t at = m->start.data[f]; at < m->start.data[f + 1]; at++) {
      int32_t e = m->entry.data[at];
      dvVec3 f_out = dv_vec3_load(p->in + 3 * (size_t)m->point.data[at]);
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
  for (int32_t e = m->first.data[i]; e < m->first.data[i + 1]; e++) {
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
    for (int32_t e = m->first.data[i]; e < m->first.data[i + 1]; e++) {
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
  for (int32_t at = m->start.data[frame]; at < m->start.data[frame + 1]; at++)
    sum = dv_mat3_add(sum, dv_mat3_mul(dv_mat3_skew(dv_vec3_load(f + 3 * (size_t)m->point.data[at])),
                                       dv_mat3_skew(dv_vec3_load(m->rotated.data + 3 * m->entry.data[at]))));
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

// See embedded_frames.h.
#include "mapping/linear/embedded_frames.h"

#include "math/decompose.h"
#include "topology/search/locate.h"

#include <string.h>

void dv_embedded_clear(dvEmbeddedFrames *f)
{
  f->count = f->first.count = f->corner.count = f->weight.count = f->arm.count = 0;
  dv_push(&f->first, 0);
}

void dv_embedded_free(dvEmbeddedFrames *f)
{
  dv_array_free(&f->first);
  dv_array_free(&f->corner);
  dv_array_free(&f->weight);
  dv_array_free(&f->arm);
  dv_array_free(&f->turn);
  dv_array_free(&f->stretch);
  dv_array_free(&f->gain);
}

bool dv_embedded_add(dvEmbeddedFrames *f, dvElementKind kind, const int32_t *corners, const double local[3],
                     const double *x, const double *frame)
{
  double w[8], moved[8], g[8][3];
  int n = dv_locate_weights(kind, local, w);
  for (int k = 0; k < 3; k++) {   // weights are linear in each coordinate: a step of one gives the derivative
    double at[3] = {local[0], local[1], local[2]};
    at[k] += 1;
    dv_locate_weights(kind, at, moved);
    for (int c = 0; c < n; c++) g[c][k] = moved[c] - w[c];
  }
  dvMat3 e = {{{0}}}, inverse, axes;
  for (int c = 0; c < n; c++)
    e = dv_mat3_add(e, dv_mat3_outer(dv_vec3_load(x + 3 * (size_t)corners[c]), dv_vec3_load(g[c])));
  if (!dv_mat3_inverse(e, &inverse)) return false;
  axes = dv_mat3_mul(inverse, dv_quat_to_matrix(dv_quat_load(frame + 3)));
  for (int k = 0; k < 3; k++) dv_mat3_set_column(&axes, k, dv_vec3_normalise(dv_mat3_column(axes, k)));
  for (int c = 0; c < n; c++) {
    dvVec3 arm = dv_mat3_t_mul_vec(axes, dv_vec3_load(g[c]));
    dv_push(&f->corner, corners[c]);
    dv_push(&f->weight, w[c]);
    dv_push(&f->arm, arm.x);
    dv_push(&f->arm, arm.y);
    dv_push(&f->arm, arm.z);
  }
  dv_push(&f->first, (int32_t)f->corner.count);
  f->count++;
  return true;
}

void dv_embedded_settle(dvEmbeddedFrames *f, size_t in_points)
{
  f->in_points = in_points;
  f->turn.count = f->stretch.count = f->gain.count = 0;
  dv_array_resize(&f->turn, 9 * f->count);
  dv_array_resize(&f->stretch, 9 * f->count);
  dv_array_resize(&f->gain, 9 * f->count);
  for (size_t i = 0; i < f->count; i++) {
    dv_mat3_store(f->turn.data + 9 * i, dv_mat3_identity());
    dv_mat3_store(f->stretch.data + 9 * i, dv_mat3_identity());
    dv_mat3_store(f->gain.data + 9 * i, dv_mat3_scale(dv_mat3_identity(), 0.5));
  }
}

// tr S - S
static dvMat3 trace_less(dvMat3 s) { return dv_mat3_sub(dv_mat3_scale(dv_mat3_identity(), dv_mat3_trace(s)), s); }

// M, or its velocity
static dvMat3 material(const dvEmbeddedFrames *f, size_t i, const double *x)
{
  dvMat3 m = {{{0}}};
  for (int32_t e = f->first.data[i]; e < f->first.data[i + 1]; e++)
    m = dv_mat3_add(m,
                    dv_mat3_outer(dv_vec3_load(x + 3 * (size_t)f->corner.data[e]), dv_vec3_load(f->arm.data + 3 * e)));
  return m;
}

static dvVec3 centre(const dvEmbeddedFrames *f, size_t i, const double *x)
{
  dvVec3 c = {0, 0, 0};
  for (int32_t e = f->first.data[i]; e < f->first.data[i + 1]; e++)
    c = dv_vec3_add_scaled(c, dv_vec3_load(x + 3 * (size_t)f->corner.data[e]), f->weight.data[e]);
  return c;
}

void dv_embedded_apply(dvEmbeddedFrames *f, const double *x, double *frames)
{
  for (size_t i = 0; i < f->count; i++) {
    dvMat3 m = material(f, i, x), r, s, gain;
    dv_polar_stable(&m, &r, &s);
    if (!dv_mat3_inverse(trace_less(s), &gain)) gain = (dvMat3){{{0}}};
    dv_mat3_store(f->turn.data + 9 * i, r);
    dv_mat3_store(f->stretch.data + 9 * i, s);
    dv_mat3_store(f->gain.data + 9 * i, gain);
    dv_vec3_store(frames + 7 * i, centre(f, i, x));
    dv_quat_store(frames + 7 * i + 3, dv_quat_from_matrix(r));
  }
}

// the angular velocity in the frame: G times the axial part of R^T dM/dt
static dvVec3 spin(const dvEmbeddedFrames *f, size_t i, dvMat3 w)
{
  dvVec3 axial = {w.m[2][1] - w.m[1][2], w.m[0][2] - w.m[2][0], w.m[1][0] - w.m[0][1]};
  return dv_mat3_mul_vec(dv_mat3_load(f->gain.data + 9 * i), axial);
}

void dv_embedded_apply_j(const dvEmbeddedFrames *f, const double *v, double *frames)
{
  for (size_t i = 0; i < f->count; i++) {
    dvMat3 r = dv_mat3_load(f->turn.data + 9 * i);
    dv_vec3_store(frames + 6 * i, centre(f, i, v));
    dv_vec3_store(frames + 6 * i + 3, dv_mat3_mul_vec(r, spin(f, i, dv_mat3_t_mul(r, material(f, i, v)))));
  }
}

// R G [b]x R^T of an entry: the angular velocity that a velocity of its corner gives
static dvMat3 turning(const dvEmbeddedFrames *f, size_t i, int32_t e)
{
  dvMat3 r = dv_mat3_load(f->turn.data + 9 * i), g = dv_mat3_load(f->gain.data + 9 * i);
  return dv_mat3_mul_t(dv_mat3_mul(dv_mat3_mul(r, g), dv_mat3_skew(dv_vec3_load(f->arm.data + 3 * e))), r);
}

void dv_embedded_apply_jt(const dvEmbeddedFrames *f, const double *frames, double *force)
{
  for (size_t i = 0; i < f->count; i++)
    for (int32_t e = f->first.data[i]; e < f->first.data[i + 1]; e++) {
      dvVec3 sum = dv_vec3_scale(dv_vec3_load(frames + 6 * i), f->weight.data[e]);
      dv_vec3_accumulate(force + 3 * (size_t)f->corner.data[e],
                         dv_vec3_add(sum, dv_mat3_t_mul_vec(turning(f, i, e), dv_vec3_load(frames + 6 * i + 3))));
    }
}

void dv_embedded_row(const dvEmbeddedFrames *f, size_t i, const dvMapping *m, dvMatrixSink *sink)
{
  for (int32_t e = f->first.data[i]; e < f->first.data[i + 1]; e++) {
    double block[18] = {0};
    for (int k = 0; k < 3; k++) block[4 * k] = f->weight.data[e];
    dv_mat3_store(block + 9, turning(f, i, e));
    sink->add(sink, m->out, i, m->in, (size_t)f->corner.data[e], 6, 3, block);
  }
}

// with dS/dt = R^T dM/dt - [w]x S:  dw/dt = -G (S w x w + 2 (tr dS/dt - dS/dt) w), M having no second derivative
void dv_embedded_add_jdot(const dvEmbeddedFrames *f, const double *v, double *a)
{
  for (size_t i = 0; i < f->count; i++) {
    dvMat3 r = dv_mat3_load(f->turn.data + 9 * i), s = dv_mat3_load(f->stretch.data + 9 * i);
    dvMat3 rate = dv_mat3_t_mul(r, material(f, i, v));
    dvVec3 w = spin(f, i, rate);
    dvMat3 ds = dv_mat3_sub(rate, dv_mat3_mul(dv_mat3_skew(w), s));
    dvVec3 sum = dv_vec3_add_scaled(dv_vec3_cross(dv_mat3_mul_vec(s, w), w), dv_mat3_mul_vec(trace_less(ds), w), 2);
    dv_vec3_accumulate(a + 6 * i + 3,
                       dv_mat3_mul_vec(r, dv_mat3_mul_vec(dv_mat3_load(f->gain.data + 9 * i), dv_vec3_neg(sum))));
  }
}

// SkinningMapping: points carried by several frames with given weights, or with those of the nearest frames, 1/d^2.
//
//   linear            x = sum of w (c + R p), the frames.h way
//   dual quaternions  (Kavan, Collins, Zara, O'Sullivan 2007) a_i and d_i are the two parts of the unit dual quaternion
//   that
//                     takes frame i from rest to where it is:  a_i = q_i q0_i*,  d_i = t_i a_i / 2,  t_i = c_i - R(a_i)
//                     c0_i
//
//                       A = sum of w_i a_i,  D = sum of w_i d_i,   x = (A X A* + 2 D A*) / |A|^2
//
//                     with signs that put all a_i on the side of the first one. A frame that turns does not make the
//                     skin collapse, as it does between frames that are blended linearly.
//
// Weights are made to add up to one; those behind the first that is not positive are left out, as in SOFA.
#include "mapping/linear/linear.h"
#include "mapping/nonlinear/frames.h"
#include "mapping/register.h"

#include <float.h>
#include <string.h>

#define SKINNING_FIELDS(X)                                                                                          \
  X(vec3s, initPos, "", "m", "points at rest in the world; from the output's positions when not given for all")     \
  X(indices, nbRef, "4", "", "frames that carry a point: one number for all, or one a point")                       \
  X(string, indices, "", "", "frames of each point; the nearest ones when not given for all")                       \
  X(bool, computeWeightsFromPosition, "0", "", "take the nearest frames also where weights are given")              \
  X(string, weight, "", "", "weights of those frames")                                                              \
  X(bool, dualQuaternions, "0", "", "blend motions instead of positions, so that volume is kept where frames turn") \
  X(int, showFromIndex, "0", "", "frame whose weights are shown", .flags = DV_LOOKS)                                \
  X(bool, showWeights, "0", "", "show weights", .flags = DV_LOOKS)

typedef struct Skinning {
  dvFramesMapping frames;
  SKINNING_FIELDS(DV_MEMBER)
  DV_ARRAY(double) block;     // dual quaternions: J of each entry, 3 x 6, as of the last apply
  DV_ARRAY(double) moved;     // a_i and t_i of each frame, and their copy at the last apply
  DV_ARRAY(double) nearest;   // frames of one point and their weights: scratch
} Skinning;

#define SELF Skinning
static const dvFieldDesc skinning_fields[] = {SKINNING_FIELDS(DV_DESCRIBE)};
#undef SELF

// --- weights -------------------------------------------------------------------------------------

typedef DV_ARRAY(double) Numbers;

typedef struct Influences {
  Numbers index, weight;   // of all points, one after the other
  DV_ARRAY(int32_t) first;
} Influences;

static void influences_free(Influences *f)
{
  dv_array_free(&f->index);
  dv_array_free(&f->weight);
  dv_array_free(&f->first);
}

// numbers between anything that is not part of one: "[0,1] [2]" and "0 1 2" alike
static bool read_numbers(const char *text, Numbers *list)
{
  while (*text) {
    double value;
    if (strchr("[](){},;", *text) || dv_is_space(*text)) {
      text++;
      continue;
    }
    if (!dv_scan_real(&text, &value)) return false;
    dv_push(list, value);
  }
  return true;
}

static int32_t count_of(const Skinning *m, size_t point, size_t points)
{
  return m->nbRef.data[m->nbRef.count == points ? point : 0];
}

static dvStatus given_influences(Skinning *m, Influences *f, size_t points)
{
  dvObject *o = &m->frames.base.base;
  size_t frames = m->frames.base.in->count;
  if (!read_numbers(m->indices, &f->index))
    return dv_field_error(o, &m->indices, NULL, "indices is not a list of frames: %.60s", m->indices);
  if (!read_numbers(m->weight, &f->weight))
    return dv_field_error(o, &m->weight, NULL, "weight is not a list of numbers: %.60s", m->weight);
  dv_push(&f->first, 0);
  for (size_t i = 0; i < points; i++) dv_push(&f->first, f->first.data[i] + count_of(m, i, points));
  size_t wanted = (size_t)f->first.data[points];
  if (f->index.count != wanted || f->weight.count != wanted)
    return dv_field_error(o, &m->weight, "give as many indices and weights as nbRef says for each point",
                          "%zu points with their nbRef need %zu indices and weights, not %zu and %zu", points, wanted,
                          f->index.count, f->weight.count);
  for (size_t e = 0; e < wanted; e++)
    if (!(f->index.data[e] >= 0 && f->index.data[e] < (double)frames))
      return dv_field_error(o, &m->indices, NULL, "entry %zu of indices is %g, but there are %zu frames (0 to %zu)", e,
                            f->index.data[e], frames, frames - 1);
  return DV_OK;
}

// the n nearest frames of a place, nearest first; of equally near ones the later comes first, as in SOFA
static void nearest_frames(const Skinning *m, const double *place, double *index, double *weight)
{
  size_t frames = m->frames.base.in->count, n = (size_t)m->nbRef.data[0];
  const double *x = dv_state_read(m->frames.base.in, DV_X_REST);
  for (size_t k = 0; k < n; k++) index[k] = weight[k] = 0;
  for (size_t j = 0; j < frames; j++) {
    double d2 = dv_vec3_norm2(dv_vec3_sub(dv_vec3_load(place), dv_vec3_load(x + 7 * j))),
           w = d2 > 0 ? fmin(1 / d2, DBL_MAX) : DBL_MAX;
    size_t at = 0;
    while (at < n && weight[at] > w) at++;
    if (at == n) continue;
    memmove(weight + at + 1, weight + at, (n - 1 - at) * sizeof *weight);
    memmove(index + at + 1, index + at, (n - 1 - at) * sizeof *index);
    weight[at] = w;
    index[at] = (double)j;
  }
  if (weight[0] == DBL_MAX)   // on a frame: it alone counts
    for (size_t k = 0; k < n; k++) weight[k] = k == 0;
}

static void nearest_influences(const Skinning *m, Influences *f, size_t points, const double *place)
{
  size_t n = (size_t)m->nbRef.data[0];
  dv_array_resize(&f->index, points * n);
  dv_array_resize(&f->weight, points * n);
  for (size_t i = 0; i <= points; i++) dv_push(&f->first, (int32_t)(i * n));
  for (size_t i = 0; i < points; i++) nearest_frames(m, place + 3 * i, f->index.data + i * n, f->weight.data + i * n);
}

// weights are made to add up to one; returns how many come before the first that is not positive
static size_t share_weights(double *weight, size_t count)
{
  double sum = 0;
  for (size_t e = 0; e < count; e++) sum += weight[e];
  for (size_t e = 0; e < count; e++) {
    if (sum != 0) weight[e] /= sum;
    if (!(weight[e] > 0)) return e;
  }
  return count;
}

static dvVec3 place_in(const Skinning *m, size_t frame, const double *place)
{
  return dv_frame_local(dv_state_read(m->frames.base.in, DV_X_REST) + 7 * frame, dv_vec3_load(place));
}

// entries with weights that add up to one
static void add_influences(dvObject *o, const Influences *f, size_t points, const double *place)
{
  const Skinning *m = (const Skinning *)o;
  for (size_t i = 0; i < points; i++) {
    size_t first = (size_t)f->first.data[i],
           n = share_weights(f->weight.data + first, (size_t)f->first.data[i + 1] - first);
    for (size_t e = first; e < first + n; e++) {
      size_t frame = (size_t)f->index.data[e];
      dv_frames_add(o, frame, f->weight.data[e], place_in(m, frame, place + 3 * i));
    }
    dv_frames_end_point(o);
  }
}

static dvStatus check_counts(const Skinning *m, size_t points)
{
  const dvObject *o = &m->frames.base.base;
  if (m->nbRef.count != 1 && m->nbRef.count != points)
    return dv_field_error(o, &m->nbRef, NULL, "nbRef has %zu entries: one for all, or one for each of %zu points",
                          m->nbRef.count, points);
  for (size_t i = 0; i < m->nbRef.count; i++)
    if (m->nbRef.data[i] < 1 || m->nbRef.data[i] > 1000)
      return dv_field_error(o, &m->nbRef, NULL, "entry %zu of nbRef is %d: a point has 1 to 1000 frames", i,
                            m->nbRef.data[i]);
  return DV_OK;
}

static dvStatus skinning_init(dvObject *o)
{
  Skinning *m = (Skinning *)o;
  dvState *in = m->frames.base.in, *out = m->frames.base.out;
  size_t points = out->count;
  if (in->count == 0) return dv_error(o, NULL, "the input %s has no frames", in->base.name);
  if (dv_reals_size(&m->initPos) != points && !dv_reals_assign(&m->initPos, dv_state_read(out, DV_X), 3 * points))
    return dv_error(o, NULL, "out of memory");
  DV_TRY(check_counts(m, points));
  bool given = *m->weight && *m->indices && !m->computeWeightsFromPosition;
  Influences f = {0};
  dvStatus status = given ? given_influences(m, &f, points) : DV_OK;
  if (!given) nearest_influences(m, &f, points, m->initPos.data);
  m->frames.stride = given ? 0 : (size_t)m->nbRef.data[0];
  dv_frames_clear(o);
  if (status == DV_OK) add_influences(o, &f, points, m->initPos.data);
  influences_free(&f);
  DV_TRY(status);
  if (m->dualQuaternions) {
    dv_array_resize(&m->block, 18 * m->frames.frame.count);
    dv_array_resize(&m->moved, 7 * in->count);
  }
  // points keep their first places; weights that are given as text cannot follow, and init says so
  dv_element_data_add_reals(dv_follow_rows(o, out), &m->initPos, true);
  return dv_frames_settle(o, true);
}

// a point of a mesh that has changed: the frames that are nearest to it
static bool fill_point(dvObject *o, size_t point)
{
  Skinning *m = (Skinning *)o;
  const double *place = m->initPos.data + 3 * point;
  double *index = m->nearest.data, *weight = index + m->frames.stride;
  nearest_frames(m, place, index, weight);
  size_t n = share_weights(weight, m->frames.stride);
  bool good = true;
  for (size_t k = 0; k < n && good; k++)
    good = dv_frames_put(o, point, (size_t)index[k], weight[k], place_in(m, (size_t)index[k], place));
  return good;
}

// --- dual quaternions ----------------------------------------------------------------------------

// How A, D and so x change: values, first and second derivatives along a motion of the frames.
typedef struct Jet {
  dvQuat a[3], d[3];
} Jet;

static dvQuat quat_add(dvQuat a, dvQuat b, double k)
{
  return (dvQuat){a.x + k * b.x, a.y + k * b.y, a.z + k * b.z, a.w + k * b.w};
}
static dvQuat pure(dvVec3 v) { return (dvQuat){v.x, v.y, v.z, 0}; }

// the motion of one frame from rest: a (4 numbers) and t; with velocity v of the frame, NULL for none
static Jet frame_jet(const double *moved, const double *rest, const double *v)
{
  Jet j = {0};
  dvVec3 t = dv_vec3_load(moved + 4);
  j.a[0] = dv_quat_load(moved);
  j.d[0] = dv_quat_scale(dv_quat_mul(pure(t), j.a[0]), 0.5);
  if (!v) return j;
  dvVec3 w = dv_vec3_load(v + 3), arm = dv_quat_rotate(j.a[0], dv_vec3_load(rest)), turn = dv_vec3_cross(w, arm);
  dvVec3 t1 = dv_vec3_sub(dv_vec3_load(v), turn), t2 = dv_vec3_neg(dv_vec3_cross(w, turn));
  j.a[1] = dv_quat_scale(dv_quat_mul(pure(w), j.a[0]), 0.5);
  j.a[2] = dv_quat_scale(j.a[0], -0.25 * dv_vec3_norm2(w));
  j.d[1] = dv_quat_scale(quat_add(dv_quat_mul(pure(t1), j.a[0]), dv_quat_mul(pure(t), j.a[1]), 1), 0.5);
  j.d[2] = dv_quat_scale(quat_add(quat_add(dv_quat_mul(pure(t2), j.a[0]), dv_quat_mul(pure(t1), j.a[1]), 2),
                                  dv_quat_mul(pure(t), j.a[2]), 1),
                         0.5);
  return j;
}

static dvVec3 bilinear(dvQuat a, dvQuat d, dvQuat b, dvVec3 place)
{
  dvQuat p =
      quat_add(dv_quat_mul(dv_quat_mul(a, pure(place)), dv_quat_conjugate(b)), dv_quat_mul(d, dv_quat_conjugate(b)), 2);
  return dv_vec3(p.x, p.y, p.z);
}

// x and its first and second derivative from the blended jet
static void blend_point(const Jet *j, dvVec3 place, dvVec3 x[3])
{
  double n = dv_quat_dot(j->a[0], j->a[0]), n1 = 2 * dv_quat_dot(j->a[0], j->a[1]),
         n2 = 2 * (dv_quat_dot(j->a[1], j->a[1]) + dv_quat_dot(j->a[0], j->a[2]));
  double inverse = n > 0 ? 1 / n : 0;
  dvVec3 p1 = dv_vec3_add(bilinear(j->a[1], j->d[1], j->a[0], place), bilinear(j->a[0], j->d[0], j->a[1], place));
  dvVec3 p2 = dv_vec3_add(bilinear(j->a[2], j->d[2], j->a[0], place), bilinear(j->a[0], j->d[0], j->a[2], place));
  p2 = dv_vec3_add_scaled(p2, bilinear(j->a[1], j->d[1], j->a[1], place), 2);
  x[0] = dv_vec3_scale(bilinear(j->a[0], j->d[0], j->a[0], place), inverse);
  x[1] = dv_vec3_scale(dv_vec3_add_scaled(p1, x[0], -n1), inverse);
  x[2] = dv_vec3_scale(dv_vec3_add_scaled(dv_vec3_add_scaled(p2, x[1], -2 * n1), x[0], -n2), inverse);
}

static double side_of(const Skinning *m, int32_t first, int32_t e)
{
  const double *a = m->moved.data + 7 * m->frames.frame.data[first], *b = m->moved.data + 7 * m->frames.frame.data[e];
  return dv_quat_dot(dv_quat_load(a), dv_quat_load(b)) < 0 ? -1 : 1;
}

static void add_jet(Jet *sum, Jet j, double w)
{
  for (int k = 0; k < 3; k++) sum->a[k] = quat_add(sum->a[k], j.a[k], w), sum->d[k] = quat_add(sum->d[k], j.d[k], w);
}

// the blend at a point; with velocities of the frames (NULL for none)
static Jet point_jet(const Skinning *m, size_t i, const double *rest, const double *v)
{
  Jet sum = {0};
  int32_t begin = m->frames.first.data[i];
  for (int32_t e = begin; e < m->frames.end.data[i]; e++) {
    size_t f = (size_t)m->frames.frame.data[e];
    add_jet(&sum, frame_jet(m->moved.data + 7 * f, rest + 7 * f, v ? v + 6 * f : NULL),
            m->frames.weight.data[e] * side_of(m, begin, e));
  }
  return sum;
}

typedef struct DualPass {
  Skinning *m;
  const double *rest;
  double *out;
} DualPass;

static void dual_apply_body(void *user, size_t begin, size_t end)
{
  const DualPass *p = user;
  Skinning *m = p->m;
  for (size_t i = begin; i < end; i++) {
    dvVec3 place = dv_vec3_load(m->initPos.data + 3 * i), x[3];
    Jet sum = point_jet(m, i, p->rest, NULL);
    int32_t from = m->frames.first.data[i];
    blend_point(&sum, place, x);
    dv_vec3_store(p->out + 3 * i, x[0]);
    for (int32_t e = from; e < m->frames.end.data[i]; e++)
      for (int k = 0; k < 6; k++) {   // columns of J: unit velocities of the frame
        double v[6] = {0};
        size_t f = (size_t)m->frames.frame.data[e];
        v[k] = 1;
        Jet one = frame_jet(m->moved.data + 7 * f, p->rest + 7 * f, v), moving = sum;
        double w = m->frames.weight.data[e] * side_of(m, from, e);
        moving.a[1] = dv_quat_scale(one.a[1], w);
        moving.d[1] = dv_quat_scale(one.d[1], w);
        blend_point(&moving, place, x);
        m->block.data[18 * e + k] = x[1].x, m->block.data[18 * e + 6 + k] = x[1].y,
                               m->block.data[18 * e + 12 + k] = x[1].z;
      }
  }
}

// of the frames from rest to where they are; returns the former
static const double *take_motions(Skinning *m, int in_x)
{
  const double *rest = dv_state_read(m->frames.base.in, DV_X_REST), *x = dv_state_read(m->frames.base.in, in_x);
  for (size_t f = 0; f < m->frames.frames; f++) {
    dvQuat a = dv_quat_mul(dv_quat_load(x + 7 * f + 3), dv_quat_inverse(dv_quat_load(rest + 7 * f + 3)));
    dv_quat_store(m->moved.data + 7 * f, a);
    dv_vec3_store(m->moved.data + 7 * f + 4,
                  dv_vec3_sub(dv_vec3_load(x + 7 * f), dv_quat_rotate(a, dv_vec3_load(rest + 7 * f))));
  }
  return rest;
}

static void skinning_apply(dvObject *o, int out_x, int in_x)
{
  Skinning *m = (Skinning *)o;
  if (!m->dualQuaternions) {
    dv_frames_ops.apply(o, out_x, in_x);
    return;
  }
  if (!dv_mapping_fits(&m->frames.base, dv_frames_hold(&m->frames))) return;
  const double *rest = take_motions(m, in_x);
  DualPass p = {m, rest, dv_state_overwrite(m->frames.base.out, out_x)};
  dv_parallel_for(o->context->pool, m->frames.count, 256, dual_apply_body, &p);
  dv_mapping_touch(&m->frames.base, out_x);
}

static void dual_apply_j(const Skinning *m, size_t i, const double *v, double *out)
{
  for (int r = 0; r < 3; r++) {
    double sum = 0;
    for (int32_t e = m->frames.first.data[i]; e < m->frames.end.data[i]; e++)
      for (int k = 0; k < 6; k++) sum += m->block.data[18 * e + 6 * r + k] * v[6 * m->frames.frame.data[e] + k];
    out[3 * i + (size_t)r] = sum;
  }
}

static void skinning_apply_j(dvObject *o, int out_v, int in_v)
{
  Skinning *m = (Skinning *)o;
  if (!m->dualQuaternions) {
    dv_frames_ops.apply_j(o, out_v, in_v);
    return;
  }
  if (!dv_frames_hold(&m->frames)) return;
  const double *v = dv_state_read(m->frames.base.in, in_v);
  double *out = dv_state_overwrite(m->frames.base.out, out_v);
  for (size_t i = 0; i < m->frames.count; i++) dual_apply_j(m, i, v, out);
}

static void skinning_apply_jt(dvObject *o, int in_f, int out_f)
{
  Skinning *m = (Skinning *)o;
  if (!m->dualQuaternions) {
    dv_frames_ops.apply_jt(o, in_f, out_f);
    return;
  }
  if (!m->frames.base.mapForces || !dv_frames_hold(&m->frames)) return;
  const double *f = dv_state_read(m->frames.base.out, out_f);
  double *in = dv_state_write(m->frames.base.in, in_f);
  for (size_t i = 0; i < m->frames.count; i++)
    for (int32_t e = m->frames.first.data[i]; e < m->frames.end.data[i]; e++)
      for (int k = 0; k < 18; k++)
        in[6 * m->frames.frame.data[e] + k % 6] += m->block.data[18 * e + k] * f[3 * i + (size_t)(k / 6)];
}

static void skinning_row(dvObject *o, size_t i, dvMatrixSink *sink)
{
  Skinning *m = (Skinning *)o;
  if (!m->dualQuaternions) {
    dv_frames_ops.row(o, i, sink);
    return;
  }
  if (!dv_frames_hold(&m->frames)) return;
  for (int32_t e = m->frames.first.data[i]; e < m->frames.end.data[i]; e++)
    sink->add(sink, m->frames.base.out, i, m->frames.base.in, (size_t)m->frames.frame.data[e], 3, 6,
              m->block.data + 18 * e);
}

static void skinning_add_jdot(dvObject *o, int out_a, int in_v)
{
  Skinning *m = (Skinning *)o;
  if (!m->dualQuaternions) {
    dv_frames_ops.add_jdot(o, out_a, in_v);
    return;
  }
  if (!dv_frames_hold(&m->frames)) return;
  const double *rest = dv_state_read(m->frames.base.in, DV_X_REST), *v = dv_state_read(m->frames.base.in, in_v);
  double *a = dv_state_write(m->frames.base.out, out_a);
  for (size_t i = 0; i < m->frames.count; i++) {
    dvVec3 x[3];
    Jet sum = point_jet(m, i, rest, v);
    blend_point(&sum, dv_vec3_load(m->initPos.data + 3 * i), x);
    dv_vec3_accumulate(a + 3 * i, x[2]);
  }
}

static void dual_apply_patched(Skinning *m)
{
  dvState *in = m->frames.base.in, *out = m->frames.base.out;
  const dvNumbers *rows = dv_trace_rows(out->topology, DV_POINT);
  const int ids[] = {DV_X_REST, DV_X};   // J is that of the present positions
  for (size_t k = m->frames.base.applyRestPosition ? 0 : 1; k < 2; k++) {
    const double *rest = take_motions(m, ids[k]);
    DualPass p = {m, rest, dv_state_write(out, ids[k])};
    for (size_t i = 0; i < rows->count; i++) dual_apply_body(&p, (size_t)rows->data[i], (size_t)rows->data[i] + 1);
    dv_mapping_touch(&m->frames.base, ids[k]);
  }
  if (!dv_is_mechanical_state(&out->base)) return;
  const double *v = dv_state_read(in, DV_V);
  double *to = dv_state_write(out, DV_V);
  for (size_t i = 0; i < rows->count; i++) dual_apply_j(m, (size_t)rows->data[i], v, to);
}

static bool skinning_patch(Skinning *m)
{
  dvObject *o = &m->frames.base.base;
  if (dv_reals_size(&m->initPos) != m->frames.base.out->count) return false;
  dv_array_resize(&m->nearest, 2 * m->frames.stride);
  if (!dv_frames_patch(o, fill_point)) return false;
  if (!m->dualQuaternions) {
    dv_frames_apply_patched(o);
    return true;
  }
  dv_array_resize(&m->block, 18 * m->frames.frame.count);
  dual_apply_patched(m);
  return true;
}

static void skinning_topology_changed(dvObject *o)
{
  if (skinning_patch((Skinning *)o)) dv_follow_patched(o);
  else dv_mapping_remake(o);
}

static void skinning_destroy(dvObject *o)
{
  Skinning *m = (Skinning *)o;
  dv_array_free(&m->block);
  dv_array_free(&m->moved);
  dv_array_free(&m->nearest);
  dv_frames_destroy(o);
}

static const dvMappingOps skinning_ops = {
    .apply = skinning_apply,
    .apply_j = skinning_apply_j,
    .apply_jt = skinning_apply_jt,
    .build_j = dv_mapping_build_rows,
    .row = skinning_row,
    .add_jdot = skinning_add_jdot,
    DV_MAPPING_SLOTS,
};

static const dvDofPair pairs[] = {{DV_DOF_RIGID3, 0, DV_DOF_VEC3}, {0}};

const dvClass dv_skinning_mapping_class = {
    .struct_size = sizeof(dvClass),
    .name = "SkinningMapping",
    .help = "moves points with several frames each, by weights",
    .module = "Sofa.Component.Mapping.Linear",
    .dofs = DV_DOF_RIGID3,
    .dofs_out = DV_DOF_VEC3,
    .pairs = pairs,
    .size = sizeof(Skinning),
    .blocks = {&dv_object_block, &dv_mapping_block, DV_BLOCK(skinning_fields)},
    .ops = {[DV_ROLE_MAPPING] = &skinning_ops},
    .link = dv_mapping_link,
    .init = skinning_init,
    .destroy = skinning_destroy,
    .topology_changed = skinning_topology_changed,
};

// BeamProjectionDifferenceMultiMapping: how frames stand beside the beams of a second state.
//
// With the foot c(s) of a frame (p, q) on the curve and the frame R of the curve there,
//
//   out = R^T (p - c(s)), and the rotation R^T q, of both only the components that `directions` names,
//   v = R^T (v_p - v_c),  w = R^T (w_p - w_c)
//
// where v_c is that of the point of the curve at s, and w_c that of the two frames of the beam, weighted. Where the
// first direction (along the curve) counts, s and R are those of the start; else frames slide: s and R follow them,
// which adds nothing to the velocity across where the frames are on the curve. Frames beyond its ends give 0.
#include "instrument/shaft.h"
#include "mapping/linear/linear.h"

#include <math.h>
#include <string.h>

extern const dvClass dv_beam_projection_class;

#define PROJECTION_FIELDS(X)                                                                                           \
  X(links, input1, "", "", "frames that are projected", .role = DV_ROLE_STATE)                                         \
  X(links, input2, "", "", "frames of the beams", .role = DV_ROLE_STATE)                                               \
  X(indices, indicesInput1, "", "", "which frames of the first input are projected")                                   \
  X(bools, directions, "0 0 0 0 0 0 0", "",                                                                            \
    "which components count: along the curve, across (two), about these axes (three); a seventh is taken and ignored") \
  X(bool, updateProjectionPosition, "0", "", "the foot follows, though motion along the curve counts")                 \
  X(bool, updateProjectionOrientation, "0", "", "the frame of the foot follows, though motion along the curve counts") \
  X(bool, draw, "0", "", "no effect: pictures show frames and curves", .flags = DV_IDLE)                               \
  X(real, drawSize, "3", "m", "no effect: pictures show frames and curves", .flags = DV_IDLE)                          \
  X(frames, projections, "", "m", "the feet on the curve", .flags = DV_READ_ONLY)                                      \
  X(real, filter, "0", "m", "frames further than this from the curve give 0; 0: none is too far", .least = "0")        \
  X(link, topologyInput2, "", "", "no effect: the beams know their edges", .role = DV_ROLE_TOPOLOGY, .flags = DV_IDLE) \
  X(link, interpolationInput2, "", "", "the beams", .flags = DV_REQUIRED)

typedef struct Projection {
  dvMapping base;
  PROJECTION_FIELDS(DV_MEMBER)
  dvState *from;   // whose frames are projected
  dvShaft shaft;
  DV_ARRAY(double) along, turn;   // foot of each frame, negative where there is none; its frame
  DV_ARRAY(dvCarrier) carriers;   // two each, as of the last apply
} Projection;

#define SELF Projection
static const dvFieldDesc projection_fields[] = {PROJECTION_FIELDS(DV_DESCRIBE)};
static const dvMemoryDesc projection_memory[] = {DV_REMEMBER(array, along) DV_REMEMBER(array, turn)};
#undef SELF

static bool counts(const Projection *m, int component) { return m->directions.data[component] != 0; }
static size_t frame_of(const Projection *m, size_t i) { return (size_t)m->indicesInput1.data[i]; }
static bool holds(const Projection *m)
{
  size_t count = m->indicesInput1.count;
  return m->base.out->count == count && m->carriers.count == 2 * count && dv_beams_count(m->shaft.beams) > 0;
}

static void project(Projection *m, const double *from, const double *to, bool turns)
{
  for (size_t i = 0; i < m->along.count; i++) {
    double beyond;
    dvVec3 p = dv_vec3_load(from + 7 * frame_of(m, i));
    double s = dv_shaft_nearest(&m->shaft, to, p, 0, INFINITY, &beyond);
    dvPose foot = dv_shaft_pose(&m->shaft, to, s);
    bool far = m->filter > 0 && dv_vec3_norm(dv_vec3_sub(p, foot.at)) > m->filter;
    m->along.data[i] = far || fabs(beyond) > 1e-2 * dv_shaft_tip(&m->shaft) ? -1 : s;
    if (turns) dv_quat_store(m->turn.data + 4 * i, foot.turn);
  }
}

static dvQuat turn_of(const Projection *m, size_t i) { return dv_quat_normalise(dv_quat_load(m->turn.data + 4 * i)); }

// --- operations ---

static void write_difference(const Projection *m, size_t i, dvPose frame, dvPose foot, double *out)
{
  dvQuat turn = turn_of(m, i);
  double d[6];
  dv_vec3_store(d, dv_quat_inverse_rotate(turn, dv_vec3_sub(frame.at, foot.at)));
  dv_vec3_store(d + 3, dv_quat_to_rotation_vector(dv_quat_mul(dv_quat_inverse(foot.turn), frame.turn)));
  for (int k = 0; k < 6; k++) d[k] = counts(m, k) ? d[k] : 0;
  dvVec3 axis = dv_vec3_load(d + 3);
  dv_pose_store(out, (dvPose){dv_vec3_load(d), dv_quat_from_axis(dv_vec3_normalise(axis), dv_vec3_norm(axis))});
}

static void projection_apply(dvObject *o, int out_x, int in_x)
{
  Projection *m = (Projection *)o;
  if (!holds(m)) return;
  const double *from = dv_state_read(m->from, in_x), *to = dv_state_read(m->shaft.state, in_x);
  double *out = dv_state_overwrite(m->base.out, out_x), *feet = dv_reals_edit(&m->projections);
  if (!counts(m, 0)) project(m, from, to, true);
  else if (m->updateProjectionPosition || m->updateProjectionOrientation)
    project(m, from, to, m->updateProjectionOrientation);
  for (size_t i = 0; i < m->along.count; i++) {
    double s = m->along.data[i];
    dv_pose_store(out + 7 * i, dv_pose_identity());
    m->carriers.data[2 * i + 1].weight = 0;
    if (s < 0) continue;
    dvPose foot = dv_shaft_pose(&m->shaft, to, s);
    dv_pose_store(feet + 7 * i, foot);
    dv_shaft_carriers(&m->shaft, to, s, &m->carriers.data[2 * i]);
    write_difference(m, i, dv_pose_load(from + 7 * frame_of(m, i)), foot, out + 7 * i);
  }
  dv_mapping_touch(&m->base, out_x);
}

static void projection_apply_j(dvObject *o, int out_v, int in_v)
{
  Projection *m = (Projection *)o;
  if (!holds(m)) return;
  const double *from = dv_state_read(m->from, in_v), *to = dv_state_read(m->shaft.state, in_v);
  double *out = dv_state_overwrite(m->base.out, out_v);
  for (size_t i = 0; i < m->along.count; i++) {
    memset(out + 6 * i, 0, 6 * sizeof *out);
    if (m->along.data[i] < 0) continue;
    const double *f = from + 6 * frame_of(m, i);
    dvVec3 v = dv_vec3_load(f), w = dv_vec3_load(f + 3);
    for (int e = 0; e < 2; e++) {
      const dvCarrier *c = &m->carriers.data[2 * i + (size_t)e];
      dvVec3 turn = dv_vec3_load(to + 6 * c->dof + 3);
      v = dv_vec3_sub(dv_vec3_add_scaled(v, dv_vec3_load(to + 6 * c->dof), -c->weight), dv_vec3_cross(turn, c->arm));
      w = dv_vec3_add_scaled(w, turn, -c->weight);
    }
    dv_vec3_store(out + 6 * i, dv_quat_inverse_rotate(turn_of(m, i), v));
    dv_vec3_store(out + 6 * i + 3, dv_quat_inverse_rotate(turn_of(m, i), w));
    for (int k = 0; k < 6; k++)
      if (!counts(m, k)) out[6 * i + (size_t)k] = 0;
  }
}

static void projection_apply_jt(dvObject *o, int in_f, int out_f)
{
  Projection *m = (Projection *)o;
  if (!m->base.mapForces || !holds(m)) return;
  const double *f = dv_state_read(m->base.out, out_f);
  double *from = dv_state_write(m->from, in_f), *to = dv_state_write(m->shaft.state, in_f);
  for (size_t i = 0; i < m->along.count; i++) {
    if (m->along.data[i] < 0) continue;
    double d[6];
    for (int k = 0; k < 6; k++) d[k] = counts(m, k) ? f[6 * i + (size_t)k] : 0;
    dvVec3 force = dv_quat_rotate(turn_of(m, i), dv_vec3_load(d)),
           torque = dv_quat_rotate(turn_of(m, i), dv_vec3_load(d + 3));
    dv_vec3_accumulate(from + 6 * frame_of(m, i), force);
    dv_vec3_accumulate(from + 6 * frame_of(m, i) + 3, torque);
    for (int e = 0; e < 2; e++) {
      const dvCarrier *c = &m->carriers.data[2 * i + (size_t)e];
      dv_vec3_accumulate(to + 6 * c->dof, dv_vec3_scale(force, -c->weight));
      dv_vec3_accumulate(to + 6 * c->dof + 3,
                         dv_vec3_sub(dv_vec3_scale(torque, -c->weight), dv_vec3_cross(c->arm, force)));
    }
  }
}

// R^T, or R^T times minus the weight with its arm, as a block of six rows
static void add_block(const Projection *m, size_t i, const dvState *s, size_t dof, double weight, dvVec3 arm,
                      dvMatrixSink *sink)
{
  double block[36] = {0};
  for (int k = 0; k < 6; k++) {
    if (!counts(m, k)) continue;
    dvVec3 axis = dv_quat_rotate(turn_of(m, i), dv_vec3(k % 3 == 0, k % 3 == 1, k % 3 == 2));
    dv_vec3_store(block + 6 * k + (k < 3 ? 0 : 3), dv_vec3_scale(axis, weight));
    if (k < 3) dv_vec3_store(block + 6 * k + 3, dv_vec3_cross(arm, axis));
  }
  sink->add(sink, m->base.out, i, s, dof, 6, 6, block);
}

static void projection_row(dvObject *o, size_t i, dvMatrixSink *sink)
{
  const Projection *m = (const Projection *)o;
  if (!holds(m) || m->along.data[i] < 0) return;
  add_block(m, i, m->from, frame_of(m, i), 1, dv_vec3(0, 0, 0), sink);
  for (int e = 0; e < 2; e++) {
    const dvCarrier *c = &m->carriers.data[2 * i + (size_t)e];
    add_block(m, i, m->shaft.state, c->dof, -c->weight, dv_vec3_scale(c->arm, -1), sink);
  }
}

// the arms of the curve turn with their frames: w x (w x arm)
static void projection_add_jdot(dvObject *o, int out_a, int in_v)
{
  Projection *m = (Projection *)o;
  if (!holds(m)) return;
  const double *to = dv_state_read(m->shaft.state, in_v);
  double *a = dv_state_write(m->base.out, out_a);
  for (size_t i = 0; i < m->along.count; i++) {
    dvVec3 sum = {0, 0, 0};
    for (size_t e = 0; e < 2 && m->along.data[i] >= 0; e++) {
      const dvCarrier *c = &m->carriers.data[2 * i + e];
      dvVec3 w = dv_vec3_load(to + 6 * c->dof + 3);
      sum = dv_vec3_sub(sum, dv_vec3_cross(w, dv_vec3_cross(w, c->arm)));
    }
    double d[3];
    dv_vec3_store(d, dv_quat_inverse_rotate(turn_of(m, i), sum));
    for (int k = 0; k < 3; k++)
      if (counts(m, k)) a[6 * i + (size_t)k] += d[k];
  }
}

static const dvMappingOps projection_ops = {
    .apply = projection_apply,
    .apply_j = projection_apply_j,
    .apply_jt = projection_apply_jt,
    .build_j = dv_mapping_build_rows,
    .row = projection_row,
    .add_jdot = projection_add_jdot,
    DV_MAPPING_SLOTS,
};

// --- set-up ---

static dvStatus projection_link(dvObject *o)
{
  Projection *m = (Projection *)o;
  if (o->failed) return DV_OK;
  DV_TRY(dv_mapping_init_two(o, &m->input1, &m->input2, false));
  if (m->input1.count != 1 || m->input2.count != 1)
    return dv_error(o, "name one state each", "%s takes one input1 and one input2", o->name);
  m->from = dv_mapping_in(&m->base, 0);
  return DV_OK;
}

static dvStatus projection_init(dvObject *o)
{
  Projection *m = (Projection *)o;
  dvBeams *b = dv_beams_find(o, &m->interpolationInput2, false);
  if (!b) return DV_ERROR_INPUT;
  m->shaft = (dvShaft){.state = dv_mapping_in(&m->base, 1), .beams = b};
  if (b->state != m->shaft.state)
    return dv_error(o, "link the state of the beams as input2", "the beams of %s join frames of another state",
                    b->base.name);
  if (m->directions.count < 6 || m->directions.count > 7)
    return dv_field_error(o, &m->directions, "give six: along the curve, two across, three rotations",
                          "directions has %zu numbers", m->directions.count);
  DV_TRY(dv_check_indices(o, &m->indicesInput1, m->from->count, "frames"));
  size_t count = m->indicesInput1.count;
  if (count == 0) dv_warning(o, "name frames in indicesInput1", "%s projects no frames", o->name);
  dv_array_resize(&m->along, count);
  dv_array_resize(&m->turn, 4 * count);
  dv_array_resize(&m->carriers, 2 * count);
  if (!dv_state_resize(m->base.out, count) || !dv_reals_resize(&m->projections, 7 * count))
    return dv_error(o, NULL, "out of memory for %zu frames", count);
  memset(m->carriers.data, 0, 2 * count * sizeof *m->carriers.data);
  if (dv_beams_count(b)) project(m, dv_state_read(m->from, DV_X), dv_state_read(m->shaft.state, DV_X), true);
  else
    for (size_t i = 0; i < count; i++) m->along.data[i] = -1, dv_quat_store(m->turn.data + 4 * i, dv_quat_identity());
  dv_mapping_follow(o);
  dv_mapping_first_apply(o, &projection_ops);
  return DV_OK;
}

static bool projection_restored(dvObject *o)
{
  Projection *m = (Projection *)o;
  size_t count = m->indicesInput1.count;
  bool fits = m->along.count == count && m->turn.count == 4 * count;
  for (size_t i = 0; i < m->along.count && fits; i++) fits = m->along.data[i] <= dv_shaft_tip(&m->shaft);
  return fits;
}

static void projection_destroy(dvObject *o)
{
  Projection *m = (Projection *)o;
  dv_array_free(&m->along);
  dv_array_free(&m->turn);
  dv_array_free(&m->carriers);
}

static const dvDofPair pairs[] = {{DV_DOF_RIGID3, DV_DOF_RIGID3, DV_DOF_RIGID3}, {0}};

const dvClass dv_beam_projection_class = {
    .struct_size = sizeof(dvClass),
    .name = "BeamProjectionDifferenceMultiMapping",
    .help = "how far frames are from the curve of beams, in the frame of the curve",
    .module = "BeamAdapter",
    .dofs = DV_DOF_RIGID3,
    .dofs_out = DV_DOF_RIGID3,
    .pairs = pairs,
    .size = sizeof(Projection),
    .blocks = {&dv_object_block, &dv_mapping_block, DV_BLOCK(projection_fields)},
    .ops = {[DV_ROLE_MAPPING] = &projection_ops},
    .link = projection_link,
    .init = projection_init,
    .destroy = projection_destroy,
    .topology_changed = dv_mapping_remake,
    DV_MEMORY(projection_memory),
    .restored = projection_restored,
};

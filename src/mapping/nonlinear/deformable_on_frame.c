// DeformableOnRigidFrameMapping: a deformable body described in a moving frame.
//
//   x = c + R d,   r = R d
//   v = v_c + w x r + R v_d,   f_c += f,   t_c += r x f,   f_d += R^T f
//
// `input1` holds the places d in the frame, `input2` the frame; without it the mapping is the identity. `repartition`
// gives the points to several frames, as many each as it says. There is no geometric stiffness, as in SOFA.
#include "mapping/linear/linear.h"
#include "mapping/register.h"
#include "math/vec.h"

#define DEFORMABLE_FIELDS(X)                                                                               \
  X(links, input1, "", "", "places of the points in the frame", .role = DV_ROLE_STATE)                     \
  X(links, input2, "", "", "the frame", .role = DV_ROLE_STATE)                                             \
  X(int, index, "0", "", "frame of all points, when repartition is not given")                             \
  X(bool, indexFromEnd, "0", "", "count `index` from the last frame backwards")                            \
  X(indices, repartition, "", "", "points of each frame, in order; one number holds for all frames")       \
  X(bool, globalToLocalCoords, "0", "", "accepted, without effect as in SOFA", .flags = DV_HIDDEN)         \
  X(real, rootAngularForceScaleFactor, "1", "", "scale of the torque that constraints exert on the frame") \
  X(real, rootLinearForceScaleFactor, "1", "", "scale of the force that constraints exert on the frame")

typedef struct Deformable {
  dvMapping base;
  DEFORMABLE_FIELDS(DV_MEMBER)
  dvState *root;   // NULL: no frame
  size_t count, frames;
  int32_t *frame;    // of each point
  dvMat3 *turn;      // R of each frame, as of the last apply
  double *rotated;   // r of each point
} Deformable;

#define SELF Deformable
static const dvFieldDesc deformable_fields[] = {DEFORMABLE_FIELDS(DV_DESCRIBE)};
#undef SELF

// --- set-up --------------------------------------------------------------------------------------

static dvStatus deformable_link(dvObject *o)
{
  Deformable *m = (Deformable *)o;
  if (o->failed) return DV_OK;
  DV_TRY(dv_mapping_init_two(o, &m->input1, &m->input2, true));
  if (m->input1.count > 1 || m->input2.count > 1)
    return dv_error(o, "name one state each", "DeformableOnRigidFrameMapping takes one input1 and one input2");
  m->root = m->base.input_count > 1 ? dv_mapping_in(&m->base, 1) : NULL;
  return DV_OK;
}

static dvStatus choose_frames(Deformable *m)
{
  dvObject *o = &m->base.base;
  if (!m->root) return DV_OK;
  if (m->frames == 0) return dv_error(o, NULL, "the input %s has no frames", m->root->base.name);
  if (m->repartition.count == 0) {
    if (m->index < 0 || (size_t)m->index >= m->frames)
      return dv_field_error(o, &m->index, NULL, "index is %d, but there are %zu frames (0 to %zu)", m->index, m->frames,
                            m->frames - 1);
    for (size_t i = 0; i < m->count; i++) m->frame[i] = m->indexFromEnd ? (int32_t)m->frames - 1 - m->index : m->index;
    return DV_OK;
  }
  if (m->repartition.count > 1 && m->repartition.count != m->frames)
    return dv_field_error(o, &m->repartition, NULL, "repartition has %zu entries for %zu frames", m->repartition.count,
                          m->frames);
  size_t at = 0;
  for (size_t f = 0; f < m->frames; f++)
    for (int32_t k = 0; k < m->repartition.data[m->repartition.count > 1 ? f : 0] && at < m->count; k++)
      m->frame[at++] = (int32_t)f;
  return at == m->count
             ? DV_OK
             : dv_field_error(o, &m->repartition, NULL, "repartition covers %zu of %zu points", at, m->count);
}

static dvStatus deformable_init(dvObject *o)
{
  Deformable *m = (Deformable *)o;
  m->count = m->base.in->count;
  m->frames = m->root ? m->root->count : 0;
  if (m->frames > INT32_MAX) return dv_error(o, NULL, "%zu frames are too many", m->frames);
  m->frame = dv_alloc((m->count + 1) * sizeof *m->frame);
  m->rotated = dv_alloc((3 * m->count + 1) * sizeof *m->rotated);
  m->turn = dv_alloc((m->frames + 1) * sizeof *m->turn);
  DV_TRY(choose_frames(m));
  if (!dv_state_resize(m->base.out, m->count)) return dv_error(o, NULL, "out of memory for %zu points", m->count);
  dv_mapping_first_apply(o, dv_ops(o, DV_ROLE_MAPPING));
  return DV_OK;
}

static void deformable_destroy(dvObject *o)
{
  Deformable *m = (Deformable *)o;
  dv_free(m->frame);
  dv_free(m->rotated);
  dv_free(m->turn);
}

// --- operations ----------------------------------------------------------------------------------

static bool sizes_hold(const Deformable *m)
{
  return m->base.out->count == m->count && m->base.in->count == m->count && (!m->root || m->root->count == m->frames);
}

static dvMat3 turn_of(const Deformable *m, size_t i) { return m->root ? m->turn[m->frame[i]] : dv_mat3_identity(); }

static void deformable_apply(dvObject *o, int out_x, int in_x)
{
  Deformable *m = (Deformable *)o;
  if (!dv_mapping_fits(&m->base, sizes_hold(m))) return;
  const double *d = dv_state_read(m->base.in, in_x), *frames = m->root ? dv_state_read(m->root, in_x) : NULL;
  double *x = dv_state_write(m->base.out, out_x);
  for (size_t f = 0; f < m->frames; f++) m->turn[f] = dv_quat_to_matrix(dv_quat_load(frames + 7 * f + 3));
  for (size_t i = 0; i < m->count; i++) {
    dvVec3 r = dv_mat3_mul_vec(turn_of(m, i), dv_vec3_load(d + 3 * i));
    dv_vec3_store(m->rotated + 3 * i, r);
    dv_vec3_store(x + 3 * i, m->root ? dv_vec3_add(r, dv_vec3_load(frames + 7 * m->frame[i])) : r);
  }
  dv_mapping_touch(&m->base, out_x);
}

static void deformable_apply_j(dvObject *o, int out_v, int in_v)
{
  Deformable *m = (Deformable *)o;
  if (!sizes_hold(m)) return;
  const double *d = dv_state_read(m->base.in, in_v), *frames = m->root ? dv_state_read(m->root, in_v) : NULL;
  double *v = dv_state_write(m->base.out, out_v);
  for (size_t i = 0; i < m->count; i++) {
    dvVec3 sum = dv_mat3_mul_vec(turn_of(m, i), dv_vec3_load(d + 3 * i));
    if (m->root) {
      const double *f = frames + 6 * m->frame[i];
      sum = dv_vec3_add(dv_vec3_add(sum, dv_vec3_load(f)),
                        dv_vec3_cross(dv_vec3_load(f + 3), dv_vec3_load(m->rotated + 3 * i)));
    }
    dv_vec3_store(v + 3 * i, sum);
  }
}

static void deformable_apply_jt(dvObject *o, int in_f, int out_f)
{
  Deformable *m = (Deformable *)o;
  if (!m->base.mapForces || !sizes_hold(m)) return;
  const double *f = dv_state_read(m->base.out, out_f);
  double *d = dv_state_write(m->base.in, in_f), *frames = m->root ? dv_state_write(m->root, in_f) : NULL;
  for (size_t i = 0; i < m->count; i++) {
    dvVec3 force = dv_vec3_load(f + 3 * i);
    dv_vec3_accumulate(d + 3 * i, dv_mat3_t_mul_vec(turn_of(m, i), force));
    if (!m->root) continue;
    dv_vec3_accumulate(frames + 6 * m->frame[i], force);
    dv_vec3_accumulate(frames + 6 * m->frame[i] + 3, dv_vec3_cross(dv_vec3_load(m->rotated + 3 * i), force));
  }
}

static void add_row(const Deformable *m, size_t i, double linear, double angular, dvMatrixSink *sink)
{
  double block[18] = {0};
  dv_mat3_store(block, turn_of(m, i));
  sink->add(sink, m->base.out, i, m->base.in, i, 3, 3, block);
  if (!m->root) return;
  dvMat3 turn = dv_mat3_skew(dv_vec3_scale(dv_vec3_load(m->rotated + 3 * i), -angular));
  for (int k = 0; k < 18; k++) block[k] = k % 6 == k / 6 ? linear : k % 6 > 2 ? turn.m[k / 6][k % 6 - 3] : 0;
  sink->add(sink, m->base.out, i, m->root, (size_t)m->frame[i], 3, 6, block);
}

static void deformable_build_j(dvObject *o, dvMatrixSink *sink)
{
  const Deformable *m = (const Deformable *)o;
  for (size_t i = 0; i < m->count && sizes_hold(m); i++) add_row(m, i, 1, 1, sink);
}

// constraints reach the frame with a scale of their own
static void deformable_row(dvObject *o, size_t i, dvMatrixSink *sink)
{
  const Deformable *m = (const Deformable *)o;
  if (sizes_hold(m)) add_row(m, i, m->rootLinearForceScaleFactor, m->rootAngularForceScaleFactor, sink);
}

// w x (w x r) + 2 w x R v_d
static void deformable_add_jdot(dvObject *o, int out_a, int in_v)
{
  Deformable *m = (Deformable *)o;
  if (!m->root || !sizes_hold(m)) return;
  const double *d = dv_state_read(m->base.in, in_v), *frames = dv_state_read(m->root, in_v);
  double *a = dv_state_write(m->base.out, out_a);
  for (size_t i = 0; i < m->count; i++) {
    dvVec3 w = dv_vec3_load(frames + 6 * m->frame[i] + 3), v = dv_mat3_mul_vec(turn_of(m, i), dv_vec3_load(d + 3 * i));
    dvVec3 inwards = dv_vec3_cross(w, dv_vec3_load(m->rotated + 3 * i));
    dv_vec3_accumulate(a + 3 * i, dv_vec3_cross(w, dv_vec3_add_scaled(inwards, v, 2)));
  }
}

static const dvMappingOps deformable_ops = {
    .apply = deformable_apply,
    .apply_j = deformable_apply_j,
    .apply_jt = deformable_apply_jt,
    .build_j = deformable_build_j,
    .row = deformable_row,
    .add_jdot = deformable_add_jdot,
    DV_MAPPING_SLOTS,
};

static const dvDofPair pairs[] = {{DV_DOF_VEC3, DV_DOF_RIGID3, DV_DOF_VEC3}, {0}};

const dvClass dv_deformable_on_rigid_frame_mapping_class = {
    .struct_size = sizeof(dvClass),
    .name = "DeformableOnRigidFrameMapping",
    .help = "a deformable body whose points are described in a moving frame",
    .module = "Sofa.Component.Mapping.Linear",
    .dofs = DV_DOF_VEC3,
    .dofs_out = DV_DOF_VEC3,
    .pairs = pairs,
    .size = sizeof(Deformable),
    .blocks = {&dv_object_block, &dv_mapping_block, DV_BLOCK(deformable_fields)},
    .ops = {[DV_ROLE_MAPPING] = &deformable_ops},
    .link = deformable_link,
    .init = deformable_init,
    .destroy = deformable_destroy,
    .topology_changed = dv_mapping_cannot_follow,
};

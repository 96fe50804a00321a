// FrameBlendingMapping: a continuum whose motion is blended from that of a few frames (B. Gilles, G. Bousquet, F.
// Faure, D. K. Pai, Frame-based elastic models, 2011; figure 22 of the SOFA chapter).
//
//   x(X) = sum of w_i(X) (c_i + R_i p_i),   p_i = R0_i^T (X - C_i)        rigid frames, 6 degrees of freedom
//   x(X) = sum of w_i(X) (c_i + A_i p_i),   p_i = A0_i^-1 (X - C_i)       affine ones, 12
//   the same with products of p_i as well                                 quadratic ones, 30
//
//   Shepard   w_i = d_i^-n / sum of d_j^-n,   d_i = |X - C_i|: for frames anywhere; stiff, as it is flat at the frames
//   Lines     hat functions along the nearest of the lines between frames (edges of the input's topology, else from
//   each
//             frame to the next): linear from one end to the other, rigid beyond free ends
//   Voxels    those of a VoxelShapeFunction, which knows the material between the frames
//
// gives points of a surface; with `gradients` the output holds the deformation gradient of each integration point
// instead, as three points: the columns of
//
//   dx/dX_k = sum of (dw_i/dX_k c_i + R_i (dw_i/dX_k p_i + w_i R0_i^T e_k))
//
// on which GreenLagrangeForceField and VolumePreservationForceField act. Of frames that deform J is constant.
#include "mapping/linear/deforming_frames.h"
#include "mapping/linear/linear.h"
#include "mapping/nonlinear/frames.h"
#include "mapping/register.h"
#include "mapping/voxel/shape.h"
#include "topology/topology.h"

#include <math.h>
#include <string.h>

enum { SHEPARD, LINES, VOXELS };

#define BLENDING_FIELDS(X)                                                                                    \
  X(bool, gradients, "0", "", "map deformation gradients, three columns for each integration point")          \
  X(vec3s, integrationPoints, "", "m",                                                                        \
    "points at rest in the world; from the output's positions when empty and points are mapped")              \
  X(choice, shape, "Shepard", "", "how the influence of frames falls off", .options = "Shepard|Lines|Voxels") \
  X(link, shapeFunction, "", "", "VoxelShapeFunction that gives the influences; shape is then Voxels")        \
  X(real, power, "2", "", "Shepard: weights fall with this power of the distance from a frame")               \
  X(int, nbRef, "0", "", "Shepard: the nearest so many frames carry a point; 0: all")                         \
  X(choice, geometricStiffness, "None", "",                                                                   \
    "rigid frames: derivative of the torques in products with the system matrix", .options = "None|Exact|Stabilized")

typedef struct Blending {
  dvFramesMapping frames;
  BLENDING_FIELDS(DV_MEMBER)
  DV_ARRAY(int32_t) lines;       // pairs of frames
  const dvObject *voxels;        // gives the influences, or NULL
  dvDeformingFrames deforming;   // in use for frames that deform
} Blending;

#define SELF Blending
static const dvFieldDesc blending_fields[] = {BLENDING_FIELDS(DV_DESCRIBE)};
#undef SELF

static bool deforms(const Blending *m) { return dv_dof_columns(m->frames.base.in->base.dof) > 0; }

static dvVec3 frame_place(const Blending *m, const double *rest, size_t i)
{
  return dv_vec3_load(rest + i * (size_t)m->frames.base.in->base.dof->coord);
}

// frames further than the n-th nearest are left out; the later one of equals first
static void keep_nearest(dvInfluence *list, size_t frames, size_t n)
{
  if (n == 0 || n >= frames) return;
  double last = -1;
  size_t kept = 0;
  while (kept < n) {   // the next larger distance, until n frames lie within it
    double next = INFINITY;
    for (size_t i = 0; i < frames; i++)
      if (list[i].d2 > last && list[i].d2 < next) next = list[i].d2;
    last = next;
    kept = 0;
    for (size_t i = 0; i < frames; i++) kept += list[i].d2 <= last;
  }
  for (size_t i = frames; i > 0; i--) {
    if (list[i - 1].d2 > last) list[i - 1].d2 = INFINITY;
    else if (list[i - 1].d2 == last && kept > n) list[i - 1].d2 = INFINITY, kept--;
  }
}

static void shepard_at(const Blending *m, const double *rest, size_t frames, dvVec3 place, dvInfluence *list)
{
  double sum = 0, near = INFINITY;
  dvVec3 slope = {0, 0, 0};
  for (size_t i = 0; i < frames; i++) {
    list[i].d2 = dv_vec3_norm2(dv_vec3_sub(place, frame_place(m, rest, i)));
    near = fmin(near, list[i].d2);
  }
  keep_nearest(list, frames, (size_t)m->nbRef);
  bool taken = false;   // a point on a frame follows it alone
  for (size_t i = 0; i < frames; i++) {
    double d2 = list[i].d2;
    if (near > 0) list[i].w = isfinite(d2) ? pow(d2 / near, -0.5 * m->power) : 0;
    else list[i].w = d2 == 0 && !taken;
    taken = taken || d2 == 0;
    dvVec3 away = dv_vec3_sub(place, frame_place(m, rest, i));
    list[i].slope = d2 > 0 && list[i].w > 0 ? dv_vec3_scale(away, -m->power * list[i].w / d2) : dv_vec3(0, 0, 0);
    sum += list[i].w;
    slope = dv_vec3_add(slope, list[i].slope);
  }
  for (size_t i = 0; i < frames; i++) {
    list[i].w /= sum;
    list[i].slope = dv_vec3_scale(dv_vec3_add_scaled(list[i].slope, slope, -list[i].w), 1 / sum);
  }
}

static void lines_at(const Blending *m, const double *rest, size_t frames, dvVec3 place, dvInfluence *list)
{
  double least = INFINITY, share = 0;
  dvVec3 slope = {0, 0, 0};
  size_t best = 0;
  for (size_t l = 0; l < m->lines.count; l += 2) {
    dvVec3 a = frame_place(m, rest, (size_t)m->lines.data[l]),
           along = dv_vec3_sub(frame_place(m, rest, (size_t)m->lines.data[l + 1]), a);
    double length2 = dv_vec3_norm2(along), s = length2 > 0 ? dv_vec3_dot(dv_vec3_sub(place, a), along) / length2 : 0,
           on = fmin(fmax(s, 0), 1);
    double d2 = dv_vec3_norm2(dv_vec3_sub(place, dv_vec3_add_scaled(a, along, on)));
    if (!(d2 < least)) continue;
    least = d2, share = on, best = l;
    slope = s == on && length2 > 0 ? dv_vec3_scale(along, 1 / length2) : dv_vec3(0, 0, 0);
  }
  memset(list, 0, frames * sizeof *list);
  list[m->lines.data[best]] = (dvInfluence){1 - share, dv_vec3_neg(slope), 0};
  list[m->lines.data[best + 1]] = (dvInfluence){share, slope, 0};
}

static void influences_at(const Blending *m, const double *rest, size_t frames, dvVec3 place, dvInfluence *list)
{
  if (m->voxels) dv_voxel_shape_at(m->voxels, place, list);
  else (m->shape == LINES ? lines_at : shepard_at)(m, rest, frames, place, list);
}

// edges of the input's topology, else from each frame to the next
static dvStatus find_lines(Blending *m)
{
  dvObject *o = &m->frames.base.base;
  dvState *in = m->frames.base.in;
  dvObject *t = dv_node_find(in->base.node, DV_ROLE_TOPOLOGY);
  m->lines.count = 0;
  if (m->shape != LINES) return DV_OK;
  if (in->count < 2)
    return dv_error(o, NULL, "the input %s has %zu frames; a line needs two", in->base.name, in->count);
  if (t) DV_TRY(dv_object_ensure(t));
  const dvInts *edges = t ? dv_topology_elements(dv_topology(t), DV_EDGE) : NULL;
  for (size_t i = 0; edges && i < edges->count; i++) {
    if (edges->data[i] < 0 || (size_t)edges->data[i] >= in->count)
      return dv_error(o, NULL, "an edge of %s names frame %d, but the state %s has %zu", t->name, edges->data[i],
                      in->base.name, in->count);
    dv_push(&m->lines, edges->data[i]);
  }
  bool none = m->lines.count == 0;
  for (size_t i = 0; none && i + 1 < in->count; i++) {
    dv_push(&m->lines, (int32_t)i);
    dv_push(&m->lines, (int32_t)i + 1);
  }
  return DV_OK;
}

// --- entries of a point --------------------------------------------------------------------------

static double component(dvVec3 v, int k) { return k == 0 ? v.x : k == 1 ? v.y : v.z; }

static bool carries(const dvInfluence *a) { return a->w != 0 || dv_vec3_norm2(a->slope) != 0; }

// `axis` 0 to 2: a column of the gradient; -1: the point itself
static void add_rigid(Blending *m, const double *rest, size_t frames, dvVec3 place, const dvInfluence *list, int axis)
{
  dvObject *o = &m->frames.base.base;
  for (size_t i = 0; i < frames; i++) {
    const double *frame = rest + 7 * i;
    if (axis < 0 && list[i].w > 0) dv_frames_add(o, i, list[i].w, dv_frame_local(frame, place));
    if (axis < 0 || !carries(&list[i])) continue;
    double slope = component(list[i].slope, axis);
    dvVec3 along = dv_quat_inverse_rotate(dv_quat_load(frame + 3), dv_vec3(axis == 0, axis == 1, axis == 2));
    dv_frames_add_arm(o, i, slope,
                      dv_vec3_add_scaled(dv_vec3_scale(along, list[i].w), dv_frame_local(frame, place), slope));
  }
  dv_frames_end_point(o);
}

static void add_deforming(Blending *m, const double *rest, size_t frames, dvVec3 place, const dvInfluence *list,
                          int axis)
{
  dvDeformingFrames *d = &m->deforming;
  size_t width = 3 * (size_t)d->columns;
  for (size_t i = 0; i < frames; i++) {
    const double *frame = rest + width * i;
    double b[DV_DEFORMING_COLUMNS], change[DV_DEFORMING_COLUMNS];
    dvMat3 inverse;
    if (!carries(&list[i]) ||
        !dv_mat3_inverse(
            dv_mat3_from_columns(dv_vec3_load(frame + 3), dv_vec3_load(frame + 6), dv_vec3_load(frame + 9)), &inverse))
      continue;
    dvVec3 p = dv_mat3_mul_vec(inverse, dv_vec3_sub(place, dv_vec3_load(frame)));
    dv_deforming_basis(d->columns, p, b);
    if (axis >= 0) dv_deforming_basis_change(d->columns, p, dv_mat3_column(inverse, axis), change);
    for (int k = 0; k < d->columns; k++)
      b[k] = axis < 0 ? list[i].w * b[k] : component(list[i].slope, axis) * b[k] + list[i].w * change[k];
    dv_deforming_add(d, i, b);
  }
  dv_deforming_end_point(d);
}

static void add_point(Blending *m, const double *rest, size_t frames, dvVec3 place, const dvInfluence *list)
{
  for (int axis = m->gradients ? 0 : -1; axis < (m->gradients ? 3 : 0); axis++)
    (deforms(m) ? add_deforming : add_rigid)(m, rest, frames, place, list, axis);
}

// --- set-up --------------------------------------------------------------------------------------

// places in a frame that deforms are those before its deformation: at rest it is affine and can be undone
static dvStatus check_rest(const Blending *m, const double *rest)
{
  const dvState *in = m->frames.base.in;
  size_t width = (size_t)in->base.dof->coord;
  for (size_t i = 0; i < in->count && deforms(m); i++) {
    const double *frame = rest + width * i;
    dvMat3 a = dv_mat3_from_columns(dv_vec3_load(frame + 3), dv_vec3_load(frame + 6), dv_vec3_load(frame + 9)), inverse;
    if (!dv_mat3_inverse(a, &inverse))
      return dv_error(&m->frames.base.base, "give axes that span space", "frame %zu of %s is flat at rest", i,
                      in->base.name);
    for (size_t k = 12; k < width; k++)
      if (frame[k] != 0)
        return dv_error(&m->frames.base.base, "give 0 for the last 18 numbers of rest_position",
                        "frame %zu of %s is bent at rest", i, in->base.name);
  }
  return DV_OK;
}

static dvStatus check_fields(Blending *m)
{
  dvObject *o = &m->frames.base.base;
  dvState *in = m->frames.base.in;
  if (in->count == 0) return dv_error(o, NULL, "the input %s has no frames", in->base.name);
  if (!(m->power >= 1 && m->power <= 20))
    return dv_field_error(o, &m->power, NULL, "power is %g; it goes from 1 to 20", m->power);
  if (m->nbRef < 0) return dv_field_error(o, &m->nbRef, NULL, "nbRef is %d", m->nbRef);
  if (m->gradients && m->integrationPoints.count == 0)
    return dv_error(o, "give integrationPoints", "deformation gradients need integration points");
  m->voxels = NULL;
  if (m->shapeFunction.target || m->shape == VOXELS) {
    m->voxels = dv_voxel_shape(o, &m->shapeFunction);
    if (!m->voxels) return DV_ERROR_INPUT;
    dvState *frames = dv_voxel_shape_frames(m->voxels);
    if (frames->count != in->count)
      return dv_error(o, NULL, "%s has influences of the %zu frames of %s, and %s has %zu", m->voxels->name,
                      frames->count, frames->base.name, in->base.name, in->count);
  }
  return find_lines(m);
}

static dvStatus blending_init(dvObject *o)
{
  Blending *m = (Blending *)o;
  dvState *in = m->frames.base.in, *out = m->frames.base.out;
  size_t frames = in->count;
  DV_TRY(check_fields(m));
  if (m->integrationPoints.count == 0 &&
      !dv_reals_assign(&m->integrationPoints, dv_state_read(out, DV_X), 3 * out->count))
    return dv_error(o, NULL, "out of memory");
  size_t points = dv_reals_size(&m->integrationPoints);
  if ((double)points * (double)frames > 1e8)
    return dv_error(o, "limit the frames a point with nbRef", "%zu points and %zu frames are too many", points, frames);
  const double *rest = dv_state_read(in, DV_X_REST);
  DV_TRY(check_rest(m, rest));
  dvInfluence *list = dv_alloc((frames + 1) * sizeof *list);
  dv_frames_clear(o);
  dv_deforming_clear(&m->deforming, in->base.dof);
  for (size_t p = 0; p < points; p++) {
    dvVec3 place = dv_vec3_load(m->integrationPoints.data + 3 * p);
    influences_at(m, rest, frames, place, list);
    add_point(m, rest, frames, place, list);
  }
  dv_free(list);
  if (!deforms(m)) return dv_frames_settle(o, true);
  DV_TRY(dv_deforming_settle(&m->deforming, &m->frames.base));
  dv_mapping_first_apply(o, dv_ops(o, DV_ROLE_MAPPING));
  return DV_OK;
}

// --- operations ----------------------------------------------------------------------------------

static void blending_apply(dvObject *o, int out_x, int in_x)
{
  Blending *m = (Blending *)o;
  if (!deforms(m)) {
    dv_frames_ops.apply(o, out_x, in_x);
    return;
  }
  if (!dv_mapping_fits(&m->frames.base, dv_deforming_hold(&m->deforming, &m->frames.base))) return;
  dv_deforming_apply(&m->deforming, &m->frames.base, out_x, in_x);
  dv_mapping_touch(&m->frames.base, out_x);
}

static void blending_apply_j(dvObject *o, int out_v, int in_v)
{
  Blending *m = (Blending *)o;
  if (!deforms(m)) dv_frames_ops.apply_j(o, out_v, in_v);
  else if (dv_deforming_hold(&m->deforming, &m->frames.base))
    dv_deforming_apply(&m->deforming, &m->frames.base, out_v, in_v);
}

static void blending_apply_jt(dvObject *o, int in_f, int out_f)
{
  Blending *m = (Blending *)o;
  if (!deforms(m)) dv_frames_ops.apply_jt(o, in_f, out_f);
  else if (m->frames.base.mapForces && dv_deforming_hold(&m->deforming, &m->frames.base))
    dv_deforming_apply_jt(&m->deforming, &m->frames.base, in_f, out_f);
}

static void blending_apply_djt(dvObject *o, const dvMech *mech, int in_df, int in_dx, int out_f)
{
  Blending *m = (Blending *)o;
  if (!deforms(m)) dv_frames_apply_djt(&m->frames, m->geometricStiffness, mech->k, in_df, in_dx, out_f);
}

static void blending_add_geometric(dvObject *o, const dvMech *mech, int out_f, dvMatrixSink *sink)
{
  Blending *m = (Blending *)o;
  if (!deforms(m)) dv_frames_add_geometric(&m->frames, m->geometricStiffness, mech->k, out_f, sink);
}

static void blending_row(dvObject *o, size_t i, dvMatrixSink *sink)
{
  Blending *m = (Blending *)o;
  if (!deforms(m)) dv_frames_ops.row(o, i, sink);
  else if (dv_deforming_hold(&m->deforming, &m->frames.base)) dv_deforming_row(&m->deforming, &m->frames.base, i, sink);
}

static void blending_add_jdot(dvObject *o, int out_a, int in_v)
{
  if (!deforms((Blending *)o)) dv_frames_ops.add_jdot(o, out_a, in_v);
}

static const dvMappingOps blending_ops = {
    .apply = blending_apply,
    .apply_j = blending_apply_j,
    .apply_jt = blending_apply_jt,
    .apply_djt = blending_apply_djt,
    .build_j = dv_mapping_build_rows,
    .row = blending_row,
    .add_geometric = blending_add_geometric,
    .add_jdot = blending_add_jdot,
    DV_MAPPING_SLOTS,
};

static void blending_destroy(dvObject *o)
{
  dv_array_free(&((Blending *)o)->lines);
  dv_deforming_free(&((Blending *)o)->deforming);
  dv_frames_destroy(o);
}

static const dvDofPair pairs[] = {{DV_DOF_RIGID3 | DV_DOF_BENDING, 0, DV_DOF_VEC3}, {0}};

const dvClass dv_frame_blending_mapping_class = {
    .struct_size = sizeof(dvClass),
    .name = "FrameBlendingMapping",
    .help = "points or deformation gradients of a body whose motion is blended from a few frames",
    .module = "Divan",
    .dofs = DV_DOF_RIGID3 | DV_DOF_BENDING,
    .dofs_out = DV_DOF_VEC3,
    .pairs = pairs,
    .size = sizeof(Blending),
    .blocks = {&dv_object_block, &dv_mapping_block, DV_BLOCK(blending_fields)},
    .ops = {[DV_ROLE_MAPPING] = &blending_ops},
    .link = dv_mapping_link,
    .init = blending_init,
    .destroy = blending_destroy,
    .topology_changed = dv_mapping_cannot_follow,
};

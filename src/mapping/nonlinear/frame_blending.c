// FrameBlendingMapping: a continuum whose motion is blended from that of a few frames (B. Gilles, G. Bousquet, F. Faure,
// D. K. Pai, Frame-based elastic models, 2011; figure 22 of the SOFA chapter).
//
//   x(X) = sum of w_i(X) (c_i + R_i p_i),   p_i = R0_i^T (X - C_i)
//
//   Shepard   w_i = d_i^-n / sum of d_j^-n,   d_i = |X - C_i|: for frames anywhere; stiff, as it is flat at the frames
//   Lines     hat functions along the nearest of the lines between frames (edges of the input's topology, else from each
//             frame to the next): linear from one end to the other, rigid beyond free ends
//
// gives points of a surface; with `gradients` the output holds the deformation gradient of each integration point instead, as
// three points: the columns of
//
//   dx/dX_k = sum of (dw_i/dX_k c_i + R_i (dw_i/dX_k p_i + w_i R0_i^T e_k))
//
// on which GreenLagrangeForceField and VolumePreservationForceField act.
#include "mapping/linear/linear.h"
#include "mapping/nonlinear/frames.h"
#include "mapping/register.h"
#include "topology/topology.h"

#include <math.h>
#include <string.h>

enum { SHEPARD, LINES };

#define BLENDING_FIELDS(X)                                                                                            \
  X(bool, gradients, "0", "", "map deformation gradients, three columns for each integration point")                  \
  X(vec3s, integrationPoints, "", "m", "points at rest in the world; from the output's positions when empty and points are mapped")   \
  X(choice, shape, "Shepard", "", "how the influence of frames falls off", .options = "Shepard|Lines")                \
  X(real, power, "2", "", "Shepard: weights fall with this power of the distance from a frame")                                \
  X(int, nbRef, "0", "", "Shepard: the nearest so many frames carry a point; 0: all")

typedef struct Blending {
  dvFramesMapping frames;
  BLENDING_FIELDS(DV_MEMBER)
  DV_ARRAY(int32_t) lines;    // pairs of frames
} Blending;

#define SELF Blending
static const dvFieldDesc blending_fields[] = {BLENDING_FIELDS(DV_DESCRIBE)};
#undef SELF

typedef struct Influence {
  double w;          // weight
  dvVec3 slope;      // its gradient
  double d2;         // distance squared
} Influence;

// frames further than the n-th nearest are left out; the later one of equals first
static void keep_nearest(Influence *list, size_t frames, size_t n)
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

static void shepard_at(const Blending *m, const double *rest, size_t frames, dvVec3 place, Influence *list)
{
  double sum = 0, near = INFINITY;
  dvVec3 slope = {0, 0, 0};
  for (size_t i = 0; i < frames; i++) {
    list[i].d2 = dv_vec3_norm2(dv_vec3_sub(place, dv_vec3_load(rest + 7 * i)));
    near = fmin(near, list[i].d2);
  }
  keep_nearest(list, frames, (size_t)m->nbRef);
  bool taken = false;   // a point on a frame follows it alone
  for (size_t i = 0; i < frames; i++) {
    double d2 = list[i].d2;
    if (near > 0) list[i].w = isfinite(d2) ? pow(d2 / near, -0.5 * m->power) : 0;
    else list[i].w = d2 == 0 && !taken;
    taken = taken || d2 == 0;
    dvVec3 away = dv_vec3_sub(place, dv_vec3_load(rest + 7 * i));
    list[i].slope = d2 > 0 && list[i].w > 0 ? dv_vec3_scale(away, -m->power * list[i].w / d2) : dv_vec3(0, 0, 0);
    sum += list[i].w;
    slope = dv_vec3_add(slope, list[i].slope);
  }
  for (size_t i = 0; i < frames; i++) {
    list[i].w /= sum;
    list[i].slope = dv_vec3_scale(dv_vec3_add_scaled(list[i].slope, slope, -list[i].w), 1 / sum);
  }
}

static void lines_at(const Blending *m, const double *rest, size_t frames, dvVec3 place, Influence *list)
{
  double least = INFINITY, share = 0;
  dvVec3 slope = {0, 0, 0};
  size_t best = 0;
  for (size_t l = 0; l < m->lines.count; l += 2) {
    dvVec3 a = dv_vec3_load(rest + 7 * (size_t)m->lines.data[l]), along = dv_vec3_sub(dv_vec3_load(rest + 7 * (size_t)m->lines.data[l + 1]), a);
    double length2 = dv_vec3_norm2(along), s = length2 > 0 ? dv_vec3_dot(dv_vec3_sub(place, a), along) / length2 : 0, on = fmin(fmax(s, 0), 1);
    double d2 = dv_vec3_norm2(dv_vec3_sub(place, dv_vec3_add_scaled(a, along, on)));
    if (!(d2 < least)) continue;
    least = d2, share = on, best = l;
    slope = s == on && length2 > 0 ? dv_vec3_scale(along, 1 / length2) : dv_vec3(0, 0, 0);
  }
  memset(list, 0, frames * sizeof *list);
  list[m->lines.data[best]] = (Influence){1 - share, dv_vec3_neg(slope), 0};
  list[m->lines.data[best + 1]] = (Influence){share, slope, 0};
}

static void influences_at(const Blending *m, const double *rest, size_t frames, dvVec3 place, Influence *list)
{
  (m->shape == LINES ? lines_at : shepard_at)(m, rest, frames, place, list);
}

// edges of the input's topology, else from each frame to the next
static dvStatus find_lines(Blending *m)
{
  dvObject *o = &m->frames.base.base;
  dvState *in = m->frames.base.in;
  dvObject *t = dv_node_find(in->base.node, DV_ROLE_TOPOLOGY);
  m->lines.count = 0;
  if (m->shape != LINES) return DV_OK;
  if (in->count < 2) return dv_error(o, NULL, "the input %s has %zu frames; a line needs two", in->base.name, in->count);
  if (t) DV_TRY(dv_object_ensure(t));
  const dvInts *edges = t ? dv_topology_elements(dv_topology(t), DV_EDGE) : NULL;
  for (size_t i = 0; edges && i < edges->count; i++) {
    if (edges->data[i] < 0 || (size_t)edges->data[i] >= in->count)
      return dv_error(o, NULL, "an edge of %s names frame %d, but the state %s has %zu", t->name, edges->data[i], in->base.name, in->count);
    dv_push(&m->lines, edges->data[i]);
  }
  bool none = m->lines.count == 0;
  for (size_t i = 0; none && i + 1 < in->count; i++) {
    dv_push(&m->lines, (int32_t)i);
    dv_push(&m->lines, (int32_t)i + 1);
  }
  return DV_OK;
}

static void add_gradient(dvObject *o, const double *rest, size_t frames, dvVec3 place, const Influence *list)
{
  for (int k = 0; k < 3; k++) {
    for (size_t i = 0; i < frames; i++) {
      if (list[i].w == 0 && dv_vec3_norm2(list[i].slope) == 0) continue;
      const double *frame = rest + 7 * i;
      double slope = k == 0 ? list[i].slope.x : k == 1 ? list[i].slope.y : list[i].slope.z;
      dvVec3 axis = dv_quat_inverse_rotate(dv_quat_load(frame + 3), dv_vec3(k == 0, k == 1, k == 2));
      dv_frames_add_arm(o, i, slope, dv_vec3_add_scaled(dv_vec3_scale(axis, list[i].w), dv_frame_local(frame, place), slope));
    }
    dv_frames_end_point(o);
  }
}

static dvStatus blending_init(dvObject *o)
{
  Blending *m = (Blending *)o;
  dvState *in = m->frames.base.in, *out = m->frames.base.out;
  size_t frames = in->count;
  if (frames == 0) return dv_error(o, NULL, "the input %s has no frames", in->base.name);
  if (!(m->power >= 1 && m->power <= 20)) return dv_field_error(o, &m->power, NULL, "power is %g; it goes from 1 to 20", m->power);
  if (m->nbRef < 0) return dv_field_error(o, &m->nbRef, NULL, "nbRef is %d", m->nbRef);
  if (m->gradients && m->integrationPoints.count == 0) return dv_error(o, "give integrationPoints", "deformation gradients need integration points");
  if (m->integrationPoints.count == 0 && !dv_reals_assign(&m->integrationPoints, dv_state_read(out, DV_X), 3 * out->count)) return dv_error(o, NULL, "out of memory");
  size_t points = dv_reals_size(&m->integrationPoints);
  if ((double)points * (double)frames > 1e8) return dv_error(o, "limit the frames a point with nbRef", "%zu points and %zu frames are too many", points, frames);
  DV_TRY(find_lines(m));
  const double *rest = dv_state_read(in, DV_X_REST);
  Influence *list = dv_alloc((frames + 1) * sizeof *list);
  dv_frames_clear(o);
  for (size_t p = 0; p < points; p++) {
    dvVec3 place = dv_vec3_load(m->integrationPoints.data + 3 * p);
    influences_at(m, rest, frames, place, list);
    if (m->gradients) {
      add_gradient(o, rest, frames, place, list);
      continue;
    }
    for (size_t i = 0; i < frames; i++)
      if (list[i].w > 0) dv_frames_add(o, i, list[i].w, dv_frame_local(rest + 7 * i, place));
    dv_frames_end_point(o);
  }
  dv_free(list);
  return dv_frames_settle(o, true);
}

static void blending_destroy(dvObject *o)
{
  dv_array_free(&((Blending *)o)->lines);
  dv_frames_destroy(o);
}

static const dvDofPair pairs[] = {{DV_DOF_RIGID3, 0, DV_DOF_VEC3}, {0}};

const dvClass dv_frame_blending_mapping_class = {
    .struct_size = sizeof(dvClass),
    .name = "FrameBlendingMapping",
    .help = "points or deformation gradients of a body whose motion is blended from a few frames",
    .module = "Divan",
    .dofs = DV_DOF_RIGID3,
    .dofs_out = DV_DOF_VEC3,
    .pairs = pairs,
    .size = sizeof(Blending),
    .blocks = {&dv_object_block, &dv_mapping_block, DV_BLOCK(blending_fields)},
    .ops = {[DV_ROLE_MAPPING] = &dv_frames_ops},
    .link = dv_mapping_link,
    .init = blending_init,
    .destroy = blending_destroy,
};

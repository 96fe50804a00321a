// SutureController: the beams of a thread that lies free, laid out anew in every step.
//
// Nodes are at the borders of the sections of the thread, between them so densely as the sections ask for, and so
// densely that no beam bends by more than maxBendingAngle. Their poses and velocities are those of the former curve.
// Beams within rigid parts (a needle at the end of a thread) share one degree of freedom in the middle of the part.
// Nodes are the first degrees of freedom of the state; the others wait at the end of the thread, held by a
// FixedProjectiveConstraint.
#include "instrument/deploy.h"

#include "instrument/spline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

extern const dvClass dv_suture_class;

#define SUTURE_FIELDS(X)                                                                                             \
  X(frames, startingPos, "0 0 0 0 0 0 1", "m", "frame where the thread begins, in its shape at rest")                \
  X(real, threshold, "1e-6", "m", "nodes closer than this are one", .least = "0")                                    \
  X(real, maxBendingAngle, "0.1", "rad", "the most that a beam bends")                                               \
  X(bool, useDummyController, "0", "", "no effect: a test of SOFA's", .flags = DV_IDLE | DV_HIDDEN)                  \
  X(bool, fixRigidTransforms, "0", "", "no effect: rigid parts keep their shape", .flags = DV_IDLE)                  \
  X(reals, rigidCurvAbs, "", "m", "pairs of places along the thread between which it is rigid")                      \
  X(reals, nodeCurvAbs, "", "m", "where the nodes are along the thread", .flags = DV_READ_ONLY)                      \
  X(vec2s, curvatureList, "", "", "end of each beam along the thread, and the angle by which it bends",              \
    .flags = DV_READ_ONLY)                                                                                           \
  X(frames, controlPoints, "", "m", "frames of the nodes", .flags = DV_READ_ONLY)                                    \
  X(bool, updateOnBeginAnimationStep, "0", "", "no effect: beams are laid out at the beginning of a step",           \
    .flags = DV_IDLE)                                                                                                \
  X(bool, applyOrientationFirstInCreateNeedle, "0", "", "no effect: startingPos is a frame",                         \
    .flags = DV_IDLE | DV_HIDDEN)                                                                                    \
  X(bool, reinitilizeWireOnInit, "0", "", "no effect: the thread always begins at startingPos",                      \
    .flags = DV_IDLE | DV_HIDDEN)                                                                                    \
  X(reals, m_actualStepNoticeablePoints, "", "m", "places along the thread that get a node")                         \
  X(link, interpolation, "", "", "the WireBeamInterpolation; that of the node by default")                           \
  X(link, fixedConstraint, "", "", "holds what is not needed; the FixedProjectiveConstraint of the node by default", \
    .role = DV_ROLE_PROJECTIVE)

typedef struct Suture {
  dvObject base;
  SUTURE_FIELDS(DV_MEMBER)
  dvBeams *beams;
  dvField *fixed;
  bool told;
  int32_t used;                        // degrees of freedom
  DV_ARRAY(double) key, next, angle;   // places that must be nodes, the new nodes, bending of the beams
  DV_ARRAY(double) poses, speed;       // of the new nodes
} Suture;

#define SELF Suture
static const dvFieldDesc suture_fields[] = {SUTURE_FIELDS(DV_DESCRIBE)};
static const dvMemoryDesc suture_memory[] = {DV_REMEMBER(reals, nodeCurvAbs) DV_REMEMBER(numbers, used)};
#undef SELF

static int compare(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// --- where nodes are -----------------------------------------------------------------------------

static size_t rigid_parts(const Suture *c) { return c->rigidCurvAbs.count / 2; }
static bool is_rigid(const Suture *c, double from, double to)
{
  for (size_t i = 0; i < rigid_parts(c); i++)
    if (from > c->rigidCurvAbs.data[2 * i] - c->threshold && to < c->rigidCurvAbs.data[2 * i + 1] + c->threshold)
      return true;
  return false;
}

static void gather_keys(Suture *c)
{
  const dvWireShape *shape = c->beams->shape;
  double length = dv_wire_shape_length(shape);
  c->key.count = 0;
  for (size_t i = 0; i < shape->keyPoints.count; i++) dv_push(&c->key, shape->keyPoints.data[i]);
  for (size_t i = 0; i < 2 * rigid_parts(c); i++) dv_push(&c->key, c->rigidCurvAbs.data[i]);
  for (size_t i = 0; i < c->m_actualStepNoticeablePoints.count; i++)
    dv_push(&c->key, c->m_actualStepNoticeablePoints.data[i]);
  size_t kept = 0;
  qsort(c->key.data, c->key.count, sizeof *c->key.data, compare);
  for (size_t i = 0; i < c->key.count; i++) {
    double x = fmin(fmax(c->key.data[i], 0), length);
    if (kept == 0 || x > c->key.data[kept - 1] + c->threshold) c->key.data[kept++] = x;
  }
  c->key.count = kept;
}

// by how much the curve of a beam bends, in five chords of its tangent
static double bending(const dvBeams *b, size_t beam, const double *x)
{
  dvPose ends[2];
  dv_beams_poses(b, beam, x, ends);
  dvSpline s = dv_spline(ends, b->lengthList.data[beam]);
  double sum = 0;
  dvVec3 before = dv_spline_tangent(&s, 0);
  for (int i = 1; i <= 5; i++) {
    dvVec3 now = dv_spline_tangent(&s, i / 5.0);
    sum += atan2(dv_vec3_norm(dv_vec3_cross(before, now)), dv_vec3_dot(before, now));
    before = now;
  }
  return sum;
}

static void measure_bending(Suture *c, const double *x)
{
  dvBeams *b = c->beams;
  size_t count = dv_beams_count(b);
  dv_array_resize(&c->angle, count);
  if (!dv_reals_resize(&c->curvatureList, 2 * count)) return;
  double *list = dv_reals_edit(&c->curvatureList);
  for (size_t i = 0; i < count; i++) {
    c->angle.data[i] = bending(b, i, x);
    list[2 * i] = b->reach.data[i];
    list[2 * i + 1] = c->angle.data[i];
  }
  dv_touch(&c->base, &c->curvatureList);
}

// the next node behind x: at most so far that the beam bends by the angle that is allowed
static double step_from(const Suture *c, double x, double most)
{
  const dvBeams *b = c->beams;
  double left = c->maxBendingAngle, t;
  for (size_t i = dv_beams_at(b, x + c->threshold / 2, &t); i < dv_beams_count(b) && x < most; i++) {
    double rest = b->reach.data[i] - x, rate = c->angle.data[i] / b->lengthList.data[i];
    if (rate * rest > left) return fmin(most, x + left / rate);
    left -= rate * rest;
    x = b->reach.data[i];
  }
  return most;
}

static void choose_nodes(Suture *c)
{
  gather_keys(c);
  double least = c->key.data[c->key.count - 1] / (8.0 * (double)c->beams->state->count);
  c->next.count = 0;
  dv_push(&c->next, c->key.data[0]);
  for (size_t k = 0; k + 1 < c->key.count; k++) {
    double x = c->key.data[k], end = c->key.data[k + 1];
    const dvRodSection *part = dv_wire_shape_part(c->beams->shape, end);
    double longest = part->length / part->nbBeams;
    while (x < end - c->threshold) {
      double most = fmin(end, x + longest);
      if (end - most < c->threshold) most = end;
      double next = is_rigid(c, c->key.data[k], end) || dv_beams_count(c->beams) == 0 ? most : step_from(c, x, most);
      x = fmax(next, fmin(end, x + fmax(least, 1e-3 * longest)));   // a kink must not ask for nodes without end
      dv_push(&c->next, x);
    }
  }
  size_t all = c->beams->state->count;
  if (c->next.count <= all) return;
  if (!c->told)
    dv_warning(&c->base, "give the state more frames, or raise maxBendingAngle",
               "the thread needs %zu nodes, but there are %zu frames: bends are coarser than asked for", c->next.count,
               all);
  c->told = true;
  double *x = c->next.data, count = (double)c->next.count - 1;
  for (size_t i = 1; i < all; i++) x[i] = x[(size_t)round(count * (double)i / (double)(all - 1))];
  c->next.count = all;
}

// --- positions and beams -------------------------------------------------------------------------

static void sample(Suture *c, const double *x, const double *v)
{
  const dvBeams *b = c->beams;
  dv_array_resize(&c->poses, 7 * c->next.count);
  dv_array_resize(&c->speed, 6 * c->next.count);
  for (size_t i = 0; i < c->next.count; i++) {
    double t;
    dvPose poses[2];
    size_t ends[2], at = dv_beams_at(b, c->next.data[i], &t);
    dv_beams_ends(b, at, ends);
    dv_beams_poses(b, at, x, poses);
    dv_pose_store(c->poses.data + 7 * i, dv_spline_pose(poses, b->lengthList.data[at], t));
    for (size_t k = 0; k < 6; k++) c->speed.data[6 * i + k] = (1 - t) * v[6 * ends[0] + k] + t * v[6 * ends[1] + k];
    for (size_t e = 0; e < 2; e++) {   // what turns carries its beams with it
      dvVec3 w = dv_vec3_load(v + 6 * ends[e] + 3),
             arm = dv_vec3_sub(dv_vec3_load(c->poses.data + 7 * i), dv_vec3_load(x + 7 * ends[e]));
      if (ends[0] == ends[1]) dv_vec3_accumulate(c->speed.data + 6 * i, dv_vec3_scale(dv_vec3_cross(w, arm), 0.5));
    }
  }
}

// the thread at rest, from startingPos
static void sample_rest(Suture *c)
{
  dvPose start = dv_pose_load(c->startingPos.data);
  dv_array_resize(&c->poses, 7 * c->next.count);
  dv_array_resize(&c->speed, 6 * c->next.count);
  memset(c->speed.data, 0, 6 * c->next.count * sizeof(double));
  for (size_t i = 0; i < c->next.count; i++)
    dv_pose_store(c->poses.data + 7 * i, dv_pose_mul(start, dv_wire_shape_pose(c->beams->shape, c->next.data[i])));
}

static void lay_beams(Suture *c)
{
  size_t count = c->next.count - 1;
  dv_beams_clear(c->beams);
  for (size_t s = 0; s < count; s++)
    dv_beams_add(c->beams, s, c->next.data[s + 1] - c->next.data[s], c->next.data[s], c->next.data[s + 1],
                 dv_quat_identity());
  dv_beams_changed(c->beams);
}

// nodes `first` to `last` become one degree of freedom: its frame and velocity
static void merge(const Suture *c, size_t first, size_t last, double *x, double *v)
{
  dvVec3 centre = {0, 0, 0};
  double length = c->next.data[last] - c->next.data[first];
  for (size_t i = first; i < last; i++) {
    double part = (c->next.data[i + 1] - c->next.data[i]) / (2 * length);
    centre = dv_vec3_add_scaled(centre, dv_vec3_load(c->poses.data + 7 * i), part);
    centre = dv_vec3_add_scaled(centre, dv_vec3_load(c->poses.data + 7 * (i + 1)), part);
  }
  dvPose end = dv_pose_load(c->poses.data + 7 * last);
  const double *speed = c->speed.data + 6 * last;
  dv_pose_store(x, (dvPose){centre, end.turn});
  dv_vec3_store(v,
                dv_vec3_add(dv_vec3_load(speed), dv_vec3_cross(dv_vec3_load(speed + 3), dv_vec3_sub(centre, end.at))));
  memcpy(v + 3, speed + 3, 3 * sizeof *v);
}

// the frames of the nodes, and which of them each beam joins
static void place_frames(Suture *c, double *x, double *v)
{
  size_t count = c->next.count, dof = 0;
  for (size_t i = 0; i < count; dof++) {
    size_t last = i;
    while (last + 1 < count && is_rigid(c, c->next.data[last], c->next.data[last + 1])) last++;
    memcpy(x + 7 * dof, c->poses.data + 7 * i, 7 * sizeof *x);
    memcpy(v + 6 * dof, c->speed.data + 6 * i, 6 * sizeof *v);
    if (last > i) merge(c, i, last, x + 7 * dof, v + 6 * dof);
    dvPose frame = dv_pose_load(x + 7 * dof);
    for (size_t k = i; k <= last; k++) {   // the beams behind and before each of them
      dvPose local = last > i ? dv_pose_from(frame, dv_pose_load(c->poses.data + 7 * k)) : dv_pose_identity();
      if (k > 0) dv_beams_join(c->beams, k - 1, 1, dof, local);
      if (k + 1 < count) dv_beams_join(c->beams, k, 0, dof, local);
    }
    i = last + 1;
  }
  c->used = (int32_t)dof;
  for (size_t i = dof; i < c->beams->state->count; i++) {
    memcpy(x + 7 * i, x + 7 * (dof - 1), 7 * sizeof *x);
    memset(v + 6 * i, 0, 6 * sizeof *v);
  }
}

static void fix_waiting(Suture *c)
{
  dvInts *list = c->fixed->value;
  size_t all = c->beams->state->count, used = (size_t)c->used;
  if (!dv_ints_resize(list, all - used)) return;
  for (size_t i = used; i < all; i++) dv_ints_edit(list)[i - used] = (int32_t)i;
  dv_field_touch(c->fixed);
}

static void lay_out(Suture *c, bool first)
{
  dvState *s = c->beams->state;
  double *x = dv_state_write(s, DV_X), *v = dv_state_write(s, DV_V);
  if (!first) measure_bending(c, x);
  choose_nodes(c);
  if (first) sample_rest(c);
  else sample(c, x, v);
  lay_beams(c);
  place_frames(c, x, v);
  fix_waiting(c);
  dv_state_touch(s, DV_X);
  dv_state_touch(s, DV_V);
  if (dv_reals_assign(&c->nodeCurvAbs, c->next.data, c->next.count) &&
      dv_reals_assign(&c->controlPoints, c->poses.data, c->poses.count)) {
    dv_touch(&c->base, &c->nodeCurvAbs);
    dv_touch(&c->base, &c->controlPoints);
  }
}

static void suture_event(dvObject *o, const dvEvent *event)
{
  Suture *c = (Suture *)o;
  if (event->kind == DV_EVENT_ANIMATE_BEGIN && !o->failed && dv_beams_count(c->beams)) lay_out(c, false);
}

// --- set-up --------------------------------------------------------------------------------------

static dvStatus check_fields(Suture *c)
{
  dvObject *o = &c->base;
  double length = dv_wire_shape_length(c->beams->shape);
  if (!(c->threshold > 0 && c->threshold < length))
    return dv_field_error(o, &c->threshold, NULL, "threshold %g is not between 0 and the length, %g", c->threshold,
                          length);
  if (!(c->maxBendingAngle > 0))
    return dv_field_error(o, &c->maxBendingAngle, NULL, "maxBendingAngle %g is not positive", c->maxBendingAngle);
  if (c->startingPos.count != 7)
    return dv_field_error(o, &c->startingPos, "give x y z and a quaternion", "startingPos has %zu numbers",
                          c->startingPos.count);
  dv_quat_store(dv_reals_edit(&c->startingPos) + 3, dv_quat_normalise(dv_quat_load(c->startingPos.data + 3)));
  if (c->rigidCurvAbs.count % 2)
    return dv_field_error(o, &c->rigidCurvAbs, "give pairs: where each rigid part begins and ends",
                          "rigidCurvAbs has %zu numbers", c->rigidCurvAbs.count);
  for (size_t i = 0; i < c->rigidCurvAbs.count; i++)
    if (!(c->rigidCurvAbs.data[i] >= 0 && c->rigidCurvAbs.data[i] <= length * (1 + 1e-9)) ||
        (i > 0 && !(c->rigidCurvAbs.data[i] > c->rigidCurvAbs.data[i - 1])))
      return dv_field_error(o, &c->rigidCurvAbs, NULL,
                            "rigidCurvAbs must rise from 0 to the length of the thread, %g; %g does not", length,
                            c->rigidCurvAbs.data[i]);
  return DV_OK;
}

static dvStatus suture_init(dvObject *o)
{
  Suture *c = (Suture *)o;
  c->beams = dv_beams_find(o, &c->interpolation, false);
  if (!c->beams) return DV_ERROR_INPUT;
  if (!c->beams->shape)
    return dv_field_error(o, &c->interpolation, "link a WireBeamInterpolation",
                          "the beams of %s are there from the start", c->beams->base.name);
  if (c->beams->controller && c->beams->controller != o)
    return dv_error(o, "one controller moves an instrument", "%s already moves %s", c->beams->controller->name,
                    c->beams->base.name);
  c->beams->controller = o;
  DV_TRY(check_fields(c));
  c->fixed = dv_waiting_indices(o, &c->fixedConstraint, "what the thread does not need");
  if (!c->fixed) return DV_ERROR_INPUT;
  size_t frames = c->beams->state->count, edges = dv_topology_count(c->beams->topology, DV_EDGE);
  if (frames < 2 || edges + 1 < frames)
    return dv_error(o, "use a RegularGridTopology with nx=\"…\" ny=\"1\" nz=\"1\"",
                    "%zu frames and %zu edges are no line", frames, edges);
  return DV_OK;
}

static dvStatus suture_bwd_init(dvObject *o)
{
  Suture *c = (Suture *)o;
  dv_beams_clear(c->beams);
  lay_out(c, true);
  dv_state_share(c->beams->state, DV_X_REST, DV_X);
  return DV_OK;
}

static bool suture_restored(dvObject *o)
{
  Suture *c = (Suture *)o;
  if (c->used < 1 || (size_t)c->used > c->beams->state->count) return false;
  fix_waiting(c);
  return true;
}

static void suture_destroy(dvObject *o)
{
  Suture *c = (Suture *)o;
  dv_array_free(&c->key);
  dv_array_free(&c->next);
  dv_array_free(&c->angle);
  dv_array_free(&c->poses);
  dv_array_free(&c->speed);
}

const dvClass dv_suture_class = {
    .struct_size = sizeof(dvClass),
    .name = "SutureController",
    .help = "lays out the beams of a thread anew as it bends, with rigid parts such as a needle",
    .module = "BeamAdapter",
    .dofs = DV_DOF_RIGID3,
    .roles = DV_PLAYS(DV_ROLE_CONTROLLER),
    .presets = "listening=1",
    .size = sizeof(Suture),
    .blocks = {&dv_object_block, DV_BLOCK(suture_fields)},
    .init = suture_init,
    .bwd_init = suture_bwd_init,
    .handle_event = suture_event,
    .destroy = suture_destroy,
    DV_MEMORY(suture_memory),
    .restored = suture_restored,
};

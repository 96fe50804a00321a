// BeamRestPositionActuator: the shape that a chain of beams has at rest is found so that the effectors reach their
// goals, as in a robot of segments that are bent by what is inside of them.
//
// Beam i joins frames i and i + 1. Its angles t_i turn what it was at the start, in the frame of its first end:
//
//   turn_i = exp(t_i) turn_i0,   offset_i = exp(t_i / 2) offset_i0
//
// so that its chord keeps its length, as that of an arc with an even curvature does to first order; what follows is
// carried along. A change dt acts as the force df/dt dt, whose columns are differences of the force, and becomes part
// of the rest shape after the step.
#include "robot/classes.h"
#include "robot/part.h"

#include "math/vec.h"

#include <math.h>
#include <string.h>

#define REST_FIELDS(X)                                                                                         \
  X(bools, direction, "1 1 1", "", "axes of the first frame of each beam that it is bent around: x twists it") \
  X(real, maxAngle, "0", "rad", "largest angle of a beam; none when it is not given", .least = "0")            \
  X(real, maxAngleVariation, "0.1", "rad", "most that an angle changes in a step", .least = "0")               \
  X(vec3s, angles, "", "rad", "angles of each beam at the end of the last step", .flags = DV_READ_ONLY)

typedef struct Rest {
  dvPart part;
  REST_FIELDS(DV_MEMBER)
  dvObject *force;
  DV_ARRAY(double) first;    // rest positions of the start
  DV_ARRAY(double) slopes;   // force for one more and one less of an angle
  int axes[3], count;        // that are used
  int scratch;               // number of a vector
} Rest;

#define SELF Rest
static const dvFieldDesc rest_fields[] = {REST_FIELDS(DV_DESCRIBE)};
static const dvMemoryDesc rest_memory[] = {DV_REMEMBER(reals, angles)};
#undef SELF

static size_t beams_of(const Rest *r) { return r->angles.count / 3; }

// the rest shape of the angles, into the state and the force
static bool bend(Rest *r)
{
  dvState *s = dv_part_state(&r->part);
  if (s->count != beams_of(r) + 1) return false;   // frames came or went
  double *rest = dv_state_write(s, DV_X_REST);
  for (size_t i = 0; i < beams_of(r); i++) {
    const double *a0 = r->first.data + 7 * i, *b0 = a0 + 7, *a = rest + 7 * i;
    double *b = rest + 7 * (i + 1);
    dvVec3 angles = dv_vec3_load(r->angles.data + 3 * i);
    dvQuat qa0 = dv_quat_load(a0 + 3), qa = dv_quat_load(a + 3);
    dvVec3 offset = dv_quat_inverse_rotate(qa0, dv_vec3_sub(dv_vec3_load(b0), dv_vec3_load(a0)));
    dvQuat turn = dv_quat_mul(dv_quat_inverse(qa0), dv_quat_load(b0 + 3));
    offset = dv_quat_rotate(dv_quat_from_rotation_vector(dv_vec3_scale(angles, 0.5)), offset);
    turn = dv_quat_mul(dv_quat_from_rotation_vector(angles), turn);
    dv_vec3_store(b, dv_vec3_add(dv_vec3_load(a), dv_quat_rotate(qa, offset)));
    dv_quat_store(b + 3, dv_quat_normalise(dv_quat_mul(qa, turn)));
  }
  dv_state_touch(s, DV_X_REST);
  bool before = r->force->following;
  r->force->following = true;   // what it has to say about shapes it has said
  bool good = r->force->cls->reinit(r->force) == DV_OK;
  r->force->following = before;
  return good;
}

static void add_force(Rest *r, double factor, double *out)
{
  dvState *s = dv_part_state(&r->part);
  size_t n = 6 * s->count;
  memset(dv_state_write(s, r->scratch), 0, n * sizeof *out);
  dvMech m = {.x = DV_X, .v = DV_V, .f = r->scratch, .dx = DV_DX, .df = DV_DF, .k = 1, .time = s->base.node->time};
  ((const dvForceOps *)dv_ops(r->force, DV_ROLE_FORCE))->add_force(r->force, &m);
  const double *f = dv_state_read(s, r->scratch);
  for (size_t i = 0; i < n; i++) out[i] += factor * f[i];
}

static size_t rest_rows(const dvPart *p) { return beams_of((const Rest *)p) * (size_t)((const Rest *)p)->count; }

static void rest_measure(dvPart *p, const double *x, double *q, bool slopes)
{
  DV_UNUSED(x);   // of the state: the force reads it there
  Rest *r = (Rest *)p;
  const size_t rows = rest_rows(p), points = dv_part_state(p)->count;
  const double step = 1e-5;
  for (size_t i = 0; i < rows; i++) q[i] = 0;
  if (!slopes || points != beams_of(r) + 1) return;
  dv_array_resize(&r->slopes, 6 * points);
  double *angles = dv_reals_edit(&r->angles);
  for (size_t row = 0; row < rows; row++) {
    double *angle = angles + 3 * (row / (size_t)r->count) + r->axes[row % (size_t)r->count], keep = *angle;
    memset(r->slopes.data, 0, r->slopes.count * sizeof *r->slopes.data);
    *angle = keep + step;
    if (bend(r)) add_force(r, 0.5 / step, r->slopes.data);
    *angle = keep - step;
    if (bend(r)) add_force(r, -0.5 / step, r->slopes.data);
    *angle = keep;
    for (size_t i = row / (size_t)r->count; i < row / (size_t)r->count + 2; i++)   // the ends of the beam
      dv_part_slope(p, row, i, r->slopes.data + 6 * i);
  }
  bend(r);
  memset(r->slopes.data, 0, r->slopes.count * sizeof *r->slopes.data);
  add_force(r, 1, r->slopes.data);   // and what it keeps for products is that of the shape as it is
}

static void rest_aim(dvPart *p, double h)
{
  DV_UNUSED(h);
  const Rest *r = (const Rest *)p;
  double most = dv_part_limit(&p->model.base, &r->maxAngle, INFINITY);
  for (size_t i = 0; i < p->aims.count; i++) {
    double angle = r->angles.data[3 * (i / (size_t)r->count) + (size_t)r->axes[i % (size_t)r->count]];
    p->aims.data[i].low = fmin(0, fmax(-most - angle, -r->maxAngleVariation));
    p->aims.data[i].high = fmax(0, fmin(most - angle, r->maxAngleVariation));
  }
}

// the step is over: what was found becomes part of the shape
static void rest_show(dvPart *p)
{
  Rest *r = (Rest *)p;
  double *angles = dv_reals_edit(&r->angles), scale = p->impulses ? 1 / fmax(p->h, 1e-300) : 1;
  bool changed = false;
  for (size_t i = 0; i < p->forces.count; i++) {
    double change = scale * p->forces.data[i];
    p->forces.data[i] = 0;
    if (change == 0 || !isfinite(change)) continue;
    angles[3 * (i / (size_t)r->count) + (size_t)r->axes[i % (size_t)r->count]] += change;
    changed = true;
  }
  if (!changed) return;
  if (!bend(r)) dv_error(&p->model.base, NULL, "%s does not take its new shape", r->force->name);
  dv_touch(&p->model.base, &r->angles);
}

static const dvGauge rest_gauge = {.rows = rest_rows, .measure = rest_measure, .aim = rest_aim, .show = rest_show};

// --- setting up --------------------------------------------------------------------------------------

static dvStatus rest_init(dvObject *o)
{
  DV_TRY(dv_part_init(o, &rest_gauge, DV_PART_ACTUATOR));
  ((dvPart *)o)->momentary = true;
  dv_vec_take(o, DV_VEC_DERIV, &((Rest *)o)->scratch);
  return DV_OK;
}

static dvStatus rest_check(dvObject *o)
{
  const Rest *r = (const Rest *)o;
  if (!(r->maxAngle >= 0))
    return dv_field_error(o, &r->maxAngle, NULL, "an angle cannot be smaller than %g", r->maxAngle);
  if (!(r->maxAngleVariation > 0))
    return dv_field_error(o, &r->maxAngleVariation, "0.1 is usual", "the angles could not change");
  return DV_OK;
}

static dvStatus rest_bwd_init(dvObject *o)
{
  Rest *r = (Rest *)o;
  const dvState *s = dv_part_state(&r->part);
  DV_TRY(rest_check(o));
  r->force = NULL;
  for (size_t i = 0; i < o->node->objects.count && !r->force; i++)
    if (dv_same(o->node->objects.data[i]->cls->name, "BeamFEMForceField")) r->force = o->node->objects.data[i];
  if (!r->force || r->force->failed)
    return dv_error(o, "put it beside a BeamFEMForceField whose beams join frames 0 and 1, 1 and 2 …",
                    "%s finds no beams in its node", o->name);
  DV_TRY(dv_object_ensure(r->force));
  if (s->count < 2) return dv_error(o, NULL, "%zu frames have no beam between them", s->count);
  r->count = 0;
  for (int k = 0; k < 3; k++)
    if ((size_t)k >= r->direction.count || r->direction.data[k]) r->axes[r->count++] = k;
  for (int k = 0; k < 3 && r->count == 0; k++) r->axes[k] = k;
  if (r->count == 0) r->count = 3;   // none means all, as in SOFA
  dv_array_resize(&r->first, 7 * s->count);
  memcpy(r->first.data, dv_state_read(s, DV_X_REST), r->first.count * sizeof *r->first.data);
  if (!dv_reals_resize(&r->angles, 0) || !dv_reals_resize(&r->angles, 3 * (s->count - 1)))
    return dv_error(o, NULL, "out of memory");
  dv_part_end_step(o);
  return DV_OK;
}

static bool rest_restored(dvObject *o)
{
  Rest *r = (Rest *)o;
  if (!r->force) return true;
  for (size_t i = 0; i < r->angles.count; i++)
    if (!isfinite(r->angles.data[i])) return false;
  return r->angles.count != 3 * (dv_part_state(&r->part)->count - 1) || bend(r);   // else frames came or went
}

static void rest_destroy(dvObject *o)
{
  Rest *r = (Rest *)o;
  dv_vec_give(o, &r->scratch);
  dv_array_free(&r->first);
  dv_array_free(&r->slopes);
  dv_part_destroy(o);
}

DV_INVERSE_CLASS(dv_beam_rest_class, "BeamRestPositionActuator",
                 "beams whose shape at rest is found so that the effectors reach their goals", DV_DOF_RIGID3, Rest,
                 .blocks = {&dv_object_block, &dv_constraint_model_block, DV_BLOCK(rest_fields)}, DV_PART_PLAIN,
                 DV_MEMORY(rest_memory), .init = rest_init, .bwd_init = rest_bwd_init, .reinit = rest_check,
                 .remember = dv_part_remember, .restored = rest_restored, .destroy = rest_destroy);

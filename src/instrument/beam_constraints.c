// AdaptiveBeamSlidingConstraint: points of a second object stay on the curve of the beams and slide along it.
//
//   n (P - c(s)) = 0, m (P - c(s)) = 0      s: the foot of P; n and m across the curve there
//
// A point that leaves the curve at one of its ends is free from then on.
//
// AdaptiveBeamLengthConstraint: the chord from the first to the last frame of the beams, e (x1 - x0), is no longer than
// constrainedLength times their length at rest.
#include "constraint/lagrangian/model.h"
#include "instrument/shaft.h"

#include <math.h>

extern const dvClass dv_beam_sliding_class, dv_beam_limit_class;

#define SLIDING_FIELDS(X)                                                                            \
  X(link, object1, "", "", "state of the beams; that of the node by default", .role = DV_ROLE_STATE) \
  X(link, object2, "", "", "state whose points slide on the beams; that of the node by default",     \
    .role = DV_ROLE_STATE)                                                                           \
  X(link, interpolation, "", "", "the beams; those of the node of the first object by default")

#define LIMIT_FIELDS(X)                                                                                          \
  DV_ONE_STATE_FIELDS(X)                                                                                         \
  X(real, alarmLength, "1.02", "", "no effect: the whole length is watched, as in SOFA", .flags = DV_IDLE)       \
  X(real, constrainedLength, "1.05", "", "the most that the instrument may be stretched, in lengths at rest")    \
  X(real, maxBendingAngle, "0.1", "rad", "no effect: the whole length is watched, as in SOFA", .flags = DV_IDLE) \
  X(link, interpolation, "", "", "the beams; those of the node by default")

typedef struct Slide {
  dvConstraintModel model;
  SLIDING_FIELDS(DV_MEMBER)
  dvShaft shaft;
  DV_ARRAY(double) along;   // of each point; negative: it is free
  DV_ARRAY(dvVec3) sides;   // two a point
} Slide;

typedef struct Limit {
  dvConstraintModel model;
  LIMIT_FIELDS(DV_MEMBER)
  dvShaft shaft;
  dvVec3 direction;
} Limit;

#define SELF Slide
static const dvFieldDesc slide_fields[] = {SLIDING_FIELDS(DV_DESCRIBE)};
static const dvMemoryDesc slide_memory[] = {DV_REMEMBER(array, along)};
#undef SELF
#define SELF Limit
static const dvFieldDesc limit_fields[] = {LIMIT_FIELDS(DV_DESCRIBE)};
#undef SELF

// the beams that a link names or that stand beside a state
static dvStatus find_shaft(dvObject *o, dvLink *link, dvState *state, dvShaft *out)
{
  dvBeams *b = link->target ? dv_beams_find(o, link, false) : NULL;
  for (size_t i = 0; !link->target && !b && i < state->base.node->objects.count; i++)
    b = dv_beams(state->base.node->objects.data[i]);
  if (!b && link->target) return DV_ERROR_INPUT;
  if (!b) return dv_field_error(o, link, "link the beams: interpolation=\"@…\"", "%s finds no beams", o->name);
  DV_TRY(dv_object_ensure(&b->base));
  if (b->state != state)
    return dv_error(o, "link the state of the beams", "the beams of %s join frames of another state", b->base.name);
  *out = (dvShaft){.state = state, .beams = b};
  return DV_OK;
}

// --- sliding -------------------------------------------------------------------------------------

static dvVec3 point(const dvState *s, int vector, size_t i)
{
  return dv_vec3_load(dv_state_read(s, vector) + i * (size_t)s->base.dof->coord);
}

static dvStatus slide_init(dvObject *o)
{
  Slide *c = (Slide *)o;
  DV_TRY(dv_constraint_model_find(o, &c->object1, "first", &c->model.first));
  DV_TRY(dv_constraint_model_find(o, &c->object2, "second", &c->model.second));
  if (c->model.first->base.dof->kind != DV_RIGID3)
    return dv_error(o, "link the state of the beams: object1=\"@…\"", "the state %s has no frames",
                    c->model.first->base.name);
  return find_shaft(o, &c->interpolation, c->model.first, &c->shaft);
}

// where the points are to begin with: those beyond an end do not slide. Instruments may be laid out only after this
static dvStatus slide_bwd_init(dvObject *o)
{
  Slide *c = (Slide *)o;
  if (dv_beams_count(c->shaft.beams) == 0) return DV_OK;
  size_t count = c->model.second->count, off = 0;
  const double *x = dv_state_read(c->model.first, DV_X);
  dv_array_resize(&c->along, count);
  dv_array_resize(&c->sides, 2 * count);
  for (size_t i = 0; i < count; i++) {
    double beyond;
    double s = dv_shaft_nearest(&c->shaft, x, point(c->model.second, DV_X, i), 0, INFINITY, &beyond);
    if (fabs(beyond) > 1e-9 * dv_shaft_tip(&c->shaft)) s = -1;
    c->along.data[i] = s;
    off += s < 0;
  }
  if (off)
    dv_warning(o, "move them beside the beams", "%zu of %zu points lie beyond the ends of the beams: they are free",
               off, count);
  return DV_OK;
}

static void slide_begin(dvObject *o, const dvConstraintStep *step)
{
  Slide *c = (Slide *)o;
  if (c->along.count == 0) (void)slide_bwd_init(o);
  int vector = dv_constraint_positions(step);
  const double *x = dv_state_read(c->model.first, vector);
  double tip = dv_shaft_tip(&c->shaft), near = 0.25 * tip;
  for (size_t i = 0; i < c->along.count; i++) {
    double *s = &c->along.data[i], beyond;
    if (*s < 0) continue;
    *s = dv_shaft_nearest(&c->shaft, x, point(c->model.second, vector, i), *s - near, *s + near, &beyond);
    if (fabs(beyond) > 1e-9 * tip) *s = -1;
    dvQuat turn = dv_shaft_pose(&c->shaft, x, fmax(*s, 0)).turn;
    c->sides.data[2 * i] = dv_quat_rotate(turn, dv_vec3(0, 1, 0));
    c->sides.data[2 * i + 1] = dv_quat_rotate(turn, dv_vec3(0, 0, 1));
  }
}

static size_t slide_laws(dvObject *o, const dvConstraintStep *step, dvLaw *out)
{
  DV_UNUSED(step);
  const Slide *c = (const Slide *)o;
  size_t count = 0;
  if (dv_constraint_model_is_over(o)) return 0;
  for (size_t i = 0; i < c->along.count; i++) {
    if (c->along.data[i] < 0) continue;
    if (out) out[count] = (dvLaw){.kind = DV_LAW_EQUAL, .rows = 2, .id = i};
    count++;
  }
  return count;
}

static void slide_rows(dvObject *o, const dvConstraintStep *step, dvRowSet *set, int32_t first)
{
  Slide *c = (Slide *)o;
  const double *x = dv_state_read(c->model.first, dv_constraint_positions(step));
  c->model.constraintIndex = first;
  for (size_t i = 0; i < c->along.count; i++)
    for (size_t k = 0; k < 2 && c->along.data[i] >= 0; k++, first++) {
      dvVec3 n = c->sides.data[2 * i + k];
      double h[6] = {n.x, n.y, n.z, 0, 0, 0};
      dv_rows_add(set, c->model.second, first, i, h, 1);
      dv_shaft_add_row(&c->shaft, x, c->along.data[i], n, -1, first, set);
    }
}

static void slide_violation(dvObject *o, const dvConstraintStep *step, double *out)
{
  const Slide *c = (const Slide *)o;
  int vector = dv_constraint_positions(step);
  const double *x = dv_state_read(c->model.first, vector), *v = dv_state_read(c->model.first, step->v);
  for (size_t i = 0; i < c->along.count; i++) {
    double s = c->along.data[i];
    if (s < 0) continue;
    dvVec3 d = dv_vec3_sub(point(c->model.second, vector, i), dv_shaft_pose(&c->shaft, x, s).at);
    const double *speed = dv_state_read(c->model.second, step->v) + i * (size_t)c->model.second->base.dof->deriv;
    dvVec3 w = dv_vec3_sub(dv_vec3_load(speed), dv_shaft_velocity(&c->shaft, x, v, s));
    for (size_t k = 0; k < 2; k++) {
      dvVec3 n = c->sides.data[2 * i + k];
      *out++ = step->velocities ? dv_vec3_dot(n, d) / step->dt + dv_vec3_dot(n, w) : dv_vec3_dot(n, d);
    }
  }
}

static bool slide_restored(dvObject *o)
{
  Slide *c = (Slide *)o;
  bool fits = c->along.count == 0 || c->along.count == c->model.second->count;
  for (size_t i = 0; i < c->along.count && fits; i++) fits = c->along.data[i] <= dv_shaft_tip(&c->shaft);
  if (fits) dv_array_resize(&c->sides, 2 * c->along.count);
  return fits;
}

static void slide_destroy(dvObject *o)
{
  dv_array_free(&((Slide *)o)->along);
  dv_array_free(&((Slide *)o)->sides);
}

static void slide_topology_changed(dvObject *o)
{
  Slide *c = (Slide *)o;
  if (c->along.count != c->model.second->count) (void)slide_bwd_init(o);
}

// --- length --------------------------------------------------------------------------------------

static dvStatus limit_reinit(dvObject *o)
{
  Limit *c = (Limit *)o;
  if (!(c->constrainedLength > 0 && c->constrainedLength < 1e100))
    return dv_field_error(o, &c->constrainedLength, "1.05 lets it stretch by 5 %",
                          "constrainedLength is %g: it is a part of the length at rest", c->constrainedLength);
  return DV_OK;
}

static dvStatus limit_init(dvObject *o)
{
  Limit *c = (Limit *)o;
  DV_TRY(dv_constraint_model_find(o, &c->mstate, "such", &c->model.first));
  o->dof = c->model.first->base.dof;
  DV_TRY(find_shaft(o, &c->interpolation, c->model.first, &c->shaft));
  return limit_reinit(o);
}

static double length_out(const Limit *c) { return dv_shaft_tip(&c->shaft) - dv_shaft_begin(&c->shaft); }

static dvVec3 chord(const Limit *c, const double *x)
{
  dvVec3 from = dv_shaft_pose(&c->shaft, x, dv_shaft_begin(&c->shaft)).at;
  return dv_vec3_sub(dv_shaft_pose(&c->shaft, x, dv_shaft_tip(&c->shaft)).at, from);
}

static void limit_begin(dvObject *o, const dvConstraintStep *step)
{
  Limit *c = (Limit *)o;
  if (dv_beams_count(c->shaft.beams))
    c->direction = dv_vec3_normalise(chord(c, dv_state_read(c->model.first, dv_constraint_positions(step))));
}

static size_t limit_laws(dvObject *o, const dvConstraintStep *step, dvLaw *out)
{
  DV_UNUSED(step);
  const Limit *c = (const Limit *)o;
  if (dv_constraint_model_is_over(o) || dv_beams_count(c->shaft.beams) == 0) return 0;
  if (out) *out = (dvLaw){.kind = DV_LAW_UNEQUAL, .rows = 1, .restarts = true};
  return 1;
}

static void limit_rows(dvObject *o, const dvConstraintStep *step, dvRowSet *set, int32_t first)
{
  Limit *c = (Limit *)o;
  const double *x = dv_state_read(c->model.first, dv_constraint_positions(step));
  c->model.constraintIndex = first;
  dv_shaft_add_row(&c->shaft, x, dv_shaft_begin(&c->shaft), c->direction, 1, first, set);
  dv_shaft_add_row(&c->shaft, x, dv_shaft_tip(&c->shaft), c->direction, -1, first, set);
}

static void limit_violation(dvObject *o, const dvConstraintStep *step, double *out)
{
  const Limit *c = (const Limit *)o;
  const double *x = dv_state_read(c->model.first, dv_constraint_positions(step));
  const double *v = dv_state_read(c->model.first, step->v);
  *out = c->constrainedLength * length_out(c) - dv_vec3_dot(c->direction, chord(c, x));
  if (!step->velocities) return;
  dvVec3 a = dv_shaft_velocity(&c->shaft, x, v, dv_shaft_begin(&c->shaft)),
         b = dv_shaft_velocity(&c->shaft, x, v, dv_shaft_tip(&c->shaft));
  *out = *out / step->dt + dv_vec3_dot(c->direction, dv_vec3_sub(a, b));
}

static const dvConstraintOps slide_ops = {
    .begin = slide_begin, .laws = slide_laws, .rows = slide_rows, .violation = slide_violation};
static const dvConstraintOps limit_ops = {
    .begin = limit_begin, .laws = limit_laws, .rows = limit_rows, .violation = limit_violation};

const dvClass dv_beam_sliding_class = {
    .struct_size = sizeof(dvClass),
    .name = "AdaptiveBeamSlidingConstraint",
    .help = "lets points slide along curved beams without friction",
    .module = "BeamAdapter",
    .dofs = DV_DOF_VEC3 | DV_DOF_RIGID3,
    .size = sizeof(Slide),
    .blocks = {&dv_object_block, &dv_constraint_model_block, DV_BLOCK(slide_fields)},
    .ops = {[DV_ROLE_CONSTRAINT] = &slide_ops},
    .init = slide_init,
    .bwd_init = slide_bwd_init,
    .destroy = slide_destroy,
    .topology_changed = slide_topology_changed,
    DV_MEMORY(slide_memory),
    .restored = slide_restored,
};

const dvClass dv_beam_limit_class = {
    .struct_size = sizeof(dvClass),
    .name = "AdaptiveBeamLengthConstraint",
    .help = "keeps an instrument of curved beams from being stretched beyond a limit",
    .module = "BeamAdapter",
    .dofs = DV_DOF_RIGID3,
    .size = sizeof(Limit),
    .blocks = {&dv_object_block, &dv_constraint_model_block, DV_BLOCK(limit_fields)},
    .ops = {[DV_ROLE_CONSTRAINT] = &limit_ops},
    .init = limit_init,
    .reinit = limit_reinit,
};

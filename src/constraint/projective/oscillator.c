// OscillatorProjectiveConstraint: points that swing, x = mean + amplitude sin(w t + phase).
#include "constraint/projective/classes.h"
#include "constraint/projective/selected.h"

#include <math.h>

#define OSCILLATOR_FIELDS(X) \
  X(reals, oscillators, "", "", "for each point: index, mean position, amplitude, angular frequency (1/s), phase")

typedef struct Oscillator {
  dvProjective base;
  OSCILLATOR_FIELDS(DV_MEMBER)
  size_t group, count;   // numbers per oscillator; oscillators
  dvInts points;         // of the oscillators, where they follow a mesh
} Oscillator;

#define SELF Oscillator
static const dvFieldDesc oscillator_fields[] = {OSCILLATOR_FIELDS(DV_DESCRIBE)};
#undef SELF

typedef struct Swing {
  size_t point;
  const double *mean, *amplitude;
  double frequency, phase;
} Swing;

// false when the point does not exist
static bool swing_at(const Oscillator *s, size_t i, Swing *out)
{
  const dvDof *dof = s->base.base.dof;
  const double *p = s->oscillators.data + i * s->group;
  if (!(p[0] >= 0 && p[0] < (double)s->base.state->count)) return false;
  *out = (Swing){(size_t)p[0], p + 1, p + 1 + dof->coord, p[s->group - 2], p[s->group - 1]};
  return true;
}

static void oscillator_project_response(dvObject *o, int id)
{
  Oscillator *s = (Oscillator *)o;
  if (!dv_projective_active(o)) return;
  double *v = dv_state_write(s->base.state, id);
  Swing swing;
  for (size_t i = 0; i < s->count; i++)
    if (swing_at(s, i, &swing)) dv_clear_deriv(s->base.state, v, (int32_t)swing.point);
}

static void oscillator_project_velocity(dvObject *o, int id, double time)
{
  DV_UNUSED(time);
  Oscillator *s = (Oscillator *)o;
  if (!dv_projective_active(o)) return;
  double *v = dv_state_write(s->base.state, id);
  size_t width = (size_t)o->dof->deriv;
  Swing w;
  for (size_t i = 0; i < s->count; i++) {
    if (!swing_at(s, i, &w)) continue;
    double speed = w.frequency * cos(w.frequency * o->node->time + w.phase);
    for (size_t k = 0; k < width; k++) v[w.point * width + k] = w.amplitude[k] * speed;
  }
}

static void oscillator_project_position(dvObject *o, int id, double time)
{
  DV_UNUSED(time);
  Oscillator *s = (Oscillator *)o;
  if (!dv_projective_active(o)) return;
  double *x = dv_state_write(s->base.state, id);
  Swing w;
  for (size_t i = 0; i < s->count; i++) {
    if (!swing_at(s, i, &w)) continue;
    dv_dof_integrate(o->dof, 1, x + w.point * (size_t)o->dof->coord, w.mean, w.amplitude,
                     sin(w.frequency * o->node->time + w.phase));
  }
}

static dvStatus oscillator_follow(Oscillator *s)
{
  dvObject *o = &s->base.base;
  s->points.width = 1;
  if (!dv_ints_resize(&s->points, s->count)) return dv_error(o, NULL, "out of memory for %zu points", s->count);
  for (size_t i = 0; i < s->count; i++) s->points.data[i] = (int32_t)s->oscillators.data[i * s->group];
  dvElementList *l = dv_follow_points(o, s->base.state, &s->points);
  dv_element_list_forget(l);
  return dv_element_list_add_groups(l, &s->oscillators, s->group, false);
}

static void oscillator_topology_changed(dvObject *o)
{
  Oscillator *s = (Oscillator *)o;
  s->count = s->points.count;
  double *numbers = dv_reals_edit(&s->oscillators);
  for (size_t i = 0; i < s->count; i++) numbers[i * s->group] = s->points.data[i];
  dv_follow_patched(o);   // of its own points
}

static void oscillator_destroy(dvObject *o) { dv_ints_free(&((Oscillator *)o)->points); }

static dvStatus oscillator_init(dvObject *o)
{
  Oscillator *s = (Oscillator *)o;
  DV_TRY(dv_projective_init(o));
  o->dof = s->base.state->base.dof;
  s->group = (size_t)(o->dof->coord + o->dof->deriv) + 3;
  s->count = s->oscillators.count / s->group;
  if (s->oscillators.count % s->group)
    return dv_field_error(o, &s->oscillators, "give index, mean, amplitude, frequency, phase for each",
                          "%zu numbers do not make whole groups of %zu", s->oscillators.count, s->group);
  Swing swing;
  for (size_t i = 0; i < s->count; i++)
    if (!swing_at(s, i, &swing))
      dv_field_warning(o, &s->oscillators, NULL,
                       "oscillator %zu is for point %g, but there are %zu points; it is left out", i,
                       s->oscillators.data[i * s->group], s->base.state->count);
  return oscillator_follow(s);
}

static const dvProjectiveOps oscillator_ops = {
    .project_response = oscillator_project_response,
    .project_velocity = oscillator_project_velocity,
    .moves = true,
    .project_position = oscillator_project_position,
};

const dvClass dv_oscillator_class = {
    .struct_size = sizeof(dvClass),
    .name = "OscillatorProjectiveConstraint",
    .help = "lets points swing about a mean position",
    .module = DV_PROJECTIVE_MODULE,
    .dofs = DV_DOF_VEC3 | DV_DOF_RIGID3,
    .size = sizeof(Oscillator),
    .blocks = {&dv_object_block, &dv_projective_block, DV_BLOCK(oscillator_fields)},
    .ops = {[DV_ROLE_PROJECTIVE] = &oscillator_ops},
    .init = oscillator_init,
    .reinit = oscillator_init,
    .destroy = oscillator_destroy,
    .topology_changed = oscillator_topology_changed,
};

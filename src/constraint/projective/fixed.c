// Points that keep still: FixedProjectiveConstraint, PartialFixedProjectiveConstraint and
// FixedTranslationProjectiveConstraint.
//
// The projection sets the held components of forces and accelerations to zero. By default it leaves velocities and
// positions alone: a held point goes on with the velocity it had. One kernel with a mask of directions; the classes
// differ in where the mask comes from: all directions, those listed, or the translation of frames.
#include "constraint/projective/classes.h"
#include "constraint/projective/selected.h"

#include <string.h>

#define FIXED_FIELDS(X)                                                                 \
  X(indices, indices, "0", "", "points that are held")                                  \
  X(bool, fixAll, "0", "", "hold all points, whatever the indices")                     \
  X(real, drawSize, "0", "m", "radius of drawn points; dots when 0", .flags = DV_LOOKS) \
  X(link, topology, "", "", "topology whose changes the indices follow", .role = DV_ROLE_TOPOLOGY)
#define FIXED_MORE_FIELDS(X)                                              \
  X(bool, showObject, "1", "", "draw the held points", .flags = DV_LOOKS) \
  X(bool, activate_projectVelocity, "0", "", "hold the velocity at zero too")
#define PARTIAL_FIELDS(X)                                                                              \
  X(bools, fixedDirections, "", "", "which components are held, one truth value each; all when empty") \
  X(bool, projectVelocity, "0", "", "hold the velocity of these components at zero too")
#define TRANSLATION_FIELDS(X) X(indices, coordinates, "", "", "unused; kept for old scenes", .flags = DV_HIDDEN)

typedef struct Fixed {
  dvProjective base;
  FIXED_FIELDS(DV_MEMBER)
  FIXED_MORE_FIELDS(DV_MEMBER)
  PARTIAL_FIELDS(DV_MEMBER)
  TRANSLATION_FIELDS(DV_MEMBER)
  dvSelected selected;
  bool held[DV_MAX_COORD];   // components
  bool all_held;
} Fixed;

#define SELF Fixed
static const dvFieldDesc fixed_fields[] = {FIXED_FIELDS(DV_DESCRIBE)};
static const dvFieldDesc fixed_more_fields[] = {FIXED_MORE_FIELDS(DV_DESCRIBE)};
static const dvFieldDesc partial_fields[] = {PARTIAL_FIELDS(DV_DESCRIBE)};
static const dvFieldDesc translation_fields[] = {TRANSLATION_FIELDS(DV_DESCRIBE)};
#undef SELF

static void fixed_destroy(dvObject *o) { dv_selected_free(&((Fixed *)o)->selected); }

// --- kernel --------------------------------------------------------------------------------------

static void hold_points(const Fixed *f, double *v, const dvInts *points)
{
  const dvState *s = f->base.state;
  size_t width = (size_t)s->base.dof->deriv;
  if (f->all_held) {
    for (size_t i = 0; i < points->count; i++) dv_clear_deriv(s, v, points->data[i]);
    return;
  }
  for (size_t i = 0; i < points->count; i++)
    for (size_t k = 0; k < width; k++)
      if (f->held[k]) v[(size_t)points->data[i] * width + k] = 0;
}

static void hold_all(const Fixed *f, double *v)
{
  const dvState *s = f->base.state;
  size_t width = (size_t)s->base.dof->deriv;
  if (f->all_held) {
    memset(v, 0, s->count * width * sizeof *v);
    return;
  }
  for (size_t i = 0; i < s->count; i++)
    for (size_t k = 0; k < width; k++)
      if (f->held[k]) v[i * width + k] = 0;
}

static void fixed_project_response(dvObject *o, int id)
{
  Fixed *f = (Fixed *)o;
  if (!dv_projective_active(o)) return;
  const dvInts *points = f->fixAll ? NULL : dv_selected(&f->selected, o, &f->indices, f->base.state->count);
  double *v = dv_state_write(f->base.state, id);
  if (points) hold_points(f, v, points);
  else hold_all(f, v);
}

static void fixed_project_velocity(dvObject *o, int id, double time)
{
  DV_UNUSED(time);
  Fixed *f = (Fixed *)o;
  bool wanted = o->cls == &dv_partial_fixed_class ? f->projectVelocity : f->activate_projectVelocity;
  if (wanted) fixed_project_response(o, id);
}

// --- set-up --------------------------------------------------------------------------------------

static dvStatus fixed_begin(dvObject *o)
{
  Fixed *f = (Fixed *)o;
  DV_TRY(dv_projective_init(o));
  o->dof = f->base.state->base.dof;
  for (int k = 0; k < o->dof->deriv; k++) f->held[k] = true;
  f->all_held = true;
  dv_follow_points(o, f->base.state, &f->indices);
  if (!f->fixAll) dv_selected(&f->selected, o, &f->indices, f->base.state->count);
  return DV_OK;
}

static dvStatus partial_fixed_begin(dvObject *o)
{
  Fixed *f = (Fixed *)o;
  DV_TRY(fixed_begin(o));
  size_t width = (size_t)o->dof->deriv, given = f->fixedDirections.count;
  if (given > width)
    dv_field_warning(o, &f->fixedDirections, NULL,
                     "fixedDirections has %zu values, a %s has %zu components; the others are not used", given,
                     o->dof->name, width);
  for (size_t k = 0; k < width && k < given; k++) f->held[k] = f->fixedDirections.data[k] != 0;
  for (size_t k = 0; k < width; k++) f->all_held = f->all_held && f->held[k];
  return DV_OK;
}

static dvStatus fixed_translation_begin(dvObject *o)
{
  Fixed *f = (Fixed *)o;
  DV_TRY(fixed_begin(o));
  for (int k = o->dof->space; k < o->dof->deriv; k++) f->held[k] = false;
  f->all_held = false;
  return DV_OK;
}

static const dvProjectiveOps fixed_ops = {
    .project_response = fixed_project_response,
    .project_velocity = fixed_project_velocity,
    .project_position = dv_project_nothing,
};

const dvClass dv_fixed_class = {
    .struct_size = sizeof(dvClass),
    .name = "FixedProjectiveConstraint",
    .help = "holds points where they are",
    .module = DV_PROJECTIVE_MODULE,
    .dofs = DV_DOF_ALL,
    .size = sizeof(Fixed),
    .blocks = {&dv_object_block, &dv_projective_block, DV_BLOCK(fixed_fields), DV_BLOCK(fixed_more_fields)},
    .ops = {[DV_ROLE_PROJECTIVE] = &fixed_ops},
    .init = fixed_begin,
    .reinit = fixed_begin,
    .destroy = fixed_destroy,
};

const dvClass dv_partial_fixed_class = {
    .struct_size = sizeof(dvClass),
    .name = "PartialFixedProjectiveConstraint",
    .help = "holds points in some directions",
    .module = DV_PROJECTIVE_MODULE,
    .dofs = DV_DOF_ALL,
    .size = sizeof(Fixed),
    .blocks = {&dv_object_block, &dv_projective_block, DV_BLOCK(fixed_fields), DV_BLOCK(fixed_more_fields),
               DV_BLOCK(partial_fields)},
    .ops = {[DV_ROLE_PROJECTIVE] = &fixed_ops},
    .init = partial_fixed_begin,
    .reinit = partial_fixed_begin,
    .destroy = fixed_destroy,
};

const dvClass dv_fixed_translation_class = {
    .struct_size = sizeof(dvClass),
    .name = "FixedTranslationProjectiveConstraint",
    .help = "holds the position of frames and lets them turn",
    .module = DV_PROJECTIVE_MODULE,
    .dofs = DV_DOF_VEC6 | DV_DOF_RIGID2 | DV_DOF_RIGID3,
    .size = sizeof(Fixed),
    .blocks = {&dv_object_block, &dv_projective_block, DV_BLOCK(fixed_fields), DV_BLOCK(translation_fields)},
    .ops = {[DV_ROLE_PROJECTIVE] = &fixed_ops},
    .init = fixed_translation_begin,
    .reinit = fixed_translation_begin,
    .destroy = fixed_destroy,
};

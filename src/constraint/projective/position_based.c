// PositionBasedDynamicsProjectiveConstraint: positions that go to a target, velocities that follow from them.
//
// x += stiffness (target - x) for every point, then v = (x - x_before) / dt with the positions after the last
// projection. Forces are left alone. The target usually is the output of an engine that reads the positions.
#include "constraint/projective/classes.h"
#include "constraint/projective/selected.h"

#include <string.h>

#define POSITION_BASED_FIELDS(X)                                                         \
  X(real, stiffness, "1", "", "part of the way to the target that is made, 0 to 1")      \
  X(coords, position, "", "m", "the target, one for each point")                         \
  X(derivs, velocity, "", "m/s", "velocities that follow from the last two projections") \
  X(coords, old_position, "", "m", "positions after the last projection")

typedef struct PositionBased {
  dvProjective base;
  POSITION_BASED_FIELDS(DV_MEMBER)
  bool told;   // that sizes do not fit
} PositionBased;

#define SELF PositionBased
static const dvFieldDesc position_based_fields[] = {POSITION_BASED_FIELDS(DV_DESCRIBE)};
static const dvMemoryDesc position_based_memory[] = {DV_REMEMBER(reals, velocity) DV_REMEMBER(reals, old_position)};
#undef SELF

static bool target_fits(PositionBased *p)
{
  dvObject *o = &p->base.base;
  size_t n = p->base.state->count, given = dv_reals_size(&p->position);
  if (given == n) return true;
  if (!p->told)
    dv_field_warning(o, &p->position, "give one position for each point",
                     "there are %zu target positions for %zu points: nothing is projected", given, n);
  p->told = true;
  return false;
}

static void position_based_project_response(dvObject *o, int id)
{
  DV_UNUSED(o);
  DV_UNUSED(id);
}

static void position_based_project_velocity(dvObject *o, int id, double time)
{
  DV_UNUSED(time);
  PositionBased *p = (PositionBased *)o;
  dvState *s = p->base.state;
  size_t n = dv_state_scalars(s, id);
  if (!dv_projective_active(o) || p->velocity.count != n || n == 0) return;
  memcpy(dv_state_write(s, id), p->velocity.data, n * sizeof(double));
}

static void position_based_project_position(dvObject *o, int id, double time)
{
  DV_UNUSED(time);
  PositionBased *p = (PositionBased *)o;
  dvState *s = p->base.state;
  double dt = o->node->dt, move[DV_MAX_COORD];
  size_t n = dv_state_scalars(s, id), coord = (size_t)o->dof->coord, deriv = (size_t)o->dof->deriv;
  if (!dv_projective_active(o) || dt == 0) return;
  dv_state_touch(s, id);   // an engine that reads the positions has to see them as they are now
  if (dv_pull(o, &p->position) != DV_OK || !target_fits(p)) return;
  double *x = dv_state_write(s, id);
  if (p->old_position.count != n && !dv_reals_assign(&p->old_position, x, n)) return;
  if (p->velocity.count != s->count * deriv && !dv_reals_resize(&p->velocity, s->count * deriv)) return;
  double *old = dv_reals_edit(&p->old_position), *v = dv_reals_edit(&p->velocity);
  for (size_t i = 0; i < s->count; i++) {
    dv_dof_difference(o->dof, 1, move, p->position.data + i * coord, x + i * coord);
    dv_dof_integrate(o->dof, 1, x + i * coord, x + i * coord, move, p->stiffness);
    dv_dof_difference(o->dof, 1, v + i * deriv, x + i * coord, old + i * coord);
    for (size_t k = 0; k < deriv; k++) v[i * deriv + k] /= dt;
  }
  if (n) memcpy(old, x, n * sizeof *x);
  dv_touch(o, &p->velocity);
}

static dvStatus position_based_init(dvObject *o)
{
  PositionBased *p = (PositionBased *)o;
  DV_TRY(dv_projective_init(o));
  o->dof = p->base.state->base.dof;
  dvElementData *d = dv_follow_rows(o, p->base.state);
  if (!dv_field_of(o, &p->position)->source) dv_element_data_add_reals(d, &p->position, true);
  dv_element_data_add_reals(d, &p->velocity, true);
  dv_element_data_add_reals(d, &p->old_position, true);
  target_fits(p);
  return DV_OK;
}

static bool position_based_restored(dvObject *o)
{
  PositionBased *p = (PositionBased *)o;
  dv_touch(o, &p->velocity);
  dv_touch(o, &p->old_position);
  return true;
}

static const dvProjectiveOps position_based_ops = {
    .project_response = position_based_project_response,
    .project_velocity = position_based_project_velocity,
    .project_position = position_based_project_position,
};

const dvClass dv_position_based_class = {
    .struct_size = sizeof(dvClass),
    .name = "PositionBasedDynamicsProjectiveConstraint",
    .help = "draws positions to a target",
    .module = DV_PROJECTIVE_MODULE,
    .dofs = DV_DOF_VECS | DV_DOF_RIGID3,
    .size = sizeof(PositionBased),
    .blocks = {&dv_object_block, &dv_projective_block, DV_BLOCK(position_based_fields)},
    .ops = {[DV_ROLE_PROJECTIVE] = &position_based_ops},
    .init = position_based_init,
    DV_MEMORY(position_based_memory),
    .restored = position_based_restored,
};

// LinearVelocityProjectiveConstraint: points that move with given velocities.
//
// Between two key times v(t) is interpolated linearly and the points move on by v times what has passed since they were
// last moved; with compat sofa every projection moves them on by v dt, also the one at the start. Outside of the key
// times the points are free, unless the motion is to continue after the end.
#include "constraint/projective/classes.h"
#include "constraint/projective/key_times.h"
#include "constraint/projective/selected.h"
#include "object/compat.h"

#include <string.h>

#define LINEAR_VELOCITY_FIELDS(X)                                                               \
  X(indices, indices, "0", "", "points that are moved")                                         \
  X(reals, keyTimes, "0", "s", "times for which velocities are given, ascending")               \
  X(derivs, velocities, "", "m/s", "velocity at each key time")                                 \
  X(indices, coordinates, "", "", "numbers of the components that are moved; all when empty")   \
  X(bool, continueAfterEnd, "0", "", "go on with the last velocities behind the last key time") \
  X(link, topology, "", "", "topology whose changes the indices follow", .role = DV_ROLE_TOPOLOGY)

typedef struct LinearVelocity {
  dvProjective base;
  LINEAR_VELOCITY_FIELDS(DV_MEMBER)
  dvSelected selected;
  dvKeys keys;
  dvReals last;       // positions after the last projection
  double last_time;   // its time
  bool each_time;     // every projection counts as a step
} LinearVelocity;

#define SELF LinearVelocity
static const dvFieldDesc linear_velocity_fields[] = {LINEAR_VELOCITY_FIELDS(DV_DESCRIBE)};
static const dvMemoryDesc linear_velocity_memory[] = {
    DV_REMEMBER(reals, last) DV_REMEMBER(numbers, last_time) DV_REMEMBER(numbers, keys.before)
        DV_REMEMBER(numbers, keys.after) DV_REMEMBER(numbers, keys.value_before) DV_REMEMBER(numbers, keys.value_after)
            DV_REMEMBER(numbers, keys.inside)};
#undef SELF

static void linear_velocity_destroy(dvObject *o)
{
  LinearVelocity *l = (LinearVelocity *)o;
  dv_selected_free(&l->selected);
  dv_reals_free(&l->last);
}

static bool find(LinearVelocity *l)
{
  dvObject *o = &l->base.base;
  if (!dv_projective_active(o)) return false;
  dv_keys_find(&l->keys, &l->keyTimes, &l->velocities, o->dof->deriv, o->node->time);
  return (l->keys.inside || l->continueAfterEnd) && l->keys.after != l->keys.before;
}

static const dvInts *points_of(LinearVelocity *l)
{
  return dv_selected(&l->selected, &l->base.base, &l->indices, l->base.state->count);
}

static void linear_velocity_project_response(dvObject *o, int id)
{
  LinearVelocity *l = (LinearVelocity *)o;
  if (!find(l)) return;
  const dvInts *points = points_of(l);
  double *v = dv_state_write(l->base.state, id);
  for (size_t i = 0; i < points->count; i++) dv_clear_deriv(l->base.state, v, points->data[i]);
}

static bool is_moved(const LinearVelocity *l, int component)
{
  for (size_t i = 0; i < l->coordinates.count; i++)
    if (l->coordinates.data[i] == component) return true;
  return l->coordinates.count == 0;
}

static void linear_velocity_project_velocity(dvObject *o, int id, double time)
{
  DV_UNUSED(time);
  LinearVelocity *l = (LinearVelocity *)o;
  if (!find(l)) return;
  const dvInts *points = points_of(l);
  double *v = dv_state_write(l->base.state, id), t = dv_keys_fraction(&l->keys, o->node->time);
  int width = o->dof->deriv;
  for (size_t i = 0; i < points->count; i++)
    for (int k = 0; k < width; k++)
      if (is_moved(l, k)) v[(size_t)points->data[i] * (size_t)width + (size_t)k] = dv_keys_value(&l->keys, k, t);
}

static void move_point(const LinearVelocity *l, const double *velocity, double dt, double *x, double *last)
{
  const dvDof *dof = l->base.base.dof;
  if (l->coordinates.count == 0) {
    dv_dof_integrate(dof, 1, x, last, velocity, dt);
  } else {
    for (int k = 0; k < dof->deriv && k < dof->coord; k++)
      if (is_moved(l, k)) x[k] = last[k] + velocity[k] * dt;
  }
  memcpy(last, x, (size_t)dof->coord * sizeof *x);
}

static void linear_velocity_project_position(dvObject *o, int id, double time)
{
  LinearVelocity *l = (LinearVelocity *)o;
  dvState *s = l->base.state;
  double *x = dv_state_write(s, id), velocity[DV_MAX_COORD];
  size_t n = dv_state_scalars(s, DV_X), width = (size_t)o->dof->coord;
  if (l->last.count != n) {
    if (!dv_reals_assign(&l->last, x, n)) return;
    l->last_time = time;
  }
  double dt = l->each_time ? o->node->dt : dv_max(time - l->last_time, 0);
  l->last_time = dv_max(time, l->last_time);
  if (!find(l)) {
    if (!l->each_time) memcpy(l->last.data, x, n * sizeof *x);   // they set out from where they have come to
    return;
  }
  double t = dv_keys_fraction(&l->keys, o->node->time);
  for (int k = 0; k < o->dof->deriv; k++) velocity[k] = dv_keys_value(&l->keys, k, t);
  const dvInts *points = points_of(l);
  for (size_t i = 0; i < points->count; i++)
    move_point(l, velocity, dt, x + (size_t)points->data[i] * width, l->last.data + (size_t)points->data[i] * width);
}

static dvStatus linear_velocity_init(dvObject *o)
{
  LinearVelocity *l = (LinearVelocity *)o;
  DV_TRY(dv_projective_init(o));
  o->dof = l->base.state->base.dof;
  dv_keys_check(o, &l->keyTimes, &l->velocities, o->dof->deriv);
  l->each_time = dv_compat(o, DV_COMPAT_LINEAR_VELOCITY);
  dv_follow_points(o, l->base.state, &l->indices);
  dv_element_data_add_groups(dv_follow_rows(o, l->base.state), &l->last, (size_t)o->dof->coord, true);
  points_of(l);
  return dv_check_indices(o, &l->coordinates, (size_t)o->dof->deriv, "components");
}

static const dvProjectiveOps linear_velocity_ops = {
    .project_response = linear_velocity_project_response,
    .project_velocity = linear_velocity_project_velocity,
    .moves = true,
    .project_position = linear_velocity_project_position,
};

const dvClass dv_linear_velocity_class = {
    .struct_size = sizeof(dvClass),
    .name = "LinearVelocityProjectiveConstraint",
    .help = "moves points with velocities given at key times",
    .module = DV_PROJECTIVE_MODULE,
    .dofs = DV_DOF_VECS | DV_DOF_RIGID3,
    .size = sizeof(LinearVelocity),
    .blocks = {&dv_object_block, &dv_projective_block, DV_BLOCK(linear_velocity_fields)},
    .ops = {[DV_ROLE_PROJECTIVE] = &linear_velocity_ops},
    .init = linear_velocity_init,
    .reinit = linear_velocity_init,
    DV_MEMORY(linear_velocity_memory),
    .destroy = linear_velocity_destroy,
};

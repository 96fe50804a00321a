// AttachProjectiveConstraint: points of a second state follow points of a first one.
//
// Points: every projection brings the second position half of the way to the first (scaled by positionFactor), and both
// velocities half of the way together. Forces and accelerations of the second point are zero (one way), or both move
// half of the way together (two ways). Frames: position and velocity of the second are those of the first, with a
// rotation of their own when freeRotations is set. A pair is given up beyond minDistance, or once the first point has
// passed the plane through lastPos with normal lastDir; with clamp the second point then stays at lastPos.
// In an assembled matrix SOFA clears the rows of the first state that have the numbers of the second's points, and so
// does this when holdSecond is off.
#include "constraint/projective/classes.h"
#include "constraint/projective/selected.h"

#include "math/vec.h"
#include "mechanics/pairs.h"
#include "object/compat.h"

#include <string.h>

#define ATTACH_FIELDS(X)                                                                                       \
  X(int, group, "0", "", "number of the group", .flags = DV_HIDDEN)                                            \
  X(real, endTime, "-1", "s", "the constraint ends then; never when negative")                                 \
  X(link, object1, "", "", "state that leads; the one of the node by default", .role = DV_ROLE_STATE)          \
  X(link, object2, "", "", "state that follows; the first one by default", .role = DV_ROLE_STATE)              \
  X(indices, indices1, "", "", "points of the first state")                                                    \
  X(indices, indices2, "", "", "points of the second state, one for each of the first")                        \
  X(bool, twoWay, "0", "", "forces go both ways; else the second points only follow")                          \
  X(bool, freeRotations, "0", "", "frames: attach the positions only")                                         \
  X(bool, lastFreeRotation, "0", "", "frames: leave the rotation of the last attached one free")               \
  X(bool, restRotations, "0", "", "frames: keep the rotation that the second ones have to each other at rest") \
  X(vec3, lastPos, "0 0 0", "m", "a point of the plane behind which pairs are given up")                       \
  X(vec3, lastDir, "0 0 0", "", "normal of that plane; no plane when zero")                                    \
  X(bool, clamp, "0", "", "keep the second points at lastPos instead of giving them up")                       \
  X(real, minDistance, "-1", "m", "pairs further apart are given up; -1 for never")                            \
  X(real, positionFactor, "1", "", "part of the correction of positions that is made")                         \
  X(real, velocityFactor, "1", "", "part of the correction of velocities that is made")                        \
  X(real, responseFactor, "1", "", "part of the correction of forces that is made, in both ways")              \
  X(bool, holdSecond, "1", "",                                                                                 \
    "hold the second points in assembled matrices; else the first state's of the same numbers, as SOFA does")  \
  X(reals, constraintFactor, "", "", "further factor for each pair, 0 to 1; none when empty")

typedef struct Attach {
  dvObject base;
  ATTACH_FIELDS(DV_MEMBER)
  dvState *first, *second;
  size_t pairs;
  dvPairs followed;           // a pair goes with either of its points
  const dvField *fields[2];   // of the indices
  uint32_t counters[2];
  size_t counts[2];
  DV_ARRAY(bool) active;       // on this side of the plane
  DV_ARRAY(bool) released;     // too far apart
  DV_ARRAY(double) distance;   // from the plane
  DV_ARRAY(dvQuat) rest;       // rotations at rest, empty without
} Attach;

#define SELF Attach
static const dvFieldDesc attach_fields[] = {ATTACH_FIELDS(DV_DESCRIBE)};
static const dvMemoryDesc attach_memory[] = {DV_REMEMBER(list, active) DV_REMEMBER(list, released)
                                                 DV_REMEMBER(list, distance)};
#undef SELF

static void attach_destroy(dvObject *o)
{
  Attach *a = (Attach *)o;
  dv_array_free(&a->active);
  dv_array_free(&a->released);
  dv_array_free(&a->distance);
  dv_array_free(&a->rest);
}

static bool is_on(const Attach *a) { return a->endTime < 0 || a->base.node->time < a->endTime; }
static bool is_frame(const Attach *a) { return a->base.dof->kind == DV_RIGID3 || a->base.dof->kind == DV_RIGID2; }

// --- set-up --------------------------------------------------------------------------------------

static void rest_rotations(Attach *a)
{
  dv_array_resize(&a->rest, a->restRotations && a->base.dof->kind == DV_RIGID3 ? a->pairs : 0);
  const double *x = dv_state_read(a->second, DV_X_REST);
  for (size_t i = 0; i < a->rest.count; i++) {
    size_t at = (size_t)a->indices2.data[i];
    a->rest.data[i] = dv_quat_identity();
    if (at + 1 >= a->second->count) continue;
    const double *p = x + 7 * at;
    dvVec3 step = dv_vec3_sub(dv_vec3_load(p + 7), dv_vec3_load(p));
    dvVec3 local = dv_vec3_normalise(dv_quat_inverse_rotate(dv_quat_load(p + 3), step));
    dvVec3 axis = dv_vec3_normalise(dv_vec3_cross(local, dv_vec3(1, 0, 0)));
    double c = local.x > 1 ? 1 : local.x < -1 ? -1 : local.x;
    if (dv_vec3_norm(axis) > 0.5) a->rest.data[i] = dv_quat_from_axis(axis, acos(c));
  }
}

static dvStatus set_up(Attach *a)
{
  dvObject *o = &a->base;
  size_t n1 = a->indices1.count, n2 = a->indices2.count;
  a->pairs = 0;
  DV_TRY(dv_check_indices(o, &a->indices1, a->first->count, "points in the first state"));
  DV_TRY(dv_check_indices(o, &a->indices2, a->second->count, "points in the second state"));
  if (n1 != n2)
    dv_field_warning(o, &a->indices2, "give as many in both",
                     "indices1 has %zu points, indices2 %zu; the rest is not attached", n1, n2);
  if (a->constraintFactor.count && a->constraintFactor.count != n2)
    dv_field_warning(o, &a->constraintFactor, NULL,
                     "constraintFactor has %zu factors for %zu pairs; missing ones count as 1",
                     a->constraintFactor.count, n2);
  a->pairs = dv_min_size(n1, n2);
  dv_array_resize(&a->active, a->pairs);
  dv_array_resize(&a->released, a->pairs);
  dv_array_resize(&a->distance, a->pairs);
  for (size_t i = 0; i < a->pairs; i++) a->active.data[i] = true, a->released.data[i] = false;
  rest_rotations(a);
  return DV_OK;
}

// sets up again when indices or states have changed
static void refresh(Attach *a)
{
  bool same = true;
  for (int i = 0; i < 2; i++) {
    size_t count = i ? a->second->count : a->first->count;
    same = same && a->fields[i]->counter == a->counters[i] && a->counts[i] == count;
    a->counters[i] = a->fields[i]->counter;
    a->counts[i] = count;
  }
  if (!same) set_up(a);
}

static dvStatus find_state(Attach *a, dvLink *link, dvState **out)
{
  if (!link->target) link->target = dv_node_state_up(a->base.node);
  if (!link->target) return dv_error(&a->base, "give object1 and object2", "there is no state to attach");
  DV_TRY(dv_object_ensure(link->target));
  *out = dv_state(link->target);
  return DV_OK;
}

static dvStatus attach_init(dvObject *o)
{
  Attach *a = (Attach *)o;
  DV_TRY(find_state(a, &a->object1, &a->first));
  if (!a->object2.target) a->object2.target = a->object1.target;
  DV_TRY(find_state(a, &a->object2, &a->second));
  if (a->first->base.dof != a->second->base.dof)
    return dv_error(o, NULL, "%s is a %s and %s a %s: only states of one type can be attached", a->first->base.name,
                    a->first->base.dof->name, a->second->base.name, a->second->base.dof->name);
  o->dof = a->first->base.dof;
  if (!(o->cls->dofs & (1u << o->dof->kind)))
    return dv_error(o, NULL, "%s does not work on %s", o->cls->name, o->dof->name);
  if (!a->twoWay) dv_compat_field(o, &a->holdSecond, DV_COMPAT_ATTACH_ROWS);
  a->fields[0] = dv_field_of(o, &a->indices1);
  a->fields[1] = dv_field_of(o, &a->indices2);
  if (a->indices1.count == a->indices2.count && !a->followed.ends[0]) {
    dv_pairs_follow(&a->followed, o, a->first, a->second, &a->indices1, &a->indices2);
    dv_element_list_add_reals(dv_pairs_list(&a->followed), &a->constraintFactor, true);
  }
  refresh(a);
  return o->failed ? DV_ERROR_INPUT : DV_OK;
}

// --- positions -----------------------------------------------------------------------------------

static double factor_of(const Attach *a, size_t i)
{
  return i < a->constraintFactor.count ? a->constraintFactor.data[i] : 1;
}

// the pair behind this one is given up, or there is none
static bool is_last(const Attach *a, size_t i) { return i + 1 >= a->pairs || !a->active.data[i + 1]; }
static bool turns_freely(const Attach *a, size_t i)
{
  return a->freeRotations || (a->lastFreeRotation && is_last(a, i));
}

static void watch_plane(Attach *a, const double *x1)
{
  dvVec3 normal = dv_vec3_load(a->lastDir);
  if (dv_vec3_norm(normal) <= 1e-10) return;
  for (size_t i = 0; i < a->pairs; i++) {
    double p[3];
    dv_dof_point(a->base.dof, x1 + (size_t)a->indices1.data[i] * (size_t)a->base.dof->coord, p);
    a->distance.data[i] = dv_vec3_dot(dv_vec3_sub(dv_vec3_load(p), dv_vec3_load(a->lastPos)), normal);
    a->active.data[i] = !(a->distance.data[i] > 0);
  }
}

static bool too_far(const Attach *a, const double *x1, const double *x2)
{
  int size = is_frame(a) ? a->base.dof->space : a->base.dof->coord;
  double sum = 0;
  for (int k = 0; k < size; k++) sum += (x2[k] - x1[k]) * (x2[k] - x1[k]);
  return a->minDistance != -1 && sqrt(sum) > a->minDistance;
}

// the rotation the second frame takes over
static dvQuat rotation_for(const Attach *a, const double *x1, size_t i)
{
  dvQuat q = dv_quat_load(x1 + 3);
  if (a->rest.count == 0) return q;
  dvQuat rest = a->rest.data[i];
  if (!is_last(a, i) || i + 1 >= a->pairs) return dv_quat_mul(q, rest);
  // on the way to the plane the rotation comes gradually
  double span = a->distance.data[i + 1] - a->distance.data[i], part = span != 0 ? -a->distance.data[i] / span : 0;
  dvVec3 axis = dv_vec3_normalise(dv_vec3(rest.x, rest.y, rest.z));
  double w = rest.w > 1 ? 1 : rest.w < -1 ? -1 : rest.w;
  return dv_vec3_norm(axis) > 0.5 ? dv_quat_mul(q, dv_quat_from_axis(axis, 2 * acos(w) * part)) : q;
}

static void attach_position(Attach *a, const double *x1, double *x2, size_t i, bool free_rotation)
{
  a->released.data[i] = too_far(a, x1, x2);
  if (a->released.data[i]) return;
  if (!is_frame(a)) {
    double part = 0.5 * a->positionFactor * factor_of(a, i);
    for (int k = 0; k < a->base.dof->coord; k++) x2[k] -= (x2[k] - x1[k]) * part;
    return;
  }
  memcpy(x2, x1, (size_t)a->base.dof->space * sizeof *x2);
  if (free_rotation) return;
  if (a->base.dof->kind == DV_RIGID2) x2[2] = x1[2];
  else dv_quat_store(x2 + 3, rotation_for(a, x1, i));
}

static void attach_project_position(dvObject *o, int id, double time)
{
  DV_UNUSED(time);
  Attach *a = (Attach *)o;
  if (!is_on(a)) return;
  refresh(a);
  size_t width = (size_t)o->dof->coord;
  double *x2 = dv_state_write(a->second, id);
  const double *x1 = dv_state_read(a->first, id);
  watch_plane(a, x1);
  for (size_t i = 0; i < a->pairs; i++) {
    double *follower = x2 + (size_t)a->indices2.data[i] * width, goal[DV_MAX_COORD];
    memcpy(goal, x1 + (size_t)a->indices1.data[i] * width, width * sizeof *goal);
    if (a->active.data[i]) {
      attach_position(a, goal, follower, i, turns_freely(a, i));
    } else if (a->clamp) {
      for (int k = 0; k < o->dof->space; k++) goal[k] = a->lastPos[k];
      attach_position(a, goal, follower, i, a->freeRotations);
    }
  }
}

// --- velocities and forces -----------------------------------------------------------------------

static void meet(double *a, double *b, size_t width, double part)
{
  for (size_t k = 0; k < width; k++) {
    double move = (b[k] - a[k]) * part;
    a[k] += move;
    b[k] -= move;
  }
}

static void attach_velocity(Attach *a, double *v1, double *v2, size_t i, bool free_rotation)
{
  size_t width = (size_t)a->base.dof->deriv;
  if (a->released.data[i]) return;
  if (is_frame(a)) memcpy(v2, v1, (free_rotation ? (size_t)a->base.dof->space : width) * sizeof *v2);
  else meet(v1, v2, width, 0.5 * a->velocityFactor * factor_of(a, i));
}

static void attach_response(Attach *a, double *f1, double *f2, size_t i, bool free_rotation)
{
  size_t width = (size_t)a->base.dof->deriv, held = is_frame(a) && free_rotation ? (size_t)a->base.dof->space : width;
  if (a->released.data[i]) return;
  if (!f1 || !a->twoWay) memset(f2, 0, held * sizeof *f2);
  else if (!is_frame(a)) meet(f1, f2, width, 0.5 * a->responseFactor * factor_of(a, i));
  else
    for (size_t k = 0; k < held; k++) f2[k] = f1[k] += f2[k];
}

static void attach_project_velocity(dvObject *o, int id, double time)
{
  DV_UNUSED(time);
  Attach *a = (Attach *)o;
  if (!is_on(a)) return;
  refresh(a);
  size_t width = (size_t)o->dof->deriv;
  double *v1 = dv_state_write(a->first, id), *v2 = dv_state_write(a->second, id);
  for (size_t i = 0; i < a->pairs; i++) {
    double *leader = v1 + (size_t)a->indices1.data[i] * width, *follower = v2 + (size_t)a->indices2.data[i] * width;
    double rest[DV_MAX_COORD] = {0};
    if (a->active.data[i]) attach_velocity(a, leader, follower, i, turns_freely(a, i));
    else if (a->clamp) attach_velocity(a, rest, follower, i, a->freeRotations);
  }
}

static void attach_project_response(dvObject *o, int id)
{
  Attach *a = (Attach *)o;
  if (!is_on(a)) return;
  refresh(a);
  size_t width = (size_t)o->dof->deriv;
  double *f1 = dv_state_write(a->first, id), *f2 = dv_state_write(a->second, id);
  for (size_t i = 0; i < a->pairs; i++) {
    double *leader = f1 + (size_t)a->indices1.data[i] * width, *follower = f2 + (size_t)a->indices2.data[i] * width;
    if (a->active.data[i]) attach_response(a, leader, follower, i, turns_freely(a, i));
    else if (a->clamp) attach_response(a, NULL, follower, i, a->freeRotations);
  }
}

// The flag of a pair that is looked at advances by two with each pair that is held: SOFA counts twice.
static void attach_project_matrix(dvObject *o, int id)
{
  Attach *a = (Attach *)o;
  if (!is_on(a)) return;
  if (a->twoWay || a->holdSecond) {
    attach_project_response(o, id);
    return;
  }
  refresh(a);
  size_t width = (size_t)o->dof->deriv, flag = 0;
  double *f = dv_state_write(a->first, id);
  for (size_t i = 0; i < a->indices2.count; i++) {
    size_t point = (size_t)a->indices2.data[i];
    bool active = flag >= a->active.count || a->active.data[flag];
    bool last = flag + 1 >= a->active.count || !a->active.data[flag + 1];
    bool turns = a->freeRotations != a->lastFreeRotation && last ? a->lastFreeRotation : a->freeRotations;
    flag++;
    if (!active && !a->clamp) continue;
    if (point < a->first->count)
      memset(f + point * width, 0, (is_frame(a) && turns ? (size_t)o->dof->space : width) * sizeof *f);
    flag++;
  }
}

static const dvProjectiveOps attach_ops = {
    .project_matrix = attach_project_matrix,
    .project_response = attach_project_response,
    .project_velocity = attach_project_velocity,
    .project_position = attach_project_position,
};

const dvClass dv_attach_class = {
    .struct_size = sizeof(dvClass),
    .name = "AttachProjectiveConstraint",
    .help = "lets points of one state follow points of another",
    .module = DV_PROJECTIVE_MODULE,
    .dofs = DV_DOF_VEC1 | DV_DOF_VEC2 | DV_DOF_VEC3 | DV_DOF_RIGID2 | DV_DOF_RIGID3,
    .size = sizeof(Attach),
    .blocks = {&dv_object_block, DV_BLOCK(attach_fields)},
    .ops = {[DV_ROLE_PROJECTIVE] = &attach_ops},
    .init = attach_init,
    .destroy = attach_destroy,
    DV_MEMORY(attach_memory),
};

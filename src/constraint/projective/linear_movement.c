// LinearMovementProjectiveConstraint and PartialLinearMovementProjectiveConstraint: points moved along given
// displacements.
//
// Between two key times x = x0 + m(t) and v = dm/dt, with m interpolated linearly; outside of the key times the points
// are free. For frames m holds three Euler angles (radians) behind the translation; the rotation goes from one to the
// next on a great circle. The partial one moves some components only and can spread the displacement over a box whose
// corners have given factors.
#include "constraint/projective/classes.h"
#include "constraint/projective/key_times.h"
#include "constraint/projective/selected.h"

#include "math/vec.h"
#include "object/compat.h"

#define NEAR 0.001   // sine of half the angle between rotations that SOFA does not interpolate

#define LINEAR_MOVEMENT_FIELDS(X)                                                    \
  X(indices, indices, "0", "", "points that are moved")                              \
  X(reals, keyTimes, "0", "s", "times for which displacements are given, ascending") \
  X(derivs, movements, "", "m", "displacement at each key time")                     \
  X(bool, showMovement, "0", "", "draw the path", .flags = DV_LOOKS)                 \
  X(link, topology, "", "", "topology whose changes the indices follow", .role = DV_ROLE_TOPOLOGY)
#define WHOLE_FIELDS(X) \
  X(bool, relativeMovements, "1", "", "displacements count from the first position; else they are positions")
#define PARTIAL_FIELDS(X)                                                                                       \
  X(bools, movedDirections, "", "", "which components are moved, one truth value each; all when empty")         \
  X(bool, linearMovementBetweenNodesInIndices, "0", "", "spread the displacement between the corners of a box") \
  X(int, mainIndice, "0", "", "unused; kept for old scenes", .flags = DV_HIDDEN)                                \
  X(int, minDepIndice, "0", "", "unused; kept for old scenes", .flags = DV_HIDDEN)                              \
  X(int, maxDepIndice, "0", "", "unused; kept for old scenes", .flags = DV_HIDDEN)                              \
  X(reals, imposedDisplacmentOnMacroNodes, "", "",                                                              \
    "factor of the displacement at each corner: 4 for a face, 8 for a box")                                     \
  X(real, X0, "0", "m", "size of the box along x")                                                              \
  X(real, Y0, "0", "m", "size of the box along y")                                                              \
  X(real, Z0, "0", "m", "size of the box along z")

typedef struct LinearMovement {
  dvProjective base;
  LINEAR_MOVEMENT_FIELDS(DV_MEMBER)
  WHOLE_FIELDS(DV_MEMBER)
  PARTIAL_FIELDS(DV_MEMBER)
  dvSelected selected;
  dvKeys keys;
  dvReals first;   // positions before the first projection
  bool mean;       // of keys that are nearly the same rotation, all the time
  bool moved[DV_MAX_COORD];
} LinearMovement;

#define SELF LinearMovement
static const dvFieldDesc linear_movement_fields[] = {LINEAR_MOVEMENT_FIELDS(DV_DESCRIBE)};
static const dvFieldDesc whole_fields[] = {WHOLE_FIELDS(DV_DESCRIBE)};
static const dvFieldDesc partial_fields[] = {PARTIAL_FIELDS(DV_DESCRIBE)};
static const dvMemoryDesc linear_movement_memory[] = {
    DV_REMEMBER(reals, first) DV_REMEMBER(numbers, keys.before) DV_REMEMBER(numbers, keys.after)
        DV_REMEMBER(numbers, keys.value_before) DV_REMEMBER(numbers, keys.value_after)
            DV_REMEMBER(numbers, keys.inside)};
#undef SELF

static void linear_movement_destroy(dvObject *o)
{
  LinearMovement *l = (LinearMovement *)o;
  dv_selected_free(&l->selected);
  dv_reals_free(&l->first);
}

// true while the points are moved; the time is that of the scene, as it stands during the step
static bool find(LinearMovement *l)
{
  dvObject *o = &l->base.base;
  if (!dv_projective_active(o)) return false;
  dv_keys_find(&l->keys, &l->keyTimes, &l->movements, o->dof->deriv, o->node->time);
  return l->keys.inside;
}

static const dvInts *points_of(LinearMovement *l)
{
  return dv_selected(&l->selected, &l->base.base, &l->indices, l->base.state->count);
}

static void linear_movement_project_response(dvObject *o, int id)
{
  LinearMovement *l = (LinearMovement *)o;
  if (!find(l)) return;
  const dvInts *points = points_of(l);
  double *v = dv_state_write(l->base.state, id);
  size_t width = (size_t)o->dof->deriv;
  for (size_t i = 0; i < points->count; i++)
    for (size_t k = 0; k < width; k++)
      if (l->moved[k]) v[(size_t)points->data[i] * width + k] = 0;
}

static void linear_movement_project_velocity(dvObject *o, int id, double time)
{
  DV_UNUSED(time);
  LinearMovement *l = (LinearMovement *)o;
  if (!find(l)) return;
  const dvInts *points = points_of(l);
  double *v = dv_state_write(l->base.state, id), span = l->keys.after - l->keys.before;
  size_t width = (size_t)o->dof->deriv;
  for (size_t i = 0; i < points->count; i++)
    for (size_t k = 0; k < width; k++)
      v[(size_t)points->data[i] * width + k] = (l->keys.value_after[k] - l->keys.value_before[k]) / span;
}

static double sine_between(dvQuat a, dvQuat b)
{
  double c = dv_quat_dot(a, b);
  return fabs(c) >= 1 ? 0 : sqrt(1 - c * c);
}

// on a great circle; in SOFA nearly equal rotations give their mean
static dvQuat between(dvQuat a, dvQuat b, double t, bool mean)
{
  double s = sine_between(a, b), angle = acos(dv_quat_dot(a, b));
  if (s == 0) return a;
  double ka = mean && s < NEAR ? 0.5 : sin((1 - t) * angle) / s, kb = mean && s < NEAR ? 0.5 : sin(t * angle) / s;
  return (dvQuat){ka * a.x + kb * b.x, ka * a.y + kb * b.y, ka * a.z + kb * b.z, ka * a.w + kb * b.w};
}

static void move_frames(LinearMovement *l, double *x, const dvInts *points, double t)
{
  dvQuat a = dv_quat_from_euler(dv_vec3_load(l->keys.value_before + 3)),
         b = dv_quat_from_euler(dv_vec3_load(l->keys.value_after + 3));
  dvQuat turn = between(a, b, t, l->mean);
  for (size_t i = 0; i < points->count; i++) {
    double *at = x + 7 * (size_t)points->data[i];
    const double *first = l->first.data + 7 * (size_t)points->data[i];
    for (int k = 0; k < 3; k++) at[k] = (l->relativeMovements ? first[k] : 0) + dv_keys_value(&l->keys, k, t);
    dv_quat_store(at + 3, l->relativeMovements ? dv_quat_mul(dv_quat_load(first + 3), turn) : turn);
  }
}

// the factors of the corners, interpolated at a point of the box
static double spread(const LinearMovement *l, const double *p, int width)
{
  const double *u = l->imposedDisplacmentOnMacroNodes.data;
  double a = l->X0, b = l->Y0, c = l->Z0, x = p[0], y = width > 1 ? p[1] : 0, z = width > 2 ? p[2] : 0;
  bool flat = a == 0 || b == 0 || c == 0;
  if (a == 0) a = b, b = c;
  if (b == 0) b = c;
  if (flat) return ((a - x) * (b - y) * u[0] + x * (b - y) * u[1] + x * y * u[2] + (a - x) * y * u[3]) / (a * b);
  return ((a - x) * (b - y) * (c - z) * u[0] + (a - x) * (b - y) * z * u[1] + x * (b - y) * z * u[2] +
          x * (b - y) * (c - z) * u[3] + (a - x) * y * (c - z) * u[4] + (a - x) * y * z * u[5] + x * y * z * u[6] +
          x * y * (c - z) * u[7]) /
         (a * b * c);
}

static void move_points(LinearMovement *l, double *x, const dvInts *points, double t)
{
  int width = l->base.base.dof->coord;
  for (size_t i = 0; i < points->count; i++) {
    double *at = x + (size_t)points->data[i] * (size_t)width;
    const double *first = l->first.data + (size_t)points->data[i] * (size_t)width;
    double factor = l->linearMovementBetweenNodesInIndices ? spread(l, first, width) : 1;
    for (int k = 0; k < width; k++)
      if (l->moved[k]) at[k] = (l->relativeMovements ? first[k] : 0) + factor * dv_keys_value(&l->keys, k, t);
  }
}

static bool remember(LinearMovement *l, const double *x)
{
  size_t n = dv_state_scalars(l->base.state, DV_X);
  if (l->first.count == n) return true;
  return dv_reals_assign(&l->first, x, n);
}

static void linear_movement_project_position(dvObject *o, int id, double time)
{
  DV_UNUSED(time);
  LinearMovement *l = (LinearMovement *)o;
  double *x = dv_state_write(l->base.state, id);
  if (!remember(l, x) || !find(l)) return;
  double t = dv_keys_fraction(&l->keys, o->node->time);
  if (o->dof->kind == DV_RIGID3) move_frames(l, x, points_of(l), t);
  else move_points(l, x, points_of(l), t);
}

// some frame turns by less than SOFA can interpolate
static bool has_near_keys(const LinearMovement *l)
{
  const double *key = l->movements.data;
  for (size_t i = 1; l->base.base.dof->kind == DV_RIGID3 && i < l->movements.count / 6; i++) {
    double s = sine_between(dv_quat_from_euler(dv_vec3_load(key + 6 * i - 3)),
                            dv_quat_from_euler(dv_vec3_load(key + 6 * i + 3)));
    if (s > 0 && s < NEAR) return true;
  }
  return false;
}

static dvStatus linear_movement_init(dvObject *o)
{
  LinearMovement *l = (LinearMovement *)o;
  DV_TRY(dv_projective_init(o));
  o->dof = l->base.state->base.dof;
  for (int k = 0; k < o->dof->deriv; k++) l->moved[k] = true;
  if (o->cls == &dv_linear_movement_class) l->linearMovementBetweenNodesInIndices = false;
  else l->relativeMovements = true;
  dv_keys_check(o, &l->keyTimes, &l->movements, o->dof->deriv);
  l->mean = has_near_keys(l) && dv_compat(o, DV_COMPAT_NEAR_ROTATIONS);
  dv_follow_points(o, l->base.state, &l->indices);
  dv_element_data_add_groups(dv_follow_rows(o, l->base.state), &l->first, (size_t)o->dof->coord, true);
  points_of(l);
  return DV_OK;
}

static dvStatus partial_linear_movement_init(dvObject *o)
{
  LinearMovement *l = (LinearMovement *)o;
  DV_TRY(linear_movement_init(o));
  for (size_t k = 0; k < (size_t)o->dof->deriv && k < l->movedDirections.count; k++)
    l->moved[k] = l->movedDirections.data[k] != 0;
  if (!l->linearMovementBetweenNodesInIndices) return DV_OK;
  int flat = (l->X0 == 0) + (l->Y0 == 0) + (l->Z0 == 0);
  size_t want = flat ? 4 : 8;
  if (flat > 1)
    return dv_error(o, "give two or three of X0, Y0, Z0",
                    "the box between whose corners displacements are spread has no area");
  if (l->imposedDisplacmentOnMacroNodes.count < want)
    return dv_field_error(o, &l->imposedDisplacmentOnMacroNodes, NULL,
                          "%zu factors are needed, one per corner; there are %zu", want,
                          l->imposedDisplacmentOnMacroNodes.count);
  return DV_OK;
}

static const dvProjectiveOps linear_movement_ops = {
    .project_response = linear_movement_project_response,
    .project_velocity = linear_movement_project_velocity,
    .moves = true,
    .project_position = linear_movement_project_position,
};

const dvClass dv_linear_movement_class = {
    .struct_size = sizeof(dvClass),
    .name = "LinearMovementProjectiveConstraint",
    .help = "moves points along displacements given at key times",
    .module = DV_PROJECTIVE_MODULE,
    .dofs = DV_DOF_VECS | DV_DOF_RIGID3,
    .size = sizeof(LinearMovement),
    .blocks = {&dv_object_block, &dv_projective_block, DV_BLOCK(linear_movement_fields), DV_BLOCK(whole_fields)},
    .ops = {[DV_ROLE_PROJECTIVE] = &linear_movement_ops},
    .init = linear_movement_init,
    .reinit = linear_movement_init,
    .destroy = linear_movement_destroy,
    DV_MEMORY(linear_movement_memory),
};

const dvClass dv_partial_linear_movement_class = {
    .struct_size = sizeof(dvClass),
    .name = "PartialLinearMovementProjectiveConstraint",
    .help = "moves some components of points along displacements given at key times",
    .module = DV_PROJECTIVE_MODULE,
    .dofs = DV_DOF_VECS | DV_DOF_RIGID3,
    .size = sizeof(LinearMovement),
    .blocks = {&dv_object_block, &dv_projective_block, DV_BLOCK(linear_movement_fields), DV_BLOCK(partial_fields)},
    .ops = {[DV_ROLE_PROJECTIVE] = &linear_movement_ops},
    .init = partial_linear_movement_init,
    .reinit = partial_linear_movement_init,
    .destroy = linear_movement_destroy,
    DV_MEMORY(linear_movement_memory),
};

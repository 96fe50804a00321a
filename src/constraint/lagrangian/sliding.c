// SlidingLagrangianConstraint: a point P slides on the segment from A to B of another object.
//
//   d1 = n (P - C) = 0, d2 = m (P - C) = 0        C = A + t (B - A) the foot of P, t between 0 and 1
//   d3 = e (P - A) >= 0, d4 = -e (P - B) >= 0     e along the segment, n and m across
//
// n points from the foot to P; where P stands on the line it is any normal. Where A and B coincide P stays at A, three
// rows along the axes. Frames: their positions. When one of the three leaves with a change of its mesh, nothing is held
// any more.
#include "constraint/lagrangian/classes.h"
#include "constraint/lagrangian/model.h"

#include "math/vec.h"
#include "mechanics/pairs.h"

#include <float.h>

#define SLIDING_FIELDS(X)                                                        \
  DV_TWO_STATES_FIELDS(X)                                                        \
  X(int, sliding_point, "0", "", "point of the first object that slides")        \
  X(int, axis_1, "0", "", "point of the second object where the segment begins") \
  X(int, axis_2, "0", "", "point of the second object where it ends")            \
  X(deriv, force, "", "N s", "multiplier of the last step, on the sliding point", .flags = DV_READ_ONLY)

typedef struct Sliding {
  dvConstraintModel model;
  SLIDING_FIELDS(DV_MEMBER)
  int rows;   // 4, or 3 where the ends coincide
  dvVec3 directions[4];
  double t;
  dvPairs followed;
  dvInts slides, axis;   // the point, and both ends; empty when one has left
} Sliding;

#define SELF Sliding
static const dvFieldDesc sliding_fields[] = {SLIDING_FIELDS(DV_DESCRIBE)};
#undef SELF

static dvStatus sliding_check(dvObject *o)
{
  Sliding *s = (Sliding *)o;
  DV_TRY(dv_constraint_model_check(o, &s->sliding_point, s->model.first));
  DV_TRY(dv_constraint_model_check(o, &s->axis_1, s->model.second));
  DV_TRY(dv_constraint_model_check(o, &s->axis_2, s->model.second));
  s->slides.width = 1;
  s->axis.width = 2;
  if (!dv_ints_assign(&s->slides, &s->sliding_point, 1) ||
      !dv_ints_assign(&s->axis, (const int32_t[]){s->axis_1, s->axis_2}, 2))
    return dv_error(o, NULL, "out of memory");
  if (s->followed.ends[0]) dv_pairs_forget(&s->followed);
  return DV_OK;
}

static dvStatus sliding_bwd_init(dvObject *o)
{
  Sliding *s = (Sliding *)o;
  DV_TRY(sliding_check(o));
  if (!s->followed.ends[0]) dv_pairs_follow(&s->followed, o, s->model.first, s->model.second, &s->slides, &s->axis);
  return DV_OK;
}

static bool is_gone(const Sliding *s) { return s->slides.count < 1 || s->axis.count < 2; }

static void sliding_topology_changed(dvObject *o)
{
  Sliding *s = (Sliding *)o;
  dv_follow_patched(o);
  if (is_gone(s)) return;
  s->sliding_point = s->slides.data[0];
  s->axis_1 = s->axis.data[0];
  s->axis_2 = s->axis.data[1];
  dv_touch(o, &s->sliding_point), dv_touch(o, &s->axis_1), dv_touch(o, &s->axis_2);
}

static void sliding_destroy(dvObject *o)
{
  Sliding *s = (Sliding *)o;
  dv_pairs_free(&s->followed);
  dv_ints_free(&s->slides);
  dv_ints_free(&s->axis);
}

static dvStatus sliding_init(dvObject *o)
{
  Sliding *s = (Sliding *)o;
  return dv_constraint_model_find_two(o, &s->object1, &s->object2);
}

static dvVec3 point(const dvState *s, int vector, int32_t i)
{
  return dv_vec3_load(dv_state_read(s, vector) + (size_t)i * (size_t)s->base.dof->coord);
}
static dvVec3 speed(const dvState *s, int vector, int32_t i)
{
  return dv_vec3_load(dv_state_read(s, vector) + (size_t)i * (size_t)s->base.dof->deriv);
}

static dvVec3 without(dvVec3 v, dvVec3 e) { return dv_vec3_add_scaled(v, e, -dv_vec3_dot(v, e)); }

// A normal of the line. Where P stands on it the offset is rounding alone, and may lie along the line: what is left of
// it is made perpendicular twice.
static dvVec3 across(dvVec3 offset, dvVec3 e)
{
  offset = without(offset, e);
  if (dv_vec3_norm(offset) >= DBL_EPSILON) return dv_vec3_normalise(without(dv_vec3_normalise(offset), e));
  dvVec3 x = {1, 0, 0};
  if (dv_vec3_norm(dv_vec3_cross(x, e)) < DBL_EPSILON) x.y = 1;
  return dv_vec3_normalise(dv_vec3_cross(x, e));
}

// Directions and foot are those of the beginning of the step, as the rows of mappings are; violations are measured in
// the free motion. Posed again, all are those of the positions so far.
static void sliding_begin(dvObject *o, const dvConstraintStep *step)
{
  Sliding *s = (Sliding *)o;
  int x = step->again ? step->x : DV_X;
  if (is_gone(s)) {
    s->rows = 0;
    return;
  }
  dvVec3 p = point(s->model.first, x, s->sliding_point), a = point(s->model.second, x, s->axis_1),
         axis = dv_vec3_sub(point(s->model.second, x, s->axis_2), a);
  double length = dv_vec3_norm(axis);
  s->t = 0;
  s->rows = length < DBL_EPSILON ? 3 : 4;
  if (s->rows == 3) {
    for (int k = 0; k < 3; k++) s->directions[k] = dv_vec3(k == 0, k == 1, k == 2);
    return;
  }
  dvVec3 e = dv_vec3_scale(axis, 1 / length);
  double along = dv_vec3_dot(dv_vec3_sub(p, a), e);
  s->t = dv_max(0, dv_min(1, along / length));
  s->directions[0] = across(dv_vec3_sub(p, dv_vec3_add_scaled(a, e, along)), e);
  s->directions[1] = dv_vec3_normalise(dv_vec3_cross(s->directions[0], e));
  s->directions[2] = e;
  s->directions[3] = dv_vec3_scale(e, -1);
}

static size_t sliding_laws(dvObject *o, const dvConstraintStep *step, dvLaw *out)
{
  DV_UNUSED(step);
  const Sliding *s = (const Sliding *)o;
  if (dv_constraint_model_is_over(o) || is_gone(s)) return 0;
  for (int k = 0; out && k < s->rows; k++)
    out[k] = (dvLaw){
        .kind = s->rows == 4 && k >= 2 ? DV_LAW_UNEQUAL : DV_LAW_EQUAL, .rows = 1, .id = (uint64_t)k, .restarts = true};
  return (size_t)s->rows;
}

// the part of a row that the end B has; the rest is A's
static double part_of_end(const Sliding *s, int k) { return k < 2 ? s->t : k == 3; }

static void sliding_rows(dvObject *o, const dvConstraintStep *step, dvRowSet *set, int32_t first)
{
  DV_UNUSED(step);
  Sliding *s = (Sliding *)o;
  s->model.constraintIndex = first;
  for (int k = 0; k < s->rows; k++) {
    double h[6] = {s->directions[k].x, s->directions[k].y, s->directions[k].z, 0, 0, 0}, end = part_of_end(s, k);
    dv_rows_add(set, s->model.first, first + k, (size_t)s->sliding_point, h, 1);
    if (end < 1) dv_rows_add(set, s->model.second, first + k, (size_t)s->axis_1, h, end - 1);
    if (end > 0) dv_rows_add(set, s->model.second, first + k, (size_t)s->axis_2, h, -end);
  }
}

static void sliding_violation(dvObject *o, const dvConstraintStep *step, double *out)
{
  const Sliding *s = (const Sliding *)o;
  int x = dv_constraint_positions(step);
  if (is_gone(s)) return;
  dvVec3 p = point(s->model.first, x, s->sliding_point), a = point(s->model.second, x, s->axis_1),
         b = point(s->model.second, x, s->axis_2);
  dvVec3 vp = speed(s->model.first, step->v, s->sliding_point), va = speed(s->model.second, step->v, s->axis_1),
         vb = speed(s->model.second, step->v, s->axis_2);
  for (int k = 0; k < s->rows; k++) {
    double end = part_of_end(s, k);
    dvVec3 d = dv_vec3_sub(p, dv_vec3_add(dv_vec3_scale(a, 1 - end), dv_vec3_scale(b, end)));
    dvVec3 v = dv_vec3_sub(vp, dv_vec3_add(dv_vec3_scale(va, 1 - end), dv_vec3_scale(vb, end)));
    out[k] = dv_vec3_dot(s->directions[k], d);
    if (step->velocities) out[k] = out[k] / step->dt + dv_vec3_dot(s->directions[k], v);
  }
}

static void sliding_store(dvObject *o, const dvConstraintStep *step, const double *lambda)
{
  DV_UNUSED(step);
  Sliding *s = (Sliding *)o;
  dvVec3 sum = {0, 0, 0};
  for (int k = 0; k < s->rows; k++) sum = dv_vec3_add_scaled(sum, s->directions[k], lambda[k]);
  dv_vec3_store(s->force, sum);
  dv_touch(o, s->force);
}

static const dvConstraintOps sliding_ops = {.begin = sliding_begin,
                                            .laws = sliding_laws,
                                            .rows = sliding_rows,
                                            .violation = sliding_violation,
                                            .store = sliding_store};

const dvClass dv_sliding_class = {
    .struct_size = sizeof(dvClass),
    .name = "SlidingLagrangianConstraint",
    .help = "lets a point slide on the segment between two points of another object",
    .module = "Sofa.Component.Constraint.Lagrangian.Model",
    .dofs = DV_DOF_VEC3 | DV_DOF_RIGID3,
    .size = sizeof(Sliding),
    .blocks = {&dv_object_block, &dv_constraint_model_block, DV_BLOCK(sliding_fields)},
    .ops = {[DV_ROLE_CONSTRAINT] = &sliding_ops},
    .init = sliding_init,
    .bwd_init = sliding_bwd_init,
    .reinit = sliding_check,
    .destroy = sliding_destroy,
    .topology_changed = sliding_topology_changed,
};

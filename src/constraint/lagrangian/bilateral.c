// BilateralLagrangianConstraint: points or frames of two objects that stay together, or at a given difference.
//
//   d = x2 - x1 - rest_vector = 0, three rows a pair of points
//   frames: three more, the vector of the rotation from the first to the second, in the world
//
// With keepOrientationDifference frames keep the differences that they start with: the vector between them, as it
// stands in the world, and the turn of the second in the frame of the first. For velocities, d / h + v2 - v1: what is
// left of the difference goes in the step. Pairs whose points leave with a change of the mesh go with them.
#include "constraint/lagrangian/classes.h"
#include "constraint/lagrangian/model.h"

#include "math/vec.h"
#include "mechanics/pairs.h"

#include <string.h>

#define BILATERAL_FIELDS(X)                                                                                     \
  DV_TWO_STATES_FIELDS(X)                                                                                       \
  X(ints, first_point, "", "", "points of the first object")                                                    \
  X(ints, second_point, "", "", "points of the second object, one for each of the first")                       \
  X(derivs, rest_vector, "", "m",                                                                               \
    "difference from the first point to the second, for each pair; 0 where there is none")                      \
  X(bool, activate, "1", "", "hold the points together")                                                        \
  X(bool, keepOrientationDifference, "0", "", "frames: keep the difference that they start with")               \
  X(real, load, "1", "", "part of each correction that is made; below 1 the solver comes nearer more slowly",   \
    .least = "0")                                                                                               \
  X(real, numericalTolerance, "0.0001", "", "accepted: the tolerance of the solver counts", .flags = DV_HIDDEN) \
  X(link, topology1, "", "", "accepted: points follow the mesh of their state", .flags = DV_HIDDEN)             \
  X(link, topology2, "", "", "accepted: points follow the mesh of their state", .flags = DV_HIDDEN)

typedef struct Difference {
  double x[7];   // vector and turn
} Difference;

typedef struct Bilateral {
  dvConstraintModel model;
  BILATERAL_FIELDS(DV_MEMBER)
  dvPairs followed;
  DV_ARRAY(Difference) start;   // keepOrientationDifference: of each pair
} Bilateral;

#define SELF Bilateral
static const dvFieldDesc bilateral_fields[] = {BILATERAL_FIELDS(DV_DESCRIBE)};
#undef SELF

static size_t all_pairs(const Bilateral *b) { return dv_min_size(b->first_point.count, b->second_point.count); }

static void keep_difference(Bilateral *b)
{
  if (!b->keepOrientationDifference || b->model.base.dof->kind != DV_RIGID3) return;
  const double *x1 = dv_state_read(b->model.first, DV_X), *x2 = dv_state_read(b->model.second, DV_X);
  dv_array_resize(&b->start, all_pairs(b));
  for (size_t i = 0; i < all_pairs(b); i++) {
    const double *p = x1 + 7 * (size_t)b->first_point.data[i], *q = x2 + 7 * (size_t)b->second_point.data[i];
    double *out = b->start.data[i].x;
    dv_vec3_store(out, dv_vec3_sub(dv_vec3_load(q), dv_vec3_load(p)));
    dvQuat turn = dv_quat_conjugate(dv_quat_normalise(dv_quat_load(p + 3)));
    dv_quat_store(out + 3, dv_quat_mul(turn, dv_quat_normalise(dv_quat_load(q + 3))));
  }
}

static dvStatus bilateral_check(dvObject *o)
{
  Bilateral *b = (Bilateral *)o;
  if (b->first_point.count != b->second_point.count)
    dv_field_warning(o, &b->second_point, "give as many as first_point has",
                     "%zu points of the first object and %zu of the second: the rest is not held", b->first_point.count,
                     b->second_point.count);
  for (int side = 0; side < 2; side++) {
    const dvInts *list = side ? &b->second_point : &b->first_point;
    const dvState *s = side ? b->model.second : b->model.first;
    for (size_t i = 0; i < list->count; i++)
      if (list->data[i] < 0 || (size_t)list->data[i] >= s->count)
        return dv_field_error(o, list, NULL, "there is no point %d: %s has %zu", list->data[i], s->base.name, s->count);
  }
  return DV_OK;
}

static dvStatus bilateral_init(dvObject *o)
{
  Bilateral *b = (Bilateral *)o;
  return dv_constraint_model_find_two(o, &b->object1, &b->object2);
}

static dvStatus bilateral_bwd_init(dvObject *o)
{
  Bilateral *b = (Bilateral *)o;
  DV_TRY(bilateral_check(o));
  if (b->keepOrientationDifference && b->rest_vector.count)
    dv_field_warning(o, &b->rest_vector, "leave one of the two away",
                     "rest_vector does not count where keepOrientationDifference is set");
  keep_difference(b);
  if (b->first_point.count == b->second_point.count && !b->followed.ends[0]) {
    dv_pairs_follow(&b->followed, o, b->model.first, b->model.second, &b->first_point, &b->second_point);
    dvElementList *list = dv_pairs_list(&b->followed);
    size_t width = (size_t)o->dof->deriv;
    if (b->rest_vector.count == width * all_pairs(b)) dv_element_list_add_groups(list, &b->rest_vector, width, false);
    if (b->start.count) dv_element_list_add_array(list, &b->start);
  }
  return DV_OK;
}

static size_t pairs_of(const Bilateral *b)
{
  return b->activate && !dv_constraint_model_is_over(&b->model.base) ? all_pairs(b) : 0;
}

static size_t bilateral_laws(dvObject *o, const dvConstraintStep *step, dvLaw *out)
{
  DV_UNUSED(step);
  const Bilateral *b = (const Bilateral *)o;
  size_t count = 0;
  dvLaw law = {.held_back = 1 - b->load, .restarts = o->dof->kind == DV_RIGID3};
  for (size_t i = 0; i < pairs_of(b); i++) count += dv_dof_laws(o->dof, i, law, out ? out + count : NULL);
  return count;
}

static void bilateral_rows(dvObject *o, const dvConstraintStep *step, dvRowSet *set, int32_t first)
{
  DV_UNUSED(step);
  Bilateral *b = (Bilateral *)o;
  b->model.constraintIndex = first;
  for (size_t i = 0; i < pairs_of(b); i++) {
    int32_t row = first + (int32_t)i * o->dof->deriv;
    dv_rows_add_scalars(set, b->model.first, row, (size_t)b->first_point.data[i], -1);
    dv_rows_add_scalars(set, b->model.second, row, (size_t)b->second_point.data[i], 1);
  }
}

// where the second one of a pair belongs
static void place_of(const Bilateral *b, size_t i, const double *x1, double *out)
{
  memcpy(out, x1, (size_t)b->model.base.dof->coord * sizeof *out);
  if (i >= b->start.count) return;
  const double *start = b->start.data[i].x;
  for (int k = 0; k < 3; k++) out[k] += start[k];
  dv_quat_store(out + 3, dv_quat_mul(dv_quat_load(x1 + 3), dv_quat_load(start + 3)));
}

static void bilateral_violation(dvObject *o, const dvConstraintStep *step, double *out)
{
  const Bilateral *b = (const Bilateral *)o;
  size_t width = (size_t)o->dof->deriv, coord = (size_t)o->dof->coord;
  int x = dv_constraint_positions(step);
  const double *x1 = dv_state_read(b->model.first, x), *x2 = dv_state_read(b->model.second, x),
               *v1 = dv_state_read(b->model.first, step->v), *v2 = dv_state_read(b->model.second, step->v);
  bool rest = b->start.count == 0;
  for (size_t i = 0; i < pairs_of(b); i++) {
    size_t p = (size_t)b->first_point.data[i], q = (size_t)b->second_point.data[i];
    double *d = out + i * width, place[DV_MAX_COORD];
    place_of(b, i, x1 + p * coord, place);
    dv_dof_difference(o->dof, 1, d, x2 + q * coord, place);
    for (size_t k = 0; k < width; k++) {
      if (rest && i * width + k < b->rest_vector.count) d[k] -= b->rest_vector.data[i * width + k];
      if (step->velocities) d[k] = d[k] / step->dt + v2[q * width + k] - v1[p * width + k];
    }
  }
}

static void bilateral_destroy(dvObject *o)
{
  dv_pairs_free(&((Bilateral *)o)->followed);
  dv_array_free(&((Bilateral *)o)->start);
}

static const dvConstraintOps bilateral_ops = {
    .laws = bilateral_laws, .rows = bilateral_rows, .violation = bilateral_violation};

const dvClass dv_bilateral_class = {
    .struct_size = sizeof(dvClass),
    .name = "BilateralLagrangianConstraint",
    .help = "holds points or frames of two objects together, or at a given difference from each other",
    .module = "Sofa.Component.Constraint.Lagrangian.Model",
    .dofs = DV_DOF_VEC3 | DV_DOF_RIGID3,
    .size = sizeof(Bilateral),
    .blocks = {&dv_object_block, &dv_constraint_model_block, DV_BLOCK(bilateral_fields)},
    .ops = {[DV_ROLE_CONSTRAINT] = &bilateral_ops},
    .init = bilateral_init,
    .bwd_init = bilateral_bwd_init,
    .reinit = bilateral_check,
    .destroy = bilateral_destroy,
};

// BilateralLagrangianConstraint: points of two objects that stay together, or at a given vector from each other.
//
//   d = x2 - x1 - rest_vector = 0, three rows a pair
//
// For velocities, d / h + v2 - v1: what is left of the distance goes in the step.
#include "constraint/lagrangian/classes.h"

#define BILATERAL_FIELDS(X)                                                                                          \
  X(link, object1, "", "", "first object; the state of the node by default", .role = DV_ROLE_STATE)                  \
  X(link, object2, "", "", "second object; the state of the node by default", .role = DV_ROLE_STATE)                 \
  X(ints, first_point, "", "", "points of the first object")                                                         \
  X(ints, second_point, "", "", "points of the second object, one for each of the first")                            \
  X(derivs, rest_vector, "", "m", "vector from the first point to the second, for each pair; 0 where there is none") \
  X(bool, activate, "1", "", "hold the points together")                                                             \
  X(real, endTime, "-1", "s", "the constraint ends then; never when negative")

typedef struct Bilateral {
  dvObject base;
  BILATERAL_FIELDS(DV_MEMBER)
  dvState *first, *second;
} Bilateral;

#define SELF Bilateral
static const dvFieldDesc bilateral_fields[] = {BILATERAL_FIELDS(DV_DESCRIBE)};
#undef SELF

static dvStatus find_object(dvObject *o, dvLink *link, const char *which, dvState **out)
{
  if (!link->target) link->target = dv_node_state(o->node);
  if (!link->target)
    return dv_error(o, "give object1=\"@path\" and object2=\"@path\"", "%s finds no %s object", o->cls->name, which);
  if (link->target->dof->kind != DV_VEC3)
    return dv_error(o, NULL, "%s holds points together; %s has %s", o->cls->name, link->target->name,
                    link->target->dof->name);
  *out = dv_state(link->target);
  return dv_object_ensure(link->target);
}

static dvStatus bilateral_check(dvObject *o)
{
  Bilateral *b = (Bilateral *)o;
  if (b->first_point.count != b->second_point.count)
    return dv_field_error(o, &b->second_point, "give as many as first_point has",
                          "%zu points of the first object and %zu of the second make no pairs", b->first_point.count,
                          b->second_point.count);
  for (int side = 0; side < 2; side++) {
    const dvInts *list = side ? &b->second_point : &b->first_point;
    const dvState *s = side ? b->second : b->first;
    for (size_t i = 0; i < list->count; i++)
      if (list->data[i] < 0 || (size_t)list->data[i] >= s->count)
        return dv_field_error(o, list, NULL, "there is no point %d: %s has %zu", list->data[i], s->base.name, s->count);
  }
  return DV_OK;
}

static dvStatus bilateral_init(dvObject *o)
{
  Bilateral *b = (Bilateral *)o;
  DV_TRY(find_object(o, &b->object1, "first", &b->first));
  DV_TRY(find_object(o, &b->object2, "second", &b->second));
  return bilateral_check(o);
}

static size_t pairs_of(const Bilateral *b)
{
  bool over = b->endTime >= 0 && b->base.node->time > b->endTime;
  return b->activate && !over ? b->first_point.count : 0;
}

static size_t bilateral_laws(dvObject *o, const dvConstraintStep *step, dvLaw *out)
{
  DV_UNUSED(step);
  size_t n = pairs_of((Bilateral *)o);
  for (size_t i = 0; out && i < n; i++) out[i] = (dvLaw){.kind = DV_LAW_EQUAL, .rows = 3, .id = i};
  return n;
}

static void bilateral_rows(dvObject *o, const dvConstraintStep *step, dvRowSet *set, int32_t first)
{
  DV_UNUSED(step);
  const Bilateral *b = (const Bilateral *)o;
  for (size_t i = 0; i < pairs_of(b); i++)
    for (int k = 0; k < 3; k++) {
      double axis[3] = {k == 0, k == 1, k == 2};
      dv_rows_add(set, b->first, first + (int32_t)(3 * i) + k, (size_t)b->first_point.data[i], axis, -1);
      dv_rows_add(set, b->second, first + (int32_t)(3 * i) + k, (size_t)b->second_point.data[i], axis, 1);
    }
}

static void bilateral_violation(dvObject *o, const dvConstraintStep *step, double *out)
{
  const Bilateral *b = (const Bilateral *)o;
  int x = step->velocities ? DV_X : step->x;
  const double *x1 = dv_state_read(b->first, x), *x2 = dv_state_read(b->second, x),
               *v1 = dv_state_read(b->first, step->v), *v2 = dv_state_read(b->second, step->v);
  for (size_t i = 0; i < pairs_of(b); i++)
    for (size_t k = 0; k < 3; k++) {
      size_t p = 3 * (size_t)b->first_point.data[i] + k, q = 3 * (size_t)b->second_point.data[i] + k;
      double d = x2[q] - x1[p] - (3 * i + k < b->rest_vector.count ? b->rest_vector.data[3 * i + k] : 0);
      out[3 * i + k] = step->velocities ? d / step->dt + v2[q] - v1[p] : d;
    }
}

static const dvConstraintOps bilateral_ops = {
    .laws = bilateral_laws, .rows = bilateral_rows, .violation = bilateral_violation};

const dvClass dv_bilateral_class = {
    .struct_size = sizeof(dvClass),
    .name = "BilateralLagrangianConstraint",
    .help = "holds points of two objects together, or at a given vector from each other",
    .module = "Sofa.Component.Constraint.Lagrangian.Model",
    .dofs = DV_DOF_VEC3,
    .size = sizeof(Bilateral),
    .blocks = {&dv_object_block, DV_BLOCK(bilateral_fields)},
    .ops = {[DV_ROLE_CONSTRAINT] = &bilateral_ops},
    .init = bilateral_init,
    .reinit = bilateral_check,
};

// See position.h. PositionConstraint: the displacement of points, or the force on them, is imposed.
#include "robot/position.h"

#include "robot/classes.h"

#include <math.h>
#include <string.h>

#define SELF dvPosition
static const dvFieldDesc position_fields[] = {DV_POSITION_FIELDS(DV_DESCRIBE)};
#undef SELF
const dvFieldBlock dv_position_block = {position_fields, (int)DV_COUNT(position_fields)};

static size_t used(const dvPosition *c) { return c->axes.count / (size_t)c->part.model.base.dof->deriv; }

size_t dv_position_rows(const dvPart *p)
{
  const dvPosition *c = (const dvPosition *)p;
  return c->indices.count * used(c);
}

void dv_position_measure(dvPart *p, const double *x, double *q, bool slopes)
{
  dvPosition *c = (dvPosition *)p;
  const dvDof *dof = p->model.base.dof;
  size_t coord = (size_t)dof->coord, deriv = (size_t)dof->deriv, n = used(c);
  const double *from = c->goal ? c->goal->data : dv_state_read(dv_part_state(p), DV_X_REST);
  for (size_t i = 0; i < c->indices.count; i++) {
    size_t point = (size_t)c->indices.data[i];
    double offset[DV_MAX_COORD];
    size_t at = c->goal ? dv_min_size(i, c->goal->count / coord - 1) : point;
    dv_dof_difference(dof, 1, offset, x + point * coord, from + at * coord);
    for (size_t k = 0; k < n; k++) {
      const double *axis = c->axes.data + k * deriv;
      double sum = 0;
      for (size_t j = 0; j < deriv; j++) sum += axis[j] * offset[j];
      q[i * n + k] = sum;
      if (slopes) dv_part_slope(p, i * n + k, point, axis);
    }
  }
}

// --- setting up --------------------------------------------------------------------------------------

static dvStatus add_axis(dvObject *o, size_t number)
{
  dvPosition *c = (dvPosition *)o;
  size_t deriv = (size_t)o->dof->deriv;
  double axis[DV_MAX_COORD] = {0}, size = 0;
  axis[number] = 1;
  if (c->directions.count) memcpy(axis, c->directions.data + number * deriv, deriv * sizeof *axis);
  for (size_t j = 0; j < deriv; j++) size += axis[j] * axis[j];
  if (!(size > 0))
    return dv_field_error(o, &c->directions, "give another one, or leave it out with useDirections",
                          "direction %zu is zero", number);
  double weight = c->weight.count == 0 ? 1 : c->weight.data[c->weight.count == 1 ? 0 : number];
  for (size_t j = 0; j < deriv; j++) dv_push(&c->axes, axis[j] * weight / sqrt(size));
  return DV_OK;
}

dvStatus dv_position_check(dvObject *o)
{
  dvPosition *c = (dvPosition *)o;
  size_t deriv = (size_t)o->dof->deriv, given = c->directions.count ? c->directions.count / deriv : deriv;
  DV_TRY(dv_check_indices(o, &c->indices, dv_part_state(&c->part)->count, "points"));
  if (c->weight.count > 1 && c->weight.count != given)
    return dv_field_error(o, &c->weight, "give one for all, or one for each", "%zu weights for %zu directions",
                          c->weight.count, given);
  if (c->useDirections.count && c->useDirections.count != given)
    return dv_field_error(o, &c->useDirections, "1 or 0 for each", "%zu marks for %zu directions",
                          c->useDirections.count, given);
  c->axes.count = 0;
  for (size_t k = 0; k < given; k++)
    if (c->useDirections.count == 0 || c->useDirections.data[k]) DV_TRY(add_axis(o, k));
  if (c->axes.count == 0)
    return dv_field_error(o, &c->useDirections, "leave it out for all", "no direction is used: nothing is held");
  return DV_OK;
}

dvStatus dv_position_bwd_init(dvObject *o)
{
  dvPosition *c = (dvPosition *)o;
  if (c->indices.count == 0) {
    if (!dv_ints_assign(&c->indices, (int32_t[]){0}, 1)) return dv_error(o, NULL, "out of memory");
    dv_warning(o, "set indices", "no points were given: point 0 is taken");
  }
  DV_TRY(dv_position_check(o));
  dv_follow_points(o, dv_part_state(&c->part), &c->indices);
  dv_part_end_step(o);
  return DV_OK;
}

void dv_position_show(dvPart *p)
{
  dvPosition *c = (dvPosition *)p;
  if (!dv_reals_resize(&c->delta, p->aims.count)) return;
  double *delta = dv_reals_edit(&c->delta);
  for (size_t i = 0; i < p->aims.count; i++) delta[i] = p->aims.data[i].reached;
  dv_touch(&p->model.base, &c->delta);
}

void dv_position_remember(dvObject *o, dvMemoryStream *s)
{
  dvPosition *c = (dvPosition *)o;
  dv_part_remember(o, s);
  dv_remember_reals(s, "delta", &c->delta);
}

void dv_position_destroy(dvObject *o)
{
  dv_part_destroy(o);
  dv_array_free(&((dvPosition *)o)->axes);
}

// --- PositionConstraint ------------------------------------------------------------------------------

#define CONSTRAINT_FIELDS(X)                                                                     \
  X(reals, value, "", "", "displacements (m, rad) or forces (N, N m) to choose from")            \
  X(int, valueIndex, "0", "", "which of them is imposed on all rows", .least = "0")              \
  X(choice, valueType, "displacement", "", "what the value is", .options = "displacement|force") \
  X(real, force, "0", "N", "force of the first row in the last step", .flags = DV_READ_ONLY)     \
  X(real, displacement, "0", "m", "displacement of the first row", .flags = DV_READ_ONLY)        \
  X(real, maxForce, "0", "N", "largest force; none when it is not given")                        \
  X(real, minForce, "0", "N", "smallest force; none when it is not given")                       \
  X(real, maxPositiveDisp, "0", "m", "largest displacement; none when it is not given")          \
  X(real, maxNegativeDisp, "0", "m", "largest displacement backwards; none when it is not given")

typedef struct PositionConstraint {
  dvPosition position;
  CONSTRAINT_FIELDS(DV_MEMBER)
} PositionConstraint;

#define SELF PositionConstraint
static const dvFieldDesc constraint_fields[] = {CONSTRAINT_FIELDS(DV_DESCRIBE)};
static const dvMemoryDesc constraint_memory[] = {DV_REMEMBER(numbers, force) DV_REMEMBER(numbers, displacement)};
#undef SELF

static void imposed_aim(dvPart *p, double h)
{
  DV_UNUSED(h);
  PositionConstraint *c = (PositionConstraint *)p;
  const dvObject *o = &p->model.base;
  double value = dv_part_value(&p->model.base, &c->value, c->valueIndex);
  for (size_t i = 0; i < p->aims.count; i++) {
    dvPartAim *a = &p->aims.data[i];
    a->low = dv_part_limit(o, &c->minForce, -INFINITY);
    a->high = dv_part_limit(o, &c->maxForce, INFINITY);
    a->least = -dv_part_limit(o, &c->maxNegativeDisp, INFINITY);
    a->most = dv_part_limit(o, &c->maxPositiveDisp, INFINITY);
    a->by_force = c->valueType == 1;
    a->value = a->by_force ? dv_max(a->low, dv_min(a->high, value)) : dv_max(a->least, dv_min(a->most, value));
  }
}

static void imposed_show(dvPart *p)
{
  PositionConstraint *c = (PositionConstraint *)p;
  c->force = p->forces.data[0];
  c->displacement = p->aims.data[0].reached;
  dv_touch(&p->model.base, &c->force);
  dv_touch(&p->model.base, &c->displacement);
  dv_position_show(p);
}

static const dvGauge imposed = {
    .rows = dv_position_rows, .measure = dv_position_measure, .aim = imposed_aim, .show = imposed_show};

static dvStatus imposed_init(dvObject *o) { return dv_part_init(o, &imposed, DV_PART_IMPOSED); }
static dvStatus imposed_check(dvObject *o)
{
  PositionConstraint *c = (PositionConstraint *)o;
  DV_TRY(dv_part_check_limits(o, &c->minForce, &c->maxForce, "force"));
  return dv_part_check_value(o, &c->value, &c->valueIndex);
}
static dvStatus imposed_bwd_init(dvObject *o)
{
  DV_TRY(imposed_check(o));
  return dv_position_bwd_init(o);
}
static dvStatus imposed_reinit(dvObject *o)
{
  DV_TRY(imposed_check(o));
  return dv_position_check(o);
}

const dvClass dv_position_constraint_class = {
    .struct_size = sizeof(dvClass),
    .name = "PositionConstraint",
    .help = "imposes the displacement of points or frames along directions, or the force on them",
    .module = "SoftRobots",
    .dofs = DV_DOF_VEC3 | DV_DOF_RIGID3,
    .size = sizeof(PositionConstraint),
    .blocks = {&dv_object_block, &dv_constraint_model_block, &dv_position_block, DV_BLOCK(constraint_fields)},
    .ops = {[DV_ROLE_CONSTRAINT] = &dv_part_ops},
    DV_MEMORY(constraint_memory),
    .init = imposed_init,
    .bwd_init = imposed_bwd_init,
    .reinit = imposed_reinit,
    .end_step = dv_part_end_step,
    .remember = dv_position_remember,
    .destroy = dv_position_destroy,
};

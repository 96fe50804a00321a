// See cable.h. CableConstraint: the displacement or the tension of a cable is imposed.
#include "robot/cable.h"

#include "robot/classes.h"

#include <math.h>
#include <string.h>

#define SELF dvCable
static const dvFieldDesc cable_fields[] = {DV_CABLE_FIELDS(DV_DESCRIBE)};
#undef SELF
const dvFieldBlock dv_cable_block = {cable_fields, (int)DV_COUNT(cable_fields)};

// --- geometry ----------------------------------------------------------------------------------------

static size_t corners(const dvCable *c) { return c->indices.count + c->hasPullPoint; }
static dvVec3 corner(const dvCable *c, const double *x, size_t i)
{
  if (c->hasPullPoint && i == 0) return dv_vec3_load(c->pullPoint);
  size_t width = (size_t)c->part.model.base.dof->coord;
  return dv_vec3_load(x + width * (size_t)c->indices.data[i - c->hasPullPoint]);
}

static double length(const dvCable *c, const double *x)
{
  double sum = 0;
  for (size_t i = 1; i < corners(c); i++) sum += dv_vec3_norm(dv_vec3_sub(corner(c, x, i), corner(c, x, i - 1)));
  return sum;
}

// tension behind a corner, as part of that before it
static double passes(const dvCable *c, dvVec3 before, dvVec3 behind)
{
  double sine = dv_vec3_norm(dv_vec3_cross(before, behind)), cosine = dv_vec3_dot(before, behind);
  return c->friction > 0 ? exp(-c->way * c->friction * atan2(sine, cosine)) : 1;
}

size_t dv_cable_rows(const dvPart *p) { return DV_UNUSED(p), 1; }

void dv_cable_measure(dvPart *p, const double *x, double *q, bool slopes)
{
  dvCable *c = (dvCable *)p;
  size_t n = corners(c);
  *q = c->cableInitialLength - length(c, x);
  double tension = 1;
  dvVec3 before = {0, 0, 0};   // towards the last corner from the one before it
  for (size_t i = 0; slopes && i < n; i++) {
    dvVec3 here = corner(c, x, i), behind = {0, 0, 0}, pull = dv_vec3_scale(before, -tension);
    if (i + 1 < n) behind = dv_vec3_normalise(dv_vec3_sub(corner(c, x, i + 1), here));
    if (i > 0 && i + 1 < n) tension *= passes(c, before, behind);
    pull = dv_vec3_add_scaled(pull, behind, tension);
    if (i >= c->hasPullPoint) dv_part_slope3(p, 0, (size_t)c->indices.data[i - c->hasPullPoint], pull);
    before = behind;
  }
}

// --- setting up --------------------------------------------------------------------------------------

static dvStatus cable_check(dvObject *o)
{
  dvCable *c = (dvCable *)o;
  dvState *s = dv_part_state(&c->part);
  DV_TRY(dv_check_indices(o, &c->indices, s->count, "points"));
  if (corners(c) < 2)
    return dv_field_error(o, &c->indices, c->hasPullPoint ? "indices=\"0\" is the least" : "give two or more indices",
                          "a cable of one point has no direction: %zu indices and %s pull point", c->indices.count,
                          c->hasPullPoint ? "a" : "no");
  if (!(c->friction >= 0))
    return dv_field_error(o, &c->friction, "0 is no friction", "friction cannot be negative: %g", c->friction);
  return dv_part_check_limits(o, &c->minForce, &c->maxForce, "force");
}

dvStatus dv_cable_init(dvObject *o, const dvGauge *gauge, dvPartRole role)
{
  ((dvCable *)o)->way = 1;
  return dv_part_init(o, gauge, role);
}

dvStatus dv_cable_bwd_init(dvObject *o)
{
  dvCable *c = (dvCable *)o;
  dvState *s = dv_part_state(&c->part);
  if (c->indices.count == 0 && !dv_was_set(o, &c->indices) && c->hasPullPoint) {
    if (!dv_ints_assign(&c->indices, (int32_t[]){0}, 1)) return dv_error(o, NULL, "out of memory");
    dv_warning(o, "set indices", "no points were given: the cable pulls at point 0");
  }
  DV_TRY(cable_check(o));
  if (!dv_was_set(o, &c->cableInitialLength)) c->cableInitialLength = length(c, dv_state_read(s, DV_X_REST));
  c->pairs.width = 2;
  if (!dv_ints_resize(&c->pairs, 2 * (corners(c) - 1)) || !dv_reals_resize(&c->path, 3 * corners(c)))
    return dv_error(o, NULL, "out of memory");
  for (size_t i = 0; i < c->pairs.count; i++) dv_ints_edit(&c->pairs)[i] = (int32_t)((i + 1) / 2);
  dv_follow_points(o, s, &c->indices);
  dv_part_end_step(o);
  return DV_OK;
}

void dv_cable_limits(dvPart *p)
{
  const dvCable *c = (const dvCable *)p;
  const dvObject *o = &p->model.base;
  dvPartAim *a = &p->aims.data[0];
  a->low = dv_part_limit(o, &c->minForce, -INFINITY);
  a->high = dv_part_limit(o, &c->maxForce, INFINITY);
  a->least = -dv_part_limit(o, &c->maxNegativeDisp, INFINITY);
  a->most = dv_part_limit(o, &c->maxPositiveDisp, INFINITY);
  dv_part_slow(o, &c->maxDispVariation, 1, a->reached, &a->least, &a->most);
}

void dv_cable_show(dvPart *p)
{
  dvCable *c = (dvCable *)p;
  const double *x = dv_state_read(dv_part_state(p), DV_X);
  c->force = p->forces.data[0];
  c->displacement = p->aims.data[0].reached;
  c->cableLength = c->cableInitialLength - c->displacement;
  double *path = corners(c) * 3 == c->path.count ? dv_reals_edit(&c->path) : NULL;
  for (size_t i = 0; path && i < corners(c); i++) dv_vec3_store(path + 3 * i, corner(c, x, i));
  dv_touch(&p->model.base, &c->path);
  dv_touch(&p->model.base, &c->force);
  dv_touch(&p->model.base, &c->displacement);
  dv_touch(&p->model.base, &c->cableLength);
}

static void cable_sketch(dvObject *o, dvSketch *out)
{
  dvCable *c = (dvCable *)o;
  out->kind = DV_SKETCH_LINES;
  out->positions = dv_field_of(o, &c->path);
  out->pairs = &c->pairs;
  out->coloured = true;
  memcpy(out->colour, c->color, sizeof out->colour);
}
const dvVisualOps dv_cable_visual_ops = {.sketch = cable_sketch};

void dv_cable_remember(dvObject *o, dvMemoryStream *s)
{
  dvCable *c = (dvCable *)o;
  dv_part_remember(o, s);
  dv_remember_numbers(s, "way", &c->way, sizeof c->way);
  dv_remember_numbers(s, "force", &c->force, sizeof c->force);
  dv_remember_numbers(s, "displacement", &c->displacement, sizeof c->displacement);
  dv_remember_numbers(s, "cableLength", &c->cableLength, sizeof c->cableLength);
}

void dv_cable_destroy(dvObject *o)
{
  dv_part_destroy(o);
  dv_ints_free(&((dvCable *)o)->pairs);
}

// --- CableConstraint ---------------------------------------------------------------------------------

#define CONSTRAINT_FIELDS(X)                                                  \
  X(reals, value, "", "", "displacements (m) or tensions (N) to choose from") \
  X(int, valueIndex, "0", "", "which of them is imposed", .least = "0")       \
  X(choice, valueType, "displacement", "", "what the value is", .options = "displacement|force")

typedef struct CableConstraint {
  dvCable cable;
  CONSTRAINT_FIELDS(DV_MEMBER)
  double last;   // value of the step before
} CableConstraint;

#define SELF CableConstraint
static const dvFieldDesc constraint_fields[] = {CONSTRAINT_FIELDS(DV_DESCRIBE)};
#undef SELF

static void imposed_aim(dvPart *p, double h)
{
  DV_UNUSED(h);
  CableConstraint *c = (CableConstraint *)p;
  dvPartAim *a = &p->aims.data[0];
  dv_cable_limits(p);
  double value = dv_part_value(&p->model.base, &c->value, c->valueIndex);
  if (value != c->last) c->cable.way = value > c->last ? 1 : -1;
  a->by_force = c->valueType == 1;
  a->value = a->by_force ? dv_max(a->low, dv_min(a->high, value)) : dv_max(a->least, dv_min(a->most, value));
}

static const dvGauge imposed = {
    .rows = dv_cable_rows, .measure = dv_cable_measure, .aim = imposed_aim, .show = dv_cable_show};

static dvStatus imposed_init(dvObject *o)
{
  DV_TRY(dv_cable_init(o, &imposed, DV_PART_IMPOSED));
  return DV_OK;
}

static dvStatus imposed_check(dvObject *o)
{
  CableConstraint *c = (CableConstraint *)o;
  return dv_part_check_value(o, &c->value, &c->valueIndex);
}
static dvStatus imposed_bwd_init(dvObject *o)
{
  DV_TRY(imposed_check(o));
  return dv_cable_bwd_init(o);
}
static dvStatus imposed_reinit(dvObject *o)
{
  DV_TRY(imposed_check(o));
  return cable_check(o);
}

static void imposed_end_step(dvObject *o)
{
  CableConstraint *c = (CableConstraint *)o;
  c->last = dv_part_value(o, &c->value, c->valueIndex);
  dv_part_end_step(o);
}

static void imposed_remember(dvObject *o, dvMemoryStream *s)
{
  CableConstraint *c = (CableConstraint *)o;
  dv_cable_remember(o, s);
  dv_remember_numbers(s, "last", &c->last, sizeof c->last);
}

const dvClass dv_cable_constraint_class = {
    .struct_size = sizeof(dvClass),
    .name = "CableConstraint",
    .help = "a cable through points of a body, whose displacement or tension is imposed",
    .module = "SoftRobots",
    .dofs = DV_DOF_VEC3 | DV_DOF_RIGID3,
    .size = sizeof(CableConstraint),
    .blocks = {&dv_object_block, &dv_constraint_model_block, &dv_cable_block, DV_BLOCK(constraint_fields)},
    .ops = {[DV_ROLE_CONSTRAINT] = &dv_part_ops, [DV_ROLE_VISUAL] = &dv_cable_visual_ops},
    .init = imposed_init,
    .bwd_init = imposed_bwd_init,
    .reinit = imposed_reinit,
    .end_step = imposed_end_step,
    .remember = imposed_remember,
    .destroy = dv_cable_destroy,
};

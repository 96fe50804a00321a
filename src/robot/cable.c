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

static void turn_at(dvCable *c, dvVec3 at, int32_t point)
{
  dv_push(&c->corners, ((dvCableCorner){.at = at, .point = point}));
}

// means of areas; those whose points are all gone are passed over
static void place_areas(dvCable *c, const double *x, size_t count)
{
  for (size_t i = 0; i < c->areas.count; i++) c->areas.data[i] = (dvCableArea){.corner = -1};
  for (size_t i = 0; i < c->shares.count; i++) {
    dvCableArea *a = &c->areas.data[c->shares.data[i].area];
    if ((size_t)c->held.data[i] >= count) continue;
    a->sum = dv_vec3_add_scaled(a->sum, dv_vec3_load(x + 3 * c->held.data[i]), c->shares.data[i].weight);
    a->weight += c->shares.data[i].weight;
  }
  bool at_points = c->at_points && c->indices.count == c->areas.count;
  for (size_t i = 0; i < c->areas.count; i++) {
    dvCableArea *a = &c->areas.data[i];
    if (!(a->weight > 0)) continue;
    a->corner = (int32_t)c->corners.count;
    turn_at(c, at_points ? dv_vec3_load(x + 3 * c->indices.data[i]) : dv_vec3_scale(a->sum, 1 / a->weight), -1);
  }
}

// where the cable runs when the body is at x
static void place(dvCable *c, const double *x)
{
  size_t width = (size_t)c->part.model.base.dof->coord, count = dv_part_state(&c->part)->count;
  c->corners.count = 0;
  if (c->hasPullPoint) turn_at(c, dv_vec3_load(c->pullPoint), -1);
  if (c->method != DV_CABLE_POINT) place_areas(c, x, count);
  for (size_t i = 0; c->method == DV_CABLE_POINT && i < c->indices.count; i++)
    if ((size_t)c->indices.data[i] < count)
      turn_at(c, dv_vec3_load(x + width * (size_t)c->indices.data[i]), c->indices.data[i]);
}

static double length(dvCable *c, const double *x)
{
  double sum = 0;
  place(c, x);
  for (size_t i = 1; i < c->corners.count; i++)
    sum += dv_vec3_norm(dv_vec3_sub(c->corners.data[i].at, c->corners.data[i - 1].at));
  return sum;
}

// tension behind a corner, as part of that before it
static double passes(const dvCable *c, dvVec3 before, dvVec3 behind)
{
  double sine = dv_vec3_norm(dv_vec3_cross(before, behind)), cosine = dv_vec3_dot(before, behind);
  return c->friction > 0 ? exp(-c->way * c->friction * atan2(sine, cosine)) : 1;
}

size_t dv_cable_rows(const dvPart *p) { return DV_UNUSED(p), 1; }

// what a tension of 1 where it is pulled does at each corner
static void pull_at_corners(dvCable *c)
{
  double tension = 1;
  dvVec3 before = {0, 0, 0};   // towards the last corner from the one before it
  for (size_t i = 0; i < c->corners.count; i++) {
    dvCableCorner *here = &c->corners.data[i];
    dvVec3 behind = {0, 0, 0}, pull = dv_vec3_scale(before, -tension);
    bool last = i + 1 == c->corners.count;
    if (!last) behind = dv_vec3_normalise(dv_vec3_sub(here[1].at, here->at));
    if (i > 0 && !last) tension *= passes(c, before, behind);
    here->pull = dv_vec3_add_scaled(pull, behind, tension);
    before = behind;
  }
}

void dv_cable_measure(dvPart *p, const double *x, double *q, bool slopes)
{
  dvCable *c = (dvCable *)p;
  *q = c->cableInitialLength - length(c, x);
  if (!slopes) return;
  pull_at_corners(c);
  for (size_t i = 0; i < c->corners.count; i++)
    if (c->corners.data[i].point >= 0) dv_part_slope3(p, 0, (size_t)c->corners.data[i].point, c->corners.data[i].pull);
  for (size_t i = 0; i < c->shares.count && c->method != DV_CABLE_POINT; i++) {
    const dvCableArea *a = &c->areas.data[c->shares.data[i].area];
    if (a->corner < 0 || (size_t)c->held.data[i] >= dv_part_state(p)->count) continue;
    dvVec3 pull = dv_vec3_scale(c->corners.data[a->corner].pull, c->shares.data[i].weight / a->weight);
    dv_part_slope3(p, 0, (size_t)c->held.data[i], pull);
  }
}

// --- setting up --------------------------------------------------------------------------------------

static dvStatus cable_check(dvObject *o, bool tell)
{
  dvCable *c = (dvCable *)o;
  bool centers = c->method != DV_CABLE_POINT && c->centers.count;
  size_t count = centers ? c->centers.count / 3 : c->indices.count;
  if (!centers) DV_TRY(dv_check_indices(o, &c->indices, dv_part_state(&c->part)->count, "points"));
  if (tell && c->method == DV_CABLE_POINT && c->centers.count)
    dv_warning(o, "set method to sphere or geodesic",
               "centers are of areas, and the cable pulls at points: those of "
               "indices count");
  if (count + c->hasPullPoint < 2)
    return dv_field_error(o, &c->indices, c->hasPullPoint ? "indices=\"0\" is the least" : "give two or more indices",
                          "a cable of one point has no direction: %zu %s and %s pull point", count,
                          centers ? "centers" : "indices", c->hasPullPoint ? "a" : "no");
  if (!(c->friction >= 0))
    return dv_field_error(o, &c->friction, "0 is no friction", "friction cannot be negative: %g", c->friction);
  DV_TRY(dv_part_check_limits(o, &c->minForce, &c->maxForce, "force"));
  return c->method == DV_CABLE_POINT ? DV_OK : dv_cable_find_areas(c, tell);
}

dvStatus dv_cable_init(dvObject *o, const dvGauge *gauge, dvPartRole role)
{
  ((dvCable *)o)->way = 1;
  return dv_part_init(o, gauge, role);
}

static dvStatus cable_follow(dvCable *c)
{
  dvObject *o = &c->part.model.base;
  const dvState *s = dv_part_state(&c->part);
  dv_element_list_forget(dv_follow_points(o, s, &c->indices));
  if (c->method == DV_CABLE_POINT) return DV_OK;
  dvElementList *held = dv_follow_points(o, s, &c->held);
  dv_element_list_forget(held);
  if (held) dv_element_list_add_array(held, &c->shares);
  return DV_OK;
}

dvStatus dv_cable_bwd_init(dvObject *o)
{
  dvCable *c = (dvCable *)o;
  dvState *s = dv_part_state(&c->part);
  bool needs = c->indices.count == 0 && (c->method == DV_CABLE_POINT || c->centers.count == 0);
  if (needs && !dv_was_set(o, &c->indices) && c->hasPullPoint) {
    if (!dv_ints_assign(&c->indices, (int32_t[]){0}, 1)) return dv_error(o, NULL, "out of memory");
    dv_warning(o, "set indices", "no points were given: the cable pulls at point 0");
  }
  DV_TRY(cable_check(o, true));
  if (!dv_was_set(o, &c->cableInitialLength)) c->cableInitialLength = length(c, dv_state_read(s, DV_X_REST));
  DV_TRY(cable_follow(c));
  dv_part_end_step(o);
  return DV_OK;
}

dvStatus dv_cable_reinit(dvObject *o)
{
  dvCable *c = (dvCable *)o;
  DV_TRY(cable_check(o, false));
  if (c->method == DV_CABLE_POINT) return DV_OK;
  if (!dv_was_set(o, &c->cableInitialLength))   // of other areas
    c->cableInitialLength = length(c, dv_state_read(dv_part_state(&c->part), DV_X_REST));
  return cable_follow(c);
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

// lines along the cable, and from the means of areas to their points
static bool join(dvCable *c, size_t corners, size_t spokes)
{
  size_t lines = corners > 1 ? corners - 1 : 0;
  c->pairs.width = 2;
  if (c->pairs.count == 2 * (lines + spokes) && spokes == 0) return true;
  if (!dv_ints_resize(&c->pairs, 2 * (lines + spokes))) return false;
  int32_t *pairs = dv_ints_edit(&c->pairs);
  for (size_t i = 0; i < lines; i++) pairs[2 * i] = (int32_t)i, pairs[2 * i + 1] = (int32_t)i + 1;
  for (size_t i = 0; i < spokes; i++) {
    int32_t mean = c->areas.data[c->shares.data[i].area].corner, point = (int32_t)(corners + i);
    pairs[2 * (lines + i)] = mean < 0 ? point : mean;
    pairs[2 * (lines + i) + 1] = point;
  }
  return true;
}

static void show_path(dvCable *c, const double *x, size_t count)
{
  place(c, x);
  size_t corners = c->corners.count, spokes = c->method != DV_CABLE_POINT && c->drawPulledAreas ? c->shares.count : 0;
  if (!join(c, corners, spokes) || !dv_reals_resize(&c->path, 3 * (corners + spokes))) return;
  double *path = dv_reals_edit(&c->path);
  for (size_t i = 0; i < corners; i++) dv_vec3_store(path + 3 * i, c->corners.data[i].at);
  for (size_t i = 0; i < spokes; i++) {
    size_t point = (size_t)c->held.data[i] < count ? (size_t)c->held.data[i] : 0;
    dv_vec3_store(path + 3 * (corners + i), dv_vec3_load(x + 3 * point));
  }
}

void dv_cable_show(dvPart *p)
{
  dvCable *c = (dvCable *)p;
  c->force = p->forces.data[0];
  c->displacement = p->aims.data[0].reached;
  c->cableLength = c->cableInitialLength - c->displacement;
  show_path(c, dv_state_read(dv_part_state(p), DV_X), dv_part_state(p)->count);
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
  dvCable *c = (dvCable *)o;
  dv_part_destroy(o);
  dv_ints_free(&c->pairs);
  dv_ints_free(&c->held);
  dv_array_free(&c->shares);
  dv_array_free(&c->areas);
  dv_array_free(&c->corners);
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
  return dv_cable_reinit(o);
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

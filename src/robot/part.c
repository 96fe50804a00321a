// See part.h.
//
//   imposed quantity    lambda = lambda - (d - value) / w, within the limits of the force
//   imposed force       lambda = value, unless the quantity would pass its limit: it is held there then
//   closed gas          lambda / h = c / V^n - p0 with V = V0 + d: Newton's method on the one unknown
#include "robot/part.h"

#include "math/vec.h"
#include "object/compat.h"

#include <math.h>
#include <string.h>

dvState *dv_part_state(const dvPart *p) { return p->model.first; }

void dv_part_slope(dvPart *p, size_t row, size_t dof, const double *h)
{
  dvPartSlope s = {.row = (int32_t)row, .dof = (int32_t)dof};
  memcpy(s.h, h, (size_t)p->model.base.dof->deriv * sizeof *h);
  dv_push(&p->slopes, s);
}

void dv_part_slope3(dvPart *p, size_t row, size_t dof, dvVec3 h)
{
  dv_part_slope(p, row, dof, (double[6]){h.x, h.y, h.z});
}

// --- setting up --------------------------------------------------------------------------------------

static bool needs_optimisation(dvPartRole role)
{
  return role == DV_PART_ACTUATOR || role == DV_PART_EQUALITY || role == DV_PART_EFFECTOR;
}

dvStatus dv_part_init(dvObject *o, const dvGauge *gauge, dvPartRole role)
{
  dvPart *p = (dvPart *)o;
  dvLink link = {0};
  p->gauge = gauge;
  p->role = role;
  p->energy = -1;
  bool forces = role == DV_PART_IMPOSED || role == DV_PART_ACTUATOR || role == DV_PART_EQUALITY;
  p->impulses = forces && dv_compat(o, DV_COMPAT_ROBOT_IMPULSES);
  DV_TRY(dv_constraint_model_find(o, &link, "such", &p->model.first));
  DV_TRY(dv_object_ensure(&p->model.first->base));
  o->dof = p->model.first->base.dof;
  dvObject *solver = dv_node_find_up(o->node, DV_ROLE_CONSTRAINT_SOLVER);
  if (needs_optimisation(role) && (!solver || strcmp(solver->cls->name, "QPInverseProblemSolver") != 0))
    return dv_error(o, "put a QPInverseProblemSolver beside the FreeMotionAnimationLoop",
                    "%s is found by optimisation, and there is no QPInverseProblemSolver in the nodes above",
                    o->cls->name);
  return DV_OK;
}

double dv_part_value(const dvObject *o, const dvReals *value, int32_t index)
{
  dv_field_pull(dv_field_of(o, value));   // it may follow another field
  return value->count ? value->data[(size_t)index < value->count ? (size_t)index : 0] : 0;
}

dvStatus dv_part_check_value(dvObject *o, dvReals *value, const int32_t *index)
{
  const double none = 0;
  if (value->count == 0 && !dv_field_of(o, value)->source) {
    if (!dv_reals_assign(value, &none, 1)) return dv_error(o, NULL, "out of memory");
    dv_touch(o, value);
  }
  if (*index >= 0 && ((size_t)*index < value->count || *index == 0)) return DV_OK;
  return dv_field_error(o, index, "indices count from 0", "there is no value %d: %zu were given", *index, value->count);
}

dvStatus dv_part_check_limits(dvObject *o, const double *low, const double *high, const char *what)
{
  if (!dv_was_set(o, low) || !dv_was_set(o, high) || *low <= *high) return DV_OK;
  return dv_field_error(o, high, "exchange them", "there is no %s between %g and %g", what, *low, *high);
}

// --- rows --------------------------------------------------------------------------------------------

static void measure(dvPart *p, const double *x, bool slopes)
{
  size_t rows = p->gauge->rows(p);
  dv_array_resize(&p->aims, rows);
  dv_array_resize(&p->quantities, rows);
  dv_array_resize(&p->forces, rows);
  p->slopes.count = slopes ? 0 : p->slopes.count;
  p->gauge->measure(p, x, p->quantities.data, slopes);
  for (size_t i = 0; i < rows; i++) p->aims.data[i].reached = p->quantities.data[i];
}

static void part_begin(dvObject *o, const dvConstraintStep *step)
{
  dvPart *p = (dvPart *)o;
  p->h = step->dt;
  p->scale = step->velocities ? 1 / step->dt : 1;
  measure(p, dv_state_read(p->model.first, DV_X), true);
  for (size_t i = 0; i < p->aims.count; i++) {
    dvPartAim *a = &p->aims.data[i];
    *a = (dvPartAim){.reached = a->reached, .low = -INFINITY, .high = INFINITY, .least = -INFINITY, .most = INFINITY};
  }
  p->gauge->aim(p, step->dt);
}

static double gas_impulse(const dvPart *p, const dvPartAim *a, double w, double d, double lambda)
{
  double volume = a->gas[0] > 0 ? a->value : 0;
  for (int i = 0; i < 50; i++) {
    double v = dv_max(volume + d, 1e-9 * volume), pressure = a->gas[0] * pow(v, -a->gas[1]);
    double excess = lambda - p->h * (pressure - a->gas[2]), slope = 1 + p->h * a->gas[1] * pressure / v * w;
    double change = -excess / slope;
    lambda += change, d += w * change;
    if (fabs(change) <= 1e-14 * fabs(lambda)) break;
  }
  return lambda;
}

static void part_impose(dvObject *o, const dvLaw *law, const double *w, const double *d, double *lambda)
{
  const dvPart *p = (const dvPart *)o;
  const dvPartAim *a = &p->aims.data[law->id];
  double scale = p->scale, before = *lambda;
  if (a->gas[1] > 0) {
    *lambda = gas_impulse(p, a, *w / scale, *d / scale, before);
    return;
  }
  if (!(*w > 0)) {   // nothing that it acts on moves
    *lambda = a->by_force ? dv_part_impulse(p, a->value) : 0;
    return;
  }
  if (!a->by_force) {
    double wanted = before - (*d - scale * a->value) / *w;
    *lambda = dv_max(dv_part_impulse(p, a->low), dv_min(dv_part_impulse(p, a->high), wanted));
    return;
  }
  double reached = *d + *w * (dv_part_impulse(p, a->value) - before);
  double held = dv_max(scale * a->least, dv_min(scale * a->most, reached));
  *lambda = dv_part_impulse(p, a->value) + (held - reached) / *w;
}

void dv_part_waits(dvObject *o, const dvLaw *law, const double *w, const double *d, double *lambda)
{
  DV_UNUSED(law), DV_UNUSED(w), DV_UNUSED(d);
  const dvPart *p = (const dvPart *)o;
  if (p->role == DV_PART_EFFECTOR || p->role == DV_PART_SENSOR) *lambda = 0;
}

static size_t part_laws(dvObject *o, const dvConstraintStep *step, dvLaw *out)
{
  DV_UNUSED(step);
  const dvPart *p = (const dvPart *)o;
  if (dv_constraint_model_is_over(o)) return 0;
  for (size_t i = 0; out && i < p->aims.count; i++)
    out[i] = (dvLaw){.kind = p->role == DV_PART_UNILATERAL ? DV_LAW_UNEQUAL : DV_LAW_OWN,
                     .rows = 1,
                     .id = i,
                     .solve = p->role == DV_PART_IMPOSED ? part_impose : dv_part_waits};
  return p->aims.count;
}

static void part_rows(dvObject *o, const dvConstraintStep *step, dvRowSet *set, int32_t first)
{
  DV_UNUSED(step);
  dvPart *p = (dvPart *)o;
  p->model.constraintIndex = first;
  for (size_t i = 0; i < p->slopes.count; i++) {
    const dvPartSlope *s = &p->slopes.data[i];
    dv_rows_add(set, p->model.first, first + s->row, (size_t)s->dof, s->h, 1);
  }
}

static void part_violation(dvObject *o, const dvConstraintStep *step, double *out)
{
  const dvPart *p = (const dvPart *)o;
  size_t coord = (size_t)o->dof->coord, deriv = (size_t)o->dof->deriv;
  const double *x = dv_state_read(p->model.first, DV_X), *free = dv_state_read(p->model.first, step->x),
               *v = dv_state_read(p->model.first, step->v);
  for (size_t i = 0; i < p->aims.count; i++) out[i] = p->scale * p->quantities.data[i];
  for (size_t i = 0; i < p->slopes.count; i++) {
    const dvPartSlope *s = &p->slopes.data[i];
    double move[6];
    if (step->velocities) memcpy(move, v + (size_t)s->dof * deriv, deriv * sizeof *move);
    else dv_dof_difference(o->dof, 1, move, free + (size_t)s->dof * coord, x + (size_t)s->dof * coord);
    for (size_t k = 0; k < deriv; k++) out[s->row] += s->h[k] * move[k];
  }
}

static void part_store(dvObject *o, const dvConstraintStep *step, const double *lambda)
{
  dvPart *p = (dvPart *)o;
  for (size_t i = 0; i < p->aims.count; i++) p->forces.data[i] = lambda[i] / (p->impulses ? 1 : step->dt);
}

const dvConstraintOps dv_part_ops = {
    .begin = part_begin, .laws = part_laws, .rows = part_rows, .violation = part_violation, .store = part_store};

void dv_part_end_step(dvObject *o)
{
  dvPart *p = (dvPart *)o;
  if (o->failed || !p->gauge || !p->model.first) return;
  measure(p, dv_state_read(p->model.first, DV_X), false);
  if (p->gauge->show) p->gauge->show(p);
}

void dv_part_remember(dvObject *o, dvMemoryStream *s)
{
  dvPart *p = (dvPart *)o;
  dv_remember_array(s, "forces", &p->forces);
  for (int i = 0; dv_memory_restores(s) && i < o->field_count; i++)   // who is linked to what it tells asks again
    if (o->fields[i].desc->flags & DV_READ_ONLY) dv_field_touch(&o->fields[i]);
}

void dv_part_destroy(dvObject *o)
{
  dvPart *p = (dvPart *)o;
  dv_array_free(&p->aims);
  dv_array_free(&p->slopes);
  dv_array_free(&p->quantities);
  dv_array_free(&p->forces);
}

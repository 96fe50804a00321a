// YoungModulusActuator: the stiffness of a body is found so that the effectors reach their goals.
//
//   f(x, E) is linear in E: a change dE acts as the force dE f(x) / E
//
// so that the row of the actuator is f / E, its multiplier the impulse of dE, and the modulus moves by dE after the
// step. The body has to be strained for that: one that rests has no f.
#include "robot/classes.h"
#include "robot/part.h"

#include <math.h>
#include <string.h>

#define YOUNG_FIELDS(X)                                                                                              \
  X(real, minYoung, "10", "Pa", "smallest modulus", .least = "0")                                                    \
  X(real, maxYoung, "100000", "Pa", "largest one", .least = "0")                                                     \
  X(real, maxYoungVariationRatio, "10", "", "most that it changes in a step, as a part of what it is", .least = "0") \
  X(real, youngModulus, "0", "Pa", "modulus at the end of the last step", .flags = DV_READ_ONLY)

typedef struct Young {
  dvPart part;
  YOUNG_FIELDS(DV_MEMBER)
  dvObject *force;   // whose modulus it is
  dvField *modulus;
  int scratch;   // number of a vector
} Young;

#define SELF Young
static const dvFieldDesc young_fields[] = {YOUNG_FIELDS(DV_DESCRIBE)};
static const dvMemoryDesc young_memory[] = {DV_REMEMBER(numbers, youngModulus)};
#undef SELF

static size_t young_rows(const dvPart *p) { return DV_UNUSED(p), 1; }

static void young_measure(dvPart *p, const double *x, double *q, bool slopes)
{
  DV_UNUSED(x);   // of the state: the force reads it there
  Young *y = (Young *)p;
  dvState *s = dv_part_state(p);
  *q = 0;
  if (!slopes) return;
  size_t deriv = (size_t)s->base.dof->deriv;
  double *f = dv_state_write(s, y->scratch);
  memset(f, 0, s->count * deriv * sizeof *f);
  dvMech m = {.x = DV_X, .v = DV_V, .f = y->scratch, .dx = DV_DX, .df = DV_DF, .k = 1, .time = s->base.node->time};
  ((const dvForceOps *)dv_ops(y->force, DV_ROLE_FORCE))->add_force(y->force, &m);
  f = dv_state_write(s, y->scratch);
  for (size_t i = 0; i < s->count; i++) {
    double h[6] = {0}, most = 0;
    for (size_t k = 0; k < deriv; k++) most = fmax(most, fabs(h[k] = f[i * deriv + k] / y->youngModulus));
    if (most > 0) dv_part_slope(p, 0, i, h);
  }
}

static void young_aim(dvPart *p, double h)
{
  DV_UNUSED(h);
  const Young *y = (const Young *)p;
  dvPartAim *a = &p->aims.data[0];
  double most = y->maxYoungVariationRatio * y->youngModulus;
  a->low = fmin(0, fmax(y->minYoung - y->youngModulus, -most));
  a->high = fmax(0, fmin(y->maxYoung - y->youngModulus, most));
}

static bool set_modulus(Young *y)
{
  dvReals *list = y->modulus->value;
  if (!dv_reals_assign(list, &y->youngModulus, 1)) return false;
  dv_field_touch(y->modulus);
  return y->force->cls->reinit(y->force) == DV_OK;
}

// the step is over: what was found becomes part of the body
static void young_show(dvPart *p)
{
  Young *y = (Young *)p;
  const dvObject *o = &p->model.base;
  double change = p->forces.data[0] * (p->impulses ? 1 / fmax(p->h, 1e-300) : 1);
  p->forces.data[0] = 0;
  if (change == 0 || !isfinite(change)) return;
  y->youngModulus = fmax(y->minYoung, fmin(y->maxYoung, y->youngModulus + change));
  if (!set_modulus(y)) dv_error(o, NULL, "the modulus of %s cannot be set to %g Pa", y->force->name, y->youngModulus);
  dv_touch(o, &y->youngModulus);
}

static const dvGauge young_gauge = {.rows = young_rows, .measure = young_measure, .aim = young_aim, .show = young_show};

static dvStatus young_init(dvObject *o)
{
  Young *y = (Young *)o;
  DV_TRY(dv_part_init(o, &young_gauge, DV_PART_ACTUATOR));
  y->part.momentary = true;
  dv_vec_take(o, DV_VEC_DERIV, &y->scratch);
  return DV_OK;
}

static dvStatus young_check(dvObject *o)
{
  Young *y = (Young *)o;
  if (!(y->minYoung > 0) || !(y->maxYoung >= y->minYoung))
    return dv_field_error(o, &y->maxYoung, "both are above 0, the smaller one first",
                          "there is no modulus between %g and %g", y->minYoung, y->maxYoung);
  if (!(y->maxYoungVariationRatio > 0))
    return dv_field_error(o, &y->maxYoungVariationRatio, "10 is usual", "the modulus could not change");
  return DV_OK;
}

static dvStatus young_bwd_init(dvObject *o)
{
  Young *y = (Young *)o;
  y->force = NULL;
  for (size_t i = 0; i < o->node->objects.count && !y->force; i++) {
    dvObject *other = o->node->objects.data[i];
    dvField *f = dv_plays(other, DV_ROLE_FORCE) && other->cls->reinit ? dv_object_field(other, "youngModulus") : NULL;
    if (f && dv_holds_reals(f->desc->type)) y->force = other, y->modulus = f;
  }
  if (!y->force || y->force->failed)
    return dv_error(o, "put it beside a TetrahedronFEMForceField", "%s finds no force with a youngModulus in its node",
                    o->name);
  DV_TRY(dv_object_ensure(y->force));
  const dvReals *list = y->modulus->value;
  if (list->count != 1)
    return dv_error(o, "give the force one youngModulus for all elements", "%s has %zu moduli, and one can be found",
                    y->force->name, list->count);
  DV_TRY(young_check(o));
  y->youngModulus = list->data[0];
  if (!(y->youngModulus > 0)) return dv_error(o, NULL, "%s has no stiffness that could change", y->force->name);
  dv_part_end_step(o);
  return DV_OK;
}

static bool young_restored(dvObject *o)
{
  Young *y = (Young *)o;
  if (!y->force) return true;
  return isfinite(y->youngModulus) && y->youngModulus > 0 && set_modulus(y);
}

static void young_destroy(dvObject *o)
{
  dv_vec_give(o, &((Young *)o)->scratch);
  dv_part_destroy(o);
}

DV_INVERSE_CLASS(dv_young_class, "YoungModulusActuator",
                 "a body whose stiffness is found so that the effectors reach their goals", DV_DOF_VEC3, Young,
                 .blocks = {&dv_object_block, &dv_constraint_model_block, DV_BLOCK(young_fields)}, DV_PART_PLAIN,
                 DV_MEMORY(young_memory), .init = young_init, .bwd_init = young_bwd_init, .reinit = young_check,
                 .remember = dv_part_remember, .restored = young_restored, .destroy = young_destroy);

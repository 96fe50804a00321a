// DampVelocitySolver: v *= exp(-rate h), then velocities shorter than a threshold are set to zero. It moves nothing:
// stand it beside an integrator, before or after it in the node. Positions are left alone.
#include "ode/integrator.h"

#include <math.h>
#include <string.h>

#define DAMP_VELOCITY_FIELDS(X)                                                                \
  X(real, rate, "0.99", "1/s", "decay of the velocities: they are multiplied by exp(-rate h)") \
  X(real, threshold, "0", "m/s", "a shorter velocity becomes zero; angular velocity counts with linear")

typedef struct DampVelocity {
  dvObject base;
  DAMP_VELOCITY_FIELDS(DV_MEMBER)
  dvPlan *plan;
} DampVelocity;

#define SELF DampVelocity
static const dvFieldDesc damp_velocity_fields[] = {DAMP_VELOCITY_FIELDS(DV_DESCRIBE)};
#undef SELF

static void cut_below(dvState *s, int v, double threshold)
{
  size_t width = (size_t)s->base.dof->deriv;
  double *value = dv_state_write(s, v);
  for (size_t i = 0; i < s->count; i++, value += width) {
    double norm2 = 0;
    for (size_t k = 0; k < width; k++) norm2 += value[k] * value[k];
    if (norm2 < threshold * threshold) memset(value, 0, width * sizeof *value);
  }
}

static dvStatus damp_velocity_solve(dvObject *o, double h, int x, int v)
{
  DampVelocity *d = (DampVelocity *)o;
  dvPlan *plan = dv_ode_plan(&d->plan, o);
  DV_UNUSED(x);
  dv_mech_scale(plan, v, exp(-d->rate * h));
  for (size_t i = 0; d->threshold != 0 && i < plan->states.count; i++)
    cut_below(dv_state(plan->states.data[i]), v, d->threshold);
  return DV_OK;
}

static void damp_velocity_destroy(dvObject *o) { dv_plan_destroy(&((DampVelocity *)o)->plan); }

static const dvOdeOps damp_velocity_ops = {.solve = damp_velocity_solve, .kind = DV_ODE_BESIDE};

const dvClass dv_damp_velocity_class = {
    .struct_size = sizeof(dvClass),
    .name = "DampVelocitySolver",
    .aliases = "DampVelocity",
    .help = "makes velocities decay, and stops slow ones",
    .module = "Sofa.Component.ODESolver.Forward",
    .size = sizeof(DampVelocity),
    .blocks = {&dv_object_block, DV_BLOCK(damp_velocity_fields)},
    .ops = {[DV_ROLE_ODE] = &damp_velocity_ops},
    .destroy = damp_velocity_destroy,
};

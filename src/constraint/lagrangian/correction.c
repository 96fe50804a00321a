// See correction.h.
#include "constraint/lagrangian/correction.h"

dvMotionFactors dv_motion_factors(const dvObject *ode, double dt)
{
  dvMotionFactors f = {dt, 1};
  const dvOdeOps *ops = ode ? dv_ops(ode, DV_ROLE_ODE) : NULL;
  if (ops && ops->factors) ops->factors(ode, dt, &f.position, &f.velocity);
  return f;
}

void dv_motion_apply(dvState *s, const dvConstraintStep *step, dvMotionFactors f, const double *change, size_t first,
                     size_t count, int x, int v)
{
  const dvDof *dof = s->base.dof;
  size_t coords = (size_t)dof->coord * first, derivs = (size_t)dof->deriv * first;
  if (!step->velocities)
    dv_dof_integrate(dof, count, dv_state_write(s, x) + coords, dv_state_read(s, step->x) + coords, change, f.position);
  const double *free = dv_state_read(s, step->v) + derivs;
  double *out = dv_state_write(s, v) + derivs;
  for (size_t i = 0; i < count * (size_t)dof->deriv; i++) out[i] = free[i] + f.velocity * change[i];
}

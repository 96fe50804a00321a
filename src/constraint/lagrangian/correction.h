// What corrections share: what the integrator makes of a change of velocity, and the motion that follows.
#ifndef DV_CONSTRAINT_LAGRANGIAN_CORRECTION_H
#define DV_CONSTRAINT_LAGRANGIAN_CORRECTION_H

#include "constraint/lagrangian/problem.h"

// What multipliers move: x = x_free + position u, v = v_free + velocity u, u the solution for their forces.
typedef struct dvMotionFactors {
  double position, velocity;
} dvMotionFactors;

// Those of an integrator (dvOdeOps.factors); h and 1 where it says nothing or there is none.
dvMotionFactors dv_motion_factors(const dvObject *ode, double dt);
// The one that turns multipliers into what the step corrects.
static inline double dv_motion_factor(dvMotionFactors f, const dvConstraintStep *step)
{
  return step->velocities ? f.velocity : f.position;
}
// Moves `count` degrees of freedom from `first` on; `change` is u of the first.
void dv_motion_apply(dvState *s, const dvConstraintStep *step, dvMotionFactors f, const double *change, size_t first,
                     size_t count, int x, int v);

#endif

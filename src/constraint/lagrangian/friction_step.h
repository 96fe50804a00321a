// Coulomb's law at one contact with all others as they are: the normal first; then the tangents from the violation that
// is left, with the mean of their compliances, and back onto the cone |lambda_t| <= mu lambda_n.
#ifndef DV_CONSTRAINT_LAGRANGIAN_FRICTION_STEP_H
#define DV_CONSTRAINT_LAGRANGIAN_FRICTION_STEP_H

#include <math.h>

// w_t, w_s: compliance of the tangents for the normal; inverse: 1 / w_n and 1 / the mean of the tangents' own, each
// with the law's compliance.
static inline void dv_friction_step(double w_t, double w_s, const double inverse[2], double mu, double compliance,
                                    const double d[3], double lambda[3])
{
  double normal = lambda[0] - (d[0] + compliance * lambda[0]) * inverse[0];
  if (normal <= 0) {
    lambda[0] = lambda[1] = lambda[2] = 0;
    return;
  }
  double change = normal - lambda[0], t = lambda[1], s = lambda[2], most = mu * normal;
  t -= (d[1] + w_t * change + compliance * t) * inverse[1];
  s -= (d[2] + w_s * change + compliance * s) * inverse[1];
  double square = t * t + s * s;
  if (square > most * most) {
    double shrink = most / sqrt(square);
    t *= shrink;
    s *= shrink;
  }
  lambda[0] = normal;
  lambda[1] = t;
  lambda[2] = s;
}

#endif

// The push of an ellipsoid on a point, for EllipsoidForceField and InteractionEllipsoidForceField.
//
// With the point at e from the centre and radii r, v = sqrt(sum (e_j / r_j)^2) - 1 is negative inside. The force is
// -|k| v g / |g| with g_j = e_j / r_j^2. A negative stiffness keeps points inside. The matrix for products is SOFA's,
// whose last term has not the sign and the power of the exact derivative; as limited iterations make it part of the
// result, it is taken over.
#ifndef DV_FORCE_LOAD_ELLIPSOID_H
#define DV_FORCE_LOAD_ELLIPSOID_H

#include <math.h>
#include <stdbool.h>

// sum (e_j / r_j)^2, with inverse[j] = 1 / r_j^2
static inline double dv_ellipsoid_norm2(const double *e, const double *inverse, int n)
{
  double sum = 0;
  for (int j = 0; j < n; j++) sum += e[j] * e[j] * inverse[j];
  return sum;
}

// False where there is no force. Otherwise *depth is |v|, force[n] and k[n x n] are filled.
static inline bool dv_ellipsoid_push(const double *e, const double *inverse, int n, double stiffness, double *depth,
                                     double *force, double *k)
{
  double norm2 = dv_ellipsoid_norm2(e, inverse, n), norm = sqrt(norm2), v = norm - 1, stiff = fabs(stiffness), g[6],
         gnorm2 = 0;
  for (int j = 0; j < n; j++) {
    g[j] = e[j] * inverse[j];
    gnorm2 += g[j] * g[j];
  }
  double gnorm = sqrt(gnorm2);
  if (!((norm2 - 1) * stiffness < 0) || gnorm == 0) return false;   // at the centre there is no way out to prefer
  *depth = fabs(v);
  for (int i = 0; i < n; i++) {
    force[i] = -stiff * v / gnorm * g[i];
    for (int j = 0; j < n; j++)
      k[n * i + j] = g[i] * g[j] * (-stiff / (norm * gnorm) - stiff * v / gnorm2 * inverse[j]);
    k[n * i + i] -= stiff * v / gnorm * inverse[i];
  }
  return true;
}

#endif

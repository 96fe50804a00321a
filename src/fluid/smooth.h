// Smoothing kernels of radius h, as functions of q = r/h: W, the factor of (x_i - x_j) in the gradient, the Laplacian.
//
// The integral of W over space is 1, the gradient and the Laplacian are those of W, in three dimensions.
// DV_SMOOTH_DENSITY is (1 - q^2)^3, DV_SMOOTH_PRESSURE (1 - q)^3, whose gradient does not vanish at the middle,
// DV_SMOOTH_VISCOSITY has a Laplacian that is nowhere negative (Mueller et al. 2003); DV_SMOOTH_CUBIC is the cubic
// spline (Monaghan 1992).
#ifndef DV_FLUID_SMOOTH_H
#define DV_FLUID_SMOOTH_H

#include "base/base.h"

#include <math.h>

typedef enum dvSmoothKind { DV_SMOOTH_DENSITY, DV_SMOOTH_PRESSURE, DV_SMOOTH_VISCOSITY, DV_SMOOTH_CUBIC } dvSmoothKind;

typedef struct dvSmooth {
  dvSmoothKind kind;
  double w, gradient, laplacian;   // what does not depend on q
} dvSmooth;

static inline dvSmooth dv_smooth(dvSmoothKind kind, double h)
{
  static const double scale[] = {315.0 / 64, 15, 7.5, 48}, gradient[] = {-6, -3, 1, 1}, laplacian[] = {-6, 6, 6, 1};
  double w = scale[kind] / (M_PI * h * h * h);
  return (dvSmooth){kind, w, gradient[kind] * w / (h * h), laplacian[kind] * w / (h * h)};
}

static inline double dv_smooth_w(dvSmooth k, double q)
{
  double a = 1 - q;
  switch (k.kind) {
  case DV_SMOOTH_DENSITY:
    a = 1 - q * q;
    return k.w * a * a * a;
  case DV_SMOOTH_PRESSURE:
    return k.w * a * a * a;
  case DV_SMOOTH_VISCOSITY:
    return k.w * (-0.5 * q * q * q + q * q + 0.5 / q - 1);
  case DV_SMOOTH_CUBIC:
    return q < 0.5 ? k.w * (1.0 / 6 - q * q + q * q * q) : k.w * (1.0 / 3 * (a * a * a));
  }
  return 0;
}

// times x_i - x_j
static inline double dv_smooth_gradient(dvSmooth k, double q)
{
  double a = 1 - q;
  switch (k.kind) {
  case DV_SMOOTH_DENSITY:
    a = 1 - q * q;
    return k.gradient * a * a;
  case DV_SMOOTH_PRESSURE:
    return k.gradient * a * a / q;
  case DV_SMOOTH_VISCOSITY:
    return k.gradient * (2 - 1.5 * q - 0.5 / (q * q * q));
  case DV_SMOOTH_CUBIC:
    return k.gradient * (q < 0.5 ? 3 * q - 2 : -a * a / q);
  }
  return 0;
}

static inline double dv_smooth_laplacian(dvSmooth k, double q)
{
  switch (k.kind) {
  case DV_SMOOTH_DENSITY:
    return k.laplacian * (1 - q * q) * (3 - 7 * q * q);
  case DV_SMOOTH_PRESSURE:
    return k.laplacian * (3 - 2 * q - 1 / q);
  case DV_SMOOTH_VISCOSITY:
    return k.laplacian * (1 - q);
  case DV_SMOOTH_CUBIC:
    return k.laplacian * (q < 0.5 ? 12 * q - 6 : 6 - 4 * q - 2 / q);
  }
  return 0;
}

#endif

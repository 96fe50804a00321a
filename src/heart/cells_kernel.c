// Steps of many cells: see cells.h.
#include "heart/cells.h"

typedef struct Rates {
  double u, w;
} Rates;

#define ALWAYS static inline __attribute__((always_inline))

// the law is a constant where this is inlined
ALWAYS Rates rates_of(int law, const double *p, double u, double w)
{
  if (law == DV_MITCHELL_SCHAEFFER) {
    double open = (1 - w) * p[2], closed = -w * p[3];
    return (Rates){w * u * u * (1 - u) * p[0] - u * p[1], u < p[4] ? open : closed};
  }
  if (law == DV_ALIEV_PANFILOV)
    return (Rates){p[0] * (p[1] * u * (1 - u) * (u - p[2]) - u * w),
                   p[0] * (p[3] + p[4] * w / (u + p[5])) * (-w - p[1] * u * (u - p[2] - 1))};
  return (Rates){p[0] * u * (1 - u) * (u - p[1]) - p[2] * w, p[3] * (u - p[4] * w)};
}

ALWAYS void cells(int law, const double *given, double h, int steps, dvCells c)
{
  double *restrict u = c.u, *restrict w = c.w;
  const double *restrict stimulus = c.stimulus, *restrict alive = c.alive;
  double p[DV_CELL_PARAMETERS];
  for (int i = 0; i < DV_CELL_PARAMETERS; i++) p[i] = given[i];
  if (law == DV_MITCHELL_SCHAEFFER)
    for (int i = 0; i < 4; i++) p[i] = 1 / p[i];
  if (law == DV_ALIEV_PANFILOV) p[0] = 1 / p[0];
  for (size_t i = 0; i < c.count; i++) {
    double a = u[i], b = w[i], s = stimulus ? stimulus[i] : 0, k = alive ? h * alive[i] : h;
    for (int j = 0; j < steps; j++) {
      Rates r1 = rates_of(law, p, a, b);
      Rates r2 = rates_of(law, p, a + 0.5 * k * (r1.u + s), b + 0.5 * k * r1.w);
      Rates r3 = rates_of(law, p, a + 0.5 * k * (r2.u + s), b + 0.5 * k * r2.w);
      Rates r4 = rates_of(law, p, a + k * (r3.u + s), b + k * r3.w);
      a += k * ((r1.u + 2 * (r2.u + r3.u) + r4.u) / 6 + s);
      b += k * (r1.w + 2 * (r2.w + r3.w) + r4.w) / 6;
    }
    u[i] = a, w[i] = b;
  }
}

#define LAW(name, law) \
  static void advance_##name(const double *p, double h, int steps, dvCells c) { cells(law, p, h, steps, c); }
LAW(mitchell_schaeffer, DV_MITCHELL_SCHAEFFER)
LAW(aliev_panfilov, DV_ALIEV_PANFILOV)
LAW(fitzhugh_nagumo, DV_FITZHUGH_NAGUMO)

const dvCellKernels DV_KERNEL_NAME(dv_cell_kernels) = {
    .advance = {advance_mitchell_schaeffer, advance_aliev_panfilov, advance_fitzhugh_nagumo}};

// See cells.h.
#include "heart/cells.h"

#include "heart/tusscher.h"

#include <math.h>

const int dv_cell_parameters[DV_CELL_CHOICES] = {5, 6, 5, 6};
const double dv_cell_defaults[DV_CELL_CHOICES][DV_CELL_PARAMETERS] = {
    {0.0003, 0.006, 0.12, 0.15, 0.13},
    {0.0129, 8, 0.15, 0.002, 0.2, 0.3},
    {260, 0.13, 100, 2, 1},
    {14.838, 0.0398, 0.153, 0.392, 5.405, 0.294},
};
const char *const dv_cell_names[DV_CELL_CHOICES] = {"t_in, t_out, t_open, t_close and gate", "T, k, a, e, m1 and m2",
                                                    "c, a, d, b and g", "g_Na, g_CaL, g_Kr, g_Ks, g_K1 and g_to"};

int dv_cell_variables(const dvCell *c) { return c->law == DV_TEN_TUSSCHER ? DV_TUSSCHER_STATES : 1; }

double dv_cell_rest(const dvCell *c, int variable)
{
  if (c->law == DV_TEN_TUSSCHER) return dv_tusscher_start[variable];
  return c->law == DV_MITCHELL_SCHAEFFER ? 1 : 0;
}

double dv_cell_threshold(const dvCell *c)   // 0 mV
{
  return c->law == DV_TEN_TUSSCHER ? -DV_TUSSCHER_REST / DV_TUSSCHER_RANGE : 0.5;
}

// 1/s: about the fastest that a law of two variables changes by itself
static double rate_of(const dvCell *c)
{
  const double *p = c->p;
  if (c->law == DV_MITCHELL_SCHAEFFER) return fmax(fmax(1 / p[0], 1 / p[1]), fmax(1 / p[2], 1 / p[3]));
  if (c->law == DV_ALIEV_PANFILOV) return fmax(p[1], p[3] + p[4] * p[1] / p[5]) / p[0];
  return fmax(fmax(p[0], p[2]), p[3] * fmax(1, p[4]));
}

// the method of order 4 bears 2.8 over the rate
double dv_cell_longest(const dvCell *c) { return c->law == DV_TEN_TUSSCHER ? 2.5e-5 : fmin(1e-4, 0.5 / rate_of(c)); }

// a cubic of that rate falls back from u with 3 u^2 times it
double dv_cell_highest(const dvCell *c)
{
  return c->law == DV_TEN_TUSSCHER ? 100 : sqrt(2.5 / (3 * rate_of(c) * dv_cell_longest(c)));
}

// of Mitchell and Schaeffer's cells, w being the same everywhere
static double speed_at(const double *p, double diffusivity, double w)
{
  double root = sqrt(fmax(0, 1 - 4 * p[0] / (w * p[1]))), high = 0.5 * (1 + root), low = 0.5 * (1 - root);
  return fmax(0, sqrt(diffusivity * w / (2 * p[0])) * (high - 2 * low));
}

double dv_cell_speed(const dvCell *c, double diffusivity)
{
  const double *p = c->p;
  if (c->law == DV_TEN_TUSSCHER) return 0;
  if (c->law == DV_MITCHELL_SCHAEFFER) return speed_at(p, diffusivity, 1);
  double rate = c->law == DV_ALIEV_PANFILOV ? p[1] / p[0] : p[0], a = c->law == DV_ALIEV_PANFILOV ? p[2] : p[1];
  return fmax(0, sqrt(0.5 * diffusivity * rate) * (1 - 2 * a));
}

double dv_cell_width(const dvCell *c, double diffusivity)
{
  double human = 0.6125 * sqrt(diffusivity / 9.53e-5),
         speed = c->law == DV_TEN_TUSSCHER ? human : dv_cell_speed(c, diffusivity);
  return speed > 0 ? 2 * diffusivity / speed : 0;
}

// w after a rest
static double rested(const dvCell *c, double interval)
{
  return 1 - (1 - c->fallen) * exp(-fmax(interval, 0) / c->p[2]);
}

void dv_cell_settle(dvCell *c)
{
  double least = 4 * c->p[0] / c->p[1], h = dv_cell_longest(c), w = fmin(1, 2 * least), before = w,
         u = 0.5 + 0.5 * sqrt(fmax(0, 1 - least / w)), last = u;
  for (int i = 0; u > c->p[4]; i++) {
    last = u, before = w;
    DV_KERNEL_CHOOSE(dv_cell_kernels)->advance[c->law](c->p, h, 1, (dvCells){1, &u, &w, NULL, NULL});
    if (i == 1000000) u = last = c->p[4], w = before = least;   // so slow that u falls at once
  }
  c->fallen = fmax(1e-300, last > u ? before + (last - c->p[4]) / (last - u) * (w - before) : w);
}

double dv_cell_duration(const dvCell *c, double interval)
{
  double w = rested(c, interval);
  return w > c->fallen ? c->p[3] * log(w / c->fallen) : 0;
}

double dv_cell_restitution(const dvCell *c, double interval)
{
  double full = speed_at(c->p, 1, 1);
  return full > 0 ? speed_at(c->p, 1, rested(c, interval)) / full : 1;
}

const char *dv_cell_problem(const dvCell *c)
{
  const double *p = c->p;
  for (int i = 0; i < dv_cell_parameters[c->law]; i++)
    if (!(p[i] >= 0) || !isfinite(p[i])) return "a parameter is negative or not finite";
  if (c->law == DV_TEN_TUSSCHER)
    for (int i = 0; i < dv_cell_parameters[c->law]; i++)
      if (p[i] > 60) return "a conductance is above 60 nS/pF, which steps of 25 us do not bear";
  if (c->law == DV_TEN_TUSSCHER) return NULL;
  if (c->law == DV_MITCHELL_SCHAEFFER && !(p[0] > 0 && p[1] > 0 && p[2] > 0 && p[3] > 0)) return "a time is 0";
  if (c->law == DV_MITCHELL_SCHAEFFER && !(4 * p[0] < p[1]))
    return "t_out is not above 4 t_in: nothing is ever excited";
  if (c->law == DV_MITCHELL_SCHAEFFER && !(p[4] < 1)) return "the gate is not below 1";
  if (c->law == DV_ALIEV_PANFILOV && !(p[0] > 0 && p[1] > 0 && p[5] > 0)) return "T, k or m2 is 0";
  if (c->law == DV_ALIEV_PANFILOV && !(p[2] < 0.5)) return "a is not below 0.5: no wave spreads";
  if (c->law == DV_FITZHUGH_NAGUMO && !(p[0] > 0)) return "c is 0";
  if (c->law == DV_FITZHUGH_NAGUMO && !(p[1] < 0.5)) return "a is not below 0.5: no wave spreads";
  if (!(rate_of(c) < 5e5)) return "cells would change within 2 us, which no cell of the heart does";
  return NULL;
}

const char *dv_cell_doubt(const dvCell *c)
{
  bool slow = c->law != DV_TEN_TUSSCHER && rate_of(c) < 30;
  return slow ? "cells would need 30 ms and more to be excited: times are in s, not in ms" : NULL;
}

// divan validate heart-steps: what tolerances and the step of 10 ms cost a beat.
//
// Volume and pressure of the chamber at the times of 80 steps, beside those of iterations to the end.
#include "heart_beat.h"
#include "validate.h"

#include <math.h>
#include <stdio.h>

enum { TIMES = 80 };   // of 10 ms

typedef struct Curve {
  double volume[TIMES], pressure[TIMES], ejected;
} Curve;

static bool follow(const HeartBeat *b, Curve *c)
{
  Trial t;
  char *text = heart_beat_scene(b);
  bool good = trial_open(&t, text);
  dv_free(text);
  if (!good) return false;
  for (int i = 0; i < TIMES && good; i++) {
    good = heart_run(&t, (int)lround(0.01 / b->dt));
    c->volume[i] = *(const double *)heart_value(&t, "Heart/left", "volume");
    c->pressure[i] = *(const double *)heart_value(&t, "Heart/left", "pressure");
  }
  c->ejected = *(const double *)heart_value(&t, "Heart/left", "ejectionFraction");
  trial_close(&t);
  return good;
}

// differences in parts of the largest number: mean and farthest
static void compare(const double *a, const double *b, double *mean, double *farthest)
{
  double most = 0;
  *mean = *farthest = 0;
  for (int i = 0; i < TIMES; i++) {
    most = fmax(most, fabs(b[i]));
    *mean += fabs(a[i] - b[i]) / TIMES;
    *farthest = fmax(*farthest, fabs(a[i] - b[i]));
  }
  *mean /= most;
  *farthest /= most;
}

bool validate_heart_steps(bool quick)
{
  const double spacing = quick ? 0.008 : 0.0042;
  const int layers = quick ? 2 : 3;
  const HeartBeat rows[] = {{spacing, layers, 0.01, 1e-4, 1e-6, 40},
                            HEART_BEAT(spacing, layers),
                            {spacing, layers, 0.01, 0.1, 0.1, 12},
                            {spacing, layers, 0.005, 1e-4, 1e-6, 40},
                            {spacing, layers, 0.0025, 1e-4, 1e-6, 40}};
  printf("## A beat in steps of 10 ms\n\nThe beat of `divan bench heart`: what tolerances of the gradients and of "
         "Newton's iterations cost, and what the step does. Volume and pressure of 80 times beside those of the first "
         "row, in parts of the largest.\n\n| step [ms] | gradients | Newton | ejected | volume: mean | farthest | "
         "pressure: mean | farthest |\n| --- | --- | --- | --- | --- | --- | --- | --- |\n");
  Curve exact = {0};
  double own = 0, shorter = 0;   // mean differences of the volume: of the tolerances, of the step
  for (size_t i = 0; i < DV_COUNT(rows); i++) {
    Curve c = {0};
    double mean[2], farthest[2];
    if (!follow(&rows[i], &c)) return false;
    if (i == 0) exact = c;
    compare(c.volume, exact.volume, &mean[0], &farthest[0]);
    compare(c.pressure, exact.pressure, &mean[1], &farthest[1]);
    printf("| %g | %g | %g | %.2f %% |", 1e3 * rows[i].dt, rows[i].gradients, rows[i].newton, 100 * c.ejected);
    if (i == 0) printf(" | | | |\n");
    else
      printf(" %.2f %% | %.2f %% | %.2f %% | %.2f %% |\n", 100 * mean[0], 100 * farthest[0], 100 * mean[1],
             100 * farthest[1]);
    fflush(stdout);
    if (i == 1) own = mean[0];
    shorter = mean[0];
  }
  printf("\n");
  return own < 0.005 && own < shorter;
}

// See tusscher.h. Rates are those of the paper's appendix and of the model of 2004 that it goes back to.
#include "heart/tusscher.h"

#include <math.h>

// of the benchmark's table 3, in the order of dvTusscherState
const double dv_tusscher_start[DV_TUSSCHER_STATES] = {0.00621,  0.4712, 0.0095,  0.00172,  0.7444,  0.7045,
                                                      3.373e-5, 0.7888, 0.9755,  0.999998, 2.42e-8, 0.9953,
                                                      0.000126, 3.64,   0.00036, 0.9073,   8.604,   136.89};

static double rise(double v, double middle, double width) { return 1 / (1 + exp((middle - v) / width)); }
static double fall(double v, double middle, double width) { return 1 / (1 + exp((v - middle) / width)); }
static double bell(double v, double middle, double width) { return exp(-(v - middle) * (v - middle) / width); }
static double square(double x) { return x * x; }

typedef struct Gate {
  double inf, tau;   // ms
} Gate;

// the inactivation of sodium, fast and slow
static Gate gate_h(double v)
{
  double a = v < -40 ? 0.057 * exp(-(v + 80) / 6.8) : 0,
         b = v < -40 ? 2.7 * exp(0.079 * v) + 3.1e5 * exp(0.3485 * v) : 0.77 / 0.13 * rise(v, -10.66, 11.1);
  return (Gate){square(fall(v, -71.55, 7.43)), 1 / (a + b)};
}

static Gate gate_j(double v)
{
  double a = 0, b;
  if (v < -40) {
    a = (-2.5428e4 * exp(0.2444 * v) - 6.948e-6 * exp(-0.04391 * v)) * (v + 37.78) / (1 + exp(0.311 * (v + 79.23)));
    b = 0.02424 * exp(-0.01052 * v) / (1 + exp(-0.1378 * (v + 40.14)));
  } else b = 0.6 * exp(0.057 * v) / (1 + exp(-0.1 * (v + 32)));
  return (Gate){square(fall(v, -71.55, 7.43)), 1 / (a + b)};
}

static Gate gate_of(dvTusscherState gate, double v)
{
  switch (gate) {
  case DV_TT_XR1:
    return (Gate){rise(v, -26, 7), 450 * rise(v, -45, 10) * 6 * fall(v, -30, 11.5)};
  case DV_TT_XR2:
    return (Gate){fall(v, -88, 24), 3 * rise(v, -60, 20) * 1.12 * fall(v, 60, 20)};
  case DV_TT_XS:
    return (Gate){rise(v, -5, 14), 1400 * sqrt(rise(v, 5, 6)) * fall(v, 35, 15) + 80};
  case DV_TT_M:
    return (Gate){square(rise(v, -56.86, 9.03)), rise(v, -60, 5) * (0.1 * fall(v, -35, 5) + 0.1 * fall(v, 50, 200))};
  case DV_TT_H:
    return gate_h(v);
  case DV_TT_J:
    return gate_j(v);
  case DV_TT_D:
    return (Gate){rise(v, -8, 7.5), (1.4 * rise(v, -35, 13) + 0.25) * 1.4 * fall(v, -5, 5) + rise(v, 50, 20)};
  case DV_TT_F:
    return (Gate){fall(v, -20, 7), 1102.5 * bell(v, -27, 225) + 200 * rise(v, 13, 10) + 180 * fall(v, -30, 10) + 20};
  case DV_TT_F2:
    return (Gate){0.67 * fall(v, -35, 7) + 0.33,
                  562 * bell(v, -27, 240) + 31 * rise(v, 25, 10) + 80 * fall(v, -30, 10)};
  case DV_TT_S:
    return (Gate){fall(v, -20, 5), 85 * bell(v, -45, 320) + 5 * fall(v, 20, 5) + 3};
  default:   // DV_TT_R
    return (Gate){rise(v, 20, 6), 9.5 * bell(v, -40, 1800) + 0.8};
  }
}

static void fill_row(double v, double h, double *row)
{
  for (int k = 0; k < DV_TT_GATES; k++) {
    Gate g = gate_of((dvTusscherState)k, v);
    row[2 * k] = g.inf;
    row[2 * k + 1] = exp(-0.5 * h / g.tau);
  }
  double x = v / dv_tusscher_volt, y = 2 * (v - 15) / dv_tusscher_volt, part = fabs(y) < 1e-9 ? 1 : y / expm1(y),
         into = exp(-0.65 * x), saturation = 1 / (1 + 0.1 * into);
  row[DV_TT_PUMP] = 1 / (1 + 0.1245 * exp(-0.1 * x) + 0.0353 * exp(-x));
  row[DV_TT_EXCHANGE_OUT] = exp(0.35 * x) * saturation;
  row[DV_TT_EXCHANGE_IN] = into * saturation;
  row[DV_TT_CAL] = part;
  row[DV_TT_CAL_INNER] = part * exp(y);
  row[DV_TT_PK] = rise(v, 25, 5.98);
}

// of V - E_K
static double rectifier_at(double v)
{
  double a = 0.1 / (1 + exp(0.06 * (v - 200))),
         b = (3 * exp(0.0002 * (v + 100)) + exp(0.1 * (v - 10))) / (1 + exp(-0.5 * v));
  return a / (a + b);
}

void dv_tusscher_prepare(dvTusscherTables *t, double h)
{
  h *= 1e3;
  if (t->rows.count && t->h == h) return;
  t->h = h;
  dv_array_resize(&t->rows, (size_t)DV_TUSSCHER_ROWS * DV_TUSSCHER_COLUMNS);
  dv_array_resize(&t->rectifier, DV_TUSSCHER_ROWS);
  for (int i = 0; i < DV_TUSSCHER_ROWS; i++) {
    double v = DV_TUSSCHER_LOW + DV_TUSSCHER_GRID * i;
    fill_row(v, h, t->rows.data + (size_t)i * DV_TUSSCHER_COLUMNS);
    t->rectifier.data[i] = rectifier_at(v);
  }
}

void dv_tusscher_free(dvTusscherTables *t)
{
  dv_array_free(&t->rows);
  dv_array_free(&t->rectifier);
}

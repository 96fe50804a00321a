// Steps of many cells of ten Tusscher and Panfilov: see tusscher.h.
#include "heart/tusscher.h"

#include <math.h>

#define ALWAYS static inline __attribute__((always_inline))

// outside of the cell, mM; F in C/mmol, capacitance in pF, volumes in um3
static const double na_o = 140, k_o = 5.4, ca_o = 2, faraday = 96.485, capacitance = 185, volume = 16404,
                    volume_sr = 1094, volume_ss = 54.68;

typedef struct Place {
  size_t row;
  double part;
} Place;

// where a potential stands in the tables; beyond their ends, at these
ALWAYS Place place_of(double v)
{
  double x = (v - DV_TUSSCHER_LOW) / DV_TUSSCHER_GRID, last = DV_TUSSCHER_ROWS - 1.001;
  x = x > 0 ? (x < last ? x : last) : 0;   // a number that is none: the first
  size_t row = (size_t)x;
  return (Place){row, x - (double)row};
}

ALWAYS void look_up(const dvTusscherTables *t, double v, double *row)
{
  Place p = place_of(v);
  const double *a = t->rows.data + p.row * DV_TUSSCHER_COLUMNS, *b = a + DV_TUSSCHER_COLUMNS;
  for (int k = 0; k < DV_TUSSCHER_COLUMNS; k++) row[k] = a[k] + p.part * (b[k] - a[k]);
}

ALWAYS double rectify(const dvTusscherTables *t, double v)
{
  Place p = place_of(v);
  const double *a = t->rectifier.data + p.row;
  return a[0] + p.part * (a[1] - a[0]);
}

typedef struct Change {
  double v, ca, casr, cass, release, na, k;   // per ms
} Change;

// the currents of a state, and what they change
ALWAYS Change change_of(const dvTusscherCells *c, double v, const double *y, const double *row)
{
  const double *g = c->conductance, rt_f = dv_tusscher_volt;
  double ca = y[DV_TT_CA], casr = y[DV_TT_CASR], cass = y[DV_TT_CASS], na = y[DV_TT_NA], k = y[DV_TT_K];
  double e_k = rt_f * log(k_o / k), e_na = rt_f * log(na_o / na), e_ca = 0.5 * rt_f * log(ca_o / ca),
         e_ks = rt_f * log((k_o + 0.03 * na_o) / (k + 0.03 * na));
  double m = y[DV_TT_M], i_na = g[0] * m * m * m * y[DV_TT_H] * y[DV_TT_J] * (v - e_na), i_bna = 0.00029 * (v - e_na);
  double i_cal = g[1] * y[DV_TT_D] * y[DV_TT_F] * y[DV_TT_F2] * y[DV_TT_FCASS] * 2 * faraday *
                 (0.25 * cass * row[DV_TT_CAL_INNER] - ca_o * row[DV_TT_CAL]);
  double i_kr = g[2] * y[DV_TT_XR1] * y[DV_TT_XR2] * (v - e_k), i_ks = g[3] * y[DV_TT_XS] * y[DV_TT_XS] * (v - e_ks),
         i_k1 = g[4] * rectify(c->tables, v - e_k) * (v - e_k), i_to = g[5] * y[DV_TT_R] * y[DV_TT_S] * (v - e_k),
         i_pk = 0.0146 * row[DV_TT_PK] * (v - e_k);
  double i_pump = 2.724 * k_o / (k_o + 1) * na / (na + 40) * row[DV_TT_PUMP];
  double i_exchange =
      1000 / ((87.5 * 87.5 * 87.5 + na_o * na_o * na_o) * (1.38 + ca_o)) *
      (row[DV_TT_EXCHANGE_OUT] * na * na * na * ca_o - row[DV_TT_EXCHANGE_IN] * na_o * na_o * na_o * ca * 2.5);
  double i_pca = 0.1238 * ca / (ca + 0.0005), i_bca = 0.000592 * (v - e_ca);
  // calcium: uptake into the store, leak and release out of it, from the subspace into the cell
  double load = 1.5 / casr, kcasr = 2.5 - 1.5 / (1 + load * load), k1 = 0.15 / kcasr, cass2 = cass * cass,
         open = k1 * cass2 * y[DV_TT_RELEASE] / (0.06 + k1 * cass2),
         up = 0.006375 * ca * ca / (ca * ca + 0.00025 * 0.00025), leak = 0.00036 * (casr - ca),
         release = 0.102 * open * (casr - cass), transfer = 0.0038 * (cass - ca);
  double free = 1 / (1 + 0.2 * 0.001 / ((ca + 0.001) * (ca + 0.001))),
         free_sr = 1 / (1 + 10 * 0.3 / ((casr + 0.3) * (casr + 0.3))),
         free_ss = 1 / (1 + 0.4 * 0.00025 / ((cass + 0.00025) * (cass + 0.00025)));
  double flux = capacitance / (volume * faraday);
  return (Change){
      .v = -(i_na + i_bna + i_cal + i_kr + i_ks + i_k1 + i_to + i_pk + i_pump + i_exchange + i_pca + i_bca),
      .ca = free * (0.5 * flux * (2 * i_exchange - i_bca - i_pca) + (leak - up) * volume_sr / volume + transfer),
      .casr = free_sr * (up - release - leak),
      .cass = free_ss * (-0.5 * i_cal * capacitance / (volume_ss * faraday) + release * volume_sr / volume_ss -
                         transfer * volume / volume_ss),
      .release = 0.005 * (1 - y[DV_TT_RELEASE]) - 0.045 * kcasr * cass * y[DV_TT_RELEASE],
      .na = -flux * (i_na + i_bna + 3 * i_pump + 3 * i_exchange),
      .k = -flux * (i_k1 + i_to + i_kr + i_ks + i_pk - 2 * i_pump),
  };
}

// The state after a time h, from the rates of `at` (its potential is in `row`); `whole`: h is a whole step, else a
// half.
ALWAYS void move(const double *from, const double *at, const double *row, Change d, double h, int whole, double *to)
{
  for (int k = 0; k < DV_TT_GATES; k++) {
    double inf = row[2 * k], half = row[2 * k + 1], decay = whole ? half * half : half;
    to[k] = inf + (from[k] - inf) * decay;
  }
  double x = at[DV_TT_CASS] / 0.05, part = 1 / (1 + x * x), inf = 0.6 * part + 0.4;
  to[DV_TT_FCASS] = inf + (from[DV_TT_FCASS] - inf) * exp(-h / (80 * part + 2));
  to[DV_TT_CA] = from[DV_TT_CA] + h * d.ca;
  to[DV_TT_CASR] = from[DV_TT_CASR] + h * d.casr;
  to[DV_TT_CASS] = from[DV_TT_CASS] + h * d.cass;
  to[DV_TT_RELEASE] = from[DV_TT_RELEASE] + h * d.release;
  to[DV_TT_NA] = from[DV_TT_NA] + h * d.na;
  to[DV_TT_K] = from[DV_TT_K] + h * d.k;
}

static void advance(const dvTusscherCells *c, int steps)
{
  double h = c->tables->h;
  for (size_t i = 0; i < c->count; i++) {
    if (c->alive && c->alive[i] == 0) continue;
    double y[DV_TUSSCHER_STATES], middle[DV_TUSSCHER_STATES], row[DV_TUSSCHER_COLUMNS];
    double v = DV_TUSSCHER_REST + DV_TUSSCHER_RANGE * c->u[i],
           stimulus = c->stimulus ? 1e-3 * DV_TUSSCHER_RANGE * c->stimulus[i] : 0;
    for (int k = 0; k < DV_TUSSCHER_STATES; k++) y[k] = c->w[(size_t)k * c->stride + i];
    for (int s = 0; s < steps; s++) {
      look_up(c->tables, v, row);
      Change d = change_of(c, v, y, row);
      double half = v + 0.5 * h * (d.v + stimulus);
      move(y, y, row, d, 0.5 * h, 0, middle);
      look_up(c->tables, half, row);
      d = change_of(c, half, middle, row);
      move(y, middle, row, d, h, 1, y);
      v += h * (d.v + stimulus);
    }
    for (int k = 0; k < DV_TUSSCHER_STATES; k++) c->w[(size_t)k * c->stride + i] = y[k];
    c->u[i] = (v - DV_TUSSCHER_REST) / DV_TUSSCHER_RANGE;
  }
}

const dvTusscherKernels DV_KERNEL_NAME(dv_tusscher_kernels) = {.advance = advance};

// The human ventricular cell of K. ten Tusscher and A. Panfilov (2006), of the epicardium: twelve currents, twelve
// gates, calcium in three places, sodium and potassium. It is the cell of the benchmark of Niederer et al. (2011),
// whose state it starts from.
//
//   V' = -(sum of currents),   y' = (y_inf(V) - y) / tau(V) for each gate y,   concentrations follow the currents
//
// Inside of this file and its kernel: mV, ms, mM, pA/pF. Outside the potential is u, 0 at rest and 1 at +40 mV.
//
// A step is the midpoint rule with exponential gates (Rush and Larsen): half a step with the rates of its start, a
// whole one with those of its middle; order 2. What depends on V alone stands in tables, a row each DV_TUSSCHER_GRID
// mV, and is interpolated; of the gates y_inf and exp(-h / 2 tau), whose square is the decay of a whole step.
#ifndef DV_HEART_TUSSCHER_H
#define DV_HEART_TUSSCHER_H

#include "base/array.h"
#include "base/isa.h"

// what a cell has beside its potential: the gates that depend on V first
typedef enum dvTusscherState {
  DV_TT_XR1,
  DV_TT_XR2,
  DV_TT_XS,
  DV_TT_M,
  DV_TT_H,
  DV_TT_J,
  DV_TT_D,
  DV_TT_F,
  DV_TT_F2,
  DV_TT_S,
  DV_TT_R,
  DV_TT_GATES,   // that depend on V alone
  DV_TT_FCASS = DV_TT_GATES,
  DV_TT_CA,
  DV_TT_CASR,
  DV_TT_CASS,
  DV_TT_RELEASE,   // R'
  DV_TT_NA,
  DV_TT_K,
  DV_TUSSCHER_STATES
} dvTusscherState;
extern const double dv_tusscher_start[DV_TUSSCHER_STATES];

// what else depends on V alone
typedef enum dvTusscherFactor {
  DV_TT_PUMP = 2 * DV_TT_GATES,   // of the sodium-potassium pump
  DV_TT_EXCHANGE_OUT,             // of the exchanger: for Na_i^3, for Ca_i
  DV_TT_EXCHANGE_IN,
  DV_TT_CAL,   // of the L-type current: x / (e^x - 1) and times e^x
  DV_TT_CAL_INNER,
  DV_TT_PK,   // of the plateau current
  DV_TUSSCHER_COLUMNS
} dvTusscherFactor;

#define DV_TUSSCHER_REST (-85.23)
#define DV_TUSSCHER_RANGE 125.23
#define DV_TUSSCHER_GRID 0.1   // mV
enum { DV_TUSSCHER_LOW = -150, DV_TUSSCHER_ROWS = 4001 };
static const double dv_tusscher_volt = 26.712;   // RT/F, mV

// Conductances in nS/pF that may be changed: g_Na g_CaL g_Kr g_Ks g_K1 g_to.
typedef struct dvTusscherTables {
  double h;                     // ms, that the decays are for
  DV_ARRAY(double) rows;        // DV_TUSSCHER_COLUMNS each
  DV_ARRAY(double) rectifier;   // of the inward rectifier, by V - E_K
} dvTusscherTables;

// Tables for steps of h seconds; nothing to do when they are.
void dv_tusscher_prepare(dvTusscherTables *t, double h);
void dv_tusscher_free(dvTusscherTables *t);

// `count` cells; state k of cell i stands at w[k * stride + i]. stimulus (1/s, of u) and alive (0 or 1) may be NULL.
typedef struct dvTusscherCells {
  size_t count, stride;
  double *u, *w;
  const double *stimulus, *alive;
  const double *conductance;
  const dvTusscherTables *tables;
} dvTusscherCells;

typedef struct dvTusscherKernels {
  void (*advance)(const dvTusscherCells *c, int steps);
} dvTusscherKernels;
DV_KERNEL_DECLARE(dvTusscherKernels, dv_tusscher_kernels);

#endif

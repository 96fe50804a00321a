// Strings of heart muscle, four at a time: what contraction.c says of an element, on plain arrays.
//
// Arrays have a record for each pack of the blocks, each number of it for four elements: `rest` the volume and the
// gradients of the four corners along the fibre, `old` what a step begins with (e_c, k_c, t_c), `rates` |u|+, |u| and
// the contractility, `record` what products need (S, dS/de and the fibre's vector l), `now` e_c, k_c and t_c at the
// end.
#ifndef DV_HEART_BRIDGES_H
#define DV_HEART_BRIDGES_H

#include "base/isa.h"
#include "element/blocks.h"

enum { DV_BRIDGE_REST = 5, DV_BRIDGE_STATE = 3, DV_BRIDGE_RATES = 3, DV_BRIDGE_RECORD = 5 };

typedef struct dvBridges {
  const dvElementBlocks *blocks;
  double dt, stiffness, stress, series, viscosity, destruction;
  double *rest, *old, *rates, *record, *now;
  double *slots;
} dvBridges;

typedef struct dvBridgeKernels {
  void (*force)(const dvBridges *s, size_t block, const double *x);               // slots and record
  void (*dforce)(const dvBridges *s, size_t block, const double *dx, double k);   // slots
  void (*end)(const dvBridges *s, size_t block, const double *x);                 // record and now
  void (*matrix)(const dvBridges *s, size_t pack, double k, double *out);         // four matrices, 12 x 12
} dvBridgeKernels;
DV_KERNEL_DECLARE_WIDE(dvBridgeKernels, dv_bridge_kernels);

#endif

// Hexahedra of one quadrature point with hourglass control, total Lagrangian, on plain arrays (K. Miller, G. Joldes, D.
// Lance, A. Wittek, Total Lagrangian explicit dynamics finite element algorithm for computing soft tissue deformation,
// 2007; G. Joldes, A. Wittek, K. Miller, An efficient hourglass control implementation for the uniform strain
// hexahedron using the total Lagrangian formulation, 2008).
//
//   F = sum x_I (x) b_I,  f_I = -V P(F) b_I - k sum over the four modes of gamma_I (sum_J gamma_J x_J)
//
// with the mean gradients b at rest (D. Flanagan, T. Belytschko, 1981) and gamma = h - sum_i (h . X_i) b_i for the
// hourglass patterns h: no force for displacements that are linear in the position, however large. k = c (lambda + 2
// mu) V (b : b) / 8. The law is SPLIT_NEO_HOOKEAN.
#ifndef DV_FORCE_FEM_HEXA_HEXA_TLED_H
#define DV_FORCE_FEM_HEXA_HEXA_TLED_H

#include "force/fem/hyper/hyper.h"
#include "topology/topology.h"

typedef struct dvHexaTled dvHexaTled;

typedef struct dvHexaTledDef {
  const double *rest;
  size_t points;
  const int32_t *hexahedra;   // eight point indices each
  size_t count;
  double mu, bulk, hourglass;   // hourglass: c
  const dvTopology *cells;      // may be NULL: tells how far they are filled (topology/change/fill.h)
} dvHexaTledDef;

// As dv_hyper_create and its kin (hyper.h).
dvStatus dv_hexa_tled_create(const dvHexaTledDef *def, dvHexaTled **out, size_t *flat);
void dv_hexa_tled_destroy(dvHexaTled **h);
bool dv_hexa_tled_patch(dvHexaTled *h, const dvHexaTledDef *def, dvTopology *mesh);
void dv_hexa_tled_keep(dvHexaTled *h, bool tangents);
void dv_hexa_tled_add_force(dvHexaTled *h, dvPool *pool, const double *x, double *f);
void dv_hexa_tled_add_dforce(dvHexaTled *h, dvPool *pool, const double *dx, double k, double *df);
// k (df/dx) of all hexahedra, 24 x 24 each.
dvElementMatrices dv_hexa_tled_matrices(const dvHexaTled *h, double k);
double dv_hexa_tled_energy(dvHexaTled *h, dvPool *pool, const double *x);

// --- between hexa_tled.c and its kernels ---

// Packs of an element: volume, k, b of the corners, and gamma of the four modes at the corners.
enum { DV_TLED_GRADIENTS = 2, DV_TLED_MODES = 2 + 24, DV_TLED_REST = 2 + 24 + 32 };

typedef struct dvHexaTledData {
  dvHyperData law;   // its law, parameters, and `moving`: F and seven derivatives of the energy
  const dvElementBlocks *blocks;
  double *rest, *slots;
} dvHexaTledData;

typedef struct dvHexaTledKernels {
  void (*force)(const dvHexaTledData *h, size_t block, const double *x);
  void (*dforce)(const dvHexaTledData *h, size_t block, const double *dx, double k);
  void (*measure)(const dvHexaTledData *h, size_t block, const double *x, double *energy);
} dvHexaTledKernels;
DV_KERNEL_DECLARE(dvHexaTledKernels, dv_hexa_tled_kernels);

#endif

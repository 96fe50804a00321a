// Hyperelastic linear tetrahedra, total Lagrangian, on plain arrays.
//
// An element has the deformation gradient F = sum (x_k - x_a) (x) g_k over its corners b, c, d, with gradients g_k of
// the shape at rest, and the energy V W(C), C = F^T F. Forces are f_k = -V P g_k with P = dW/dF, and dforce is their
// exact derivative.
//
// Laws, with I1 = tr C, I2 = (I1^2 - C : C) / 2, J = det F, and I1' = J^-2/3 I1, I2' = J^-4/3 I2; parameters in
// brackets:
//   ARRUDA_BOYCE        mu sum c_i (I1'^i - 3^i) + k/2 ln^2 J, five terms, chains of 8 links      [mu k]
//   ST_VENANT_KIRCHHOFF lambda/8 (I1 - 3)^2 + mu/4 tr (C - 1)^2                                   [mu lambda]
//   NEO_HOOKEAN         mu/2 (I1 - 3) - mu ln J + lambda/2 ln^2 J                                 [mu lambda]
//   MOONEY_RIVLIN       c1 (I1' - 3) + c2 (I2' - 3) + k/2 ln^2 J                                  [c1 c2 k]
//   VERONDA_WESTMANN    c1 (exp(c2 (I1' - 3)) - 1) - c1 c2 / 2 (I2' - 3) + k/2 ln^2 J             [c1 c2 k]
//   COSTA               a/2 (exp(J^-4/3 Q) - 1) + k (J ln J - J + 1), Q = sum b_ij E_ij^2         [a k bxx bxy byy bxz
//   byz bzz] OGDEN               mu/a^2 (J^-a/3 tr C^(a/2) - 3) + k/2 ln^2 J                               [mu a k]
//   STABLE_NEO_HOOKEAN  mu/2 (I1 - 3) + (lambda + mu)/2 ((J - 1 - r)^2 - r^2), r = mu/(lambda + mu) [mu lambda]
//   HOLZAPFEL_OGDEN     a/2b (exp(b (I1' - 3)) - 1) + sum over f and s of ai/2bi (exp(bi <Ii - 1>^2) - 1)
//                       + afs/2bfs (exp(bfs I8^2) - 1) + k/2 ln^2 J                [a b af bf as bs afs bfs k]
//                       with If = C_ff, Is = C_ss, I8 = C_fs along fibres f and sheets s, <x> = x above 0, else 0
//   SPLIT_NEO_HOOKEAN   mu/2 (I1' - 3) + k/2 (J - 1)^2                                            [mu k]
// Laws with a logarithm have no value for J <= 0: below J = 0.01 their derivative by J goes on in a straight line, so
// that crushed elements push back and nothing becomes NaN.
//
// Laws with directions take the axes x, y, z of the rest shape for fibre, sheet and normal, unless every element has
// axes of its own: then its gradients g_k are given in these, which changes nothing of the forces of isotropic laws.
//
// The energy is used as a sum of products of functions of J and of the other invariants, so that nothing is divided by
// det C (MJED: S. Marchesseau et al., 2010), with an optional viscosity as there.
#ifndef DV_FORCE_FEM_HYPER_HYPER_H
#define DV_FORCE_FEM_HYPER_HYPER_H

#include "base/isa.h"
#include "base/pool.h"
#include "element/lane_memory.h"
#include "force/fem/matrices.h"
#include "math/vec.h"
#include "object/memory.h"

typedef enum dvHyperLaw {
  DV_ARRUDA_BOYCE,
  DV_ST_VENANT_KIRCHHOFF,
  DV_NEO_HOOKEAN,
  DV_MOONEY_RIVLIN,
  DV_VERONDA_WESTMANN,
  DV_COSTA,
  DV_OGDEN,
  DV_STABLE_NEO_HOOKEAN,
  DV_HOLZAPFEL_OGDEN,
  DV_SPLIT_NEO_HOOKEAN,   // of total Lagrangian explicit dynamics; the others are SOFA's materials
  DV_HYPER_LAWS
} dvHyperLaw;

enum { DV_HYPER_PARAMETERS = 9, DV_HYPER_TERMS = 8 };
extern const int dv_hyper_parameters[DV_HYPER_LAWS];   // how many each law has

typedef struct dvHyper dvHyper;

typedef struct dvHyperDef {
  const double *rest;   // positions at rest
  size_t points;
  const int32_t *tetrahedra;   // four point indices each
  size_t count;
  dvHyperLaw law;
  const double *parameters;   // as many as the law has
  const double *axes;         // of each tetrahedron nine numbers, its fibre, sheet and normal of length 1; may be NULL
  const double *factors;      // of each tetrahedron: times its energy; may be NULL
  bool by_tensor;             // evaluate S and dS/dC of each element by itself: the usual way, for comparison
  // Viscosity, a Prony series: of a stress that is held, the part alpha_i decays with the time tau_i.
  int terms;             // at most DV_HYPER_TERMS
  const double *prony;   // alpha and tau of each term
} dvHyperDef;

// Nothing of the definition is kept. `flat` (may be NULL) gets the number of elements without a volume, which give no
// force. DV_ERROR_INPUT when an index is out of range, DV_ERROR_USAGE when memory is short; *out is then NULL.
dvStatus dv_hyper_create(const dvHyperDef *def, dvHyper **out, size_t *flat);
// Follows the tetrahedra of a mesh, one for one, after a batch of changes; `def` has them as they are now. False when
// they are to be created anew (see dv_blocks_patch). Viscous stresses of new ones are 0 until they are written.
bool dv_hyper_patch(dvHyper *h, const dvHyperDef *def, dvTopology *mesh);
void dv_hyper_destroy(dvHyper **h);

// Whether evaluations from now on keep what products and matrices need: true at first. Explicit integrators need none.
void dv_hyper_keep(dvHyper *h, bool tangents);
// f += forces at x. Keeps what the functions below need; before the first call they use the shape at rest. The pool may
// be NULL.
void dv_hyper_add_force(dvHyper *h, dvPool *pool, const double *x, double *f);
// df += k (df/dx) dx at the positions of the last dv_hyper_add_force.
void dv_hyper_add_dforce(dvHyper *h, dvPool *pool, const double *dx, double k, double *df);
// k (df/dx) of all tetrahedra, 12 x 12 each.
dvElementMatrices dv_hyper_matrices(const dvHyper *h, double k);
double dv_hyper_energy(dvHyper *h, dvPool *pool, const double *x);

// Viscosity. Stresses are S(t) = S - sum gamma_i, gamma_i = (dt alpha_i S + tau_i gamma_i of the step before) / (dt +
// tau_i): an implicit Euler step of d gamma/dt = (alpha S - gamma) / tau. Sets dt for what follows; the end of a step,
// at its positions; and what lasts from step to step, as an entry of a memory.
void dv_hyper_set_step(dvHyper *h, double dt);
void dv_hyper_end_step(dvHyper *h, dvPool *pool, const double *x);
void dv_hyper_remember(dvHyper *h, dvMemoryStream *s);
// The parts gamma_i of an element, 6 numbers a term, times its volume, while the mesh changes: `memory` has them as its
// numbers (element/lane_memory.h). The first takes the lanes of the elements as they were made, adds them to the rows
// of `d` and may be called again; nothing without viscosity. When the elements have followed the mesh, dv_hyper_settle.
// Before they are made again dv_hyper_take gives all (false: there are none, or memory is short), dv_hyper_put puts
// them back.
void dv_hyper_follow(dvHyper *h, dvLaneMemory *memory, dvElementData *d);
void dv_hyper_settle(dvHyper *h, dvLaneMemory *memory, dvTopology *mesh);
bool dv_hyper_take(const dvLaneMemory *memory, size_t elements, dvReals *rows);
void dv_hyper_put(dvHyper *h, const dvReals *rows);

// Of one piece of material: W, the second Piola-Kirchhoff stress S = 2 dW/dC (xx yy zz xy yz zx), and D = dS/dC as the
// 6 x 6 matrix that takes (Hxx Hyy Hzz 2Hxy 2Hyz 2Hzx) to dS. s and d may be NULL.
double dv_hyper_evaluate(dvHyperLaw law, const double *parameters, dvMat3 f, double s[6], double d[6][6]);

// --- between hyper.c and its kernels ---

// Packs of an element: volume and gradients of b, c, d; F and what else force leaves for dforce (hyper_pack.h).
enum { DV_HYPER_REST = 10, DV_HYPER_ISOTROPIC = 16, DV_HYPER_TENSOR = 36 };

typedef struct dvHyperData {
  const dvElementBlocks *blocks;
  dvHyperLaw law;
  double parameters[DV_HYPER_PARAMETERS];
  double *rest, *moving, *slots;
  bool no_tangents;   // leave `moving` as it is
  // viscosity
  int terms;
  double take[DV_HYPER_TERMS], keep[DV_HYPER_TERMS], present;   // a_i, b_i, 1 - sum a_i
  double *gamma;                                                // [packs][terms][6] times the volume
  double *memory;                                               // [packs][6] sum b_i gamma_i; NULL without viscosity
} dvHyperData;

typedef struct dvHyperKernels {
  // the last entry of each is for elements by tensors
  void (*force[DV_HYPER_LAWS + 1])(const dvHyperData *h, size_t block, const double *x);
  void (*lone_force[DV_HYPER_LAWS + 1])(const dvHyperData *h, size_t block, const double *x);   // keeps no tangents
  void (*dforce[DV_HYPER_LAWS + 1])(const dvHyperData *h, size_t block, const double *dx, double k);
  void (*matrix[DV_HYPER_LAWS + 1])(const dvHyperData *h, size_t pack, double k, double *out);   // four matrices
  void (*measure[DV_HYPER_LAWS + 1])(const dvHyperData *h, size_t block, const double *x,
                                     double *energy);   // lane by lane
  void (*remember[DV_HYPER_LAWS + 1])(const dvHyperData *h, size_t block, const double *x);
} dvHyperKernels;
DV_KERNEL_DECLARE_WIDE(dvHyperKernels, dv_hyper_kernels);

#endif

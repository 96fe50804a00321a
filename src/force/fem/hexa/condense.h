// Cells of a sparse grid that condense its finer levels: their matrices come from the small cells they are made of.
//
// Trilinear (M. Nesme, Y. Payan, F. Faure, Animating shapes at arbitrary resolution with non-uniform stiffness, 2006):
// fine corners follow the coarse ones by trilinear weights P, K = sum of P^T k P over the fine cells, and so for the
// mass.
//
// Composite (M. Nesme, P. Kry, L. Jerabkova, F. Faure, Preserving topology and elasticity for embedded deformable
// models, 2009): weights W come from the balance of the fine cells when the coarse corners are held, level by level:
//
//   K_ff W = -K_fc        f: fine points inside a coarse cell, c: its corners; void is filled with rigid cells
//
// W is kept where an edge stays an edge and a face a face (a point on an edge follows its two ends, in each direction
// by itself), its rows are scaled to a sum of 1, and K = W^T k W, M = W^T m W with the fine cells alone.
#ifndef DV_FORCE_FEM_HEXA_CONDENSE_H
#define DV_FORCE_FEM_HEXA_CONDENSE_H

#include "topology/grid/sparse_grid.h"

enum { DV_CONDENSE_K = 576, DV_CONDENSE_M = 192 };

typedef struct dvCondenseDef {
  const dvSparseLevel *level[DV_SPARSE_FINER + 1];   // the grid first
  int depth;                                         // levels below the grid
  const double *stiffness;                           // 24 x 24 of a full cell of the finest of them
  const double *mass;                                // 8 x 8 of the same
  bool filled;                                       // cells count as far as they are filled, else all of them are full
  bool stiff_mass;                                   // their mass counts with the coefficient of their stiffness
  // composite cells
  bool direct;     // from the finest level in one go
  bool merged;     // pieces at one place count as one
  bool complete;   // points that are mapped keep weights that the mask takes away
  double poisson;
} dvCondenseDef;

// How far a cell of the finest level is filled, for its stiffness and for its mass.
static inline double dv_condense_stiffness(const dvCondenseDef *def, int level, int32_t element)
{
  return def->filled ? (double)def->level[level]->stiffness.data[element] : 1;
}
static inline double dv_condense_mass(const dvCondenseDef *def, int level, int32_t element)
{
  return !def->filled      ? 1
         : def->stiff_mass ? (double)def->level[level]->stiffness.data[element]
                           : (double)def->level[level]->mass.data[element];
}

// Matrices of the hexahedra of the grid: `k` has 24 x 24 numbers each, `m` 8 x 8 along x, y and z each, `cells` (may be
// NULL) gets how many of the finest cells there are in each.
void dv_condense_trilinear(const dvCondenseDef *def, double *k, double *m, double *cells);

// How points of the finest level follow the corners of the cells of the grid: displacement = weight (3 x 24) x
// displacements of the corners.
typedef struct dvComposite {
  size_t elements, points;   // of the grid; of the finest level
  int level;                 // the finest level
  uint32_t *start;           // [elements + 1] entries of an element
  int32_t *point;            // [entries]
  double *weight;            // [entries][72]
} dvComposite;

// Composite cells. DV_ERROR_USAGE when `direct` would need too large matrices or memory is short, DV_ERROR_INPUT when a
// part of a cell hangs on nothing; *out is then NULL.
dvStatus dv_condense_composite(const dvCondenseDef *def, double *k, double *m, dvComposite **out);
void dv_composite_destroy(dvComposite **c);

// --- shared ---

// Place of corner w in a cell, 0 or 1 along each axis.
static inline void dv_corner_place(int w, int place[3])
{
  place[0] = (w & 1) ^ (w >> 1 & 1);
  place[1] = w >> 1 & 1;
  place[2] = w >> 2;
}
// Trilinear weights of the corners at a place from 0 to 1.
void dv_corner_weights(const double at[3], double weights[8]);

#endif

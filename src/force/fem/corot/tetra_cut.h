// Hexahedra that stand for six tetrahedra each, as SOFA's TetrahedronFEMForceField cuts them.
//
// Neighbouring cells of a grid are mirrored, so that the diagonals of their faces meet. Cells that come of others are
// mirrored as those are.
#ifndef DV_FORCE_FEM_COROT_TETRA_CUT_H
#define DV_FORCE_FEM_COROT_TETRA_CUT_H

#include "element/blocks.h"
#include "object/values.h"

enum { DV_CUT_PARTS = 6 };

typedef struct dvTetraCut {
  dvInts tetrahedra;   // six of each cell
  dvInts mirrors;      // of each cell: along which axes it is mirrored, bits of x, y and z
  dvNumbers rows;      // of dv_tetra_cut_follow
  DV_ARRAY(dvTraceStep) steps;
} dvTetraCut;

void dv_tetra_cut_free(dvTetraCut *c);
// The corners of the six tetrahedra of a cell.
void dv_tetra_cut_cell(const int32_t cell[8], int32_t mirrors, int32_t out[24]);
// Cuts all cells of a topology. False when memory is short.
bool dv_tetra_cut_make(dvTetraCut *c, const dvTopology *t, const dvInts *hexahedra);
// After a batch with a trace, when `mirrors` has followed: cuts cells that are others. `change` says what became of the
// tetrahedra, and `rows` has those whose number or corners are others. False when memory is short.
bool dv_tetra_cut_follow(dvTetraCut *c, dvTopology *t, dvBlocksChange *change);

#endif

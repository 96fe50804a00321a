// Splitting hexahedra along a blade.
//
// The voxels of a cell (fill.h) tell what hangs together: two neighbours do unless a blade has passed between their
// middles, now or before. A cell whose material falls apart becomes several cells at the same place, each with its
// voxels; around every point, pieces of cells that hang together over faces share a point, and every other group of
// them gets a point of its own (N. Molino, Z. Bao, R. Fedkiw, A virtual node algorithm for changing mesh topology
// during simulation, 2004; for hexahedra with a finer grid: L. Jeřábková and others, Volumetric modeling and
// interactive cutting of deformable bodies, 2010). The shape of no cell changes; filled shares sum up to what they
// were.
//
// A blade that ends inside of a cell leaves it whole, but what it has cut there is remembered: another stroke that goes
// on from there parts it. What is thinner than a quarter of a cell may have no voxel: it stays with its neighbour.
#ifndef DV_TOPOLOGY_CHANGE_CUT_CELLS_H
#define DV_TOPOLOGY_CHANGE_CUT_CELLS_H

#include "topology/change/blade.h"
#include "topology/change/fill.h"

// A cell that the blade comes near, or one beside such a cell.
typedef struct dvNearCell {
  int32_t hexahedron;   // before the cut
  bool beside;          // the blade does not come near
  bool empty;           // none of its voxels has material: all count as if they had
  dvCellFill before;
  uint8_t piece[64];   // of each voxel: that of the material which it hangs together with, else of a neighbour
  uint64_t reached;    // voxels that hang together with material
  int pieces;
  dvCellFill fills[8];   // of each piece
  int32_t corners[8][8];
  int32_t number[8];   // of the hexahedron that it becomes
  bool changed;        // it is not the same hexahedron as before, or has other points
} dvNearCell;

typedef struct dvCellCut {
  DV_ARRAY(dvNearCell) cells;   // in ascending order of their hexahedra
  DV_ARRAY(int32_t) now;        // of each hexahedron that is not replaced: its number after the cut
  size_t split;                 // cells that fell apart
  size_t doubled;               // points that came
  size_t links;                 // between voxels that were cut
} dvCellCut;

typedef struct dvCells {
  dvTopology *mesh;
  const double *x;   // positions now, three numbers a point
  // which of places are filled with material, when that is known: a blade in what is empty parts nothing. May be NULL
  void (*filled)(void *user, const double *places, size_t count, bool *out);
  void *user;
} dvCells;

// Finds what the blade does to the cells, without changing anything yet.
void dv_cells_find(const dvCells *c, const dvBlade *b, dvCellCut *out);
// Does it: adds points and replaces cells. The caller ends the batch.
dvStatus dv_cells_part(const dvCells *c, dvCellCut *cut);
void dv_cell_cut_free(dvCellCut *cut);

// The near cell of a hexahedron as it was before; NULL when it is none.
dvNearCell *dv_cell_cut_find(const dvCellCut *cut, int32_t hexahedron);
// The cell beyond a face of one (-x, +x, -y …), the first of several; -1 for none.
int32_t dv_cell_beyond(dvTopology *t, int32_t hexahedron, int direction);
// Where the middle of a voxel is.
dvVec3 dv_cell_voxel(const dvCells *c, int32_t hexahedron, int voxel);

#endif

// The voxels of hexahedra (fill.h), the faces between them, and the pieces into which blades part them. For
// cut_cells.c.
#ifndef DV_TOPOLOGY_CHANGE_CELL_VOXELS_H
#define DV_TOPOLOGY_CHANGE_CELL_VOXELS_H

#include "topology/change/cut_cells.h"

enum { SIDE = 4, VOXELS = SIDE * SIDE * SIDE, MOST_PIECES = 8 };

static inline const int32_t *dv_cell_corners(const dvTopology *t, int32_t hexahedron)
{
  return dv_topology_list((dvTopology *)t, DV_HEXAHEDRON)->data + 8 * (size_t)hexahedron;
}
static inline bool dv_has_voxel(uint64_t bits, int voxel) { return bits >> voxel & 1; }
static inline int dv_count_voxels(uint64_t bits) { return __builtin_popcountll(bits); }
// The voxel beside one in a direction (-x, +x, -y …); -1 where the cell ends.
int dv_voxel_beside(int voxel, int direction);

// A face between two cells: voxel (p, q) of the one lies at base + p first + q second of the other.
typedef struct dvCellFace {
  int base[3], first[3], second[3];
  int direction;   // of the other cell, towards the face
} dvCellFace;

// Voxel (p, q) of a cell at its face in a direction, and that of the other cell beyond it.
int dv_face_voxel(int direction, int p, int q);
int dv_face_voxel_beyond(const dvCellFace *f, int p, int q);
// Cells on the other side of a face, at most MOST_PIECES.
int dv_cells_beyond(const dvTopology *t, int32_t hexahedron, int direction, int32_t *out, dvCellFace *faces);

// Finds the pieces of a cell from its voxels and the links between them.
void dv_cell_find_pieces(dvNearCell *cell);
// The same for one that stays whole.
void dv_cell_keep_whole(dvNearCell *cell);

// A piece of a cell at one of its corners.
typedef struct dvCellPart {
  int32_t hexahedron;
  dvNearCell *near;
  const dvCellFill *before, *now;   // what the cell is like before and after the blade
  int piece, corner;
  int group, was;   // of pieces that hang together, and before the blade came
} dvCellPart;

// Whether pieces of two cells hang together over a face at the corner of the first: by a link of material, or, where
// one of them has none there, by one of what goes with it. Before the blade came a cell was one piece.
bool dv_parts_hang_together(const dvTopology *t, const dvCellPart *a, const dvCellPart *b, bool before);

#endif

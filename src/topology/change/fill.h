// How far hexahedra are filled with material, once a blade has crossed them.
//
// A cell that a blade has crossed has a finer grid of 4 x 4 x 4 voxels in its own coordinates. It knows which of them
// belong to it (the cell at the same place on the other side of a cut has the others), and which links between
// neighbouring voxels, inside of the cell and to those of the cells around, have been cut. Forces and masses of
// hexahedra multiply what they compute from the shape by the filled share. Stiffness and mass of an element go down
// together, so that its frequencies stay: whatever time step was stable before a cut is so after it.
#ifndef DV_TOPOLOGY_CHANGE_FILL_H
#define DV_TOPOLOGY_CHANGE_FILL_H

#include "topology/topology.h"

// Voxel i + 4 j + 16 k lies at ((i + 1/2) / 4, (j + 1/2) / 4, (k + 1/2) / 4) of the cell, in the coordinates along its
// edges from corner 0 to 1, 3 and 4. A bit for each of them.
typedef struct dvCellFill {
  uint64_t voxels;   // that belong to the cell, one at least
  uint64_t cut[6];   // links that have been cut: towards -x, +x, -y, +y, -z, +z
  double share;      // of the cell's volume that is filled with its material
} dvCellFill;

// The cell that no blade has met.
static const dvCellFill dv_cell_full = {.voxels = UINT64_MAX, .share = 1};

// What is known of a hexahedron.
const dvCellFill *dv_topology_fill_of(const dvTopology *t, size_t hexahedron);
// The share of an element that is filled: 1 for all but hexahedra that were cut.
double dv_topology_filled(const dvTopology *t, dvElementKind kind, size_t element);
// Whether some were cut.
bool dv_topology_has_fills(const dvTopology *t);

// Tells it of some hexahedra. New elements have what their ancestor has until they are told otherwise. Part of a batch
// of changes: shares are only changed of elements that are new in it.
dvStatus dv_topology_fill(dvTopology *t, const int32_t *hexahedra, const dvCellFill *fills, size_t count);

// --- for change.c ---

struct dvFills;
// Where a topology keeps what is known; NULL while it has never been changed.
struct dvFills **dv_topology_fills(const dvTopology *t);
// For a reset, and at the end: all are full again.
void dv_fills_free(struct dvFills **fills);

#endif

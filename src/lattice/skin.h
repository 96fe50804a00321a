// The outside of a lattice on a grid, as faces.
#ifndef DV_LATTICE_SKIN_H
#define DV_LATTICE_SKIN_H

#include "lattice/lattice.h"
#include "object/values.h"

enum { DV_SKIN_REGIONS = 256 };

typedef struct dvLatticeSkin {
  dvInts points;      // that lie on it
  dvInts triangles;   // three places in `points` each, region by region, seen from outside against the clock
  size_t counts[DV_SKIN_REGIONS];   // numbers in `triangles` of each region
} dvLatticeSkin;

// Squares that belong to one cube only; a cube is there while its long diagonal is. `region_of` tells the region of a
// class of springs. False when memory is short; nothing for a lattice that is not on a grid.
bool dv_lattice_skin(const dvLattice *l, const uint8_t region_of[256], dvLatticeSkin *out);
void dv_lattice_skin_clear(dvLatticeSkin *skin);

#endif

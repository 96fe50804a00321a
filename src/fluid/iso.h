// The surface on which a sum over particles has a given value, as closed triangles.
//
//   F(p) = sum_i share_i W(|p - x_i|),   W = 315 / (64 pi R^3) (1 - r^2/R^2)^3 within R
//
// (or any field that is known on a lattice: dvIsoLattice) is evaluated on a lattice of a given step, in blocks of 8^3
// points near particles. Where an edge of the lattice crosses the surface is sought on the field itself, not on a line
// between its ends. In each cell the crossings of its edges are joined as topology/search/cell_patterns.h says, so
// that the surface is closed. Blocks are independent of each other: any thread may do any of them.
#ifndef DV_FLUID_ISO_H
#define DV_FLUID_ISO_H

#include "base/array.h"
#include "base/pool.h"

enum { DV_ISO_BLOCK = 8, DV_ISO_LATTICE = DV_ISO_BLOCK + 1, DV_ISO_MOST = 50000 /* blocks */ };

typedef struct dvIsoBlock {
  int32_t at[3];               // its first lattice point, in blocks
  int32_t first, count;        // particles that reach into it, in `reach`
  int32_t points, triangles;   // of its own
  int32_t old_point;           // where its points were the time before, when it is taken over
  uint64_t mark;               // of what it was made of
  bool taken;                  // over from the time before
  int32_t first_point, first_triangle;
  double value[DV_ISO_LATTICE * DV_ISO_LATTICE * DV_ISO_LATTICE];
  int16_t point[DV_ISO_BLOCK * DV_ISO_BLOCK * DV_ISO_BLOCK][3];   // on the edge from a lattice point along x, y, z; -1
} dvIsoBlock;

typedef struct dvIso {
  uint8_t edges[256][31];     // of each pattern of inside corners: how many, then three for each triangle
  DV_ARRAY(uint64_t) pairs;   // block and particle
  DV_ARRAY(uint64_t) scratch;
  DV_ARRAY(uint64_t) keys;   // of the blocks, ascending
  DV_ARRAY(dvIsoBlock) blocks;
  // those of the time before: what was made of the same is taken over
  DV_ARRAY(uint64_t) old_keys;
  DV_ARRAY(dvIsoBlock) old_blocks;
  DV_ARRAY(double) old_points;
  DV_ARRAY(int32_t) near;      // for each block room for three lists of its particles: near a layer, a row, an edge
  DV_ARRAY(uint8_t) crossed;   // of the blocks that a lattice covers: the surface passes
  size_t changed;              // blocks that were evaluated, of `blocks.count`
  DV_ARRAY(double) points;
  DV_ARRAY(int32_t) triangles;
} dvIso;

typedef struct dvIsoField {
  const double *x, *share;
  size_t count;
  double radius, step, value;   // value: of the surface, above 0
  bool soft;   // W = 1 - (22 s - 17 s^2 + 4 s^3)/9, s = r^2/R^2, instead (soft objects: Wyvill et al. 1986)
} dvIsoField;

// A field on the lattice origin + step (i, j, k), from low to high. Beyond these points it counts as outside, so that
// the surface is closed where fields end inside.
typedef struct dvIsoLattice {
  double origin[3], step, value;   // inside is where the field is larger than value
  int32_t low[3], high[3];
  double (*at)(const void *user, const int32_t point[3]);   // any thread may ask
  double (*between)(const void *user,
                    const double place[3]);   // anywhere: points are then moved onto the surface; or NULL
  const void *user;
} dvIsoLattice;

void dv_iso_init(dvIso *s);
void dv_iso_free(dvIso *s);
// Makes points and triangles. False when memory is short or the surface needs more than DV_ISO_MOST blocks.
DV_CHECK_RESULT bool dv_iso_make(dvIso *s, dvPool *pool, const dvIsoField *f);
DV_CHECK_RESULT bool dv_iso_lattice(dvIso *s, dvPool *pool, const dvIsoLattice *f);

#endif

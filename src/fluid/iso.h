// The surface on which a sum over particles has a given value, as closed triangles.
//
//   F(p) = sum_i share_i W(|p - x_i|),   W = 315 / (64 pi R^3) (1 - r^2/R^2)^3 within R
//
// is evaluated on a lattice of a given step, in blocks of 8^3 points near particles. In each cell the crossings of its
// edges are joined face by face: where a face has two inside corners across from each other they are kept apart. Two
// cells see a common face in the same way, so the surface is closed, each edge belongs to two triangles, and the
// normals point out. Blocks are independent of each other: any thread may do any of them.
#ifndef DV_FLUID_ISO_H
#define DV_FLUID_ISO_H

#include "base/array.h"
#include "base/pool.h"

enum { DV_ISO_BLOCK = 8, DV_ISO_LATTICE = DV_ISO_BLOCK + 1, DV_ISO_MOST = 50000 /* blocks */ };

typedef struct dvIsoBlock {
  int32_t at[3];               // its first lattice point, in blocks
  int32_t first, count;        // particles that reach into it, in `reach`
  int32_t points, triangles;   // of its own
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
  DV_ARRAY(double) points;
  DV_ARRAY(int32_t) triangles;
} dvIso;

typedef struct dvIsoField {
  const double *x, *share;
  size_t count;
  double radius, step, value;   // value: of the surface, above 0
} dvIsoField;

void dv_iso_init(dvIso *s);
void dv_iso_free(dvIso *s);
// Makes points and triangles. False when memory is short or the surface needs more than DV_ISO_MOST blocks.
DV_CHECK_RESULT bool dv_iso_make(dvIso *s, dvPool *pool, const dvIsoField *f);

#endif

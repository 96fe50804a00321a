// Who is near whom: all points within a distance of each point.
//
// Space is cut into cubic cells, at least as wide as the distance. Points are put in the order of their cells (by z,
// then y, then x; points of one cell by number): the place of a point in it is its rank. Neighbours of a rank are other
// ranks, cut into chunks of points with a list each, so that any thread may fill any chunk. Results do not depend on
// the number of threads, and points that have flown away or are not finite cost nothing.
#ifndef DV_FLUID_NEAR_H
#define DV_FLUID_NEAR_H

#include "base/array.h"
#include "base/pool.h"

enum {
  DV_NEAR_CHUNK = 128,   // points
  DV_NEAR_MOST = 4000,   // neighbours of a point: with more, the distance is not what its user can have meant
};

typedef struct dvNearChunk {
  uint32_t start[DV_NEAR_CHUNK + 1];   // of the neighbours of each of its points
  DV_ARRAY(int32_t) list;              // ranks
  bool crowded;                        // a point has more neighbours than DV_NEAR_MOST: some are not listed
} dvNearChunk;

typedef struct dvNear {
  size_t count;              // points
  DV_ARRAY(int32_t) point;   // of each rank
  DV_ARRAY(double) x;        // positions by rank
  DV_ARRAY(uint64_t) keys;   // of the cells of the ranks, and room to sort them
  DV_ARRAY(int32_t) scratch;
  DV_ARRAY(uint64_t) cell;   // keys of cells that are not empty, ascending
  DV_ARRAY(int32_t) first;   // their first ranks, and the number of points behind the last
  DV_ARRAY(dvNearChunk) chunks;
  double reach;
} dvNear;

// `x` has three numbers a point. `width` of the cells and `reach` are above 0; cells narrower than `reach` are widened.
// The pool may be NULL. False when memory is short.
DV_CHECK_RESULT bool dv_near_find(dvNear *n, dvPool *pool, const double *x, size_t count, double width, double reach);
void dv_near_free(dvNear *n);
// Some point has more neighbours than are listed.
bool dv_near_crowded(const dvNear *n);

static inline size_t dv_near_chunks(const dvNear *n) { return (n->count + DV_NEAR_CHUNK - 1) / DV_NEAR_CHUNK; }

// The neighbours of a rank: how many, and the list.
static inline size_t dv_near_of(const dvNear *n, size_t rank, const int32_t **list)
{
  const dvNearChunk *c = &n->chunks.data[rank / DV_NEAR_CHUNK];
  size_t i = rank % DV_NEAR_CHUNK;
  *list = c->list.data + c->start[i];
  return c->start[i + 1] - c->start[i];
}

#endif

// Scratch memory that is taken and given back in the order of a stack.
//
//   dvArena *a = dv_scratch(pool);          // of the thread that asks (base/pool.h)
//   dvMark mark = dv_arena_mark(a);
//   double *sums = dv_arena_take(a, n * sizeof *sums);
//   ...
//   dv_arena_release(a, mark);
//
// An arena grows where it must; once everything has been given back it is one block that is large enough, and from then
// on nothing is allocated.
#ifndef DV_BASE_ARENA_H
#define DV_BASE_ARENA_H

#include "base/array.h"

DV_PUBLIC_BEGIN

typedef struct dvArenaBlock {
  char *data;
  size_t size, used;
} dvArenaBlock;

typedef struct dvArena {
  DV_ARRAY(dvArenaBlock) blocks;   // the last one is in use
} dvArena;

typedef struct dvMark {
  size_t blocks, used;
} dvMark;

dvMark dv_arena_mark(const dvArena *a);
// 64-byte aligned, with anything in it; never NULL (see dv_alloc). Valid until a mark before it is released.
void *dv_arena_take(dvArena *a, size_t bytes);
void dv_arena_release(dvArena *a, dvMark mark);
void dv_arena_free(dvArena *a);

DV_PUBLIC_END

#endif

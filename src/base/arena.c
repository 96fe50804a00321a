// See arena.h.
#include "base/arena.h"

enum { LINE = 64, FIRST = 1 << 16 };

static void add_block(dvArena *a, size_t bytes)
{
  char *data;
  DV_MUST((data = dv_alloc_unset(bytes)));
  dv_push(&a->blocks, ((dvArenaBlock){.data = data, .size = bytes}));
}

dvMark dv_arena_mark(const dvArena *a)
{
  return (dvMark){a->blocks.count, a->blocks.count ? a->blocks.data[a->blocks.count - 1].used : 0};
}

void *dv_arena_take(dvArena *a, size_t bytes)
{
  if (bytes > PTRDIFF_MAX / 2) dv_out_of_memory(bytes);
  size_t rounded = (dv_max_size(bytes, 1) + LINE - 1) & ~(size_t)(LINE - 1);
  dvArenaBlock *b = a->blocks.count ? &a->blocks.data[a->blocks.count - 1] : NULL;
  if (!b || b->size - b->used < rounded) {
    add_block(a, dv_max_size(rounded, b ? 2 * b->size : FIRST));
    b = &a->blocks.data[a->blocks.count - 1];
  }
  b->used += rounded;
  return b->data + b->used - rounded;
}

// all blocks but one have served: one that holds as much as they do takes their place
static void merge(dvArena *a)
{
  size_t total = 0;
  for (size_t i = 0; i < a->blocks.count; i++) {
    total += a->blocks.data[i].size;
    dv_free(a->blocks.data[i].data);
  }
  a->blocks.count = 0;
  add_block(a, total);
}

void dv_arena_release(dvArena *a, dvMark mark)
{
  DV_ASSERT(mark.blocks <= a->blocks.count);
#ifdef DV_CHECKING
  for (size_t i = dv_max_size(mark.blocks, 1) - 1; i < a->blocks.count; i++) {   // nobody may read what was given back
    size_t from = i + 1 == mark.blocks ? mark.used : 0;
    if (a->blocks.data[i].used > from) memset(a->blocks.data[i].data + from, 0xff, a->blocks.data[i].used - from);
  }
#endif
  for (size_t i = mark.blocks; i < a->blocks.count; i++) a->blocks.data[i].used = 0;
  if (mark.blocks > 0) a->blocks.data[mark.blocks - 1].used = mark.used;
  // a block that was too small for what came after the mark stays behind until all is given back
  bool empty = mark.blocks == 0 || (mark.blocks == 1 && mark.used == 0);
  if (empty && a->blocks.count > 1) merge(a);
}

void dv_arena_free(dvArena *a)
{
  for (size_t i = 0; i < a->blocks.count; i++) dv_free(a->blocks.data[i].data);
  dv_array_free(&a->blocks);
}

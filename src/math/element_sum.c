// See element_sum.h.
#include "math/element_sum.h"

#include "base/sort.h"
#include "math/pattern.h"

#include <string.h>

enum {
  BORDER_GRAIN = 512,   // entries a thread takes at a time
  PAIR_NS = 5,          // about what a pair of corners takes
  FOURS = DV_SUM_STRIDE / 4,
  LINE = 8,   // doubles of a line of the cache
  NONE = -1,
  SEVERAL = -2   // owner of an entry
};

// --- creation ---

// corners by rising point: a pair then always has its smaller point first, and no sum is needed for the other half.
// False when two are the same: both blocks of such a pair would fall on one entry.
static bool sort_corners(const int32_t *corner, size_t nodes, uint8_t *order)
{
  for (size_t i = 0; i < nodes; i++) {
    size_t k = i;
    for (; k > 0 && corner[order[k - 1]] > corner[i]; k--) order[k] = order[k - 1];
    order[k] = (uint8_t)i;
  }
  for (size_t i = 1; i < nodes; i++)
    if (corner[order[i]] == corner[order[i - 1]]) return false;
  return true;
}

static bool list_pairs(dvElementSum *s, const int32_t *corner, size_t lanes, uint64_t *pair)
{
  for (size_t lane = 0; lane < lanes; lane++, corner += s->nodes) {
    uint8_t *order = s->order + s->nodes * lane;
    bool empty = corner[0] < 0;
    for (size_t i = 0; i < s->nodes; i++) order[i] = (uint8_t)i;
    if (!empty && !sort_corners(corner, s->nodes, order)) return false;
    for (size_t i = 0; i < s->nodes; i++)
      for (size_t j = i; j < s->nodes; j++)
        *pair++ = empty ? DV_PAIR_NONE : dv_pair((size_t)corner[order[i]], (size_t)corner[order[j]]);
  }
  return true;
}

// Entries get their numbers block by block and not by point: a block then writes what is its own as one run, and a
// buffer for the pairs of one block stays in the cache.
typedef struct Numbering {
  dvPattern pattern;
  int32_t *place;    // [lanes][pairs] distinct pair of each contribution
  int32_t *owner;    // [distinct] the block that has it, NONE, SEVERAL
  int32_t *number;   // [distinct] entry
  int32_t *seen;     // [distinct] block that met it last
  uint32_t *local;   // [distinct] its number there
  int32_t *found;    // the pairs of a block, and as much scratch
} Numbering;

static void find_owners(const dvElementSum *s, Numbering *n)
{
  for (size_t b = 0; b < s->count; b++)
    for (size_t i = s->pairs * s->blocks[b].first_lane; i < s->pairs * (s->blocks[b].first_lane + s->blocks[b].lanes);
         i++) {
      if (n->place[i] < 0) continue;
      int32_t *owner = &n->owner[n->place[i]];
      *owner = *owner == NONE || *owner == (int32_t)b ? (int32_t)b : SEVERAL;
    }
}

// gives the pairs of a block their numbers: the inner ones, then the border ones, each by their points, as they stand
// in the matrix. False when there are too many.
static bool number_block(dvElementSum *s, Numbering *n, size_t b, uint32_t *borders)
{
  dvElementSumBlock *block = &s->blocks[b];
  size_t begin = s->pairs * block->first_lane, end = s->pairs * (block->first_lane + block->lanes), found = 0;
  block->first = (uint32_t)s->inner;
  for (size_t i = begin; i < end; i++) {
    int32_t p = n->place[i];
    if (p < 0 || n->seen[p] == (int32_t)b) continue;
    n->seen[p] = (int32_t)b;
    n->found[found++] = p;
  }
  dv_sort_i32(n->found, n->found + s->entries, found);
  for (int pass = 0; pass < 2; pass++)
    for (size_t i = 0; i < found; i++) {
      int32_t p = n->found[i];
      if ((n->owner[p] == SEVERAL) != (pass == 1)) continue;
      n->local[p] = block->inner + block->border;
      if (pass == 0) n->number[p] = (int32_t)(block->first + block->inner++);
      else block->border++;
    }
  uint32_t dummy = block->inner + block->border;   // lanes without an element add there: kernels need no branch
  if (FOURS * dummy > UINT16_MAX) return false;
  for (size_t i = begin; i < end; i++)
    s->entry[i] = (uint16_t)(FOURS * (n->place[i] < 0 ? dummy : n->local[n->place[i]]));
  block->first_border = *borders;
  *borders += block->border;
  s->inner += block->inner;
  s->room = dv_max_size(s->room, DV_SUM_STRIDE * ((size_t)dummy + 1));
  return true;
}

// shared entries come behind all inner ones, by their points
static void number_borders(dvElementSum *s, Numbering *n)
{
  size_t next = s->inner;
  for (size_t p = 0; p < s->entries; p++)
    if (n->owner[p] == SEVERAL) n->number[p] = (int32_t)next++;
  for (size_t row = 0; row < s->points; row++)
    for (int32_t p = n->pattern.row_start[row]; p < n->pattern.row_start[row + 1]; p++) {
      s->point[2 * (size_t)n->number[p]] = (int32_t)row;
      s->point[2 * (size_t)n->number[p] + 1] = n->pattern.col[p];
    }
  s->stamp = 0xcbf29ce484222325u;   // FNV-1a of the pairs: an assembly that knows it need not compare them
  for (size_t i = 0; i < 2 * s->entries; i++) s->stamp = (s->stamp ^ (uint64_t)(uint32_t)s->point[i]) * 0x100000001b3u;
}

// Where the parts of each border entry are kept, in the order of the blocks: a sum in this order has the same bits
// whoever did the blocks. Count, then enter, as for compressed rows.
static void list_slots(dvElementSum *s, Numbering *n)
{
  for (int pass = 0; pass < 2; pass++) {
    for (size_t b = 0; b < s->count; b++) {
      const dvElementSumBlock *block = &s->blocks[b];
      for (size_t i = s->pairs * block->first_lane; i < s->pairs * (block->first_lane + block->lanes); i++) {
        int32_t p = n->place[i];
        int32_t mark = (int32_t)b - (int32_t)s->count * (2 - pass) - 1;   // other than all marks before
        if (p < 0 || n->owner[p] != SEVERAL || n->seen[p] == mark) continue;
        n->seen[p] = mark;
        size_t e = (size_t)n->number[p] - s->inner;
        if (pass == 0) s->start[e + 1]++;
        else s->slot[s->start[e]++] = block->first_border + (s->entry[i] / FOURS - block->inner);
      }
    }
    size_t borders = s->entries - s->inner;
    if (pass == 0) {
      for (size_t e = 0; e < borders; e++) s->start[e + 1] += s->start[e];
    } else {   // every start has moved to the end of its list: move them back by one
      for (size_t e = borders; e > 0; e--) s->start[e] = s->start[e - 1];
      s->start[0] = 0;
    }
  }
}

static bool number(dvElementSum *s, Numbering *n)
{
  s->entries = dv_pattern_count(&n->pattern);
  n->owner = dv_try_alloc((s->entries + 1) * sizeof *n->owner);
  n->number = dv_try_alloc((s->entries + 1) * sizeof *n->number);
  n->seen = dv_try_alloc((s->entries + 1) * sizeof *n->seen);
  n->local = dv_try_alloc((s->entries + 1) * sizeof *n->local);
  n->found = dv_try_alloc((2 * s->entries + 1) * sizeof *n->found);
  s->point = dv_try_alloc((2 * s->entries + 1) * sizeof *s->point);
  if (!n->owner || !n->number || !n->seen || !n->local || !n->found || !s->point) return false;
  for (size_t p = 0; p < s->entries; p++) n->owner[p] = n->seen[p] = NONE;
  find_owners(s, n);
  uint32_t borders = 0;
  for (size_t b = 0; b < s->count; b++)
    if (!number_block(s, n, b, &borders)) return false;
  number_borders(s, n);
  s->start = dv_try_alloc((s->entries - s->inner + 2) * sizeof *s->start);
  s->slot = dv_try_alloc(((size_t)borders + 1) * sizeof *s->slot);
  s->kept = dv_alloc_aligned((DV_SUM_STRIDE * (size_t)borders + 4) * sizeof *s->kept);
  if (!s->start || !s->slot || !s->kept) return false;
  list_slots(s, n);
  return true;
}

bool dv_element_sum_create(const int32_t *corner, size_t nodes, size_t points, const uint32_t *first_lane, size_t count,
                           dvElementSum **out)
{
  *out = NULL;
  size_t lanes = first_lane[count];
  if (nodes == 0 || nodes > DV_SUM_NODES || lanes > INT32_MAX / 64 || count > INT32_MAX / 4) return false;
  dvElementSum *s = dv_try_alloc(sizeof *s);
  if (!s) return false;
  *s = (dvElementSum){.nodes = nodes, .pairs = nodes * (nodes + 1) / 2, .points = points, .count = count};
  Numbering n = {0};
  size_t all = lanes * s->pairs;
  uint64_t *pair = dv_try_alloc((all + 1) * sizeof *pair);
  s->blocks = dv_try_alloc((count + 1) * sizeof *s->blocks);
  s->entry = dv_try_alloc((all + 1) * sizeof *s->entry);
  s->order = dv_try_alloc(lanes * nodes + 1);
  n.place = dv_try_alloc((all + 1) * sizeof *n.place);
  bool good = pair && s->blocks && s->entry && s->order && n.place;
  for (size_t b = 0; good && b < count; b++)
    s->blocks[b] = (dvElementSumBlock){.first_lane = first_lane[b], .lanes = first_lane[b + 1] - first_lane[b]};
  good = good && list_pairs(s, corner, lanes, pair) &&
         dv_pattern_build(&n.pattern, points, points, pair, all, n.place) && number(s, &n);
  dv_free(pair);
  dv_free(n.place);
  dv_free(n.owner);
  dv_free(n.number);
  dv_free(n.seen);
  dv_free(n.local);
  dv_free(n.found);
  dv_pattern_free(&n.pattern);
  if (!good) dv_element_sum_destroy(&s);
  *out = s;
  return good;
}

void dv_element_sum_destroy(dvElementSum **sum)
{
  dvElementSum *s = *sum;
  if (!s) return;
  dv_free(s->blocks);
  dv_free(s->point);
  dv_free(s->entry);
  dv_free(s->order);
  dv_free(s->start);
  dv_free(s->slot);
  dv_free(s->kept);
  dv_free(s->memory);
  dv_free(s->busy);
  dv_free(s->total);
  dv_free(s);
  *sum = NULL;
}

// --- running ---

typedef struct Run {
  dvElementSum *s;
  const dvElementSumKernels *kernels;
  dvElementFill fill;
  const void *user;
  double *values;
  const int32_t *places;
} Run;

// Rows of sums may not cross lines of the cache, so buffers start at one.
static void make_buffers(dvElementSum *s, int threads)
{
  if (s->buffers >= threads) return;
  dv_free(s->memory);
  dv_free(s->busy);
  s->room = (s->room + LINE - 1) / LINE * LINE;
  s->memory = dv_alloc((s->room * (size_t)threads + LINE) * sizeof *s->memory);
  s->busy = dv_alloc((size_t)threads * sizeof *s->busy);
  s->buffer = s->memory + (LINE - (uintptr_t)s->memory / sizeof *s->memory % LINE) % LINE;
  s->buffers = threads;
  for (int i = 0; i < threads; i++) atomic_init(&s->busy[i], false);
}

// There is a buffer for every thread: one is free. Which one does not matter, all hold zeros.
static int take_buffer(dvElementSum *s)
{
  for (int i = 0;; i = (i + 1) % s->buffers)
    if (!atomic_exchange(&s->busy[i], true)) return i;
}

static void run_blocks(void *user, size_t begin, size_t end)
{
  const Run *r = user;
  dvElementSum *s = r->s;
  int buffer = take_buffer(s);
  double *local = s->buffer + s->room * (size_t)buffer;
  for (size_t b = begin; b < end; b++) {
    r->fill(r->user, s, b, local);
    r->kernels->inner(s, b, local, r->values, r->places);
    memset(local + DV_SUM_STRIDE * ((size_t)s->blocks[b].inner + s->blocks[b].border), 0,
           DV_SUM_STRIDE * sizeof *local);   // of no element
  }
  atomic_store(&s->busy[buffer], false);
}

static void run_border(void *user, size_t begin, size_t end)
{
  const Run *r = user;
  r->kernels->border(r->s, begin, end, r->values, r->places);
}

void dv_element_sum_run(dvElementSum *sum, dvPool *pool, dvElementFill fill, const void *user, double *values,
                        const int32_t *places)
{
  size_t lanes = sum->count ? sum->blocks[sum->count - 1].first_lane + sum->blocks[sum->count - 1].lanes : 0;
  pool = dv_pool_for(pool, PAIR_NS * (double)(lanes * sum->pairs));
  make_buffers(sum, dv_pool_threads(pool));
  Run run = {sum, DV_KERNEL_CHOOSE(dv_element_sum_kernels), fill, user, values, places};
  dv_parallel_for(pool, sum->count, 1, run_blocks, &run);
  dv_parallel_for(pool, sum->entries - sum->inner, BORDER_GRAIN, run_border, &run);
}

const double *dv_element_sum_total(dvElementSum *sum, dvPool *pool, dvElementFill fill, const void *user)
{
  if (!sum->total) sum->total = dv_alloc((9 * sum->entries + 1) * sizeof *sum->total);
  dv_element_sum_run(sum, pool, fill, user, sum->total, NULL);
  return sum->total;
}

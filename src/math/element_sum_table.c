// The table behind sums of element matrices (element_sum.h): which pairs of points each block has, which of them it
// shares, and where every pair of corners goes.
//
//   1. pairs of each block by their points: looked for, or those of before where its elements are the same
//   2. pairs that several blocks have: both points must stand in several blocks, so that few pairs are compared
//   3. numbers: the inner pairs of a block come before those it shares
#include "math/element_sum.h"

#include "base/sort.h"
#include "base/text.h"
#include "math/pattern.h"

#include <string.h>

enum { FOURS = DV_SUM_STRIDE / 4, EMPTY = UINT16_MAX };   // rank in a lane without an element

typedef struct Table {
  dvElementSum *s;
  const dvElementSum *before;
  uint64_t *pair;      // of a block, in the order in which they are met, and as much scratch
  uint32_t *slot;      // a hash table of them, open addressing: number + 1
  size_t slots;        // a power of two
  uint16_t *rank_of;   // of each of them, then the number of each by rank
  int32_t *shared;     // of each pair of each block: number among the shared ones, -1
  size_t borders;      // shared pairs
} Table;

// --- pairs of a block ---

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

static uint32_t *slot_of(const Table *t, uint64_t pair)
{
  size_t at = (size_t)(pair * 0x9e3779b97f4a7c15u >> 32) & (t->slots - 1);
  while (t->slot[at] && t->pair[t->slot[at] - 1] != pair) at = (at + 1) & (t->slots - 1);
  return &t->slot[at];
}

// the ranks get the order in which pairs are met at first; their number, SIZE_MAX when there are too many or an element
// names a point twice
static size_t meet_pairs(Table *t, const dvElementSumBlock *block)
{
  dvElementSum *s = t->s;
  size_t found = 0;
  for (size_t lane = block->first_lane; lane < block->first_lane + block->lanes; lane++) {
    const int32_t *corner = s->corner + s->nodes * lane;
    uint8_t *order = s->order + s->nodes * lane;
    uint16_t *rank = s->rank + s->pairs * lane;
    for (size_t i = 0; i < s->nodes; i++) order[i] = (uint8_t)i;
    if (corner[0] >= 0 && !sort_corners(corner, s->nodes, order)) return SIZE_MAX;
    for (size_t i = 0; i < s->nodes; i++)
      for (size_t j = i; j < s->nodes; j++, rank++) {
        *rank = EMPTY;
        if (corner[0] < 0) continue;
        uint64_t pair = dv_pair((size_t)corner[order[i]], (size_t)corner[order[j]]);
        uint32_t *slot = slot_of(t, pair);
        if (!*slot) t->pair[found] = pair, *slot = (uint32_t)++found;
        if (FOURS * found > UINT16_MAX) return SIZE_MAX;
        *rank = (uint16_t)(*slot - 1);
      }
  }
  return found;
}

static bool find_pairs(Table *t, size_t b)
{
  dvElementSum *s = t->s;
  const dvElementSumBlock *block = &s->blocks[b];
  uint64_t *own = s->own + s->own_start[b];
  memset(t->slot, 0, t->slots * sizeof *t->slot);
  size_t found = meet_pairs(t, block);
  if (found == SIZE_MAX) return false;
  if (found) memcpy(own, t->pair, found * sizeof *own);
  dv_sort_u64(own, t->pair + found, found);
  for (size_t r = 0; r < found; r++) t->rank_of[*slot_of(t, own[r]) - 1] = (uint16_t)r;
  uint16_t *rank = s->rank + s->pairs * block->first_lane;
  for (size_t i = 0; i < s->pairs * block->lanes; i++)
    if (rank[i] != EMPTY) rank[i] = t->rank_of[rank[i]];
  s->own_start[b + 1] = s->own_start[b] + (uint32_t)found;
  return true;
}

static bool is_as_before(const Table *t, size_t b)
{
  const dvElementSum *s = t->s, *w = t->before;
  if (!w || b >= w->count || w->nodes != s->nodes || w->blocks[b].first_lane != s->blocks[b].first_lane ||
      w->blocks[b].lanes != s->blocks[b].lanes)
    return false;
  size_t first = s->nodes * s->blocks[b].first_lane, count = s->nodes * s->blocks[b].lanes;
  return memcmp(s->corner + first, w->corner + first, count * sizeof *s->corner) == 0;
}

static void copy_pairs(Table *t, size_t b)
{
  dvElementSum *s = t->s;
  const dvElementSum *w = t->before;
  size_t first = s->blocks[b].first_lane, lanes = s->blocks[b].lanes, count = w->own_start[b + 1] - w->own_start[b];
  memcpy(s->order + s->nodes * first, w->order + s->nodes * first, s->nodes * lanes);
  memcpy(s->rank + s->pairs * first, w->rank + s->pairs * first, s->pairs * lanes * sizeof *s->rank);
  if (count) memcpy(s->own + s->own_start[b], w->own + w->own_start[b], count * sizeof *s->own);
  s->own_start[b + 1] = s->own_start[b] + (uint32_t)count;
  s->copied++;
}

// --- pairs that blocks share ---

// A block that has a point has it paired with itself.
static void count_blocks(const dvElementSum *s, uint32_t *blocks)
{
  for (size_t i = 0; i < s->own_start[s->count]; i++)
    if (dv_pair_row(s->own[i]) == dv_pair_col(s->own[i])) blocks[dv_pair_row(s->own[i])]++;
}

// `shared` gets the pairs that may be shared first, then the numbers of those that are, by their points
static bool find_shared(Table *t)
{
  dvElementSum *s = t->s;
  size_t all = s->own_start[s->count];
  uint64_t *pair = dv_try_alloc((all + 1) * sizeof *pair);
  int32_t *place = dv_try_alloc((all + 1) * sizeof *place);
  uint32_t *blocks = dv_try_alloc((s->points + 1) * sizeof *blocks);
  uint32_t *uses = NULL;
  dvPattern pattern = {0};
  t->shared = dv_try_alloc((all + 1) * sizeof *t->shared);
  size_t count = 0;
  bool good = pair && place && blocks && t->shared;
  if (good) {
    count_blocks(s, blocks);
    for (size_t i = 0; i < all; i++) {
      bool may = blocks[dv_pair_row(s->own[i])] > 1 && blocks[dv_pair_col(s->own[i])] > 1;
      t->shared[i] = may ? (int32_t)count : -1;
      if (may) pair[count++] = s->own[i];
    }
    good = dv_pattern_build(&pattern, s->points, s->points, pair, count, place);
  }
  uses = good ? dv_try_alloc((dv_pattern_count(&pattern) + 1) * sizeof *uses) : NULL;
  good = good && uses;
  if (good) {
    for (size_t k = 0; k < count; k++) uses[place[k]]++;
    for (size_t p = 0; p < dv_pattern_count(&pattern); p++) uses[p] = uses[p] > 1 ? (uint32_t)++t->borders : 0;
    for (size_t i = 0; i < all; i++)
      if (t->shared[i] >= 0) t->shared[i] = (int32_t)uses[place[t->shared[i]]] - 1;
  }
  dv_free(pair);
  dv_free(place);
  dv_free(blocks);
  dv_free(uses);
  dv_pattern_free(&pattern);
  return good;
}

// --- numbers ---

// Entries get their numbers block by block and not by point: a block then writes what is its own as one run, and a
// buffer for the pairs of one block stays in the cache.
static void number_block(Table *t, size_t b, uint32_t *kept)
{
  dvElementSum *s = t->s;
  dvElementSumBlock *block = &s->blocks[b];
  const int32_t *shared = t->shared + s->own_start[b];
  const uint64_t *own = s->own + s->own_start[b];
  uint32_t count = s->own_start[b + 1] - s->own_start[b];
  block->first = (uint32_t)s->inner;
  for (uint32_t r = 0; r < count; r++) block->inner += shared[r] < 0;
  uint32_t inner = 0, border = 0;
  for (uint32_t r = 0; r < count; r++) {
    t->rank_of[r] = (uint16_t)(FOURS * (shared[r] < 0 ? inner++ : block->inner + border++));
    if (shared[r] >= 0) continue;
    int32_t *point = s->point + 2 * (s->inner + inner - 1);
    point[0] = (int32_t)dv_pair_row(own[r]);
    point[1] = (int32_t)dv_pair_col(own[r]);
  }
  block->border = border;
  block->first_border = *kept;
  const uint16_t *rank = s->rank + s->pairs * block->first_lane;
  uint16_t *entry = s->entry + s->pairs * block->first_lane, dummy = (uint16_t)(FOURS * count);
  for (size_t i = 0; i < s->pairs * block->lanes; i++)   // kernels need no branch for lanes without an element
    entry[i] = rank[i] == EMPTY ? dummy : t->rank_of[rank[i]];
  *kept += border;
  s->inner += inner;
  s->room = dv_max_size(s->room, DV_SUM_STRIDE * ((size_t)count + 1));
}

// Where the parts of each shared entry are kept, in the order of the blocks: a sum in this order has the same bits
// whoever did the blocks. Count, then enter, as for compressed rows.
static void list_slots(Table *t)
{
  dvElementSum *s = t->s;
  for (size_t i = 0; i < s->own_start[s->count]; i++)
    if (t->shared[i] >= 0) s->start[t->shared[i] + 2]++;
  for (size_t e = 2; e < t->borders + 2; e++) s->start[e] += s->start[e - 1];
  for (size_t b = 0; b < s->count; b++) {
    uint32_t kept = s->blocks[b].first_border;
    for (size_t i = s->own_start[b]; i < s->own_start[b + 1]; i++) {
      if (t->shared[i] < 0) continue;
      s->slot[s->start[t->shared[i] + 1]++] = kept++;
      int32_t *point = s->point + 2 * (s->inner + (size_t)t->shared[i]);
      point[0] = (int32_t)dv_pair_row(s->own[i]);
      point[1] = (int32_t)dv_pair_col(s->own[i]);
    }
  }
}

static bool number_pairs(Table *t)
{
  dvElementSum *s = t->s;
  size_t all = s->own_start[s->count], kept = 0;
  for (size_t i = 0; i < all; i++) kept += t->shared[i] >= 0;
  s->entries = all - kept + t->borders;
  s->point = dv_try_alloc((2 * s->entries + 1) * sizeof *s->point);
  s->start = dv_try_alloc((t->borders + 2) * sizeof *s->start);
  s->slot = dv_try_alloc((kept + 1) * sizeof *s->slot);
  s->kept = dv_alloc_aligned((DV_SUM_STRIDE * kept + 4) * sizeof *s->kept);
  if (!s->point || !s->start || !s->slot || !s->kept) return false;
  uint32_t next = 0;
  for (size_t b = 0; b < s->count; b++) number_block(t, b, &next);
  list_slots(t);
  s->stamp = dv_hash_numbers(s->point, 2 * s->entries, 0);   // an assembly that knows it need not compare pairs
  return true;
}

// --- creation ---

static bool make(Table *t, const int32_t *corner, const uint32_t *first_lane)
{
  dvElementSum *s = t->s;
  size_t lanes = first_lane[s->count], all = lanes * s->pairs, most = 0;
  s->blocks = dv_try_alloc((s->count + 1) * sizeof *s->blocks);
  s->entry = dv_try_alloc((all + 1) * sizeof *s->entry);
  s->order = dv_try_alloc(lanes * s->nodes + 1);
  s->corner = dv_try_alloc((lanes * s->nodes + 1) * sizeof *s->corner);
  s->own = dv_try_alloc((all + 1) * sizeof *s->own);
  s->own_start = dv_try_alloc((s->count + 1) * sizeof *s->own_start);
  s->rank = dv_try_alloc((all + 1) * sizeof *s->rank);
  if (!s->blocks || !s->entry || !s->order || !s->corner || !s->own || !s->own_start || !s->rank) return false;
  memcpy(s->corner, corner, lanes * s->nodes * sizeof *corner);
  for (size_t b = 0; b < s->count; b++) {
    s->blocks[b] = (dvElementSumBlock){.first_lane = first_lane[b], .lanes = first_lane[b + 1] - first_lane[b]};
    most = dv_max_size(most, s->pairs * s->blocks[b].lanes);
  }
  for (t->slots = 64; t->slots < 2 * most;) t->slots *= 2;
  t->slot = dv_try_alloc(t->slots * sizeof *t->slot);
  t->pair = dv_try_alloc((2 * most + 1) * sizeof *t->pair);
  t->rank_of = dv_try_alloc((most + 1) * sizeof *t->rank_of);
  if (!t->slot || !t->pair || !t->rank_of) return false;
  for (size_t b = 0; b < s->count; b++) {
    if (is_as_before(t, b)) copy_pairs(t, b);
    else if (!find_pairs(t, b)) return false;
  }
  size_t found = s->own_start[s->count];
  uint64_t *fits = dv_try_realloc(s->own, (all + 1) * sizeof *fits, (found + 1) * sizeof *fits);
  if (fits) s->own = fits;
  return find_shared(t) && number_pairs(t);
}

bool dv_element_sum_create(const int32_t *corner, size_t nodes, size_t points, const uint32_t *first_lane, size_t count,
                           const dvElementSum *before, dvElementSum **out)
{
  *out = NULL;
  size_t lanes = first_lane[count];
  if (nodes == 0 || nodes > DV_SUM_NODES || lanes > INT32_MAX / 64 || count > INT32_MAX / 4) return false;
  dvElementSum *s = dv_try_alloc(sizeof *s);
  if (!s) return false;
  *s = (dvElementSum){.nodes = nodes, .pairs = nodes * (nodes + 1) / 2, .points = points, .count = count};
  Table t = {.s = s, .before = before};
  bool good = make(&t, corner, first_lane);
  dv_free(t.pair);
  dv_free(t.slot);
  dv_free(t.rank_of);
  dv_free(t.shared);
  if (!good) dv_element_sum_destroy(&s);
  *out = s;
  return good;
}

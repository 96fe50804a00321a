// Cutting a mesh into blocks. Elements are sorted along a Hilbert curve through the cells of a
// 2^16 grid around the mesh (J. Skilling, Programming the Hilbert curve, AIP Conf. Proc. 707, 2004), so
// that the runs of the order are compact and a block has few points; then the order is cut wherever a
// block is full. Lane l of a block's packs takes the l-th quarter of the block: neighbours, which share points, rarely
// stand in the same pack, where their sums would have to wait for each other.
#include "element/blocks.h"

#include "math/element_sum.h"

#include <math.h>
#include <string.h>

enum {
  BITS = 16,
  GROUP = 4,            // blocks whose matrices are summed together
  REDUCE_GRAIN = 512,   // points a thread takes at a time
  REDUCE_NS = 5         // what a slot takes
};

typedef struct {
  uint64_t key;
  int32_t element;
} Order;

// By the key, digit by digit from the lowest; elements with the same key stay in their order. A mesh that changes is
// cut anew, so this is not only done once.
static void sort_order(Order *order, size_t count)
{
  enum { DIGIT = 11, BINS = 1 << DIGIT };
  Order *other = dv_alloc((count + 1) * sizeof *other), *from = order, *to = other;
  uint64_t all = 0;   // bits in which keys differ
  for (size_t i = 1; i < count; i++) all |= order[i].key ^ order[0].key;
  for (int shift = 0; shift < 64 && all >> shift; shift += DIGIT) {
    uint32_t first[BINS + 1] = {0};
    for (size_t i = 0; i < count; i++) first[(from[i].key >> shift) % BINS + 1]++;
    for (size_t b = 0; b < BINS; b++) first[b + 1] += first[b];
    for (size_t i = 0; i < count; i++) to[first[(from[i].key >> shift) % BINS]++] = from[i];
    Order *swap = from;
    from = to, to = swap;
  }
  if (from != order) memcpy(order, from, count * sizeof *order);
  dv_free(other);
}

// bits 0, 1, 2 … of a number of 16 bits at places 0, 3, 6 …
static uint64_t spread(uint64_t x)
{
  x = (x | x << 16) & 0x0000ff0000ffu;
  x = (x | x << 8) & 0x00f00f00f00fu;
  x = (x | x << 4) & 0x0c30c30c30c3u;
  return (x | x << 2) & 0x249249249249u;
}

enum { LANES = 8 };   // cells whose indices are found side by side

// Indices of cells along the Hilbert curve: undo the rotations and reflections of every level, from the coarsest on,
// then decode the Gray code and interleave the bits. Without branches, which nobody could guess.
static void hilbert_indices(uint32_t c[3][LANES], uint64_t out[LANES])
{
  uint32_t t[LANES] = {0};
  for (uint32_t q = 1u << (BITS - 1); q > 1; q >>= 1) {
    uint32_t low = q - 1;
    for (int i = 0; i < 3; i++)
      for (int k = 0; k < LANES; k++) {
        uint32_t reflect = (c[i][k] & q) ? UINT32_MAX : 0, swap = (c[0][k] ^ c[i][k]) & low & ~reflect;
        c[0][k] ^= swap | (low & reflect);
        c[i][k] ^= swap;
      }
  }
  for (int k = 0; k < LANES; k++) c[1][k] ^= c[0][k];
  for (int k = 0; k < LANES; k++) c[2][k] ^= c[1][k];
  for (uint32_t q = 1u << (BITS - 1); q > 1; q >>= 1)
    for (int k = 0; k < LANES; k++) t[k] ^= (c[2][k] & q) ? q - 1 : 0;
  for (int k = 0; k < LANES; k++)
    out[k] = spread(c[0][k] ^ t[k]) << 2 | spread(c[1][k] ^ t[k]) << 1 | spread(c[2][k] ^ t[k]);
}

// lowest corner and largest extent of the finite points
static double bounds(const double *x, size_t points, double low[3])
{
  double high[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}, extent = 0;
  for (int c = 0; c < 3; c++) low[c] = HUGE_VAL;
  for (size_t i = 0; i < 3 * points; i++) {
    if (!isfinite(x[i])) continue;
    low[i % 3] = fmin(low[i % 3], x[i]);
    high[i % 3] = fmax(high[i % 3], x[i]);
  }
  for (int c = 0; c < 3; c++) extent = fmax(extent, high[c] - low[c]);
  return extent;
}

// the middle of an element, from the lowest corner of all
static void find_centre(const dvElementBlocks *m, const int32_t *node, const double *x, const double low[3],
                        double centre[3])
{
  double share = 1 / (double)m->nodes;
  bool exact = (m->nodes & (m->nodes - 1)) == 0;   // then a product has the bits of the quotient
  for (int c = 0; c < 3; c++) centre[c] = 0;
  for (size_t i = 0; i < m->nodes; i++)
    for (int c = 0; c < 3; c++) {
      double way = x[3 * (size_t)node[i] + (size_t)c] - low[c];
      centre[c] += exact ? way * share : way / (double)m->nodes;
    }
}

static void order_by_points(const dvElementBlocks *m, const int32_t *connectivity, Order *order)
{
  for (size_t e = 0; e < m->elements; e++) {
    const int32_t *node = connectivity + m->nodes * e;
    int32_t least = node[0];
    for (size_t i = 0; i < m->nodes; i++) least = node[i] < least ? node[i] : least;
    order[e] = (Order){(uint64_t)least, (int32_t)e};
  }
}

static void sort_elements(const dvElementBlocks *m, const int32_t *connectivity, const double *x, Order *order)
{
  double low[3] = {0}, extent = x ? bounds(x, m->points, low) : 0;
  double cells = extent > 0 && isfinite(extent) ? ((1 << BITS) - 1) / extent : 0;
  if (!(cells > 0)) order_by_points(m, connectivity, order);
  for (size_t first = 0; first < m->elements && cells > 0; first += LANES) {
    uint32_t cell[3][LANES] = {{0}};
    uint64_t index[LANES];
    size_t count = dv_min_size(LANES, m->elements - first);
    for (size_t k = 0; k < count; k++) {
      double centre[3];
      find_centre(m, connectivity + m->nodes * (first + k), x, low, centre);
      for (int c = 0; c < 3; c++) {
        double s = centre[c] * cells;
        cell[c][k] = s > 0 && s < (1 << BITS) ? (uint32_t)s : 0;
      }
    }
    hilbert_indices(cell, index);
    for (size_t k = 0; k < count; k++) order[first + k] = (Order){index[k], (int32_t)(first + k)};
  }
  sort_order(order, m->elements);
}

// What the cutting needs: for each point the block it was last seen in and its place there.
typedef struct {
  dvElementBlocks *m;
  const int32_t *connectivity;
  const Order *order;
  size_t limit;     // elements a block
  uint32_t *seen;   // block + 1
  uint32_t *place;
} Cutter;

// Number of elements, from `first` of the order on, that fit one block; writes the block's points.
static size_t fill_block(Cutter *c, size_t first, dvElementBlock *block)
{
  dvElementBlocks *m = c->m;
  uint32_t tag = (uint32_t)m->count + 1;
  size_t e = first;
  for (; e < m->elements && e - first < c->limit; e++) {
    const int32_t *node = c->connectivity + m->nodes * (size_t)c->order[e].element;
    size_t fresh = 0;
    for (size_t i = 0; i < m->nodes; i++) fresh += c->seen[node[i]] != tag;
    if (block->points + fresh > DV_BLOCK_POINTS) break;
    for (size_t i = 0; i < m->nodes; i++) {
      if (c->seen[node[i]] == tag) continue;
      c->seen[node[i]] = tag;
      c->place[node[i]] = block->points;
      m->point[block->first_slot + block->points++] = node[i];
    }
  }
  m->point[block->first_slot + block->points] = -1;
  return e - first;
}

static void write_packs(Cutter *c, size_t first, size_t count, const dvElementBlock *block)
{
  dvElementBlocks *m = c->m;
  for (size_t i = 0, lane = 0, at = 0; lane < DV_LANES; i++) {
    size_t pack = block->first_pack + at;
    bool real = i < count;
    int32_t element = real ? c->order[first + i].element : -1;
    m->element[DV_LANES * pack + lane] = element;
    if (real) m->lane[element] = (int32_t)(DV_LANES * pack + lane);
    for (size_t k = 0; k < m->nodes; k++) {
      uint32_t place = real ? c->place[c->connectivity[m->nodes * (size_t)element + k]] : block->points;
      m->corner[(pack * m->nodes + k) * DV_LANES + lane] = (uint16_t)(DV_BLOCK_STRIDE * place);
    }
    if (++at == block->packs) at = 0, lane++;
  }
}

// The worst case is allotted first, what is used is known afterwards.
static void cut(Cutter *c)
{
  dvElementBlocks *m = c->m;
  for (size_t first = 0; first < m->elements;) {
    dvElementBlock *block = &m->blocks[m->count];
    *block = (dvElementBlock){.first_pack = (uint32_t)m->packs, .first_slot = (uint32_t)m->slots};
    size_t count = fill_block(c, first, block);
    block->packs = (uint32_t)((count + DV_LANES - 1) / DV_LANES);
    write_packs(c, first, count, block);
    m->packs += block->packs;
    m->slots += block->points + 1;
    m->count++;
    first += count;
  }
}

static void list_slots(dvElementBlocks *m)
{
  if (m->count < 2) return;
  m->range = dv_alloc((m->points + 1) * sizeof *m->range);
  m->slot = dv_alloc(m->slots * sizeof *m->slot);
  for (size_t s = 0; s < m->slots; s++)
    if (m->point[s] >= 0) m->range[m->point[s]].end++;
  for (size_t p = 0; p < m->points; p++) {
    uint32_t count = m->range[p].end;
    m->range[p] = (dvSlotRange){(uint32_t)m->listed, (uint32_t)m->listed};
    m->listed += count;
  }
  for (size_t s = 0; s < m->slots; s++)
    if (m->point[s] >= 0) m->slot[m->range[m->point[s]].end++] = (uint32_t)s;
}

// Blocks hold at least this many elements whatever their connectivity.
static size_t fewest_elements(size_t nodes, size_t limit) { return dv_min_size(limit, DV_BLOCK_POINTS / nodes); }

dvStatus dv_blocks_create(const int32_t *connectivity, size_t nodes, size_t elements, size_t points,
                          const double *positions, size_t block_elements, dvElementBlocks **out)
{
  *out = NULL;
  DV_REQUIRE(nodes > 0 && nodes <= 64 && points < INT32_MAX && elements < INT32_MAX / DV_LANES);
  if (block_elements == 0) block_elements = DV_BLOCK_ELEMENTS;
  DV_REQUIRE(block_elements % DV_LANES == 0);
  for (size_t i = 0; i < nodes * elements; i++)
    if (connectivity[i] < 0 || (size_t)connectivity[i] >= points) return DV_ERROR_INPUT;

  dvElementBlocks *m = dv_alloc(sizeof *m);
  *m = (dvElementBlocks){.nodes = nodes, .elements = elements, .points = points};
  size_t blocks = elements / fewest_elements(nodes, block_elements) + 1;
  size_t lanes = elements + DV_LANES * blocks;
  m->blocks = dv_alloc(blocks * sizeof *m->blocks);
  m->element = dv_alloc(lanes * sizeof *m->element);
  m->lane = dv_alloc((elements + 1) * sizeof *m->lane);
  m->corner = dv_alloc(lanes * nodes * sizeof *m->corner);
  m->point = dv_alloc((nodes * elements + blocks) * sizeof *m->point);

  Order *order = dv_alloc((elements + 1) * sizeof *order);
  sort_elements(m, connectivity, positions, order);
  Cutter cutter = {m,
                   connectivity,
                   order,
                   block_elements,
                   dv_alloc((points + 1) * sizeof(uint32_t)),
                   dv_alloc((points + 1) * sizeof(uint32_t))};
  cut(&cutter);
  list_slots(m);
  dv_free(cutter.seen);
  dv_free(cutter.place);
  dv_free(order);
  m->point = dv_realloc(m->point, (nodes * elements + blocks) * sizeof *m->point, (m->slots + 1) * sizeof *m->point);
  m->room = (dvBlocksRoom){blocks, lanes / DV_LANES, elements + 1, points + 1, m->slots + 1, m->slots};
  *out = m;
  return DV_OK;
}

void dv_blocks_destroy(dvElementBlocks **blocks)
{
  dvElementBlocks *m = *blocks;
  if (!m) return;
  dv_free(m->blocks);
  dv_free(m->element);
  dv_free(m->lane);
  dv_free(m->corner);
  dv_free(m->point);
  dv_free(m->range);
  dv_free(m->slot);
  dv_element_sum_destroy(&m->sum);
  dv_element_sum_destroy(&m->sum_before);
  dv_free(m);
  *blocks = NULL;
}

// Matrices are summed over more elements than forces as long as the sums fit a cache: fewer pairs are then shared
// between groups, which have to be kept and read again.
static size_t group_count(const dvElementBlocks *m)
{
  return m->nodes > 4 ? m->count : dv_max_size((m->count + GROUP - 1) / GROUP, dv_min_size(m->count, GROUP));
}

dvElementSum *dv_blocks_sum(dvElementBlocks *m)
{
  if (m->sum || m->no_sum || m->nodes > DV_SUM_NODES) return m->sum;
  int32_t *corner = dv_try_alloc((DV_LANES * m->packs * m->nodes + 1) * sizeof *corner);
  size_t groups = group_count(m);
  uint32_t *first = dv_try_alloc((groups + 1) * sizeof *first);
  if (corner && first) {
    memset(corner, -1, DV_LANES * m->packs * m->nodes * sizeof *corner);   // packs that no block has yet
    for (size_t b = 0; b < m->count; b++) {
      const dvElementBlock *block = &m->blocks[b];
      size_t begin = DV_LANES * (size_t)block->first_pack, end = begin + DV_LANES * (size_t)block->packs;
      for (size_t i = m->nodes * begin; i < m->nodes * end; i++) {
        size_t lane = i / m->nodes;
        corner[i] = m->element[lane] < 0 ? -1 : dv_blocks_point(m, b, lane / DV_LANES, i % m->nodes, lane % DV_LANES);
      }
    }
    for (size_t g = 1; g <= groups; g++) {
      const dvElementBlock *last = &m->blocks[dv_blocks_group(m, g, groups) - 1];
      first[g] = DV_LANES * (last->first_pack + last->packs);
    }
    dv_element_sum_create(corner, m->nodes, m->points, first, groups, m->sum_before, &m->sum);
  }
  dv_free(corner);
  dv_free(first);
  m->no_sum = !m->sum;
  dv_element_sum_destroy(&m->sum_before);
  return m->sum;
}

// --- running ---

typedef struct {
  const dvElementBlocks *m;
  const dvBlocksKernels *kernels;
  const double *slots;
  int width;
  double *f;
} Reduction;

static void reduce_points(void *user, size_t begin, size_t end)
{
  const Reduction *r = user;
  r->kernels->reduce(r->m, r->slots, r->width, begin, end, r->f);
}

void dv_blocks_each(const dvElementBlocks *m, const dvBlocksJob *job)
{
  dv_parallel_for(dv_pool_for(job->pool, job->ns * (double)m->elements), m->count, 1, job->body, job->user);
}

void dv_blocks_run(const dvElementBlocks *m, const dvBlocksJob *job, const double *slots, int width, double *f)
{
  Reduction r = {m, DV_KERNEL_CHOOSE(dv_blocks_kernels), slots, width, f};
  dv_blocks_each(m, job);
  if (m->count == 1) r.kernels->add(m, slots, width, f);
  else if (m->count > 1)
    dv_parallel_for(dv_pool_for(job->pool, REDUCE_NS * (double)m->slots), m->points, REDUCE_GRAIN, reduce_points, &r);
}

// Elements in blocks: the frame in which element kernels run.
//
// A mesh of k-node elements is cut into blocks of neighbouring elements. A block copies its points into a
// small local buffer (four doubles a point: x y z and a pad, so that a corner is one 256-bit load),
// works on packs of four elements, and leaves its contributions in slots of its own, one a local
// point. Then f[p] gains the slots of point p, always in the order of the blocks. Blocks can run in any order
// and on any thread: the sum has the same bits. The cut depends on the mesh alone.
//
// A mesh that changes (dv_blocks_patch) leaves lanes empty and adds blocks at the end, until it is better cut anew.
//
//   block b:   dv_blocks_gather(blocks, b, x, local);   packs of the block read `local`, add to slots
//   reduction: dv_blocks_reduce(blocks, slots, first point, end, f);
//
// Lanes that are left over at the end of a block get an element whose corners are all the dummy
// point, the last of the block's slots: it is gathered as zero and never reduced.
#ifndef DV_ELEMENT_BLOCKS_H
#define DV_ELEMENT_BLOCKS_H

#include "base/base.h"
#include "base/isa.h"
#include "base/pool.h"
#include "base/simd.h"
#include "topology/change/trace.h"

enum {
  DV_BLOCK_ELEMENTS = 512,   // default for the largest number of elements in a block
  DV_BLOCK_POINTS = 1000,    // no block has more points, so that a local buffer fits on a stack
  DV_BLOCK_STRIDE = 4,       // doubles a local point
  DV_BLOCK_DOUBLES = DV_BLOCK_STRIDE * (DV_BLOCK_POINTS + 1)
};

typedef struct dvElementBlock {
  uint32_t first_pack, packs;    // its packs of elements
  uint32_t first_slot, points;   // its points; slot first_slot + points is the dummy
} dvElementBlock;

typedef struct dvSlotRange {
  uint32_t begin, end;
} dvSlotRange;

typedef struct dvBlocksRoom {
  size_t blocks, packs, elements, points, slots, listed;
} dvBlocksRoom;

typedef struct dvElementBlocks {
  size_t nodes, elements, points;   // nodes an element, elements, points of the mesh
  size_t packs, slots, count;       // totals, dummies included, and the number of blocks
  dvElementBlock *blocks;
  int32_t *element;   // [4 packs] the element in a lane, -1 in a lane that fills up
  int32_t *lane;      // [elements] where an element is: 4 * pack + lane
  uint16_t *corner;   // [packs][nodes][4] local point of a corner times DV_BLOCK_STRIDE
  int32_t *point;     // [slots] the point of a slot, -1 for a dummy
  // Slots of a point, in rising order: slot[range[p].begin] .. slot[range[p].end - 1]. Both are NULL when there is one
  // block: its local points then are added to f straight away.
  dvSlotRange *range;
  uint32_t *slot;
  dvBlocksRoom room;                 // for what patches add
  size_t listed;                     // entries of `slot`
  size_t emptied, appended;          // elements that patches took out of their lanes, and put into new ones
  bool open;                         // the last block takes new elements
  struct dvElementSum *sum;          // of dv_blocks_sum
  struct dvElementSum *sum_before;   // the one before the last change
  bool no_sum;                       // it was tried in vain
} dvElementBlocks;

// Cuts a mesh. `connectivity` has `nodes` point indices an element. With `positions` (three doubles a
// point) elements are sorted along a space-filling curve, without (NULL) by their smallest point
// index. `block_elements` is a multiple of 4, 0 for the default. DV_ERROR_INPUT when an index is out of
// range, and nothing is created. Nothing of the input is kept.
dvStatus dv_blocks_create(const int32_t *connectivity, size_t nodes, size_t elements, size_t points,
                          const double *positions, size_t block_elements, dvElementBlocks **out);
void dv_blocks_destroy(dvElementBlocks **blocks);

// Follows the elements of a kind of a topology, one for one, after a batch of changes (topology/change/trace.h); the
// blocks were those of the topology before it. Costs in proportion to what has changed. `packs` gets the packs in which
// a lane is another one, has become empty or has an element whose points were moved, in ascending order. There may be
// more packs and slots than before. False when the mesh is to be cut anew: too many lanes are empty, elements are not
// where they were first put, or memory is short. The blocks are of no use then.
bool dv_blocks_patch(dvElementBlocks *blocks, dvTopology *mesh, dvElementKind kind, dvNumbers *packs);
// The same for elements that are not those of a topology: the steps say what became of them and of their points.
typedef struct dvBlocksChange {
  const dvTraceStep *elements, *points;
  size_t element_steps, point_steps;
  const int32_t *connectivity;   // of the elements now, of which only new ones are looked at
  size_t stride;                 // bytes from an element to the next; 0: they have nothing but their points
  size_t count, point_count;     // of elements and points now
} dvBlocksChange;
bool dv_blocks_follow(dvElementBlocks *blocks, const dvBlocksChange *change, dvNumbers *packs);
// Adds the packs of elements of a topology, one for one, whose points were moved.
void dv_blocks_add_moved(const dvElementBlocks *blocks, dvTopology *mesh, dvElementKind kind, dvNumbers *packs);

// An array with a record of numbers for each lane, element or slot of the blocks. NULL stays NULL.
typedef struct dvBlocksArray {
  double **numbers;
  size_t record;
  enum { DV_PER_LANE, DV_PER_ELEMENT, DV_PER_SLOT } per;
} dvBlocksArray;
// Makes arrays longer for what patches have added, zeros behind those that were there. `had` is what they have room for
// and is brought up to date: dv_blocks_room when they were made. False when memory is short.
bool dv_blocks_make_room(const dvElementBlocks *blocks, dvBlocksRoom *had, const dvBlocksArray *arrays, size_t count);
// Zeros for a pack of those that have records for each lane.
void dv_blocks_clear_pack(const dvBlocksArray *arrays, size_t count, size_t pack);
static inline dvBlocksRoom dv_blocks_room(const dvElementBlocks *m)
{
  return (dvBlocksRoom){.packs = m->packs, .elements = m->elements, .slots = m->slots};
}

// The table with which matrices of elements are summed (math/element_sum.h), made at the first call; lives as long as
// the blocks. NULL when there is none: an element names a point twice, or memory is short. Its blocks are groups of
// these.
struct dvElementSum *dv_blocks_sum(dvElementBlocks *blocks);
// The first block of a group; that of the group behind the last is the number of blocks.
static inline size_t dv_blocks_group(const dvElementBlocks *m, size_t group, size_t groups)
{
  return m->count * group / groups;
}

// Runs body over the blocks, then adds what they left in the slots to f, `width` (1, 2 or 3) numbers a point, always in
// the order of the blocks. `job` says what an element costs: small meshes run in the caller.
typedef struct dvBlocksJob {
  dvPool *pool;   // may be NULL
  dvBody body;
  void *user;
  double ns;   // about what an element takes in one thread
} dvBlocksJob;
void dv_blocks_run(const dvElementBlocks *m, const dvBlocksJob *job, const double *slots, int width, double *f);
// Only the first half: for measures that are kept lane by lane.
void dv_blocks_each(const dvElementBlocks *m, const dvBlocksJob *job);

// --- between blocks.c and its kernels ---

typedef struct dvBlocksKernels {
  void (*add)(const dvElementBlocks *m, const double *slots, int width, double *f);   // a mesh of one block
  void (*reduce)(const dvElementBlocks *m, const double *slots, int width, size_t begin, size_t end, double *f);
} dvBlocksKernels;
DV_KERNEL_DECLARE(dvBlocksKernels, dv_blocks_kernels);

// --- for kernels ---

DV_INLINE const uint16_t *dv_blocks_corners(const dvElementBlocks *m, size_t pack)
{
  return m->corner + pack * m->nodes * DV_LANES;
}

// The point of a corner of an element.
DV_INLINE int32_t dv_blocks_point(const dvElementBlocks *m, size_t block, size_t pack, size_t corner, size_t lane)
{
  return m->point[m->blocks[block].first_slot + dv_blocks_corners(m, pack)[DV_LANES * corner + lane] / DV_BLOCK_STRIDE];
}

// Points of block b into a local buffer of at least DV_BLOCK_DOUBLES doubles, the dummy as zero.
DV_INLINE void dv_blocks_gather(const dvElementBlocks *m, size_t b, const double *x, double *local)
{
  const dvElementBlock *block = &m->blocks[b];
  const int32_t *point = m->point + block->first_slot;
  for (size_t i = 0; i < block->points; i++, local += DV_BLOCK_STRIDE)
    dv_pack_store(local, dv_pack_load3(x + 3 * (size_t)point[i]));
  dv_pack_store(local, dv_pack(0));
}

// The slots of block b, zeroed, the dummy's too.
DV_INLINE double *dv_blocks_clear(const dvElementBlocks *m, size_t b, double *slots)
{
  double *own = slots + DV_BLOCK_STRIDE * (size_t)m->blocks[b].first_slot;
  for (size_t i = 0; i <= m->blocks[b].points; i++) dv_pack_store(own + DV_BLOCK_STRIDE * i, dv_pack(0));
  return own;
}

// f += local values of block b; only for a mesh of one block.
DV_INLINE void dv_blocks_add(const dvElementBlocks *m, size_t b, const double *local, double *f)
{
  const dvElementBlock *block = &m->blocks[b];
  const int32_t *point = m->point + block->first_slot;
  for (size_t i = 0; i < block->points; i++, local += DV_BLOCK_STRIDE) {
    double *p = f + 3 * (size_t)point[i];
    dv_pack_store3(p, dv_pack_load3(p) + dv_pack_load(local));
  }
}

// f[p] += the slots of point p, for p in [begin, end); for a mesh of several blocks.
DV_INLINE void dv_blocks_reduce(const dvElementBlocks *m, const double *slots, size_t begin, size_t end, double *f)
{
  for (size_t p = begin; p < end; p++) {
    uint32_t i = m->range[p].begin, last = m->range[p].end;
    if (i == last) continue;
    dvPack sum = dv_pack_load(slots + DV_BLOCK_STRIDE * (size_t)m->slot[i]);
    for (i++; i < last; i++) sum += dv_pack_load(slots + DV_BLOCK_STRIDE * (size_t)m->slot[i]);
    dv_pack_store3(f + 3 * p, dv_pack_load3(f + 3 * p) + sum);
  }
}

typedef struct {
  dvPack x, y, z;
} dvPackVec;   // a vector of each of four elements

typedef double dvHalf_ __attribute__((vector_size(16), aligned(8)));
DV_INLINE dvPack dv_blocks_join_(const double *low, const double *high)
{
  dvHalf_ a = *(const dvHalf_ *)low, b = *(const dvHalf_ *)high;
#if defined(__clang__) || __GNUC__ >= 12
  return __builtin_shufflevector(a, b, 0, 1, 2, 3);
#else
  return (dvPack){a[0], a[1], b[0], b[1]};
#endif
}

// x, y and z of one corner of four elements; c points to the corner's four offsets. Halves of points
// are joined on the way from memory, which leaves three shuffles instead of the eight of a transposition.
DV_INLINE dvPackVec dv_blocks_load(const double *local, const uint16_t *c)
{
  const double *p0 = local + c[0], *p1 = local + c[1], *p2 = local + c[2], *p3 = local + c[3];
  dvPack xy02 = dv_blocks_join_(p0, p2), xy13 = dv_blocks_join_(p1, p3);
  dvPack zw02 = dv_blocks_join_(p0 + 2, p2 + 2), zw13 = dv_blocks_join_(p1 + 2, p3 + 2);
  return (dvPackVec){DV_SHUFFLE(xy02, xy13, 0, 4, 2, 6), DV_SHUFFLE(xy02, xy13, 1, 5, 3, 7),
                     DV_SHUFFLE(zw02, zw13, 0, 4, 2, 6)};
}

// Turns x, y and z of four elements into one pack (x y z .) an element; what stands in the fourth place does not
// matter.
DV_INLINE void dv_blocks_rows(dvPackVec v, dvPack row[DV_LANES])
{
  dvPack xy02 = DV_SHUFFLE(v.x, v.y, 0, 4, 2, 6), xy13 = DV_SHUFFLE(v.x, v.y, 1, 5, 3, 7),
         z = DV_SHUFFLE(v.z, v.z, 1, 0, 3, 2);
  row[0] = DV_SHUFFLE(xy02, v.z, 0, 1, 4, 5);
  row[1] = DV_SHUFFLE(xy13, z, 0, 1, 4, 5);
  row[2] = DV_SHUFFLE(xy02, v.z, 2, 3, 6, 7);
  row[3] = DV_SHUFFLE(xy13, z, 2, 3, 6, 7);
}

// Adds a row to the local value of a corner, or takes it away. Elements of a pack may share points: one after the
// other.
DV_INLINE void dv_blocks_add_row(double *local, uint16_t corner, dvPack row)
{
  dv_pack_store(local + corner, dv_pack_load(local + corner) + row);
}

DV_INLINE void dv_blocks_sub_row(double *local, uint16_t corner, dvPack row)
{
  dv_pack_store(local + corner, dv_pack_load(local + corner) - row);
}

#endif

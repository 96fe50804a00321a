// Blocks of a mesh that changes. See blocks.h.
//
// An element that goes leaves its lane empty: the corners become the dummy of its block. One that comes is put into the
// last block, which patches have opened for that; when it is full, another one is opened. A point that goes leaves its
// slots unused: they read point 0, no lane has them, and no point lists them. When a point takes another number, so do
// its slots. Lists of slots that grow move to the end of their array.
//
// Everything depends on the mesh and its changes alone, so that the bits of a sum do not depend on threads.
#include "element/blocks.h"

#include "math/element_sum.h"

#include <string.h>

enum {
  OPEN_PACKS = DV_BLOCK_ELEMENTS / DV_LANES,
  WASTE = 256   // lanes that may be empty, or elements in appended blocks, beside half of all
};

// --- room ----------------------------------------------------------------------------------------

static bool grow(void *array, size_t *room, size_t needed, size_t bytes)
{
  if (needed <= *room) return true;
  void **data = array;
  size_t larger = dv_max_size(needed, *room + *room / 2);
  void *grown = dv_try_realloc(*data, *room * bytes, larger * bytes);
  if (!grown) return false;
  *data = grown;
  *room = larger;
  return true;
}

static bool grow_packs(dvElementBlocks *m, size_t packs)
{
  size_t lanes = DV_LANES * m->room.packs, corners = lanes * m->nodes;
  size_t needed = packs <= m->room.packs ? lanes : DV_LANES * dv_max_size(packs, m->room.packs + m->room.packs / 2);
  if (!grow(&m->element, &lanes, needed, sizeof *m->element) ||
      !grow(&m->corner, &corners, needed * m->nodes, sizeof *m->corner))
    return false;
  m->room.packs = needed / DV_LANES;
  return true;
}

static bool grow_listed(dvElementBlocks *m, size_t extra)
{
  return grow(&m->slot, &m->room.listed, m->listed + extra, sizeof *m->slot);
}

static size_t block_of(const dvElementBlocks *m, size_t pack)
{
  size_t low = 0, high = m->count;
  while (high - low > 1) {
    size_t middle = (low + high) / 2;
    if (m->blocks[middle].first_pack <= pack) low = middle;
    else high = middle;
  }
  return low;
}

// --- elements ------------------------------------------------------------------------------------

static void set_dummy(dvElementBlocks *m, const dvElementBlock *block, size_t lane)
{
  for (size_t k = 0; k < m->nodes; k++)
    m->corner[(lane / DV_LANES * m->nodes + k) * DV_LANES + lane % DV_LANES] =
        (uint16_t)(DV_BLOCK_STRIDE * block->points);
}

static void empty_lane(dvElementBlocks *m, int32_t lane, dvNumbers *packs)
{
  if (lane < 0) return;   // it was never put anywhere
  size_t pack = (size_t)lane / DV_LANES;
  m->element[lane] = -1;
  set_dummy(m, &m->blocks[block_of(m, pack)], (size_t)lane);
  m->emptied++;
  dv_push(packs, (int32_t)pack);
}

static bool follow_elements(dvElementBlocks *m, const dvBlocksChange *c, dvNumbers *packs)
{
  for (size_t i = 0; i < c->element_steps; i++) {
    const dvTraceStep *s = &c->elements[i];
    if (s->what == DV_ADDED) {
      if ((size_t)s->number != m->elements || !grow(&m->lane, &m->room.elements, m->elements + 1, sizeof *m->lane))
        return false;
      m->lane[m->elements++] = -1;
      continue;
    }
    if ((size_t)s->last + 1 != m->elements) return false;
    int32_t last = m->lane[s->last];
    empty_lane(m, m->lane[s->number], packs);
    m->lane[s->number] = last;
    if (last >= 0 && s->number != s->last) m->element[last] = s->number;
    m->elements--;
  }
  return true;
}

// --- points --------------------------------------------------------------------------------------

static void name_slots(dvElementBlocks *m, int32_t from, int32_t to)
{
  if (m->range) {
    for (uint32_t i = m->range[from].begin; i < m->range[from].end; i++) m->point[m->slot[i]] = to;
    return;
  }
  for (size_t b = 0; b < m->count; b++)   // one block
    for (size_t i = 0; i < m->blocks[b].points; i++)
      if (m->point[m->blocks[b].first_slot + i] == from) m->point[m->blocks[b].first_slot + i] = to;
}

static bool follow_points(dvElementBlocks *m, const dvBlocksChange *c)
{
  for (size_t i = 0; i < c->point_steps; i++) {
    const dvTraceStep *s = &c->points[i];
    if (s->what == DV_MOVED) continue;
    if (s->what == DV_ADDED) {
      if ((size_t)s->number != m->points) return false;
      if (m->range && !grow(&m->range, &m->room.points, m->points + 1, sizeof *m->range)) return false;
      if (m->range) m->range[m->points] = (dvSlotRange){0};
      m->points++;
      continue;
    }
    if ((size_t)s->last + 1 != m->points) return false;
    name_slots(m, s->number, 0);
    if (s->last != s->number) name_slots(m, s->last, s->number);
    if (m->range) m->range[s->number] = m->range[s->last];
    m->points--;
  }
  return true;
}

// --- new elements --------------------------------------------------------------------------------

static bool open_block(dvElementBlocks *m)
{
  if (m->count < 2 || !grow(&m->blocks, &m->room.blocks, m->count + 1, sizeof *m->blocks) ||
      !grow_packs(m, m->packs + OPEN_PACKS) ||
      !grow(&m->point, &m->room.slots, m->slots + DV_BLOCK_POINTS + 2, sizeof *m->point))
    return false;
  m->blocks[m->count++] = (dvElementBlock){.first_pack = (uint32_t)m->packs, .first_slot = (uint32_t)m->slots};
  for (size_t i = 0; i <= DV_BLOCK_POINTS; i++) m->point[m->slots + i] = -1;
  for (size_t i = 0; i < DV_LANES * OPEN_PACKS; i++) m->element[DV_LANES * m->packs + i] = -1;
  m->packs += OPEN_PACKS;
  m->slots += DV_BLOCK_POINTS + 1;
  m->open = true;
  return true;
}

// the place of a point in the last block; -1 when it has none yet
static int32_t find_place(const dvElementBlocks *m, int32_t point)
{
  const dvElementBlock *block = &m->blocks[m->count - 1];
  const dvSlotRange *r = &m->range[point];
  if (r->end > r->begin && m->slot[r->end - 1] >= block->first_slot)
    return (int32_t)(m->slot[r->end - 1] - block->first_slot);
  return -1;
}

static int32_t add_place(dvElementBlocks *m, int32_t point)
{
  dvElementBlock *block = &m->blocks[m->count - 1];
  dvSlotRange *r = &m->range[point];
  uint32_t length = r->end - r->begin;
  if (!grow_listed(m, length + 1)) return -1;
  if (r->end != m->listed || !length) {
    memcpy(m->slot + m->listed, m->slot + r->begin, length * sizeof *m->slot);
    *r = (dvSlotRange){(uint32_t)m->listed, (uint32_t)m->listed + length};
  }
  m->slot[r->end++] = block->first_slot + block->points;
  m->listed = r->end;
  m->point[block->first_slot + block->points] = point;
  return (int32_t)block->points++;
}

static bool fits(const dvElementBlocks *m, size_t used, const int32_t *node)
{
  size_t fresh = 0;
  for (size_t k = 0; k < m->nodes; k++) fresh += find_place(m, node[k]) < 0;
  return used < DV_LANES * OPEN_PACKS && m->blocks[m->count - 1].points + fresh <= DV_BLOCK_POINTS;
}

// lanes of the last block that are taken or were: new ones come behind them
static size_t lanes_used(const dvElementBlocks *m)
{
  const dvElementBlock *block = &m->blocks[m->count - 1];
  size_t used = DV_LANES * (size_t)block->packs, first = DV_LANES * (size_t)block->first_pack;
  while (used > 0 && m->element[first + used - 1] < 0) used--;
  return used;
}

// the dummy of a block that has got points stands behind them
static void renew_dummies(dvElementBlocks *m, size_t b, size_t points_before)
{
  const dvElementBlock *block = &m->blocks[b];
  if (block->points == points_before) return;
  for (size_t lane = DV_LANES * (size_t)block->first_pack; lane < DV_LANES * (size_t)(block->first_pack + block->packs);
       lane++)
    if (m->element[lane] < 0) set_dummy(m, block, lane);
}

static bool place(dvElementBlocks *m, const int32_t *node, int32_t element, dvNumbers *packs)
{
  for (size_t k = 0; k < m->nodes; k++)
    if (node[k] < 0 || (size_t)node[k] >= m->points) return false;
  if (!m->range) return false;
  size_t used = m->open ? lanes_used(m) : 0;
  if (!m->open || !fits(m, used, node)) {
    if (!open_block(m)) return false;
    used = 0;
  }
  dvElementBlock *block = &m->blocks[m->count - 1];
  size_t lane = DV_LANES * (size_t)block->first_pack + used;
  if (used / DV_LANES == block->packs) {
    for (size_t i = 0; i < DV_LANES; i++) set_dummy(m, block, lane + i);
    block->packs++;
  }
  for (size_t k = 0; k < m->nodes; k++) {
    int32_t at = find_place(m, node[k]);
    if (at < 0) at = add_place(m, node[k]);
    if (at < 0) return false;
    m->corner[(lane / DV_LANES * m->nodes + k) * DV_LANES + lane % DV_LANES] = (uint16_t)(DV_BLOCK_STRIDE * at);
  }
  m->element[lane] = element;
  m->lane[element] = (int32_t)lane;
  m->appended++;
  dv_push(packs, (int32_t)(lane / DV_LANES));
  return true;
}

// new elements have steps that name them, or took the number of one that went
static bool place_new(dvElementBlocks *m, const dvBlocksChange *c, dvNumbers *packs)
{
  size_t first = m->open ? m->count - 1 : m->count, points = m->open ? m->blocks[first].points : 0;
  dvNumbers fresh = {0};
  for (size_t i = 0; i < c->element_steps; i++)
    if ((size_t)c->elements[i].number < m->elements && m->lane[c->elements[i].number] < 0)
      dv_push(&fresh, c->elements[i].number);
  dv_numbers_unique(&fresh);
  bool good = true;
  size_t stride = c->stride ? c->stride : m->nodes * sizeof *c->connectivity;
  for (size_t i = 0; i < fresh.count && good; i++) {
    const char *at = (const char *)c->connectivity + stride * (size_t)fresh.data[i];
    good = place(m, (const int32_t *)(const void *)at, fresh.data[i], packs);
  }
  for (size_t b = first; b < m->count && good; b++) renew_dummies(m, b, b == first ? points : 0);
  dv_array_free(&fresh);
  return good;
}

bool dv_blocks_follow(dvElementBlocks *m, const dvBlocksChange *c, dvNumbers *packs)
{
  packs->count = 0;
  if (m->sum) {   // most of it will do for the next one
    dv_element_sum_destroy(&m->sum_before);
    m->sum_before = m->sum;
    m->sum = NULL;
  }
  m->no_sum = false;
  if (!follow_elements(m, c, packs) || !follow_points(m, c) || m->elements != c->count || m->points != c->point_count ||
      m->elements == 0 || !place_new(m, c, packs))
    return false;
  dv_numbers_unique(packs);
  return dv_max_size(m->emptied, m->appended) <= m->elements / 2 + WASTE;
}

void dv_blocks_add_moved(const dvElementBlocks *m, dvTopology *mesh, dvElementKind kind, dvNumbers *packs)
{
  dvNumbers shapes = {0};
  dv_trace_moved(mesh, kind, &shapes);
  for (size_t i = 0; i < shapes.count; i++) dv_push(packs, m->lane[shapes.data[i]] / DV_LANES);
  if (shapes.count) dv_numbers_unique(packs);
  dv_array_free(&shapes);
}

bool dv_blocks_patch(dvElementBlocks *m, dvTopology *mesh, dvElementKind kind, dvNumbers *packs)
{
  const dvTrace *trace = dv_topology_trace(mesh);
  if (!trace) return false;
  dvBlocksChange change = {.elements = trace->steps[kind].data,
                           .element_steps = trace->steps[kind].count,
                           .points = trace->steps[DV_POINT].data,
                           .point_steps = trace->steps[DV_POINT].count,
                           .connectivity = dv_topology_elements(mesh, kind)->data,
                           .count = dv_topology_count(mesh, kind),
                           .point_count = dv_topology_point_count(mesh)};
  if (!dv_blocks_follow(m, &change, packs)) return false;
  dv_blocks_add_moved(m, mesh, kind, packs);
  return true;
}

// --- arrays of those who use them ----------------------------------------------------------------

static bool lengthen(double **array, size_t before, size_t now)
{
  if (now <= before || !*array) return true;
  double *grown = dv_alloc_aligned((now + 1) * sizeof *grown);
  if (!grown) return false;
  memcpy(grown, *array, before * sizeof *grown);
  dv_free(*array);
  *array = grown;
  return true;
}

bool dv_blocks_make_room(const dvElementBlocks *m, dvBlocksRoom *had, const dvBlocksArray *arrays, size_t count)
{
  const size_t before[] = {DV_LANES * had->packs, had->elements, DV_BLOCK_STRIDE * had->slots},
               needed[] = {DV_LANES * m->packs, m->elements, DV_BLOCK_STRIDE * m->slots},
               room[] = {DV_LANES * m->room.packs, m->room.elements, DV_BLOCK_STRIDE * m->room.slots};
  bool good = true;
  for (size_t i = 0; i < count && good; i++) {
    const dvBlocksArray *a = &arrays[i];
    if (needed[a->per] > before[a->per])
      good = lengthen(a->numbers, a->record * before[a->per], a->record * room[a->per]);
  }
  if (m->packs > had->packs) had->packs = m->room.packs;
  if (m->elements > had->elements) had->elements = m->room.elements;
  if (m->slots > had->slots) had->slots = m->room.slots;
  return good;
}

void dv_blocks_clear_pack(const dvBlocksArray *arrays, size_t count, size_t pack)
{
  for (size_t i = 0; i < count; i++)
    if (arrays[i].per == DV_PER_LANE && *arrays[i].numbers)
      memset(*arrays[i].numbers + DV_LANES * arrays[i].record * pack, 0, DV_LANES * arrays[i].record * sizeof(double));
}

// See part.h.
#include "topology/change/part.h"

#include <stdlib.h>

typedef dvNumbers Numbers;

// a corner of an element that gets another point
typedef struct Corner {
  int32_t element, old, fresh;
} Corner;

// a face of an element at the point that is looked at, by its other points
typedef struct Side {
  int32_t others[2];
  int32_t element;   // number of the element around the point
  int32_t next;      // another one with the same points: 1 + its place, 0 for none
} Side;

typedef struct Parting {
  dvDraft *draft;
  bool (*is_cut)(void *user, const dvBetween *face);
  void *user;
  DV_ARRAY(Corner) corners;
  // around a point
  Numbers around, sector, have;
  DV_ARRAY(Side) sides;
  Numbers slots;   // where each set of points is in the sides: 1 + the place of the last one that has it
} Parting;

// --- what hangs together -------------------------------------------------------------------------

static void add_side(Parting *p, int32_t element, int32_t a, int32_t b)
{
  uint64_t low = (uint32_t)(a < b ? a : b), high = (uint32_t)(a < b ? b : a);
  size_t mask = p->slots.count - 1, at = (size_t)(((high << 32 | low) * 0x9e3779b97f4a7c15u) >> 40) & mask;
  Side side = {{(int32_t)low, (int32_t)high}, element, 0};
  for (;; at = (at + 1) & mask) {
    int32_t there = p->slots.data[at];
    const Side *other = there ? &p->sides.data[there - 1] : NULL;
    if (other && (other->others[0] != side.others[0] || other->others[1] != side.others[1])) continue;
    side.next = there;
    dv_push(&p->sides, side);
    p->slots.data[at] = (int32_t)p->sides.count;
    return;
  }
}

static void find_sides(Parting *p, int32_t point)
{
  size_t width = (size_t)dv_element_points(p->draft->kind), slots = 16;
  while (slots < 2 * (width - 1) * p->around.count) slots *= 2;
  p->sides.count = p->slots.count = 0;
  dv_array_resize(&p->slots, slots);
  for (size_t i = 0; i < p->around.count; i++) {
    const int32_t *c = dv_draft_corners(p->draft, p->around.data[i]);
    int32_t others[3];
    size_t count = 0;
    for (size_t k = 0; k < width; k++)
      if (c[k] != point) others[count++] = c[k];
    if (width == 3)
      for (size_t k = 0; k < count; k++) add_side(p, (int32_t)i, others[k], others[k]);
    else
      for (size_t k = 0; k < count; k++) add_side(p, (int32_t)i, others[k], others[(k + 1) % count]);
  }
}

// sectors are trees of elements: each names one before it, or itself
static int32_t root(const Numbers *sector, int32_t i)
{
  while (sector->data[i] != i) i = sector->data[i];
  return i;
}

static void join(Numbers *sector, int32_t a, int32_t b)
{
  a = root(sector, a), b = root(sector, b);
  sector->data[a > b ? a : b] = a > b ? b : a;
}

// elements with a face in common hang together, unless it is cut
static void join_over(Parting *p, int32_t point, int32_t last)
{
  const Side *s = &p->sides.data[last - 1];
  if (!s->next) return;
  p->have.count = 0;
  for (int32_t at = last; at; at = p->sides.data[at - 1].next)
    dv_push(&p->have, p->around.data[p->sides.data[at - 1].element]);
  dvBetween face = {{point, s->others[0], s->others[1]}, p->have.data, p->have.count};
  if (p->is_cut(p->user, &face)) return;
  for (int32_t at = s->next; at; at = p->sides.data[at - 1].next)
    join(&p->sector, s->element, p->sides.data[at - 1].element);
}

// gives the sectors around a point numbers; returns how many there are
static int32_t find_sectors(Parting *p, int32_t point)
{
  int32_t sectors = 0;
  p->sector.count = 0;
  for (size_t i = 0; i < p->around.count; i++) dv_push(&p->sector, (int32_t)i);
  find_sides(p, point);
  for (size_t i = 0; i < p->slots.count; i++)
    if (p->slots.data[i]) join_over(p, point, p->slots.data[i]);
  for (size_t i = 0; i < p->around.count; i++) {   // the one that it names has its number already
    int32_t before = p->sector.data[i];
    p->sector.data[i] = before == (int32_t)i ? sectors++ : p->sector.data[before];
  }
  return sectors;
}

// --- parting -------------------------------------------------------------------------------------

// returns how many points it takes, the first of them with the number `next`
static int32_t part_around(Parting *p, int32_t point, int32_t next)
{
  dv_draft_around(p->draft, point, &p->around);
  int32_t sectors = find_sectors(p, point);
  for (size_t i = 0; i < p->around.count; i++)
    if (p->sector.data[i] > 0) dv_push(&p->corners, ((Corner){p->around.data[i], point, next + p->sector.data[i] - 1}));
  return sectors > 1 ? sectors - 1 : 0;
}

static int by_element(const void *a, const void *b)
{
  const Corner *x = a, *y = b;
  return x->element != y->element ? (x->element > y->element) - (x->element < y->element)
                                  : (x->old > y->old) - (x->old < y->old);
}

// Pieces take their points as they come; elements of the mesh, which have other numbers once they are pieces, in order.
static void exchange_corners(Parting *p)
{
  size_t kept = 0;
  for (size_t i = 0; i < p->corners.count; i++) {
    Corner c = p->corners.data[i];
    if ((size_t)c.element < p->draft->existing) p->corners.data[kept++] = c;
    else dv_draft_exchange(p->draft, c.element, c.old, c.fresh);
  }
  p->corners.count = kept;
  if (kept) qsort(p->corners.data, kept, sizeof *p->corners.data, by_element);
  for (size_t i = 0; i < kept;) {
    int32_t element = p->corners.data[i].element, now = element;
    for (; i < kept && p->corners.data[i].element == element; i++)
      now = dv_draft_exchange(p->draft, now, p->corners.data[i].old, p->corners.data[i].fresh);
  }
}

dvStatus dv_draft_part(dvDraft *d, const int32_t *points, size_t count,
                       bool (*is_cut)(void *user, const dvBetween *face), void *user, size_t *doubled)
{
  Parting p = {.draft = d, .is_cut = is_cut, .user = user};
  Numbers once = {0}, origin = {0}, offsets = {0};
  int32_t next = (int32_t)dv_topology_point_count(d->mesh);
  for (size_t i = 0; i < count; i++) dv_push(&once, points[i]);
  dv_numbers_unique(&once);
  for (size_t i = 0; i < once.count; i++) {
    int32_t fresh = part_around(&p, once.data[i], next);
    for (int32_t k = 0; k < fresh; k++) dv_push(&offsets, (int32_t)origin.count), dv_push(&origin, once.data[i]);
    next += fresh;
  }
  dv_push(&offsets, (int32_t)origin.count);
  *doubled = origin.count;
  double *ones = dv_alloc((origin.count + 1) * sizeof *ones);
  for (size_t i = 0; i < origin.count; i++) ones[i] = 1;
  dvStatus status = DV_OK;
  if (origin.count)
    status = dv_topology_add_points(d->mesh, origin.count, NULL, (dvOrigin){offsets.data, origin.data, ones});
  if (status == DV_OK) exchange_corners(&p);
  dv_free(ones);
  dv_array_free(&p.corners), dv_array_free(&once), dv_array_free(&origin), dv_array_free(&offsets);
  dv_array_free(&p.around), dv_array_free(&p.sector), dv_array_free(&p.have);
  dv_array_free(&p.sides), dv_array_free(&p.slots);
  return status;
}

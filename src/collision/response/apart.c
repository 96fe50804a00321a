// See response.h. A ball that lies in soft, crumpled tissue faces a dozen triangles; most of them push the same way.
//
// Balls are looked for in a table, each with the list of its contacts. Of these the deepest is kept, and those within
// the angle around its normal are dropped; then the deepest of the rest, and so on: no more than fit around a ball.
#include "collision/response/response.h"

#include <math.h>

// which of the two models has balls; -1 for none
static int round_side(const dvContactList *list)
{
  for (int side = 0; side < 2; side++)
    if (list->model[side]->shape == DV_SHAPE_SPHERE) return side;
  return -1;
}

static const dvContact *contact_at(const dvDoubles *d, const dvContactList *list, size_t k)
{
  return &list->contacts.data[d->kept.data[k]];
}

// the slot of a ball: 1 + the newest of its contacts in `kept`, 0: it is free
static size_t *slot_of(dvDoubles *d, const dvContactList *list, int side, int32_t ball)
{
  size_t mask = d->slots.count - 1, at = (size_t)((uint64_t)ball * 0x9e3779b97f4a7c15u >> 17) & mask;
  while (d->slots.data[at] && contact_at(d, list, d->slots.data[at] - 1)->element[side] != ball) at = (at + 1) & mask;
  return &d->slots.data[at];
}

static double cosine_between(const dvContact *a, const dvContact *b)
{
  return a->normal[0] * b->normal[0] + a->normal[1] * b->normal[1] + a->normal[2] * b->normal[2];
}

enum { OPEN, KEPT, DROPPED };

// the deepest that is open, the first of equals; the count of all when there is none
static size_t deepest_open(const dvDoubles *d, const dvContactList *list, size_t head)
{
  size_t best = d->kept.count;
  for (size_t k = head; k; k = d->next.data[k - 1]) {
    if (d->fate.data[k - 1] != OPEN) continue;
    double depth = contact_at(d, list, k - 1)->distance;
    if (best == d->kept.count || depth <= contact_at(d, list, best)->distance) best = k - 1;   // older ones come later
  }
  return best;
}

static void thin_ball(dvDoubles *d, const dvContactList *list, size_t head, double cosine)
{
  for (size_t best; (best = deepest_open(d, list, head)) < d->kept.count;) {
    const dvContact *c = contact_at(d, list, best);
    for (size_t k = head; k; k = d->next.data[k - 1])
      if (d->fate.data[k - 1] == OPEN && cosine_between(c, contact_at(d, list, k - 1)) > cosine)
        d->fate.data[k - 1] = DROPPED;
    d->fate.data[best] = KEPT;
  }
}

void dv_doubles_thin(dvDoubles *d, const dvContactList *list, double apart)
{
  int side = round_side(list);
  size_t count = d->kept.count, room = 16, left = 0;
  if (side < 0 || !(apart > 0) || count < 2) return;
  while (room < 2 * count) room *= 2;
  dv_array_resize(&d->slots, room);
  dv_array_resize(&d->next, count);
  dv_array_resize(&d->fate, count);
  memset(d->slots.data, 0, room * sizeof *d->slots.data);
  memset(d->fate.data, OPEN, count);
  for (size_t k = 0; k < count; k++) {
    size_t *slot = slot_of(d, list, side, contact_at(d, list, k)->element[side]);
    d->next.data[k] = *slot;
    *slot = k + 1;
  }
  for (size_t i = 0; i < room; i++)
    if (d->slots.data[i]) thin_ball(d, list, d->slots.data[i], cos(apart));
  for (size_t k = 0; k < count; k++)
    if (d->fate.data[k] == KEPT) d->kept.data[left++] = d->kept.data[k];
  d->kept.count = left;
}

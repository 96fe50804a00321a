// Lists of contacts, and which models and shapes may touch. See collision.h.
#include "collision/collision.h"

#include "collision/intersection/primitives.h"

dvContactList *dv_contact_lists_add(dvContactLists *all, dvCollisionModel *first, dvCollisionModel *second)
{
  if (all->used == all->lists.count) dv_push(&all->lists, (dvContactList){0});
  dvContactList *list = &all->lists.data[all->used++];
  list->model[0] = first, list->model[1] = second;
  list->contacts.count = 0;
  return list;
}

void dv_contact_lists_clear(dvContactLists *all) { all->used = 0; }

void dv_contact_lists_free(dvContactLists *all)
{
  for (size_t i = 0; i < all->lists.count; i++) dv_array_free(&all->lists.data[i].contacts);
  dv_array_free(&all->lists);
  all->used = 0;
}

static bool share_group(const dvInts *a, const dvInts *b)
{
  for (size_t i = 0; i < a->count; i++)
    for (size_t k = 0; k < b->count; k++)
      if (a->data[i] == b->data[k]) return true;
  return false;
}

bool dv_models_may_touch(const dvCollisionModel *a, const dvCollisionModel *b)
{
  if (!a->active || !b->active || a->base.failed || b->base.failed) return false;
  if (!a->simulated && !b->simulated) return false;
  if (a == b || a->base.node == b->base.node) return a->selfCollision && (a == b || b->selfCollision);
  return !share_group(&a->group, &b->group);
}

const dvShapePair *dv_shape_pair(const dvObject *intersection, const dvCollisionModel *a, const dvCollisionModel *b,
                                 bool *swapped)
{
  const dvIntersectionOps *ops = dv_ops(intersection, DV_ROLE_INTERSECTION);
  const dvShapePair *tables[] = {ops->pairs, ops->also, dv_distance_pairs};
  for (size_t i = 0; i < DV_COUNT(tables); i++)
    for (int turn = 0; turn < 2 && tables[i]; turn++)
      for (const dvShapePair *p = tables[i]; p->first != DV_SHAPE_NONE; p++) {
        if (p->first != (turn ? b : a)->shape || p->second != (turn ? a : b)->shape) continue;
        *swapped = turn;
        return p;
      }
  return NULL;
}

dvProximity dv_proximity(const dvObject *intersection, const dvCollisionModel *a, const dvCollisionModel *b)
{
  dvProximity p = {.method = intersection, .model = {a, b}};
  ((const dvIntersectionOps *)dv_ops(intersection, DV_ROLE_INTERSECTION))
      ->distances(intersection, a, b, &p.alarm, &p.contact);
  return p;
}

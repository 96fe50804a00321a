// SOFA keeps what detection finds, and then the responses, in two maps whose keys are pairs of models. A pair is sorted
// by the numbers of its first and of its second model; a map numbers models as it first compares them, and keeps these
// numbers for good. So rows of constraints, and with them iterations that end at a tolerance, depend on what a search
// in a balanced tree compares, and in which order: the second model of a pair before the first.
//
// Found pairs go to the end of their map, in the order of the broad phase: nothing is compared in an empty map, the
// last pair and then the new one in others. As all but a sole pair have been compared before, the rule is: models are
// numbered as they come. Responses are looked for from the root of theirs, in the order of the first map, and the new
// pair is compared with what stands there: it has its numbers before a sole pair has.
#include "collision/pipeline/order.h"

#include "base/sort.h"

enum { FOUND, ANSWERED };   // the two maps

static int32_t number_of(const dvModelList *models, const dvCollisionModel *m)
{
  size_t i = 0;
  while (i < models->count && models->data[i] != m) i++;
  return (int32_t)i;
}

static dvPairKey key_of(const dvModelList *models, dvCollisionModel *const model[2])
{
  return (dvPairKey){number_of(models, model[0]), number_of(models, model[1])};
}

static void see_model(dvPairOrder *o, int map, int32_t model)
{
  if (o->rank[map].data[model] >= 0) return;
  o->rank[map].data[model] = (int32_t)o->seen[map].count;
  dv_push(&o->seen[map], model);
}

static void see(dvPairOrder *o, int map, dvPairKey k)
{
  see_model(o, map, k.second);
  see_model(o, map, k.first);
}

// What a map holds, as far as it matters: how many pairs, up to two, and which one when there is one.
typedef struct Held {
  size_t count;
  dvPairKey sole;
} Held;

static void insert(dvPairOrder *o, int map, Held *h, dvPairKey k)
{
  if (h->count && map == ANSWERED) see(o, map, k);
  if (h->count == 1) see(o, map, h->sole);
  if (h->count) see(o, map, k);
  bool same = h->count == 1 && k.first == h->sole.first && k.second == h->sole.second;
  if (h->count == 0) h->sole = k;
  if (!same && h->count < 2) h->count++;
}

static void sort_lists(dvPairOrder *o, int map, const dvModelList *models, dvContactLists *lists)
{
  enum { BITS = 21 };
  size_t n = lists->used;
  if (n >> BITS) return;   // thousands of models that all touch each other
  dv_array_resize(&o->keys, n);
  dv_array_resize(&o->scratch, n);
  dv_array_resize(&o->moved, n);
  for (size_t i = 0; i < n; i++) {
    dvPairKey k = key_of(models, lists->lists.data[i].model);
    uint64_t first = (uint64_t)(o->rank[map].data[k.first] + 1), second = (uint64_t)(o->rank[map].data[k.second] + 1);
    o->keys.data[i] = first << 2 * BITS | second << BITS | i;
    o->moved.data[i] = lists->lists.data[i];
  }
  dv_sort_u64(o->keys.data, o->scratch.data, n);
  for (size_t i = 0; i < n; i++) lists->lists.data[i] = o->moved.data[o->keys.data[i] & ((1u << BITS) - 1)];
}

static Held held_before(const dvPairOrder *o)
{
  return (Held){dv_min(o->kept.count, (size_t)2), o->kept.count ? o->kept.data[0] : (dvPairKey){0, 0}};
}

static void make_ranks(dvPairOrder *o, size_t models)
{
  for (int map = 0; map < 2; map++) {
    dv_array_resize(&o->rank[map], models);
    for (size_t i = 0; i < models; i++) o->rank[map].data[i] = -1;
    for (size_t i = 0; i < o->seen[map].count; i++)
      if (o->seen[map].data[i] >= 0 && (size_t)o->seen[map].data[i] < models)
        o->rank[map].data[o->seen[map].data[i]] = (int32_t)i;
  }
}

void dv_pair_order_begin(dvPairOrder *o, const dvModelList *models, const dvContactLists *lists)
{
  o->kept.count = 0;
  for (size_t i = 0; i < lists->used; i++) {
    dvPairKey k = key_of(models, lists->lists.data[i].model);   // models may have gone with their nodes
    if ((size_t)k.first < models->count && (size_t)k.second < models->count) dv_push(&o->kept, k);
  }
  make_ranks(o, models->count);
}

void dv_pair_order_apply(dvPairOrder *o, const dvModelList *models, const dvObject *intersection,
                         const dvModelPairs *pairs, dvContactLists *lists)
{
  Held found = held_before(o), answered = found;
  for (size_t i = 0; i < pairs->count; i++) {
    bool swapped;
    const dvModelPair *p = &pairs->data[i];
    const dvShapePair *shapes = dv_shape_pair(intersection, p->model[0], p->model[1], &swapped);
    if (!shapes || !shapes->contacts) continue;
    insert(o, FOUND, &found, key_of(models, (dvCollisionModel *[2]){p->model[swapped], p->model[!swapped]}));
  }
  sort_lists(o, FOUND, models, lists);
  for (size_t i = 0; i < lists->used; i++) insert(o, ANSWERED, &answered, key_of(models, lists->lists.data[i].model));
  if (lists->used == 1) see(o, FOUND, key_of(models, lists->lists.data[0].model));   // the response looks for its pair
  sort_lists(o, ANSWERED, models, lists);
}

void dv_pair_order_free(dvPairOrder *o)
{
  for (int map = 0; map < 2; map++) {
    dv_array_free(&o->seen[map]);
    dv_array_free(&o->rank[map]);
  }
  dv_array_free(&o->kept);
  dv_array_free(&o->keys);
  dv_array_free(&o->scratch);
  dv_array_free(&o->moved);
}

// BVHNarrowPhase and its kin: the trees of two models are walked together down to pairs of elements.
//
// The walk goes depth first over pairs of ranges, the last pair that was found first, as SOFA's: contacts come in that
// order, in which they are summed. Each pair of models is one task with a list of its own, so any thread may do it;
// long walks are cut into tasks whose lists are put one behind the other.
#include "base/pool.h"
#include "collision/phases.h"
#include "collision/register.h"
#include "object/context.h"

enum { CUT = 64, LONG = 400 };   // pieces of a walk; leaves of both trees above which it is cut

typedef struct Range {
  int32_t first, end;
  bool leaves;
} Range;

typedef struct RangePair {
  Range range[2];
} RangePair;

typedef DV_ARRAY(RangePair) Stack;

typedef struct Task {
  const dvShapePair *shapes;
  dvProximity proximity;
  RangePair start;
  bool same_node;
  Stack stack;
  dvContactList found;
} Task;

typedef struct Told {
  dvShape first, second;
} Told;

struct dvNarrowScratch {
  DV_ARRAY(Task) tasks;
  size_t used;
  Stack cut[2];
  DV_ARRAY(dvCollisionModel *) stale;
  DV_ARRAY(Told) told;   // pairs of shapes that the method has nothing for
};

// --- walk ----------------------------------------------------------------------------------------

static const dvBox *box_at(const dvCubeTree *t, Range r, int32_t i)
{
  return r.leaves ? &t->leaves.data[i] : &t->cubes.data[i].box;
}

static Range below(const dvCubeTree *t, Range r, int32_t i)
{
  if (r.leaves) return (Range){i, i + 1, true};
  const dvCube *c = &t->cubes.data[i];
  return (Range){c->first, c->end, c->leaves};
}

static bool may_touch(const dvProximity *p, int32_t i, int32_t j)
{
  const dvCollisionModelOps *ops = dv_collision_model_ops(p->model[0]);
  return !ops->may_touch || ops->may_touch(p->model[0], i, p->model[1], j);
}

static void test_leaves(Task *t, RangePair pair)
{
  const dvCubeTree *a = &t->proximity.model[0]->tree, *b = &t->proximity.model[1]->tree;
  for (int32_t i = pair.range[0].first; i < pair.range[0].end; i++)
    for (int32_t j = pair.range[1].first; j < pair.range[1].end; j++) {
      if (!dv_boxes_near(&a->leaves.data[i], &b->leaves.data[j], t->proximity.alarm)) continue;
      int32_t first = a->elements.data[i], second = b->elements.data[j];
      if (!t->same_node || may_touch(&t->proximity, first, second))
        t->shapes->contacts(&t->proximity, first, second, &t->found);
    }
}

static bool is_final(RangePair pair) { return pair.range[0].leaves && pair.range[1].leaves; }

// pushes what lies below a pair that is not final
static void open_pair(const Task *t, RangePair pair, Stack *out)
{
  const dvCubeTree *a = &t->proximity.model[0]->tree, *b = &t->proximity.model[1]->tree;
  for (int32_t i = pair.range[0].first; i < pair.range[0].end; i++)
    for (int32_t j = pair.range[1].first; j < pair.range[1].end; j++)
      if (dv_boxes_near(box_at(a, pair.range[0], i), box_at(b, pair.range[1], j), t->proximity.alarm))
        dv_push(out, ((RangePair){{below(a, pair.range[0], i), below(b, pair.range[1], j)}}));
}

static void walk(Task *t)
{
  t->found.contacts.count = t->stack.count = 0;
  dv_push(&t->stack, t->start);
  while (t->stack.count) {
    RangePair pair = t->stack.data[--t->stack.count];
    if (is_final(pair)) test_leaves(t, pair);
    else open_pair(t, pair, &t->stack);
  }
}

static void walk_tasks(void *user, size_t begin, size_t end)
{
  struct dvNarrowScratch *s = user;
  for (size_t i = begin; i < end; i++) walk(&s->tasks.data[i]);
}

// --- tasks ---------------------------------------------------------------------------------------

static void add_task(struct dvNarrowScratch *s, const Task *like, RangePair start)
{
  if (s->used == s->tasks.count) dv_push(&s->tasks, (Task){0});
  Task *t = &s->tasks.data[s->used++], kept = *t;
  *t = *like;
  t->stack = kept.stack;
  t->found.contacts.data = kept.found.contacts.data;
  t->found.contacts.capacity = kept.found.contacts.capacity;
  t->found.contacts.count = 0;
  t->start = start;
}

// Opens the walk level by level, keeping the order in which it would be gone: what a pair pushes last comes first.
static void add_cut(struct dvNarrowScratch *s, const Task *like)
{
  int now = 0;
  s->cut[0].count = 0;
  dv_push(&s->cut[0], like->start);
  for (bool open = true; open && s->cut[now].count && s->cut[now].count < CUT; now = !now) {
    Stack *from = &s->cut[now], *to = &s->cut[!now];
    to->count = 0;
    open = false;
    for (size_t i = 0; i < from->count; i++) {
      size_t first = to->count;
      if (is_final(from->data[i])) dv_push(to, from->data[i]);
      else open_pair(like, from->data[i], to), open = true;
      for (size_t a = first, b = to->count; a + 1 < b; a++) {
        b--;
        RangePair swap = to->data[a];
        to->data[a] = to->data[b], to->data[b] = swap;
      }
    }
  }
  for (size_t i = 0; i < s->cut[now].count; i++) add_task(s, like, s->cut[now].data[i]);
}

static void tell_missing(struct dvNarrowScratch *s, const dvObject *intersection, const dvModelPair *pair)
{
  const dvCollisionModel *a = pair->model[0], *b = pair->model[1];
  for (size_t i = 0; i < s->told.count; i++)
    if (s->told.data[i].first == a->shape && s->told.data[i].second == b->shape) return;
  dv_push(&s->told, ((Told){a->shape, b->shape}));
  dv_push(&s->told, ((Told){b->shape, a->shape}));
  dv_warning(intersection, "take another intersection method, or other collision models",
             "%s has no test for %s against %s (%s, %s): they pass through each other", intersection->cls->name,
             a->primitives, b->primitives, a->base.name, b->base.name);
}

static void add_pair(struct dvNarrowScratch *s, dvObject *intersection, const dvModelPair *pair)
{
  const dvIntersectionOps *ops = dv_ops(intersection, DV_ROLE_INTERSECTION);
  bool swapped;
  const dvShapePair *shapes = dv_shape_pair(intersection, pair->model[0], pair->model[1], &swapped);
  if (!shapes) {
    tell_missing(s, intersection, pair);
    return;
  }
  if (!shapes->contacts || (ops->wants && !ops->wants(intersection, shapes))) return;
  dvCollisionModel *a = pair->model[swapped], *b = pair->model[!swapped];
  Task like = {.shapes = shapes,
               .proximity = dv_proximity(intersection, a, b),
               .same_node = a->base.node == b->base.node,
               .found = {.model = {a, b}}};
  like.start = (RangePair){{below(&a->tree, (Range){0, 1, false}, 0), below(&b->tree, (Range){0, 1, false}, 0)}};
  if (a->tree.leaves.count + b->tree.leaves.count > LONG) add_cut(s, &like);
  else add_task(s, &like, like.start);
}

static void grow(void *user, size_t begin, size_t end)
{
  const struct dvNarrowScratch *s = user;
  for (size_t i = begin; i < end; i++) dv_collision_model_grow(s->stale.data[i]);
}

// the trees of those that have somebody near
static void grow_trees(dvObject *o, struct dvNarrowScratch *s, const dvModelPairs *pairs)
{
  size_t boxes = 0;
  s->stale.count = 0;
  for (size_t i = 0; i < pairs->count; i++)
    for (int k = 0; k < 2; k++) {
      dvCollisionModel *m = pairs->data[i].model[k];
      bool listed = !m->stale;
      for (size_t n = 0; n < s->stale.count && !listed; n++) listed = s->stale.data[n] == m;
      if (listed) continue;
      dv_push(&s->stale, m);
      boxes += m->boxes.count;
    }
  dv_parallel_for(dv_pool_for(o->context->pool, 10 * (double)boxes), s->stale.count, 1, grow, s);
}

static dvStatus narrow_phase_contacts(dvObject *o, dvObject *intersection, const dvModelPairs *pairs,
                                      dvContactLists *out)
{
  dvBroadPhase *n = (dvBroadPhase *)o;
  if (!n->scratch) n->scratch = dv_alloc(sizeof *n->scratch);
  struct dvNarrowScratch *s = n->scratch;
  double leaves = 0;
  s->used = 0;
  grow_trees(o, s, pairs);
  for (size_t i = 0; i < pairs->count; i++) {
    add_pair(s, intersection, &pairs->data[i]);
    leaves += (double)(pairs->data[i].model[0]->tree.leaves.count + pairs->data[i].model[1]->tree.leaves.count);
  }
  dv_parallel_for(dv_pool_for(o->context->pool, 50 * leaves), s->used, 1, walk_tasks, s);
  dvContactList *list = NULL;
  for (size_t i = 0; i < s->used; i++) {
    const Task *t = &s->tasks.data[i];
    if (i == 0 || t->found.model[0] != s->tasks.data[i - 1].found.model[0] ||
        t->found.model[1] != s->tasks.data[i - 1].found.model[1])
      list = NULL;
    if (t->found.contacts.count == 0) continue;
    if (!list) list = dv_contact_lists_add(out, t->found.model[0], t->found.model[1]);
    dv_reserve(&list->contacts, t->found.contacts.count);
    memcpy(list->contacts.data + list->contacts.count, t->found.contacts.data,
           t->found.contacts.count * sizeof *t->found.contacts.data);
    list->contacts.count += t->found.contacts.count;
  }
  return dv_memory_is_short() ? dv_error(o, NULL, "out of memory for contacts") : DV_OK;
}

void dv_narrow_phase_destroy(dvObject *o)
{
  struct dvNarrowScratch *s = ((dvBroadPhase *)o)->scratch;
  if (!s) return;
  for (size_t i = 0; i < s->tasks.count; i++) {
    dv_array_free(&s->tasks.data[i].stack);
    dv_array_free(&s->tasks.data[i].found.contacts);
  }
  dv_array_free(&s->tasks);
  dv_array_free(&s->cut[0]);
  dv_array_free(&s->cut[1]);
  dv_array_free(&s->told);
  dv_array_free(&s->stale);
  dv_free(s);
}

const dvNarrowPhaseOps dv_narrow_phase_ops = {.contacts = narrow_phase_contacts};

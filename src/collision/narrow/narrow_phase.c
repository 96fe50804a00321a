// BVHNarrowPhase and its kin: the trees of two models are walked together down to pairs of elements.
//
// The walk goes depth first over pairs of ranges, the last pair that was found first, as SOFA's: contacts come in that
// order, in which they are summed. Each pair of models is one task with a list of its own, so any thread may do it;
// long walks are cut into tasks whose lists are put one behind the other.
#include "base/arena.h"
#include "base/pool.h"
#include "collision/narrow/near.h"
#include "collision/phases.h"
#include "collision/register.h"
#include "object/context.h"

enum { CUT = 64, LONG = 400 };   // pieces of a walk; leaves of both trees above which it is cut
enum { FEW = 8 };                // leaves that are tested one by one

// What lies below a cube or is a leaf; `id`: the cube, or -1 - leaf.
typedef struct Range {
  int32_t first, end, id;
  bool leaves;
} Range;

// Two ids in one number: small, and read as it was written.
typedef uint64_t RangePair;

typedef DV_ARRAY(RangePair) Stack;

typedef struct Task {
  const dvShapePair *shapes;
  dvProximity proximity;
  RangePair start;
  bool same_node, same_model;
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

static RangePair pair_of(int32_t first, int32_t second) { return (uint64_t)(uint32_t)first << 32 | (uint32_t)second; }

static Range range_of(const dvCubeTree *t, int32_t id)
{
  if (id < 0) return (Range){-1 - id, -id, id, true};
  const dvCube *c = &t->cubes.data[id];
  return (Range){c->first, c->end, id, c->leaves};
}
static Range first_of(const Task *t, RangePair p) { return range_of(&t->proximity.model[0]->tree, (int32_t)(p >> 32)); }
static Range second_of(const Task *t, RangePair p) { return range_of(&t->proximity.model[1]->tree, (int32_t)p); }

static const dvBox *box_at(const dvCubeTree *t, Range r, int32_t i)
{
  return r.leaves ? &t->leaves.data[i] : &t->cubes.data[i].box;
}

static const dvBox *box_around(const dvCubeTree *t, Range r)
{
  return r.id < 0 ? &t->leaves.data[r.first] : &t->cubes.data[r.id].box;
}

static int32_t id_of(Range r, int32_t i) { return r.leaves ? -1 - i : i; }

static bool may_touch(const dvProximity *p, int32_t i, int32_t j)
{
  const dvCollisionModelOps *ops = dv_collision_model_ops(p->model[0]);
  return !ops->may_touch || ops->may_touch(p->model[0], i, p->model[1], j);
}

static void test_elements(Task *t, int32_t first, int32_t second)
{
  if (!t->same_node || may_touch(&t->proximity, first, second))
    t->shapes->contacts(&t->proximity, first, second, &t->found);
  else if (t->same_model && may_touch(&t->proximity, second, first))
    t->shapes->contacts(&t->proximity, second, first, &t->found);
}

// leaves of the first tree, each against a few of the second
static void test_few(Task *t, const dvNearKernels *near, Range ra, Range rb)
{
  const dvCubeTree *a = &t->proximity.model[0]->tree, *b = &t->proximity.model[1]->tree;
  int32_t hits[FEW];
  for (int32_t i = ra.first; i < ra.end; i++) {
    size_t n = near->boxes(b->leaves.data + rb.first, (size_t)(rb.end - rb.first), &a->leaves.data[i],
                           t->proximity.alarm, hits);
    for (size_t k = 0; k < n; k++)
      if (!t->same_model || rb.first + hits[k] > i)
        test_elements(t, a->elements.data[i], b->elements.data[rb.first + hits[k]]);
  }
}

// the same where ranges are long: first those that are near to the other range as a whole
static void test_many(Task *t, const dvNearKernels *near, Range ra, Range rb)
{
  const dvCubeTree *a = &t->proximity.model[0]->tree, *b = &t->proximity.model[1]->tree;
  size_t na = (size_t)(ra.end - ra.first), nb = (size_t)(rb.end - rb.first);
  double alarm = t->proximity.alarm;
  dvArena *arena = dv_scratch(t->proximity.method->context->pool);
  dvMark mark = dv_arena_mark(arena);
  int32_t *rows = dv_arena_take(arena, na * sizeof *rows), *cols = dv_arena_take(arena, nb * sizeof *cols);
  int32_t *hits = dv_arena_take(arena, nb * sizeof *hits);
  dvBox *boxes = dv_arena_take(arena, nb * sizeof *boxes);
  na = near->boxes(a->leaves.data + ra.first, na, box_around(b, rb), alarm, rows);
  nb = near->boxes(b->leaves.data + rb.first, nb, box_around(a, ra), alarm, cols);
  for (size_t k = 0; k < nb; k++) boxes[k] = b->leaves.data[rb.first + cols[k]];
  for (size_t i = 0; i < na && nb; i++) {
    size_t n = near->boxes(boxes, nb, &a->leaves.data[ra.first + rows[i]], alarm, hits);
    for (size_t k = 0; k < n; k++)
      if (!t->same_model || rb.first + cols[hits[k]] > ra.first + rows[i])
        test_elements(t, a->elements.data[ra.first + rows[i]], b->elements.data[rb.first + cols[hits[k]]]);
  }
  dv_arena_release(arena, mark);
}

static bool is_final(const Task *t, RangePair pair) { return first_of(t, pair).leaves && second_of(t, pair).leaves; }

// pushes what lies below a pair that is not final; of a model with itself only what comes later in the tree
static void open_pair(const Task *t, Range ra, Range rb, Stack *out)
{
  const dvCubeTree *a = &t->proximity.model[0]->tree, *b = &t->proximity.model[1]->tree;
  for (int32_t i = ra.first; i < ra.end; i++)
    for (int32_t j = ra.id == rb.id && t->same_model ? i : rb.first; j < rb.end; j++)
      if (dv_boxes_near(box_at(a, ra, i), box_at(b, rb, j), t->proximity.alarm))
        dv_push(out, pair_of(id_of(ra, i), id_of(rb, j)));
}

static void walk(Task *t)
{
  const dvNearKernels *near = DV_KERNEL_CHOOSE(dv_near_kernels);
  t->found.contacts.count = t->stack.count = 0;
  dv_push(&t->stack, t->start);
  while (t->stack.count) {
    RangePair pair = t->stack.data[--t->stack.count];
    Range ra = first_of(t, pair), rb = second_of(t, pair);
    if (!ra.leaves || !rb.leaves) open_pair(t, ra, rb, &t->stack);
    else if (rb.end - rb.first <= FEW) test_few(t, near, ra, rb);
    else test_many(t, near, ra, rb);
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
      RangePair p = from->data[i];
      if (is_final(like, p)) dv_push(to, p);
      else open_pair(like, first_of(like, p), second_of(like, p), to), open = true;
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
               .same_model = a == b,
               .found = {.model = {a, b}}};
  like.start = pair_of(0, 0);
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

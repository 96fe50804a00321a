// See cube_tree.h.
#include "collision/cube_tree.h"

#include <math.h>
#include <stdlib.h>

enum {
  WHOLE = 4,   // a cube with so many elements is not halved
  AHEAD = 64   // so many steps are looked at for an element that went
};
#define WORN 4.0   // the cubes have grown so much, against the root, that the tree is made anew

static void include(dvBox *b, const dvBox *o)
{
  for (int k = 0; k < 3; k++) {
    b->high[k] = dv_max(b->high[k], o->high[k]);
    b->low[k] = dv_min(b->low[k], o->low[k]);
  }
}

static void fit(dvCubeTree *t, dvCube *c)
{
  c->box = c->leaves ? t->leaves.data[c->first] : t->cubes.data[c->first].box;
  for (int32_t i = c->first + 1; i < c->end; i++)
    include(&c->box, c->leaves ? &t->leaves.data[i] : &t->cubes.data[i].box);
}

// bottom-up merges: equal keys keep their order, and nothing is allocated
static void sort(dvCubeKey *list, dvCubeKey *other, size_t count)
{
  dvCubeKey *from = list, *to = other;
  for (size_t width = 1; width < count; width *= 2) {
    for (size_t low = 0; low < count; low += 2 * width) {
      size_t middle = dv_min_size(low + width, count), high = dv_min_size(low + 2 * width, count);
      for (size_t i = low, j = middle, k = low; k < high; k++)
        to[k] = i < middle && (j >= high || !(from[j].key < from[i].key)) ? from[i++] : from[j++];
    }
    dvCubeKey *swap = from;
    from = to;
    to = swap;
  }
  if (from != list) memcpy(list, from, count * sizeof *list);
}

static int longest_side(const dvBox *b)
{
  double l[3];
  for (int k = 0; k < 3; k++) l[k] = b->high[k] - b->low[k];
  if (l[0] > l[1]) return l[0] > l[2] ? 0 : 2;
  return l[1] > l[2] ? 1 : 2;
}

static void sort_elements(dvCubeTree *t, const dvCube *cube, const dvBox *boxes)
{
  dvCube c = *cube;
  size_t count = (size_t)(c.end - c.first);
  int axis = longest_side(&c.box);
  dvCubeKey *keys = t->scratch.data;
  for (size_t i = 0; i < count; i++) {
    int32_t e = t->elements.data[(size_t)c.first + i];
    keys[i] = (dvCubeKey){boxes[e].low[axis] + boxes[e].high[axis], e};
  }
  sort(keys, keys + count, count);
  for (size_t i = 0; i < count; i++) {
    t->elements.data[(size_t)c.first + i] = keys[i].element;
    t->leaves.data[(size_t)c.first + i] = boxes[keys[i].element];
  }
}

// boxes may be NULL: the elements are in order
static void halve(dvCubeTree *t, size_t at, const dvBox *boxes)
{
  dvCube c = t->cubes.data[at];
  if (boxes) sort_elements(t, &c, boxes);
  int32_t middle = c.first + (c.end - c.first + 1) / 2, child = (int32_t)t->cubes.count;
  dvCube halves[2] = {{.first = c.first, .end = middle, .leaves = true},
                      {.first = middle, .end = c.end, .leaves = true}};
  for (int k = 0; k < 2; k++) {
    fit(t, &halves[k]);
    dv_push(&t->cubes, halves[k]);
  }
  t->cubes.data[at].first = child;
  t->cubes.data[at].end = child + 2;
  t->cubes.data[at].leaves = false;
}

// how large the cubes are together: the sum of their sides
static double size_of(const dvCubeTree *t)
{
  double sum = 0, root = 0;
  for (size_t i = 0; i < t->cubes.count; i++) {
    const dvBox *b = &t->cubes.data[i].box;
    double side = b->high[0] - b->low[0] + b->high[1] - b->low[1] + b->high[2] - b->low[2];
    if (i == 0) root = side;
    sum += side;
  }
  return root > 0 ? sum / root : 0;
}

// the cubes over all leaves; how they are halved depends on the number of elements only
static void grow(dvCubeTree *t, const dvBox *boxes, int depth)
{
  t->cubes.count = 0;
  dvCube root = {.first = 0, .end = (int32_t)t->elements.count, .leaves = true};
  fit(t, &root);
  dv_push(&t->cubes, root);
  size_t begin = 0;
  for (int level = 0; level < depth; level++) {
    size_t end = t->cubes.count;
    for (size_t i = begin; i < end; i++)
      if (t->cubes.data[i].end - t->cubes.data[i].first > WHOLE) halve(t, i, boxes);
    begin = end;
    if (t->cubes.count == end) break;
  }
  t->depth = depth;
}

static void make(dvCubeTree *t, const dvBox *boxes, size_t count, int depth)
{
  DV_REQUIRE(count <= INT32_MAX);
  dv_array_resize(&t->elements, count);
  dv_array_resize(&t->leaves, count);
  dv_array_resize(&t->scratch, 2 * count);
  for (size_t i = 0; i < count; i++) {
    t->elements.data[i] = (int32_t)i;
    t->leaves.data[i] = boxes[i];
  }
  grow(t, boxes, depth);
  t->size = size_of(t);
}

bool dv_cube_tree_regrow(dvCubeTree *t, size_t count)
{
  if (t->elements.count > count) return false;
  for (size_t i = 0; i < t->elements.count; i++)
    if (t->elements.data[i] < 0 || (size_t)t->elements.data[i] >= count) return false;
  dv_array_resize(&t->leaves, t->elements.count);
  dv_array_resize(&t->scratch, 2 * t->elements.count);
  t->cubes.count = 0;
  if (t->elements.count) grow(t, NULL, t->depth);
  return true;
}

// --- elements that come and go -------------------------------------------------------------------

void dv_cube_tree_follow(dvCubeTree *t, const dvTrace *trace, dvElementKind kind)
{
  for (size_t i = 0; i < trace->steps[kind].count && t->elements.count; i++)
    dv_push(&t->changes, trace->steps[kind].data[i]);
}

// what became of the elements: was[number] is the old number, or -1 - leaf for a new one that takes its place before
// that leaf
typedef struct Fate {
  dvNumbers was, now, leaf;   // now: of old ones, -1 for those that are gone; leaf: where an old one stands
} Fate;

// the leaf of an element that went soon after or before a change
static int32_t leaf_near(const dvCubeTree *t, const Fate *f, size_t at)
{
  for (size_t i = at; i < dv_min_size(t->changes.count, at + AHEAD); i++) {
    const dvTraceStep *s = &t->changes.data[i];
    bool old = s->what == DV_REMOVING && (size_t)s->number < f->was.count && f->was.data[s->number] >= 0;
    if (old) return f->leaf.data[f->was.data[s->number]];
    if (s->what == DV_REMOVING) break;
  }
  return (int32_t)t->elements.count;
}

// false when the steps are not those of the elements in the tree
static bool find_fates(const dvCubeTree *t, Fate *f)
{
  size_t before = t->elements.count;
  int32_t last_leaf = (int32_t)before;
  for (size_t i = 0; i < before; i++) dv_push(&f->was, (int32_t)i);
  dv_array_resize(&f->now, before);
  dv_array_resize(&f->leaf, before);
  for (size_t i = 0; i < before; i++) f->leaf.data[t->elements.data[i]] = (int32_t)i;
  for (size_t i = 0; i < t->changes.count; i++) {
    const dvTraceStep *s = &t->changes.data[i];
    if (s->what == DV_ADDED) {
      int32_t leaf = leaf_near(t, f, i);
      if (leaf == (int32_t)before) leaf = last_leaf;
      dv_push(&f->was, -1 - leaf);
      continue;
    }
    if (s->number < 0 || (size_t)s->number >= f->was.count) return false;
    if (f->was.data[s->number] >= 0) last_leaf = f->leaf.data[f->was.data[s->number]];
    f->was.data[s->number] = f->was.data[f->was.count - 1];
    f->was.count--;
  }
  for (size_t i = 0; i < before; i++) f->now.data[i] = -1;
  for (size_t i = 0; i < f->was.count; i++)
    if (f->was.data[i] >= 0) f->now.data[f->was.data[i]] = (int32_t)i;
  return true;
}

typedef struct Fresh {
  int32_t leaf, number;
} Fresh;

static int by_leaf(const void *a, const void *b)
{
  const Fresh *x = a, *y = b;
  return x->leaf != y->leaf ? (x->leaf > y->leaf) - (x->leaf < y->leaf)
                            : (x->number > y->number) - (x->number < y->number);
}

void dv_cube_tree_settle(dvCubeTree *t, size_t count)
{
  Fate f = {0};
  if (!t->changes.count) return;
  bool good = find_fates(t, &f);
  t->changes.count = 0;
  DV_ARRAY(Fresh) fresh = {0};
  dvNumbers order = {0};
  for (size_t i = 0; i < f.was.count; i++)
    if (f.was.data[i] < 0) dv_push(&fresh, ((Fresh){-1 - f.was.data[i], (int32_t)i}));
  if (fresh.count) qsort(fresh.data, fresh.count, sizeof *fresh.data, by_leaf);
  size_t next = 0, before = t->elements.count;
  for (size_t i = 0; i <= before; i++) {
    for (; next < fresh.count && (size_t)fresh.data[next].leaf == i; next++) dv_push(&order, fresh.data[next].number);
    if (i < before && f.now.data[t->elements.data[i]] >= 0) dv_push(&order, f.now.data[t->elements.data[i]]);
  }
  dv_array_resize(&t->elements, order.count);
  if (order.count) memcpy(t->elements.data, order.data, order.count * sizeof *order.data);
  if (!good || order.count != count || !dv_cube_tree_regrow(t, count)) dv_cube_tree_clear(t);
  dv_array_free(&f.was), dv_array_free(&f.now), dv_array_free(&f.leaf);
  dv_array_free(&fresh), dv_array_free(&order);
}

void dv_cube_tree_update(dvCubeTree *t, const dvBox *boxes, size_t count, int depth)
{
  if (count == 0) {
    dv_cube_tree_clear(t);
    return;
  }
  dv_cube_tree_settle(t, count);
  if (t->elements.count != count || t->depth != depth) {
    make(t, boxes, count, depth);
    return;
  }
  for (size_t i = 0; i < count; i++) t->leaves.data[i] = boxes[t->elements.data[i]];
  for (size_t i = t->cubes.count; i > 0; i--) fit(t, &t->cubes.data[i - 1]);
  if (size_of(t) > WORN * t->size) make(t, boxes, count, depth);
}

void dv_cube_tree_clear(dvCubeTree *t) { t->cubes.count = t->elements.count = t->leaves.count = t->changes.count = 0; }

void dv_cube_tree_fini(dvCubeTree *t)
{
  dv_array_free(&t->cubes);
  dv_array_free(&t->elements);
  dv_array_free(&t->leaves);
  dv_array_free(&t->scratch);
  dv_array_free(&t->changes);
}

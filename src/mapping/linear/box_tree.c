// Bounding volumes, halved at the median of the box centres along the longest side. See box_tree.h.
#include "mapping/linear/box_tree.h"

#include <math.h>
#include <stdlib.h>

enum { LEAF = 8, DEEPEST = 64 };

typedef struct Keyed {
  double key;
  int32_t item;
} Keyed;

typedef struct Builder {
  dvBoxTree *tree;
  Keyed *scratch;
} Builder;

static bool is_empty(const dvBox *b)
{
  for (int k = 0; k < 3; k++)
    if (!(b->low[k] <= b->high[k])) return true;
  return false;
}

static bool contains(const dvBox *b, const double p[3])
{
  for (int k = 0; k < 3; k++)
    if (!(p[k] >= b->low[k] && p[k] <= b->high[k])) return false;
  return true;
}

static dvBox bound(const dvBoxTree *t, size_t first, size_t count)
{
  dvBox b = t->boxes[t->items.data[first]];
  for (size_t i = 1; i < count; i++) {
    const dvBox *o = &t->boxes[t->items.data[first + i]];
    for (int k = 0; k < 3; k++) {
      b.low[k] = fmin(b.low[k], o->low[k]);
      b.high[k] = fmax(b.high[k], o->high[k]);
    }
  }
  return b;
}

static int by_key(const void *a, const void *b)
{
  const Keyed *x = a, *y = b;
  if (x->key != y->key) return x->key < y->key ? -1 : 1;
  return x->item < y->item ? -1 : x->item > y->item;
}

static void build(Builder *b, size_t first, size_t count)
{
  dvBoxTree *t = b->tree;
  size_t self = t->nodes.count;
  dvBoxTreeNode node = {.box = bound(t, first, count), .first = (int32_t)first, .count = (int32_t)count};
  dv_push(&t->nodes, node);
  if (count <= LEAF) return;
  int axis = 0;
  for (int k = 1; k < 3; k++)
    if (node.box.high[k] - node.box.low[k] > node.box.high[axis] - node.box.low[axis]) axis = k;
  for (size_t i = 0; i < count; i++) {
    int32_t item = t->items.data[first + i];
    b->scratch[i] = (Keyed){t->boxes[item].low[axis] + t->boxes[item].high[axis], item};
  }
  qsort(b->scratch, count, sizeof *b->scratch, by_key);
  for (size_t i = 0; i < count; i++) t->items.data[first + i] = b->scratch[i].item;
  build(b, first, count / 2);
  t->nodes.data[self].right = (int32_t)t->nodes.count;
  build(b, first + count / 2, count - count / 2);
}

void dv_box_tree_init(dvBoxTree *t, const dvBox *boxes, size_t count)
{
  *t = (dvBoxTree){.boxes = boxes};
  DV_REQUIRE(count <= INT32_MAX);
  for (size_t i = 0; i < count; i++)
    if (!is_empty(&boxes[i])) dv_push(&t->items, (int32_t)i);
  if (t->items.count == 0) return;
  Builder b = {.tree = t, .scratch = dv_alloc(t->items.count * sizeof(Keyed))};
  build(&b, 0, t->items.count);
  dv_free(b.scratch);
}

void dv_box_tree_fini(dvBoxTree *t)
{
  dv_array_free(&t->nodes);
  dv_array_free(&t->items);
}

static int ascending(const void *a, const void *b)
{
  int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
  return x < y ? -1 : x > y;
}

void dv_box_tree_find(const dvBoxTree *t, const double point[3], dvHits *hits)
{
  int32_t stack[DEEPEST];
  int depth = 0;
  hits->count = 0;
  if (t->nodes.count) stack[depth++] = 0;
  while (depth) {
    int32_t at = stack[--depth];
    const dvBoxTreeNode *n = &t->nodes.data[at];
    if (!contains(&n->box, point)) continue;
    if (n->right) {
      stack[depth++] = n->right;
      stack[depth++] = at + 1;
      continue;
    }
    for (int32_t i = n->first; i < n->first + n->count; i++)
      if (contains(&t->boxes[t->items.data[i]], point)) dv_push(hits, t->items.data[i]);
  }
  if (hits->count > 1) qsort(hits->data, hits->count, sizeof *hits->data, ascending);
}

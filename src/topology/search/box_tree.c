// Bounding volumes, halved at the median of the box centres along the longest side. See box_tree.h.
#include "topology/search/box_tree.h"

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

static bool meets(const dvBox *b, const dvBox *o)
{
  for (int k = 0; k < 3; k++)
    if (!(o->high[k] >= b->low[k] && o->low[k] <= b->high[k])) return false;
  return true;
}

static dvBox bound(const dvBoxTree *t, size_t first, size_t count)
{
  dvBox b = t->boxes[t->items.data[first]];
  for (size_t i = 1; i < count; i++) {
    const dvBox *o = &t->boxes[t->items.data[first + i]];
    for (int k = 0; k < 3; k++) {
      b.low[k] = dv_min(b.low[k], o->low[k]);
      b.high[k] = dv_max(b.high[k], o->high[k]);
    }
  }
  return b;
}

static bool is_less(Keyed x, Keyed y) { return x.key != y.key ? x.key < y.key : x.item < y.item; }

// Puts the entry that belongs at `at` there, smaller ones before it and larger ones behind (C. A. R. Hoare, Find,
// 1961).
static void partition_at(Keyed *list, size_t count, size_t at)
{
  size_t low = 0, high = count - 1;
  while (low < high) {
    Keyed pivot = list[low + (high - low) / 2];
    size_t i = low, j = high;
    while (i <= j) {
      while (is_less(list[i], pivot)) i++;
      while (is_less(pivot, list[j])) j--;
      if (i > j) break;
      Keyed swap = list[i];
      list[i++] = list[j];
      list[j] = swap;
      if (j == 0) break;
      j--;
    }
    if (at <= j && j < i) high = j;
    else if (at >= i) low = i;
    else return;
  }
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
  partition_at(b->scratch, count, count / 2);
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

// mostly a handful: moving them is quicker than a call for each comparison
static void sort_hits(dvHits *hits)
{
  enum { FEW = 32 };
  if (hits->count > FEW) {
    qsort(hits->data, hits->count, sizeof *hits->data, ascending);
    return;
  }
  for (size_t i = 1; i < hits->count; i++) {
    int32_t item = hits->data[i];
    size_t k = i;
    for (; k > 0 && hits->data[k - 1] > item; k--) hits->data[k] = hits->data[k - 1];
    hits->data[k] = item;
  }
}

void dv_box_tree_meet(const dvBoxTree *t, const dvBox *box, dvHits *hits)
{
  int32_t stack[DEEPEST];
  int depth = 0;
  hits->count = 0;
  if (t->nodes.count) stack[depth++] = 0;
  while (depth) {
    int32_t at = stack[--depth];
    const dvBoxTreeNode *n = &t->nodes.data[at];
    if (!meets(&n->box, box)) continue;
    if (n->right) {
      stack[depth++] = n->right;
      stack[depth++] = at + 1;
      continue;
    }
    for (int32_t i = n->first; i < n->first + n->count; i++)
      if (meets(&t->boxes[t->items.data[i]], box)) dv_push(hits, t->items.data[i]);
  }
  sort_hits(hits);
}

void dv_box_tree_find(const dvBoxTree *t, const double point[3], dvHits *hits)
{
  dv_box_tree_meet(t, &(dvBox){{point[0], point[1], point[2]}, {point[0], point[1], point[2]}}, hits);
}

// the part of the ray between the two sides of the box along each axis; a little wider than exact
static bool ray_meets(const dvBox *b, const double origin[3], const double direction[3])
{
  double enter = 0, leave = INFINITY;
  for (int k = 0; k < 3; k++) {
    double slack = 1e-12 * (fabs(b->low[k]) + fabs(b->high[k]) + fabs(origin[k])), low = b->low[k] - slack,
           high = b->high[k] + slack;
    if (direction[k] == 0) {
      if (origin[k] < low || origin[k] > high) return false;
      continue;
    }
    double a = (low - origin[k]) / direction[k], c = (high - origin[k]) / direction[k];
    enter = dv_max(enter, dv_min(a, c));
    leave = dv_min(leave, dv_max(a, c));
  }
  return enter <= leave;
}

void dv_box_tree_ray(const dvBoxTree *t, const double origin[3], const double direction[3], dvHits *hits)
{
  int32_t stack[DEEPEST];
  int depth = 0;
  hits->count = 0;
  if (t->nodes.count) stack[depth++] = 0;
  while (depth) {
    int32_t at = stack[--depth];
    const dvBoxTreeNode *n = &t->nodes.data[at];
    if (!ray_meets(&n->box, origin, direction)) continue;
    if (n->right) {
      stack[depth++] = n->right;
      stack[depth++] = at + 1;
      continue;
    }
    for (int32_t i = n->first; i < n->first + n->count; i++)
      if (ray_meets(&t->boxes[t->items.data[i]], origin, direction)) dv_push(hits, t->items.data[i]);
  }
  sort_hits(hits);
}

// The same operations for a box and for what lies inside it: rounding keeps the order of the two.
static double distance2_to(const dvBox *b, const double p[3])
{
  double d[3];
  for (int k = 0; k < 3; k++) d[k] = p[k] < b->low[k] ? b->low[k] - p[k] : p[k] > b->high[k] ? p[k] - b->high[k] : 0;
  return d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
}

int32_t dv_box_tree_nearest(const dvBoxTree *t, const double point[3], double *distance2)
{
  struct {
    int32_t node;
    double distance2;
  } stack[DEEPEST];
  int depth = 0;
  int32_t nearest = -1;
  if (t->nodes.count) stack[depth].node = 0, stack[depth++].distance2 = distance2_to(&t->nodes.data[0].box, point);
  while (depth) {
    int32_t at = stack[--depth].node;
    // as near as the nearest so far may still have a smaller number
    if (!(nearest < 0 ? stack[depth].distance2 < *distance2 : stack[depth].distance2 <= *distance2)) continue;
    const dvBoxTreeNode *n = &t->nodes.data[at];
    if (n->right) {
      double left = distance2_to(&t->nodes.data[at + 1].box, point),
             right = distance2_to(&t->nodes.data[n->right].box, point);
      bool swap = left <= right;   // the nearer one is looked at first: it goes on top
      stack[depth].node = swap ? n->right : at + 1, stack[depth++].distance2 = swap ? right : left;
      stack[depth].node = swap ? at + 1 : n->right, stack[depth++].distance2 = swap ? left : right;
      continue;
    }
    for (int32_t i = n->first; i < n->first + n->count; i++) {
      int32_t item = t->items.data[i];
      double d = distance2_to(&t->boxes[item], point);
      if (d < *distance2 || (d == *distance2 && nearest >= 0 && item < nearest)) nearest = item, *distance2 = d;
    }
  }
  return nearest;
}

// See ldl_tree.h.
#include "linear/direct/ldl_tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// A tree while it is made, numbers of nodes are blocks (columns) or groups of them. A subtree that stays is one column,
// and a group by itself.
typedef struct Tree {
  const dvLdlGraph *graph;
  int32_t n;
  int32_t *perm, *inverse;
  int32_t *parent, *count;   // of columns: rows of L below the diagonal
  int32_t *group;            // of each column
  int32_t groups;
  int32_t *cols, *rows, *up;   // of groups: columns, rows below, parent
  int32_t *stays;              // the node of a subtree that it is, -1
  int32_t *head, *next;        // children
  int32_t *into;               // the group that it was joined to, or itself
  double *zeros;               // numbers stored for nothing
  int32_t *a, *b;              // scratch
  double *peak;                // memory of update matrices while its subtree is at work
} Tree;

// --- columns -------------------------------------------------------------------------------------

static void find_parents(Tree *t, const dvPattern *p)
{
  int32_t *ancestor = t->a;
  for (int32_t k = 0; k < t->n; k++) t->inverse[t->perm[k]] = k;
  for (int32_t k = 0; k < t->n; k++) {
    int32_t row = t->perm[k];
    t->parent[k] = ancestor[k] = -1;
    for (int32_t e = p->row_start[row]; e < p->row_start[row + 1]; e++) {
      int32_t j = t->inverse[p->col[e]], up;
      if (j >= k) continue;
      for (; ancestor[j] != k && ancestor[j] >= 0; j = up) {
        up = ancestor[j];
        ancestor[j] = k;   // a shortcut for the next walk
      }
      if (ancestor[j] < 0) ancestor[j] = t->parent[j] = k;
    }
  }
}

// children before parents, each subtree in one piece: order[k] is the k-th node
static void postorder(int32_t n, const int32_t *parent, int32_t *head, int32_t *next, int32_t *order)
{
  for (int32_t i = 0; i < n; i++) head[i] = -1;
  for (int32_t i = n - 1; i >= 0; i--)
    if (parent[i] >= 0) next[i] = head[parent[i]], head[parent[i]] = i;
  int32_t done = 0;
  for (int32_t root = 0; root < n; root++) {
    if (parent[root] >= 0) continue;
    for (int32_t i = root;;) {
      while (head[i] >= 0) {   // down to a leaf
        int32_t child = head[i];
        head[i] = next[child];
        i = child;
      }
      order[done++] = i;
      if (i == root) break;
      i = parent[i];
    }
  }
}

static void sort_columns(Tree *t, const dvPattern *p)
{
  find_parents(t, p);
  postorder(t->n, t->parent, t->head, t->next, t->b);
  for (int32_t k = 0; k < t->n; k++) t->a[k] = t->perm[t->b[k]], t->count[t->b[k]] = k;
  memcpy(t->perm, t->a, (size_t)t->n * sizeof *t->a);
  for (int32_t k = 0; k < t->n; k++) t->a[k] = t->parent[t->b[k]] < 0 ? -1 : t->count[t->parent[t->b[k]]];
  memcpy(t->parent, t->a, (size_t)t->n * sizeof *t->a);
  for (int32_t k = 0; k < t->n; k++) t->inverse[t->perm[k]] = k, t->count[k] = 0;
}

// the root of what has been joined so far above column j, with shortcuts for the next walk
static int32_t top_of(int32_t *above, int32_t j)
{
  int32_t top = j, next;
  while (above[top] != top) top = above[top];
  for (; above[j] != top; j = next) next = above[j], above[j] = top;
  return top;
}

// Rows of L below the diagonal of each column, without L: the tree of a row begins at its leaves among the entries of A
// and ends where two of them meet (Gilbert, Ng and Peyton 1994). Columns are in postorder; `columns` has A by columns.
static void count_rows(Tree *t, const dvPattern *columns)
{
  int32_t *first = t->a, *most = t->b, *last = t->head, *above = t->next, *count = t->count;
  for (int32_t k = 0; k < t->n; k++) first[k] = most[k] = last[k] = -1, above[k] = k;
  for (int32_t k = 0; k < t->n; k++) {   // first descendants
    count[k] = first[k] < 0;
    for (int32_t j = k; j >= 0 && first[j] < 0; j = t->parent[j]) first[j] = k;
  }
  for (int32_t j = 0; j < t->n; j++) {
    int32_t own = t->perm[j];
    if (t->parent[j] >= 0) count[t->parent[j]]--;
    for (int32_t e = columns->row_start[own]; e < columns->row_start[own + 1]; e++) {
      int32_t i = t->inverse[columns->col[e]];
      if (i <= j || first[j] <= most[i]) continue;   // not a leaf of the tree of row i
      count[j]++;
      if (last[i] >= 0) count[top_of(above, last[i])]--;
      most[i] = first[j];
      last[i] = j;
    }
    if (t->parent[j] >= 0) above[j] = t->parent[j];
  }
  for (int32_t j = 0; j < t->n; j++) {
    if (t->parent[j] >= 0) count[t->parent[j]] += count[j];
    count[j]--;
  }
}

// --- groups --------------------------------------------------------------------------------------

// A column joins the one before it when it is its parent and has the same rows. False when a subtree that stays would.
static bool group_columns(Tree *t)
{
  for (int32_t k = 0; k < t->n; k++) {
    bool joins = k > 0 && t->parent[k - 1] == k && t->count[k - 1] == t->count[k] + 1;
    if (joins && t->stays[t->groups - 1] >= 0) return false;
    if (!joins) t->cols[t->groups++] = 0;
    int32_t g = t->group[k] = t->groups - 1;
    t->cols[g]++;
    t->rows[g] = t->count[k];
    t->b[g] = k;   // its last column
    t->stays[g] = -1;
    if (!dv_ldl_node_stays(t->graph, t->perm[k])) continue;
    int32_t top = dv_ldl_stay(t->graph, t->perm[k])->end - 1;
    t->stays[g] = t->perm[k];
    t->cols[g] = t->graph->was->front[top].cols / t->graph->was->block;
    t->zeros[g] = t->graph->was->shape[top].zeros;
    t->peak[g] = t->graph->was->shape[top].peak;
  }
  for (int32_t g = 0; g < t->groups; g++) {
    int32_t up = t->parent[t->b[g]];
    t->up[g] = up < 0 ? -1 : t->group[up];
    t->into[g] = g;
  }
  return true;
}

static double group_size(double cols, double rows) { return cols * (cols + 1) / 2 + cols * rows; }

// zeros that joining child c to p would store more
static double extra_zeros(const Tree *t, int32_t c, int32_t p)
{
  return (double)t->cols[c] * ((double)t->cols[p] + t->rows[p] - t->rows[c]);
}

// narrow fronts cost more than zeros do
static bool worth_joining(const Tree *t, int32_t c, int32_t p, int block)
{
  double cols = (double)t->cols[c] + t->cols[p], zeros = t->zeros[c] + t->zeros[p] + extra_zeros(t, c, p);
  double part = zeros / group_size(cols, t->rows[p]), width = cols * block;
  if (width <= 8) return true;
  return part < (width <= 24 ? 0.6 : width <= 64 ? 0.2 : width <= 128 ? 0.1 : 0.05);
}

typedef struct Candidate {
  double zeros;
  int32_t group;
} Candidate;

static int compare_candidates(const void *a, const void *b)
{
  const Candidate *x = a, *y = b;
  if (x->zeros != y->zeros) return x->zeros < y->zeros ? -1 : 1;
  return (x->group > y->group) - (x->group < y->group);
}

// Children come before parents, so theirs are settled. A front that stays can have become one with those above it; what
// was not worth joining to it alone may be worth joining to all of them. False when that is a subtree that stays.
static bool join_groups(Tree *t, int block, Candidate *list)
{
  for (int32_t g = 0; g < t->groups; g++) t->head[g] = -1;
  for (int32_t p = 0; p < t->groups; p++) {
    size_t count = 0;
    for (int32_t c = t->head[p]; c >= 0; c = t->next[c]) list[count++] = (Candidate){extra_zeros(t, c, p), c};
    qsort(list, count, sizeof *list, compare_candidates);
    t->head[p] = -1;
    for (size_t k = 0; k < count; k++) {
      int32_t c = list[k].group;
      if (!worth_joining(t, c, p, block)) {
        t->next[c] = t->head[p];
        t->head[p] = c;
        continue;
      }
      if (t->stays[c] >= 0) return false;
      t->zeros[p] += t->zeros[c] + extra_zeros(t, c, p);
      t->cols[p] += t->cols[c];
      t->into[c] = p;
      for (int32_t child = t->head[c], after; child >= 0; child = after) {
        after = t->next[child];
        t->up[child] = p;
        t->next[child] = t->head[p];
        t->head[p] = child;
      }
    }
    if (t->up[p] >= 0) t->next[p] = t->head[t->up[p]], t->head[t->up[p]] = p;
  }
  return true;
}

// --- fronts --------------------------------------------------------------------------------------

// Children whose subtree needs most beyond what it leaves behind come first (Liu 1986). t->head and t->next become the
// sorted lists.
static void sort_children(Tree *t, Candidate *list)
{
  for (int32_t p = 0; p < t->groups; p++) {
    if (t->into[p] != p || t->stays[p] >= 0) continue;
    size_t count = 0;
    for (int32_t c = t->head[p]; c >= 0; c = t->next[c])
      list[count++] = (Candidate){t->peak[c] - (double)t->rows[c] * t->rows[c], c};
    qsort(list, count, sizeof *list, compare_candidates);   // the last one comes first
    double held = 0, peak = 0;
    t->head[p] = -1;
    for (size_t k = 0; k < count; k++) t->next[list[k].group] = t->head[p], t->head[p] = list[k].group;
    for (int32_t c = t->head[p]; c >= 0; c = t->next[c]) {
      peak = dv_max(peak, held + t->peak[c]);
      held += (double)t->rows[c] * t->rows[c];
    }
    t->peak[p] = dv_max(peak, held + (double)t->rows[p] * t->rows[p]);
  }
}

// order[k] is the k-th group; head is used up
static int32_t walk_groups(Tree *t, int32_t *order)
{
  int32_t done = 0;
  for (int32_t root = 0; root < t->groups; root++) {
    if (t->into[root] != root || t->up[root] >= 0) continue;
    for (int32_t i = root;;) {
      while (t->head[i] >= 0) {
        int32_t child = t->head[i];
        t->head[i] = t->next[child];
        i = child;
      }
      order[done++] = i;
      if (i == root) break;
      i = t->up[i];
    }
  }
  return done;
}

static void list_children(dvLdlSymbolic *s)
{
  int32_t at = 0;
  for (int32_t i = 0; i < s->fronts; i++)
    if (s->front[i].parent >= 0) s->front[s->front[i].parent].children++;
  for (int32_t i = 0; i < s->fronts; i++) {
    s->front[i].child = at;
    at += s->front[i].children;
    s->front[i].children = 0;
  }
  for (int32_t i = 0; i < s->fronts; i++) {
    if (s->front[i].parent < 0) continue;
    dvFront *up = &s->front[s->front[i].parent];
    s->child[up->child + up->children++] = i;
  }
}

// fronts of a subtree that stays, from number `at` on; the parent of the last one comes later
static void take_over(dvLdlSymbolic *s, const dvLdlGraph *g, const dvLdlStay *stay, int32_t at, int32_t first,
                      int32_t *old)
{
  const dvLdlSymbolic *was = g->was;
  int32_t columns = was->front[stay->begin].first, shift = first - columns;
  for (int32_t j = stay->begin; j < stay->end; j++) {
    const dvFront *f = &was->front[j];
    int32_t i = at + j - stay->begin, up = j == stay->end - 1 ? -1 : at + f->parent - stay->begin;
    s->front[i] = (dvFront){.first = f->first + shift, .cols = f->cols, .rows = f->rows / s->block, .parent = up};
    s->shape[i] = was->shape[j];
    old[i] = j;
  }
  int32_t end = was->front[stay->end - 1].first + was->front[stay->end - 1].cols;
  for (int32_t k = columns / s->block; k < end / s->block; k++) {
    int32_t to = k + shift / s->block;
    s->perm[to] = was->perm[k];
    s->inverse[was->perm[k]] = to;
  }
}

static int32_t fronts_of(const Tree *t, int32_t group)
{
  if (t->stays[group] < 0) return 1;
  const dvLdlStay *stay = dv_ldl_stay(t->graph, t->stays[group]);
  return stay->end - stay->begin;
}

// number[g]: the front of a group, the last one of a subtree
static void lay_fronts(const Tree *t, dvLdlSymbolic *s, int32_t groups, const int32_t *order, int32_t *number,
                       int32_t *old)
{
  int32_t first = 0, at = 0;
  for (int32_t k = 0; k < groups; k++) {
    int32_t g = order[k], count = fronts_of(t, g);
    number[g] = at + count - 1;
    if (t->stays[g] >= 0) {
      take_over(s, t->graph, dv_ldl_stay(t->graph, t->stays[g]), at, first, old);
    } else {
      s->front[at] = (dvFront){.first = first, .cols = t->cols[g] * s->block, .rows = t->rows[g], .parent = -1};
      s->shape[at] = (dvFrontShape){.zeros = t->zeros[g], .peak = t->peak[g]};
      old[at] = -1;
    }
    at += count;
    first = s->front[at - 1].first + s->front[at - 1].cols;
  }
  for (int32_t k = 0; k < groups; k++)
    if (t->up[order[k]] >= 0) s->front[number[order[k]]].parent = number[t->up[order[k]]];
}

// columns: a group that was joined to another stands before it, so links lead upwards
static void lay_columns(Tree *t, dvLdlSymbolic *s, const int32_t *number)
{
  int32_t *cursor = t->next;
  for (int32_t g = t->groups - 1; g >= 0; g--) t->into[g] = t->into[t->into[g]];
  for (int32_t g = 0; g < t->groups; g++) cursor[g] = 0;
  for (int32_t k = 0; k < t->n; k++) {
    int32_t g = t->into[t->group[k]], point = t->graph->point[t->perm[k]];
    dvFrontShape *shape = &s->shape[number[g]];
    if (t->stays[g] >= 0) continue;
    shape->count += (size_t)t->count[k];
    shape->work += (double)t->count[k] * t->count[k];
    int32_t at = s->front[number[g]].first / s->block + cursor[g]++;
    s->perm[at] = point;
    s->inverse[point] = at;
  }
  for (int32_t i = 0; i < s->fronts; i++) s->count += s->shape[i].count;
}

static bool make_fronts(Tree *t, dvLdlSymbolic *s, int32_t **old)
{
  int32_t *order = t->a, *number = t->b, groups = walk_groups(t, order);
  for (int32_t k = 0; k < groups; k++) s->fronts += fronts_of(t, order[k]);
  s->front = dv_try_alloc((size_t)(s->fronts + 1) * sizeof *s->front);
  s->shape = dv_try_alloc((size_t)(s->fronts + 1) * sizeof *s->shape);
  s->child = dv_try_alloc((size_t)(s->fronts + 1) * sizeof *s->child);
  *old = dv_try_alloc((size_t)(s->fronts + 1) * sizeof **old);
  if (!s->front || !s->shape || !s->child || !*old) return false;
  lay_fronts(t, s, groups, order, number, *old);
  list_children(s);
  lay_columns(t, s, number);
  return true;
}

// sum of squares of the columns of L, in blocks: what the factorisation with the present order costs
static double work_of(const Tree *t)
{
  double sum = t->graph->work;
  for (int32_t k = 0; k < t->n; k++)
    if (!dv_ldl_node_stays(t->graph, t->perm[k])) sum += (double)t->count[k] * t->count[k];
  return sum;
}

// tree and rows of the columns in the present order
static void look_at_order(Tree *t)
{
  sort_columns(t, t->graph->rows);
  count_rows(t, &t->graph->columns);
}

static bool order_columns(Tree *t, dvOrder order)
{
  if (!dv_order(order, t->graph->rows, t->perm)) return false;
  look_at_order(t);
  return true;
}

// The order of least work. On small graphs METIS is not worth its time. AMD between its separators takes up to a sixth
// less work than its own orders on middling graphs, more on large ones.
static bool order_best(Tree *t)
{
  static const struct {
    dvOrder order;
    int32_t least, most;   // rows
  } tried[] = {{DV_ORDER_AMD, 0, INT32_MAX}, {DV_ORDER_METIS, 1000, INT32_MAX}, {DV_ORDER_SEPARATED, 150, 4000}};
  size_t bytes = (size_t)t->n * sizeof(int32_t);
  double least = INFINITY;
  bool good = true, last = false;
  int32_t *kept = dv_try_alloc(bytes + 1);
  if (!kept) return false;
  for (size_t k = 0; k < DV_COUNT(tried) && good; k++) {
    if (t->n < tried[k].least || t->n > tried[k].most || (k > 0 && !dv_order_has_metis())) continue;
    good = order_columns(t, tried[k].order);
    last = good && work_of(t) < least;
    if (!last) continue;
    least = work_of(t);
    memcpy(kept, t->perm, bytes);
  }
  if (good && !last) {
    memcpy(t->perm, kept, bytes);
    look_at_order(t);
  }
  dv_free(kept);
  return good;
}

// the order of points that the nodes' stands for
static void note_order(const Tree *t, int32_t *used)
{
  const dvLdlGraph *g = t->graph;
  for (int32_t k = 0; k < t->n; k++) {
    int32_t node = t->perm[k];
    if (!dv_ldl_node_stays(g, node)) {
      *used++ = g->point[node];
      continue;
    }
    const dvLdlStay *stay = dv_ldl_stay(g, node);
    size_t count = (size_t)(stay[1].member - stay->member);
    memcpy(used, g->member + stay->member, count * sizeof *used);
    used += count;
  }
}

// the order that is given, unless it is too dear
static dvLdlGrowth choose_order(Tree *t, dvOrderChoice *order)
{
  const dvLdlGraph *g = t->graph;
  const int32_t *given = g->was ? g->given : order->given;
  order->whole = true;
  if (given) {
    memcpy(t->perm, given, (size_t)t->n * sizeof *given);
    look_at_order(t);
    order->whole = work_of(t) > order->most;
  }
  if (order->whole && g->was) return DV_LDL_DEAR;
  if (order->whole && !(order->method == DV_ORDER_BEST ? order_best(t) : order_columns(t, order->method)))
    return DV_LDL_NO_MEMORY;
  order->work = work_of(t);
  if (order->used) note_order(t, order->used);
  return DV_LDL_GROWN;
}

static dvLdlGrowth grow(Tree *t, dvLdlSymbolic *s, dvOrderChoice *order, Candidate *list, int32_t **old)
{
  dvLdlGrowth found = choose_order(t, order);
  if (found != DV_LDL_GROWN) return found;
  if (!group_columns(t) || !join_groups(t, s->block, list)) return DV_LDL_REACHED;
  sort_children(t, list);
  return make_fronts(t, s, old) ? DV_LDL_GROWN : DV_LDL_NO_MEMORY;
}

dvLdlGrowth dv_ldl_grow_tree(dvLdlSymbolic *s, const dvLdlGraph *g, dvOrderChoice *order, int32_t **old)
{
  Tree t = {.graph = g, .n = (int32_t)g->nodes};
  int32_t **arrays[] = {&t.perm, &t.inverse, &t.parent, &t.count, &t.group, &t.cols, &t.rows,
                        &t.up,   &t.head,    &t.next,   &t.into,  &t.a,     &t.b,    &t.stays};
  size_t n = g->nodes + 1;
  int32_t *ints = dv_try_alloc(DV_COUNT(arrays) * n * sizeof *ints);
  Candidate *list = dv_try_alloc(n * sizeof *list);
  t.zeros = dv_try_alloc(n * sizeof *t.zeros);
  t.peak = dv_try_alloc(n * sizeof *t.peak);
  for (size_t k = 0; ints && k < DV_COUNT(arrays); k++) *arrays[k] = ints + k * n;
  dvLdlGrowth found = ints && list && t.zeros && t.peak ? grow(&t, s, order, list, old) : DV_LDL_NO_MEMORY;
  dv_free(ints);
  dv_free(list);
  dv_free(t.zeros);
  dv_free(t.peak);
  return found;
}

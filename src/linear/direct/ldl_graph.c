// See ldl_graph.h.
#include "linear/direct/ldl_graph.h"

#include <string.h>

void dv_ldl_graph_free(dvLdlGraph *g)
{
  dv_pattern_free(&g->own);
  dv_pattern_free(&g->columns);
  dv_free(g->source);
  dv_free(g->given);
  dv_free(g->point);
  dv_free(g->node);
  dv_free(g->stay);
  dv_free(g->member);
  *g = (dvLdlGraph){0};
}

bool dv_ldl_graph_whole(dvLdlGraph *g, const dvPattern *a)
{
  *g = (dvLdlGraph){.nodes = a->rows, .open = a->rows, .rows = a};
  g->source = dv_try_alloc((dv_pattern_count(a) + 1) * sizeof *g->source);
  g->point = dv_try_alloc((a->rows + 1) * sizeof *g->point);
  g->node = dv_try_alloc((a->rows + 1) * sizeof *g->node);
  bool good = g->source && g->point && g->node && dv_pattern_transpose(&g->columns, a, g->source);
  if (!good) dv_ldl_graph_free(g);
  for (size_t i = 0; good && i < a->rows; i++) g->point[i] = g->node[i] = (int32_t)i;
  return good;
}

// --- what stays ----------------------------------------------------------------------------------

typedef struct Reduction {
  dvLdlGraph *g;
  const dvOrderChoice *order;
  bool *open;        // of each front before
  int32_t *inside;   // of each front before: the subtree that it belongs to, -1
  int32_t *left;     // of each subtree: points that have not been met; rows
  int32_t *entry;    // entry of A for each of g->own
} Reduction;

static size_t length_of(const dvPattern *p, size_t row) { return (size_t)(p->row_start[row + 1] - p->row_start[row]); }

static bool same_row(const dvPattern *a, const dvPattern *b, size_t row)
{
  size_t count = length_of(a, row);
  return length_of(b, row) == count &&
         memcmp(a->col + a->row_start[row], b->col + b->row_start[row], count * sizeof *a->col) == 0;
}

static void touch(const Reduction *r, size_t point)
{
  const dvLdlSymbolic *was = r->g->was;
  if (point < was->n) r->open[was->front_of[was->inverse[point]]] = true;
}

// columns that only one of the two rows has: another row's column has changed with it
static void touch_differences(const Reduction *r, size_t row)
{
  const dvPattern *was = r->g->before, *now = r->g->now;
  int32_t a = was->row_start[row], b = now->row_start[row];
  while (a < was->row_start[row + 1] || b < now->row_start[row + 1]) {
    int32_t x = a < was->row_start[row + 1] ? was->col[a] : INT32_MAX;
    int32_t y = b < now->row_start[row + 1] ? now->col[b] : INT32_MAX;
    if (x != y) touch(r, (size_t)dv_min_int(x, y));
    a += x <= y;
    b += y <= x;
  }
}

// Fronts with a point that is gone, has other neighbours, or has one whose place in the order is another.
static void touch_changed(const Reduction *r)
{
  const dvPattern *was = r->g->before, *now = r->g->now;
  for (size_t p = 0; p < was->rows; p++) {
    if (p >= now->rows) {
      touch(r, p);
      for (int32_t e = was->row_start[p]; e < was->row_start[p + 1]; e++) touch(r, (size_t)was->col[e]);
      continue;
    }
    bool changed = !same_row(was, now, p);
    if (changed) touch_differences(r, p);
    for (int32_t e = was->row_start[p]; e < was->row_start[p + 1] && !changed; e++)
      changed = (size_t)was->col[e] >= now->rows || r->order->moved[was->col[e]];
    if (changed || r->order->moved[p]) touch(r, p);
  }
  for (size_t p = was->rows; p < now->rows; p++)   // new rows
    for (int32_t e = now->row_start[p]; e < now->row_start[p + 1]; e++) touch(r, (size_t)now->col[e]);
}

// A front above one that has changed may change with it. Of what has not, the topmost fronts are looked at again too:
// they may be joined to their parents now, which are others.
static void find_stays(Reduction *r)
{
  dvLdlGraph *g = r->g;
  const dvLdlSymbolic *was = g->was;
  for (int32_t i = 0; i < was->fronts; i++)
    if (r->open[i] && was->front[i].parent >= 0) r->open[was->front[i].parent] = true;
  for (int32_t i = 0; i < was->fronts; i++) {
    int32_t up = was->front[i].parent;
    r->inside[i] = r->open[i] || up < 0 || r->open[up] ? -1 : 0;
  }
  for (int32_t i = was->fronts - 1; i >= 0; i--) {   // parents first
    int32_t up = was->front[i].parent;
    if (r->inside[i] < 0) continue;
    if (r->inside[up] < 0) r->inside[i] = (int32_t)g->stays, g->stay[g->stays++].end = i + 1;
    else r->inside[i] = r->inside[up];
    g->stay[r->inside[i]].begin = i;
  }
}

static int32_t inside_of(const Reduction *r, size_t point)
{
  const dvLdlSymbolic *was = r->g->was;
  return point < was->n ? r->inside[was->front_of[was->inverse[point]]] : -1;
}

// --- the smaller graph ---------------------------------------------------------------------------

// Nodes by rising point, then the subtrees, each in the place of the last of its points: where the root of its columns
// stands.
static void number_nodes(Reduction *r)
{
  dvLdlGraph *g = r->g;
  size_t n = g->now->rows;
  for (size_t p = 0; p < n; p++) {
    int32_t stay = inside_of(r, p);
    g->node[p] = stay < 0 ? (int32_t)g->open : -1;
    if (stay < 0) g->point[g->open++] = (int32_t)p;
    else r->left[stay]++;
  }
  int32_t at = 0;
  for (size_t k = 0; k < g->stays; at += r->left[k], k++) g->stay[k].member = at;
  g->stay[g->stays].member = at;
  size_t next = 0;
  for (size_t k = 0; k < n; k++) {
    int32_t p = r->order->given[k], stay = inside_of(r, (size_t)p);
    if (stay < 0) {
      g->given[next++] = g->node[p];
      continue;
    }
    g->member[g->stay[stay + 1].member - r->left[stay]] = p;
    if (--r->left[stay] > 0) continue;
    g->point[g->open + (size_t)stay] = p;
    g->given[next++] = (int32_t)g->open + stay;
  }
  g->nodes = g->open + g->stays;
}

// rows under the root of a subtree, which are pivots of open fronts; their number
static size_t rows_below(const dvLdlGraph *g, const dvLdlStay *stay, const int32_t **row)
{
  const dvFront *root = &g->was->front[stay->end - 1];
  *row = g->was->row + root->row;
  return (size_t)(root->rows / g->was->block);
}

static bool make_rows(Reduction *r)
{
  dvLdlGraph *g = r->g;
  const dvLdlSymbolic *was = g->was;
  int32_t *start = g->own.row_start = dv_try_alloc((g->nodes + 2) * sizeof *start);
  if (!start) return false;
  g->own.rows = g->own.cols = g->nodes;
  for (size_t i = 0; i < g->open; i++) {
    size_t p = (size_t)g->point[i];
    for (int32_t e = g->now->row_start[p]; e < g->now->row_start[p + 1]; e++)
      start[i + 2] += g->node[g->now->col[e]] >= 0;
  }
  const int32_t *row;
  for (size_t k = 0; k < g->stays; k++)
    for (size_t e = 0, below = rows_below(g, &g->stay[k], &row); e < below; e++)
      start[g->node[was->perm[row[e]]] + 2]++;
  for (size_t i = 2; i < g->nodes + 2; i++) start[i] += start[i - 1];
  size_t count = (size_t)start[g->nodes + 1];
  g->own.col = dv_try_alloc((count + 1) * sizeof *g->own.col);
  r->entry = dv_try_alloc((count + 1) * sizeof *r->entry);
  if (!g->own.col || !r->entry) return false;
  for (size_t i = 0; i < g->open; i++) {
    size_t p = (size_t)g->point[i];
    for (int32_t e = g->now->row_start[p]; e < g->now->row_start[p + 1]; e++) {
      int32_t col = g->node[g->now->col[e]];
      if (col < 0) continue;
      g->own.col[start[i + 1]] = col;
      r->entry[start[i + 1]++] = e;
    }
  }
  for (size_t k = 0; k < g->stays; k++)
    for (size_t e = 0, below = rows_below(g, &g->stay[k], &row); e < below; e++) {
      int32_t at = start[g->node[was->perm[row[e]]] + 1]++;
      g->own.col[at] = (int32_t)(g->open + k);
      r->entry[at] = -1;
    }
  return true;
}

static bool reduce(Reduction *r)
{
  dvLdlGraph *g = r->g;
  touch_changed(r);
  find_stays(r);
  if (g->stays == 0) return false;
  number_nodes(r);
  for (size_t k = 0; k < g->stays; k++)
    for (int32_t i = g->stay[k].begin; i < g->stay[k].end; i++) g->work += g->was->shape[i].work;
  if (!make_rows(r)) return false;
  g->source = dv_try_alloc((dv_pattern_count(&g->own) + 1) * sizeof *g->source);
  if (!g->source || !dv_pattern_transpose(&g->columns, &g->own, g->source)) return false;
  for (size_t e = 0; e < dv_pattern_count(&g->own); e++) g->source[e] = r->entry[g->source[e]];
  return true;
}

bool dv_ldl_graph_reduce(dvLdlGraph *g, const dvLdlSymbolic *was, const dvPattern *now, const dvOrderChoice *order)
{
  *g = (dvLdlGraph){.rows = &g->own, .was = was, .before = &order->before, .now = now};
  size_t n = now->rows + 1, fronts = (size_t)was->fronts + 1;
  Reduction r = {.g = g, .order = order};
  r.open = dv_try_alloc(fronts * sizeof *r.open);
  r.inside = dv_try_alloc(fronts * sizeof *r.inside);
  r.left = dv_try_alloc(fronts * sizeof *r.left);
  g->stay = dv_try_alloc(fronts * sizeof *g->stay);
  g->given = dv_try_alloc(n * sizeof *g->given);
  g->point = dv_try_alloc(n * sizeof *g->point);
  g->node = dv_try_alloc(n * sizeof *g->node);
  g->member = dv_try_alloc(n * sizeof *g->member);
  bool good = r.open && r.inside && r.left && g->stay && g->given && g->point && g->node && g->member && reduce(&r);
  dv_free(r.open);
  dv_free(r.inside);
  dv_free(r.left);
  dv_free(r.entry);
  if (!good) dv_ldl_graph_free(g);
  return good;
}

// The analysis behind the sparse LDL^T: order, elimination tree (Liu 1990), fronts, their rows, where everything goes.
//
//   1. order of elimination; elimination tree; its postorder
//   2. neighbouring columns with the same rows become one front; children whose rows are nearly those of their parent
//   are joined to it
//   3. fronts in postorder, children that need most memory first; rows of each front
//   4. places of A's entries and of each front's rows in its parent; subtrees for threads; places of update matrices
//
// Of subtrees that stay as an earlier analysis had them (ldl_graph.h), 1 to 3 are skipped and 4 is translated.
#include "linear/direct/ldl_front.h"
#include "linear/direct/ldl_tree.h"

#include "base/sort.h"

#include <stdlib.h>
#include <string.h>

void dv_ldl_symbolic_release(dvLdlSymbolic *s)
{
  if (!s || --s->users > 0) return;
  dv_free(s->perm);
  dv_free(s->inverse);
  dv_free(s->front);
  dv_free(s->shape);
  dv_free(s->child);
  dv_free(s->front_of);
  dv_free(s->row);
  dv_free(s->place);
  dv_free(s->entry);
  dv_free(s->task);
  dv_free(s->top);
  dv_free(s->stage);
  dv_free(s);
}

// --- rows of fronts ------------------------------------------------------------------------------

typedef struct Build {
  dvLdlSymbolic *s;
  dvLdlGraph graph;
  int32_t *old;            // of each front: the one of the analysis before, -1
  int32_t *mark, *local;   // for each row in the order of elimination; `local` is scratch before that
} Build;

// Rows below the pivots of front i: those of A and of its children, for eliminating a child couples all of its rows.
// Children come before their parents, so one look at each is enough. Sorted, so that the rows of a child stand in the
// same order in its parent.
static void find_rows(Build *b, int32_t i)
{
  dvLdlSymbolic *s = b->s;
  const dvLdlGraph *g = &b->graph;
  dvFront *f = &s->front[i];
  int32_t begin = f->first / s->block, end = begin + f->cols / s->block;
  int32_t *row = s->row + f->row, count = 0;
  for (int32_t j = begin; j < end; j++) {
    int32_t own = g->node[s->perm[j]];
    for (int32_t e = g->columns.row_start[own]; e < g->columns.row_start[own + 1]; e++) {
      int32_t k = s->inverse[g->point[g->columns.col[e]]];
      if (k < end || b->mark[k] == i) continue;
      b->mark[k] = i;
      row[count++] = k;
    }
  }
  for (int32_t c = 0; c < f->children; c++) {
    const dvFront *child = &s->front[s->child[f->child + c]];
    for (int32_t e = 0; e < child->rows / s->block; e++) {
      int32_t k = s->row[child->row + (size_t)e];
      if (k < end || b->mark[k] == i) continue;
      b->mark[k] = i;
      row[count++] = k;
    }
  }
  dv_sort_i32(row, b->local, (size_t)count);
  f->rows = count * s->block;
}

// Rows of a front that stays: the same points. Those above its subtree may follow each other otherwise.
static void translate_rows(Build *b, int32_t i)
{
  dvLdlSymbolic *s = b->s;
  const dvLdlSymbolic *was = b->graph.was;
  dvFront *f = &s->front[i];
  const dvFront *before = &was->front[b->old[i]];
  const int32_t *from = was->row + before->row;
  int32_t *row = s->row + f->row, count = before->rows / s->block;
  bool ascend = true;
  for (int32_t e = 0; e < count; e++) {
    row[e] = s->inverse[was->perm[from[e]]];
    ascend = ascend && (e == 0 || row[e - 1] < row[e]);
  }
  if (!ascend) dv_sort_i32(row, b->local, (size_t)count);
  f->rows = before->rows;
}

// first scalar of every row of front i, in the front
static void number_rows(Build *b, int32_t i)
{
  const dvLdlSymbolic *s = b->s;
  const dvFront *f = &s->front[i];
  int32_t begin = f->first / s->block, below = (int32_t)dv_front_pivots(f, (size_t)s->lanes);
  for (int32_t j = 0; j < f->cols / s->block; j++) b->local[begin + j] = j * s->block;
  for (int32_t e = 0; e < f->rows / s->block; e++) b->local[s->row[f->row + (size_t)e]] = below + e * s->block;
}

static void place_children(Build *b, const dvFront *f)
{
  const dvLdlSymbolic *s = b->s;
  for (int32_t c = 0; c < f->children; c++) {
    const dvFront *child = &s->front[s->child[f->child + c]];
    for (size_t e = child->row; e < child->row + (size_t)(child->rows / s->block); e++)
      s->place[e] = b->local[s->row[e]];
  }
}

// entries of A on the diagonal, or below it
static size_t place_entries(Build *b, const dvFront *f, bool diagonal, size_t at)
{
  const dvLdlSymbolic *s = b->s;
  const dvLdlGraph *g = &b->graph;
  int32_t begin = f->first / s->block, end = begin + f->cols / s->block;
  for (int32_t j = begin; j < end; j++) {
    int32_t own = g->node[s->perm[j]];
    for (int32_t e = g->columns.row_start[own]; e < g->columns.row_start[own + 1]; e++) {
      int32_t k = s->inverse[g->point[g->columns.col[e]]];
      if (diagonal ? k == j : k > j) s->entry[at++] = (dvFrontEntry){g->source[e], b->local[k], (j - begin) * s->block};
    }
  }
  return at;
}

// where an entry of the matrix before stands now: rows that are the same were only shifted
static int32_t shifted(const dvLdlGraph *g, int32_t entry, int32_t row, int32_t col)
{
  const dvPattern *was = g->before, *now = g->now;
  int32_t moved = entry - was->row_start[row] + now->row_start[row];
  if (moved < now->row_start[row + 1] && now->col[moved] == col) return moved;
  return dv_pattern_find(now, (size_t)row, (size_t)col);
}

// entries of a front that stays
static size_t translate_entries(const Build *b, int32_t i, size_t at)
{
  const dvLdlSymbolic *s = b->s, *was = b->graph.was;
  const dvFront *before = &was->front[b->old[i]];
  int32_t below = (int32_t)dv_front_pivots(before, (size_t)s->lanes);
  const int32_t *pivot = was->perm + before->first / s->block, *row = was->row + before->row;
  for (size_t e = before->entry; e < before[1].entry; e++) {
    dvFrontEntry from = was->entry[e];
    int32_t own = pivot[from.col / s->block];
    int32_t other = from.row < below ? pivot[from.row / s->block] : was->perm[row[(from.row - below) / s->block]];
    s->entry[at++] = (dvFrontEntry){shifted(&b->graph, from.entry, other, own), b->local[s->inverse[other]], from.col};
  }
  return at;
}

static bool fill_fronts(Build *b, size_t entries)
{
  dvLdlSymbolic *s = b->s;
  size_t rows = 0, at = 0;
  for (int32_t i = 0; i < s->fronts; i++) {   // rows are as many as the tree foretells
    s->front[i].row = rows;
    rows += (size_t)s->front[i].rows;
  }
  s->row = dv_try_alloc((rows + 1) * sizeof *s->row);
  s->place = dv_try_alloc((rows + 1) * sizeof *s->place);
  s->front_of = dv_try_alloc((s->n + 1) * sizeof *s->front_of);
  s->entry = dv_try_alloc((entries + 1) * sizeof *s->entry);
  if (!s->row || !s->place || !s->entry || !s->front_of) return false;
  for (size_t k = 0; k < s->n; k++) b->mark[k] = -1;
  for (int32_t i = 0; i < s->fronts; i++) {
    dvFront *f = &s->front[i];
    for (int32_t j = f->first / s->block; j < (f->first + f->cols) / s->block; j++) s->front_of[j] = i;
    if (b->old[i] < 0) find_rows(b, i);
    else translate_rows(b, i);
    number_rows(b, i);
    place_children(b, f);
    f->entry = at;
    if (b->old[i] < 0) at = place_entries(b, f, false, place_entries(b, f, true, at));
    else at = translate_entries(b, i, at);
  }
  s->front[s->fronts].entry = at;
  return true;
}

// --- work and memory -----------------------------------------------------------------------------

static int compare_tasks(const void *a, const void *b)
{
  const dvFrontTask *x = a, *y = b;
  if (x->flops != y->flops) return x->flops < y->flops ? 1 : -1;   // the largest first: small ones fill the gaps
  return (x->begin > y->begin) - (x->begin < y->begin);
}

// The work in the subtree below each front, and the first front of it; the sum of all. A front costs its elimination,
// the addition of its update matrix to the parent (moved rather than multiplied: four times as dear), and a little
// more.
static double weigh_subtrees(dvLdlSymbolic *s, double *weight, int32_t *least)
{
  double all = 0;
  for (int32_t i = 0; i < s->fronts; i++) weight[i] = 2000, least[i] = i;
  for (int32_t i = 0; i < s->fronts; i++) {
    const dvFront *f = &s->front[i];
    double own = dv_front_flops(f);
    s->flops += own;
    weight[i] += own + 4 * (double)f->rows * f->rows;
    if (f->parent < 0) {
      all += weight[i];
      continue;
    }
    weight[f->parent] += weight[i];
    if (least[i] < least[f->parent]) least[f->parent] = least[i];
  }
  return all;
}

// The stages of a substitution: subtrees, then the fronts above them by their height over these.
static bool make_stages(dvLdlSymbolic *s, int32_t *level)
{
  memset(level, 0, (size_t)s->fronts * sizeof *level);
  s->stages = s->fronts > 0;
  for (int32_t k = 0; k < s->tops; k++) {
    int32_t i = s->top[k], parent = s->front[i].parent;
    level[i] = dv_max_int(level[i], 1);
    s->stages = dv_max_int(s->stages, level[i] + 1);
    if (parent >= 0) level[parent] = dv_max_int(level[parent], level[i] + 1);
  }
  int32_t *begin = s->stage = dv_try_alloc(((size_t)s->stages + 2) * sizeof *s->stage);
  if (!begin) return false;
  memset(begin, 0, ((size_t)s->stages + 2) * sizeof *begin);
  begin[1] = s->tasks;   // those are in their places: begin[k + 1] is where the next one of stage k goes
  begin[2] = s->tasks;
  for (int32_t k = 0; k < s->tops; k++) begin[level[s->top[k]] + 2]++;
  for (int32_t k = 3; k < s->stages + 2; k++) begin[k] += begin[k - 1];
  for (int32_t k = 0; k < s->tops; k++) {
    int32_t i = s->top[k];
    s->task[begin[level[i] + 1]++] = (dvFrontTask){.begin = i, .end = i + 1, .flops = dv_front_flops(&s->front[i])};
  }
  for (int32_t k = 0; k < s->stages; k++)
    qsort(s->task + begin[k], (size_t)(begin[k + 1] - begin[k]), sizeof *s->task, compare_tasks);
  for (int32_t k = 0; k < s->tasks + s->tops; k++) {
    s->task[k].left = s->left;
    s->left += (size_t)s->front[s->task[k].end - 1].rows;
  }
  return true;
}

// Subtrees with at most a share of the work each; fronts above them are left. The share is a twelfth whatever the
// number of threads: the cut decides in which order sums are made, and with it the bits.
static bool cut_subtrees(dvLdlSymbolic *s)
{
  size_t n = (size_t)s->fronts;
  double *weight = dv_try_alloc((n + 1) * sizeof *weight);
  int32_t *least = dv_try_alloc((n + 1) * sizeof *least);
  s->task = dv_try_alloc((n + 1) * sizeof *s->task);
  s->top = dv_try_alloc((n + 1) * sizeof *s->top);
  bool good = weight && least && s->task && s->top;
  if (good) {
    double share = weigh_subtrees(s, weight, least) / 12;
    for (int32_t i = s->fronts - 1; i >= 0; i--) {   // parents first
      dvFront *f = &s->front[i];
      int32_t up = f->parent < 0 ? -1 : s->front[f->parent].task;
      bool above = f->parent < 0 || up < 0;
      if (!above) {
        f->task = up;
      } else if (weight[i] > share && f->children > 0) {
        f->task = -1;
        s->top[s->tops++] = i;
      } else {
        f->task = s->tasks;
        f->shared = true;
        s->task[s->tasks++] = (dvFrontTask){.begin = least[i], .end = i + 1, .flops = weight[i]};
      }
      f->shared = f->shared || f->task < 0;
    }
    for (int32_t k = 0; k < s->tops / 2; k++) {   // children first again
      int32_t t = s->top[k];
      s->top[k] = s->top[s->tops - 1 - k];
      s->top[s->tops - 1 - k] = t;
    }
    good = make_stages(s, least);
  }
  dv_free(weight);
  dv_free(least);
  return good;
}

// Update matrices of one depth lie on one stack and those of the next on another: when a front is at work its children
// are on top of theirs, and its own goes on top of the other. Subtrees have their stacks in the arena of the thread,
// the fronts above them in shared memory, behind what the subtrees leave.
static bool place_updates(dvLdlSymbolic *s)
{
  size_t n = (size_t)s->fronts, lanes = (size_t)s->lanes, left = 0;
  size_t most[2][2] = {{0}}, used[2][2] = {{0}};   // in subtrees and above; even and odd depths
  bool *odd = dv_try_alloc(n + 1);
  if (!odd) return false;
  for (int32_t i = s->fronts - 1; i >= 0; i--) odd[i] = s->front[i].parent >= 0 && !odd[s->front[i].parent];
  for (int32_t i = 0; i < s->fronts; i++) {
    dvFront *f = &s->front[i];
    size_t size = dv_update_size(f, lanes), above = f->task < 0;
    for (int32_t c = 0; c < f->children; c++) {
      const dvFront *child = &s->front[s->child[f->child + c]];
      if (!child->shared || child->task < 0) used[above][!odd[i]] -= dv_update_size(child, lanes);
    }
    size_t *top = f->shared && !above ? &left : &used[above][odd[i]];
    f->update = *top;
    *top += size;
    most[above][odd[i]] = dv_max_size(most[above][odd[i]], used[above][odd[i]]);
  }
  s->arena = most[0][0] + most[0][1];
  s->shared = left + most[1][0] + most[1][1];
  for (size_t i = 0; i < n; i++) {
    dvFront *f = &s->front[i];
    if (f->task < 0) f->update += left + (odd[i] ? most[1][0] : 0);
    else if (!f->shared) f->update += odd[i] ? most[0][0] : 0;
  }
  dv_free(odd);
  return true;
}

static void measure(dvLdlSymbolic *s)
{
  size_t lanes = (size_t)s->lanes;
  for (int32_t i = 0; i < s->fronts; i++) {
    dvFront *f = &s->front[i];
    size_t cols = (size_t)f->cols, height = dv_front_height(f, lanes),
           last = (cols - 1) / DV_FRONT_BLOCK * DV_FRONT_BLOCK;
    f->lower = s->lower;
    s->lower += dv_front_offset(height, last) + (height - last) * (cols - last);
    s->most_rows = dv_max_size(s->most_rows, height);
    size_t *scratch = f->task < 0 ? &s->scratch_top : &s->scratch;
    *scratch = dv_max_size(*scratch, height * dv_min_size(cols, DV_FRONT_BLOCK));
  }
}

// the tree of what has changed since the analysis before, or of all
static bool grow(Build *b, const dvPattern *a, dvOrderChoice *order, const dvLdlSymbolic *was)
{
  static const double EXACT = 9007199254740992;   // sums of whole numbers below 2^53 do not depend on their order
  dvLdlSymbolic *s = b->s;
  bool near = was && order->given && was->block == s->block && was->lanes == s->lanes && was->work < EXACT / 4;
  if (near && dv_ldl_graph_reduce(&b->graph, was, a, order)) {
    dvLdlGrowth found = dv_ldl_grow_tree(s, &b->graph, order, &b->old);
    if (found == DV_LDL_GROWN) return true;
    if (found == DV_LDL_NO_MEMORY) return false;
    if (found == DV_LDL_DEAR) order->given = NULL;   // as it would be seen from the whole
    dv_ldl_graph_free(&b->graph);
  }
  return dv_ldl_graph_whole(&b->graph, a) && dv_ldl_grow_tree(s, &b->graph, order, &b->old) == DV_LDL_GROWN;
}

dvLdlSymbolic *dv_ldl_symbolic_create(const dvPattern *a, int block, int lanes, dvOrderChoice *order,
                                      const dvLdlSymbolic *was)
{
  dvLdlSymbolic *s = dv_try_alloc(sizeof *s);
  if (!s) return NULL;
  *s = (dvLdlSymbolic){.users = 1, .block = block, .lanes = lanes, .n = a->rows};
  Build b = {.s = s};
  s->perm = dv_try_alloc((s->n + 1) * sizeof *s->perm);
  s->inverse = dv_try_alloc((s->n + 1) * sizeof *s->inverse);
  b.mark = dv_try_alloc((s->n + 1) * sizeof *b.mark);
  b.local = dv_try_alloc((s->n + 1) * sizeof *b.local);
  bool good = s->n <= INT32_MAX / (size_t)block / 2 && s->perm && s->inverse && b.mark && b.local &&
              grow(&b, a, order, was) && fill_fronts(&b, dv_pattern_count(a)) && cut_subtrees(s) && place_updates(s);
  if (good) measure(s);
  s->looked = b.graph.open;
  s->work = order->work;
  dv_free(b.mark);
  dv_free(b.local);
  dv_free(b.old);
  dv_ldl_graph_free(&b.graph);
  if (!good) {
    dv_ldl_symbolic_release(s);
    return NULL;
  }
  return s;
}

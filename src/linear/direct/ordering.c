// Approximate minimum degree ordering (Amestoy, Davis and Duff, 1996), written from the paper.
//
// The quotient graph holds variables that are still to come and elements, one for each pivot: the clique of variables
// that its elimination joins. A variable's list has its elements first, then the variables that no element covers. The
// next pivot is the variable with the smallest bound on its degree. Elements that lie inside a new one are absorbed,
// variables with equal lists become one, and a variable whose only element is the new one is eliminated with it.
//
// With stages, variables of a later one wait until those of the earlier ones are gone. They count in the degrees of
// their neighbours all the same: parts that separators cut off are ordered with their halo (Pellegrini, Roman and
// Amestoy 2000).
#include "linear/direct/ordering.h"

#include "linear/direct/ordering_metis.h"

#include "base/array.h"

#include <string.h>

enum { VARIABLE, ELEMENT, DEAD };
enum { LEVELS = 5 };   // of separators: 32 parts

typedef struct Graph {
  int32_t n;
  DV_ARRAY(int32_t) list;               // lists of variables and elements; new elements are appended
  int32_t *start, *length, *elements;   // of each: where its list begins, its length, how many of it are elements
  int32_t *weight;                      // rows a variable stands for; 0 when it is gone
  int32_t *degree;                      // bound for variables, weight of the list for elements
  unsigned char *kind;
  int32_t *head, *next, *before;   // variables by degree
  int32_t smallest;
  const unsigned char *stage;   // of each variable; NULL: there is one
  int now;                      // stage
  int32_t *mark, tag;           // membership in the list at hand
  int32_t *outside, *seen;      // |Le \ Lp| and when it was computed
  int32_t *chain, *chain_end;   // rows that were merged into a variable
  int32_t *hash_head, *hash_next;
  uint32_t *hash;
  DV_ARRAY(int32_t) scratch;
} Graph;

static int stage_of(const Graph *g, int32_t i) { return g->stage ? g->stage[i] : 0; }

static void bucket_add(Graph *g, int32_t i)
{
  int32_t d = g->degree[i];
  if (stage_of(g, i) > g->now) return;
  g->next[i] = g->head[d];
  g->before[i] = -1;
  if (g->head[d] >= 0) g->before[g->head[d]] = i;
  g->head[d] = i;
  if (d < g->smallest) g->smallest = d;
}

static void bucket_remove(Graph *g, int32_t i)
{
  if (stage_of(g, i) > g->now) return;
  if (g->before[i] >= 0) g->next[g->before[i]] = g->next[i];
  else g->head[g->degree[i]] = g->next[i];
  if (g->next[i] >= 0) g->before[g->next[i]] = g->before[i];
}

static void next_stage(Graph *g)
{
  g->now++;
  for (int32_t i = 0; i < g->n; i++)
    if (g->kind[i] == VARIABLE && g->weight[i] && stage_of(g, i) == g->now) bucket_add(g, i);
}

// degrees are below n
static int32_t next_pivot(Graph *g)
{
  while (g->head[g->smallest] < 0)
    if (++g->smallest > g->n) g->smallest = g->n, next_stage(g);
  int32_t p = g->head[g->smallest];
  bucket_remove(g, p);
  return p;
}

// rows of j follow those of i
static void merge(Graph *g, int32_t i, int32_t j)
{
  g->weight[i] += g->weight[j];
  g->weight[j] = 0;
  g->kind[j] = DEAD;
  g->chain[g->chain_end[i]] = j;
  g->chain_end[i] = g->chain_end[j];
}

static void take_variables(Graph *g, int32_t begin, int32_t end)
{
  for (int32_t k = begin; k < end; k++) {
    int32_t i = g->list.data[k];
    if (g->weight[i] == 0 || g->mark[i] == g->tag) continue;
    g->mark[i] = g->tag;
    dv_push(&g->list, i);
  }
}

// the pivot becomes an element: all variables that it or its elements touch
static void form_element(Graph *g, int32_t p)
{
  int32_t begin = (int32_t)g->list.count, start = g->start[p];
  g->mark[p] = ++g->tag;
  take_variables(g, start + g->elements[p], start + g->length[p]);
  for (int32_t k = 0; k < g->elements[p]; k++) {
    int32_t e = g->list.data[start + k];
    if (g->kind[e] != ELEMENT) continue;
    take_variables(g, g->start[e], g->start[e] + g->length[e]);
    g->kind[e] = DEAD;
  }
  g->kind[p] = ELEMENT;
  g->start[p] = begin;
  g->length[p] = (int32_t)g->list.count - begin;
}

// |Le \ Lp| for every element that meets the new one
static void measure_outside(Graph *g, int32_t p)
{
  for (int32_t k = 0; k < g->length[p]; k++) {
    int32_t i = g->list.data[g->start[p] + k];
    for (int32_t l = 0; l < g->elements[i]; l++) {
      int32_t e = g->list.data[g->start[i] + l];
      if (g->kind[e] != ELEMENT) continue;
      if (g->seen[e] != g->tag) g->outside[e] = g->degree[e], g->seen[e] = g->tag;
      g->outside[e] -= g->weight[i];
    }
  }
}

// drops from the list of i what the new element p covers; returns the degree outside of p
static int32_t prune(Graph *g, int32_t i, int32_t p)
{
  int32_t *list = g->list.data + g->start[i], kept = 0, degree = 0;
  uint32_t hash = (uint32_t)p;
  g->scratch.count = 0;
  for (int32_t k = g->elements[i]; k < g->length[i]; k++) {
    int32_t j = list[k];
    if (g->weight[j] == 0 || g->mark[j] == g->tag) continue;
    dv_push(&g->scratch, j);
    degree += g->weight[j];
    hash += (uint32_t)j;
  }
  for (int32_t k = 0; k < g->elements[i]; k++) {
    int32_t e = list[k];
    if (g->kind[e] != ELEMENT) continue;
    if (g->outside[e] == 0) {
      g->kind[e] = DEAD;   // it lies inside the new one
      continue;
    }
    list[kept++] = e;
    degree += g->outside[e];
    hash += (uint32_t)e;
  }
  list[kept++] = p;   // there is room: what led to p is gone
  g->elements[i] = kept;
  for (size_t k = 0; k < g->scratch.count; k++) list[kept++] = g->scratch.data[k];
  g->length[i] = kept;
  g->hash[i] = hash % (uint32_t)g->n;
  return degree;
}

static bool same_lists(Graph *g, int32_t i, int32_t j)
{
  if (g->length[i] != g->length[j] || g->elements[i] != g->elements[j]) return false;
  if (stage_of(g, i) != stage_of(g, j)) return false;
  for (int32_t k = 0; k < g->length[j]; k++)
    if (g->mark[g->list.data[g->start[j] + k]] != g->tag) return false;
  return true;
}

// variables with equal lists become one
static void merge_equal(Graph *g, int32_t p)
{
  for (int32_t k = 0; k < g->length[p]; k++) {
    int32_t first = g->list.data[g->start[p] + k];
    if (g->weight[first] == 0) continue;
    int32_t bucket = (int32_t)g->hash[first];
    for (int32_t i = g->hash_head[bucket]; i >= 0; i = g->hash_next[i]) {
      if (g->weight[i] == 0 || g->hash_next[i] < 0) continue;
      g->tag++;
      for (int32_t l = 0; l < g->length[i]; l++) g->mark[g->list.data[g->start[i] + l]] = g->tag;
      for (int32_t j = g->hash_next[i]; j >= 0; j = g->hash_next[j])
        if (g->weight[j] && same_lists(g, i, j)) merge(g, i, j);
    }
    g->hash_head[bucket] = -1;
  }
}

// eliminates p: updates all variables of the new element; returns the rows eliminated
static int32_t eliminate(Graph *g, int32_t p, int32_t done)
{
  form_element(g, p);
  measure_outside(g, p);
  int32_t rows = g->weight[p];
  for (int32_t k = 0; k < g->length[p]; k++) {
    int32_t i = g->list.data[g->start[p] + k];
    bucket_remove(g, i);
    int32_t degree = prune(g, i, p);
    if (g->length[i] == 1) {   // nothing but p: eliminated with it
      rows += g->weight[i];
      merge(g, p, i);
      continue;
    }
    if (degree < g->degree[i]) g->degree[i] = degree;
    g->hash_next[i] = g->hash_head[g->hash[i]];
    g->hash_head[g->hash[i]] = i;
  }
  g->weight[p] = 0;
  merge_equal(g, p);
  int32_t kept = 0, size = 0, *list = g->list.data + g->start[p];
  for (int32_t k = 0; k < g->length[p]; k++)
    if (g->weight[list[k]]) size += g->weight[list[k]], list[kept++] = list[k];
  g->length[p] = kept;
  g->degree[p] = size;
  if (size == 0) g->kind[p] = DEAD;
  for (int32_t k = 0; k < kept; k++) {
    int32_t i = list[k], bound = g->n - done - rows - g->weight[i], d = g->degree[i] + size - g->weight[i];
    g->degree[i] = dv_max_int(dv_min_int(d, bound), 0);
    bucket_add(g, i);
  }
  return rows;
}

// neighbours on both sides of the diagonal, without repetition
static bool take_graph(Graph *g, const dvPattern *a)
{
  dvPattern t = {0};
  if (!dv_pattern_transpose(&t, a, NULL)) return false;
  const dvPattern *both[2] = {a, &t};
  for (int32_t i = 0; i < g->n; i++) {
    g->start[i] = (int32_t)g->list.count;
    g->mark[i] = ++g->tag;
    for (int side = 0; side < 2; side++)
      for (int32_t e = both[side]->row_start[i]; e < both[side]->row_start[i + 1]; e++) {
        int32_t j = both[side]->col[e];
        if (g->mark[j] == g->tag) continue;
        g->mark[j] = g->tag;
        dv_push(&g->list, j);
      }
    g->length[i] = g->degree[i] = (int32_t)g->list.count - g->start[i];
    dv_push(&g->list, 0);   // room for the element of an isolated row
  }
  dv_pattern_free(&t);
  return true;
}

static bool order_amd(const dvPattern *a, const unsigned char *stage, int32_t *perm)
{
  Graph g = {.n = (int32_t)a->rows, .stage = stage};
  int32_t **arrays[] = {&g.start, &g.length, &g.elements,  &g.weight,    &g.degree,
                        &g.head,  &g.next,   &g.before,    &g.mark,      &g.outside,
                        &g.seen,  &g.chain,  &g.chain_end, &g.hash_head, &g.hash_next};
  size_t n = a->rows;
  int32_t *block = dv_try_alloc(DV_COUNT(arrays) * (n + 1) * sizeof *block);
  g.kind = dv_try_alloc(n + 1);
  g.hash = dv_try_alloc((n + 1) * sizeof *g.hash);
  bool good = block && g.kind && g.hash;
  if (good) {
    for (size_t k = 0; k < DV_COUNT(arrays); k++) *arrays[k] = block + k * (n + 1);
    good = take_graph(&g, a);
  }
  if (good) {
    g.smallest = g.n;
    for (size_t i = 0; i <= n; i++) g.head[i] = g.hash_head[i] = g.chain[i] = -1;
    for (int32_t i = 0; i < g.n; i++) g.weight[i] = 1, g.chain_end[i] = i, bucket_add(&g, i);
    for (int32_t done = 0, at = 0; done < g.n;) {
      int32_t p = next_pivot(&g);
      done += eliminate(&g, p, done);
      for (int32_t i = p; i >= 0; i = g.chain[i]) perm[at++] = i;
    }
  }
  dv_free(block);
  dv_free(g.kind);
  dv_free(g.hash);
  dv_array_free(&g.list);
  dv_array_free(&g.scratch);
  return good;
}

static bool order_separated(const dvPattern *a, int32_t *perm)
{
  unsigned char *stage = dv_try_alloc(a->rows + 1);
  bool good = stage && dv_order_metis_stages(a, LEVELS, stage) && order_amd(a, stage, perm);
  dv_free(stage);
  return good;
}

bool dv_order(dvOrder order, const dvPattern *a, int32_t *perm)
{
  DV_REQUIRE(a->rows == a->cols);
  if (order == DV_ORDER_METIS && dv_order_has_metis() && dv_order_metis(a, perm)) return true;
  if (order == DV_ORDER_SEPARATED && dv_order_has_metis() && order_separated(a, perm)) return true;
  if (order != DV_ORDER_NATURAL) return order_amd(a, NULL, perm);
  for (size_t i = 0; i < a->rows; i++) perm[i] = (int32_t)i;
  return true;
}

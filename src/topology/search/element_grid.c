// See element_grid.h. Cells that share a place in the table share a chain: the range of an element tells whether it
// meets the cell that is asked for.
#include "topology/search/element_grid.h"

#include <math.h>

enum { MOST_CELLS = 64 };   // of an element that stands in cells

typedef struct Cell {
  int32_t at[3];
} Cell;

static size_t slot_of(const dvElementGrid *g, Cell c)
{
  uint64_t h = (uint32_t)c.at[0] * 0x9e3779b97f4a7c15u + (uint32_t)c.at[1] * 0xc2b2ae3d27d4eb4fu +
               (uint32_t)c.at[2] * 0xff51afd7ed558ccdu;
  return (size_t)(h >> 32) & (g->heads.count - 1);
}

static int32_t cell_at(const dvElementGrid *g, double x)
{
  double at = floor(x / g->cell);
  return at > -1e9 ? (at < 1e9 ? (int32_t)at : 1000000000) : -1000000000;   // also for what is no number
}

static dvGridRange range_of(const dvElementGrid *g, const dvBox *b)
{
  dvGridRange r = {.in = true};
  double cells = 1;
  for (int k = 0; k < 3; k++) {
    r.in = r.in && b->low[k] <= b->high[k];
    r.low[k] = cell_at(g, b->low[k]);
    r.high[k] = cell_at(g, b->high[k]);
    cells *= (double)r.high[k] - r.low[k] + 1;
  }
  r.large = cells > MOST_CELLS;
  return r;
}

static bool meets(const dvGridRange *r, Cell c)
{
  for (int k = 0; k < 3; k++)
    if (c.at[k] < r->low[k] || c.at[k] > r->high[k]) return false;
  return true;
}

static bool next_cell(const dvGridRange *r, Cell *c)
{
  for (int k = 0; k < 3; k++) {
    if (c->at[k]++ < r->high[k]) return true;
    c->at[k] = r->low[k];
  }
  return false;
}

static Cell first_cell(const dvGridRange *r) { return (Cell){{r->low[0], r->low[1], r->low[2]}}; }

// --- entries -------------------------------------------------------------------------------------

static void link_entry(dvElementGrid *g, size_t slot, int32_t element)
{
  int32_t entry = g->unused - 1;
  if (g->unused) g->unused = g->next.data[entry];
  else {
    entry = (int32_t)g->next.count;
    dv_push(&g->next, 0);
    dv_push(&g->owner, 0);
  }
  g->next.data[entry] = g->heads.data[slot];
  g->owner.data[entry] = element;
  g->heads.data[slot] = entry + 1;
  g->entries++;
}

// one entry of the element in the chain; a chain has as many as cells of the element share it
static void unlink_entry(dvElementGrid *g, size_t slot, int32_t element)
{
  int32_t *link = &g->heads.data[slot];
  while (*link && g->owner.data[*link - 1] != element) link = &g->next.data[*link - 1];
  if (!*link) return;
  int32_t entry = *link - 1;
  *link = g->next.data[entry];
  g->next.data[entry] = g->unused;
  g->unused = entry + 1;
  g->entries--;
}

static void rename_entry(dvElementGrid *g, size_t slot, int32_t from, int32_t to)
{
  for (int32_t e = g->heads.data[slot]; e; e = g->next.data[e - 1])
    if (g->owner.data[e - 1] == from) {
      g->owner.data[e - 1] = to;
      return;
    }
}

// --- elements ------------------------------------------------------------------------------------

static void replace_large(dvElementGrid *g, int32_t from, int32_t to)
{
  for (size_t i = 0; i < g->large.count; i++)
    if (g->large.data[i] == from) {
      if (to >= 0) g->large.data[i] = to;
      else g->large.data[i] = g->large.data[--g->large.count];
      return;
    }
}

static void take_out(dvElementGrid *g, int32_t element)
{
  dvGridRange *r = &g->ranges.data[element];
  if (!r->in) return;
  r->in = false;
  if (r->large) {
    replace_large(g, element, -1);
    return;
  }
  Cell c = first_cell(r);
  do unlink_entry(g, slot_of(g, c), element);
  while (next_cell(r, &c));
}

static void enter(dvElementGrid *g, int32_t element)
{
  const dvGridRange *r = &g->ranges.data[element];
  if (!r->in) return;
  if (r->large) {
    dv_push(&g->large, element);
    return;
  }
  Cell c = first_cell(r);
  do link_entry(g, slot_of(g, c), element);
  while (next_cell(r, &c));
}

static void grow(dvElementGrid *g)
{
  size_t slots = 2 * g->heads.count;
  g->heads.count = g->next.count = g->owner.count = g->large.count = g->entries = 0;
  g->unused = 0;
  dv_array_resize(&g->heads, slots);
  for (size_t i = 0; i < g->ranges.count; i++) enter(g, (int32_t)i);
}

void dv_element_grid_init(dvElementGrid *g, double cell, size_t elements)
{
  dv_element_grid_fini(g);
  size_t slots = 64;
  while (slots < elements) slots *= 2;
  g->cell = cell;
  dv_array_resize(&g->heads, slots);
  dv_array_resize(&g->ranges, elements);
}

void dv_element_grid_fini(dvElementGrid *g)
{
  dv_array_free(&g->ranges);
  dv_array_free(&g->heads);
  dv_array_free(&g->next);
  dv_array_free(&g->owner);
  dv_array_free(&g->large);
  *g = (dvElementGrid){0};
}

void dv_element_grid_put(dvElementGrid *g, int32_t element, const dvBox *box)
{
  take_out(g, element);
  g->ranges.data[element] = range_of(g, box);
  enter(g, element);
  if (g->entries > 16 * g->heads.count) grow(g);
}

static void remove_element(dvElementGrid *g, int32_t number, int32_t last)
{
  take_out(g, number);
  const dvGridRange *r = &g->ranges.data[last];
  if (number != last && r->in && r->large) replace_large(g, last, number);
  if (number != last && r->in && !r->large) {
    Cell c = first_cell(r);
    do rename_entry(g, slot_of(g, c), last, number);
    while (next_cell(r, &c));
  }
  g->ranges.data[number] = *r;
  g->ranges.count--;
}

void dv_element_grid_follow(dvElementGrid *g, const dvTraceStep *steps, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    if (steps[i].what == DV_ADDED) dv_push(&g->ranges, (dvGridRange){0});
    if (steps[i].what == DV_REMOVING) remove_element(g, steps[i].number, steps[i].last);
  }
}

static void find_in_cell(const dvElementGrid *g, Cell c, dvNumbers *out)
{
  for (int32_t e = g->heads.data[slot_of(g, c)]; e; e = g->next.data[e - 1])
    if (meets(&g->ranges.data[g->owner.data[e - 1]], c)) dv_push(out, g->owner.data[e - 1]);
}

void dv_element_grid_find(const dvElementGrid *g, const dvBox *box, dvNumbers *out)
{
  dvGridRange r = range_of(g, box);
  double cells = 1;
  out->count = 0;
  for (int k = 0; k < 3; k++) cells *= (double)r.high[k] - r.low[k] + 1;
  if (!(cells < (double)g->ranges.count)) {   // then looking at all is less
    for (size_t i = 0; i < g->ranges.count; i++)
      if (g->ranges.data[i].in) dv_push(out, (int32_t)i);
    return;
  }
  Cell c = first_cell(&r);
  do find_in_cell(g, c, out);
  while (next_cell(&r, &c));
  for (size_t i = 0; i < g->large.count; i++) dv_push(out, g->large.data[i]);
  dv_numbers_unique(out);
}

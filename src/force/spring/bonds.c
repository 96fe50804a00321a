// See bonds.h.
#include "force/spring/bonds.h"

#include <stdlib.h>

static void step(dvBonds *b, dvChangeKind what, size_t row)
{
  int32_t last = (int32_t)dv_ints_size(&b->points) - 1;
  dv_push(&b->steps, ((dvTraceStep){what, (int32_t)row, what == DV_ADDED ? -1 : last}));
}

// it goes with one of its points, or to be made again
static void gone(void *user, size_t row) { step(user, DV_REMOVING, row); }

dvStatus dv_bonds_follow(dvBonds *b, dvObject *o, dvTopology *mesh, dvColumn array)
{
  b->patching = false;
  b->steps.count = 0;
  b->points.width = b->width;
  if (!dv_ints_assign(&b->points, b->noted.data, b->noted.count))
    return dv_error(o, NULL, "out of memory for %zu springs", *array.count);
  dv_array_free(&b->noted);
  b->list = dv_follow_list(o, mesh, DV_POINT, &b->points);
  b->list->user = b;
  b->list->destroy = gone;
  dv_element_list_forget(b->list);
  return dv_element_list_add_column_(b->list, array);
}

static bool is_in(const dvNumbers *n, int32_t point)
{
  return n->count && bsearch(&point, n->data, n->count, sizeof point, dv_numbers_ascending);
}

bool dv_bonds_want(const dvBonds *b, int32_t p, int32_t q)
{
  return !b->patching || (is_in(&b->region, p) && is_in(&b->region, q));
}

size_t dv_bonds_push_(dvBonds *b, const int32_t *points)
{
  size_t row = dv_ints_size(&b->points);
  DV_MUST(dv_element_list_push(b->list, points, 1));
  step(b, DV_ADDED, row);
  return row;
}

// the first entry at home at a point and at another of the region; -1 when there is none
static ptrdiff_t find_home(const dvBonds *b, int32_t point)
{
  const int32_t *points = b->points.data;
  for (int32_t at = b->list->first.data[point]; at; at = b->list->next.data[at - 1]) {
    int32_t row = (at - 1) / b->width, slot = (at - 1) % b->width;
    if (slot == 0 && is_in(&b->region, points[row * b->width + 1])) return row;
  }
  return -1;
}

bool dv_bonds_begin(dvBonds *b, dvTopology *mesh, dvElementKind kind, int rings)
{
  const dvNumbers *touched = dv_trace_points(dv_topology_trace(mesh));
  if (!b->list || !dv_element_list_chain(b->list)) return false;
  b->rings = rings;
  b->region.count = 0;
  for (size_t i = 0; i < touched->count; i++) dv_push(&b->region, touched->data[i]);
  dv_numbers_unique(&b->region);
  for (int i = 0; i < rings; i++) {
    dvNumbers wider = {0};
    dv_trace_beside(mesh, kind, &b->region, &wider);
    dv_array_free(&b->region);
    b->region = wider;
  }
  dv_element_list_keep(b->list);
  for (size_t i = 0; i < b->region.count; i++)
    for (ptrdiff_t row; (row = find_home(b, b->region.data[i])) >= 0;) {
      gone(b, (size_t)row);
      dv_element_list_erase(b->list, (size_t)row);
    }
  b->patching = true;
  return true;
}

// where a home takes rings to find, so do the elements that decide about it
const dvNumbers *dv_bonds_elements(dvBonds *b, dvTopology *mesh, dvElementKind kind)
{
  dvNumbers wider = {0};
  if (b->rings) dv_trace_beside(mesh, kind, &b->region, &wider);
  dv_trace_around(mesh, kind, b->rings ? &wider : &b->region, &b->elements);
  dv_array_free(&wider);
  return &b->elements;
}

void dv_bonds_end(dvBonds *b, dvTopology *mesh)
{
  const dvNumbers *touched = dv_trace_points(dv_topology_trace(mesh));
  size_t count = dv_ints_size(&b->points);
  b->patching = false;
  b->changed.count = 0;
  for (size_t i = 0; i < b->steps.count; i++)
    if ((size_t)b->steps.data[i].number < count) dv_push(&b->changed, b->steps.data[i].number);
  for (size_t i = 0; i < touched->count; i++)
    for (int32_t at = b->list->first.data[touched->data[i]]; at; at = b->list->next.data[at - 1])
      dv_push(&b->changed, (at - 1) / b->width);
  dv_numbers_unique(&b->changed);
}

void dv_bonds_free(dvBonds *b)
{
  dv_array_free(&b->noted);
  dv_ints_free(&b->points);
  dv_array_free(&b->steps);
  dv_array_free(&b->region);
  dv_array_free(&b->elements);
  dv_array_free(&b->changed);
}

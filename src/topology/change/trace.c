// See trace.h.
#include "topology/change/trace.h"

#include "topology/change/modify.h"

#include <stdlib.h>

// more changes than one in so many elements: everything is made anew
enum { SHARE = 4, LEAST = 64 };

// --- sets ----------------------------------------------------------------------------------------

static void mark(dvMarked *m, int32_t number)
{
  if ((size_t)number >= m->place.count) dv_array_resize(&m->place, (size_t)number + 1 + m->place.count / 2);
  if (m->place.data[number]) return;
  dv_push(&m->list, number);
  m->place.data[number] = (int32_t)m->list.count;
}

static void unmark(dvMarked *m, int32_t number)
{
  if ((size_t)number >= m->place.count || !m->place.data[number]) return;
  int32_t at = m->place.data[number] - 1, end = m->list.data[m->list.count - 1];
  m->list.data[at] = end;
  m->place.data[end] = at + 1;
  m->list.count--;
  m->place.data[number] = 0;
}

static void unmark_all(dvMarked *m)
{
  for (size_t i = 0; i < m->list.count; i++) m->place.data[m->list.data[i]] = 0;
  m->list.count = 0;
}

// --- noting --------------------------------------------------------------------------------------

static void mark_corners(dvTrace *trace, const int32_t *corners, size_t width)
{
  for (size_t k = 0; k < width; k++) mark(&trace->points, corners[k]);
}

static void note_added(dvTrace *trace, const dvChange *c)
{
  size_t width = (size_t)dv_element_points(c->kind);
  for (size_t i = 0; i < c->count; i++) {
    int32_t number = (int32_t)(c->before + i);
    dv_push(&trace->steps[c->kind], ((dvTraceStep){DV_ADDED, number, -1}));
    if (c->kind == DV_POINT) mark(&trace->points, number);
    else mark_corners(trace, c->points + width * i, width);
  }
}

// from the highest number on: the one that takes the place is at the end until then, and each is still in its own
static void note_removed(dvTrace *trace, dvTopology *t, const dvChange *c)
{
  size_t width = (size_t)dv_element_points(c->kind);
  const int32_t *list = c->kind == DV_POINT ? NULL : dv_topology_list(t, c->kind)->data;
  for (size_t i = 0; i < c->count; i++) {
    int32_t number = c->indices[i], last = (int32_t)(c->before - 1 - i);
    dv_push(&trace->steps[c->kind], ((dvTraceStep){DV_REMOVING, number, last}));
    if (list) {
      mark_corners(trace, list + width * (size_t)number, width);
      mark_corners(trace, list + width * (size_t)last, width);
      continue;
    }
    unmark(&trace->points, number);
    unmark(&trace->points, last);
    if (number != last) mark(&trace->points, number);
  }
}

// elements at a point that is elsewhere have another shape
static void note_moved(dvTrace *trace, dvTopology *t, const dvChange *c)
{
  for (size_t i = 0; i < c->count; i++) {
    dv_push(&trace->steps[DV_POINT], ((dvTraceStep){DV_MOVED, c->indices[i], -1}));
    mark(&trace->points, c->indices[i]);
    for (dvElementKind k = DV_EDGE; k < DV_ELEMENT_KINDS; k++) {
      int32_t width = dv_element_points(k);
      for (int32_t at = dv_topology_first_at(t, k, c->indices[i]); at >= 0; at = dv_topology_next_at(t, k, at))
        mark_corners(trace, dv_topology_list(t, k)->data + at / width * width, (size_t)width);
    }
  }
}

void dv_trace_note(dvTrace *trace, dvTopology *t, const dvChange *c)
{
  if (c->what == DV_CHANGES_END) {
    trace->ended = true;
    return;
  }
  if (trace->ended) dv_trace_clear(trace);
  trace->length += c->count;
  if (c->what == DV_REMADE || c->what == DV_RENUMBERED || trace->length > dv_max_size(LEAST, c->before / SHARE))
    trace->whole = true;
  memset(trace->found, 0, sizeof trace->found);
  if (trace->whole) return;
  if (c->what == DV_ADDED) note_added(trace, c);
  if (c->what == DV_REMOVING) note_removed(trace, t, c);
  if (c->what == DV_MOVED) note_moved(trace, t, c);
}

void dv_trace_clear(dvTrace *trace)
{
  trace->whole = trace->ended = false;
  trace->length = 0;
  for (int k = 0; k < DV_ELEMENT_KINDS; k++) trace->steps[k].count = 0;
  memset(trace->found, 0, sizeof trace->found);
  unmark_all(&trace->points);
}

void dv_trace_free(dvTrace *trace)
{
  for (int k = 0; k < DV_ELEMENT_KINDS; k++) {
    dv_array_free(&trace->steps[k]);
    dv_array_free(&trace->rows[k]);
  }
  dv_array_free(&trace->points.list);
  dv_array_free(&trace->points.place);
  *trace = (dvTrace){0};
}

// --- reading -------------------------------------------------------------------------------------

void dv_numbers_sort(int32_t *numbers, size_t count)
{
  enum { DIGIT = 11, BINS = 1 << DIGIT, FEW = 256 };
  int32_t *other = count > FEW ? dv_try_alloc(count * sizeof *other) : NULL, *from = numbers, *to = other;
  if (!other) {
    if (count > 1) qsort(numbers, count, sizeof *numbers, dv_numbers_ascending);
    return;
  }
  for (int shift = 0; shift < 33; shift += DIGIT) {
    uint32_t first[BINS + 1] = {0};
    for (size_t i = 0; i < count; i++) first[((uint32_t)from[i] >> shift) % BINS + 1]++;
    for (size_t b = 0; b < BINS; b++) first[b + 1] += first[b];
    for (size_t i = 0; i < count; i++) to[first[((uint32_t)from[i] >> shift) % BINS]++] = from[i];
    int32_t *swap = from;
    from = to, to = swap;
  }
  memcpy(numbers, from, count * sizeof *numbers);
  dv_free(other);
}

void dv_numbers_unique(dvNumbers *n)
{
  size_t kept = 0;
  dv_numbers_sort(n->data, n->count);
  for (size_t i = 0; i < n->count; i++)
    if (i == 0 || n->data[i] != n->data[i - 1]) n->data[kept++] = n->data[i];
  n->count = kept;
}

size_t dv_trace_before(const dvTrace *trace, dvElementKind kind, size_t now)
{
  for (size_t i = 0; i < trace->steps[kind].count; i++) {
    dvChangeKind what = trace->steps[kind].data[i].what;
    if (what == DV_ADDED) now--;
    if (what == DV_REMOVING) now++;
  }
  return now;
}

bool dv_trace_same_points(const dvTrace *a, const dvTrace *b)
{
  bool same = a->steps[DV_POINT].count == b->steps[DV_POINT].count;
  for (size_t i = 0; same && i < a->steps[DV_POINT].count; i++) {
    const dvTraceStep *p = &a->steps[DV_POINT].data[i], *q = &b->steps[DV_POINT].data[i];
    same = p->what == q->what && p->number == q->number && p->last == q->last;
  }
  return same;
}

static void add_around(dvTopology *t, dvElementKind kind, int32_t point, dvNumbers *out)
{
  int32_t width = dv_element_points(kind);
  for (int32_t at = dv_topology_first_at(t, kind, point); at >= 0; at = dv_topology_next_at(t, kind, at))
    dv_push(out, at / width);
}

void dv_trace_around(dvTopology *t, dvElementKind kind, const dvNumbers *points, dvNumbers *out)
{
  out->count = 0;
  for (size_t i = 0; i < points->count; i++) add_around(t, kind, points->data[i], out);
  dv_numbers_unique(out);
}

void dv_topology_between(dvTopology *t, dvElementKind kind, int32_t p, int32_t q, dvNumbers *out)
{
  int32_t width = dv_element_points(kind);
  const int32_t *list = dv_topology_list(t, kind)->data;
  out->count = 0;
  for (int32_t at = dv_topology_first_at(t, kind, p); at >= 0; at = dv_topology_next_at(t, kind, at)) {
    const int32_t *corners = list + at / width * width;
    for (int32_t k = 0; k < width; k++)
      if (corners[k] == q) {
        dv_push(out, at / width);
        break;
      }
  }
  dv_numbers_unique(out);
}

void dv_trace_beside(dvTopology *t, dvElementKind kind, const dvNumbers *points, dvNumbers *out)
{
  int32_t width = dv_element_points(kind);
  const int32_t *list = dv_topology_list(t, kind)->data;
  out->count = 0;
  for (size_t i = 0; i < points->count; i++) {
    dv_push(out, points->data[i]);
    for (int32_t at = dv_topology_first_at(t, kind, points->data[i]); at >= 0; at = dv_topology_next_at(t, kind, at))
      for (int32_t k = 0; k < width; k++) dv_push(out, list[at / width * width + k]);
  }
  dv_numbers_unique(out);
}

// which points were moved is known by the numbers that they had then: those around all that were touched
void dv_trace_moved(dvTopology *t, dvElementKind kind, dvNumbers *out)
{
  const dvTrace *trace = dv_topology_trace(t);
  bool any = false;
  for (size_t i = 0; i < trace->steps[DV_POINT].count; i++)
    any = any || trace->steps[DV_POINT].data[i].what == DV_MOVED;
  out->count = 0;
  if (any) dv_trace_around(t, kind, dv_trace_points(trace), out);
}

void dv_trace_shapes(dvTopology *t, dvElementKind kind, dvNumbers *out)
{
  const dvNumbers *rows = dv_trace_rows(t, kind);
  dv_trace_moved(t, kind, out);
  for (size_t i = 0; i < rows->count; i++) dv_push(out, rows->data[i]);
  dv_numbers_unique(out);
}

const dvNumbers *dv_trace_rows(dvTopology *t, dvElementKind kind)
{
  dvTrace *trace = (dvTrace *)dv_topology_trace(t);
  DV_REQUIRE(trace);
  dvNumbers *rows = &trace->rows[kind];
  if (trace->found[kind]) return rows;
  rows->count = 0;
  size_t count = dv_topology_count(t, kind), points = dv_topology_point_count(t);
  for (size_t i = 0; i < trace->steps[kind].count; i++)
    if ((size_t)trace->steps[kind].data[i].number < count) dv_push(rows, trace->steps[kind].data[i].number);
  for (size_t i = 0; i < trace->steps[DV_POINT].count && kind != DV_POINT; i++) {
    const dvTraceStep *s = &trace->steps[DV_POINT].data[i];
    if (s->what == DV_REMOVING && (size_t)s->number < points) add_around(t, kind, s->number, rows);
  }
  dv_numbers_unique(rows);
  trace->found[kind] = true;
  return rows;
}

// BarycentricMapping while its mesh changes: rows of points whose element went, or has other corners, are made again.
//
// Entries say that they go (dvPairs.left), so that points without one are known; entries in elements that the trace
// names are found through the chains of the elements. Points that have lost their element are looked for among the
// elements near them, by the rules of locate.h and to the same end as in the whole mesh.
#include "mapping/linear/barycentric_inside.h"

#include <math.h>
#include <string.h>

// --- where points are ----------------------------------------------------------------------------

static void set_where(dvBarycentric *b, int32_t point, int32_t kind, int32_t entry)
{
  if (point >= 0 && (size_t)point < b->where.count) b->where.data[point] = (dvBarycentricEntry){kind, entry};
}

// Right as long as the points of the output keep their numbers; otherwise all rows are made again.
static void entry_left(void *user, size_t row)
{
  const dvBarycentricPlaces *p = user;
  dvBarycentric *b = p->of;
  int32_t kind = (int32_t)(p - b->places), point = p->point.data[row];
  set_where(b, p->point.data[p->point.count - 1], kind, (int32_t)row);
  set_where(b, point, kind, -1);
  dv_push(&b->touched, point);
}

void dv_barycentric_watch(dvBarycentric *b)
{
  for (int kind = DV_EDGE; kind <= DV_HEXAHEDRON; kind++) {
    dvBarycentricPlaces *p = &b->places[kind];
    p->of = b;
    p->pairs.left = entry_left;
    p->pairs.user = p;
  }
}

void dv_barycentric_take_places(dvBarycentric *b)
{
  b->touched.count = b->where.count = 0;
  b->finder.ready = false;
  dv_array_resize(&b->where, b->linear.base.out->count);
  for (size_t i = 0; i < b->where.count; i++) b->where.data[i].entry = -1;
  for (int kind = DV_EDGE; kind <= DV_HEXAHEDRON; kind++)
    for (size_t i = 0; i < b->places[kind].point.count; i++)
      set_where(b, b->places[kind].point.data[i], kind, (int32_t)i);
}

void dv_barycentric_free_places(dvBarycentric *b)
{
  dv_array_free(&b->where);
  dv_array_free(&b->touched);
  dv_element_grid_fini(&b->finder.grid);
  dv_array_free(&b->finder.lengths);
}

// --- finding points again ------------------------------------------------------------------------

static void put_element(dvBarycentric *b, const dvLocateDef *def, int32_t element)
{
  dvBox box = dv_locate_box(def, element);
  dv_element_grid_put(&b->finder.grid, element, &box);
}

static void make_finder(dvBarycentric *b, const dvLocateDef *def)
{
  dvBarycentricFinder *f = &b->finder;
  const dvInts *edges = dv_topology_elements(b->mesh, DV_EDGE);
  size_t n = dv_ints_size(edges);
  f->kind = def->lists[0].kind;
  f->sum = 0;
  f->lengths.count = 0;
  for (size_t e = 0; e < n; e++) {
    dv_push(&f->lengths, dv_barycentric_edge_length(edges, def->x, e));
    f->sum += f->lengths.data[e];
  }
  dv_element_grid_init(&f->grid, n && f->sum > 0 ? f->sum / (double)n : 1, def->lists[0].count);
  for (size_t i = 0; i < def->lists[0].count; i++) put_element(b, def, (int32_t)i);
  f->ready = true;
}

static void follow_edges(dvBarycentric *b, const dvTrace *trace)
{
  dvBarycentricFinder *f = &b->finder;
  const dvInts *edges = dv_topology_list(b->mesh, DV_EDGE);
  dvNumbers rows = {0};
  for (size_t i = 0; i < trace->steps[DV_EDGE].count; i++) {
    const dvTraceStep *s = &trace->steps[DV_EDGE].data[i];
    if (s->what == DV_ADDED) dv_push(&f->lengths, 0);
    if (s->what != DV_REMOVING) continue;
    f->sum -= f->lengths.data[s->number];
    f->lengths.data[s->number] = f->lengths.data[s->last];
    f->lengths.count--;
  }
  dv_trace_shapes(b->mesh, DV_EDGE, &rows);
  for (size_t i = 0; i < rows.count; i++) {
    double now = dv_barycentric_edge_length(edges, b->in_x.data, (size_t)rows.data[i]);
    f->sum += now - f->lengths.data[rows.data[i]];
    f->lengths.data[rows.data[i]] = now;
  }
  dv_array_free(&rows);
}

static void follow_elements(dvBarycentric *b, const dvTrace *trace, const dvLocateDef *def)
{
  dvBarycentricFinder *f = &b->finder;
  dvNumbers rows = {0};
  f->ready = f->kind == def->lists[0].kind;
  if (!f->ready) return;
  dv_element_grid_follow(&f->grid, trace->steps[f->kind].data, trace->steps[f->kind].count);
  dv_trace_shapes(b->mesh, f->kind, &rows);
  for (size_t i = 0; i < rows.count; i++) put_element(b, def, rows.data[i]);
  dv_array_free(&rows);
  follow_edges(b, trace);
}

// the nearest of all elements: those within the distance of the best that is known
static bool find_far(const dvBarycentricFinder *f, const dvLocateDef *def, const double *x, dvNumbers *near,
                     dvLocation *at)
{
  double reach = f->grid.cell;
  for (int turn = 0; turn < 64; turn++) {
    dvBox box;
    for (int k = 0; k < 3; k++) box.low[k] = x[k] - reach, box.high[k] = x[k] + reach;
    dv_element_grid_find(&f->grid, &box, near);
    dv_locate_among(def, near->data, near->count, x, true, at);
    if (at->element < 0) {
      reach *= 2;
      continue;
    }
    double distance = sqrt(dv_locate_distance2(def, at->element, x));
    if (distance <= reach) return true;
    reach = 1.001 * distance;
  }
  return false;
}

static bool find_one(const dvBarycentricFinder *f, const dvLocateDef *def, const double *x, dvNumbers *near,
                     dvLocation *at)
{
  if (def->cell > 0) {
    dvBox box;   // the cells around that of the point
    for (int k = 0; k < 3; k++) {
      double home = floor(x[k] * (1 / def->cell));
      box.low[k] = (home - 1.001) * def->cell;
      box.high[k] = (home + 2.001) * def->cell;
    }
    dv_element_grid_find(&f->grid, &box, near);
    if (dv_locate_among(def, near->data, near->count, x, false, at)) return true;
  }
  return find_far(f, def, x, near, at);
}

// an entry more, with the chains of its lists
static bool push_entry(dvBarycentric *b, int32_t point, dvElementKind kind, const dvLocation *at)
{
  dvBarycentricPlaces *p = &b->places[kind];
  size_t n = p->element.count;
  if (!p->pairs.lists[0] || !dv_element_list_push(p->pairs.lists[0], &at->element, 1)) return false;
  if (p->pairs.lists[1] && !dv_element_list_push(p->pairs.lists[1], &point, 1)) return false;
  if (p->point.count != n + 1 || p->local.count != 3 * (n + 1)) return false;
  dv_ints_edit(&p->point)[n] = point;
  memcpy(dv_reals_edit(&p->local) + 3 * n, at->local, sizeof at->local);
  set_where(b, point, (int32_t)kind, (int32_t)n);
  return true;
}

static bool find_lost(dvBarycentric *b, dvLocateDef *def, const dvNumbers *rows)
{
  const dvBarycentricFinder *f = &b->finder;
  dvNumbers near = {0};
  bool good = true;
  for (size_t i = 0; i < rows->count && good; i++) {
    int32_t point = rows->data[i];
    dvLocation at;
    if (b->where.data[point].entry >= 0) continue;
    if (!f->ready) make_finder(b, def);
    if (b->mesh->dynamic && f->lengths.count) def->cell = f->sum / (double)f->lengths.count;
    good = find_one(f, def, b->out_x.data + 3 * (size_t)point, &near, &at) && push_entry(b, point, f->kind, &at);
  }
  dv_array_free(&near);
  return good;
}

// --- rows ----------------------------------------------------------------------------------------

// points that were touched, and those in elements with another number or other corners; false when memory is short
static bool find_rows(dvBarycentric *b, dvNumbers *rows)
{
  for (size_t i = 0; i < b->touched.count; i++) dv_push(rows, b->touched.data[i]);
  for (int kind = DV_EDGE; kind <= DV_HEXAHEDRON; kind++) {
    const dvBarycentricPlaces *p = &b->places[kind];
    dvElementList *l = p->pairs.lists[0];
    if (p->element.count == 0) continue;
    if (!l || !dv_element_list_chain(l)) return false;
    const dvNumbers *elements = dv_trace_rows(b->mesh, (dvElementKind)kind);
    for (size_t i = 0; i < elements->count; i++)
      for (int32_t at = l->first.data[elements->data[i]]; at; at = l->next.data[at - 1])
        dv_push(rows, p->point.data[at - 1]);
  }
  dv_numbers_unique(rows);
  return true;
}

static bool put_rows(dvBarycentric *b, const dvNumbers *rows)
{
  bool good = true;
  for (size_t i = 0; i < rows->count && good; i++) {
    dvBarycentricEntry at = b->where.data[rows->data[i]];
    const dvBarycentricPlaces *p = &b->places[at.kind];
    int32_t buffer[8], inputs[8];
    double weights[8];
    const int32_t *corners =
        dv_barycentric_corners(b, (dvElementKind)at.kind, (size_t)p->element.data[at.entry], buffer);
    int n =
        dv_barycentric_row(b, (dvElementKind)at.kind, corners, p->local.data + 3 * (size_t)at.entry, inputs, weights);
    good = dv_weights_put(&b->linear.weights, (size_t)rows->data[i], inputs, weights, n);
  }
  return good;
}

static bool can_patch(const dvBarycentric *b, const dvTrace *trace)
{
  const dvMapping *m = &b->linear.base;
  const dvWeights *w = &b->linear.weights;
  const dvTrace *out = m->out->topology ? dv_follow_trace(&m->base, m->out->topology) : NULL;
  bool still = !m->out->topology || (out && out->steps[DV_POINT].count == 0);   // the points of the output
  return trace && still && !b->nowhere && !dv_barycentric_has_frames(b) && b->where.count == m->out->count &&
         w->out_points == m->out->count && dv_reals_size(&b->out_x) == m->out->count &&
         dv_reals_size(&b->in_x) == m->in->count && dv_topology_point_count(b->mesh) == m->in->count &&
         w->in_points == dv_trace_before(trace, DV_POINT, m->in->count);
}

bool dv_barycentric_patch(dvBarycentric *b)
{
  dvObject *o = &b->linear.base.base;
  dvWeights *w = &b->linear.weights;
  const dvTrace *trace = dv_follow_trace(o, b->mesh);
  dvLocateDef def = {.x = b->in_x.data};
  if (!can_patch(b, trace) || !dv_barycentric_elements(b->mesh, &def)) return false;
  if (def.lists[0].count && def.lists[1].count) return false;   // elements of two kinds are counted through
  if (def.lists[1].count) def.lists[0] = def.lists[1], def.lists[1].count = 0;
  if (b->finder.ready) follow_elements(b, trace, &def);
  dvNumbers rows = {0};
  bool good = find_rows(b, &rows) && dv_weights_loosen(w);
  for (size_t i = 0; i < rows.count && good; i++) dv_weights_drop(w, (size_t)rows.data[i]);
  good = good && dv_linear_follow_inputs(w, trace) && find_lost(b, &def, &rows) && put_rows(b, &rows);
  if (good) {
    dv_linear_apply_to(o, &rows);
    b->touched.count = 0;
  }
  dv_array_free(&rows);
  return good && dv_follow_patched(o);
}

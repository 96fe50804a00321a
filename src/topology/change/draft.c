// See draft.h.
#include "topology/change/draft.h"

#include "topology/change/modify.h"
#include "topology/search/tuple_set.h"

#include <stdlib.h>

// an edge that is to be split, of an element
typedef struct Met {
  int32_t element, edge;
} Met;

typedef DV_ARRAY(Met) MetList;

static size_t width_of(const dvDraft *d) { return (size_t)dv_element_points(d->kind); }

void dv_draft_begin(dvDraft *d, dvTopology *t, dvElementKind kind)
{
  *d = (dvDraft){.mesh = t, .kind = kind, .existing = dv_topology_count(t, kind)};
}

const int32_t *dv_draft_corners(const dvDraft *d, int32_t element)
{
  size_t number = (size_t)element;
  return number < d->existing ? dv_topology_list(d->mesh, d->kind)->data + number * width_of(d)
                              : d->points.data + (number - d->existing) * width_of(d);
}

// --- who is where --------------------------------------------------------------------------------

static void make_ready(dvDraft *d)
{
  if (d->ready || !d->gone.count) return;
  d->ready = true;
  d->first.count = 0;
  dv_array_resize(&d->first, dv_topology_point_count(d->mesh));
  dv_array_resize(&d->next, d->points.count);
  dv_array_resize(&d->in_pieces, d->existing);
  for (size_t i = d->points.count; i-- > 0;) {
    d->next.data[i] = d->first.data[d->points.data[i]];
    d->first.data[d->points.data[i]] = (int32_t)i + 1;
  }
  for (size_t i = 0; i < d->gone.count; i++) d->in_pieces.data[d->gone.data[i]] = true;
}

static bool has_both(const int32_t *corners, size_t width, int32_t a, int32_t b)
{
  int found = 0;
  for (size_t k = 0; k < width; k++) found += corners[k] == a || corners[k] == b;
  return found == 2;
}

static void add_existing(dvDraft *d, int32_t point, dvNumbers *out)
{
  int32_t width = dv_element_points(d->kind);
  dvChains c = dv_topology_chains(d->mesh, d->kind);
  for (int32_t at = c.first ? c.first[point] : 0; at; at = c.next[at - 1]) {
    int32_t element = (at - 1) / width;
    if (!d->ready || !d->in_pieces.data[element]) dv_push(out, element);
  }
}

static void add_pieces(dvDraft *d, int32_t point, dvNumbers *out)
{
  int32_t width = dv_element_points(d->kind), offset = (int32_t)d->existing;
  bool known = d->ready && (size_t)point < d->first.count;   // points may have come since
  for (int32_t at = known ? d->first.data[point] : 0; at; at = d->next.data[at - 1])
    dv_push(out, offset + (at - 1) / width);
}

void dv_draft_around(dvDraft *d, int32_t point, dvNumbers *out)
{
  make_ready(d);
  out->count = 0;
  add_existing(d, point, out);
  add_pieces(d, point, out);
  if (out->count <= 64) dv_tuple_sort(out->data, (int)out->count);   // few, and mostly in order
  else dv_numbers_sort(out->data, out->count);
}

// --- pieces --------------------------------------------------------------------------------------

// the piece that an element of the mesh becomes; one that is a piece stays
static int32_t open(dvDraft *d, int32_t element)
{
  if ((size_t)element >= d->existing) return element;
  size_t width = width_of(d);
  const int32_t *corners = dv_draft_corners(d, element);
  for (size_t k = 0; k < width; k++) dv_push(&d->points, corners[k]);
  dv_push(&d->ancestors, element);
  dv_push(&d->shares, 1);
  dv_push(&d->gone, element);
  d->ready = false;
  return (int32_t)(d->existing + d->ancestors.count - 1);
}

// a piece that has the edge becomes two: the one at a in its place, the one at b at the end
static void split_piece(dvDraft *d, size_t piece, const dvEdgeSplit *e, int32_t fresh)
{
  size_t width = width_of(d);
  if (!has_both(d->points.data + piece * width, width, e->a, e->b)) return;
  dv_reserve(&d->points, width);
  int32_t *near = d->points.data + piece * width, *far = d->points.data + d->points.count;
  for (size_t k = 0; k < width; k++) {
    far[k] = near[k] == e->a ? fresh : near[k];
    if (near[k] == e->b) near[k] = fresh;
  }
  d->points.count += width;
  dv_push(&d->ancestors, d->ancestors.data[piece]);
  dv_push(&d->shares, (1 - e->share) * d->shares.data[piece]);
  d->shares.data[piece] *= e->share;
}

static int by_element(const void *a, const void *b)
{
  const Met *x = a, *y = b;
  return x->element != y->element ? (x->element > y->element) - (x->element < y->element)
                                  : (x->edge > y->edge) - (x->edge < y->edge);
}

void dv_draft_split(dvDraft *d, const dvEdgeSplit *edges, size_t count, int32_t fresh)
{
  size_t width = width_of(d);
  MetList met = {0};
  dvNumbers around = {0};
  make_ready(d);
  for (size_t i = 0; i < count; i++) {
    around.count = 0;
    add_existing(d, edges[i].a, &around);
    add_pieces(d, edges[i].a, &around);
    for (size_t k = 0; k < around.count; k++)
      if (has_both(dv_draft_corners(d, around.data[k]), width, edges[i].a, edges[i].b))
        dv_push(&met, ((Met){around.data[k], (int32_t)i}));
  }
  if (met.count) qsort(met.data, met.count, sizeof *met.data, by_element);
  for (size_t i = 0; i < met.count;) {
    int32_t element = met.data[i].element;
    size_t own = (size_t)open(d, element) - d->existing, first = d->ancestors.count;
    for (; i < met.count && met.data[i].element == element; i++) {
      size_t end = d->ancestors.count;
      const dvEdgeSplit *e = &edges[met.data[i].edge];
      split_piece(d, own, e, fresh + met.data[i].edge);
      for (size_t k = first; k < end; k++) split_piece(d, k, e, fresh + met.data[i].edge);
    }
  }
  d->ready = d->ready && met.count == 0;
  dv_array_free(&met);
  dv_array_free(&around);
}

int32_t dv_draft_exchange(dvDraft *d, int32_t element, int32_t old, int32_t fresh)
{
  int32_t piece = open(d, element);
  int32_t *corners = d->points.data + ((size_t)piece - d->existing) * width_of(d);
  for (size_t k = 0; k < width_of(d); k++)
    if (corners[k] == old) corners[k] = fresh;
  d->ready = false;
  return piece;
}

dvStatus dv_draft_make(dvDraft *d, dvStatus status)
{
  if (status == DV_OK && d->gone.count)
    status = dv_mesh_replace(d->mesh, d->kind, d->gone.data, d->gone.count, d->points.data, d->ancestors.data,
                             d->shares.data, d->ancestors.count);
  dv_array_free(&d->points), dv_array_free(&d->ancestors), dv_array_free(&d->shares), dv_array_free(&d->gone);
  dv_array_free(&d->first), dv_array_free(&d->next), dv_array_free(&d->in_pieces);
  return status;
}

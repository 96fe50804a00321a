// Points of a BarycentricMapping that are put into cells by who cuts these. See barycentric.h.
#include "mapping/linear/barycentric_inside.h"
#include "topology/search/locate.h"

#include <string.h>

const dvMapping *dv_barycentric_from(const dvObject *o, const dvTopology *mesh)
{
  const dvBarycentric *b = (const dvBarycentric *)o;
  if (o->cls != &dv_barycentric_mapping_class || !o->initialised || o->failed || b->mesh != mesh) return NULL;
  return &b->linear.base;
}

void dv_barycentric_places(const dvObject *o, dvPlaceInCell *out, size_t count)
{
  const dvBarycentricPlaces *p = &((const dvBarycentric *)o)->places[DV_HEXAHEDRON];
  for (size_t i = 0; i < count; i++) out[i] = (dvPlaceInCell){.point = (int32_t)i, .hexahedron = -1};
  for (size_t i = 0; i < p->point.count; i++) {
    if ((size_t)p->point.data[i] >= count) continue;
    dvPlaceInCell *at = &out[p->point.data[i]];
    at->hexahedron = p->element.data[i];
    memcpy(at->local, p->local.data + 3 * i, sizeof at->local);
  }
}

void dv_barycentric_put(dvObject *o, const dvPlaceInCell *places, size_t count)
{
  dvBarycentric *b = (dvBarycentric *)o;
  dvBarycentricPlaces *p = &b->places[DV_HEXAHEDRON];
  size_t points = dv_reals_size(&b->out_x);
  int32_t *at = dv_alloc((points + 1) * sizeof *at);
  for (size_t i = 0; i < points; i++) at[i] = -1;
  for (size_t i = 0; i < p->point.count; i++) at[p->point.data[i]] = (int32_t)i;
  for (size_t i = 0; i < count; i++) {
    const dvPlaceInCell *to = &places[i];
    int32_t entry = at[to->point], buffer[8];
    const int32_t *corners = dv_barycentric_corners(b, DV_HEXAHEDRON, (size_t)to->hexahedron, buffer);
    if (entry < 0) {
      at[to->point] = (int32_t)p->point.count;
      dv_barycentric_add(b, (size_t)to->point, DV_HEXAHEDRON, (size_t)to->hexahedron, to->local);
    } else {
      dv_ints_edit(&p->element)[entry] = to->hexahedron;
      memcpy(dv_reals_edit(&p->local) + 3 * (size_t)entry, to->local, sizeof to->local);
    }
    dv_push(&b->touched, to->point);
    double w[8], *x = dv_reals_edit(&b->out_x) + (size_t)b->out_x.width * (size_t)to->point;
    dv_locate_weights(DV_HEXAHEDRON, to->local, w);
    for (int k = 0; k < 3; k++) {
      x[k] = 0;
      for (int c = 0; c < 8; c++) x[k] += w[c] * b->in_x.data[3 * (size_t)corners[c] + (size_t)k];
    }
  }
  dv_free(at);
  dv_pairs_forget(&p->pairs);
  b->put = true;
}

typedef struct PutPlaces {
  DV_ARRAY(int32_t) numbers;   // kind, element and point of each
  DV_ARRAY(double) reals;      // coordinates in the element, then where each point was at the start
} PutPlaces;

static void pack_places(const dvBarycentric *b, PutPlaces *out)
{
  for (int kind = DV_EDGE; kind <= DV_HEXAHEDRON; kind++) {
    const dvBarycentricPlaces *p = &b->places[kind];
    for (size_t i = 0; i < p->point.count; i++) {
      dv_push(&out->numbers, kind), dv_push(&out->numbers, p->element.data[i]),
          dv_push(&out->numbers, p->point.data[i]);
      for (size_t k = 0; k < 3; k++) dv_push(&out->reals, p->local.data[3 * i + k]);
    }
  }
  for (size_t i = 0; i < b->out_x.count; i++) dv_push(&out->reals, b->out_x.data[i]);
}

static bool unpack_places(dvBarycentric *b, const PutPlaces *in)
{
  size_t entries = in->numbers.count / 3;
  if (in->reals.count != 3 * entries + b->out_x.count) return false;
  for (int kind = 0; kind < DV_ELEMENT_KINDS; kind++) {
    dvBarycentricPlaces *p = &b->places[kind];
    p->element.count = p->point.count = p->local.count = 0;
    dv_pairs_forget(&p->pairs);
  }
  for (size_t i = 0; i < entries; i++) {
    const int32_t *n = in->numbers.data + 3 * i;
    if (n[0] < DV_EDGE || n[0] > DV_HEXAHEDRON || n[1] < 0 || n[2] < 0) return false;
    dv_barycentric_add(b, (size_t)n[2], (dvElementKind)n[0], (size_t)n[1], in->reals.data + 3 * i);
  }
  return dv_reals_assign(&b->out_x, in->reals.data + 3 * entries, b->out_x.count);
}

// from shapes alone they would not be found again
void dv_barycentric_remember(dvObject *o, dvMemoryStream *s)
{
  dvBarycentric *b = (dvBarycentric *)o;
  PutPlaces places = {0};
  if (b->put && !dv_memory_restores(s)) pack_places(b, &places);
  dv_remember_array(s, "points that were put", &places.numbers);
  dv_remember_array(s, "their places", &places.reals);
  if (dv_memory_restores(s)) {
    b->put = places.numbers.count > 0;
    if (b->put && !unpack_places(b, &places)) dv_memory_refuse(s, "places of %s do not fit", o->name);
  }
  dv_array_free(&places.numbers), dv_array_free(&places.reals);
}

bool dv_barycentric_restored(dvObject *o)
{
  dvBarycentric *b = (dvBarycentric *)o;
  size_t points = b->linear.base.out->count, found = 0;
  if (!b->put) return true;
  for (int kind = DV_EDGE; kind <= DV_HEXAHEDRON; kind++) {
    const dvBarycentricPlaces *p = &b->places[kind];
    size_t elements = dv_topology_count(b->mesh, (dvElementKind)kind);
    for (size_t i = 0; i < p->point.count; i++)
      if (p->element.data[i] < 0 || (size_t)p->element.data[i] >= elements || p->point.data[i] < 0 ||
          (size_t)p->point.data[i] >= points)
        return false;
  }
  int32_t *at = dv_barycentric_index(b, points);
  for (size_t i = 0; i < points; i++) found += at[i] >= 0;
  dv_free(at);
  return found == points && dv_reals_size(&b->out_x) == points && dv_barycentric_make_rows(b) == DV_OK;
}

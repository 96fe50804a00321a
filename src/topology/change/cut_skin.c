// See cut_skin.h. The blade passes all points and edges of the surface (dv_skin_settle), so that each triangle is
// crossed by a facet along one segment, from an edge of the triangle or of the facet to another one.
//
// 1. Where edges of the blade pierce triangles, points are put into these; then edges that cross a facet are split.
// What
//    is left meets the facets in edges alone.
// 2. In each facet these edges, directed so that the inside lies left of them, and the parts of the facet's sides that
//    lie inside make rings. Triangles fill them (search/polygon.h).
// 3. Around a point of the cut, triangles hang together over edges that are not cut: those above the blade get another
//    point than those below.
#include "topology/change/skin_cutter.h"

#include "topology/change/modify.h"
#include "topology/search/surface.h"

#include <stdlib.h>

// --- points and edges on the surface -------------------------------------------------------------

static bool is_apart(const dvSkinCutter *c, const int32_t *t, const dvVec3 *low, const dvVec3 *high)
{
  dvVec3 a = dv_skin_place(c, t[0]), b = a;
  for (int k = 1; k < 3; k++) {
    dvVec3 x = dv_skin_place(c, t[k]);
    a = dv_vec3(dv_min(a.x, x.x), dv_min(a.y, x.y), dv_min(a.z, x.z));
    b = dv_vec3(dv_max(b.x, x.x), dv_max(b.y, x.y), dv_max(b.z, x.z));
  }
  return dv_boxes_apart(a, b, *low, *high);
}

// a triangle that an edge of the blade pierces where there is no point yet; -1 for none. The search begins at `from`.
static int32_t find_pierced(const dvSkinCutter *c, int32_t edge, size_t from, dvLineHit *hit)
{
  const dvBladeEdge *e = &c->blade->edges.data[edge];
  dvVec3 a = c->blade->corners.data[e->ends[0]], b = c->blade->corners.data[e->ends[1]];
  dvVec3 low = dv_vec3(dv_min(a.x, b.x), dv_min(a.y, b.y), dv_min(a.z, b.z)),
         high = dv_vec3(dv_max(a.x, b.x), dv_max(a.y, b.y), dv_max(a.z, b.z));
  const dvInts *all = dv_topology_list(c->mesh, DV_TRIANGLE);
  for (size_t i = from; i < dv_ints_size(all); i++) {
    const int32_t *t = all->data + 3 * i;
    bool has = false;
    if (is_apart(c, t, &low, &high)) continue;
    for (int k = 0; k < 3; k++) has = has || (t[k] >= c->old && c->marks.data[t[k] - c->old].edge == edge);
    if (!has && dv_line_meets_triangle(c->x.data, t, a, b, hit) && hit->at >= 0 && hit->at <= 1) return (int32_t)i;
  }
  return -1;
}

static dvStatus pierce(dvSkinCutter *c)
{
  for (size_t e = 0; e < c->blade->edges.count; e++) {
    dvLineHit hit;
    // pieces of a pierced triangle come at the end of the list, and what takes its place has been at the end: the
    // search goes on from where it is
    for (int32_t t = 0; (t = find_pierced(c, (int32_t)e, (size_t)t, &hit)) >= 0;) {
      const int32_t *corners = dv_topology_list(c->mesh, DV_TRIANGLE)->data + 3 * (size_t)t;
      int32_t beside = corners[0];
      dvVec3 at = dv_vec3(0, 0, 0);
      for (int k = 0; k < 3; k++) at = dv_vec3_add_scaled(at, dv_skin_place(c, corners[k]), hit.weights[k]);
      if (dv_mesh_split_triangle(c->mesh, t, hit.weights) < 0) return DV_ERROR_USAGE;
      const dvBladeEdge *edge = &c->blade->edges.data[e];
      dv_skin_mark(c, (dvSkinMark){{edge->facets[0], edge->facets[1]}, (int32_t)e, hit.at, false}, at, beside);
    }
  }
  return DV_OK;
}

// the first facet that an edge crosses
static bool find_crossing(const dvSkinCutter *c, const int32_t *e, dvEdgeSplit *out, int32_t *facet)
{
  dvVec3 x = dv_skin_place(c, e[0]), y = dv_skin_place(c, e[1]);
  double best = 2;
  if (dv_boxes_apart(x, y, c->blade->low, c->blade->high)) return false;
  for (size_t i = 0; i < c->blade->facets.count; i++) {
    const dvBladeFacet *f = &c->blade->facets.data[i];
    if (dv_boxes_apart(x, y, f->low, f->high) || dv_skin_is_on(c, e[0], (int32_t)i) ||
        dv_skin_is_on(c, e[1], (int32_t)i))
      continue;
    double s = dv_blade_crossing(c->blade, (int32_t)i, x, y);
    if (!(s > 0) || !(s < 1) || s >= best) continue;
    best = s;
    *facet = (int32_t)i;
  }
  *out = (dvEdgeSplit){e[0], e[1], best};
  return best < 1;
}

static void mark_split(dvSkinCutter *c, const dvEdgeSplit *e, int32_t facet)
{
  dvVec3 a = dv_skin_place(c, e->a), at = dv_vec3_add_scaled(a, dv_vec3_sub(dv_skin_place(c, e->b), a), e->share);
  dv_skin_mark(c, (dvSkinMark){{facet, -1}, -1, 0, false}, at, e->a);
}

enum { MOST_PASSES = 1000 };

static dvStatus split_edges(dvSkinCutter *c)
{
  for (int pass = 0; pass < MOST_PASSES; pass++) {
    DV_ARRAY(dvEdgeSplit) splits = {0};
    dvSkinNumbers facets = {0};
    const dvInts *all = dv_topology_list(c->mesh, DV_EDGE);
    for (size_t i = 0; i < dv_ints_size(all); i++) {
      dvEdgeSplit s;
      int32_t facet = -1;
      if (!find_crossing(c, all->data + 2 * i, &s, &facet)) continue;
      dv_push(&splits, s);
      dv_push(&facets, facet);
    }
    bool done = splits.count == 0, good = done || dv_mesh_split_edges(c->mesh, splits.data, splits.count) >= 0;
    for (size_t i = 0; i < splits.count && good; i++) mark_split(c, &splits.data[i], facets.data[i]);
    dv_array_free(&splits), dv_array_free(&facets);
    if (done || !good) return good ? DV_OK : DV_ERROR_USAGE;
  }
  return DV_ERROR_USAGE;
}

// An edge between two places where the blade ends would have four triangles: a point comes between.
static dvStatus split_short_cuts(dvSkinCutter *c)
{
  DV_ARRAY(dvEdgeSplit) splits = {0};
  dvSkinNumbers facets = {0};
  const dvInts *all = dv_topology_list(c->mesh, DV_EDGE);
  for (size_t i = 0; i < dv_ints_size(all); i++) {
    const int32_t *e = all->data + 2 * i;
    int32_t facet = dv_skin_common_facet(c, e[0], e[1]);
    if (facet < 0 || !dv_skin_is_single(c, e[0]) || !dv_skin_is_single(c, e[1])) continue;
    dv_push(&splits, ((dvEdgeSplit){e[0], e[1], 0.5}));
    dv_push(&facets, facet);
  }
  bool good = !splits.count || dv_mesh_split_edges(c->mesh, splits.data, splits.count) >= 0;
  for (size_t i = 0; i < splits.count && good; i++) mark_split(c, &splits.data[i], facets.data[i]);
  dv_array_free(&splits), dv_array_free(&facets);
  return good ? DV_OK : DV_ERROR_USAGE;
}

// whether a triangle lies above the facet that has two of its points
static bool is_above(const dvSkinCutter *c, int32_t facet, const int32_t *t)
{
  double sum = 0;
  for (int k = 0; k < 3; k++)
    if (!dv_skin_is_on(c, t[k], facet)) sum += dv_blade_height(c->blade, facet, dv_skin_place(c, t[k]));
  return sum > 0;
}

// The triangle below the facet runs along the edge in one direction; the sheet that closes it, in the other.
static dvStatus find_cut_edges(dvSkinCutter *c)
{
  const dvInts *all = dv_topology_list(c->mesh, DV_EDGE);
  for (size_t i = 0; i < dv_ints_size(all); i++) {
    const int32_t *e = all->data + 2 * i;
    int32_t facet = dv_skin_common_facet(c, e[0], e[1]), around[3];
    if (facet < 0) continue;
    if (dv_mesh_around(c->mesh, DV_TRIANGLE, e, 2, around, 3) != 2) return DV_ERROR_USAGE;
    const int32_t *list = dv_topology_list(c->mesh, DV_TRIANGLE)->data, *p = list + 3 * (size_t)around[0],
                  *q = list + 3 * (size_t)around[1];
    if (is_above(c, facet, p) == is_above(c, facet, q)) return DV_ERROR_USAGE;
    const int32_t *below = is_above(c, facet, p) ? q : p;
    bool along = false;
    for (int k = 0; k < 3; k++) along = along || (below[k] == e[0] && below[(k + 1) % 3] == e[1]);
    dv_push(&c->edges, ((dvSkinEdge){e[along], e[!along], facet}));
  }
  return DV_OK;
}

// --- parting -------------------------------------------------------------------------------------

static bool is_cut(const dvSkinCutter *c, int32_t p, int32_t q) { return dv_skin_common_facet(c, p, q) >= 0; }

// a corner of a triangle that gets the upper point
typedef struct Corner {
  int32_t triangle, old;
} Corner;

typedef DV_ARRAY(Corner) Corners;

// The triangles around a point that hang together with those above the cut; false when they also hang together with
// those below: the cut ends here.
static bool find_above(const dvSkinCutter *c, int32_t point, Corners *out)
{
  const int32_t *list = dv_topology_list(c->mesh, DV_TRIANGLE)->data;
  dvSkinNumbers around = {0}, queue = {0};
  for (int32_t at = dv_topology_first_at(c->mesh, DV_TRIANGLE, point); at >= 0;
       at = dv_topology_next_at(c->mesh, DV_TRIANGLE, at))
    dv_push(&around, at / 3);
  bool *above = dv_alloc((around.count + 1) * sizeof *above), parts = true;
  for (size_t i = 0; i < around.count; i++) {
    const int32_t *t = list + 3 * (size_t)around.data[i];
    for (int k = 0; k < 3; k++) {
      int32_t facet = t[k] == point ? -1 : dv_skin_common_facet(c, point, t[k]);
      if (facet >= 0 && is_above(c, facet, t) && !above[i]) above[i] = true, dv_push(&queue, (int32_t)i);
    }
  }
  for (size_t head = 0; head < queue.count; head++) {
    const int32_t *t = list + 3 * (size_t)around.data[queue.data[head]];
    for (size_t j = 0; j < around.count; j++) {
      const int32_t *o = list + 3 * (size_t)around.data[j];
      if (above[j]) continue;
      for (int k = 0; k < 3; k++)
        for (int m = 0; m < 3; m++)
          if (t[k] != point && t[k] == o[m] && !is_cut(c, point, t[k]) && !above[j])
            above[j] = true, dv_push(&queue, (int32_t)j);
    }
  }
  for (size_t i = 0; i < around.count && parts; i++) {
    const int32_t *t = list + 3 * (size_t)around.data[i];
    for (int k = 0; k < 3; k++) {
      int32_t facet = t[k] == point ? -1 : dv_skin_common_facet(c, point, t[k]);
      if (facet >= 0 && above[i] && !is_above(c, facet, t)) parts = false;
    }
  }
  for (size_t i = 0; i < around.count && parts; i++)
    if (above[i]) dv_push(out, ((Corner){around.data[i], point}));
  dv_free(above);
  dv_array_free(&around), dv_array_free(&queue);
  return parts;
}

static int by_triangle(const void *a, const void *b)
{
  return dv_numbers_ascending(&((const Corner *)a)->triangle, &((const Corner *)b)->triangle);
}

// triangles above the cut with their new points, in place of the old ones
static dvStatus replace_corners(dvSkinCutter *c, Corners *corners)
{
  dvSkinNumbers gone = {0}, points = {0};
  DV_ARRAY(double) ones = {0};
  if (corners->count) qsort(corners->data, corners->count, sizeof *corners->data, by_triangle);
  for (size_t i = 0; i < corners->count;) {
    int32_t triangle = corners->data[i].triangle, t[3];
    memcpy(t, dv_topology_list(c->mesh, DV_TRIANGLE)->data + 3 * (size_t)triangle, sizeof t);
    for (; i < corners->count && corners->data[i].triangle == triangle; i++)
      for (int k = 0; k < 3; k++)
        if (t[k] == corners->data[i].old) t[k] = c->upper.data[t[k]];
    for (int k = 0; k < 3; k++) dv_push(&points, t[k]);
    dv_push(&gone, triangle);
    dv_push(&ones, 1);
  }
  dvStatus status = gone.count ? dv_mesh_replace(c->mesh, DV_TRIANGLE, gone.data, gone.count, points.data, gone.data,
                                                 ones.data, gone.count)
                               : DV_OK;
  dv_array_free(&gone), dv_array_free(&points), dv_array_free(&ones);
  return status;
}

// Points of the sheets, then the upper ones of those that double. Both lists of new points are in ascending order.
static dvStatus add_points(dvSkinCutter *c, Corners *corners)
{
  size_t surface = dv_topology_point_count(c->mesh);
  dvSkinPoints fresh = {0};
  DV_ARRAY(double) at = {0};
  dvSkinNumbers offsets = {0}, ancestors = {0};
  DV_ARRAY(double) ones = {0};
  size_t all = (size_t)c->old + c->marks.count;
  for (int32_t p = 0; p < (int32_t)all; p++) dv_push(&c->upper, p);
  dv_push(&offsets, 0);
  for (size_t i = 0; i < c->born->count; i++) {   // of the sheets: where the blade is
    dvVec3 x = c->born->data[i].at;
    dv_push(&at, x.x), dv_push(&at, x.y), dv_push(&at, x.z);
  }
  dvStatus status = c->born->count ? dv_topology_add_points(c->mesh, c->born->count, at.data, (dvOrigin){0}) : DV_OK;
  int32_t next = (int32_t)all;
  for (int32_t p = c->old; p < (int32_t)all && status == DV_OK; p++) {
    bool of_sheet = (size_t)p >= surface;
    const dvSkinMark *m = &c->marks.data[p - c->old];
    dvVec3 x = dv_skin_place(c, p);
    bool doubled = of_sheet ? !dv_skin_is_single(c, p) : find_above(c, p, corners);
    if (!of_sheet) dv_push(&fresh, ((dvSkinPoint){x, c->near.data[p - c->old], p, m->facets[0], doubled ? -1 : 0}));
    if (!doubled) continue;
    c->upper.data[p] = next;
    dv_push(&fresh, ((dvSkinPoint){x, c->near.data[p - c->old], next++, m->facets[0], 1}));
    dv_push(&ancestors, p);
    dv_push(&ones, 1);
    dv_push(&offsets, (int32_t)ancestors.count);
  }
  for (size_t i = 0; i < fresh.count; i++) dv_push(c->born, fresh.data[i]);
  if (status == DV_OK && ancestors.count)
    status =
        dv_topology_add_points(c->mesh, ancestors.count, NULL, (dvOrigin){offsets.data, ancestors.data, ones.data});
  dv_array_free(&fresh), dv_array_free(&at), dv_array_free(&offsets), dv_array_free(&ancestors), dv_array_free(&ones);
  return status;
}

static dvStatus add_caps(dvSkinCutter *c)
{
  dvSkinNumbers both = {0};
  for (size_t i = 0; i < c->caps.count; i += 3) {
    const int32_t *t = c->caps.data + i;
    for (int k = 0; k < 3; k++) dv_push(&both, t[k]);
  }
  for (size_t i = 0; i < c->caps.count; i += 3) {
    const int32_t *t = c->caps.data + i;
    dv_push(&both, c->upper.data[t[0]]), dv_push(&both, c->upper.data[t[2]]), dv_push(&both, c->upper.data[t[1]]);
  }
  dvStatus status = dv_mesh_add(c->mesh, DV_TRIANGLE, both.data, both.count / 3, (dvOrigin){0});
  dv_array_free(&both);
  return status;
}

// --- all of it -----------------------------------------------------------------------------------

dvStatus dv_skin_cut(const dvSkin *s, const dvBlade *b, dvSkinPoints *points)
{
  dvSkinPoints born = {0};
  dvSkinCutter c = {.mesh = s->mesh, .blade = b, .old = (int32_t)dv_topology_point_count(s->mesh), .born = &born};
  Corners corners = {0};
  dvStatus status = dv_topology_first_change(s->mesh);
  for (int32_t i = 0; i < 3 * c.old; i++) dv_push(&c.x, s->x[i]);
  if (status == DV_OK) status = pierce(&c);
  if (status == DV_OK) status = split_edges(&c);
  if (status == DV_OK) status = split_short_cuts(&c);
  if (status == DV_OK) status = find_cut_edges(&c);
  if (status == DV_OK && !dv_skin_fill_facets(&c)) status = DV_ERROR_USAGE;
  if (status == DV_OK) status = add_points(&c, &corners);
  if (status == DV_OK) status = replace_corners(&c, &corners);
  if (status == DV_OK) status = add_caps(&c);
  for (size_t i = 0; i < born.count && status == DV_OK; i++) dv_push(points, born.data[i]);
  for (int32_t p = c.old; p < (int32_t)dv_topology_point_count(s->mesh) && status != DV_OK; p++)
    dv_push(points,
            ((dvSkinPoint){dv_skin_place(&c, p), c.near.data[p - c.old], p, c.marks.data[p - c.old].facets[0], 0}));
  dv_array_free(&born), dv_array_free(&corners);
  dv_array_free(&c.x), dv_array_free(&c.marks), dv_array_free(&c.near), dv_array_free(&c.edges),
      dv_array_free(&c.upper);
  dv_array_free(&c.caps), dv_array_free(&c.cap_facets);
  return status;
}

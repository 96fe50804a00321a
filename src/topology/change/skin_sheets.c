// The sheets that close a surface on both sides of a cut. See cut_skin.h.
#include "topology/change/modify.h"
#include "topology/change/skin_cutter.h"
#include "topology/search/polygon.h"
#include "topology/search/surface.h"

#include <stdlib.h>

// --- rings of the facets -------------------------------------------------------------------------

// A point of a ring: a point of the surface, a corner of the blade inside of it, or one that is put between two points
// which are not doubled. They are numbered from c->old on, after those of the marks.
static int32_t add_inner(dvSkinCutter *c, dvVec3 at, int32_t beside, int32_t facet, bool doubled)
{
  int32_t number = c->old + (int32_t)c->marks.count;
  dv_skin_mark(c, (dvSkinMark){{facet, -1}, -1, 0, !doubled}, at, beside);
  dv_push(c->born, ((dvSkinPoint){at, c->near.data[number - c->old], number, facet, doubled ? -1 : 0}));
  return number;
}

typedef struct Rings {
  dvSkinCutter *c;
  dvSkinNumbers corner;   // of each corner of the blade: the point made for it, or -1
  dvSkinNumbers
      middle;   // of each edge of the blade: the points between two that are not doubled, as (from, to, point)
  dvSkinNumbers next, of;   // of each point that has a next one in the facet: that, and the point
} Rings;

static bool at_the_end(const dvSkinCutter *c, int32_t blade_corner)
{
  for (size_t i = 0; i < c->blade->edges.count; i++) {
    const dvBladeEdge *e = &c->blade->edges.data[i];
    if (e->facets[1] < 0 && (e->ends[0] == blade_corner || e->ends[1] == blade_corner)) return true;
  }
  return false;
}

static int32_t corner_point(Rings *r, int32_t corner, int32_t beside, int32_t facet)
{
  while (r->corner.count < r->c->blade->corners.count) dv_push(&r->corner, -1);
  if (r->corner.data[corner] < 0)
    r->corner.data[corner] =
        add_inner(r->c, r->c->blade->corners.data[corner], beside, facet, !at_the_end(r->c, corner));
  return r->corner.data[corner];
}

static int32_t middle_point(dvSkinCutter *c, int32_t a, int32_t b, int32_t facet, bool doubled)
{
  return add_inner(c, dv_vec3_scale(dv_vec3_add(dv_skin_place(c, a), dv_skin_place(c, b)), 0.5), a, facet, doubled);
}

static void link(Rings *r, int32_t from, int32_t to) { dv_push(&r->of, from), dv_push(&r->next, to); }

static bool closes(const dvSkinCutter *c, int32_t from, int32_t to)
{
  for (size_t i = 0; i < c->edges.count; i++)
    if (c->edges.data[i].from == to && c->edges.data[i].to == from) return true;
  return false;
}

// A part of an edge of the blade inside of the surface. Where the sheet goes on beyond it, its ends must not both be
// single: the edge would have four triangles. And with an edge of the surface it must not make a ring of two points.
static void link_along(Rings *r, int32_t edge, int32_t from, int32_t to, int32_t facet)
{
  dvSkinCutter *c = r->c;
  bool ends = c->blade->edges.data[edge].facets[1] < 0;
  int32_t between = -1;
  for (size_t i = 0; i < r->middle.count; i += 3)
    if (r->middle.data[i] == to && r->middle.data[i + 1] == from) between = r->middle.data[i + 2];
  if (between < 0 && !closes(c, from, to) && (ends || !dv_skin_is_single(c, from) || !dv_skin_is_single(c, to))) {
    link(r, from, to);
    return;
  }
  if (between < 0) {
    between = middle_point(c, from, to, facet, !ends);
    dv_push(&r->middle, from), dv_push(&r->middle, to), dv_push(&r->middle, between);
  }
  link(r, from, between);
  link(r, between, to);
}

typedef struct Stop {
  double along;   // the side of the facet, from its first corner on
  int32_t point;
  bool enters;   // who goes round the facet comes inside here
} Stop;

// Where two lips of an earlier cut touch, the way leads out of the one and into the other.
static int by_along(const void *a, const void *b)
{
  const Stop *x = a, *y = b;
  if (fabs(x->along - y->along) < 1e-9) return x->enters - y->enters;
  return x->along > y->along ? 1 : -1;
}

typedef DV_ARRAY(Stop) Stops;

// places where the border of the facet pierces the surface, side by side
static bool find_stops(const dvSkinCutter *c, int32_t facet, Stops *out)
{
  const dvBladeFacet *f = &c->blade->facets.data[facet];
  for (size_t i = 0; i < c->marks.count; i++) {
    const dvSkinMark *m = &c->marks.data[i];
    int32_t point = c->old + (int32_t)i;
    if (m->edge < 0 || (m->facets[0] != facet && m->facets[1] != facet)) continue;
    int comes = 0, goes = 0;
    for (size_t k = 0; k < c->edges.count; k++) {
      if (c->edges.data[k].facet != facet) continue;
      goes += c->edges.data[k].from == point, comes += c->edges.data[k].to == point;
    }
    if (comes + goes != 1) return false;
    for (int32_t k = 0; k < f->count; k++) {
      if (c->blade->sides.data[f->first + k] != m->edge) continue;
      bool forward = c->blade->edges.data[m->edge].ends[0] == c->blade->ring.data[f->first + k];
      dv_push(out, ((Stop){k + (forward ? m->along : 1 - m->along), point, comes == 1}));
    }
  }
  if (out->count) qsort(out->data, out->count, sizeof *out->data, by_along);
  for (size_t i = 0; i < out->count; i++)
    if (out->data[i].enters == out->data[(i + 1) % out->count].enters) return false;
  return true;
}

// goes along the border of a facet from one stop to the next, or from the last to the first
static void link_border(Rings *r, int32_t facet, const Stop *from, const Stop *to, bool wraps)
{
  const dvBladeFacet *f = &r->c->blade->facets.data[facet];
  const int32_t *ring = r->c->blade->ring.data + f->first, *sides = r->c->blade->sides.data + f->first;
  int32_t side = (int32_t)from->along, last = (int32_t)to->along, at = from->point;
  for (bool round = wraps; side != last || round; round = false) {
    int32_t corner = corner_point(r, ring[(side + 1) % f->count], from->point, facet);
    link_along(r, sides[side], at, corner, facet);
    at = corner;
    side = (side + 1) % f->count;
  }
  link_along(r, sides[side], at, to->point, facet);
}

// all of the border
static void link_whole_border(Rings *r, int32_t facet, int32_t beside)
{
  const dvBladeFacet *f = &r->c->blade->facets.data[facet];
  const int32_t *ring = r->c->blade->ring.data + f->first, *sides = r->c->blade->sides.data + f->first;
  for (int32_t k = 0; k < f->count; k++)
    link_along(r, sides[k], corner_point(r, ring[k], beside, facet),
               corner_point(r, ring[(k + 1) % f->count], beside, facet), facet);
}

// whether a place lies inside of the surface, by what a ray meets
static bool is_inside(const dvSkinCutter *c, dvVec3 x)
{
  dvVec3 far = dv_vec3_add(x, dv_vec3(0.5773 * 1e3, 0.6180 * 1e3, 0.5321 * 1e3));
  const dvInts *all = dv_topology_list(c->mesh, DV_TRIANGLE);
  size_t met = 0;
  dvLineHit hit;
  for (size_t i = 0; i < dv_ints_size(all); i++)
    met += dv_line_meets_triangle(c->x.data, all->data + 3 * i, x, far, &hit) && hit.at >= 0;
  return met % 2 == 1;
}

// links of the rings of a facet; false when they do not close
static bool find_rings(Rings *r, int32_t facet)
{
  const dvSkinCutter *c = r->c;
  Stops stops = {0};
  r->next.count = r->of.count = 0;
  bool good = find_stops(c, facet, &stops);
  for (size_t i = 0; i < c->edges.count; i++)
    if (c->edges.data[i].facet == facet) link(r, c->edges.data[i].from, c->edges.data[i].to);
  for (size_t i = 0; i < stops.count && good; i++)
    if (stops.data[i].enters)
      link_border(r, facet, &stops.data[i], &stops.data[(i + 1) % stops.count], i + 1 == stops.count);
  const dvBladeFacet *f = &c->blade->facets.data[facet];
  int32_t beside = c->edges.count ? c->edges.data[0].from : 0;
  if (good && !stops.count && is_inside(c, c->blade->corners.data[c->blade->ring.data[f->first]]))
    link_whole_border(r, facet, beside);
  dv_array_free(&stops);
  return good;
}

// --- sheets --------------------------------------------------------------------------------------

// an edge of a triangle of the sheets
typedef struct SheetEdge {
  int32_t low, high;
  int32_t side;   // three times the triangle, and which of its sides
} SheetEdge;

static int by_ends(const void *a, const void *b)
{
  const SheetEdge *x = a, *y = b;
  if (x->low != y->low) return x->low < y->low ? -1 : 1;
  if (x->high != y->high) return x->high < y->high ? -1 : 1;
  return dv_numbers_ascending(&x->side, &y->side);
}

static int32_t *cap_corner(dvSkinCutter *c, int32_t side, int32_t k)
{
  return &c->caps.data[side / 3 * 3 + (side + k) % 3];
}

static void add_cap(dvSkinCutter *c, int32_t p, int32_t q, int32_t r, int32_t facet)
{
  dv_push(&c->caps, p), dv_push(&c->caps, q), dv_push(&c->caps, r);
  dv_push(&c->cap_facets, facet);
}

// a point comes between the ends of two opposite sides
static void split_side(dvSkinCutter *c, int32_t one, int32_t other)
{
  int32_t facet = c->cap_facets.data[one / 3], a = *cap_corner(c, one, 0), b = *cap_corner(c, one, 1);
  int32_t p = *cap_corner(c, one, 2), q = *cap_corner(c, other, 2), between = middle_point(c, a, b, facet, true);
  *cap_corner(c, one, 1) = between;     // a, between, p
  *cap_corner(c, other, 1) = between;   // b, between, q
  add_cap(c, between, b, p, facet);
  add_cap(c, between, a, q, facet);
}

// two triangles of a facet on either side of an edge, not touched yet; false when there are none
static bool find_pair(dvSkinCutter *c, const SheetEdge *e, size_t count, const bool *touched, int32_t pair[2])
{
  for (size_t i = 0; i < count; i++)
    for (size_t k = i + 1; k < count; k++) {
      pair[0] = e[i].side, pair[1] = e[k].side;
      bool opposite = *cap_corner(c, pair[0], 0) == *cap_corner(c, pair[1], 1);
      if (opposite && c->cap_facets.data[pair[0] / 3] == c->cap_facets.data[pair[1] / 3] && !touched[pair[0] / 3] &&
          !touched[pair[1] / 3])
        return true;
    }
  return false;
}

// Every edge is to have two triangles on either side of the cut. One between two single points would have four, and so
// would one that rounding has made twice: a point that is doubled comes between. Returns whether something was done.
static bool refine_edges(dvSkinCutter *c)
{
  size_t count = c->caps.count, done = 0;
  SheetEdge *edges = dv_alloc((count + 1) * sizeof *edges);
  bool *touched = dv_alloc((count / 3 + 1) * sizeof *touched);
  for (int32_t i = 0; i < (int32_t)count; i++) {
    int32_t a = *cap_corner(c, i, 0), b = *cap_corner(c, i, 1);
    edges[i] = (SheetEdge){dv_min_int(a, b), dv_max_int(a, b), i};
  }
  if (count) qsort(edges, count, sizeof *edges, by_ends);
  for (size_t i = 0, n; i < count; i += n) {
    int32_t pair[2];
    for (n = 1; i + n < count && edges[i + n].low == edges[i].low && edges[i + n].high == edges[i].high;) n++;
    if (n <= 2 && !(dv_skin_is_single(c, edges[i].low) && dv_skin_is_single(c, edges[i].high))) continue;
    if (!find_pair(c, edges + i, n, touched, pair)) continue;
    touched[pair[0] / 3] = touched[pair[1] / 3] = true;
    split_side(c, pair[0], pair[1]);
    done++;
  }
  dv_free(edges), dv_free(touched);
  return done > 0;
}

enum { MOST_ROUNDS = 1000 };

static void refine_caps(dvSkinCutter *c)
{
  for (int pass = 0; pass < MOST_ROUNDS && refine_edges(c);) pass++;
  for (size_t i = 0, count = c->caps.count; i < count; i += 3) {   // triangles of single points would be there twice
    int32_t t[3] = {c->caps.data[i], c->caps.data[i + 1], c->caps.data[i + 2]}, facet = c->cap_facets.data[i / 3];
    if (!dv_skin_is_single(c, t[0]) || !dv_skin_is_single(c, t[1]) || !dv_skin_is_single(c, t[2])) continue;
    dvVec3 sum = dv_vec3_add(dv_vec3_add(dv_skin_place(c, t[0]), dv_skin_place(c, t[1])), dv_skin_place(c, t[2]));
    int32_t middle = add_inner(c, dv_vec3_scale(sum, 1.0 / 3), t[0], facet, true);
    c->caps.data[i + 2] = middle;
    add_cap(c, t[1], t[2], middle, facet);
    add_cap(c, t[2], t[0], middle, facet);
  }
}

// in the plane of the facet, by points of the surface
static void flatten(const dvSkinCutter *c, int32_t facet, const dvSkinNumbers *points, double *xy)
{
  const dvBladeFacet *f = &c->blade->facets.data[facet];
  const int32_t *ring = c->blade->ring.data + f->first;
  dvVec3 u = dv_vec3_normalise(dv_vec3_sub(c->blade->corners.data[ring[1]], c->blade->corners.data[ring[0]])),
         v = dv_vec3_cross(f->normal, u);
  for (size_t i = 0; i < points->count; i++) {
    dvVec3 d = dv_vec3_sub(dv_skin_place(c, points->data[i]), f->centre);
    xy[2 * i] = dv_vec3_dot(d, u), xy[2 * i + 1] = dv_vec3_dot(d, v);
  }
}

static bool fill_facet(Rings *r, int32_t facet)
{
  dvSkinCutter *c = r->c;
  if (!find_rings(r, facet)) return false;
  size_t n = r->of.count, done = 0;
  int32_t *ring = dv_alloc((n + 1) * sizeof *ring);
  size_t *offsets = dv_alloc((n + 2) * sizeof *offsets), rings = 0;
  bool *seen = dv_alloc((n + 1) * sizeof *seen), good = true;
  for (size_t i = 0; i < n && good; i++) {
    if (seen[i]) continue;
    size_t at = i, steps = 0;
    do {
      size_t follow = n;
      seen[at] = true;
      ring[done++] = (int32_t)at;
      for (size_t k = 0; k < n && follow == n; k++)
        if (r->of.data[k] == r->next.data[at] && (!seen[k] || k == i)) follow = k;
      at = follow;
    } while (at != n && at != i && ++steps <= n);
    good = at == i;
    offsets[++rings] = done;
  }
  double *xy = dv_alloc((2 * n + 2) * sizeof *xy);
  dvPolygonTriangles filled = {0};
  if (good && n) {
    flatten(c, facet, &r->of, xy);
    dv_polygon_triangulate(xy, ring, offsets, rings, &filled);
    for (size_t i = 0; i < filled.count; i += 3)
      add_cap(c, r->of.data[filled.data[i]], r->of.data[filled.data[i + 1]], r->of.data[filled.data[i + 2]], facet);
  }
  dv_free(ring), dv_free(offsets), dv_free(seen), dv_free(xy);
  dv_array_free(&filled);
  return good;
}

bool dv_skin_fill_facets(dvSkinCutter *c)
{
  Rings r = {.c = c};
  bool good = true;
  for (size_t i = 0; i < c->blade->facets.count && good; i++) good = fill_facet(&r, (int32_t)i);
  if (good) refine_caps(c);
  dv_array_free(&r.corner), dv_array_free(&r.middle), dv_array_free(&r.next), dv_array_free(&r.of);
  return good;
}

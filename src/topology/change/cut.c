// See cut.h.
#include "topology/change/cut.h"

#include "math/vec.h"
#include "topology/change/part.h"
#include "topology/derive.h"
#include "topology/search/box_tree.h"
#include "topology/search/tuple_set.h"

typedef DV_ARRAY(int32_t) Numbers;

typedef struct Facet {
  const double *corners;
  size_t count;
  dvVec3 centre, normal;   // of its plane
  dvVec3 low, high;        // box around it
  double slack;            // by which it reaches over its sides, so that nothing slips through between two facets
} Facet;

typedef struct Crossing {
  int32_t ends[2], facet;
  double share;   // of the way from the first end to the second
  int32_t edge;   // of the mesh; -1: of a piece
} Crossing;

typedef struct Blade {
  dvTopology *mesh;
  dvDraft draft;   // what becomes of the tetrahedra
  const dvIncision *how;
  const double *x;   // positions now
  DV_ARRAY(Facet) facets;
  DV_ARRAY(dvBox) boxes;   // around them
  dvBoxTree tree;          // over those
  dvHits hits;             // scratch
  dvVec3 low, high;
  DV_ARRAY(int32_t) on;       // of each point: one more than the facet that it lies on, 0 for none
  DV_ARRAY(double) heights;   // of each point above the sheet, NAN where it was not asked for
  DV_ARRAY(bool) divided;     // of each edge of the mesh: it is split
} Blade;

enum { MOST_PASSES = 8 };
#define AGAIN 0.2   // share of an edge within which one that begins on the sheet is not met again

static dvVec3 place(const Blade *b, int32_t point) { return dv_vec3_load(b->x + 3 * (size_t)point); }

// after every change
static void look(Blade *b) { b->x = b->how->positions(b->how->user); }

// --- the sheet -----------------------------------------------------------------------------------

static dvVec3 corner(const Facet *f, size_t i) { return dv_vec3_load(f->corners + 3 * (i % f->count)); }

static dvVec3 lower(dvVec3 a, dvVec3 b) { return dv_vec3(dv_min(a.x, b.x), dv_min(a.y, b.y), dv_min(a.z, b.z)); }
static dvVec3 upper(dvVec3 a, dvVec3 b) { return dv_vec3(dv_max(a.x, b.x), dv_max(a.y, b.y), dv_max(a.z, b.z)); }

// the plane through the middle of the corners, after Newell; false when there is no area
static bool make_facet(Facet *f)
{
  dvVec3 longest = dv_vec3(0, 0, 0);
  if (f->count < 3) return false;
  f->low = f->high = corner(f, 0);
  for (size_t i = 0; i < f->count; i++) {
    f->centre = dv_vec3_add_scaled(f->centre, corner(f, i), 1 / (double)f->count);
    f->low = lower(f->low, corner(f, i));
    f->high = upper(f->high, corner(f, i));
  }
  for (size_t i = 0; i < f->count; i++) {   // from the middle, so that sheets far from the origin lose nothing
    dvVec3 a = dv_vec3_sub(corner(f, i), f->centre), c = dv_vec3_sub(corner(f, i + 1), f->centre);
    f->normal = dv_vec3_add(f->normal, dv_vec3_cross(a, c));
    if (dv_vec3_norm2(a) > dv_vec3_norm2(longest)) longest = a;
  }
  double length = dv_vec3_norm(f->normal);
  if (!(length > 1e-12 * dv_vec3_norm2(longest)) || !isfinite(length)) return false;
  f->normal = dv_vec3_scale(f->normal, 1 / length);
  f->slack = 1e-9 * dv_vec3_norm(longest);
  f->low = dv_vec3_sub(f->low, dv_vec3(f->slack, f->slack, f->slack));
  f->high = dv_vec3_add(f->high, dv_vec3(f->slack, f->slack, f->slack));
  return true;
}

static dvBox box_around(dvVec3 a, dvVec3 b)
{
  dvVec3 low = lower(a, b), high = upper(a, b);
  return (dvBox){{low.x, low.y, low.z}, {high.x, high.y, high.z}};
}

static void make_facets(Blade *b, const dvSheet *sheet)
{
  for (size_t i = 0; i < sheet->facets; i++) {
    Facet f = {.corners = sheet->corners + 3 * sheet->offsets[i], .count = sheet->offsets[i + 1] - sheet->offsets[i]};
    if (!make_facet(&f)) continue;
    b->low = b->facets.count ? lower(b->low, f.low) : f.low;
    b->high = b->facets.count ? upper(b->high, f.high) : f.high;
    dv_push(&b->facets, f);
    dv_push(&b->boxes, box_around(f.low, f.high));
  }
  dv_box_tree_init(&b->tree, b->boxes.data, b->boxes.count);
}

static double height(const Facet *f, dvVec3 x) { return dv_vec3_dot(dv_vec3_sub(x, f->centre), f->normal); }

static bool is_inside(const Facet *f, dvVec3 x)
{
  for (size_t i = 0; i < f->count; i++) {
    dvVec3 side = dv_vec3_sub(corner(f, i + 1), corner(f, i));
    double inward = dv_vec3_dot(dv_vec3_cross(f->normal, side), dv_vec3_sub(x, corner(f, i)));
    if (inward < -f->slack * dv_vec3_norm(side)) return false;
  }
  return true;
}

static double distance2_to_segment(dvVec3 a, dvVec3 b, dvVec3 x)
{
  dvVec3 way = dv_vec3_sub(b, a), to = dv_vec3_sub(x, a);
  double length2 = dv_vec3_norm2(way), s = length2 > 0 ? dv_vec3_dot(to, way) / length2 : 0;
  return dv_vec3_norm2(dv_vec3_sub(to, dv_vec3_scale(way, dv_min(dv_max(s, 0), 1))));
}

static double distance2(const Facet *f, dvVec3 x)
{
  double h = height(f, x), least = INFINITY;
  if (is_inside(f, x)) return h * h;
  for (size_t i = 0; i < f->count; i++) least = dv_min(least, distance2_to_segment(corner(f, i), corner(f, i + 1), x));
  return least;
}

// The first of those that are nearest: none is farther than the one whose box is.
static const Facet *nearest(Blade *b, dvVec3 x)
{
  const Facet *best = &b->facets.data[0];
  double point[3], least = INFINITY, far = INFINITY;
  if (b->facets.count == 1) return best;
  dv_vec3_store(point, x);
  int32_t near = dv_box_tree_nearest(&b->tree, point, &far);
  double reach = (1 + 1e-9) * sqrt(distance2(&b->facets.data[near < 0 ? 0 : near], x));
  dvVec3 around = dv_vec3(reach, reach, reach);
  dvBox box = box_around(dv_vec3_sub(x, around), dv_vec3_add(x, around));
  dv_box_tree_meet(&b->tree, &box, &b->hits);
  for (size_t i = 0; i < b->hits.count; i++) {
    const Facet *f = &b->facets.data[b->hits.data[i]];
    double d = distance2(f, x);
    if (d < least) least = d, best = f;
  }
  return best;
}

// --- edges ---------------------------------------------------------------------------------------

static void mark(Blade *b, int32_t point, int32_t facet)
{
  while (b->on.count <= (size_t)point) dv_push(&b->on, 0);
  if (!b->on.data[point]) b->on.data[point] = facet + 1;
}

// the facet on which a point lies; -1 for none
static int32_t facet_at(const Blade *b, int32_t point)
{
  return (size_t)point < b->on.count ? b->on.data[point] - 1 : -1;
}

static bool is_on(const Blade *b, int32_t point) { return facet_at(b, point) >= 0; }

static bool is_apart(dvVec3 low, dvVec3 high, dvVec3 x, dvVec3 y)
{
  return dv_max(x.x, y.x) < low.x || dv_min(x.x, y.x) > high.x || dv_max(x.y, y.y) < low.y ||
         dv_min(x.y, y.y) > high.y || dv_max(x.z, y.z) < low.z || dv_min(x.z, y.z) > high.z;
}

// where a facet crosses an edge, as a share of it; -1 where it does not
static double crossing(const Facet *f, dvVec3 x, dvVec3 y)
{
  double p = height(f, x), q = height(f, y);
  if (p * q > 0 || p == q) return -1;
  double s = p / (p - q);
  return is_inside(f, dv_vec3_add_scaled(x, dv_vec3_sub(y, x), s)) ? s : -1;
}

// the first crossing of an edge; with an end on the sheet, one with another facet that is well away from it
static bool find_crossing(Blade *b, const int32_t *e, Crossing *out)
{
  dvVec3 x = place(b, e[0]), y = place(b, e[1]);
  double snap = b->how->snap, low = is_on(b, e[0]) ? AGAIN : 0, high = is_on(b, e[1]) ? 1 - AGAIN : 1, best = 2;
  if (is_apart(b->low, b->high, x, y) || (is_on(b, e[0]) && is_on(b, e[1]))) return false;
  dvBox box = box_around(x, y);
  dv_box_tree_meet(&b->tree, &box, &b->hits);
  for (size_t k = 0; k < b->hits.count; k++) {
    int32_t i = b->hits.data[k];
    if (facet_at(b, e[0]) == i || facet_at(b, e[1]) == i) continue;
    double s = crossing(&b->facets.data[i], x, y);
    if (s < low || s > high || s >= best) continue;
    best = s;
    *out = (Crossing){{e[0], e[1]}, i, s, -1};
  }
  if (best > 1) return false;
  if (b->how->least > 0) snap = dv_min(dv_max(snap, b->how->least / dv_vec3_norm(dv_vec3_sub(y, x))), 0.5);
  if (best <= snap) mark(b, e[0], out->facet);
  if (best >= 1 - snap) mark(b, e[1], out->facet);
  return best > snap && best < 1 - snap;
}

typedef DV_ARRAY(Crossing) Crossings;

// edges of pieces that the mesh does not have
static void find_in_pieces(Blade *b, Crossings *found)
{
  dvTupleSet seen;
  Crossing c;
  dv_tuple_set_init(&seen, 2);
  for (size_t i = 0; i < b->draft.points.count; i += 4)
    for (int k = 0; k < 6; k++) {
      int32_t edge[2] = {b->draft.points.data[i + (size_t)dv_edges_of_tetrahedron[k][0]],
                         b->draft.points.data[i + (size_t)dv_edges_of_tetrahedron[k][1]]};
      bool fresh;
      dv_tuple_sort(edge, 2);
      dv_tuple_set_add(&seen, edge, &fresh);
      if (fresh && dv_mesh_find(b->mesh, DV_EDGE, edge) < 0 && find_crossing(b, edge, &c)) dv_push(found, c);
    }
  dv_tuple_set_free(&seen);
}

// edges to split; ends that are near the sheet come to lie on it
static void find_crossings(Blade *b, Crossings *found)
{
  const dvInts *all = dv_topology_elements(b->mesh, DV_EDGE);
  Crossing c;
  for (size_t i = 0; i < dv_ints_size(all); i++) {
    if ((i < b->divided.count && b->divided.data[i]) || !find_crossing(b, all->data + 2 * i, &c)) continue;
    c.edge = (int32_t)i;
    dv_push(found, c);
  }
  find_in_pieces(b, found);
}

static dvStatus split(Blade *b, const Crossings *found, bool first, size_t *count)
{
  DV_ARRAY(dvEdgeSplit) edges = {0};
  Numbers facets = {0};
  for (size_t i = 0; i < found->count; i++) {
    const Crossing *c = &found->data[i];
    int32_t p = c->ends[0], q = c->ends[1];
    // an end has come to lie there by another edge
    if (first ? is_on(b, p) || is_on(b, q) : is_on(b, p) && is_on(b, q)) continue;
    dv_push(&edges, ((dvEdgeSplit){p, q, c->share}));
    dv_push(&facets, c->facet);
    if (c->edge < 0 || b->facets.count == 1) continue;   // one plane is met once: nobody asks again
    if (!b->divided.count) dv_array_resize(&b->divided, dv_topology_count(b->mesh, DV_EDGE));
    b->divided.data[c->edge] = true;
  }
  int32_t fresh = (int32_t)dv_topology_point_count(b->mesh);
  dvStatus status = edges.count ? dv_mesh_add_middles(b->mesh, edges.data, edges.count) : DV_OK;
  if (status == DV_OK) dv_draft_split(&b->draft, edges.data, edges.count, fresh);
  for (size_t i = 0; i < edges.count && status == DV_OK; i++) mark(b, fresh + (int32_t)i, facets.data[i]);
  *count += status == DV_OK ? edges.count : 0;
  dv_array_free(&edges), dv_array_free(&facets);
  return status;
}

static dvStatus split_all(Blade *b, size_t *count)
{
  dvStatus status = DV_OK;
  size_t before = SIZE_MAX, most = b->facets.count > 1 ? MOST_PASSES : 1;   // one plane is met once
  for (size_t pass = 0; pass < most && status == DV_OK && before != *count; pass++) {
    Crossings found = {0};
    before = *count;
    look(b);
    find_crossings(b, &found);
    status = split(b, &found, pass == 0, count);
    dv_array_free(&found);
  }
  return status;
}

// --- faces ---------------------------------------------------------------------------------------

// of a place above the plane of the nearest facet
static double height_above(Blade *b, dvVec3 x) { return height(nearest(b, x), x); }

static double point_height(Blade *b, int32_t point)
{
  while (b->heights.count <= (size_t)point) dv_push(&b->heights, NAN);
  double *h = &b->heights.data[point];
  if (isnan(*h)) *h = height_above(b, place(b, point));
  return *h;
}

// on which side of the sheet a tetrahedron lies: that of its points which are not on it, or of its middle
static bool is_above(Blade *b, int32_t tetrahedron)
{
  const int32_t *c = dv_draft_corners(&b->draft, tetrahedron);
  dvVec3 middle = dv_vec3(0, 0, 0);
  double off = 0;
  bool some = false;
  for (int k = 0; k < 4; k++) {
    middle = dv_vec3_add_scaled(middle, place(b, c[k]), 0.25);
    if (is_on(b, c[k])) continue;
    off += point_height(b, c[k]);
    some = true;
  }
  return (some ? off : height_above(b, middle)) > 0;
}

// a triangle on the sheet between tetrahedra of either side
static bool is_cut(void *user, const dvBetween *face)
{
  Blade *b = user;
  if (!is_on(b, face->points[0]) || !is_on(b, face->points[1]) || !is_on(b, face->points[2])) return false;
  return face->count == 2 && is_above(b, face->elements[0]) != is_above(b, face->elements[1]);
}

// 6 sqrt 2 V over the cube of the root mean square of the edges: 1 for a regular tetrahedron
static double quality(const Blade *b, const int32_t *c)
{
  dvVec3 x[4];
  double squares = 0;
  for (int k = 0; k < 4; k++) x[k] = place(b, c[k]);
  for (int i = 0; i < 4; i++)
    for (int k = i + 1; k < 4; k++) squares += dv_vec3_norm2(dv_vec3_sub(x[i], x[k])) / 6;
  double volume6 =
      dv_vec3_dot(dv_vec3_cross(dv_vec3_sub(x[1], x[0]), dv_vec3_sub(x[2], x[0])), dv_vec3_sub(x[3], x[0]));
  return squares > 0 ? fabs(volume6) * sqrt(2) / (squares * sqrt(squares)) : 0;
}

static double worst(const Blade *b)
{
  double least = 1;
  for (size_t p = 0; p < b->on.count; p++)
    for (int32_t at = b->on.data[p] ? dv_topology_first_at(b->mesh, DV_TETRAHEDRON, (int32_t)p) : -1; at >= 0;
         at = dv_topology_next_at(b->mesh, DV_TETRAHEDRON, at))
      least = dv_min(least, quality(b, dv_topology_list(b->mesh, DV_TETRAHEDRON)->data + at / 4 * 4));
  return least;
}

// --- cuts ----------------------------------------------------------------------------------------

dvStatus dv_mesh_cut_sheet(dvTopology *t, const dvIncision *how, const dvSheet *sheet, dvCut *out)
{
  dvIncision snapped = *how;
  snapped.snap = dv_min(dv_max(how->snap, 1e-6), 0.49);   // see incise.c
  Blade b = {.mesh = t, .how = &snapped};
  dvCut cut = {.quality = 1};
  Numbers points = {0};
  if (out) *out = cut;
  make_facets(&b, sheet);
  dvStatus status = b.facets.count ? dv_topology_first_change(t) : DV_ERROR_USAGE;
  if (!b.facets.count)
    dv_warning(how->owner, "give at least three corners that span an area", "a blade of %zu corners cuts nothing",
               sheet->offsets[sheet->facets]);
  dv_draft_begin(&b.draft, t, DV_TETRAHEDRON);
  if (status == DV_OK) status = split_all(&b, &cut.split);
  look(&b);
  for (size_t i = 0; i < b.on.count; i++)
    if (b.on.data[i]) dv_push(&points, (int32_t)i);
  if (status == DV_OK) status = dv_draft_part(&b.draft, points.data, points.count, is_cut, &b, &cut.doubled);
  status = dv_draft_make(&b.draft, status);
  look(&b);
  if (status == DV_OK) cut.quality = worst(&b);
  if (out) *out = cut;
  dv_array_free(&points), dv_array_free(&b.on), dv_array_free(&b.heights), dv_array_free(&b.facets);
  dv_box_tree_fini(&b.tree), dv_array_free(&b.boxes), dv_array_free(&b.hits);
  dv_array_free(&b.divided);
  return status;
}

dvStatus dv_mesh_cut(dvTopology *t, const dvIncision *how, const double *polygon, size_t corners, dvCut *out)
{
  return dv_mesh_cut_sheet(t, how, &(dvSheet){polygon, (const size_t[]){0, corners}, 1}, out);
}

static bool is_convex(const dvVec3 x[4])
{
  dvVec3 first = dv_vec3(0, 0, 0);
  for (int k = 0; k < 4; k++) {
    dvVec3 turn = dv_vec3_cross(dv_vec3_sub(x[(k + 1) % 4], x[k]), dv_vec3_sub(x[(k + 2) % 4], x[(k + 1) % 4]));
    if (k == 0) first = turn;
    if (dv_vec3_dot(first, turn) < 0) return false;
  }
  return true;
}

static bool is_flat(const dvVec3 x[4])
{
  dvVec3 u = dv_vec3_sub(x[2], x[0]), v = dv_vec3_sub(x[3], x[1]);
  double size2 = dv_max(dv_vec3_norm2(u), dv_vec3_norm2(v));
  return fabs(dv_vec3_dot(dv_vec3_sub(x[1], x[0]), dv_vec3_cross(u, v))) <= 1e-9 * size2 * sqrt(size2);
}

// Between two points of the blade lies a quad; where it is not flat and convex, two triangles.
void dv_sweep_init(dvSweep *s, const double *from, const double *to, size_t count)
{
  static const int order[] = {0, 1, 2, 3, 0, 1, 2, 0, 2, 3};   // of the quad, then of two triangles
  *s = (dvSweep){0};
  dv_push(&s->offsets, 0);
  for (size_t i = 0; i + 1 < count; i++) {
    dvVec3 x[4] = {dv_vec3_load(from + 3 * i), dv_vec3_load(from + 3 * i + 3), dv_vec3_load(to + 3 * i + 3),
                   dv_vec3_load(to + 3 * i)};
    bool whole = is_flat(x) && is_convex(x);
    for (int k = whole ? 0 : 4; k < (whole ? 4 : 10); k++) {
      dvVec3 c = x[order[k]];
      dv_push(&s->corners, c.x), dv_push(&s->corners, c.y), dv_push(&s->corners, c.z);
      if (k == 3 || k == 6 || k == 9) dv_push(&s->offsets, s->corners.count / 3);
    }
  }
  s->sheet = (dvSheet){s->corners.data, s->offsets.data, s->offsets.count - 1};
}

void dv_sweep_fini(dvSweep *s) { dv_array_free(&s->corners), dv_array_free(&s->offsets); }

dvStatus dv_mesh_cut_sweep(dvTopology *t, const dvIncision *how, const double *from, const double *to, size_t count,
                           dvCut *out)
{
  dvSweep s;
  dv_sweep_init(&s, from, to, count);
  dvStatus status = dv_mesh_cut_sheet(t, how, &s.sheet, out);
  dv_sweep_fini(&s);
  return status;
}

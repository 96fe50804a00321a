// See outline.h. Parts of the elements are numbered, equal ones alike (topology/derive.h); a side with one element
// behind it is an outer one.
//
// Grids of hexahedra also list triangles, halves of their quads, and the diagonals between them: those are not drawn.
#include "view/outline.h"

#include "topology/derive.h"
#include "topology/search/tuple_set.h"

#include <string.h>

static const int edges_of_prism[9][2] = {{0, 1}, {1, 2}, {2, 0}, {3, 4}, {4, 5}, {5, 3}, {0, 3}, {1, 4}, {2, 5}};
static const int edges_of_pyramid[8][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {0, 4}, {1, 4}, {2, 4}, {3, 4}};

typedef struct Table {
  dvElementKind kind;
  const int *table;
  int parts;
} Table;

enum { TABLES = 6 };

static const Table tables[3][TABLES + 1] = {
    {{DV_TETRAHEDRON, dv_edges_of_tetrahedron[0], 6},
     {DV_HEXAHEDRON, dv_edges_of_hexahedron[0], 12},
     {DV_PRISM, edges_of_prism[0], 9},
     {DV_PYRAMID, edges_of_pyramid[0], 8},
     {DV_TRIANGLE, dv_edges_of_triangle[0], 3},
     {DV_QUAD, dv_edges_of_quad[0], 4}},
    {{DV_TETRAHEDRON, dv_triangles_of_tetrahedron[0], 4},
     {DV_PRISM, dv_triangles_of_prism[0], 2},
     {DV_PYRAMID, dv_triangles_of_pyramid[0], 4}},
    {{DV_HEXAHEDRON, dv_quads_of_hexahedron[0], 6},
     {DV_PRISM, dv_quads_of_prism[0], 3},
     {DV_PYRAMID, dv_quads_of_pyramid[0], 1}},
};

static bool only_hexahedra(dvTopology *t)
{
  return dv_topology_count(t, DV_HEXAHEDRON) && !dv_topology_count(t, DV_TETRAHEDRON) &&
         !dv_topology_count(t, DV_PRISM) && !dv_topology_count(t, DV_PYRAMID);
}

// the corners of a part, counted through all lists
static void corners_of(const dvPartList *lists, size_t part, int corners, int32_t *out)
{
  for (; part >= lists->count * (size_t)lists->parts; lists++) part -= lists->count * (size_t)lists->parts;
  const int32_t *e = lists->elements + part / (size_t)lists->parts * (size_t)lists->width;
  const int *place = lists->table + (int)(part % (size_t)lists->parts) * corners;
  for (int k = 0; k < corners; k++) out[k] = e[place[k]];
}

// Appends the different parts of the lists but those that come twice among the first `sides` of them.
static bool append_parts(const dvPartList *lists, int count, size_t sides, int corners, dvInts *out)
{
  size_t total = dv_parts_count(lists, count);
  int32_t *numbers = NULL, different = dv_parts_number(lists, count, corners, DV_PART_CORNERS, &numbers);
  uint8_t *seen = different >= 0 ? dv_try_alloc(((size_t)different + 1) * sizeof *seen) : NULL;
  size_t kept = out->count;
  bool good = seen && dv_ints_resize(out, kept + total * (size_t)corners);
  for (size_t i = 0; good && i < sides; i++) seen[numbers[i]] += seen[numbers[i]] < 2;
  for (size_t i = 0; good && i < total; i++) {
    if (seen[numbers[i]] == 2) continue;
    corners_of(lists, i, corners, out->data + kept);
    kept += (size_t)corners;
    seen[numbers[i]] = 2;   // it is there now
  }
  dv_free(numbers);
  dv_free(seen);
  return good && dv_ints_resize(out, kept);
}

static bool outline(dvTopology *t, int corners, dvElementKind given, dvInts *out)
{
  dvPartList lists[TABLES + 1];
  int count = 0;
  bool halves = only_hexahedra(t);
  for (const Table *table = tables[corners - 2]; table->table; table++) {
    bool surface = table->kind == DV_TRIANGLE || table->kind == DV_QUAD;
    const dvInts *e = surface ? dv_topology_given(t, table->kind) : dv_topology_elements(t, table->kind);
    if (e->count == 0 || (table->kind == DV_TRIANGLE && halves)) continue;
    lists[count++] = (dvPartList){e->data, dv_ints_size(e), e->width, table->table, table->parts};
  }
  size_t sides = given == DV_EDGE ? 0 : dv_parts_count(lists, count);
  const dvInts *own = dv_topology_given(t, given);
  if (own->count && !(halves && given != DV_QUAD))
    lists[count++] = dv_parts_given(own->data, dv_ints_size(own), corners);
  return count == 0 || append_parts(lists, count, sides, corners, out);
}

bool dv_outline_faces(dvTopology *t, int corners, dvInts *out)
{
  return outline(t, corners, corners == 3 ? DV_TRIANGLE : DV_QUAD, out);
}
bool dv_outline_edges(dvTopology *t, dvInts *out) { return outline(t, 2, DV_EDGE, out); }

// --- the skin of a model that has all faces ------------------------------------------------------

static dvTopology *volumes_above(const dvNode *node, size_t points)
{
  dvObject *o = dv_node_find_up((dvNode *)node, DV_ROLE_TOPOLOGY);
  dvTopology *t = o && !o->failed ? dv_topology(o) : NULL;
  if (!t || dv_topology_point_count(t) != points) return NULL;
  for (int kind = DV_TETRAHEDRON; kind < DV_ELEMENT_KINDS; kind++)
    if (dv_topology_count(t, (dvElementKind)kind)) return t;
  return NULL;
}

static void add_sorted(dvTupleSet *set, const int32_t *corners, int n)
{
  int32_t key[4];
  memcpy(key, corners, (size_t)n * sizeof *key);
  dv_tuple_sort(key, n);
  dv_tuple_set_add(set, key, NULL);
}

static bool has_sorted(const dvTupleSet *set, const int32_t *corners, int n)
{
  int32_t key[4];
  memcpy(key, corners, (size_t)n * sizeof *key);
  dv_tuple_sort(key, n);
  return dv_tuple_set_find(set, key) >= 0;
}

// marks the corners of outer faces; `halves`, where it is given, gets the triangles that a quad can be cut into
static void know_outer(const dvInts *faces, int n, dvTupleSet *whole, dvTupleSet *halves, uint8_t *mark)
{
  for (size_t i = 0; i < dv_ints_size(faces); i++) {
    const int32_t *f = faces->data + (size_t)n * i;
    add_sorted(whole, f, n);
    for (int k = 0; k < n; k++) mark[f[k]] |= 1;
    for (int k = 0; halves && k < 4; k++) add_sorted(halves, (int32_t[]){f[k], f[(k + 1) % 4], f[(k + 2) % 4]}, 3);
  }
}

static void keep_outer(const dvInts *faces, int n, const dvTupleSet *outer, uint8_t *mark, size_t points, dvInts *out)
{
  size_t at = out->count, count = faces->count / (size_t)n;
  if (!dv_ints_resize(out, at + count * (size_t)(n - 2) * 3)) return;
  for (size_t i = 0; i < count; i++) {
    const int32_t *f = faces->data + (size_t)n * i;
    bool inside = true;
    for (int k = 0; k < n; k++) inside &= f[k] >= 0 && (size_t)f[k] < points;
    if (!inside || !has_sorted(outer, f, n)) continue;
    for (int k = 0; k < n; k++) mark[f[k]] |= 2;
    for (int k = 2; k < n; k++) out->data[at++] = f[0], out->data[at++] = f[k - 1], out->data[at++] = f[k];
  }
  out->count = at;
}

bool dv_outline_skin(const dvNode *node, size_t points, const dvInts *triangles, const dvInts *quads, dvInts *out)
{
  dvTopology *t = volumes_above(node, points);
  uint8_t *mark = t ? dv_try_alloc(points + 1) : NULL;
  if (!mark) return false;
  dvInts outer3 = {.width = 3}, outer4 = {.width = 4};
  dvTupleSet set3, set4;
  dv_tuple_set_init(&set3, 3), dv_tuple_set_init(&set4, 4);
  bool good = dv_outline_faces(t, 3, &outer3) && dv_outline_faces(t, 4, &outer4);
  if (good) {
    know_outer(&outer4, 4, &set4, quads->count ? NULL : &set3, mark);   // halves beside their quads are not drawn
    know_outer(&outer3, 3, &set3, NULL, mark);
    keep_outer(triangles, 3, &set3, mark, points, out);
    keep_outer(quads, 4, &set4, mark, points, out);
  }
  for (size_t i = 0; good && i < points; i++) good = mark[i] != 1;   // an outer corner that no face reaches
  good = good && !set3.failed && !set4.failed && out->count > 0;
  dv_tuple_set_free(&set3), dv_tuple_set_free(&set4);
  dv_ints_free(&outer3), dv_ints_free(&outer4);
  dv_free(mark);
  return good;
}

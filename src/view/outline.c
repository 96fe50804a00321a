// See outline.h. Parts of the elements are numbered, equal ones alike (topology/derive.h); a side with one element
// behind it is an outer one.
//
// Grids of hexahedra also list triangles, halves of their quads, and the diagonals between them: those are not drawn.
#include "view/outline.h"

#include "topology/derive.h"

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

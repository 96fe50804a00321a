// Parts of elements. See derive.h.
#include "topology/derive.h"

#include "topology/tuple_set.h"

const int dv_edges_of_triangle[3][2] = {{1, 2}, {2, 0}, {0, 1}};
const int dv_edges_of_quad[4][2] = {{1, 2}, {2, 3}, {3, 0}, {0, 1}};
const int dv_edges_of_tetrahedron[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
const int dv_edges_of_hexahedron[12][2] = {{0, 1}, {0, 3}, {0, 4}, {1, 2}, {1, 5}, {2, 3},
                                           {2, 6}, {3, 7}, {4, 5}, {4, 7}, {5, 6}, {6, 7}};
const int dv_triangles_of_tetrahedron[4][3] = {{1, 2, 3}, {0, 3, 2}, {1, 3, 0}, {0, 2, 1}};
const int dv_quads_of_hexahedron[6][4] = {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4}, {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}};

// parts found so far: what tells them apart, and how they are to be listed
typedef struct Parts {
  dvTupleSet set;
  DV_ARRAY(int32_t) list;
} Parts;

static void append(Parts *p, const int32_t *part)
{
  size_t width = (size_t)p->set.width;
  if (!dv_try_reserve(&p->list, width)) {
    p->set.failed = true;
    return;
  }
  memcpy(p->list.data + p->list.count, part, width * sizeof *part);
  p->list.count += width;
}

static bool finish(Parts *p, dvInts *out)
{
  out->width = p->set.width;
  bool good = !p->set.failed && dv_ints_assign(out, p->list.data, p->list.count);
  if (!good) out->count = 0;
  dv_tuple_set_free(&p->set);
  dv_array_free(&p->list);
  return good;
}

static void add_edges(Parts *p, const dvInts *elements, const int (*parts)[2], int part_count, bool keep_direction)
{
  size_t n = dv_ints_size(elements), width = (size_t)elements->width;
  for (size_t i = 0; i < n && !p->set.failed; i++) {
    const int32_t *corner = elements->data + i * width;
    for (int j = 0; j < part_count; j++) {
      int32_t edge[2] = {corner[parts[j][0]], corner[parts[j][1]]}, sorted[2] = {edge[0], edge[1]};
      dv_tuple_sort(sorted, 2);
      bool fresh;
      dv_tuple_set_add(&p->set, sorted, &fresh);
      if (fresh) append(p, keep_direction ? edge : sorted);
    }
  }
}

bool dv_derive_volume_edges(const dvInts *tetrahedra, const dvInts *hexahedra, dvInts *out)
{
  Parts p = {0};
  dv_tuple_set_init(&p.set, 2);
  add_edges(&p, tetrahedra, dv_edges_of_tetrahedron, 6, false);
  add_edges(&p, hexahedra, dv_edges_of_hexahedron, 12, false);
  return finish(&p, out);
}

bool dv_derive_surface_edges(const dvInts *triangles, const dvInts *quads, dvInts *out)
{
  Parts p = {0};
  dv_tuple_set_init(&p.set, 2);
  add_edges(&p, triangles, dv_edges_of_triangle, 3, true);
  add_edges(&p, quads, dv_edges_of_quad, 4, false);
  return finish(&p, out);
}

// turns the cycle until its smallest index comes first
static void turn(int32_t *v, int n)
{
  int first = 0;
  for (int i = 1; i < n; i++)
    if (v[i] < v[first]) first = i;
  int32_t turned[4];
  for (int i = 0; i < n; i++) turned[i] = v[(first + i) % n];
  memcpy(v, turned, (size_t)n * sizeof *v);
}

// the same face seen from its other side, the first index in place
static void reverse(const int32_t *v, int n, int32_t *out)
{
  out[0] = v[0];
  for (int i = 1; i < n; i++) out[i] = v[n - i];
}

bool dv_derive_triangles(const dvInts *tetrahedra, bool repeat, dvInts *out)
{
  Parts p = {0};
  dv_tuple_set_init(&p.set, 3);
  size_t n = dv_ints_size(tetrahedra);
  for (size_t i = 0; i < n && !p.set.failed; i++) {
    for (int j = 0; j < 4; j++) {
      int32_t face[3], other_side[3];
      for (int k = 0; k < 3; k++) face[k] = tetrahedra->data[4 * i + (size_t)dv_triangles_of_tetrahedron[j][k]];
      turn(face, 3);
      reverse(face, 3, other_side);
      if (dv_tuple_set_find(&p.set, other_side) >= 0) continue;
      bool fresh;
      if (dv_tuple_set_add(&p.set, face, &fresh) >= 0 && (fresh || repeat)) append(&p, face);
    }
  }
  return finish(&p, out);
}

bool dv_derive_quads(const dvInts *hexahedra, dvInts *out)
{
  Parts p = {0};
  dv_tuple_set_init(&p.set, 4);
  size_t n = dv_ints_size(hexahedra);
  for (size_t i = 0; i < n && !p.set.failed; i++) {
    for (int j = 0; j < 6; j++) {
      int32_t face[4], other_side[4];
      for (int k = 0; k < 4; k++) face[k] = hexahedra->data[8 * i + (size_t)dv_quads_of_hexahedron[j][k]];
      turn(face, 4);
      reverse(face, 4, other_side);
      bool fresh;   // one side stands for both: the one whose second index is smaller
      dv_tuple_set_add(&p.set, face[1] < face[3] ? face : other_side, &fresh);
      if (fresh) append(&p, face);
    }
  }
  return finish(&p, out);
}

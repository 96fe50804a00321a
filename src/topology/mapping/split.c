// Elements cut into smaller ones on the same points: Hexa2TetraTopologicalMapping, Hexa2PrismTopologicalMapping and
// Quad2TriangleTopologicalMapping.
//
// With swapping, neighbours in a grid are mirror images of each other, so that no direction is preferred. A mesh that
// is not a grid counts as two cells wide and one deep, as in SOFA.
#include "topology/mapping/live.h"

#define TETRA_FIELDS(X)                                                                                    \
  X(bool, swapping, "0", "", "mirror every other hexahedron of a grid, so that no direction is preferred") \
  X(choice, pieces, "6", "",                                                                               \
    "tetrahedra for each hexahedron; five only in a grid, where neighbours are cut as mirror images",      \
    .options = "6|5")
#define TRIANGLE_FIELDS(X) X(bool, swapping, "1", "", "cut every other quad of a grid along the other diagonal")

typedef struct TetraSplit {
  dvTopologyMapping mapping;
  TETRA_FIELDS(DV_MEMBER)
} TetraSplit;

typedef struct TriangleSplit {
  dvTopologyMapping mapping;
  TRIANGLE_FIELDS(DV_MEMBER)
} TriangleSplit;

#define SELF TetraSplit
static const dvFieldDesc tetra_fields[] = {TETRA_FIELDS(DV_DESCRIBE)};
#undef SELF
#define SELF TriangleSplit
static const dvFieldDesc triangle_fields[] = {TRIANGLE_FIELDS(DV_DESCRIBE)};
#undef SELF

// corners of the pieces; the second set is for cells that were mirrored an odd number of times
static const int six[2][6][4] = {{{0, 5, 1, 6}, {0, 1, 3, 6}, {1, 3, 6, 2}, {6, 3, 0, 7}, {6, 7, 0, 5}, {7, 5, 4, 0}},
                                 {{0, 5, 6, 1}, {0, 1, 6, 3}, {1, 3, 2, 6}, {6, 3, 7, 0}, {6, 7, 5, 0}, {7, 5, 0, 4}}};
static const int five[2][5][4] = {{{1, 2, 0, 5}, {3, 0, 2, 7}, {4, 7, 5, 0}, {6, 5, 7, 2}, {0, 5, 2, 7}},
                                  {{0, 1, 3, 4}, {2, 3, 1, 6}, {5, 4, 6, 1}, {7, 6, 4, 3}, {1, 3, 4, 6}}};
static const int prisms[2][6] = {{0, 5, 1, 3, 6, 2}, {0, 4, 5, 3, 7, 6}};

// cells along x and y; false when the topology is no grid
static bool grid_cells(const dvTopology *t, size_t *nx, size_t *ny)
{
  const dvField *f = dv_object_field(&t->base, "n");
  *nx = 2;
  *ny = 1;
  if (!f || f->desc->type != DV_T_IVEC || f->width != 3) return false;
  const int32_t *n = f->value;
  *nx = (size_t)dv_max_int(n[0] - 1, 0);
  *ny = (size_t)dv_max_int(n[1] - 1, 0);
  return true;
}

// room for `pieces` elements of `kind` from each of n, and their sources; NULL when memory is short
static int32_t *make_room(dvTopologyMapping *m, dvElementKind kind, size_t n, size_t pieces)
{
  dvInts *out = dv_topology_mapping_list(m, kind);
  if (!dv_ints_resize(out, n * pieces * (size_t)dv_element_points(kind)) || !dv_ints_resize(&m->sources, n * pieces))
    return NULL;
  int32_t *source = dv_ints_edit(&m->sources);
  for (size_t i = 0; i < n * pieces; i++) source[i] = (int32_t)(i / pieces);
  return dv_ints_edit(out);
}

static void mirror(int32_t c[8], const int pairs[4][2])
{
  for (int k = 0; k < 4; k++) {
    int32_t swap = c[pairs[k][0]];
    c[pairs[k][0]] = c[pairs[k][1]];
    c[pairs[k][1]] = swap;
  }
}

// mirrors cell i of a grid along the axes where it must be; true for an odd number of times
static bool mirror_cell(int32_t c[8], size_t i, size_t nx, size_t ny)
{
  static const int along_x[4][2] = {{0, 1}, {3, 2}, {4, 5}, {7, 6}}, along_y[4][2] = {{0, 3}, {1, 2}, {4, 7}, {5, 6}},
                   along_z[4][2] = {{0, 4}, {1, 5}, {2, 6}, {3, 7}};
  bool x = !(i % nx & 1), y = i / nx % ny & 1, z = i / (nx * ny) & 1;
  if (x) mirror(c, along_x);
  if (y) mirror(c, along_y);
  if (z) mirror(c, along_z);
  return x ^ y ^ z;
}

static dvStatus make_tetrahedra(dvTopologyMapping *m, dvTopology *from)
{
  TetraSplit *s = (TetraSplit *)m;
  const dvInts *cells = dv_topology_elements(from, DV_HEXAHEDRON);
  size_t n = dv_ints_size(cells), nx, ny, pieces = s->pieces ? 5 : 6;
  bool grid = grid_cells(from, &nx, &ny);
  if (s->pieces && !grid)
    return dv_field_error(&m->base, &s->pieces, "use pieces=\"6\"",
                          "five tetrahedra would not fit together: the input is not a grid");
  int32_t *out = make_room(m, DV_TETRAHEDRON, n, pieces);
  if (!out) return dv_topology_mapping_memory(m);
  for (size_t i = 0; i < n; i++) {
    int32_t c[8];
    memcpy(c, cells->data + 8 * i, sizeof c);
    bool odd = s->pieces ? (i % nx + i / nx % ny + i / (nx * ny)) & 1 : s->swapping && mirror_cell(c, i, nx, ny);
    for (size_t k = 0; k < pieces; k++)
      for (int j = 0; j < 4; j++) *out++ = c[s->pieces ? five[odd][k][j] : six[odd][k][j]];
  }
  return DV_OK;
}

static dvStatus make_prisms(dvTopologyMapping *m, dvTopology *from)
{
  const dvInts *cells = dv_topology_elements(from, DV_HEXAHEDRON);
  size_t n = dv_ints_size(cells);
  int32_t *out = make_room(m, DV_PRISM, n, 2);
  if (!out) return dv_topology_mapping_memory(m);
  for (size_t i = 0; i < n; i++)
    for (int k = 0; k < 2; k++)
      for (int j = 0; j < 6; j++) *out++ = cells->data[8 * i + (size_t)prisms[k][j]];
  return DV_OK;
}

static dvStatus make_triangles(dvTopologyMapping *m, dvTopology *from)
{
  static const int ways[2][2][3] = {{{1, 2, 0}, {3, 0, 2}}, {{0, 1, 3}, {2, 3, 1}}};
  TriangleSplit *s = (TriangleSplit *)m;
  const dvInts *quads = dv_topology_elements(from, DV_QUAD);
  size_t n = dv_ints_size(quads), nx, ny;
  grid_cells(from, &nx, &ny);
  size_t across = nx ? nx : ny;
  if (!across && n)
    return dv_field_error(&m->base, &m->input, "give a grid that is at least two points wide",
                          "the input has no surface");
  int32_t *out = make_room(m, DV_TRIANGLE, n, 2);
  if (!out) return dv_topology_mapping_memory(m);
  for (size_t i = 0; i < n; i++) {
    int way = s->swapping && ((i % across) ^ (i / across)) & 1;
    for (int k = 0; k < 2; k++)
      for (int j = 0; j < 3; j++) *out++ = quads->data[4 * i + (size_t)ways[way][k][j]];
  }
  return DV_OK;
}

// --- while the input changes: new cells are no part of a grid, and cut in one way -----------------

static size_t cut_tetrahedra(const dvTopologyMapping *m, const int32_t *c, int32_t *out)
{
  bool fives = ((const TetraSplit *)m)->pieces;
  size_t pieces = fives ? 5 : 6;
  for (size_t k = 0; k < pieces; k++)
    for (int j = 0; j < 4; j++) *out++ = c[fives ? five[0][k][j] : six[0][k][j]];
  return pieces;
}

static size_t cut_prisms(const dvTopologyMapping *m, const int32_t *c, int32_t *out)
{
  DV_UNUSED(m);
  for (int k = 0; k < 2; k++)
    for (int j = 0; j < 6; j++) *out++ = c[prisms[k][j]];
  return 2;
}

static size_t cut_quad(const dvTopologyMapping *m, const int32_t *c, int32_t *out)
{
  DV_UNUSED(m);
  static const int halves[6] = {0, 1, 2, 0, 2, 3};
  for (int k = 0; k < 6; k++) out[k] = c[halves[k]];
  return 2;
}

static const struct dvLiveOps live_tetrahedra = {.source = DV_HEXAHEDRON, .one_by_one = true, .cut = cut_tetrahedra},
                              live_prisms = {.source = DV_HEXAHEDRON, .one_by_one = true, .cut = cut_prisms},
                              live_halves = {.source = DV_QUAD, .one_by_one = true, .cut = cut_quad};

static const dvTopologyMappingOps tetra_ops = {DV_HEXAHEDRON, 1u << DV_TETRAHEDRON, false, make_tetrahedra,
                                               &live_tetrahedra};
static const dvTopologyMappingOps prism_ops = {DV_HEXAHEDRON, 1u << DV_PRISM, false, make_prisms, &live_prisms};
static const dvTopologyMappingOps triangle_ops = {DV_QUAD, 1u << DV_TRIANGLE, false, make_triangles, &live_halves};

#define MODULE "Sofa.Component.Topology.Mapping"
DV_TOPOLOGY_MAPPING_CLASS(dv_hexa_to_tetra_class, "Hexa2TetraTopologicalMapping", "hexahedra cut into tetrahedra",
                          MODULE, TetraSplit, tetra_ops, DV_BLOCK(tetra_fields));
DV_TOPOLOGY_MAPPING_CLASS(dv_hexa_to_prism_class, "Hexa2PrismTopologicalMapping", "hexahedra cut into two prisms each",
                          MODULE, dvTopologyMapping, prism_ops);
DV_TOPOLOGY_MAPPING_CLASS(dv_quad_to_triangle_class, "Quad2TriangleTopologicalMapping",
                          "quads cut into two triangles each", MODULE, TriangleSplit, triangle_ops,
                          DV_BLOCK(triangle_fields));

// The border of a mesh: Tetra2TriangleTopologicalMapping, Hexa2QuadTopologicalMapping, Triangle2EdgeTopologicalMapping.
//
// A triangle (quad, edge) belongs to the border when exactly one tetrahedron (hexahedron, triangle) has it. The border
// keeps the order and the direction that the parts have in the input, and all points of the input.
#include "topology/mapping/live.h"

#define FLIP_FIELDS(X) X(bool, flipNormals, "0", "", "turn the faces the other way round")
#define TRIANGLE_FIELDS(X)                                                                         \
  X(bool, noNewTriangles, "0", "", "triangles that come to lie on the border later are not added") \
  X(bool, noInitialTriangles, "0", "",                                                             \
    "begin without triangles: only those are listed that come to lie on the border later")         \
  X(link, modifier, "", "", "modifier of the output", .role = DV_ROLE_TOPOLOGY_TOOL)

typedef struct Border {
  dvTopologyMapping mapping;
  FLIP_FIELDS(DV_MEMBER)
  TRIANGLE_FIELDS(DV_MEMBER)
} Border;

#define SELF Border
static const dvFieldDesc triangle_fields[] = {FLIP_FIELDS(DV_DESCRIBE) TRIANGLE_FIELDS(DV_DESCRIBE)};
static const dvFieldDesc quad_fields[] = {FLIP_FIELDS(DV_DESCRIBE)};
#undef SELF

static void copy_part(int32_t *to, const int32_t *from, int width, bool flip)
{
  static const int turned[5][4] = {[3] = {0, 2, 1}, [4] = {3, 2, 1, 0}};
  for (int k = 0; k < width; k++) to[k] = from[flip && width > 2 ? turned[width][k] : k];
}

static dvStatus make_border(Border *b, dvTopology *from, dvElementKind part, dvElementKind whole)
{
  dvTopologyMapping *m = &b->mapping;
  if (b->noInitialTriangles) return DV_OK;
  const dvInts *parts = dv_topology_elements(from, part);
  const dvIncidence *around = dv_topology_around(from, part, whole);
  if (!around) return dv_topology_mapping_memory(m);
  size_t n = 0, width = (size_t)parts->width;
  for (size_t i = 0; i < around->count; i++) n += around->offsets[i + 1] - around->offsets[i] == 1;
  dvInts *out = dv_topology_mapping_list(m, part);
  if (!dv_ints_resize(out, n * width) || !dv_ints_resize(&m->sources, n)) return dv_topology_mapping_memory(m);
  int32_t *to = dv_ints_edit(out), *source = dv_ints_edit(&m->sources);
  for (size_t i = 0; i < around->count; i++) {
    if (around->offsets[i + 1] - around->offsets[i] != 1) continue;
    copy_part(to, parts->data + i * width, parts->width, b->flipNormals);
    to += width;
    *source++ = (int32_t)i;
  }
  return DV_OK;
}

static dvStatus make_triangles(dvTopologyMapping *m, dvTopology *from)
{
  return make_border((Border *)m, from, DV_TRIANGLE, DV_TETRAHEDRON);
}

static dvStatus make_quads(dvTopologyMapping *m, dvTopology *from)
{
  return make_border((Border *)m, from, DV_QUAD, DV_HEXAHEDRON);
}
static dvStatus make_edges(dvTopologyMapping *m, dvTopology *from)
{
  return make_border((Border *)m, from, DV_EDGE, DV_TRIANGLE);
}

// --- while the input changes ---------------------------------------------------------------------

// A triangle that a removal uncovers begins with its smallest index, an edge runs from the smaller one, as in SOFA.
static void triangle_face(const dvTopologyMapping *m, const int32_t *part, bool turned, int32_t *out)
{
  copy_part(out, part, 3, ((const Border *)m)->flipNormals);
  while (turned && (out[0] > out[1] || out[0] > out[2])) {
    int32_t first = out[0];
    out[0] = out[1], out[1] = out[2], out[2] = first;
  }
}

static void quad_face(const dvTopologyMapping *m, const int32_t *part, bool turned, int32_t *out)
{
  DV_UNUSED(turned);
  copy_part(out, part, 4, ((const Border *)m)->flipNormals);
}

static void edge_face(const dvTopologyMapping *m, const int32_t *part, bool turned, int32_t *out)
{
  DV_UNUSED(m);
  bool swap = turned && part[0] > part[1];
  out[0] = part[swap], out[1] = part[!swap];
}

static bool keeps_out(const dvTopologyMapping *m) { return ((const Border *)m)->noNewTriangles; }

static const struct dvLiveOps live_triangles = {.source = DV_TRIANGLE,
                                                .whole = DV_TETRAHEDRON,
                                                .edges_first = true,
                                                .face = triangle_face,
                                                .keeps_out = keeps_out},
                              live_quads = {.source = DV_QUAD,
                                            .whole = DV_HEXAHEDRON,
                                            .one_by_one = true,
                                            .face = quad_face},
                              live_edges = {
                                  .source = DV_EDGE, .whole = DV_TRIANGLE, .one_by_one = true, .face = edge_face};

static const dvTopologyMappingOps triangle_ops = {DV_TETRAHEDRON, 1u << DV_TRIANGLE, false, make_triangles,
                                                  &live_triangles};
static const dvTopologyMappingOps quad_ops = {DV_HEXAHEDRON, 1u << DV_QUAD, false, make_quads, &live_quads};
static const dvTopologyMappingOps edge_ops = {DV_TRIANGLE, 1u << DV_EDGE, false, make_edges, &live_edges};

#define MODULE "Sofa.Component.Topology.Mapping"
DV_TOPOLOGY_MAPPING_CLASS(dv_tetra_to_triangle_class, "Tetra2TriangleTopologicalMapping",
                          "the triangles on the border of tetrahedra", MODULE, Border, triangle_ops,
                          DV_BLOCK(triangle_fields));
DV_TOPOLOGY_MAPPING_CLASS(dv_hexa_to_quad_class, "Hexa2QuadTopologicalMapping", "the quads on the border of hexahedra",
                          MODULE, Border, quad_ops, DV_BLOCK(quad_fields));
DV_TOPOLOGY_MAPPING_CLASS(dv_triangle_to_edge_class, "Triangle2EdgeTopologicalMapping",
                          "the edges on the border of triangles", MODULE, Border, edge_ops);

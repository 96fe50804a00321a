// Companions of a container: ...GeometryAlgorithms of each element kind, which hold how things are drawn.
// TriangleSetGeometryAlgorithms can turn triangles so that neighbours run the same way. Modifiers: change/modifier.h.
#include "topology/topology.h"

// the topology of the node or above; a failed one has been reported, so nothing more is said about it
static dvTopology *find_topology(dvObject *o, const char *advice, const char *purpose)
{
  dvObject *found = dv_node_find_up(o->node, DV_ROLE_TOPOLOGY);
  if (found) return dv_topology(found);
  for (size_t i = 0; i < o->node->objects.count; i++)
    if (dv_plays(o->node->objects.data[i], DV_ROLE_TOPOLOGY)) return NULL;
  dv_warning(o, advice, "%s finds no topology %s", o->cls->name, purpose);
  return NULL;
}

// --- geometry algorithms -------------------------------------------------------------------------

#define POINT_LOOKS(X)                                                                          \
  X(real, showIndicesScale, "1", "", "size of drawn indices", .flags = DV_LOOKS)                \
  X(bool, showPointIndices, "0", "", "draw the indices of the points", .flags = DV_LOOKS)       \
  X(string, tagMechanics, "", "", "no effect: the state of the node is used", .flags = DV_IDLE) \
  X(link, topology, "", "", "topology to work on; the one of the node by default", .role = DV_ROLE_TOPOLOGY)
#define EDGE_LOOKS(X)                                                                   \
  X(bool, showEdgeIndices, "0", "", "draw the indices of the edges", .flags = DV_LOOKS) \
  X(bool, drawEdges, "0", "", "draw the edges", .flags = DV_LOOKS)                      \
  X(color, drawColorEdges, "0.4 1 0.3 1", "", "colour of drawn edges", .flags = DV_LOOKS)
#define TRIANGLE_LOOKS(X)                                                                               \
  X(bool, showTriangleIndices, "0", "", "draw the indices of the triangles", .flags = DV_LOOKS)         \
  X(bool, drawTriangles, "0", "", "draw the triangles", .flags = DV_LOOKS)                              \
  X(color, drawColorTriangles, "0.3 0.5 0.8 1", "", "colour of drawn triangles", .flags = DV_LOOKS)     \
  X(bool, drawNormals, "0", "", "draw the normals of the triangles", .flags = DV_LOOKS)                 \
  X(real, drawNormalLength, "10", "", "length of drawn normals, in percent", .flags = DV_LOOKS)         \
  X(bool, recomputeTrianglesOrientation, "0", "", "turn triangles so that neighbours run the same way") \
  X(bool, flipNormals, "0", "", "with recomputeTrianglesOrientation: the other way round")
#define QUAD_LOOKS(X)                                                                   \
  X(bool, showQuadIndices, "0", "", "draw the indices of the quads", .flags = DV_LOOKS) \
  X(bool, drawQuads, "0", "", "draw the quads", .flags = DV_LOOKS)                      \
  X(color, drawColorQuads, "0 0.4 0.4 1", "", "colour of drawn quads", .flags = DV_LOOKS)
#define TETRAHEDRON_LOOKS(X)                                                                       \
  X(bool, showTetrahedraIndices, "0", "", "draw the indices of the tetrahedra", .flags = DV_LOOKS) \
  X(bool, drawTetrahedra, "0", "", "draw the tetrahedra", .flags = DV_LOOKS)                       \
  X(real, drawScaleTetrahedra, "1", "", "size of drawn tetrahedra", .flags = DV_LOOKS)             \
  X(color, drawColorTetrahedra, "1 1 0 1", "", "colour of drawn tetrahedra", .flags = DV_LOOKS)
#define HEXAHEDRON_LOOKS(X)                                                                     \
  X(bool, showHexaIndices, "0", "", "draw the indices of the hexahedra", .flags = DV_LOOKS)     \
  X(bool, drawHexahedra, "0", "", "draw the hexahedra", .alias = "drawHexa", .flags = DV_LOOKS) \
  X(real, drawScaleHexahedra, "1", "", "size of drawn hexahedra", .flags = DV_LOOKS)            \
  X(color, drawColorHexahedra, "1 0.5 0 1", "", "colour of drawn hexahedra", .flags = DV_LOOKS)

typedef struct GeometryAlgorithms {
  dvObject base;
  POINT_LOOKS(DV_MEMBER)
  EDGE_LOOKS(DV_MEMBER)
  TRIANGLE_LOOKS(DV_MEMBER)
  QUAD_LOOKS(DV_MEMBER)
  TETRAHEDRON_LOOKS(DV_MEMBER)
  HEXAHEDRON_LOOKS(DV_MEMBER)
} GeometryAlgorithms;

#define SELF GeometryAlgorithms
static const dvFieldDesc point_geometry_fields[] = {POINT_LOOKS(DV_DESCRIBE)};
static const dvFieldDesc edge_geometry_fields[] = {POINT_LOOKS(DV_DESCRIBE) EDGE_LOOKS(DV_DESCRIBE)};
static const dvFieldDesc triangle_geometry_fields[] = {POINT_LOOKS(DV_DESCRIBE) EDGE_LOOKS(DV_DESCRIBE)
                                                           TRIANGLE_LOOKS(DV_DESCRIBE)};
static const dvFieldDesc quad_geometry_fields[] = {POINT_LOOKS(DV_DESCRIBE) EDGE_LOOKS(DV_DESCRIBE)
                                                       QUAD_LOOKS(DV_DESCRIBE)};
static const dvFieldDesc tetrahedron_geometry_fields[] = {
    POINT_LOOKS(DV_DESCRIBE) EDGE_LOOKS(DV_DESCRIBE) TRIANGLE_LOOKS(DV_DESCRIBE) TETRAHEDRON_LOOKS(DV_DESCRIBE)};
static const dvFieldDesc hexahedron_geometry_fields[] = {POINT_LOOKS(DV_DESCRIBE) EDGE_LOOKS(DV_DESCRIBE)
                                                             QUAD_LOOKS(DV_DESCRIBE) HEXAHEDRON_LOOKS(DV_DESCRIBE)};
#undef SELF

// does the triangle run from a to b?
static bool runs(const int32_t *triangle, int32_t a, int32_t b)
{
  for (int i = 0; i < 3; i++)
    if (triangle[i] == a && triangle[(i + 1) % 3] == b) return true;
  return false;
}

static void turn(int32_t *triangle)
{
  int32_t swap = triangle[1];
  triangle[1] = triangle[2];
  triangle[2] = swap;
}

// Walks from triangle to triangle over shared edges. Each piece goes by its first triangle.
static dvStatus turn_triangles(dvTopology *t, bool flip)
{
  const dvInts *edges = dv_topology_elements(t, DV_EDGE), *edges_of = dv_topology_parts(t, DV_EDGE, DV_TRIANGLE);
  const dvIncidence *around = dv_topology_around(t, DV_EDGE, DV_TRIANGLE);
  size_t n = dv_topology_count(t, DV_TRIANGLE);
  bool *reached = dv_try_alloc(n + 1);
  int32_t *queue = dv_try_alloc((n + 1) * sizeof *queue);
  dvInts turned = {.width = 3};
  dv_ints_share(&turned, dv_topology_elements(t, DV_TRIANGLE));
  if (!edges_of || !around || !reached || !queue || !dv_ints_resize(&turned, turned.count)) {
    dv_free(reached), dv_free(queue), dv_ints_free(&turned);
    return dv_error(&t->base, "use a coarser mesh", "out of memory for turning the triangles");
  }
  for (size_t seed = 0; seed < n; seed++) {
    if (reached[seed]) continue;
    size_t head = 0, tail = 0;
    reached[seed] = true;
    if (flip) turn(turned.data + 3 * seed);
    queue[tail++] = (int32_t)seed;
    while (head < tail) {
      size_t at = (size_t)queue[head++];
      for (int j = 0; j < 3; j++) {
        int32_t edge = edges_of->data[3 * at + (size_t)j];
        if (edge < 0) continue;
        int32_t a = edges->data[2 * edge], b = edges->data[2 * edge + 1];
        bool along = runs(turned.data + 3 * at, a, b);
        for (int32_t k = around->offsets[edge]; k < around->offsets[edge + 1]; k++) {
          int32_t next = around->items[k];
          if (reached[next]) continue;
          reached[next] = true;
          // neighbours run along their common edge in opposite directions
          if (runs(turned.data + 3 * (size_t)next, a, b) == along) turn(turned.data + 3 * (size_t)next);
          queue[tail++] = next;
        }
      }
    }
  }
  dv_ints_share(&t->triangles, &turned);
  if (t->fields[DV_TRIANGLE]) dv_field_touch(t->fields[DV_TRIANGLE]);
  dv_ints_free(&turned);
  dv_free(reached);
  dv_free(queue);
  return dv_topology_settle(t);
}

static dvStatus geometry_init(dvObject *o)
{
  GeometryAlgorithms *g = (GeometryAlgorithms *)o;
  dvTopology *t =
      g->topology.target
          ? dv_topology(g->topology.target)
          : find_topology(o, "add a TopologyContainer to the node, or give topology=\"@path\"", "to work on");
  if (t && !t->base.failed && g->recomputeTrianglesOrientation) DV_TRY(turn_triangles(t, g->flipNormals));
  return DV_OK;
}

#define GEOMETRY(variable, name_, aliases_, help_, dofs_, fields) \
  const dvClass variable = {                                      \
      .struct_size = sizeof(dvClass),                             \
      .name = name_,                                              \
      .aliases = aliases_,                                        \
      .help = help_,                                              \
      .module = "Sofa.Component.Topology.Container.Dynamic",      \
      .dofs = dofs_,                                              \
      .roles = DV_PLAYS(DV_ROLE_TOPOLOGY_TOOL),                   \
      .size = sizeof(GeometryAlgorithms),                         \
      .blocks = {&dv_object_block, DV_BLOCK(fields)},             \
      .init = geometry_init,                                      \
  };

// names of old end in TopologyAlgorithms; what they did is part of these now
GEOMETRY(dv_point_geometry_class, "PointSetGeometryAlgorithms", "PointSetTopologyAlgorithms",
         "geometry of points, and how to draw them", DV_DOF_ALL, point_geometry_fields)
GEOMETRY(dv_edge_geometry_class, "EdgeSetGeometryAlgorithms",
         "EdgeSetTopologyAlgorithms ManifoldEdgeSetTopologyAlgorithms ManifoldEdgeSetGeometryAlgorithms",
         "geometry of edges, and how to draw them", DV_DOF_ALL, edge_geometry_fields)
GEOMETRY(dv_triangle_geometry_class, "TriangleSetGeometryAlgorithms",
         "TriangleSetTopologyAlgorithms ManifoldTriangleSetTopologyAlgorithms ManifoldTriangleSetGeometryAlgorithms",
         "geometry of triangles, and how to draw them", DV_DOF_ALL, triangle_geometry_fields)
GEOMETRY(dv_quad_geometry_class, "QuadSetGeometryAlgorithms", "QuadSetTopologyAlgorithms",
         "geometry of quads, and how to draw them", DV_DOF_ALL, quad_geometry_fields)
GEOMETRY(dv_tetrahedron_geometry_class, "TetrahedronSetGeometryAlgorithms",
         "TetrahedronSetTopologyAlgorithms ManifoldTetrahedronSetTopologyAlgorithms "
         "ManifoldTetrahedronSetGeometryAlgorithms",
         "geometry of tetrahedra, and how to draw them", DV_DOF_ALL, tetrahedron_geometry_fields)
GEOMETRY(dv_hexahedron_geometry_class, "HexahedronSetGeometryAlgorithms", "HexahedronSetTopologyAlgorithms",
         "geometry of hexahedra, and how to draw them", DV_DOF_ALL, hexahedron_geometry_fields)
GEOMETRY(dv_sparse_geometry_class, "DynamicSparseGridGeometryAlgorithms", NULL,
         "geometry of voxels, and how to draw them", DV_DOF_ALL, hexahedron_geometry_fields)

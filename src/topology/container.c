// MeshTopology and the containers of one element kind: PointSet-, EdgeSet-, TriangleSet-, QuadSet-, TetrahedronSet- and
// HexahedronSetTopologyContainer.
//
// The Manifold… ones of old also tell when the mesh is not manifold (inspect.h). All are the container of topology.h;
// they differ in the fields they have, and with them in what src="@loader" hands over: a TriangleSetTopologyContainer
// takes only the triangles of a mesh of tetrahedra.
#include "topology/container.h"

#include "object/compat.h"

#include "topology/inspect.h"
#include "topology/search/tuple_set.h"

#include <math.h>
#include <stdlib.h>

#define SELF dvMeshTopology
static const dvFieldDesc mesh_topology_fields[] = {DV_MESH_TOPOLOGY_FIELDS(DV_DESCRIBE)};
#undef SELF
const dvFieldBlock dv_mesh_topology_block = {mesh_topology_fields, (int)DV_COUNT(mesh_topology_fields)};

void dv_mesh_topology_create(dvObject *o)
{
  dv_topology_create(o);
  dv_topology(o)->repeat_faces = true;
}

static void make_all(dvTopology *t)
{
  for (dvElementKind kind = DV_EDGE; kind < DV_ELEMENT_KINDS; kind++) {
    dv_topology_around_point(t, kind);
    for (dvElementKind part = DV_EDGE; part < kind; part++) dv_topology_around(t, part, kind);
  }
}

dvStatus dv_mesh_topology_init(dvObject *o)
{
  DV_TRY(dv_topology_init(o));
  if (((dvMeshTopology *)o)->computeAllBuffers) make_all(dv_topology(o));
  return DV_OK;
}

dvStatus dv_topology_parse_box(dvObject *o, dvAttributes *a, double min[3], double max[3])
{
  static const char *const names[6] = {"xmin", "ymin", "zmin", "xmax", "ymax", "zmax"};
  const char *text = dv_attribute_take(a, "scale");
  double number = 1, value[6];
  if (text) dv_scan_real(&text, &number);
  double scale = dv_compat_attribute(o, number);
  int found = 0;
  for (int i = 0; i < 6; i++) {
    text = dv_attribute_take(a, names[i]);
    if (!text) continue;
    found++;
    if (!dv_scan_real(&text, &number) || !isfinite(number))
      return dv_error(o, "give a number", "%s=\"%s\" is not a coordinate", names[i],
                      dv_attribute_find(a, names[i])->value);
    value[i] = dv_compat_attribute(o, number);
  }
  if (found > 0 && found < 6)
    dv_warning(o, "give all six, or min=\"x y z\" max=\"x y z\"", "xmin to zmax count only when all six are given");
  if (found < 6) return DV_OK;
  for (int i = 0; i < 6; i++) (i < 3 ? min : max)[i % 3] = value[i] * scale;
  dv_field_of(o, min)->was_set = dv_field_of(o, max)->was_set = true;
  return DV_OK;
}

const dvClass dv_mesh_topology_class = {
    .struct_size = sizeof(dvClass),
    .name = "MeshTopology",
    .aliases = "Mesh",
    .help = "points and elements of any kind, given in the scene, by a loader or in a file",
    .module = "Sofa.Component.Topology.Container.Constant",
    .roles = DV_PLAYS(DV_ROLE_TOPOLOGY),
    .size = sizeof(dvMeshTopology),
    .blocks = {&dv_object_block, &dv_topology_block, &dv_mesh_topology_block},
    .create = dv_mesh_topology_create,
    .link = dv_topology_link,
    .init = dv_mesh_topology_init,
    .reinit = dv_topology_init,
    .fetch = dv_topology_fetch,
    .destroy = dv_topology_destroy,
};

// --- containers of one kind ----------------------------------------------------------------------

#define SET_FIELDS(X)                                                                             \
  X(bool, checkTopology, "0", "", "look for elements that name a point twice or that come twice") \
  X(int, nbPoints, "0", "", "number of points; more than there are positions when elements or the scene say so")
#define CONNECTED_FIELDS(X) X(bool, checkConnexity, "0", "", "warn when the elements fall into several pieces")
#define TRIANGLE_ARRAY_FIELDS(X) \
  X(bool, createTriangleArray, "0", "", "make the triangles of the tetrahedra at the start")
#define QUAD_ARRAY_FIELDS(X) X(bool, createQuadArray, "0", "", "make the quads of the hexahedra at the start")

// hexahedra that are voxels of a regular grid
#define VOXEL_FIELDS(X)                                                          \
  X(ivec3, resolution, "0 0 0", "", "voxels of the whole grid along x, y and z") \
  X(indices, idxInRegularGrid, "", "", "number in the whole grid of each hexahedron, x fastest")
#define SPARSE_FIELDS(X)                                                                                              \
  X(vec3, voxelSize, "1 1 1", "m", "no effect: the points tell how large voxels are", .flags = DV_IDLE)               \
  X(ints, valuesIndexedInRegularGrid, "", "",                                                                         \
    "for each voxel of the whole grid 255 where there is a hexahedron, else 0", .flags = DV_OUTPUT)                   \
  X(ints, valuesIndexedInTopology, "", "",                                                                            \
    "value of the voxel of each hexahedron, as a VoxelGridLoader in the node gives it, else 255", .flags = DV_OUTPUT) \
  X(edges, idInRegularGrid2IndexInTopo, "", "", "pairs: number in the whole grid, hexahedron; by the first",          \
    .flags = DV_OUTPUT)
#define MULTILEVEL_FIELDS(X)                                                                                   \
  X(int, level, "0", "", "levels between the voxels and the coarse grid, whose cells are 2^level voxels wide") \
  X(ints, coarseComponents, "", "", "number in the coarse grid of the cell that contains each hexahedron",     \
    .flags = DV_OUTPUT)                                                                                        \
  X(ints, fineComponents, "", "", "number in the whole grid of each hexahedron", .flags = DV_OUTPUT)

typedef struct SetContainer {
  dvTopology topology;
  SET_FIELDS(DV_MEMBER)
  CONNECTED_FIELDS(DV_MEMBER)
  TRIANGLE_ARRAY_FIELDS(DV_MEMBER)
  QUAD_ARRAY_FIELDS(DV_MEMBER)
  VOXEL_FIELDS(DV_MEMBER)
  SPARSE_FIELDS(DV_MEMBER)
  MULTILEVEL_FIELDS(DV_MEMBER)
} SetContainer;

#define SELF dvTopology
static const dvFieldDesc point_fields[] = {DV_TOPOLOGY_POINT_FIELDS(DV_DESCRIBE)};
static const dvFieldDesc edge_fields[] = {DV_TOPOLOGY_POINT_FIELDS(DV_DESCRIBE) DV_TOPOLOGY_EDGE_FIELDS(DV_DESCRIBE)};
static const dvFieldDesc triangle_fields[] = {DV_TOPOLOGY_POINT_FIELDS(DV_DESCRIBE) DV_TOPOLOGY_EDGE_FIELDS(DV_DESCRIBE)
                                                  DV_TOPOLOGY_TRIANGLE_FIELDS(DV_DESCRIBE)};
static const dvFieldDesc quad_fields[] = {DV_TOPOLOGY_POINT_FIELDS(DV_DESCRIBE) DV_TOPOLOGY_EDGE_FIELDS(DV_DESCRIBE)
                                              DV_TOPOLOGY_QUAD_FIELDS(DV_DESCRIBE)};
static const dvFieldDesc tetrahedron_fields[] = {DV_TOPOLOGY_POINT_FIELDS(DV_DESCRIBE) DV_TOPOLOGY_EDGE_FIELDS(
    DV_DESCRIBE) DV_TOPOLOGY_TRIANGLE_FIELDS(DV_DESCRIBE) DV_TOPOLOGY_TETRAHEDRON_FIELDS(DV_DESCRIBE)};
static const dvFieldDesc hexahedron_fields[] = {DV_TOPOLOGY_POINT_FIELDS(DV_DESCRIBE) DV_TOPOLOGY_EDGE_FIELDS(
    DV_DESCRIBE) DV_TOPOLOGY_QUAD_FIELDS(DV_DESCRIBE) DV_TOPOLOGY_HEXAHEDRON_FIELDS(DV_DESCRIBE)};
#undef SELF
#define SELF SetContainer
static const dvFieldDesc set_fields[] = {SET_FIELDS(DV_DESCRIBE)};
static const dvFieldDesc connected_set_fields[] = {SET_FIELDS(DV_DESCRIBE) CONNECTED_FIELDS(DV_DESCRIBE)};
static const dvFieldDesc tetrahedron_set_fields[] = {SET_FIELDS(DV_DESCRIBE) CONNECTED_FIELDS(DV_DESCRIBE)
                                                         TRIANGLE_ARRAY_FIELDS(DV_DESCRIBE)};
static const dvFieldDesc hexahedron_set_fields[] = {SET_FIELDS(DV_DESCRIBE) CONNECTED_FIELDS(DV_DESCRIBE)
                                                        QUAD_ARRAY_FIELDS(DV_DESCRIBE)};
static const dvFieldDesc sparse_fields[] = {VOXEL_FIELDS(DV_DESCRIBE) SPARSE_FIELDS(DV_DESCRIBE)};
static const dvFieldDesc multilevel_fields[] = {VOXEL_FIELDS(DV_DESCRIBE) MULTILEVEL_FIELDS(DV_DESCRIBE)};
#undef SELF

static dvStatus set_container_link(dvObject *o)
{
  SetContainer *s = (SetContainer *)o;
  if (s->nbPoints < 0) return dv_field_error(o, &s->nbPoints, NULL, "nbPoints %d is negative", s->nbPoints);
  if (dv_was_set(o, &s->nbPoints)) s->topology.least_points = (size_t)s->nbPoints;
  return dv_topology_link(o);
}

static size_t find_root(int32_t *parent, size_t i)
{
  while ((size_t)parent[i] != i) i = (size_t)(parent[i] = parent[parent[i]]);
  return i;
}

// pieces that the elements fall into; 0 when memory is short
static size_t count_pieces(dvTopology *t, const dvInts *elements)
{
  size_t n = dv_topology_point_count(t), pieces = 0;
  int32_t *parent = dv_try_alloc((n + 1) * sizeof *parent);
  if (!parent) return 0;
  for (size_t i = 0; i < n; i++) parent[i] = (int32_t)i;
  for (size_t i = 0; i < elements->count; i++) {
    size_t first = i - i % (size_t)elements->width;
    size_t a = find_root(parent, (size_t)elements->data[first]), b = find_root(parent, (size_t)elements->data[i]);
    parent[a < b ? b : a] = (int32_t)(a < b ? a : b);
  }
  for (size_t i = 0; i < elements->count; i++) {   // a root is counted once, then marked
    size_t root = find_root(parent, (size_t)elements->data[i]);
    if (root == n) continue;
    pieces++;
    parent[root] = (int32_t)n;
    parent[n] = (int32_t)n;
  }
  dv_free(parent);
  return pieces;
}

static void report_flaws(dvTopology *t, dvElementKind kind, const dvInts *elements)
{
  size_t n = dv_ints_size(elements), width = (size_t)elements->width, pinched = 0, repeated = 0, first_pinched = 0,
         first_repeated = 0;
  dvTupleSet set;
  dv_tuple_set_init(&set, elements->width);
  for (size_t i = 0; i < n; i++) {
    int32_t key[DV_TUPLE_WIDTH];
    memcpy(key, elements->data + i * width, width * sizeof *key);
    dv_tuple_sort(key, elements->width);
    bool twice = false, fresh;
    for (size_t k = 1; k < width; k++) twice = twice || key[k] == key[k - 1];
    if (twice && pinched++ == 0) first_pinched = i;
    if (dv_tuple_set_add(&set, key, &fresh) >= 0 && !fresh && repeated++ == 0) first_repeated = i;
  }
  dv_tuple_set_free(&set);
  const char *name = dv_element_name(kind);
  if (pinched)
    dv_warning(&t->base, "correct the mesh", "%zu of the %s name a point twice, first number %zu", pinched, name,
               first_pinched);
  if (repeated)
    dv_warning(&t->base, "correct the mesh", "%zu of the %s are there already, first number %zu", repeated, name,
               first_repeated);
}

static void set_container_check(dvObject *o)
{
  SetContainer *s = (SetContainer *)o;
  dvElementKind kind = dv_topology_largest(&s->topology);
  if (kind == DV_POINT) return;
  const dvInts *elements = dv_topology_elements(&s->topology, kind);
  if (s->checkConnexity) {
    size_t pieces = count_pieces(&s->topology, elements);
    if (pieces > 1)
      dv_warning(o, "join them, or give each piece its own node", "the %s fall into %zu pieces", dv_element_name(kind),
                 pieces);
  }
  if (s->checkTopology) report_flaws(&s->topology, kind, elements);
}

static dvStatus set_container_init(dvObject *o)
{
  SetContainer *s = (SetContainer *)o;
  dvTopology *t = &s->topology;
  DV_TRY(dv_topology_init(o));
  s->nbPoints = (int32_t)t->point_count;
  dv_touch(o, &s->nbPoints);
  if (s->createTriangleArray) dv_topology_elements(t, DV_TRIANGLE);
  if (s->createQuadArray) dv_topology_elements(t, DV_QUAD);
  set_container_check(o);
  return DV_OK;
}

static dvStatus manifold_container_init(dvObject *o)
{
  dvTopology *t = dv_topology(o);
  DV_TRY(set_container_init(o));
  dvInspection i;
  bool known = dv_reals_size(dv_topology_positions(t)) >= dv_topology_point_count(t);
  if (!dv_topology_inspect(t, known ? dv_topology_positions(t)->data : NULL, &i))
    return dv_error(o, "use a coarser mesh", "out of memory for checking the mesh");
  dv_inspection_report(&i, o, true);
  return DV_OK;
}

static void set_container_create(dvObject *o)
{
  dv_topology_create(o);
  dv_topology(o)->dynamic = true;
}

#define SET_CONTAINER(variable, name_, help_, element_fields, own_fields) \
  CONTAINER(variable, name_, help_, element_fields, own_fields, set_container_init)
#define MANIFOLD_CONTAINER(variable, name_, help_, element_fields, own_fields) \
  CONTAINER(variable, name_, help_, element_fields, own_fields, manifold_container_init)
#define CONTAINER(variable, name_, help_, element_fields, own_fields, init_)        \
  const dvClass variable = {                                                        \
      .struct_size = sizeof(dvClass),                                               \
      .name = name_,                                                                \
      .help = help_,                                                                \
      .module = "Sofa.Component.Topology.Container.Dynamic",                        \
      .roles = DV_PLAYS(DV_ROLE_TOPOLOGY),                                          \
      .size = sizeof(SetContainer),                                                 \
      .blocks = {&dv_object_block, DV_BLOCK(element_fields), DV_BLOCK(own_fields)}, \
      .create = set_container_create,                                               \
      .link = set_container_link,                                                   \
      .init = init_,                                                                \
      .reinit = init_,                                                              \
      .fetch = dv_topology_fetch,                                                   \
      .destroy = dv_topology_destroy,                                               \
  };

SET_CONTAINER(dv_point_set_class, "PointSetTopologyContainer", "points without elements", point_fields, set_fields)
SET_CONTAINER(dv_edge_set_class, "EdgeSetTopologyContainer", "points and the edges between them", edge_fields,
              connected_set_fields)
SET_CONTAINER(dv_triangle_set_class, "TriangleSetTopologyContainer", "a mesh of triangles", triangle_fields,
              connected_set_fields)
SET_CONTAINER(dv_quad_set_class, "QuadSetTopologyContainer", "a mesh of quads", quad_fields, connected_set_fields)
SET_CONTAINER(dv_tetrahedron_set_class, "TetrahedronSetTopologyContainer", "a mesh of tetrahedra", tetrahedron_fields,
              tetrahedron_set_fields)
SET_CONTAINER(dv_hexahedron_set_class, "HexahedronSetTopologyContainer", "a mesh of hexahedra", hexahedron_fields,
              hexahedron_set_fields)
MANIFOLD_CONTAINER(dv_manifold_edge_set_class, "ManifoldEdgeSetTopologyContainer",
                   "lines: at most two edges meet at a point", edge_fields, connected_set_fields)
MANIFOLD_CONTAINER(dv_manifold_triangle_set_class, "ManifoldTriangleSetTopologyContainer",
                   "a surface that has a normal everywhere", triangle_fields, connected_set_fields)
MANIFOLD_CONTAINER(dv_manifold_tetrahedron_set_class, "ManifoldTetrahedronSetTopologyContainer",
                   "tetrahedra that hang together by faces", tetrahedron_fields, tetrahedron_set_fields)

// --- voxels --------------------------------------------------------------------------------------

static dvStatus check_voxels(SetContainer *s)
{
  dvObject *o = &s->topology.base;
  size_t cells = dv_topology_count(&s->topology, DV_HEXAHEDRON);
  double total = (double)s->resolution[0] * s->resolution[1] * s->resolution[2];
  if (cells == 0) return DV_OK;
  if (s->resolution[0] < 1 || s->resolution[1] < 1 || s->resolution[2] < 1 || total > DV_POINT_LIMIT)
    return dv_field_error(o, s->resolution, "take it from the loader: src=\"@loader\"", "a grid of %d x %d x %d voxels",
                          s->resolution[0], s->resolution[1], s->resolution[2]);
  if (s->idxInRegularGrid.count != cells)
    return dv_field_error(o, &s->idxInRegularGrid, "take it from the loader: src=\"@loader\"",
                          "there are %zu hexahedra and %zu numbers of voxels", cells, s->idxInRegularGrid.count);
  for (size_t i = 0; i < cells; i++)
    if (s->idxInRegularGrid.data[i] < 0 || s->idxInRegularGrid.data[i] >= total)
      return dv_field_error(o, &s->idxInRegularGrid, "voxels count from 0",
                            "entry %zu is %d, but the grid has %.0f voxels", i, s->idxInRegularGrid.data[i], total);
  return DV_OK;
}

static int by_first(const void *a, const void *b)
{
  const int32_t *x = a, *y = b;
  return x[0] < y[0] ? -1 : x[0] > y[0];
}

static dvStatus sparse_set_link(dvObject *o)
{
  SetContainer *s = (SetContainer *)o;
  dvObject *loader = dv_node_find(o->node, DV_ROLE_LOADER);
  dvField *from = loader ? dv_object_field(loader, "voxelValues") : NULL,
          *to = dv_field_of(o, &s->valuesIndexedInTopology);
  if (from && !to->was_set && !to->source && dv_field_link(to, from, NULL) == DV_OK) to->was_set = false;
  return set_container_link(o);
}

static dvStatus sparse_set_init(dvObject *o)
{
  SetContainer *s = (SetContainer *)o;
  DV_TRY(set_container_init(o));
  DV_TRY(check_voxels(s));
  DV_TRY(dv_pull(o, &s->valuesIndexedInTopology));
  size_t n = s->idxInRegularGrid.count,
         total = (size_t)s->resolution[0] * (size_t)s->resolution[1] * (size_t)s->resolution[2],
         given = s->valuesIndexedInTopology.count;
  bool good = dv_ints_resize(&s->valuesIndexedInRegularGrid, 0) &&
              dv_ints_resize(&s->valuesIndexedInRegularGrid, n ? total : 0) &&
              dv_ints_resize(&s->idInRegularGrid2IndexInTopo, 2 * n) && dv_ints_resize(&s->valuesIndexedInTopology, n);
  if (!good) return dv_error(o, "use a coarser grid", "out of memory for %zu voxels", total);
  int32_t *values = dv_ints_edit(&s->valuesIndexedInTopology);
  for (size_t i = 0; i < n; i++) {
    s->valuesIndexedInRegularGrid.data[s->idxInRegularGrid.data[i]] = 255;
    s->idInRegularGrid2IndexInTopo.data[2 * i] = s->idxInRegularGrid.data[i];
    s->idInRegularGrid2IndexInTopo.data[2 * i + 1] = (int32_t)i;
    if (i >= given) values[i] = 255;
  }
  if (n) qsort(s->idInRegularGrid2IndexInTopo.data, n, 2 * sizeof(int32_t), by_first);
  return DV_OK;
}

static dvStatus multilevel_init(dvObject *o)
{
  SetContainer *s = (SetContainer *)o;
  DV_TRY(set_container_init(o));
  DV_TRY(check_voxels(s));
  if (s->level < 0 || s->level > 20)
    return dv_field_error(o, &s->level, NULL, "level %d is not between 0 and 20", s->level);
  size_t n = s->idxInRegularGrid.count;
  if (!dv_ints_assign(&s->fineComponents, s->idxInRegularGrid.data, n) || !dv_ints_resize(&s->coarseComponents, n))
    return dv_error(o, NULL, "out of memory");
  int32_t nx = dv_max_int(s->resolution[0], 1), ny = dv_max_int(s->resolution[1], 1), wide = 1 << s->level,
          cx = (nx + wide - 1) / wide, cy = (ny + wide - 1) / wide;
  for (size_t i = 0; i < n; i++) {
    int32_t id = s->idxInRegularGrid.data[i];
    s->coarseComponents.data[i] = id % nx / wide + cx * (id / nx % ny / wide + cy * (id / nx / ny / wide));
  }
  return DV_OK;
}

#define VOXEL_CONTAINER(variable, name_, help_, fields, link_, init_)                                               \
  const dvClass variable = {                                                                                        \
      .struct_size = sizeof(dvClass),                                                                               \
      .name = name_,                                                                                                \
      .help = help_,                                                                                                \
      .module = "Sofa.Component.Topology.Container.Dynamic",                                                        \
      .roles = DV_PLAYS(DV_ROLE_TOPOLOGY),                                                                          \
      .size = sizeof(SetContainer),                                                                                 \
      .blocks = {&dv_object_block, DV_BLOCK(hexahedron_fields), DV_BLOCK(hexahedron_set_fields), DV_BLOCK(fields)}, \
      .create = dv_topology_create,                                                                                 \
      .link = link_,                                                                                                \
      .init = init_,                                                                                                \
      .reinit = init_,                                                                                              \
      .fetch = dv_topology_fetch,                                                                                   \
      .destroy = dv_topology_destroy,                                                                               \
  };

VOXEL_CONTAINER(dv_sparse_set_class, "DynamicSparseGridTopologyContainer", "hexahedra that are voxels of a grid",
                sparse_fields, sparse_set_link, sparse_set_init)
VOXEL_CONTAINER(dv_multilevel_set_class, "MultilevelHexahedronSetTopologyContainer",
                "hexahedra that are voxels of a grid, and the coarser cells they are in", multilevel_fields,
                set_container_link, multilevel_init)

// TriangleCollisionModel, LineCollisionModel, PointCollisionModel, TetrahedronCollisionModel: the triangles, edges,
// points or tetrahedra of a topology, at the positions of the state in the node. TriangleOctreeCollisionModel and
// TriangleModelInRegularGrid are triangles as well: every model has a tree that rays and others walk.
//
// Triangles are those of the topology, then two for each of its quads: (1 2 0) and (3 0 2), as in SOFA. The list
// follows the topology when that changes.
#include "collision/model.h"
#include "collision/register.h"
#include "math/vec.h"
#include "object/compat.h"
#include "topology/change/modify.h"

#include <string.h>

#define ELEMENT_MODEL_FIELDS(X)                                        \
  X(bool, bothSide, "0", "", "contacts on both sides of the elements") \
  X(link, topology, "", "", "mesh of the elements; that of the node or above by default", .role = DV_ROLE_TOPOLOGY)
#define NORMAL_FIELDS(X) X(bool, computeNormals, "1", "", "keep the normals of the triangles up to date")
#define POINT_NORMAL_FIELDS(X) X(bool, computeNormals, "0", "", "keep normals at the points up to date")
#define CURVATURE_FIELDS(X)                                                        \
  X(bool, useCurvature, "0", "",                                                   \
    "no effect: parts that are nearly flat are tested against themselves too; in " \
    "SOFA no method that finds contacts of triangles with themselves asks for it", \
    .flags = DV_IDLE)
#define OCTREE_FIELDS(X) X(bool, drawOctree, "0", "", "draw the tree", .flags = DV_LOOKS)
#define LEAF_FIELDS(X) \
  X(int, leafScale, "0", "", "no effect: the tree of boxes is that of points", .flags = DV_IDLE | DV_HIDDEN)
#define FREE_FIELDS(X) X(bool, displayFreePosition, "0", "", "draw the positions of free motion", .flags = DV_LOOKS)

typedef struct ElementModel {
  dvCollisionModel base;
  ELEMENT_MODEL_FIELDS(DV_MEMBER)
  NORMAL_FIELDS(DV_MEMBER)
  CURVATURE_FIELDS(DV_MEMBER)
  OCTREE_FIELDS(DV_MEMBER)
  FREE_FIELDS(DV_MEMBER)
  LEAF_FIELDS(DV_MEMBER)
  dvSurfaceNormals surface;   // of a closed one
} ElementModel;

#define SELF ElementModel
static const dvFieldDesc triangle_fields[] = {ELEMENT_MODEL_FIELDS(DV_DESCRIBE) NORMAL_FIELDS(DV_DESCRIBE)
                                                  CURVATURE_FIELDS(DV_DESCRIBE)};
static const dvFieldDesc octree_fields[] = {ELEMENT_MODEL_FIELDS(DV_DESCRIBE) NORMAL_FIELDS(DV_DESCRIBE)
                                                CURVATURE_FIELDS(DV_DESCRIBE) OCTREE_FIELDS(DV_DESCRIBE)};
static const dvFieldDesc tetrahedron_fields[] = {ELEMENT_MODEL_FIELDS(DV_DESCRIBE)};
static const dvFieldDesc line_fields[] = {ELEMENT_MODEL_FIELDS(DV_DESCRIBE) FREE_FIELDS(DV_DESCRIBE)};
static const dvFieldDesc point_fields[] = {ELEMENT_MODEL_FIELDS(DV_DESCRIBE) POINT_NORMAL_FIELDS(DV_DESCRIBE)
                                               FREE_FIELDS(DV_DESCRIBE)};
static const dvFieldDesc particle_fields[] = {ELEMENT_MODEL_FIELDS(DV_DESCRIBE) POINT_NORMAL_FIELDS(DV_DESCRIBE)
                                                  FREE_FIELDS(DV_DESCRIBE) LEAF_FIELDS(DV_DESCRIBE)};
#undef SELF

// --- elements ------------------------------------------------------------------------------------

static dvTopology *topology_of(const ElementModel *m)
{
  return m->topology.target ? dv_topology(m->topology.target) : NULL;
}

static bool take_triangles(ElementModel *m)
{
  dvTopology *t = topology_of(m);
  const dvInts *triangles = dv_topology_elements(t, DV_TRIANGLE), *quads = dv_topology_elements(t, DV_QUAD);
  size_t given = triangles->count, extra = dv_ints_size(quads);
  dvInts *out = &m->base.elements;
  if (!dv_ints_resize(out, given + 6 * extra)) return false;
  for (size_t i = 0; i < given; i++) out->data[i] = triangles->data[i];
  for (size_t i = 0; i < extra; i++) {
    const int32_t *q = quads->data + 4 * i;
    const int32_t halves[6] = {q[1], q[2], q[0], q[3], q[0], q[2]};
    for (size_t k = 0; k < 6; k++) out->data[given + 6 * i + k] = halves[k];
  }
  return true;
}

static bool take_whole(ElementModel *m, dvElementKind type)
{
  const dvInts *elements = dv_topology_elements(topology_of(m), type);
  return dv_ints_assign(&m->base.elements, elements->data, elements->count);
}

static bool take_points(ElementModel *m)
{
  size_t n = m->base.state->count;
  if (!dv_ints_resize(&m->base.elements, n)) return false;
  for (size_t i = 0; i < n; i++) m->base.elements.data[i] = (int32_t)i;
  return true;
}

// each corner and edge of the mesh belongs to the first triangle that has it; halves of quads get none
static bool mark_triangles(ElementModel *m)
{
  dvTopology *t = topology_of(m);
  size_t count = dv_topology_count(t, DV_TRIANGLE);
  dv_array_resize(&m->base.flags, dv_ints_size(&m->base.elements));
  if (m->base.flags.count) memset(m->base.flags.data, 0, m->base.flags.count * sizeof *m->base.flags.data);
  if (count == 0) return true;
  const dvIncidence *corners = dv_topology_around_point(t, DV_TRIANGLE),
                    *sides = dv_topology_around(t, DV_EDGE, DV_TRIANGLE);
  const dvInts *parts = dv_topology_parts(t, DV_EDGE, DV_TRIANGLE);
  if (!corners || !sides || !parts) return false;
  for (size_t i = 0; i < count; i++)
    for (size_t k = 0; k < 3; k++) {
      int32_t point = m->base.elements.data[3 * i + k], side = parts->data[3 * i + k];
      if (corners->items[corners->offsets[point]] == (int32_t)i) m->base.flags.data[i] |= (uint16_t)(DV_CORNER << k);
      if (side >= 0 && sides->items[sides->offsets[side]] == (int32_t)i)
        m->base.flags.data[i] |= (uint16_t)(DV_SIDE << k);
      if (side >= 0 && sides->offsets[side + 1] - sides->offsets[side] == 1)
        m->base.flags.data[i] |= (uint16_t)(DV_RIM << k);
    }
  return true;
}

// the triangle that an edge of the mesh belongs to (dv_topology_around): of those that run along it the last, else the
// first; `count` gets how many have it. -1 when there are too many to tell
static int32_t owner_of_side(dvTopology *t, const int32_t ends[2], size_t *count)
{
  enum { MOST = 16 };
  int32_t around[MOST], edge = dv_mesh_find(t, DV_EDGE, ends);
  *count = dv_mesh_around(t, DV_TRIANGLE, ends, 2, around, MOST);
  if (edge < 0 || *count > MOST) return -1;
  const int32_t *triangles = dv_topology_list(t, DV_TRIANGLE)->data,
                from = dv_topology_list(t, DV_EDGE)->data[2 * edge];
  int32_t owner = around[0];
  for (size_t i = 0; i < *count; i++) {
    const int32_t *c = triangles + 3 * (size_t)around[i];
    int j = 0;
    while (j < 2 && (c[j] == ends[0] || c[j] == ends[1])) j++;   // the corner opposite to the edge
    if (c[(j + 1) % 3] == from) owner = around[i];
  }
  return owner;
}

static bool mark_triangle(ElementModel *m, dvTopology *t, int32_t i)
{
  const int32_t *c = m->base.elements.data + 3 * (size_t)i;
  uint16_t flags = 0;
  for (size_t k = 0; k < 3; k++) {
    int32_t first = i, ends[2] = {c[(k + 1) % 3], c[(k + 2) % 3]};
    for (int32_t at = dv_topology_first_at(t, DV_TRIANGLE, c[k]); at >= 0; at = dv_topology_next_at(t, DV_TRIANGLE, at))
      first = (int32_t)dv_min_int(first, at / 3);
    if (first == i) flags |= (uint16_t)(DV_CORNER << k);
    size_t count;
    int32_t owner = owner_of_side(t, ends, &count);
    if (owner < 0 && count > 1) return false;
    if (owner == i) flags |= (uint16_t)(DV_SIDE << k);
    if (owner >= 0 && count == 1) flags |= (uint16_t)(DV_RIM << k);
  }
  m->base.flags.data[i] = flags;
  return true;
}

// Takes again what a batch of changes concerns; false when that is everything.
static bool patch(ElementModel *m)
{
  static const dvElementKind kinds[] = {0, DV_POINT, DV_EDGE, DV_TRIANGLE, DV_TETRAHEDRON};
  dvTopology *t = topology_of(m);
  size_t width = (size_t)m->base.elements.width;
  dvElementKind kind = kinds[width];
  dvInts *elements = &m->base.elements;
  const dvTrace *trace = t && m->base.mesh == t ? dv_follow_trace(&m->base.base, t) : NULL;
  if (!trace || width == 1 || (width == 3 && dv_topology_count(t, DV_QUAD) > 0)) return false;
  const dvInts *list = dv_topology_elements(t, kind);
  const dvNumbers *rows = dv_trace_rows(t, kind);
  if (elements->count != dv_trace_before(trace, kind, dv_ints_size(list)) * width ||
      !dv_ints_resize(elements, list->count))
    return false;
  for (size_t i = 0; i < rows->count * width; i++) {
    size_t at = (size_t)rows->data[i / width] * width + i % width;
    if (list->data[at] < 0 || (size_t)list->data[at] >= m->base.state->count) return false;
    elements->data[at] = list->data[at];
  }
  dv_cube_tree_follow(&m->base.tree, trace, kind);
  m->base.boxes.count = 0;   // also of one that does not move
  if (width != 3) return dv_follow_patched(&m->base.base);
  m->base.from_quads = dv_ints_size(list);
  dv_array_resize(&m->base.flags, m->base.from_quads);
  dvNumbers around = {0};
  dv_trace_around(t, DV_TRIANGLE, dv_trace_points(trace), &around);
  bool good = true;
  for (size_t i = 0; i < around.count && good; i++) good = mark_triangle(m, t, around.data[i]);
  dv_array_free(&around);
  return good && dv_follow_patched(&m->base.base);
}

static dvStatus take_elements(ElementModel *m)
{
  dvObject *o = &m->base.base;
  int width = m->base.elements.width;
  m->base.elements.count = 0;
  if (!(width == 4   ? take_whole(m, DV_TETRAHEDRON)
        : width == 3 ? take_triangles(m)
        : width == 2 ? take_whole(m, DV_EDGE)
                     : take_points(m)))
    return dv_error(o, NULL, "out of memory for its elements");
  for (size_t i = 0; i < m->base.elements.count; i++)
    if (m->base.elements.data[i] < 0 || (size_t)m->base.elements.data[i] >= m->base.state->count) {
      int32_t bad = m->base.elements.data[i];
      m->base.elements.count = 0;
      return dv_error(o, "put a MechanicalObject with the points of the mesh into the node",
                      "element %zu names point %d, but the state %s has %zu points", i / (size_t)width, bad,
                      m->base.state->base.name, m->base.state->count);
    }
  dv_cube_tree_clear(&m->base.tree);
  m->base.mesh = topology_of(m);
  m->base.from_quads = width == 3 ? dv_topology_count(m->base.mesh, DV_TRIANGLE) : 0;
  if (width == 3 && !mark_triangles(m)) return dv_error(o, NULL, "out of memory for its elements");
  return DV_OK;
}

// --- boxes, and which elements of a node may touch -----------------------------------------------

static void element_boxes(const dvCollisionModel *m, double margin, dvBox *out)
{
  int width = m->elements.width;
  size_t count = dv_ints_size(&m->elements);
  for (size_t i = 0; i < count; i++) {
    const double *first = dv_element_point(m, (int32_t)i, 0);
    dvBox b;
    for (int k = 0; k < 3; k++) b.low[k] = b.high[k] = first[k];
    for (int n = 1; n < width; n++) {
      const double *p = dv_element_point(m, (int32_t)i, n);
      for (int k = 0; k < 3; k++) b.low[k] = dv_min(b.low[k], p[k]), b.high[k] = dv_max(b.high[k], p[k]);
    }
    for (int k = 0; k < 3; k++) b.low[k] -= margin, b.high[k] += margin;
    out[i] = b;
  }
}

// an edge of the mesh joins the two points, or they are one
static bool joined(const dvCollisionModel *m, int32_t a, int32_t b)
{
  const dvIncidence *around = m->edges_at_point;
  if (a == b || !around || (size_t)a >= around->count) return a == b;
  const int32_t *edges = m->mesh_edges->data;
  for (int32_t i = around->offsets[a]; i < around->offsets[a + 1]; i++) {
    const int32_t *e = edges + 2 * around->items[i];
    if (e[0] == b || e[1] == b) return true;
  }
  return false;
}

// points that are neighbours or have one in common do not touch; each pair is looked at once
static bool point_may_touch(const dvCollisionModel *m, int32_t i, const dvCollisionModel *other, int32_t j)
{
  if (!m->selfCollision) return true;
  if (other != m) {
    const dvCollisionModelOps *ops = dv_collision_model_ops(other);
    return other->shape == DV_SHAPE_POINT || !ops->may_touch || ops->may_touch(other, j, m, i);
  }
  if (i <= j) return false;
  const dvIncidence *around = m->edges_at_point;
  if (!around || (size_t)i >= around->count) return true;
  const int32_t *edges = m->mesh_edges->data;
  for (int32_t n = around->offsets[i]; n < around->offsets[i + 1]; n++) {
    const int32_t *e = edges + 2 * around->items[n];
    if (joined(m, e[0] == i ? e[1] : e[0], j)) return false;
  }
  return true;
}

// lines that an edge joins do not touch, nor does a point the line that an edge joins it to; each pair once
static bool line_may_touch(const dvCollisionModel *m, int32_t i, const dvCollisionModel *other, int32_t j)
{
  if (!m->selfCollision) return true;
  const int32_t *a = m->elements.data + 2 * i;
  if (other == m) {
    const int32_t *b = m->elements.data + 2 * j;
    return i < j && !joined(m, a[0], b[0]) && !joined(m, a[0], b[1]) && !joined(m, a[1], b[0]) &&
           !joined(m, a[1], b[1]);
  }
  if (other->shape == DV_SHAPE_POINT) return !joined(m, a[0], j) && !joined(m, a[1], j);
  return true;
}

static bool triangle_may_touch(const dvCollisionModel *m, int32_t i, const dvCollisionModel *other, int32_t j)
{
  const int32_t *p = m->elements.data + 3 * i;
  if (other == m) return i < j;
  return !m->selfCollision || other->shape != DV_SHAPE_POINT || (p[0] != j && p[1] != j && p[2] != j);
}

static bool tetrahedron_may_touch(const dvCollisionModel *m, int32_t i, const dvCollisionModel *other, int32_t j)
{
  return m != other || i < j;
}

static const dvCollisionModelOps tetrahedron_ops = {DV_SHAPE_TETRAHEDRON, element_boxes, tetrahedron_may_touch};
static const dvCollisionModelOps point_ops = {DV_SHAPE_POINT, element_boxes, point_may_touch};
static const dvCollisionModelOps line_ops = {DV_SHAPE_LINE, element_boxes, line_may_touch};
static const dvCollisionModelOps triangle_ops = {DV_SHAPE_TRIANGLE, element_boxes, triangle_may_touch};

// --- normals of a closed surface -----------------------------------------------------------------

static void turn_triangle(ElementModel *m, size_t i)
{
  const int32_t *e = m->base.elements.data + 3 * i;
  const double *x = dv_state_read(m->base.state, DV_X);
  dvVec3 a = dv_vec3_load(x + 3 * e[0]);
  dvVec3 n = dv_vec3_cross(dv_vec3_sub(dv_vec3_load(x + 3 * e[1]), a), dv_vec3_sub(dv_vec3_load(x + 3 * e[2]), a));
  dv_vec3_store(m->surface.triangles.data + 3 * i, dv_vec3_normalise(n));
}

// As in SOFA: normals at points come from triangles as they lay a step before, and the first triangle is left out.
static void turn_surface(ElementModel *m, bool late)
{
  size_t count = dv_ints_size(&m->base.elements);
  dvSurfaceNormals *s = &m->surface;
  if (s->triangles.count != 3 * count) {
    dv_array_resize(&s->triangles, 3 * count);
    for (size_t i = 0; i < count; i++) turn_triangle(m, i);
  }
  dv_array_resize(&s->points, 3 * m->base.state->count);
  memset(s->points.data, 0, s->points.count * sizeof *s->points.data);
  for (size_t i = late ? 1 : 0; i < count; i++) {
    if (!late) turn_triangle(m, i);
    for (int k = 0; k < 3; k++)
      dv_vec3_accumulate(s->points.data + 3 * m->base.elements.data[3 * i + (size_t)k],
                         dv_vec3_load(s->triangles.data + 3 * i));
    if (late) turn_triangle(m, i);
  }
  for (size_t i = 0; i + 2 < s->points.count; i += 3)
    dv_vec3_store(s->points.data + i, dv_vec3_normalise(dv_vec3_load(s->points.data + i)));
}

static void surface_handle_event(dvObject *o, const dvEvent *event)
{
  ElementModel *m = (ElementModel *)o;
  if (event->kind != DV_EVENT_COLLISION_BEGIN || !m->base.active || !m->base.elements.count) return;
  if (m->base.moving || !m->surface.triangles.count) turn_surface(m, dv_compat(o, DV_COMPAT_LATE_NORMALS));
}

static void surface_remember(dvObject *o, dvMemoryStream *s)
{
  dv_collision_model_remember(o, s);
  dv_remember_array(s, "normals", &((ElementModel *)o)->surface.triangles);
}

static void surface_destroy(dvObject *o)
{
  ElementModel *m = (ElementModel *)o;
  dv_array_free(&m->surface.triangles);
  dv_array_free(&m->surface.points);
  dv_collision_model_destroy(o);
}

// --- hooks ---------------------------------------------------------------------------------------

static dvStatus init(dvObject *o, int width)
{
  static const char *const names[] = {NULL, "points", "lines", "triangles", "tetrahedra"};
  ElementModel *m = (ElementModel *)o;
  DV_TRY(dv_collision_model_init(o));
  if (!m->topology.target) m->topology.target = dv_node_find_up(o->node, DV_ROLE_TOPOLOGY);
  if (!m->topology.target && width > 1)
    return dv_error(o, "add a topology to the node, such as a MeshTopology with src=\"@loader\"",
                    "%s finds no topology with its elements", o->cls->name);
  if (m->topology.target) DV_TRY(dv_object_ensure(m->topology.target));
  if (m->topology.target) dv_follow(o, topology_of(m));
  if (m->base.state->topology) dv_follow(o, m->base.state->topology);
  m->base.elements.width = width;
  m->base.primitives = names[width];
  m->base.both_sides = &m->bothSide;
  return DV_OK;
}

// a mapping may have given the state its points by now
static dvStatus element_model_bwd_init(dvObject *o)
{
  ElementModel *m = (ElementModel *)o;
  DV_TRY(take_elements(m));
  if (m->base.elements.count == 0 && m->base.state->count > 0)
    dv_warning(o, "give it a mesh of such elements", "the topology %s has nothing for a %s", m->topology.target->name,
               o->cls->name);
  return DV_OK;
}

static dvStatus triangle_init(dvObject *o) { return init(o, 3); }
static dvStatus surface_init(dvObject *o)
{
  ElementModel *m = (ElementModel *)o;
  m->base.surface = &m->surface;
  return init(o, 3);
}
static dvStatus line_init(dvObject *o) { return init(o, 2); }
static dvStatus tetrahedron_init(dvObject *o) { return init(o, 4); }
static dvStatus point_init(dvObject *o)
{
  ElementModel *m = (ElementModel *)o;
  m->base.point_normals = &m->computeNormals;
  return init(o, 1);
}

static void element_model_topology_changed(dvObject *o)
{
  ElementModel *m = (ElementModel *)o;
  if (!patch(m)) take_elements(m);
  m->surface.triangles.count = 0;
}

#define ELEMENT_MODEL(variable, name_, help_, own_fields, ops_, init_)               \
  const dvClass variable = {                                                         \
      .struct_size = sizeof(dvClass),                                                \
      .name = name_,                                                                 \
      .help = help_,                                                                 \
      .module = "Sofa.Component.Collision.Geometry",                                 \
      .dofs = DV_DOF_VEC3,                                                           \
      .ops = {[DV_ROLE_COLLISION_MODEL] = &ops_},                                    \
      .size = sizeof(ElementModel),                                                  \
      .blocks = {&dv_object_block, &dv_collision_model_block, DV_BLOCK(own_fields)}, \
      .init = init_,                                                                 \
      .bwd_init = element_model_bwd_init,                                            \
      .topology_changed = element_model_topology_changed,                            \
      .destroy = dv_collision_model_destroy,                                         \
      .remember = dv_collision_model_remember,                                       \
      .restored = dv_collision_model_restored,                                       \
  };

ELEMENT_MODEL(dv_triangle_collision_model_class, "TriangleCollisionModel", "the triangles of a mesh, for collisions",
              triangle_fields, triangle_ops, triangle_init)
ELEMENT_MODEL(dv_line_collision_model_class, "LineCollisionModel", "the edges of a mesh, for collisions", line_fields,
              line_ops, line_init)
ELEMENT_MODEL(dv_point_collision_model_class, "PointCollisionModel", "the points of a state, for collisions",
              point_fields, point_ops, point_init)
ELEMENT_MODEL(dv_particle_collision_model_class, "SpatialGridPointModel", "the particles of a fluid, for collisions",
              particle_fields, point_ops, point_init)
ELEMENT_MODEL(dv_tetrahedron_collision_model_class, "TetrahedronCollisionModel",
              "the tetrahedra of a mesh, for points and rays that go into them", tetrahedron_fields, tetrahedron_ops,
              tetrahedron_init)
ELEMENT_MODEL(dv_triangle_grid_model_class, "TriangleModelInRegularGrid",
              "the triangles of a mesh in a grid, for collisions", triangle_fields, triangle_ops, triangle_init)

const dvClass dv_triangle_octree_model_class = {
    .struct_size = sizeof(dvClass),
    .name = "TriangleOctreeCollisionModel",
    .help = "the triangles of a closed mesh, for collisions that are found with rays",
    .module = "Sofa.Component.Collision.Geometry",
    .dofs = DV_DOF_VEC3,
    .ops = {[DV_ROLE_COLLISION_MODEL] = &triangle_ops},
    .size = sizeof(ElementModel),
    .blocks = {&dv_object_block, &dv_collision_model_block, DV_BLOCK(octree_fields)},
    .init = surface_init,
    .bwd_init = element_model_bwd_init,
    .topology_changed = element_model_topology_changed,
    .handle_event = surface_handle_event,
    .destroy = surface_destroy,
    .remember = surface_remember,
    .restored = dv_collision_model_restored,
};

#define SELF dvCollisionModel
static const dvFieldDesc cube_fields[] = {DV_COLLISION_MODEL_FIELDS(DV_DESCRIBE)};
#undef SELF

// every model has such boxes of its own
const dvClass dv_cube_collision_model_class = {
    .struct_size = sizeof(dvClass),
    .name = "CubeCollisionModel",
    .help = "boxes around the elements of a collision model; each model makes its own, this one stays empty",
    .module = "Sofa.Component.Collision.Geometry",
    .size = sizeof(dvCollisionModel),
    .blocks = {&dv_object_block, DV_BLOCK(cube_fields)},
};

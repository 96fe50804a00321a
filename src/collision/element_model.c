// TriangleCollisionModel, LineCollisionModel, PointCollisionModel: the triangles, edges or points of a topology, at the
// positions of the state in the node.
//
// Triangles are those of the topology, then two for each of its quads: (1 2 0) and (3 0 2), as in SOFA. The list
// follows the topology when that changes.
#include "collision/model.h"
#include "collision/register.h"
#include "topology/topology.h"

#define ELEMENT_MODEL_FIELDS(X)                                        \
  X(bool, bothSide, "0", "", "contacts on both sides of the elements") \
  X(link, topology, "", "", "mesh of the elements; that of the node or above by default", .role = DV_ROLE_TOPOLOGY)
#define NORMAL_FIELDS(X) X(bool, computeNormals, "1", "", "keep the normals of the triangles up to date")
#define POINT_NORMAL_FIELDS(X) X(bool, computeNormals, "0", "", "keep normals at the points up to date")
#define CURVATURE_FIELDS(X) X(bool, useCurvature, "0", "", "leave out self-contacts of parts that are nearly flat")
#define FREE_FIELDS(X) X(bool, displayFreePosition, "0", "", "draw the positions of free motion", .flags = DV_LOOKS)

typedef struct ElementModel {
  dvCollisionModel base;
  ELEMENT_MODEL_FIELDS(DV_MEMBER)
  NORMAL_FIELDS(DV_MEMBER)
  CURVATURE_FIELDS(DV_MEMBER)
  FREE_FIELDS(DV_MEMBER)
} ElementModel;

#define SELF ElementModel
static const dvFieldDesc triangle_fields[] = {ELEMENT_MODEL_FIELDS(DV_DESCRIBE) NORMAL_FIELDS(DV_DESCRIBE)
                                                  CURVATURE_FIELDS(DV_DESCRIBE)};
static const dvFieldDesc line_fields[] = {ELEMENT_MODEL_FIELDS(DV_DESCRIBE) FREE_FIELDS(DV_DESCRIBE)};
static const dvFieldDesc point_fields[] = {ELEMENT_MODEL_FIELDS(DV_DESCRIBE) POINT_NORMAL_FIELDS(DV_DESCRIBE)
                                               FREE_FIELDS(DV_DESCRIBE)};
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

static bool take_lines(ElementModel *m)
{
  const dvInts *edges = dv_topology_elements(topology_of(m), DV_EDGE);
  return dv_ints_assign(&m->base.elements, edges->data, edges->count);
}

static bool take_points(ElementModel *m)
{
  size_t n = m->base.state->count;
  if (!dv_ints_resize(&m->base.elements, n)) return false;
  for (size_t i = 0; i < n; i++) m->base.elements.data[i] = (int32_t)i;
  return true;
}

static dvStatus take_elements(ElementModel *m)
{
  dvObject *o = &m->base.base;
  int width = m->base.elements.width;
  m->base.elements.count = 0;
  if (!(width == 3 ? take_triangles(m) : width == 2 ? take_lines(m) : take_points(m)))
    return dv_error(o, NULL, "out of memory for its elements");
  for (size_t i = 0; i < m->base.elements.count; i++)
    if (m->base.elements.data[i] < 0 || (size_t)m->base.elements.data[i] >= m->base.state->count) {
      int32_t bad = m->base.elements.data[i];
      m->base.elements.count = 0;
      return dv_error(o, "put a MechanicalObject with the points of the mesh into the node",
                      "element %zu names point %d, but the state %s has %zu points", i / (size_t)width, bad,
                      m->base.state->base.name, m->base.state->count);
    }
  return DV_OK;
}

// --- hooks ---------------------------------------------------------------------------------------

static dvStatus init(dvObject *o, int width)
{
  static const char *const names[] = {NULL, "points", "lines", "triangles"};
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
static dvStatus line_init(dvObject *o) { return init(o, 2); }
static dvStatus point_init(dvObject *o) { return init(o, 1); }

static void element_model_topology_changed(dvObject *o) { take_elements((ElementModel *)o); }

static void element_model_destroy(dvObject *o) { dv_ints_free(&((ElementModel *)o)->base.elements); }

#define ELEMENT_MODEL(variable, name_, help_, own_fields, init_)                     \
  const dvClass variable = {                                                         \
      .struct_size = sizeof(dvClass),                                                \
      .name = name_,                                                                 \
      .help = help_,                                                                 \
      .module = "Sofa.Component.Collision.Geometry",                                 \
      .dofs = DV_DOF_VEC3,                                                           \
      .roles = DV_PLAYS(DV_ROLE_COLLISION_MODEL),                                    \
      .size = sizeof(ElementModel),                                                  \
      .blocks = {&dv_object_block, &dv_collision_model_block, DV_BLOCK(own_fields)}, \
      .init = init_,                                                                 \
      .bwd_init = element_model_bwd_init,                                            \
      .topology_changed = element_model_topology_changed,                            \
      .destroy = element_model_destroy,                                              \
  };

ELEMENT_MODEL(dv_triangle_collision_model_class, "TriangleCollisionModel", "the triangles of a mesh, for collisions",
              triangle_fields, triangle_init)
ELEMENT_MODEL(dv_line_collision_model_class, "LineCollisionModel", "the edges of a mesh, for collisions", line_fields,
              line_init)
ELEMENT_MODEL(dv_point_collision_model_class, "PointCollisionModel", "the points of a state, for collisions",
              point_fields, point_init)

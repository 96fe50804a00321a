// See modifier.h.
#include "topology/change/modifier.h"

#define SELF dvModifier
static const dvFieldDesc modifier_fields[] = {DV_MODIFIER_FIELDS(DV_DESCRIBE)};
static const dvFieldDesc triangle_modifier_fields[] = {DV_MODIFIER_FIELDS(DV_DESCRIBE)
                                                           DV_MODIFIER_REMOVAL_FIELDS(DV_DESCRIBE)};
static const dvFieldDesc tetrahedron_modifier_fields[] = {
    DV_MODIFIER_FIELDS(DV_DESCRIBE) DV_MODIFIER_REMOVAL_FIELDS(DV_DESCRIBE) DV_MODIFIER_ISOLATED_FIELDS(DV_DESCRIBE)};
static const dvFieldDesc hexahedron_modifier_fields[] = {DV_MODIFIER_FIELDS(DV_DESCRIBE)
                                                             DV_MODIFIER_ISOLATED_FIELDS(DV_DESCRIBE)};
#undef SELF

typedef struct ModifierOps {
  dvElementKind kind;
} ModifierOps;

static const ModifierOps *ops_of(const dvObject *o) { return dv_ops(o, DV_ROLE_TOPOLOGY_TOOL); }

dvElementKind dv_modifier_kind(const dvModifier *m) { return ops_of(&m->base)->kind; }

dvModifier *dv_modifier_of(const dvTopology *t)
{
  const dvNode *node = t->base.node;
  while (node) {
    for (size_t i = 0; i < node->objects.count; i++)
      if (ops_of(node->objects.data[i])) return (dvModifier *)node->objects.data[i];
    node = node->parents.count ? node->parents.data[0] : NULL;
  }
  return NULL;
}

dvStatus dv_modifier_remove(dvTopology *t, const dvObject *o, dvElementKind kind, const int32_t *indices, size_t count)
{
  if (!dv_mesh_may_change(t, o)) return DV_ERROR_USAGE;
  const dvModifier *m = dv_modifier_of(t);
  bool points = !m || kind < DV_TETRAHEDRON || m->removeIsolated;
  return dv_mesh_remove(t, kind, indices, count, points ? DV_REMOVE_POINTS : DV_REMOVE_PARTS);
}

// the topology of the node or above; a failed one has been reported, so nothing more is said about it
static dvStatus modifier_init(dvObject *o)
{
  dvModifier *m = (dvModifier *)o;
  dvObject *found = dv_node_find_up(o->node, DV_ROLE_TOPOLOGY);
  m->container = found ? dv_topology(found) : NULL;
  bool failed = false;
  for (size_t i = 0; i < o->node->objects.count; i++)
    failed = failed || dv_plays(o->node->objects.data[i], DV_ROLE_TOPOLOGY);
  if (!found && !failed)
    dv_warning(o, "add a TopologyContainer to the node", "%s finds no topology that it could change", o->cls->name);
  return DV_OK;
}

static dvStatus modifier_reinit(dvObject *o)
{
  dvModifier *m = (dvModifier *)o;
  dvElementKind kind = dv_modifier_kind(m);
  if (!m->container || m->list_Out.count == 0 || !dv_mesh_may_change(m->container, o)) return DV_OK;
  DV_TRY(dv_topology_first_change(m->container));
  DV_ARRAY(int32_t) gone = {0};
  const dvInts *elements = dv_topology_elements(m->container, kind);
  size_t width = (size_t)dv_element_points(kind);
  for (size_t i = 0; i < dv_ints_size(elements); i++) {
    bool out = false;
    for (size_t k = 0; k < width; k++)
      for (size_t j = 0; j < m->list_Out.count; j++) out = out || elements->data[i * width + k] == m->list_Out.data[j];
    if (out) dv_push(&gone, (int32_t)i);
  }
  dvStatus status = dv_modifier_remove(m->container, o, kind, gone.data, gone.count);
  dv_array_free(&gone);
  dv_topology_end_changes(m->container);
  return status;
}

#define MODIFIER(variable, kind_, name_, aliases_, help_, fields) \
  static const ModifierOps variable##_ops = {kind_};              \
  const dvClass variable = {                                      \
      .struct_size = sizeof(dvClass),                             \
      .name = name_,                                              \
      .aliases = aliases_,                                        \
      .help = help_,                                              \
      .module = "Sofa.Component.Topology.Container.Dynamic",      \
      .ops = {[DV_ROLE_TOPOLOGY_TOOL] = &variable##_ops},         \
      .size = sizeof(dvModifier),                                 \
      .blocks = {&dv_object_block, DV_BLOCK(fields)},             \
      .init = modifier_init,                                      \
      .reinit = modifier_reinit,                                  \
  };

MODIFIER(dv_point_modifier_class, DV_POINT, "PointSetTopologyModifier", NULL,
         "through it the points of a topology are changed", modifier_fields)
MODIFIER(dv_edge_modifier_class, DV_EDGE, "EdgeSetTopologyModifier", "ManifoldEdgeSetTopologyModifier",
         "through it the edges of a topology are changed", modifier_fields)
MODIFIER(dv_triangle_modifier_class, DV_TRIANGLE, "TriangleSetTopologyModifier", "ManifoldTriangleSetTopologyModifier",
         "through it the triangles of a topology are changed", triangle_modifier_fields)
MODIFIER(dv_quad_modifier_class, DV_QUAD, "QuadSetTopologyModifier", NULL,
         "through it the quads of a topology are changed", modifier_fields)
MODIFIER(dv_tetrahedron_modifier_class, DV_TETRAHEDRON, "TetrahedronSetTopologyModifier",
         "ManifoldTetrahedronSetTopologyModifier", "through it the tetrahedra of a topology are changed",
         tetrahedron_modifier_fields)
MODIFIER(dv_hexahedron_modifier_class, DV_HEXAHEDRON, "HexahedronSetTopologyModifier", NULL,
         "through it the hexahedra of a topology are changed", hexahedron_modifier_fields)
MODIFIER(dv_sparse_modifier_class, DV_HEXAHEDRON, "DynamicSparseGridTopologyModifier", NULL,
         "through it the voxels of a topology are changed", hexahedron_modifier_fields)

// Points that a topological mapping of the node has made of the elements of a mesh follow the corners of those
// elements.
//
//   SimpleTesselatedTetraMechanicalMapping   points of SimpleTesselatedTetraTopologicalMapping: the mesh's own, and the
//   middles
//                                            of its edges
//   Mesh2PointMechanicalMapping              points of Mesh2PointTopologicalMapping: at given places in elements, or at
//   a
//                                            constant offset from points
#include "mapping/linear/linear.h"
#include "mapping/register.h"
#include "topology/mapping/mapping.h"

#define MESH_FIELDS(X)                                                                                    \
  X(link, topologicalMapping, "", "", "the mapping that made the points; the one of the node by default", \
    .role = DV_ROLE_TOPOLOGY_MAPPING)                                                                     \
  X(link, inputTopology, "", "", "accepted: the topological mapping names it", .role = DV_ROLE_TOPOLOGY)  \
  X(link, outputTopology, "", "", "accepted: the topological mapping names it", .role = DV_ROLE_TOPOLOGY)

typedef struct MadePoints {
  dvLinearMapping linear;
  MESH_FIELDS(DV_MEMBER)
  DV_ARRAY(double) offsets;
} MadePoints;

#define SELF MadePoints
static const dvFieldDesc mesh_fields[] = {MESH_FIELDS(DV_DESCRIBE)};
#undef SELF

static dvStatus find_maker(const MadePoints *m, const char *name, dvTopologyMapping **out)
{
  const dvObject *o = &m->linear.base.base;
  dvObject *maker = m->topologicalMapping.target;
  for (size_t i = 0; i < o->node->objects.count && !maker; i++)
    if (dv_same(o->node->objects.data[i]->cls->name, name)) maker = o->node->objects.data[i];
  if (!maker || !dv_same(maker->cls->name, name)) {
    char *advice = dv_format("add a %s to the node", name);
    dv_error(o, advice, "%s finds no %s that made the points of %s", o->cls->name, name, m->linear.base.out->base.name);
    dv_free(advice);
    return DV_ERROR_INPUT;
  }
  DV_TRY(dv_object_ensure(maker));
  *out = (dvTopologyMapping *)maker;
  return dv_topology_mapping_refresh(*out);
}

static const dvInts *made_list(const dvTopologyMapping *maker, const char *field)
{
  const dvField *f = dv_object_field(&maker->base, field);
  return f ? f->value : NULL;
}

static dvStatus check_input(const MadePoints *m, const dvTopologyMapping *maker)
{
  size_t points = dv_topology_point_count(maker->from);
  const dvState *in = m->linear.base.in;
  return points <= in->count
             ? DV_OK
             : dv_error(&m->linear.base.base, "map from the state of the topology that the points were made of",
                        "the topology %s has %zu points, but the state %s has %zu", maker->from->base.name, points,
                        in->base.name, in->count);
}

static dvStatus settle(dvObject *o)
{
  DV_TRY(dv_linear_settle(o));
  dv_mapping_first_apply(o, &dv_linear_ops);
  return DV_OK;
}

static dvStatus tesselated_init(dvObject *o)
{
  MadePoints *m = (MadePoints *)o;
  dvTopologyMapping *maker;
  DV_TRY(find_maker(m, "SimpleTesselatedTetraTopologicalMapping", &maker));
  DV_TRY(check_input(m, maker));
  const dvInts *source = made_list(maker, "pointSource"), *edges = dv_topology_elements(maker->from, DV_EDGE);
  dv_linear_clear(o);
  for (size_t i = 0; i < source->count; i++) {
    int32_t s = source->data[i];
    if (s > 0) dv_weights_add(&m->linear.weights, s - 1, 1);
    for (int32_t k = 0; s < 0 && k < 2; k++) dv_weights_add(&m->linear.weights, edges->data[2 * (-s - 1) + k], 0.5);
    dv_linear_end_row(o);
  }
  return settle(o);
}

static dvStatus mesh2point_init(dvObject *o)
{
  static const dvElementKind kinds[6] = {DV_POINT, DV_EDGE, DV_TRIANGLE, DV_QUAD, DV_TETRAHEDRON, DV_HEXAHEDRON};
  static const char *const places[6] = {"pointBaryCoords", "edgeBaryCoords",  "triangleBaryCoords",
                                        "quadBaryCoords",  "tetraBaryCoords", "hexaBaryCoords"};
  MadePoints *m = (MadePoints *)o;
  dvTopologyMapping *maker;
  DV_TRY(find_maker(m, "Mesh2PointTopologicalMapping", &maker));
  DV_TRY(check_input(m, maker));
  const dvInts *kind = made_list(maker, "sourceKinds");
  const dvInts *source = &maker->sources;
  bool shifted = false;
  dv_linear_clear(o);
  m->offsets.count = 0;
  dv_array_resize(&m->offsets, 3 * source->count + 1);
  for (size_t i = 0, nth = 0; i < source->count; i++) {
    int32_t which = kind->data[i];
    bool again = i > 0 && kind->data[i - 1] == which && source->data[i - 1] == source->data[i];
    nth = again ? nth + 1 : 0;
    const double *place = ((const dvReals *)dv_object_field(&maker->base, places[which])->value)->data + 3 * nth;
    const dvInts *elements = which ? dv_topology_elements(maker->from, kinds[which]) : NULL;
    const int32_t *corners = elements ? elements->data + source->data[i] * elements->width : &source->data[i];
    double share[8];
    dv_topology_shares(kinds[which], place, maker->base.as_sofa, share);
    for (int c = 0; c < dv_element_points(kinds[which]); c++) dv_weights_add(&m->linear.weights, corners[c], share[c]);
    dv_linear_end_row(o);
    for (size_t k = 0; k < 3; k++) {
      m->offsets.data[3 * i + k] = which ? 0 : place[k];
      shifted = shifted || m->offsets.data[3 * i + k] != 0;
    }
  }
  m->linear.offset = shifted ? m->offsets.data : NULL;
  return settle(o);
}

static void made_points_destroy(dvObject *o)
{
  dv_array_free(&((MadePoints *)o)->offsets);
  dv_linear_destroy(o);
}

static const dvDofPair pairs[] = {{DV_DOF_VEC3, 0, DV_DOF_VEC3}, {0}};

#define MADE_CLASS(symbol, name_, help_, init_, ...)                   \
  const dvClass symbol = {.struct_size = sizeof(dvClass),              \
                          .name = name_,                               \
                          .help = help_,                               \
                          .module = "Sofa.Component.Mapping.Linear",   \
                          .dofs = DV_DOF_VEC3,                         \
                          .dofs_out = DV_DOF_VEC3,                     \
                          .pairs = pairs,                              \
                          .size = sizeof(MadePoints),                  \
                          .ops = {[DV_ROLE_MAPPING] = &dv_linear_ops}, \
                          .link = dv_mapping_link,                     \
                          .init = init_,                               \
                          .destroy = made_points_destroy,              \
                          .topology_changed = dv_mapping_remake,       \
                          __VA_ARGS__}

MADE_CLASS(dv_tesselated_mapping_class, "SimpleTesselatedTetraMechanicalMapping",
           "moves the points of refined tetrahedra with the coarse ones", tesselated_init,
           .blocks = {&dv_object_block, &dv_mapping_block});
MADE_CLASS(dv_mesh2point_mapping_class, "Mesh2PointMechanicalMapping",
           "moves points made of the elements of a mesh with it", mesh2point_init,
           .blocks = {&dv_object_block, &dv_mapping_block, DV_BLOCK(mesh_fields)});

// Edge2QuadTopologicalMapping: a tube of quads around a line of frames.
//
// Around frame i with axes Y and Z stands a circle of N points t + r (Y cos a + Z sin a), a = 2 pi j / N; with
// radiusFocal an ellipse whose second half axis lies along focalAxis. Each edge becomes N quads between the circles of
// its ends.
#include "math/vec.h"
#include "topology/mapping/mapping.h"

#define TUBE_FIELDS(X)                                                                               \
  X(int, nbPointsOnEachCircle, "0", "", "points of the circle around each point of the input")       \
  X(real, radius, "1", "m", "radius of the circles, or half axis of the ellipses across focalAxis")  \
  X(real, radiusFocal, "0", "m", "half axis of the ellipses along focalAxis; 0 for circles")         \
  X(vec3, focalAxis, "0 0 1", "", "direction of radiusFocal, in the frame of each point")            \
  X(indices, edgeList, "", "", "edges to make quads of; all by default")                             \
  X(bool, flipNormals, "0", "", "turn the quads the other way round")                                \
  X(link, toQuadContainer, "", "", "container to fill, instead of output", .role = DV_ROLE_TOPOLOGY) \
  X(link, toQuadModifier, "", "", "modifier of the output", .role = DV_ROLE_TOPOLOGY_TOOL)

typedef struct Tube {
  dvTopologyMapping mapping;
  TUBE_FIELDS(DV_MEMBER)
} Tube;

#define SELF Tube
static const dvFieldDesc tube_fields[] = {TUBE_FIELDS(DV_DESCRIBE)};
#undef SELF

// where the frames are, 7 numbers each; NULL when the input's node has no state of frames
static const dvReals *frames_of(dvTopology *from)
{
  dvObject *state = dv_node_state(from->base.node);
  if (!state || !state->dof || state->dof->kind != DV_RIGID3) return NULL;
  dvField *f = dv_object_field(state, "position");
  return f && dv_field_pull(f) == DV_OK ? f->value : NULL;
}

static bool make_circles(Tube *t, dvTopology *from)
{
  dvTopologyMapping *m = &t->mapping;
  size_t n = dv_topology_point_count(from), each = (size_t)t->nbPointsOnEachCircle;
  const dvReals *frames = frames_of(from), *x = dv_topology_positions(from);
  if (!dv_reals_resize(&m->position, 3 * n * each)) return false;
  double *out = dv_reals_edit(&m->position), across = t->radius,
         along = t->radiusFocal > 0 ? t->radiusFocal : t->radius;
  dvVec3 z0 = t->radiusFocal > 0 ? dv_vec3_normalise(dv_vec3_load(t->focalAxis)) : dv_vec3(0, 0, 1);
  dvVec3 y0 = dv_vec3_cross(z0, dv_vec3(1, 0, 0));
  for (size_t i = 0; i < n; i++) {
    dvVec3 y = y0, z = z0, at = i < dv_reals_size(x) ? dv_vec3_load(x->data + 3 * i) : dv_vec3(0, 0, 0);
    if (frames && i < dv_reals_size(frames)) {
      const double *frame = frames->data + 7 * i;
      dvMat3 turn = dv_quat_to_matrix((dvQuat){frame[3], frame[4], frame[5], frame[6]});
      at = dv_vec3_load(frame);
      y = dv_mat3_mul_vec(turn, y0);
      z = dv_mat3_mul_vec(turn, z0);
    }
    for (size_t j = 0; j < each; j++) {
      double angle = 2.0 * (double)j * M_PI / (double)each;
      dvVec3 p =
          dv_vec3_add(at, dv_vec3_add(dv_vec3_scale(y, across * cos(angle)), dv_vec3_scale(z, along * sin(angle))));
      dv_vec3_store(out + 3 * (each * i + j), p);
    }
  }
  return true;
}

static void make_ring(const Tube *t, const int32_t *edge, int32_t *out)
{
  int32_t n = t->nbPointsOnEachCircle;
  for (int32_t j = 0; j < n; j++, out += 4) {
    int32_t next = (j + 1) % n, q[4] = {edge[0] * n + j, edge[1] * n + j, edge[1] * n + next, edge[0] * n + next};
    // SOFA begins a turned quad at another corner when the edges are listed
    static const int turned[2][4] = {{3, 2, 1, 0}, {0, 3, 2, 1}};
    for (int k = 0; k < 4; k++) out[k] = q[t->flipNormals ? turned[t->edgeList.count > 0][k] : k];
  }
}

static dvStatus check(Tube *t, size_t points, size_t edges)
{
  dvObject *o = &t->mapping.base;
  if (!dv_was_set(o, &t->radius) && !dv_was_set(o, &t->radiusFocal))
    return dv_error(o, "give radius=\"…\"", "Edge2QuadTopologicalMapping has no radius");
  if (!(t->radius > 0)) return dv_field_error(o, &t->radius, NULL, "the radius must be greater than 0");
  if (t->nbPointsOnEachCircle < 3)
    return dv_field_error(o, &t->nbPointsOnEachCircle, "give at least 3", "%d points make no circle",
                          t->nbPointsOnEachCircle);
  if (points && (size_t)t->nbPointsOnEachCircle > DV_POINT_LIMIT / points)
    return dv_field_error(o, &t->nbPointsOnEachCircle, "give a smaller number",
                          "%d points on each of %zu circles are too many", t->nbPointsOnEachCircle, points);
  for (size_t i = 0; i < t->edgeList.count; i++)
    if (t->edgeList.data[i] < 0 || (size_t)t->edgeList.data[i] >= edges)
      return dv_field_error(o, &t->edgeList, NULL, "edge %d does not exist: the input has %zu edges",
                            t->edgeList.data[i], edges);
  return DV_OK;
}

static dvStatus make_tube(dvTopologyMapping *m, dvTopology *from)
{
  Tube *t = (Tube *)m;
  DV_TRY(dv_object_pull(&m->base));
  const dvInts *edges = dv_topology_elements(from, DV_EDGE);
  size_t points = dv_topology_point_count(from), all = dv_ints_size(edges);
  DV_TRY(check(t, points, all));
  size_t each = (size_t)t->nbPointsOnEachCircle, n = t->edgeList.count ? t->edgeList.count : all;
  if (!make_circles(t, from) || !dv_ints_resize(&m->quads, 4 * n * each) || !dv_ints_resize(&m->sources, n * each))
    return dv_topology_mapping_memory(m);
  int32_t *out = dv_ints_edit(&m->quads), *source = dv_ints_edit(&m->sources);
  for (size_t i = 0; i < n; i++) {
    int32_t e = t->edgeList.count ? t->edgeList.data[i] : (int32_t)i;
    make_ring(t, edges->data + 2 * (size_t)e, out + 4 * i * each);
    for (size_t j = 0; j < each; j++) *source++ = e;
  }
  m->points = points * each;
  return DV_OK;
}

static dvStatus tube_link(dvObject *o)
{
  Tube *t = (Tube *)o;
  if (t->toQuadContainer.target) t->mapping.output.target = t->toQuadContainer.target;
  return dv_topology_mapping_link(o);
}

static const dvTopologyMappingOps tube_ops = {DV_EDGE, 1u << DV_QUAD, true, make_tube, NULL};

const dvClass dv_edge_to_quad_class = {
    .struct_size = sizeof(dvClass),
    .name = "Edge2QuadTopologicalMapping",
    .help = "a tube of quads around the edges of a line",
    .module = "Sofa.Component.Topology.Mapping",
    .size = sizeof(Tube),
    .ops = {[DV_ROLE_TOPOLOGY_MAPPING] = &tube_ops},
    .blocks = {&dv_object_block, &dv_topology_mapping_block, DV_BLOCK(tube_fields)},
    .link = tube_link,
    .init = dv_topology_mapping_init,
    .reinit = dv_topology_mapping_init,
    .fetch = dv_topology_mapping_fetch,
    .destroy = dv_topology_mapping_destroy,
};

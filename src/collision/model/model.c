// See model.h.
#include "collision/model.h"

#include "topology/topology.h"

#define SELF dvCollisionModel
static const dvFieldDesc collision_model_fields[] = {DV_COLLISION_MODEL_FIELDS(DV_DESCRIBE)};
#undef SELF
const dvFieldBlock dv_collision_model_block = {collision_model_fields, (int)DV_COUNT(collision_model_fields)};

dvStatus dv_collision_model_init(dvObject *o)
{
  dvCollisionModel *m = (dvCollisionModel *)o;
  dvObject *state = dv_node_state_up(o->node);
  if (!state)
    return dv_error(o, "add a MechanicalObject to the node", "%s needs a state and finds none in its node or above",
                    o->cls->name);
  if (!(o->cls->dofs & (1u << state->dof->kind)))
    return dv_error(o, "put it into a child node with a MechanicalObject and a mapping, such as RigidMapping",
                    "%s does not work on %s, the type of %s", o->cls->name, state->dof->name, state->name);
  DV_TRY(dv_object_ensure(state));
  m->state = dv_state(state);
  if (dv_collision_model_ops(m)) m->shape = dv_collision_model_ops(m)->shape;   // without a table it is only looked at
  return DV_OK;
}

void dv_collision_model_destroy(dvObject *o)
{
  dvCollisionModel *m = (dvCollisionModel *)o;
  dv_ints_free(&m->elements);
  dv_array_free(&m->flags);
  dv_array_free(&m->boxes);
  dv_array_free(&m->boxes_ahead);
  dv_array_free(&m->ahead);
  dv_cube_tree_fini(&m->tree);
}

// the order of elements in the tree comes from the positions where it was made
void dv_collision_model_remember(dvObject *o, dvMemoryStream *s)
{
  dvCollisionModel *m = (dvCollisionModel *)o;
  dv_cube_tree_settle(&m->tree, dv_collision_model_count(o));
  dv_remember_array(s, "tree", &m->tree.elements);
  dv_remember_numbers(s, "depth", &m->tree.depth, sizeof m->tree.depth);
  dv_remember_numbers(s, "size", &m->tree.size, sizeof m->tree.size);
}

size_t dv_collision_model_count(const dvObject *o)
{
  const dvCollisionModel *m = (const dvCollisionModel *)o;
  return m->elements.width ? dv_ints_size(&m->elements) : m->state ? m->state->count : 0;
}

static void bound(dvCollisionModel *m)
{
  dvBox all = m->boxes.data[0];
  for (size_t i = 1; i < m->boxes.count; i++)
    for (int k = 0; k < 3; k++) {
      all.low[k] = dv_min(all.low[k], m->boxes.data[i].low[k]);
      all.high[k] = dv_max(all.high[k], m->boxes.data[i].high[k]);
    }
  m->box = all;
}

// boxes also of one that does not move; the tree follows them when somebody is near
bool dv_collision_model_restored(dvObject *o)
{
  dvCollisionModel *m = (dvCollisionModel *)o;
  size_t count = dv_collision_model_count(o);
  if (!dv_cube_tree_regrow(&m->tree, count)) return false;
  m->boxes.count = 0;
  if (count == 0 || m->tree.elements.count != count) return true;
  m->x = dv_state_read(m->state, DV_X);
  m->stride = (size_t)m->state->base.dof->coord;
  m->depth = m->tree.depth;
  m->stale = true;
  dv_array_resize(&m->boxes, count);
  dv_collision_model_ops(m)->boxes(m, m->contactDistance, m->boxes.data);
  bound(m);
  return true;
}

// boxes around the whole way, of a model that moves on
static void sweep(dvCollisionModel *m)
{
  const double *x = m->x;
  if (!m->x_ahead) return;
  dv_array_resize(&m->boxes_ahead, m->boxes.count);
  m->x = m->x_ahead;
  dv_collision_model_ops(m)->boxes(m, m->contactDistance, m->boxes_ahead.data);
  m->x = x;
  for (size_t i = 0; i < m->boxes.count; i++)
    for (int k = 0; k < 3; k++) {
      m->boxes.data[i].low[k] = dv_min(m->boxes.data[i].low[k], m->boxes_ahead.data[i].low[k]);
      m->boxes.data[i].high[k] = dv_max(m->boxes.data[i].high[k], m->boxes_ahead.data[i].high[k]);
    }
}

void dv_collision_model_refit(dvCollisionModel *m, int depth)
{
  size_t count = dv_collision_model_count(&m->base);
  dv_cube_tree_settle(&m->tree, count);
  bool made = count && m->tree.elements.count == count && m->tree.depth == depth && m->boxes.count == count;
  m->x = dv_state_read(m->state, DV_X);
  m->stride = (size_t)m->state->base.dof->coord;
  m->depth = depth;
  if (!m->moving && made) return;
  dv_array_resize(&m->boxes, count);
  m->stale = true;
  if (count) {
    dv_collision_model_ops(m)->boxes(m, m->contactDistance, m->boxes.data);
    sweep(m);
    bound(m);
  }
  if (!made) dv_collision_model_grow(m);   // as things stand at first: the order of contacts comes from there
}

void dv_collision_model_grow(dvCollisionModel *m)
{
  if (m->stale) dv_cube_tree_update(&m->tree, m->boxes.data, m->boxes.count, m->depth);
  m->stale = false;
}

void dv_collision_model_look_around(dvCollisionModel *m)
{
  if (!m->mesh) return;
  m->mesh_edges = dv_topology_elements(m->mesh, DV_EDGE);
  m->mesh_triangles = dv_topology_elements(m->mesh, DV_TRIANGLE);
  m->edges_at_point = dv_topology_around_point(m->mesh, DV_EDGE);
  m->triangles_at_point = dv_topology_around_point(m->mesh, DV_TRIANGLE);
  m->triangles_at_edge = dv_topology_around(m->mesh, DV_EDGE, DV_TRIANGLE);
}

// RigidDistanceGridCollisionModel, FFDDistanceGridCollisionModel: a closed surface as a field of distances.
//
// On a frame the field moves with it; where the state has points instead, or where there is no state, it stands where
// its file has it. In a mesh of
// hexahedra each cell deforms it: a place p = sum of w_i x_i in a cell was at X = sum of w_i X_i, where the field says
// d(X); with F = dx/dX
//
//   n = F^-T grad d / |F^-T grad d|,   distance = d / |F^-T grad d|
//
// to first order.
#include "collision/model/distance_model.h"

#include "base/file.h"
#include "collision/register.h"
#include "topology/geometry.h"
#include "topology/search/surface.h"
#include "topology/topology.h"

#include <math.h>
#include <stdio.h>

enum { CORNERS = 8 };

#define SELF dvDistanceModel
static const dvFieldDesc rigid_fields[] = {DV_DISTANCE_FIELDS(DV_DESCRIBE) DV_DISTANCE_MODEL_FIELDS(DV_DESCRIBE)};
static const dvFieldDesc cell_fields[] = {DV_DISTANCE_FIELDS(DV_DESCRIBE) DV_DISTANCE_MODEL_FIELDS(DV_DESCRIBE)
                                              DV_CELL_FIELDS(DV_DESCRIBE)};
#undef SELF

static const dvDistanceModel *model_of(const dvCollisionModel *m) { return (const dvDistanceModel *)m; }
static bool in_cells(const dvCollisionModel *m) { return m->elements.width == CORNERS; }

// on points, or on nothing, instead of a frame
static bool stands(const dvDistanceModel *m)
{
  return m->base.elements.width < CORNERS && m->base.state->base.dof->kind == DV_VEC3;
}

static const double no_frame[7] = {[6] = 1};
static const double *frame_of(const dvDistanceModel *m, int32_t element)
{
  return stands(m) ? no_frame : dv_element_point(&m->base, element, 0);
}

// --- on a frame ----------------------------------------------------------------------------------

static dvVec3 to_world(const dvDistanceModel *m, int32_t element, dvVec3 p)
{
  const double *x = frame_of(m, element);
  dvVec3 in_frame = dv_vec3_add(dv_vec3_load(m->translation), dv_quat_rotate(m->turn, p));
  return dv_vec3_add(dv_vec3_load(x), dv_quat_rotate(dv_quat_load(x + 3), in_frame));
}

static dvVec3 to_grid(const dvDistanceModel *m, int32_t element, dvVec3 p)
{
  const double *x = frame_of(m, element);
  dvVec3 in_frame = dv_quat_inverse_rotate(dv_quat_load(x + 3), dv_vec3_sub(p, dv_vec3_load(x)));
  return dv_quat_inverse_rotate(m->turn, dv_vec3_sub(in_frame, dv_vec3_load(m->translation)));
}

static dvVec3 turn_out(const dvDistanceModel *m, int32_t element, dvVec3 v)
{
  return dv_quat_rotate(dv_quat_load(frame_of(m, element) + 3), dv_quat_rotate(m->turn, v));
}

// the distance and its slope at a place of the grid; false when it is beyond the reach
static bool read_grid(const dvDistanceModel *m, dvVec3 p, double reach, double *d, dvVec3 *slope)
{
  bool inside_out = m->flipNormals;
  if (!(inside_out || dv_distance_grid_near(&m->grid, p, reach))) return false;
  if ((inside_out || m->grid.per_cell) && !dv_distance_grid_holds(&m->grid, p))
    return false;   // nothing is known there
  *d = dv_distance_at(&m->grid, p) * (inside_out ? -1 : 1);
  if (!(*d < reach)) return false;
  *slope = dv_vec3_scale(dv_distance_slope(&m->grid, p), inside_out ? -1 : 1);
  return dv_vec3_norm2(*slope) > 0;
}

static bool probe_frame(const dvDistanceModel *m, int32_t element, dvVec3 p, double reach, dvProbe *out)
{
  dvVec3 slope;
  if (!read_grid(m, to_grid(m, element, p), reach, &out->distance, &slope)) return false;
  out->normal = dv_vec3_normalise(turn_out(m, element, slope));
  out->on = dv_vec3_add_scaled(p, out->normal, -out->distance);
  return true;
}

// --- in a cell -----------------------------------------------------------------------------------

static dvVec3 weighted(const double *x, const int32_t *e, const double *w)
{
  dvVec3 sum = dv_vec3(0, 0, 0);
  for (int k = 0; k < CORNERS; k++) sum = dv_vec3_add_scaled(sum, dv_vec3_load(x + 3 * e[k]), w[k]);
  return sum;
}

// columns: how the place moves with each coordinate of the cell
static dvMat3 edges_at(const double *x, const int32_t *e, const double at[3])
{
  static const double side[CORNERS][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                          {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
  dvVec3 column[3] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
  for (int k = 0; k < CORNERS; k++)
    for (int c = 0; c < 3; c++) {
      double w = side[k][c] ? 1 : -1;
      for (int o = 0; o < 3; o++)
        if (o != c) w *= side[k][o] ? at[o] : 1 - at[o];
      column[c] = dv_vec3_add_scaled(column[c], dv_vec3_load(x + 3 * e[k]), w);
    }
  return dv_mat3_from_columns(column[0], column[1], column[2]);
}

static bool in_cell(const double *w)
{
  for (int k = 0; k < CORNERS; k++)
    if (!(w[k] >= -1e-9)) return false;
  return true;
}

static bool probe_cell(const dvDistanceModel *m, int32_t element, dvVec3 p, double reach, dvProbe *out)
{
  const int32_t *e = m->base.elements.data + CORNERS * element;
  const double *rest = dv_state_read(m->base.state, DV_X_REST);
  double w[CORNERS];
  dvVec3 slope;
  if (!dv_element_coordinates(DV_HEXAHEDRON, m->base.x, e, p, w) || !in_cell(w)) return false;
  double d, at[3] = {w[1] + w[2] + w[5] + w[6], w[2] + w[3] + w[6] + w[7], w[4] + w[5] + w[6] + w[7]};
  if (!read_grid(m, weighted(rest, e, w), INFINITY, &d, &slope)) return false;
  dvMat3 now = edges_at(m->base.x, e, at), back;   // F^-T = (X' x'^-1)^T
  if (!dv_mat3_inverse(now, &back)) return false;
  dvVec3 n = dv_mat3_t_mul_vec(back, dv_mat3_t_mul_vec(edges_at(rest, e, at), slope));
  double length = dv_vec3_norm(n);
  if (!(length > 0)) return false;
  out->distance = d / length;
  out->normal = dv_vec3_scale(n, 1 / length);
  out->on = dv_vec3_add_scaled(p, out->normal, -out->distance);
  return out->distance < reach;
}

bool dv_distance_probe(const dvCollisionModel *m, int32_t element, dvVec3 p, double reach, dvProbe *out)
{
  return in_cells(m) ? probe_cell(model_of(m), element, p, reach, out)
                     : probe_frame(model_of(m), element, p, reach, out);
}

bool dv_distance_surface_point(const dvCollisionModel *base, int32_t element, size_t k, dvVec3 *out)
{
  const dvDistanceModel *m = model_of(base);
  size_t at = (size_t)m->first.data[element] + k;
  if (at >= (size_t)m->first.data[element + 1]) return false;
  int32_t point = m->points.data[at];
  *out = in_cells(base) ? weighted(base->x, base->elements.data + CORNERS * element, m->weights.data + CORNERS * at)
                        : to_world(m, element, dv_vec3_load(m->grid.points.data + 3 * point));
  return true;
}

// --- boxes ---------------------------------------------------------------------------------------

static void include(dvBox *b, dvVec3 p, bool first)
{
  const double v[3] = {p.x, p.y, p.z};
  for (int k = 0; k < 3; k++) {
    b->low[k] = first ? v[k] : dv_min(b->low[k], v[k]);
    b->high[k] = first ? v[k] : dv_max(b->high[k], v[k]);
  }
}

static void distance_boxes(const dvCollisionModel *base, double margin, dvBox *out)
{
  const dvDistanceModel *m = model_of(base);
  dvVec3 low = m->flipNormals ? m->grid.low : m->grid.inner_low,
         high = m->flipNormals ? m->grid.high : m->grid.inner_high;
  size_t count = dv_ints_size(&base->elements);
  for (size_t i = 0; i < count; i++) {
    for (int k = 0; k < CORNERS; k++) {
      dvVec3 corner = {k & 1 ? high.x : low.x, k & 2 ? high.y : low.y, k & 4 ? high.z : low.z};
      include(&out[i],
              in_cells(base) ? dv_vec3_load(dv_element_point(base, (int32_t)i, k)) : to_world(m, (int32_t)i, corner),
              k == 0);
    }
    for (int k = 0; k < 3; k++) out[i].low[k] -= margin, out[i].high[k] += margin;
  }
}

// parts of one body do not touch
static bool distance_may_touch(const dvCollisionModel *m, int32_t i, const dvCollisionModel *other, int32_t j)
{
  DV_UNUSED(i), DV_UNUSED(j);
  return m != other;
}

static const dvCollisionModelOps distance_ops = {DV_SHAPE_DISTANCE, distance_boxes, distance_may_touch};

// --- set-up --------------------------------------------------------------------------------------

static dvStatus dump(dvDistanceModel *m)
{
  if (!*m->dumpfilename) return DV_OK;
  FILE *file = dv_file_write(m->dumpfilename, "wb");
  bool good = file && fwrite(m->grid.values.data, sizeof(double), m->grid.values.count, file) == m->grid.values.count;
  good = file && fclose(file) == 0 && good;
  return good ? DV_OK : dv_field_error(&m->base.base, &m->dumpfilename, NULL, "%s cannot be written", m->dumpfilename);
}

// What stands without a state has one of its own, a point that nothing moves: contacts are between states.
static const dvClass standing_class = {
    .struct_size = sizeof(dvClass),
    .name = "Standing",
    .help = "what an obstacle without a state stands on",
    .dofs = DV_DOF_VEC3,
    .roles = DV_PLAYS(DV_ROLE_STATE),
    .size = sizeof(dvState),
    .blocks = {&dv_object_block},
    .destroy = (void (*)(dvObject *))dv_state_free,
};

static dvStatus stand(dvDistanceModel *m)
{
  dvObject *o = &m->base.base;
  if (!m->own.scene) {
    dv_live_enter(&m->own, o->node->scene);
    m->base.state = dv_state(dv_live_take(&m->own, &standing_class, dv_dof(DV_VEC3), o->node));
    dv_live_add(&m->own, &m->base.state->base);
  }
  m->base.shape = DV_SHAPE_DISTANCE;
  return dv_state_resize(m->base.state, 1) ? DV_OK : dv_error(o, NULL, "out of memory");
}

static dvStatus load(dvObject *o, bool may_stand)
{
  dvDistanceModel *m = (dvDistanceModel *)o;
  if (may_stand && !dv_node_state_up(o->node)) DV_TRY(stand(m));
  else DV_TRY(dv_collision_model_init(o));
  DV_TRY(dv_distances_load(o, DV_DISTANCE_SOURCE(m), &m->grid));
  m->turn = dv_quat_from_euler(dv_vec3_scale(dv_vec3_load(m->rotation), M_PI / 180));
  m->base.primitives = "distances";
  return dump(m);
}

static dvStatus rigid_distance_init(dvObject *o)
{
  dvDistanceModel *m = (dvDistanceModel *)o;
  DV_TRY(load(o, true));
  if (stands(m)) {
    if (!m->own.scene)
      dv_note(o, "the surface stands still: %s has points, and only a frame (Rigid3) moves it",
              m->base.state->base.name);
    m->base.simulated = m->base.moving = false;
  }
  int32_t count = (int32_t)(m->grid.points.count / 3);
  m->base.elements.width = 1;
  if (!dv_ints_resize(&m->base.elements, 1)) return dv_error(o, NULL, "out of memory for its elements");
  m->base.elements.data[0] = 0;
  dv_push(&m->first, 0);
  dv_push(&m->first, count);
  for (int32_t i = 0; i < count; i++) dv_push(&m->points, i);
  return DV_OK;
}

static dvStatus rigid_distance_bwd_init(dvObject *o)
{
  const dvDistanceModel *m = (const dvDistanceModel *)o;
  if (m->base.state->count) return DV_OK;
  return dv_error(o, "give the MechanicalObject a position", "the state %s has no %s for the surface",
                  m->base.state->base.name, stands(m) ? "point" : "frame");
}

static dvStatus cell_distance_init(dvObject *o)
{
  dvDistanceModel *m = (dvDistanceModel *)o;
  DV_TRY(load(o, false));
  if (!m->topology.target) m->topology.target = dv_node_find_up(o->node, DV_ROLE_TOPOLOGY);
  if (!m->topology.target)
    return dv_error(o, "add a SparseGridTopology to the node",
                    "it finds no mesh of hexahedra that carries the surface");
  DV_TRY(dv_object_ensure(m->topology.target));
  dv_follow(o, dv_topology(m->topology.target));
  m->base.elements.width = CORNERS;
  return DV_OK;
}

// the first cell that holds each point of the surface, at rest
static void share_points(dvDistanceModel *m)
{
  const double *rest = dv_state_read(m->base.state, DV_X_REST);
  size_t cells = dv_ints_size(&m->base.elements), count = m->grid.points.count / 3;
  bool *taken = dv_alloc((count + 1) * sizeof *taken);
  m->first.count = m->points.count = m->weights.count = 0;
  for (size_t c = 0; c < cells; c++) {
    const int32_t *e = m->base.elements.data + CORNERS * c;
    dvBox box;
    dv_push(&m->first, (int32_t)m->points.count);
    for (int k = 0; k < CORNERS; k++) include(&box, dv_vec3_load(rest + 3 * e[k]), k == 0);
    for (size_t i = 0; i < count; i++) {
      const double *p = m->grid.points.data + 3 * i;
      bool outside = taken[i];
      for (int k = 0; k < 3; k++) outside = outside || p[k] < box.low[k] || p[k] > box.high[k];
      double w[CORNERS];
      if (outside || !dv_element_coordinates(DV_HEXAHEDRON, rest, e, dv_vec3_load(p), w) || !in_cell(w)) continue;
      taken[i] = true;
      dv_push(&m->points, (int32_t)i);
      for (int k = 0; k < CORNERS; k++) dv_push(&m->weights, w[k]);
    }
  }
  dv_push(&m->first, (int32_t)m->points.count);
  dv_free(taken);
}

static dvStatus take_cells(dvDistanceModel *m)
{
  dvObject *o = &m->base.base;
  const dvInts *cells = dv_topology_elements(dv_topology(m->topology.target), DV_HEXAHEDRON);
  if (!cells || !dv_ints_assign(&m->base.elements, cells->data, cells->count))
    return dv_error(o, NULL, "out of memory for its cells");
  for (size_t i = 0; i < cells->count; i++)
    if (cells->data[i] < 0 || (size_t)cells->data[i] >= m->base.state->count) {
      m->base.elements.count = 0;
      return dv_error(o, "put a MechanicalObject with the points of the mesh into the node",
                      "a cell names point %d, but the state %s has %zu points", cells->data[i],
                      m->base.state->base.name, m->base.state->count);
    }
  dv_cube_tree_clear(&m->base.tree);
  m->base.boxes.count = 0;
  share_points(m);
  return DV_OK;
}

static dvStatus cell_distance_bwd_init(dvObject *o)
{
  dvDistanceModel *m = (dvDistanceModel *)o;
  DV_TRY(take_cells(m));
  if (m->base.elements.count == 0)
    return dv_error(o, "take a SparseGridTopology or RegularGridTopology", "the mesh %s has no hexahedra",
                    m->topology.target->name);
  return DV_OK;
}

static void cell_distance_topology_changed(dvObject *o) { take_cells((dvDistanceModel *)o); }

static void distance_destroy(dvObject *o)
{
  dvDistanceModel *m = (dvDistanceModel *)o;
  dv_distance_grid_free(&m->grid);
  dv_array_free(&m->first);
  dv_array_free(&m->points);
  dv_array_free(&m->weights);
  if (m->own.scene) dv_live_leave(&m->own);
  dv_collision_model_destroy(o);
}

#define DISTANCE_MODEL                                                                           \
  .struct_size = sizeof(dvClass), .module = "SofaDistanceGrid", .size = sizeof(dvDistanceModel), \
  .ops = {[DV_ROLE_COLLISION_MODEL] = &distance_ops}, .destroy = distance_destroy,               \
  .remember = dv_collision_model_remember, .restored = dv_collision_model_restored

const dvClass dv_rigid_distance_model_class = {
    DISTANCE_MODEL,
    .name = "RigidDistanceGridCollisionModel",
    .aliases = "DistanceGridCollisionModel RigidDistanceGrid DistanceGrid",
    .help = "a closed surface on a frame, or one that stands still, as a field of distances, for collisions",
    .dofs = DV_DOF_RIGID3 | DV_DOF_VEC3,
    .blocks = {&dv_object_block, &dv_collision_model_block, DV_BLOCK(rigid_fields)},
    .init = rigid_distance_init,
    .bwd_init = rigid_distance_bwd_init,
};

const dvClass dv_cell_distance_model_class = {
    DISTANCE_MODEL,
    .name = "FFDDistanceGridCollisionModel",
    .aliases = "FFDDistanceGrid",
    .help = "a closed surface that hexahedra deform, as a field of distances, for collisions",
    .dofs = DV_DOF_VEC3,
    .blocks = {&dv_object_block, &dv_collision_model_block, DV_BLOCK(cell_fields)},
    .init = cell_distance_init,
    .bwd_init = cell_distance_bwd_init,
    .topology_changed = cell_distance_topology_changed,
};

// HexahedronCompositeFEMMapping: points that follow the finest level of a sparse grid whose cells are composite
// (HexahedronCompositeFEMForceFieldAndMass).
//
//   q   = mean over the cells e of a fine point of R_e (q0 + W_e u_e),  u_e = R_e^T x - x0 of the corners of e
//   out = sum of the trilinear weights of a fine cell x q of its corners
//
// R_e is the rotation of the coarse cell as of the last evaluation of its force, W_e (3 x 24) tells how the fine point
// follows the corners (force/fem/hexa/condense.h). The derivative takes the rotations as fixed, as SOFA does. Points
// are found in the grid where it was made, so that a state that was moved takes its points along.
#include "base/text.h"
#include "force/fem/hexa/hexa_force.h"
#include "mapping/linear/linear.h"
#include "mapping/register.h"
#include "math/vec.h"

#include <string.h>

typedef struct Composite {
  dvMapping base;
  dvHexaForce *force;
  const dvComposite *cells;   // the force's: only after sizes_hold
  unsigned condensations;     // of the force when they were taken
  size_t elements;            // of them
  uint64_t layout;            // a hash of the points that they have
  size_t count;               // mapped points
  int32_t *corner;            // [count][8] fine points of each
  double *weight;             // [count][8]
  // fine points that are used: entries of the cells they belong to
  size_t fine;
  int32_t *used;                    // [fine]
  uint32_t *start, *entry, *cell;   // [fine + 1], entries of `cells` and the cells they are of
  double *first, *fine_first;       // positions at the start of the corners and of the fine points
  double *turn, *moved, *q;         // [cells][9] rotations at the last apply, [cells][24] and [fine][3]: scratch
  bool resumed;                     // the rotations were put back: the next apply takes them as they are
} Composite;

// --- set-up ---

// which points the cells have: the same as long as only their weights differ
static uint64_t layout_of(const dvComposite *c)
{
  uint64_t hash = dv_hash_bytes(c->start, (c->elements + 1) * sizeof *c->start, 0);
  return dv_hash_bytes(c->point, c->start[c->elements] * sizeof *c->point, hash);
}

static dvStatus find_force(Composite *m)
{
  dvObject *o = &m->base.base;
  dvNode *node = m->base.in->base.node;
  for (size_t i = 0; i < node->objects.count && !m->force; i++)
    if (node->objects.data[i]->cls == &dv_composite_hexa_class) m->force = (dvHexaForce *)node->objects.data[i];
  if (!m->force)
    return dv_error(o, "put it beside the input, or use a BarycentricMapping",
                    "the node %s has no HexahedronCompositeFEMForceFieldAndMass", node->base.name);
  DV_TRY(dv_object_ensure(&m->force->elastic.force.base));
  m->cells = m->force->composite;
  m->condensations = m->force->condensations;
  if (!m->cells) return dv_error(o, NULL, "%s has no condensed cells to map from", m->force->elastic.force.base.name);
  m->elements = m->cells->elements;
  m->layout = layout_of(m->cells);
  return DV_OK;
}

static dvStatus place_points(Composite *m, const dvSparseLevel *l)
{
  const double *x = dv_state_read(m->base.out, DV_X);
  m->corner = dv_alloc((8 * m->count + 1) * sizeof *m->corner);
  m->weight = dv_alloc((8 * m->count + 1) * sizeof *m->weight);
  for (size_t i = 0; i < m->count; i++) {
    double at[3];
    int32_t cell = dv_sparse_level_find(l, x + 3 * i, at);
    if (cell < 0) return dv_error(&m->base.base, NULL, "the grid has no cells to map from");
    dv_corner_weights(at, m->weight + 8 * i);
    memcpy(m->corner + 8 * i, l->hexahedra.data + 8 * cell, 8 * sizeof *m->corner);
  }
  return DV_OK;
}

// fine points in use get numbers, and the entries of the cells they belong to, in the order of the cells
static void list_fine_points(Composite *m)
{
  int32_t *number = dv_alloc((m->cells->points + 1) * sizeof *number);
  for (size_t i = 0; i < 8 * m->count; i++) number[m->corner[i]] = 1;
  for (size_t i = 0; i < m->cells->points; i++) number[i] = number[i] ? (int32_t)m->fine++ : -1;
  m->used = dv_alloc((m->fine + 1) * sizeof *m->used);
  m->start = dv_alloc((m->fine + 2) * sizeof *m->start);
  for (size_t i = 0; i < m->cells->points; i++)
    if (number[i] >= 0) m->used[number[i]] = (int32_t)i;
  for (size_t i = 0; i < 8 * m->count; i++) m->corner[i] = number[m->corner[i]];
  uint32_t total = m->cells->start[m->cells->elements];
  for (uint32_t i = 0; i < total; i++)
    if (number[m->cells->point[i]] >= 0) m->start[number[m->cells->point[i]] + 2]++;
  for (size_t i = 2; i < m->fine + 2; i++) m->start[i] += m->start[i - 1];
  m->entry = dv_alloc((m->start[m->fine + 1] + 1) * sizeof *m->entry);
  m->cell = dv_alloc((m->start[m->fine + 1] + 1) * sizeof *m->cell);
  for (size_t e = 0; e < m->cells->elements; e++)
    for (uint32_t i = m->cells->start[e]; i < m->cells->start[e + 1]; i++) {
      int32_t n = number[m->cells->point[i]];
      if (n < 0) continue;
      uint32_t at = m->start[n + 1]++;
      m->entry[at] = i;
      m->cell[at] = (uint32_t)e;
    }
  dv_free(number);
}

static void take_first_positions(Composite *m, const dvSparseLevel *fine, const dvSparseLevel *coarse)
{
  dvState *in = m->base.in;
  const double *x = dv_state_read(in, DV_X);
  m->first = dv_alloc((3 * in->count + 1) * sizeof *m->first);
  m->fine_first = dv_alloc((3 * m->fine + 1) * sizeof *m->fine_first);
  memcpy(m->first, x, 3 * in->count * sizeof *x);
  for (size_t i = 0; i < 3 * m->fine; i++)
    m->fine_first[i] = fine->points.data[3 * (size_t)m->used[i / 3] + i % 3] + x[i % 3] - coarse->points.data[i % 3];
  m->turn = dv_alloc((9 * m->cells->elements + 1) * sizeof *m->turn);
  m->moved = dv_alloc((24 * m->cells->elements + 1) * sizeof *m->moved);
  m->q = dv_alloc((3 * m->fine + 1) * sizeof *m->q);
  for (size_t e = 0; e < m->cells->elements; e++)
    for (size_t k = 0; k < 9; k += 4) m->turn[9 * e + k] = 1;
}

static const dvMappingOps composite_ops;

static dvStatus composite_init(dvObject *o)
{
  Composite *m = (Composite *)o;
  DV_TRY(find_force(m));
  dvObject *grid = m->force->elastic.topology.target;
  const dvSparseLevel *fine = dv_sparse_grid_level(grid, m->cells->level), *coarse = dv_sparse_grid_level(grid, 0);
  if (!fine || !coarse || m->base.in->count != dv_reals_size(&coarse->points))
    return dv_error(o, NULL, "the input has not the points of the grid");
  m->count = m->base.out->count;
  DV_TRY(place_points(m, fine));
  list_fine_points(m);
  take_first_positions(m, fine, coarse);
  dv_mapping_first_apply(o, &composite_ops);
  return DV_OK;
}

static void composite_destroy(dvObject *o)
{
  Composite *m = (Composite *)o;
  void *all[] = {m->corner, m->weight,     m->used, m->start, m->entry, m->cell,
                 m->first,  m->fine_first, m->turn, m->moved, m->q};
  for (size_t i = 0; i < DV_COUNT(all); i++) dv_free(all[i]);
}

// the rotations are those of the last evaluation of the force, which is not made again
static void composite_remember(dvObject *o, dvMemoryStream *s)
{
  Composite *m = (Composite *)o;
  dv_remember_numbers(s, "rotations", m->turn, 9 * m->elements * sizeof *m->turn);
  if (dv_memory_restores(s)) m->resumed = true;
}

// --- operations ---

// By the version: another set of cells may stand at the same address. Cells that were condensed again, with another
// stiffness say, are taken as long as they have the same points.
static bool sizes_hold(Composite *m)
{
  const dvComposite *now = m->force->composite;
  if (m->base.out->count != m->count || m->force->stale || !now) return false;
  if (m->force->condensations == m->condensations) return true;
  if (now->elements != m->elements || layout_of(now) != m->layout) return false;
  m->cells = now;
  m->condensations = m->force->condensations;
  return true;
}

static const int32_t *corners_of(const Composite *m, size_t cell) { return m->force->hexa + 8 * cell; }

// displacements (with `first`) or velocities of the corners in the frame at rest
static void turn_back(Composite *m, const double *x, const double *first)
{
  for (size_t e = 0; e < m->cells->elements; e++) {
    dvMat3 r = dv_mat3_load(m->turn + 9 * e);
    for (size_t w = 0; w < 8; w++) {
      size_t p = (size_t)corners_of(m, e)[w];
      dvVec3 u = dv_mat3_t_mul_vec(r, dv_vec3_load(x + 3 * p));
      if (first) u = dv_vec3_sub(u, dv_vec3_load(first + 3 * p));
      dv_vec3_store(m->moved + 24 * e + 3 * w, u);
    }
  }
}

// fine points from `moved`, and from them the mapped points
static void spread(Composite *m, bool positions, double *out)
{
  for (size_t n = 0; n < m->fine; n++) {
    dvVec3 sum = {0, 0, 0};
    for (uint32_t i = m->start[n]; i < m->start[n + 1]; i++) {
      const double *w = m->cells->weight + 72 * (size_t)m->entry[i], *u = m->moved + 24 * (size_t)m->cell[i];
      double d[3] = {0, 0, 0};
      for (int r = 0; r < 3; r++)
        for (int c = 0; c < 24; c++) d[r] += w[24 * r + c] * u[c];
      dvVec3 v = dv_vec3_load(d);
      if (positions) v = dv_vec3_add(v, dv_vec3_load(m->fine_first + 3 * n));
      sum = dv_vec3_add(sum, dv_mat3_mul_vec(dv_mat3_load(m->turn + 9 * (size_t)m->cell[i]), v));
    }
    uint32_t cells = m->start[n + 1] - m->start[n];
    dv_vec3_store(m->q + 3 * n, dv_vec3_scale(sum, cells ? 1.0 / cells : 0));
  }
  for (size_t i = 0; i < m->count; i++) {
    dvVec3 sum = {0, 0, 0};
    for (size_t w = 0; w < 8; w++)
      sum = dv_vec3_add_scaled(sum, dv_vec3_load(m->q + 3 * (size_t)m->corner[8 * i + w]), m->weight[8 * i + w]);
    dv_vec3_store(out + 3 * i, sum);
  }
}

static void composite_apply(dvObject *o, int out_x, int in_x)
{
  Composite *m = (Composite *)o;
  if (!sizes_hold(m)) return;
  for (size_t e = 0; e < m->cells->elements && !m->resumed; e++)
    dv_corot_rotation(m->force->elements, e, m->turn + 9 * e);
  m->resumed = false;
  turn_back(m, dv_state_read(m->base.in, in_x), m->first);
  spread(m, true, dv_state_write(m->base.out, out_x));
  dv_mapping_touch(&m->base, out_x);
}

static void composite_apply_j(dvObject *o, int out_v, int in_v)
{
  Composite *m = (Composite *)o;
  if (!sizes_hold(m)) return;
  turn_back(m, dv_state_read(m->base.in, in_v), NULL);
  spread(m, false, dv_state_write(m->base.out, out_v));
}

static void composite_apply_jt(dvObject *o, int in_f, int out_f)
{
  Composite *m = (Composite *)o;
  if (!m->base.mapForces || !sizes_hold(m)) return;
  const double *f = dv_state_read(m->base.out, out_f);
  double *in = dv_state_write(m->base.in, in_f);
  memset(m->q, 0, 3 * m->fine * sizeof *m->q);
  for (size_t i = 0; i < 8 * m->count; i++)
    dv_vec3_accumulate(m->q + 3 * (size_t)m->corner[i], dv_vec3_scale(dv_vec3_load(f + 3 * (i / 8)), m->weight[i]));
  for (size_t n = 0; n < m->fine; n++) {
    double share = 1.0 / dv_max(1, m->start[n + 1] - m->start[n]);
    for (uint32_t i = m->start[n]; i < m->start[n + 1]; i++) {
      dvMat3 r = dv_mat3_load(m->turn + 9 * (size_t)m->cell[i]);
      const double *w = m->cells->weight + 72 * (size_t)m->entry[i];
      double d[3], g[24];
      dv_vec3_store(d, dv_vec3_scale(dv_mat3_t_mul_vec(r, dv_vec3_load(m->q + 3 * n)), share));
      for (int c = 0; c < 24; c++) g[c] = w[c] * d[0] + w[24 + c] * d[1] + w[48 + c] * d[2];
      for (int c = 0; c < 8; c++)
        dv_vec3_accumulate(in + 3 * (size_t)corners_of(m, m->cell[i])[c], dv_mat3_mul_vec(r, dv_vec3_load(g + 3 * c)));
    }
  }
}

static void composite_build_j(dvObject *o, dvMatrixSink *sink)
{
  Composite *m = (Composite *)o;
  if (!sizes_hold(m)) return;
  for (size_t i = 0; i < 8 * m->count; i++) {
    size_t n = (size_t)m->corner[i];
    double share = m->weight[i] / dv_max(1, m->start[n + 1] - m->start[n]);
    for (uint32_t k = m->start[n]; k < m->start[n + 1]; k++) {
      dvMat3 r = dv_mat3_load(m->turn + 9 * (size_t)m->cell[k]);
      const double *w = m->cells->weight + 72 * (size_t)m->entry[k];
      for (int c = 0; c < 8; c++) {
        dvMat3 block;
        double numbers[9];
        for (int a = 0; a < 9; a++) block.m[a / 3][a % 3] = share * w[24 * (a / 3) + 3 * c + a % 3];
        dv_mat3_store(numbers, dv_mat3_mul_t(dv_mat3_mul(r, block), r));
        sink->add(sink, m->base.out, i / 8, m->base.in, (size_t)corners_of(m, m->cell[k])[c], 3, 3, numbers);
      }
    }
  }
}

static const dvMappingOps composite_ops = {
    .apply = composite_apply,
    .apply_j = composite_apply_j,
    .apply_jt = composite_apply_jt,
    .build_j = composite_build_j,
    DV_MAPPING_SLOTS,
};

static const dvDofPair pairs[] = {{DV_DOF_VEC3, 0, DV_DOF_VEC3}, {0}};

const dvClass dv_composite_mapping_class = {
    .struct_size = sizeof(dvClass),
    .name = "HexahedronCompositeFEMMapping",
    .help = "moves points with the finest level of composite hexahedra",
    .module = "Sofa.Component.SolidMechanics.FEM.NonUniform",
    .dofs = DV_DOF_VEC3,
    .dofs_out = DV_DOF_VEC3,
    .pairs = pairs,
    .size = sizeof(Composite),
    .blocks = {&dv_object_block, &dv_mapping_block},
    .ops = {[DV_ROLE_MAPPING] = &composite_ops},
    .link = dv_mapping_link,
    .init = composite_init,
    .destroy = composite_destroy,
    .remember = composite_remember,
    .topology_changed = dv_mapping_cannot_follow,
};

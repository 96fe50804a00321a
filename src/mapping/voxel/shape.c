// VoxelShapeFunction: influences of frames that follow the stiffness of the material between them.
//
// With the distances d_i from each frame, in which stiff material is short (material_map.h), and s_i = d_i^2,
//
//   t_ij = (g_ij - g_ij(x_i)) / (g_ij(x_j) - g_ij(x_i)),   g_ij = s_i - s_j
//
// is 0 at frame i, 1 at frame j, and d_i / (d_i + d_j) along the shortest path between them: linear in the compliance
// that is passed. In one material t_ij is the place of the projection on the line between the frames, so that sections
// stay flat. The influence of frame i is the least of 1 - t_ij over the other frames, kept between 0 and 1, over the
// sum of all influences.
//
// s is known at the centres of voxels and multilinear between them, continued where the body ends; what that adds to
// the square of a distance in space is the same for all frames, and g does not have it. Between voxels of compliances c
// and c' the line has a kink at their common face, so that it rises by c and c' on the two sides: a stiff voxel beside
// a soft one does not take part in its strain.
#include "mapping/voxel/shape.h"

#include "mapping/register.h"
#include "scene/node.h"

#include <math.h>
#include <stdatomic.h>

#define SHAPE_FIELDS(X)                                                                                              \
  X(link, map, "", "", "MaterialMap; the nearest one upwards by default")                                            \
  X(link, frames, "", "", "state of frames, whose positions at rest count; the one of the node or above by default", \
    .role = DV_ROLE_STATE)                                                                                           \
  X(reals, weights, "", "", "influence of each frame at the centre of each voxel, one voxel after the other",        \
    .flags = DV_READ_ONLY | DV_HIDDEN)

typedef struct VoxelShape {
  dvObject base;
  SHAPE_FIELDS(DV_MEMBER)
  const dvVoxelGrid *grid;
  dvObject *material;
  dvState *state;
  size_t count;           // frames
  double *square;         // s of each frame at each voxel, frames of one voxel together
  double *start, *span;   // g_ij at frame i, and its change to frame j
} VoxelShape;

#define SELF VoxelShape
static const dvFieldDesc shape_fields[] = {SHAPE_FIELDS(DV_DESCRIBE)};
#undef SELF

// Weights of voxels in the value at a point, and the derivatives of these weights.
typedef struct Stencil {
  int32_t voxel[8];
  double w[8];
  dvVec3 slope[8];
  int count;
} Stencil;

// how much of the rise between the centres of a voxel and of a neighbour lies on the voxel's half of the way, over one
// half
static double share(const dvVoxelGrid *g, int32_t voxel, int32_t other)
{
  double own = g->compliance.data[voxel];
  return other < 0 ? 1 : 2 * own / (own + g->compliance.data[other]);
}

// Multilinear between the eight centres around a corner of the voxel at `own`, the first of them at `at`; false when
// one of them is not filled. `beyond` gets how far the point lies outside of the box.
static bool cell_stencil(const dvVoxelGrid *g, dvVec3 point, const int32_t own[3], const int32_t at[3], Stencil *out,
                         double *beyond)
{
  const double x[3] = {point.x, point.y, point.z}, o[3] = {g->origin.x, g->origin.y, g->origin.z},
               h[3] = {g->size.x, g->size.y, g->size.z};
  double u[3], rise[3];
  int32_t voxel = dv_voxel_at(g, own);
  *beyond = 0;
  for (int k = 0; k < 3; k++) {
    int32_t next[3] = {own[0], own[1], own[2]};
    bool high = own[k] > at[k];   // the neighbour along this axis is the lower one
    next[k] += high ? -1 : 1;
    u[k] = (x[k] - o[k]) / h[k] - 0.5 - at[k];
    *beyond += fmax(0, fmax(-u[k], u[k] - 1));
    rise[k] = share(g, voxel, dv_voxel_at(g, next));
    u[k] = high + (u[k] - high) * rise[k];
  }
  out->count = 8;
  for (int c = 0; c < 8; c++) {
    int32_t corner[3];
    double f[3], d[3];
    for (int k = 0; k < 3; k++) {
      int high = c >> k & 1;
      corner[k] = at[k] + high;
      f[k] = high ? u[k] : 1 - u[k];
      d[k] = (high ? 1 : -1) * rise[k] / h[k];
    }
    out->voxel[c] = dv_voxel_at(g, corner);
    if (out->voxel[c] < 0) return false;
    out->w[c] = f[0] * f[1] * f[2];
    out->slope[c] = dv_vec3(d[0] * f[1] * f[2], f[0] * d[1] * f[2], f[0] * f[1] * d[2]);
  }
  return true;
}

// linear around the centre of a voxel, along the axes on which it has neighbours
static void thin_stencil(const dvVoxelGrid *g, dvVec3 point, size_t voxel, const int32_t at[3], Stencil *out)
{
  dvVec3 away = dv_vec3_sub(point, dv_voxel_centre(g, voxel));
  const double x[3] = {away.x, away.y, away.z}, h[3] = {g->size.x, g->size.y, g->size.z};
  *out = (Stencil){.voxel = {(int32_t)voxel}, .w = {1}, .count = 1};
  for (int k = 0; k < 3; k++) {
    int32_t other[3] = {at[0], at[1], at[2]};
    other[k] += x[k] < 0 ? -1 : 1;
    int32_t v = dv_voxel_at(g, other);
    if (v < 0) {
      other[k] = 2 * at[k] - other[k];
      v = dv_voxel_at(g, other);
    }
    if (v < 0) continue;
    double d = (other[k] - at[k]) / h[k] * share(g, (int32_t)voxel, v);
    dvVec3 slope = dv_vec3(k == 0 ? d : 0, k == 1 ? d : 0, k == 2 ? d : 0);
    out->voxel[out->count] = v;
    out->w[out->count] = d * x[k];
    out->slope[out->count++] = slope;
    out->w[0] -= d * x[k];
    out->slope[0] = dv_vec3_sub(out->slope[0], slope);
  }
}

static void find_stencil(const dvVoxelGrid *g, dvVec3 point, Stencil *out)
{
  size_t voxel = dv_voxel_nearest(g, point);
  int32_t place = g->place.data[voxel], at[3] = {place % g->n[0], place / g->n[0] % g->n[1], place / g->n[0] / g->n[1]};
  double least = INFINITY;
  for (int c = 0; c < 8; c++) {
    const int32_t first[3] = {at[0] - (c & 1), at[1] - (c >> 1 & 1), at[2] - (c >> 2 & 1)};
    Stencil s;
    double beyond;
    if (!cell_stencil(g, point, at, first, &s, &beyond) || !(beyond < least)) continue;
    least = beyond;
    *out = s;
  }
  if (least == INFINITY) thin_stencil(g, point, voxel, at, out);
}

static double interpolate(const VoxelShape *v, const Stencil *s, size_t frame, dvVec3 *slope)
{
  double sum = 0;
  *slope = dv_vec3(0, 0, 0);
  for (int c = 0; c < s->count; c++) {
    double square = v->square[(size_t)s->voxel[c] * v->count + frame];
    sum += s->w[c] * square;
    *slope = dv_vec3_add_scaled(*slope, s->slope[c], square);
  }
  return isfinite(sum) ? sum : INFINITY;
}

// the least of 1 - t_ij; list[].d2 and list[].slope hold s and its gradient
static double least_of(const VoxelShape *v, size_t i, const dvInfluence *list, const dvVec3 *slope, dvVec3 *out)
{
  double least = 1;
  *out = dv_vec3(0, 0, 0);
  for (size_t j = 0; j < v->count && least > 0; j++) {
    double span = v->span[i * v->count + j];
    if (j == i || !(span > 0) || list[j].d2 == INFINITY) continue;
    double rest = 1 - (list[i].d2 - list[j].d2 - v->start[i * v->count + j]) / span;
    if (rest >= least) continue;
    least = fmax(rest, 0);
    *out = rest > 0 ? dv_vec3_scale(dv_vec3_sub(slope[i], slope[j]), -1 / span) : dv_vec3(0, 0, 0);
  }
  return least;
}

bool dv_voxel_shape_at(const dvObject *shape, dvVec3 point, dvInfluence *list)
{
  const VoxelShape *v = (const VoxelShape *)shape;
  Stencil s;
  double sum = 0;
  dvVec3 total = {0, 0, 0}, *slope = dv_alloc((v->count + 1) * sizeof *slope);
  find_stencil(v->grid, point, &s);
  for (size_t i = 0; i < v->count; i++) list[i].d2 = interpolate(v, &s, i, &slope[i]);
  for (size_t i = 0; i < v->count; i++) {
    list[i].w = 0;
    list[i].slope = dv_vec3(0, 0, 0);
    if (list[i].d2 < INFINITY) list[i].w = least_of(v, i, list, slope, &list[i].slope);
    sum += list[i].w;
    total = dv_vec3_add(total, list[i].slope);
  }
  dv_free(slope);
  for (size_t i = 0; i < v->count && sum > 0; i++) {
    list[i].w /= sum;
    list[i].slope = dv_vec3_scale(dv_vec3_add_scaled(list[i].slope, total, -list[i].w), 1 / sum);
  }
  return sum > 0;
}

// --- set-up --------------------------------------------------------------------------------------

dvObject *dv_voxel_shape(dvObject *o, const dvLink *link)
{
  dvObject *shape = link->target;
  if (!shape || shape->cls != &dv_voxel_shape_class) {
    dv_error(o, "give shapeFunction=\"@path\"", "%s needs a VoxelShapeFunction", o->name);
    return NULL;
  }
  if (dv_object_ensure(shape) == DV_OK) return shape;
  dv_error(o, NULL, "the influences of %s could not be made", shape->name);
  return NULL;
}

const dvVoxelGrid *dv_voxel_shape_grid(const dvObject *shape, dvObject **map)
{
  const VoxelShape *v = (const VoxelShape *)shape;
  if (map) *map = v->material;
  return v->grid;
}

dvState *dv_voxel_shape_frames(const dvObject *shape) { return ((const VoxelShape *)shape)->state; }

static dvVec3 frame_place(const VoxelShape *v, size_t i)
{
  return dv_vec3_load(dv_state_read(v->state, DV_X_REST) + i * (size_t)v->state->base.dof->coord);
}

typedef struct Measure {
  VoxelShape *shape;
  atomic_bool failed;
} Measure;

static void measure_from(void *user, size_t begin, size_t end)
{
  Measure *m = user;
  VoxelShape *v = m->shape;
  size_t n = dv_voxel_count(v->grid);
  double *distance = dv_try_alloc((n + 1) * sizeof *distance);
  for (size_t i = begin; i < end; i++) {
    dvVec3 place = frame_place(v, i);
    if (!distance || !dv_voxel_distances(v->grid, &place, 1, distance, NULL)) atomic_store(&m->failed, true);
    else
      for (size_t k = 0; k < n; k++) v->square[k * v->count + i] = distance[k] * distance[k];
  }
  dv_free(distance);
}

static bool measure_distances(VoxelShape *v)
{
  Measure m = {.shape = v};
  dv_parallel_for(v->base.context->pool, v->count, 1, measure_from, &m);
  return !m.failed;
}

static void measure_frames(VoxelShape *v)
{
  double *at = dv_alloc((v->count * v->count + 1) * sizeof *at);   // s of each frame at each
  dvVec3 slope;
  for (size_t i = 0; i < v->count; i++) {
    Stencil s;
    find_stencil(v->grid, frame_place(v, i), &s);
    for (size_t j = 0; j < v->count; j++) at[i * v->count + j] = interpolate(v, &s, j, &slope);
  }
  for (size_t i = 0; i < v->count; i++)
    for (size_t j = 0; j < v->count; j++) {
      double start = at[i * v->count + i] - at[i * v->count + j], end = at[j * v->count + i] - at[j * v->count + j];
      v->start[i * v->count + j] = isfinite(start) ? start : 0;
      v->span[i * v->count + j] = isfinite(end - start) ? end - start : 0;
    }
  dv_free(at);
}

static dvStatus shape_init(dvObject *o)
{
  VoxelShape *v = (VoxelShape *)o;
  dvObject *state = v->frames.target ? v->frames.target : dv_node_state_up(o->node);
  v->grid = dv_material_grid(o, &v->map, &v->material);
  if (!v->grid) return DV_ERROR_INPUT;
  if (!state) return dv_error(o, "give frames=\"@path\"", "%s finds no state of frames", o->name);
  DV_TRY(dv_object_ensure(state));
  if (state->dof->coord < 3) return dv_error(o, NULL, "%s has no frames in space", state->name);
  v->state = dv_state(state);
  v->count = v->state->count;
  size_t n = dv_voxel_count(v->grid);
  if (v->count == 0) return dv_error(o, NULL, "%s has no frames", state->name);
  if ((double)v->count * (double)n > 2e7)
    return dv_error(o, "give fewer frames or a coarser map", "%zu frames and %zu voxels are too many", v->count, n);
  v->square = dv_try_alloc((v->count * n + 1) * sizeof *v->square);
  v->start = dv_try_alloc((v->count * v->count + 1) * sizeof *v->start);
  v->span = dv_try_alloc((v->count * v->count + 1) * sizeof *v->span);
  if (!v->square || !v->start || !v->span || !measure_distances(v) || !dv_reals_resize(&v->weights, v->count * n))
    return dv_error(o, NULL, "out of memory");
  measure_frames(v);
  size_t lost = 0;
  dvInfluence *list = dv_alloc((v->count + 1) * sizeof *list);
  for (size_t k = 0; k < n; k++) {
    lost += !dv_voxel_shape_at(o, dv_voxel_centre(v->grid, k), list);
    for (size_t i = 0; i < v->count; i++) v->weights.data[k * v->count + i] = list[i].w;
  }
  dv_free(list);
  if (lost) return dv_error(o, "place a frame in each part of the body", "no frame reaches %zu of %zu voxels", lost, n);
  return DV_OK;
}

static void shape_destroy(dvObject *o)
{
  VoxelShape *v = (VoxelShape *)o;
  dv_free(v->square);
  dv_free(v->start);
  dv_free(v->span);
}

const dvClass dv_voxel_shape_class = {
    .struct_size = sizeof(dvClass),
    .name = "VoxelShapeFunction",
    .help = "influence of frames in a body of voxels, by the stiffness of the material between them",
    .module = "Divan",
    .size = sizeof(VoxelShape),
    .blocks = {&dv_object_block, DV_BLOCK(shape_fields)},
    .init = shape_init,
    .destroy = shape_destroy,
};

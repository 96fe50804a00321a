// FrameSampler: places frames in a body of voxels.
//
// Each new frame goes to the voxel that is farthest from all others, in the metric in which stiff material is short
// (material_map.h), so that soft parts get more of them; the first one to the voxel nearest to the middle. Then Lloyd's
// iterations move every frame to the middle of the voxels that are nearest to it, weighted by their compliance. Frames
// of `fixed` stay where they are and come first.
#include "mapping/register.h"
#include "mapping/voxel/material_map.h"
#include "scene/node.h"
#include "state/state.h"

#include <math.h>

#define SAMPLER_FIELDS(X)                                                                               \
  X(link, map, "", "", "MaterialMap; the nearest one upwards by default")                               \
  X(int, count, "1", "", "number of frames, those of `fixed` included", .flags = DV_INPUT)              \
  X(int, iterations, "20", "", "Lloyd's iterations at most", .flags = DV_INPUT)                         \
  X(vec3s, fixed, "", "m", "places of frames that stay", .flags = DV_INPUT)                             \
  X(coords, position, "", "m", "the frames: upright, in the types of the template", .flags = DV_OUTPUT) \
  X(vec3s, points, "", "m", "their places", .flags = DV_OUTPUT)                                         \
  X(ints, region, "", "", "frame that is nearest to each voxel", .flags = DV_OUTPUT)

typedef struct FrameSampler {
  dvObject base;
  SAMPLER_FIELDS(DV_MEMBER)
} FrameSampler;

#define SELF FrameSampler
static const dvFieldDesc sampler_fields[] = {SAMPLER_FIELDS(DV_DESCRIBE)};
#undef SELF

typedef struct Placement {
  const dvVoxelGrid *g;
  dvVec3 *place;
  size_t fixed, count;
  double *distance;
  int32_t *nearest;
} Placement;

// the first when there is none yet: the voxel nearest to the middle; else the farthest, one that nothing reaches before
// all others
static dvVec3 next_place(const Placement *p, size_t have)
{
  size_t n = dv_voxel_count(p->g), best = 0;
  if (have == 0) {
    dvVec3 middle = {0, 0, 0};
    for (size_t v = 0; v < n; v++) middle = dv_vec3_add_scaled(middle, dv_voxel_centre(p->g, v), 1 / (double)n);
    return dv_voxel_centre(p->g, dv_voxel_nearest(p->g, middle));
  }
  for (size_t v = 1; v < n; v++)
    if (p->distance[v] > p->distance[best]) best = v;
  return dv_voxel_centre(p->g, best);
}

// moves the frames to the middles of their regions; how far the farthest went
static double relax(const Placement *p)
{
  dvVec3 *sum = dv_alloc((p->count + 1) * sizeof *sum);
  double *weight = dv_alloc((p->count + 1) * sizeof *weight), most = 0;
  for (size_t v = 0; v < dv_voxel_count(p->g); v++) {
    int32_t i = p->nearest[v];
    if (i < 0) continue;
    sum[i] = dv_vec3_add_scaled(sum[i], dv_voxel_centre(p->g, v), p->g->compliance.data[v]);
    weight[i] += p->g->compliance.data[v];
  }
  for (size_t i = p->fixed; i < p->count; i++) {
    if (!(weight[i] > 0)) continue;
    dvVec3 middle = dv_vec3_scale(sum[i], 1 / weight[i]),
           centre = dv_voxel_centre(p->g, dv_voxel_nearest(p->g, middle)), away = dv_vec3_sub(middle, centre);
    double half = 0.5 + 1e-9;   // on a border between voxels, too
    bool inside = fabs(away.x) <= half * p->g->size.x && fabs(away.y) <= half * p->g->size.y &&
                  fabs(away.z) <= half * p->g->size.z;
    if (!inside) middle = centre;   // of a region that is bent around a hole
    most = fmax(most, dv_vec3_norm(dv_vec3_sub(middle, p->place[i])));
    p->place[i] = middle;
  }
  dv_free(sum);
  dv_free(weight);
  return most;
}

static dvStatus write_frames(FrameSampler *s, const Placement *p)
{
  dvObject *o = &s->base;
  size_t width = (size_t)o->dof->coord, n = dv_voxel_count(p->g);
  if (!dv_reals_resize(&s->points, 3 * p->count) || !dv_reals_resize(&s->position, width * p->count) ||
      !dv_ints_assign(&s->region, p->nearest, n))
    return dv_error(o, NULL, "out of memory");
  for (size_t i = 0; i < p->count; i++) {
    dv_vec3_store(s->points.data + 3 * i, p->place[i]);
    dv_dof_identity(o->dof, s->position.data + width * i);
    dv_vec3_store(s->position.data + width * i, p->place[i]);
  }
  return DV_OK;
}

static bool place_frames(const FrameSampler *s, Placement *p)
{
  bool good = true;
  for (size_t i = 0; i < p->fixed; i++) p->place[i] = dv_vec3_load(s->fixed.data + 3 * i);
  for (size_t have = p->fixed; have < p->count && good; have++) {
    if (have == dv_max_size(p->fixed, 1)) good = dv_voxel_distances(p->g, p->place, have, p->distance, p->nearest);
    else if (have) good = dv_voxel_distances_add(p->g, p->place, have - 1, have, p->distance, p->nearest);
    if (good) p->place[have] = next_place(p, have);
  }
  double still = 1e-6 * fmin(p->g->size.x, fmin(p->g->size.y, p->g->size.z));
  for (int i = 0; i < s->iterations && good; i++) {
    good = dv_voxel_distances(p->g, p->place, p->count, p->distance, p->nearest);
    if (good && relax(p) <= still) break;
  }
  return good && dv_voxel_distances(p->g, p->place, p->count, p->distance, p->nearest);
}

static dvStatus frame_sampler_update(dvObject *o)
{
  FrameSampler *s = (FrameSampler *)o;
  Placement p = {.g = dv_material_grid(o, &s->map, NULL),
                 .fixed = dv_reals_size(&s->fixed),
                 .count = (size_t)dv_max_int(s->count, 0)};
  if (!p.g) return DV_ERROR_INPUT;
  size_t n = dv_voxel_count(p.g);
  if (s->count < 1 || p.count > n) return dv_field_error(o, &s->count, NULL, "%d frames for %zu voxels", s->count, n);
  if (p.fixed > p.count)
    return dv_field_error(o, &s->fixed, "raise count", "%zu frames are fixed, and count is %d", p.fixed, s->count);
  if (s->iterations < 0 || s->iterations > 1000)
    return dv_field_error(o, &s->iterations, NULL, "%d iterations", s->iterations);
  p.place = dv_try_alloc((p.count + 1) * sizeof *p.place);
  p.distance = dv_try_alloc((n + 1) * sizeof *p.distance);
  p.nearest = dv_try_alloc((n + 1) * sizeof *p.nearest);
  bool good = p.place && p.distance && p.nearest && place_frames(s, &p);
  dvStatus status = good ? write_frames(s, &p) : dv_error(o, NULL, "out of memory for %zu voxels", n);
  dv_free(p.place);
  dv_free(p.distance);
  dv_free(p.nearest);
  return status;
}

const dvClass dv_frame_sampler_class = {
    .struct_size = sizeof(dvClass),
    .name = "FrameSampler",
    .help = "places frames in a body of voxels",
    .module = "Divan",
    .dofs = DV_DOF_RIGID3 | DV_DOF_BENDING,
    .roles = DV_PLAYS(DV_ROLE_ENGINE),
    .size = sizeof(FrameSampler),
    .blocks = {&dv_object_block, DV_BLOCK(sampler_fields)},
    .update = frame_sampler_update,
};

// IntegrationPointSampler: integration points of a body of voxels whose motion is blended from frames.
//
// Voxels of one material that the same frames move make a region, inside of which the displacement is smooth. Regions
// are cut in two at their middle: every one `halvings` times across the direction in which influences change, then the
// largest first, across their longest axis, until there are `count`; each then has its volume V, centre and second
// moments C. With `order` 1 a region is one point at its centre; with 2 it is the eight points at plus and minus the
// square roots of the eigenvalues of C / V along its axes, V / 8 each: exact for volume, centre and moments, and in a
// box for all products of squares (Gauss's rule), so that a strain that varies linearly has its exact energy.
#include "mapping/register.h"
#include "mapping/voxel/shape.h"
#include "math/decompose.h"

#include <math.h>

#define POINT_FIELDS(X)                                                                                                \
  X(link, shapeFunction, "", "", "VoxelShapeFunction of the frames")                                                   \
  X(int, count, "1", "", "number of regions; there are at least as many as influences and materials make",             \
    .flags = DV_INPUT)                                                                                                 \
  X(int, halvings, "0", "",                                                                                            \
    "how often every region is cut, across the change of influences, before the largest ones are; quadratic frames "   \
    "need 1 with `order` 2",                                                                                           \
    .flags = DV_INPUT)                                                                                                 \
  X(int, order, "1", "", "1: one point for each region; 2: eight, which also have its second moments",                 \
    .flags = DV_INPUT)                                                                                                 \
  X(real, threshold, "1e-6", "", "a frame moves a voxel when its weight is larger", .flags = DV_INPUT)                 \
  X(vec3s, position, "", "m", "the points at rest", .flags = DV_OUTPUT)                                                \
  X(reals, volume, "", "m3", "volume of each", .flags = DV_OUTPUT)                                                     \
  X(reals, mass, "", "kg", "mass of each, by the density of its material", .flags = DV_OUTPUT)                         \
  X(reals, youngModulus, "", "Pa", "stiffness at each", .flags = DV_OUTPUT)                                            \
  X(reals, poissonRatio, "", "", "Poisson's ratio at each", .flags = DV_OUTPUT)                                        \
  X(vec6s, moments, "", "m5", "second moments of each region about its centre: xx yy zz xy yz zx", .flags = DV_OUTPUT) \
  X(ints, region, "", "", "region of each voxel", .flags = DV_OUTPUT)

typedef struct PointSampler {
  dvObject base;
  POINT_FIELDS(DV_MEMBER)
} PointSampler;

#define SELF PointSampler
static const dvFieldDesc point_fields[] = {POINT_FIELDS(DV_DESCRIBE)};
#undef SELF

typedef struct Part {
  size_t first, count;   // of `order`
  dvVec3 centre, axis[3];
  double spread[3];   // eigenvalues of C / V
  dvMat3 spreads;     // C / V
  bool whole;         // cannot be cut
} Part;

typedef struct Parts {
  const dvVoxelGrid *g;
  int32_t *order, *scratch;   // voxels, part by part
  dvVec3 *slope;              // the steepest influence of each voxel
  DV_ARRAY(Part) list;
} Parts;

static void measure_part(const Parts *p, Part *part)
{
  dvMat3 sum = {{{0}}};
  const double h[3] = {p->g->size.x, p->g->size.y, p->g->size.z};
  part->centre = dv_vec3(0, 0, 0);
  for (size_t i = 0; i < part->count; i++)
    part->centre = dv_vec3_add_scaled(part->centre, dv_voxel_centre(p->g, (size_t)p->order[part->first + i]),
                                      1 / (double)part->count);
  for (size_t i = 0; i < part->count; i++) {
    dvVec3 r = dv_vec3_sub(dv_voxel_centre(p->g, (size_t)p->order[part->first + i]), part->centre);
    sum = dv_mat3_add(sum, dv_mat3_scale(dv_mat3_outer(r, r), 1 / (double)part->count));
  }
  for (int k = 0; k < 3; k++) sum.m[k][k] += h[k] * h[k] / 12;   // of the voxels themselves
  double small = 1e-9 * dv_mat3_trace(sum);
  for (int k = 0; k < 9; k++)
    if (k / 3 != k % 3 && fabs(sum.m[k / 3][k % 3]) < small)
      sum.m[k / 3][k % 3] = 0;   // rounding would turn the axes of a box
  dvMat3 axes;
  dvVec3 values;
  dv_eigen_symmetric(&sum, &values, &axes);
  part->spreads = sum;
  part->spread[0] = values.x, part->spread[1] = values.y, part->spread[2] = values.z;
  for (int k = 0; k < 3; k++) part->axis[k] = dv_mat3_column(axes, k);
}

// --- regions -------------------------------------------------------------------------------------

// the frames that move each voxel, as lists one behind the other, the material first
typedef struct Signs {
  DV_ARRAY(int32_t) sign;
  DV_ARRAY(size_t) start;
} Signs;

static void list_signs(const PointSampler *s, const dvObject *shape, const Parts *p, Signs *out)
{
  const dvVoxelGrid *g = p->g;
  size_t frames = dv_voxel_shape_frames(shape)->count;
  dvInfluence *list = dv_alloc((frames + 1) * sizeof *list);
  for (size_t v = 0; v < dv_voxel_count(g); v++) {
    dv_push(&out->start, out->sign.count);
    dv_push(&out->sign, g->material.data[v]);
    dv_voxel_shape_at(shape, dv_voxel_centre(g, v), list);
    for (size_t i = 0; i < frames; i++) {
      if (list[i].w > s->threshold) dv_push(&out->sign, (int32_t)i);
      if (dv_vec3_norm2(list[i].slope) > dv_vec3_norm2(p->slope[v])) p->slope[v] = list[i].slope;
    }
  }
  dv_push(&out->start, out->sign.count);
  dv_free(list);
}

static bool same_sign(const Signs *s, size_t a, size_t b)
{
  size_t n = s->start.data[a + 1] - s->start.data[a];
  return n == s->start.data[b + 1] - s->start.data[b] &&
         memcmp(s->sign.data + s->start.data[a], s->sign.data + s->start.data[b], n * sizeof(int32_t)) == 0;
}

static size_t sign_hash(const Signs *s, size_t v)
{
  uint64_t h = 14695981039346656037u;
  for (size_t i = s->start.data[v]; i < s->start.data[v + 1]; i++) h = (h ^ (uint32_t)s->sign.data[i]) * 1099511628211u;
  return (size_t)(h ^ h >> 29);
}

// numbers of regions, in the order of their first voxels
static size_t number_regions(const Signs *s, size_t voxels, int32_t *region)
{
  size_t count = 0, slots = 16;
  while (slots < 2 * voxels) slots *= 2;
  size_t *first = dv_alloc(slots * sizeof *first);   // a voxel of each region and 1, by the hash of its frames
  for (size_t v = 0; v < voxels; v++) {
    size_t at = sign_hash(s, v) & (slots - 1);
    while (first[at] && !same_sign(s, v, first[at] - 1)) at = (at + 1) & (slots - 1);
    if (!first[at]) first[at] = v + 1, region[v] = (int32_t)count++;
    else region[v] = region[first[at] - 1];
  }
  dv_free(first);
  return count;
}

static void sort_regions(Parts *p, size_t regions, const int32_t *region)
{
  size_t n = dv_voxel_count(p->g), at = 0;
  size_t *start = dv_alloc((regions + 2) * sizeof *start);
  for (size_t v = 0; v < n; v++) start[region[v] + 1]++;
  for (size_t r = 0; r < regions; r++) {
    dv_push(&p->list, ((Part){.first = at, .count = start[r + 1]}));
    at += start[r + 1];
  }
  for (size_t r = 0; r < regions; r++) start[r] = p->list.data[r].first;
  for (size_t v = 0; v < n; v++) p->order[start[region[v]]++] = (int32_t)v;
  for (size_t r = 0; r < regions; r++) measure_part(p, &p->list.data[r]);
  dv_free(start);
}

static dvVec3 longest_axis(const Part *part)
{
  int longest = part->spread[1] > part->spread[0] ? 1 : 0;
  if (part->spread[2] > part->spread[longest]) longest = 2;
  return part->axis[longest];
}

static dvVec3 steepest_axis(const Parts *p, const Part *part)
{
  dvMat3 sum = {{{0}}}, axes;
  dvVec3 values;
  for (size_t i = 0; i < part->count; i++) {
    dvVec3 slope = p->slope[p->order[part->first + i]];
    sum = dv_mat3_add(sum, dv_mat3_outer(slope, slope));
  }
  if (!(dv_mat3_trace(sum) > 0)) return longest_axis(part);   // one frame alone moves it
  dv_eigen_symmetric(&sum, &values, &axes);
  return dv_mat3_column(axes, values.x >= values.y && values.x >= values.z ? 0 : values.y >= values.z ? 1 : 2);
}

static void cut_part(Parts *p, size_t number, dvVec3 axis)
{
  Part *part = &p->list.data[number];
  double small = -1e-9 * sqrt(dv_mat3_trace(part->spreads));
  size_t low = 0, high = 0;
  for (size_t i = 0; i < part->count; i++) {
    int32_t v = p->order[part->first + i];
    dvVec3 away = dv_vec3_sub(dv_voxel_centre(p->g, (size_t)v), part->centre);
    if (dv_vec3_dot(away, axis) < small) p->order[part->first + low++] = v;
    else p->scratch[high++] = v;
  }
  memcpy(p->order + part->first + low, p->scratch, high * sizeof *p->order);
  if (low == 0 || high == 0) {
    part->whole = true;
    return;
  }
  Part rest = {.first = part->first + low, .count = high};
  part->count = low;
  measure_part(p, part);
  measure_part(p, &rest);
  dv_push(&p->list, rest);
}

// cuts the part that has most: its volume times its length
static bool cut_largest(Parts *p)
{
  size_t number = p->list.count, best = number;
  double most = 0;
  for (size_t i = 0; i < number; i++) {
    const Part *part = &p->list.data[i];
    double has = (double)part->count * sqrt(fmax(part->spread[0], fmax(part->spread[1], part->spread[2])));
    if (!part->whole && has > most * (1 + 1e-9)) most = has, best = i;
  }
  if (best < number) cut_part(p, best, longest_axis(&p->list.data[best]));
  return best < number;
}

static void cut_parts(Parts *p, int halvings, size_t count)
{
  for (int h = 0; h < halvings; h++)
    for (size_t i = 0, n = p->list.count; i < n; i++) cut_part(p, i, steepest_axis(p, &p->list.data[i]));
  while (p->list.count < count && cut_largest(p)) continue;
}

// --- output --------------------------------------------------------------------------------------

static void write_point(PointSampler *s, size_t at, dvVec3 place, double volume, const dvVoxelMaterial *material)
{
  dv_vec3_store(s->position.data + 3 * at, place);
  s->volume.data[at] = volume;
  s->mass.data[at] = volume * material->density;
  s->youngModulus.data[at] = material->young;
  s->poissonRatio.data[at] = material->poisson;
}

static void write_part(PointSampler *s, const Parts *p, const dvObject *map, size_t number)
{
  const Part *part = &p->list.data[number];
  dvVoxelMaterial material = dv_material_of(map, p->g->material.data[p->order[part->first]]);
  double volume = dv_voxel_volume(p->g) * (double)part->count;
  const dvMat3 *c = &part->spreads;
  const double moments[6] = {c->m[0][0], c->m[1][1], c->m[2][2], c->m[0][1], c->m[1][2], c->m[2][0]};
  for (int k = 0; k < 6; k++) s->moments.data[6 * number + (size_t)k] = volume * moments[k];
  for (size_t i = 0; i < part->count; i++) s->region.data[p->order[part->first + i]] = (int32_t)number;
  if (s->order == 1) write_point(s, number, part->centre, volume, &material);
  for (size_t c8 = 0; c8 < 8 && s->order == 2; c8++) {
    dvVec3 place = part->centre;
    for (int k = 0; k < 3; k++)
      place = dv_vec3_add_scaled(place, part->axis[k], (c8 >> k & 1 ? 1 : -1) * sqrt(fmax(part->spread[k], 0)));
    write_point(s, 8 * number + c8, place, volume / 8, &material);
  }
}

static dvStatus write_parts(PointSampler *s, const Parts *p, const dvObject *map)
{
  size_t n = p->list.count, points = s->order == 2 ? 8 * n : n;
  bool good = dv_reals_resize(&s->position, 3 * points) && dv_reals_resize(&s->volume, points) &&
              dv_reals_resize(&s->mass, points) && dv_reals_resize(&s->youngModulus, points) &&
              dv_reals_resize(&s->poissonRatio, points) && dv_reals_resize(&s->moments, 6 * n) &&
              dv_ints_resize(&s->region, dv_voxel_count(p->g));
  if (!good) return dv_error(&s->base, NULL, "out of memory for %zu integration points", points);
  for (size_t i = 0; i < n; i++) write_part(s, p, map, i);
  return DV_OK;
}

static dvStatus point_sampler_update(dvObject *o)
{
  PointSampler *s = (PointSampler *)o;
  if (s->order != 1 && s->order != 2) return dv_field_error(o, &s->order, NULL, "order is %d; it is 1 or 2", s->order);
  if (s->count < 1) return dv_field_error(o, &s->count, NULL, "%d regions", s->count);
  if (s->halvings < 0 || s->halvings > 10)
    return dv_field_error(o, &s->halvings, NULL, "%d halvings; it goes from 0 to 10", s->halvings);
  dvObject *shape = dv_voxel_shape(o, &s->shapeFunction), *map = NULL;
  if (!shape) return DV_ERROR_INPUT;
  Parts p = {.g = dv_voxel_shape_grid(shape, &map)};
  Signs signs = {0};
  size_t n = dv_voxel_count(p.g);
  p.order = dv_alloc((n + 1) * sizeof *p.order);
  p.scratch = dv_alloc((n + 1) * sizeof *p.scratch);
  p.slope = dv_alloc((n + 1) * sizeof *p.slope);
  list_signs(s, shape, &p, &signs);
  sort_regions(&p, number_regions(&signs, n, p.scratch), p.scratch);
  cut_parts(&p, s->halvings, (size_t)s->count);
  dvStatus status = write_parts(s, &p, map);
  dv_array_free(&signs.sign);
  dv_array_free(&signs.start);
  dv_array_free(&p.list);
  dv_free(p.order);
  dv_free(p.scratch);
  dv_free(p.slope);
  return status;
}

const dvClass dv_point_sampler_class = {
    .struct_size = sizeof(dvClass),
    .name = "IntegrationPointSampler",
    .help = "integration points, with volumes and materials, of a body of voxels that frames move",
    .module = "Divan",
    .roles = DV_PLAYS(DV_ROLE_ENGINE),
    .size = sizeof(PointSampler),
    .blocks = {&dv_object_block, DV_BLOCK(point_fields)},
    .update = point_sampler_update,
};

// See mask.h.
#include "anatomy/mask.h"

#include "base/array.h"
#include "topology/search/rays.h"

#include <math.h>
#include <string.h>

// --- images --------------------------------------------------------------------------------------

dvStatus dv_labels_check(const dvVoxels *image, double unit, dvMeshError *error)
{
  if (!(unit > 0) || !isfinite(unit)) return dv_voxels_fail(error, "a unit of %g m", unit);
  for (int k = 0; k < 3; k++) {
    if (!(image->size[k] * unit > 1e-9 && image->size[k] * unit < 1e3))
      return dv_voxels_fail(error, "voxels of %g m cannot be used; is the unit right?", image->size[k] * unit);
    const double *t = image->turn;
    int j = (k + 1) % 3;
    double cosine = t[k] * t[j] + t[3 + k] * t[3 + j] + t[6 + k] * t[6 + j];
    if (!(fabs(cosine) < 1e-3)) return dv_voxels_fail(error, "the axes of the image are not at right angles");
    if (!(fabs(image->origin[k]) < 1e6 * image->size[k]))   // there places could not tell voxels apart
      return dv_voxels_fail(error, "it stands %.3g m away, with voxels of %.3g m: its place is wrong",
                            fabs(image->origin[k]) * unit, image->size[k] * unit);
  }
  size_t not_finite = 0, broken = 0;
  for (size_t i = 0; i < image->values.count; i++) {
    float v = image->values.data[i];
    not_finite += !isfinite(v);
    broken += isfinite(v) && (v != floorf(v) || fabsf(v) > 1e6f);
  }
  if (not_finite) return dv_voxels_fail(error, "%zu voxels are not numbers; labels are whole numbers", not_finite);
  if (broken)
    return dv_voxels_fail(error, "%zu voxels are not whole numbers up to a million: this is no image of labels",
                          broken);
  return DV_OK;
}

size_t dv_labels_list(const dvVoxels *image, int32_t *labels, size_t limit)
{
  enum { HIGHEST = 1000001 };
  uint8_t *seen = dv_alloc(HIGHEST);
  size_t found = 0;
  for (size_t i = 0; i < image->values.count; i++)
    if (image->values.data[i] > 0) seen[(int32_t)image->values.data[i]] = 1;
  for (int32_t v = 1; v < HIGHEST; v++) {
    if (seen[v] && found < limit) labels[found] = v;
    found += seen[v];
  }
  dv_free(seen);
  return found;
}

static bool lay(dvMask *m, int32_t margin, const int32_t low[3], const int32_t high[3])
{
  DV_REQUIRE(margin >= 1);
  double total = 1;
  for (int k = 0; k < 3; k++) {
    m->n[k] = high[k] - low[k] + 1 + 2 * margin;
    m->at[k] = low[k] - margin;
    total *= m->n[k];
  }
  m->inside = total <= DV_MASK_LIMIT ? dv_try_alloc((size_t)total) : NULL;
  return m->inside != NULL;
}

static bool is_among(float value, const int32_t *labels, size_t count)
{
  for (size_t i = 0; i < count; i++)
    if (value == (float)labels[i]) return true;
  return false;
}

dvStatus dv_mask_of_label(dvMask *m, const dvVoxels *image, double unit, int32_t label, int32_t margin,
                          dvMeshError *error)
{
  return dv_mask_of_labels(m, image, unit, &label, 1, margin, error);
}

dvStatus dv_mask_of_labels(dvMask *m, const dvVoxels *image, double unit, const int32_t *labels, size_t count,
                           int32_t margin, dvMeshError *error)
{
  *m = (dvMask){0};
  size_t own = 0;
  int32_t low[3] = {INT32_MAX, INT32_MAX, INT32_MAX}, high[3] = {-1, -1, -1}, c[3];
  const float *v = image->values.data;
  for (c[2] = 0; c[2] < image->n[2]; c[2]++)
    for (c[1] = 0; c[1] < image->n[1]; c[1]++)
      for (c[0] = 0; c[0] < image->n[0]; c[0]++, v++) {
        if (!is_among(*v, labels, count)) continue;
        m->count++;
        own += *v == (float)labels[0];
        for (int k = 0; k < 3; k++) low[k] = dv_min_int(low[k], c[k]), high[k] = dv_max_int(high[k], c[k]);
      }
  if (!own) return dv_voxels_fail(error, "no voxel has the label %d", labels[0]);
  if (!lay(m, margin, low, high)) return dv_voxels_fail(error, "out of memory for the voxels of label %d", labels[0]);
  dvVec3 corner = dv_vec3_scale(dv_vec3_load(image->origin), unit);
  memcpy(m->turn, image->turn, sizeof m->turn);
  for (int k = 0; k < 3; k++) {
    m->size[k] = image->size[k] * unit;
    m->touches_edge |= low[k] == 0 || high[k] == image->n[k] - 1;
  }
  m->origin = dv_vec3_add(
      corner, dv_mask_direction(m, dv_vec3(m->at[0] * m->size[0], m->at[1] * m->size[1], m->at[2] * m->size[2])));
  for (c[2] = low[2]; c[2] <= high[2]; c[2]++)
    for (c[1] = low[1]; c[1] <= high[1]; c[1]++)
      for (c[0] = low[0]; c[0] <= high[0]; c[0]++) {
        size_t from = (size_t)c[0] + (size_t)image->n[0] * ((size_t)c[1] + (size_t)image->n[1] * (size_t)c[2]);
        m->inside[dv_mask_number(m, c[0] - m->at[0], c[1] - m->at[1], c[2] - m->at[2])] =
            is_among(image->values.data[from], labels, count);
      }
  return DV_OK;
}

// along one axis: between the first and the last voxel of each line
static void count_between(const dvMask *m, int axis, uint8_t *count)
{
  const size_t stride[3] = {1, (size_t)m->n[0], (size_t)m->n[0] * (size_t)m->n[1]};
  int u = (axis + 1) % 3, w = (axis + 2) % 3;
  for (int32_t a = 0; a < m->n[u]; a++)
    for (int32_t b = 0; b < m->n[w]; b++) {
      size_t line = (size_t)a * stride[u] + (size_t)b * stride[w];
      int32_t first = m->n[axis], last = -1;
      for (int32_t q = 0; q < m->n[axis]; q++)
        if (m->inside[line + (size_t)q * stride[axis]]) first = dv_min_int(first, q), last = q;
      for (int32_t q = first; q <= last; q++) count[line + (size_t)q * stride[axis]]++;
    }
}

bool dv_mask_add_enclosed(dvMask *m, const dvVoxels *image, int32_t label)
{
  uint8_t *count = dv_try_alloc(dv_mask_voxels(m));
  if (!count) return false;
  for (int axis = 0; axis < 3; axis++) count_between(m, axis, count);
  int32_t c[3];
  size_t v = 0;
  for (c[2] = m->at[2]; c[2] < m->at[2] + m->n[2]; c[2]++)
    for (c[1] = m->at[1]; c[1] < m->at[1] + m->n[1]; c[1]++)
      for (c[0] = m->at[0]; c[0] < m->at[0] + m->n[0]; c[0]++, v++) {
        bool there = true;
        for (int k = 0; k < 3; k++) there &= c[k] >= 0 && c[k] < image->n[k];
        if (!there || m->inside[v] || count[v] < 2) continue;
        size_t from = (size_t)c[0] + (size_t)image->n[0] * ((size_t)c[1] + (size_t)image->n[1] * (size_t)c[2]);
        if (image->values.data[from] != (float)label) continue;
        m->inside[v] = 1;
        m->count++;
      }
  dv_free(count);
  return true;
}

// the label of each voxel inside; 0 for the others, and in the empty layer
static float label_inside(const dvMask *m, const dvVoxels *image, size_t v)
{
  size_t x = v % (size_t)m->n[0], y = v / (size_t)m->n[0] % (size_t)m->n[1], z = v / (size_t)m->n[0] / (size_t)m->n[1];
  const int32_t c[3] = {(int32_t)x + m->at[0], (int32_t)y + m->at[1], (int32_t)z + m->at[2]};
  for (int k = 0; k < 3; k++)
    if (c[k] < 0 || c[k] >= image->n[k]) return 0;
  size_t from = (size_t)c[0] + (size_t)image->n[0] * ((size_t)c[1] + (size_t)image->n[1] * (size_t)c[2]);
  return m->inside[v] ? image->values.data[from] : 0;
}

void dv_mask_take_away(dvMask *m, const dvVoxels *image, int32_t label)
{
  for (size_t v = 0; v < dv_mask_voxels(m); v++)
    if (m->inside[v] && label_inside(m, image, v) == (float)label) m->inside[v] = 0, m->count--;
}

void dv_mask_count_labels(const dvMask *m, const dvVoxels *image, const int32_t *labels, size_t count, size_t *counts)
{
  for (size_t i = 0; i < count; i++) counts[i] = 0;
  for (size_t v = 0; v < dv_mask_voxels(m); v++) {
    float label = m->inside[v] ? label_inside(m, image, v) : 0;
    for (size_t i = 0; i < count && label > 0; i++) counts[i] += label == (float)labels[i];
  }
}

static size_t keep(dvMask *m, const dvMask *other, bool common)
{
  size_t v = 0, before = m->count;
  for (int32_t z = 0; z < m->n[2]; z++)
    for (int32_t y = 0; y < m->n[1]; y++)
      for (int32_t x = 0; x < m->n[0]; x++, v++) {
        const int32_t at[3] = {x + m->at[0] - other->at[0], y + m->at[1] - other->at[1], z + m->at[2] - other->at[2]};
        bool there = true;
        for (int k = 0; k < 3; k++) there &= at[k] >= 0 && at[k] < other->n[k];
        if (!m->inside[v] || (there && other->inside[dv_mask_number(other, at[0], at[1], at[2])]) == common) continue;
        m->inside[v] = 0;
        m->count--;
      }
  return before - m->count;
}

size_t dv_mask_keep_common(dvMask *m, const dvMask *other) { return keep(m, other, true); }
size_t dv_mask_keep_other(dvMask *m, const dvMask *other) { return keep(m, other, false); }

bool dv_mask_has(const dvMask *m, dvVec3 x)
{
  dvVec3 local = dv_mat3_t_mul_vec(dv_mat3_load(m->turn), dv_vec3_sub(x, m->origin));
  const double at[3] = {local.x / m->size[0], local.y / m->size[1], local.z / m->size[2]};
  for (int k = 0; k < 3; k++)
    if (!(at[k] >= 0 && at[k] < m->n[k])) return false;
  return m->inside[dv_mask_number(m, (int32_t)at[0], (int32_t)at[1], (int32_t)at[2])];
}

// --- surfaces ------------------------------------------------------------------------------------

// the voxels of one line along x; a crossing that two triangles share at their edge counts once
static void fill_line(dvMask *m, const dvRayHits *hits, size_t first)
{
  double last = -1;
  bool in = false;
  int32_t x = 0;
  for (size_t h = 0; h <= hits->count; h++) {
    double t = h < hits->count ? hits->data[h].t : INFINITY;
    if (h > 0 && h < hits->count && t - last < 1e-9 * m->size[0]) continue;
    for (; x < m->n[0] && (x + 0.5) * m->size[0] < t; x++)
      if (in && h < hits->count) m->inside[first + (size_t)x] = 1, m->count++;
    in = !in;
    last = t;
  }
}

dvStatus dv_mask_of_surface(dvMask *m, const dvMesh *surface, double voxel, int32_t margin, dvMeshError *error)
{
  *m = (dvMask){.size = {voxel, voxel, voxel}, .turn = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
  size_t points = dv_mesh_point_count(surface);
  double low[3], high[3];
  int32_t first[3] = {0}, last[3];
  for (size_t k = 0; k < 3; k++) {
    low[k] = INFINITY, high[k] = -INFINITY;
    for (size_t i = 0; i < points; i++) {
      low[k] = fmin(low[k], surface->positions.data[3 * i + k]);
      high[k] = fmax(high[k], surface->positions.data[3 * i + k]);
    }
    double cells = ceil((high[k] - low[k]) / voxel);
    if (!(cells >= 0 && cells < 4000)) return dv_voxels_fail(error, "voxels of %g m do not suit this surface", voxel);
    last[k] = (int32_t)cells;
  }
  dvRayMesh rays;
  if (!lay(m, margin, first, last) ||
      !dv_ray_mesh_init(&rays, surface->positions.data, surface->triangles.data, surface->triangles.count / 3)) {
    dv_mask_free(m);
    return dv_voxels_fail(error, "out of memory for voxels of %g m", voxel);
  }
  // a little beside the lattice of round numbers, on which surfaces of generators have their corners
  m->origin =
      dv_vec3(low[0] - (margin + 0.01) * voxel, low[1] - (margin + 0.013) * voxel, low[2] - (margin + 0.017) * voxel);
  dvHits scratch = {0};
  dvRayHits hits = {0};
  for (int32_t z = 0; z < m->n[2]; z++)
    for (int32_t y = 0; y < m->n[1]; y++) {
      double from[3] = {m->origin.x, m->origin.y + (y + 0.5) * voxel, m->origin.z + (z + 0.5) * voxel};
      dv_ray_mesh_trace(&rays, from, (const double[3]){1, 0, 0}, &scratch, &hits);
      if (hits.count) fill_line(m, &hits, dv_mask_number(m, 0, y, z));
    }
  dv_array_free(&hits);
  dv_array_free(&scratch);
  dv_ray_mesh_fini(&rays);
  if (m->count) return DV_OK;
  dv_mask_free(m);
  return dv_voxels_fail(error, "no voxel of %g m lies inside of the surface", voxel);
}

void dv_mask_free(dvMask *m)
{
  dv_free(m->inside);
  *m = (dvMask){0};
}

// --- places --------------------------------------------------------------------------------------

dvVec3 dv_mask_direction(const dvMask *m, dvVec3 local) { return dv_mat3_mul_vec(dv_mat3_load(m->turn), local); }
dvVec3 dv_mask_place(const dvMask *m, dvVec3 local) { return dv_vec3_add(m->origin, dv_mask_direction(m, local)); }
bool dv_mask_is_mirrored(const dvMask *m) { return dv_mat3_det(dv_mat3_load(m->turn)) < 0; }

// --- parts, hollows, loops -----------------------------------------------------------------------

typedef DV_ARRAY(int32_t) Numbers;

typedef struct Flood {
  const dvMask *m;
  uint8_t value;   // of the voxels that are looked at
  bool corners;    // over edges and corners too
  int32_t *part;   // of each voxel: 0 not yet
  Numbers waiting;
} Flood;

// gives a number to all that hangs together with a voxel; returns how many they are
static size_t flood(Flood *f, size_t from, int32_t number)
{
  const dvMask *m = f->m;
  size_t count = 0;
  f->waiting.count = 0;
  dv_push(&f->waiting, (int32_t)from);
  f->part[from] = number;
  while (f->waiting.count) {
    size_t v = (size_t)f->waiting.data[--f->waiting.count];
    int32_t x = (int32_t)(v % (size_t)m->n[0]), y = (int32_t)(v / (size_t)m->n[0] % (size_t)m->n[1]),
            z = (int32_t)(v / (size_t)m->n[0] / (size_t)m->n[1]);
    count++;
    for (int move = 0; move < 27; move++) {
      int32_t dx = move % 3 - 1, dy = move / 3 % 3 - 1, dz = move / 9 - 1;
      if (!f->corners && (dx != 0) + (dy != 0) + (dz != 0) != 1) continue;
      int32_t a = x + dx, b = y + dy, c = z + dz;
      if (a < 0 || b < 0 || c < 0 || a >= m->n[0] || b >= m->n[1] || c >= m->n[2]) continue;
      size_t w = dv_mask_number(m, a, b, c);
      if (m->inside[w] != f->value || f->part[w]) continue;
      f->part[w] = number;
      dv_push(&f->waiting, (int32_t)w);
    }
  }
  return count;
}

// numbers all parts; their sizes go to `sizes`, from the first
static bool number_parts(Flood *f, Numbers *sizes)
{
  size_t voxels = dv_mask_voxels(f->m);
  f->part = dv_try_alloc(voxels * sizeof *f->part);
  if (!f->part) return false;
  for (size_t v = 0; v < voxels; v++)
    if (f->m->inside[v] == f->value && !f->part[v]) {
      int32_t count = (int32_t)flood(f, v, (int32_t)sizes->count + 1);
      dv_push(sizes, count);
    }
  dv_array_free(&f->waiting);
  return true;
}

bool dv_mask_keep_parts(dvMask *m, bool corners, double least, size_t *parts, size_t *dropped)
{
  Flood f = {.m = m, .value = 1, .corners = corners};
  Numbers sizes = {0};
  bool good = number_parts(&f, &sizes);
  int32_t largest = 0, first = 0;
  for (size_t i = 0; i < sizes.count; i++)
    if (sizes.data[i] > largest) largest = sizes.data[i], first = (int32_t)i;
  *parts = sizes.count;
  *dropped = 0;
  for (size_t v = 0; good && v < dv_mask_voxels(m); v++) {
    if (!m->inside[v]) continue;
    int32_t p = f.part[v] - 1;
    if (p == first || (least < 1 && sizes.data[p] >= least * largest)) continue;
    m->inside[v] = 0;
    m->count--;
    ++*dropped;
  }
  dv_array_free(&sizes);
  dv_free(f.part);
  return good;
}

bool dv_mask_fill_hollows(dvMask *m, size_t *filled)
{
  Flood f = {.m = m};
  Numbers sizes = {0};
  bool good = number_parts(&f, &sizes);   // the first voxel of the box is outside
  *filled = 0;
  for (size_t v = 0; good && v < dv_mask_voxels(m); v++)
    if (!m->inside[v] && f.part[v] > 1) m->inside[v] = 1, m->count++, ++*filled;
  dv_array_free(&sizes);
  dv_free(f.part);
  return good;
}

// any of the voxels that share a point (all three), an edge (two of the axes) or a face (one) with the corner x y z
static bool any_around(const dvMask *m, int32_t x, int32_t y, int32_t z, int axes)
{
  for (int c = 0; c < 8; c++) {
    if (c & ~axes) continue;
    int32_t a = x - (c & 1), b = y - (c >> 1 & 1), d = z - (c >> 2);
    if (a < 0 || b < 0 || d < 0 || a >= m->n[0] || b >= m->n[1] || d >= m->n[2]) continue;
    if (m->inside[dv_mask_number(m, a, b, d)]) return true;
  }
  return false;
}

long dv_mask_loops(const dvMask *m)
{
  Flood body = {.m = m, .value = 1, .corners = true}, rest = {.m = m};
  Numbers parts = {0}, hollows = {0};
  bool good = number_parts(&body, &parts) && number_parts(&rest, &hollows);
  long euler = -(long)m->count;
  // points touch voxels along all axes, edges along two, faces along one
  for (int32_t z = 0; good && z <= m->n[2]; z++)
    for (int32_t y = 0; y <= m->n[1]; y++)
      for (int32_t x = 0; x <= m->n[0]; x++) {
        if (!any_around(m, x, y, z, 7)) continue;
        euler += 1;
        euler -= any_around(m, x, y, z, 3) + any_around(m, x, y, z, 5) + any_around(m, x, y, z, 6);
        euler += any_around(m, x, y, z, 1) + any_around(m, x, y, z, 2) + any_around(m, x, y, z, 4);
      }
  long loops = (long)parts.count + (long)hollows.count - 1 - euler;
  dv_array_free(&parts);
  dv_array_free(&hollows);
  dv_free(body.part);
  dv_free(rest.part);
  return good ? loops : -1;
}

// MaterialMap: which material fills which voxel of a grid.
//
// The grid is given by its resolution, and is filled everywhere, or in the voxels that `voxels` numbers (those of
// VoxelGridLoader); `values` says which material of the lists each has, counted from 1; 0 is none. `boxes` are painted
// over that in order.
#include "mapping/voxel/material_map.h"

#include "mapping/register.h"
#include "scene/node.h"

#include <math.h>

enum { LARGEST = 1 << 23 };

#define MAP_FIELDS(X)                                                                                               \
  X(ivec3, resolution, "1 1 1", "", "voxels along x, y and z", .flags = DV_INPUT)                                   \
  X(vec3, origin, "0 0 0", "m", "corner of the first voxel", .flags = DV_INPUT)                                     \
  X(vec3, voxelSize, "1 1 1", "m", "sides of a voxel", .flags = DV_INPUT)                                           \
  X(ints, voxels, "", "", "numbers in the grid of the voxels that are filled, x fastest; all when not given",       \
    .flags = DV_INPUT)                                                                                              \
  X(reals, values, "1", "", "material of each of them, counted from 1, or one for all; 0: none", .flags = DV_INPUT) \
  X(vec6s, boxes, "", "m", "boxes that are painted over, minimum and maximum: voxels with their centre inside",     \
    .flags = DV_INPUT)                                                                                              \
  X(ints, boxMaterials, "", "", "material of each box, counted from 1; 0 empties it", .flags = DV_INPUT)            \
  X(reals, youngModulus, "1000", "Pa", "stiffness of each material", .flags = DV_INPUT)                             \
  X(reals, poissonRatio, "0.3", "", "Poisson's ratio of each material, or one for all", .flags = DV_INPUT)          \
  X(reals, density, "1", "kg/m3", "density of each material, or one for all", .flags = DV_INPUT)                    \
  X(vec3s, position, "", "m", "centres of the voxels that are filled", .flags = DV_OUTPUT)                          \
  X(ints, material, "", "", "material of each of them, counted from 1", .flags = DV_OUTPUT)                         \
  X(real, volume, "0", "m3", "volume of all of them", .flags = DV_OUTPUT)

typedef struct MaterialMap {
  dvObject base;
  MAP_FIELDS(DV_MEMBER)
  dvVoxelGrid grid;
} MaterialMap;

#define SELF MaterialMap
static const dvFieldDesc map_fields[] = {MAP_FIELDS(DV_DESCRIBE)};
#undef SELF

dvVec3 dv_voxel_centre(const dvVoxelGrid *g, size_t voxel)
{
  int32_t p = g->place.data[voxel], x = p % g->n[0], y = p / g->n[0] % g->n[1], z = p / g->n[0] / g->n[1];
  return dv_vec3(g->origin.x + (x + 0.5) * g->size.x, g->origin.y + (y + 0.5) * g->size.y,
                 g->origin.z + (z + 0.5) * g->size.z);
}

int32_t dv_voxel_at(const dvVoxelGrid *g, const int32_t at[3])
{
  for (int k = 0; k < 3; k++)
    if (at[k] < 0 || at[k] >= g->n[k]) return -1;
  return g->cell.data[at[0] + g->n[0] * (at[1] + g->n[1] * at[2])];
}

typedef struct Nearest {
  const dvVoxelGrid *g;
  dvVec3 point;
  int32_t at[3];   // the cell around which is searched
  double least;    // distance squared of the best
  size_t best;
} Nearest;

static void offer_cell(Nearest *s, int32_t dx, int32_t dy, int32_t dz)
{
  int32_t v = dv_voxel_at(s->g, (const int32_t[3]){s->at[0] + dx, s->at[1] + dy, s->at[2] + dz});
  if (v < 0) return;
  double d2 = dv_vec3_norm2(dv_vec3_sub(dv_voxel_centre(s->g, (size_t)v), s->point));
  if (d2 < s->least || (d2 == s->least && (size_t)v < s->best)) s->least = d2, s->best = (size_t)v;
}

// the cells whose numbers differ by `r` along at least one axis
static void offer_shell(Nearest *s, int32_t r)
{
  int32_t low[3], high[3];
  for (int k = 0; k < 3; k++) low[k] = dv_max_int(-r, -s->at[k]), high[k] = dv_min_int(r, s->g->n[k] - 1 - s->at[k]);
  for (int32_t z = low[2]; z <= high[2]; z++)
    for (int32_t y = low[1]; y <= high[1]; y++) {
      bool face = z == -r || z == r || y == -r || y == r;
      for (int32_t x = face ? low[0] : -r; x <= high[0]; x += face ? 1 : dv_max_int(2 * r, 1)) offer_cell(s, x, y, z);
    }
}

size_t dv_voxel_nearest(const dvVoxelGrid *g, dvVec3 point)
{
  const double local[3] = {(point.x - g->origin.x) / g->size.x, (point.y - g->origin.y) / g->size.y,
                           (point.z - g->origin.z) / g->size.z};
  const double h[3] = {g->size.x, g->size.y, g->size.z};
  Nearest s = {.g = g, .point = point, .least = INFINITY};
  double outside = 0, side = fmin(h[0], fmin(h[1], h[2]));   // distance squared from the grid
  int32_t most = 0;
  for (int k = 0; k < 3; k++) {
    double away = fmax(0, fmax(-local[k], local[k] - g->n[k])) * h[k];
    s.at[k] = (int32_t)floor(fmin(fmax(local[k], 0), g->n[k] - 1));
    outside += away * away;
    most = dv_max_int(most, g->n[k]);
  }
  int32_t inside = dv_voxel_at(g, s.at);
  if (inside >= 0 && outside == 0) return (size_t)inside;
  for (int32_t r = 0; r <= most; r++) {
    double within = fmax(r - 0.5, 0) * side;   // no centre of this shell is nearer
    if (s.least <= within * within + outside) break;
    offer_shell(&s, r);
  }
  return s.best;
}

static double one_of(const dvReals *list, int32_t number) { return list->data[list->count > 1 ? number : 0]; }

dvVoxelMaterial dv_material_of(const dvObject *map, int32_t number)
{
  const MaterialMap *m = (const MaterialMap *)map;
  return (dvVoxelMaterial){m->youngModulus.data[number], one_of(&m->poissonRatio, number), one_of(&m->density, number)};
}

const dvVoxelGrid *dv_material_grid(dvObject *o, const dvLink *link, dvObject **map)
{
  dvObject *target = link->target;
  for (dvNode *node = o->node; !target && node; node = node->parents.count ? node->parents.data[0] : NULL)
    for (size_t i = 0; i < node->objects.count && !target; i++)
      if (node->objects.data[i]->cls == &dv_material_map_class) target = node->objects.data[i];
  if (!target || target->cls != &dv_material_map_class) {
    dv_error(o, "give map=\"@path\"", target ? "%s is no MaterialMap" : "%s finds no MaterialMap",
             target ? target->name : o->name);
    return NULL;
  }
  if (dv_object_update(target) != DV_OK || target->failed) {
    dv_error(o, NULL, "the map %s could not be made", target->name);
    return NULL;
  }
  if (map) *map = target;
  return &((MaterialMap *)target)->grid;
}

// --- making it -----------------------------------------------------------------------------------

static dvStatus check_grid(const MaterialMap *m)
{
  const dvObject *o = &m->base;
  double total = 1;
  for (int k = 0; k < 3; k++) {
    if (m->resolution[k] < 1)
      return dv_field_error(o, m->resolution, NULL, "the resolution is %d %d %d", m->resolution[0], m->resolution[1],
                            m->resolution[2]);
    if (!(m->voxelSize[k] > 0 && isfinite(m->voxelSize[k])) || !isfinite(m->origin[k]))
      return dv_field_error(o, m->voxelSize, NULL, "a voxel measures %g %g %g", m->voxelSize[0], m->voxelSize[1],
                            m->voxelSize[2]);
    total *= m->resolution[k];
  }
  if (total > LARGEST) return dv_field_error(o, m->resolution, "give a coarser grid", "%g voxels are too many", total);
  return DV_OK;
}

static dvStatus check_list(const MaterialMap *m, const dvReals *list, double low, double high)
{
  const dvObject *o = &m->base;
  const char *name = dv_field_name(dv_field_of(o, list)->desc);
  if (list->count != 1 && list->count != m->youngModulus.count)
    return dv_field_error(o, list, NULL, "%s has %zu entries: one for all, or one for each of %zu materials", name,
                          list->count, m->youngModulus.count);
  for (size_t i = 0; i < list->count; i++)
    if (!(list->data[i] > low && list->data[i] < high))
      return dv_field_error(o, list, NULL, "entry %zu of %s is %g", i, name, list->data[i]);
  return DV_OK;
}

static dvStatus check_lists(const MaterialMap *m)
{
  const dvObject *o = &m->base;
  size_t cells = (size_t)m->resolution[0] * (size_t)m->resolution[1] * (size_t)m->resolution[2],
         filled = m->voxels.count ? m->voxels.count : cells;
  if (m->youngModulus.count == 0) return dv_field_error(o, &m->youngModulus, NULL, "there is no material");
  DV_TRY(check_list(m, &m->youngModulus, 0, INFINITY));
  DV_TRY(check_list(m, &m->poissonRatio, -1, 0.5));
  DV_TRY(check_list(m, &m->density, 0, INFINITY));
  for (size_t i = 0; i < m->voxels.count; i++)
    if (m->voxels.data[i] < 0 || (size_t)m->voxels.data[i] >= cells)
      return dv_field_error(o, &m->voxels, NULL, "voxel %d is outside of the grid, which has %zu", m->voxels.data[i],
                            cells);
  if (m->values.count != 1 && m->values.count != filled)
    return dv_field_error(o, &m->values, NULL, "values has %zu entries: one for all, or one for each of %zu voxels",
                          m->values.count, filled);
  for (size_t i = 0; i < m->values.count; i++)
    if (!(m->values.data[i] >= 0 && m->values.data[i] <= (double)m->youngModulus.count))
      return dv_field_error(o, &m->values, NULL, "value %zu is %g, and there are %zu materials", i, m->values.data[i],
                            m->youngModulus.count);
  size_t boxes = dv_reals_size(&m->boxes);
  if (m->boxMaterials.count != boxes)
    return dv_field_error(o, &m->boxMaterials, NULL, "%zu materials for %zu boxes", m->boxMaterials.count, boxes);
  for (size_t i = 0; i < boxes; i++)
    if (m->boxMaterials.data[i] < 0 || (size_t)m->boxMaterials.data[i] > m->youngModulus.count)
      return dv_field_error(o, &m->boxMaterials, NULL, "box %zu has the material %d, and there are %zu", i,
                            m->boxMaterials.data[i], m->youngModulus.count);
  return DV_OK;
}

// the cells along an axis whose centres lie between two places
static void cells_between(const MaterialMap *m, int axis, double from, double to, int32_t *first, int32_t *last)
{
  double size = m->voxelSize[axis], top = m->resolution[axis] - 1;
  *first = (int32_t)fmin(fmax(ceil((from - m->origin[axis]) / size - 0.5 - 1e-9), 0), top + 1);
  *last = (int32_t)fmin(fmax(floor((to - m->origin[axis]) / size - 0.5 + 1e-9), -1), top);
}

// materials counted from 1 of all cells of the grid
static void paint(const MaterialMap *m, int32_t *cell, size_t cells)
{
  size_t filled = m->voxels.count ? m->voxels.count : cells;
  for (size_t i = 0; i < filled; i++)
    cell[m->voxels.count ? (size_t)m->voxels.data[i] : i] = (int32_t)m->values.data[m->values.count > 1 ? i : 0];
  for (size_t b = 0; b < m->boxMaterials.count; b++) {
    const double *box = m->boxes.data + 6 * b;
    int32_t first[3], last[3];
    for (int k = 0; k < 3; k++) cells_between(m, k, box[k], box[3 + k], &first[k], &last[k]);
    for (int32_t z = first[2]; z <= last[2]; z++)
      for (int32_t y = first[1]; y <= last[1]; y++)
        for (int32_t x = first[0]; x <= last[0]; x++)
          cell[x + m->resolution[0] * (y + m->resolution[1] * z)] = m->boxMaterials.data[b];
  }
}

static void find_reach(dvVoxelGrid *g)
{
  for (size_t v = 0; v < g->place.count; v++) {
    int32_t p = g->place.data[v], at[3] = {p % g->n[0], p / g->n[0] % g->n[1], p / g->n[0] / g->n[1]}, move[3],
            corner[3];
    uint32_t reach = 0;
    for (int k = 0; k < 27; k++) {
      bool open = true;
      dv_voxel_move(k, move);
      for (int c = 1; c < 8 && open; c++) {
        for (int a = 0; a < 3; a++) corner[a] = at[a] + (c >> a & 1) * move[a];
        open = dv_voxel_at(g, corner) >= 0;
      }
      reach |= (uint32_t)open << k;
    }
    dv_push(&g->reach, reach & ~(1u << 13));   // move 13 is none
  }
}

static void fill_grid(MaterialMap *m, size_t cells)
{
  dvVoxelGrid *g = &m->grid;
  double sum = 0;
  for (size_t i = 0; i < cells; i++) {
    int32_t material = g->cell.data[i] - 1;
    g->cell.data[i] = material < 0 ? -1 : (int32_t)g->place.count;
    if (material < 0) continue;
    dv_push(&g->place, (int32_t)i);
    dv_push(&g->material, material);
    sum += m->youngModulus.data[material];
  }
  double mean = sum / (double)dv_max_size(g->place.count, 1);
  for (size_t v = 0; v < g->place.count; v++) dv_push(&g->compliance, mean / m->youngModulus.data[g->material.data[v]]);
  find_reach(g);
}

static dvStatus material_map_update(dvObject *o)
{
  MaterialMap *m = (MaterialMap *)o;
  dvVoxelGrid *g = &m->grid;
  DV_TRY(check_grid(m));
  DV_TRY(check_lists(m));
  size_t cells = (size_t)m->resolution[0] * (size_t)m->resolution[1] * (size_t)m->resolution[2];
  memcpy(g->n, m->resolution, sizeof g->n);
  g->origin = dv_vec3_load(m->origin);
  g->size = dv_vec3_load(m->voxelSize);
  g->cell.count = g->place.count = g->material.count = g->compliance.count = g->reach.count = 0;
  dv_array_resize(&g->cell, cells);
  paint(m, g->cell.data, cells);
  fill_grid(m, cells);
  if (dv_voxel_count(g) == 0) return dv_error(o, "check voxels, values and boxes", "no voxel is filled");
  if (!dv_reals_resize(&m->position, 3 * dv_voxel_count(g)) || !dv_ints_resize(&m->material, dv_voxel_count(g)))
    return dv_error(o, NULL, "out of memory");
  for (size_t v = 0; v < dv_voxel_count(g); v++) {
    dv_vec3_store(m->position.data + 3 * v, dv_voxel_centre(g, v));
    m->material.data[v] = g->material.data[v] + 1;
  }
  m->volume = dv_voxel_volume(g) * (double)dv_voxel_count(g);
  return DV_OK;
}

static void material_map_destroy(dvObject *o)
{
  dvVoxelGrid *g = &((MaterialMap *)o)->grid;
  dv_array_free(&g->cell);
  dv_array_free(&g->place);
  dv_array_free(&g->material);
  dv_array_free(&g->compliance);
  dv_array_free(&g->reach);
}

const dvClass dv_material_map_class = {
    .struct_size = sizeof(dvClass),
    .name = "MaterialMap",
    .help = "which material fills which voxel of a grid",
    .module = "Divan",
    .roles = DV_PLAYS(DV_ROLE_ENGINE),
    .size = sizeof(MaterialMap),
    .blocks = {&dv_object_block, DV_BLOCK(map_fields)},
    .update = material_map_update,
    .destroy = material_map_destroy,
};

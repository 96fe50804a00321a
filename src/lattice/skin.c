// The outside of a lattice as faces, and what a picture shows of a SpringLattice. See skin.h.
#include "lattice/skin.h"

#include "lattice/layout.h"
#include "lattice/spring_lattice.h"

#include <string.h>

typedef struct Face {
  uint32_t corner[4];   // slots
  uint8_t region;
} Face;

static size_t beside(const dvLattice *l, size_t slot, const int step[3])
{
  size_t line = (size_t)(3 * (step[2] + 1) + step[1] + 1);
  int64_t first = l->rows[9 * (slot / DV_LATTICE_LANES) + line];
  return (size_t)(first + (int64_t)(slot % DV_LATTICE_LANES) + step[0]);
}

// of the spring that leads there; 0: there is none
static uint8_t class_of(const dvLattice *l, size_t slot, const int step[3])
{
  size_t row = DV_LATTICE_WAYS * (slot / DV_LATTICE_LANES) + (size_t)dv_layout_way(step);
  return l->cls[DV_LATTICE_LANES * row + slot % DV_LATTICE_LANES];
}

// the cube whose lowest corner this is
static bool has_cube(const dvLattice *l, size_t slot) { return class_of(l, slot, (const int[3]){1, 1, 1}) != 0; }

static bool is_outer(const dvLattice *l, size_t slot, int axis, bool high)
{
  int step[3] = {0};
  step[axis] = high ? 1 : -1;
  return !class_of(l, slot, step) || !has_cube(l, beside(l, slot, step));
}

// What the diagonal is made of; where that is nothing special, two opposite edges.
static uint8_t face_region(const dvLattice *l, const uint8_t region_of[256], const uint32_t c[4], const int a[3],
                           const int b[3])
{
  int both[3] = {a[0] + b[0], a[1] + b[1], a[2] + b[2]};
  uint8_t r = region_of[class_of(l, c[0], both)];
  if (r) return r;
  r = region_of[class_of(l, c[0], a)];
  if (r && r == region_of[class_of(l, c[3], a)]) return r;
  r = region_of[class_of(l, c[0], b)];
  return r && r == region_of[class_of(l, c[1], b)] ? r : 0;
}

static Face face_of(const dvLattice *l, const uint8_t region_of[256], size_t slot, int axis, bool high, bool mirrored)
{
  int a[3] = {0}, b[3] = {0}, at[3] = {0};
  a[(axis + 1) % 3] = b[(axis + 2) % 3] = 1;
  Face f;
  for (int k = 0; k < 4; k++) {
    for (int i = 0; i < 3; i++) at[i] = (i == axis && high) + (k == 1 || k == 2) * a[i] + (k >= 2) * b[i];
    f.corner[k] = (uint32_t)(at[0] || at[1] || at[2] ? beside(l, slot, at) : slot);
  }
  f.region = face_region(l, region_of, f.corner, a, b);
  if (high == mirrored) {   // seen from outside
    uint32_t t = f.corner[1];
    f.corner[1] = f.corner[3], f.corner[3] = t;
  }
  return f;
}

static bool fill(const dvLattice *l, const Face *faces, size_t count, int32_t *place, dvLatticeSkin *out)
{
  size_t next[DV_SKIN_REGIONS], sum = 0, points = 0;
  for (size_t i = 0; i < count; i++) out->counts[faces[i].region] += 6;
  for (int r = 0; r < DV_SKIN_REGIONS; r++) next[r] = sum, sum += out->counts[r];
  for (size_t i = 0; i < l->slots; i++) place[i] = -1;
  for (size_t i = 0; i < 4 * count; i++) place[faces[i / 4].corner[i % 4]] = 0;
  for (size_t i = 0; i < l->slots; i++)
    if (place[i] == 0) place[i] = (int32_t)points++;
  if (!dv_ints_resize(&out->points, points) || !dv_ints_resize(&out->triangles, sum)) return false;
  int32_t *point = dv_ints_edit(&out->points), *triangle = dv_ints_edit(&out->triangles);
  for (size_t i = 0; i < l->slots; i++)
    if (place[i] >= 0) point[place[i]] = l->point_of[i];
  static const int corners[6] = {0, 1, 2, 0, 2, 3};
  for (size_t i = 0; i < count; i++)
    for (int k = 0; k < 6; k++) triangle[next[faces[i].region]++] = place[faces[i].corner[corners[k]]];
  return true;
}

void dv_lattice_skin_clear(dvLatticeSkin *skin)
{
  dv_ints_free(&skin->points);
  dv_ints_free(&skin->triangles);
  *skin = (dvLatticeSkin){.points = {.width = 1}, .triangles = {.width = 3}};
}

bool dv_lattice_skin(const dvLattice *l, const uint8_t region_of[256], dvLatticeSkin *out)
{
  dv_lattice_skin_clear(out);
  if (!l->grid) return true;
  DV_ARRAY(Face) faces = {0};
  // an odd order of the axes turns left into right
  bool mirrored = (l->axis[1] - l->axis[0] + 3) % 3 != 1;
  for (size_t slot = 0; slot < l->slots; slot++)
    for (int k = 0; l->point_of[slot] >= 0 && has_cube(l, slot) && k < 6; k++)
      if (is_outer(l, slot, k / 2, k % 2)) dv_push(&faces, face_of(l, region_of, slot, k / 2, k % 2, mirrored));
  int32_t *place = dv_try_alloc(l->slots * sizeof *place);
  bool good = place && fill(l, faces.data, faces.count, place, out);
  dv_array_free(&faces);
  dv_free(place);
  if (!good) dv_lattice_skin_clear(out);
  return good;
}

// --- the picture of a SpringLattice --------------------------------------------------------------

// for regions whose colour the scene does not tell
static const double palette[][4] = {{0.20, 0.55, 0.80, 1}, {0.90, 0.55, 0.20, 1}, {0.35, 0.68, 0.36, 1},
                                    {0.80, 0.35, 0.35, 1}, {0.58, 0.45, 0.75, 1}, {0.85, 0.75, 0.30, 1},
                                    {0.30, 0.70, 0.70, 1}, {0.85, 0.50, 0.68, 1}};

static const double *given_colour(const dvObject *part)
{
  if (part->cls == &dv_lattice_material_class) {
    const dvLatticeMaterial *m = (const dvLatticeMaterial *)part;
    return dv_was_set(part, &m->color) ? m->color : NULL;
  }
  const dvLatticeActuator *a = (const dvLatticeActuator *)part;
  return dv_was_set(part, &a->color) ? a->color : NULL;
}

// Regions are parts in the order of the node, from 1; 0 is what none of them has. An actuator goes before a material.
static size_t list_regions(const dvSpringLattice *s, const dvObject *list[DV_SKIN_REGIONS], uint8_t region_of[256])
{
  size_t count = 1;
  const dvNode *node = s->base.node;
  memset(region_of, 0, 256);
  for (size_t k = 0; k < node->objects.count && count < DV_SKIN_REGIONS; k++) {
    const dvObject *part = node->objects.data[k];
    if (part->cls == &dv_lattice_material_class || part->cls == &dv_lattice_actuator_class) list[count++] = part;
  }
  for (size_t i = 0; i < s->recipes.count; i++) {
    const dvRecipe *r = &s->recipes.data[i];
    const dvObject *part = r->actuator ? &r->actuator->base : r->material ? &r->material->base : NULL;
    for (size_t k = 1; part && k < count; k++)
      if (list[k] == part) region_of[i + 1] = (uint8_t)k;
  }
  return count;
}

static bool make_skin(dvSpringLattice *s)
{
  const dvObject *list[DV_SKIN_REGIONS] = {0};
  uint8_t region_of[256];
  size_t count = list_regions(s, list, region_of);
  dv_free(s->skin_parts);
  s->skin_parts = dv_try_alloc(DV_SKIN_REGIONS * sizeof *s->skin_parts);
  if (!s->skin_parts || !dv_lattice_skin(s->lattice, region_of, &s->skin)) return false;
  for (size_t k = 0; k < count; k++) {
    const double *given = k ? given_colour(list[k]) : s->color;
    s->skin_parts[k].count = s->skin.counts[k];
    memcpy(s->skin_parts[k].colour, given ? given : palette[(k - 1) % DV_COUNT(palette)], 4 * sizeof(double));
  }
  return true;
}

void dv_lattice_skin_free(dvSpringLattice *s)
{
  dv_lattice_skin_clear(&s->skin);
  dv_free(s->skin_parts);
  s->skin_parts = NULL;
}

void dv_lattice_sketch(dvObject *o, dvSketch *out)
{
  dvSpringLattice *s = (dvSpringLattice *)o;
  if (!s->lattice || !s->showSprings) return;
  out->state = &s->state->base;
  out->coloured = true;
  memcpy(out->colour, s->color, sizeof out->colour);
  if (!s->lattice->grid) {
    static const double lines[4] = {0.25, 0.68, 0.47, 1};   // what suits a surface is too pale for them
    out->kind = DV_SKETCH_LINES;
    out->pairs = &s->springs;
    if (!dv_was_set(o, &s->color)) memcpy(out->colour, lines, sizeof lines);
  } else if (make_skin(s)) {
    out->kind = DV_SKETCH_FACES;
    out->points = &s->skin.points;
    out->triangles = &s->skin.triangles;
    out->parts = s->skin_parts;
    out->part_count = DV_SKIN_REGIONS;
  }
}

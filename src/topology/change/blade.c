// See blade.h.
#include "topology/change/blade.h"

static dvVec3 lower(dvVec3 a, dvVec3 b) { return dv_vec3(dv_min(a.x, b.x), dv_min(a.y, b.y), dv_min(a.z, b.z)); }
static dvVec3 upper(dvVec3 a, dvVec3 b) { return dv_vec3(dv_max(a.x, b.x), dv_max(a.y, b.y), dv_max(a.z, b.z)); }

static dvVec3 corner(const dvBlade *b, const dvBladeFacet *f, int32_t i)
{
  return b->corners.data[b->ring.data[f->first + i % f->count]];
}

static int32_t corner_at(dvBlade *b, dvVec3 x, double slack)
{
  for (size_t i = 0; i < b->corners.count; i++)
    if (dv_vec3_norm(dv_vec3_sub(b->corners.data[i], x)) <= slack) return (int32_t)i;
  dv_push(&b->corners, x);
  return (int32_t)b->corners.count - 1;
}

// the plane through the middle of the corners, after Newell; false when there is no area
static bool find_plane(const dvBlade *b, dvBladeFacet *f)
{
  dvVec3 normal = dv_vec3(0, 0, 0);
  double longest2 = 0;
  f->centre = dv_vec3(0, 0, 0);
  if (f->count < 3) return false;
  f->low = f->high = corner(b, f, 0);
  for (int32_t i = 0; i < f->count; i++) {
    f->centre = dv_vec3_add_scaled(f->centre, corner(b, f, i), 1 / (double)f->count);
    f->low = lower(f->low, corner(b, f, i));
    f->high = upper(f->high, corner(b, f, i));
  }
  for (int32_t i = 0; i < f->count; i++) {
    dvVec3 p = dv_vec3_sub(corner(b, f, i), f->centre), q = dv_vec3_sub(corner(b, f, i + 1), f->centre);
    normal = dv_vec3_add(normal, dv_vec3_cross(p, q));
    longest2 = dv_max(longest2, dv_vec3_norm2(p));
  }
  double length = dv_vec3_norm(normal);
  if (!(length > 1e-12 * longest2) || !isfinite(length)) return false;
  f->normal = dv_vec3_scale(normal, 1 / length);
  return true;
}

// false when two facets have it already
static bool find_edge(dvBlade *b, int32_t from, int32_t to, int32_t facet)
{
  for (size_t i = 0; i < b->edges.count; i++) {
    dvBladeEdge *e = &b->edges.data[i];
    if (!(e->ends[0] == from && e->ends[1] == to) && !(e->ends[0] == to && e->ends[1] == from)) continue;
    dv_push(&b->sides, (int32_t)i);
    if (e->facets[1] >= 0) return false;
    e->facets[1] = facet;
    return true;
  }
  dv_push(&b->sides, (int32_t)b->edges.count);
  dv_push(&b->edges, ((dvBladeEdge){{from, to}, {facet, -1}}));
  return true;
}

static void add_facet(dvBlade *b, const dvSheet *sheet, size_t i, double slack)
{
  dvBladeFacet f = {.first = (int32_t)b->ring.count};
  for (size_t k = sheet->offsets[i]; k < sheet->offsets[i + 1]; k++) {
    int32_t c = corner_at(b, dv_vec3_load(sheet->corners + 3 * k), slack);
    bool again = f.count && (b->ring.data[b->ring.count - 1] == c || b->ring.data[f.first] == c);
    if (again) continue;
    dv_push(&b->ring, c);
    f.count++;
  }
  if (find_plane(b, &f)) dv_push(&b->facets, f);
  else b->ring.count = (size_t)f.first;
}

bool dv_blade_init(dvBlade *b, const dvSheet *sheet)
{
  *b = (dvBlade){0};
  size_t corners = sheet->offsets[sheet->facets];
  for (size_t i = 0; i < 3 * corners; i++)
    if (!isfinite(sheet->corners[i])) return false;
  for (size_t i = 0; i < corners; i++) {
    dvVec3 x = dv_vec3_load(sheet->corners + 3 * i);
    b->low = i ? lower(b->low, x) : x;
    b->high = i ? upper(b->high, x) : x;
  }
  b->size = dv_vec3_norm(dv_vec3_sub(b->high, b->low));
  if (!isfinite(b->size)) return false;
  for (size_t i = 0; i < sheet->facets; i++) add_facet(b, sheet, i, 1e-12 * b->size);
  bool good = b->facets.count > 0;
  for (size_t i = 0; i < b->facets.count && good; i++) {
    const dvBladeFacet *f = &b->facets.data[i];
    for (int32_t k = 0; k < f->count && good; k++)
      good = find_edge(b, b->ring.data[f->first + k], b->ring.data[f->first + (k + 1) % f->count], (int32_t)i);
  }
  return good;
}

void dv_blade_fini(dvBlade *b)
{
  dv_array_free(&b->corners), dv_array_free(&b->facets), dv_array_free(&b->ring);
  dv_array_free(&b->sides), dv_array_free(&b->edges);
}

void dv_blade_shift(dvBlade *b, dvVec3 by)
{
  for (size_t i = 0; i < b->corners.count; i++) b->corners.data[i] = dv_vec3_add(b->corners.data[i], by);
  for (size_t i = 0; i < b->facets.count; i++) {
    dvBladeFacet *f = &b->facets.data[i];
    f->centre = dv_vec3_add(f->centre, by), f->low = dv_vec3_add(f->low, by), f->high = dv_vec3_add(f->high, by);
  }
  b->low = dv_vec3_add(b->low, by), b->high = dv_vec3_add(b->high, by);
}

bool dv_blade_covers(const dvBlade *b, int32_t facet, dvVec3 x, double slack)
{
  const dvBladeFacet *f = &b->facets.data[facet];
  for (int32_t i = 0; i < f->count; i++) {
    dvVec3 from = corner(b, f, i), side = dv_vec3_sub(corner(b, f, i + 1), from);
    double inward = dv_vec3_dot(dv_vec3_cross(f->normal, side), dv_vec3_sub(x, from));
    if (inward < -slack * dv_vec3_norm(side)) return false;
  }
  return true;
}

double dv_blade_crossing(const dvBlade *b, int32_t facet, dvVec3 from, dvVec3 to)
{
  double p = dv_blade_height(b, facet, from), q = dv_blade_height(b, facet, to);
  if ((p >= 0) == (q >= 0)) return -1;
  double s = p / (p - q);
  return dv_blade_covers(b, facet, dv_vec3_add_scaled(from, dv_vec3_sub(to, from), s), 1e-13 * b->size) ? s : -1;
}

bool dv_blade_meets(const dvBlade *b, dvVec3 from, dvVec3 to)
{
  if (dv_boxes_apart(from, to, b->low, b->high)) return false;
  for (size_t i = 0; i < b->facets.count; i++) {
    const dvBladeFacet *f = &b->facets.data[i];
    if (!dv_boxes_apart(from, to, f->low, f->high) && dv_blade_crossing(b, (int32_t)i, from, to) >= 0) return true;
  }
  return false;
}

// See surface.h.
#include "anatomy/surface.h"

#include "topology/search/cell_patterns.h"

#include <math.h>
#include <string.h>

void dv_skin_free(dvSkin *s)
{
  dv_array_free(&s->x);
  dv_array_free(&s->triangles);
}

// --- marching cubes ------------------------------------------------------------------------------

// shares of cells that are filled, with an empty layer around them
typedef struct Cells {
  int32_t n[3];
  double size[3], start[3];   // of the middle of the first cell
  float *share;
} Cells;

static size_t cell_number(const Cells *c, const int32_t at[3])
{
  return (size_t)at[0] + (size_t)c->n[0] * ((size_t)at[1] + (size_t)c->n[1] * (size_t)at[2]);
}

static bool count_cells(Cells *c, const dvMask *m, const int cell[3])
{
  size_t total = 1;
  for (int k = 0; k < 3; k++) {
    c->n[k] = (m->n[k] + cell[k] - 1) / cell[k] + 2;
    c->size[k] = m->size[k] * cell[k];
    c->start[k] = -c->size[k] / 2;
    total *= (size_t)c->n[k];
  }
  c->share = dv_try_alloc(total * sizeof *c->share);
  if (!c->share) return false;
  float part = 1.0f / (float)(cell[0] * cell[1] * cell[2]);
  const uint8_t *v = m->inside;
  for (int32_t z = 0; z < m->n[2]; z++)
    for (int32_t y = 0; y < m->n[1]; y++)
      for (int32_t x = 0; x < m->n[0]; x++)
        if (*v++)
          c->share[cell_number(c, (const int32_t[3]){1 + x / cell[0], 1 + y / cell[1], 1 + z / cell[2]})] += part;
  return true;
}

static int pattern_of(const Cells *c, const int32_t at[3])
{
  int inside = 0;
  for (int k = 0; k < 8; k++) {
    int32_t corner[3] = {at[0] + (k & 1), at[1] + (k >> 1 & 1), at[2] + (k >> 2)};
    inside |= (c->share[cell_number(c, corner)] > 0.5f) << k;
  }
  return inside;
}

typedef struct March {
  const Cells *c;
  int32_t *point;   // of the edge from each cell's middle along x, y, z
  dvSkin *s;
} March;

// the crossing of an edge of the lattice, in the axes of the mask
static bool point_on_edge(March *w, const int32_t at[3], int axis, int32_t *out)
{
  const Cells *c = w->c;
  size_t from = cell_number(c, at);
  int32_t *known = &w->point[3 * from + (size_t)axis], to[3] = {at[0], at[1], at[2]};
  to[axis]++;
  if (*known == 0) {
    double a = c->share[from], b = c->share[cell_number(c, to)], x[3];
    for (int k = 0; k < 3; k++) x[k] = c->start[k] + (at[k] + (k == axis ? (0.5 - a) / (b - a) : 0)) * c->size[k];
    if (!dv_try_reserve(&w->s->x, 3)) return false;
    memcpy(w->s->x.data + w->s->x.count, x, sizeof x);
    w->s->x.count += 3;
    *known = (int32_t)(w->s->x.count / 3);
  }
  *out = *known - 1;
  return true;
}

static bool march(dvSkin *s, const Cells *c)
{
  uint8_t patterns[256][DV_CELL_PATTERN];
  dv_cell_patterns(patterns);
  March w = {c, dv_try_alloc(3 * sizeof(int32_t) * (size_t)c->n[0] * (size_t)c->n[1] * (size_t)c->n[2]), s};
  bool good = w.point != NULL;
  int32_t at[3];
  for (at[2] = 0; good && at[2] + 1 < c->n[2]; at[2]++)
    for (at[1] = 0; good && at[1] + 1 < c->n[1]; at[1]++)
      for (at[0] = 0; good && at[0] + 1 < c->n[0]; at[0]++) {
        const uint8_t *edges = patterns[pattern_of(c, at)];
        good = dv_try_reserve(&s->triangles, 3 * (size_t)edges[0]);
        for (int e = 0; good && e < 3 * edges[0]; e++) {
          int corner[3];
          dv_cell_edge_corner(edges[1 + e], corner);
          int32_t from[3] = {at[0] + corner[0], at[1] + corner[1], at[2] + corner[2]};
          good = point_on_edge(&w, from, edges[1 + e] / 4, &s->triangles.data[s->triangles.count]);
          s->triangles.count += good;
        }
      }
  dv_free(w.point);
  return good;
}

// --- smoothing -----------------------------------------------------------------------------------

double dv_skin_volume(const dvSkin *s)
{
  double six = 0;
  for (size_t i = 0; i + 3 <= s->triangles.count; i += 3) {
    const int32_t *t = s->triangles.data + i;
    dvVec3 a = dv_vec3_load(s->x.data + 3 * t[0]), b = dv_vec3_load(s->x.data + 3 * t[1]),
           c = dv_vec3_load(s->x.data + 3 * t[2]);
    six += dv_vec3_dot(a, dv_vec3_cross(b, c));
  }
  return six / 6;
}

double dv_skin_area(const dvSkin *s)
{
  double area = 0;
  for (size_t i = 0; i + 3 <= s->triangles.count; i += 3) {
    const int32_t *t = s->triangles.data + i;
    dvVec3 a = dv_vec3_load(s->x.data + 3 * t[0]);
    area += dv_vec3_norm(dv_vec3_cross(dv_vec3_sub(dv_vec3_load(s->x.data + 3 * t[1]), a),
                                       dv_vec3_sub(dv_vec3_load(s->x.data + 3 * t[2]), a))) /
            2;
  }
  return area;
}

// how the volume grows when a point moves: a third of the areas around it, along their normals
static void slopes(const dvSkin *s, double *out)
{
  memset(out, 0, s->x.count * sizeof *out);
  for (size_t i = 0; i + 3 <= s->triangles.count; i += 3) {
    const int32_t *t = s->triangles.data + i;
    dvVec3 a = dv_vec3_load(s->x.data + 3 * t[0]), b = dv_vec3_load(s->x.data + 3 * t[1]),
           c = dv_vec3_load(s->x.data + 3 * t[2]);
    dvVec3 sixth = dv_vec3_scale(dv_vec3_cross(dv_vec3_sub(b, a), dv_vec3_sub(c, a)), 1.0 / 6);
    for (int k = 0; k < 3; k++) dv_vec3_accumulate(out + 3 * t[k], sixth);
  }
}

void dv_skin_normals(const dvSkin *s, double *out)
{
  slopes(s, out);
  for (size_t i = 0; i < s->x.count; i += 3) {
    dvVec3 g = dv_vec3_load(out + i);
    double length = dv_vec3_norm(g);
    dv_vec3_store(out + i, length > 0 ? dv_vec3_scale(g, 1 / length) : g);
  }
}

// each edge of a closed surface is met once from each end
static void relax(dvSkin *s, double factor, double *sum, int32_t *count)
{
  memset(sum, 0, s->x.count * sizeof *sum);
  memset(count, 0, s->x.count / 3 * sizeof *count);
  for (size_t i = 0; i < s->triangles.count; i++) {
    int32_t a = s->triangles.data[i], b = s->triangles.data[i % 3 == 2 ? i - 2 : i + 1];
    dv_vec3_accumulate(sum + 3 * a, dv_vec3_load(s->x.data + 3 * b));
    count[a]++;
  }
  for (size_t p = 0; p < s->x.count / 3; p++) {
    if (!count[p]) continue;
    for (size_t k = 3 * p; k < 3 * p + 3; k++) s->x.data[k] += factor * (sum[k] / count[p] - s->x.data[k]);
  }
}

// Along the normals, until the volume is right. The volume is a cubic function of the way: where smoothing has left
// next to nothing, the first way leads far beyond, and each of the next ones back by a third.
static void restore(dvSkin *s, double volume, double *normal)
{
  dv_skin_normals(s, normal);
  for (int i = 0; i < 200; i++) {
    double missing = volume - dv_skin_volume(s), area = 0;
    for (size_t t = 0; t + 3 <= s->triangles.count; t += 3) {
      const int32_t *c = s->triangles.data + t;
      dvVec3 a = dv_vec3_load(s->x.data + 3 * c[0]), b = dv_vec3_load(s->x.data + 3 * c[1]),
             d = dv_vec3_load(s->x.data + 3 * c[2]), n = dv_vec3_cross(dv_vec3_sub(b, a), dv_vec3_sub(d, a));
      for (int k = 0; k < 3; k++) area += dv_vec3_dot(n, dv_vec3_load(normal + 3 * c[k])) / 6;
    }
    if (!(area > 0) || fabs(missing) <= 1e-13 * fabs(volume)) return;
    for (size_t k = 0; k < s->x.count; k++) s->x.data[k] += missing / area * normal[k];
  }
}

bool dv_skin_smooth(dvSkin *s, int passes, double volume)
{
  double *work = dv_try_alloc(s->x.count * sizeof *work + 8);
  int32_t *count = dv_try_alloc(s->x.count / 3 * sizeof *count + 8);
  bool good = work && count;
  for (int i = 0; good && i < passes; i++) {
    relax(s, 0.5, work, count);
    relax(s, -0.53, work, count);
  }
  if (good) restore(s, volume, work);
  dv_free(work);
  dv_free(count);
  return good;
}

bool dv_skin_of_mask(dvSkin *s, const dvMask *m, const int cell[3], int passes)
{
  *s = (dvSkin){0};
  Cells c = {0};
  bool good = count_cells(&c, m, cell) && march(s, &c) && dv_skin_smooth(s, passes, dv_mask_volume(m));
  dv_free(c.share);
  for (size_t i = 0; good && i < s->x.count; i += 3)
    dv_vec3_store(s->x.data + i, dv_mask_place(m, dv_vec3_load(s->x.data + i)));
  if (good && dv_mask_is_mirrored(m))
    for (size_t i = 0; i + 3 <= s->triangles.count; i += 3) {
      int32_t keep = s->triangles.data[i + 1];
      s->triangles.data[i + 1] = s->triangles.data[i + 2];
      s->triangles.data[i + 2] = keep;
    }
  if (!good) dv_skin_free(s);
  return good;
}

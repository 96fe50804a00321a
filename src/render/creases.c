// See creases.h. Corners of triangles are joined over every edge that is not sharp; each group of corners that is left
// is a point of its own.
#include "render/creases.h"

#include <math.h>

static const double sharp = 0.6427876096865393;   // cosine of 50 degrees
enum { NONE = UINT32_MAX };

static uint32_t bits_of(float f)
{
  uint32_t b;
  memcpy(&b, &f, sizeof b);
  return b;
}

static size_t table_size(size_t entries)
{
  size_t size = 16;
  while (size < 2 * entries) size *= 2;
  return size;
}

// for each point the first one at its place
static uint32_t *same_places(const float *x, size_t points)
{
  size_t size = table_size(points);
  uint32_t *first = dv_alloc((points + 1) * sizeof *first), *table = dv_alloc(size * sizeof *table);
  memset(table, 0xff, size * sizeof *table);
  for (size_t i = 0; i < points; i++) {
    const float *p = x + 3 * i;
    uint32_t h = bits_of(p[0]) * 73856093u ^ bits_of(p[1]) * 19349663u ^ bits_of(p[2]) * 83492791u;
    size_t at = (h ^ h >> 15) & (size - 1);
    while (table[at] != NONE && memcmp(x + 3 * (size_t)table[at], p, 3 * sizeof *p) != 0) at = (at + 1) & (size - 1);
    if (table[at] == NONE) table[at] = (uint32_t)i;
    first[i] = table[at];
  }
  dv_free(table);
  return first;
}

static void face_normal(const float *x, const uint32_t *t, double n[3])
{
  const float *a = x + 3 * (size_t)t[0], *b = x + 3 * (size_t)t[1], *c = x + 3 * (size_t)t[2];
  double u[3], v[3];
  for (int k = 0; k < 3; k++) u[k] = (double)b[k] - a[k], v[k] = (double)c[k] - a[k];
  n[0] = u[1] * v[2] - u[2] * v[1];
  n[1] = u[2] * v[0] - u[0] * v[2];
  n[2] = u[0] * v[1] - u[1] * v[0];
}

typedef struct Joiner {
  uint32_t *group;
  const uint32_t *index, *same;   // same may be NULL
} Joiner;

static uint32_t head_of(uint32_t *group, uint32_t c)
{
  while (group[c] != c) c = group[c] = group[group[c]];
  return c;
}

static void unite(uint32_t *group, uint32_t a, uint32_t b)
{
  uint32_t x = head_of(group, a), y = head_of(group, b);
  if (x < y) group[y] = x;
  else group[x] = y;
}

static uint32_t next_corner(uint32_t c) { return c % 3 == 2 ? c - 2 : c + 1; }
static uint32_t at_corner(const Joiner *j, uint32_t c) { return j->same ? j->same[j->index[c]] : j->index[c]; }

// joins corner c and the next one with those of the triangle on the other side, if there is one and it lies flat
static void join_edge(const Joiner *j, const double *normals, uint32_t c, uint32_t other)
{
  uint32_t next = next_corner(c), onext = next_corner(other), a = at_corner(j, c), oa = at_corner(j, other);
  const double *n = normals + (c - c % 3), *m = normals + (other - other % 3);
  double dot = n[0] * m[0] + n[1] * m[1] + n[2] * m[2];
  if (oa == a) dot = -dot;   // it turns the other way round
  if (dot < sharp) return;
  unite(j->group, c, oa == a ? other : onext);
  unite(j->group, next, oa == a ? onext : other);
}

static void join_all(const Joiner *j, const double *normals, size_t corners)
{
  size_t size = table_size(corners);
  uint32_t *table = dv_alloc(size * sizeof *table);   // of edges, by the first corner that has each
  memset(table, 0xff, size * sizeof *table);
  for (uint32_t c = 0; c < corners; c++) {
    uint32_t a = at_corner(j, c), b = at_corner(j, next_corner(c)), low = a < b ? a : b, high = a < b ? b : a;
    for (size_t h = (low * 73856093u ^ high * 19349663u) & (size - 1);; h = (h + 1) & (size - 1)) {
      uint32_t other = table[h];
      if (other == NONE) {
        table[h] = c;
        break;
      }
      uint32_t oa = at_corner(j, other), ob = at_corner(j, next_corner(other));
      if ((oa < ob ? oa : ob) != low || (oa < ob ? ob : oa) != high) continue;
      join_edge(j, normals, c, other);
      break;
    }
  }
  dv_free(table);
}

// points of the groups: a group has one for each point that its corners were
static void make_points(dvCreases *c, uint32_t *group)
{
  size_t corners = c->index.count;
  uint32_t *begun = dv_alloc((corners + 1) * sizeof *begun);
  DV_ARRAY(uint32_t) following = {0};
  memset(begun, 0xff, corners * sizeof *begun);
  bool shared = false;
  for (uint32_t k = 0; k < corners; k++) {
    uint32_t g = head_of(group, k), v = begun[g], last = NONE;
    while (v != NONE && c->source.data[v] != c->index.data[k]) last = v, v = following.data[v];
    if (v == NONE) {
      v = (uint32_t)c->source.count;
      dv_push(&c->source, c->index.data[k]);
      dv_push(&following, (uint32_t)NONE);
      dv_push(&c->same, begun[g] == NONE ? v : begun[g]);
      shared = shared || begun[g] != NONE;
      if (begun[g] == NONE) begun[g] = v;
      else following.data[last] = v;
    }
    c->index.data[k] = v;
  }
  if (!shared) c->same.count = 0;
  dv_array_free(&following);
  dv_free(begun);
}

void dv_creases_find(dvCreases *c, const float *x, size_t points, const uint32_t *triangles, size_t corners, bool seams)
{
  c->index.count = c->source.count = c->same.count = 0;
  for (size_t t = 0; t + 2 < corners; t += 3) {
    const uint32_t *f = triangles + t;
    if (f[0] >= points || f[1] >= points || f[2] >= points) continue;
    for (int k = 0; k < 3; k++) dv_push(&c->index, f[k]);
  }
  size_t n = c->index.count;
  uint32_t *same = seams ? same_places(x, points) : NULL, *group = dv_alloc((n + 1) * sizeof *group);
  double *normals = dv_alloc((n + 1) * sizeof *normals);
  for (uint32_t k = 0; k < n; k++) group[k] = k;
  for (size_t t = 0; t < n; t += 3) {
    face_normal(x, c->index.data + t, normals + t);
    double length = sqrt(normals[t] * normals[t] + normals[t + 1] * normals[t + 1] + normals[t + 2] * normals[t + 2]);
    for (int k = 0; k < 3 && length > 0; k++) normals[t + (size_t)k] /= length;
  }
  Joiner j = {.group = group, .index = c->index.data, .same = same};
  join_all(&j, normals, n);
  make_points(c, group);
  dv_free(same);
  dv_free(group);
  dv_free(normals);
}

void dv_creases_normals(const dvCreases *c, const float *x, float *normals)
{
  size_t points = c->source.count;
  double *sum = dv_alloc((3 * points + 1) * sizeof *sum);
  const uint32_t *same = c->same.count ? c->same.data : NULL;
  for (size_t t = 0; t + 2 < c->index.count; t += 3) {
    const uint32_t *f = c->index.data + t, old[3] = {c->source.data[f[0]], c->source.data[f[1]], c->source.data[f[2]]};
    double n[3];
    face_normal(x, old, n);
    for (int k = 0; k < 3; k++) {
      double *to = sum + 3 * (size_t)(same ? same[f[k]] : f[k]);
      for (int i = 0; i < 3; i++) to[i] += n[i];
    }
  }
  for (size_t i = 0; i < points; i++) {
    const double *n = sum + 3 * (size_t)(same ? same[i] : i);
    double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    for (int k = 0; k < 3; k++) normals[3 * i + (size_t)k] = length > 0 ? (float)(n[k] / length) : 0;
  }
  dv_free(sum);
}

void dv_creases_free(dvCreases *c)
{
  dv_array_free(&c->index);
  dv_array_free(&c->source);
  dv_array_free(&c->same);
}

// STL surfaces, ASCII and binary. Corners with the same coordinates (in single precision, as in SOFA) become one point;
// points stand in the order of first sight. A triangle of a binary file that names a point twice is left out.
#include "io/mesh/mesh_scan.h"

#include <math.h>

// points found so far, by the bits of their coordinates
typedef struct Merger {
  dvMesh *mesh;
  int32_t *slots;   // number + 1 of a point, 0 where there is none
  size_t size;      // a power of two
} Merger;

static uint64_t hash_point(const double x[3])
{
  uint64_t h = 1469598103934665603u;
  for (int k = 0; k < 3; k++) {
    uint64_t bits;
    memcpy(&bits, &x[k], 8);
    h = (h ^ bits) * 1099511628211u;
    h ^= h >> 29;
  }
  return h;
}

static bool grow(Merger *m)
{
  size_t size = m->size ? 2 * m->size : 1024;
  int32_t *slots = dv_try_alloc(size * sizeof *slots);
  if (!slots) return false;
  for (size_t p = 0; p < dv_mesh_point_count(m->mesh); p++) {
    size_t at = hash_point(m->mesh->positions.data + 3 * p) & (size - 1);
    while (slots[at]) at = (at + 1) & (size - 1);
    slots[at] = (int32_t)p + 1;
  }
  dv_free(m->slots);
  m->slots = slots;
  m->size = size;
  return true;
}

static bool merge(dvMeshScan *s, Merger *m, const float corner[3], int32_t *out)
{
  double x[3];
  for (int k = 0; k < 3; k++) {
    if (!isfinite(corner[k])) return dv_mesh_fail(s, "a coordinate is not finite");
    x[k] = (double)corner[k] + 0.0;   // -0 and 0 are the same
  }
  size_t n = dv_mesh_point_count(m->mesh);
  if (2 * n >= m->size && !grow(m)) return dv_mesh_fail(s, "out of memory for the points");
  size_t at = hash_point(x) & (m->size - 1);
  for (; m->slots[at]; at = (at + 1) & (m->size - 1)) {
    *out = m->slots[at] - 1;
    if (memcmp(m->mesh->positions.data + 3 * (size_t)*out, x, sizeof x) == 0) return true;
  }
  if (!dv_try_reserve(&m->mesh->positions, 3)) return dv_mesh_fail(s, "out of memory for the points");
  memcpy(m->mesh->positions.data + m->mesh->positions.count, x, sizeof x);
  m->mesh->positions.count += 3;
  *out = (int32_t)n;
  m->slots[at] = *out + 1;
  return true;
}

static bool push_triangle(dvMeshScan *s, dvMesh *mesh, const int32_t t[3])
{
  if (!dv_try_reserve(&mesh->triangles, 3)) return dv_mesh_fail(s, "out of memory for the triangles");
  for (int k = 0; k < 3; k++) mesh->triangles.data[mesh->triangles.count++] = t[k];
  return true;
}

static bool read_text(dvMeshScan *s, Merger *m)
{
  const char *word;
  size_t n;
  int32_t t[3];
  int corners = 0;
  s->one_line = true;
  dv_mesh_skip_line(s);   // solid and its name
  for (; s->at < s->end; dv_mesh_skip_line(s)) {
    if (!dv_mesh_scan_word(s, &word, &n)) continue;
    if (dv_mesh_word_is(word, n, "vertex")) {
      float x[3];
      for (int k = 0; k < 3; k++) {
        double value;
        if (!dv_mesh_scan_real(s, "a coordinate", &value)) return false;
        x[k] = (float)value;
      }
      if (corners == 3) return dv_mesh_fail(s, "a facet has more than three corners");
      if (!merge(s, m, x, &t[corners++])) return false;
    } else if (dv_mesh_word_is(word, n, "endfacet")) {
      if (corners != 3) return dv_mesh_fail(s, "a facet has %d corners instead of three", corners);
      if (!push_triangle(s, m->mesh, t)) return false;
      corners = 0;
    } else if (dv_mesh_word_is(word, n, "endsolid") || dv_mesh_word_is(word, n, "end")) {
      return true;
    }
  }
  return corners == 0 || dv_mesh_fail(s, "the last facet is not complete");
}

static bool read_binary(dvMeshScan *s, Merger *m, size_t header)
{
  if (dv_mesh_scan_left(s) < header + 4) return dv_mesh_fail(s, "the file ends in its header");
  s->at += header;
  s->binary = true;
  int facets;
  if (!dv_mesh_scan_int(s, "the number of triangles", &facets) ||
      !dv_mesh_check_count(s, "triangles", (uint32_t)facets, 50))
    return false;
  for (int i = 0; i < facets; i++) {
    const char *at = s->at + 12;   // behind the normal
    int32_t t[3];
    for (int k = 0; k < 3; k++, at += 12) {
      float x[3];
      memcpy(x, at, sizeof x);
      if (!merge(s, m, x, &t[k])) return false;
    }
    s->at += 50;
    if (t[0] != t[1] && t[1] != t[2] && t[0] != t[2] && !push_triangle(s, m->mesh, t)) return false;
  }
  return true;
}

static dvStatus finish(dvMeshScan *s, Merger *m, bool good)
{
  dv_free(m->slots);
  if (good && !dv_mesh_point_count(m->mesh)) good = dv_mesh_fail(s, "there is no triangle in the file");
  if (good) return DV_OK;
  dv_mesh_free(m->mesh);
  return DV_ERROR_INPUT;
}

dvStatus dv_mesh_read_stl_binary(const char *bytes, size_t length, size_t header, dvMesh *out, dvMeshError *error)
{
  *out = (dvMesh){0};
  dvMeshScan s;
  dv_mesh_scan_init(&s, bytes, length, error);
  s.at = bytes;   // no mark of UTF-8 here
  Merger m = {.mesh = out};
  return finish(&s, &m, read_binary(&s, &m, header));
}

dvStatus dv_mesh_read_stl(const char *bytes, size_t length, dvMesh *out, dvMeshError *error)
{
  // some binary files begin with "solid" too: then the size tells
  uint32_t facets = 0;
  if (length >= 84) memcpy(&facets, bytes + 80, 4);
  bool fits = length >= 84 && (uint64_t)facets * 50 + 84 == length;
  if (fits || length < 5 || memcmp(bytes, "solid", 5) != 0)
    return dv_mesh_read_stl_binary(bytes, length, 80, out, error);
  *out = (dvMesh){0};
  dvMeshScan s;
  dv_mesh_scan_init(&s, bytes, length, error);
  Merger m = {.mesh = out};
  return finish(&s, &m, read_text(&s, &m));
}

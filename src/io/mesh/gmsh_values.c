// Values at the nodes of Gmsh meshes, and meshes with such values as binary files. See gmsh.h.
#include "io/mesh/gmsh.h"

#include "base/text.h"
#include "io/mesh/write_mesh.h"

#include <math.h>

enum { NAME_LIMIT = 127, WIDEST = 9 };   // of a name, Gmsh's own; numbers a node, a tensor

// --- reading -------------------------------------------------------------------------------------

typedef struct Head {
  const char *name;
  size_t length;
  int64_t width, count;
} Head;

// three lists, each with its length in front, as text in binary files too: names, times, and step, width, count
static bool read_head(dvMeshScan *s, Head *h)
{
  int64_t tags, number;
  const char *rest;
  size_t ignored;
  double time;
  *h = (Head){.name = "", .width = 1};
  if (!dv_mesh_scan_text_size(s, "the number of names", &tags)) return false;
  dv_mesh_skip_line(s);
  for (int64_t i = 0; i < tags && s->at < s->end; i++)
    dv_mesh_scan_rest(s, i ? &rest : &h->name, i ? &ignored : &h->length);
  if (h->length >= 2 && h->name[0] == '"' && h->name[h->length - 1] == '"') h->name++, h->length -= 2;
  h->length = dv_min_size(h->length, NAME_LIMIT);
  if (!dv_mesh_scan_text_size(s, "the number of times", &tags)) return false;
  for (int64_t i = 0; i < tags; i++)
    if (!dv_mesh_scan_real(s, "a time", &time)) return false;
  if (!dv_mesh_scan_text_size(s, "the number of sizes", &tags)) return false;
  for (int64_t i = 0; i < tags; i++) {
    if (!dv_mesh_scan_text_size(s, "a size", &number)) return false;
    if (i == 1) h->width = number;
    if (i == 2) h->count = number;
  }
  return h->width >= 1 && h->width <= WIDEST ? true : dv_mesh_fail(s, "values of width %lld", (long long)h->width);
}

static bool read_numbers(dvMeshScan *s, const Head *h, bool (*look_up)(const void *, int64_t, int32_t *),
                         const void *user, double *out)
{
  for (int64_t i = 0; i < h->count; i++) {
    int id;
    int32_t node;
    double value;
    if (!dv_mesh_scan_int(s, "a node number", &id)) return false;
    const bool known = look_up(user, id, &node);
    for (int64_t k = 0; k < h->width; k++) {
      if (!dv_mesh_scan_real(s, "a value", &value)) return false;
      if (known) out[node * h->width + k] = value;
    }
  }
  return true;
}

static bool read_section(dvMeshScan *s, dvMesh *mesh, bool binary, bool (*look_up)(const void *, int64_t, int32_t *),
                         const void *user)
{
  Head h;
  if (!read_head(s, &h)) return false;
  if (binary) dv_mesh_skip_line(s);
  s->binary = binary;
  if (!dv_mesh_check_count(s, "values", h.count, binary ? 12 : 4)) return false;
  dvMeshReals numbers = {0};
  const size_t all = dv_mesh_point_count(mesh) * (size_t)h.width;
  if (!dv_try_reserve(&numbers, all)) return dv_mesh_fail(s, "out of memory for values");
  for (size_t i = 0; i < all; i++) numbers.data[numbers.count++] = NAN;
  bool good = read_numbers(s, &h, look_up, user, numbers.data);
  dvMeshValues *values = good ? dv_mesh_add_values(mesh, h.name, h.length, false, (int)h.width) : NULL;
  if (values) values->values = numbers;
  else dv_array_free(&numbers);
  if (good && !values) return dv_mesh_fail(s, "out of memory for values");
  return good;
}

bool dv_gmsh_read_values(dvMeshScan *s, dvMesh *mesh, bool binary,
                         bool (*look_up)(const void *user, int64_t id, int32_t *out), const void *user)
{
  static const char word[] = "$EndNodeData";
  const char *found = memmem(s->at, dv_mesh_scan_left(s), word, sizeof word - 1), *end = s->end;
  if (!found) return dv_mesh_fail(s, "section '$NodeData' has no end");
  dvMeshError error = {0}, *outer = s->error;
  s->error = &error, s->end = found;
  if (!read_section(s, mesh, binary, look_up, user))
    dv_push(&mesh->unread, dv_format("values, line %d: %s", error.line, error.text));
  s->error = outer, s->end = end, s->at = found;
  return true;
}

// --- writing -------------------------------------------------------------------------------------

static void add_int(dvText *t, int32_t value) { dv_text_add_n(t, (const char *)&value, sizeof value); }
static void add_size(dvText *t, size_t value)
{
  const uint64_t wide = value;
  dv_text_add_n(t, (const char *)&wide, sizeof wide);
}
static void add_real(dvText *t, double value) { dv_text_add_n(t, (const char *)&value, sizeof value); }

// blocks, total, lowest and highest number
static void add_counts(dvText *t, size_t blocks, size_t total)
{
  add_size(t, blocks), add_size(t, total), add_size(t, total ? 1 : 0), add_size(t, total);
}

static void add_nodes(dvText *t, const dvMesh *mesh)
{
  const size_t points = dv_mesh_point_count(mesh);
  dv_text_add(t, "$Nodes\n");
  add_counts(t, 1, points);
  add_int(t, 3), add_int(t, 1), add_int(t, 0), add_size(t, points);
  for (size_t i = 0; i < points; i++) add_size(t, i + 1);
  dv_text_add_n(t, (const char *)mesh->positions.data, 3 * points * sizeof(double));
  dv_text_add(t, "\n$EndNodes\n");
}

static void add_elements(dvText *t, dvMesh *mesh)
{
  static const int types[DV_MESH_KINDS] = {1, 2, 3, 4, 5, 6, 7}, dimensions[DV_MESH_KINDS] = {1, 2, 2, 3, 3, 3, 3};
  size_t blocks = 0, total = 0, number = 0;
  for (int k = 0; k < DV_MESH_KINDS; k++) {
    const size_t count = dv_mesh_elements(mesh, k)->count / (size_t)dv_mesh_corners(k);
    blocks += count > 0, total += count;
  }
  dv_text_add(t, "$Elements\n");
  add_counts(t, blocks, total);
  for (int k = 0; k < DV_MESH_KINDS; k++) {
    const dvMeshIndices *list = dv_mesh_elements(mesh, k);
    const size_t corners = (size_t)dv_mesh_corners(k), count = list->count / corners;
    if (!count) continue;
    add_int(t, dimensions[k]), add_int(t, 1), add_int(t, types[k]), add_size(t, count);
    for (size_t e = 0; e < count; e++) {
      add_size(t, ++number);
      for (size_t c = 0; c < corners; c++) add_size(t, (size_t)list->data[e * corners + c] + 1);
    }
  }
  dv_text_add(t, "\n$EndElements\n");
}

static void add_values(dvText *t, const dvVtuField *f, size_t points)
{
  dv_text_printf(t, "$NodeData\n1\n\"%s\"\n1\n0\n3\n0\n%d\n%zu\n", f->name, f->components, points);
  for (size_t i = 0; i < points; i++) {
    add_int(t, (int32_t)i + 1);
    for (int k = 0; k < f->components; k++) add_real(t, f->values[i * (size_t)f->components + (size_t)k]);
  }
  dv_text_add(t, "\n$EndNodeData\n");
}

dvStatus dv_gmsh_write_mesh(const char *path, const dvMesh *mesh, const dvVtuField *fields, size_t field_count)
{
  dvText t = {0};
  dv_text_add(&t, "$MeshFormat\n4.1 1 8\n");
  add_int(&t, 1);   // tells the byte order
  dv_text_add(&t, "\n$EndMeshFormat\n");
  add_nodes(&t, mesh);
  add_elements(&t, (dvMesh *)mesh);
  for (size_t i = 0; i < field_count; i++) add_values(&t, &fields[i], dv_mesh_point_count(mesh));
  dvStatus status = dv_file_replace(path, t.text, t.length);
  dv_text_free(&t);
  return status;
}

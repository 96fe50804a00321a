// Wavefront OBJ meshes and MTL material libraries.
//
// Points are never duplicated: texture coordinates and normals keep lists of their own, and
// `facets` says which of them each corner uses. As in SOFA's loader, a face of three corners
// becomes a triangle, one of four a quad, one of more a fan of triangles around its first corner,
// and one of two an edge; edges point from the smaller index to the larger. A line of more than
// two points becomes a polyline, and an edge for each of its pieces. Coordinates left out are 0.
//
// Groups are runs between `g` and `usemtl` lines, once for each element kind and once for the
// facets. `o` and `s` are ignored, as are unknown words.
#include "base/text.h"
#include "io/mesh/mesh_scan.h"

#include <limits.h>

enum {
  NAME_LIMIT = 255,   // longer names are cut: each group has a copy
  PATH_LIMIT = 4096,
  LIBRARY_LIMIT = 64,
};

typedef struct dvObjCorner {
  int32_t index[3];   // position, texture coordinate, normal; -1: none
} dvObjCorner;

typedef struct dvObj {
  dvMeshScan s;
  dvMesh *mesh;
  size_t total[3];   // positions, texture coordinates, normals in the whole file
  char *group, *material;
  size_t group_first[DV_MESH_FACET + 1];
  DV_ARRAY(dvObjCorner) corners;   // of the current face
} dvObj;

static size_t element_count(const dvObj *o, dvMeshKind kind)
{
  if (kind == DV_MESH_FACET) return dv_mesh_lists_count(&o->mesh->facets.offset);
  return dv_mesh_elements(o->mesh, kind)->count / (size_t)dv_mesh_corners(kind);
}

static void close_groups(dvObj *o)
{
  static const dvMeshKind kinds[] = {DV_MESH_EDGE, DV_MESH_TRIANGLE, DV_MESH_QUAD, DV_MESH_FACET};
  for (size_t i = 0; i < DV_COUNT(kinds); i++) {
    size_t first = o->group_first[kinds[i]], count = element_count(o, kinds[i]);
    if (count == first) continue;
    dvMeshGroup group = {.name = dv_strdup(o->group),
                         .material = dv_strdup(o->material),
                         .kind = kinds[i],
                         .tag = -1,
                         .first = (int32_t)first,
                         .count = (int32_t)(count - first)};
    dv_push(&o->mesh->groups, group);
    o->group_first[kinds[i]] = count;
  }
}

static bool read_reals(dvObj *o, dvMeshReals *list, int needed, int wanted, const char *what)
{
  double value[3] = {0};
  for (int k = 0; k < wanted; k++) {
    const char *before = o->s.at, *word;
    size_t length;
    if (k >= needed) {   // may be left out
      if (!dv_mesh_scan_word(&o->s, &word, &length)) break;
      o->s.at = before;
    }
    if (!dv_mesh_scan_real(&o->s, what, &value[k])) return false;
  }
  if (list->count / 3 >= INT32_MAX / 4) return dv_mesh_fail(&o->s, "too many points");
  for (int k = 0; k < wanted; k++) dv_push(list, value[k]);
  return true;
}

// the digits of one index; an empty one is 0
static bool scan_index(const char **at, const char *end, long long *out)
{
  const char *p = *at;
  bool negative = p < end && *p == '-';
  if (p < end && (*p == '-' || *p == '+')) p++;
  if (p > *at && (p >= end || *p < '0' || *p > '9')) return false;
  long long value = 0;
  for (; p < end && *p >= '0' && *p <= '9'; p++)
    if (value <= INT32_MAX) value = value * 10 + (*p - '0');
  *out = negative ? -value : value;
  *at = p;
  return true;
}

// v, v/t, v//n or v/t/n, each counted from 1, or backwards from the last one so far. Files that
// name texture coordinates or normals they do not list are in use: those corners have none.
static bool read_corner(dvObj *o, const char *word, size_t length)
{
  const size_t so_far[3] = {o->mesh->positions.count / 3, o->mesh->texcoords.count / 2, o->mesh->normals.count / 3};
  const char *at = word, *end = word + length;
  dvObjCorner corner = {{-1, -1, -1}};
  for (int j = 0; j < 3 && (j == 0 || at < end); j++) {
    const char *start = at;
    long long index = 0;
    if (!scan_index(&at, end, &index) || (at < end && *at != '/') || (j == 2 && at < end) || (j == 0 && at == start))
      return dv_mesh_fail(&o->s, "a corner like 1/2/3 expected, found '%.*s'", (int)dv_min_size(length, 60), word);
    if (at > start) {
      long long absolute = index < 0 ? (long long)so_far[j] + index : index - 1;
      bool exists = absolute >= 0 && absolute < (long long)o->total[j];
      if (!exists && j == 0) return dv_mesh_fail(&o->s, "point %lld does not exist", index);
      if (exists) corner.index[j] = (int32_t)absolute;
    }
    if (at < end) at++;   // the slash
  }
  dv_push(&o->corners, corner);
  return true;
}

static bool read_corners(dvObj *o)
{
  const char *word;
  size_t length;
  o->corners.count = 0;
  while (dv_mesh_scan_word(&o->s, &word, &length)) {
    if (word[0] == '#') break;
    if (!read_corner(o, word, length)) return false;
  }
  return true;
}

static void add_edge(dvObj *o, int32_t a, int32_t b)
{
  dv_push(&o->mesh->edges, a < b ? a : b);
  dv_push(&o->mesh->edges, a < b ? b : a);
}

static void add_facet(dvObj *o)
{
  dvMeshFacets *facets = &o->mesh->facets;
  for (size_t i = 0; i < o->corners.count; i++) {
    dv_push(&facets->position, o->corners.data[i].index[0]);
    dv_push(&facets->texcoord, o->corners.data[i].index[1]);
    dv_push(&facets->normal, o->corners.data[i].index[2]);
  }
  dv_mesh_close_list(&facets->offset, facets->position.count);
}

static bool read_face(dvObj *o)
{
  if (!read_corners(o)) return false;
  const dvObjCorner *corner = o->corners.data;
  size_t count = o->corners.count;
  if (count < 2) {
    o->mesh->skipped++;
    return true;
  }
  if (count == 2) {
    add_edge(o, corner[0].index[0], corner[1].index[0]);
    return true;
  }
  add_facet(o);
  if (count == 4) {
    for (int i = 0; i < 4; i++) dv_push(&o->mesh->quads, corner[i].index[0]);
    return true;
  }
  for (size_t i = 2; i < count; i++) {
    dv_push(&o->mesh->triangles, corner[0].index[0]);
    dv_push(&o->mesh->triangles, corner[i - 1].index[0]);
    dv_push(&o->mesh->triangles, corner[i].index[0]);
  }
  return true;
}

static bool read_line_element(dvObj *o)
{
  if (!read_corners(o)) return false;
  size_t count = o->corners.count;
  if (count < 2) o->mesh->skipped++;
  for (size_t i = 1; i < count; i++) add_edge(o, o->corners.data[i - 1].index[0], o->corners.data[i].index[0]);
  if (count <= 2) return true;
  dvMeshLists *lines = &o->mesh->polylines;
  for (size_t i = 0; i < count; i++) dv_push(&lines->index, o->corners.data[i].index[0]);
  dv_mesh_close_list(&lines->offset, lines->index.count);
  return true;
}

// the words of the line, joined by single spaces
static char *read_name(dvMeshScan *s)
{
  dvText name = {0};
  const char *word;
  size_t length;
  while (dv_mesh_scan_word(s, &word, &length) && name.length < NAME_LIMIT) {
    if (name.length) dv_text_add(&name, " ");
    dv_text_add_n(&name, word, dv_min_size(length, NAME_LIMIT - name.length));
  }
  return dv_text_take(&name);
}

// names come once each, and not without end: every one may be opened later
static void read_libraries(dvObj *o)
{
  const char *word;
  size_t length;
  while (dv_mesh_scan_word(&o->s, &word, &length) && o->mesh->libraries.count < LIBRARY_LIMIT) {
    bool known = length > PATH_LIMIT;
    for (size_t i = 0; i < o->mesh->libraries.count && !known; i++)
      known = dv_mesh_word_is(word, length, o->mesh->libraries.data[i]);
    if (!known) dv_push(&o->mesh->libraries, dv_strndup(word, length));
  }
}

static bool read_statement(dvObj *o, const char *word, size_t length)
{
  if (dv_mesh_word_is(word, length, "v")) return read_reals(o, &o->mesh->positions, 1, 3, "a coordinate");
  if (dv_mesh_word_is(word, length, "vt")) return read_reals(o, &o->mesh->texcoords, 1, 2, "a texture coordinate");
  if (dv_mesh_word_is(word, length, "vn")) return read_reals(o, &o->mesh->normals, 3, 3, "a component of a normal");
  if (dv_mesh_word_is(word, length, "f")) return read_face(o);
  if (dv_mesh_word_is(word, length, "l")) return read_line_element(o);
  if (dv_mesh_word_is(word, length, "mtllib")) read_libraries(o);
  char **name = dv_mesh_word_is(word, length, "g")        ? &o->group
                : dv_mesh_word_is(word, length, "usemtl") ? &o->material
                                                          : NULL;
  if (name) {
    close_groups(o);
    dv_free(*name);
    *name = read_name(&o->s);
  }
  return true;
}

// faces may stand before the points they use, so the lists are counted first
static void count_lists(dvObj *o)
{
  dvMeshScan s = o->s;
  const char *word;
  size_t length;
  while (s.at < s.end) {
    if (dv_mesh_scan_word(&s, &word, &length)) {
      if (dv_mesh_word_is(word, length, "v")) o->total[0]++;
      else if (dv_mesh_word_is(word, length, "vt")) o->total[1]++;
      else if (dv_mesh_word_is(word, length, "vn")) o->total[2]++;
    }
    dv_mesh_skip_line(&s);
  }
}

static bool read_statements(dvObj *o)
{
  const char *word;
  size_t length;
  while (o->s.at < o->s.end) {
    if (dv_mesh_scan_word(&o->s, &word, &length) && !read_statement(o, word, length)) return false;
    dv_mesh_skip_line(&o->s);
  }
  close_groups(o);
  return true;
}

dvStatus dv_mesh_read_obj(const char *bytes, size_t length, dvMesh *out, dvMeshError *error)
{
  *out = (dvMesh){0};
  dvObj o = {.mesh = out, .group = dv_strdup("Default_Group"), .material = dv_strdup("")};
  dv_mesh_scan_init(&o.s, bytes, length, error);
  o.s.one_line = true;
  count_lists(&o);
  bool good = read_statements(&o);
  dv_free(o.group);
  dv_free(o.material);
  dv_array_free(&o.corners);
  if (!good) dv_mesh_free(out);
  return good ? DV_OK : DV_ERROR_INPUT;
}

// SOFA's defaults
static const dvMaterial default_material = {
    .ambient = {0.2, 0.2, 0.2, 1}, .diffuse = {0.75, 0.75, 0.75, 1}, .specular = {1, 1, 1, 1}, .shininess = 45};

static bool read_colour(dvMeshScan *s, double *colour)
{
  for (int k = 0; k < 3; k++)
    if (!dv_mesh_scan_real(s, "a colour component", &colour[k])) return false;
  return true;
}

// The name of an image: the rest of the line, or its last word when options stand before it.
static char *read_image(dvMeshScan *s)
{
  const char *at = s->at, *end = s->at;
  while (end < s->end && *end != '\n') end++;
  while (at < end && dv_is_space(*at)) at++;
  while (end > at && dv_is_space(end[-1])) end--;
  if (at < end && *at == '-') {
    const char *last = end;
    while (last > at && !dv_is_space(last[-1])) last--;
    at = last;
  }
  s->at = end;
  return dv_strndup(at, dv_min_size((size_t)(end - at), PATH_LIMIT));
}

static void replace_text(char **place, char *text)
{
  dv_free(*place);
  *place = text;
}

static bool read_transparency(dvMeshScan *s, dvMaterial *material, bool inverse)
{
  double value;
  if (!dv_mesh_scan_real(s, "an opacity", &value)) return false;
  material->diffuse[3] = inverse ? 1 - value : value;
  material->given |= DV_MATERIAL_ALPHA;
  return true;
}

static bool read_property(dvMeshScan *s, dvMaterial *material, const char *word, size_t length)
{
  const struct {
    const char *word;
    double *colour;
    unsigned bit;
  } colours[] = {{"Ka", material->ambient, DV_MATERIAL_AMBIENT},
                 {"Kd", material->diffuse, DV_MATERIAL_DIFFUSE},
                 {"Ks", material->specular, DV_MATERIAL_SPECULAR},
                 {"Ke", material->emissive, DV_MATERIAL_EMISSIVE}};
  for (size_t i = 0; i < DV_COUNT(colours); i++) {
    if (!dv_mesh_word_is(word, length, colours[i].word)) continue;
    material->given |= colours[i].bit;
    return read_colour(s, colours[i].colour);
  }
  if (dv_mesh_word_is(word, length, "Ns")) {
    material->given |= DV_MATERIAL_SHININESS;
    return dv_mesh_scan_real(s, "a shininess", &material->shininess);
  }
  if (dv_mesh_word_is(word, length, "d")) return read_transparency(s, material, false);
  if (dv_mesh_word_is(word, length, "Tr")) return read_transparency(s, material, true);
  if (dv_mesh_word_is(word, length, "map_Kd")) {
    material->given |= DV_MATERIAL_TEXTURE;
    replace_text(&material->texture, read_image(s));
  } else if (dv_mesh_word_is(word, length, "bump") || dv_mesh_word_is(word, length, "map_bump") ||
             dv_mesh_word_is(word, length, "map_Bump")) {
    material->given |= DV_MATERIAL_BUMP;
    replace_text(&material->bump, read_image(s));
  }
  return true;
}

static bool read_materials(dvMeshScan *s, dvMesh *mesh, size_t before)
{
  const char *word;
  size_t length;
  while (s->at < s->end) {
    if (dv_mesh_scan_word(s, &word, &length)) {
      if (dv_mesh_word_is(word, length, "newmtl")) {
        dvMaterial material = default_material;
        material.name = read_name(s);
        dv_push(&mesh->materials, material);
      } else if (mesh->materials.count > before &&
                 !read_property(s, &mesh->materials.data[mesh->materials.count - 1], word, length)) {
        return false;
      }
    }
    dv_mesh_skip_line(s);
  }
  return true;
}

dvStatus dv_mesh_read_mtl(const char *bytes, size_t length, dvMesh *mesh, dvMeshError *error)
{
  dvMeshScan s;
  dv_mesh_scan_init(&s, bytes, length, error);
  s.one_line = true;
  size_t before = mesh->materials.count;
  if (read_materials(&s, mesh, before)) return DV_OK;
  while (mesh->materials.count > before) {
    dvMaterial *material = &mesh->materials.data[--mesh->materials.count];
    dv_free(material->name);
    dv_free(material->texture);
    dv_free(material->bump);
  }
  return DV_ERROR_INPUT;
}

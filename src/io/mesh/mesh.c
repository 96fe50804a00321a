// Meshes from files: ownership, recognition of the format, values a point. See mesh.h.
#include "io/mesh/mesh.h"

#include "base/file.h"
#include "io/mesh/mesh_scan.h"

#include <math.h>
#include <stdio.h>
#include <zlib.h>

static void lists_free(dvMeshLists *lists)
{
  dv_array_free(&lists->offset);
  dv_array_free(&lists->index);
}

static void facets_free(dvMeshFacets *facets)
{
  dv_array_free(&facets->offset);
  dv_array_free(&facets->position);
  dv_array_free(&facets->texcoord);
  dv_array_free(&facets->normal);
}

void dv_mesh_free(dvMesh *mesh)
{
  dv_array_free(&mesh->positions);
  for (int kind = 0; kind < DV_MESH_KINDS; kind++) dv_array_free(dv_mesh_elements(mesh, kind));
  lists_free(&mesh->polylines);
  lists_free(&mesh->polygons);
  dv_array_free(&mesh->normals);
  dv_array_free(&mesh->texcoords);
  facets_free(&mesh->facets);
  dv_array_free(&mesh->radii);
  dv_array_free(&mesh->neighbours);
  for (size_t i = 0; i < mesh->groups.count; i++) {
    dv_free(mesh->groups.data[i].name);
    dv_free(mesh->groups.data[i].material);
  }
  dv_array_free(&mesh->groups);
  for (size_t i = 0; i < mesh->values.count; i++) {
    dv_free(mesh->values.data[i].name);
    dv_array_free(&mesh->values.data[i].values);
  }
  dv_array_free(&mesh->values);
  for (int kind = 0; kind < DV_MESH_KINDS; kind++) dv_array_free(&mesh->cell_of[kind]);
  for (size_t i = 0; i < mesh->materials.count; i++) {
    dv_free(mesh->materials.data[i].name);
    dv_free(mesh->materials.data[i].texture);
    dv_free(mesh->materials.data[i].bump);
  }
  dv_array_free(&mesh->materials);
  for (size_t i = 0; i < mesh->libraries.count; i++) dv_free(mesh->libraries.data[i]);
  dv_array_free(&mesh->libraries);
  for (size_t i = 0; i < mesh->unread.count; i++) dv_free(mesh->unread.data[i]);
  dv_array_free(&mesh->unread);
  mesh->skipped = 0;
}

dvMeshValues *dv_mesh_add_values(dvMesh *mesh, const char *name, size_t length, bool of_cells, int width)
{
  if (!dv_try_reserve(&mesh->values, 1)) return NULL;
  dvMeshValues *values = &mesh->values.data[mesh->values.count++];
  *values = (dvMeshValues){.name = dv_strndup(name, length), .of_cells = of_cells, .width = width};
  return values;
}

bool dv_mesh_knows_cells(const dvMesh *mesh)
{
  for (int kind = 0; kind < DV_MESH_KINDS; kind++)
    if (mesh->cell_of[kind].count != dv_mesh_elements((dvMesh *)mesh, kind)->count / (size_t)dv_mesh_corners(kind))
      return false;
  return true;
}

size_t dv_mesh_point_count(const dvMesh *mesh) { return mesh->positions.count / 3; }

dvMeshIndices *dv_mesh_elements(dvMesh *mesh, dvMeshKind kind)
{
  switch (kind) {
  case DV_MESH_EDGE:
    return &mesh->edges;
  case DV_MESH_TRIANGLE:
    return &mesh->triangles;
  case DV_MESH_QUAD:
    return &mesh->quads;
  case DV_MESH_TETRAHEDRON:
    return &mesh->tetrahedra;
  case DV_MESH_HEXAHEDRON:
    return &mesh->hexahedra;
  case DV_MESH_PRISM:
    return &mesh->prisms;
  case DV_MESH_PYRAMID:
    return &mesh->pyramids;
  default:
    DV_REQUIRE(!"a kind with a fixed number of corners");
    return NULL;
  }
}

int dv_mesh_corners(dvMeshKind kind)
{
  static const int corners[DV_MESH_KINDS] = {2, 3, 4, 4, 8, 6, 5};
  DV_REQUIRE(kind >= 0 && kind < DV_MESH_KINDS);
  return corners[kind];
}

size_t dv_mesh_lists_count(const dvMeshIndices *offset) { return offset->count ? offset->count - 1 : 0; }

static bool starts_with(const char *bytes, size_t length, const char *prefix)
{
  size_t n = strlen(prefix);
  return length >= n && memcmp(bytes, prefix, n) == 0;
}

static bool looks_like_gmsh(const char *bytes, size_t length)
{
  return starts_with(bytes, length, "$MeshFormat") || starts_with(bytes, length, "$NOD") ||
         starts_with(bytes, length, "$Comments");
}

static bool looks_like_sph(const char *bytes, size_t length)
{
  return starts_with(bytes, length, "sph ") || starts_with(bytes, length, "sph\t");
}

// the first word that is not a comment is a keyword of OBJ
static bool looks_like_obj(const char *bytes, size_t length)
{
  static const char *const keywords[] = {"v", "vt", "vn", "f", "l", "g", "o", "s", "mtllib", "usemtl"};
  dvMeshScan s;
  dv_mesh_scan_init(&s, bytes, length, NULL);
  const char *word;
  size_t n;
  while (dv_mesh_scan_word(&s, &word, &n)) {
    for (size_t i = 0; i < DV_COUNT(keywords); i++)
      if (dv_mesh_word_is(word, n, keywords[i])) return true;
    if (word[0] != '#') return false;
    dv_mesh_skip_line(&s);
  }
  return false;
}

static bool looks_like_vtk(const char *bytes, size_t length) { return starts_with(bytes, length, "# vtk DataFile"); }

static bool looks_like_vtk_xml(const char *bytes, size_t length)
{
  return (starts_with(bytes, length, "<") || starts_with(bytes, length, "\xef\xbb\xbf<")) &&
         memmem(bytes, dv_min_size(length, 2000), "<VTKFile", 8) != NULL;
}

static bool looks_like_stl(const char *bytes, size_t length)
{
  uint32_t facets = 0;
  if (length >= 84) memcpy(&facets, bytes + 80, 4);
  if (length > 84 && (uint64_t)facets * 50 + 84 == length) return true;
  return starts_with(bytes, length, "solid") && memmem(bytes, dv_min_size(length, 2000), "facet", 5) != NULL;
}

static bool looks_like_off(const char *bytes, size_t length)
{
  return starts_with(bytes, length, "OFF") && length > 3 && dv_is_space(bytes[3]);
}
static bool looks_like_xsp(const char *bytes, size_t length) { return starts_with(bytes, length, "Xsp "); }
static bool looks_like_gid(const char *bytes, size_t length)
{
  return starts_with(bytes, length, "MESH ") && memmem(bytes, dv_min_size(length, 500), "ElemType", 8) != NULL;
}

static bool looks_like_abaqus(const char *bytes, size_t length)
{
  return starts_with(bytes, length, "*HEADING") || starts_with(bytes, length, "*Heading") ||
         starts_with(bytes, length, "*NODE") || starts_with(bytes, length, "*Node");
}

static bool looks_like_nothing(const char *bytes, size_t length)
{
  DV_UNUSED(bytes);
  DV_UNUSED(length);
  return false;
}

typedef struct dvMeshFormat {
  const char *extensions;
  bool (*looks)(const char *bytes, size_t length);
  dvStatus (*read)(const char *bytes, size_t length, dvMesh *out, dvMeshError *error);
} dvMeshFormat;

// weak signs come last: a word of OBJ may open many a text file
static const dvMeshFormat formats[] = {
    {"msh gmsh", looks_like_gmsh, dv_mesh_read_gmsh},
    {"vtk", looks_like_vtk, dv_mesh_read_vtk},
    {"vtu vtp vti vts", looks_like_vtk_xml, dv_mesh_read_vtk_xml},
    {"sph", looks_like_sph, dv_mesh_read_sph},
    {"off", looks_like_off, dv_mesh_read_off},
    {"xs3 xs4 xsp", looks_like_xsp, dv_mesh_read_xsp},
    {"gidmsh", looks_like_gid, dv_mesh_read_gid},
    {"inp", looks_like_abaqus, dv_mesh_read_abaqus},
    {"stl", looks_like_stl, dv_mesh_read_stl},
    {"obj", looks_like_obj, dv_mesh_read_obj},
    {"trian", looks_like_nothing, dv_mesh_read_trian},
    {"trian2", looks_like_nothing, dv_mesh_read_trian2},
    {"mesh", looks_like_nothing, dv_mesh_read_netgen},
};

// the extension, of what is inside for .gz; the caller frees it
static char *extension_of(const char *path)
{
  size_t n = strlen(path);
  char *inner = dv_strndup(path, dv_ends_with_nocase(path, ".gz") ? n - 3 : n),
       *extension = dv_strdup(dv_path_extension(inner));
  for (char *c = extension; *c; c++)
    if (*c >= 'A' && *c <= 'Z') *c = (char)(*c - 'A' + 'a');
  dv_free(inner);
  return extension;
}

bool dv_mesh_can_read(const char *path)
{
  char *extension = extension_of(path);
  bool known = dv_list_has("node ele", extension);
  for (size_t i = 0; i < DV_COUNT(formats) && !known; i++) known = dv_list_has(formats[i].extensions, extension);
  dv_free(extension);
  return known;
}

static const dvMeshFormat *find_format(const char *path, const char *bytes, size_t length)
{
  for (size_t i = 0; i < DV_COUNT(formats); i++)
    if (formats[i].looks(bytes, length)) return &formats[i];
  char *extension = extension_of(path);
  const dvMeshFormat *found = NULL;
  for (size_t i = 0; i < DV_COUNT(formats) && !found; i++)
    if (dv_list_has(formats[i].extensions, extension)) found = &formats[i];
  dv_free(extension);
  return found;
}

static void read_libraries(const char *path, dvMesh *mesh)
{
  char *directory = dv_path_directory(path);
  for (size_t i = 0; i < mesh->libraries.count; i++) {
    const char *name = mesh->libraries.data[i];
    char *library = dv_path_join(directory, name);
    size_t length = 0;
    char *bytes = dv_file_read(library, &length);
    dvMeshError error;
    if (!bytes) dv_push(&mesh->unread, dv_format("%s: %s", name, dv_file_why()));
    else if (dv_mesh_read_mtl(bytes, length, mesh, &error) != DV_OK)
      dv_push(&mesh->unread, dv_format("%s:%d: %s", name, error.line, error.text));
    dv_free(bytes);
    dv_free(library);
  }
  dv_free(directory);
}

static dvStatus fail_without_line(dvMeshError *error, const char *text)
{
  if (error) {
    error->line = 0;
    snprintf(error->text, sizeof error->text, "%s", text);
  }
  return DV_ERROR_INPUT;
}

// --- gzip ---

enum { UNPACK_RATIO = 100 };   // text of meshes packs at most so well
static const size_t unpack_least = 64u << 20;

char *dv_mesh_unpack(const char *bytes, size_t length, size_t *unpacked)
{
  z_stream z = {.next_in = (Bytef *)bytes, .avail_in = (uInt)dv_min_size(length, UINT32_MAX)};
  if (inflateInit2(&z, 16 + MAX_WBITS) != Z_OK) return NULL;
  DV_ARRAY(char) out = {0};
  size_t limit = dv_min_size(dv_max_size(UNPACK_RATIO * length, unpack_least), dv_file_limit());
  int status = Z_OK;
  while (status == Z_OK && out.count < limit && dv_try_reserve(&out, dv_max_size(65536, out.count / 2))) {
    size_t room = dv_min_size(out.capacity - out.count - 1, UINT32_MAX);
    z.next_out = (Bytef *)out.data + out.count;
    z.avail_out = (uInt)room;
    status = inflate(&z, Z_NO_FLUSH);
    out.count += room - z.avail_out;
  }
  inflateEnd(&z);
  if (status != Z_STREAM_END) {
    dv_array_free(&out);
    return NULL;
  }
  out.data[out.count] = 0;
  *unpacked = out.count;
  return out.data;
}

// the content of a file, unpacked; NULL after the error was noted
static char *read_content(const char *path, size_t *length, dvMeshError *error)
{
  char *bytes = dv_file_read(path, length);
  if (!bytes) {
    fail_without_line(error, dv_file_why());
    return NULL;
  }
  if (!starts_with(bytes, *length, "\x1f\x8b")) return bytes;
  char *content = dv_mesh_unpack(bytes, *length, length);
  dv_free(bytes);
  if (!content) fail_without_line(error, "the compressed file is damaged");
  return content;
}

// --- TetGen: two files ---

static char *companion(const char *path, const char *extension)
{
  size_t n = strlen(path) - strlen(dv_path_extension(path));
  return dv_format("%.*s%s", (int)n, path, extension);
}

static dvStatus read_tetgen(const char *path, dvMesh *out, dvMeshError *error)
{
  char *node_path = companion(path, "node"), *element_path = companion(path, "ele");
  size_t node_length = 0, element_length = 0;
  char *nodes = read_content(node_path, &node_length, error), *elements = NULL;
  dvStatus status = DV_ERROR_INPUT;
  bool wanted = dv_same(dv_path_extension(path), "ele") || dv_file_exists(element_path);
  if (nodes && wanted) elements = read_content(element_path, &element_length, error);
  if (nodes && (elements || !wanted))
    status = dv_mesh_read_tetgen(nodes, node_length, elements, element_length, out, error);
  dv_free(nodes);
  dv_free(elements);
  dv_free(node_path);
  dv_free(element_path);
  return status;
}

dvStatus dv_mesh_read_with(const char *path, const dvMeshOptions *options, dvMesh *out, dvMeshError *error)
{
  DV_REQUIRE(path && out);
  *out = (dvMesh){0};
  const char *extension = dv_path_extension(path);
  if (dv_same(extension, "node") || dv_same(extension, "ele")) return read_tetgen(path, out, error);
  size_t length = 0;
  char *bytes = read_content(path, &length, error);
  if (!bytes) return DV_ERROR_INPUT;
  const dvMeshFormat *format = find_format(path, bytes, length);
  dvStatus status;
  if (options && options->stl_binary) status = dv_mesh_read_stl_binary(bytes, length, options->stl_header, out, error);
  else if (options && options->trian2) status = dv_mesh_read_trian2(bytes, length, out, error);
  else if (format) status = format->read(bytes, length, out, error);
  else
    status = fail_without_line(
        error,
        "not a mesh file of a known format (Gmsh, VTK, OBJ, STL, OFF, SPH, Xsp, GiD, Abaqus, TetGen, Netgen, trian)");
  dv_free(bytes);
  if (status == DV_OK) read_libraries(path, out);
  return status;
}

dvStatus dv_mesh_read(const char *path, dvMesh *out, dvMeshError *error)
{
  return dv_mesh_read_with(path, NULL, out, error);
}

void dv_mesh_point_normals(const dvMesh *mesh, double *out)
{
  size_t points = dv_mesh_point_count(mesh);
  memset(out, 0, points * 3 * sizeof *out);
  for (size_t i = 0; i < mesh->facets.position.count; i++) {
    int32_t n = mesh->facets.normal.data[i];
    if (n < 0) continue;
    double *to = out + 3 * (size_t)mesh->facets.position.data[i];
    for (int k = 0; k < 3; k++) to[k] += mesh->normals.data[3 * (size_t)n + (size_t)k];
  }
  for (size_t p = 0; p < points; p++) {
    double *n = out + 3 * p, norm = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    if (norm > 0)
      for (int k = 0; k < 3; k++) n[k] /= norm;
  }
}

void dv_mesh_point_texcoords(const dvMesh *mesh, double *out)
{
  memset(out, 0, dv_mesh_point_count(mesh) * 2 * sizeof *out);
  for (size_t i = 0; i < mesh->facets.position.count; i++) {
    int32_t t = mesh->facets.texcoord.data[i];
    if (t < 0) continue;
    double *to = out + 2 * (size_t)mesh->facets.position.data[i];
    const double *uv = mesh->texcoords.data + 2 * (size_t)t;
    if ((to[0] == 0 && to[1] == 0) || (uv[1] - uv[0]) - (to[1] - to[0]) > 0) to[0] = uv[0], to[1] = uv[1];
  }
}

// --- materials ---

int dv_mesh_material(const dvMesh *mesh, const char *name)
{
  for (size_t i = 0; i < mesh->materials.count; i++)
    if (dv_same(mesh->materials.data[i].name, name)) return (int)i;
  return -1;
}

int dv_mesh_first_material(const dvMesh *mesh)
{
  int used = -1;
  for (size_t i = 0; i < mesh->groups.count && used < 0; i++)
    used = dv_mesh_material(mesh, mesh->groups.data[i].material);
  return used;
}

static void print_colour(dvText *out, const char *what, bool used, const double colour[4])
{
  dv_text_printf(out, " %s %d", what, used);
  for (int i = 0; i < 4; i++) {
    dv_text_add(out, " ");
    dv_text_add_real(out, colour[i]);
  }
}

void dv_material_print(dvText *out, const dvMaterial *m)
{
  dv_text_add(out, m->name);
  print_colour(out, "Diffuse", m->given & (DV_MATERIAL_DIFFUSE | DV_MATERIAL_ALPHA), m->diffuse);
  print_colour(out, "Ambient", m->given & DV_MATERIAL_AMBIENT, m->ambient);
  print_colour(out, "Specular", m->given & DV_MATERIAL_SPECULAR, m->specular);
  print_colour(out, "Emissive", m->given & DV_MATERIAL_EMISSIVE, m->emissive);
  dv_text_printf(out, " Shininess %d ", (m->given & DV_MATERIAL_SHININESS) != 0);
  dv_text_add_real(out, m->shininess);
}

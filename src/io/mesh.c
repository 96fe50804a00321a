// Meshes from files: ownership, recognition of the format, values a point. See mesh.h.
#include "io/mesh.h"

#include "base/file.h"
#include "io/mesh_scan.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <sys/stat.h>

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
  for (size_t i = 0; i < mesh->groups.count; i++) {
    dv_free(mesh->groups.data[i].name);
    dv_free(mesh->groups.data[i].material);
  }
  dv_array_free(&mesh->groups);
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

typedef struct dvMeshFormat {
  const char *extension;
  bool (*looks)(const char *bytes, size_t length);
  dvStatus (*read)(const char *bytes, size_t length, dvMesh *out, dvMeshError *error);
} dvMeshFormat;

// weak signs come last: a word of OBJ may open many a text file
static const dvMeshFormat formats[] = {
    {"msh", looks_like_gmsh, dv_mesh_read_gmsh},
    {"sph", looks_like_sph, dv_mesh_read_sph},
    {"obj", looks_like_obj, dv_mesh_read_obj},
};

static const dvMeshFormat *find_format(const char *path, const char *bytes, size_t length)
{
  for (size_t i = 0; i < DV_COUNT(formats); i++)
    if (formats[i].looks(bytes, length)) return &formats[i];
  for (size_t i = 0; i < DV_COUNT(formats); i++)
    if (dv_same_nocase(dv_path_extension(path), formats[i].extension)) return &formats[i];
  return NULL;
}

// A mesh file may name any path; only regular files are opened, a device might never end.
static char *read_regular(const char *path, size_t *length)
{
  struct stat info;
  if (stat(path, &info) == 0 && !S_ISREG(info.st_mode)) {
    errno = S_ISDIR(info.st_mode) ? EISDIR : EINVAL;
    return NULL;
  }
  return dv_file_read(path, length);
}

static void read_libraries(const char *path, dvMesh *mesh)
{
  char *directory = dv_path_directory(path);
  for (size_t i = 0; i < mesh->libraries.count; i++) {
    const char *name = mesh->libraries.data[i];
    char *library = dv_path_join(directory, name);
    size_t length = 0;
    char *bytes = read_regular(library, &length);
    dvMeshError error;
    if (!bytes)
      dv_push(&mesh->unread, dv_format("%s: %s", name, strerror(errno)));
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

dvStatus dv_mesh_read(const char *path, dvMesh *out, dvMeshError *error)
{
  DV_REQUIRE(path && out);
  *out = (dvMesh){0};
  size_t length = 0;
  char *bytes = dv_file_read(path, &length);
  if (!bytes) return fail_without_line(error, strerror(errno));
  const dvMeshFormat *format = find_format(path, bytes, length);
  dvStatus status = format ? format->read(bytes, length, out, error)
                           : fail_without_line(error, "not a mesh file of a known format (Gmsh, OBJ, SPH)");
  dv_free(bytes);
  if (status == DV_OK) read_libraries(path, out);
  return status;
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

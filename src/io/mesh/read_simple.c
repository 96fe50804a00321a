// Small text formats: OFF, the triangulations .trian and .trian2, mass-spring files Xsp (.xs3), meshes of GiD, Netgen's
// neutral format (.mesh).
//
// OFF lists points, then faces with their number of corners; larger faces than quads become triangles. Comments begin
// with #. .trian lists points, then triangles with their three neighbours (-1: none). Xsp lists masses and the springs
// between them. Netgen lists points, tetrahedra and surface triangles, each with its number; elements have the number
// of their domain before.
#include "base/text.h"
#include "io/mesh/mesh_scan.h"

#include <strings.h>

static bool push_point(dvMeshScan *s, dvMesh *mesh, const double x[3])
{
  if (!dv_try_reserve(&mesh->positions, 3)) return dv_mesh_fail(s, "out of memory for the points");
  for (int k = 0; k < 3; k++) mesh->positions.data[mesh->positions.count++] = x[k];
  return true;
}

static bool read_points(dvMeshScan *s, dvMesh *mesh, int64_t n)
{
  if (!dv_mesh_check_count(s, "points", n, 6)) return false;
  for (int64_t i = 0; i < n; i++) {
    double x[3];
    for (int k = 0; k < 3; k++)
      if (!dv_mesh_scan_real(s, "a coordinate", &x[k])) return false;
    if (!push_point(s, mesh, x)) return false;
  }
  return true;
}

// an index that must be in the list of points; `base` is the number of the first
static bool scan_index(dvMeshScan *s, const dvMesh *mesh, int base, int32_t *out)
{
  int index;
  size_t points = dv_mesh_point_count(mesh);
  if (!dv_mesh_scan_int(s, "the index of a point", &index)) return false;
  if (index < base || (size_t)((int64_t)index - base) >= points)
    return dv_mesh_fail(s, "an element names point %d, but there are %zu points, the first has number %d", index,
                        points, base);
  *out = index - base;
  return true;
}

static bool push_element(dvMeshScan *s, dvMeshIndices *list, const int32_t *points, int n)
{
  if (!dv_try_reserve(list, (size_t)n)) return dv_mesh_fail(s, "out of memory for the elements");
  for (int k = 0; k < n; k++) list->data[list->count++] = points[k];
  return true;
}

static bool read_element(dvMeshScan *s, dvMesh *mesh, dvMeshKind kind, int base)
{
  int32_t points[8];
  int n = dv_mesh_corners(kind);
  for (int k = 0; k < n; k++)
    if (!scan_index(s, mesh, base, &points[k])) return false;
  return push_element(s, dv_mesh_elements(mesh, kind), points, n);
}

static dvStatus run(bool (*read)(dvMeshScan *, dvMesh *), const char *bytes, size_t length, dvMesh *out,
                    dvMeshError *error)
{
  *out = (dvMesh){0};
  dvMeshScan s;
  dv_mesh_scan_init(&s, bytes, length, error);
  if (read(&s, out)) return DV_OK;
  dv_mesh_free(out);
  return DV_ERROR_INPUT;
}

// --- OFF -----------------------------------------------------------------------------------------

// steps over empty lines and comments
static void skip_comments(dvMeshScan *s)
{
  for (;;) {
    while (s->at < s->end && dv_is_space(*s->at)) s->line += *s->at++ == '\n';
    if (s->at >= s->end || *s->at != '#') return;
    dv_mesh_skip_line(s);
  }
}

static bool read_off_face(dvMeshScan *s, dvMesh *mesh)
{
  int corners;
  if (!dv_mesh_scan_int(s, "the number of corners", &corners)) return false;
  if (corners < 0 || (size_t)corners > dv_mesh_scan_left(s)) return dv_mesh_fail(s, "a face has %d corners", corners);
  if (corners == 4) return read_element(s, mesh, DV_MESH_QUAD, 0);
  int32_t t[3];
  for (int k = 0; k < corners; k++) {
    int32_t p = 0;
    if (!scan_index(s, mesh, 0, &p)) return false;
    t[dv_min_int(k, 2)] = p;
    if (k >= 2 && !push_element(s, &mesh->triangles, t, 3)) return false;
    if (k >= 2) t[1] = t[2];
  }
  return true;
}

static bool read_off(dvMeshScan *s, dvMesh *mesh)
{
  const char *word;
  size_t n;
  skip_comments(s);
  if (!dv_mesh_scan_word(s, &word, &n) || !dv_mesh_word_is(word, n, "OFF"))
    return dv_mesh_fail(s, "not an OFF file: it must begin with 'OFF'");
  int64_t points, faces;
  skip_comments(s);
  s->one_line = true;   // the number of edges may be missing, colours may follow
  if (!dv_mesh_scan_text_size(s, "the number of points", &points) ||
      !dv_mesh_scan_text_size(s, "the number of faces", &faces))
    return false;
  dv_mesh_skip_line(s);
  if (!dv_mesh_check_count(s, "points", points, 6) || !dv_mesh_check_count(s, "faces", faces, 2)) return false;
  for (int64_t i = 0; i < points; i++) {
    skip_comments(s);
    if (!read_points(s, mesh, 1)) return false;
    dv_mesh_skip_line(s);
  }
  for (int64_t i = 0; i < faces; i++) {
    skip_comments(s);
    if (!read_off_face(s, mesh)) return false;
    dv_mesh_skip_line(s);
  }
  return true;
}

dvStatus dv_mesh_read_off(const char *bytes, size_t length, dvMesh *out, dvMeshError *error)
{
  return run(read_off, bytes, length, out, error);
}

// --- trian ---------------------------------------------------------------------------------------

static bool read_trian(dvMeshScan *s, dvMesh *mesh)
{
  int64_t n;
  if (!dv_mesh_scan_text_size(s, "the number of points", &n) || !read_points(s, mesh, n)) return false;
  if (!dv_mesh_scan_text_size(s, "the number of triangles", &n) || !dv_mesh_check_count(s, "triangles", n, 12))
    return false;
  for (int64_t i = 0; i < n; i++) {
    if (!read_element(s, mesh, DV_MESH_TRIANGLE, 0)) return false;
    int32_t neighbours[3];
    for (int k = 0; k < 3; k++) {
      int neighbour;
      if (!dv_mesh_scan_int(s, "the number of a neighbour", &neighbour)) return false;
      if (neighbour < -1 || neighbour >= n)
        return dv_mesh_fail(s, "triangle %d, a neighbour, does not exist", neighbour);
      neighbours[k] = neighbour;
    }
    if (!push_element(s, &mesh->neighbours, neighbours, 3)) return false;
  }
  return true;
}

dvStatus dv_mesh_read_trian(const char *bytes, size_t length, dvMesh *out, dvMeshError *error)
{
  return run(read_trian, bytes, length, out, error);
}

// 13 lines of material, then points, normals and triangles, each with a word and a number before
static bool read_trian2(dvMeshScan *s, dvMesh *mesh)
{
  const char *word;
  size_t length;
  int64_t n;
  for (int i = 0; i < 13; i++) dv_mesh_skip_line(s);
  if (!dv_mesh_scan_word(s, &word, &length) || !dv_mesh_scan_text_size(s, "the number of points", &n) ||
      !read_points(s, mesh, n))
    return dv_mesh_fail(s, "the points are missing");
  if (!dv_mesh_scan_word(s, &word, &length)) return dv_mesh_fail(s, "the normals are missing");
  if (!dv_mesh_scan_text_size(s, "the number of normals", &n) || !dv_mesh_check_count(s, "normals", n, 6)) return false;
  for (int64_t i = 0; i < 3 * n; i++) {
    double x;
    if (!dv_mesh_scan_real(s, "a coordinate of a normal", &x)) return false;
  }
  if (!dv_mesh_scan_word(s, &word, &length)) return dv_mesh_fail(s, "the triangles are missing");
  if (!dv_mesh_scan_text_size(s, "the number of triangles", &n) || !dv_mesh_check_count(s, "triangles", n, 6))
    return false;
  for (int64_t i = 0; i < n; i++)
    if (!read_element(s, mesh, DV_MESH_TRIANGLE, 0)) return false;
  return true;
}

dvStatus dv_mesh_read_trian2(const char *bytes, size_t length, dvMesh *out, dvMeshError *error)
{
  return run(read_trian2, bytes, length, out, error);
}

// --- Xsp -----------------------------------------------------------------------------------------

static bool skip_reals(dvMeshScan *s, int n)
{
  double value;
  for (int i = 0; i < n; i++)
    if (!dv_mesh_scan_real(s, "a number", &value)) return false;
  return true;
}

static bool read_mass(dvMeshScan *s, dvMesh *mesh)
{
  int index;
  const char *place;
  size_t n;
  if (!dv_mesh_scan_int(s, "the number of a mass", &index)) return false;
  if (!dv_mesh_scan_word(s, &place, &n)) return dv_mesh_fail(s, "the place of a mass (s or v) is missing");
  return read_points(s, mesh, 1) && skip_reals(s, 5);   // velocity, mass, elasticity
}

static bool read_xsp(dvMeshScan *s, dvMesh *mesh)
{
  const char *word;
  size_t n;
  double version, count;
  if (!dv_mesh_scan_word(s, &word, &n) || !dv_mesh_word_is(word, n, "Xsp"))
    return dv_mesh_fail(s, "not an Xsp file: it must begin with 'Xsp'");
  if (!dv_mesh_scan_real(s, "the version", &version)) return false;
  if (version != 3 && version != 4) return dv_mesh_fail(s, "version %g cannot be read, only 3 and 4", version);
  while (dv_mesh_scan_word(s, &word, &n)) {
    int index;
    bool good = true;
    if (dv_mesh_word_is(word, n, "numm") || dv_mesh_word_is(word, n, "nums") || dv_mesh_word_is(word, n, "visc"))
      good = dv_mesh_scan_real(s, "a number", &count);
    else if (dv_mesh_word_is(word, n, "mass")) good = read_mass(s, mesh);
    else if (dv_mesh_word_is(word, n, "lspg"))
      good = dv_mesh_scan_int(s, "the number of a spring", &index) && read_element(s, mesh, DV_MESH_EDGE, 1) &&
             skip_reals(s, version == 4 ? 6 : 3);
    else if (dv_mesh_word_is(word, n, "grav")) good = skip_reals(s, 3);
    else if (dv_mesh_word_is(word, n, "step") || dv_mesh_word_is(word, n, "frce") || word[0] == '#')
      dv_mesh_skip_line(s);
    else return dv_mesh_fail(s, "'%.*s' is not known here", (int)dv_min_size(n, 40), word);
    if (!good) return false;
  }
  return true;
}

dvStatus dv_mesh_read_xsp(const char *bytes, size_t length, dvMesh *out, dvMeshError *error)
{
  return run(read_xsp, bytes, length, out, error);
}

// --- GiD -----------------------------------------------------------------------------------------

static bool word_nocase(const char *word, size_t n, const char *wanted)
{
  return n == strlen(wanted) && strncasecmp(word, wanted, n) == 0;
}

typedef struct GidHead {
  int dimension, nodes;
  dvMeshKind kind;
} GidHead;

static bool read_gid_head(dvMeshScan *s, GidHead *head)
{
  static const struct {
    const char *name;
    dvMeshKind kind;
  } kinds[] = {{"Linear", DV_MESH_EDGE},          {"Triangle", DV_MESH_TRIANGLE},
               {"Quadrilateral", DV_MESH_QUAD},   {"Tetrahedra", DV_MESH_TETRAHEDRON},
               {"Hexahedra", DV_MESH_HEXAHEDRON}, {"Prism", DV_MESH_PRISM},
               {"Pyramid", DV_MESH_PYRAMID}};
  const char *word;
  size_t n;
  head->kind = DV_MESH_KINDS;
  s->one_line = true;
  while (dv_mesh_scan_word(s, &word, &n)) {
    if (word_nocase(word, n, "dimension") && !dv_mesh_scan_int(s, "the dimension", &head->dimension)) return false;
    if (word_nocase(word, n, "Nnode") && !dv_mesh_scan_int(s, "the number of nodes", &head->nodes)) return false;
    if (!word_nocase(word, n, "ElemType") || !dv_mesh_scan_word(s, &word, &n)) continue;
    for (size_t i = 0; i < DV_COUNT(kinds); i++)
      if (word_nocase(word, n, kinds[i].name)) head->kind = kinds[i].kind;
    if (head->kind == DV_MESH_KINDS)
      return dv_mesh_fail(s, "elements of type '%.*s' cannot be read", (int)dv_min_size(n, 40), word);
  }
  s->one_line = false;
  if (head->kind == DV_MESH_KINDS) return dv_mesh_fail(s, "ElemType is missing");
  if (head->dimension < 2 || head->dimension > 3) return dv_mesh_fail(s, "the dimension must be 2 or 3");
  if (head->nodes < dv_mesh_corners(head->kind) || head->nodes > 64)
    return dv_mesh_fail(s, "Nnode %d does not fit the type of the elements", head->nodes);
  return true;
}

// true when the section ends here
static bool gid_ends(dvMeshScan *s)
{
  dvMeshScan before = *s;
  const char *word;
  size_t n;
  if (!dv_mesh_scan_word(s, &word, &n)) return true;
  if (word_nocase(word, n, "end")) {
    dv_mesh_skip_line(s);
    return true;
  }
  *s = before;
  return false;
}

static bool read_gid_sections(dvMeshScan *s, dvMesh *mesh, const GidHead *head)
{
  const char *word;
  size_t n;
  int number;
  if (!dv_mesh_scan_word(s, &word, &n) || !word_nocase(word, n, "coordinates"))
    return dv_mesh_fail(s, "'Coordinates' expected");
  while (!gid_ends(s)) {   // points are counted, as in SOFA; their numbers are passed over
    double x[3] = {0};
    if (!dv_mesh_scan_int(s, "the number of a point", &number)) return false;
    for (int k = 0; k < head->dimension; k++)
      if (!dv_mesh_scan_real(s, "a coordinate", &x[k])) return false;
    if (!push_point(s, mesh, x)) return false;
  }
  if (!dv_mesh_scan_word(s, &word, &n) || !word_nocase(word, n, "elements"))
    return dv_mesh_fail(s, "'Elements' expected");
  s->one_line = false;
  while (!gid_ends(s)) {
    if (!dv_mesh_scan_int(s, "the number of an element", &number) || !read_element(s, mesh, head->kind, 1))
      return false;
    dv_mesh_skip_line(s);   // nodes of second order, material
  }
  return true;
}

static bool read_gid(dvMeshScan *s, dvMesh *mesh)
{
  const char *word;
  size_t n;
  GidHead head = {0};
  if (!dv_mesh_scan_word(s, &word, &n) || !word_nocase(word, n, "MESH"))
    return dv_mesh_fail(s, "not a mesh of GiD: it must begin with 'MESH'");
  return read_gid_head(s, &head) && read_gid_sections(s, mesh, &head);
}

dvStatus dv_mesh_read_gid(const char *bytes, size_t length, dvMesh *out, dvMeshError *error)
{
  return run(read_gid, bytes, length, out, error);
}

// --- Netgen --------------------------------------------------------------------------------------

static bool read_netgen_elements(dvMeshScan *s, dvMesh *mesh, dvMeshKind kind, const char *what)
{
  int64_t n;
  int domain;
  if (!dv_mesh_scan_text_size(s, what, &n) || !dv_mesh_check_count(s, "elements", n, 6)) return false;
  for (int64_t i = 0; i < n; i++)
    if (!dv_mesh_scan_int(s, "the number of a domain", &domain) || !read_element(s, mesh, kind, 1)) return false;
  return true;
}

static bool read_netgen(dvMeshScan *s, dvMesh *mesh)
{
  int64_t n;
  const char *word;
  size_t length;
  dvMeshScan before = *s;
  if (dv_mesh_scan_word(s, &word, &length) && dv_mesh_word_is(word, length, "MeshVersionFormatted"))
    return dv_mesh_fail(s, "a mesh of Medit, not of Netgen; save it as Gmsh 2.2, 4.0 or 4.1");
  *s = before;
  return dv_mesh_scan_text_size(s, "the number of points", &n) && read_points(s, mesh, n) &&
         read_netgen_elements(s, mesh, DV_MESH_TETRAHEDRON, "the number of tetrahedra") &&
         read_netgen_elements(s, mesh, DV_MESH_TRIANGLE, "the number of triangles");
}

dvStatus dv_mesh_read_netgen(const char *bytes, size_t length, dvMesh *out, dvMeshError *error)
{
  return run(read_netgen, bytes, length, out, error);
}

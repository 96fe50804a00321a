// Meshes of other programs for finite elements: TetGen (.node with .ele, .face, .edge beside it) and Abaqus or CalculiX
// (.inp).
//
// Nodes may have any numbers; points stand in the order of the file. Of elements of second order the corners are taken.
#include "base/text.h"
#include "io/mesh/mesh_scan.h"

#include <stdlib.h>
#include <strings.h>

// which point a node of the file became
typedef struct Node {
  int64_t number;
  int32_t point;
} Node;

typedef struct Nodes {
  DV_ARRAY(Node) list;
  bool sorted;
} Nodes;

static int by_number(const void *a, const void *b)
{
  const Node *x = a, *y = b;
  if (x->number != y->number) return x->number < y->number ? -1 : 1;
  return x->point < y->point ? -1 : x->point > y->point;
}

static bool add_node(dvMeshScan *s, Nodes *nodes, dvMesh *mesh, int64_t number, const double x[3])
{
  if (!dv_try_reserve(&nodes->list, 1) || !dv_try_reserve(&mesh->positions, 3))
    return dv_mesh_fail(s, "out of memory for the points");
  Node node = {number, (int32_t)dv_mesh_point_count(mesh)};
  nodes->sorted = nodes->sorted && (!nodes->list.count || nodes->list.data[nodes->list.count - 1].number < number);
  nodes->list.data[nodes->list.count++] = node;
  for (int k = 0; k < 3; k++) mesh->positions.data[mesh->positions.count++] = x[k];
  return true;
}

static bool find_node(dvMeshScan *s, Nodes *nodes, int64_t number, int32_t *out)
{
  if (!nodes->sorted) qsort(nodes->list.data, nodes->list.count, sizeof(Node), by_number);
  nodes->sorted = true;
  size_t low = 0, high = nodes->list.count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (nodes->list.data[middle].number < number) low = middle + 1;
    else high = middle;
  }
  if (low == nodes->list.count || nodes->list.data[low].number != number)
    return dv_mesh_fail(s, "an element names node %lld, which does not exist", (long long)number);
  *out = nodes->list.data[low].point;
  return true;
}

static bool push_element(dvMeshScan *s, dvMeshIndices *list, const int32_t *points, int n)
{
  if (!dv_try_reserve(list, (size_t)n)) return dv_mesh_fail(s, "out of memory for the elements");
  for (int k = 0; k < n; k++) list->data[list->count++] = points[k];
  return true;
}

// --- TetGen --------------------------------------------------------------------------------------

// steps to the next line that is neither empty nor a comment; false at the end
static bool next_line(dvMeshScan *s)
{
  for (;;) {
    while (s->at < s->end && dv_is_space(*s->at)) s->line += *s->at++ == '\n';
    if (s->at >= s->end) return false;
    if (*s->at != '#') return true;
    dv_mesh_skip_line(s);
  }
}

static bool read_nodes(dvMeshScan *s, Nodes *nodes, dvMesh *mesh)
{
  int64_t n;
  int dimension;
  s->one_line = true;
  if (!next_line(s)) return dv_mesh_fail(s, "the file is empty");
  if (!dv_mesh_scan_text_size(s, "the number of points", &n) || !dv_mesh_scan_int(s, "the dimension", &dimension))
    return false;
  if (dimension < 2 || dimension > 3) return dv_mesh_fail(s, "the dimension must be 2 or 3");
  dv_mesh_skip_line(s);
  if (!dv_mesh_check_count(s, "points", n, 6)) return false;
  for (int64_t i = 0; i < n; i++) {
    int64_t number;
    double x[3] = {0};
    if (!next_line(s)) return dv_mesh_fail(s, "the file ends after %lld of %lld points", (long long)i, (long long)n);
    if (!dv_mesh_scan_text_size(s, "the number of a point", &number)) return false;
    for (int k = 0; k < dimension; k++)
      if (!dv_mesh_scan_real(s, "a coordinate", &x[k])) return false;
    if (!add_node(s, nodes, mesh, number, x)) return false;
    dv_mesh_skip_line(s);
  }
  return true;
}

static bool read_tetgen_elements(dvMeshScan *s, Nodes *nodes, dvMesh *mesh)
{
  int64_t n;
  int nodes_each;
  s->one_line = true;
  if (!next_line(s)) return dv_mesh_fail(s, "the file is empty");
  if (!dv_mesh_scan_text_size(s, "the number of elements", &n) ||
      !dv_mesh_scan_int(s, "the number of nodes", &nodes_each))
    return false;
  if (nodes_each != 3 && nodes_each != 4 && nodes_each != 10)
    return dv_mesh_fail(s, "elements of %d nodes cannot be read", nodes_each);
  dv_mesh_skip_line(s);
  if (!dv_mesh_check_count(s, "elements", n, 8)) return false;
  int corners = nodes_each == 3 ? 3 : 4;
  for (int64_t i = 0; i < n; i++) {
    int64_t number;
    int32_t points[4];
    if (!next_line(s)) return dv_mesh_fail(s, "the file ends after %lld of %lld elements", (long long)i, (long long)n);
    if (!dv_mesh_scan_text_size(s, "the number of an element", &number)) return false;
    for (int k = 0; k < corners; k++)
      if (!dv_mesh_scan_text_size(s, "the number of a node", &number) || !find_node(s, nodes, number, &points[k]))
        return false;
    if (!push_element(s, corners == 3 ? &mesh->triangles : &mesh->tetrahedra, points, corners)) return false;
    dv_mesh_skip_line(s);
  }
  return true;
}

dvStatus dv_mesh_read_tetgen(const char *nodes_, size_t nodes_length, const char *elements, size_t elements_length,
                             dvMesh *out, dvMeshError *error)
{
  *out = (dvMesh){0};
  dvMeshScan s;
  Nodes nodes = {.sorted = true};
  dv_mesh_scan_init(&s, nodes_, nodes_length, error);
  bool good = read_nodes(&s, &nodes, out);
  if (good && elements) {
    dv_mesh_scan_init(&s, elements, elements_length, error);
    good = read_tetgen_elements(&s, &nodes, out);
  }
  dv_array_free(&nodes.list);
  if (good) return DV_OK;
  dv_mesh_free(out);
  return DV_ERROR_INPUT;
}

// --- Abaqus --------------------------------------------------------------------------------------

typedef struct Element {
  const char *name;   // how the type begins
  dvMeshKind kind;
  int nodes;
} Element;

// longer names first: C3D10 begins like C3D1…
static const Element elements_of[] = {
    {"C3D20", DV_MESH_HEXAHEDRON, 20}, {"C3D15", DV_MESH_PRISM, 15},    {"C3D10", DV_MESH_TETRAHEDRON, 10},
    {"C3D4", DV_MESH_TETRAHEDRON, 4},  {"C3D5", DV_MESH_PYRAMID, 5},    {"C3D6", DV_MESH_PRISM, 6},
    {"C3D8", DV_MESH_HEXAHEDRON, 8},   {"CPS3", DV_MESH_TRIANGLE, 3},   {"CPE3", DV_MESH_TRIANGLE, 3},
    {"CPS4", DV_MESH_QUAD, 4},         {"CPE4", DV_MESH_QUAD, 4},       {"CPS6", DV_MESH_TRIANGLE, 6},
    {"CPE6", DV_MESH_TRIANGLE, 6},     {"CPS8", DV_MESH_QUAD, 8},       {"CPE8", DV_MESH_QUAD, 8},
    {"STRI3", DV_MESH_TRIANGLE, 3},    {"STRI65", DV_MESH_TRIANGLE, 6}, {"S3", DV_MESH_TRIANGLE, 3},
    {"S4", DV_MESH_QUAD, 4},           {"S6", DV_MESH_TRIANGLE, 6},     {"S8", DV_MESH_QUAD, 8},
    {"M3D3", DV_MESH_TRIANGLE, 3},     {"M3D4", DV_MESH_QUAD, 4},       {"T3D2", DV_MESH_EDGE, 2},
    {"T3D3", DV_MESH_EDGE, 3},         {"B31", DV_MESH_EDGE, 2},        {"B32", DV_MESH_EDGE, 3}};

typedef struct Abaqus {
  dvMeshScan s;
  dvMesh *mesh;
  Nodes nodes;
  const Element *element;   // of the current block, NULL when its type is not known
  enum { OTHER, NODE, ELEMENT } block;
} Abaqus;

// One number of a list that is separated by commas; a list may go on in the next line.
static bool scan_item(Abaqus *a, const char *what, double *out)
{
  dvMeshScan *s = &a->s;
  for (;;) {
    while (s->at < s->end && *s->at != '\n' && dv_is_space(*s->at)) s->at++;
    if (s->at < s->end && *s->at == '\n') {
      s->at++;
      s->line++;
      continue;
    }
    break;
  }
  const char *begin = s->at;
  while (s->at < s->end && *s->at != ',' && *s->at != '\n') s->at++;
  char copy[64];
  size_t n = dv_min_size((size_t)(s->at - begin), sizeof copy - 1);
  memcpy(copy, begin, n);
  copy[n] = 0;
  for (char *c = copy; *c; c++)
    if (*c == 'd' || *c == 'D') *c = 'e';
  const char *cursor = copy;
  if (!dv_scan_real(&cursor, out) || !(*out - *out == 0))
    return dv_mesh_fail(s, "%s expected, found '%.40s'", what, copy);
  if (s->at < s->end && *s->at == ',') s->at++;
  return true;
}

static bool line_is_over(const dvMeshScan *s)
{
  const char *at = s->at;
  while (at < s->end && *at != '\n' && dv_is_space(*at)) at++;
  return at >= s->end || *at == '\n';
}

static bool read_node(Abaqus *a)
{
  double number, x[3] = {0};
  if (!scan_item(a, "the number of a node", &number)) return false;
  for (int k = 0; k < 3 && !line_is_over(&a->s); k++)
    if (!scan_item(a, "a coordinate", &x[k])) return false;
  dv_mesh_skip_line(&a->s);
  if (!(number >= 0 && number < 9e15)) return dv_mesh_fail(&a->s, "the number of a node is out of range");
  return add_node(&a->s, &a->nodes, a->mesh, (int64_t)number, x);
}

static bool read_element(Abaqus *a)
{
  double number;
  int32_t points[8];
  if (!scan_item(a, "the number of an element", &number)) return false;
  int corners = dv_mesh_corners(a->element->kind);
  for (int k = 0; k < a->element->nodes; k++) {
    if (!scan_item(a, "the number of a node", &number)) return false;
    if (!(number >= 0 && number < 9e15)) return dv_mesh_fail(&a->s, "the number of a node is out of range");
    if (k < corners && !find_node(&a->s, &a->nodes, (int64_t)number, &points[k])) return false;
  }
  dv_mesh_skip_line(&a->s);
  return push_element(&a->s, dv_mesh_elements(a->mesh, a->element->kind), points, corners);
}

// *KEYWORD, NAME=VALUE, …
static void read_keyword(Abaqus *a, const char *line, size_t n)
{
  a->block = OTHER;
  size_t word = 0;
  while (word < n && line[word] != ',' && !dv_is_space(line[word])) word++;
  if (word == 5 && strncasecmp(line, "*NODE", 5) == 0) a->block = NODE;
  if (word != 8 || strncasecmp(line, "*ELEMENT", 8) != 0) return;
  a->block = ELEMENT;
  a->element = NULL;
  for (size_t i = word; i + 5 < n; i++) {
    if (strncasecmp(line + i, "TYPE=", 5) != 0) continue;
    const char *type = line + i + 5;
    size_t length = 0;
    while (i + 5 + length < n && type[length] != ',' && !dv_is_space(type[length])) length++;
    for (size_t k = 0; k < DV_COUNT(elements_of); k++) {
      size_t m = strlen(elements_of[k].name);
      bool ends = length == m || (length > m && !(type[m] >= '0' && type[m] <= '9'));   // C3D8R, S3R
      if (length >= m && strncasecmp(type, elements_of[k].name, m) == 0 && ends && !a->element)
        a->element = &elements_of[k];
    }
    return;
  }
}

static bool read_abaqus(Abaqus *a)
{
  dvMeshScan *s = &a->s;
  bool any = false;
  while (s->at < s->end) {
    while (s->at < s->end && dv_is_space(*s->at)) s->line += *s->at++ == '\n';
    if (s->at >= s->end) break;
    if (*s->at == '*') {
      const char *rest;
      size_t n;
      dv_mesh_scan_rest(s, &rest, &n);
      if (n >= 2 && rest[1] == '*') continue;   // a comment
      read_keyword(a, rest, n);
      any = true;
      continue;
    }
    if (!any) return dv_mesh_fail(s, "not an input file of Abaqus: a keyword such as *NODE expected");
    if (a->block == OTHER) dv_mesh_skip_line(s);
    else if (a->block == ELEMENT && !a->element) {
      a->mesh->skipped++;
      dv_mesh_skip_line(s);
    } else if (!(a->block == NODE ? read_node(a) : read_element(a))) return false;
  }
  return dv_mesh_point_count(a->mesh) || dv_mesh_fail(s, "there are no nodes in the file");
}

dvStatus dv_mesh_read_abaqus(const char *bytes, size_t length, dvMesh *out, dvMeshError *error)
{
  *out = (dvMesh){0};
  Abaqus a = {.mesh = out, .nodes = {.sorted = true}};
  dv_mesh_scan_init(&a.s, bytes, length, error);
  bool good = read_abaqus(&a);
  dv_array_free(&a.nodes.list);
  if (good) return DV_OK;
  dv_mesh_free(out);
  return DV_ERROR_INPUT;
}

// Gmsh meshes: format 1 ($NOD, $ELM), 2.x, 4.0 and 4.1, all but the first as text or binary in either byte
// order (Gmsh reference manual, "MSH file format").
//
// Points keep the order of the file; node numbers may have holes and any order, and when a number
// comes twice the last node wins. Elements of every dimension are kept, each kind in the order of
// the file. Second-order elements are read as their corners; their middle nodes stay as points.
// Elements that are points are dropped without a word, other types are counted in `skipped`.
//
// Values of nodes ($NodeData) are kept, those of elements are not.
//
// Groups are runs of elements of one elementary entity, named after its physical group if any.
#include "base/text.h"
#include "io/mesh/gmsh.h"

#include <stdio.h>
#include <stdlib.h>

enum { NAME_LIMIT = 127 };   // Gmsh's own; longer names are cut

typedef struct dvGmshNode {
  int64_t id;
  int32_t order;
} dvGmshNode;

// something that belongs to (dimension, number): a physical name, or the physical group of an entity
typedef struct dvGmshKey {
  int dimension, number;
  int physical;
  char *name;
} dvGmshKey;

typedef DV_ARRAY(dvGmshKey) dvGmshKeys;

typedef struct dvGmsh {
  dvMeshScan s;
  dvMesh *mesh;
  int version;   // 1, 2 or 4; 0 before it is known
  bool early4;   // 4.0, where blocks name the entity before its dimension and numbers of nodes are short
  bool binary;
  bool has_nodes, has_elements;
  bool consecutive;   // node numbers are first, first + 1, ...
  DV_ARRAY(dvGmshNode) nodes;
  dvGmshKeys names, entities;
  int32_t last_group[DV_MESH_KINDS];
  int last_physical[DV_MESH_KINDS];
} dvGmsh;

typedef struct dvGmshType {
  int nodes, kind, dimension;   // kind -1: dropped
} dvGmshType;

static const dvGmshType *find_type(int type)
{
  static const dvGmshType types[] = {
      [1] = {2, DV_MESH_EDGE, 1},        [2] = {3, DV_MESH_TRIANGLE, 2},      [3] = {4, DV_MESH_QUAD, 2},
      [4] = {4, DV_MESH_TETRAHEDRON, 3}, [5] = {8, DV_MESH_HEXAHEDRON, 3},    [6] = {6, DV_MESH_PRISM, 3},
      [7] = {5, DV_MESH_PYRAMID, 3},     [8] = {3, DV_MESH_EDGE, 1},          [9] = {6, DV_MESH_TRIANGLE, 2},
      [10] = {9, DV_MESH_QUAD, 2},       [11] = {10, DV_MESH_TETRAHEDRON, 3}, [15] = {1, -1, 0},
  };
  return type > 0 && type < (int)DV_COUNT(types) && types[type].nodes ? &types[type] : NULL;
}

// number of nodes of the types that are skipped, needed to step over them in binary files
static int skipped_type_nodes(int type)
{
  static const unsigned char nodes[] = {[12] = 27, [13] = 18, [14] = 14, [16] = 8,  [17] = 20, [18] = 15, [19] = 13,
                                        [20] = 9,  [21] = 10, [22] = 12, [23] = 15, [24] = 15, [25] = 21, [26] = 4,
                                        [27] = 5,  [28] = 6,  [29] = 20, [30] = 35, [31] = 56, [92] = 64, [93] = 125};
  return type > 0 && type < (int)DV_COUNT(nodes) ? nodes[type] : 0;
}

static int compare_nodes(const void *a, const void *b)
{
  const dvGmshNode *x = a, *y = b;
  if (x->id != y->id) return x->id < y->id ? -1 : 1;
  return x->order < y->order ? -1 : x->order > y->order;
}

static int compare_keys(const void *a, const void *b)
{
  const dvGmshKey *x = a, *y = b;
  if (x->dimension != y->dimension) return x->dimension < y->dimension ? -1 : 1;
  return x->number < y->number ? -1 : x->number > y->number;
}

static const dvGmshKey *find_key(const dvGmshKeys *keys, int dimension, int number)
{
  dvGmshKey wanted = {.dimension = dimension, .number = number};
  return keys->count ? bsearch(&wanted, keys->data, keys->count, sizeof wanted, compare_keys) : NULL;
}

static void sort_keys(dvGmshKeys *keys)
{
  if (keys->count) qsort(keys->data, keys->count, sizeof *keys->data, compare_keys);
}

static bool look_up(const dvGmsh *g, int64_t id, int32_t *out)
{
  size_t count = g->nodes.count;
  if (g->consecutive && count) {
    int64_t first = g->nodes.data[0].id;
    if (id < first || (uint64_t)id - (uint64_t)first >= count) return false;
    *out = (int32_t)(id - first);
    return true;
  }
  size_t low = 0, high = count;   // number of entries whose id is at most the wanted one
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (g->nodes.data[middle].id <= id) low = middle + 1;
    else high = middle;
  }
  if (!low || g->nodes.data[low - 1].id != id) return false;
  *out = g->nodes.data[low - 1].order;
  return true;
}

static bool find_node(dvGmsh *g, int64_t id, int32_t *out)
{
  return look_up(g, id, out) || dv_mesh_fail(&g->s, "an element names node %lld, which does not exist", (long long)id);
}

static void add_node(dvGmsh *g, int64_t id)
{
  dvGmshNode node = {id, (int32_t)g->nodes.count};
  if (node.order == 0) g->consecutive = true;
  else if (g->nodes.data[node.order - 1].id == INT64_MAX || g->nodes.data[node.order - 1].id + 1 != id)
    g->consecutive = false;
  dv_push(&g->nodes, node);
}

static bool read_point(dvGmsh *g)
{
  double x[3];
  for (int k = 0; k < 3; k++)
    if (!dv_mesh_scan_real(&g->s, "a coordinate", &x[k])) return false;
  for (int k = 0; k < 3; k++) dv_push(&g->mesh->positions, x[k]);
  return true;
}

// formats 1 and 2: number x y z
static bool read_nodes2(dvGmsh *g)
{
  int64_t count;
  if (!dv_mesh_scan_text_size(&g->s, "the number of nodes", &count)) return false;
  if (g->binary) dv_mesh_skip_line(&g->s);
  g->s.binary = g->binary;
  if (!dv_mesh_check_count(&g->s, "nodes", count, g->binary ? 28 : 8)) return false;
  for (int64_t i = 0; i < count; i++) {
    int id;
    if (!dv_mesh_scan_int(&g->s, "a node number", &id) || !read_point(g)) return false;
    add_node(g, id);
  }
  return true;
}

static bool read_entity_of_block(dvGmsh *g, int *dimension, int *entity)
{
  return (g->early4 || dv_mesh_scan_int(&g->s, "the dimension of an entity", dimension)) &&
         dv_mesh_scan_int(&g->s, "the number of an entity", entity) &&
         (!g->early4 || dv_mesh_scan_int(&g->s, "the dimension of an entity", dimension));
}

// format 4.1: blocks with the numbers first, then the coordinates; in 4.0 each number stands before its coordinates
static bool read_node_block(dvGmsh *g)
{
  int dimension, entity, parametric, number;
  int64_t count, id;
  if (!read_entity_of_block(g, &dimension, &entity) || !dv_mesh_scan_int(&g->s, "the parametric flag", &parametric) ||
      !dv_mesh_scan_size(&g->s, "the number of nodes of a block", &count) ||
      !dv_mesh_check_count(&g->s, "nodes of a block", count, g->binary ? 28 : 8))
    return false;
  if (dimension < 0 || dimension > 3) return dv_mesh_fail(&g->s, "an entity of dimension %d", dimension);
  for (int64_t i = 0; i < count && !g->early4; i++) {
    if (!dv_mesh_scan_size(&g->s, "a node number", &id)) return false;
    add_node(g, id);
  }
  for (int64_t i = 0; i < count; i++) {
    if (g->early4) {
      if (!dv_mesh_scan_int(&g->s, "a node number", &number)) return false;
      add_node(g, number);
    }
    if (!read_point(g)) return false;
    for (int k = 0; parametric && k < dimension; k++) {
      double unused;
      if (!dv_mesh_scan_real(&g->s, "a parametric coordinate", &unused)) return false;
    }
  }
  return true;
}

// blocks, total and, since 4.1, lowest and highest number: the same for nodes and elements
static bool read_block_header(dvGmsh *g, const char *what, int64_t *blocks, int64_t *total)
{
  int64_t low, high;
  return dv_mesh_scan_size(&g->s, "the number of blocks", blocks) &&
         dv_mesh_scan_size(&g->s, "the total of a section", total) &&
         (g->early4 || (dv_mesh_scan_size(&g->s, "the lowest number", &low) &&
                        dv_mesh_scan_size(&g->s, "the highest number", &high))) &&
         dv_mesh_check_count(&g->s, "blocks", *blocks, 8) &&
         dv_mesh_check_count(&g->s, what, *total, g->binary ? 8 : 4);
}

static bool read_nodes4(dvGmsh *g)
{
  int64_t blocks, total;
  if (!read_block_header(g, "nodes", &blocks, &total)) return false;
  for (int64_t i = 0; i < blocks; i++)
    if (!read_node_block(g)) return false;
  if ((size_t)total != g->nodes.count)
    return dv_mesh_fail(&g->s, "%lld nodes announced, %zu found", (long long)total, g->nodes.count);
  return true;
}

static bool read_nodes(dvGmsh *g)
{
  if (g->has_nodes) return dv_mesh_fail(&g->s, "a second section of nodes");
  g->has_nodes = true;
  if (!(g->version == 4 ? read_nodes4(g) : read_nodes2(g))) return false;
  if (!g->consecutive && g->nodes.count) qsort(g->nodes.data, g->nodes.count, sizeof *g->nodes.data, compare_nodes);
  return true;
}

static void add_to_group(dvGmsh *g, const dvGmshType *type, int tag, int physical)
{
  dvMesh *mesh = g->mesh;
  int kind = type->kind;
  int32_t last = g->last_group[kind];
  if (last >= 0 && mesh->groups.data[last].tag == tag && g->last_physical[kind] == physical) {
    mesh->groups.data[last].count++;
    return;
  }
  const dvGmshKey *key = physical ? find_key(&g->names, type->dimension, physical) : NULL;
  size_t elements = dv_mesh_elements(mesh, kind)->count / (size_t)dv_mesh_corners(kind);
  dvMeshGroup group = {.name = dv_strdup(key ? key->name : ""),
                       .material = dv_strdup(""),
                       .kind = kind,
                       .tag = tag,
                       .first = (int32_t)elements - 1,
                       .count = 1};
  g->last_group[kind] = (int32_t)mesh->groups.count;
  g->last_physical[kind] = physical;
  dv_push(&mesh->groups, group);
}

// the nodes of one element; `wide` numbers have 8 bytes in binary files
static bool read_element_nodes(dvGmsh *g, const dvGmshType *type, bool wide, int tag, int physical)
{
  int corners = type->kind < 0 ? 0 : dv_mesh_corners(type->kind);
  int32_t corner[8];
  for (int i = 0; i < type->nodes; i++) {
    int64_t id = 0;
    int32_t node = 0;
    int narrow = 0;
    if (wide ? !dv_mesh_scan_size(&g->s, "a node number", &id) : !dv_mesh_scan_int(&g->s, "a node number", &narrow))
      return false;
    if (!find_node(g, wide ? id : narrow, &node)) return false;
    if (i < corners) corner[i] = node;
  }
  if (type->kind < 0) return true;
  dvMeshIndices *list = dv_mesh_elements(g->mesh, type->kind);
  dv_reserve(list, (size_t)corners);
  for (int i = 0; i < corners; i++) list->data[list->count++] = corner[i];
  add_to_group(g, type, tag, physical);
  return true;
}

static bool skip_element_line(dvGmsh *g)
{
  if (g->s.at >= g->s.end) return dv_mesh_fail(&g->s, "an element is missing at the end of the file");
  dv_mesh_skip_line(&g->s);
  g->mesh->skipped++;
  return true;
}

static bool wrong_node_count(dvGmsh *g, int type, int nodes)
{
  return dv_mesh_fail(&g->s, "an element of type %d cannot have %d nodes", type, nodes);
}

// format 1: number type physical elementary node-count nodes
static bool read_element1(dvGmsh *g)
{
  int number, type, physical, tag, nodes;
  if (!dv_mesh_scan_int(&g->s, "an element number", &number) || !dv_mesh_scan_int(&g->s, "an element type", &type) ||
      !dv_mesh_scan_int(&g->s, "a physical region", &physical) ||
      !dv_mesh_scan_int(&g->s, "an elementary region", &tag) || !dv_mesh_scan_int(&g->s, "a number of nodes", &nodes))
    return false;
  const dvGmshType *known = find_type(type);
  if (!known) return skip_element_line(g);
  if (nodes != known->nodes) return wrong_node_count(g, type, nodes);
  return read_element_nodes(g, known, false, tag, physical);
}

// the tags of a format 2 element: the first is the physical group, the last the elementary entity
static bool read_tags(dvGmsh *g, int count, int *tag, int *physical)
{
  *tag = -1, *physical = 0;
  if (!dv_mesh_check_count(&g->s, "tags of an element", count, g->binary ? 4 : 2)) return false;
  for (int i = 0; i < count; i++) {
    if (!dv_mesh_scan_int(&g->s, "a tag", tag)) return false;
    if (i == 0) *physical = *tag;
  }
  return true;
}

// format 2 as text: number type tag-count tags nodes
static bool read_element2(dvGmsh *g)
{
  int number, type, tags, tag, physical;
  if (!dv_mesh_scan_int(&g->s, "an element number", &number) || !dv_mesh_scan_int(&g->s, "an element type", &type) ||
      !dv_mesh_scan_int(&g->s, "a number of tags", &tags) || !read_tags(g, tags, &tag, &physical))
    return false;
  const dvGmshType *known = find_type(type);
  return known ? read_element_nodes(g, known, false, tag, physical) : skip_element_line(g);
}

static bool skip_bytes(dvGmsh *g, int64_t elements, size_t bytes)
{
  if (!dv_mesh_check_count(&g->s, "elements of a block", elements, bytes)) return false;
  g->s.at += (size_t)elements * bytes;
  g->mesh->skipped += (size_t)elements;
  return true;
}

// format 2, binary: a header (type, count, tag-count), then elements without it
static bool read_binary_block2(dvGmsh *g, int64_t left, int *count)
{
  int type, tags, number, tag, physical;
  if (!dv_mesh_scan_int(&g->s, "an element type", &type) || !dv_mesh_scan_int(&g->s, "a number of elements", count) ||
      !dv_mesh_scan_int(&g->s, "a number of tags", &tags) || !dv_mesh_check_count(&g->s, "tags of an element", tags, 4))
    return false;
  if (*count < 1 || *count > left)
    return dv_mesh_fail(&g->s, "a block of %d elements where %lld are left", *count, (long long)left);
  const dvGmshType *known = find_type(type);
  int nodes = known ? known->nodes : skipped_type_nodes(type);
  if (!nodes) return dv_mesh_fail(&g->s, "element type %d is not known", type);
  if (!known) return skip_bytes(g, *count, 4 * (size_t)(1 + tags + nodes));
  for (int i = 0; i < *count; i++)
    if (!dv_mesh_scan_int(&g->s, "an element number", &number) || !read_tags(g, tags, &tag, &physical) ||
        !read_element_nodes(g, known, false, tag, physical))
      return false;
  return true;
}

static bool read_elements2(dvGmsh *g)
{
  int64_t count;
  if (!dv_mesh_scan_text_size(&g->s, "the number of elements", &count)) return false;
  if (g->binary) dv_mesh_skip_line(&g->s);
  g->s.binary = g->binary;
  if (!dv_mesh_check_count(&g->s, "elements", count, g->binary ? 8 : 6)) return false;
  int block = 1;
  for (int64_t i = 0; i < count; i += block) {
    bool good = g->binary         ? read_binary_block2(g, count - i, &block)
                : g->version == 1 ? read_element1(g)
                                  : read_element2(g);
    if (!good) return false;
  }
  return true;
}

static bool read_element_number(dvGmsh *g)
{
  int64_t wide;
  int number;
  return g->early4 ? dv_mesh_scan_int(&g->s, "an element number", &number)
                   : dv_mesh_scan_size(&g->s, "an element number", &wide);
}

// format 4: a header (dimension, entity, type, count), then number and nodes of each element
static bool read_element_block(dvGmsh *g, int64_t *count)
{
  int dimension, entity, type;
  if (!read_entity_of_block(g, &dimension, &entity) || !dv_mesh_scan_int(&g->s, "an element type", &type) ||
      !dv_mesh_scan_size(&g->s, "the number of elements of a block", count) ||
      !dv_mesh_check_count(&g->s, "elements of a block", *count, g->binary ? 8 : 4))
    return false;
  const dvGmshType *known = find_type(type);
  if (!known && g->binary) {
    int nodes = skipped_type_nodes(type);
    if (!nodes) return dv_mesh_fail(&g->s, "element type %d is not known", type);
    return skip_bytes(g, *count, (g->early4 ? 4 : 8) * (size_t)(1 + nodes));
  }
  if (!known) dv_mesh_skip_line(&g->s);
  const dvGmshKey *key = find_key(&g->entities, dimension, entity);
  for (int64_t i = 0; i < *count; i++) {
    if (!known ? !skip_element_line(g)
               : !read_element_number(g) || !read_element_nodes(g, known, !g->early4, entity, key ? key->physical : 0))
      return false;
  }
  return true;
}

static bool read_elements4(dvGmsh *g)
{
  int64_t blocks, total, found = 0, count;
  if (!read_block_header(g, "elements", &blocks, &total)) return false;
  for (int64_t i = 0; i < blocks; i++) {
    if (!read_element_block(g, &count)) return false;
    found += count;
  }
  if (found != total)
    return dv_mesh_fail(&g->s, "%lld elements announced, %lld found", (long long)total, (long long)found);
  return true;
}

static bool read_elements(dvGmsh *g)
{
  if (!g->has_nodes) return dv_mesh_fail(&g->s, "elements come before the nodes");
  if (g->has_elements) return dv_mesh_fail(&g->s, "a second section of elements");
  g->has_elements = true;
  for (int kind = 0; kind < DV_MESH_KINDS; kind++) g->last_group[kind] = -1;
  return g->version == 4 ? read_elements4(g) : read_elements2(g);
}

// dimension number "name", as text in binary files too
static bool read_physical_names(dvGmsh *g)
{
  int64_t count, dimension, number;
  if (!dv_mesh_scan_text_size(&g->s, "the number of names", &count) ||
      !dv_mesh_check_count(&g->s, "physical names", count, 6))
    return false;
  for (int64_t i = 0; i < count; i++) {
    const char *name;
    size_t length;
    if (!dv_mesh_scan_text_size(&g->s, "a dimension", &dimension) ||
        !dv_mesh_scan_text_size(&g->s, "a physical number", &number))
      return false;
    dv_mesh_scan_rest(&g->s, &name, &length);
    if (length >= 2 && name[0] == '"' && name[length - 1] == '"') name++, length -= 2;
    length = dv_min_size(length, NAME_LIMIT);
    dvGmshKey key = {(int)dimension, (int)number, 0, dv_strndup(name, length)};
    dv_push(&g->names, key);
  }
  sort_keys(&g->names);
  return true;
}

// a list of numbers with its length in front; gives the first, 0 without
static bool read_int_list(dvGmsh *g, const char *what, int *first)
{
  int64_t count;
  *first = 0;
  if (!dv_mesh_scan_size(&g->s, what, &count) || !dv_mesh_check_count(&g->s, what, count, g->binary ? 4 : 2))
    return false;
  for (int64_t i = 0; i < count; i++) {
    int value;
    if (!dv_mesh_scan_int(&g->s, what, &value)) return false;
    if (i == 0) *first = value;
  }
  return true;
}

// number, a point or a box, physical groups, boundary: wanted is the first physical group
static bool read_entity(dvGmsh *g, int dimension)
{
  dvGmshKey key = {.dimension = dimension};
  int boundary;
  double unused;
  if (!dv_mesh_scan_int(&g->s, "the number of an entity", &key.number)) return false;
  for (int k = 0; k < (dimension || g->early4 ? 6 : 3); k++)
    if (!dv_mesh_scan_real(&g->s, "the extent of an entity", &unused)) return false;
  if (!read_int_list(g, "the physical groups of an entity", &key.physical)) return false;
  if (dimension && !read_int_list(g, "the boundary of an entity", &boundary)) return false;
  dv_push(&g->entities, key);
  return true;
}

static bool read_entities(dvGmsh *g)
{
  int64_t counts[4];
  for (int d = 0; d < 4; d++)
    if (!dv_mesh_scan_size(&g->s, "the number of entities", &counts[d])) return false;
  for (int d = 0; d < 4; d++) {
    if (!dv_mesh_check_count(&g->s, "entities", counts[d], 8)) return false;
    for (int64_t i = 0; i < counts[d]; i++)
      if (!read_entity(g, d)) return false;
  }
  sort_keys(&g->entities);
  return true;
}

// version file-type data-size, in binary files then a 1 that tells the byte order
static bool read_format(dvGmsh *g)
{
  double version;
  int type, size, one;
  if (!dv_mesh_scan_real(&g->s, "the version", &version) || !dv_mesh_scan_int(&g->s, "the file type", &type) ||
      !dv_mesh_scan_int(&g->s, "the data size", &size))
    return false;
  if (version >= 2 && version < 3) g->version = 2;
  else if (version >= 4 && version < 5) g->version = 4, g->early4 = version < 4.05;
  else return dv_mesh_fail(&g->s, "Gmsh format %g is not read; save the mesh as format 2.2, 4.0 or 4.1", version);
  if (type != 0 && type != 1) return dv_mesh_fail(&g->s, "file type 0 (text) or 1 (binary) expected, found %d", type);
  if (size != 8) return dv_mesh_fail(&g->s, "a data size of 8 bytes expected, found %d", size);
  g->binary = type == 1;
  if (!g->binary) return true;
  dv_mesh_skip_line(&g->s);
  g->s.binary = true;
  if (!dv_mesh_scan_int(&g->s, "the mark of the byte order", &one)) return false;
  if (one == 1) return true;
  if (one != 1 << 24) return dv_mesh_fail(&g->s, "the mark of the byte order is %d, not 1", one);
  g->s.swapped = true;
  return true;
}

// steps behind "$End..." of a section that is not read
static bool skip_section(dvGmsh *g, const char *name, size_t length)
{
  char end[80];
  snprintf(end, sizeof end, "$End%.*s", (int)dv_min_size(length - 1, 60), name + 1);
  const char *found = memmem(g->s.at, dv_mesh_scan_left(&g->s), end, strlen(end));
  if (!found) return dv_mesh_fail(&g->s, "section '%.*s' has no end", (int)dv_min_size(length, 60), name);
  for (; g->s.at < found; g->s.at++) g->s.line += *g->s.at == '\n';
  return true;
}

static bool look_up_node(const void *user, int64_t id, int32_t *out) { return look_up(user, id, out); }

static bool read_values(dvGmsh *g) { return dv_gmsh_read_values(&g->s, g->mesh, g->binary, look_up_node, g); }

static bool expect_end(dvGmsh *g, const char *end)
{
  const char *word;
  size_t length;
  g->s.binary = false;
  if (!dv_mesh_scan_word(&g->s, &word, &length))
    return dv_mesh_fail(&g->s, "'%s' expected at the end of the file", end);
  if (!dv_mesh_word_is(word, length, end))
    return dv_mesh_fail(&g->s, "'%s' expected, found '%.*s'", end, (int)dv_min_size(length, 60), word);
  return true;
}

typedef struct dvGmshSection {
  const char *begin, *end;
  int version;   // 0: any
  bool raw;      // in binary files raw numbers begin on the next line
  bool (*read)(dvGmsh *g);
} dvGmshSection;

static const dvGmshSection sections[] = {
    {"$NOD", "$ENDNOD", 1, false, read_nodes},
    {"$ELM", "$ENDELM", 1, false, read_elements},
    {"$MeshFormat", "$EndMeshFormat", 0, false, read_format},
    {"$PhysicalNames", "$EndPhysicalNames", 0, false, read_physical_names},
    {"$Entities", "$EndEntities", 4, true, read_entities},
    {"$Nodes", "$EndNodes", 2, false, read_nodes},
    {"$Nodes", "$EndNodes", 4, true, read_nodes},
    {"$Elements", "$EndElements", 2, false, read_elements},
    {"$Elements", "$EndElements", 4, true, read_elements},
    {"$NodeData", "$EndNodeData", 0, false, read_values},
};

static bool read_section(dvGmsh *g, const char *word, size_t length)
{
  if (!g->version && dv_mesh_word_is(word, length, "$NOD")) g->version = 1;
  if (!g->version && !dv_mesh_word_is(word, length, "$MeshFormat") && !dv_mesh_word_is(word, length, "$Comments"))
    return dv_mesh_fail(&g->s, "'$MeshFormat' or '$NOD' expected, found '%.*s'", (int)dv_min_size(length, 60), word);
  for (size_t i = 0; i < DV_COUNT(sections); i++) {
    const dvGmshSection *section = &sections[i];
    if (!dv_mesh_word_is(word, length, section->begin)) continue;
    if (section->version && section->version != g->version) continue;
    if (section->read == read_format && g->version) return dv_mesh_fail(&g->s, "a second '$MeshFormat'");
    if (g->binary && section->raw) {
      dv_mesh_skip_line(&g->s);
      g->s.binary = true;
    }
    return section->read(g) && expect_end(g, section->end);
  }
  return skip_section(g, word, length) && dv_mesh_scan_word(&g->s, &word, &length);
}

static bool read_sections(dvGmsh *g)
{
  const char *word;
  size_t length;
  while (dv_mesh_scan_word(&g->s, &word, &length)) {
    if (word[0] == '$') {
      if (!read_section(g, word, length)) return false;
    } else if (!g->has_elements) {
      return dv_mesh_fail(&g->s, "a section ('$...') expected, found '%.*s'", (int)dv_min_size(length, 60), word);
    }
  }
  if (!g->has_nodes) return dv_mesh_fail(&g->s, "the file has no nodes");
  return true;
}

dvStatus dv_mesh_read_gmsh(const char *bytes, size_t length, dvMesh *out, dvMeshError *error)
{
  *out = (dvMesh){0};
  dvGmsh g = {.mesh = out};
  dv_mesh_scan_init(&g.s, bytes, length, error);
  bool good = read_sections(&g);
  for (size_t i = 0; i < g.names.count; i++) dv_free(g.names.data[i].name);
  dv_array_free(&g.names);
  dv_array_free(&g.entities);
  dv_array_free(&g.nodes);
  if (!good) dv_mesh_free(out);
  return good ? DV_OK : DV_ERROR_INPUT;
}

// Parts of meshes: MeshSubsetEngine keeps the elements whose points were all chosen, MeshSplittingEngine deals the
// points out to several parts, MeshBoundaryROI finds the border of a surface, ComplementaryROI what no other selection
// has.
#include "engine/classes.h"
#include "engine/engine.h"

#include "topology/search/tuple_set.h"

#include <string.h>

#define SUBSET_FIELDS(X)                                                      \
  X(coords, inputPosition, "", "m", "points of the mesh", .flags = DV_INPUT)  \
  X(edges, inputEdges, "", "", "its edges", .flags = DV_INPUT)                \
  X(triangles, inputTriangles, "", "", "its triangles", .flags = DV_INPUT)    \
  X(quads, inputQuads, "", "", "its quads", .flags = DV_INPUT)                \
  X(tetrahedra, inputTetrahedra, "", "", "its tetrahedra", .flags = DV_INPUT) \
  X(hexahedra, inputHexahedra, "", "", "its hexahedra", .flags = DV_INPUT)    \
  X(indices, indices, "", "", "points that are kept", .flags = DV_INPUT)      \
  X(coords, position, "", "m", "points of the part", .flags = DV_OUTPUT)      \
  X(edges, edges, "", "", "its edges", .flags = DV_OUTPUT)                    \
  X(triangles, triangles, "", "", "its triangles", .flags = DV_OUTPUT)        \
  X(quads, quads, "", "", "its quads", .flags = DV_OUTPUT)                    \
  X(tetrahedra, tetrahedra, "", "", "its tetrahedra", .flags = DV_OUTPUT)     \
  X(hexahedra, hexahedra, "", "", "its hexahedra", .flags = DV_OUTPUT)

typedef struct Subset {
  dvObject base;
  SUBSET_FIELDS(DV_MEMBER)
} Subset;

#define SELF Subset
static const dvFieldDesc subset_fields[] = {SUBSET_FIELDS(DV_DESCRIBE)};
#undef SELF

// elements all of whose points have a new number
static bool keep_elements(const dvInts *in, const int32_t *number, dvInts *out)
{
  size_t width = (size_t)in->width;
  bool good = dv_ints_resize(out, 0);
  for (size_t i = 0; i + width <= in->count && good; i += width) {
    int32_t element[8];
    bool all = true;
    for (size_t k = 0; k < width; k++) {
      element[k] = number[in->data[i + k]];
      all = all && element[k] >= 0;
    }
    if (all) good = dv_engine_add_ints(out, element, width);
  }
  return good;
}

static dvStatus subset_update(dvObject *o)
{
  Subset *s = (Subset *)o;
  const dvInts *in[] = {&s->inputEdges, &s->inputTriangles, &s->inputQuads, &s->inputTetrahedra, &s->inputHexahedra};
  dvInts *out[] = {&s->edges, &s->triangles, &s->quads, &s->tetrahedra, &s->hexahedra};
  size_t n = dv_reals_size(&s->inputPosition);
  DV_TRY(dv_engine_check(o, &s->indices, n, "points"));
  for (size_t i = 0; i < DV_COUNT(in); i++) DV_TRY(dv_engine_check(o, in[i], n, "points"));
  int32_t *number = dv_try_alloc((n + 1) * sizeof *number);
  bool good = number && dv_reals_resize(&s->position, 3 * s->indices.count);
  if (good) memset(number, -1, n * sizeof *number);
  for (size_t i = 0; i < s->indices.count && good; i++) {
    memcpy(s->position.data + 3 * i, s->inputPosition.data + 3 * (size_t)s->indices.data[i], 3 * sizeof(double));
    number[s->indices.data[i]] = (int32_t)i;
  }
  for (size_t i = 0; i < DV_COUNT(in) && good; i++) good = keep_elements(in[i], number, out[i]);
  dv_free(number);
  return good ? DV_OK : dv_engine_no_memory(o);
}

DV_ENGINE_CLASS(dv_mesh_subset_class, "MeshSubsetEngine", "part of a mesh: chosen points and the elements between them",
                DV_SELECT_MODULE, DV_DOF_VEC3, Subset, .blocks = {&dv_object_block, DV_BLOCK(subset_fields)},
                .update = subset_update);

// --- splitting -----------------------------------------------------------------------------------

#define SPLIT_FIELDS(X)                                                                                          \
  X(vec3s, position, "", "m", "points of the mesh", .flags = DV_INPUT)                                           \
  X(edges, edges, "", "", "its edges", .flags = DV_INPUT)                                                        \
  X(triangles, triangles, "", "", "its triangles", .flags = DV_INPUT)                                            \
  X(quads, quads, "", "", "its quads", .flags = DV_INPUT)                                                        \
  X(tetrahedra, tetrahedra, "", "", "its tetrahedra", .flags = DV_INPUT)                                         \
  X(hexahedra, hexahedra, "", "", "its hexahedra", .flags = DV_INPUT)                                            \
  X(int, nbInputs, "0", "", "number of selections: indices1, tetrahedronIndices1 …; one more part has the rest", \
    .flags = DV_INPUT)                                                                                           \
  X(indices, indexPairs, "", "", "for each point: its part, and its number there", .flags = DV_OUTPUT)
#define SPLIT_INPUTS(X)                                                             \
  X(indices, indices, "", "", "points of a part", .flags = DV_INPUT)                \
  X(indices, edgeIndices, "", "", "edges of a part", .flags = DV_INPUT)             \
  X(indices, triangleIndices, "", "", "triangles of a part", .flags = DV_INPUT)     \
  X(indices, quadIndices, "", "", "quads of a part", .flags = DV_INPUT)             \
  X(indices, tetrahedronIndices, "", "", "tetrahedra of a part", .flags = DV_INPUT) \
  X(indices, hexahedronIndices, "", "", "hexahedra of a part", .flags = DV_INPUT)
#define SPLIT_OUTPUTS(X) X(vec3s, position, "", "m", "points of a part", .flags = DV_OUTPUT)

typedef struct Split {
  dvObject base;
  SPLIT_FIELDS(DV_MEMBER)
} Split;
typedef struct SplitInput {
  SPLIT_INPUTS(DV_MEMBER)
} SplitInput;
typedef struct SplitOutput {
  SPLIT_OUTPUTS(DV_MEMBER)
} SplitOutput;

#define SELF Split
static const dvFieldDesc split_fields[] = {SPLIT_FIELDS(DV_DESCRIBE)};
#undef SELF
#define SELF SplitInput
static const dvFieldDesc split_inputs[] = {SPLIT_INPUTS(DV_DESCRIBE)};
#undef SELF
#define SELF SplitOutput
static const dvFieldDesc split_outputs[] = {SPLIT_OUTPUTS(DV_DESCRIBE)};
#undef SELF

static dvStatus split_parse(dvObject *o, dvAttributes *a)
{
  Split *s = (Split *)o;
  DV_TRY(dv_engine_add_inputs(o, a, DV_BLOCK(split_inputs), &s->nbInputs));
  for (int i = 1; i <= s->nbInputs + 1; i++) dv_object_add_numbered(o, &split_outputs[0], i);
  return DV_OK;
}

// gives the points of some elements to a part; NULL elements: the indices are points
static dvStatus give_points(Split *s, const char *name, int part, const dvInts *elements)
{
  const dvObject *o = &s->base;
  const dvInts *list = dv_engine_numbered(o, name, part);
  size_t n = dv_reals_size(&s->position), width = elements ? (size_t)elements->width : 1;
  if (!list) return DV_OK;
  DV_TRY(dv_engine_check_field(o, dv_field_of(o, list), elements ? dv_ints_size(elements) : n,
                               elements ? "elements" : "points"));
  for (size_t i = 0; i < list->count; i++)
    for (size_t k = 0; k < width; k++) {
      size_t point = (size_t)(elements ? elements->data[(size_t)list->data[i] * width + k] : list->data[i]);
      s->indexPairs.data[2 * point] = part - 1;
    }
  return DV_OK;
}

static dvStatus split_update(dvObject *o)
{
  Split *s = (Split *)o;
  const dvInts *elements[] = {NULL, &s->edges, &s->triangles, &s->quads, &s->tetrahedra, &s->hexahedra};
  size_t n = dv_reals_size(&s->position);
  for (size_t i = 1; i < DV_COUNT(elements); i++) DV_TRY(dv_engine_check(o, elements[i], n, "points"));
  if (!dv_ints_resize(&s->indexPairs, 2 * n)) return dv_engine_no_memory(o);
  for (size_t i = 0; i < n; i++) s->indexPairs.data[2 * i] = s->nbInputs;
  for (int part = s->nbInputs; part >= 1; part--)   // the first part that wants a point gets it
    for (size_t i = 0; i < DV_COUNT(elements); i++)
      DV_TRY(give_points(s, dv_field_name(&split_inputs[i]), part, elements[i]));
  for (int part = 0; part <= s->nbInputs; part++) {
    dvReals *out = dv_engine_numbered(o, "position", part + 1);
    bool good = out && dv_reals_resize(out, 0);
    for (size_t i = 0; i < n && good; i++) {
      if (s->indexPairs.data[2 * i] != part) continue;
      s->indexPairs.data[2 * i + 1] = (int32_t)(out->count / 3);
      good = dv_engine_add_reals(out, s->position.data + 3 * i, 3);
    }
    if (!good) return dv_engine_no_memory(o);
  }
  return DV_OK;
}

DV_ENGINE_CLASS(dv_mesh_splitting_class, "MeshSplittingEngine", "deals the points of a mesh out to several parts",
                DV_SELECT_MODULE, DV_DOF_VEC3, Split, .blocks = {&dv_object_block, DV_BLOCK(split_fields)},
                .parse = split_parse, .update = split_update);

// --- border --------------------------------------------------------------------------------------

#define BORDER_FIELDS(X)                                                                                            \
  X(triangles, triangles, "", "", "triangles of the surface", .flags = DV_INPUT)                                    \
  X(quads, quads, "", "", "quads of the surface", .flags = DV_INPUT)                                                \
  X(indices, inputROI, "", "", "only faces all of whose points are among these; all when empty", .flags = DV_INPUT) \
  X(indices, indices, "", "", "points on edges that only one face has, ascending", .flags = DV_OUTPUT)

typedef struct Border {
  dvObject base;
  BORDER_FIELDS(DV_MEMBER)
} Border;

#define SELF Border
static const dvFieldDesc border_fields[] = {BORDER_FIELDS(DV_DESCRIBE)};
#undef SELF

typedef struct EdgeCount {
  dvTupleSet edges;
  DV_ARRAY(int32_t) faces;   // of each edge
  uint8_t *chosen;           // points, when only some count
  int32_t points;
} EdgeCount;

static bool count_edges(EdgeCount *c, const dvInts *faces)
{
  size_t width = (size_t)faces->width;
  for (size_t i = 0; i + width <= faces->count; i += width) {
    bool all = true;
    for (size_t k = 0; k < width; k++) all = all && (!c->chosen || c->chosen[faces->data[i + k]]);
    for (size_t k = 0; k < width && all; k++) {
      int32_t a = faces->data[i + k], b = faces->data[i + (k + 1) % width], edge[2] = {a < b ? a : b, a < b ? b : a};
      bool fresh;
      int32_t number = dv_tuple_set_add(&c->edges, edge, &fresh);
      if (number < 0) return false;
      if (fresh) dv_push(&c->faces, 0);
      c->faces.data[number]++;
    }
  }
  return true;
}

static int32_t last_point(const dvInts *list, int32_t most)
{
  for (size_t i = 0; i < list->count; i++) most = list->data[i] > most ? list->data[i] : most;
  return most;
}

static bool collect(Border *b, EdgeCount *c)
{
  uint8_t *on = dv_try_alloc((size_t)c->points + 1);
  bool good = on && dv_ints_resize(&b->indices, 0);
  for (size_t e = 0; e < c->faces.count && good; e++)
    if (c->faces.data[e] == 1) on[c->edges.keys.data[2 * e]] = on[c->edges.keys.data[2 * e + 1]] = 1;
  for (int32_t i = 0; i < c->points && good; i++)
    if (on[i]) good = dv_engine_add_ints(&b->indices, &i, 1);
  dv_free(on);
  return good;
}

static dvStatus border_update(dvObject *o)
{
  Border *b = (Border *)o;
  DV_TRY(dv_engine_check(o, &b->triangles, DV_POINT_LIMIT, "points at most"));
  DV_TRY(dv_engine_check(o, &b->quads, DV_POINT_LIMIT, "points at most"));
  DV_TRY(dv_engine_check(o, &b->inputROI, DV_POINT_LIMIT, "points at most"));
  EdgeCount c = {.points = last_point(&b->inputROI, last_point(&b->quads, last_point(&b->triangles, -1))) + 1};
  dv_tuple_set_init(&c.edges, 2);
  if (b->inputROI.count) c.chosen = dv_try_alloc((size_t)c.points + 1);
  bool good = !b->inputROI.count || c.chosen;
  for (size_t i = 0; i < b->inputROI.count && good; i++) c.chosen[b->inputROI.data[i]] = 1;
  good = good && count_edges(&c, &b->triangles) && count_edges(&c, &b->quads) && collect(b, &c);
  dv_tuple_set_free(&c.edges);
  dv_array_free(&c.faces);
  dv_free(c.chosen);
  return good ? DV_OK : dv_engine_no_memory(o);
}

DV_ENGINE_CLASS(dv_mesh_boundary_class, "MeshBoundaryROI", "selects the points on the border of a surface",
                DV_SELECT_MODULE, 0, Border, .blocks = {&dv_object_block, DV_BLOCK(border_fields)},
                .update = border_update);

// --- the rest ------------------------------------------------------------------------------------

#define REST_FIELDS(X)                                                                          \
  X(coords, position, "", "m", "all points", .flags = DV_INPUT)                                 \
  X(int, nbSet, "0", "", "number of selections: setIndices1, setIndices2 …", .flags = DV_INPUT) \
  X(indices, indices, "", "", "points that none of them has", .flags = DV_OUTPUT)               \
  X(coords, pointsInROI, "", "m", "their positions", .flags = DV_OUTPUT)
#define REST_INPUTS(X) X(indices, setIndices, "", "", "points of a selection", .flags = DV_INPUT)

typedef struct Rest {
  dvObject base;
  REST_FIELDS(DV_MEMBER)
} Rest;
typedef struct RestInput {
  REST_INPUTS(DV_MEMBER)
} RestInput;

#define SELF Rest
static const dvFieldDesc rest_fields[] = {REST_FIELDS(DV_DESCRIBE)};
#undef SELF
#define SELF RestInput
static const dvFieldDesc rest_inputs[] = {REST_INPUTS(DV_DESCRIBE)};
#undef SELF

static dvStatus rest_parse(dvObject *o, dvAttributes *a)
{
  return dv_engine_add_inputs(o, a, DV_BLOCK(rest_inputs), &((Rest *)o)->nbSet);
}

static dvStatus rest_update(dvObject *o)
{
  Rest *r = (Rest *)o;
  size_t n = dv_reals_size(&r->position), width = (size_t)o->dof->coord;
  for (int i = 1; i <= r->nbSet; i++) {
    const dvInts *set = dv_engine_numbered(o, "setIndices", i);
    if (set) DV_TRY(dv_engine_check_field(o, dv_field_of(o, set), n, "points"));
  }
  uint8_t *taken = dv_try_alloc(n + 1);
  bool good = taken && dv_ints_resize(&r->indices, 0) && dv_reals_resize(&r->pointsInROI, 0);
  for (int i = 1; i <= r->nbSet && good; i++) {
    const dvInts *set = dv_engine_numbered(o, "setIndices", i);
    for (size_t k = 0; set && k < set->count; k++) taken[set->data[k]] = 1;
  }
  for (size_t i = 0; i < n && good; i++) {
    int32_t index = (int32_t)i;
    if (!taken[i])
      good = dv_engine_add_ints(&r->indices, &index, 1) &&
             dv_engine_add_reals(&r->pointsInROI, r->position.data + i * width, width);
  }
  dv_free(taken);
  return good ? DV_OK : dv_engine_no_memory(o);
}

DV_ENGINE_CLASS(dv_complementary_roi_class, "ComplementaryROI", "selects the points that no other selection has",
                DV_SELECT_MODULE, DV_DOF_VEC3, Rest, .blocks = {&dv_object_block, DV_BLOCK(rest_fields)},
                .parse = rest_parse, .update = rest_update);

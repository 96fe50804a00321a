// SubsetTopologicalMapping: both topologies are given, the output is part of the input; found are the numbers that
// points and elements have in the other one. IdentityTopologicalMapping: both are the same.
//
// Points are matched by their positions, which must be equal to the last bit, elements by their points in any order; of
// several equal ones the last counts. What is not in the input, or not in the output, is -1.
#include "topology/mapping/mapping.h"
#include "topology/search/tuple_set.h"

#define SUBSET_FIELDS(X)                                                                                               \
  X(bool, samePoints, "0", "", "points have the same numbers in both topologies")                                      \
  X(bool, handleEdges, "0", "", "match the edges")                                                                     \
  X(bool, handleTriangles, "0", "", "match the triangles")                                                             \
  X(bool, handleQuads, "0", "", "match the quads")                                                                     \
  X(bool, handleTetrahedra, "0", "", "match the tetrahedra")                                                           \
  X(bool, handleHexahedra, "0", "", "match the hexahedra")                                                             \
  X(indices, pointS2D, "", "", "for each point of the input its number in the output", .flags = DV_OUTPUT)             \
  X(indices, pointD2S, "", "", "for each point of the output its number in the input", .flags = DV_OUTPUT)             \
  X(indices, edgeS2D, "", "", "for each edge of the input its number in the output", .flags = DV_OUTPUT)               \
  X(indices, edgeD2S, "", "", "for each edge of the output its number in the input", .flags = DV_OUTPUT)               \
  X(indices, triangleS2D, "", "", "for each triangle of the input its number in the output", .flags = DV_OUTPUT)       \
  X(indices, triangleD2S, "", "", "for each triangle of the output its number in the input", .flags = DV_OUTPUT)       \
  X(indices, quadS2D, "", "", "for each quad of the input its number in the output", .flags = DV_OUTPUT)               \
  X(indices, quadD2S, "", "", "for each quad of the output its number in the input", .flags = DV_OUTPUT)               \
  X(indices, tetrahedronS2D, "", "", "for each tetrahedron of the input its number in the output", .flags = DV_OUTPUT) \
  X(indices, tetrahedronD2S, "", "", "for each tetrahedron of the output its number in the input", .flags = DV_OUTPUT) \
  X(indices, hexahedronS2D, "", "", "for each hexahedron of the input its number in the output", .flags = DV_OUTPUT)   \
  X(indices, hexahedronD2S, "", "", "for each hexahedron of the output its number in the input", .flags = DV_OUTPUT)

typedef struct Subset {
  dvTopologyMapping mapping;
  SUBSET_FIELDS(DV_MEMBER)
} Subset;

#define SELF Subset
static const dvFieldDesc subset_fields[] = {SUBSET_FIELDS(DV_DESCRIBE)};
#undef SELF

// two lists of the sizes given, all -1
static bool make_maps(dvInts *s2d, size_t in, dvInts *d2s, size_t out)
{
  if (!dv_ints_resize(s2d, in) || !dv_ints_resize(d2s, out)) return false;
  memset(dv_ints_edit(s2d), 0xff, in * sizeof(int32_t));
  memset(dv_ints_edit(d2s), 0xff, out * sizeof(int32_t));
  return true;
}

// What tells elements apart: the sorted points for elements, the bits of the coordinates for points.
static void key_of(int32_t *key, const int32_t *element, int width, const dvInts *translate)
{
  for (int k = 0; k < width; k++)
    key[k] = translate && (size_t)element[k] < translate->count ? translate->data[element[k]] : element[k];
  dv_tuple_sort(key, width);
}

static void key_of_point(int32_t *key, const double *x)
{
  double sum[3];
  for (int k = 0; k < 3; k++) sum[k] = x[k] + 0.0;   // -0 and 0 are the same place
  memcpy(key, sum, 3 * sizeof *sum);
}

// The number of each key of the input: the sets hand out numbers in the order of first sight, `last` has the last
// element of each.
typedef struct Finder {
  dvTupleSet set;
  DV_ARRAY(int32_t) last;
} Finder;

static void finder_add(Finder *f, const int32_t *key, size_t number)
{
  bool fresh;
  int32_t slot = dv_tuple_set_add(&f->set, key, &fresh);
  if (slot < 0) return;
  if (fresh) dv_push(&f->last, (int32_t)number);
  else f->last.data[slot] = (int32_t)number;
}

// notes the pair, or counts a miss
static void match(const Finder *f, const int32_t *key, size_t number, dvInts *s2d, dvInts *d2s, size_t *missing,
                  size_t *first)
{
  int32_t slot = dv_tuple_set_find(&f->set, key);
  if (slot < 0) {
    if ((*missing)++ == 0) *first = number;
    return;
  }
  d2s->data[number] = f->last.data[slot];
  s2d->data[f->last.data[slot]] = (int32_t)number;
}

static dvStatus finish(Subset *s, Finder *f, dvElementKind kind, size_t missing, size_t first)
{
  bool good = !f->set.failed;
  dv_tuple_set_free(&f->set);
  dv_array_free(&f->last);
  if (!good) return dv_topology_mapping_memory(&s->mapping);
  if (missing)
    dv_warning(&s->mapping.base, "make the output from the input",
               "%zu of the %s of the output are not in the input, first number %zu", missing, dv_element_name(kind),
               first);
  return DV_OK;
}

static dvStatus match_points(Subset *s, dvTopology *from, dvTopology *to)
{
  size_t in = dv_topology_point_count(from), out = dv_topology_point_count(to), missing = 0, first = 0;
  const dvReals *x = dv_topology_positions(from), *y = dv_topology_positions(to);
  if (!make_maps(&s->pointS2D, in, &s->pointD2S, out)) return dv_topology_mapping_memory(&s->mapping);
  if (!x->count || !y->count) {
    if (in != out)
      return dv_error(&s->mapping.base, "give the topologies positions",
                      "points can only be matched by positions: the input has %zu, the output %zu", in, out);
    for (size_t i = 0; i < in; i++) s->pointS2D.data[i] = s->pointD2S.data[i] = (int32_t)i;
    return DV_OK;
  }
  Finder f = {0};
  dv_tuple_set_init(&f.set, 6);
  int32_t key[6];
  for (size_t i = 0; i < dv_reals_size(x); i++) key_of_point(key, x->data + 3 * i), finder_add(&f, key, i);
  for (size_t i = 0; i < dv_reals_size(y); i++) {
    key_of_point(key, y->data + 3 * i);
    match(&f, key, i, &s->pointS2D, &s->pointD2S, &missing, &first);
  }
  return finish(s, &f, DV_POINT, missing, first);
}

static dvStatus match_elements(Subset *s, dvElementKind kind, dvInts *s2d, dvInts *d2s)
{
  dvTopology *from = s->mapping.from, *to = s->mapping.to;
  const dvInts *in = dv_topology_elements(from, kind), *out = dv_topology_elements(to, kind);
  size_t missing = 0, first = 0;
  if (!make_maps(s2d, dv_ints_size(in), d2s, dv_ints_size(out))) return dv_topology_mapping_memory(&s->mapping);
  if (!in->count || !out->count) return DV_OK;
  Finder f = {0};
  dv_tuple_set_init(&f.set, in->width);
  int32_t key[DV_TUPLE_WIDTH];
  size_t width = (size_t)in->width;
  for (size_t i = 0; i < dv_ints_size(in); i++)
    key_of(key, in->data + width * i, in->width, NULL), finder_add(&f, key, i);
  for (size_t i = 0; i < dv_ints_size(out); i++) {
    key_of(key, out->data + width * i, in->width, s->samePoints ? NULL : &s->pointD2S);
    match(&f, key, i, s2d, d2s, &missing, &first);
  }
  return finish(s, &f, kind, missing, first);
}

static dvStatus make_subset(dvTopologyMapping *m, dvTopology *from)
{
  Subset *s = (Subset *)m;
  DV_TRY(dv_topology_settle(m->to));
  if (!s->samePoints) DV_TRY(match_points(s, from, m->to));
  if (s->handleEdges) DV_TRY(match_elements(s, DV_EDGE, &s->edgeS2D, &s->edgeD2S));
  if (s->handleTriangles) DV_TRY(match_elements(s, DV_TRIANGLE, &s->triangleS2D, &s->triangleD2S));
  if (s->handleQuads) DV_TRY(match_elements(s, DV_QUAD, &s->quadS2D, &s->quadD2S));
  if (s->handleTetrahedra) DV_TRY(match_elements(s, DV_TETRAHEDRON, &s->tetrahedronS2D, &s->tetrahedronD2S));
  if (s->handleHexahedra) DV_TRY(match_elements(s, DV_HEXAHEDRON, &s->hexahedronS2D, &s->hexahedronD2S));
  return DV_OK;
}

static dvStatus check_identity(dvTopologyMapping *m, dvTopology *from)
{
  size_t in = dv_topology_point_count(from), out = dv_topology_point_count(m->to);
  if (in != out)
    dv_warning(&m->base, "give both topologies the same points",
               "input and output are not the same: %zu and %zu points", in, out);
  return DV_OK;
}

static const dvTopologyMappingOps subset_ops = {DV_POINT, 0, false, make_subset, NULL};
static const dvTopologyMappingOps identity_ops = {DV_POINT, 0, false, check_identity, NULL};

#define MODULE "Sofa.Component.Topology.Mapping"
DV_TOPOLOGY_MAPPING_CLASS(dv_subset_topology_class, "SubsetTopologicalMapping",
                          "the numbers that a part of a mesh has in the whole", MODULE, Subset, subset_ops,
                          DV_BLOCK(subset_fields));
DV_TOPOLOGY_MAPPING_CLASS(dv_identity_topology_class, "IdentityTopologicalMapping", "two topologies that are the same",
                          MODULE, dvTopologyMapping, identity_ops);

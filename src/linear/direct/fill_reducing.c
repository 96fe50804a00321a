// FillReducingOrdering: points of a mesh in the order in which a direct solver best eliminates them, and its elements
// in terms of that.
//
// Two points are neighbours when an element has both. Divan's direct solvers order what they factorise themselves; this
// is for those who want the points in that order elsewhere, with NaturalOrderingMethod beside the solver.
#include "linear/classes.h"
#include "linear/direct/ordering.h"

#include "engine/engine.h"
#include "state/state.h"

#include <string.h>

#define FILL_FIELDS(X)                                                                                              \
  X(link, mstate, "", "", "state whose points are put in order; that of the node or above by default",              \
    .role = DV_ROLE_STATE)                                                                                          \
  X(link, topology, "", "", "topology whose elements count; that of the node or above by default",                  \
    .role = DV_ROLE_TOPOLOGY)                                                                                       \
  X(choice, orderingMethod, "nestedDissection", "",                                                                 \
    "nested dissection (METIS), or unknowns with few neighbours first; AMD is short for the latter",                \
    .options = "nestedDissection|approximateMinimumDegree|AMD", .flags = DV_INPUT)                                  \
  X(vec3s, inputPosition, "", "m", "points before; those of the state", .flags = DV_INPUT | DV_HIDDEN)              \
  X(tetrahedra, inputTetrahedra, "", "", "tetrahedra before; those of the topology", .flags = DV_INPUT | DV_HIDDEN) \
  X(hexahedra, inputHexahedra, "", "", "hexahedra before; those of the topology", .flags = DV_INPUT | DV_HIDDEN)    \
  X(ints, permutation, "", "", "point that comes k-th", .flags = DV_OUTPUT)                                         \
  X(ints, invPermutation, "", "", "place of each point in the new order", .flags = DV_OUTPUT)                       \
  X(vec3s, position, "", "m", "points in the new order", .flags = DV_OUTPUT)                                        \
  X(hexahedra, hexahedra, "", "", "hexahedra in terms of the new order", .flags = DV_OUTPUT)                        \
  X(tetrahedra, tetrahedra, "", "", "tetrahedra in terms of the new order", .flags = DV_OUTPUT)

typedef struct FillReducing {
  dvObject base;
  FILL_FIELDS(DV_MEMBER)
} FillReducing;

#define SELF FillReducing
static const dvFieldDesc fill_fields[] = {FILL_FIELDS(DV_DESCRIBE)};
#undef SELF

static dvStatus fill_reducing_link(dvObject *o)
{
  FillReducing *f = (FillReducing *)o;
  dvObject *state = f->mstate.target ? f->mstate.target : dv_node_state_up(o->node);
  dvObject *topology = f->topology.target ? f->topology.target : dv_node_find_up(o->node, DV_ROLE_TOPOLOGY);
  if (!topology)
    return dv_error(o, "add a topology, or give topology=\"@name\"", "%s finds no elements to go by", o->cls->name);
  dv_engine_follow(o, &f->inputPosition, state ? state : topology, state ? "rest_position" : "position");
  dv_engine_follow(o, &f->inputTetrahedra, topology, "tetrahedra");
  dv_engine_follow(o, &f->inputHexahedra, topology, "hexahedra");
  return DV_OK;
}

static void add_pairs(uint64_t *pair, size_t *count, const dvInts *elements, size_t corners)
{
  for (size_t e = 0; e < elements->count; e += corners)
    for (size_t i = 0; i < corners; i++)
      for (size_t j = 0; j < corners; j++)
        pair[(*count)++] = dv_pair((size_t)elements->data[e + i], (size_t)elements->data[e + j]);
}

static bool find_order(FillReducing *f, size_t points)
{
  size_t room = 4 * f->inputTetrahedra.count + 8 * f->inputHexahedra.count, count = 0;
  uint64_t *pair = dv_try_alloc((room + 1) * sizeof *pair);
  dvPattern graph = {0};
  if (!pair) return false;
  add_pairs(pair, &count, &f->inputTetrahedra, 4);
  add_pairs(pair, &count, &f->inputHexahedra, 8);
  bool good = dv_pattern_build(&graph, points, points, pair, count, NULL) &&
              dv_order(f->orderingMethod == 0 ? DV_ORDER_METIS : DV_ORDER_AMD, &graph, f->permutation.data);
  dv_pattern_free(&graph);
  dv_free(pair);
  return good;
}

static bool renumber(dvInts *to, const dvInts *from, const int32_t *place)
{
  if (!dv_ints_resize(to, from->count)) return false;
  for (size_t i = 0; i < from->count; i++) to->data[i] = place[from->data[i]];
  return true;
}

static dvStatus fill_reducing_update(dvObject *o)
{
  FillReducing *f = (FillReducing *)o;
  size_t points = f->inputPosition.count / 3;
  DV_TRY(dv_engine_check(o, &f->inputTetrahedra, points, "points"));
  DV_TRY(dv_engine_check(o, &f->inputHexahedra, points, "points"));
  bool good = dv_ints_resize(&f->permutation, points) && dv_ints_resize(&f->invPermutation, points) &&
              dv_reals_resize(&f->position, 3 * points) && (points == 0 || find_order(f, points));
  for (size_t k = 0; good && k < points; k++) {
    int32_t from = f->permutation.data[k];
    f->invPermutation.data[from] = (int32_t)k;
    memcpy(f->position.data + 3 * k, f->inputPosition.data + 3 * (size_t)from, 3 * sizeof(double));
  }
  good = good && renumber(&f->tetrahedra, &f->inputTetrahedra, f->invPermutation.data) &&
         renumber(&f->hexahedra, &f->inputHexahedra, f->invPermutation.data);
  return good ? DV_OK : dv_engine_no_memory(o);
}

DV_ENGINE_CLASS(dv_fill_reducing_class, "FillReducingOrdering",
                "points and elements of a mesh in the order in which a direct solver best eliminates them",
                "SofaMatrix", DV_DOF_VEC3, FillReducing, .blocks = {&dv_object_block, DV_BLOCK(fill_fields)},
                .link = fill_reducing_link, .update = fill_reducing_update);

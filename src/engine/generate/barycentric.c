// MeshBarycentricMapperEngine: in which element of a mesh points lie, and where in it.
//
// The element is found as in BarycentricMapping (topology/search/locate.h): the one a point is deepest in, else the one
// with the nearest centre. Of a mesh without volumes or faces it is the first edge beside which a point lies, else the
// last.
#include "engine/classes.h"
#include "engine/engine.h"

#include "math/vec.h"
#include "topology/search/locate.h"

#include <string.h>

#define MAPPER_FIELDS(X)                                                                                              \
  X(coords, inputPositions, "", "m", "points of the mesh", .flags = DV_INPUT)                                         \
  X(coords, mappedPointPositions, "", "m", "points to look for", .flags = DV_INPUT)                                   \
  X(coords, barycentricPositions, "", "", "place of each point in its element: 0 0 0 is its first corner",            \
    .flags = DV_OUTPUT)                                                                                               \
  X(ints, tableElements, "", "",                                                                                      \
    "element of each point, -1 where there is none; hexahedra are counted behind tetrahedra, quads behind triangles", \
    .flags = DV_OUTPUT)                                                                                               \
  X(bool, computeLinearInterpolation, "0", "", "also give corners and weights", .flags = DV_INPUT)                    \
  X(lists, linearInterpolationIndices, "", "", "corners of each point's element", .flags = DV_OUTPUT)                 \
  X(reals, linearInterpolationValues, "", "", "their weights, one behind the other", .flags = DV_OUTPUT)              \
  X(link, topology, "", "", "the mesh; the topology of the node or above by default", .role = DV_ROLE_TOPOLOGY)       \
  X(edges, meshEdges, "", "", "edges of the mesh", .flags = DV_INPUT | DV_HIDDEN | DV_NO_SRC)                         \
  X(triangles, meshTriangles, "", "", "triangles of the mesh", .flags = DV_INPUT | DV_HIDDEN | DV_NO_SRC)             \
  X(quads, meshQuads, "", "", "quads of the mesh", .flags = DV_INPUT | DV_HIDDEN | DV_NO_SRC)                         \
  X(tetrahedra, meshTetrahedra, "", "", "tetrahedra of the mesh", .flags = DV_INPUT | DV_HIDDEN | DV_NO_SRC)          \
  X(hexahedra, meshHexahedra, "", "", "hexahedra of the mesh", .flags = DV_INPUT | DV_HIDDEN | DV_NO_SRC)

typedef struct Mapper {
  dvObject base;
  MAPPER_FIELDS(DV_MEMBER)
} Mapper;

#define SELF Mapper
static const dvFieldDesc mapper_fields[] = {MAPPER_FIELDS(DV_DESCRIBE)};
#undef SELF

static dvStatus mapper_link(dvObject *o)
{
  Mapper *m = (Mapper *)o;
  dvObject *topology = m->topology.target ? m->topology.target : dv_node_find_up(o->node, DV_ROLE_TOPOLOGY);
  if (!topology) return dv_error(o, "give topology=\"@path\"", "%s finds no mesh", o->name);
  dv_engine_follow(o, &m->meshEdges, topology, "edges");
  dv_engine_follow(o, &m->meshTriangles, topology, "triangles");
  dv_engine_follow(o, &m->meshQuads, topology, "quads");
  dv_engine_follow(o, &m->meshTetrahedra, topology, "tetrahedra");
  dv_engine_follow(o, &m->meshHexahedra, topology, "hexahedra");
  return DV_OK;
}

static void locate_on_edges(const Mapper *m, dvLocation *out)
{
  const double *x = m->inputPositions.data;
  size_t edges = dv_ints_size(&m->meshEdges);
  for (size_t i = 0; i < dv_reals_size(&m->mappedPointPositions); i++) {
    double s = 0;
    size_t e = 0;
    for (; e < edges; e++) {
      dvVec3 a = dv_vec3_load(x + 3 * m->meshEdges.data[2 * e]),
             along = dv_vec3_sub(dv_vec3_load(x + 3 * m->meshEdges.data[2 * e + 1]), a);
      s = dv_vec3_dot(along, dv_vec3_sub(dv_vec3_load(m->mappedPointPositions.data + 3 * i), a)) / dv_vec3_norm2(along);
      if (s >= 0 && s <= 1) break;
    }
    out[i] = (dvLocation){(int32_t)dv_min_size(e, edges - 1), {isfinite(s) ? s : 0, 0, 0}};
  }
}

// the two kinds that points are looked for in
static void choose_lists(const Mapper *m, const dvInts *lists[2], dvElementKind kinds[2])
{
  bool volumes = m->meshTetrahedra.count || m->meshHexahedra.count,
       faces = m->meshTriangles.count || m->meshQuads.count;
  lists[0] = volumes ? &m->meshTetrahedra : faces ? &m->meshTriangles : &m->meshEdges;
  lists[1] = volumes ? &m->meshHexahedra : faces ? &m->meshQuads : NULL;
  kinds[0] = volumes ? DV_TETRAHEDRON : faces ? DV_TRIANGLE : DV_EDGE;
  kinds[1] = volumes ? DV_HEXAHEDRON : DV_QUAD;
}

static bool add_weights(Mapper *m, const dvInts *lists[2], const dvElementKind kinds[2], const dvLocation *at)
{
  size_t first = dv_ints_size(lists[0]), number = (size_t)at->element;
  double weights[8];
  if (at->element < 0) return dv_lists_push(&m->linearInterpolationIndices, NULL, 0);
  int which = number < first ? 0 : 1, count = 2;
  const dvInts *list = lists[which];
  if (kinds[which] == DV_EDGE) weights[0] = 1 - at->local[0], weights[1] = at->local[0];
  else count = dv_locate_weights(kinds[which], at->local, weights);
  return dv_lists_push(&m->linearInterpolationIndices,
                       list->data + (number - (which ? first : 0)) * (size_t)list->width, (size_t)count) &&
         dv_engine_add_reals(&m->linearInterpolationValues, weights, (size_t)count);
}

static dvStatus mapper_check(const Mapper *m, const dvInts *lists[2])
{
  size_t n = dv_reals_size(&m->inputPositions);
  for (int i = 0; i < 2 && lists[i]; i++)
    for (size_t k = 0; k < lists[i]->count; k++)
      if ((size_t)lists[i]->data[k] >= n)
        return dv_field_error(&m->base, &m->inputPositions, "link it to the positions of the mesh",
                              "the mesh has the point %d, but inputPositions has %zu points", lists[i]->data[k], n);
  return DV_OK;
}

static dvStatus mapper_update(dvObject *o)
{
  Mapper *m = (Mapper *)o;
  const dvInts *lists[2];
  dvElementKind kinds[2];
  choose_lists(m, lists, kinds);
  DV_TRY(mapper_check(m, lists));
  size_t n = dv_reals_size(&m->mappedPointPositions), lost = 0;
  dvLocation *found = dv_try_alloc((n + 1) * sizeof *found);
  bool good = found && dv_reals_resize(&m->barycentricPositions, 3 * n) && dv_ints_resize(&m->tableElements, n) &&
              dv_lists_clear(&m->linearInterpolationIndices) && dv_reals_resize(&m->linearInterpolationValues, 0);
  if (good && lists[1]) {
    dvLocateDef def = {.x = m->inputPositions.data};
    for (int i = 0; i < 2; i++) def.lists[i] = (dvLocateElements){kinds[i], lists[i]->data, dv_ints_size(lists[i])};
    dv_locate(&def, o->context->pool, m->mappedPointPositions.data, n, found);
  } else if (good && m->meshEdges.count) locate_on_edges(m, found);
  else
    for (size_t i = 0; i < n && good; i++) found[i].element = -1;
  for (size_t i = 0; i < n && good; i++) {
    lost += found[i].element < 0;
    m->tableElements.data[i] = found[i].element;
    for (size_t k = 0; k < 3; k++)
      m->barycentricPositions.data[3 * i + k] =
          found[i].element < 0 || (kinds[0] == DV_TRIANGLE && k == 2) ? 0 : found[i].local[k];
    if (m->computeLinearInterpolation) good = add_weights(m, lists, kinds, &found[i]);
  }
  dv_free(found);
  if (lost)
    dv_warning(o, "give topology=\"@path\" of a mesh with elements", "%zu of %zu points are in no element", lost, n);
  return good ? DV_OK : dv_engine_no_memory(o);
}

DV_ENGINE_CLASS(dv_barycentric_mapper_class, "MeshBarycentricMapperEngine",
                "in which element of a mesh points lie, and where in it", DV_GENERATE_MODULE, DV_DOF_VEC3, Mapper,
                .blocks = {&dv_object_block, DV_BLOCK(mapper_fields)}, .link = mapper_link, .update = mapper_update);

// MergeMeshes: several meshes as one, points and elements one behind the other. MergePoints: two sets of points, one
// behind the other or the second put into places of the first.
#include "engine/classes.h"
#include "engine/engine.h"

#include <string.h>

#define MERGE_FIELDS(X)                                                                                \
  X(int, nbMeshes, "2", "", "number of meshes: position1, triangles1, position2 …", .flags = DV_INPUT) \
  X(int, npoints, "0", "", "number of points", .flags = DV_OUTPUT)                                     \
  X(coords, position, "", "m", "points of all meshes", .flags = DV_OUTPUT)                             \
  X(edges, edges, "", "", "edges of all meshes", .flags = DV_OUTPUT)                                   \
  X(triangles, triangles, "", "", "triangles of all meshes", .flags = DV_OUTPUT)                       \
  X(quads, quads, "", "", "quads of all meshes", .flags = DV_OUTPUT)                                   \
  X(ints, polygons, "", "", "empty, as in SOFA", .flags = DV_OUTPUT | DV_HIDDEN)                       \
  X(tetrahedra, tetrahedra, "", "", "tetrahedra of all meshes", .flags = DV_OUTPUT)                    \
  X(hexahedra, hexahedra, "", "", "hexahedra of all meshes", .flags = DV_OUTPUT)
#define MERGE_INPUTS(X)                                                  \
  X(coords, position, "", "m", "points of a mesh", .flags = DV_INPUT)    \
  X(edges, edges, "", "", "its edges", .flags = DV_INPUT)                \
  X(triangles, triangles, "", "", "its triangles", .flags = DV_INPUT)    \
  X(quads, quads, "", "", "its quads", .flags = DV_INPUT)                \
  X(tetrahedra, tetrahedra, "", "", "its tetrahedra", .flags = DV_INPUT) \
  X(hexahedra, hexahedra, "", "", "its hexahedra", .flags = DV_INPUT)

typedef struct Merge {
  dvObject base;
  MERGE_FIELDS(DV_MEMBER)
} Merge;
typedef struct MergeInput {
  MERGE_INPUTS(DV_MEMBER)
} MergeInput;

#define SELF Merge
static const dvFieldDesc merge_fields[] = {MERGE_FIELDS(DV_DESCRIBE)};
#undef SELF
#define SELF MergeInput
static const dvFieldDesc merge_inputs[] = {MERGE_INPUTS(DV_DESCRIBE)};
#undef SELF

static dvStatus merge_parse(dvObject *o, dvAttributes *a)
{
  return dv_engine_add_inputs(o, a, DV_BLOCK(merge_inputs), &((Merge *)o)->nbMeshes);
}

static dvStatus merge_elements(dvObject *o, const char *name, dvInts *out)
{
  size_t first = 0;
  if (!dv_ints_resize(out, 0)) return dv_engine_no_memory(o);
  for (int i = 1; i <= ((Merge *)o)->nbMeshes; i++) {
    const dvInts *in = dv_engine_numbered(o, name, i);
    const dvReals *points = dv_engine_numbered(o, "position", i);
    if (!in || !points) continue;
    DV_TRY(dv_engine_check_field(o, dv_field_of(o, in), dv_reals_size(points), "points in that mesh"));
    size_t at = out->count;
    if (!dv_engine_add_ints(out, in->data, in->count)) return dv_engine_no_memory(o);
    for (; at < out->count; at++) out->data[at] += (int32_t)first;
    first += dv_reals_size(points);
  }
  return DV_OK;
}

static dvStatus merge_update(dvObject *o)
{
  Merge *m = (Merge *)o;
  bool good = dv_reals_resize(&m->position, 0);
  for (int i = 1; i <= m->nbMeshes && good; i++) {
    const dvReals *in = dv_engine_numbered(o, "position", i);
    if (in) good = dv_engine_add_reals(&m->position, in->data, in->count);
  }
  if (!good) return dv_engine_no_memory(o);
  size_t n = dv_reals_size(&m->position);
  if (n > DV_POINT_LIMIT) return dv_error(o, "use coarser meshes", "%zu points are more than can be simulated", n);
  m->npoints = (int32_t)n;
  DV_TRY(merge_elements(o, "edges", &m->edges));
  DV_TRY(merge_elements(o, "triangles", &m->triangles));
  DV_TRY(merge_elements(o, "quads", &m->quads));
  DV_TRY(merge_elements(o, "tetrahedra", &m->tetrahedra));
  return merge_elements(o, "hexahedra", &m->hexahedra);
}

DV_ENGINE_CLASS(dv_merge_meshes_class, "MergeMeshes", "several meshes as one", DV_GENERATE_MODULE,
                DV_DOF_VEC1 | DV_DOF_VEC2 | DV_DOF_VEC3 | DV_DOF_RIGID2 | DV_DOF_RIGID3, Merge,
                .blocks = {&dv_object_block, DV_BLOCK(merge_fields)}, .parse = merge_parse, .update = merge_update);

// --- points --------------------------------------------------------------------------------------

#define POINTS_FIELDS(X)                                                                                        \
  X(coords, position1, "", "m", "first points", .flags = DV_INPUT)                                              \
  X(coords, position2, "", "m", "second points", .flags = DV_INPUT)                                             \
  X(indices, mappingX2, "", "",                                                                                 \
    "places of the first points that the second ones take; when not given they come behind", .flags = DV_INPUT) \
  X(indices, indices1, "", "", "which of the result come from the first", .flags = DV_OUTPUT)                   \
  X(indices, indices2, "", "", "which come from the second", .flags = DV_OUTPUT)                                \
  X(coords, points, "", "m", "the result", .flags = DV_OUTPUT)                                                  \
  X(bool, noUpdate, "0", "", "stay with the first result", .flags = DV_INPUT)

typedef struct MergePoints {
  dvObject base;
  POINTS_FIELDS(DV_MEMBER)
  bool done;
} MergePoints;

#define SELF MergePoints
static const dvFieldDesc points_fields[] = {POINTS_FIELDS(DV_DESCRIBE)};
#undef SELF

static bool list_sources(MergePoints *m, const bool *second, size_t n)
{
  bool good = dv_ints_resize(&m->indices1, 0) && dv_ints_resize(&m->indices2, 0);
  for (size_t i = 0; i < n && good; i++) {
    int32_t index = (int32_t)i;
    good = dv_engine_add_ints(second[i] ? &m->indices2 : &m->indices1, &index, 1);
  }
  return good;
}

// the first result, where that one stays
static void merge_points_remember(dvObject *o, dvMemoryStream *s)
{
  MergePoints *m = (MergePoints *)o;
  if (!m->noUpdate) return;
  dv_remember_numbers(s, "done", &m->done, sizeof m->done);
  dv_remember_ints(s, "indices1", &m->indices1);
  dv_remember_ints(s, "indices2", &m->indices2);
  dv_remember_reals(s, "points", &m->points);
}

static dvStatus merge_points_update(dvObject *o)
{
  MergePoints *m = (MergePoints *)o;
  if (m->noUpdate && m->done) return DV_OK;
  size_t width = (size_t)o->dof->coord, first = dv_reals_size(&m->position1), n = first, places = m->mappingX2.count;
  DV_TRY(dv_engine_check(o, &m->mappingX2, first, "first points"));
  if (places > dv_reals_size(&m->position2))
    return dv_field_error(o, &m->mappingX2, NULL, "there are %zu places for %zu points", places,
                          dv_reals_size(&m->position2));
  if (places == 0) n += dv_reals_size(&m->position2);
  bool *second = dv_try_alloc((n + 1) * sizeof *second);
  bool good = second && dv_reals_assign(&m->points, m->position1.data, m->position1.count);
  if (good && places == 0) good = dv_engine_add_reals(&m->points, m->position2.data, m->position2.count);
  for (size_t i = first; i < n && good; i++) second[i] = true;
  for (size_t i = 0; i < places && good; i++) {
    size_t at = (size_t)m->mappingX2.data[i];
    memcpy(m->points.data + at * width, m->position2.data + i * width, width * sizeof(double));
    second[at] = true;
  }
  good = good && list_sources(m, second, n);
  dv_free(second);
  m->done = true;
  return good ? DV_OK : dv_engine_no_memory(o);
}

DV_ENGINE_CLASS(dv_merge_points_class, "MergePoints", "two sets of points as one", DV_GENERATE_MODULE,
                DV_DOF_VEC1 | DV_DOF_VEC2 | DV_DOF_VEC3 | DV_DOF_RIGID2 | DV_DOF_RIGID3, MergePoints,
                .blocks = {&dv_object_block, DV_BLOCK(points_fields)}, .update = merge_points_update,
                .remember = merge_points_remember);

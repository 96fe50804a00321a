// Engines that measure or smooth meshes: VolumeFromTriangles, VolumeFromVolumetricElements, NormalsFromPoints,
// SmoothMeshEngine, AverageCoord.
//
// The volume inside a closed surface is the sum over its triangles of (p0 + p1 + p2).x/3 times the area that the
// triangle shows along x (the divergence theorem for the field (x, 0, 0)).
#include "engine/classes.h"
#include "engine/engine.h"

#include "math/vec.h"

#include <string.h>

// --- volumes -------------------------------------------------------------------------------------

#define VOLUME_FIELDS(X)                                                                                             \
  X(coords, position, "", "m", "points; those of the state when not given", .alias = "positions", .flags = DV_INPUT) \
  X(real, volume, "0", "m3", "the volume, never negative", .flags = DV_OUTPUT)                                       \
  X(bool, update, "0", "", "measure again when the points move; else the first volume stays", .flags = DV_INPUT)     \
  X(link, topology, "", "", "topology with the elements; the one of the node or above by default",                   \
    .role = DV_ROLE_TOPOLOGY)                                                                                        \
  X(link, mechanical, "", "", "state with the points; the one of the node or above by default", .role = DV_ROLE_STATE)
#define FACE_FIELDS(X)                                                                                                 \
  X(triangles, triangles, "", "", "triangles of the surface; those of the topology when not given", .flags = DV_INPUT) \
  X(quads, quads, "", "", "quads of the surface; likewise", .flags = DV_INPUT)
#define CELL_FIELDS(X)                                                                                 \
  X(tetrahedra, tetras, "", "", "tetrahedra; those of the topology when not given", .flags = DV_INPUT) \
  X(hexahedra, hexas, "", "", "hexahedra; likewise", .flags = DV_INPUT)

typedef struct Volume {
  dvObject base;
  VOLUME_FIELDS(DV_MEMBER)
  FACE_FIELDS(DV_MEMBER)
  CELL_FIELDS(DV_MEMBER)
  bool done;
} Volume;

#define SELF Volume
static const dvFieldDesc surface_fields[] = {VOLUME_FIELDS(DV_DESCRIBE) FACE_FIELDS(DV_DESCRIBE)};
static const dvFieldDesc solid_fields[] = {VOLUME_FIELDS(DV_DESCRIBE) CELL_FIELDS(DV_DESCRIBE)};
static const dvMemoryDesc volume_memory[] = {DV_REMEMBER(numbers, done) DV_REMEMBER(numbers, volume)};
#undef SELF

static dvVec3 corner(const Volume *v, const dvInts *list, size_t element, int k)
{
  return dv_vec3_load(v->position.data +
                      (size_t)list->data[element * (size_t)list->width + (size_t)k] * (size_t)v->base.dof->coord);
}

static double under_triangle(dvVec3 a, dvVec3 b, dvVec3 c)
{
  return ((b.y - a.y) * (c.z - a.z) - (c.y - a.y) * (b.z - a.z)) * (a.x + b.x + c.x) / 6;
}

static double tetrahedron_volume(dvVec3 a, dvVec3 b, dvVec3 c, dvVec3 d)
{
  return fabs(dv_vec3_dot(dv_vec3_cross(dv_vec3_sub(b, a), dv_vec3_sub(c, a)), dv_vec3_sub(d, a))) / 6;
}

static dvObject *state_of(const Volume *v)
{
  return v->mechanical.target ? v->mechanical.target : dv_node_state_up(v->base.node);
}

static dvObject *topology_of(const Volume *v)
{
  return v->topology.target ? v->topology.target : dv_node_find_up(v->base.node, DV_ROLE_TOPOLOGY);
}

static dvStatus surface_link(dvObject *o)
{
  Volume *v = (Volume *)o;
  dv_engine_follow(o, &v->position, state_of(v), "position");
  dv_engine_follow(o, &v->triangles, topology_of(v), "triangles");
  dv_engine_follow(o, &v->quads, topology_of(v), "quads");
  return DV_OK;
}

static dvStatus solid_link(dvObject *o)
{
  Volume *v = (Volume *)o;
  dv_engine_follow(o, &v->position, state_of(v), "position");
  dv_engine_follow(o, &v->tetras, topology_of(v), "tetrahedra");
  dv_engine_follow(o, &v->hexas, topology_of(v), "hexahedra");
  return DV_OK;
}

static dvStatus surface_update(dvObject *o)
{
  Volume *v = (Volume *)o;
  if (v->done && !v->update) return DV_OK;
  size_t n = dv_reals_size(&v->position);
  DV_TRY(dv_engine_check(o, &v->triangles, n, "points"));
  DV_TRY(dv_engine_check(o, &v->quads, n, "points"));
  double sum = 0;
  for (size_t i = 0; i < dv_ints_size(&v->triangles); i++)
    sum +=
        under_triangle(corner(v, &v->triangles, i, 0), corner(v, &v->triangles, i, 1), corner(v, &v->triangles, i, 2));
  for (size_t i = 0; i < dv_ints_size(&v->quads); i++) {
    dvVec3 a = corner(v, &v->quads, i, 0), c = corner(v, &v->quads, i, 2);
    sum += under_triangle(a, corner(v, &v->quads, i, 1), c) + under_triangle(a, c, corner(v, &v->quads, i, 3));
  }
  v->volume = fabs(sum);
  v->done = true;
  return DV_OK;
}

// five tetrahedra about the diagonals of the faces
static double hexahedron_volume(const Volume *v, size_t i)
{
  static const int8_t five[5][4] = {{0, 5, 1, 6}, {0, 1, 3, 6}, {1, 3, 6, 2}, {6, 3, 0, 7}, {6, 7, 0, 5}};
  double sum = tetrahedron_volume(corner(v, &v->hexas, i, 7), corner(v, &v->hexas, i, 5), corner(v, &v->hexas, i, 4),
                                  corner(v, &v->hexas, i, 0));
  for (int t = 0; t < 5; t++)
    sum += tetrahedron_volume(corner(v, &v->hexas, i, five[t][0]), corner(v, &v->hexas, i, five[t][1]),
                              corner(v, &v->hexas, i, five[t][2]), corner(v, &v->hexas, i, five[t][3]));
  return sum;
}

static dvStatus solid_update(dvObject *o)
{
  Volume *v = (Volume *)o;
  if (v->done && !v->update) return DV_OK;
  size_t n = dv_reals_size(&v->position);
  DV_TRY(dv_engine_check(o, &v->tetras, n, "points"));
  DV_TRY(dv_engine_check(o, &v->hexas, n, "points"));
  double sum = 0;
  for (size_t i = 0; i < dv_ints_size(&v->tetras); i++)
    sum += tetrahedron_volume(corner(v, &v->tetras, i, 0), corner(v, &v->tetras, i, 1), corner(v, &v->tetras, i, 2),
                              corner(v, &v->tetras, i, 3));
  for (size_t i = 0; i < dv_ints_size(&v->hexas); i++) sum += hexahedron_volume(v, i);
  v->volume = sum;
  v->done = true;
  return DV_OK;
}

DV_ENGINE_CLASS(dv_volume_from_triangles_class, "VolumeFromTriangles", "volume inside a closed surface",
                DV_GENERATE_MODULE, DV_DOF_VEC3 | DV_DOF_RIGID3, Volume,
                .blocks = {&dv_object_block, DV_BLOCK(surface_fields)}, .link = surface_link, .update = surface_update,
                DV_MEMORY(volume_memory));
DV_ENGINE_CLASS(dv_volume_from_elements_class, "VolumeFromVolumetricElements", "volume of tetrahedra and hexahedra",
                DV_GENERATE_MODULE, DV_DOF_VEC3, Volume, .blocks = {&dv_object_block, DV_BLOCK(solid_fields)},
                .link = solid_link, .update = solid_update, DV_MEMORY(volume_memory));

// --- normals -------------------------------------------------------------------------------------

#define NORMAL_FIELDS(X)                                                                \
  X(coords, position, "", "m", "points", .flags = DV_INPUT)                             \
  X(triangles, triangles, "", "", "triangles", .flags = DV_INPUT)                       \
  X(quads, quads, "", "", "quads", .flags = DV_INPUT)                                   \
  X(coords, normals, "", "", "a normal of length 1 for each point", .flags = DV_OUTPUT) \
  X(bool, invertNormals, "0", "", "turn them around", .flags = DV_INPUT)                \
  X(bool, useAngles, "0", "", "faces count by their angle at the point; else all the same", .flags = DV_INPUT)

typedef struct Normals {
  dvObject base;
  NORMAL_FIELDS(DV_MEMBER)
} Normals;

#define SELF Normals
static const dvFieldDesc normal_fields[] = {NORMAL_FIELDS(DV_DESCRIBE)};
#undef SELF

// at each corner of a face the direction across its two edges
static void add_face_normals(Normals *n, const int32_t *face, int corners)
{
  const double *x = n->position.data;
  for (int k = 0; k < corners; k++) {
    dvVec3 p = dv_vec3_load(x + 3 * (size_t)face[k]);
    dvVec3 next = dv_vec3_sub(dv_vec3_load(x + 3 * (size_t)face[(k + 1) % corners]), p);
    dvVec3 last = dv_vec3_sub(dv_vec3_load(x + 3 * (size_t)face[(k + corners - 1) % corners]), p),
           across = dv_vec3_cross(next, last);
    double lengths = dv_vec3_norm(next) * dv_vec3_norm(last), weight = 1;
    if (n->useAngles) weight = lengths > 0 ? acos(fmax(-1, fmin(1, dv_vec3_dot(next, last) / lengths))) : 0;
    dv_vec3_accumulate(n->normals.data + 3 * (size_t)face[k],
                       dv_vec3_scale(dv_vec3_normalise(across), n->invertNormals ? -weight : weight));
  }
}

static dvStatus normals_update(dvObject *o)
{
  Normals *n = (Normals *)o;
  size_t points = dv_reals_size(&n->position);
  DV_TRY(dv_engine_check(o, &n->triangles, points, "points"));
  DV_TRY(dv_engine_check(o, &n->quads, points, "points"));
  if (!dv_reals_resize(&n->normals, 0) || !dv_reals_resize(&n->normals, 3 * points)) return dv_engine_no_memory(o);
  for (size_t i = 0; i + 3 <= n->triangles.count; i += 3) add_face_normals(n, n->triangles.data + i, 3);
  for (size_t i = 0; i + 4 <= n->quads.count; i += 4) add_face_normals(n, n->quads.data + i, 4);
  for (size_t i = 0; i < points; i++)
    dv_vec3_store(n->normals.data + 3 * i, dv_vec3_normalise(dv_vec3_load(n->normals.data + 3 * i)));
  return DV_OK;
}

DV_ENGINE_CLASS(dv_normals_from_points_class, "NormalsFromPoints", "normals of a surface at its points",
                DV_GENERATE_MODULE, DV_DOF_VEC3, Normals, .blocks = {&dv_object_block, DV_BLOCK(normal_fields)},
                .update = normals_update);

// --- smoothing -----------------------------------------------------------------------------------

#define SMOOTH_FIELDS(X)                                                                                            \
  X(coords, input_position, "", "m", "points", .flags = DV_INPUT)                                                   \
  X(indices, input_indices, "", "", "points that are moved; all when empty", .flags = DV_INPUT)                     \
  X(coords, output_position, "", "m", "points, each in the middle of its neighbours", .flags = DV_OUTPUT)           \
  X(int, nb_iterations, "1", "", "how often", .flags = DV_INPUT)                                                    \
  X(link, topology, "", "", "topology whose edges say who is a neighbour; the one of the node or above by default", \
    .role = DV_ROLE_TOPOLOGY)                                                                                       \
  X(bool, showInput, "0", "", "draw the points as they were", .flags = DV_LOOKS)                                    \
  X(bool, showOutput, "0", "", "draw the smoothed points", .flags = DV_LOOKS)                                       \
  X(edges, topologyEdges, "", "", "edges of the topology", .flags = DV_INPUT | DV_HIDDEN | DV_NO_SRC)

typedef struct Smooth {
  dvObject base;
  SMOOTH_FIELDS(DV_MEMBER)
  dvReals sum;   // scratch
  dvInts count, moves;
} Smooth;

#define SELF Smooth
static const dvFieldDesc smooth_fields[] = {SMOOTH_FIELDS(DV_DESCRIBE)};
#undef SELF

static dvStatus smooth_link(dvObject *o)
{
  Smooth *s = (Smooth *)o;
  dvObject *topology = s->topology.target ? s->topology.target : dv_node_find_up(o->node, DV_ROLE_TOPOLOGY);
  if (!topology)
    return dv_error(o, "add a topology to the node, or give topology=\"@path\"", "%s finds no topology", o->name);
  dv_engine_follow(o, &s->topologyEdges, topology, "edges");
  return DV_OK;
}

static void smooth_once(Smooth *s)
{
  size_t n = dv_reals_size(&s->input_position);
  double *x = s->output_position.data, *sum = s->sum.data;
  int32_t *count = s->count.data;
  const int32_t *moves = s->input_indices.count ? s->moves.data : NULL;
  memset(sum, 0, 3 * n * sizeof *sum);
  memset(count, 0, n * sizeof *count);
  for (size_t e = 0; e + 2 <= s->topologyEdges.count; e += 2)
    for (int end = 0; end < 2; end++) {
      size_t to = (size_t)s->topologyEdges.data[e + (size_t)end],
             from = (size_t)s->topologyEdges.data[e + (size_t)(1 - end)];
      dv_vec3_accumulate(sum + 3 * to, dv_vec3_load(x + 3 * from));
      count[to]++;
    }
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < 3; k++)
      if (count[i] && (!moves || moves[i])) x[3 * i + k] = sum[3 * i + k] / count[i];
}

static dvStatus smooth_update(dvObject *o)
{
  Smooth *s = (Smooth *)o;
  size_t n = dv_reals_size(&s->input_position);
  DV_TRY(dv_engine_check(o, &s->topologyEdges, n, "points"));
  DV_TRY(dv_engine_check(o, &s->input_indices, n, "points"));
  if (!dv_reals_resize(&s->sum, 3 * n + 1) || !dv_ints_resize(&s->count, n + 1) || !dv_ints_resize(&s->moves, n + 1) ||
      !dv_reals_assign(&s->output_position, s->input_position.data, 3 * n))
    return dv_engine_no_memory(o);
  memset(s->moves.data, 0, n * sizeof *s->moves.data);
  for (size_t i = 0; i < s->input_indices.count; i++) s->moves.data[s->input_indices.data[i]] = 1;
  for (int i = 0; i < s->nb_iterations; i++) smooth_once(s);
  return DV_OK;
}

static void smooth_destroy(dvObject *o)
{
  Smooth *s = (Smooth *)o;
  dv_reals_free(&s->sum);
  dv_ints_free(&s->count);
  dv_ints_free(&s->moves);
}

DV_ENGINE_CLASS(dv_smooth_mesh_class, "SmoothMeshEngine", "moves points to the middle of their neighbours",
                DV_TRANSFORM_MODULE, DV_DOF_VEC3, Smooth, .blocks = {&dv_object_block, DV_BLOCK(smooth_fields)},
                .link = smooth_link, .update = smooth_update, .destroy = smooth_destroy);

// --- mean ----------------------------------------------------------------------------------------

#define AVERAGE_FIELDS(X)                                                                                \
  X(indices, indices, "", "", "points; all when empty", .flags = DV_INPUT)                               \
  X(int, vecId, "1", "", "which positions of the state: 1 current, 2 rest, 3 free, 4 those to reset to", \
    .flags = DV_INPUT)                                                                                   \
  X(coord, average, "", "m", "their mean", .flags = DV_OUTPUT)                                           \
  X(link, mstate, "", "", "state; the one of the node or above by default", .role = DV_ROLE_STATE)       \
  X(coords, values, "", "m", "positions of the state", .flags = DV_INPUT | DV_HIDDEN | DV_NO_SRC)

typedef struct Average {
  dvObject base;
  AVERAGE_FIELDS(DV_MEMBER)
} Average;

#define SELF Average
static const dvFieldDesc average_fields[] = {AVERAGE_FIELDS(DV_DESCRIBE)};
#undef SELF

static dvStatus average_link(dvObject *o)
{
  static const char *const names[] = {NULL, "position", "rest_position", "free_position", "reset_position"};
  Average *a = (Average *)o;
  dvObject *state = a->mstate.target ? a->mstate.target : dv_node_state_up(o->node);
  if (!state) return dv_error(o, "add a MechanicalObject to the node", "%s finds no state", o->name);
  if (a->vecId < 1 || a->vecId >= (int)DV_COUNT(names))
    return dv_field_error(o, &a->vecId, "give 1 for the current positions", "vecId %d is no positions of a state",
                          a->vecId);
  dv_engine_follow(o, &a->values, state, names[a->vecId]);
  return DV_OK;
}

static dvStatus average_update(dvObject *o)
{
  Average *a = (Average *)o;
  size_t points = dv_reals_size(&a->values), n = a->indices.count ? a->indices.count : points,
         width = (size_t)o->dof->coord;
  DV_TRY(dv_engine_check(o, &a->indices, points, "points"));
  memset(a->average, 0, sizeof a->average);
  for (size_t i = 0; i < n; i++) {
    size_t at = a->indices.count ? (size_t)a->indices.data[i] : i;
    for (size_t k = 0; k < width; k++) a->average[k] += a->values.data[at * width + k];
  }
  for (size_t k = 0; k < width && n; k++) a->average[k] /= (double)n;
  return DV_OK;
}

DV_ENGINE_CLASS(dv_average_coord_class, "AverageCoord", "mean of the points of a state", DV_ANALYZE_MODULE,
                DV_DOF_VEC2 | DV_DOF_VEC3, Average, .blocks = {&dv_object_block, DV_BLOCK(average_fields)},
                .link = average_link, .update = average_update);

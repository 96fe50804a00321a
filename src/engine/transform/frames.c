// Engines that put frames together and take them apart: QuatToRigidEngine, RigidToQuatEngine, Vertex2Frame.
#include "engine/classes.h"
#include "engine/engine.h"

#include "math/vec.h"

#include <string.h>

// --- positions and orientations ------------------------------------------------------------------

#define JOIN_FIELDS(X)                                                                           \
  X(vec3s, positions, "", "m", "positions", .alias = "position", .flags = DV_INPUT)              \
  X(vec4s, orientations, "", "", "orientations as quaternions x y z w, one each or one for all", \
    .alias = "orientation", .flags = DV_INPUT)                                                   \
  X(vec3s, colinearPositions, "", "m",                                                           \
    "positions are moved to the line through this point along the frame's z axis; optional",     \
    .alias = "colinearPosition", .flags = DV_INPUT)                                              \
  X(frames, rigids, "", "m", "frames: position and quaternion", .alias = "rigid", .flags = DV_OUTPUT)
#define SPLIT_FIELDS(X)                                                                               \
  X(vec3s, positions, "", "m", "positions of the frames", .alias = "position", .flags = DV_OUTPUT)    \
  X(vec4s, orientations, "", "", "their orientations as quaternions x y z w", .alias = "orientation", \
    .flags = DV_OUTPUT)                                                                               \
  X(vec3s, orientationsEuler, "", "radians", "their orientations as angles about x, then y, then z",  \
    .flags = DV_OUTPUT)                                                                               \
  X(frames, rigids, "", "m", "frames: position and quaternion", .alias = "rigid", .flags = DV_INPUT)

typedef struct Join {
  dvObject base;
  JOIN_FIELDS(DV_MEMBER)
} Join;
typedef struct Split {
  dvObject base;
  SPLIT_FIELDS(DV_MEMBER)
} Split;

#define SELF Join
static const dvFieldDesc join_fields[] = {JOIN_FIELDS(DV_DESCRIBE)};
#undef SELF
#define SELF Split
static const dvFieldDesc split_fields[] = {SPLIT_FIELDS(DV_DESCRIBE)};
#undef SELF

static dvStatus join_update(dvObject *o)
{
  Join *j = (Join *)o;
  size_t n = dv_reals_size(&j->positions), turns = dv_reals_size(&j->orientations);
  if (n && turns == 0)
    return dv_field_error(o, &j->orientations, "give one for all: 0 0 0 1", "there are no orientations");
  if (turns > 1 && turns != n) {
    dv_field_warning(o, &j->orientations, NULL,
                     "there are %zu positions and %zu orientations: the last ones are left out", n, turns);
    n = dv_min_size(n, turns);
  }
  if (!dv_reals_resize(&j->rigids, 7 * n)) return dv_engine_no_memory(o);
  for (size_t i = 0; i < n; i++) {
    dvVec3 p = dv_vec3_load(j->positions.data + 3 * i);
    dvQuat q = dv_quat_load(j->orientations.data + 4 * (turns == 1 ? 0 : i));
    if (i < dv_reals_size(&j->colinearPositions)) {
      dvVec3 from = dv_vec3_load(j->colinearPositions.data + 3 * i), axis = dv_quat_rotate(q, dv_vec3(0, 0, 1));
      double length = dv_vec3_norm(axis);
      if (length > 0) p = dv_vec3_add_scaled(from, axis, dv_vec3_dot(axis, dv_vec3_sub(p, from)) / length);
    }
    dv_vec3_store(j->rigids.data + 7 * i, p);
    dv_quat_store(j->rigids.data + 7 * i + 3, q);
  }
  return DV_OK;
}

static dvStatus split_update(dvObject *o)
{
  Split *s = (Split *)o;
  size_t n = dv_reals_size(&s->rigids);
  if (!dv_reals_resize(&s->positions, 3 * n) || !dv_reals_resize(&s->orientations, 4 * n) ||
      !dv_reals_resize(&s->orientationsEuler, 3 * n))
    return dv_engine_no_memory(o);
  for (size_t i = 0; i < n; i++) {
    const double *x = s->rigids.data + 7 * i;
    memcpy(s->positions.data + 3 * i, x, 3 * sizeof *x);
    memcpy(s->orientations.data + 4 * i, x + 3, 4 * sizeof *x);
    dv_vec3_store(s->orientationsEuler.data + 3 * i, dv_quat_to_euler(dv_quat_load(x + 3)));
  }
  return DV_OK;
}

DV_ENGINE_CLASS(dv_quat_to_rigid_class, "QuatToRigidEngine", "frames from positions and orientations",
                DV_TRANSFORM_MODULE, DV_DOF_VEC3, Join, .blocks = {&dv_object_block, DV_BLOCK(join_fields)},
                .update = join_update);
DV_ENGINE_CLASS(dv_rigid_to_quat_class, "RigidToQuatEngine", "positions and orientations of frames",
                DV_TRANSFORM_MODULE, DV_DOF_VEC3, Split, .blocks = {&dv_object_block, DV_BLOCK(split_fields)},
                .update = split_update);

// --- frames at the points of a mesh --------------------------------------------------------------

#define VERTEX_FIELDS(X)                                                                                         \
  X(vec3s, position, "", "m", "points", .flags = DV_INPUT)                                                       \
  X(vec2s, texCoords, "", "", "texture coordinates, not used", .flags = DV_INPUT | DV_HIDDEN)                    \
  X(vec3s, normals, "", "", "normal at each point", .flags = DV_INPUT)                                           \
  X(coords, frames, "", "m", "a frame at each point", .flags = DV_OUTPUT)                                        \
  X(bool, useNormals, "1", "", "z axes are the normals; else x axes point to the next point", .flags = DV_INPUT) \
  X(bool, invertNormals, "0", "", "turn the normals around", .flags = DV_INPUT)                                  \
  X(int, rotation, "0", "", "axis about which the frames are turned then: 0 x, 1 y, 2 z", .flags = DV_INPUT)     \
  X(real, rotationAngle, "0", "degrees", "by how much", .flags = DV_INPUT)

typedef struct Vertex {
  dvObject base;
  VERTEX_FIELDS(DV_MEMBER)
} Vertex;

#define SELF Vertex
static const dvFieldDesc vertex_fields[] = {VERTEX_FIELDS(DV_DESCRIBE)};
#undef SELF

// a frame whose z axis (or x axis) is given; the axis before it is square to y (or x), or to z where these are the same
static dvMat3 frame_along(dvVec3 given, bool is_z)
{
  dvVec3 hint = is_z ? dv_vec3(0, 1, 0) : dv_vec3(1, 0, 0);
  if (1 - fabs(dv_vec3_dot(hint, given)) <= DBL_EPSILON) hint = dv_vec3(0, 0, 1);
  dvVec3 second = dv_vec3_normalise(dv_vec3_cross(hint, given)),
         third = dv_vec3_normalise(dv_vec3_cross(given, second));
  return is_z ? dv_mat3_from_columns(second, third, given) : dv_mat3_from_columns(given, second, third);
}

static void store_frame(const Vertex *v, size_t i, dvMat3 axes)
{
  dvVec3 axis = dv_mat3_column(axes, v->rotation);
  dvQuat turn = dv_quat_from_axis(axis, v->rotationAngle * acos(-1.0) / 180);
  memcpy(v->frames.data + 7 * i, v->position.data + 3 * i, 3 * sizeof(double));
  dv_quat_store(v->frames.data + 7 * i + 3, dv_quat_mul(turn, dv_quat_from_matrix(axes)));
}

static dvStatus vertex_update(dvObject *o)
{
  Vertex *v = (Vertex *)o;
  size_t n = dv_reals_size(&v->position);
  if (v->rotation < 0 || v->rotation > 2)
    return dv_field_error(o, &v->rotation, "give 0 for x, 1 for y, 2 for z", "%d is no axis", v->rotation);
  if (v->useNormals && dv_reals_size(&v->normals) < n)
    return dv_field_error(o, &v->normals, "link them, or set useNormals=\"0\"", "there are %zu points and %zu normals",
                          n, dv_reals_size(&v->normals));
  if (!v->useNormals && n == 1)
    return dv_field_error(o, &v->position, NULL, "one point has no next one that its frame could point to");
  if (!dv_reals_resize(&v->frames, 7 * n)) return dv_engine_no_memory(o);
  for (size_t i = 0; i < n; i++) {
    size_t from = dv_min_size(i, n - 2);   // the last frame is turned like the one before it
    dvVec3 given = v->useNormals ? dv_vec3_scale(dv_vec3_load(v->normals.data + 3 * i), v->invertNormals ? -1 : 1)
                                 : dv_vec3_sub(dv_vec3_load(v->position.data + 3 * (from + 1)),
                                               dv_vec3_load(v->position.data + 3 * from));
    store_frame(v, i, frame_along(dv_vec3_normalise(given), v->useNormals));
  }
  return DV_OK;
}

DV_ENGINE_CLASS(dv_vertex_to_frame_class, "Vertex2Frame", "frames at the points of a mesh", DV_TRANSFORM_MODULE,
                DV_DOF_RIGID3, Vertex, .blocks = {&dv_object_block, DV_BLOCK(vertex_fields)}, .update = vertex_update);

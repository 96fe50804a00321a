// ForceSurfaceActuator: forces on discs of a surface, found so that the effectors reach their goals.
//
//   q_i = sum over points j in the ball i of w_ij d_i . (x_j - x_j at rest),   w_ij = 1 - |x_j - c_i| / r_i
//
// one row for each ball: the force is that at its centre and falls off to its rim. The points are those that are in the
// ball at the start, and go with the mesh. d_i is given, or the normal of the faces that the disc touches, at the start
// or (updateNormals) of each step.
#include "robot/classes.h"
#include "robot/part.h"

#include "math/vec.h"
#include "topology/topology.h"

#include <math.h>
#include <string.h>

#define SURFACE_FIELDS(X)                                                                                      \
  X(vec3s, centers, "", "m", "centres of the balls that mark the discs", .flags = DV_REQUIRED)                 \
  X(reals, radii, "1", "m", "their radii; the first for all that have none")                                   \
  X(vec3s, directions, "", "", "directions of the forces; normals of the surface when there are not as many")  \
  X(bool, updateNormals, "0", "", "normals turn with the surface")                                             \
  X(triangles, triangles, "", "", "triangles of the surface; with quads those of the topology when not given") \
  X(quads, quads, "", "", "quads of the surface")                                                              \
  X(vec3s, position, "", "m", "points that are looked for in the balls; the rest positions when not given")    \
  X(real, maxForce, "0", "N", "largest force; none when it is not given")                                      \
  X(real, minForce, "0", "N", "smallest force; none when it is not given")                                     \
  X(real, maxForceVariation, "0", "N", "most that a force changes in a step; no end when it is not given")     \
  X(real, maxDisplacement, "0", "m", "largest displacement of a disc; none when it is not given")              \
  X(real, minDisplacement, "0", "m", "smallest displacement; none when it is not given")                       \
  X(reals, force, "", "N", "force at the centre of each disc in the last step", .flags = DV_READ_ONLY)         \
  X(reals, displacement, "", "m", "mean displacement of each disc along its direction", .flags = DV_READ_ONLY) \
  X(bool, drawForces, "0", "", "accepted for compatibility", .flags = DV_HIDDEN | DV_LOOKS)                    \
  X(bool, drawSpheres, "0", "", "accepted for compatibility", .flags = DV_HIDDEN | DV_LOOKS)                   \
  X(bool, drawSurfaces, "0", "", "accepted for compatibility", .flags = DV_HIDDEN | DV_LOOKS)                  \
  X(real, visuScale, "0.1", "", "accepted for compatibility", .flags = DV_HIDDEN | DV_LOOKS)

typedef struct Weight {
  int32_t disc;
  double weight;
} Weight;

typedef struct Disc {
  dvVec3 direction;
  double weight;   // of all its points
} Disc;

typedef struct SurfaceForce {
  dvPart part;
  SURFACE_FIELDS(DV_MEMBER)
  DV_ARRAY(Disc) discs;
  dvInts held;   // points of the discs, with
  DV_ARRAY(Weight) weights;
  bool normals;
} SurfaceForce;

#define SELF SurfaceForce
static const dvFieldDesc surface_fields[] = {SURFACE_FIELDS(DV_DESCRIBE)};
static const dvMemoryDesc surface_memory[] = {DV_REMEMBER(reals, force) DV_REMEMBER(reals, displacement)};
#undef SELF

// --- geometry ----------------------------------------------------------------------------------------

static bool touches(const SurfaceForce *s, size_t disc, const int32_t *face, int corners)
{
  for (int k = 0; k < corners; k++)
    if ((size_t)face[k] >= dv_part_state(&s->part)->count) return false;   // the mesh has lost it
  for (size_t i = 0; i < s->weights.count; i++)
    for (int k = 0; k < corners; k++)
      if (s->weights.data[i].disc == (int32_t)disc && s->held.data[i] == face[k]) return true;
  return false;
}

static dvVec3 face_normal(const double *x, const int32_t *face)   // its length is twice the area of the triangle
{
  dvVec3 a = dv_vec3_load(x + 3 * face[0]), b = dv_vec3_load(x + 3 * face[1]), c = dv_vec3_load(x + 3 * face[2]);
  return dv_vec3_cross(dv_vec3_sub(b, a), dv_vec3_sub(c, a));
}

static void find_normals(SurfaceForce *s, const double *x)
{
  for (size_t d = 0; d < s->discs.count; d++) {
    dvVec3 sum = {0, 0, 0};
    for (size_t i = 0; i + 3 <= s->triangles.count; i += 3)
      if (touches(s, d, s->triangles.data + i, 3)) sum = dv_vec3_add(sum, face_normal(x, s->triangles.data + i));
    for (size_t i = 0; i + 4 <= s->quads.count; i += 4)
      if (touches(s, d, s->quads.data + i, 4)) sum = dv_vec3_add(sum, face_normal(x, s->quads.data + i));
    s->discs.data[d].direction = dv_vec3_normalise(sum);
  }
}

static size_t surface_rows(const dvPart *p) { return ((const SurfaceForce *)p)->discs.count; }

static void surface_measure(dvPart *p, const double *x, double *q, bool slopes)
{
  SurfaceForce *s = (SurfaceForce *)p;
  const double *rest = dv_state_read(dv_part_state(p), DV_X_REST);
  if (slopes && s->normals && s->updateNormals) find_normals(s, x);
  for (size_t d = 0; d < s->discs.count; d++) q[d] = 0;
  for (size_t i = 0; i < s->weights.count; i++) {
    const Weight *w = &s->weights.data[i];
    int32_t point = s->held.data[i];
    if ((size_t)point >= dv_part_state(p)->count) continue;   // the mesh has lost it
    dvVec3 along = dv_vec3_scale(s->discs.data[w->disc].direction, w->weight);
    q[w->disc] += dv_vec3_dot(along, dv_vec3_sub(dv_vec3_load(x + 3 * point), dv_vec3_load(rest + 3 * point)));
    if (slopes) dv_part_slope3(p, (size_t)w->disc, (size_t)point, along);
  }
}

static void surface_aim(dvPart *p, double h)
{
  DV_UNUSED(h);
  const SurfaceForce *s = (const SurfaceForce *)p;
  const dvObject *o = &p->model.base;
  for (size_t i = 0; i < p->aims.count; i++) {
    dvPartAim *a = &p->aims.data[i];
    a->low = dv_part_limit(o, &s->minForce, -INFINITY);
    a->high = dv_part_limit(o, &s->maxForce, INFINITY);
    a->least = s->discs.data[i].weight * dv_part_limit(o, &s->minDisplacement, -INFINITY);
    a->most = s->discs.data[i].weight * dv_part_limit(o, &s->maxDisplacement, INFINITY);
    dv_part_slow(o, &s->maxForceVariation, 1, p->forces.data[i], &a->low, &a->high);
  }
}

static void surface_show(dvPart *p)
{
  SurfaceForce *s = (SurfaceForce *)p;
  size_t n = s->discs.count;
  if (!dv_reals_resize(&s->force, n) || !dv_reals_resize(&s->displacement, n)) return;
  double *force = dv_reals_edit(&s->force), *displacement = dv_reals_edit(&s->displacement);
  for (size_t i = 0; i < n; i++) {
    force[i] = p->forces.data[i];
    displacement[i] = s->discs.data[i].weight > 0 ? p->quantities.data[i] / s->discs.data[i].weight : 0;
  }
  dv_touch(&p->model.base, &s->force);
  dv_touch(&p->model.base, &s->displacement);
}

static const dvGauge surface_gauge = {
    .rows = surface_rows, .measure = surface_measure, .aim = surface_aim, .show = surface_show};

// --- setting up --------------------------------------------------------------------------------------

static dvStatus surface_init(dvObject *o) { return dv_part_init(o, &surface_gauge, DV_PART_ACTUATOR); }

static dvStatus surface_check(dvObject *o)
{
  SurfaceForce *s = (SurfaceForce *)o;
  DV_TRY(dv_part_check_limits(o, &s->minForce, &s->maxForce, "force"));
  return dv_part_check_limits(o, &s->minDisplacement, &s->maxDisplacement, "displacement");
}

static dvStatus take_faces(SurfaceForce *s, size_t points)
{
  dvObject *o = &s->part.model.base, *t = dv_node_find_up(o->node, DV_ROLE_TOPOLOGY);
  if (s->triangles.count == 0 && s->quads.count == 0 && t) {
    dv_ints_share(&s->triangles, dv_topology_elements(dv_topology(t), DV_TRIANGLE));
    dv_ints_share(&s->quads, dv_topology_elements(dv_topology(t), DV_QUAD));
  }
  DV_TRY(dv_check_indices(o, &s->triangles, points, "points"));
  return dv_check_indices(o, &s->quads, points, "points");
}

static void weigh(SurfaceForce *s)
{
  for (size_t d = 0; d < s->discs.count; d++) s->discs.data[d].weight = 0;
  for (size_t i = 0; i < s->weights.count; i++)
    s->discs.data[s->weights.data[i].disc].weight += s->weights.data[i].weight;
}

static dvStatus find_points(SurfaceForce *s, const double *x, size_t points)
{
  const dvObject *o = &s->part.model.base;
  s->held.width = 1;
  for (size_t d = 0; d < s->discs.count; d++) {
    double radius = s->radii.count ? s->radii.data[d < s->radii.count ? d : 0] : 1;
    if (!(radius > 0)) return dv_field_error(o, &s->radii, NULL, "a ball cannot have a radius of %g", radius);
    dvVec3 center = dv_vec3_load(s->centers.data + 3 * d);
    for (size_t i = 0; i < points; i++) {
      double away = dv_vec3_norm(dv_vec3_sub(dv_vec3_load(x + 3 * i), center)), weight = 1 - away / radius;
      if (weight <= 0) continue;
      dv_push(&s->weights, ((Weight){(int32_t)d, weight}));
      if (!dv_ints_resize(&s->held, s->weights.count)) return dv_error(o, NULL, "out of memory");
      dv_ints_edit(&s->held)[s->weights.count - 1] = (int32_t)i;
    }
    if (s->weights.count == 0 || s->weights.data[s->weights.count - 1].disc != (int32_t)d)
      return dv_field_error(o, &s->centers, "choose a larger radius, or a centre on the surface",
                            "no point lies within %g of centre %zu", radius, d);
  }
  return DV_OK;
}

// points of the discs and corners of the faces
static void surface_follow(SurfaceForce *s)
{
  dvObject *o = &s->part.model.base;
  const dvState *state = dv_part_state(&s->part);
  dvElementList *held = dv_follow_points(o, state, &s->held);
  dv_element_list_forget(held);
  if (held) dv_element_list_add_array(held, &s->weights);
  dv_element_list_forget(dv_follow_points(o, state, &s->triangles));
  dv_element_list_forget(dv_follow_points(o, state, &s->quads));
}

static void surface_topology_changed(dvObject *o)
{
  weigh((SurfaceForce *)o);
  dv_follow_patched(o);
}

static dvStatus surface_bwd_init(dvObject *o)
{
  SurfaceForce *s = (SurfaceForce *)o;
  const dvState *state = dv_part_state(&s->part);
  size_t count = s->centers.count / 3;
  if (count == 0) return dv_error(o, "give centers=\"x y z\" and radii", "%s has no discs to push on", o->name);
  if (s->position.count && s->position.count != 3 * state->count)
    return dv_field_error(o, &s->position, "leave it out", "%zu positions are given for %zu points",
                          s->position.count / 3, state->count);
  DV_TRY(surface_check(o));
  DV_TRY(take_faces(s, state->count));
  s->discs.count = s->weights.count = 0;
  if (!dv_ints_resize(&s->held, 0)) return dv_error(o, NULL, "out of memory");
  dv_array_resize(&s->discs, count);
  DV_TRY(find_points(s, s->position.count ? s->position.data : dv_state_read(state, DV_X_REST), state->count));
  weigh(s);
  s->normals = s->directions.count != s->centers.count;
  if (s->normals) find_normals(s, dv_state_read(state, DV_X));
  for (size_t d = 0; d < count; d++) {
    Disc *disc = &s->discs.data[d];
    if (!s->normals) disc->direction = dv_vec3_normalise(dv_vec3_load(s->directions.data + 3 * d));
    if (!(dv_vec3_norm(disc->direction) > 0.5))
      return dv_field_error(o, &s->directions, "give a direction for each centre, or triangles",
                            "disc %zu has no direction", d);
  }
  surface_follow(s);
  dv_part_end_step(o);
  return DV_OK;
}

static void surface_destroy(dvObject *o)
{
  SurfaceForce *s = (SurfaceForce *)o;
  dv_part_destroy(o);
  dv_array_free(&s->discs);
  dv_array_free(&s->weights);
  dv_ints_free(&s->held);
}

DV_INVERSE_CLASS(dv_surface_force_class, "ForceSurfaceActuator",
                 "forces on discs of a surface that are found so that the effectors reach their goals", DV_DOF_VEC3,
                 SurfaceForce, .blocks = {&dv_object_block, &dv_constraint_model_block, DV_BLOCK(surface_fields)},
                 DV_PART_PLAIN, DV_MEMORY(surface_memory), .init = surface_init, .bwd_init = surface_bwd_init,
                 .reinit = surface_check, .topology_changed = surface_topology_changed, .remember = dv_part_remember,
                 .destroy = surface_destroy);

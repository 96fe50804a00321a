// FluidGridObstacle: a body that a fluid on a grid flows around. FluidGridSource: fluid, smoke or heat that comes in.
//
// The surface of a body is closed; its distances are measured once, on a grid around it, in its own frame. A state of
// frames moves it. The pressure on it is told (force and moment about the frame), not handed to the body.
#include "fluid/cells/parts.h"

#include "math/pose.h"
#include "state/state.h"
#include "topology/search/distance_grid.h"
#include "topology/topology.h"

#include <math.h>

// --- bodies ---------------------------------------------------------------------------------------

#define OBSTACLE_FIELDS(X)                                                                                         \
  X(link, topology, "", "",                                                                                        \
    "closed surface of triangles or quads, in the frame of the body; that of the node by "                         \
    "default",                                                                                                     \
    .role = DV_ROLE_TOPOLOGY)                                                                                      \
  X(link, body, "", "", "state of frames that moves it; it stands where it is without one", .role = DV_ROLE_STATE) \
  X(int, index, "0", "", "frame of the body that carries it", .least = "0")                                        \
  X(int, resolution, "32", "", "cells of its distances along its longest side", .least = "4", .most = "256")       \
  X(vec3, force, "0 0 0", "N", "what the pressure does to it; in the plane N/m", .flags = DV_READ_ONLY)            \
  X(vec3, moment, "0 0 0", "N m", "moment of that about its frame", .flags = DV_READ_ONLY)

typedef struct Obstacle {
  dvObject base;
  OBSTACLE_FIELDS(DV_MEMBER)
  dvState *state;
  dvDistanceGrid grid;
  dvPose pose;
  dvVec3 speed, spin;
} Obstacle;

#define SELF Obstacle
static const dvFieldDesc obstacle_fields[] = {OBSTACLE_FIELDS(DV_DESCRIBE)};
static const dvMemoryDesc obstacle_memory[] = {DV_REMEMBER(numbers, force) DV_REMEMBER(numbers, moment)};
#undef SELF

static void obstacle_destroy(dvObject *o) { dv_distance_grid_free(&((Obstacle *)o)->grid); }

static dvStatus lay_grid(Obstacle *b, const dvReals *x, dvInts *triangles)
{
  dvObject *o = &b->base;
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, longest = 0;
  for (size_t i = 0; i < x->count; i++) {
    low[i % 3] = fmin(low[i % 3], x->data[i]), high[i % 3] = fmax(high[i % 3], x->data[i]);
    if (!isfinite(x->data[i])) return dv_error(o, NULL, "point %zu of the surface is not finite", i / 3);
  }
  for (int d = 0; d < 3; d++) longest = fmax(longest, high[d] - low[d]);
  if (!(longest > 0)) return dv_error(o, "give a closed surface", "the surface has no extent");
  double cell = longest / b->resolution;
  int n[3];
  for (int d = 0; d < 3; d++) {
    low[d] -= 3 * cell, high[d] += 3 * cell;
    n[d] = (int)ceil((high[d] - low[d]) / cell) + 1;
  }
  dvDistanceMesh mesh = {x->data, x->count / 3, triangles->data, triangles->count / 3};
  if (!dv_distance_grid_lay(&b->grid, n, dv_vec3_load(low), dv_vec3_load(high)) ||
      !dv_distance_grid_measure(&b->grid, o->context->pool, mesh))
    return dv_error(o, "make the resolution lower", "out of memory for the distances of the body");
  return DV_OK;
}

static dvStatus obstacle_init(dvObject *o)
{
  Obstacle *b = (Obstacle *)o;
  dvObject *mesh = b->topology.target ? b->topology.target : dv_node_find(o->node, DV_ROLE_TOPOLOGY);
  if (!mesh) return dv_error(o, "put it into the node of a mesh", "there is no mesh to flow around");
  DV_TRY(dv_object_ensure(mesh));
  if (b->resolution < 4 || b->resolution > 256)
    return dv_field_error(o, &b->resolution, "take 32", "a resolution of %d is not between 4 and 256", b->resolution);
  if (b->body.target) {
    DV_TRY(dv_object_ensure(b->body.target));
    b->state = dv_state(b->body.target);
    if (b->body.target->dof->kind != DV_RIGID3)
      return dv_field_error(o, &b->body, "name a state with the template Rigid3", "%s is no state of frames",
                            b->body.target->name);
    if (b->index < 0 || (size_t)b->index >= b->state->count)
      return dv_field_error(o, &b->index, NULL, "there is no frame %d: %s has %zu", b->index, b->body.target->name,
                            b->state->count);
  }
  dvTopology *t = dv_topology(mesh);
  const dvReals *x = dv_topology_positions(t);
  const dvInts *tri = dv_topology_elements(t, DV_TRIANGLE), *quads = dv_topology_elements(t, DV_QUAD);
  dvInts all = {.width = 3};
  if (!dv_ints_resize(&all, tri->count + quads->count / 4 * 6)) return dv_error(o, NULL, "out of memory");
  int32_t *to = dv_ints_edit(&all);
  for (size_t i = 0; i < tri->count; i++) *to++ = tri->data[i];
  for (size_t q = 0; q + 3 < quads->count; q += 4)
    for (int k = 0; k < 6; k++) *to++ = quads->data[q + (size_t[]){0, 1, 2, 0, 2, 3}[k]];
  dvStatus status = DV_OK;
  for (size_t i = 0; i < all.count && status == DV_OK; i++)
    if (all.data[i] < 0 || (size_t)all.data[i] >= x->count / 3)
      status = dv_error(o, NULL, "a face of the surface names point %d of %zu", all.data[i], x->count / 3);
  if (status == DV_OK && all.count == 0)
    status = dv_error(o, "give the mesh triangles or quads", "the body has no surface");
  if (status == DV_OK) status = lay_grid(b, x, &all);
  dv_ints_free(&all);
  return status;
}

bool dv_obstacle_look(dvObject *o)
{
  Obstacle *b = (Obstacle *)o;
  if (o->failed || b->grid.values.count == 0) return false;
  b->pose = dv_pose_identity();
  b->speed = b->spin = dv_vec3(0, 0, 0);
  if (!b->state || (size_t)b->index >= b->state->count) return true;
  const double *v = dv_state_read(b->state, DV_V) + 6 * b->index;
  b->pose = dv_pose_load(dv_state_read(b->state, DV_X) + 7 * b->index);
  b->speed = dv_vec3_load(v), b->spin = dv_vec3_load(v + 3);
  return true;
}

double dv_obstacle_distance(const dvObject *o, dvVec3 p)
{
  const Obstacle *b = (const Obstacle *)o;
  dvVec3 q = dv_quat_inverse_rotate(b->pose.turn, dv_vec3_sub(p, b->pose.at));
  // beyond the grid the box around the body is near enough
  if (dv_distance_grid_holds(&b->grid, q)) return dv_distance_at(&b->grid, q);
  dvVec3 low = b->grid.inner_low, high = b->grid.inner_high;
  double x = fmax(fmax(low.x - q.x, q.x - high.x), 0), y = fmax(fmax(low.y - q.y, q.y - high.y), 0),
         z = fmax(fmax(low.z - q.z, q.z - high.z), 0);
  return sqrt(x * x + y * y + z * z);
}

dvVec3 dv_obstacle_velocity(const dvObject *o, dvVec3 p)
{
  const Obstacle *b = (const Obstacle *)o;
  return dv_vec3_add(b->speed, dv_vec3_cross(b->spin, dv_vec3_sub(p, b->pose.at)));
}

dvVec3 dv_obstacle_centre(const dvObject *o) { return ((const Obstacle *)o)->pose.at; }

void dv_obstacle_tell(dvObject *o, const double force[3], const double moment[3])
{
  Obstacle *b = (Obstacle *)o;
  for (int d = 0; d < 3; d++) b->force[d] = force[d], b->moment[d] = moment[d];
  dv_touch(o, &b->force), dv_touch(o, &b->moment);
}

const dvClass dv_grid_obstacle_class = {
    .struct_size = sizeof(dvClass),
    .name = "FluidGridObstacle",
    .help = "a body that fluids on grids flow around; it may move",
    .module = "Divan",
    .roles = DV_PLAYS(DV_ROLE_TOPOLOGY_TOOL),
    .size = sizeof(Obstacle),
    .blocks = {&dv_object_block, DV_BLOCK(obstacle_fields)},
    .init = obstacle_init,
    .destroy = obstacle_destroy,
    DV_MEMORY(obstacle_memory),
};

// --- sources --------------------------------------------------------------------------------------

#define SOURCE_FIELDS(X)                                                                                      \
  X(vec3, center, "0 0 0", "m", "middle of the ball in which something comes in")                             \
  X(real, radius, "1", "m", "radius of the ball", .least = "0")                                               \
  X(vec3, velocity, "0 0 0", "m/s", "velocity of what comes in")                                              \
  X(bool, fills, "1", "", "the ball is full of fluid; else only smoke and heat come in and the flow goes on") \
  X(real, smoke, "0", "1/s", "smoke that comes in, as a part of the air a second", .least = "0")              \
  X(real, temperature, "0", "K/s", "how fast it heats")                                                       \
  X(real, start, "0", "s", "time when it opens")                                                              \
  X(real, stop, "1e10", "s", "time when it closes")

typedef struct Inlet {
  dvObject base;
  SOURCE_FIELDS(DV_MEMBER)
} Inlet;

#define SELF Inlet
static const dvFieldDesc inlet_fields[] = {SOURCE_FIELDS(DV_DESCRIBE)};
#undef SELF

static dvStatus inlet_init(dvObject *o)
{
  Inlet *s = (Inlet *)o;
  if (!(s->radius > 0) || !isfinite(s->radius))
    return dv_field_error(o, &s->radius, "give the radius of a ball", "a radius of %g is none", s->radius);
  for (int d = 0; d < 3; d++)
    if (!(fabs(s->center[d]) < 1e12) || !(fabs(s->velocity[d]) < 1e12))
      return dv_field_error(o, &s->velocity, NULL, "the middle or the velocity is beyond 1e12");
  if (!(s->smoke < 1e12) || !(fabs(s->temperature) < 1e12) || s->smoke < 0)
    return dv_field_error(o, &s->smoke, NULL, "smoke of %g and heat of %g make no sense", s->smoke, s->temperature);
  if (s->stop < s->start)
    dv_field_warning(o, &s->stop, "give a stop after the start", "the source stops at %g s, before it starts at %g s",
                     s->stop, s->start);
  return DV_OK;
}

bool dv_inlet_at(const dvObject *o, double time, dvCellsInlet *out)
{
  const Inlet *s = (const Inlet *)o;
  if (o->failed || time < s->start || time > s->stop) return false;
  *out =
      (dvCellsInlet){dv_vec3_load(s->center), dv_vec3_load(s->velocity), s->radius, s->smoke, s->temperature, s->fills};
  return true;
}

const dvClass dv_grid_source_class = {
    .struct_size = sizeof(dvClass),
    .name = "FluidGridSource",
    .help = "fluid, smoke or heat that comes into a fluid on a grid",
    .module = "Divan",
    .roles = DV_PLAYS(DV_ROLE_SETTING),
    .size = sizeof(Inlet),
    .blocks = {&dv_object_block, DV_BLOCK(inlet_fields)},
    .init = inlet_init,
    .reinit = inlet_init,
};

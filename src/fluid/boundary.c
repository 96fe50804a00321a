// FluidBoundary: a surface that fluids cannot pass, and which they push.
//
// The surface is a mesh, or that of a distance field (field/wall.h) which frames carry.
//
// Triangles and quads are sampled at about a distance. A sample is carried by the points of its triangle, in their
// shares, and hands its force back to them in the same shares: so a cloth, a body with a mapped surface or a rigid one
// moves the fluid and is moved by it, through the mappings that the scene has.
#include "fluid/boundary.h"

#include "fluid/field/wall.h"
#include "fluid/near.h"
#include "math/pose.h"
#include "state/state.h"
#include "topology/change/follow.h"

#include <math.h>
#include <string.h>

#define BOUNDARY_FIELDS(X)                                                                                        \
  X(real, spacing, "0", "m", "distance of the samples; 0: a quarter of the fluid's radius", .least = "0")         \
  X(real, friction, "-1", "Pa s", "viscosity between fluid and wall; 0: it slips, below 0: that of the fluid",    \
    .flags = DV_SIGNED)                                                                                           \
  X(real, adhesion, "0", "N/m", "attraction: half of the surface tension wets the wall to a right angle",         \
    .least = "0")                                                                                                 \
  X(link, state, "", "", "state of the points, or of the frames that carry a field; that of the node by default", \
    .role = DV_ROLE_STATE)                                                                                        \
  X(link, topology, "", "", "mesh of the surface; that of the node by default", .role = DV_ROLE_TOPOLOGY)         \
  X(link, field, "", "",                                                                                          \
    "distance field whose surface is the wall, instead of a mesh: a SphericalField or another, a "                \
    "RigidDistanceGridCollisionModel")                                                                            \
  X(vec3, min, "-1 -1 -1", "m",                                                                                   \
    "first corner of the box in which the surface of a SphericalField or another is looked for, in its frame")    \
  X(vec3, max, "1 1 1", "m", "last corner")                                                                       \
  X(int, count, "0", "", "number of samples", .flags = DV_READ_ONLY)

typedef struct Boundary {
  dvObject base;
  BOUNDARY_FIELDS(DV_MEMBER)
  dvState *points;   // or frames of a field; NULL: it stands where it is
  dvTopology *mesh;
  DV_ARRAY(dvSample) samples;
  // of a field: places, normals and areas in its frame, seven numbers each; all frames have the same
  DV_ARRAY(double) settled;
  dvFieldWall surface;
  uint64_t stamp;
  double made_for;   // spacing
  unsigned revision;
  size_t made_of;   // points
  bool made;
} Boundary;

#define SELF Boundary
static const dvFieldDesc boundary_fields[] = {BOUNDARY_FIELDS(DV_DESCRIBE)};
#undef SELF

enum { MOST_SAMPLES = 5000000, FIELD_NUMBERS = 7 };

static void boundary_destroy(dvObject *o)
{
  Boundary *b = (Boundary *)o;
  dv_array_free(&b->samples), dv_array_free(&b->settled);
  dv_wall_field_free(&b->surface);
}

static dvStatus boundary_reinit(dvObject *o)
{
  Boundary *b = (Boundary *)o;
  if (!(b->spacing >= 0) || !isfinite(b->spacing))
    return dv_field_error(o, &b->spacing, "give the distance between particles", "a spacing of %g is none", b->spacing);
  if (!(b->adhesion >= 0) || !isfinite(b->adhesion) || !isfinite(b->friction))
    return dv_field_error(o, &b->adhesion, NULL, "an adhesion of %g and a friction of %g make no sense", b->adhesion,
                          b->friction);
  for (int k = 0; k < 3 && b->field.target; k++)
    if (!(b->max[k] > b->min[k]) || !isfinite(b->max[k] - b->min[k]))
      return dv_field_error(o, &b->max, "give two corners of a box", "the box from %g to %g m holds nothing", b->min[k],
                            b->max[k]);
  b->made = false;
  return DV_OK;
}

static dvStatus boundary_init_field(Boundary *b)
{
  dvObject *o = &b->base, *field = b->field.target;
  if (!dv_is_wall_field(field))
    return dv_field_error(o, &b->field, "name a SphericalField or its kin, or a RigidDistanceGridCollisionModel",
                          "%s is no distance field", field->name);
  DV_TRY(dv_object_ensure(field));
  b->points = dv_wall_field_state(field);
  dvObject *state = b->state.target ? b->state.target : dv_node_state(o->node);
  if (!b->points && state) {
    DV_TRY(dv_object_ensure(state));
    if (state->dof->kind == DV_RIGID3) b->points = dv_state(state);
    else if (b->state.target)
      return dv_field_error(o, &b->state, "name a state with the template Rigid3",
                            "frames carry a field, but %s has %s coordinates", state->name, state->dof->name);
  }
  return boundary_reinit(o);
}

static dvStatus boundary_init(dvObject *o)
{
  Boundary *b = (Boundary *)o;
  if (b->field.target) return boundary_init_field(b);
  dvObject *state = b->state.target ? b->state.target : dv_node_state(o->node);
  dvObject *mesh = b->topology.target ? b->topology.target : dv_node_find(o->node, DV_ROLE_TOPOLOGY);
  if (!mesh) return dv_error(o, "put it into the node of a mesh", "there is no mesh to make a wall of");
  if (state) DV_TRY(dv_object_ensure(state));
  DV_TRY(dv_object_ensure(mesh));
  if (state && state->dof->kind != DV_VEC3)
    return dv_error(o, "map points to it and put the boundary there", "the state %s has %s coordinates, not points",
                    state->name, state->dof->name);
  b->points = state ? dv_state(state) : NULL;
  b->mesh = dv_topology(mesh);
  dv_follow(o, b->mesh);
  return boundary_reinit(o);
}

static void boundary_topology_changed(dvObject *o) { ((Boundary *)o)->made = false; }

// --- samples --------------------------------------------------------------------------------------

// where the points are
static const double *points_now(const Boundary *b, int x)
{
  return b->points ? dv_state_read(b->points, x) : dv_topology_positions(b->mesh)->data;
}

// Where the points are at rest, in lengths that do not depend on the moment in which samples are made.
static const double *points_of(const Boundary *b, size_t *count)
{
  const dvReals *at = dv_topology_positions(b->mesh);
  size_t known = at->count / 3;
  if (!b->points) return *count = known, at->data;
  *count = b->points->count;
  return known >= *count && known > 0 ? at->data : dv_state_read(b->points, DV_X);
}

static bool add_sample(Boundary *b, dvSample s)
{
  if (b->samples.count >= MOST_SAMPLES || !dv_try_reserve(&b->samples, 1)) return false;
  b->samples.data[b->samples.count++] = s;
  return true;
}

static double length_between(const double *a, const double *b)
{
  return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
}

// Cuts a triangle into n^2 small ones: a sample in the middle of each.
static bool sample_triangle(Boundary *b, const double *x, size_t points, const int32_t t[3], double spacing)
{
  for (int k = 0; k < 3; k++)
    if (t[k] < 0 || (size_t)t[k] >= points) return true;
  double longest = 0;
  for (int k = 0; k < 3; k++)
    longest = fmax(longest, length_between(x + 3 * (size_t)t[k], x + 3 * (size_t)t[(k + 1) % 3]));
  if (!isfinite(longest)) return true;
  double cuts = fmax(1, ceil(longest / (1.4 * spacing)));
  if (cuts * cuts > MOST_SAMPLES) return false;
  int n = (int)cuts;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n - i; j++)
      for (int up = 0; up < (j < n - i - 1 ? 2 : 1); up++) {
        double u = (i + (up + 1) / 3.0) / n, v = (j + (up + 1) / 3.0) / n;
        if (!add_sample(b, (dvSample){{t[0], t[1], t[2]}, {1 - u - v, u, v}, 1.0 / n / n})) return false;
      }
  return true;
}

static void place(const dvSample *s, const double *x, double out[3])
{
  for (size_t k = 0; k < 3; k++)
    out[k] = s->share[0] * x[3 * (size_t)s->point[0] + k] + s->share[1] * x[3 * (size_t)s->point[1] + k] +
             s->share[2] * x[3 * (size_t)s->point[2] + k];
}

// twice the area of the triangle of a sample, and its normal
static double turn(const dvSample *s, const double *x, double out[3])
{
  const double *a = x + 3 * (size_t)s->point[0], *b = x + 3 * (size_t)s->point[1], *c = x + 3 * (size_t)s->point[2];
  for (int k = 0; k < 3; k++) {
    int m = (k + 1) % 3, n = (k + 2) % 3;
    out[k] = (b[m] - a[m]) * (c[n] - a[n]) - (b[n] - a[n]) * (c[m] - a[m]);
  }
  double length = sqrt(out[0] * out[0] + out[1] * out[1] + out[2] * out[2]);
  for (int k = 0; k < 3; k++) out[k] = length > 0 ? out[k] / length : 0;
  return length;
}

// One sample takes over the area of another: between the two where they have one triangle.
static void take_over(dvSample *s, const dvSample *other, const double *x)
{
  double normal[3], here = turn(s, x, normal), there = turn(other, x, normal);
  if (!(here > 0)) return;
  double more = other->part * there / here, all = s->part + more;
  if (memcmp(s->point, other->point, sizeof s->point) == 0 && all > 0)
    for (int k = 0; k < 3; k++) s->share[k] = (s->part * s->share[k] + more * other->share[k]) / all;
  s->part = all;
}

// Takes out samples that lie too close to an earlier one, which gets their area: fine meshes would have many.
static bool thin_out(Boundary *b, const double *x, double least)
{
  size_t n = b->samples.count, kept = 0;
  double *at = dv_try_alloc((3 * n + 1) * sizeof *at);
  bool *gone = dv_try_alloc(n + 1);
  int32_t *rank = dv_try_alloc((n + 1) * sizeof *rank);
  dvNear near = {0};
  bool good = at && gone && rank;
  if (good) {
    for (size_t i = 0; i < n; i++) place(&b->samples.data[i], x, at + 3 * i), gone[i] = false;
    good = dv_near_find(&near, b->base.context->pool, at, n, least, least);
  }
  for (size_t r = 0; good && r < near.count; r++) rank[near.point.data[r]] = (int32_t)r;
  for (size_t i = 0; good && i < n; i++) {
    const int32_t *list;
    if (gone[i]) continue;
    size_t count = dv_near_of(&near, (size_t)rank[i], &list);
    for (size_t k = 0; k < count; k++) {
      size_t other = (size_t)near.point.data[list[k]];
      if (other <= i || gone[other]) continue;
      gone[other] = true;   // two at one place are a face that is there twice
      if (length_between(at + 3 * i, at + 3 * other) > 0.01 * least)
        take_over(&b->samples.data[i], &b->samples.data[other], x);
    }
  }
  for (size_t i = 0; good && i < n; i++)
    if (!gone[i]) b->samples.data[kept++] = b->samples.data[i];
  if (good) b->samples.count = kept;
  dv_near_free(&near);
  dv_free(at), dv_free(gone), dv_free(rank);
  return good;
}

// Samples of the surface of a field: of its triangles first, then moved onto it.
static bool settle_samples(Boundary *b, double spacing)
{
  dvObject *field = b->field.target;
  if (!dv_wall_field_surface(field, b->base.context->pool, b->min, b->max, 1.4 * spacing, &b->surface)) return false;
  const double *x = b->surface.points.data;
  size_t points = b->surface.points.count / 3;
  for (size_t i = 0; i + 2 < b->surface.triangles.count; i += 3)
    if (!sample_triangle(b, x, points, b->surface.triangles.data + i, spacing)) return false;
  if (!thin_out(b, x, 0.8 * spacing)) return false;
  size_t each = b->samples.count, frames = b->points ? b->points->count : 1;
  b->settled.count = 0;
  if (!dv_try_reserve(&b->settled, FIELD_NUMBERS * each)) return false;
  for (size_t i = 0; i < each; i++) {
    double *to = b->settled.data + FIELD_NUMBERS * i;
    to[6] = 0.5 * b->samples.data[i].part * turn(&b->samples.data[i], x, to + 3);
    place(&b->samples.data[i], x, to);
    dv_wall_field_settle(field, to, to + 3);
  }
  b->settled.count = FIELD_NUMBERS * each;
  for (size_t f = 1; f < frames; f++)
    for (size_t i = 0; i < each; i++)
      if (!add_sample(b, b->samples.data[i])) return false;
  return true;
}

static bool make_samples(Boundary *b, double spacing)
{
  if (b->field.target) {
    b->samples.count = 0;
    return settle_samples(b, spacing);
  }
  size_t points;
  const double *x = points_of(b, &points);
  bool good = true;
  b->samples.count = 0;
  const dvInts *t = dv_topology_elements(b->mesh, DV_TRIANGLE);
  for (size_t i = 0; i + 2 < t->count && good; i += 3) good = sample_triangle(b, x, points, t->data + i, spacing);
  const dvInts *q = dv_topology_elements(b->mesh, DV_QUAD);
  for (size_t i = 0; i + 3 < q->count && good; i += 4)
    for (int half = 0; half < 2 && good; half++) {
      const int32_t *c = q->data + i;
      good = sample_triangle(b, x, points, half ? (int32_t[3]){c[0], c[2], c[3]} : c, spacing);
    }
  return good && thin_out(b, x, 0.6 * spacing);
}

size_t dv_boundary_samples(dvObject *o, double radius)
{
  Boundary *b = (Boundary *)o;
  double spacing = b->spacing > 0 ? b->spacing : 0.25 * radius;
  unsigned revision = b->mesh ? b->mesh->revision : 0;
  uint64_t stamp = b->field.target ? dv_wall_field_stamp(b->field.target) : 0;
  size_t points = b->points ? b->points->count : 0;
  if (b->made && b->made_for == spacing && b->revision == revision && b->made_of == points && b->stamp == stamp)
    return b->samples.count;
  b->stamp = stamp;
  b->made = true;
  b->made_of = points;
  b->made_for = spacing;
  b->revision = revision;
  if (!make_samples(b, spacing)) {
    b->samples.count = 0;
    dv_field_error(o, &b->spacing, "make the spacing larger, or the wall smaller",
                   "the wall would need more than %d samples at a spacing of %g", MOST_SAMPLES, spacing);
  } else if (b->samples.count == 0) {
    if (b->field.target)
      dv_warning(o, "look at min and max", "the field has no surface in the box: nothing stops at it");
    else dv_warning(o, "give the mesh triangles or quads", "the wall has no faces: nothing stops at it");
  }
  b->count = (int32_t)b->samples.count;
  dv_touch(o, &b->count);
  return b->samples.count;
}

// --- what fluids ask ------------------------------------------------------------------------------

dvState *dv_boundary_state(const dvObject *o) { return ((const Boundary *)o)->points; }
double dv_boundary_friction(const dvObject *o) { return ((const Boundary *)o)->friction; }
double dv_boundary_adhesion(const dvObject *o) { return ((const Boundary *)o)->adhesion; }

// samples of a field, which frames carry
static void places_of_field(const Boundary *b, int x, int v, double *places, double *velocities, double *normals,
                            double *areas)
{
  size_t each = b->settled.count / FIELD_NUMBERS;
  const double *at = b->points ? dv_state_read(b->points, x) : NULL,
               *speed = b->points ? dv_state_read(b->points, v) : NULL;
  for (size_t i = 0; i < b->samples.count; i++) {
    const double *s = b->settled.data + FIELD_NUMBERS * (i % each);
    size_t frame = i / each;
    dvPose pose = at ? dv_pose_load(at + 7 * frame) : dv_pose_identity();
    dvVec3 p = dv_pose_point(pose, dv_vec3_load(s)), u = dv_vec3(0, 0, 0);
    if (speed)
      u = dv_vec3_add(dv_vec3_load(speed + 6 * frame),
                      dv_vec3_cross(dv_vec3_load(speed + 6 * frame + 3), dv_vec3_sub(p, pose.at)));
    areas[i] = s[6];
    dv_vec3_store(places + 3 * i, p);
    dv_vec3_store(velocities + 3 * i, u);
    dv_vec3_store(normals + 3 * i, dv_quat_rotate(pose.turn, dv_vec3_load(s + 3)));
  }
}

static void push_frames(Boundary *b, int f, const double *forces)
{
  size_t each = b->settled.count / FIELD_NUMBERS;
  double *out = dv_state_write(b->points, f);
  const double *at = dv_state_read(b->points, DV_X);
  for (size_t i = 0; i < b->samples.count; i++) {
    double *to = out + 6 * (i / each);
    dvVec3 arm = dv_quat_rotate(dv_pose_load(at + 7 * (i / each)).turn,
                                dv_vec3_load(b->settled.data + FIELD_NUMBERS * (i % each)));
    dvVec3 force = dv_vec3_load(forces + 3 * i);
    dv_vec3_store(to, dv_vec3_add(dv_vec3_load(to), force));
    dv_vec3_store(to + 3, dv_vec3_add(dv_vec3_load(to + 3), dv_vec3_cross(arm, force)));
  }
}

void dv_boundary_places(const dvObject *o, int x, int v, double *places, double *velocities, double *normals,
                        double *areas)
{
  const Boundary *b = (const Boundary *)o;
  if (b->field.target) {
    places_of_field(b, x, v, places, velocities, normals, areas);
    return;
  }
  const double *at = points_now(b, x), *speed = b->points ? dv_state_read(b->points, v) : NULL;
  for (size_t i = 0; i < b->samples.count; i++) {
    place(&b->samples.data[i], at, places + 3 * i);
    areas[i] = 0.5 * b->samples.data[i].part * turn(&b->samples.data[i], at, normals + 3 * i);
    if (speed) place(&b->samples.data[i], speed, velocities + 3 * i);
    else memset(velocities + 3 * i, 0, 3 * sizeof *velocities);
  }
}

void dv_boundary_push(dvObject *o, int f, const double *forces)
{
  Boundary *b = (Boundary *)o;
  if (!b->points || !b->made) return;   // samples of a mesh that has changed since have no points
  if (b->field.target) {
    push_frames(b, f, forces);
    return;
  }
  double *out = dv_state_write(b->points, f);
  for (size_t i = 0; i < b->samples.count; i++)
    for (int c = 0; c < 3; c++)
      for (size_t k = 0; k < 3; k++)
        out[3 * (size_t)b->samples.data[i].point[c] + k] += b->samples.data[i].share[c] * forces[3 * i + k];
}

const dvClass dv_fluid_boundary_class = {
    .struct_size = sizeof(dvClass),
    .name = "FluidBoundary",
    .help = "a surface that incompressible fluids cannot pass and push",
    .module = "Divan",
    .roles = DV_PLAYS(DV_ROLE_TOPOLOGY_TOOL),
    .size = sizeof(Boundary),
    .blocks = {&dv_object_block, DV_BLOCK(boundary_fields)},
    .init = boundary_init,
    .reinit = boundary_reinit,
    .topology_changed = boundary_topology_changed,
    .destroy = boundary_destroy,
};

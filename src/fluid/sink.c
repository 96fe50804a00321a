// ParticleSink: particles that pass a plane go.
//
// Below the plane normal . x = d0 particles stand still, below normal . x = d1 they are removed when a step begins.
#include "fluid/particles.h"

#include "topology/change/modify.h"

#include <string.h>

#define SINK_FIELDS(X)                                                                        \
  X(deriv, normal, "0 1 0", "", "normal of the planes")                                       \
  X(real, d0, "0", "m", "particles with normal . x below this stand still")                   \
  X(real, d1, "0", "m", "particles with normal . x below this are removed")                   \
  X(bool, showPlane, "0", "", "no effect: planes are not drawn", .flags = DV_LOOKS | DV_IDLE) \
  X(indices, fixed, "", "", "particles that stand still", .flags = DV_READ_ONLY)              \
  X(link, topology, "", "", "topology of the particles; that of their state", .role = DV_ROLE_TOPOLOGY)

typedef struct Sink {
  dvProjective base;
  SINK_FIELDS(DV_MEMBER)
  dvTopology *points;
} Sink;

#define SELF Sink
static const dvFieldDesc sink_fields[] = {SINK_FIELDS(DV_DESCRIBE)};
static const dvMemoryDesc sink_memory[] = {DV_REMEMBER(ints, fixed)};
#undef SELF

static dvStatus sink_reinit(dvObject *o)
{
  Sink *s = (Sink *)o;
  if (s->normal[0] == 0 && s->normal[1] == 0 && s->normal[2] == 0)
    dv_field_warning(o, &s->normal, "give a normal", "the normal is zero: nothing passes the plane");
  return DV_OK;
}

static dvStatus sink_init(dvObject *o)
{
  Sink *s = (Sink *)o;
  DV_TRY(dv_particles_init(o, &s->points));
  s->fixed.width = 1;
  dv_follow_list(o, s->points, DV_POINT, &s->fixed);
  return sink_reinit(o);
}

static double height(const Sink *s, const double *x)
{
  return x[0] * s->normal[0] + x[1] * s->normal[1] + x[2] * s->normal[2];
}

static void sink_event(dvObject *o, const dvEvent *event)
{
  Sink *s = (Sink *)o;
  if (event->kind != DV_EVENT_ANIMATE_BEGIN || !o->listening) return;
  const double *x = dv_state_read(s->base.state, DV_X);
  size_t count = 0, n = s->base.state->count;
  int32_t *gone = dv_try_alloc((n + 1) * sizeof *gone);
  if (!gone) {
    dv_error(o, NULL, "out of memory for %zu particles", n);
    return;
  }
  for (size_t i = n; i > 0; i--)   // from the last to the first: others take their numbers in that order
    if (height(s, x + 3 * (i - 1)) < s->d1) gone[count++] = (int32_t)(i - 1);
  if (count > 0 && dv_topology_remove(s->points, DV_POINT, gone, count) == DV_OK) dv_topology_end_changes(s->points);
  dv_free(gone);
}

static void sink_project_velocity(dvObject *o, int id, double time)
{
  DV_UNUSED(time);
  Sink *s = (Sink *)o;
  if (s->fixed.count == 0) return;
  double *v = dv_state_write(s->base.state, id);
  for (size_t i = 0; i < s->fixed.count; i++) memset(v + 3 * s->fixed.data[i], 0, 3 * sizeof *v);
}

// positions stay; who is below is found here, for the velocities that follow
static void sink_project_position(dvObject *o, int id, double time)
{
  DV_UNUSED(time);
  Sink *s = (Sink *)o;
  const double *x = dv_state_read(s->base.state, id);
  size_t n = s->base.state->count, count = 0;
  if (!dv_ints_resize(&s->fixed, n)) {
    dv_error(o, NULL, "out of memory for %zu particles", n);
    return;
  }
  int32_t *list = dv_ints_edit(&s->fixed);
  for (size_t i = 0; i < n; i++)
    if (height(s, x + 3 * i) < s->d0) list[count++] = (int32_t)i;
  DV_MUST(dv_ints_resize(&s->fixed, count));
}

static void sink_project_response(dvObject *o, int id) { DV_UNUSED(o), DV_UNUSED(id); }

static const dvProjectiveOps sink_ops = {
    .project_response = sink_project_response,
    .project_velocity = sink_project_velocity,
    .project_position = sink_project_position,
};

const dvClass dv_particle_sink_class = {
    .struct_size = sizeof(dvClass),
    .name = "ParticleSink",
    .help = "removes particles that pass a plane",
    .module = "SofaSphFluid",
    .dofs = DV_DOF_VEC3,
    .size = sizeof(Sink),
    .blocks = {&dv_object_block, &dv_projective_block, DV_BLOCK(sink_fields)},
    .ops = {[DV_ROLE_PROJECTIVE] = &sink_ops},
    .presets = "listening=1",
    .link = dv_particles_link,
    .init = sink_init,
    .reinit = sink_reinit,
    .handle_event = sink_event,
    DV_MEMORY(sink_memory),
};

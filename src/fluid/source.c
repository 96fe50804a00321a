// ParticleSource: particles that come out of given places, one after the other.
//
// Every `delay` seconds each place c sends a particle from scale c + translation + radius with a velocity. The newest
// ones are led: they move with that velocity, whatever pushes them, until the next ones come; of those that are led,
// the older half is let go then.
#include "fluid/particles.h"

#include "base/random.h"

#include <math.h>
#include <string.h>

#define SOURCE_FIELDS(X)                                                                              \
  X(vec3, translation, "0 0 0", "m", "added to each place")                                           \
  X(real, scale, "1", "", "factor of each place")                                                     \
  X(vec3s, center, "0 0 0", "m", "places that particles come from")                                   \
  X(vec3, radius, "0 0 0", "m", "added to each place; with addNoise times a number between -1 and 1") \
  X(vec3, velocity, "0 0 0", "m/s", "of new particles")                                               \
  X(real, delay, "0.01", "s", "time between particles from the same place")                           \
  X(real, start, "0", "s", "time of the first particles")                                             \
  X(real, stop, "1e10", "s", "no particles come after this time")                                     \
  X(bool, addNoise, "1", "", "spread the places at random within the radius; the same in each run")   \
  X(indices, lastparticles, "", "", "particles that are led, the newest last", .flags = DV_READ_ONLY)

typedef struct Source {
  dvProjective base;
  SOURCE_FIELDS(DV_MEMBER)
  dvTopology *points;
  dvElementList *led;   // keeps lastparticles and `from` in step
  dvReals from;         // where each of them is led from
  double last;          // moment in which the newest came
  dvRandom random;
  bool begun;
} Source;

#define SELF Source
static const dvFieldDesc source_fields[] = {SOURCE_FIELDS(DV_DESCRIBE)};
static const dvMemoryDesc source_memory[] = {DV_REMEMBER(ints, lastparticles) DV_REMEMBER(reals, from) DV_REMEMBER(
    numbers, last) DV_REMEMBER(numbers, random) DV_REMEMBER(numbers, begun)};
#undef SELF

enum { MOST_AT_ONCE = 10000000 };

static void source_destroy(dvObject *o) { dv_reals_free(&((Source *)o)->from); }

static dvStatus source_reinit(dvObject *o)
{
  Source *s = (Source *)o;
  if (!(s->delay > 0) || !isfinite(s->delay))
    return dv_field_error(o, &s->delay, "give the time between particles", "a delay of %g s makes no sense", s->delay);
  if (s->center.count == 0)
    dv_field_warning(o, &s->center, "give at least one place", "there are no places: the source is empty");
  if (s->stop < s->start)
    dv_field_warning(o, &s->stop, "give a stop after the start", "the source stops at %g s, before it starts at %g s",
                     s->stop, s->start);
  return DV_OK;
}

static dvStatus source_init(dvObject *o)
{
  Source *s = (Source *)o;
  DV_TRY(dv_particles_init(o, &s->points));
  DV_TRY(source_reinit(o));
  s->lastparticles.width = 1;
  s->from.width = 3;
  s->led = dv_follow_list(o, s->points, DV_POINT, &s->lastparticles);
  DV_TRY(dv_element_list_add_reals(s->led, &s->from, false));
  s->last = fmax(s->start - s->delay, 0);
  s->random = dv_random_start(DV_RANDOM_SEED);
  return DV_OK;
}

static bool is_open(const Source *s)
{
  double time = s->base.base.node->time;
  return time >= s->start && time <= s->stop;
}

// --- new particles --------------------------------------------------------------------------------

// Those that are led begin half a list later, further on.
static void let_go(Source *s, size_t keep)
{
  size_t had = s->lastparticles.count, drop = had - keep;
  double *from = dv_reals_edit(&s->from);
  int32_t *led = dv_ints_edit(&s->lastparticles);
  memmove(led, led + drop, keep * sizeof *led);
  memmove(from, from + 3 * drop, 3 * keep * sizeof *from);
  for (size_t i = 0; i < keep; i++)
    for (size_t k = 0; k < 3; k++) from[3 * i + k] += s->velocity[k] * s->delay;
}

// One round: a particle from each place. Returns false when memory is short.
static bool send_round(Source *s, double time, size_t first, double *x)
{
  size_t places = s->center.count / 3, keep = s->lastparticles.count / 2;
  s->last += s->delay;
  if (keep > 0) let_go(s, keep);
  if (!dv_ints_resize(&s->lastparticles, keep + places) || !dv_reals_resize(&s->from, 3 * (keep + places)))
    return false;
  double *from = dv_reals_edit(&s->from) + 3 * keep;
  int32_t *led = dv_ints_edit(&s->lastparticles) + keep;
  for (size_t i = 0; i < places; i++) {
    led[i] = (int32_t)(first + i);
    for (size_t k = 0; k < 3; k++) {
      double spread = s->addNoise ? dv_random(&s->random, -1, 1) : 1;
      from[3 * i + k] = s->center.data[3 * i + k] * s->scale + s->translation[k] + spread * s->radius[k];
      x[3 * i + k] = from[3 * i + k] + s->velocity[k] * (time - s->last);
    }
  }
  return true;
}

static void send(Source *s)
{
  dvObject *o = &s->base.base;
  dvState *state = s->base.state;
  double time = o->node->time, due = (time - s->last) / s->delay;
  size_t places = s->center.count / 3;
  if (!(due >= 1) || places == 0) return;
  if (due * (double)places > MOST_AT_ONCE || state->count + (size_t)due * places > DV_POINT_LIMIT) {
    dv_error(o, "make the delay longer", "%g particles are due at %g s; there are %zu already",
             floor(due) * (double)places, time, state->count);
    return;
  }
  size_t rounds = (size_t)due, count = rounds * places;
  // the point that a state without positions has is no particle
  size_t first = state->count == 1 && !s->begun ? 0 : state->count, old = state->count - first;
  double *x = dv_try_alloc(3 * count * sizeof *x);
  bool good = x != NULL;
  for (size_t r = 0; r < rounds && good; r++) good = send_round(s, time, first + r * places, x + 3 * r * places);
  s->begun = true;
  if (good && count > old) good = dv_topology_add_points(s->points, count - old, x + 3 * old, (dvOrigin){0}) == DV_OK;
  dv_element_list_forget(s->led);   // now that all of its points exist
  if (!good) dv_error(o, NULL, "out of memory for %zu particles", count);
  dv_topology_end_changes(s->points);
  if (good && state->count == first + count) {
    double *p = dv_state_write(state, DV_X), *v = dv_state_write(state, DV_V);
    memcpy(p + 3 * first, x, 3 * count * sizeof *x);
    for (size_t i = first; i < state->count; i++) memcpy(v + 3 * i, s->velocity, sizeof s->velocity);
  }
  dv_free(x);
}

static void source_event(dvObject *o, const dvEvent *event)
{
  Source *s = (Source *)o;
  if (event->kind == DV_EVENT_ANIMATE_BEGIN && o->listening && is_open(s)) send(s);
}

// --- those that are led ---------------------------------------------------------------------------

static void source_project_response(dvObject *o, int id)
{
  Source *s = (Source *)o;
  if (!is_open(s) || s->lastparticles.count == 0) return;
  double *d = dv_state_write(s->base.state, id);
  for (size_t i = 0; i < s->lastparticles.count; i++) memset(d + 3 * s->lastparticles.data[i], 0, 3 * sizeof *d);
}

static void source_project_velocity(dvObject *o, int id, double time)
{
  DV_UNUSED(time);
  Source *s = (Source *)o;
  if (!is_open(s) || s->lastparticles.count == 0) return;
  double *v = dv_state_write(s->base.state, id);
  for (size_t i = 0; i < s->lastparticles.count; i++)
    memcpy(v + 3 * s->lastparticles.data[i], s->velocity, sizeof s->velocity);
}

static void source_project_position(dvObject *o, int id, double time)
{
  DV_UNUSED(time);
  Source *s = (Source *)o;
  if (!is_open(s) || s->lastparticles.count == 0) return;
  double *x = dv_state_write(s->base.state, id), since = o->node->time - s->last;
  for (size_t i = 0; i < s->lastparticles.count; i++)
    for (size_t k = 0; k < 3; k++)
      x[3 * (size_t)s->lastparticles.data[i] + k] = s->from.data[3 * i + k] + s->velocity[k] * since;
}

static const dvProjectiveOps source_ops = {
    .project_response = source_project_response,
    .project_velocity = source_project_velocity,
    .project_position = source_project_position,
};

const dvClass dv_particle_source_class = {
    .struct_size = sizeof(dvClass),
    .name = "ParticleSource",
    .help = "sends particles from given places",
    .module = "SofaSphFluid",
    .dofs = DV_DOF_VEC3,
    .size = sizeof(Source),
    .blocks = {&dv_object_block, &dv_projective_block, DV_BLOCK(source_fields)},
    .ops = {[DV_ROLE_PROJECTIVE] = &source_ops},
    .presets = "listening=1",
    .link = dv_particles_link,
    .init = source_init,
    .reinit = source_reinit,
    .handle_event = source_event,
    .destroy = source_destroy,
    DV_MEMORY(source_memory),
};

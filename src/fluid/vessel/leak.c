// VesselLeak: a hole in a vessel, from which particles of blood come.
//
// The network loses C a sqrt(2 (p - p_outside) / rho) through a hole of the area a; each time that a particle's volume
// has gone a particle comes out, as fast as the jet is, somewhere in the hole. A flow of particles (SPHFluidForceField,
// IncompressibleFluidForceField) takes it from there.
#include "fluid/particles.h"
#include "fluid/vessel/parts.h"

#include "base/random.h"

#include <math.h>

#define LEAK_FIELDS(X)                                                                                            \
  X(link, network, "", "", "the vessels", .flags = DV_REQUIRED)                                                   \
  X(int, point, "0", "", "point of the network's mesh where the hole is", .least = "0")                           \
  X(real, area, "1e-6", "m2", "area of the hole", .least = "0")                                                   \
  X(real, discharge, "0.6", "", "part of the jet that fills the hole", .least = "0", .most = "1")                 \
  X(real, outside, "0", "Pa", "pressure outside")                                                                 \
  X(vec3, direction, "0 1 0", "", "where the jet goes")                                                           \
  X(real, particleVolume, "0", "m3", "volume of a particle; 0: its mass over the density of blood", .least = "0") \
  X(real, start, "0", "s", "time when the vessel is cut", .least = "0")                                           \
  X(real, flow, "0", "m3/s", "what comes out, over the last step", .flags = DV_READ_ONLY)                         \
  X(real, lost, "0", "m3", "what has come out so far", .flags = DV_READ_ONLY)                                     \
  X(int, count, "0", "", "particles that have come out so far", .flags = DV_READ_ONLY)

typedef struct Leak {
  dvProjective base;
  LEAK_FIELDS(DV_MEMBER)
  dvTopology *points;
  dvVesselHole hole;
  dvRandom random;
  double piece;   // volume of a particle, when there was one
  bool begun;
} Leak;

#define SELF Leak
static const dvFieldDesc leak_fields[] = {LEAK_FIELDS(DV_DESCRIBE)};
static const dvMemoryDesc leak_memory[] = {
    DV_REMEMBER(numbers, hole.lost) DV_REMEMBER(numbers, lost) DV_REMEMBER(numbers, count) DV_REMEMBER(numbers, flow)
        DV_REMEMBER(numbers, random) DV_REMEMBER(numbers, begun) DV_REMEMBER(numbers, piece)};
#undef SELF

enum { MOST_AT_ONCE = 100000 };

dvObject *dv_leak_network(const dvObject *o) { return ((const Leak *)o)->network.target; }

dvVesselHole *dv_leak_hole(dvObject *o)
{
  Leak *l = (Leak *)o;
  l->hole.point = l->point, l->hole.discharge = l->discharge, l->hole.outside = l->outside;
  l->hole.area = o->node->time >= l->start ? l->area : 0;
  return &l->hole;
}

static dvStatus leak_reinit(dvObject *o)
{
  Leak *l = (Leak *)o;
  double at[3];
  const double *d = l->direction;
  if (!dv_network_place(l->network.target, l->point, at))
    return dv_field_error(o, &l->point, NULL, "the network has no point %d", l->point);
  if (!(l->area >= 0) || !isfinite(l->area) || !(l->discharge >= 0) || !(l->discharge <= 1))
    return dv_field_error(o, &l->area, NULL, "an area of %g and a discharge of %g make no hole", l->area, l->discharge);
  if (!(d[0] * d[0] + d[1] * d[1] + d[2] * d[2] > 0))
    return dv_field_error(o, &l->direction, "give a direction", "the jet has no direction");
  if (!(l->particleVolume >= 0) || !isfinite(l->particleVolume))
    return dv_field_error(o, &l->particleVolume, NULL, "a volume of %g is none", l->particleVolume);
  return DV_OK;
}

static dvStatus leak_init(dvObject *o)
{
  Leak *l = (Leak *)o;
  if (!l->network.target || l->network.target->cls != &dv_vessel_network_class)
    return dv_field_error(o, &l->network, "give network=\"@path\" of a VesselNetwork", "there are no vessels to leak");
  DV_TRY(dv_object_ensure(l->network.target));
  DV_TRY(dv_particles_init(o, &l->points));
  DV_TRY(leak_reinit(o));
  l->random = dv_random_start(DV_RANDOM_SEED);
  return DV_OK;
}

// of a particle
static double volume_of(const Leak *l)
{
  if (l->particleVolume > 0) return l->particleVolume;
  if (l->base.state->count == 0) return l->piece;   // sinks have taken them all
  dvObject *mass = dv_node_find(l->base.state->base.node, DV_ROLE_MASS);
  const dvMassOps *ops = mass ? dv_ops(mass, DV_ROLE_MASS) : NULL;
  double density = dv_network_vessels(l->network.target)->density;
  return ops && ops->of_element ? ops->of_element(mass, 0) / density : 0;
}

// a place in the hole, as far along the jet as a particle has come since it left
static void place(Leak *l, const double at[3], double speed, double since, double *x, double *v)
{
  double d[3], length = 0, wide = sqrt(l->area / M_PI), off[3], along = 0;
  for (int k = 0; k < 3; k++) length += l->direction[k] * l->direction[k];
  for (int k = 0; k < 3; k++) d[k] = l->direction[k] / sqrt(length), off[k] = dv_random(&l->random, -wide, wide);
  for (int k = 0; k < 3; k++) along += d[k] * off[k];
  for (int k = 0; k < 3; k++) {
    x[k] = at[k] + off[k] - along * d[k] + d[k] * speed * since;
    v[k] = speed * d[k];
  }
}

static void leak_emit(Leak *l, double dt)
{
  dvObject *o = &l->base.base;
  dvState *state = l->base.state;
  double piece = volume_of(l), lost = l->hole.lost, at[3], carried[3];
  if (!(piece > 0)) {
    dv_error(o, "give particleVolume, or a mass to the particles", "particles have no volume");
    return;
  }
  l->piece = piece;
  l->flow = (lost - l->lost) / dt, l->lost = lost;
  double due = floor(lost / piece) - l->count;
  dv_touch(o, &l->flow), dv_touch(o, &l->lost);
  if (!(due >= 1) || !dv_network_place(l->network.target, l->point, at)) return;
  if (due > MOST_AT_ONCE || (double)state->count + due > DV_POINT_LIMIT) {
    dv_error(o, "make particles larger", "%g particles are due at once; there are %zu already", due, state->count);
    return;
  }
  size_t count = (size_t)due, first = state->count == 1 && !l->begun ? 0 : state->count, old = state->count - first;
  double *x = dv_try_alloc(6 * count * sizeof *x), *v = x + 3 * count;
  double speed = l->area > 0 && l->discharge > 0 ? l->flow / (l->area * l->discharge) : 0;
  bool good = x != NULL;
  dv_network_speed(l->network.target, l->point, carried);
  for (size_t i = 0; i < count && good; i++) {
    place(l, at, speed, dt * ((double)(count - i) - 0.5) / (double)count, x + 3 * i, v + 3 * i);
    for (int k = 0; k < 3; k++) v[3 * i + (size_t)k] += carried[k];
  }
  l->begun = true;
  if (good && count > old) good = dv_topology_add_points(l->points, count - old, x + 3 * old, (dvOrigin){0}) == DV_OK;
  if (!good) dv_error(o, NULL, "out of memory for %zu particles", count);
  dv_topology_end_changes(l->points);
  if (good && state->count == first + count) {
    memcpy(dv_state_write(state, DV_X) + 3 * first, x, 3 * count * sizeof *x);
    memcpy(dv_state_write(state, DV_V) + 3 * first, v, 3 * count * sizeof *v);
    l->count += (int32_t)count;
    dv_touch(o, &l->count);
  }
  dv_free(x);
}

static void leak_event(dvObject *o, const dvEvent *event)
{
  if (event->kind == DV_EVENT_ANIMATE_BEGIN && o->listening && !o->failed && event->dt > 0)
    leak_emit((Leak *)o, event->dt);
}

static void leak_nothing(dvObject *o, int id) { DV_UNUSED(o), DV_UNUSED(id); }
static void leak_nothing_at(dvObject *o, int id, double time) { DV_UNUSED(o), DV_UNUSED(id), DV_UNUSED(time); }

// it holds no particle: it only adds them
static const dvProjectiveOps leak_ops = {
    .project_response = leak_nothing,
    .project_velocity = leak_nothing_at,
    .project_position = leak_nothing_at,
};

const dvClass dv_vessel_leak_class = {
    .struct_size = sizeof(dvClass),
    .name = "VesselLeak",
    .help = "a hole in a vessel: particles of blood come out as its pressure drives them",
    .module = "Divan",
    .dofs = DV_DOF_VEC3,
    .size = sizeof(Leak),
    .blocks = {&dv_object_block, &dv_projective_block, DV_BLOCK(leak_fields)},
    .ops = {[DV_ROLE_PROJECTIVE] = &leak_ops},
    .presets = "listening=1",
    .link = dv_particles_link,
    .init = leak_init,
    .reinit = leak_reinit,
    .handle_event = leak_event,
    DV_MEMORY(leak_memory),
};

// IncompressibleFluidForceField: a fluid of particles that keeps its density, with walls, viscosity and surface
// tension.
//
// A step with v* = v + dt f/m, f being the forces that stand before this one: attraction between particles and to walls
// changes v*, viscosity by an implicit solve, then pressure so that no density exceeds rho_0 by more than `tolerance`
// after the step (flow.h). What that does to the velocities is the force of this component, so that integrators that
// set v += dt f/m and x += dt v (EulerExplicitSolver, EulerImplicitSolver) end where the solves do. All walls of the
// scene (FluidBoundary) take part; bodies below the same solver feel what the fluid does in this step, others in the
// next.
#include "fluid/boundary.h"
#include "fluid/flow.h"
#include "fluid/strays.h"

#include "mechanics/component.h"

#include <math.h>
#include <string.h>

#define FLUID_FIELDS(X)                                                                                                \
  X(real, radius, "1", "m", "distance within which particles act on each other: about two between neighbours")         \
  X(real, density, "1000", "kg/m3", "density, which is kept")                                                          \
  X(real, viscosity, "0", "Pa s", "viscosity, by an implicit solve: water 0.001, honey 10", .least = "0")              \
  X(real, surfaceTension, "0", "N/m",                                                                                  \
    "attraction between particles, for about this surface tension: drops hold together, but do not swing as in "       \
    "theory",                                                                                                          \
    .least = "0")                                                                                                      \
  X(vec3, period, "0 0 0", "m", "space repeats itself along an axis after so much; 0: it does not")                    \
  X(bool, pulls, "0", "", "pressure may be negative: for fluids that fill all of their space")                         \
  X(real, tolerance, "0.0005", "", "largest excess of density after a step, as a part of it", .least = "0")            \
  X(int, maxIterations, "200", "", "most iterations of the pressure solve", .least = "1")                              \
  X(reals, pressure, "", "Pa", "pressure of each particle", .flags = DV_READ_ONLY)                                     \
  X(real, densityError, "0", "", "mean excess of density when the step began, as a part of it", .flags = DV_READ_ONLY) \
  X(real, solveError, "0", "", "largest excess that the pressure solve has left", .flags = DV_READ_ONLY)               \
  X(int, iterations, "0", "", "of the last pressure solve", .flags = DV_READ_ONLY)

typedef struct Wall {
  dvObject *boundary;
  size_t first, count;   // samples
  bool same;             // below the solver of the fluid
} Wall;

typedef struct Fluid {
  dvForce force;
  FLUID_FIELDS(DV_MEMBER)
  dvFlow flow;
  DV_ARRAY(Wall) walls;
  DV_ARRAY(double) speeds;   // of samples
  DV_ARRAY(double) normals;
  DV_ARRAY(double) areas;
  DV_ARRAY(double) pushes;   // forces on samples
  dvObject *mass;
  unsigned version;   // of the graph that the walls are of
  bool sought;
  // what the last evaluation found; moves into the fields when the step ends
  DV_ARRAY(double) next;
  dvFlowReport report;
  double excess;
  double norm;   // of the pressure matrix: remembered
  dvStrays strays;
  bool told_fast, told_unsolved, told_viscous, told_crowd, told_mass;
} Fluid;

#define SELF Fluid
static const dvFieldDesc fluid_fields[] = {FLUID_FIELDS(DV_DESCRIBE)};
static const dvMemoryDesc fluid_memory[] = {DV_REMEMBER(reals, pressure) DV_REMEMBER(numbers, norm) DV_REMEMBER(
    numbers, densityError) DV_REMEMBER(numbers, solveError) DV_REMEMBER(numbers, iterations)};
#undef SELF

static void fluid_destroy(dvObject *o)
{
  Fluid *f = (Fluid *)o;
  dv_flow_free(&f->flow);
  dv_array_free(&f->walls);
  dv_array_free(&f->speeds);
  dv_array_free(&f->normals);
  dv_array_free(&f->areas);
  dv_array_free(&f->pushes);
  dv_array_free(&f->next);
}

// --- walls ----------------------------------------------------------------------------------------

typedef struct Seeker {
  dvVisitor visitor;
  Fluid *fluid;
} Seeker;

static dvWalk seek_walls(dvVisitor *self, dvNode *node)
{
  Fluid *f = ((Seeker *)self)->fluid;
  dvObject *ruler = dv_node_find_up(f->force.base.node, DV_ROLE_ODE);
  for (size_t i = 0; i < node->objects.count; i++) {
    dvObject *o = node->objects.data[i];
    if (o->cls != &dv_fluid_boundary_class || o->failed) continue;
    dvState *state = dv_boundary_state(o);
    dvObject *other = state ? dv_node_find_up(state->base.node, DV_ROLE_ODE) : NULL;
    dv_push(&f->walls, ((Wall){.boundary = o, .same = other == ruler}));
  }
  return DV_WALK_ON;
}

// The walls of the scene with their samples; how many these are.
static size_t find_walls(Fluid *f)
{
  dvScene *scene = f->force.base.node->scene;
  if (!f->sought || f->version != scene->version) {
    f->walls.count = 0;
    Seeker s = {.visitor = {.top_down = seek_walls}, .fluid = f};
    dv_visit(scene->root, &s.visitor);
    f->sought = true;
    f->version = scene->version;
  }
  size_t samples = 0;
  for (size_t i = 0; i < f->walls.count; i++) {
    Wall *w = &f->walls.data[i];
    w->first = samples;
    samples += w->count = dv_boundary_samples(w->boundary, f->radius);
  }
  return samples;
}

// --- a step ---------------------------------------------------------------------------------------

static bool prepare(Fluid *f, const dvMech *m)
{
  dvObject *o = &f->force.base;
  dvState *state = f->force.state;
  dvFlow *flow = &f->flow;
  size_t samples = find_walls(f), n = state->count;
  flow->pool = o->context->pool;
  f->speeds.count = f->normals.count = f->areas.count = f->pushes.count = f->next.count = 0;
  if (!dv_flow_open(flow, n, samples) || !dv_try_reserve(&f->speeds, 3 * samples) ||
      !dv_try_reserve(&f->normals, 3 * samples) || !dv_try_reserve(&f->areas, samples) ||
      !dv_try_reserve(&f->pushes, 3 * samples) || !dv_try_reserve(&f->next, n)) {
    dv_error(o, NULL, "out of memory for %zu particles and %zu samples of walls", n, samples);
    return false;
  }
  memcpy(flow->places.data, dv_state_read(state, m->x), 3 * n * sizeof(double));
  for (size_t i = 0; i < f->walls.count; i++) {
    const Wall *w = &f->walls.data[i];
    dv_boundary_places(w->boundary, w->same ? m->x : DV_X, w->same ? m->v : DV_V,
                       flow->places.data + 3 * (n + w->first), f->speeds.data + 3 * w->first,
                       f->normals.data + 3 * w->first, f->areas.data + w->first);
  }
  if (samples) memset(f->pushes.data, 0, 3 * samples * sizeof(double));
  if (!dv_flow_search(flow)) {
    dv_error(o, NULL, "out of memory for %zu particles and %zu samples of walls", n, samples);
    return false;
  }
  if (dv_near_crowded(&flow->near)) {
    if (!f->told_crowd)
      dv_field_error(o, &f->radius, "take a radius of about two distances between particles",
                     "a particle has more than %d others within the radius of %g", DV_NEAR_MOST, f->radius);
    f->told_crowd = true;
    return false;
  }
  return true;
}

// Velocities after the forces that stand before this one, and what the pressure was; the largest speed.
static double load(Fluid *f, const dvMech *m)
{
  dvFlow *flow = &f->flow;
  size_t n = flow->particles;
  const double *v = dv_state_read(f->force.state, m->v), *force = dv_state_read(f->force.state, m->f);
  bool known = f->pressure.count == n;
  double fastest = 0, pull = dv_flow_pull(flow, f->surfaceTension);
  for (size_t i = 0; i < n; i++) {
    size_t r = (size_t)flow->rank.data[i];
    double square = 0;
    for (size_t k = 0; k < 3; k++) {
      double speed = v[3 * i + k] + m->dt * force[3 * i + k] / flow->mass;
      flow->v.data[3 * r + k] = speed;
      square += speed * speed;
    }
    fastest = fmax(fastest, square);
    flow->k.data[r] = known ? f->pressure.data[i] : 0;   // divided by rho^2 when that is known
    flow->viscosity.data[r] = f->viscosity;
    flow->pull.data[r] = pull;
  }
  for (size_t w = 0; w < f->walls.count; w++) {
    const Wall *wall = &f->walls.data[w];
    double friction = dv_boundary_friction(wall->boundary), adhesion = dv_boundary_adhesion(wall->boundary);
    for (size_t i = wall->first; i < wall->first + wall->count; i++) {
      size_t r = (size_t)flow->rank.data[n + i];
      memcpy(flow->v.data + 3 * r, f->speeds.data + 3 * i, 3 * sizeof(double));
      memcpy(flow->normal.data + 3 * r, f->normals.data + 3 * i, 3 * sizeof(double));
      flow->weight.data[r] = f->areas.data[i];
      flow->wall.data[r] = (int32_t)w;
      flow->viscosity.data[r] = friction < 0 ? f->viscosity : friction;
      flow->pull.data[r] = dv_flow_pull(flow, adhesion);
    }
  }
  return sqrt(fastest);
}

static void tell_limits(Fluid *f, double dt, double fastest)
{
  dvObject *o = &f->force.base;
  double limit = fastest > 0 ? 0.25 * f->radius / fastest : INFINITY;
  if (!(dt > limit) || f->told_fast) return;
  f->told_fast = true;
  dv_warning(
      o, "make dt smaller",
      "particles move at %g m/s: in a step of %g s that is further than a quarter of the radius, and the density "
      "will not be kept as well as it could; the limit is %g s",
      fastest, dt, limit);
}

static void tell_unsolved(Fluid *f, double dt)
{
  if (f->report.reached || f->told_unsolved || !isfinite(f->report.error)) return;
  f->told_unsolved = true;
  dv_warning(&f->force.base, "make dt smaller, or maxIterations larger",
             "after %d iterations the density would still exceed that at rest by %.3g %% in a step of %g s",
             f->report.iterations, 100 * f->report.error, dt);
}

static bool uses_drag(const Fluid *f)
{
  bool drags = f->viscosity > 0;
  for (size_t w = 0; w < f->walls.count; w++) drags = drags || dv_boundary_friction(f->walls.data[w].boundary) > 0;
  return drags;
}

static bool uses_pull(const Fluid *f)
{
  bool pulls = f->surfaceTension > 0;
  for (size_t w = 0; w < f->walls.count; w++) pulls = pulls || dv_boundary_adhesion(f->walls.data[w].boundary) > 0;
  return pulls;
}

// bodies below the solver of the fluid, or the others
static void push_walls(const Fluid *f, bool same, int id)
{
  for (size_t w = 0; w < f->walls.count; w++) {
    const Wall *wall = &f->walls.data[w];
    if (wall->same == same) dv_boundary_push(wall->boundary, id, f->pushes.data + 3 * wall->first);
  }
}

// what the solves have done to the velocities, as forces
static void unload(Fluid *f, const dvMech *m)
{
  dvFlow *flow = &f->flow;
  dvState *state = f->force.state;
  size_t n = flow->particles;
  const double *v = dv_state_read(state, m->v);
  double *force = dv_state_write(state, m->f), per_dt = flow->mass / m->dt, excess = 0;
  for (size_t i = 0; i < n; i++) {
    size_t r = (size_t)flow->rank.data[i];
    for (size_t k = 0; k < 3; k++) force[3 * i + k] = per_dt * (flow->v.data[3 * r + k] - v[3 * i + k]);
    f->next.data[i] = flow->k.data[r] * flow->rho.data[r] * flow->rho.data[r];
    excess += fmax(0, flow->rho.data[r] / f->density - 1);
  }
  f->next.count = n;
  f->excess = excess / (double)n;
  push_walls(f, true, m->f);
}

static void fluid_add_force(dvObject *o, const dvMech *m)
{
  Fluid *f = (Fluid *)o;
  dvFlow *flow = &f->flow;
  size_t n = f->force.state->count;
  if (n == 0 || !(m->dt > 0)) return;
  flow->mass = ((const dvMassOps *)dv_ops(f->mass, DV_ROLE_MASS))->of_element(f->mass, 0);
  if (!(flow->mass > 0) || !isfinite(flow->mass)) {
    if (!f->told_mass) dv_error(o, "give the mass of a particle", "the particles have a mass of %g kg", flow->mass);
    f->told_mass = true;
    return;
  }
  if (!prepare(f, m)) return;
  double fastest = load(f, m);
  tell_limits(f, m->dt, fastest);
  dv_flow_measure(flow);
  for (size_t r = 0; r < flow->near.count; r++) flow->k.data[r] /= flow->rho.data[r] * flow->rho.data[r];
  if (uses_pull(f)) {
    dv_flow_attract(flow, m->dt);
    if (flow->samples) dv_flow_feel(flow, f->pushes.data, DV_FLOW_PULL);
  }
  if (uses_drag(f)) {
    dvFlowReport drag = dv_flow_drag(flow, m->dt, 1e-8, 500);
    if (!drag.reached && !f->told_viscous && isfinite(drag.error))
      dv_warning(o, "make dt smaller",
                 "viscosity is not solved after %d iterations: what is left is %g of the momentum", drag.iterations,
                 drag.error);
    f->told_viscous = f->told_viscous || !drag.reached;
    if (flow->samples) dv_flow_feel(flow, f->pushes.data, DV_FLOW_DRAG);
  }
  f->report = dv_flow_press(flow, m->dt, f->tolerance, f->maxIterations, f->pulls, f->norm);
  tell_unsolved(f, m->dt);
  dv_flow_accelerate(flow, m->dt);
  if (flow->samples) {
    dv_flow_feel(flow, f->pushes.data, DV_FLOW_PRESSURE);
    dv_flow_stop(flow, m->dt, f->pushes.data);
  }
  unload(f, m);
}

static void fluid_end_step(dvObject *o)
{
  Fluid *f = (Fluid *)o;
  if (f->force.state) dv_strays_tell(&f->strays, o, f->force.state, f->radius);
  if (!dv_reals_resize(&f->pressure, f->next.count)) return;
  if (f->next.count) memcpy(dv_reals_edit(&f->pressure), f->next.data, f->next.count * sizeof(double));
  f->norm = 0.99 * f->report.norm;
  f->densityError = f->excess;
  f->solveError = f->report.error;
  f->iterations = f->report.iterations;
  dv_touch(o, &f->pressure);
  dv_touch(o, &f->densityError);
  dv_touch(o, &f->solveError);
  dv_touch(o, &f->iterations);
  if (f->sought && f->version == o->node->scene->version) push_walls(f, false, DV_F_EXTERNAL);
}

// --- the component --------------------------------------------------------------------------------

static dvStatus fluid_reinit(dvObject *o)
{
  Fluid *f = (Fluid *)o;
  if (!(f->radius > 0) || !isfinite(f->radius))
    return dv_field_error(o, &f->radius, "give about two distances between particles", "a radius of %g is none",
                          f->radius);
  if (!(f->density > 0) || !isfinite(f->density))
    return dv_field_error(o, &f->density, "give that of water, 1000", "a density of %g is none", f->density);
  if (!(f->viscosity >= 0) || !isfinite(f->viscosity))
    return dv_field_error(o, &f->viscosity, NULL, "a viscosity of %g makes no sense", f->viscosity);
  if (!(f->surfaceTension >= 0) || !isfinite(f->surfaceTension))
    return dv_field_error(o, &f->surfaceTension, NULL, "a surface tension of %g makes no sense", f->surfaceTension);
  if (!(f->tolerance > 0) || !(f->tolerance < 1) || f->maxIterations < 1)
    return dv_field_error(o, &f->tolerance, "take 0.0005 and 200",
                          "a tolerance of %g in at most %d iterations cannot be reached", f->tolerance,
                          f->maxIterations);
  for (int k = 0; k < 3; k++)
    if (f->period[k] != 0 && !(f->period[k] >= 2 * f->radius && isfinite(f->period[k])))
      return dv_field_error(o, &f->period, "make it longer, or 0", "a period of %g is shorter than two radii of %g",
                            f->period[k], f->radius);
  f->flow.radius = f->radius;
  f->flow.density = f->density;
  f->flow.kernel = dv_smooth(DV_SMOOTH_CUBIC, f->radius);
  memcpy(f->flow.period, f->period, sizeof f->period);
  double dt = o->node->dt, wave = 0.5 * f->radius;
  double limit =
      f->surfaceTension > 0 ? sqrt(f->density * wave * wave * wave / (2 * M_PI * f->surfaceTension)) : INFINITY;
  if (dt > limit)
    dv_warning(o, "make dt smaller",
               "the time step of %g s is longer than the %g s in which surface tension moves the shortest waves: the "
               "surface will not stay calm",
               dt, limit);
  return DV_OK;
}

// Forces that act on the particles behind this one are not foreseen by the pressure.
static void check_order(const Fluid *f)
{
  const dvNode *node = f->force.base.node;
  bool behind = false;
  for (size_t i = 0; i < node->objects.count; i++) {
    dvObject *o = node->objects.data[i], *states[DV_FORCE_STATES];
    if (o == &f->force.base) behind = true;
    else if (behind && dv_plays(o, DV_ROLE_FORCE) &&
             ((const dvForceOps *)dv_ops(o, DV_ROLE_FORCE))->states(o, states) && states[0] == &f->force.state->base)
      dv_warning(&f->force.base, "put the fluid behind the other forces on its particles",
                 "%s stands behind: pressure does not know its force", o->name);
  }
}

static dvStatus fluid_init(dvObject *o)
{
  Fluid *f = (Fluid *)o;
  DV_TRY(dv_force_init(o));
  f->mass = dv_node_find(f->force.state->base.node, DV_ROLE_MASS);
  if (!f->mass || !((const dvMassOps *)dv_ops(f->mass, DV_ROLE_MASS))->of_element)
    return dv_error(o, "add a UniformMass with the vertexMass density times the cube of the distance of particles",
                    "the particles have no mass");
  f->pressure.width = 1;
  DV_TRY(fluid_reinit(o));
  if (f->force.state->topology) dv_element_data_add_reals(dv_follow_rows(o, f->force.state), &f->pressure, true);
  return DV_OK;
}

static dvStatus fluid_bwd_init(dvObject *o)
{
  check_order((Fluid *)o);
  return DV_OK;
}

static const dvForceOps fluid_ops = {.add_force = fluid_add_force, DV_FORCE_SLOTS};

const dvClass dv_incompressible_class = {
    .struct_size = sizeof(dvClass),
    .name = "IncompressibleFluidForceField",
    .help = "a fluid of particles that keeps its density, beside walls that move or give way",
    .module = "Divan",
    .dofs = DV_DOF_VEC3,
    .size = sizeof(Fluid),
    .blocks = {&dv_object_block, &dv_force_block, DV_BLOCK(fluid_fields)},
    .ops = {[DV_ROLE_FORCE] = &fluid_ops},
    .init = fluid_init,
    .bwd_init = fluid_bwd_init,
    .reinit = fluid_reinit,
    .end_step = fluid_end_step,
    .destroy = fluid_destroy,
    DV_MEMORY(fluid_memory),
};

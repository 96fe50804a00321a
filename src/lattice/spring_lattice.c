// SpringLattice: a lattice of masses and springs that moves the state of its node by itself, in many short explicit
// steps (lattice.h) within one step of the scene. It is solver, force and mass of that state; below an implicit solver
// it is force and mass only.
//
// Springs: pairs of points with the length they have at rest. Materials, actuators, walls, guides and motors are
// components of their own in its node (parts.h). Other forces on the state (loads, contacts, the hand of a user) are
// evaluated once in a step of the scene and act unchanged through all of its iterations. Scalars that projective
// constraints hold are held.
//
// Stiffness K of a spring (force of a strain of 1) from Young's modulus E:
//   cubic grid of pitch a with all 26 neighbours, weights as VoxelLattice gives them:
//       sum of K l n n n n over the 13 springs of a cell / a^3  =>  E = 2.2480 K / a^2 along the axes, Poisson 0.317
//   any other lattice, springs in all directions:  E = K sum(l) / (6 volume), Poisson 1/4
//
#include "lattice/spring_lattice.h"

#include "lattice/layout.h"
#include "lattice/opencl.h"
#include "math/decompose.h"
#include "math/vec.h"
#include "ode/integrator.h"
#include "scene/timer.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#define SELF dvSpringLattice
static const dvFieldDesc spring_lattice_fields[] = {DV_SPRING_LATTICE_FIELDS(DV_DESCRIBE)};
#undef SELF

// --- masses --------------------------------------------------------------------------------------

static dvStatus weigh(dvSpringLattice *s, double *mass)
{
  dvObject *o = &s->base;
  size_t n = s->state->count;
  bool shared = s->shares.count == n;   // part of the volume of each point
  if (s->shares.count && !shared)
    return dv_field_error(o, &s->shares, NULL, "there are %zu shares for %zu points", s->shares.count, n);
  if ((s->massDensity > 0 || s->totalMass > 0) && shared == false && s->massDensity > 0 && !(s->volume > 0))
    return dv_field_error(o, &s->massDensity, "link volume to the generator, or give totalMass",
                          "a density needs the volume of the body");
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += shared ? s->shares.data[i] : 1;
  for (size_t i = 0; i < n; i++) {
    double part = sum > 0 ? (shared ? s->shares.data[i] : 1) / sum : 0;
    mass[i] = s->massDensity > 0 ? s->massDensity * (s->volume > 0 ? s->volume * part : s->shares.data[i])
              : s->totalMass > 0 ? s->totalMass * part
                                 : s->vertexMass;
  }
  for (size_t k = 0; k < o->node->objects.count; k++) {
    dvLatticeMaterial *m = (dvLatticeMaterial *)o->node->objects.data[k];
    if (m->base.failed || m->base.cls != &dv_lattice_material_class || !(m->massDensity > 0)) continue;
    for (size_t i = 0; i < m->indices.count; i++) {
      double part = shared ? s->shares.data[m->indices.data[i]] : sum > 0 ? s->volume / sum : 0;
      if (!(part > 0))
        return dv_field_error(&m->base, &m->massDensity, "link shares or volume of the lattice to the generator",
                              "a density needs the volume of the body");
      mass[m->indices.data[i]] = m->massDensity * part;
    }
  }
  for (size_t i = 0; i < n; i++)
    if (!(mass[i] > 0) || !isfinite(mass[i]))
      return dv_error(o, "give vertexMass, totalMass or massDensity", "point %zu has a mass of %g kg", i, mass[i]);
  return DV_OK;
}

// --- making --------------------------------------------------------------------------------------

dvLatticeDef dv_spring_lattice_def(const dvSpringLattice *s)
{
  return (dvLatticeDef){.points = s->state->count,
                        .springs = dv_ints_size(&s->springs),
                        .rest = s->rest.data,
                        .pairs = s->springs.data,
                        .classes = s->classes,
                        .lengths = s->lengths.count ? s->lengths.data : NULL,
                        .mass = s->mass,
                        .single = s->precision == 1};
}

static dvStatus check_springs(dvSpringLattice *s)
{
  dvObject *o = &s->base;
  size_t n = dv_ints_size(&s->springs), points = s->state->count;
  if (n == 0 || points == 0)
    return dv_error(o, "link springs to a generator or to the edges of a mesh: springs=\"@mesh.edges\"",
                    "the lattice is empty: %zu points, %zu springs", points, n);
  if (s->lengths.count && s->lengths.count != n)
    return dv_field_error(o, &s->lengths, "one for each spring, or none", "there are %zu lengths for %zu springs",
                          s->lengths.count, n);
  if (s->weights.count && s->weights.count != n)
    return dv_field_error(o, &s->weights, "one for each spring, or none", "there are %zu weights for %zu springs",
                          s->weights.count, n);
  dvLatticeDef def = dv_spring_lattice_def(s);
  s->total_length = 0;
  for (size_t i = 0; i < n; i++) {
    int32_t a = s->springs.data[2 * i], b = s->springs.data[2 * i + 1];
    if (a < 0 || b < 0 || (size_t)a >= points || (size_t)b >= points)
      return dv_field_error(o, &s->springs, NULL, "spring %zu joins points %d and %d, but there are %zu points", i, a,
                            b, points);
    double length = dv_layout_length(&def, i), weight = s->weights.count ? s->weights.data[i] : 1;
    if (a == b || !(length > 0) || !isfinite(length))
      return dv_field_error(o, &s->springs, "leave it out", "spring %zu between points %d and %d has a length of %g m",
                            i, a, b, length);
    if (!(weight >= 0) || !isfinite(weight))
      return dv_field_error(o, &s->weights, NULL, "spring %zu has a weight of %g", i, weight);
    s->total_length += weight * length;
  }
  return DV_OK;
}

static dvStatus check_numbers(dvSpringLattice *s)
{
  dvObject *o = &s->base;
  const struct {
    const double *at;
    const char *name;
  } numbers[] = {{&s->stiffness, "stiffness"},
                 {&s->youngModulus, "youngModulus"},
                 {&s->cubic, "cubic"},
                 {&s->damping, "damping"},
                 {&s->breakStrain, "breakStrain"},
                 {&s->rayleighMass, "rayleighMass"},
                 {&s->drag, "drag"},
                 {&s->volume, "volume"},
                 {&s->totalMass, "totalMass"},
                 {&s->massDensity, "massDensity"},
                 {&s->vertexMass, "vertexMass"}};
  for (size_t i = 0; i < DV_COUNT(numbers); i++)
    if (!(*numbers[i].at >= 0) || !isfinite(*numbers[i].at))
      return dv_field_error(o, numbers[i].at, "give a number from 0 on", "%s cannot be %g", numbers[i].name,
                            *numbers[i].at);
  if (s->substeps < 1)
    return dv_field_error(o, &s->substeps, "give 1 or more", "there cannot be %d substeps", s->substeps);
  return DV_OK;
}

static dvStatus spring_lattice_init(dvObject *o)
{
  dvSpringLattice *s = (dvSpringLattice *)o;
  dvObject *state = dv_node_find(o->node, DV_ROLE_STATE);
  if (!state)
    return dv_error(o, "add <MechanicalObject template=\"Vec3\" position=\"@generator.position\"/>",
                    "the node has no state");
  DV_TRY(dv_object_ensure(state));
  s->state = dv_state(state);
  if (state->dof->kind != DV_VEC3)
    return dv_error(o, "use template=\"Vec3\"", "a lattice needs points, and %s has %s", state->name, state->dof->name);
  return check_numbers(s);
}

// Twice the largest eigenvalue of the sum of c n n^T over the springs of a mass, divided by that mass: no mode has a
// larger one. c is stiffness or damping of a spring.
static double largest_mode(const dvSpringLattice *s, bool damping, double (*b)[6])
{
  dvLatticeDef def = dv_spring_lattice_def(s);
  double most = 0;
  memset(b, 0, def.points * sizeof *b);
  for (size_t i = 0; i < def.springs; i++) {
    size_t ends[2] = {(size_t)def.pairs[2 * i], (size_t)def.pairs[2 * i + 1]};
    dvVec3 d = dv_vec3_sub(dv_vec3_load(def.rest + 3 * ends[1]), dv_vec3_load(def.rest + 3 * ends[0]));
    const dvSpringClass *c = &s->lattice->classes[def.classes[i]];
    double size = dv_vec3_norm2(d), k = (damping ? c->damping : c->force) / dv_layout_length(&def, i);
    k = size > 0 ? k / size : 0;
    for (int e = 0; e < 2; e++) {
      double *m = b[ends[e]];
      m[0] += k * d.x * d.x, m[1] += k * d.x * d.y, m[2] += k * d.x * d.z;
      m[3] += k * d.y * d.y, m[4] += k * d.y * d.z, m[5] += k * d.z * d.z;
    }
  }
  for (size_t i = 0; i < def.points; i++) {
    dvMat3 m = {{{b[i][0], b[i][1], b[i][2]}, {b[i][1], b[i][3], b[i][4]}, {b[i][2], b[i][4], b[i][5]}}}, vectors;
    dvVec3 values;
    double bound = 0;   // of Gershgorin: most masses need no eigenvalue
    for (int k = 0; k < 3; k++) bound = fmax(bound, fabs(m.m[k][0]) + fabs(m.m[k][1]) + fabs(m.m[k][2]));
    if (2 * bound / def.mass[i] <= most) continue;
    dv_eigen_symmetric(&m, &values, &vectors);
    most = fmax(most, 2 * values.x / def.mass[i]);
  }
  return most;
}

// With stiffness w^2 and damping g of the fastest mode, both by unit of mass, steps are stable while
// h^2 w^2 + 2 h g < 4; without damping h w < 2 (Runge-Kutta: 2.828).
static double step_limit(const dvSpringLattice *s)
{
  double(*b)[6] = dv_try_alloc(s->state->count * sizeof *b);
  if (!b) return INFINITY;
  double w2 = largest_mode(s, false, b), g = s->lattice->damped ? largest_mode(s, true, b) : 0;
  dv_free(b);
  if (!(w2 > 0)) return INFINITY;
  return (s->integrator == 2 ? 1.414 : 1) * (sqrt(g * g + 4 * w2) - g) / w2;
}

static dvStatus check_step(dvSpringLattice *s)
{
  dvObject *o = &s->base;
  double h = o->node->dt / s->substeps;
  s->stepLimit = step_limit(s);
  dv_touch(o, &s->stepLimit);
  if (h <= s->stepLimit) return DV_OK;
  char advice[160];
  double wanted = ceil(o->node->dt / s->stepLimit);
  snprintf(advice, sizeof advice, "set substeps=\"%.0f\", or softer springs or heavier masses", wanted);
  if (s->strict)
    return dv_field_error(o, &s->substeps, advice, "steps of %g s are longer than the stable limit of %g s", h,
                          s->stepLimit);
  dv_field_warning(o, &s->substeps, advice, "steps of %g s are longer than the stable limit of %g s", h, s->stepLimit);
  return DV_OK;
}

static void forget(dvSpringLattice *s)
{
  dv_lattice_skin_free(s);
  dv_lattice_device_close(&s->device_of);
  dv_lattice_destroy(&s->lattice);
  dv_free(s->classes), dv_free(s->mass), dv_free(s->outer);
  s->classes = NULL, s->mass = NULL, s->outer = NULL;
  s->recipes.count = 0;
  s->broken.count = 0;
  s->breaks = false;
  s->held_version = 0;
}

// of what cannot change without the lattice being laid out again
static uint64_t structure_of(const dvSpringLattice *s)
{
  const void *members[] = {&s->springs, &s->lengths, &s->weights, &s->precision, &s->device};
  uint64_t sum = s->state->count;
  for (size_t i = 0; i < DV_COUNT(members); i++) {
    dv_pull(&s->base, members[i]);
    sum = 31 * sum + dv_field_of(&s->base, members[i])->counter;
  }
  return sum;
}

// The processor can always do it; the reason is told once.
static void leave_device(dvSpringLattice *s, const char *why)
{
  dv_lattice_device_close(&s->device_of);
  dv_field_warning(&s->base, &s->device, "install a driver (pocl-opencl-icd for processors), or say device=\"cpu\"",
                   "device=\"opencl\" is not possible: %s; the lattice steps on the processor",
                   why ? why : "out of memory");
}

static void choose_device(dvSpringLattice *s)
{
  if (s->device == 0) return;
  dvText why = {0};
  s->device_of = s->lattice->motors.count ? NULL : dv_lattice_device_open(s->lattice, &why);
  if (s->lattice->motors.count) dv_text_add(&why, "motors turn on the processor only");
  if (!s->device_of) leave_device(s, why.text);
  else if (s->base.printLog) dv_note(&s->base, "steps on %s", dv_lattice_device_name(s->device_of));
  dv_text_free(&why);
}

static dvStatus make(dvSpringLattice *s)
{
  dvObject *o = &s->base;
  forget(s);
  if (!s->state) return DV_ERROR_INPUT;   // told before
  size_t points = s->state->count;
  DV_TRY(dv_pull(o, &s->springs));
  if (!dv_reals_assign(&s->rest, dv_state_read(s->state, dv_state_has(s->state, DV_X_REST) ? DV_X_REST : DV_X),
                       3 * points))
    return dv_error(o, NULL, "out of memory for %zu points", points);
  DV_TRY(check_springs(s));
  DV_TRY(dv_parts_check(o->node, points, s->rest.data));
  size_t n = dv_ints_size(&s->springs);
  s->classes = dv_try_alloc(n + 1);
  s->mass = dv_try_alloc((points + 1) * sizeof *s->mass);
  s->outer = dv_try_alloc((3 * points + 1) * sizeof *s->outer);
  if (!s->classes || !s->mass || !s->outer) return dv_error(o, NULL, "out of memory for %zu springs", n);
  s->regions = dv_lattice_regions(s);
  s->structure = structure_of(s);
  DV_TRY(dv_lattice_paint(s));
  DV_TRY(weigh(s, s->mass));
  dvLatticeDef def = dv_spring_lattice_def(s);
  s->lattice = dv_lattice_create(&def);
  if (!s->lattice) return dv_error(o, NULL, "out of memory for a lattice of %zu springs", n);
  bool modulus = s->youngModulus > 0;
  for (size_t i = 0; i < s->recipes.count; i++)
    modulus |= s->recipes.data[i].material && s->recipes.data[i].material->youngModulus > 0;
  if (modulus && !s->lattice->grid && !(s->volume > 0))
    return dv_field_error(
        o, &s->youngModulus, "link volume to the generator, or give stiffness",
        "springs that do not lie on a grid need the volume of the body to follow from Young's modulus");
  dv_lattice_set_recipes(s, o->node->time);
  DV_TRY(dv_parts_apply(o->node, s->lattice));
  choose_device(s);
  if (o->printLog)
    dv_note(o, "%zu masses, %zu springs of %zu classes on a %s, %.1f bytes a spring", points, n, s->recipes.count,
            s->lattice->grid ? "grid" : "list", (double)s->lattice->bytes / (double)n);
  return check_step(s);
}

// what was made by halves goes
static dvStatus make_whole(dvSpringLattice *s)
{
  dvStatus status = make(s);
  if (status != DV_OK) forget(s);
  return status;
}

static dvStatus spring_lattice_bwd_init(dvObject *o) { return make_whole((dvSpringLattice *)o); }

// Regions and numbers of materials that have changed are painted over the lattice as it is; what broke stays broken.
static dvStatus follow_paint(dvSpringLattice *s, bool *moved)
{
  dvObject *o = &s->base;
  uint64_t regions = dv_lattice_regions(s);
  bool painted = regions != s->regions;
  *moved = painted || dv_lattice_laws_moved(s);
  if (!*moved) return DV_OK;
  if (painted) {
    dvLatticeDef def = dv_spring_lattice_def(s);
    DV_TRY(dv_parts_check(o->node, def.points, s->rest.data));
    dv_array_resize(&s->broken, def.springs);
    if (s->broken.count != def.springs) return dv_error(o, NULL, "out of memory for %zu springs", def.springs);
    dv_lattice_broken(s->lattice, &def, s->broken.data);
    DV_TRY(dv_lattice_paint(s));
    dv_lattice_break(s->lattice, &def, s->broken.data);
    s->regions = regions;
    dv_lattice_skin_free(s);
  }
  dv_lattice_set_recipes(s, o->node->time);
  return DV_OK;
}

static dvStatus spring_lattice_reinit(dvObject *o)
{
  dvSpringLattice *s = (dvSpringLattice *)o;
  DV_TRY(check_numbers(s));
  if (!s->lattice || structure_of(s) != s->structure) return make_whole(s);
  bool moved;
  DV_TRY(weigh(s, s->mass));
  dv_lattice_weigh(s->lattice, s->mass);
  DV_TRY(follow_paint(s, &moved));
  return check_step(s);
}

static void spring_lattice_destroy(dvObject *o)
{
  dvSpringLattice *s = (dvSpringLattice *)o;
  forget(s);
  dv_array_free(&s->recipes);
  dv_array_free(&s->broken);
  dv_reals_free(&s->rest);
  dv_plan_destroy(&s->plan);
}

// --- a step --------------------------------------------------------------------------------------

// scalars that projective constraints hold: what they do to ones
static void hold(dvSpringLattice *s, dvPlan *plan)
{
  if (s->held_version == s->base.node->scene->version) return;
  s->held_version = s->base.node->scene->version;
  if (!plan->projections.count) return;
  double *ones = dv_state_write(s->state, DV_DX);
  for (size_t i = 0; i < 3 * s->state->count; i++) ones[i] = 1;
  dv_mech_project_response(plan, DV_DX);
  const double *left = dv_state_read(s->state, DV_DX);
  for (size_t i = 0; i < s->state->count; i++) {
    const double *p = left + 3 * i;
    int held = (p[0] == 0) + (p[1] == 0) + (p[2] == 0);
    if (held == 3) dv_lattice_hold(s->lattice, i, true);
    else if (held > 0) {   // one axis is left, or one is taken
      double axis[3];
      for (int k = 0; k < 3; k++) axis[k] = held == 2 ? p[k] != 0 : p[k] == 0;
      if (!dv_lattice_guide(s->lattice, i, axis, held == 2 ? 1 : 2)) return;
    }
  }
}

// forces of other components, once a step
static bool collect_outer(dvSpringLattice *s, dvPlan *plan, double dt)
{
  if (plan->forces.count <= 1 && plan->masses.count <= 1 && !dv_state_has(s->state, DV_F_EXTERNAL)) {
    return dv_lattice_put_forces(s->lattice, NULL);
  }
  dvMech m = dv_ode_mech(&s->base, dt, false);
  s->silent = true;
  dv_ode_force(&s->base, plan, &m);
  s->silent = false;
  memcpy(s->outer, dv_state_read(s->state, DV_F), 3 * s->state->count * sizeof(double));
  return dv_lattice_put_forces(s->lattice, s->outer);
}

static void spring_lattice_tune(void *user, dvLattice *l, double time)
{
  dvSpringLattice *s = user;
  for (size_t i = 0; s->actuated && i < s->recipes.count; i++)
    if (s->recipes.data[i].actuator) dv_lattice_set_recipe(s, i, time);
  if (!l->motors.count) return;
  size_t motor = 0;
  const dvNode *node = s->base.node;
  for (size_t i = 0; i < node->objects.count && motor < l->motors.count; i++) {
    const dvObject *o = node->objects.data[i];
    if (o->failed || o->cls != &dv_lattice_motor_class) continue;
    l->motors.data[motor++].speed = dv_expression_value(&((const dvLatticeMotorPart *)o)->speed_of, &time);
  }
}

static void tell_motors(dvSpringLattice *s)
{
  size_t motor = 0;
  const dvNode *node = s->base.node;
  for (size_t i = 0; i < node->objects.count && motor < s->lattice->motors.count; i++) {
    dvObject *o = node->objects.data[i];
    if (o->failed || o->cls != &dv_lattice_motor_class) continue;
    ((dvLatticeMotorPart *)o)->angle = s->lattice->motors.data[motor++].turned;
    dv_touch(o, &((dvLatticeMotorPart *)o)->angle);
  }
}

static void put_state(dvSpringLattice *s)
{
  dv_lattice_put_x(s->lattice, dv_state_read(s->state, DV_X));
  dv_lattice_put_v(s->lattice, dv_state_read(s->state, DV_V));
}

static bool advance(dvSpringLattice *s, const dvLatticeRun *run)
{
  dvText why = {0};
  bool good = s->device_of && dv_lattice_device_advance(s->device_of, s->lattice, run, &why);
  if (s->device_of && !good) {
    leave_device(s, why.text);
    put_state(s);
  }
  dv_text_free(&why);
  return good || dv_lattice_advance(s->lattice, run);
}

static dvStatus spring_lattice_solve(dvObject *o, double dt, int x, int v)
{
  dvSpringLattice *s = (dvSpringLattice *)o;
  dvLattice *l = s->lattice;
  if (!l) return dv_error(o, "put the field back that was changed", "there is no lattice");
  if (s->state->count != l->points)
    return dv_error(o, NULL, "the lattice was made for %zu points, and the state has %zu now", l->points,
                    s->state->count);
  dvPlan *plan = dv_ode_plan(&s->plan, o);
  bool moved;
  DV_TRY(follow_paint(s, &moved));
  if (moved) DV_TRY(check_step(s));
  dv_parts_refresh(o->node, l);
  hold(s, plan);
  if (!collect_outer(s, plan, dt)) return dv_error(o, NULL, "out of memory for the forces of others");
  put_state(s);
  memcpy(l->gravity, o->node->gravity, sizeof l->gravity);
  l->decay = s->rayleighMass;
  l->drag_value = s->drag;
  static const dvLatticeScheme schemes[] = {DV_LATTICE_EULER, DV_LATTICE_VERLET, DV_LATTICE_RK4};
  dvLatticeRun run = {.time = o->node->time,
                      .h = dt / s->substeps,
                      .iterations = s->substeps,
                      .scheme = s->integrator == 0 && !s->symplectic ? DV_LATTICE_FORWARD : schemes[s->integrator],
                      .pool = o->context->pool,
                      .tune = s->actuated || l->motors.count ? spring_lattice_tune : NULL,
                      .user = s};
  dv_timer_begin(o->context->timers, "lattice");
  bool good = advance(s, &run);
  dv_timer_end(o->context->timers);
  if (!good) return dv_error(o, NULL, "out of memory for the stages of Runge-Kutta");
  dv_lattice_get_x(l, dv_state_overwrite(s->state, x));
  dv_lattice_get_v(l, dv_state_overwrite(s->state, v));
  tell_motors(s);
  int32_t broken = (int32_t)(atomic_load(&l->broken) / 2);
  if (broken != s->brokenSprings) dv_lattice_skin_free(s);   // it has opened
  s->brokenSprings = broken;
  if (s->breaks) dv_touch(o, &s->brokenSprings);
  return DV_OK;
}

// --- what it remembers ---------------------------------------------------------------------------

static void spring_lattice_remember(dvObject *o, dvMemoryStream *m)
{
  dvSpringLattice *s = (dvSpringLattice *)o;
  if (!s->breaks || !s->lattice) return;
  dvLatticeDef def = dv_spring_lattice_def(s);
  if (!dv_memory_restores(m)) dv_lattice_broken(s->lattice, &def, s->broken.data);
  dv_remember_numbers(m, "broken", s->broken.data, s->broken.count);
}

static bool spring_lattice_restored(dvObject *o)
{
  dvSpringLattice *s = (dvSpringLattice *)o;
  if (!s->breaks || !s->lattice) return true;
  dvLatticeDef def = dv_spring_lattice_def(s);
  for (size_t i = 0; i < s->broken.count; i++)
    if (s->broken.data[i] > 1) return false;
  dv_lattice_break(s->lattice, &def, s->broken.data);
  s->brokenSprings = (int32_t)(atomic_load(&s->lattice->broken) / 2);
  return true;
}

static const dvOdeOps spring_lattice_ode = {.solve = spring_lattice_solve, .kind = DV_ODE_EXPLICIT};

const dvClass dv_spring_lattice_class = {
    .struct_size = sizeof(dvClass),
    .name = "SpringLattice",
    .help =
        "a lattice of masses and springs that steps explicitly by itself: solver, force and mass of its node's state",
    .module = "Divan.Lattice",
    .dofs = DV_DOF_VEC3,
    .size = sizeof(dvSpringLattice),
    .blocks = {&dv_object_block, DV_BLOCK(spring_lattice_fields)},
    .ops = {[DV_ROLE_ODE] = &spring_lattice_ode,
            [DV_ROLE_FORCE] = &dv_spring_lattice_force,
            [DV_ROLE_MASS] = &dv_spring_lattice_mass},
    .init = spring_lattice_init,
    .bwd_init = spring_lattice_bwd_init,
    .reinit = spring_lattice_reinit,
    .destroy = spring_lattice_destroy,
    .remember = spring_lattice_remember,
    .restored = spring_lattice_restored,
};

// MonodomainSolver: the electric potential of heart muscle.
//
//   u' = div(D grad u) + f(u, w) + stimulus,   w' = g(u, w),   D = d (f f^T + r (1 - f f^T)) along fibres f
//
// Order 2 in time (Strang): half a step of the cells (cells.h), a step of diffusion (conduct.h), half a step of the
// cells. A step of the scene is cut into parts no longer than `step`. The tissue conducts in its shape at rest.
//
// Stands beside a state with one number a point (ElectricalState) and solves it: in a scene with a mechanical system
// too both have a tag, and MultiTagAnimationLoop solves one after the other.
#include "heart/cells.h"
#include "heart/classes.h"
#include "heart/conduct.h"
#include "heart/tusscher.h"
#include "mechanics/mechanics.h"
#include "scene/timer.h"

#include <math.h>
#include <string.h>

#define MONODOMAIN_FIELDS(X)                                                                                          \
  X(choice, cell, "MitchellSchaeffer", "", "law of the cells", .options = DV_CELL_OPTIONS)                            \
  X(reals, parameters, "", "",                                                                                        \
    "of the law, in s: t_in t_out t_open t_close gate (MitchellSchaeffer), T k a e m1 m2 (AlievPanfilov), c a d b g " \
    "(FitzHughNagumo); in nS/pF: g_Na g_CaL g_Kr g_Ks g_K1 g_to (TenTusscherPanfilov); sensible ones when not given") \
  X(vec3s, fibres, "", "", "direction of the fibres of each tetrahedron; not needed when anisotropyRatio is 1")       \
  X(real, diffusivity, "1e-4", "m2/s", "along the fibres", .least = "0")                                              \
  X(real, anisotropyRatio, "0.25", "", "diffusivity across the fibres over that along them", .least = "0",            \
    .most = "1")                                                                                                      \
  X(real, step, "1e-4", "s", "longest part of a step that is solved at once", .least = "0")                           \
  X(real, lumping, "1", "",                                                                                           \
    "share of the masses that is at the points: 1 all of them, 0 a full mass matrix; 0.5 has the least error of "     \
    "speeds",                                                                                                         \
    .least = "0", .most = "1")                                                                                        \
  X(real, theta, "0.5", "", "0.5: order 2; 1: backward Euler, which smooths jumps", .least = "0.5", .most = "1")      \
  X(real, tolerance, "1e-7", "", "mean error of the potential in a solution of the linear system", .least = "0")      \
  X(int, iterations, "500", "", "most iterations for that", .least = "1")                                             \
  X(link, state, "", "", "state of the potential; the one of the node by default", .role = DV_ROLE_STATE)             \
  X(link, topology, "", "", "topology with the tetrahedra; the one of the node or above by default",                  \
    .role = DV_ROLE_TOPOLOGY)                                                                                         \
  X(reals, potential, "", "", "of each point, 0 to 1", .flags = DV_READ_ONLY)                                         \
  X(reals, activation, "", "s", "when each point was last excited: the potential passed 1/2, or 0 mV; -1 for never",  \
    .flags = DV_READ_ONLY)                                                                                            \
  X(reals, recovery, "", "s", "when it last came to rest: the potential fell below 1/10; -1 for never",               \
    .flags = DV_READ_ONLY)                                                                                            \
  X(real, speed, "0", "m/s", "of a plane wave along the fibres, by theory; 0 where there is none",                    \
    .flags = DV_READ_ONLY)                                                                                            \
  X(int, done, "0", "", "iterations of the last solution", .flags = DV_READ_ONLY)

typedef struct Monodomain {
  dvObject base;
  MONODOMAIN_FIELDS(DV_MEMBER)
  dvMuscle tissue;
  dvConduct conduct;
  dvCell law;
  dvTusscherTables tables;
  DV_ARRAY(double) w;   // a row of all points for each variable
  DV_ARRAY(double) stimulus, before;
  uint64_t pulses;   // stimuli in force: a bit each of the first 64
  bool sleeping;     // no stimulus
} Monodomain;

#define SELF Monodomain
static const dvFieldDesc monodomain_fields[] = {MONODOMAIN_FIELDS(DV_DESCRIBE)};
static const dvMemoryDesc monodomain_memory[] = {DV_REMEMBER(list, w) DV_REMEMBER(reals, activation)
                                                     DV_REMEMBER(reals, recovery) DV_REMEMBER(reals, potential)};
#undef SELF

// --- setting up ---

static dvStatus take_law(Monodomain *m)
{
  dvObject *o = &m->base;
  size_t want = (size_t)dv_cell_parameters[m->cell], have = m->parameters.count;
  dvCell law = {.law = (dvCellLaw)m->cell};
  if (m->w.count && m->w.count != m->tissue.points * (size_t)dv_cell_variables(&law))
    return dv_field_error(o, &m->cell, "save the scene and start it again",
                          "cells cannot get other variables while the scene runs");
  if (have && have != want)
    return dv_field_error(o, &m->parameters, dv_cell_names[m->cell], "there are %zu parameters, the law has %zu", have,
                          want);
  memcpy(law.p, have ? m->parameters.data : dv_cell_defaults[m->cell], want * sizeof(double));
  const char *problem = dv_cell_problem(&law);
  if (problem) return dv_field_error(o, &m->parameters, dv_cell_names[m->cell], "%s", problem);
  const char *doubt = dv_cell_doubt(&law);
  if (doubt) dv_field_warning(o, &m->parameters, dv_cell_names[m->cell], "%s", doubt);
  m->law = law;
  m->speed = dv_cell_speed(&m->law, m->diffusivity);
  dv_touch(o, &m->speed);
  return DV_OK;
}

static dvStatus check_numbers(Monodomain *m)
{
  dvObject *o = &m->base;
  if (!(m->diffusivity >= 0 && m->diffusivity < 1e6))
    return dv_field_error(o, &m->diffusivity, "1e-4 is that of the heart", "the diffusivity is %g", m->diffusivity);
  if (m->diffusivity == 0)
    dv_field_warning(o, &m->diffusivity, "1e-4 is that of the heart", "nothing is conducted from point to point");
  if (!(m->anisotropyRatio >= 0 && m->anisotropyRatio <= 1))
    return dv_field_error(o, &m->anisotropyRatio, "give 0 to 1: less is conducted across fibres", "the ratio is %g",
                          m->anisotropyRatio);
  if (!(m->lumping >= 0 && m->lumping <= 1))
    return dv_field_error(o, &m->lumping, "give 0 to 1", "a share of %g cannot be at the points", m->lumping);
  if (!(m->step > 1e-9))
    return dv_field_error(o, &m->step, "1e-4 is right for most meshes", "the step is %g s", m->step);
  if (!(m->theta >= 0.5 && m->theta <= 1))
    return dv_field_error(o, &m->theta, "give 0.5 to 1", "theta is %g: the solution would explode", m->theta);
  if (!(m->tolerance > 0 && m->tolerance < 1) || m->iterations < 1)
    return dv_field_error(o, &m->tolerance, "1e-7 and 500 are the defaults; potentials are from 0 to 1",
                          "no solution is found to %g in %d iterations", m->tolerance, m->iterations);
  return DV_OK;
}

static void fill(Monodomain *m)
{
  dv_conduct_fill(&m->conduct, &m->tissue, &(dvConductDef){m->diffusivity, m->anisotropyRatio, m->theta, m->lumping});
}

static dvStatus monodomain_reinit(dvObject *o)
{
  Monodomain *m = (Monodomain *)o;
  DV_TRY(check_numbers(m));
  DV_TRY(take_law(m));
  if (m->conduct.n) fill(m);
  return DV_OK;
}

static dvStatus check_stimuli(Monodomain *m)
{
  dvMuscle *t = &m->tissue;
  DV_TRY(dv_muscle_check_stimuli(t));
  for (size_t i = 0; i < t->stimuli.count; i++) {
    dvPulse p = dv_stimulus_pulse(t->stimuli.data[i]);
    if (!(p.strength * p.duration > 0.01))
      dv_warning(t->stimuli.data[i], "500 1/s for 0.002 s excite cells at rest",
                 "a pulse of %g 1/s for %g s excites nothing", p.strength, p.duration);
  }
  return DV_OK;
}

static bool fill_reals(dvReals *r, size_t n, double value)
{
  if (!dv_reals_resize(r, n)) return false;
  double *out = dv_reals_edit(r);
  for (size_t i = 0; i < n; i++) out[i] = value;
  return true;
}

// cells far apart do not excite each other
static void warn_of_coarseness(const Monodomain *m)
{
  const dvMuscle *t = &m->tissue;
  double sum = 0, width = dv_cell_width(&m->law, m->diffusivity);
  for (size_t i = 0; i < t->count; i++)
    for (int a = 0; a < 4; a++)
      for (int b = a + 1; b < 4; b++)
        sum += dv_vec3_norm(dv_vec3_sub(dv_vec3_load(t->rest + 3 * (size_t)t->tetra[4 * i + (size_t)a]),
                                        dv_vec3_load(t->rest + 3 * (size_t)t->tetra[4 * i + (size_t)b])));
  double edge = sum / (6 * (double)t->count);
  if (width > 0 && edge > 4 * width)
    dv_warning(&m->base, "use a finer mesh, or EikonalSolver, which needs none",
               "waves may not go on: edges are %.2g mm long, and a front is %.2g mm wide", 1e3 * edge, 1e3 * width);
}

static dvStatus monodomain_init(dvObject *o)
{
  Monodomain *m = (Monodomain *)o;
  DV_TRY(monodomain_reinit(o));
  DV_TRY(dv_muscle_find_potential(o, &m->state));
  DV_TRY(dv_pull(o, &m->fibres));
  DV_TRY(dv_muscle_init(&m->tissue, o, &m->topology, &m->fibres, m->anisotropyRatio != 1));
  size_t n = m->tissue.points;
  dvState *s = dv_state(m->state.target);
  DV_TRY(dv_muscle_check_potential(&m->tissue, &m->state, dv_cell_highest(&m->law)));
  if (!dv_conduct_init(&m->conduct, &m->tissue) || !fill_reals(&m->potential, n, 0) ||
      !fill_reals(&m->activation, n, -1) || !fill_reals(&m->recovery, n, -1))
    return dv_error(o, "use a coarser mesh", "out of memory for %zu points", n);
  fill(m);
  dv_array_resize(&m->w, n * (size_t)dv_cell_variables(&m->law));
  dv_array_resize(&m->stimulus, n);
  dv_array_resize(&m->before, n);
  for (size_t i = 0; i < m->w.count; i++) m->w.data[i] = dv_cell_rest(&m->law, (int)(i / n));
  memcpy(dv_reals_edit(&m->potential), dv_state_read(s, DV_X), n * sizeof(double));
  m->pulses = UINT64_MAX;
  warn_of_coarseness(m);
  return check_stimuli(m);
}

// --- a step ---

// the sum of the stimuli at a time, made again when other ones are in force
static dvStatus stimulate(Monodomain *m, double time)
{
  dvMuscle *t = &m->tissue;
  uint64_t bits = 0, stamp = 1;
  for (size_t i = 0; i < t->stimuli.count; i++) {
    dvPulse p = dv_stimulus_pulse(t->stimuli.data[i]);
    stamp = stamp * 1000003u + (uintptr_t)t->stimuli.data[i] + dv_stimulus_version(t->stimuli.data[i]);
    if (dv_pulse_at(&p, time) != 0) bits |= (uint64_t)1 << (i % 64);
  }
  if (bits == m->pulses && stamp == t->stimulus_stamp && t->stimuli.count <= 64) return DV_OK;
  m->pulses = bits;
  t->stimulus_stamp = stamp;
  m->sleeping = true;
  memset(m->stimulus.data, 0, t->points * sizeof *m->stimulus.data);
  for (size_t i = 0; i < t->stimuli.count; i++) {
    dvPulse p = dv_stimulus_pulse(t->stimuli.data[i]);
    double strength = dv_pulse_at(&p, time);
    if (strength == 0) continue;
    DV_TRY(dv_muscle_stimulated(t, t->stimuli.data[i]));
    m->sleeping = false;
    for (size_t k = 0; k < t->points; k++)
      if (t->mark.data[k]) m->stimulus.data[k] += strength;
  }
  return DV_OK;
}

typedef struct CellJob {
  Monodomain *m;
  double *u, h;
  int steps;
} CellJob;

static void advance_cells(void *user, size_t begin, size_t end)
{
  const CellJob *job = user;
  Monodomain *m = job->m;
  const double *stimulus = m->sleeping ? NULL : m->stimulus.data + begin,
               *alive = m->tissue.zones.count ? m->tissue.alive.data + begin : NULL;
  double *u = job->u + begin, *w = m->w.data + begin;
  if (m->law.law == DV_TEN_TUSSCHER)
    DV_KERNEL_CHOOSE(dv_tusscher_kernels)
        ->advance(&(dvTusscherCells){end - begin, m->tissue.points, u, w, stimulus, alive, m->law.p, &m->tables},
                  job->steps);
  else
    DV_KERNEL_CHOOSE(dv_cell_kernels)
        ->advance[m->law.law](m->law.p, job->h / job->steps, job->steps, (dvCells){end - begin, u, w, stimulus, alive});
}

static dvStatus react(Monodomain *m, double *u, double time, double h)
{
  DV_TRY(stimulate(m, time + 0.5 * h));
  size_t n = m->tissue.points;
  // the fastest time of the law, t_in or the like, needs a few steps
  int steps = dv_max_int(1, (int)fmin(1000, ceil(h / dv_cell_longest(&m->law) - 1e-9)));
  double ns = 10;
  if (m->law.law == DV_TEN_TUSSCHER) {
    dv_tusscher_prepare(&m->tables, h / steps);
    ns = 400;
  }
  dv_parallel_for(dv_pool_for(m->base.context->pool, ns * (double)n * steps), n, 2048, advance_cells,
                  &(CellJob){m, u, h, steps});
  return DV_OK;
}

// when the potential passes a height, between the two ends of a step
static void note_times(Monodomain *m, const double *before, const double *now, double time, double h)
{
  double *activation = dv_reals_edit(&m->activation), *recovery = dv_reals_edit(&m->recovery),
         high = dv_cell_threshold(&m->law);
  for (size_t i = 0; i < m->tissue.points; i++) {
    if (before[i] < high && now[i] >= high) activation[i] = time + h * (high - before[i]) / (now[i] - before[i]);
    if (before[i] > 0.1 && now[i] <= 0.1) recovery[i] = time + h * (before[i] - 0.1) / (before[i] - now[i]);
  }
}

static dvStatus part(Monodomain *m, double *u, double time, double h)
{
  dvObject *o = &m->base;
  memcpy(m->before.data, u, m->tissue.points * sizeof *u);
  DV_TRY(react(m, u, time, 0.5 * h));
  if (!dv_conduct_step(&m->conduct, o->context->pool, h, m->tolerance, m->iterations, u))
    return dv_error(o, "give more iterations, a larger tolerance, a shorter step, or repair the mesh",
                    "the potential of the next step was not found to the tolerance %g in %d iterations", m->tolerance,
                    m->iterations);
  DV_TRY(react(m, u, time + 0.5 * h, 0.5 * h));
  note_times(m, m->before.data, u, time, h);
  return DV_OK;
}

static dvStatus monodomain_solve(dvObject *o, double h, int x, int v)
{
  Monodomain *m = (Monodomain *)o;
  dvState *s = dv_state(m->state.target);
  if (!dv_muscle_holds(&m->tissue, s)) return DV_ERROR_INPUT;
  DV_TRY(dv_muscle_check_potential(&m->tissue, &m->state, dv_cell_highest(&m->law)));
  double time = o->node->scene->root->time, count = fmax(1, ceil(h / m->step - 1e-9));
  bool changed;
  DV_TRY(dv_muscle_zones(&m->tissue, time, &changed));
  if (changed) fill(m);
  dv_timer_begin(o->context->timers, "electricity");
  double *u = dv_reals_edit(&m->potential);
  memcpy(u, dv_state_read(s, DV_X), s->count * sizeof *u);
  dvStatus status =
      count <= 1e6 ? DV_OK : dv_field_error(o, &m->step, "give a longer one", "a step has %g parts", count);
  for (double i = 0; i < count && status == DV_OK; i++) status = part(m, u, time + i * h / count, h / count);
  const double *old = dv_state_read(s, DV_X);
  double *rate = dv_state_write(s, v);
  for (size_t i = 0; i < s->count; i++) rate[i] = h > 0 ? (u[i] - old[i]) / h : 0;
  memcpy(dv_state_overwrite(s, x), u, s->count * sizeof *u);
  m->done = m->conduct.iterations;
  dv_touch(o, &m->done);
  dv_touch(o, &m->potential);
  dv_touch(o, &m->activation);
  dv_touch(o, &m->recovery);
  dv_timer_end(o->context->timers);
  return status;
}

static void monodomain_sketch(dvObject *o, dvSketch *out)
{
  Monodomain *m = (Monodomain *)o;
  if (!m->tissue.mesh) return;
  dvObject *shape = dv_muscle_shape(o);
  *out = (dvSketch){.kind = DV_SKETCH_ELEMENTS,
                    .positions = shape ? NULL : dv_object_field(&m->tissue.mesh->base, "position"),
                    .state = shape,
                    .topology = &m->tissue.mesh->base,
                    .values = dv_field_of(o, &m->potential),
                    .range = {0, 1}};
}

static void monodomain_destroy(dvObject *o)
{
  Monodomain *m = (Monodomain *)o;
  dv_muscle_free(&m->tissue);
  dv_conduct_free(&m->conduct);
  dv_tusscher_free(&m->tables);
  dv_array_free(&m->w);
  dv_array_free(&m->stimulus);
  dv_array_free(&m->before);
}

const dvMuscle *dv_monodomain_tissue(const dvObject *o) { return &((const Monodomain *)o)->tissue; }

// the potential is solved with what pulses give in the middle of a part of a step
static dvStatus monodomain_ready(dvObject *o)
{
  const Monodomain *m = (const Monodomain *)o;
  double h = dv_min(m->step, o->node->scene->root->dt);
  DV_TRY(dv_muscle_ready(o));
  for (size_t i = 0; i < m->tissue.stimuli.count; i++) {
    dvPulse p = dv_stimulus_pulse(m->tissue.stimuli.data[i]);
    if (p.duration > 0 && p.duration < h)
      dv_field_warning(o, &m->step, "1e-4 is right for most meshes",
                       "a pulse of %s lasts %g s: steps of %g s may pass over it", m->tissue.stimuli.data[i]->name,
                       p.duration, h);
  }
  return DV_OK;
}

static const dvOdeOps monodomain_ops = {.solve = monodomain_solve};
static const dvVisualOps monodomain_looks = {.sketch = monodomain_sketch};

const dvClass dv_monodomain_class = {
    .struct_size = sizeof(dvClass),
    .name = "MonodomainSolver",
    .help = "electric potential of heart muscle: cells that are excited, and conduction along fibres",
    .module = DV_HEART_MODULE,
    .size = sizeof(Monodomain),
    .blocks = {&dv_object_block, DV_BLOCK(monodomain_fields)},
    .ops = {[DV_ROLE_ODE] = &monodomain_ops, [DV_ROLE_VISUAL] = &monodomain_looks},
    .init = monodomain_init,
    .bwd_init = monodomain_ready,
    .reinit = monodomain_reinit,
    .destroy = monodomain_destroy,
    DV_MEMORY(monodomain_memory),
};

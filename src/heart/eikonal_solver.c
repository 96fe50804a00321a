// EikonalSolver: fronts of excitation in heart muscle, thousands of times faster than the equations of the potential
// (MonodomainSolver). See eikonal.h.
//
// The speed along the fibres follows, when it is not given, from diffusivity and parameters of Mitchell and Schaeffer's
// cells, so that the two models agree; durations and rests are those of these cells too. The potential that is shown
// and that makes muscle contract rises in `rise` seconds when the front arrives, and falls in `fall` seconds when the
// cell recovers.
#include "heart/classes.h"
#include "heart/eikonal.h"
#include "scene/timer.h"

#include <math.h>
#include <string.h>

#define EIKONAL_FIELDS(X)                                                                                            \
  X(reals, parameters, "", "s",                                                                                      \
    "of Mitchell and Schaeffer's cells: t_in t_out t_open t_close gate; else sensible ones")                         \
  X(vec3s, fibres, "", "", "direction of the fibres of each tetrahedron; not needed when anisotropyRatio is 1")      \
  X(real, diffusivity, "1e-4", "m2/s", "along the fibres, from which the speed follows", .least = "0")               \
  X(real, anisotropyRatio, "0.25", "", "diffusivity across the fibres over that along them: squared speeds",         \
    .least = "0", .most = "1")                                                                                       \
  X(real, speed, "0", "m/s", "along the fibres; 0: that of a plane wave of the cells", .least = "0")                 \
  X(real, window, "0.04", "s", "how long a front waits at refractory tissue before it has died", .least = "0")       \
  X(bool, restitution, "1", "", "fronts are slower in tissue that rested little, as those of the cells are")         \
  X(real, rise, "0.001", "s", "time in which the potential rises", .least = "0")                                     \
  X(real, fall, "0.01", "s", "time in which it falls", .least = "0")                                                 \
  X(link, state, "", "", "state of the potential; the one of the node by default", .role = DV_ROLE_STATE)            \
  X(link, topology, "", "", "topology with the tetrahedra; the one of the node or above by default",                 \
    .role = DV_ROLE_TOPOLOGY)                                                                                        \
  X(reals, potential, "", "", "of each point, 0 to 1", .flags = DV_READ_ONLY)                                        \
  X(reals, activation, "", "s", "when each point was last excited; -1 for never", .flags = DV_READ_ONLY)             \
  X(reals, recovery, "", "s", "when it recovers from that; -1 for never", .flags = DV_READ_ONLY)                     \
  X(real, speedUsed, "0", "m/s", "speed along the fibres", .flags = DV_READ_ONLY)                                    \
  X(int, excitations, "0", "", "points that were excited since the start, each time counted", .flags = DV_READ_ONLY) \
  X(int, fronts, "0", "", "points that a front is about to reach", .flags = DV_READ_ONLY)

typedef struct Eikonal {
  dvObject base;
  EIKONAL_FIELDS(DV_MEMBER)
  dvMuscle tissue;
  dvEikonal fronts_of;
  dvCell law;
  double reached;   // time up to which pulses were given
} Eikonal;

#define SELF Eikonal
static const dvFieldDesc eikonal_fields[] = {EIKONAL_FIELDS(DV_DESCRIBE)};
static const dvMemoryDesc eikonal_memory[] = {
    DV_REMEMBER(list, fronts_of.excited) DV_REMEMBER(list, fronts_of.recovers) DV_REMEMBER(list, fronts_of.next)
        DV_REMEMBER(list, fronts_of.slow) DV_REMEMBER(numbers, fronts_of.events) DV_REMEMBER(numbers, reached)
            DV_REMEMBER(numbers, excitations) DV_REMEMBER(numbers, fronts) DV_REMEMBER(reals, potential)
                DV_REMEMBER(reals, activation) DV_REMEMBER(reals, recovery)};
#undef SELF

// --- setting up ---

static dvStatus take_law(Eikonal *e)
{
  dvObject *o = &e->base;
  size_t want = (size_t)dv_cell_parameters[DV_MITCHELL_SCHAEFFER];
  e->law.law = DV_MITCHELL_SCHAEFFER;
  if (e->parameters.count && e->parameters.count != want)
    return dv_field_error(o, &e->parameters, dv_cell_names[0], "there are %zu parameters instead of %zu",
                          e->parameters.count, want);
  memcpy(e->law.p, e->parameters.count ? e->parameters.data : dv_cell_defaults[0], want * sizeof(double));
  const char *problem = dv_cell_problem(&e->law);
  if (problem) return dv_field_error(o, &e->parameters, dv_cell_names[0], "%s", problem);
  const char *doubt = dv_cell_doubt(&e->law);
  if (doubt) dv_field_warning(o, &e->parameters, dv_cell_names[0], "%s", doubt);
  dv_cell_settle(&e->law);
  if (!(e->window > 0) || !dv_eikonal_set_cell(&e->fronts_of, &e->law, e->window, e->restitution))
    return dv_field_error(o, &e->window, "give a time above 0 and below half of that for which cells are excited",
                          "fronts would wait for %g s; cells are excited for %g s at most", e->window,
                          dv_cell_duration(&e->law, 1e6));
  return DV_OK;
}

static dvStatus eikonal_reinit(dvObject *o)
{
  Eikonal *e = (Eikonal *)o;
  DV_TRY(take_law(e));
  if (!(e->diffusivity >= 0 && e->diffusivity < 1e6))
    return dv_field_error(o, &e->diffusivity, "1e-4 is that of the heart", "the diffusivity is %g", e->diffusivity);
  if (!(e->speed >= 0 && e->speed < 1e6))
    return dv_field_error(o, &e->speed, "0 takes that of the cells", "a front cannot move with %g m/s", e->speed);
  e->speedUsed = e->speed > 0 ? e->speed : dv_cell_speed(&e->law, e->diffusivity);
  dv_touch(o, &e->speedUsed);
  if (!(e->speedUsed > 0))
    return dv_field_error(o, &e->speed, "give a speed, or a diffusivity above 0", "fronts do not move");
  if (!(e->anisotropyRatio > 0 && e->anisotropyRatio <= 1))
    return dv_field_error(o, &e->anisotropyRatio, "give a number up to 1, above 0", "the ratio is %g",
                          e->anisotropyRatio);
  double longest = dv_cell_duration(&e->law, 1e6);
  if (!(e->rise >= 0 && e->rise < longest) || !(e->fall >= 0 && e->fall < longest))
    return dv_field_error(o, &e->rise, "give times from 0 on, below that for which cells are excited",
                          "the potential cannot rise in %g s and fall in %g s; cells are excited for %g s at most",
                          e->rise, e->fall, longest);
  if (e->fronts_of.points) dv_eikonal_fill(&e->fronts_of, &e->tissue, e->speedUsed, e->anisotropyRatio);
  return DV_OK;
}

static dvStatus eikonal_init(dvObject *o)
{
  Eikonal *e = (Eikonal *)o;
  DV_TRY(eikonal_reinit(o));
  DV_TRY(dv_muscle_find_potential(o, &e->state));
  DV_TRY(dv_pull(o, &e->fibres));
  DV_TRY(dv_muscle_init(&e->tissue, o, &e->topology, &e->fibres, e->anisotropyRatio != 1));
  size_t n = e->tissue.points;
  DV_TRY(dv_muscle_check_potential(&e->tissue, &e->state, 100));
  if (!dv_eikonal_init(&e->fronts_of, &e->tissue) || !dv_reals_resize(&e->potential, n) ||
      !dv_reals_resize(&e->activation, n) || !dv_reals_resize(&e->recovery, n))
    return dv_error(o, "use a coarser mesh", "out of memory for %zu points", n);
  for (size_t i = 0; i < n; i++) e->activation.data[i] = e->recovery.data[i] = -1;
  dv_eikonal_fill(&e->fronts_of, &e->tissue, e->speedUsed, e->anisotropyRatio);
  e->reached = -INFINITY;
  double passes = dv_muscle_size(&e->tissue) / e->speedUsed;
  if (passes > 10 || (passes < 0.002 && e->speedUsed > 20))
    dv_field_warning(o, &e->speed, "fronts of hearts have 0.3 to 4 m/s",
                     "at a speed of %g m/s a front would pass through the tissue in %.2g s", e->speedUsed, passes);
  return dv_muscle_check_stimuli(&e->tissue);
}

// --- a step ---

// pulses in the order of their stimuli; fronts that are under way come first where they are earlier
static dvStatus stimulate(Eikonal *e, double to)
{
  dvMuscle *t = &e->tissue;
  for (size_t i = 0; i < t->stimuli.count; i++) {
    dvPulse p = dv_stimulus_pulse(t->stimuli.data[i]);
    double when;
    if (dv_pulse_begins(&p, e->reached, to, &when) < 0) continue;
    DV_TRY(dv_muscle_stimulated(t, t->stimuli.data[i]));
    for (size_t k = 0; k < t->points; k++)
      if (t->mark.data[k]) dv_eikonal_excite(&e->fronts_of, k, when);
  }
  return DV_OK;
}

// of a cell that is excited at `from` and recovers at `until`
static double height(const Eikonal *e, double time, double from, double until)
{
  if (!(time > from)) return 0;
  double u = e->rise > 0 ? 1 - exp(-(dv_min(time, until) - from) / e->rise) : 1;
  if (time > until) u *= e->fall > 0 && time - until < 40 * e->fall ? exp(-(time - until) / e->fall) : 0;
  return u;
}

static void show(Eikonal *e, double time)
{
  dvEikonal *f = &e->fronts_of;
  double *u = dv_reals_edit(&e->potential), *activation = dv_reals_edit(&e->activation),
         *recovery = dv_reals_edit(&e->recovery);
  int waiting = 0;
  for (size_t i = 0; i < f->points; i++) {
    double from = f->excited.data[i], until = f->recovers.data[i] - f->gap;
    waiting += f->next.data[i] < INFINITY;
    if (from == -INFINITY) continue;
    u[i] = height(e, time, from, until);
    activation[i] = from;
    recovery[i] = until;
  }
  e->excitations = (int32_t)dv_min_size(f->events, INT32_MAX);
  e->fronts = waiting;
  dv_touch(&e->base, &e->potential);
  dv_touch(&e->base, &e->activation);
  dv_touch(&e->base, &e->recovery);
  dv_touch(&e->base, &e->excitations);
  dv_touch(&e->base, &e->fronts);
}

static dvStatus eikonal_solve(dvObject *o, double h, int x, int v)
{
  Eikonal *e = (Eikonal *)o;
  dvState *s = dv_state(e->state.target);
  if (!dv_muscle_holds(&e->tissue, s)) return DV_ERROR_INPUT;
  DV_TRY(dv_muscle_check_potential(&e->tissue, &e->state, 100));
  double time = o->node->scene->root->time, to = time + h;
  bool changed;
  dv_timer_begin(o->context->timers, "electricity");
  DV_TRY(dv_muscle_zones(&e->tissue, time, &changed));
  if (changed) dv_eikonal_fill(&e->fronts_of, &e->tissue, e->speedUsed, e->anisotropyRatio);
  DV_TRY(stimulate(e, to));
  e->reached = to;
  dv_eikonal_advance(&e->fronts_of, to);
  show(e, to);
  const double *old = dv_state_read(s, DV_X), *u = e->potential.data;
  double *rate = dv_state_write(s, v);
  for (size_t i = 0; i < s->count; i++) rate[i] = h > 0 ? (u[i] - old[i]) / h : 0;
  memcpy(dv_state_overwrite(s, x), u, s->count * sizeof *u);
  dv_timer_end(o->context->timers);
  return DV_OK;
}

static bool eikonal_restored(dvObject *o)
{
  Eikonal *e = (Eikonal *)o;
  if (e->fronts_of.points) dv_eikonal_restart(&e->fronts_of);
  return true;
}

static void eikonal_sketch(dvObject *o, dvSketch *out)
{
  Eikonal *e = (Eikonal *)o;
  if (!e->tissue.mesh) return;
  dvObject *shape = dv_muscle_shape(o);
  *out = (dvSketch){.kind = DV_SKETCH_ELEMENTS,
                    .positions = shape ? NULL : dv_object_field(&e->tissue.mesh->base, "position"),
                    .state = shape,
                    .topology = &e->tissue.mesh->base,
                    .values = dv_field_of(o, &e->potential),
                    .range = {0, 1}};
}

static void eikonal_destroy(dvObject *o)
{
  dv_muscle_free(&((Eikonal *)o)->tissue);
  dv_eikonal_free(&((Eikonal *)o)->fronts_of);
}

const dvMuscle *dv_eikonal_tissue(const dvObject *o) { return &((const Eikonal *)o)->tissue; }

static const dvOdeOps eikonal_ops = {.solve = eikonal_solve};
static const dvVisualOps eikonal_looks = {.sketch = eikonal_sketch};

const dvClass dv_eikonal_class = {
    .struct_size = sizeof(dvClass),
    .name = "EikonalSolver",
    .help = "fronts of excitation in heart muscle, several at once, with re-entry",
    .module = DV_HEART_MODULE,
    .size = sizeof(Eikonal),
    .blocks = {&dv_object_block, DV_BLOCK(eikonal_fields)},
    .ops = {[DV_ROLE_ODE] = &eikonal_ops, [DV_ROLE_VISUAL] = &eikonal_looks},
    .init = eikonal_init,
    .bwd_init = dv_muscle_ready,
    .reinit = eikonal_reinit,
    .restored = eikonal_restored,
    .destroy = eikonal_destroy,
    DV_MEMORY(eikonal_memory),
};

// PseudoECG: what electrodes far from the heart see of its potential.
//
//   phi(e) = sum over tetrahedra of V D grad u . (x - e) / |x - e|^3 / (4 pi)
//
// the potential of the current sources -div(D grad u) in an unbounded medium, as it is used where there is no torso. In
// a state of rest and in one of full excitation it is 0. Needs a MonodomainSolver or an EikonalSolver in the node.
//
// A deflection of excitation (QRS): the leads are higher than a share of the largest height of such a deflection so
// far, while tissue is being excited, which is when the potential of a point has passed 1/2 upwards within the last 10
// ms. What the leads show while tissue only recovers (T) is none, however high it is.
#include "heart/classes.h"
#include "heart/muscle.h"
#include "mechanics/mechanics.h"

#include <math.h>
#include <string.h>

#define ECG_FIELDS(X)                                                                                                \
  X(vec3s, electrodes, "", "m", "where they are")                                                                    \
  X(vec3s, fibres, "", "", "direction of the fibres of each tetrahedron; without them, the same in all directions")  \
  X(real, diffusivity, "1e-4", "m2/s", "along the fibres", .least = "0")                                             \
  X(real, anisotropyRatio, "0.25", "", "diffusivity across the fibres over that along them", .least = "0",           \
    .most = "1")                                                                                                     \
  X(link, state, "", "", "state of the potential; the one of the node by default", .role = DV_ROLE_STATE)            \
  X(link, topology, "", "", "topology with the tetrahedra; the one of the node or above by default",                 \
    .role = DV_ROLE_TOPOLOGY)                                                                                        \
  X(reals, leads, "", "", "potential at each electrode, at the end of the step", .flags = DV_READ_ONLY)              \
  X(real, threshold, "0.05", "", "of the largest height so far: what counts as a deflection for duration",           \
    .least = "0")                                                                                                    \
  X(real, duration, "0", "s",                                                                                        \
    "of the last deflection of the leads, all of them together, while tissue was being excited (QRS, without T); a " \
    "rest of 50 ms lies between two deflections",                                                                    \
    .flags = DV_READ_ONLY)

typedef struct Ecg {
  dvObject base;
  ECG_FIELDS(DV_MEMBER)
  dvMuscle tissue;
  DV_ARRAY(double) weight;   // of each point for each electrode
  DV_ARRAY(double) before;   // the potential at the end of the step before
  double highest;            // of the leads together
  double began, last;        // of the last deflection: its times, -1 for none
  double excited;            // when the potential of a point last passed 1/2 upwards, -1 for never
} Ecg;

static const double EXCITING = 0.01, REST = 0.05;   // s: since the last point was excited; between two deflections

#define SELF Ecg
static const dvFieldDesc ecg_fields[] = {ECG_FIELDS(DV_DESCRIBE)};
static const dvMemoryDesc ecg_memory[] = {
    DV_REMEMBER(reals, leads) DV_REMEMBER(numbers, duration) DV_REMEMBER(numbers, highest) DV_REMEMBER(numbers, began)
        DV_REMEMBER(numbers, last) DV_REMEMBER(numbers, excited) DV_REMEMBER(list, before)};
#undef SELF

// phi is linear in u: a weight for each point
static dvStatus make_weights(Ecg *e)
{
  dvMuscle *t = &e->tissue;
  size_t leads = dv_reals_size(&e->electrodes);
  dv_array_resize(&e->weight, leads * t->points);
  memset(e->weight.data, 0, leads * t->points * sizeof *e->weight.data);
  for (size_t i = 0; i < t->count; i++) {
    dvVec3 g[4], c = dv_vec3(0, 0, 0);
    double volume;
    if (!dv_muscle_gradients(t, i, g, &volume)) continue;
    const int32_t *p = t->tetra + 4 * i;
    for (int k = 0; k < 4; k++) c = dv_vec3_add_scaled(c, dv_vec3_load(t->rest + 3 * p[k]), 0.25);
    dvVec3 f = t->fibre.count ? dv_vec3_load(t->fibre.data + 3 * i) : dv_vec3(0, 0, 0);
    double ratio = t->fibre.count ? e->anisotropyRatio : 1;
    for (size_t l = 0; l < leads; l++) {
      dvVec3 d = dv_vec3_sub(c, dv_vec3_load(e->electrodes.data + 3 * l));
      double r = dv_vec3_norm(d);
      if (!(r > 0)) continue;
      dvVec3 field =
          dv_vec3_scale(d, e->diffusivity * volume * t->conduction.data[i] / (4 * 3.14159265358979 * r * r * r));
      for (int k = 0; k < 4; k++)
        e->weight.data[l * t->points + (size_t)p[k]] +=
            ratio * dv_vec3_dot(g[k], field) + (1 - ratio) * dv_vec3_dot(f, g[k]) * dv_vec3_dot(f, field);
    }
  }
  return DV_OK;
}

// the tetrahedron around a place, or the number of them
static size_t tetrahedron_at(const dvMuscle *t, dvVec3 place)
{
  for (size_t i = 0; i < t->count; i++) {
    dvVec3 g[4];
    double volume, least = 1;
    if (!dv_muscle_gradients(t, i, g, &volume)) continue;
    for (int k = 0; k < 4; k++) {   // coordinates in the tetrahedron: 1 at the corner
      dvVec3 corner = dv_vec3_load(t->rest + 3 * t->tetra[4 * i + (size_t)k]);
      least = dv_min(least, 1 + dv_vec3_dot(g[k], dv_vec3_sub(place, corner)));
    }
    if (least >= 0) return i;
  }
  return t->count;
}

// the potential has no bound where the tissue is, and far away there is none
static void warn_of_electrodes(const Ecg *e)
{
  const dvMuscle *t = &e->tissue;
  double size = dv_muscle_size(t);
  for (size_t l = 0; l < dv_reals_size(&e->electrodes); l++) {
    dvVec3 place = dv_vec3_load(e->electrodes.data + 3 * l);
    size_t inside = tetrahedron_at(t, place);
    double away = dv_vec3_norm(dv_vec3_sub(place, dv_vec3_load(t->rest)));
    if (inside < t->count)
      dv_field_warning(&e->base, &e->electrodes, "put electrodes outside of the tissue, some cm away",
                       "electrode %zu is within the tissue, in tetrahedron %zu: what it sees depends on the mesh", l,
                       inside);
    if (away > 100 * size)
      dv_field_warning(&e->base, &e->electrodes, "they are in m",
                       "electrode %zu is %.3g m away, %.2g times as far as the tissue is long: it sees nothing", l,
                       away, away / size);
  }
}

static dvStatus ecg_reinit(dvObject *o)
{
  Ecg *e = (Ecg *)o;
  for (size_t i = 0; i < e->electrodes.count; i++)
    if (!(fabs(e->electrodes.data[i]) < 1e6))
      return dv_field_error(o, &e->electrodes, "give places near the heart, in m", "electrode %zu is beyond all bounds",
                            i / 3);
  if (e->electrodes.count == 0)
    return dv_field_error(o, &e->electrodes, "give places outside of the heart: electrodes=\"0.1 0 0\"",
                          "there are no electrodes");
  if (!(e->anisotropyRatio >= 0 && e->anisotropyRatio <= 1) || !(e->diffusivity >= 0 && e->diffusivity < 1e6))
    return dv_field_error(o, &e->anisotropyRatio, "give the numbers of the solver", "diffusivity %g and ratio %g",
                          e->diffusivity, e->anisotropyRatio);
  if (e->diffusivity == 0)
    dv_field_warning(o, &e->diffusivity, "1e-4 is that of the heart", "the electrodes will see nothing");
  if (!(e->threshold >= 0 && e->threshold < 1))
    return dv_field_error(o, &e->threshold, "give a share from 0 to 1: 0.05 is the default",
                          "nothing is %g of the largest height", e->threshold);
  if (!dv_reals_resize(&e->leads, dv_reals_size(&e->electrodes))) return dv_error(o, NULL, "out of memory");
  if (e->tissue.points) warn_of_electrodes(e);
  return e->tissue.points ? make_weights(e) : DV_OK;
}

static dvStatus ecg_init(dvObject *o)
{
  Ecg *e = (Ecg *)o;
  if (!e->state.target) e->state.target = dv_node_state(o->node);
  if (!e->state.target || !e->state.target->dof || e->state.target->dof->kind != DV_VEC1)
    return dv_error(o, "put it beside an ElectricalState", "there is no potential to look at");
  DV_TRY(dv_object_ensure(e->state.target));
  DV_TRY(dv_pull(o, &e->fibres));
  DV_TRY(dv_muscle_init(&e->tissue, o, &e->topology, &e->fibres, false));
  if (dv_state(e->state.target)->count != e->tissue.points)
    return dv_error(o, NULL, "%s has %zu values for %zu points of the mesh", e->state.target->name,
                    dv_state(e->state.target)->count, e->tissue.points);
  e->began = e->last = e->excited = -1;
  dv_array_resize(&e->before, e->tissue.points);
  memcpy(e->before.data, dv_state_read(dv_state(e->state.target), DV_X), e->before.count * sizeof(double));
  return ecg_reinit(o);
}

static void note_excitation(Ecg *e, const double *u, double time)
{
  for (size_t i = 0; i < e->before.count; i++)
    if (e->before.data[i] < 0.5 && u[i] >= 0.5) e->excited = time;
  memcpy(e->before.data, u, e->before.count * sizeof *u);
}

static void note_deflection(Ecg *e, double time)
{
  double now = 0;
  for (size_t l = 0; l < e->leads.count; l++) now += e->leads.data[l] * e->leads.data[l];
  now = sqrt(now);
  if (e->excited < 0 || time > e->excited + EXCITING) return;
  e->highest = dv_max(e->highest, now);
  if (!(e->highest > 0 && now > e->threshold * e->highest)) return;
  if (e->last < 0 || time > e->last + REST) e->began = time;
  e->last = time;
  e->duration = e->last - e->began;
  dv_touch(&e->base, &e->duration);
}

static void ecg_end_step(dvObject *o)
{
  Ecg *e = (Ecg *)o;
  const dvState *s = dv_state(e->state.target);
  double time = o->node->scene->root->time, *out = dv_reals_edit(&e->leads);
  bool changed = false;
  if (s->count != e->tissue.points) return;
  if (dv_muscle_zones(&e->tissue, time, &changed) == DV_OK && changed) make_weights(e);
  const double *u = dv_state_read(s, DV_X);
  for (size_t l = 0; l < e->leads.count; l++) {
    double sum = 0;
    const double *w = e->weight.data + l * s->count;
    for (size_t i = 0; i < s->count; i++) sum += w[i] * u[i];
    out[l] = sum;
  }
  dv_touch(o, &e->leads);
  note_excitation(e, u, time);
  note_deflection(e, time);
}

static void ecg_destroy(dvObject *o)
{
  dv_muscle_free(&((Ecg *)o)->tissue);
  dv_array_free(&((Ecg *)o)->weight);
  dv_array_free(&((Ecg *)o)->before);
}

const dvClass dv_ecg_class = {
    .struct_size = sizeof(dvClass),
    .name = "PseudoECG",
    .help = "potential at electrodes outside of the heart",
    .module = DV_HEART_MODULE,
    .size = sizeof(Ecg),
    .blocks = {&dv_object_block, DV_BLOCK(ecg_fields)},
    .init = ecg_init,
    .reinit = ecg_reinit,
    .end_step = ecg_end_step,
    .destroy = ecg_destroy,
    DV_MEMORY(ecg_memory),
};

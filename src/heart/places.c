// CardiacStimulus: cells near some places are stimulated, once or in a rhythm: a lead of a pacemaker, or where the
// bundle of conduction reaches the muscle. TissueZone: what is done to a part of the tissue: an infarct, a lesion of an
// ablation, a block.
//
// Both stand at or below the node of the topology. Fields may be changed while the scene runs: a lead is put elsewhere,
// tissue is touched.
#include "heart/classes.h"
#include "heart/marks.h"
#include "heart/muscle.h"
#include "heart/sizes.h"

#include <math.h>

// --- stimuli ---

#define STIMULUS_FIELDS(X)                                                                               \
  DV_PLACE_FIELDS(X)                                                                                     \
  X(real, start, "0", "s", "when the first pulse begins")                                                \
  X(real, duration, "0.002", "s", "of a pulse", .least = "0")                                            \
  X(real, period, "0", "s", "time from one pulse to the next; 0 for a single one", .least = "0")         \
  X(int, count, "0", "", "how many pulses; 0 for no end", .least = "0")                                  \
  X(real, strength, "500", "1/s", "rate at which the potential rises meanwhile; monodomain models only") \
  DV_MARK_FIELDS(X)

typedef struct Stimulus {
  dvObject base;
  STIMULUS_FIELDS(DV_MEMBER)
  unsigned version;
  dvMarks marks;
} Stimulus;

#define SELF Stimulus
static const dvFieldDesc stimulus_fields[] = {STIMULUS_FIELDS(DV_DESCRIBE)};
#undef SELF

static dvStatus stimulus_init(dvObject *o)
{
  Stimulus *s = (Stimulus *)o;
  s->version++;
  if (s->indices.count == 0 && s->center.count == 0)
    return dv_field_error(o, &s->indices, "give indices of points, or center and radius", "nothing is stimulated");
  const double *times[] = {&s->start, &s->duration, &s->period};
  for (size_t i = 0; i < DV_COUNT(times); i++)
    if (!(fabs(*times[i]) <= 1e9) || (i > 0 && *times[i] < 0))
      return dv_field_error(o, times[i], "give times in s; duration and period are from 0 on",
                            "there is no pulse from %g of %g every %g s", s->start, s->duration, s->period);
  if (s->period > 0 && s->duration > s->period)
    return dv_field_error(o, &s->duration, "give a duration below the period",
                          "a pulse lasts %g s and the next one begins after %g s", s->duration, s->period);
  if (s->period == 0 && s->start + s->duration < 0)
    return dv_field_error(o, &s->start, "give a time from 0 on, or a period",
                          "the pulse is over %g s before the scene starts", -s->start - s->duration);
  if (s->count < 0) return dv_field_error(o, &s->count, "0 is for no end", "there are %d pulses", s->count);
  if (!(fabs(s->strength) <= 1e4))   // cells are solved in steps of 0.1 ms
    return dv_field_error(o, &s->strength, "500 1/s raises the potential by 1 in 2 ms, 10000 1/s in 0.1 ms",
                          "the strength is %g 1/s", s->strength);
  dv_size_warn(o, &s->start, s->start, -1e9, 30, "that is when the first pulse begins; times are in s, not in ms");
  dv_size_warn(o, &s->duration, s->duration, 0, 0.2, "cells are excited for some 0.3 s; times are in s, not in ms");
  dv_size_warn(o, &s->period, s->period, 0, 30, "one beat in so long; times are in s, not in ms");
  dv_size_warn(o, &s->period, s->period > 0 ? s->period : 1, 0.005, HUGE_VAL,
               "no tissue follows, and of several pulses in a step only the last one is given");
  return DV_OK;
}

static dvStatus stimulus_reinit(dvObject *o)
{
  o->failed = false;   // what a step has told may be mended
  return stimulus_init(o);
}

static dvStatus stimulus_bwd_init(dvObject *o)
{
  dv_muscle_finds(o);
  return DV_OK;
}

dvPulse dv_stimulus_pulse(const dvObject *o)
{
  const Stimulus *s = (const Stimulus *)o;
  return (dvPulse){s->start, s->duration, s->period, s->strength, s->period > 0 ? s->count : 1};
}
dvPlaces dv_stimulus_places(const dvObject *o)
{
  const Stimulus *s = (const Stimulus *)o;
  return (dvPlaces){&s->indices, &s->center, &s->radius};
}
unsigned dv_stimulus_version(const dvObject *o) { return ((const Stimulus *)o)->version; }

double dv_pulse_at(const dvPulse *p, double time)
{
  double since = time - p->start;
  if (since < 0) return 0;
  double number = p->period > 0 ? floor(since / p->period) : 0;
  if (p->count > 0 && number >= p->count) return 0;
  return since - number * p->period < p->duration ? p->strength : 0;
}

int dv_pulse_begins(const dvPulse *p, double from, double to, double *when)
{
  double number = p->period > 0 ? fmax(0, floor((to - p->start) / p->period)) : 0;
  *when = p->start + number * p->period;
  if (p->count > 0 && number >= p->count) return -1;
  return *when > from && *when <= to ? (int)fmin(number, 1e9) : -1;
}

static void stimulus_follow(dvObject *o)
{
  Stimulus *s = (Stimulus *)o;
  if (s->marks.shown) dv_marks_follow_stimulus(&s->marks, o, s->version, &s->shown, &s->shownRadius);
}

static void stimulus_sketch(dvObject *o, dvSketch *out)
{
  Stimulus *s = (Stimulus *)o;
  s->marks.shown = true;
  stimulus_follow(o);
  if (s->shownRadius.count == 0) return;
  *out = (dvSketch){.kind = DV_SKETCH_SPHERES,
                    .positions = dv_field_of(o, &s->shown),
                    .values = dv_field_of(o, &s->shownRadius),
                    .radius = 0.5 * s->radius,
                    .coloured = true,
                    .colour = {0.95, 0.85, 0.2, 1}};
}

static void stimulus_destroy(dvObject *o) { dv_marks_free(&((Stimulus *)o)->marks); }
static const dvVisualOps stimulus_ops = {.update = stimulus_follow, .sketch = stimulus_sketch};

const dvClass dv_stimulus_class = {
    .struct_size = sizeof(dvClass),
    .name = "CardiacStimulus",
    .help = "stimulates cells of the heart at some places, once or in a rhythm",
    .module = DV_HEART_MODULE,
    .size = sizeof(Stimulus),
    .blocks = {&dv_object_block, DV_BLOCK(stimulus_fields)},
    .ops = {[DV_ROLE_VISUAL] = &stimulus_ops},
    .init = stimulus_init,
    .bwd_init = stimulus_bwd_init,
    .reinit = stimulus_reinit,
    .destroy = stimulus_destroy,
};

// --- zones ---

#define ZONE_FIELDS(X)                                                                                              \
  DV_PLACE_FIELDS(X)                                                                                                \
  X(indices, tetrahedra, "", "", "or tetrahedra, by their numbers")                                                 \
  X(ints, segments, "", "", "or tetrahedra with one of these labels: 7 to 12 is the middle of a left ventricle")    \
  X(ints, labels, "", "", "of each tetrahedron: segments of GenerateVentricle, for instance")                       \
  X(real, conduction, "0", "", "times the diffusivity of the tissue: 0 where nothing is conducted", .least = "0")   \
  X(bool, excitable, "0", "", "cells can be excited")                                                               \
  X(real, contractility, "0", "", "times the contraction", .least = "0")                                            \
  X(real, stiffness, "1", "", "times the passive stiffness, at any time: of a scar; see stiffnesses", .least = "0", \
    .flags = DV_INPUT)                                                                                              \
  X(real, start, "0", "s", "from when on: an ablation while the scene runs")                                        \
  X(real, end, "-1", "s", "until when: a block that goes away; below 0 for always")                                 \
  X(link, topology, "", "", "topology with the tetrahedra; the one of the node or above by default",                \
    .role = DV_ROLE_TOPOLOGY)                                                                                       \
  X(reals, stiffnesses, "", "",                                                                                     \
    "of each tetrahedron: the product of stiffness of all zones of the tissue, for stiffnessFactors of a law",      \
    .flags = DV_OUTPUT)                                                                                             \
  DV_MARK_FIELDS(X)

typedef struct Zone {
  dvObject base;
  ZONE_FIELDS(DV_MEMBER)
  unsigned version;
  double known;   // stiffness that laws were told of
  dvMarks marks;
} Zone;

static const double MOST = 1e4;   // times the healthy tissue: no tissue is that different

#define SELF Zone
static const dvFieldDesc zone_fields[] = {ZONE_FIELDS(DV_DESCRIBE)};
#undef SELF

static dvStatus zone_init(dvObject *o)
{
  Zone *z = (Zone *)o;
  z->version++;
  DV_TRY(dv_pull(o, &z->labels));
  if (!(z->conduction >= 0 && z->conduction <= MOST))
    return dv_field_error(o, &z->conduction, "0 is none, 1 that of healthy tissue", "nothing conducts %g times as well",
                          z->conduction);
  if (!(z->contractility >= 0 && z->contractility <= MOST))
    return dv_field_error(o, &z->contractility, "0 is none, 1 that of healthy tissue",
                          "nothing contracts %g times as much", z->contractility);
  if (!(z->stiffness >= 1 / MOST && z->stiffness <= MOST))
    return dv_field_error(o, &z->stiffness, "1 is that of healthy tissue, a scar has more",
                          "nothing is %g times as stiff", z->stiffness);
  if (!isfinite(z->start) || !isfinite(z->end) || (z->end >= 0 && z->end <= z->start))
    return dv_field_error(o, &z->start, "give an end after the start, or -1 for none",
                          "the zone is there from %g to %g s", z->start, z->end);
  if (z->indices.count + z->center.count + z->tetrahedra.count + z->segments.count == 0)
    return dv_field_error(o, &z->indices, "give indices of points, center and radius, tetrahedra, or segments",
                          "the zone has no place");
  return DV_OK;
}

dvZoneEffect dv_zone_effect(const dvObject *o)
{
  const Zone *z = (const Zone *)o;
  return (dvZoneEffect){z->conduction, z->contractility, z->stiffness, z->excitable};
}
bool dv_zone_active(const dvObject *o, double time)
{
  const Zone *z = (const Zone *)o;
  return time >= z->start && (z->end < 0 || time < z->end);
}
dvPlaces dv_zone_places(const dvObject *o)
{
  const Zone *z = (const Zone *)o;
  return (dvPlaces){&z->indices, &z->center, &z->radius};
}
dvZoneCells dv_zone_cells(const dvObject *o)
{
  const Zone *z = (const Zone *)o;
  return (dvZoneCells){&z->tetrahedra, &z->segments, &z->labels};
}
unsigned dv_zone_version(const dvObject *o) { return ((const Zone *)o)->version; }

static dvStatus zone_update(dvObject *o)
{
  Zone *z = (Zone *)o;
  dvMuscle t = {0};
  dvReals none = {.width = 3};
  dvStatus status = dv_muscle_init(&t, o, &z->topology, &none, false);
  if (status == DV_OK && !dv_reals_assign(&z->stiffnesses, t.stiffness.data, t.count))
    status = dv_error(o, "use a coarser mesh", "out of memory for %zu tetrahedra", t.count);
  dv_muscle_free(&t);
  return status;
}

typedef struct Readers {
  dvVisitor visitor;
  bool found;
} Readers;

// laws have read what they need when everything is initialised
static dvWalk find_readers(dvVisitor *v, dvNode *node)
{
  Readers *r = (Readers *)v;
  for (size_t i = 0; i < node->objects.count; i++) {
    const dvObject *o = node->objects.data[i];
    r->found = r->found || (o->cls == &dv_tissue_zone_class && o->updated);
  }
  return DV_WALK_ON;
}

typedef struct Teller {
  dvVisitor visitor;
  dvStatus status;
} Teller;

// what reads stiffnesses of any zone takes them anew: each of them has the product of all
static dvWalk tell_laws(dvVisitor *v, dvNode *node)
{
  Teller *t = (Teller *)v;
  for (size_t i = 0; i < node->objects.count && t->status == DV_OK; i++) {
    dvObject *o = node->objects.data[i];
    const dvField *f = o->failed ? NULL : dv_object_field(o, "stiffnessFactors");
    if (!f || !f->source || f->source->owner->cls != &dv_tissue_zone_class || !o->cls->reinit) continue;
    const Zone *from = (const Zone *)f->source->owner;
    dv_touch(&from->base, &from->stiffness);
    t->status = o->cls->reinit(o);
  }
  return DV_WALK_ON;
}

static dvStatus zone_reinit(dvObject *o)
{
  Zone *z = (Zone *)o;
  Teller t = {.visitor = {.top_down = tell_laws, .everything = true}, .status = DV_OK};
  o->failed = false;   // what a step has told may be mended
  DV_TRY(zone_init(o));
  if (z->stiffness == 1 && z->known == 1) return DV_OK;   // nobody asks where it is
  DV_TRY(zone_update(o));
  z->known = z->stiffness;
  dv_visit(o->node->scene->root, &t.visitor);
  return t.status;
}

static dvStatus zone_bwd_init(dvObject *o)
{
  Zone *z = (Zone *)o;
  z->known = z->stiffness;
  Readers r = {.visitor = {.top_down = find_readers}};
  if (!o->updated) dv_muscle_finds(o);
  if (z->stiffness == 1) return DV_OK;
  dv_visit(o->node->scene->root, &r.visitor);
  if (!r.found)
    dv_field_warning(o, &z->stiffness, "give the passive law stiffnessFactors, linked to stiffnesses of the zone",
                     "no law asks how stiff the zone is");
  return DV_OK;
}

static void zone_follow(dvObject *o)
{
  Zone *z = (Zone *)o;
  bool there = dv_zone_active(o, o->node->scene->root->time);
  if (z->marks.shown) dv_marks_follow_zone(&z->marks, o, z->version, there, &z->shown, &z->shownRadius);
}

static void zone_sketch(dvObject *o, dvSketch *out)
{
  Zone *z = (Zone *)o;
  z->marks.shown = true;
  zone_follow(o);
  if (z->shownRadius.count == 0) return;
  *out = (dvSketch){.kind = DV_SKETCH_SPHERES,
                    .positions = dv_field_of(o, &z->shown),
                    .values = dv_field_of(o, &z->shownRadius),
                    .radius = 0.3 * z->radius,
                    .coloured = true,
                    .colour = {0.85, 0.85, 0.8, 1}};
}

static void zone_destroy(dvObject *o) { dv_marks_free(&((Zone *)o)->marks); }
static const dvVisualOps zone_ops = {.update = zone_follow, .sketch = zone_sketch};

const dvClass dv_tissue_zone_class = {
    .struct_size = sizeof(dvClass),
    .name = "TissueZone",
    .help = "a part of the heart that conducts, contracts or resists otherwise: an infarct, a lesion, a block",
    .module = DV_HEART_MODULE,
    .roles = DV_PLAYS(DV_ROLE_ENGINE),
    .size = sizeof(Zone),
    .blocks = {&dv_object_block, DV_BLOCK(zone_fields)},
    .ops = {[DV_ROLE_VISUAL] = &zone_ops},
    .init = zone_init,
    .bwd_init = zone_bwd_init,
    .reinit = zone_reinit,
    .update = zone_update,
    .destroy = zone_destroy,
};

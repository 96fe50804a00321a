// See therapy.h.
#include "heart/therapy.h"

#include "heart/classes.h"
#include "heart/muscle.h"

#include <math.h>

// --- where ---

typedef struct Search {
  dvVisitor visitor;
  dvVec3 place;
  double nearest;
  dvTissuePoint found;
} Search;

// longest edge of the tetrahedra around a point
static double reach_of(const dvMuscle *t, const double *x, size_t point)
{
  double longest = 0;
  for (size_t i = 0; i < t->count; i++) {
    const int32_t *p = t->tetra + 4 * i;
    for (int k = 0; k < 4; k++) {
      if ((size_t)p[k] != point) continue;
      for (int l = 0; l < 4; l++)
        longest =
            dv_max(longest, dv_vec3_norm(dv_vec3_sub(dv_vec3_load(x + 3 * (size_t)p[l]), dv_vec3_load(x + 3 * point))));
    }
  }
  return longest;
}

static dvWalk search_in(dvVisitor *v, dvNode *node)
{
  Search *s = (Search *)v;
  for (size_t i = 0; i < node->objects.count; i++) {
    dvObject *o = node->objects.data[i];
    const dvMuscle *t = o->failed ? NULL : dv_muscle_of(o);
    if (!t || !t->rest) continue;
    dvObject *shape = dv_muscle_shape(o);
    const double *x = shape && dv_state(shape)->count == t->points ? dv_state_read(dv_state(shape), DV_X) : t->rest;
    double nearest = s->nearest;
    size_t point = 0;
    for (size_t k = 0; k < t->points; k++) {
      double d = dv_vec3_norm(dv_vec3_sub(dv_vec3_load(x + 3 * k), s->place));
      if (d < nearest) nearest = d, point = k;
    }
    if (!(nearest < s->nearest) || nearest > reach_of(t, x, point)) continue;
    s->nearest = nearest;
    s->found = (dvTissuePoint){o, point, dv_vec3_load(t->rest + 3 * point)};
  }
  return DV_WALK_ON;
}

dvTissuePoint dv_tissue_near(dvScene *scene, dvVec3 place)
{
  Search s = {.visitor = {.top_down = search_in}, .place = place, .nearest = INFINITY};
  dv_visit(scene->root, &s.visitor);
  return s.found;
}

// --- what ---

// Rhythm of the tissue: the next pulse after a time, and the time from one to the next; false where nothing beats.
static bool rhythm_of(const dvMuscle *t, double time, double *next, double *period)
{
  for (size_t i = 0; i < t->stimuli.count; i++) {
    dvPulse p = dv_stimulus_pulse(t->stimuli.data[i]);
    if (!(p.period > 0) || (p.count > 0 && time > p.start + (p.count - 1) * p.period)) continue;
    *next = p.start + p.period * fmax(0, floor((time - p.start) / p.period) + 1);
    *period = p.period;
    return true;
  }
  return false;
}

static void set(dvObject *o, const char *field, double value)
{
  char *text = dv_format("%.17g", value);
  dv_object_set(o, field, text);
  dv_free(text);
}

// lead, lead2, lead3 ...
static char *free_name(const dvNode *node, const char *wanted)
{
  char *name = dv_strdup(wanted);
  for (int i = 2; dv_node_object(node, name) || dv_node_child(node, name); i++) {
    dv_free(name);
    name = dv_format("%s%d", wanted, i);
  }
  return name;
}

dvObject *dv_therapy_add(const dvTissuePoint *at, dvTherapy what, double radius)
{
  dvNode *node = at->solver->node;
  double time = node->scene->root->time, next = 0, period = 0;
  char *name = free_name(node, what == DV_LEAD ? "lead" : "lesion");
  dvObject *o =
      dv_object_create(at->solver->context, what == DV_LEAD ? &dv_stimulus_class : &dv_tissue_zone_class, name, NULL);
  dv_free(name);
  char *center = dv_format("%.17g %.17g %.17g", at->rest.x, at->rest.y, at->rest.z);
  dv_object_set(o, "center", center);
  dv_free(center);
  set(o, "radius", radius);
  if (what == DV_LEAD && rhythm_of(dv_muscle_of(at->solver), time, &next, &period)) {
    set(o, "start", next);
    set(o, "period", period);
  } else {
    // a pulse begins within a step, not with it
    set(o, "start", what == DV_LEAD ? time + 0.5 * node->scene->root->dt : time);
  }
  dv_node_add(node, o);
  if (dv_object_ensure(o) == DV_OK) return o;
  dv_scene_bury(node->scene, o);
  return NULL;
}

enum { MOST_PLACES = 1000 };

bool dv_therapy_extend(dvObject *o, const dvTissuePoint *at)
{
  dvField *f = dv_object_field(o, "center");
  const dvReals *center = f->value;
  double radius = *(const double *)dv_object_field(o, "radius")->value;
  dvText text = {0}, why = {0};
  if (dv_reals_size(center) >= MOST_PLACES) return false;
  for (size_t i = 0; i < dv_reals_size(center); i++) {
    dvVec3 c = dv_vec3_load(center->data + 3 * i);
    if (dv_vec3_norm(dv_vec3_sub(c, at->rest)) <= 0.5 * radius) {
      dv_text_free(&text);
      return false;
    }
    dv_text_printf(&text, "%.17g %.17g %.17g ", c.x, c.y, c.z);
  }
  dv_text_printf(&text, "%.17g %.17g %.17g", at->rest.x, at->rest.y, at->rest.z);
  bool good = dv_field_set_live(f, text.text, &why) == DV_OK;
  dv_text_free(&text);
  dv_text_free(&why);
  return good;
}

// See marks.h.
#include "heart/marks.h"

#include "heart/muscle.h"

#include <math.h>
#include <string.h>

enum { MOST = 4000 };   // balls of a zone; of more points each k-th has one

typedef struct Search {
  dvVisitor visitor;
  const dvObject *place, *found;
} Search;

static dvWalk search_in(dvVisitor *v, dvNode *node)
{
  Search *s = (Search *)v;
  for (size_t i = 0; i < node->objects.count && !s->found; i++) {
    const dvObject *o = node->objects.data[i];
    const dvMuscle *t = o->failed ? NULL : dv_muscle_of(o);
    for (const dvNode *n = t && t->mesh && t->rest ? s->place->node : NULL; n && !s->found;
         n = n->parents.count ? n->parents.data[0] : NULL)
      if (n == t->mesh->base.node) s->found = o;
  }
  return s->found ? DV_WALK_PRUNE : DV_WALK_ON;
}

static void push(dvMarks *m, size_t point, dvVec3 offset, double radius)
{
  dv_push(&m->point, (int32_t)point);
  dv_push(&m->offset, offset.x);
  dv_push(&m->offset, offset.y);
  dv_push(&m->offset, offset.z);
  dv_push(&m->radius, radius);
}

// a ball at each place, which goes with the nearest point
static void at_places(dvMarks *m, const dvPlaces *p)
{
  const dvMuscle *t = m->solver ? dv_muscle_of(m->solver) : NULL;
  for (size_t i = 0; i < dv_reals_size(p->center); i++) {
    dvVec3 c = dv_vec3_load(p->center->data + 3 * i), offset = c;
    double nearest = INFINITY;
    size_t point = 0;
    for (size_t k = 0; t && k < t->points; k++) {
      dvVec3 d = dv_vec3_sub(c, dv_vec3_load(t->rest + 3 * k));
      if (dv_vec3_norm(d) < nearest) nearest = dv_vec3_norm(d), point = k, offset = d;
    }
    push(m, point, offset, 0.5 * *p->radius);
  }
}

static double mean_edge(const dvMuscle *t)
{
  double sum = 0;
  for (size_t i = 0; i < t->count; i++)
    sum += dv_vec3_norm(dv_vec3_sub(dv_vec3_load(t->rest + 3 * (size_t)t->tetra[4 * i]),
                                    dv_vec3_load(t->rest + 3 * (size_t)t->tetra[4 * i + 3])));
  return t->count ? sum / (double)t->count : 0;
}

static void at_points(dvMarks *m, const dvObject *zone)
{
  const dvMuscle *t = dv_muscle_of(m->solver);
  DV_ARRAY(bool) in = {0};
  dv_array_resize(&in, t->points);
  size_t count = 0;
  if (dv_muscle_in_zone(t, zone, in.data) == DV_OK)
    for (size_t i = 0; i < t->points; i++) count += in.data[i];
  size_t each = count / MOST + 1, number = 0;
  double radius = 0.15 * mean_edge(t) * sqrt((double)each);
  for (size_t i = 0; i < t->points && count; i++)
    if (in.data[i] && number++ % each == 0) push(m, i, dv_vec3(0, 0, 0), radius);
  dv_array_free(&in);
}

static void make(dvMarks *m, const dvObject *o, unsigned version, bool zone)
{
  Search s = {.visitor = {.top_down = search_in}, .place = o};
  if (m->made && m->graph == o->node->scene->version && m->version == version) return;
  dv_visit(o->node->scene->root, &s.visitor);
  m->solver = s.found;
  m->made = true;
  m->graph = o->node->scene->version;
  m->version = version;
  m->point.count = m->offset.count = m->radius.count = 0;
  dvPlaces places = zone ? dv_zone_places(o) : dv_stimulus_places(o);
  if (zone && m->solver) at_points(m, o);
  else at_places(m, &places);
}

static void place(const dvMarks *m, bool there, dvReals *shown, dvReals *radius)
{
  const dvMuscle *t = m->solver ? dv_muscle_of(m->solver) : NULL;
  dvObject *shape = t ? dv_muscle_shape(m->solver) : NULL;
  const double *x = shape && dv_state(shape)->count == t->points ? dv_state_read(dv_state(shape), DV_X)
                    : t                                          ? t->rest
                                                                 : NULL;
  if (!dv_reals_resize(shown, m->offset.count) || !dv_reals_resize(radius, m->radius.count)) return;
  double *at = dv_reals_edit(shown), *r = dv_reals_edit(radius);
  for (size_t i = 0; i < m->point.count; i++) {
    for (size_t k = 0; k < 3; k++)
      at[3 * i + k] = m->offset.data[3 * i + k] + (x ? x[3 * (size_t)m->point.data[i] + k] : 0);
    r[i] = there ? m->radius.data[i] : 0;
  }
}

void dv_marks_follow_stimulus(dvMarks *m, const dvObject *o, unsigned version, dvReals *shown, dvReals *radius)
{
  make(m, o, version, false);
  place(m, true, shown, radius);
}

void dv_marks_follow_zone(dvMarks *m, const dvObject *o, unsigned version, bool there, dvReals *shown, dvReals *radius)
{
  make(m, o, version, true);
  place(m, there, shown, radius);
}

void dv_marks_free(dvMarks *m)
{
  dv_array_free(&m->point);
  dv_array_free(&m->offset);
  dv_array_free(&m->radius);
}

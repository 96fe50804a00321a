// Equalities that say the same twice, or two things that cannot both be: points that are tied to each other, or held,
// more than once. Told before the first step; what follows from several others only the solver can see.
#include "app/lint.h"

#include "constraint/lagrangian/classes.h"
#include "constraint/lagrangian/model.h"

#include <math.h>
#include <stdlib.h>

typedef struct Tie {
  const dvObject *object;
  const dvState *state[2];   // NULL: held in space
  int32_t point[2];
  const double *rest;   // NULL: zero
  double sign;          // of `rest`, where the two were exchanged
  size_t number;
} Tie;

typedef struct Ties {
  dvVisitor visitor;
  DV_ARRAY(Tie) all;
} Ties;

static const void *value(const dvObject *o, const char *field) { return dv_object_field(o, field)->value; }

static void add(Ties *t, Tie tie)
{
  bool later =
      tie.state[0] == tie.state[1] ? tie.point[0] > tie.point[1] : (uintptr_t)tie.state[0] > (uintptr_t)tie.state[1];
  if (tie.state[1] && later) {
    const dvState *s = tie.state[0];
    int32_t p = tie.point[0];
    tie.state[0] = tie.state[1], tie.state[1] = s;
    tie.point[0] = tie.point[1], tie.point[1] = p;
    tie.sign = -1;
  }
  tie.number = t->all.count;
  dv_push(&t->all, tie);
}

static void add_bilateral(Ties *t, const dvObject *o)
{
  const dvConstraintModel *m = (const dvConstraintModel *)o;
  const dvInts *first = value(o, "first_point"), *second = value(o, "second_point");
  const dvReals *rest = value(o, "rest_vector");
  size_t width = (size_t)o->dof->deriv, count = dv_min_size(first->count, second->count);
  if (!*(const bool *)value(o, "activate") || *(const bool *)value(o, "keepOrientationDifference")) return;
  for (size_t i = 0; i < count; i++)
    add(t, (Tie){.object = o,
                 .state = {m->first, m->second},
                 .point = {first->data[i], second->data[i]},
                 .rest = rest->count >= width * (i + 1) ? rest->data + width * i : NULL,
                 .sign = 1});
}

static void add_fixed(Ties *t, const dvObject *o)
{
  const dvConstraintModel *m = (const dvConstraintModel *)o;
  const dvInts *indices = value(o, "indices");
  bool all = *(const bool *)value(o, "fixAll");
  for (size_t i = 0; i < (all ? m->first->count : indices->count); i++)
    add(t, (Tie){.object = o, .state = {m->first}, .point = {all ? (int32_t)i : indices->data[i]}, .sign = 1});
}

static dvWalk look(dvVisitor *v, dvNode *node)
{
  for (size_t i = 0; i < node->objects.count; i++) {
    const dvObject *o = node->objects.data[i];
    const dvConstraintModel *m = (const dvConstraintModel *)o;
    if (o->failed) continue;
    if (o->cls == &dv_bilateral_class && m->first && m->second) add_bilateral((Ties *)v, o);
    if (o->cls == &dv_fixed_lagrangian_class && m->first) add_fixed((Ties *)v, o);
  }
  return DV_WALK_ON;
}

static int compare(const void *x, const void *y)
{
  const Tie *a = x, *b = y;
  for (int k = 0; k < 2; k++) {
    if (a->state[k] != b->state[k]) return (uintptr_t)a->state[k] < (uintptr_t)b->state[k] ? -1 : 1;
    if (a->point[k] != b->point[k]) return a->point[k] < b->point[k] ? -1 : 1;
  }
  return a->number < b->number ? -1 : a->number > b->number;
}

static int by_number(const void *x, const void *y)
{
  const Tie *const *a = x, *const *b = y;
  return (*a)->number < (*b)->number ? -1 : 1;
}

static bool same(const Tie *a, const Tie *b)
{
  return a->state[0] == b->state[0] && a->state[1] == b->state[1] && a->point[0] == b->point[0] &&
         a->point[1] == b->point[1];
}

static bool contradict(const Tie *a, const Tie *b)
{
  for (int k = 0; k < a->object->dof->deriv; k++) {
    double p = a->rest ? a->sign * a->rest[k] : 0, q = b->rest ? b->sign * b->rest[k] : 0;
    if (fabs(p - q) > 1e-12 * (fabs(p) + fabs(q))) return true;
  }
  return false;
}

static void tell(const Tie *a, const Tie *again)
{
  if (!a->state[1]) {
    dv_note(again->object, "point %d of %s is held twice, also by %s: once is enough", a->point[0],
            a->state[0]->base.name, a->object->name);
    return;
  }
  if (contradict(a, again))
    dv_warning(again->object, "leave one of them away, or give both the same rest_vector",
               "it contradicts %s, which ties the same points with another rest_vector: both cannot hold",
               a->object->name);
  else
    dv_note(again->object, "it ties points that %s has tied: once is enough, twice takes more iterations",
            a->object->name);
}

void dv_lint_ties(dvScene *scene)
{
  Ties t = {.visitor = {.top_down = look}};
  DV_ARRAY(const Tie *) again = {0};
  dv_visit(scene->root, &t.visitor);
  if (t.all.count) qsort(t.all.data, t.all.count, sizeof *t.all.data, compare);
  for (size_t i = 1; i < t.all.count; i++)
    if (same(&t.all.data[i - 1], &t.all.data[i])) dv_push(&again, &t.all.data[i]);
  if (again.count) qsort(again.data, again.count, sizeof *again.data, by_number);
  const dvObject *told = NULL;   // once for each object
  for (size_t i = 0; i < again.count; i++) {
    if (again.data[i]->object != told) tell(again.data[i] - 1, again.data[i]);
    told = again.data[i]->object;
  }
  dv_array_free(&again);
  dv_array_free(&t.all);
}

// What the statistics of the viewer show. See inside.h.
#include "view/inside.h"

#include "collision/collision.h"
#include "constraint/lagrangian/problem.h"
#include "mechanics/mechanics.h"
#include "scene/plan.h"
#include "scene/timer.h"
#include "topology/topology.h"

#include <math.h>
#include <string.h>

enum { WATCHES = 16, STEPS = 200, TOUCHES = 50, SOLVE = 5 };   // SOLVE: numbers of a step in `solves`

static json_t *real_or_null(double value) { return isfinite(value) ? json_real(value) : json_null(); }

static double watched_value(dvSession *s, const dvWatch *w)
{
  dvObject *o = dv_view_find(s, w->path);
  dvField *f = o ? dv_object_field(o, w->field) : NULL;
  if (!f || dv_field_pull(f) != DV_OK) return NAN;
  switch (f->desc->type) {
  case DV_T_BOOL:
    return *(bool *)f->value;
  case DV_T_INT:
  case DV_T_CHOICE:
    return *(int32_t *)f->value;
  case DV_T_REAL:
  case DV_T_VEC:
  case DV_T_COLOUR:
  case DV_T_COORD:
  case DV_T_DERIV:
    return w->index < (size_t)f->width ? ((double *)f->value)[w->index] : NAN;
  case DV_T_REALS:
  case DV_T_COORDS:
  case DV_T_DERIVS:
    return w->index < ((dvReals *)f->value)->count ? ((dvReals *)f->value)->data[w->index] : NAN;
  case DV_T_INTS:
    return w->index < ((dvInts *)f->value)->count ? ((dvInts *)f->value)->data[w->index] : NAN;
  default:
    return NAN;
  }
}

json_t *dv_view_rows(const double *values, size_t count, size_t width)
{
  json_t *rows = json_array();
  for (size_t i = 0; i + width <= count; i += width) {
    json_t *row = json_array();
    for (size_t k = 0; k < width; k++) json_array_append_new(row, real_or_null(values[i + k]));
    json_array_append_new(rows, row);
  }
  return rows;
}

// --- the solver of constraints -------------------------------------------------------------------

typedef struct SolverFinder {
  dvVisitor visitor;
  dvObject *found;
} SolverFinder;

static dvWalk find_solver(dvVisitor *v, dvNode *node)
{
  SolverFinder *f = (SolverFinder *)v;
  dvObject *o = f->found ? NULL : dv_node_find(node, DV_ROLE_CONSTRAINT_SOLVER);
  if (o && !o->failed && ((const dvConstraintSolverOps *)dv_ops(o, DV_ROLE_CONSTRAINT_SOLVER))->problem) f->found = o;
  return f->found ? DV_WALK_PRUNE : DV_WALK_ON;
}

// NULL: nothing solves constraints
static dvObject *solver_of(dvSession *s)
{
  SolverFinder f = {.visitor = {.top_down = find_solver}};
  dv_visit(s->scene->root, &f.visitor);
  return f.found;
}

static const dvConstraintProblem *problem_of(dvObject *solver)
{
  return ((const dvConstraintSolverOps *)dv_ops(solver, DV_ROLE_CONSTRAINT_SOLVER))->problem(solver);
}

static void record_solve(dvSession *s)
{
  dvObject *solver = solver_of(s);
  if (!solver) return;
  const dvConstraintProblem *p = problem_of(solver);
  double most = 0, dt = s->scene->root->dt;
  for (size_t i = 0; i < p->rows; i++) most = fmax(most, fabs(p->lambda.data[i]));
  const double row[SOLVE] = {s->scene->root->time, (double)p->rows, (double)p->history.count,
                             p->history.count ? p->history.data[p->history.count - 1] : 0, dt > 0 ? most / dt : 0};
  for (int i = 0; i < SOLVE; i++) dv_push(&s->solves, row[i]);
}

static json_t *solves(dvSession *s)
{
  dvObject *solver = solver_of(s);
  if (!solver) return json_null();
  const dvConstraintProblem *p = problem_of(solver);
  json_t *m = json_object(), *list = json_array();
  for (size_t i = 0; i < p->history.count && i < 1000; i++)
    json_array_append_new(list, real_or_null(p->history.data[i]));
  char *path = dv_object_path(solver);
  dv_view_put_text(m, "path", path);
  dv_free(path);
  json_object_set_new(m, "values", list);
  size_t skipped = s->solves.count > SOLVE * STEPS ? s->solves.count - SOLVE * STEPS : 0;
  json_object_set_new(m, "steps", dv_view_rows(s->solves.data + skipped, s->solves.count - skipped, SOLVE));
  return m;
}

void dv_view_record_step(dvSession *s, double seconds)
{
  s->stats_steps++;
  if (s->stats_steps > 1000) return;   // nobody asks
  dv_push(&s->step_times, s->scene->root->time);
  dv_push(&s->step_times, 1e3 * seconds);
  record_solve(s);
  dv_view_record_robot(s);
  if (!s->watches.count) return;
  dv_push(&s->watched, s->scene->root->time);
  for (size_t i = 0; i < s->watches.count; i++) dv_push(&s->watched, watched_value(s, &s->watches.data[i]));
}

void dv_view_clear_stats(dvSession *s)
{
  s->stats_steps = s->packed = 0;
  s->pack_time = 0;
  s->after_frame = s->between_frames = (dvStepCost){0};
  s->step_times.count = s->watched.count = s->solves.count = s->robot.count = 0;
  dv_timers_clear(s->context->timers);
}

static void add_timers(json_t *out, const dvTimers *t, int index, const char *prefix, double per_step)
{
  for (int i = index; i >= 0; i = t->list.data[i].next) {
    const dvTimer *timer = &t->list.data[i];
    if (timer->count == 0) continue;
    char *name = dv_format("%s%s%s", prefix, *prefix ? "/" : "", timer->name);
    json_object_set_new(out, name, real_or_null(1e3 * dv_timer_seconds(t, i) * per_step));
    add_timers(out, t, timer->first_child, name, per_step);
    dv_free(name);
  }
}

static json_t *energies(dvSession *s)
{
  double kinetic = 0, potential = 0;
  dvMech m = {.x = DV_X,
              .v = DV_V,
              .f = DV_F,
              .dx = DV_DX,
              .df = DV_DF,
              .dt = s->scene->root->dt,
              .time = s->scene->root->time};
  memcpy(m.gravity, s->scene->root->gravity, sizeof m.gravity);
  dv_mech_energy(s->scene->plan, &m, &kinetic, &potential);
  json_t *e = json_object();
  json_object_set_new(e, "kinetic", real_or_null(kinetic));
  json_object_set_new(e, "potential", real_or_null(potential));
  return e;
}

typedef struct Collector {
  dvVisitor visitor;
  json_t *convergence;
  size_t counts[DV_ELEMENT_KINDS];
  json_t *inventory;
} Collector;

static void count_more(json_t *inventory, const char *what, size_t count)
{
  if (count)
    json_object_set_new(inventory, what,
                        json_integer(json_integer_value(json_object_get(inventory, what)) + (json_int_t)count));
}

// the collision primitives of a model: "collision spheres"
static void count_primitives(json_t *inventory, const dvObject *o)
{
  char *name = dv_format("collision %s", ((const dvCollisionModel *)o)->primitives);
  count_more(inventory, name, dv_collision_model_count(o));
  dv_free(name);
}

static dvWalk collect(dvVisitor *v, dvNode *node)
{
  Collector *c = (Collector *)v;
  for (size_t i = 0; i < node->objects.count; i++) {
    dvObject *o = node->objects.data[i];
    if (o->failed) continue;
    if (dv_plays(o, DV_ROLE_COLLISION_MODEL)) count_primitives(c->inventory, o);
    if (dv_plays(o, DV_ROLE_TOPOLOGY))
      for (int k = 0; k < DV_ELEMENT_KINDS; k++) {
        // edges and faces that only follow from larger elements are not counted (nor made)
        dvTopology *t = dv_topology(o);
        const dvInts *given =
            k == DV_EDGE || k == DV_TRIANGLE || k == DV_QUAD ? dv_topology_given(t, (dvElementKind)k) : NULL;
        c->counts[k] += k == DV_POINT ? dv_topology_point_count(t)
                        : given       ? dv_ints_size(given)
                        : k > DV_QUAD ? dv_topology_count(t, (dvElementKind)k)
                                      : 0;
      }
    const dvLinearSolverOps *solver = dv_ops(o, DV_ROLE_LINEAR_SOLVER);
    if (!solver || !solver->residuals || json_array_size(c->convergence) >= 8) continue;
    const dvReals *values = solver->residuals(o);
    json_t *list = json_array(), *row = json_object();
    for (size_t k = 0; k < values->count && k < 1000; k++) json_array_append_new(list, real_or_null(values->data[k]));
    char *path = dv_object_path(o);
    json_t *name = json_string(path);
    json_object_set_new(row, "path", name ? name : json_string(""));
    json_object_set_new(row, "values", list);
    json_array_append_new(c->convergence, row);
    dv_free(path);
  }
  return DV_WALK_ON;
}

// who touches whom: the models, how many contacts, the deepest, and how hard
static json_t *touches(const dvScene *scene)
{
  json_t *list = json_array();
  dvTouch touch;
  for (size_t i = 0; i < TOUCHES && dv_scene_touch(scene, i, &touch); i++) {
    double least = INFINITY;
    for (size_t k = 0; k < touch.count; k++) least = fmin(least, touch.contacts[k].distance);
    json_t *row = json_object();
    char *first = dv_object_path(&touch.model[0]->base), *second = dv_object_path(&touch.model[1]->base);
    dv_view_put_text(row, "first", first);
    dv_view_put_text(row, "second", second);
    dv_free(first), dv_free(second);
    json_object_set_new(row, "count", json_integer((json_int_t)touch.count));
    json_object_set_new(row, "distance", real_or_null(least));
    json_object_set_new(row, "force", touch.since < 0 ? json_null() : real_or_null(touch.force));
    json_object_set_new(row, "since", json_integer(touch.since));
    json_array_append_new(list, row);
  }
  return list;
}

json_t *dv_view_stats(dvSession *s)
{
  json_t *m = json_object(), *timers = json_object(), *inventory = json_object();
  Collector c = {.visitor = {.top_down = collect}, .convergence = json_array(), .inventory = inventory};
  dv_visit(s->scene->root, &c.visitor);
  if (s->context->timers->list.count) add_timers(timers, s->context->timers, 0, "", 1.0 / (double)s->stats_steps);
  for (int k = 0; k < DV_ELEMENT_KINDS; k++)
    if (c.counts[k])
      json_object_set_new(inventory, k == DV_POINT ? "points" : dv_element_name((dvElementKind)k),
                          json_integer((json_int_t)c.counts[k]));
  size_t freedoms = 0;
  for (size_t i = 0; i < s->scene->plan->independent.count; i++) {
    const dvState *state = dv_state(s->scene->plan->independent.data[i]);
    freedoms += dv_state_scalars(state, DV_V);
  }
  json_object_set_new(inventory, "degrees of freedom", json_integer((json_int_t)freedoms));
  json_object_set_new(m, "is", json_string("stats"));
  size_t skipped =
      s->step_times.count > 2 * STEPS ? s->step_times.count - 2 * STEPS : 0;   // the last ones, when there are many
  json_object_set_new(m, "steps", dv_view_rows(s->step_times.data + skipped, s->step_times.count - skipped, 2));
  json_object_set_new(m, "timers", timers);
  json_object_set_new(m, "energy", energies(s));
  json_object_set_new(m, "convergence", c.convergence);
  json_object_set_new(m, "constraints", solves(s));
  json_object_set_new(m, "robot", dv_view_robot(s));
  json_object_set_new(m, "watch", dv_view_rows(s->watched.data, s->watched.count, s->watches.count + 1));
  json_object_set_new(m, "inventory", inventory);
  json_object_set_new(m, "touches", touches(s->scene));
  const dvStepCost *after = &s->after_frame, *between = &s->between_frames;
  json_object_set_new(m, "pictures",
                      json_pack("{s:I, s:f, s:[I, f], s:[I, f]}", "count", (json_int_t)s->packed, "ms",
                                1e3 * s->pack_time, "after", (json_int_t)after->steps, 1e3 * after->time, "between",
                                (json_int_t)between->steps, 1e3 * between->time));
  dv_view_clear_stats(s);
  return m;
}

json_t *dv_view_watch(dvSession *s, json_t *items)
{
  if (!json_is_array(items) || json_array_size(items) > WATCHES)
    return dv_view_error(NULL, "items is a list of at most %d fields", WATCHES);
  for (size_t i = 0; i < s->watches.count; i++) dv_free(s->watches.data[i].path), dv_free(s->watches.data[i].field);
  s->watches.count = s->watched.count = 0;
  size_t i;
  json_t *item;
  json_array_foreach(items, i, item)
  {
    const char *path = json_string_value(json_object_get(item, "path")),
               *field = json_string_value(json_object_get(item, "field"));
    json_int_t index = json_integer_value(json_object_get(item, "index"));
    if (path && field && index >= 0)
      dv_push(&s->watches, ((dvWatch){dv_strdup(path), dv_strdup(field), (size_t)index}));
  }
  return dv_view_ok();
}

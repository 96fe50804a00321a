// What animation loops share: the order of the solvers, and what happens around them. See loop.h.
#include "ode/loop.h"

#include "mechanics/mechanics.h"
#include "scene/live.h"
#include "scene/timer.h"

#include <math.h>
#include <string.h>

// --- integration: solvers and outside forces in the order of the graph ---------------------------

typedef struct Collector {
  dvVisitor visitor;
  dvIntegration *list;
} Collector;

static bool is_interaction(const dvObject *o)
{
  const dvForceOps *ops = dv_ops(o, DV_ROLE_FORCE);
  return ops && ops->between;
}

static void collect(dvIntegration *list, const dvNode *node, bool (*fits)(const dvObject *o), bool first_only)
{
  size_t before = list->items.count;
  for (size_t i = 0; i < node->objects.count; i++) {
    dvObject *o = node->objects.data[i];
    if (o->failed || !fits(o) || !dv_object_has_tags(o, &list->tags)) continue;
    if (!first_only || list->items.count == before) dv_push(&list->items, ((dvIntegrationItem){.object = o}));
  }
}

static bool is_solver(const dvObject *o) { return dv_plays(o, DV_ROLE_ODE); }

static dvWalk collect_integration(dvVisitor *v, dvNode *node)
{
  dvIntegration *list = ((Collector *)v)->list;
  size_t before = list->items.count;
  if (node->leader) return DV_WALK_PRUNE;   // another solver has it in its system
  collect(list, node, is_solver, list->one_by_one);
  if (list->items.count > before) return DV_WALK_PRUNE;   // a solver takes over everything below it
  collect(list, node, is_interaction, false);
  *dv_address_map_at(&list->outside, node, 0) = (int32_t)list->nodes.count;
  dv_push(&list->nodes, ((dvIntegrationNode){node, list->items.count}));
  return DV_WALK_ON;
}

static void empty(dvIntegration *list)
{
  for (size_t i = 0; i < list->items.count; i++) dv_plan_destroy(&list->items.data[i].plan);
  list->items.count = list->nodes.count = list->live.count = 0;
  dv_address_map_clear(&list->outside);
  list->live_version = 0;
}

// live forces behind those of the graph that stand in the same node, in the order of their groups
static void place_live(dvIntegration *list, const dvScene *scene)
{
  if (list->live_version == scene->live_version) return;
  list->live_version = scene->live_version;
  list->live.count = 0;
  for (size_t g = 0; g < scene->live.count; g++)
    for (size_t i = 0; i < scene->live.data[g]->objects.count; i++) {
      dvObject *o = scene->live.data[g]->objects.data[i];
      int32_t at = dv_address_map_find(&list->outside, o->node, 0);
      if (at < 0 || !o->cls->ops[DV_ROLE_FORCE] || !dv_object_has_tags(o, &list->tags)) continue;
      size_t k = list->live.count, end = list->nodes.data[at].end;
      dv_push(&list->live, ((dvIntegrationForce){o, end}));
      for (; k > 0 && list->live.data[k - 1].end > end; k--) {   // mostly they all stand in one node
        list->live.data[k] = list->live.data[k - 1];
        list->live.data[k - 1] = (dvIntegrationForce){o, end};
      }
    }
}

void dv_integration_refresh(dvIntegration *list, dvNode *root)
{
  if (list->version == root->scene->version && list->root == root) {
    place_live(list, root->scene);
    return;
  }
  list->version = root->scene->version;
  list->root = root;
  empty(list);
  Collector c = {.visitor = {.top_down = collect_integration}, .list = list};
  dv_visit(root, &c.visitor);
  place_live(list, root->scene);
}

void dv_integration_set_tag(dvIntegration *list, const char *tag)
{
  dv_strings_free(&list->tags);
  dv_strings_push(&list->tags, tag, strlen(tag));
  list->root = NULL;
}

// the end of a solver's own step: its subgraph gets its boundary conditions and passes the new state on
static void settle(dvIntegrationItem *item, double next)
{
  dvPlan *plan = dv_plan_get(&item->plan, item->object->node);
  dv_mech_settle(plan, DV_X, DV_V, next);
  dv_loop_clear_external(plan);
}

static void push_outside(dvObject *force, const dvNode *root, double dt)
{
  dvMech m = {.x = DV_X, .v = DV_V, .f = DV_F_EXTERNAL, .dx = DV_DX, .df = DV_DF, .dt = dt, .time = root->time, .k = 1};
  memcpy(m.gravity, force->node->gravity, sizeof m.gravity);
  ((const dvForceOps *)dv_ops(force, DV_ROLE_FORCE))->add_force(force, &m);
}

dvStatus dv_integrate(dvIntegration *list, dvNode *root, double dt, int x, int v, bool outside_forces)
{
  dv_integration_refresh(list, root);
  size_t next = 0;
  for (size_t i = 0; i <= list->items.count; i++) {
    for (; next < list->live.count && list->live.data[next].end == i; next++)
      if (outside_forces) push_outside(list->live.data[next].object, root, dt);
    if (i == list->items.count) break;
    dvObject *o = list->items.data[i].object;
    if (is_solver(o)) {
      DV_TRY(((const dvOdeOps *)dv_ops(o, DV_ROLE_ODE))->solve(o, dt, x, v));
      if (list->one_by_one) settle(&list->items.data[i], o->node->time + dt);
    } else if (outside_forces) {
      push_outside(o, root, dt);
    }
  }
  return DV_OK;
}

void dv_integration_free(dvIntegration *list)
{
  empty(list);
  dv_array_free(&list->items);
  dv_array_free(&list->nodes);
  dv_array_free(&list->live);
  dv_address_map_free(&list->outside);
  dv_strings_free(&list->tags);
}

bool dv_loop_has_turn(const dvObject *loop, const dvObject *solver)
{
  if (!loop || !((const dvLoopOps *)dv_ops(loop, DV_ROLE_LOOP))->by_tags) return false;
  for (size_t i = 0; i < loop->tags.count; i++)
    if (dv_object_has_tag(solver, loop->tags.data[i])) return true;
  return false;
}

// --- what every loop does around it --------------------------------------------------------------

dvStatus dv_loop_check(dvScene *scene)
{
  const dvPlan *plan = scene->plan;
  static const struct {
    int id;
    const char *name;
  } vectors[] = {{DV_X, "position"}, {DV_V, "velocity"}};
  for (size_t i = 0; i < plan->states.count; i++) {
    dvState *s = dv_state(plan->states.data[i]);
    for (size_t k = 0; k < DV_COUNT(vectors); k++) {
      long bad = dv_state_first_bad(s, vectors[k].id);
      if (bad < 0) continue;
      int width = dv_state_width(s, vectors[k].id);
      dvText text = {0}, advice = {0};
      dv_text_printf(&text, "diverged in step %ld: the %s of point %ld %s", scene->step + 1, vectors[k].name,
                     bad / width,
                     isfinite(dv_state_read(s, vectors[k].id)[bad]) ? "exceeds all bounds" : "is no longer finite");
      dv_loop_explain(scene, s, &text, &advice);
      char *path = dv_object_path(&s->base);
      dv_log_send(&scene->context->log, &(dvMessage){.level = DV_ERROR,
                                                     .status = DV_ERROR_DIVERGED,
                                                     .place = s->base.place,
                                                     .path = path,
                                                     .text = text.text,
                                                     .advice = advice.text});
      dv_free(path);
      dv_text_free(&text);
      dv_text_free(&advice);
      return DV_ERROR_DIVERGED;
    }
  }
  dv_loop_keep_good(scene);
  return DV_OK;
}

void dv_loop_touch(dvScene *scene)
{
  for (size_t i = 0; i < scene->plan->states.count; i++) {
    dvState *s = dv_state(scene->plan->states.data[i]);
    dv_state_touch(s, DV_X);
    dv_state_touch(s, DV_V);
  }
}

void dv_loop_clear_external(const dvPlan *plan)
{
  for (size_t i = 0; i < plan->states.count; i++) {
    dvState *s = dv_state(plan->states.data[i]);
    if (dv_state_has(s, DV_F_EXTERNAL))
      memset(dv_state_write(s, DV_F_EXTERNAL), 0, dv_state_scalars(s, DV_F_EXTERNAL) * sizeof(double));
  }
}

void dv_loop_update_visual(dvScene *scene)
{
  const dvPlan *plan = scene->plan;
  dvTimers *timers = scene->context->timers;
  for (size_t i = 0; i < plan->visual_mappings.count; i++) {
    dvObject *o = plan->visual_mappings.data[i];
    dv_timer_begin_fine(timers, o->cls->name);
    ((const dvMappingOps *)dv_ops(o, DV_ROLE_MAPPING))->apply(o, DV_X, DV_X);
    dv_timer_end_fine(timers);
  }
  for (size_t i = 0; i < plan->visuals.count; i++) {
    dvObject *o = plan->visuals.data[i];
    const dvVisualOps *ops = dv_ops(o, DV_ROLE_VISUAL);
    if (!ops->update) continue;
    dv_timer_begin_fine(timers, o->cls->name);
    ops->update(o);
    dv_timer_end_fine(timers);
  }
}

dvStatus dv_loop_start(dvObject *o)
{
  dvScene *scene = o->node->scene;
  dv_scene_refresh(scene);
  dv_mech_project_x(scene->plan, DV_X, scene->root->time);
  dv_mech_project_v(scene->plan, DV_V, scene->root->time);
  return dv_loop_resume(o);
}

// what was put back has been projected: once more might move it
dvStatus dv_loop_resume(dvObject *o)
{
  dvScene *scene = o->node->scene;
  dv_scene_refresh(scene);
  dv_mech_propagate_x(scene->plan, DV_X);
  dv_mech_propagate_v(scene->plan, DV_V);
  dv_loop_touch(scene);
  dv_loop_update_visual(scene);
  DV_TRY(dv_loop_check(scene));
  dv_scene_post(scene, scene->step);
  return DV_OK;
}

dvNode *dv_loop_node(const dvObject *o, const dvLink *target)
{
  return target->target ? (dvNode *)target->target : o->node;
}

dvStatus dv_loop_begin(dvObject *o, double dt)
{
  dvScene *scene = o->node->scene;
  dv_scene_refresh(scene);
  dv_scene_send(scene, &(dvEvent){.kind = DV_EVENT_ANIMATE_BEGIN, .dt = dt});
  if (o->context->log.recent != DV_OK) return o->context->log.recent;   // nothing has moved yet
  dv_timer_begin(o->context->timers, "engines");
  dvStatus pulled = dv_scene_pull(scene);
  dv_timer_end(o->context->timers);
  DV_TRY(pulled);
  dv_scene_refresh(scene);   // an event may have changed the graph
  return DV_OK;
}

dvStatus dv_loop_collide(dvObject *o, double dt, size_t *contacts)
{
  dvScene *scene = o->node->scene;
  size_t total = 0;
  dvStatus status = DV_OK;
  dv_scene_send(scene, &(dvEvent){.kind = DV_EVENT_COLLISION_BEGIN, .dt = dt});
  dv_timer_begin(o->context->timers, "collision");
  for (size_t i = 0; i < scene->plan->pipelines.count && status == DV_OK; i++) {
    dvObject *pipeline = scene->plan->pipelines.data[i];
    size_t found = 0;
    status = ((const dvCollisionOps *)dv_ops(pipeline, DV_ROLE_COLLISION))->collide(pipeline, dt, &found);
    total += found;
  }
  dv_timer_end(o->context->timers);
  DV_TRY(status);
  dv_scene_send(scene, &(dvEvent){.kind = DV_EVENT_COLLISION_END, .dt = dt});
  if (contacts) *contacts = total;
  dv_scene_refresh(scene);   // contacts come and go with their forces
  dv_mech_propagate_live(scene->plan, DV_X, DV_V);
  return DV_OK;
}

dvStatus dv_loop_integrate(dvObject *o, dvIntegration *list, dvNode *root, double dt)
{
  dvScene *scene = o->node->scene;
  dv_scene_send(scene, &(dvEvent){.kind = DV_EVENT_INTEGRATE_BEGIN, .dt = dt});
  dv_timer_begin(o->context->timers, "integrate");
  dvStatus status = dv_integrate(list, root, dt, DV_X, DV_V, true);
  dv_timer_end(o->context->timers);
  DV_TRY(status);
  if (!list->one_by_one) {
    double next = scene->root->time + dt;
    dv_timer_begin(o->context->timers, "propagate");
    dv_mech_settle(scene->plan, DV_X, DV_V, next);
    dv_loop_clear_external(scene->plan);
    dv_timer_end(o->context->timers);
  }
  dv_loop_touch(scene);
  dv_scene_send(scene, &(dvEvent){.kind = DV_EVENT_INTEGRATE_END, .dt = dt});
  return DV_OK;
}

dvStatus dv_loop_end_corrected(dvObject *o, double dt)
{
  dvScene *scene = o->node->scene;
  double next = scene->root->time + dt;
  dv_timer_begin(o->context->timers, "propagate");
  dv_loop_clear_external(scene->plan);
  dv_mech_settle(scene->plan, DV_X, DV_V, next);
  dv_loop_touch(scene);
  dv_timer_end(o->context->timers);
  return dv_loop_end(o, dt, next);
}

dvStatus dv_loop_end(dvObject *o, double dt, double time)
{
  dvScene *scene = o->node->scene;
  scene->root->time = time;
  dv_scene_update_context(scene);
  dv_scene_advance(scene);
  dv_scene_send(scene, &(dvEvent){.kind = DV_EVENT_ANIMATE_END, .dt = dt});
  dv_timer_begin(o->context->timers, "visual");
  dv_loop_update_visual(scene);
  dv_timer_end(o->context->timers);
  dv_timer_begin(o->context->timers, "check");
  dvStatus finite = scene->context->log.recent;   // an error that was told on the way: the step did not end well
  if (finite == DV_OK) finite = dv_loop_check(scene);
  else dv_loop_put_back(scene);
  dv_timer_end(o->context->timers);
  if (finite == DV_OK) dv_scene_post(scene, scene->step + 1);
  return finite;
}

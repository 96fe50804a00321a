// What animation loops share: the order of the solvers, and what happens around them. See loop.h.
#include "ode/loop.h"

#include "scene/timer.h"
#include "state/state.h"

#include <math.h>
#include <string.h>

// --- integration: solvers and outside forces in the order of the graph ------------------------------------------

typedef struct Collector {
  dvVisitor visitor;
  dvIntegration *list;
} Collector;

// a force between objects has a field object2
static bool is_interaction(const dvObject *o) { return dv_plays(o, DV_ROLE_FORCE) && dv_object_field(o, "object2") != NULL; }

static dvWalk collect_integration(dvVisitor *v, dvNode *node)
{
  dvIntegration *list = ((Collector *)v)->list;
  bool solved = false;
  for (size_t i = 0; i < node->objects.count; i++) {
    dvObject *o = node->objects.data[i];
    if (o->failed || !dv_plays(o, DV_ROLE_ODE)) continue;
    dv_push(&list->items, o);
    solved = true;
  }
  if (solved) return DV_WALK_PRUNE;   // a solver takes over everything below it
  for (size_t i = 0; i < node->objects.count; i++)
    if (!node->objects.data[i]->failed && is_interaction(node->objects.data[i])) dv_push(&list->items, node->objects.data[i]);
  return DV_WALK_ON;
}

static void refresh(dvIntegration *list, dvNode *root)
{
  if (list->version == root->scene->version) return;
  list->version = root->scene->version;
  list->items.count = 0;
  Collector c = {.visitor = {.top_down = collect_integration}, .list = list};
  dv_visit(root, &c.visitor);
}

dvStatus dv_integrate(dvIntegration *list, dvNode *root, double dt, int x, int v, bool outside_forces)
{
  refresh(list, root);
  for (size_t i = 0; i < list->items.count; i++) {
    dvObject *o = list->items.data[i];
    if (dv_plays(o, DV_ROLE_ODE)) {
      DV_TRY(((const dvOdeOps *)dv_ops(o, DV_ROLE_ODE))->solve(o, dt, x, v));
    } else if (outside_forces) {
      dvMech m = {.x = DV_X, .v = DV_V, .f = DV_F_EXTERNAL, .dx = DV_DX, .df = DV_DF, .dt = dt, .time = root->time, .k = 1};
      memcpy(m.gravity, o->node->gravity, sizeof m.gravity);
      ((const dvForceOps *)dv_ops(o, DV_ROLE_FORCE))->add_force(o, &m);
    }
  }
  return DV_OK;
}

void dv_integration_free(dvIntegration *list) { dv_array_free(&list->items); }

// --- what every loop does around it ---------------------------------------------------------------------------

static const char *likely_cause(const dvPlan *plan, const dvState *s)
{
  bool implicit = false;
  for (const dvNode *n = s->base.node; n; n = n->parents.count ? n->parents.data[0] : NULL) {
    const dvObject *ode = dv_node_find(n, DV_ROLE_ODE);
    if (ode) implicit = strstr(ode->cls->name, "Implicit") != NULL;
  }
  DV_UNUSED(plan);
  return implicit ? "likely: a time step or stiffness the linear solver cannot follow, an inverted element, or a force without bound"
                  : "likely: the time step is beyond the stability limit of the explicit integrator; make dt smaller or the stiffness lower";
}

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
      dvText text = {0};
      dv_text_printf(&text, "diverged in step %ld: the %s of point %ld %s", scene->step + 1, vectors[k].name, bad / width,
                     isfinite(dv_state_read(s, vectors[k].id)[bad]) ? "exceeds all bounds" : "is no longer finite");
      char *path = dv_object_path(&s->base);
      dv_log_send(&scene->context->log, &(dvMessage){.level = DV_ERROR, .status = DV_ERROR_DIVERGED, .place = s->base.place, .path = path,
                                                     .text = text.text, .advice = likely_cause(plan, s)});
      dv_free(path);
      dv_text_free(&text);
      return DV_ERROR_DIVERGED;
    }
  }
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

void dv_loop_clear_external(dvScene *scene)
{
  for (size_t i = 0; i < scene->plan->states.count; i++) {
    dvState *s = dv_state(scene->plan->states.data[i]);
    if (dv_state_has(s, DV_F_EXTERNAL))
      memset(dv_state_write(s, DV_F_EXTERNAL), 0, dv_state_scalars(s, DV_F_EXTERNAL) * sizeof(double));
  }
}

void dv_loop_update_visual(dvScene *scene)
{
  const dvPlan *plan = scene->plan;
  for (size_t i = 0; i < plan->visual_mappings.count; i++) {
    dvObject *o = plan->visual_mappings.data[i];
    ((const dvMappingOps *)dv_ops(o, DV_ROLE_MAPPING))->apply(o, DV_X, DV_X);
  }
  for (size_t i = 0; i < plan->visuals.count; i++) {
    dvObject *o = plan->visuals.data[i];
    const dvVisualOps *ops = dv_ops(o, DV_ROLE_VISUAL);
    if (ops->update) ops->update(o);
  }
}

dvStatus dv_loop_start(dvObject *o)
{
  dvScene *scene = o->node->scene;
  dv_scene_refresh(scene);
  dv_mech_project_x(scene->plan, DV_X, scene->root->time);
  dv_mech_project_v(scene->plan, DV_V, scene->root->time);
  dv_mech_propagate_x(scene->plan, DV_X);
  dv_mech_propagate_v(scene->plan, DV_V);
  dv_loop_touch(scene);
  dv_loop_update_visual(scene);
  return dv_loop_check(scene);
}

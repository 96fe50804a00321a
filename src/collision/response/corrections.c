// Bodies that contacts cannot move, told before the first step. See response.h.
#include "collision/response/response.h"
#include "scene/plan.h"

typedef struct Finder {
  dvVisitor visitor;
  bool solver;               // there is one
  const dvObject *told[8];   // bodies; others are like them
  size_t count;
} Finder;

// the node whose state moves by itself and drives the model's
static dvNode *main_node(dvNode *node)
{
  while (node && (!dv_node_state(node) || dv_node_is_mapped(node)))
    node = node->parents.count ? node->parents.data[0] : NULL;
  return node;
}

static void look_at(Finder *f, const dvCollisionModel *model)
{
  dvNode *node = model->simulated && model->active ? main_node(model->base.node) : NULL;
  if (!node || !dv_node_find_up(node, DV_ROLE_ODE) || dv_node_find_up(node, DV_ROLE_CORRECTION)) return;
  const dvObject *state = dv_node_state(node);
  for (size_t i = 0; i < f->count; i++)
    if (f->told[i] == state) return;
  if (f->count == DV_COUNT(f->told)) return;
  f->told[f->count++] = state;
  dv_warning(state, "add UncoupledConstraintCorrection or LinearSolverConstraintCorrection to its node",
             "contacts do not move %s: it has no constraint correction", state->name);
}

static dvWalk look_around(dvVisitor *v, dvNode *node)
{
  Finder *f = (Finder *)v;
  f->solver = f->solver || dv_node_find(node, DV_ROLE_CONSTRAINT_SOLVER);
  for (size_t i = 0; i < node->objects.count; i++) {
    dvObject *o = node->objects.data[i];
    if (!o->failed && dv_plays(o, DV_ROLE_COLLISION_MODEL)) look_at(f, (const dvCollisionModel *)o);
  }
  return DV_WALK_ON;
}

void dv_contact_check_corrections(const dvObject *manager)
{
  Finder f = {.visitor = {.top_down = look_around}};
  dv_visit(manager->node->scene->root, &f.visitor);
  if (!f.solver)
    dv_warning(manager, "add FreeMotionAnimationLoop and LCPConstraintSolver or BlockGaussSeidelConstraintSolver",
               "contacts by Lagrange multipliers need a constraint solver and there is none: bodies pass through each "
               "other");
}

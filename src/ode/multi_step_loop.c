// MultiStepAnimationLoop: several collision steps in one step of the scene, and several integrations after each of
// them.
//
// Each integration covers h = dt / (collisionSteps integrationSteps). Unlike in DefaultAnimationLoop only the first
// solver of a node runs, and each solver ends its own step: boundary conditions, mappings below it, external forces.
// Engines and events of the step run once. With compat sofa the time starts anew with each collision step: after it the
// scene's time has moved by integrationSteps h, and after the whole step by no more than that.
#include "ode/loop.h"

#include "object/compat.h"

#define MULTI_STEP_FIELDS(X)                                                  \
  DV_LOOP_FIELDS(X)                                                           \
  X(int, collisionSteps, "1", "", "collision steps in one step of the scene") \
  X(int, integrationSteps, "1", "", "integrations after each collision step")

typedef struct MultiStep {
  dvObject base;
  MULTI_STEP_FIELDS(DV_MEMBER)
  dvIntegration integration;
  bool sets_back;   // the time, with each collision step
} MultiStep;

#define SELF MultiStep
static const dvFieldDesc multi_step_fields[] = {MULTI_STEP_FIELDS(DV_DESCRIBE)};
#undef SELF

static dvStatus multi_step_init(dvObject *o)
{
  MultiStep *l = (MultiStep *)o;
  l->integration.one_by_one = true;
  if (l->collisionSteps < 1) return dv_field_error(o, &l->collisionSteps, NULL, "collisionSteps must be 1 at least");
  if (l->integrationSteps < 1)
    return dv_field_error(o, &l->integrationSteps, NULL, "integrationSteps must be 1 at least");
  l->sets_back = l->collisionSteps > 1 && dv_compat(o, DV_COMPAT_MULTI_STEP_CLOCK);
  return DV_OK;
}

static dvStatus multi_step_step(dvObject *o, double dt)
{
  MultiStep *l = (MultiStep *)o;
  dvScene *scene = o->node->scene;
  dvNode *node = dv_loop_node(o, &l->targetNode);
  double start = scene->root->time, h = dt / ((double)l->collisionSteps * l->integrationSteps);
  DV_TRY(dv_loop_begin(o, dt));
  for (int c = 0; c < l->collisionSteps; c++) {
    DV_TRY(dv_loop_collide(o, dt, NULL));
    for (int i = 0; i < l->integrationSteps; i++) {
      DV_TRY(dv_loop_integrate(o, &l->integration, node, h));
      scene->root->time = start + ((l->sets_back ? 0 : c * l->integrationSteps) + i + 1) * h;
      dv_scene_update_context(scene);
      if (c + 1 < l->collisionSteps || i + 1 < l->integrationSteps) dv_scene_advance(scene);   // the last one below
    }
  }
  return dv_loop_end(o, dt, scene->root->time);
}

static void multi_step_destroy(dvObject *o) { dv_integration_free(&((MultiStep *)o)->integration); }

static const dvLoopOps multi_step_ops = {.step = multi_step_step, .start = dv_loop_start, .resume = dv_loop_resume};

const dvClass dv_multi_step_loop_class = {
    .struct_size = sizeof(dvClass),
    .name = "MultiStepAnimationLoop",
    .aliases = "MultiStepMasterSolver",
    .help = "several collision steps and several integrations in each step of the scene",
    .module = "Sofa.Component.AnimationLoop",
    .size = sizeof(MultiStep),
    .blocks = {&dv_object_block, DV_BLOCK(multi_step_fields)},
    .ops = {[DV_ROLE_LOOP] = &multi_step_ops},
    .init = multi_step_init,
    .destroy = multi_step_destroy,
};

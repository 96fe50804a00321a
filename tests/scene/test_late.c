// Scenes that a program builds piece by piece, and what comes into them after they were initialised.
#include "support/check.h"

#include "app/divan.h"
#include "io/scene/scene_build.h"
#include "scene/late.h"
#include "state/state.h"

static dvObject *add(dvNode *node, const char *type, const char *const *pairs)
{
  dvAttributes a = {0};
  for (; *pairs; pairs += 2) dv_attribute_add(&a, pairs[0], pairs[1], (dvPlace){"program", 7});
  dvObject *o = dv_build_create(node, type, &a, (dvPlace){"program", 7});
  assert_non_null(o);
  assert_int_equal(dv_build_read(o), DV_OK);
  return o;
}
#define ADD(node, type, ...) add(node, type, (const char *const[]){__VA_ARGS__, NULL})
#define PLAIN(node, type) add(node, type, (const char *const[]){NULL})

static dvContext *context;
static dvScene *build(void)
{
  context = dv_divan_create(1);
  dvScene *s = dv_scene_create(context);
  PLAIN(s->root, "EulerExplicitSolver");
  // before its state: it takes the template when the scene is complete, and keeps its numbers
  ADD(s->root, "ConstantForceField", "name", "push", "indices", "0", "forces", "1 0 0");
  ADD(s->root, "MechanicalObject", "name", "dofs", "position", "0 0 0", "template", "Vec3d");
  ADD(s->root, "UniformMass", "totalMass", "2");
  return s;
}

static void done(dvScene **s)
{
  dv_scene_destroy(s);
  dv_divan_destroy(&context);
}

static const double *position(dvScene *s, const char *path)
{
  dvObject *o = dv_link_find(&s->root->base, path, DV_ROLE_ANY);
  assert_non_null(o);
  return dv_state_read(dv_state(o), DV_X);
}

static void templates_follow_a_state_that_comes_later(void **state)
{
  DV_UNUSED(state);
  context = dv_divan_create(1);
  dvScene *s = dv_scene_create(context);
  dvObject *push = ADD(s->root, "ConstantForceField", "indices", "0");
  ADD(s->root, "MechanicalObject", "template", "Rigid3d", "position", "0 0 0 0 0 0 1");
  assert_int_equal(push->dof->kind, DV_VEC3);
  assert_int_equal(dv_build_settle(s), DV_OK);
  assert_int_equal(push->dof->kind, DV_RIGID3);
  done(&s);
}

static void what_comes_late_takes_part_and_is_reset(void **state)
{
  DV_UNUSED(state);
  dvScene *s = build();
  assert_int_equal(dv_build_settle(s), DV_OK);
  assert_int_equal(dv_scene_init(s), DV_OK);
  assert_int_equal(dv_scene_step(s, 0), DV_OK);
  dvNode *body = dv_build_node(s->root, "body", (dvPlace){"program", 9});
  ADD(body, "MechanicalObject", "name", "dofs", "position", "5 0 0");
  ADD(body, "UniformMass", "totalMass", "1");
  dvObject *off = ADD(s->root, "ConstantForceField", "indices", "0", "forces", "-1 0 0");
  assert_int_equal(dv_scene_init_late(s, true), DV_OK);
  assert_true(off->initialised);
  for (int i = 0; i < 5; i++) assert_int_equal(dv_scene_step(s, 0), DV_OK);
  assert_true(position(s, "/body/dofs")[1] < 0);
  dv_scene_reset(s);
  assert_true(position(s, "/dofs")[0] == 0 && position(s, "/dofs")[1] == 0);
  assert_true(position(s, "/body/dofs")[0] == 5 && position(s, "/body/dofs")[1] == 0);
  dv_scene_bury(s, &body->base);   // what is gone is not asked for what it remembers
  for (int i = 0; i < 3; i++) assert_int_equal(dv_scene_step(s, 0), DV_OK);
  dv_scene_reset(s);
  assert_true(position(s, "/dofs")[1] == 0);
  done(&s);
}

static void mistakes_are_told(void **state)
{
  DV_UNUSED(state);
  dvScene *s = build();
  context->log.threshold = DV_ERROR + 1;
  dvAttributes none = {0};
  assert_null(dv_build_create(s->root, "Nonsense", &none, (dvPlace){"program", 3}));
  assert_int_equal(context->log.worst, DV_ERROR_UNKNOWN);
  dvNode *n = s->root;
  while (dv_node_depth(n) < DV_DEPTH_LIMIT) n = dv_build_node(n, "deep", (dvPlace){0});
  assert_null(dv_build_node(n, "deeper", (dvPlace){0}));
  done(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(templates_follow_a_state_that_comes_later),
                                     cmocka_unit_test(what_comes_late_takes_part_and_is_reset),
                                     cmocka_unit_test(mistakes_are_told)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

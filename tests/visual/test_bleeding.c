// Blood on a surface and smoke above it: what comes out stays, runs down and dries; puffs rise as they are told; both
// are the same after a reset and in every run.
#include "support/check.h"

#include "app/divan.h"
#include "io/scene/scene_file.h"
#include "scene/node.h"
#include "visual/bleeding.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct Stage {
  dvContext *context;
  dvScene *scene;
} Stage;

static Stage open_scene(const char *inside)
{
  Stage s = {.context = dv_divan_create(1)};
  char *text = dv_format("<Node gravity='0 -9.81 0' dt='0.01'><DefaultAnimationLoop/>%s</Node>", inside);
  assert_int_equal(dv_scene_parse(s.context, "test.scn", text, strlen(text), &s.scene), DV_OK);
  assert_int_equal(dv_scene_init(s.scene), DV_OK);
  dv_free(text);
  return s;
}

static void close_scene(Stage *s)
{
  dv_scene_destroy(&s->scene);
  dv_divan_destroy(&s->context);
}

static void run(Stage *s, int steps)
{
  for (int i = 0; i < steps; i++) assert_int_equal(dv_scene_step(s->scene, 0.01), DV_OK);
}

static const dvReals *numbers(const Stage *s, const char *object, const char *field)
{
  dvObject *o = dv_node_object(s->scene->root, object);
  assert_non_null(o);
  dvField *f = dv_object_field(o, field);
  assert_non_null(f);
  dv_field_pull(f);
  return f->value;
}

// an upright wall of 8 x 8 squares of 0.1 m
#define WALL "<RegularGridTopology name='g' n='9 9 1' min='0 0 0' max='0.8 0.8 0'/><OglModel name='wall' src='@g'/>"
#define BLOOD(more) WALL "<BleedingDecal name='b' cut='0.3 0.6 0  0.5 0.6 0' width='0.01' rate='1e-5' " more "/>"

static double total(const dvReals *v)
{
  double sum = 0;
  for (size_t i = 0; i < v->count; i++) sum += v->data[i];
  return sum;
}

static double height(const Stage *s)
{
  const dvReals *v = numbers(s, "b", "volume"), *x = numbers(s, "wall", "position");
  double sum = 0;
  for (size_t i = 0; i < v->count; i++) sum += v->data[i] * x->data[3 * i + 1];
  return sum / total(v);
}

static void test_blood(void **state)
{
  DV_UNUSED(state);
  Stage s = open_scene(BLOOD("flow='0.3' spread='1e-4'"));
  run(&s, 100);
  const dvReals *v = numbers(&s, "b", "volume");
  assert_int_equal(v->count, 81);
  check_close(total(v), 1e-5 * 1.0, 1e-15);   // nothing is lost or made
  double first = height(&s);
  assert_true(first < 0.6);
  for (size_t i = 0; i < v->count; i++) assert_true(v->data[i] >= 0);
  run(&s, 200);
  check_close(total(numbers(&s, "b", "volume")), 3e-5, 1e-14);
  assert_true(height(&s) < first);   // it runs down
  const dvReals *paint = numbers(&s, "b", "paint");
  assert_int_equal(paint->count, 4 * 81);
  for (size_t i = 0; i < 81; i++) assert_true(paint->data[4 * i + 3] >= 0 && paint->data[4 * i + 3] <= 1);
  assert_non_null(dv_bleeding_paint(dv_node_object(s.scene->root, "wall")));
  close_scene(&s);
}

// at rest on the ground, even steps that are far too long neither lose nor make anything
static void test_limits(void **state)
{
  DV_UNUSED(state);
  Stage s = open_scene(BLOOD("flow='500' spread='10' end='0.105'"));
  run(&s, 50);
  check_close(total(numbers(&s, "b", "volume")), 1e-5 * 0.1, 1e-15);
  close_scene(&s);
  s = open_scene(BLOOD("flow='0' spread='0' drying='2' end='0.015'"));   // one step of it, which dries
  run(&s, 100);
  check_close(total(numbers(&s, "b", "volume")), 1e-7 * exp(-2 * 1.0), 1e-16);
  close_scene(&s);
}

static void test_reset(void **state)
{
  DV_UNUSED(state);
  Stage s = open_scene(BLOOD("flow='0.3'") "<CauterySmoke name='s' source='0 0 0'/>");
  double blood[2], smoke[2];
  for (int k = 0; k < 2; k++) {
    run(&s, 60);
    blood[k] = height(&s), smoke[k] = total(numbers(&s, "s", "position"));
    dv_scene_reset(s.scene);
  }
  assert_true(blood[0] == blood[1] && smoke[0] == smoke[1]);
  close_scene(&s);
}

static void test_smoke(void **state)
{
  DV_UNUSED(state);
  Stage s = open_scene("<CauterySmoke name='s' source='1 2 3' rate='10' life='1' rise='0.5' wander='0' size='0.1'/>");
  run(&s, 55);
  const dvReals *x = numbers(&s, "s", "position"), *a = numbers(&s, "s", "age"), *r = numbers(&s, "s", "radius");
  int alive = 0;
  for (size_t i = 0; i < a->count; i++) {
    if (a->data[i] < 0) {
      assert_true(r->data[i] == 0);
      continue;
    }
    alive++;
    check_close(x->data[3 * i + 1], 2 + 0.5 * a->data[i], 1e-12);   // straight up
    check_close(x->data[3 * i], 1, 1e-12);
  }
  assert_int_equal(alive, 5);
  run(&s, 245);
  alive = 0;
  for (size_t i = 0; i < a->count; i++) alive += a->data[i] >= 0;
  assert_in_range(alive, 9, 11);   // as many as come in a life
  close_scene(&s);
}

static void test_bad(void **state)
{
  DV_UNUSED(state);
  dvContext *context = dv_divan_create(1);
  dvScene *scene = NULL;
  const char *text = "<Node><BleedingDecal/></Node>";
  assert_int_equal(dv_scene_parse(context, "test.scn", text, strlen(text), &scene), DV_OK);
  dv_scene_init(scene);
  assert_int_not_equal(context->log.worst, DV_OK);   // no surface
  dv_scene_destroy(&scene);
  dv_divan_destroy(&context);
  Stage s =
      open_scene(WALL "<BleedingDecal name='b' indices='-1 7 99999'/><CauterySmoke name='s' rate='1e9' life='1e9'/>"
                      "<CauterySmoke name='none' rate='-3' life='0'/>");
  run(&s, 5);
  check_close(total(numbers(&s, "b", "volume")), 5e-8, 1e-17);
  assert_int_equal(numbers(&s, "s", "age")->count, 4000);
  close_scene(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_blood), cmocka_unit_test(test_limits),
                                     cmocka_unit_test(test_reset), cmocka_unit_test(test_smoke),
                                     cmocka_unit_test(test_bad)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

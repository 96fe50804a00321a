// How a step ends when something goes wrong in it: with the status of the error, in the scene in which it happened.
#include "support/check.h"
#include "support/scene.h"

#include "mechanics/component.h"

#include <pthread.h>
#include <string.h>

// a force that has something to complain about, or runs out of memory, when it is evaluated
#define TROUBLE_FIELDS(X)                                  \
  X(real, from, "1e9", "s", "complains from this time on") \
  X(bool, hungry, "0", "", "asks for more memory than there is, in all threads")

typedef struct Trouble {
  dvForce force;
  TROUBLE_FIELDS(DV_MEMBER)
} Trouble;

#define SELF Trouble
static const dvFieldDesc trouble_fields[] = {TROUBLE_FIELDS(DV_DESCRIBE)};
#undef SELF

static void ask(void *user, size_t begin, size_t end)
{
  (void)user;
  for (size_t i = begin; i < end; i++)
    if (i > 0) dv_memory_give_up_reserve();   // as when a block is not to be had, in whatever thread
}

static void trouble_add_force(dvObject *o, const dvMech *m)
{
  const Trouble *t = (const Trouble *)o;
  if (m->time >= t->from) dv_error(o, NULL, "the mesh has gone");
  if (t->hungry) dv_parallel_for(o->context->pool, 64, 1, ask, NULL);
}

static const dvForceOps trouble_ops = {.add_force = trouble_add_force, DV_FORCE_SLOTS};
static const dvClass trouble_class = {
    .struct_size = sizeof(dvClass),
    .name = "Trouble",
    .dofs = DV_DOF_VEC3,
    .size = sizeof(Trouble),
    .blocks = {&dv_object_block, &dv_force_block, DV_BLOCK(trouble_fields)},
    .ops = {[DV_ROLE_FORCE] = &trouble_ops},
    .init = dv_force_init,
};

static dvScene *open_scene(const char *force, int threads)
{
  dvContext *c = dv_divan_create(threads);
  c->log.sink = NULL;
  dv_registry_add(&c->registry, &trouble_class);
  char *text = dv_format("<Node dt='0.01'><EulerExplicitSolver/><MechanicalObject/><UniformMass/>%s</Node>", force);
  dvScene *s = NULL;
  assert_int_equal(dv_scene_parse(c, "test", text, strlen(text), &s), DV_OK);
  assert_int_equal(dv_scene_init(s), DV_OK);
  dv_free(text);
  return s;
}

static void close_scene(dvScene *s)
{
  dvContext *c = s->context;
  dv_scene_destroy(&s);
  dv_divan_destroy(&c);
}

static void an_error_ends_the_step(void **state)
{
  (void)state;
  dvScene *s = open_scene("<Trouble name='t' from='0.015'/>", 1);
  assert_int_equal(dv_scene_step(s, 0), DV_OK);
  assert_int_equal(dv_scene_step(s, 0), DV_OK);
  assert_int_equal(dv_scene_step(s, 0), DV_ERROR_INPUT);
  assert_int_equal(s->step, 2);
  ((Trouble *)check_find(s, "t"))->from = 1e9;   // what was is not held against later steps
  assert_int_equal(dv_scene_step(s, 0), DV_OK);
  close_scene(s);
}

static void who_runs_short_fails_alone(void **state)
{
  (void)state;
  for (int threads = 1; threads <= 4; threads += 3) {
    dvScene *hungry = open_scene("<Trouble hungry='1'/>", threads), *modest = open_scene("", threads);
    assert_int_equal(dv_scene_step(modest, 0), DV_OK);
    assert_int_equal(dv_scene_step(hungry, 0), DV_ERROR_INPUT);
    assert_int_equal(dv_scene_step(modest, 0), DV_OK);
    assert_int_equal(dv_scene_step(hungry, 0), DV_ERROR_INPUT);
    close_scene(hungry);
    close_scene(modest);
  }
}

static void *step_often(void *scene)
{
  static const dvStatus good = DV_OK, bad = DV_ERROR_INPUT;
  for (int i = 0; i < 200; i++)
    if (dv_scene_step(scene, 0) != DV_OK) return (void *)&bad;
  return (void *)&good;
}

static void in_threads_of_their_own(void **state)
{
  (void)state;
  dvScene *hungry = open_scene("<Trouble hungry='1'/>", 1), *modest = open_scene("", 1);
  pthread_t thread;
  void *ended;
  assert_int_equal(pthread_create(&thread, NULL, step_often, modest), 0);
  for (int i = 0; i < 20; i++) assert_int_equal(dv_scene_step(hungry, 0), DV_ERROR_INPUT);
  pthread_join(thread, &ended);
  assert_int_equal(*(const dvStatus *)ended, DV_OK);
  close_scene(hungry);
  close_scene(modest);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_error_ends_the_step),
      cmocka_unit_test(who_runs_short_fails_alone),
      cmocka_unit_test(in_threads_of_their_own),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

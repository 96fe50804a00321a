// Chains of links: what is asked of their components grows with their length, not with its square; a chain that is
// longer than the stack is refused.
#include "support/check.h"

#include "app/divan.h"
#include "base/text.h"
#include "io/scene/scene_file.h"
#include "object/context.h"
#include "scene/node.h"

#include <pthread.h>
#include <string.h>

static size_t asked;
static dvStatus (*fetch)(dvObject *o, dvField *f);
static dvStatus counting_fetch(dvObject *o, dvField *f)
{
  asked++;
  return fetch(o, f);
}

static dvStatus (*update)(dvObject *o);
static dvStatus counting_update(dvObject *o)
{
  asked++;
  return update(o);
}

// the components of a chain, the last one first when `backwards`; each counts how often it is asked for something
static void chain_of_topologies(dvText *out, int n, bool backwards)
{
  dv_text_printf(out, "<Node>");
  for (int k = 0; k < n; k++) {
    int i = backwards ? n - 1 - k : k;
    if (i == 0) dv_text_printf(out, "<Counted name='t0' position='0 0 0 1 0 0 0 1 0' triangles='0 1 2'/>");
    else dv_text_printf(out, "<Counted name='t%d' src='@t%d'/>", i, i - 1);
  }
  dv_text_printf(out, "</Node>");
}

static void chain_of_engines(dvText *out, int n, bool backwards)
{
  dv_text_printf(out, "<Node>");
  for (int k = 0; k < n; k++) {
    int i = backwards ? n - 1 - k : k;
    if (i == 0) dv_text_printf(out, "<CountedEngine name='t0' input_position='0 0 0 1 0 0' translation='0 0 1'/>");
    else
      dv_text_printf(out, "<CountedEngine name='t%d' input_position='@t%d.output_position' translation='0 0 1'/>", i,
                     i - 1);
  }
  dv_text_printf(out, "<MechanicalObject name='dofs' position='@t%d.output_position'/></Node>", n - 1);
}

static void register_counted(dvContext *c, dvClass *topology, dvClass *engine)
{
  *topology = *dv_registry_find(&c->registry, "MeshTopology");
  topology->name = "Counted", topology->aliases = NULL;
  fetch = topology->fetch, topology->fetch = counting_fetch;
  *engine = *dv_registry_find(&c->registry, "TransformEngine");
  engine->name = "CountedEngine", engine->aliases = NULL;
  update = engine->update, engine->update = counting_update;
  dv_registry_add(&c->registry, topology);
  dv_registry_add(&c->registry, engine);
}

// initialises, then changes the first value and brings all up to date again; how often components were asked
static size_t count(void (*write)(dvText *, int, bool), int n, bool backwards)
{
  dvText text = {0};
  dvClass topology, engine;
  dvContext *c = dv_divan_create(1);
  c->log.sink = NULL;
  register_counted(c, &topology, &engine);
  write(&text, n, backwards);
  dvScene *s = NULL;
  asked = 0;
  assert_int_equal(dv_scene_parse(c, "chain.scn", text.text, text.length, &s), DV_OK);
  assert_int_equal(dv_scene_init(s), DV_OK);
  dvObject *first = dv_node_object(s->root, "t0");
  assert_int_equal(dv_object_set(first, write == chain_of_engines ? "input_position" : "position", "0 0 5 1 0 5 0 1 5"),
                   DV_OK);
  assert_int_equal(dv_scene_pull(s), DV_OK);
  char *last = dv_format("t%d", n - 1);
  dvField *end =
      dv_object_field(dv_node_object(s->root, last), write == chain_of_engines ? "output_position" : "position");
  assert_int_equal(dv_field_pull(end), DV_OK);
  const dvReals *x = end->value;
  assert_int_equal(x->count, 9);
  check_close(x->data[2], write == chain_of_engines ? 5 + n : 5, 0);
  dv_free(last);
  dv_scene_destroy(&s);
  dv_divan_destroy(&c);
  dv_text_free(&text);
  return asked;
}

static void cost_what_their_length_says(void **state)
{
  DV_UNUSED(state);
  void (*const writers[])(dvText *, int, bool) = {chain_of_topologies, chain_of_engines};
  for (size_t w = 0; w < DV_COUNT(writers); w++)
    for (int backwards = 0; backwards < 2; backwards++) {
      size_t few = count(writers[w], 100, backwards), many = count(writers[w], 800, backwards);
      if (few < 100 || many > 8 * few + 800) fail_msg("chain %zu: %zu asked of 100, %zu of 800", w, few, many);
    }
}

static void *initialise(void *scene)
{
  dvStatus status = dv_scene_init(scene);
  return (void *)(intptr_t)status;
}

static void that_are_too_long_are_refused(void **state)
{
  DV_UNUSED(state);
  dvText text = {0};
  dvClass topology, engine;
  dvContext *c = dv_divan_create(1);
  c->log.sink = NULL;
  register_counted(c, &topology, &engine);
  chain_of_engines(&text, 15000, true);
  dvScene *s = NULL;
  assert_int_equal(dv_scene_parse(c, "chain.scn", text.text, text.length, &s), DV_OK);
  pthread_attr_t small;
  pthread_t thread;
  void *result = NULL;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, 1 << 20);
  assert_int_equal(pthread_create(&thread, &small, initialise, s), 0);
  assert_int_equal(pthread_join(thread, &result), 0);
  assert_int_equal((intptr_t)result, DV_ERROR_INPUT);
  pthread_attr_destroy(&small);
  dv_scene_destroy(&s);
  dv_divan_destroy(&c);
  dv_text_free(&text);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(cost_what_their_length_says),
                                     cmocka_unit_test(that_are_too_long_are_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

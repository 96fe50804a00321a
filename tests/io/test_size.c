// Scenes of absurd size take time and memory in proportion to their length, or are refused with a message. The sizes
// here are small enough for every run; DIVAN_TEST_SCALE=50 makes them those of docs/hardening.md (a 100 MB attribute, a
// million nodes).
#include "support/check.h"
#include "support/scene.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

static size_t scale(size_t n)
{
  const char *s = getenv("DIVAN_TEST_SCALE");
  return n * (size_t)(s ? atoi(s) : 1);
}

static void repeat(dvText *t, const char *what, size_t times)
{
  size_t n = strlen(what);
  for (size_t i = 0; i < times; i++) dv_text_add_n(t, what, n);
}

typedef struct Outcome {
  dvStatus status;
  size_t scalars;
  int errors;
  char first[200];
} Outcome;

static void hear(void *user, const dvMessage *m)
{
  Outcome *o = user;
  if (m->level != DV_ERROR) return;
  if (o->errors++ == 0) snprintf(o->first, sizeof o->first, "%s", m->text);
}

// reads and initialises a text of the form head, part x times, tail
static Outcome load(const char *name, const char *head, const char *part, size_t times, const char *tail)
{
  dvText text = {0};
  Outcome out = {0};
  dv_text_add(&text, head);
  repeat(&text, part, times);
  if (dv_same(tail, "</Node>*")) repeat(&text, "</Node>", times + 1);
  else dv_text_add(&text, tail);
  dvContext *c = dv_divan_create(1);
  c->log.sink = hear;
  c->log.user = &out;
  dvScene *s = NULL;
  size_t bytes = text.length;
  out.status = dv_scene_parse(c, name, text.text, text.length, &s);
  dv_text_free(&text);
  if (out.status == DV_OK) out.status = dv_scene_init(s);
  if (s && out.status == DV_OK && s->plan->states.count)
    out.scalars = dv_state_scalars(dv_state(s->plan->states.data[0]), DV_X);
  dv_scene_destroy(&s);
  dv_divan_destroy(&c);
  struct rusage use;
  getrusage(RUSAGE_SELF, &use);
  print_message("%-22s %9zu bytes: status %d, %.2f s so far, peak %ld MB%s%s\n", name, bytes, out.status,
                (double)use.ru_utime.tv_sec + 1e-6 * (double)use.ru_utime.tv_usec, use.ru_maxrss / 1024,
                out.errors ? ": " : "", out.first);
  return out;
}

static void a_long_attribute(void **state)
{
  DV_UNUSED(state);
  size_t points = scale(200000);
  Outcome o = load("long attribute", "<Node><MechanicalObject position='", "0.125 1 2 ", points, "'/></Node>");
  assert_int_equal(o.status, DV_OK);
  assert_int_equal(o.scalars, 3 * points);
  o = load("ranges", "<Node><MechanicalObject/><FixedProjectiveConstraint indices='", "0-99999999 ", scale(2000),
           "'/></Node>");
  assert_int_equal(o.status, DV_ERROR_INPUT);
  assert_non_null(strstr(o.first, "5 million indices"));
}

static void many_nodes(void **state)
{
  DV_UNUSED(state);
  Outcome o = load("nested nodes", "<Node>", "<Node>", scale(20000), "</Node>*");
  assert_int_equal(o.status, DV_ERROR_INPUT);
  assert_non_null(strstr(o.first, "nested more than"));
  o = load("nodes side by side", "<Node>", "<Node name='a'><MechanicalObject/></Node>\n", scale(10000), "</Node>");
  assert_int_equal(o.status, DV_OK);
}

static void many_components(void **state)
{
  DV_UNUSED(state);
  Outcome o = load("components in a node", "<Node><MechanicalObject position='0 0 0'/>",
                   "<ConstantForceField indices='0' forces='1 0 0'/>\n", scale(21000), "</Node>");
  assert_int_equal(o.status, DV_ERROR_INPUT);
  assert_non_null(strstr(o.first, "more than 20000 components"));
}

static void many_mistakes(void **state)
{
  DV_UNUSED(state);
  Outcome o = load("unknown components", "<Node>", "<Nothing/>\n", scale(20000), "</Node>");
  assert_int_equal(o.status, DV_ERROR_UNKNOWN);
  assert_int_equal(o.errors, 1);   // each name once
  o = load("unknown attributes", "<Node>", "<Node a='1' b='2'/>\n", scale(2000), "</Node>");
  assert_int_equal(o.status, DV_OK);
  o = load("unescaped <", "<Node><MechanicalObject name='", "<", scale(20000), "'/></Node>");
  assert_int_equal(o.status, DV_OK);
  o = load("attributes of one", "<Node><MechanicalObject ", "a='1' ", scale(20000), "/></Node>");
  assert_int_equal(o.status, DV_ERROR_INPUT);
  assert_non_null(strstr(o.first, "too many attributes"));
}

// entities that name entities: none of them is expanded
static void nested_entities(void **state)
{
  DV_UNUSED(state);
  dvText text = {0};
  dv_text_add(&text, "<!DOCTYPE Node [<!ENTITY a0 '1 2 3 '>");
  for (int i = 1; i < 12; i++) {
    dv_text_printf(&text, "<!ENTITY a%d '", i);
    for (int k = 0; k < 10; k++) dv_text_printf(&text, "&a%d;", i - 1);
    dv_text_add(&text, "'>");
  }
  dv_text_add(&text, "]><Node><MechanicalObject position='");
  Outcome o = load("entities", text.text, "&a11;", 10, "'/></Node>");
  assert_int_equal(o.status, DV_ERROR_INPUT);
  dv_text_free(&text);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_long_attribute), cmocka_unit_test(many_nodes),
                                     cmocka_unit_test(many_components), cmocka_unit_test(many_mistakes),
                                     cmocka_unit_test(nested_entities)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

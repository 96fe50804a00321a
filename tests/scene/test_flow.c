// The order of mappings: compared with the definition on random graphs, circles, and long chains in linear time.
#include "support/check.h"
#include "support/scene.h"

#include "base/random.h"
#include "scene/flow.h"

#include <string.h>

// mappings that only say what they read and write
typedef struct Probe {
  dvObject base;
  dvObject *in[3], *out[2];
  int ins, outs;
} Probe;

static dvObject *probe_input(const dvObject *o, size_t index)
{
  const Probe *p = (const Probe *)o;
  return index < (size_t)p->ins ? p->in[index] : NULL;
}

static dvObject *probe_output(const dvObject *o, size_t index)
{
  const Probe *p = (const Probe *)o;
  return index < (size_t)p->outs ? p->out[index] : NULL;
}

static const dvMappingOps probe_ops = {.input = probe_input, .output = probe_output};
static const dvClass probe_class = {
    .struct_size = sizeof(dvClass), .name = "Probe", .size = sizeof(Probe), .ops = {[DV_ROLE_MAPPING] = &probe_ops}};

static bool feeds(const Probe *from, const Probe *to)
{
  for (int a = 0; a < from->outs; a++)
    for (int b = 0; b < to->ins; b++)
      if (from->out[a] == to->in[b]) return true;
  return false;
}

enum { MOST = 24, STATES = 16 };

static int below(dvRandom *r, int n) { return (int)dv_random(r, 0, n - 1e-6); }

// by the words of flow.h
static void order_slowly(const Probe *probes, int n, int32_t *order)
{
  bool taken[MOST] = {false};
  for (int done = 0; done < n; done++) {
    int next = -1, first = -1;
    for (int i = n - 1; i >= 0; i--) {
      if (taken[i]) continue;
      bool waits = false;
      for (int j = 0; j < n; j++) waits = waits || (j != i && !taken[j] && feeds(&probes[j], &probes[i]));
      first = i;
      if (!waits) next = i;
    }
    order[done] = next >= 0 ? next : first;
    taken[order[done]] = true;
  }
}

static size_t circles_slowly(const Probe *probes, int n, bool *stuck)
{
  size_t left = (size_t)n;
  for (int i = 0; i < n; i++) stuck[i] = true;
  for (bool changed = true; changed;) {
    changed = false;
    for (int i = 0; i < n; i++) {
      bool waits = !stuck[i];
      for (int j = 0; j < n; j++) waits = waits || (stuck[j] && feeds(&probes[j], &probes[i]));
      if (waits) continue;
      stuck[i] = false;
      left--;
      changed = true;
    }
  }
  return left;
}

static void random_graphs_follow_the_definition(void **state)
{
  DV_UNUSED(state);
  dvRandom random = dv_random_start(1);
  dvObject states[STATES];
  size_t with_circles = 0;
  for (int round = 0; round < 400; round++) {
    Probe probes[MOST];
    dvObject *list[MOST];
    int n = 1 + below(&random, MOST), span = 2 + below(&random, STATES - 1);
    for (int i = 0; i < n; i++) {
      Probe *p = &probes[i];
      *p = (Probe){.base = {.cls = &probe_class}, .ins = below(&random, 3), .outs = 1 + below(&random, 2)};
      for (int k = 0; k < p->ins; k++) p->in[k] = &states[below(&random, span)];
      for (int k = 0; k < p->outs; k++) p->out[k] = &states[below(&random, span)];
      list[i] = &p->base;
    }
    dvFlow flow;
    dv_flow_init(&flow, list, (size_t)n);
    int32_t order[MOST], wanted[MOST];
    bool stuck[MOST], wanted_stuck[MOST];
    dv_flow_order(&flow, order);
    order_slowly(probes, n, wanted);
    assert_memory_equal(order, wanted, (size_t)n * sizeof *order);
    size_t count = dv_flow_circles(&flow, stuck);
    assert_int_equal(count, circles_slowly(probes, n, wanted_stuck));
    assert_memory_equal(stuck, wanted_stuck, (size_t)n * sizeof *stuck);
    with_circles += count > 0;
    dv_flow_fini(&flow);
  }
  assert_in_range(with_circles, 50, 350);
}

// each node takes from the next one, so that the walk finds them in the wrong order; the last has a point of its own
static void add_chain(dvText *text, int n, const char *first)
{
  dv_text_add(text, "<Node gravity='0 0 0'>");
  for (int i = 0; i < n; i++)
    dv_text_printf(text,
                   "<Node name='n%d'><MechanicalObject name='x' position='%d 0 0'/><IdentityMapping name='m%d' "
                   "input='@../n%d/x'/></Node>",
                   i, i, i, i + 1);
  dv_text_printf(text, "<Node name='n%d'><MechanicalObject name='x' position='7 0 0'/>%s</Node></Node>", n, first);
}

// With time that grows with the square this takes minutes, so the test ends by the limit of CTest.
static void a_long_chain_is_put_in_order(void **state)
{
  DV_UNUSED(state);
  enum { LENGTH = 10000 };
  dvText text = {0};
  add_chain(&text, LENGTH, "");
  dvScene *s = check_scene(text.text, 1);
  assert_int_equal(s->plan->mappings.count, LENGTH);
  assert_string_equal(s->plan->mappings.data[0].object->name, "m9999");
  check_close(check_value(s, "n0/x", DV_X, 0), 7, 0);
  check_close_scene(&s);
  dv_text_free(&text);
}

static void keep(void *user, const dvMessage *m)
{
  dvText *heard = user;
  if (m->level == DV_ERROR) dv_text_add(heard, m->text);
}

static void a_circle_is_told(void **state)
{
  DV_UNUSED(state);
  dvText text = {0}, heard = {0};
  add_chain(&text, 3, "<IdentityMapping name='m' input='@../n1/x'/>");
  dvContext *c = dv_divan_create(1);
  c->log.sink = keep;
  c->log.user = &heard;
  dvScene *s = NULL;
  assert_int_equal(dv_scene_parse(c, "test.scn", text.text, text.length, &s), DV_OK);
  assert_int_equal(dv_scene_init(s), DV_ERROR_INPUT);
  assert_string_equal(heard.text, "mappings drive each other in a circle: m1 <- m2 <- m <- m1");
  dv_scene_destroy(&s);
  dv_divan_destroy(&c);
  dv_text_free(&text), dv_text_free(&heard);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(random_graphs_follow_the_definition),
                                     cmocka_unit_test(a_long_chain_is_put_in_order),
                                     cmocka_unit_test(a_circle_is_told)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

// The graph: links in every spelling, walks over trees and graphs with several parents, order of initialisation,
// context, events.
#include "support/check.h"

#include "app/divan.h"
#include "base/text.h"
#include "io/scene/scene_file.h"
#include "scene/node.h"
#include "scene/plan.h"

#include <string.h>

static dvText diary;   // what the probes saw

typedef struct Probe {
  dvObject base;
} Probe;
static dvStatus probe_init(dvObject *o)
{
  dv_text_printf(&diary, "+%s ", o->name);
  return DV_OK;
}
static dvStatus probe_bwd_init(dvObject *o)
{
  dv_text_printf(&diary, "-%s ", o->name);
  return DV_OK;
}
static void probe_event(dvObject *o, const dvEvent *e)
{
  if (e->kind == DV_EVENT_USER) dv_text_printf(&diary, "!%s ", o->name);
}
static const dvClass probe_class = {
    .struct_size = sizeof(dvClass),
    .name = "Probe",
    .size = sizeof(Probe),
    .roles = DV_PLAYS(DV_ROLE_SETTING),
    .blocks = {&dv_object_block},
    .init = probe_init,
    .bwd_init = probe_bwd_init,
    .handle_event = probe_event,
};

static dvContext *new_context(void)
{
  dvContext *c = dv_divan_create(1);
  c->log.sink = NULL;
  dv_registry_add(&c->registry, &probe_class);
  dv_text_clear(&diary);
  return c;
}

static dvScene *load(dvContext *c, const char *text)
{
  dvScene *s = NULL;
  assert_int_equal(dv_scene_parse(c, "test.scn", text, strlen(text), &s), DV_OK);
  return s;
}

static void finds_links_in_every_spelling(void **state)
{
  DV_UNUSED(state);
  dvContext *c = new_context();
  dvScene *s = load(c, "<Node name='top'><Probe name='a'/><Node name='n'><Probe name='b'/><Probe name='c'/>"
                       "<Node name='m'><Probe name='d'/><MechanicalObject name='mo'/></Node></Node></Node>");
  dvNode *n = dv_node_child(s->root, "n"), *m = dv_node_child(n, "m");
  dvObject *a = dv_node_object(s->root, "a"), *b = dv_node_object(n, "b"), *cc = dv_node_object(n, "c"),
           *d = dv_node_object(m, "d");
  dvObject *mo = dv_node_object(m, "mo");
  const struct {
    dvObject *from;
    const char *path;
    dvRole role;
    const dvObject *wanted;
  } cases[] = {
      {b, "@c", DV_ROLE_ANY, cc},
      {b, "c", DV_ROLE_ANY, cc},
      {d, "@../b", DV_ROLE_ANY, b},
      {d, "@../../a", DV_ROLE_ANY, a},
      {d, "@/a", DV_ROLE_ANY, a},
      {d, "@/n/m/d", DV_ROLE_ANY, d},
      {d, "@/top/n/b", DV_ROLE_ANY, b},
      {d, "@./d", DV_ROLE_ANY, d},
      {cc, "@[-1]", DV_ROLE_ANY, b},
      {d, "@b", DV_ROLE_ANY, b},
      {d, "@a", DV_ROLE_ANY, a},
      {d, "@./a", DV_ROLE_ANY, NULL},
      {b, "@nothing", DV_ROLE_ANY, NULL},
      {b, "@[-2]", DV_ROLE_ANY, NULL},
      {d, "@../../../a", DV_ROLE_ANY, NULL},
      {b, "@m", DV_ROLE_STATE, mo},
      {d, "@.", DV_ROLE_STATE, mo},
      {d, "@..", DV_ROLE_ANY, &n->base},
      {a, "@n/m/mo", DV_ROLE_STATE, mo},
      {a, "@n/m/d", DV_ROLE_STATE, NULL},
      {b, "@[]", DV_ROLE_ANY, b},
      // a node comes behind its components
      {&n->base, "@[0]", DV_ROLE_ANY, NULL},
      {&n->base, "@[-1]", DV_ROLE_ANY, n->objects.data[n->objects.count - 1]},
      {b, "@[0]", DV_ROLE_ANY, b},
      {b, "@[1]", DV_ROLE_ANY, NULL},
      {b, "@[-9223372036854775808]", DV_ROLE_ANY, NULL},
      {&n->base, "@[-9223372036854775807]", DV_ROLE_ANY, NULL},
  };
  for (size_t i = 0; i < DV_COUNT(cases); i++) {
    const dvObject *found = dv_link_find(cases[i].from, cases[i].path, cases[i].role);
    if (found != cases[i].wanted)
      print_error("%s from %s: %s\n", cases[i].path, cases[i].from->name, found ? found->name : "nothing");
    assert_ptr_equal(found, cases[i].wanted);
  }
  char *field = NULL;
  assert_ptr_equal(dv_link_split(d, "@../b.printLog", &field), b);
  assert_string_equal(field, "printLog");
  dv_free(field);
  assert_ptr_equal(dv_link_split(d, "@/.dt", &field), &s->root->base);
  assert_string_equal(field, "dt");
  dv_free(field);
  char *proposal = dv_link_propose(b, "@../mx", DV_ROLE_STATE);
  assert_string_equal(proposal, "@/n/m/mo");
  dv_free(proposal);
  dv_scene_destroy(&s);
  dv_divan_destroy(&c);
}

static void initialises_top_down_then_bottom_up(void **state)
{
  DV_UNUSED(state);
  dvContext *c = new_context();
  dvScene *s = load(c, "<Node><Probe name='a'/><Probe name='b'/><Node name='n'><Probe name='c'/></Node><Node "
                       "name='m'><Probe name='d'/></Node></Node>");
  assert_int_equal(dv_scene_init(s), DV_OK);
  assert_string_equal(diary.text, "+a +b +c -c +d -d -b -a ");
  dv_text_clear(&diary);
  dv_scene_send(s, &(dvEvent){.kind = DV_EVENT_USER});
  assert_string_equal(diary.text, "!a !b !c !d ");
  dv_scene_destroy(&s);
  dv_divan_destroy(&c);
}

typedef struct Recorder {
  dvVisitor visitor;
  const char *prune_at;
  dvText text;
} Recorder;
static dvWalk record_down(dvVisitor *v, dvNode *n)
{
  Recorder *r = (Recorder *)v;
  dv_text_printf(&r->text, "%s ", n->base.name);
  return r->prune_at && dv_same(r->prune_at, n->base.name) ? DV_WALK_PRUNE : DV_WALK_ON;
}
static void record_up(dvVisitor *v, dvNode *n) { dv_text_printf(&((Recorder *)v)->text, "%s' ", n->base.name); }
static void check_walk(dvNode *from, const char *prune_at, const char *wanted)
{
  Recorder r = {.visitor = {.top_down = record_down, .bottom_up = record_up}, .prune_at = prune_at};
  dv_visit(from, &r.visitor);
  assert_string_equal(r.text.text, wanted);
  dv_text_free(&r.text);
}

static void walks_trees_and_prunes(void **state)
{
  DV_UNUSED(state);
  dvContext *c = new_context();
  dvScene *s = load(c, "<Node name='r'><Node name='a'><Node name='b'/></Node><Node name='c'/><Node name='off' "
                       "activated='0'><Node name='x'/></Node></Node>");
  check_walk(s->root, NULL, "r a b b' a' c c' r' ");
  check_walk(s->root, "a", "r a c c' r' ");
  dv_scene_destroy(&s);
  dv_divan_destroy(&c);
}

// r -> a, b; a -> d; b -> d; d -> e: d waits for both of its parents
static void visits_a_shared_node_once_after_all_parents(void **state)
{
  DV_UNUSED(state);
  dvContext *c = new_context();
  dvScene *s =
      load(c, "<Node name='r'><Node name='a'><Node name='d'><Node name='e'/></Node></Node><Node name='b'/></Node>");
  dvNode *a = dv_node_child(s->root, "a"), *b = dv_node_child(s->root, "b"), *d = dv_node_child(a, "d");
  assert_true(dv_node_add_child(b, d));
  assert_false(dv_node_add_child(dv_node_child(d, "e"), a));   // would close a cycle
  check_walk(s->root, NULL, "r a b d e e' d' b' a' r' ");
  check_walk(s->root, "a", "r a b d e e' d' b' r' ");   // still reached through b
  check_walk(a, NULL, "a d e e' d' a' ");               // parents outside of the subgraph do not count
  dv_scene_destroy(&s);
  dv_divan_destroy(&c);
}

typedef struct Outer {
  dvVisitor visitor;
  int nested;
} Outer;
static dvWalk start_another(dvVisitor *v, dvNode *n)
{
  Recorder r = {.visitor = {.top_down = record_down}};
  dv_visit(n, &r.visitor);
  ((Outer *)v)->nested += (int)r.text.length;
  dv_text_free(&r.text);
  return DV_WALK_ON;
}
static void visitors_may_start_visitors(void **state)
{
  DV_UNUSED(state);
  dvContext *c = new_context();
  dvScene *s = load(c, "<Node name='r'><Node name='a'><Node name='b'/></Node></Node>");
  Outer o = {.visitor = {.top_down = start_another}};
  dv_visit(s->root, &o.visitor);
  assert_int_equal(o.nested, 6 + 4 + 2);   // "r a b ", "a b ", "b "
  dv_scene_destroy(&s);
  dv_divan_destroy(&c);
}

static void context_comes_from_the_root(void **state)
{
  DV_UNUSED(state);
  dvContext *c = new_context();
  dvScene *s =
      load(c, "<Node name='r' gravity='1 2 3' dt='0.5'><Node name='a' gravity='9 9 9'><Node name='b'/></Node></Node>");
  assert_int_equal(dv_scene_init(s), DV_OK);
  dvNode *b = dv_node_child(dv_node_child(s->root, "a"), "b");
  check_close(b->gravity[1], 2, 0);
  check_close(b->dt, 0.5, 0);
  assert_int_equal(c->log.counts[DV_WARNING], 1);
  dv_scene_destroy(&s);
  dv_divan_destroy(&c);
}

static void names_come_from_class_and_counter(void **state)
{
  DV_UNUSED(state);
  dvContext *c = new_context();
  dvScene *s = load(c, "<Node><Probe/><MechanicalObject/><Probe/><Node><Probe/></Node></Node>");
  assert_non_null(dv_node_object(s->root, "Probe1"));
  assert_non_null(dv_node_object(s->root, "Probe2"));
  assert_non_null(dv_node_object(s->root, "MechanicalObject1"));
  assert_non_null(dv_node_object(s->root->children.data[0], "Probe1"));
  dv_scene_destroy(&s);
  dv_divan_destroy(&c);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(finds_links_in_every_spelling),
      cmocka_unit_test(initialises_top_down_then_bottom_up),
      cmocka_unit_test(walks_trees_and_prunes),
      cmocka_unit_test(visits_a_shared_node_once_after_all_parents),
      cmocka_unit_test(visitors_may_start_visitors),
      cmocka_unit_test(context_comes_from_the_root),
      cmocka_unit_test(names_come_from_class_and_counter),
  };
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  dv_text_free(&diary);
  return failed;
}

// Scene files: both spellings, slips, includes with parameters, old names, writing back, mistakes with their place.
#include "support/check.h"

#include "app/divan.h"
#include "base/file.h"
#include "io/scene/scene_file.h"

#include <string.h>

typedef struct Heard {
  int count;
  dvMessage last;
  char text[400], advice[400], path[200];
} Heard;

static void hear(void *user, const dvMessage *m)
{
  Heard *h = user;
  if (m->level < DV_WARNING) return;
  h->count++;
  h->last = *m;
  snprintf(h->text, sizeof h->text, "%s", m->text);
  snprintf(h->advice, sizeof h->advice, "%s", m->advice ? m->advice : "");
  snprintf(h->path, sizeof h->path, "%s", m->path ? m->path : "");
}

static dvContext *listening(Heard *h)
{
  *h = (Heard){0};
  dvContext *c = dv_divan_create(1);
  c->log.sink = hear;
  c->log.user = h;
  return c;
}

static dvStatus parse(dvContext *c, const char *text, dvScene **s)
{
  return dv_scene_parse(c, "test.scn", text, strlen(text), s);
}

static void both_spellings_mean_the_same(void **state)
{
  DV_UNUSED(state);
  Heard h;
  dvContext *c = listening(&h);
  dvScene *s = NULL;
  assert_int_equal(parse(c,
                         "<Node name='r'><Object type='MechanicalObject' name='a' template='Rigid'/><MechanicalObject "
                         "name='b' template='CudaVec3f'/></Node>",
                         &s),
                   DV_OK);
  assert_int_equal(dv_node_object(s->root, "a")->dof->kind, DV_RIGID3);
  assert_int_equal(dv_node_object(s->root, "b")->dof->kind, DV_VEC3);
  assert_int_equal(h.count, 1);   // the GPU type runs on the processor
  dv_scene_destroy(&s);
  dv_divan_destroy(&c);
}

static void slips_are_repaired_with_a_warning(void **state)
{
  DV_UNUSED(state);
  Heard h;
  dvContext *c = listening(&h);
  dvScene *s = NULL;
  assert_int_equal(parse(c, "<Node name='r'>\n<MechanicalObject name='a < b & c'printLog='1'/>\n</Node>", &s), DV_OK);
  assert_int_equal(c->log.counts[DV_WARNING], 3);
  assert_int_equal(h.last.place.line, 2);
  dvObject *o = dv_node_object(s->root, "a < b & c");
  assert_non_null(o);
  assert_true(o->printLog);
  dv_scene_destroy(&s);
  dv_divan_destroy(&c);
}

static void mistakes_tell_place_and_proposal(void **state)
{
  DV_UNUSED(state);
  const struct {
    const char *scene;
    dvStatus status;
    int line;
    const char *text, *advice;
  } cases[] = {
      {"<Node>\n<MecanicalObject/></Node>", DV_ERROR_UNKNOWN, 2, "unknown component: MecanicalObject",
       "MechanicalObject"},
      {"<Node>\n\n<MechanicalObject position='1 2'/></Node>", DV_OK, 3, "do not make whole groups of 3", ""},
      {"<Node>\n<MechanicalObject position='1 2 nan'/></Node>", DV_ERROR_INPUT, 2, "not finite", ""},
      {"<Node>\n<Object/></Node>", DV_ERROR_INPUT, 2, "needs the attribute type", "MechanicalObject"},
      {"<Node>\n<include/></Node>", DV_ERROR_INPUT, 2, "href", "include"},
      {"<Node>\n<include href='nowhere.xml'/></Node>", DV_ERROR_INPUT, 2, "was not found", ""},
      {"<Scene/>", DV_ERROR_INPUT, 1, "cannot begin with <Scene>", "<Node>"},
      {"<Node>\n<Node>\n</Node>", DV_ERROR_INPUT, 3, "not a scene file", ""},
      {"", DV_ERROR_INPUT, 0, "not a scene file", ""},
  };
  for (size_t i = 0; i < DV_COUNT(cases); i++) {
    Heard h;
    dvContext *c = listening(&h);
    dvScene *s = NULL;
    dvStatus status = parse(c, cases[i].scene, &s);
    if (status != cases[i].status || !strstr(h.text, cases[i].text) || !strstr(h.advice, cases[i].advice) ||
        (cases[i].line && h.last.place.line != cases[i].line)) {
      print_error("case %zu: status %d, line %d, '%s', '%s'\n", i, status, h.last.place.line, h.text, h.advice);
      fail();
    }
    dv_scene_destroy(&s);
    dv_divan_destroy(&c);
  }
}

static void dead_links_are_told_with_what_exists(void **state)
{
  DV_UNUSED(state);
  // a value keeps its default, a component that is missing is an error
  const struct {
    const char *scene;
    dvStatus status;
    const char *text, *advice;
  } cases[] = {
      {"<Node><MechanicalObject name='dofs'/><Node>\n<MechanicalObject position='@../dofz.position'/></Node></Node>",
       DV_OK, "leads to no", "@/dofs"},
      {"<Node><MechanicalObject name='dofs'/>\n<MechanicalObject position='@dofs.positions'/></Node>", DV_OK,
       "has no field 'positions'", "@/dofs.position"},
      {"<Node>\n<MechanicalObject name='a' position='@b.position'/><MechanicalObject name='b' "
       "position='@a.position'/></Node>",
       DV_ERROR_INPUT, "cycle", ""},
      {"<Node>\n<MechanicalObject name='a' src='@loader'/></Node>", DV_ERROR_INPUT, "leads to no", ""},
      {"<Node>\n<MechanicalObject name='a'/><Node><MechanicalObject name='b'/><IdentityMapping "
       "input='@../c'/></Node></Node>",
       DV_ERROR_INPUT, "leads to no", "@/a"},
  };
  for (size_t i = 0; i < DV_COUNT(cases); i++) {
    Heard h;
    dvContext *c = listening(&h);
    dvScene *s = NULL;
    assert_int_equal(parse(c, cases[i].scene, &s), DV_OK);
    dvStatus status = dv_scene_init(s);
    if (status != cases[i].status || !strstr(h.text, cases[i].text) || !strstr(h.advice, cases[i].advice)) {
      print_error("case %zu: status %d, '%s', '%s'\n", i, status, h.text, h.advice);
      fail();
    }
    dv_scene_destroy(&s);
    dv_divan_destroy(&c);
  }
}

static void includes_take_parameters(void **state)
{
  DV_UNUSED(state);
  char *directory = check_mkdir();
  char *object = check_write(directory, "object.xml",
                             "<Node name='Thing'><MechanicalObject name='one' dx='0' printLog='0'/><MechanicalObject "
                             "name='two' dx='0'/></Node>");
  char *group = check_write(directory, "group.xml", "<Node name='Group'><MechanicalObject name='grouped'/></Node>");
  char *scene = check_write(
      directory, "main.scn",
      "<Node name='r'><include href='group.xml'/><include href='group.xml' name='Under'/>"
      "<include href='object.xml' name='A' dx='5'/><include href='object.xml' name='B' two__dx='7'/></Node>");
  Heard h;
  dvContext *c = listening(&h);
  dvScene *s = NULL;
  assert_int_equal(dv_scene_read(c, scene, &s), DV_OK);
  assert_non_null(dv_node_object(s->root, "grouped"));
  assert_non_null(dv_node_child(s->root, "Under"));
  const char *const wanted[2][2] = {{"5 0 0", "5 0 0"}, {"0 0 0", "7 0 0"}};
  for (int i = 0; i < 2; i++)
    for (int k = 0; k < 2; k++) {
      dvText t = {0};
      dv_field_print(
          dv_object_field(dv_node_object(dv_node_child(s->root, i ? "B" : "A"), k ? "two" : "one"), "translation"), &t);
      assert_string_equal(t.text, wanted[i][k]);
      dv_text_free(&t);
    }
  dv_scene_destroy(&s);
  dv_divan_destroy(&c);
  dv_free(scene), dv_free(group), dv_free(object);
  check_rmdir(directory);
}

static void a_merged_include_adds_to_what_is_there(void **state)
{
  DV_UNUSED(state);
  char *directory = check_mkdir();
  char *part = check_write(directory, "part.xml",
                           "<Node name='_Merge_'><Node name='A'><MechanicalObject name='x' "
                           "printLog='1'/><MechanicalObject name='new'/></Node></Node>");
  char *scene = check_write(
      directory, "main.scn",
      "<Node name='r'><Node name='A'><MechanicalObject name='x' dx='3'/></Node><include href='part.xml'/></Node>");
  Heard h;
  dvContext *c = listening(&h);
  dvScene *s = NULL;
  assert_int_equal(dv_scene_read(c, scene, &s), DV_OK);
  dvNode *a = dv_node_child(s->root, "A");
  assert_int_equal(a->objects.count, 2);
  assert_true(dv_node_object(a, "x")->printLog);
  assert_non_null(dv_node_object(a, "new"));
  dv_scene_destroy(&s);
  dv_divan_destroy(&c);
  dv_free(part), dv_free(scene);
  check_rmdir(directory);
}

static void a_cyclic_include_is_told(void **state)
{
  DV_UNUSED(state);
  char *directory = check_mkdir();
  char *a = check_write(directory, "a.scn", "<Node><include href='b.xml'/></Node>"),
       *b = check_write(directory, "b.xml", "<Node><include href='a.scn'/></Node>");
  Heard h;
  dvContext *c = listening(&h);
  dvScene *s = NULL;
  assert_int_equal(dv_scene_read(c, a, &s), DV_ERROR_INPUT);
  assert_non_null(strstr(h.text, "includes itself"));
  dv_scene_destroy(&s);
  dv_divan_destroy(&c);
  dv_free(a), dv_free(b);
  check_rmdir(directory);
}

static void writing_twice_gives_the_same_bytes(void **state)
{
  DV_UNUSED(state);
  const char *first =
      "<Node name='r' dt='0.020' showWireFrame='1'><Object type='MechanicalState' position='0 0 0  1.50 0 0' dx='1' "
      "name='x&lt;y'/>"
      "<Node><MechanicalObject src='@../x&lt;y' tags='one two' velocity='@/x&lt;y.velocity'/></Node></Node>";
  dvText texts[2] = {{0}};
  for (int i = 0; i < 2; i++) {
    Heard h;
    dvContext *c = listening(&h);
    dvScene *s = NULL;
    assert_int_equal(parse(c, i ? texts[0].text : first, &s), DV_OK);
    dv_scene_print(s, &texts[i]);
    assert_int_equal(h.count, 0);
    dv_scene_destroy(&s);
    dv_divan_destroy(&c);
  }
  assert_string_equal(texts[0].text, texts[1].text);
  assert_non_null(strstr(texts[0].text, "position=\"0 0 0 1.5 0 0\""));
  assert_non_null(strstr(texts[0].text, "translation=\"1 0 0\""));
  assert_non_null(strstr(texts[0].text, "name=\"x&lt;y\""));
  dv_text_free(&texts[0]);
  dv_text_free(&texts[1]);
}

static void an_unknown_attribute_warns_with_the_nearest_name(void **state)
{
  DV_UNUSED(state);
  Heard h;
  dvContext *c = listening(&h);
  dvScene *s = NULL;
  assert_int_equal(parse(c, "<Node>\n<MechanicalObject positon='0 0 0'/></Node>", &s), DV_OK);
  assert_int_equal(h.count, 1);
  assert_non_null(strstr(h.advice, "'position'"));
  dv_scene_destroy(&s);
  dv_divan_destroy(&c);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(both_spellings_mean_the_same),
      cmocka_unit_test(slips_are_repaired_with_a_warning),
      cmocka_unit_test(mistakes_tell_place_and_proposal),
      cmocka_unit_test(dead_links_are_told_with_what_exists),
      cmocka_unit_test(includes_take_parameters),
      cmocka_unit_test(a_merged_include_adds_to_what_is_there),
      cmocka_unit_test(a_cyclic_include_is_told),
      cmocka_unit_test(writing_twice_gives_the_same_bytes),
      cmocka_unit_test(an_unknown_attribute_warns_with_the_nearest_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

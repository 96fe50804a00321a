// Display flags: words, branches, and what holds in which node.
#include "support/check.h"

#include "app/divan.h"
#include "io/scene/scene_file.h"
#include "view/flags.h"

#include <string.h>

static int say(const char *words, int flag)
{
  dvFlags f = {0};
  dv_flags_read(&f, words);
  return f.say[flag];
}

static void test_words(void **unused)
{
  DV_UNUSED(unused);
  assert_int_equal(say("", DV_DRAW_VISUAL), 0);
  assert_int_equal(say("showForceFields showBehaviorModels hideVisual", DV_DRAW_FORCE_FIELDS), 1);
  assert_int_equal(say("showForceFields showBehaviorModels hideVisual", DV_DRAW_BEHAVIOR), 1);
  assert_int_equal(say("showForceFields showBehaviorModels hideVisual", DV_DRAW_VISUAL), -1);
  assert_int_equal(say("showForceFields showBehaviorModels hideVisual", DV_DRAW_COLLISION), 0);
  assert_int_equal(say("  SHOWWIREFRAME\tshowNonsense ", DV_FLAG_WIREFRAME),
                   1);   // case does not matter, unknown words neither
  assert_int_equal(say("showMappings", DV_DRAW_MECHANICAL_MAPPINGS), 0);
  assert_int_equal(say("showMapping", DV_DRAW_MECHANICAL_MAPPINGS), 1);
  assert_int_equal(say("hideBoundingTree", DV_DRAW_BOUNDS), -1);
  assert_int_equal(say("showAll", DV_DRAW_INTERACTIONS), 1);
  assert_int_equal(say("showAll", DV_FLAG_NORMALS), 0);              // options are a branch of their own
  assert_int_equal(say("hideAll showVisual", DV_DRAW_VISUAL), -1);   // the branch has been spoken for
  assert_int_equal(say("hideVisualModels showVisualModels", DV_DRAW_VISUAL), 1);
}

static void test_nodes(void **unused)
{
  DV_UNUSED(unused);
  static const char text[] = "<Node name='root'><VisualStyle displayFlags='showBehavior hideVisual'/>"
                             "<Node name='A'><VisualStyle displayFlags='showVisualModels'/><Node "
                             "name='B'/></Node><Node name='C' showCollision='1'/></Node>";
  dvContext *context = dv_divan_create(1);
  dvScene *scene = NULL;
  assert_int_equal(dv_scene_parse(context, "test.scn", text, strlen(text), &scene), DV_OK);
  assert_true(dv_flags_given(scene));
  dvNode *a = scene->root->children.data[0], *c = scene->root->children.data[1];
  dvFlags in_b = dv_flags_of(a->children.data[0]), in_c = dv_flags_of(c);
  assert_int_equal(in_b.say[DV_DRAW_VISUAL], 1);
  assert_int_equal(in_b.say[DV_DRAW_FORCE_FIELDS], 1);
  assert_int_equal(in_c.say[DV_DRAW_VISUAL], -1);
  assert_int_equal(in_c.say[DV_DRAW_BOUNDS], 1);
  dv_scene_destroy(&scene);
  assert_int_equal(dv_scene_parse(context, "test.scn", "<Node/>", 7, &scene), DV_OK);
  assert_false(dv_flags_given(scene));
  dv_scene_destroy(&scene);
  dv_divan_destroy(&context);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_words), cmocka_unit_test(test_nodes)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

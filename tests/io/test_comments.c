// Comments of a scene are written back where they stood, indented like what is around them, and stay there when it is
// done again.
#include "support/check.h"

#include "app/divan.h"
#include "io/scene/scene_file.h"

#include <string.h>

static char *written(const char *text, int warnings)
{
  dvContext *c = dv_divan_create(1);
  c->log.sink = NULL;
  dvScene *s = NULL;
  assert_int_equal(dv_scene_parse(c, "test.scn", text, strlen(text), &s), DV_OK);
  assert_int_equal(c->log.counts[DV_WARNING], warnings);
  dvText out = {0};
  dv_scene_print(s, &out);
  dv_scene_destroy(&s);
  dv_divan_destroy(&c);
  return dv_text_take(&out);
}

#define DECLARATION "<?xml version=\"1.0\"?>\n"

// what is made of `text` is `expected` below the declaration, and nothing changes the second time
static void check_written(const char *text, int warnings, const char *expected)
{
  char *once = written(text, warnings), *twice = written(once, 0);
  assert_true(dv_starts_with(once, DECLARATION));
  assert_string_equal(once + strlen(DECLARATION), expected);
  assert_string_equal(twice, once);
  dv_free(once), dv_free(twice);
}

static void comments_stay_between_the_elements(void **state)
{
  DV_UNUSED(state);
  check_written("<?xml version='1.0'?>\n"
                "<!-- top --><!-- second -->\n"
                "<Node name='root'>\n"
                "      <!-- before the state -->\n"
                "<MechanicalObject name='a'/>\n"
                "\n\n<!-- one -->\n\n   <!-- two -->\n"
                "      <Node name='child'>\n"
                "<!-- only this -->\n"
                "      </Node>\n"
                "<!-- last inside -->\n"
                "</Node>\n"
                "<!-- below & < > \" -->\n<!--the end-->\n",
                0,
                "<!-- top -->\n"
                "<!-- second -->\n"
                "<Node name=\"root\">\n"
                "  <!-- before the state -->\n"
                "  <MechanicalObject name=\"a\"/>\n"
                "  <!-- one -->\n"
                "  <!-- two -->\n"
                "  <Node name=\"child\">\n"
                "    <!-- only this -->\n"
                "  </Node>\n"
                "  <!-- last inside -->\n"
                "</Node>\n"
                "<!-- below & < > \" -->\n"
                "<!--the end-->\n");
}

static void comments_stay_at_the_end_of_their_line(void **state)
{
  DV_UNUSED(state);
  check_written("<Node name='root'> <!-- all -->\n"
                "  <MechanicalObject/><!-- the state --> <!-- really -->\n"
                "  <!-- of the mass --> <UniformMass\n totalMass='1'/>  <!-- light,\n    very -->\n"
                "  <Node name='a'> <!-- inside --> </Node> <!-- outside -->\n"
                "  <Node name='b'>\n"
                "    <MechanicalObject> <!-- beside --> <Attribute type='position'><!-- origin -->\n <Data value='0 0 "
                "0'/></Attribute>\n"
                "    <!-- within -->\n"
                "    </MechanicalObject> <!-- behind -->\n"
                "  </Node> <!-- b -->\n"
                "</Node>",
                0,
                "<Node name=\"root\"> <!-- all -->\n"
                "  <MechanicalObject/> <!-- the state --> <!-- really -->\n"
                "  <!-- of the mass -->\n"
                "  <UniformMass totalMass=\"1\"/> <!-- light,\n    very -->\n"
                "  <Node name=\"a\"> <!-- inside -->\n"
                "  </Node> <!-- outside -->\n"
                "  <Node name=\"b\">\n"
                "    <MechanicalObject position=\"0 0 0\"> <!-- beside --> <!-- origin -->\n"
                "      <!-- within -->\n"
                "    </MechanicalObject> <!-- behind -->\n"
                "  </Node> <!-- b -->\n"
                "</Node>\n");
}

// nodes are written behind the components of their parent: their comments go with them
static void comments_follow_their_element(void **state)
{
  DV_UNUSED(state);
  check_written("<Node name='root'>\n"
                "  <!-- of the child -->\n"
                "  <Node name='child'/> <!-- beside it -->\n"
                "  <!-- of the state -->\n"
                "  <MechanicalObject/>\n"
                "</Node>",
                0,
                "<Node name=\"root\">\n"
                "  <!-- of the state -->\n"
                "  <MechanicalObject/>\n"
                "  <!-- of the child -->\n"
                "  <Node name=\"child\"/> <!-- beside it -->\n"
                "</Node>\n");
}

static void lines_keep_their_indentation_among_themselves(void **state)
{
  DV_UNUSED(state);
  check_written("<Node name='root'>\r\n"
                "\t\t<!--\r\n"
                "\t\t  a list:\r\n"
                "\t\t    - item\r\n"
                "\r\n"
                "\tless\r\n"
                "none\r\n"
                "\t\t-->\r\n"
                "      <!-- <UniformMass\n"
                "             totalMass='1'/> -->\n"
                "</Node>",
                0,
                "<Node name=\"root\">\n"
                "  <!--\n"
                "    a list:\n"
                "      - item\n"
                "\n"
                "  less\n"
                "  none\n"
                "  -->\n"
                "  <!-- <UniformMass\n"
                "         totalMass='1'/> -->\n"
                "</Node>\n");
}

static void hyphens_in_comments(void **state)
{
  DV_UNUSED(state);
  check_written(
      "<Node name='root'>\n<!----><!-->-->\n<!--- a - b -->\n<!-- a -- b --- c -->\n<!-- end --->\n<!------>\n</Node>",
      3,
      "<Node name=\"root\">\n"
      "  <!---->\n"
      "  <!-->-->\n"
      "  <!--- a - b -->\n"
      "  <!-- a - - b - - - c -->\n"
      "  <!-- end - -->\n"
      "  <!--- - -->\n"
      "</Node>\n");
}

// an included file brings its comments, also where it comes without its node
static void comments_of_included_files(void **state)
{
  DV_UNUSED(state);
  char *directory = check_mkdir();
  dv_free(check_write(
      directory, "node.xml",
      "<!-- part -->\n<Node name='part'>\n <!-- its state -->\n <MechanicalObject/>\n</Node>\n<!-- end of part -->"));
  dv_free(check_write(directory, "group.xml",
                      "<!-- group -->\n<Node name='Group'> <!-- of two -->\n <MechanicalObject/> <!-- first -->\n <!-- "
                      "no more -->\n</Node>"));
  dv_free(check_write(
      directory, "merge.xml",
      "<Node name='_Merge_'>\n <!-- merged -->\n <Node name='part'>\n <!-- also last -->\n </Node>\n</Node>"));
  char *path = check_write(directory, "all.scn",
                           "<Node name='root'>\n<!-- the node -->\n<include href='node.xml'/> <!-- it was here "
                           "-->\n<include href='merge.xml'/>\n"
                           "<Node name='b'>\n<!-- the group -->\n<include href='group.xml'/>\n</Node>\n</Node>");
  dvContext *c = dv_divan_create(1);
  dvScene *s = NULL;
  assert_int_equal(dv_scene_read(c, path, &s), DV_OK);
  dvText out = {0};
  dv_scene_print(s, &out);
  assert_string_equal(out.text, DECLARATION "<Node name=\"root\">\n"
                                            "  <!-- the node -->\n"
                                            "  <!-- part -->\n"
                                            "  <Node name=\"part\">\n"
                                            "    <!-- its state -->\n"
                                            "    <MechanicalObject/>\n"
                                            "    <!-- also last -->\n"
                                            "  </Node> <!-- it was here -->\n"
                                            "  <!-- end of part -->\n"
                                            "  <!-- merged -->\n"
                                            "  <Node name=\"b\">\n"
                                            "    <!-- the group -->\n"
                                            "    <!-- group -->\n"
                                            "    <!-- of two -->\n"
                                            "    <MechanicalObject/> <!-- first -->\n"
                                            "    <!-- no more -->\n"
                                            "  </Node>\n"
                                            "</Node>\n");
  dv_text_free(&out);
  dv_scene_destroy(&s);
  dv_divan_destroy(&c);
  dv_free(path);
  check_rmdir(directory);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(comments_stay_between_the_elements),
      cmocka_unit_test(comments_stay_at_the_end_of_their_line),
      cmocka_unit_test(comments_follow_their_element),
      cmocka_unit_test(lines_keep_their_indentation_among_themselves),
      cmocka_unit_test(hyphens_in_comments),
      cmocka_unit_test(comments_of_included_files),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

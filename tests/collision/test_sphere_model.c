// SphereCollisionModel: radii, and centres from a file.
#include "support/check.h"
#include "support/scene.h"

#include <string.h>

static void test_radii(void **state)
{
  (void)state;
  dvScene *s = check_scene("<Node><MechanicalObject position='0 0 0 1 0 0 2 0 0'/><SphereCollisionModel name='a' "
                           "listRadius='0.5' radius='2'/></Node>",
                           1);
  const dvReals *r = dv_object_field(check_find(s, "a"), "listRadius")->value;
  assert_int_equal(r->count, 3);
  check_close(r->data[0], 0.5, 0);
  check_close(r->data[2], 2, 0);
  check_close_scene(&s);
}

static void test_file(void **state)
{
  (void)state;
  char *directory = check_mkdir();
  char *file = check_write(directory, "two.sph", "sph 1.0\nnums 2\nsphe 1 1 2 3 0.5\nsphe 2 4 5 6 0.25\n");
  char *text = dv_format(
      "<Node><MechanicalObject name='dofs' position='0 0 0'/><SphereCollisionModel name='a' fileSphere='%s'/></Node>",
      file);
  dvScene *s = check_scene(text, 1);
  const dvReals *r = dv_object_field(check_find(s, "a"), "listRadius")->value;
  assert_int_equal(dv_state(check_find(s, "dofs"))->count, 2);
  check_close(check_value(s, "dofs", DV_X, 3), 4, 0);
  check_close(r->data[0], 0.5, 0);
  check_close(r->data[1], 0.25, 0);
  check_close_scene(&s);
  dv_free(text);
  dv_free(file);
  check_rmdir(directory);
}

static void test_mistakes(void **state)
{
  (void)state;
  const char *bad[] = {"<Node><SphereCollisionModel/></Node>",
                       "<Node><MechanicalObject/><SphereCollisionModel radius='-1'/></Node>",
                       "<Node><MechanicalObject/><SphereCollisionModel fileSphere='nowhere.sph'/></Node>"};
  for (size_t i = 0; i < DV_COUNT(bad); i++) {
    dvContext *c = dv_divan_create(1);
    c->log.sink = NULL;   // the messages are expected
    dvScene *scene = NULL;
    assert_int_equal(dv_scene_parse(c, "test", bad[i], strlen(bad[i]), &scene), DV_OK);
    assert_int_equal(dv_scene_init(scene), DV_ERROR_INPUT);
    dv_scene_destroy(&scene);
    dv_divan_destroy(&c);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_radii), cmocka_unit_test(test_file),
                                     cmocka_unit_test(test_mistakes)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

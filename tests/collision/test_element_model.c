// Triangles, lines and points of collision models: what they are made of, and what is told of mistakes.
#include "support/check.h"
#include "support/fd.h"
#include "support/scene.h"

#include "collision/model.h"
#include "topology/change/change.h"

#define MESH                                                                                        \
  "<MeshTopology name='t' position='0 0 0 1 0 0 1 1 0 0 1 0 2 0 0' triangles='1 4 2' quads='0 1 2 " \
  "3'/><MechanicalObject/>"

static const dvInts *elements_of(dvScene *s, const char *path)
{
  return &((dvCollisionModel *)check_find(s, path))->elements;
}

static void triangles_and_halves_of_quads(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene("<Node>" MESH "<TriangleCollisionModel name='c'/></Node>", 1);
  const dvInts *e = elements_of(s, "c");
  const int32_t wanted[] = {1, 4, 2, 1, 2, 0, 3, 0, 2};
  assert_int_equal(e->count, DV_COUNT(wanted));
  assert_memory_equal(e->data, wanted, sizeof wanted);
  assert_int_equal(dv_collision_model_count(check_find(s, "c")), 3);
  check_close_scene(&s);
}

static void edges_and_points(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene("<Node>" MESH "<LineCollisionModel name='l'/><PointCollisionModel name='p'/></Node>", 1);
  assert_int_equal(dv_collision_model_count(check_find(s, "l")),
                   6);   // three of the triangle, four of the quad, one of both
  assert_int_equal(dv_collision_model_count(check_find(s, "p")), 5);
  assert_int_equal(elements_of(s, "p")->data[4], 4);
  check_close_scene(&s);
}

static void the_state_may_be_mapped_and_the_mesh_elsewhere(void **state)
{
  DV_UNUSED(state);
  dvScene *s =
      check_scene("<Node><Node name='M'>" MESH
                  "<Node name='C'><MechanicalObject name='s'/><TriangleCollisionModel name='c' topology='@../t'/>"
                  "<IdentityMapping/></Node></Node></Node>",
                  1);
  assert_ptr_equal(((dvCollisionModel *)check_find(s, "M/C/c"))->state, dv_state(check_find(s, "M/C/s")));
  assert_int_equal(dv_collision_model_count(check_find(s, "M/C/c")), 3);
  check_close_scene(&s);
}

static void mistakes_are_told(void **state)
{
  DV_UNUSED(state);
  assert_true(fd_fails("<Node><TriangleCollisionModel/></Node>"));
  assert_true(fd_fails("<Node><MechanicalObject position='0 0 0'/><TriangleCollisionModel/></Node>"));
  assert_true(fd_fails("<Node><MechanicalObject template='Rigid3'/><PointCollisionModel/></Node>"));
  assert_true(fd_fails(
      "<Node><MeshTopology position='0 0 0 1 0 0 0 1 0' triangles='0 1 2'/><Node><MechanicalObject position='0 0 0'/>"
      "<TriangleCollisionModel/></Node></Node>"));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(triangles_and_halves_of_quads),
      cmocka_unit_test(edges_and_points),
      cmocka_unit_test(the_state_may_be_mapped_and_the_mesh_elsewhere),
      cmocka_unit_test(mistakes_are_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

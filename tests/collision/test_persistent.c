// Contact points that stay where they are as long as a contact sticks.
#include "collision/response/persistent.h"
#include "support/check.h"
#include "support/fd.h"
#include "support/scene.h"

#include <string.h>

static size_t kept(dvScene *s, const char *path, dvKeptPoint *out, size_t room)
{
  size_t count;
  const dvKeptPoint *points = dv_persistent_points((const dvPersistentMapping *)check_find(s, path), &count);
  for (size_t i = 0; i < count && i < room; i++) out[i] = points[i];
  return count;
}

static double height(dvScene *s)
{
  const dvState *block = dv_state(check_find(s, "Block/dofs"));
  double sum = 0;
  for (size_t i = 0; i < block->count; i++) sum += dv_state_read(block, DV_X)[3 * i + 1];
  return sum / (double)block->count;
}

// a block that is held does not creep: its points are the same in every step, on the jaws and on the block
static void a_grip(void **state)
{
  DV_UNUSED(state);
  static const char *const mappings[] = {"Jaws/LeftPoints/kept", "Jaws/RightPoints/kept", "Block/Points/kept"};
  enum { MOST = 64 };
  dvScene *s = check_scene_file("scenes/collision/persistent_grasp.scn", 1);
  check_steps(s, 300);
  double before = height(s);
  check_close(before, 0.5, 0.01);   // lifted
  dvKeptPoint first[3][MOST], last[MOST];
  size_t counts[3];
  for (int i = 0; i < 3; i++) counts[i] = kept(s, mappings[i], first[i], MOST);
  check_steps(s, 50);
  for (int i = 0; i < 3; i++) {
    assert_true(counts[i] > 0 && counts[i] < MOST);
    assert_int_equal(kept(s, mappings[i], last, MOST), counts[i]);
    assert_memory_equal(last, first[i], counts[i] * sizeof *last);
    assert_int_equal(*(const int32_t *)dv_object_field(check_find(s, mappings[i]), "stickingPoints")->value, counts[i]);
  }
  check_close(height(s), before, 1e-12);
  check_close_scene(&s);
}

// --- a box on a tilted plate -----------------------------------------------------------------------

#define BODY(name, mass, position, correction)                                                        \
  "<Node name='" name "'><EulerImplicitSolver/><CGLinearSolver iterations='25' tolerance='1e-14' "    \
  "threshold='1e-24'/><MechanicalObject name='x' template='Rigid3' position='" position " 0 0 0 1'/>" \
  "<UniformMass totalMass='" mass "'/>" correction

static dvScene *slope(const char *response, double mu)
{
  char *text = dv_format(
      "<Node dt='0.01' gravity='4 -8 0'><FreeMotionAnimationLoop/><BlockGaussSeidelConstraintSolver "
      "maxIterations='2000' tolerance='1e-12'/><CollisionPipeline/><BruteForceBroadPhase/><BVHNarrowPhase/>"
      "<LocalMinDistance alarmDistance='0.08' contactDistance='0.01' angleCone='0.02'/>"
      "<CollisionResponse response='%s' responseParams='mu=%g'/>" BODY(
          "Box", "2", "0 0.11 0",
          "<UncoupledConstraintCorrection/>") "<Node><RegularGridTopology n='2 2 2' "
                                              "min='-0.1 -0.1 -0.1' max='0.1 0.1 "
                                              "0.1'/><MechanicalObject/><PointCollisionModel/><RigidMapping/></Node></"
                                              "Node>" BODY(
                                                  "Plate", "1", "0 0 0",
                                                  "<FixedProjectiveConstraint/>") "<Node><MeshTopology position='-1 0 "
                                                                                  "-1  -1 0 1  9 0 1 "
                                                                                  " 9 0 -1' triangles='0 1 2  0 2 "
                                                                                  "3'/><MechanicalObject/"
                                                                                  "><TriangleCollisionModel "
                                                                                  "simulated='0'/>"
                                                                                  "<RigidMapping "
                                                                                  "name='m'/></Node><Node "
                                                                                  "name='points'><MechanicalObject/"
                                                                                  "><PersistentContactRigidMapping "
                                                                                  "name='kept' "
                                                                                  "nameOfInputMap='m'/></Node></Node></"
                                                                                  "Node>",
      response, mu);
  dvScene *s = check_scene(text, 1);
  dv_free(text);
  return s;
}

static void what_slides_is_not_kept(void **state)
{
  DV_UNUSED(state);
  dvKeptPoint points[8];
  dvScene *s = slope("PersistentFrictionContact", 0.8);   // sticks up to tan = 0.5
  check_steps(s, 100);
  assert_int_equal(kept(s, "Plate/points/kept", points, 8), 4);
  check_close(check_value(s, "Box/x", DV_X, 0), 0, 1e-6);
  for (int i = 0; i < 4; i++) {   // weights in a triangle
    double sum = 0;
    for (int k = 0; k < 3; k++) sum += points[i].at[k];
    check_close(sum, 1, 1e-12);
  }
  dv_scene_reset(s);
  assert_int_equal(kept(s, "Plate/points/kept", points, 8), 0);
  check_close_scene(&s);

  s = slope("PersistentFrictionContact", 0.2);
  check_steps(s, 50);
  assert_int_equal(kept(s, "Plate/points/kept", points, 8), 0);
  double v = check_value(s, "Box/x", DV_V, 0);
  check_steps(s, 50);
  check_close(check_value(s, "Box/x", DV_V, 0) - v, 0.5 * (4 - 0.2 * 8), 1e-9);
  check_close_scene(&s);
}

// with points that are all found anew, both responses are one
static void the_same_where_nothing_sticks(void **state)
{
  DV_UNUSED(state);
  double x[2];
  for (int i = 0; i < 2; i++) {
    dvScene *s = slope(i ? "PersistentFrictionContact" : "FrictionContactConstraint", 0.2);
    check_steps(s, 60);
    x[i] = check_value(s, "Box/x", DV_X, 0);
    check_close_scene(&s);
  }
  check_close(x[0], x[1], 1e-10);
}

static void bad_names_are_refused(void **state)
{
  DV_UNUSED(state);
#define FRAME "<MechanicalObject name='x' template='Rigid3' position='0 0 0 0 0 0 1'/>"
#define KEPT(name) "<Node><MechanicalObject/><PersistentContactRigidMapping nameOfInputMap='" name "'/></Node>"
  assert_true(fd_fails("<Node>" FRAME KEPT("") "</Node>"));
  assert_true(fd_fails("<Node>" FRAME KEPT("nobody") "</Node>"));
  assert_true(fd_fails("<Node>" FRAME "<Node>" FRAME
                       "<RigidMapping/><Node><MechanicalObject/><RigidMapping name='deep'/>"
                       "</Node></Node>" KEPT("deep") "</Node>"));
  assert_false(fd_fails("<Node>" FRAME "<Node><MechanicalObject/><RigidMapping name='m'/></Node>" KEPT("m") "</Node>"));
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_grip), cmocka_unit_test(what_slides_is_not_kept),
                                     cmocka_unit_test(the_same_where_nothing_sticks),
                                     cmocka_unit_test(bad_names_are_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

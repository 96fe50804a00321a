// The same bits for 1, 2 and 3 threads and from run to run.
#include "support/check.h"
#include "support/scene.h"

static uint64_t run(dvScene *s, int steps)
{
  check_steps(s, steps);
  uint64_t hash = dv_scene_hash(s);
  check_close_scene(&s);
  return hash;
}

static void the_organ_is_the_same_for_any_number_of_threads(void **state)
{
  DV_UNUSED(state);
  uint64_t one = run(check_scene_file("scenes/liver.scn", 1), 8);
  assert_true(run(check_scene_file("scenes/liver.scn", 1), 8) == one);
  assert_true(run(check_scene_file("scenes/liver.scn", 2), 8) == one);
  assert_true(run(check_scene_file("scenes/liver.scn", 3), 8) == one);
}

// large enough that every kernel goes parallel
static void a_large_block_is_the_same_for_any_number_of_threads(void **state)
{
  DV_UNUSED(state);
  dvText text = {0};
  dv_text_add(&text, "<Node gravity='0 -9.81 0' dt='0.02'><DefaultAnimationLoop/><Node name='A'><EulerImplicitSolver "
                     "rayleighMass='0.1'/>"
                     "<CGLinearSolver iterations='10' tolerance='1e-9' threshold='1e-12'/><MeshTopology");
  check_add_tetra_box(&text, (const int[3]){16, 16, 16}, 0.1);
  dv_text_add(&text, "/><MechanicalObject name='mo'/><DiagonalMass "
                     "massDensity='100'/><TetrahedralCorotationalFEMForceField youngModulus='1e4' poissonRatio='0.4'/>"
                     "<FixedProjectiveConstraint indices='0-288'/></Node></Node>");
  uint64_t one = run(check_scene(text.text, 1), 2);
  assert_true(run(check_scene(text.text, 2), 2) == one);
  assert_true(run(check_scene(text.text, 3), 2) == one);
  dv_text_free(&text);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_organ_is_the_same_for_any_number_of_threads),
                                     cmocka_unit_test(a_large_block_is_the_same_for_any_number_of_threads)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

// Scenes that fuzz_mutate (tools/fuzz 600 fuzz_mutate) has found: each once crashed or did what no C program may. They
// end with a message or run; under sanitizers they must do it without one of theirs.
#include "support/check.h"

#include "app/divan.h"
#include "io/scene/scene_file.h"

#include <string.h>

static const char *const mutants[] = {
    // triangles of a topology without any
    "<Node><CollisionPipeline/><BruteForceDetection/><MinProximityIntersection/><CollisionResponse/><MechanicalObject/>"
    "<MeshTopology/><TriangleCollisionModel/></Node>",
    // a correction whose linear solver has nothing to do, since an integrator above moves its state
    "<Node><FreeMotionAnimationLoop/><RungeKutta2Solver/><BlockGaussSeidelConstraintSolver/><Node name='a'>"
    "<EulerImplicitSolver/><SparseLDLSolver/><MechanicalObject name='dofs'/><UniformMass totalMass='1'/>"
    "<GenericConstraintCorrection/></Node><Node name='b'><EulerImplicitSolver/><SparseLDLSolver/><MechanicalObject "
    "name='dofs' position='1 0 0'/><UniformMass totalMass='1'/><GenericConstraintCorrection/></Node>"
    "<BilateralLagrangianConstraint object1='@a/dofs' object2='@b/dofs' first_point='0' second_point='0'/></Node>",
    // the only linear solver stands in a node that is left out: found from above, and by name
    "<Node><EulerImplicitSolver/><Node activated='0'><SparseLDLSolver/><MechanicalObject/></Node></Node>",
    "<Node><EulerImplicitSolver/><MechanicalObject/><UniformMass/><Node sleeping='1'><CGLinearSolver/></Node></Node>",
    "<Node><EulerImplicitSolver linearSolver='@a/ldl'/><MechanicalObject/><UniformMass/><Node name='a' activated='0'>"
    "<SparseLDLSolver name='ldl'/></Node></Node>",
};

static void mutants_end_well(void **state)
{
  DV_UNUSED(state);
  for (size_t i = 0; i < DV_COUNT(mutants); i++) {
    dvContext *context = dv_divan_create(1);
    dvScene *scene = NULL;
    context->log.sink = NULL;
    dv_scene_parse(context, "mutant.scn", mutants[i], strlen(mutants[i]), &scene);
    assert_non_null(scene);
    const bool begun = dv_scene_init(scene) == DV_OK;
    for (int k = 0; k < 3 && begun; k++) dv_scene_step(scene, 0);
    if (begun) dv_scene_reset(scene);
    if (begun) dv_scene_step(scene, 0);
    dv_scene_destroy(&scene);
    dv_divan_destroy(&context);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(mutants_end_well)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

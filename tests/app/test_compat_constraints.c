// SOFA's mistakes in Lagrangian constraints, next to what is right (docs/differences.md).
#include "both.h"

#include "app/lint.h"

#include <math.h>

// a body just at its distance from a floor, whose free motion brings it h^2 g too near
#define ON_FLOOR(solver, body)                                                                                         \
  "<Node gravity='0 -10 0' dt='0.04'><FreeMotionAnimationLoop/><CollisionPipeline/><BruteForceBroadPhase/>"            \
  "<BVHNarrowPhase/><MinProximityIntersection alarmDistance='0.2' contactDistance='0.1'/>"                             \
  "<CollisionResponse response='FrictionContactConstraint' responseParams='mu=0.2'/><LCPConstraintSolver "             \
  "name='solver' tolerance='1e-12' maxIt='100' mu='0.2' " solver "/>"                                                  \
  "<Node name='body'><EulerImplicitSolver/><CGLinearSolver iterations='20' tolerance='1e-20' threshold='1e-30'/>" body \
  "</Node><Node name='floor'><MeshTopology position='-9 0 -9  9 0 9  9 0 -9' "                                         \
  "triangles='0 1 2'/><MechanicalObject/><TriangleCollisionModel simulated='0' moving='0'/></Node></Node>"

#define POINT(fields)                                                            \
  "<MechanicalObject name='x' position='1 0.1 -2'/><UniformMass totalMass='4'/>" \
  "<UncoupledConstraintCorrection " fields "/><PointCollisionModel/>"

#define BALL(fields)                                                                                         \
  "<MechanicalObject name='x' template='Rigid3' position='1 0.1 -2 0 0 0 1'/><UniformMass "                  \
  "vertexMass='4 1 1 0 0 0 1 0 0 0 1'/><UncoupledConstraintCorrection " fields "/><Node><MechanicalObject/>" \
  "<IdentityMapping/><PointCollisionModel/></Node>"

static void contacts_push_as_much_without_their_matrix(void **state)
{
  DV_UNUSED(state);
  const double h = 0.04, fall = h * h * 10;
  Both points =
      open_both(ON_FLOOR("build_lcp='0'", POINT("defaultCompliance='0.25'")), "solver", DV_COMPAT_UNBUILT_STEP);
  step_both(&points, 1);
  compare(&points, "body/x", DV_X, 1, 0.1, 0.1 - (1 - h) * fall, 1e-12);
  compare(&points, "body/x", DV_V, 1, 0, -(1 - h) * fall / h, 1e-11);
  close_both(&points);
  Both frames = open_both(ON_FLOOR("build_lcp='0'", BALL("")), "solver", DV_COMPAT_UNBUILT_STEP);
  step_both(&frames, 1);
  compare(&frames, "body/x", DV_X, 1, 0.1, 0.1 - (1 - h) * fall, 1e-12);
  close_both(&frames);
}

// the compliance has the square of the step there, and positions move by it alone
static void without_the_integrators_factors_nothing_is_missing(void **state)
{
  DV_UNUSED(state);
  static const char *const texts[] = {
      ON_FLOOR("build_lcp='0'", POINT("defaultCompliance='0.0004' useOdeSolverIntegrationFactors='0'")),
      ON_FLOOR("build_lcp='0'", BALL("useOdeSolverIntegrationFactors='0'"))};
  for (size_t i = 0; i < DV_COUNT(texts); i++) {
    Both b = open_both(texts[i], "solver", DV_COMPAT_UNBUILT_STEP);
    step_both(&b, 1);
    compare(&b, "body/x", DV_X, 1, 0.1, 0.1, 1e-12);
    compare(&b, "body/x", DV_V, 1, 0, 0, 1e-11);
    close_both(&b);
  }
}

// The body is held, too near to the floor by 0.03, and is pushed out of it in SOFA: the whole way, as the compliance
// that the contact is solved with is the one that it moves with.
static void contacts_leave_alone_what_is_held(void **state)
{
  DV_UNUSED(state);
#define HELD(correction, more)                                                                \
  "<MechanicalObject name='x' position='1 0.07 -2'/><UniformMass totalMass='4'/><" correction \
  "ConstraintCorrection " more "/><FixedProjectiveConstraint indices='0'/><PointCollisionModel/>"
#define WITH_FACTOR(solver, body)                                                                             \
  "<Node gravity='0 -10 0' dt='0.04'><FreeMotionAnimationLoop/><CollisionPipeline/><BruteForceBroadPhase/>"   \
  "<BVHNarrowPhase/><MinProximityIntersection alarmDistance='0.2' contactDistance='0.1'/>"                    \
  "<CollisionResponse response='FrictionContactConstraint' responseParams='mu=0.2'/><LCPConstraintSolver "    \
  "name='solver' tolerance='1e-12' maxIt='100' mu='0.2' " solver "/><Node name='body'><EulerImplicitSolver/>" \
  "<SparseLDLSolver/>" body "</Node><Node name='floor'><MeshTopology position='-9 0 -9  9 0 9  9 0 -9' "      \
  "triangles='0 1 2'/><MechanicalObject/><TriangleCollisionModel simulated='0' moving='0'/></Node></Node>"
  static const char *const texts[] = {
      ON_FLOOR("", HELD("Uncoupled", "defaultCompliance='0.25'")),
      ON_FLOOR("build_lcp='0'", HELD("Uncoupled", "defaultCompliance='0.0004' useOdeSolverIntegrationFactors='0'")),
      WITH_FACTOR("", HELD("LinearSolver", ""))};
  for (size_t i = 0; i < DV_COUNT(texts); i++) {
    Both b = open_both(texts[i], "solver", DV_COMPAT_LCP_HELD);
    step_both(&b, 1);
    compare(&b, "body/x", DV_X, 1, 0.07, 0.1, 1e-12);
    step_both(&b, 3);
    compare(&b, "body/x", DV_X, 1, 0.07, 0.1, 1e-12);
    close_both(&b);
  }
}

static int iterations_of(const Both *b, int mode)
{
  return *(const int32_t *)dv_object_field(check_find(b->mode[mode], "solver"), "currentIterations")->value;
}

static void check_iterations(Both *b, int right, int sofa)
{
  step_both(b, 1);
  assert_int_equal(iterations_of(b, RIGHT), right);
  assert_int_equal(iterations_of(b, SOFA), sofa);
}

// a body at rest needs the same impulse in every step: one sweep to find that nothing changes
static void multipliers_of_the_first_step_serve_in_the_second(void **state)
{
  DV_UNUSED(state);
  Both b = open_both(ON_FLOOR("", POINT("defaultCompliance='0.25'")), "solver", DV_COMPAT_LATE_GUESS);
  for (int mode = 0; mode < 2; mode++)   // the same motion within the tolerance: `divan check` alone tells it
    assert_int_equal(dv_scene_tell_compat(b.mode[mode], true) - dv_scene_tell_compat(b.mode[mode], false), 1);
  check_iterations(&b, 2, 2);
  check_iterations(&b, 1, 2);
  check_iterations(&b, 1, 1);
  compare(&b, "body/x", DV_X, 1, 0.1, 0.1, 1e-12);
  close_both(&b);
}

// SOFA doubles the multiplier in its first sweep, halves it in the second, and needs a third to see that
static void sweeps_begin_with_the_motion_of_their_multipliers(void **state)
{
  DV_UNUSED(state);
  Both b = open_both(ON_FLOOR("build_lcp='0'", POINT("defaultCompliance='0.0004' useOdeSolverIntegrationFactors='0'")),
                     "solver", DV_COMPAT_UNBUILT_GUESS);
  check_iterations(&b, 2, 2);
  check_iterations(&b, 1, 2);
  check_iterations(&b, 1, 3);
  compare(&b, "body/x", DV_X, 1, 0.1, 0.1, 1e-12);
  close_both(&b);
}

// a chain of springs along z, held at three of its points: rows across it have nothing to solve
static void all_rows_are_solved_when_residuals_end(void **state)
{
  DV_UNUSED(state);
  static const char text[] =
      "<Node gravity='0 0 -10' dt='0.1'><FreeMotionAnimationLoop/><PreconditionedConjugateResidual name='solver' "
      "tolerance='1e-9' maxIterations='100'/><Node name='chain'><EulerImplicitSolver/><SparseLDLSolver/>"
      "<MechanicalObject name='x' position='0 0 0  0 0 1  0 0 2  0 0 3.5'/><MeshTopology edges='0 1  1 2  2 3'/>"
      "<UniformMass totalMass='4'/><MeshSpringForceField stiffness='300'/><LinearSolverConstraintCorrection/>"
      "<FixedLagrangianConstraint indices='0 1 3'/></Node></Node>";
  Both b = open_both(text, "solver", DV_COMPAT_RESIDUAL_ROW);
  check_iterations(&b, 3, 2);
  check_close(check_value(b.mode[RIGHT], "chain/x", DV_X, 2), 0, 1e-9);
  assert_true(fabs(check_value(b.mode[SOFA], "chain/x", DV_X, 2)) > 1e-6);
  close_both(&b);
}

// the middle of two points is held: W = h / (2 m), and the term belongs to it once
static void regularisation_counts_once(void **state)
{
  DV_UNUSED(state);
  static const char text[] =
      "<Node gravity='0 -10 0' dt='0.1'><FreeMotionAnimationLoop/><BlockGaussSeidelConstraintSolver "
      "tolerance='1e-14' maxIterations='1000'/><Node name='pair'><EulerImplicitSolver/><SparseLDLSolver/>"
      "<MechanicalObject name='x' position='0 0 0  1 0 0'/><MeshTopology edges='0 1'/><UniformMass totalMass='4'/>"
      "<PrecomputedConstraintCorrection name='c' regularizationTerm='0.025'/><Node name='middle'><MechanicalObject "
      "name='x' position='0.5 0 0'/><BarycentricMapping/><FixedLagrangianConstraint indices='0'/></Node></Node></Node>";
  const double h = 0.1, w = h / 4, term = 0.025, fall = -h * h * 10;
  Both b = open_both(text, "pair/c", DV_COMPAT_PRECOMPUTED_COMPLIANCE);
  step_both(&b, 1);
  compare(&b, "pair/x", DV_X, 1, fall * term / (w + term), fall * 2 * term / (w + 2 * term), 1e-9);
  close_both(&b);
}

// two equal bodies, 1 m apart, are pulled together; one stands below an explicit integrator
static void one_impulse_moves_both_bodies(void **state)
{
  DV_UNUSED(state);
  static const char text[] =
      "<Node gravity='0 0 0' dt='0.1'><FreeMotionAnimationLoop/><BlockGaussSeidelConstraintSolver tolerance='1e-14' "
      "maxIterations='100'/><Node name='a'><EulerImplicitSolver/><CGLinearSolver iterations='20' tolerance='1e-20' "
      "threshold='1e-30'/><MechanicalObject name='x' position='0 0 0'/><UniformMass totalMass='4'/>"
      "<UncoupledConstraintCorrection defaultCompliance='0.25'/></Node><Node name='b'><EulerExplicitSolver/>"
      "<MechanicalObject name='x' position='1 0 0'/><UniformMass totalMass='4'/><UncoupledConstraintCorrection "
      "name='c' defaultCompliance='0.25'/></Node><BilateralLagrangianConstraint object1='@a/x' object2='@b/x' "
      "first_point='0' second_point='0'/></Node>";
  const double h = 0.1;
  Both b = open_both(text, "b/c", DV_COMPAT_EXPLICIT_FACTORS);
  step_both(&b, 1);
  compare(&b, "a/x", DV_X, 0, 0.5, 1 / (1 + h), 1e-12);
  compare(&b, "b/x", DV_X, 0, 0.5, 1 - h / (1 + h), 1e-12);
  compare(&b, "a/x", DV_V, 0, 0.5 / h, 1 / (h + h * h), 1e-11);
  compare(&b, "b/x", DV_V, 0, -0.5 / h, -1 / (1 + h), 1e-11);
  close_both(&b);
}

static void augmented_friction_slows_what_slides(void **state)
{
  DV_UNUSED(state);
  static const char text[] =
      "<Node gravity='0 -10 0' dt='0.01'><FreeMotionAnimationLoop/><CollisionPipeline/><BruteForceBroadPhase/>"
      "<BVHNarrowPhase/><MinProximityIntersection alarmDistance='0.2' contactDistance='0.1'/><CollisionResponse "
      "name='response' response='AugmentedLagrangianResponseConstraint' responseParams='mu=0.2&amp;epsilon=20'/>"
      "<BlockGaussSeidelConstraintSolver tolerance='1e-12' maxIterations='300'/><Node name='body'>"
      "<EulerImplicitSolver/><SparseLDLSolver/><MechanicalObject name='x' position='1 0.1 -2' velocity='1 0 0'/>"
      "<UniformMass totalMass='4'/><UncoupledConstraintCorrection defaultCompliance='0.25'/><PointCollisionModel/>"
      "</Node><Node name='floor'><MeshTopology position='-9 0 -9  9 0 9  9 0 -9' triangles='0 1 2'/>"
      "<MechanicalObject/><TriangleCollisionModel simulated='0' moving='0'/></Node></Node>";
  Both b = open_both(text, "response", DV_COMPAT_AUGMENTED_SLIDING);
  step_both(&b, 5);
  check_close(check_value(b.mode[RIGHT], "body/x", DV_V, 0), 1 - 0.2 * 10 * 5 * 0.01, 1e-6);
  assert_true(check_value(b.mode[SOFA], "body/x", DV_V, 0) > 1);
  close_both(&b);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(contacts_push_as_much_without_their_matrix),
      cmocka_unit_test(contacts_leave_alone_what_is_held),
      cmocka_unit_test(without_the_integrators_factors_nothing_is_missing),
      cmocka_unit_test(multipliers_of_the_first_step_serve_in_the_second),
      cmocka_unit_test(sweeps_begin_with_the_motion_of_their_multipliers),
      cmocka_unit_test(all_rows_are_solved_when_residuals_end),
      cmocka_unit_test(regularisation_counts_once),
      cmocka_unit_test(one_impulse_moves_both_bodies),
      cmocka_unit_test(augmented_friction_slows_what_slides),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

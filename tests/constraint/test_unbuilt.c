// Constraints whose compliance W is not built: the same numbers as with W, whatever the bodies, laws and threads.
#include "constraint/lagrangian/solver.h"
#include "mechanics/mechanics.h"
#include "support/check.h"
#include "support/scene.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char pen[] =
    "<Node name='pen'><MechanicalObject template='Rigid3' position='0 -0.1 0 0 0 0 1  -0.5 0.5 0 0 0 0 1  0.5 0.5 0 0 "
    "0 0 1'/><OBBCollisionModel extents='0.9 0.1 0.9  0.1 0.5 0.9  0.1 0.5 0.9' simulated='0' moving='0'/></Node>";

static void add_boxes(dvText *t, int count)
{
  dv_text_add(t, "<Node name='boxes'><EulerImplicitSolver/><CGLinearSolver iterations='20' tolerance='1e-20' "
                 "threshold='1e-30'/><MechanicalObject name='x' template='Rigid3' position='");
  for (int i = 0; i < count; i++)
    dv_text_printf(t, "%g %g %g 0 %.17g 0 %.17g ", 0.23 * (i % 3) - 0.23, 0.12 + 0.21 * (i / 3), 0.01 * i, sin(0.1 * i),
                   cos(0.1 * i));
  dv_text_add(t, "'/><UniformMass vertexMass='1 1 [0.0067 0 0 0 0.0067 0 0 0 0.0067]'/><UncoupledConstraintCorrection/>"
                 "<OBBCollisionModel defaultExtent='0.1' selfCollision='1'/></Node>");
}

// boxes on boxes, points on one of them, and two points that stay together
static dvScene *open_pile(const char *solver, int threads)
{
  dvText t = {0};
  dv_text_printf(&t,
                 "<Node dt='0.005' gravity='0 -9.81 0'><FreeMotionAnimationLoop/><%s name='solver'/>"
                 "<CollisionPipeline/><BruteForceBroadPhase/><BVHNarrowPhase/><MinProximityIntersection "
                 "alarmDistance='0.01' contactDistance='0.002'/><CollisionResponse "
                 "response='FrictionContactConstraint' responseParams='mu=0.4'/>",
                 solver);
  dv_text_add(&t, pen);
  add_boxes(&t, 9);
  dv_text_add(&t, "<Node name='points'><EulerImplicitSolver/><CGLinearSolver iterations='20' tolerance='1e-20' "
                  "threshold='1e-30'/><MechanicalObject name='x' position='-0.2 0.65 0  0 0.66 0  0.2 0.67 0'/>"
                  "<UniformMass vertexMass='0.2'/><UncoupledConstraintCorrection defaultCompliance='5'/>"
                  "<BilateralLagrangianConstraint first_point='0' second_point='1'/>"
                  "<SphereCollisionModel radius='0.03'/></Node></Node>");
  dvScene *s = check_scene(t.text, threads);
  dv_text_free(&t);
  return s;
}

static double size_of(const double *x, size_t n)
{
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += x[i] * x[i];
  return sqrt(sum);
}

// W, its diagonal and products from what stands for it
static void stands_for_the_matrix(void **state)
{
  DV_UNUSED(state);
  dvScene *s = open_pile("BlockGaussSeidelConstraintSolver maxIterations='50'", 1);
  check_steps(s, 60);
  dv_mech_propagate_live(s->plan, DV_X_FREE, DV_V_FREE);
  for (int velocities = 0; velocities < 2; velocities++) {
    dvConstraintProblem built = {0}, unbuilt = {.takes_unbuilt = true};
    dvConstraintStep now = {.x = DV_X_FREE, .v = DV_V_FREE, .dt = 0.005, .velocities = velocities};
    assert_int_equal(dv_problem_collect(&built, s->plan, &now), DV_OK);
    assert_int_equal(dv_problem_compliance(&built, s->plan, &now), DV_OK);
    assert_int_equal(dv_problem_collect(&unbuilt, s->plan, &now), DV_OK);
    assert_int_equal(dv_problem_compliance(&unbuilt, s->plan, &now), DV_OK);
    assert_true(unbuilt.unbuilt.used && !built.unbuilt.used && unbuilt.w.count == 0);
    size_t n = built.rows;
    assert_true(n > 60 && n == unbuilt.rows);
    dv_problem_regularise(&built, 1e-4);
    dv_problem_regularise(&unbuilt, 1e-4);
    double *w = dv_alloc((n * n + 2 * n) * sizeof *w), *x = w + n * n, *y = x + n;
    dv_problem_matrix(&unbuilt, w);
    for (size_t i = 0; i < n * n; i++) w[i] -= built.w.data[i];
    assert_true(size_of(w, n * n) < 1e-13 * size_of(built.w.data, n * n));
    dv_problem_diagonal(&unbuilt, y);
    for (size_t i = 0; i < n; i++) check_close(y[i], built.w.data[i * n + i], 1e-13 * y[i]);
    for (size_t i = 0; i < n; i++) x[i] = sin(3.0 * (double)i);
    dv_problem_product(&built, x, w);
    dv_problem_product(&unbuilt, x, y);
    for (size_t i = 0; i < n; i++) check_close(y[i], w[i], 1e-12 * size_of(w, n));
    dv_free(w);
    dv_problem_free(&built);
    dv_problem_free(&unbuilt);
  }
  check_close_scene(&s);
}

// the same motion as with W
static void moves_as_with_the_matrix(void **state)
{
  DV_UNUSED(state);
  static const char *const solvers[] = {
      "BlockGaussSeidelConstraintSolver tolerance='1e-11' scaleTolerance='0' maxIterations='5000'",
      "BlockGaussSeidelConstraintSolver tolerance='1e-9' sor='0.9' maxIterations='5000' regularizationTerm='1e-5'",
      "UnbuiltGaussSeidelConstraintSolver tolerance='1e-11' allVerified='1' maxIterations='5000'",
      "NNCGConstraintSolver tolerance='1e-11' scaleTolerance='0' maxIterations='5000'",
      "BlockGaussSeidelConstraintSolver tolerance='1e-9' linearizations='2' maxIterations='5000'"};
  for (size_t k = 0; k < DV_COUNT(solvers); k++) {
    dvScene *pair[2] = {open_pile(solvers[k], 1), open_pile(solvers[k], 1)};
    dvConstraintSolver *with = (dvConstraintSolver *)check_find(pair[1], "solver");
    with->needs_matrix = true;
    for (int step = 0; step < 20; step++) {
      for (int i = 0; i < 2; i++) check_steps(pair[i], 1);
      const dvState *a = dv_state(check_find(pair[0], "boxes/x")), *b = dv_state(check_find(pair[1], "boxes/x"));
      for (size_t i = 0; i < 7 * a->count; i++) check_close(dv_state_read(a, DV_X)[i], dv_state_read(b, DV_X)[i], 1e-6);
    }
    dvConstraintSolver *without = (dvConstraintSolver *)check_find(pair[0], "solver");
    assert_true(without->problem.unbuilt.used && !with->problem.unbuilt.used && with->problem.rows > 30);
    for (int i = 0; i < 2; i++) check_close_scene(&pair[i]);
  }
}

static void same_bits(void **state)
{
  DV_UNUSED(state);
  static const char *const solvers[] = {"BlockGaussSeidelConstraintSolver maxIterations='30'",
                                        "UnbuiltGaussSeidelConstraintSolver maxIterations='30' computeGraphs='1'",
                                        "LCPConstraintSolver maxIt='30' mu='0.4'",
                                        "NNCGConstraintSolver maxIterations='30'"};
  for (size_t k = 0; k < DV_COUNT(solvers); k++) {
    uint64_t hash = 0;
    for (int threads = 1; threads <= 3; threads++) {
      dvScene *s = open_pile(solvers[k], threads);
      check_steps(s, 60);
      if (threads == 1) hash = dv_scene_hash(s);
      assert_true(hash == dv_scene_hash(s));
      check_close_scene(&s);
    }
  }
}

// bodies that lie in each other have thousands of contacts: memory grows with their number, not with its square
static void many_contacts(void **state)
{
  DV_UNUSED(state);
  dvText t = {0};
  dv_text_add(&t, "<Node dt='0.005' gravity='0 -9.81 0'><FreeMotionAnimationLoop/><LCPConstraintSolver name='solver' "
                  "maxIt='2' mu='0.4'/><CollisionPipeline/><BruteForceBroadPhase/><BVHNarrowPhase/>"
                  "<MinProximityIntersection alarmDistance='0.01' contactDistance='0.002'/><CollisionResponse "
                  "response='FrictionContactConstraint' responseParams='mu=0.4'/>");
  dv_text_add(&t, "<Node><EulerImplicitSolver/><CGLinearSolver iterations='20' tolerance='1e-20' threshold='1e-30'/>"
                  "<MechanicalObject name='x' template='Rigid3' position='");
  for (int i = 0; i < 80; i++) dv_text_printf(&t, "%g %g %g 0 0 0 1 ", 0.1 * (i % 9), 0.1 * (i / 9), 0.03 * (i % 7));
  dv_text_add(&t, "'/><UniformMass totalMass='80'/><UncoupledConstraintCorrection/><OBBCollisionModel "
                  "defaultExtent='0.5' selfCollision='1'/></Node></Node>");
  dvScene *s = check_scene(t.text, 2);
  dv_text_free(&t);
  check_steps(s, 1);
  assert_true(*(const int32_t *)dv_object_field(check_find(s, "solver"), "currentNumConstraints")->value > 20000);
  check_close_scene(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(stands_for_the_matrix),
      cmocka_unit_test(moves_as_with_the_matrix),
      cmocka_unit_test(same_bits),
      cmocka_unit_test(many_contacts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

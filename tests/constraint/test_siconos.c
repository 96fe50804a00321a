// SiconosConstraintSolver: equalities, inequalities and bounds beside contacts, its methods, what it shows, and a
// program without Siconos. That it finds what Gauss-Seidel finds on a thousand problems is in test_friction_problems.c.
#include "constraint/lagrangian/solver.h"
#include "support/check.h"
#include "support/command.h"
#include "support/scene.h"
#include "support/siconos.h"

#include <math.h>

// Two boxes on each other, and a third on a hinge at the upper one, with limits, or a motor that is too weak to hold
// it: contacts with and without friction, equalities, inequalities, bounds.
static dvScene *open_scene(const char *solver, const char *response, const char *joint, int threads)
{
  char *text = dv_format(
      "<Node dt='0.005' gravity='1 -9.81 0.2'><FreeMotionAnimationLoop/><%s name='solver' checkLaws='1'/>"
      "<CollisionPipeline/><BruteForceBroadPhase/><BVHNarrowPhase/><MinProximityIntersection alarmDistance='0.004' "
      "contactDistance='0.002'/><CollisionResponse %s/><Node><MechanicalObject template='Rigid3' position='0 -0.1 0 0 "
      "0 0 1'/><OBBCollisionModel extents='2 0.1 2' simulated='0' moving='0'/></Node><Node name='boxes'>"
      "<EulerImplicitSolver/><SparseLDLSolver/><MechanicalObject template='Rigid3' name='d' position='0 0.105 0 0 0 0 "
      "1 "
      "0 0.31 0 0 0.1 0 0.995 0.3 0.31 0 0 0 0 1'/><UniformMass vertexMass='1 1 [0.0067 0 0 0 0.0067 0 0 0 0.0067]'/>"
      "<UncoupledConstraintCorrection/><OBBCollisionModel defaultExtent='0.1' selfCollision='1'/>"
      "<JointLagrangianConstraint iterative='1' first_point='1' second_point='2' anchor='0.15 0 0' axis='0 0 1' "
      "%s/></Node></Node>",
      solver, response, joint);
  dvScene *s = check_scene(text, threads);
  dv_free(text);
  return s;
}

static double *positions(dvScene *s, size_t *count)
{
  const dvState *state = dv_state(check_find(s, "boxes/d"));
  *count = dv_state_scalars(state, DV_X);
  return (double *)dv_state_read(state, DV_X);
}

static const char friction[] = "response='FrictionContactConstraint' responseParams='mu=0.4'",
                  slippery[] = "response='FrictionContactConstraint' responseParams='mu=0'";

static const char limits[] = "limits='-0.02 0.02'", motor[] = "motorSpeed='0.5' motorForce='0.1'",
                  both[] = "limits='-0.02 0.02' motorSpeed='0.5' motorForce='0.1'";

static double apart(const char *solver, const char *other, const char *response, const char *joint, int steps)
{
  dvScene *s = open_scene(solver, response, joint, 1), *t = open_scene(other, response, joint, 1);
  size_t n, m;
  double most = 0;
  check_steps(s, steps);
  check_steps(t, steps);
  const double *a = positions(s, &n), *b = positions(t, &m);
  assert_int_equal(n, m);
  for (size_t i = 0; i < n; i++) most = fmax(most, fabs(a[i] - b[i]));
  double error = *(const double *)dv_object_field(check_find(s, "solver"), "largestLawError")->value;
  if (!(error < 1e-8)) fail_msg("%s: the laws are missed by %g", solver, error);
  check_close_scene(&s);
  check_close_scene(&t);
  return most;
}

static const char exact[] =
    "BlockGaussSeidelConstraintSolver tolerance='1e-11' scaleTolerance='0' maxIterations='50000'";

static void other_constraints_beside_contacts(void **state)
{
  DV_UNUSED(state);
  if (!check_siconos()) skip();
  static const char solver[] = "SiconosConstraintSolver tolerance='1e-11' scaleTolerance='0' maxIterations='50000'";
  const char *const responses[] = {friction, slippery}, *const joints[] = {limits, motor, both};
  for (size_t i = 0; i < DV_COUNT(responses); i++)
    for (size_t k = 0; k < DV_COUNT(joints); k++) {
      double most = apart(solver, exact, responses[i], joints[k], 40);
      printf("40 steps, %s, %s: %.2g m apart\n", responses[i], joints[k], most);
      if (!(most < 1e-6)) fail_msg("%s, %s: positions are %g apart", responses[i], joints[k], most);
    }
}

static void methods_agree(void **state)
{
  DV_UNUSED(state);
  if (!check_siconos()) skip();
  static const char *const methods[] = {"NSGS", "NSN_AC", "PROX", "TFP"};
  for (size_t i = 0; i < DV_COUNT(methods); i++) {
    char *solver = dv_format("SiconosConstraintSolver method='%s' tolerance='1e-9' scaleTolerance='0' "
                             "maxIterations='20000'",
                             methods[i]);
    double most = apart(solver, exact, friction, limits, 15);
    printf("%s: %.2g m apart\n", methods[i], most);
    if (!(most < 1e-6)) fail_msg("%s: positions are %g apart", methods[i], most);
    dv_free(solver);
  }
}

static void shows_what_siconos_says(void **state)
{
  DV_UNUSED(state);
  if (!check_siconos()) skip();
  uint64_t hash = 0;
  for (int threads = 1; threads <= 3; threads++) {
    dvScene *s =
        open_scene("SiconosConstraintSolver tolerance='1e-9' maxIterations='20000'", friction, limits, threads);
    check_steps(s, 20);
    dvObject *o = check_find(s, "solver");
    const dvConstraintProblem *p = &((dvConstraintSolver *)o)->problem;
    double residual = *(const double *)dv_object_field(o, "residual")->value,
           error = *(const double *)dv_object_field(o, "currentError")->value;
    assert_true(p->rows > 20 && residual > 0 && error > 0 && error <= 1e-9 * (double)p->rows);
    assert_true(*(const int32_t *)dv_object_field(o, "currentIterations")->value > 1);
    if (threads == 1) hash = dv_scene_hash(s);
    assert_true(hash == dv_scene_hash(s));
    check_close_scene(&s);
  }
}

#define FALL(solver)                                                                                               \
  "<Node dt='0.01'><FreeMotionAnimationLoop/><CollisionPipeline/><BruteForceBroadPhase/><BVHNarrowPhase/>"         \
  "<MinProximityIntersection alarmDistance='0.1' contactDistance='0.01'/><CollisionResponse "                      \
  "response='FrictionContactConstraint' responseParams='mu=0.4'/>" solver                                          \
  "<Node><MechanicalObject template='Rigid3'/><OBBCollisionModel extents='2 0.1 2' simulated='0' moving='0'/>"     \
  "</Node><Node><EulerImplicitSolver/><SparseLDLSolver/><MechanicalObject template='Rigid3' name='d' position='0 " \
  "0.22 0 0 0 0 1'/><UniformMass vertexMass='1 1 [0.01 0 0 0 0.01 0 0 0 0.01]'/><UncoupledConstraintCorrection/>"  \
  "<OBBCollisionModel defaultExtent='0.1'/></Node></Node>"

static void without_siconos_there_is_advice(void **state)
{
  DV_UNUSED(state);
  char *directory = check_mkdir();
  dv_free(check_write(directory, "box.scn", FALL("<SiconosConstraintSolver/>")));
  dv_free(check_write(directory, "goes_on.scn", FALL("<SiconosConstraintSolver otherwise='gaussSeidel'/>")));
  dv_free(check_write(directory, "own.scn", FALL("<BlockGaussSeidelConstraintSolver/>")));
  dv_free(check_write(directory, "bad.scn", FALL("<SiconosConstraintSolver method='LEMKE'/>")));
  check_command(4, "Siconos is not built in", "cd %s && DIVAN_SICONOS_MODULE= %s run box.scn -n 1", directory,
                DIVAN_BINARY);
  check_command(4, "tools/setup siconos", "cd %s && DIVAN_SICONOS_MODULE= %s run box.scn -n 1", directory,
                DIVAN_BINARY);
  check_command(4, "Siconos cannot be loaded", "cd %s && DIVAN_SICONOS_MODULE=/nowhere.so %s run box.scn -n 1",
                directory, DIVAN_BINARY);
  check_command(4, "NSN_AC", "cd %s && DIVAN_SICONOS_MODULE= %s run bad.scn -n 1", directory, DIVAN_BINARY);
  check_command(0, "found by Gauss-Seidel", "cd %s && DIVAN_SICONOS_MODULE= %s run goes_on.scn -n 1", directory,
                DIVAN_BINARY);
  check_command(0, NULL,
                "cd %s && DIVAN_SICONOS_MODULE= %s run goes_on.scn -n 30 --dump-state a && %s run own.scn -n 30 "
                "--dump-state b && "
                "cmp a/1_d.txt b/1_d.txt",
                directory, DIVAN_BINARY, DIVAN_BINARY);
  check_rmdir(directory);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(other_constraints_beside_contacts),
      cmocka_unit_test(methods_agree),
      cmocka_unit_test(shows_what_siconos_says),
      cmocka_unit_test(without_siconos_there_is_advice),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

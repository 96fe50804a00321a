// What stands stays: a stack of ten boxes and a house of six cards, for two seconds here and for a minute with
// DIVAN_STAND_STEPS=6000; the law of every contact measured in each step; a rod whose contact jams (Painleve).
#include "constraint/lagrangian/problem.h"
#include "support/check.h"
#include "support/scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int wanted_steps(void)
{
  const char *asked = getenv("DIVAN_STAND_STEPS");
  int steps = asked ? atoi(asked) : 0;
  return steps > 0 ? steps : 200;
}

static double field_of(dvScene *s, const char *name)
{
  return *(const double *)dv_object_field(check_find(s, "constraints"), name)->value;
}

// the farthest that a body, "box3", has come from where it began, and the most that it has turned
static double moved(dvScene *s, const char *name, int bodies, const double *begin)
{
  double most = 0;
  for (int i = 0; i < bodies; i++) {
    char *path = dv_format("%s%d/dofs", name, i);
    const double *x = dv_state_read(dv_state(check_find(s, path)), DV_X);
    for (int k = 0; k < 7; k++) most = fmax(most, fabs(x[k] - begin[7 * i + k]));
    dv_free(path);
  }
  return most;
}

static void stands(const char *file, const char *name, int bodies, double law, double drift)
{
  double begin[7 * 10];
  dvScene *s = check_scene_file(file, 1);
  for (int i = 0; i < bodies; i++) {
    char *path = dv_format("%s%d/dofs", name, i);
    memcpy(begin + 7 * i, dv_state_read(dv_state(check_find(s, path)), DV_X), 7 * sizeof *begin);
    dv_free(path);
  }
  for (int step = 0; step < wanted_steps(); step++) {
    check_steps(s, 1);
    if (step > 5) assert_true(field_of(s, "lawError") < law);   // friction finds its place in the first steps
  }
  double distance = moved(s, name, bodies, begin);
  print_message("%s: %d steps, moved by %.2g, laws hold to %.2g m\n", file, wanted_steps(), distance,
                field_of(s, "largestLawError"));
  assert_true(distance < drift);
  check_close_scene(&s);
}

static void ten_boxes(void **state)
{
  DV_UNUSED(state);
  stands("scenes/constraint/stack.scn", "box", 10, 1e-6, 1e-5);
}

static void six_cards(void **state)
{
  DV_UNUSED(state);
  stands("scenes/constraint/card_house.scn", "card", 6, 1e-5, 1e-4);
}

// Where contacts begin at 0 in each step, a hundred iterations do not carry the weight of ten boxes; where they begin
// with what held the step before, they do.
static void warm_start_carries_the_stack(void **state)
{
  DV_UNUSED(state);
  double error[2];
  for (int warm = 0; warm < 2; warm++) {
    dvScene *s = check_scene_file("scenes/constraint/stack.scn", 1);
    dvObject *solver = check_find(s, "constraints");
    *(bool *)dv_object_field(solver, "warmStart")->value = warm;
    check_steps(s, 2);
    *(int32_t *)dv_object_field(solver, "maxIterations")->value = 100;
    check_steps(s, 1);
    error[warm] = field_of(s, "lawError");
    check_close_scene(&s);
  }
  assert_true(error[1] < 1e-6 && error[0] > 100 * error[1]);
}

// A rod slides on its tip towards the side to which it leans, with mu = 2: without an impulse the friction would press
// the tip into the floor the more, the more it is pressed. The force stays bounded and no energy appears.
static void jamming_rod(void **state)
{
  DV_UNUSED(state);
  static const char *const solvers[] = {
      "BlockGaussSeidelConstraintSolver tolerance='1e-10' maxIterations='2000'",
      "NNCGConstraintSolver tolerance='1e-10' maxIterations='2000' warmStart='1'",
      "LCPConstraintSolver tolerance='1e-10' maxIt='2000' mu='2'",
  };
  const double l = 0.5, angle = 1.0, g = 9.81, v = 3, dt = 0.002, inertia = l * l / 3;
  for (size_t i = 0; i < DV_COUNT(solvers); i++) {
    char *text = dv_format(
        "<Node dt='%g' gravity='0 %g 0'><FreeMotionAnimationLoop/><%s name='constraints' computeConstraintForces='1'/>"
        "<CollisionPipeline/><BruteForceBroadPhase/><BVHNarrowPhase/><MinProximityIntersection alarmDistance='0.05' "
        "contactDistance='0.001'/><CollisionResponse response='FrictionContactConstraint' responseParams='mu=2'/>"
        "<Node name='rod'><EulerImplicitSolver rayleighMass='0' rayleighStiffness='0'/><SparseLDLSolver/>"
        "<MechanicalObject name='x' template='Rigid3' position='%.17g %.17g 0 0 0 0 1' velocity='%g 0 0 0 0 0'/>"
        "<UniformMass vertexMass='1 1 [%g 0 0 0 %g 0 0 0 %g]'/><UncoupledConstraintCorrection/>"
        "<Node><MechanicalObject position='%.17g %.17g 0'/><RigidMapping/><PointCollisionModel/></Node></Node>"
        "<Node><MechanicalObject position='-40 0 -37  43 0 -37  43 0 41  -40 0 41'/>"
        "<MeshTopology triangles='0 2 1  0 3 2'/><TriangleCollisionModel simulated='0' moving='0'/></Node></Node>",
        dt, -g, solvers[i], -l * cos(angle), l * sin(angle) + 0.001, v, inertia, inertia, inertia, l * cos(angle),
        -l * sin(angle));
    dvScene *s = check_scene(text, 1);
    double begin = 0.5 * v * v + g * l * sin(angle), sum = 0;
    for (int step = 0; step < 150; step++) {
      check_steps(s, 1);
      const dvReals *lambda = dv_object_field(check_find(s, "constraints"), "constraintForces")->value;
      double height = check_value(s, "rod/x", DV_X, 1), energy = g * height;
      for (size_t k = 0; k < 3; k++) energy += 0.5 * pow(check_value(s, "rod/x", DV_V, k), 2);
      energy += 0.5 * inertia * pow(check_value(s, "rod/x", DV_V, 5), 2);
      assert_true(isfinite(energy) && energy < begin * (1 + 1e-3));
      for (size_t k = 0; k < lambda->count; k += 3) {
        assert_true(lambda->data[k] >= 0 && lambda->data[k] < 2 * v);   // N s on 1 kg
        assert_true(hypot(lambda->data[k + 1], lambda->data[k + 2]) <= 2 * lambda->data[k] * (1 + 1e-12));
        sum += lambda->data[k];
      }
    }
    assert_true(sum > 0.1);   // it has touched
    check_close_scene(&s);
    dv_free(text);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ten_boxes),
      cmocka_unit_test(six_cards),
      cmocka_unit_test(warm_start_carries_the_stack),
      cmocka_unit_test(jamming_rod),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

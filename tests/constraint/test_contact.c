// Contacts by Lagrange multipliers: Coulomb's law on a slope, stacks, redundant legs, soft bodies that press each
// other, the law of every contact after a step, corrections point by point, what is kept from step to step, bad input.
#include "collision/collision.h"
#include "constraint/lagrangian/problem.h"
#include "mechanics/mechanics.h"
#include "support/check.h"
#include "support/count.h"
#include "support/scene.h"

#include <math.h>
#include <string.h>

// --- scenes ------------------------------------------------------------------------------------------

static const char *const solvers[] = {
    "<BlockGaussSeidelConstraintSolver name='solver' tolerance='1e-11' maxIterations='5000' "
    "computeConstraintForces='1'/>",
    "<LCPConstraintSolver name='solver' tolerance='1e-11' maxIt='5000' mu='0.5' computeConstraintForces='1'/>",
    "<LCPConstraintSolver name='solver' tolerance='1e-11' maxIt='5000' mu='0.5' multi_grid='1' "
    "computeConstraintForces='1'/>"};

static const char floor_text[] =
    "<Node name='floor'><MechanicalObject position='-40 0 -37  43 0 -37  43 0 41  -40 0 41'/>"
    "<MeshTopology triangles='0 2 1  0 3 2'/><TriangleCollisionModel simulated='0' moving='0'/></Node>";

static void add_head(dvText *t, double dt, const double gravity[3], const char *solver, const char *parameters)
{
  dv_text_printf(t,
                 "<Node dt='%g' gravity='%.17g %.17g %.17g'><FreeMotionAnimationLoop/>%s<CollisionPipeline/>"
                 "<BruteForceBroadPhase/><BVHNarrowPhase/><MinProximityIntersection alarmDistance='0.1' "
                 "contactDistance='0.01'/><CollisionResponse response='%s' responseParams='%s'/>",
                 dt, gravity[0], gravity[1], gravity[2], solver,
                 strstr(parameters, "epsilon") ? "AugmentedLagrangianResponseConstraint" : "FrictionContactConstraint",
                 parameters);
}

// a box of this half width and height 0.4, with corners for contacts below and a triangle above, its foot at `y`
static void add_box(dvText *t, int number, double half, double y, double mass)
{
  double h = 0.2;
  dv_text_printf(t,
                 "<Node name='box%d'><EulerImplicitSolver rayleighMass='0' rayleighStiffness='0'/><SparseLDLSolver/>"
                 "<MechanicalObject name='x' template='Rigid3' position='0 %.17g 0 0 0 0 1'/>"
                 "<UniformMass vertexMass='%g 1 [0.05 0 0 0 0.05 0 0 0 0.05]'/><UncoupledConstraintCorrection/>"
                 "<Node name='feet'><MechanicalObject name='x' position='",
                 number, y + h, mass);
  for (int i = 0; i < 4; i++) dv_text_printf(t, "%g %g %g ", i & 1 ? half : -half, -h, i & 2 ? half : -half);
  dv_text_add(t, "'/><RigidMapping/><PointCollisionModel/></Node><Node name='top'><MechanicalObject position='");
  dv_text_printf(t, "%g %g %g  %g %g %g  0 %g %g", -2.5 * half, h, -1.2 * half, 2.5 * half, h, -1.2 * half, h,
                 3.2 * half);
  dv_text_add(t, "'/><MeshTopology triangles='0 2 1'/><RigidMapping/><TriangleCollisionModel/></Node></Node>");
}

// a box at rest on a slope of tangent `slope`: gravity is turned instead of the floor
static dvScene *on_slope_with(const char *solver, double slope, char *parameters, int threads)
{
  dvText t = {0};
  double angle = atan(slope), g = 9.81;
  add_head(&t, 0.005, (const double[3]){g * sin(angle), -g * cos(angle), 0}, solver, parameters);
  add_box(&t, 0, 0.5, 0.01, 2);
  dv_text_add(&t, floor_text);
  dv_text_add(&t, "</Node>");
  dvScene *s = check_scene(t.text, threads);
  dv_text_free(&t);
  dv_free(parameters);
  return s;
}

static dvScene *on_slope(const char *solver, double slope, double mu, int threads)
{
  return on_slope_with(solver, slope, dv_format("mu=%g", mu), threads);
}

// --- Coulomb's law -----------------------------------------------------------------------------------

static void slope_sticks_and_slides(void **state)
{
  DV_UNUSED(state);
  const double mu = 0.5, g = 9.81;
  for (size_t i = 0; i < DV_COUNT(solvers); i++) {
    dvScene *s = on_slope(solvers[i], 0.9 * mu, mu, 1);
    check_steps(s, 200);
    check_close(check_value(s, "box0/x", DV_X, 0), 0, 1e-6);
    check_close(check_value(s, "box0/x", DV_V, 0), 0, 1e-6);
    check_close(check_value(s, "box0/x", DV_X, 1), 0.21, 1e-6);
    check_close_scene(&s);
    const double slope = 1.2 * mu, a = g * (sin(atan(slope)) - mu * cos(atan(slope)));
    s = on_slope(solvers[i], slope, mu, 1);
    check_steps(s, 200);
    check_close(check_value(s, "box0/x", DV_V, 0) / (200 * 0.005), a, 1e-3 * a);
    check_close(check_value(s, "box0/x", DV_V, 3), 0, 1e-6);   // it slides without turning
    check_close_scene(&s);
  }
}

// a box that is held while it lies in the floor: nothing can be done, and nothing is made of it
static void contacts_of_held_bodies_rest(void **state)
{
  DV_UNUSED(state);
  for (size_t i = 0; i < DV_COUNT(solvers); i++)
    for (int free = 0; free < 2; free++) {
      dvText t = {0};
      add_head(&t, 0.005, (const double[3]){0, -9.81, 0}, solvers[i], "mu=0.5");
      dv_text_add(&t, "<Node name='held'><EulerImplicitSolver/><SparseLDLSolver/><MechanicalObject name='x' "
                      "position='0 0.005 0  1 0.006 0'/><UniformMass totalMass='2'/><FixedProjectiveConstraint "
                      "indices='0 1'/><UncoupledConstraintCorrection defaultCompliance='1'/><PointCollisionModel/>"
                      "</Node>");
      if (free) add_box(&t, 0, 0.5, 0.01, 2);
      dv_text_add(&t, floor_text);
      dv_text_add(&t, "</Node>");
      dvScene *s = check_scene(t.text, 1);
      check_steps(s, 20);
      check_close(check_value(s, "held/x", DV_X, 1), 0.005, 0);
      if (free) check_close(check_value(s, "box0/x", DV_X, 1), 0.21, 1e-6);
      check_close_scene(&s);
      dv_text_free(&t);
    }
}

// whatever epsilon is, augmented multipliers come to the same law
static void augmented_contacts_obey_it(void **state)
{
  DV_UNUSED(state);
  const double mu = 0.5, g = 9.81, slope = 1.2 * mu, a = g * (sin(atan(slope)) - mu * cos(atan(slope)));
  static const double epsilons[] = {20, 1000, 1e9};
  for (size_t i = 0; i < DV_COUNT(epsilons); i++) {
    for (int slides = 0; slides < 2; slides++) {
      dvScene *s =
          on_slope_with(solvers[0], slides ? slope : 0.9 * mu, dv_format("mu=%g&amp;epsilon=%g", mu, epsilons[i]), 1);
      check_steps(s, 100);
      check_close(check_value(s, "box0/x", DV_V, 0) / (100 * 0.005), slides ? a : 0, 1e-3 * a);
      check_close(check_value(s, "box0/x", DV_X, 1), 0.21, 1e-6);
      check_close_scene(&s);
    }
  }
}

// without friction it slides as if it fell
static void slope_without_friction(void **state)
{
  DV_UNUSED(state);
  dvScene *s = on_slope(solvers[0], 0.3, 0, 1);
  check_steps(s, 100);
  const double a = 9.81 * sin(atan(0.3));
  check_close(check_value(s, "box0/x", DV_V, 0) / 0.5, a, 1e-9);
  check_close_scene(&s);
}

static void glued_contacts_hold(void **state)
{
  DV_UNUSED(state);
  dvText t = {0};
  add_head(&t, 0.01, (const double[3]){4, 9.81, 0}, solvers[0], "");
  add_box(&t, 0, 0.5, 0.02, 2);   // gravity points up and aside: only glue holds it
  dv_text_add(&t, floor_text);
  dv_text_add(&t, "</Node>");
  char *at = strstr(t.text, "FrictionContactConstraint");
  memcpy(at, "StickContactConstraint'  ", 25);
  at[25] = ' ';
  dvScene *s = check_scene(t.text, 1);
  check_steps(s, 100);
  check_close(check_value(s, "box0/x", DV_X, 1), 0.22, 1e-6);
  check_close(check_value(s, "box0/x", DV_X, 0), 0, 1e-6);
  check_close_scene(&s);
  dv_text_free(&t);
}

// --- stacks and tables -------------------------------------------------------------------------------

static void stack_stands(void **state)
{
  DV_UNUSED(state);
  enum { BOXES = 5 };
  dvText t = {0};
  add_head(&t, 0.01, (const double[3]){0, -9.81, 0},
           "<LCPConstraintSolver name='solver' tolerance='1e-8' maxIt='5000' mu='0.5'/>", "mu=0.5");
  for (int i = 0; i < BOXES; i++) add_box(&t, i, 0.5 - 0.03 * i, 0.01 + 0.41 * i, 1 + i % 3);
  dv_text_add(&t, floor_text);
  dv_text_add(&t, "</Node>");
  dvScene *s = check_scene(t.text, 1);
  check_steps(s, 300);
  for (int i = 0; i < BOXES; i++) {
    char *path = dv_format("box%d/x", i);
    check_close(check_value(s, path, DV_X, 0), 0, 1e-5);
    check_close(check_value(s, path, DV_X, 1), 0.21 + 0.41 * i, 1e-5);
    check_close(check_value(s, path, DV_X, 2), 0, 1e-5);
    dv_free(path);
  }
  check_close_scene(&s);
  dv_text_free(&t);
}

// four legs are one too many: forces stay bounded, and carry the weight
static void table_on_four_legs(void **state)
{
  DV_UNUSED(state);
  dvText t = {0};
  add_head(&t, 0.01, (const double[3]){0, -9.81, 0}, solvers[0], "mu=0.5");
  add_box(&t, 0, 0.5, 0.01, 3);
  dv_text_add(&t, floor_text);
  dv_text_add(&t, "</Node>");
  dvScene *s = check_scene(t.text, 1);
  check_steps(s, 50);
  dvObject *solver = check_find(s, "solver");
  const dvReals *lambda = dv_object_field(solver, "constraintForces")->value;
  assert_int_equal(lambda->count, 12);
  double sum = 0, weight = 3 * 9.81 * 0.01;
  for (size_t i = 0; i < 12; i += 3) {
    assert_true(lambda->data[i] >= 0 && lambda->data[i] <= weight);
    sum += lambda->data[i];
  }
  check_close(sum, weight, 1e-6 * weight);
  dvTouch touch;
  assert_true(dv_scene_touch(s, 0, &touch));
  check_close(touch.force, 3 * 9.81, 1e-4);
  check_close_scene(&s);
  dv_text_free(&t);
}

// --- soft bodies -------------------------------------------------------------------------------------

static dvScene *soft_press(int threads)
{
  dvText t = {0};
  add_head(&t, 0.01, (const double[3]){0, 0, 0},
           "<BlockGaussSeidelConstraintSolver name='solver' tolerance='1e-7' maxIterations='3000'/>", "mu=0.3");
  for (int i = 0; i < 2; i++) {
    double y = i ? 1.05 : 0;
    dv_text_printf(&t,
                   "<Node name='soft%d'><EulerImplicitSolver rayleighStiffness='0.01'/><SparseLDLSolver/>"
                   "<RegularGridTopology n='%d %d %d' min='%g %g 0' max='%g %g 1'/>"
                   "<MechanicalObject name='x' velocity='",
                   i, 4 + i, 4, 4 + i, 0.1 * i, y, 1 + 0.1 * i, y + 1);
    for (int k = 0; k < (4 + i) * 4 * (4 + i); k++) dv_text_printf(&t, "%g %g 0 ", i ? 0.2 : -0.1, i ? -1.0 : 1.0);
    dv_text_printf(&t,
                   "'/><UniformMass totalMass='%d'/><HexahedronFEMForceField youngModulus='800' poissonRatio='0.3'/>"
                   "<LinearSolverConstraintCorrection/><%s/><TriangleCollisionModel/></Node>",
                   1 + i, "PointCollisionModel/><LineCollisionModel");
  }
  dv_text_add(&t, "</Node>");
  dvScene *s = check_scene(t.text, threads);
  dv_text_free(&t);
  return s;
}

static void add_momentum(dvScene *s, const char *path, double mass, double sum[3])
{
  dvState *x = dv_state(check_find(s, path));
  const double *v = dv_state_read(x, DV_V);
  for (size_t i = 0; i < 3 * x->count; i++) sum[i % 3] += v[i] * mass / (double)x->count;
}

static void soft_bodies_press(void **state)
{
  DV_UNUSED(state);
  dvScene *s = soft_press(1);
  double before[3] = {0}, after[3] = {0}, most = 0;
  size_t touched = 0;
  add_momentum(s, "soft0/x", 1, before);
  add_momentum(s, "soft1/x", 2, before);
  for (int i = 0; i < 60; i++) {
    check_steps(s, 1);
    dvTouch t;
    for (size_t k = 0; dv_scene_touch(s, k, &t); k++)
      for (size_t c = 0; c < t.count; c++, touched++) most = fmax(most, -t.contacts[c].distance);
  }
  add_momentum(s, "soft0/x", 1, after);
  add_momentum(s, "soft1/x", 2, after);
  for (int k = 0; k < 3; k++) check_close(after[k], before[k], 1e-9);
  assert_true(touched > 100);
  assert_true(most < 2e-3);   // of a contact distance of 1e-2
  check_close_scene(&s);
}

// --- the law of every contact ------------------------------------------------------------------------

// lambda: of the problem
static void check_contact(dvConstraintProblem *p, const dvProblemLaw *l, double tolerance)
{
  double d[3];
  const double *own = p->lambda.data + l->first;
  dv_problem_violation(p, l, d);
  double limit = l->law.mu * own[0], size = hypot(own[1], own[2]), slip = hypot(d[1], d[2]);
  assert_true(own[0] >= 0 && d[0] > -tolerance);
  if (own[0] > 1e-9) check_close(d[0], 0, tolerance);
  assert_true(size <= limit * (1 + 1e-12) + 1e-15);
  if (own[0] > 1e-9 && size < 0.99 * limit) check_close(slip, 0, tolerance);   // it sticks
  if (own[0] > 1e-9 && slip > 10 * tolerance) {                                // it slides: against the motion
    check_close(size, limit, 1e-9 * limit);
    assert_true(own[1] * d[1] + own[2] * d[2] < 0);
  }
}

static void laws_hold_after_a_step(void **state)
{
  DV_UNUSED(state);
  for (int kind = 0; kind < 2; kind++) {
    dvText t = {0};
    add_head(&t, 0.01, (const double[3]){3, -9, 1}, solvers[kind], "mu=0.5");
    for (int i = 0; i < 3; i++) add_box(&t, i, 0.5 - 0.05 * i, 0.02 + 0.43 * i, 1 + i);
    dv_text_add(&t, floor_text);
    dv_text_add(&t, "</Node>");
    dvScene *s = check_scene(t.text, 1);
    size_t contacts = 0;
    for (int step = 0; step < 40; step++) {
      check_steps(s, 1);
      const dvReals *lambda = dv_object_field(check_find(s, "solver"), "constraintForces")->value;
      dvConstraintProblem p = {0};
      dvConstraintStep now = {.x = DV_X_FREE, .v = DV_V_FREE, .dt = 0.01};
      dv_mech_propagate_live(s->plan, DV_X_FREE, DV_V_FREE);
      assert_int_equal(dv_problem_collect(&p, s->plan, &now), DV_OK);
      assert_int_equal(dv_problem_compliance(&p, s->plan, &now), DV_OK);
      assert_int_equal(p.rows, lambda->count);
      memcpy(p.lambda.data, lambda->data, p.rows * sizeof *lambda->data);
      for (size_t i = 0; i < p.laws.count; i++) check_contact(&p, &p.laws.data[i], 1e-7);
      contacts += p.laws.count;
      dv_problem_free(&p);
    }
    assert_true(contacts > 100);
    check_close_scene(&s);
    dv_text_free(&t);
  }
}

// --- from step to step -------------------------------------------------------------------------------

// multipliers of the last step are a good guess: few iterations where a fresh start needs many
static void contacts_start_from_last(void **state)
{
  DV_UNUSED(state);
  int32_t iterations[2];
  for (int warm = 0; warm < 2; warm++) {
    char *solver = dv_format("<LCPConstraintSolver name='solver' tolerance='1e-9' mu='0.5' initial_guess='%d'/>", warm);
    dvScene *s = on_slope(solver, 0.2, 0.5, 1);
    check_steps(s, 20);
    iterations[warm] = *(const int32_t *)dv_object_field(check_find(s, "solver"), "currentIterations")->value;
    check_close_scene(&s);
    dv_free(solver);
  }
  assert_true(iterations[1] < iterations[0]);
}

static void same_bits(void **state)
{
  DV_UNUSED(state);
  uint64_t hash = 0;
  for (int threads = 1; threads <= 3; threads++) {
    dvScene *s = soft_press(threads);
    check_steps(s, 25);
    uint64_t now = dv_scene_hash(s);
    if (threads > 1) assert_true(now == hash);
    hash = now;
    check_close_scene(&s);
  }
}

static void allocates_nothing(void **state)
{
  DV_UNUSED(state);
  dvScene *s = on_slope(solvers[0], 0.6, 0.5, 1);
  check_steps(s, 20);
  size_t before = check_allocations();
  check_steps(s, 50);
  assert_int_equal(check_allocations(), before);
  check_close_scene(&s);
}

// --- bad input ---------------------------------------------------------------------------------------

// warnings of a scene when it begins, or -1 when it is refused
static int warnings_of(const char *text)
{
  dvContext *context = dv_divan_create(1);
  dvScene *scene = NULL;
  context->log.sink = NULL;
  assert_int_equal(dv_scene_parse(context, "test.scn", text, strlen(text), &scene), DV_OK);
  bool good = dv_scene_init(scene) == DV_OK;
  int warnings = context->log.counts[DV_WARNING];
  dv_scene_destroy(&scene);
  dv_divan_destroy(&context);
  return good ? warnings : -1;
}

static void told_before_the_first_step(void **state)
{
  DV_UNUSED(state);
  static const char body[] =
      "<Node gravity='0 -1 0'><FreeMotionAnimationLoop/>%s<CollisionPipeline/><BruteForceBroadPhase/><BVHNarrowPhase/>"
      "<MinProximityIntersection alarmDistance='0.1' contactDistance='0.05'/>"
      "<CollisionResponse response='FrictionContactConstraint'/><Node><EulerImplicitSolver/><SparseLDLSolver/>"
      "<MechanicalObject position='0 0 0  1 0 0'/><UniformMass totalMass='1'/>%s<SphereCollisionModel radius='0.1'/>"
      "</Node></Node>";
  static const struct {
    const char *solver, *correction;
    int warnings;
  } cases[] = {
      {"<LCPConstraintSolver/>", "<UncoupledConstraintCorrection defaultCompliance='2'/>", 0},
      {"<LCPConstraintSolver/>", "<UncoupledConstraintCorrection/>", 1},   // every point gets 1e-5
      {"<LCPConstraintSolver/>", "", 1},
      {"", "<UncoupledConstraintCorrection defaultCompliance='2'/>", 1},
      {"<LCPConstraintSolver/>", "<UncoupledConstraintCorrection defaultCompliance='0'/>", -1},
      {"<LCPConstraintSolver/>", "<UncoupledConstraintCorrection compliance='1 0'/>", -1},
      {"<LCPConstraintSolver mu='-1'/>", "<UncoupledConstraintCorrection defaultCompliance='2'/>", -1},
  };
  for (size_t i = 0; i < DV_COUNT(cases); i++) {
    char *text = dv_format(body, cases[i].solver, cases[i].correction);
    assert_int_equal(warnings_of(text), cases[i].warnings);
    dv_free(text);
  }
}

// a ball between walls that are nearer than it is thick: the iteration ends, the scene goes on
static void unsolvable_ends(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene(
      "<Node dt='0.01' gravity='0 -10 0'><FreeMotionAnimationLoop/><LCPConstraintSolver name='solver' maxIt='50' "
      "tolerance='1e-9' mu='0.3'/><CollisionPipeline/><BruteForceBroadPhase/><BVHNarrowPhase/>"
      "<MinProximityIntersection alarmDistance='0.4' contactDistance='0.1'/>"
      "<CollisionResponse response='FrictionContactConstraint'/><Node name='ball'><EulerImplicitSolver/>"
      "<SparseLDLSolver/><MechanicalObject name='x' position='0 0 0'/><UniformMass totalMass='1'/>"
      "<UncoupledConstraintCorrection defaultCompliance='1'/><SphereCollisionModel radius='0.5'/></Node>"
      "<Node><MechanicalObject position='-9 -0.4 -7  9 -0.4 -7  0 -0.4 9  -9 0.4 -7  9 0.4 -7  0 0.4 9'/>"
      "<MeshTopology triangles='0 2 1  3 4 5'/><TriangleCollisionModel simulated='0' moving='0'/></Node></Node>",
      1);
  for (int i = 0; i < 20; i++) {
    check_steps(s, 1);
    assert_true(isfinite(check_value(s, "ball/x", DV_X, 1)) && fabs(check_value(s, "ball/x", DV_X, 1)) < 1);
  }
  assert_true(*(const int32_t *)dv_object_field(check_find(s, "solver"), "currentIterations")->value <= 50);
  assert_true(*(const double *)dv_object_field(check_find(s, "solver"), "currentError")->value > 1e-9);
  check_close_scene(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(slope_sticks_and_slides),
      cmocka_unit_test(contacts_of_held_bodies_rest),
      cmocka_unit_test(augmented_contacts_obey_it),
      cmocka_unit_test(slope_without_friction),
      cmocka_unit_test(glued_contacts_hold),
      cmocka_unit_test(stack_stands),
      cmocka_unit_test(table_on_four_legs),
      cmocka_unit_test(soft_bodies_press),
      cmocka_unit_test(laws_hold_after_a_step),
      cmocka_unit_test(contacts_start_from_last),
      cmocka_unit_test(same_bits),
      cmocka_unit_test(allocates_nothing),
      cmocka_unit_test(told_before_the_first_step),
      cmocka_unit_test(unsolvable_ends),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

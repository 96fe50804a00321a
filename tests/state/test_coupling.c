// Who moves whom: a spring of stiffness 10 and rest length 1 between points at 0 and 3, each of mass 1 with an explicit
// solver of its own and no gravity. In one step of 0.1 s the force 20 gives a velocity of 2.
#include "support/check.h"
#include "support/scene.h"

#define BODY(name, x, content)                                                                     \
  "<Node name='" name "'><EulerExplicitSolver/><MechanicalObject name='mo' position='" x " 0 0'/>" \
  "<UniformMass totalMass='1'/>" content "</Node>"
#define SPRING "<SpringForceField object1='@/A/mo' object2='@/B/mo' spring='0 0 10 0 1'/>"
#define SCENE(before, in_b, after)                                                                                    \
  "<Node name='root' gravity='0 0 0' dt='0.1'><DefaultAnimationLoop/>" before BODY("A", "0", "") BODY("B", "3", in_b) \
      after "</Node>"

static void check_velocities(const char *text, double a, double b)
{
  dvScene *s = check_scene(text, 1);
  check_steps(s, 1);
  check_close(check_value(s, "A/mo", DV_V, 0), a, 1e-14);
  check_close(check_value(s, "B/mo", DV_V, 0), b, 1e-14);
  check_close(check_value(s, "A/mo", DV_F_EXTERNAL, 0), 0, 0);
  check_close_scene(&s);
}

static void a_spring_in_the_root_acts_on_both_as_external_force(void **state)
{
  DV_UNUSED(state);
  check_velocities(SCENE(SPRING, "", ""), 2, -2);
}

static void a_spring_inside_one_system_moves_that_one_only(void **state)
{
  DV_UNUSED(state);
  check_velocities(SCENE("", SPRING, ""), 0, -2);
}

static void a_spring_after_both_moves_nobody(void **state)
{
  DV_UNUSED(state);
  check_velocities(SCENE("", "", "<Node name='late'>" SPRING "</Node>"), 0, 0);
}

static void a_spring_before_both_in_a_node_moves_both(void **state)
{
  DV_UNUSED(state);
  check_velocities("<Node name='root' gravity='0 0 0' dt='0.1'><DefaultAnimationLoop/><Node name='early'>" SPRING
                   "</Node>" BODY("A", "0", "") BODY("B", "3", "") "</Node>",
                   2, -2);
}

// the solver above takes over: with backward Euler, dv = h f / (m + 2 h^2 k) for both, where explicit solvers below
// would give 2
static void a_solver_overrides_those_below(void **state)
{
  DV_UNUSED(state);
  const char *text = "<Node name='root' gravity='0 0 0' dt='0.1'><DefaultAnimationLoop/><EulerImplicitSolver/>"
                     "<CGLinearSolver iterations='50' tolerance='1e-14' threshold='1e-30'/>" SPRING BODY("A", "0", "")
                         BODY("B", "3", "") "</Node>";
  double wanted = 0.1 * 20 / (1 + 2 * 0.1 * 0.1 * 10);
  check_velocities(text, wanted, -wanted);
}

static void several_solvers_in_a_node_run_one_after_the_other(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene("<Node name='root' gravity='0 -10 0' dt='0.1'><DefaultAnimationLoop/><Node "
                           "name='A'><EulerExplicitSolver/><EulerExplicitSolver/>"
                           "<MechanicalObject name='mo'/><UniformMass totalMass='1'/></Node></Node>",
                           1);
  check_steps(s, 1);
  check_close(check_value(s, "A/mo", DV_V, 1), -2, 1e-14);
  check_close(check_value(s, "A/mo", DV_X, 1), -0.1 - 0.2, 1e-14);
  check_close_scene(&s);
}

static void a_node_that_is_switched_off_rests(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene("<Node name='root' gravity='0 -10 0' dt='0.1'><DefaultAnimationLoop/><Node name='A' "
                           "activated='0'><EulerExplicitSolver/>"
                           "<MechanicalObject name='mo'/><UniformMass totalMass='1'/></Node></Node>",
                           1);
  check_steps(s, 3);
  assert_int_equal(s->plan->states.count, 0);
  check_close_scene(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_spring_in_the_root_acts_on_both_as_external_force),
      cmocka_unit_test(a_spring_inside_one_system_moves_that_one_only),
      cmocka_unit_test(a_spring_after_both_moves_nobody),
      cmocka_unit_test(a_spring_before_both_in_a_node_moves_both),
      cmocka_unit_test(a_solver_overrides_those_below),
      cmocka_unit_test(several_solvers_in_a_node_run_one_after_the_other),
      cmocka_unit_test(a_node_that_is_switched_off_rests),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

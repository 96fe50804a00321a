// The switch between dynamics and statics: load, long steps, freed bodies, no chatter; and the free rigid motions it
// rests on.
#include "mechanics/rigid_motion.h"
#include "support/check.h"
#include "support/scene.h"

#include <math.h>
#include <string.h>

#define CG "<CGLinearSolver iterations='300' tolerance='1e-14' threshold='1e-300'/>"

// --- free rigid motions --------------------------------------------------------------------------

// a cube of eight points with springs along edges and diagonals
#define CUBE                                                                                                           \
  "<MechanicalObject name='mo' position='0 0 0 1 0 0 0 1 0 1 1 0 0 0 1 1 0 1 0 1 1 1 1 1'/><UniformMass "              \
  "vertexMass='1'/>"                                                                                                   \
  "<SpringForceField spring='0 1 100 0 1 0 2 100 0 1 0 4 100 0 1 1 3 100 0 1 1 5 100 0 1 2 3 100 0 1 2 6 100 0 1 3 7 " \
  "100 0 1 4 5 100 0 1 "                                                                                               \
  "4 6 100 0 1 5 7 100 0 1 6 7 100 0 1 0 3 100 0 1.4142135623730951 1 2 100 0 1.4142135623730951 4 7 100 0 "           \
  "1.4142135623730951 "                                                                                                \
  "5 6 100 0 1.4142135623730951 0 5 100 0 1.4142135623730951 1 4 100 0 1.4142135623730951 2 7 100 0 "                  \
  "1.4142135623730951 "                                                                                                \
  "3 6 100 0 1.4142135623730951 0 6 100 0 1.4142135623730951 2 4 100 0 1.4142135623730951 1 7 100 0 "                  \
  "1.4142135623730951 "                                                                                                \
  "3 5 100 0 1.4142135623730951'/>"

static void check_free(const char *content, int wanted, const char *named)
{
  char text[4096];
  snprintf(text, sizeof text, "<Node gravity='0 0 0'><Node name='A'>%s</Node></Node>", content);
  dvScene *s = check_scene(text, 1);
  dvMech m = {.x = DV_X, .v = DV_V, .f = DV_F, .dx = DV_DX, .df = DV_DF, .dt = 0.01, .k = 1, .implicit = true};
  dvText what = {0};
  dv_mech_compute_force(s->plan, &m);
  int a = 0, b = 0;
  dv_vecs_take(&s->root->base, DV_VEC_DERIV, &a, &b);
  int found = dv_rigid_motions(s->plan, &m, a, b, &what);
  dv_vecs_give(&s->root->base, &a, &b);
  if (found != wanted) print_error("%.60s: %d motions (%s)\n", content, found, what.text ? what.text : "");
  assert_int_equal(found, wanted);
  if (named) assert_non_null(strstr(what.text ? what.text : "", named));
  dv_text_free(&what);
  check_close_scene(&s);
}

static void free_motions_are_counted(void **state)
{
  DV_UNUSED(state);
  check_free(CUBE, 6, "/A/mo along x");
  check_free(CUBE "<FixedProjectiveConstraint indices='0'/>", 3, NULL);     // turns about the point
  check_free(CUBE "<FixedProjectiveConstraint indices='0 1'/>", 1, NULL);   // and about an edge
  check_free(CUBE "<FixedProjectiveConstraint indices='0 1 2'/>", 0, NULL);
  check_free(CUBE "<RestShapeSpringsForceField points='0' stiffness='1'/>", 3, NULL);
  check_free(CUBE "<RestShapeSpringsForceField points='0 1 2' stiffness='1'/>", 0, NULL);
  check_free("<MechanicalObject position='1 2 3'/>", 3, NULL);      // a point does not turn
  check_free("<MechanicalObject position='1 2 3  2 4 6  3 6 9'/>"   // nor a rod about itself
             "<SpringForceField spring='0 1 10 0 3.7416573867739413 1 2 10 0 3.7416573867739413'/>",
             5, NULL);
  check_free("<MechanicalObject template='Rigid3' position='1 2 3 0 0 0 1'/><UniformMass/>", 6, "about");
  check_free("<MechanicalObject template='Rigid3' position='1 2 3 0 0 0 1'/><UniformMass/><FixedProjectiveConstraint "
             "indices='0'/>",
             0, NULL);
  check_free("<MechanicalObject template='Vec1' position='1 2 3'/>", 1, NULL);
  check_free("<MechanicalObject template='Vec2' position='1 2 3 5 3 3'/>", 3, NULL);
}

// two points on a spring, each a state of its own: the pair turns and moves, not each for itself
static void coupled_states_move_together(void **state)
{
  DV_UNUSED(state);
#define TWO                                                                          \
  "<Node name='P'><MechanicalObject name='mo' template='Vec1' position='0'/></Node>" \
  "<Node name='Q'><MechanicalObject name='mo' template='Vec1' position='2'/></Node>"
  check_free(TWO, 2, "/A/P/mo along x");
  check_free(TWO "<SpringForceField object1='@P/mo' object2='@Q/mo' spring='0 0 10 0 1'/>", 1, NULL);
}

// --- the switch ----------------------------------------------------------------------------------

// a chain of 4 masses on springs; its slowest frequency is 2 sqrt(k/m) sin(pi/18)
#define CHAIN(solver, stiffness, constraint)                                                                           \
  "<Node name='A'><QuasiDynamicSolver name='solver' " solver "/>" CG                                                   \
  "<MechanicalObject name='mo' position='0 0 0 0 -1 0 0 -2 0 0 -3 0 0 -4 0'/><UniformMass vertexMass='1'/>" constraint \
  "<SpringForceField spring='0 1 " stiffness " 0 1 1 2 " stiffness " 0 1 2 3 " stiffness " 0 1 3 4 " stiffness         \
  " 0 1'/></Node>"
#define HELD "<FixedProjectiveConstraint indices='0'/>"
// sideways motion has no stiffness without tension: hold it in the line
#define IN_LINE \
  "<FixedProjectiveConstraint indices='0'/><PartialFixedProjectiveConstraint fixAll='1' fixedDirections='1 0 1'/>"

static dvObject *solver_of(dvScene *s) { return check_find(s, "A/solver"); }
static bool is_static(dvScene *s) { return *(bool *)dv_object_field(solver_of(s), "isStatic")->value; }
static int switches(dvScene *s) { return *(int32_t *)dv_object_field(solver_of(s), "switches")->value; }
static double frequency(dvScene *s) { return *(double *)dv_object_field(solver_of(s), "frequency")->value; }

static void check_hangs(dvScene *s, double stiffness, double tolerance)
{
  double y = 0;
  for (int i = 1; i <= 4; i++) {
    y -= 1 + (4 - i + 1) * 10 / stiffness;
    check_close(check_value(s, "A/mo", DV_X, (size_t)(3 * i + 1)), y, tolerance);
  }
}

static void load_makes_it_static_and_relief_dynamic(void **state)
{
  DV_UNUSED(state);
  dvScene *s =
      check_scene("<Node gravity='0 -10 0' dt='0.01'><DefaultAnimationLoop/>" CHAIN("", "200", IN_LINE) "</Node>", 1);
  check_steps(s, 20);
  assert_false(is_static(s));
  dv_object_set(solver_of(s), "computationTime", "0.05");
  check_steps(s, 1);
  assert_true(is_static(s));
  check_steps(s, 1);
  check_hangs(s, 200, 1e-10);
  check_close(check_value(s, "A/mo", DV_V, 13), 0, 1e-8);
  dv_object_set(solver_of(s), "computationTime", "0.001");
  check_steps(s, 10);
  assert_false(is_static(s));
  check_hangs(s, 200, 1e-9);   // from equilibrium with the velocity of the last static step: it stays
  assert_int_equal(switches(s), 2);
  check_close_scene(&s);
}

// backward Euler with h omega = 0.01 * 2 sqrt(k/m) sin(pi/18) around 1
static void long_steps_are_static(void **state)
{
  DV_UNUSED(state);
  const struct {
    const char *scene;
    double stiffness;
    bool wanted;
  } cases[] = {
      {"<Node gravity='0 -10 0' dt='0.01'><DefaultAnimationLoop/>" CHAIN("", "2e5", IN_LINE) "</Node>", 2e5, true},
      {"<Node gravity='0 -10 0' dt='0.01'><DefaultAnimationLoop/>" CHAIN("", "2e3", IN_LINE) "</Node>", 2e3, false}};
  for (size_t i = 0; i < DV_COUNT(cases); i++) {
    dvScene *s = check_scene(cases[i].scene, 1);
    check_steps(s, 30);
    double slowest = 2 * sqrt(cases[i].stiffness) * sin(acos(-1.0) / 18);
    print_message("frequency %g, slowest mode %g\n", frequency(s), slowest);
    assert_true(frequency(s) >= slowest * (1 - 1e-9));   // a Rayleigh quotient lies above
    assert_true(is_static(s) == cases[i].wanted);
    if (cases[i].wanted) check_hangs(s, cases[i].stiffness, 1e-12);
    check_close_scene(&s);
  }
}

// the constraint ends after 0.5 s: statics would be singular, so the body falls with g from then on
static void a_freed_body_falls(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene("<Node gravity='0 -10 0' dt='0.01'><DefaultAnimationLoop/>" CHAIN(
                               "computationTime='0.02'", "200",
                               "<FixedProjectiveConstraint indices='0' endTime='0.5'/>"
                               "<PartialFixedProjectiveConstraint fixAll='1' fixedDirections='1 0 1'/>") "</Node>",
                           1);
  check_steps(s, 50);
  assert_true(is_static(s));
  check_hangs(s, 200, 1e-9);
  check_steps(s, 20);
  assert_false(is_static(s));
  int steps = 20;
  double momentum = 0;
  for (size_t i = 0; i < 5; i++) momentum += check_value(s, "A/mo", DV_V, 3 * i + 1);
  assert_true(fabs(momentum / 5 + 10 * 0.01 * steps) < 0.11);   // the time of release is a step or two off
  assert_int_equal(switches(s), 2);
  check_close_scene(&s);
}

// in static steps the velocity is that of the equilibrium: a chain whose end is pulled along follows with the speed of
// the pull
static void the_velocity_is_carried_over(void **state)
{
  DV_UNUSED(state);
  dvScene *s =
      check_scene("<Node gravity='0 0 0' dt='0.01'><DefaultAnimationLoop/>" CHAIN(
                      "computationTime='0.02'", "200",
                      "<LinearMovementProjectiveConstraint indices='0' keyTimes='0 10' movements='0 0 0 0 30 0'/>"
                      "<PartialFixedProjectiveConstraint indices='1 2 3 4' fixedDirections='1 0 1'/>") "</Node>",
                  1);
  check_steps(s, 50);
  assert_true(is_static(s));
  for (size_t i = 1; i < 5; i++)
    check_close(check_value(s, "A/mo", DV_V, 3 * i + 1), 3.0 * 0.01 / 0.02, 1e-6);   // tc is the computation time
  check_close_scene(&s);
}

// the load swings by 40 % about the deadline, 1,000 steps
static void a_load_at_the_limit_does_not_chatter(void **state)
{
  DV_UNUSED(state);
  dvScene *s =
      check_scene("<Node gravity='0 -10 0' dt='0.01'><DefaultAnimationLoop/>" CHAIN("", "200", IN_LINE) "</Node>", 1);
  for (int i = 0; i < 1000; i++) {
    char load[64];
    snprintf(load, sizeof load, "%g", 0.01 * (1 + 0.4 * sin(0.7 * i)));
    dv_object_set(solver_of(s), "computationTime", load);
    check_steps(s, 1);
  }
  assert_true(is_static(s));
  assert_int_equal(switches(s), 1);
  check_close_scene(&s);
}

static void results_do_not_depend_on_threads(void **state)
{
  DV_UNUSED(state);
  uint64_t hash[2];
  for (int t = 0; t < 2; t++) {
    dvScene *s = check_scene("<Node gravity='0 -10 0' dt='0.01'><DefaultAnimationLoop/>" CHAIN("computationTime='0.02'",
                                                                                               "2e4", HELD) "</Node>",
                             t + 1);
    check_steps(s, 100);
    hash[t] = dv_scene_hash(s);
    check_close_scene(&s);
  }
  assert_true(hash[0] == hash[1]);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(free_motions_are_counted),
      cmocka_unit_test(coupled_states_move_together),
      cmocka_unit_test(load_makes_it_static_and_relief_dynamic),
      cmocka_unit_test(long_steps_are_static),
      cmocka_unit_test(a_freed_body_falls),
      cmocka_unit_test(the_velocity_is_carried_over),
      cmocka_unit_test(a_load_at_the_limit_does_not_chatter),
      cmocka_unit_test(results_do_not_depend_on_threads),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

// Loops with parts, tags, and states outside of a solver's reach.
#include "topology/report.h"

#include "support/fd.h"
#include "support/scene.h"

#define BODY                                                                                                     \
  "<Node name='A'><EulerImplicitSolver/><CGLinearSolver iterations='50' tolerance='1e-14' threshold='1e-300'/>"  \
  "<MechanicalObject name='mo' position='0 0 0 1.5 0 0.2' velocity='0 0 0 0 1 0'/><UniformMass vertexMass='1'/>" \
  "<SpringForceField spring='0 1 100 1 1'/><FixedProjectiveConstraint indices='0'/></Node>"

static void parts_of_a_step_are_short_steps(void **state)
{
  DV_UNUSED(state);
  dvScene *parts = check_scene(
      "<Node gravity='0 -10 0' dt='0.06'><MultiStepAnimationLoop collisionSteps='2' integrationSteps='3'/>" BODY
      "</Node>",
      1);
  dvScene *plain = check_scene("<Node gravity='0 -10 0' dt='0.01'><DefaultAnimationLoop/>" BODY "</Node>", 1);
  check_steps(parts, 2);
  check_steps(plain, 12);
  for (size_t i = 0; i < 6; i++) {
    check_close(check_value(parts, "A/mo", DV_X, i), check_value(plain, "A/mo", DV_X, i), 1e-14);
    check_close(check_value(parts, "A/mo", DV_V, i), check_value(plain, "A/mo", DV_V, i), 1e-13);
  }
  check_close(parts->root->time, 0.12, 1e-15);
  check_close_scene(&parts);
  check_close_scene(&plain);
}

// children with a loop of their own take the steps that they take alone; others rest
static void children_with_loops_step(void **state)
{
  DV_UNUSED(state);
  static const double start[] = {0, 0, 0, 1.5, 0, 0.2};
  dvScene *s = check_scene("<Node gravity='0 -10 0' dt='0.01'><AnimationLoopParallelScheduler threadNumber='2'/><Node "
                           "name='one'><DefaultAnimationLoop/>" BODY "</Node>"
                           "<Node name='two'>" BODY "</Node></Node>",
                           2);
  dvScene *plain = check_scene("<Node gravity='0 -10 0' dt='0.01'><DefaultAnimationLoop/>" BODY "</Node>", 1);
  check_steps(s, 20);
  check_steps(plain, 20);
  for (size_t i = 0; i < 6; i++) {
    check_close(check_value(s, "one/A/mo", DV_X, i), check_value(plain, "A/mo", DV_X, i), 0);
    check_close(check_value(s, "two/A/mo", DV_X, i), start[i], 0);
  }
  check_close(s->root->time, 0.2, 1e-14);
  check_close_scene(&s);
  check_close_scene(&plain);
}

#define FREE(name, attributes, tags)                                                                      \
  "<Node name='" name "' " attributes "><EulerExplicitSolver " tags "/><MechanicalObject name='mo' " tags \
  "/><UniformMass totalMass='1' " tags "/></Node>"

static void each_tag_has_its_turn(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene("<Node gravity='0 -10 0' dt='0.1'><MultiTagAnimationLoop tags='elec meca'/>" FREE(
                               "E", "", "tags='elec'") FREE("M", "", "tags='meca other'") FREE("N", "", "") "</Node>",
                           1);
  check_steps(s, 3);
  check_close(check_value(s, "E/mo", DV_V, 1), -3, 1e-14);
  check_close(check_value(s, "M/mo", DV_V, 1), -3, 1e-14);
  check_close(check_value(s, "N/mo", DV_V, 1), 0, 0);
  check_close(s->root->time, 0.3, 1e-15);
  check_close_scene(&s);
}

// the second system sees what the first has done in the same step
static void the_order_of_tags_is_the_order_of_systems(void **state)
{
  DV_UNUSED(state);
  const char *orders[] = {"first second", "second first"};
  const double wanted[] = {-10 * (1 - 0.1), -10};   // f = -k (x - x_external), the external point moves by 0.1
  for (int i = 0; i < 2; i++) {
    char text[1024];
    snprintf(text, sizeof text,
             "<Node gravity='0 0 0' dt='0.1'><MultiTagAnimationLoop tags='%s'/>"
             "<Node name='E'><EulerExplicitSolver tags='first'/><MechanicalObject name='mo' velocity='1 0 "
             "0'/><UniformMass totalMass='1'/></Node>"
             "<Node name='M'><EulerExplicitSolver tags='second'/><MechanicalObject name='mo' position='1 0 "
             "0'/><UniformMass totalMass='1'/>"
             "<RestShapeSpringsForceField stiffness='10' points='0' external_rest_shape='@/E/mo'/></Node></Node>",
             orders[i]);
    dvScene *s = check_scene(text, 1);
    check_steps(s, 1);
    check_close(check_value(s, "M/mo", DV_V, 0), 0.1 * wanted[i], 1e-14);
    check_close_scene(&s);
  }
}

static void only_the_first_solver_of_a_node_runs_in_parts(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene("<Node gravity='0 -10 0' dt='0.1'><MultiStepAnimationLoop/><Node "
                           "name='A'><EulerExplicitSolver/><EulerExplicitSolver/>"
                           "<MechanicalObject name='mo'/><UniformMass totalMass='1'/></Node></Node>",
                           1);
  check_steps(s, 1);
  check_close(check_value(s, "A/mo", DV_V, 1), -1, 1e-14);
  check_close_scene(&s);
}

// a node with tags rules components that have all of them
static void a_tagged_solver_sees_its_own(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene(
      "<Node gravity='0 -10 0' dt='0.1'><DefaultAnimationLoop/><Node name='A' tags='meca'><EulerExplicitSolver/>"
      "<MechanicalObject name='mo' tags='meca'/><UniformMass totalMass='1' tags='other meca'/>"
      "<ConstantForceField forces='100 0 0' indices='0' tags='elec'/><ConstantForceField forces='0 0 3' indices='0' "
      "tags='meca'/>"
      "<Node name='B'><MechanicalObject name='mo' velocity='1 1 1'/><UniformMass totalMass='1'/></Node></Node></Node>",
      1);
  check_steps(s, 1);
  const double wanted[] = {0, -1, 0.3};
  for (size_t i = 0; i < 3; i++) {
    check_close(check_value(s, "A/mo", DV_V, i), wanted[i], 1e-14);
    check_close(check_value(s, "A/B/mo", DV_X, i), 0, 0);
  }
  check_close_scene(&s);
}

static void tags_exclude_and_ask_for_none(void **state)
{
  DV_UNUSED(state);
  const struct {
    const char *tags, *wanted;
    bool fits;
  } cases[] = {{"a b", "a", true}, {"a b", "a b", true}, {"a", "a b", false},  {"", "a", false},
               {"a", "", true},    {"a", "!b", true},    {"a b", "!b", false}, {"", "!b", true},
               {"", "0", true},    {"a", "0", false},    {"a", "a !c", true}};
  dvScene *s = check_scene("<Node><MechanicalObject name='mo'/></Node>", 1);
  dvObject *mo = check_find(s, "mo");
  for (size_t i = 0; i < DV_COUNT(cases); i++) {
    assert_int_equal(dv_object_set(mo, "tags", cases[i].wanted), DV_OK);
    dvStrings wanted = {0};
    dv_strings_copy(&wanted, &mo->tags);
    assert_int_equal(dv_object_set(mo, "tags", cases[i].tags), DV_OK);
    if (dv_object_has_tags(mo, &wanted) != cases[i].fits)
      print_error("'%s' for '%s'\n", cases[i].tags, cases[i].wanted);
    assert_true(dv_object_has_tags(mo, &wanted) == cases[i].fits);
    dv_strings_free(&wanted);
  }
  check_close_scene(&s);
}

// a spring inside B's node is part of B's system; A moves on its own and only gives the other end: for B, with the
// stiffness k, (m + h^2 k) dv = h (f + h k (v_A - v_B)) whatever A's own solver has left in its vectors
#define IMPLICIT "<EulerImplicitSolver/><CGLinearSolver iterations='50' tolerance='1e-14' threshold='1e-300'/>"
static void what_lies_outside_does_not_move_while_a_system_is_solved(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene("<Node gravity='0 0 0' dt='0.1'><DefaultAnimationLoop/>"
                           "<Node name='A'>" IMPLICIT
                           "<MechanicalObject name='mo' template='Vec1' position='0' rest_position='5' velocity='1'/>"
                           "<UniformMass totalMass='1'/><RestShapeSpringsForceField points='0' stiffness='7'/></Node>"
                           "<Node name='B'>" IMPLICIT
                           "<MechanicalObject name='mo' template='Vec1' position='3'/><UniformMass totalMass='1'/>"
                           "<SpringForceField object1='@/A/mo' object2='@/B/mo' spring='0 0 10 0 1'/></Node></Node>",
                           1);
  double h = 0.1, xa = 0, va = 1, xb = 3, vb = 0;
  for (int n = 0; n < 3; n++) {   // they meet after that
    va = (va + h * 7 * (5 - xa)) / (1 + h * h * 7);
    xa += h * va;
    double f = -10 * (xb - xa - 1);
    vb += h * (f + h * 10 * (va - vb)) / (1 + h * h * 10);
    xb += h * vb;
    check_steps(s, 1);
    check_close(check_value(s, "A/mo", DV_X, 0), xa, 1e-13);
    check_close(check_value(s, "B/mo", DV_X, 0), xb, 1e-13);
  }
  check_close_scene(&s);
}

// the same for stages at other positions than those of the scene
static void stages_see_the_states_outside(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene("<Node gravity='0 0 0' dt='0.1'><DefaultAnimationLoop/><Node name='A'><MechanicalObject "
                           "name='mo' template='Vec1' position='2'/></Node>"
                           "<Node name='B'><RungeKutta2Solver/><MechanicalObject name='mo' template='Vec1' "
                           "position='5'/><UniformMass totalMass='1'/>"
                           "<SpringForceField object1='@/A/mo' object2='@/B/mo' spring='0 0 10 0 1'/></Node></Node>",
                           1);
  check_steps(s, 1);
  // a = -10 (x - 3), by the midpoint rule: a(x) = -20, x_mid = 5, v_mid = -1
  check_close(check_value(s, "B/mo", DV_X, 0), 5 + 0.1 * -1, 1e-14);
  check_close(check_value(s, "B/mo", DV_V, 0), -2, 1e-14);
  check_close_scene(&s);
}

// without constraints the free motion is the motion, except that positions always follow the new velocities
static void free_motion_is_plain_motion(void **state)
{
  DV_UNUSED(state);
  dvScene *free_motion =
      check_scene("<Node gravity='0 -10 0' dt='0.01'><FreeMotionAnimationLoop/>" BODY FREE("B", "", "") "</Node>", 1);
  dvScene *plain =
      check_scene("<Node gravity='0 -10 0' dt='0.01'><DefaultAnimationLoop/>" BODY FREE("B", "", "") "</Node>", 1);
  check_steps(free_motion, 20);
  check_steps(plain, 20);
  for (size_t i = 0; i < 6; i++) {
    check_close(check_value(free_motion, "A/mo", DV_X, i), check_value(plain, "A/mo", DV_X, i), 1e-15);
    check_close(check_value(free_motion, "A/mo", DV_V, i), check_value(plain, "A/mo", DV_V, i), 1e-14);
  }
  check_close(check_value(free_motion, "B/mo", DV_X, 1), check_value(plain, "B/mo", DV_X, 1), 1e-15);
  check_close(free_motion->root->time, 0.2, 1e-15);
  check_close_scene(&free_motion);
  check_close_scene(&plain);
}

// --- repeated steps ------------------------------------------------------------------------------

// A floor at y = 0, as a collision pipeline: it counts the points below it and pushes them up with a force that grows
// with every time it has found them there.
typedef struct Floor {
  dvObject base;
  int found;
} Floor;

static dvStatus floor_collide(dvObject *o, double dt, size_t *contacts)
{
  DV_UNUSED(dt);
  Floor *f = (Floor *)o;
  dvState *s = dv_state(dv_node_state_up(o->node));
  const double *x = dv_state_read(s, DV_X);
  for (size_t i = 0; i < s->count; i++) *contacts += x[3 * i + 1] < 0;
  f->found = *contacts ? f->found + 1 : 0;
  if (f->found) o->node->gravity[1] = -10 + 6.0 * f->found;   // what holds it up
  return DV_OK;
}

static const dvCollisionOps floor_ops = {.collide = floor_collide};
static const dvClass floor_class = {
    .struct_size = sizeof(dvClass),
    .name = "TestFloor",
    .help = "a floor",
    .size = sizeof(Floor),
    .blocks = {&dv_object_block},
    .ops = {[DV_ROLE_COLLISION] = &floor_ops},
};

static dvScene *floor_scene(const char *loop)
{
  dvContext *context = dv_divan_create(1);
  dv_registry_add(&context->registry, &floor_class);
  char *text = dv_format(
      "<Node dt='0.1' gravity='0 -10 0'>%s<Node name='A' gravity='0 -10 0'><EulerExplicitSolver/>"
      "<MechanicalObject name='mo' position='0 0.05 0'/><UniformMass totalMass='1'/><TestFloor/></Node></Node>",
      loop);
  dvScene *scene = NULL;
  assert_int_equal(dv_scene_parse(context, "test.scn", text, strlen(text), &scene), DV_OK);
  assert_int_equal(dv_scene_init(scene), DV_OK);
  dv_free(text);
  return scene;
}

static void a_step_is_repeated_until_nothing_touches(void **state)
{
  DV_UNUSED(state);
  // v = g h, y = 0.05 + v h: with g = -10 and -4 below or at the floor, with 2 above it
  dvScene *s = floor_scene("<RepeatAnimationLoop name='loop'/>");
  check_steps(s, 1);
  check_close(*(int32_t *)dv_object_field(check_find(s, "loop"), "repeats")->value, 1, 0);
  check_close(check_value(s, "A/mo", DV_X, 1), 0.05 - 4 * 0.01, 1e-15);
  check_close(check_value(s, "A/mo", DV_V, 1), -0.4, 1e-15);
  check_close(s->root->time, 0.1, 1e-15);
  check_steps(s, 1);   // still with -4: 0.01 - 0.04 - 0.04 = -0.07; then -4 again, then 2: -0.01, then 8
  check_close(*(int32_t *)dv_object_field(check_find(s, "loop"), "repeats")->value, 3, 0);
  check_close(check_value(s, "A/mo", DV_V, 1), -0.4 + 0.8, 1e-15);
  check_close(s->root->time, 0.2, 1e-15);
  check_close_scene(&s);
  s = floor_scene("<RepeatAnimationLoop name='loop' maxRepeats='0'/>");
  check_steps(s, 1);
  check_close(*(int32_t *)dv_object_field(check_find(s, "loop"), "contactsLeft")->value, 1, 0);
  check_close(check_value(s, "A/mo", DV_X, 1), 0.05 - 10 * 0.01, 1e-15);
  check_close_scene(&s);
}

// --- with contacts of a pipeline ---

static dvScene *ball_over_ball(const char *loop, double height)
{
  char *text = dv_format(
      "<Node dt='0.01' gravity='0 -10 0'>%s<CollisionPipeline/><BruteForceBroadPhase/><BVHNarrowPhase/>"
      "<MinProximityIntersection alarmDistance='0.5' contactDistance='0.1'/><CollisionResponse/><Node name='A'>"
      "<EulerImplicitSolver rayleighMass='2'/><CGLinearSolver iterations='20' tolerance='1e-14' threshold='1e-30'/>"
      "<MechanicalObject name='mo' position='0 %g 0'/><UniformMass totalMass='1'/><SphereCollisionModel radius='0.5' "
      "contactStiffness='100'/></Node><Node><MechanicalObject position='0 0 0'/><SphereCollisionModel radius='0.5' "
      "simulated='0' moving='0' contactStiffness='100'/></Node></Node>",
      loop, height);
  dvScene *s = check_scene(text, 1);
  dv_free(text);
  return s;
}

static int32_t repeats_of(dvScene *s) { return *(int32_t *)dv_object_field(check_find(s, "loop"), "repeats")->value; }

static void real_contacts_settle(void **state)
{
  DV_UNUSED(state);
  // near, and not pushed: made once more, with the same end, as by the loop that looks once
  dvScene *s = ball_over_ball("<RepeatAnimationLoop name='loop'/>", 1.3),
          *once = ball_over_ball("<DefaultAnimationLoop/>", 1.3);
  check_steps(s, 1);
  check_steps(once, 1);
  assert_int_equal(repeats_of(s), 1);
  check_close(check_value(s, "A/mo", DV_X, 1), check_value(once, "A/mo", DV_X, 1), 0);
  int most = 0;
  double energy = 10 * 1.3;
  for (int step = 0; step < 2000; step++) {
    check_steps(s, 1);
    check_steps(once, 1);
    most = repeats_of(s) > most ? repeats_of(s) : most;
    double v = check_value(s, "A/mo", DV_V, 1);
    assert_true(v * v / 2 + 10 * check_value(s, "A/mo", DV_X, 1) <= energy + 1e-9);
  }
  assert_true(most < 10);   // it comes to its fixed point
  check_close(check_value(s, "A/mo", DV_V, 1), 0, 1e-6);
  check_close(check_value(s, "A/mo", DV_X, 1), check_value(once, "A/mo", DV_X, 1), 1e-6);   // the same rest
  assert_int_equal(*(int32_t *)dv_object_field(check_find(s, "loop"), "contactsLeft")->value, 1);
  check_close_scene(&s);
  check_close_scene(&once);
  s = ball_over_ball("<RepeatAnimationLoop name='loop'/>", 3);
  check_steps(s, 1);
  assert_int_equal(repeats_of(s), 0);
  check_close_scene(&s);
}

static void bad_loops_are_refused(void **state)
{
  DV_UNUSED(state);
  assert_true(fd_fails("<Node><RepeatAnimationLoop tolerance='-1'/></Node>"));
  assert_true(fd_fails("<Node><RepeatAnimationLoop maxRepeats='-1'/></Node>"));
  assert_true(fd_fails("<Node><MultiStepAnimationLoop collisionSteps='0'/></Node>"));
  assert_true(fd_fails("<Node><MultiStepAnimationLoop integrationSteps='-3'/></Node>"));
}

#define TAGGED(node, solver, mass)                                                                          \
  "<Node dt='0.1'><MultiTagAnimationLoop tags='meca'/><Node name='A' " node "><EulerExplicitSolver " solver \
  "/><MechanicalObject tags='meca'/><UniformMass name='m' " mass "/></Node></Node>"

// a solver without a tag of the loop is never called, a component without the tags of its solver's node never seen
static void what_tags_leave_out_is_told(void **state)
{
  DV_UNUSED(state);
  static const struct {
    const char *scene, *says;
  } odd[] = {{TAGGED("", "tags='mechanics'", ""), "the solver has no turn"},
             {TAGGED("tags='meca'", "tags='meca'", ""), "EulerExplicitSolver1 leaves it out"},
             {TAGGED("tags='meca'", "tags='meca'", "tags='meca'"), NULL},
             {TAGGED("", "tags='meca'", ""), NULL}};
  for (size_t i = 0; i < DV_COUNT(odd); i++) {
    Report r;
    report_good(&r, odd[i].scene);
    if (odd[i].says) report_says(&r, odd[i].says);
    else assert_true(!r.messages.text || !strstr(r.messages.text, "leaves it out"));
    report_end(&r);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(parts_of_a_step_are_short_steps),
      cmocka_unit_test(children_with_loops_step),
      cmocka_unit_test(each_tag_has_its_turn),
      cmocka_unit_test(the_order_of_tags_is_the_order_of_systems),
      cmocka_unit_test(only_the_first_solver_of_a_node_runs_in_parts),
      cmocka_unit_test(a_tagged_solver_sees_its_own),
      cmocka_unit_test(tags_exclude_and_ask_for_none),
      cmocka_unit_test(what_lies_outside_does_not_move_while_a_system_is_solved),
      cmocka_unit_test(stages_see_the_states_outside),
      cmocka_unit_test(free_motion_is_plain_motion),
      cmocka_unit_test(a_step_is_repeated_until_nothing_touches),
      cmocka_unit_test(real_contacts_settle),
      cmocka_unit_test(what_tags_leave_out_is_told),
      cmocka_unit_test(bad_loops_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

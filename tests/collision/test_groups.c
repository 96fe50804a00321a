// Bodies that are solved together while they touch, and pipelines with models of their own.
#include "collision/collision.h"
#include "divan/divan.h"
#include "support/check.h"
#include "support/scene.h"

#include <math.h>

static const char head[] = "<DefaultAnimationLoop/><CollisionPipeline/><BruteForceBroadPhase/><BVHNarrowPhase/>"
                           "<MinProximityIntersection alarmDistance='0.5' contactDistance='0.2'/><CollisionResponse/>";

static char *body(const char *name, double x, double v, double mass)
{
  return dv_format("<Node name='%s'><EulerImplicitSolver/><CGLinearSolver iterations='25' tolerance='1e-14' "
                   "threshold='1e-20'/><MechanicalObject name='x' position='%g 0 0' velocity='%g 0 0'/>"
                   "<UniformMass totalMass='%g'/><SphereCollisionModel name='m' radius='0.5' "
                   "contactStiffness='30'/></Node>",
                   name, x, v, mass);
}

static dvScene *two_bodies(const char *manager)
{
  char *a = body("a", 0, 1, 1), *b = body("b", 2, -1, 2);
  char *text = dv_format("<Node dt='0.01' gravity='0 0 0'>%s%s%s%s</Node>", head, manager, a, b);
  dvScene *s = check_scene(text, 1);
  dv_free(text);
  dv_free(a);
  dv_free(b);
  return s;
}

static int number(dvScene *s, const char *field)
{
  return *(const int32_t *)dv_object_field(check_find(s, "g"), field)->value;
}

static double momentum(dvScene *s) { return check_value(s, "a/x", DV_V, 0) + 2 * check_value(s, "b/x", DV_V, 0); }

static double energy(dvScene *s)
{
  double v = check_value(s, "a/x", DV_V, 0), w = check_value(s, "b/x", DV_V, 0);
  return 0.5 * v * v + w * w;
}

// they meet, are one system as long as they touch, part, and have their solvers again
static void meet_and_part(void **state)
{
  DV_UNUSED(state);
  dvScene *s = two_bodies("<DefaultCollisionGroupManager name='g'/>");
  dvNode *a = check_find(s, "a/x")->node, *b = check_find(s, "b/x")->node;
  size_t objects = a->objects.count, children = s->root->children.count;
  double before = energy(s);
  bool together = false;
  for (int i = 0; i < 200; i++) {
    check_steps(s, 1);
    bool touch = dv_scene_contacts(s) > 0;
    assert_int_equal(number(s, "groups"), touch);
    assert_ptr_equal(a->leader, touch ? b : NULL);
    together = together || touch;
    check_close(momentum(s), -1, 1e-10);
  }
  assert_true(together);
  assert_int_equal(number(s, "merges"), 1);
  assert_int_equal(number(s, "splits"), 1);
  assert_null(a->leader);
  assert_int_equal(b->joined.count, 0);
  assert_int_equal(a->objects.count, objects);
  assert_int_equal(s->root->children.count, children);
  assert_true(check_value(s, "a/x", DV_V, 0) < 0);
  assert_true(energy(s) <= before);
  dv_scene_reset(s);
  check_steps(s, 200);
  check_close(momentum(s), -1, 1e-10);
  check_close_scene(&s);
}

// without it the contact is an external force of the step: these two gain energy
static void apart(void **state)
{
  DV_UNUSED(state);
  dvScene *s = two_bodies("");
  double before = energy(s);
  check_steps(s, 200);
  assert_true(energy(s) > before);
  check_close_scene(&s);
}

// three in a row: the middle one joins both ends
static void three(void **state)
{
  DV_UNUSED(state);
  char *a = body("a", 0, 0, 1), *b = body("b", 1.1, 0, 1), *c = body("c", 2.2, 0, 1);
  char *text = dv_format("<Node dt='0.01' gravity='0 0 0'>%s<DefaultCollisionGroupManager name='g'/>%s%s%s</Node>",
                         head, a, b, c);
  dvScene *s = check_scene(text, 1);
  check_steps(s, 1);
  assert_int_equal(number(s, "groups"), 1);
  assert_int_equal(number(s, "merges"), 2);
  check_steps(s, 300);
  assert_int_equal(number(s, "groups"), 0);
  assert_int_equal(number(s, "splits"), 2);
  check_close(check_value(s, "a/x", DV_V, 0) + check_value(s, "b/x", DV_V, 0) + check_value(s, "c/x", DV_V, 0), 0,
              1e-10);
  check_close_scene(&s);
  dv_free(text);
  dv_free(a);
  dv_free(b);
  dv_free(c);
}

// --- their solvers -------------------------------------------------------------------------------

static dvScene *two_solvers(const char *first, const char *second)
{
  static const char body_format[] =
      "<Node name='%s'>%s<MechanicalObject name='x' position='%g 0 0' velocity='%g 0 0'/><UniformMass "
      "totalMass='1'/><SphereCollisionModel radius='0.5' contactStiffness='30'/></Node>";
  char *a = dv_format(body_format, "a", first, 0.0, 1.0), *b = dv_format(body_format, "b", second, 2.0, -1.0);
  char *text =
      dv_format("<Node dt='0.01' gravity='0 0 0'>%s<DefaultCollisionGroupManager name='g'/>%s%s</Node>", head, a, b);
  dvScene *s = check_scene(text, 1);
  dv_free(text);
  dv_free(a);
  dv_free(b);
  return s;
}

static void until(dvScene *s, int groups)
{
  for (int i = 0; i < 400 && number(s, "groups") != groups; i++) check_steps(s, 1);
  assert_int_equal(number(s, "groups"), groups);
}

static void check_numbers(dvScene *s, const char *node, const double expected[6])
{
  static const char *const names[] = {"o.rayleighStiffness", "o.rayleighMass", "o.vdamping",
                                      "l.iterations",        "l.tolerance",    "l.threshold"};
  for (int i = 0; i < 6; i++) {
    char path[8] = {node[0], '/', names[i][0]};
    const dvField *f = dv_object_field(check_find(s, path), names[i] + 2);
    check_close(f->desc->type == DV_T_INT ? *(const int32_t *)f->value : *(const double *)f->value, expected[i], 0);
  }
}

// the least damping, the most iterations, the sharpest tolerances; and their own again when they part
static void what_suits_all(void **state)
{
  DV_UNUSED(state);
  static const double first[6] = {1e-3, 0.02, 0.03, 40, 1e-9, 1e-18}, second[6] = {5e-4, 0.04, 0.01, 10, 1e-12, 1e-12},
                      both[6] = {5e-4, 0.02, 0.03, 40, 1e-12, 1e-18};
  dvScene *s =
      two_solvers("<EulerImplicitSolver name='o' rayleighStiffness='1e-3' rayleighMass='0.02' vdamping='0.03'/>"
                  "<CGLinearSolver name='l' iterations='40' tolerance='1e-9' threshold='1e-18'/>",
                  "<EulerImplicitSolver name='o' rayleighStiffness='5e-4' rayleighMass='0.04' vdamping='0.01'/>"
                  "<CGLinearSolver name='l' iterations='10' tolerance='1e-12' threshold='1e-12'/>");
  until(s, 1);
  check_numbers(s, "a", first);
  check_numbers(s, "b", both);   // it leads
  until(s, 0);
  check_numbers(s, "a", first);
  check_numbers(s, "b", second);
  dv_scene_reset(s);
  until(s, 1);
  check_numbers(s, "b", both);
  dv_scene_reset(s);
  check_numbers(s, "b", second);
  check_close_scene(&s);
}

// the solver that is more accurate leads, wherever it stands; a direct one has nothing to take from an iterative one
static void who_leads(void **state)
{
  DV_UNUSED(state);
  static const struct {
    const char *first, *second;
    int leader;
  } cases[] = {{"<RungeKutta4Solver/>", "<EulerExplicitSolver/>", 0},
               {"<EulerExplicitSolver/>", "<EulerExplicitSolver/>", 1},
               {"<EulerImplicitSolver/><SparseLDLSolver/>", "<RungeKutta4Solver/>", 0},
               {"<EulerImplicitSolver/><SparseLDLSolver/>", "<EulerImplicitSolver/><CGLinearSolver/>", 1},
               {"<EulerImplicitSolver/><CGLinearSolver/>", "<EulerImplicitSolver/><SparseLDLSolver/>", 1}};
  for (size_t i = 0; i < DV_COUNT(cases); i++) {
    dvScene *s = two_solvers(cases[i].first, cases[i].second);
    until(s, 1);
    dvNode *nodes[2] = {check_find(s, "a/x")->node, check_find(s, "b/x")->node};
    assert_ptr_equal(nodes[1 - cases[i].leader]->leader, nodes[cases[i].leader]);
    assert_null(nodes[cases[i].leader]->leader);
    until(s, 0);
    check_close(check_value(s, "a/x", DV_V, 0) + check_value(s, "b/x", DV_V, 0), 0, 1e-9);
    check_close_scene(&s);
  }
}

// --- parts of a pipeline -------------------------------------------------------------------------

static const char part[] = "<BruteForceBroadPhase name='b%d'/><BVHNarrowPhase name='n%d'/>"
                           "<MinProximityIntersection name='i%d' alarmDistance='%g' contactDistance='0.1'/>"
                           "<CollisionResponse name='r%d'/><SubCollisionPipeline name='p%d' collisionModels='%s' "
                           "broadPhaseDetection='@b%d' narrowPhaseDetection='@n%d' intersectionMethod='@i%d' "
                           "contactManager='@r%d'/>";

// a and b are tested by one, c and d by the other; nobody tests b and c, which are as near
static void two_pipelines(void **state)
{
  DV_UNUSED(state);
  static const char names[] = "abcd";
  dvText nodes = {0};
  for (int i = 0; i < 4; i++) {
    char name[2] = {names[i], 0}, *one = body(name, 1.15 * i, 0, 1);
    dv_text_add(&nodes, one);
    dv_free(one);
  }
  char *first = dv_format(part, 1, 1, 1, 0.3, 1, 1, "@a/m @b/m", 1, 1, 1, 1),
       *second = dv_format(part, 2, 2, 2, 0.05, 2, 2, "@c/m @d/m", 2, 2, 2, 2);
  char *text = dv_format("<Node dt='0.01' gravity='0 0 0'><DefaultAnimationLoop/>%s%s%s<CompositeCollisionPipeline "
                         "subCollisionPipelines='@p1 @p2'/></Node>",
                         nodes.text, first, second);
  dvScene *s = check_scene(text, 1);
  check_steps(s, 1);
  assert_int_equal(dv_scene_contacts(s), 1);   // the second looks no further than 0.05
  dvTouch t;
  assert_true(dv_scene_touch(s, 0, &t));
  assert_ptr_equal(t.model[0]->base.node->scene, s);
  check_close_scene(&s);
  dv_free(text);
  dv_free(first);
  dv_free(second);
  dv_text_free(&nodes);
}

// what touches a model, as fields of a listener
static void listener(void **state)
{
  DV_UNUSED(state);
  char *a = body("a", 0, 0, 1), *b = body("b", 1.15, 0, 1);
  char *text = dv_format(
      "<Node dt='0.01' gravity='0 0 0'>%s%s%s<ContactListener name='g' collisionModel1='@a/m'/></Node>", head, a, b);
  dvScene *s = check_scene(text, 1);
  check_steps(s, 1);
  assert_int_equal(number(s, "numberOfContacts"), 1);
  const dvReals *normals = dv_object_field(check_find(s, "g"), "normals")->value,
                *distances = dv_object_field(check_find(s, "g"), "distances")->value;
  check_close(normals->data[0], 1, 1e-12);
  check_close(distances->data[0], 1.15 - 1 - 0.2, 1e-12);
  divanTouch touch;
  divanContact contact;
  assert_true(divan_touch(s, 0, &touch) && divan_contact(s, 0, 0, &contact));
  assert_false(divan_touch(s, 1, &touch) || divan_contact(s, 0, 1, &contact) || divan_contact(s, 1, 0, &contact));
  assert_true(divan_touch(s, 0, &touch));
  assert_string_equal(touch.path[0], "/b/m");
  assert_string_equal(touch.path[1], "/a/m");
  assert_int_equal(touch.contacts, 1);
  assert_int_equal(touch.since, 0);
  assert_true(touch.force > 0);
  check_close(contact.normal[0], -1, 1e-12);
  check_close(contact.distance, 1.15 - 1 - 0.2, 1e-12);
  check_steps(s, 300);
  assert_int_equal(number(s, "numberOfContacts"), 0);
  check_close_scene(&s);
  dv_free(text);
  dv_free(a);
  dv_free(b);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(meet_and_part), cmocka_unit_test(apart),
                                     cmocka_unit_test(three),         cmocka_unit_test(what_suits_all),
                                     cmocka_unit_test(who_leads),     cmocka_unit_test(two_pipelines),
                                     cmocka_unit_test(listener)};
  return cmocka_run_group_tests_name("collision.groups", tests, NULL, NULL);
}

// What contacts must bear: 50,000 of them at once, bodies that start inside each other, surfaces that are inverted,
// open or flat, parts that are missing. Steps stay bounded in time and memory; what cannot be done is told.
#include "base/clock.h"
#include "base/random.h"
#include "collision/collision.h"
#include "collision/response/response.h"
#include "support/check.h"
#include "support/scene.h"

#include <string.h>
#include <sys/resource.h>

#define HEAD(method, response) \
  "<CollisionPipeline/><BruteForceBroadPhase/><BVHNarrowPhase/>" method "<CollisionResponse response='" response "'/>"
#define NEAR "<MinProximityIntersection alarmDistance='0.2' contactDistance='0.1'/>"
#define CG "<CGLinearSolver iterations='40' tolerance='1e-9' threshold='1e-20'/>"

typedef struct Told {
  const char *part;
  size_t times;
} Told;

static void listen(void *user, const dvMessage *m)
{
  Told *t = user;
  if (strstr(m->text, t->part)) t->times++;
}

static void hear(dvScene *s, Told *told)
{
  s->root->base.context->log.sink = listen;
  s->root->base.context->log.user = told;
}

static bool is_finite(dvScene *s)
{
  for (size_t i = 0; i < s->plan->states.count; i++) {
    dvState *state = dv_state(s->plan->states.data[i]);
    const double *x = dv_state_read(state, DV_X);
    for (size_t k = 0; k < dv_state_scalars(state, DV_X); k++)
      if (!isfinite(x[k])) return false;
  }
  return true;
}

// --- many --------------------------------------------------------------------------------------------

// a sheet of 50,176 points that lies on two triangles
static dvScene *sheet(const char *head, const char *loop, const char *solver)
{
  char *text = dv_format(
      "<Node dt='0.01' gravity='0 -10 0'>%s%s<Node name='sheet'><EulerImplicitSolver/>%s<RegularGridTopology "
      "n='224 1 224' min='-5 0.09 -5' max='5 0.09 5'/><MechanicalObject name='x'/><UniformMass totalMass='100'/>"
      "<PointCollisionModel/></Node><Node name='floor'><MeshTopology position='-10 0 -10  10 0 -10  10 0 10  -10 0 10' "
      "triangles='0 2 1  0 3 2'/><MechanicalObject/><TriangleCollisionModel simulated='0' moving='0'/></Node></Node>",
      loop, head, solver);
  dvScene *s = check_scene(text, 2);
  dv_free(text);
  return s;
}

static void fifty_thousand(void **state)
{
  DV_UNUSED(state);
  static const char *const solvers[] = {CG, "<SparseLDLSolver/>"};
  for (size_t i = 0; i < DV_COUNT(solvers); i++) {
    dvScene *s = sheet(HEAD(NEAR, "PenalityContactForceField"), "<DefaultAnimationLoop/>", solvers[i]);
    double began = dv_now();
    check_steps(s, 1);   // each point has a spring of its own: v = h (k depth - m g) / (m + h2 k)
    const double h = 0.01, m = 100.0 / 50176, k = 10 * 10 / 0.1;
    check_close(check_value(s, "sheet/x", DV_V, 3 * 5 + 1), h * (k * 0.01 - m * 10) / (m + h * h * k), 1e-9);
    check_steps(s, 2);
    assert_true(dv_now() - began < 60);   // a second on one core, without sanitizers
    assert_true(dv_scene_contacts(s) > 49000);
    assert_true(is_finite(s));
    check_close_scene(&s);
  }
  struct rusage use;
  assert_int_equal(getrusage(RUSAGE_SELF, &use), 0);
  assert_true(use.ru_maxrss < 2L << 20);   // kB
}

// by Lagrange multipliers their compliance through a factor does not fit into memory: the step fails, the scene and the
// program go on
static void too_many(void **state)
{
  DV_UNUSED(state);
  dvScene *s =
      sheet(HEAD(NEAR, "FrictionContactConstraint"), "<FreeMotionAnimationLoop/><BlockGaussSeidelConstraintSolver/>",
            "<SparseLDLSolver/><LinearSolverConstraintCorrection/>");
  Told told = {.part = "are too many"};
  hear(s, &told);
  double began = dv_now();
  assert_true(dv_scene_step(s, 0) != DV_OK);
  assert_true(dv_now() - began < 60);
  assert_true(told.times > 0);
  assert_true(is_finite(s));
  check_close_scene(&s);
}

// point by point it is never built
static void point_by_point(void **state)
{
  DV_UNUSED(state);
  dvScene *s =
      sheet(HEAD(NEAR, "FrictionContactConstraint"), "<FreeMotionAnimationLoop/><BlockGaussSeidelConstraintSolver/>",
            CG "<UncoupledConstraintCorrection defaultCompliance='1'/>");
  double began = dv_now();
  check_steps(s, 1);
  assert_true(dv_now() - began < 60);
  assert_true(is_finite(s));
  check_close_scene(&s);
}

// contacts at one place against all pairs
static void places(void **state)
{
  DV_UNUSED(state);
  dvRandom r = dv_random_start(7);
  dvContactList list = {0};
  for (int i = 0; i < 3000; i++) {
    dvContact c = {0};
    for (int k = 0; k < 6; k++) {
      double most = k < 3 ? 5e-4 : 5e-5;
      c.point[k / 3][k % 3] = dv_random(&r, -most, most);
    }
    dv_push(&list.contacts, c);
  }
  dv_push(&list.contacts, ((dvContact){.point = {{NAN, INFINITY, -1e300}}}));   // must do no harm
  dvDoubles found = {0};
  dv_doubles_drop(&found, &list);
  size_t kept[3001], count = 0;
  for (size_t i = 0; i < list.contacts.count; i++) {
    bool known = false;
    for (size_t k = 0; k < count && !known; k++) {
      double square = 0;
      for (int n = 0; n < 6; n++) {
        double d = list.contacts.data[i].point[n / 3][n % 3] - list.contacts.data[kept[k]].point[n / 3][n % 3];
        square += d * d;
      }
      known = square < 1e-8;
    }
    if (!known) kept[count++] = i;
  }
  assert_true(count < 2900);
  assert_int_equal(found.kept.count, count);
  assert_memory_equal(found.kept.data, kept, count * sizeof *kept);
  dv_doubles_free(&found);
  dv_array_free(&list.contacts);
}

// of one ball those stay that no deeper one stands for, in the order of the list
static void balls_in_a_crowd(void **state)
{
  DV_UNUSED(state);
  enum { COUNT = 2000, BALLS = 40 };
  const double apart = 0.5;
  dvRandom r = dv_random_start(8);
  dvCollisionModel mesh = {.shape = DV_SHAPE_TRIANGLE}, balls = {.shape = DV_SHAPE_SPHERE};
  dvContactList list = {.model = {&mesh, &balls}};
  for (int i = 0; i < COUNT; i++) {
    dvVec3 n = dv_vec3_normalise(dv_vec3(dv_random(&r, -1, 1), dv_random(&r, -1, 1), dv_random(&r, -1, 1)));
    dvContact c = {.element = {i, (int32_t)dv_random(&r, 0, BALLS)},
                   .point = {{i, 0, 0}},
                   .normal = {n.x, n.y, n.z},
                   .distance = floor(dv_random(&r, -5, 5))};   // many are as deep as others
    dv_push(&list.contacts, c);
  }
  dvDoubles found = {0};
  dv_doubles_drop(&found, &list);
  assert_int_equal(found.kept.count, COUNT);
  dv_doubles_thin(&found, &list, 0);
  assert_int_equal(found.kept.count, COUNT);
  dv_doubles_thin(&found, &list, apart);
  bool kept[COUNT] = {0};
  for (size_t k = 0; k < found.kept.count; k++) {
    kept[found.kept.data[k]] = true;
    assert_true(k == 0 || found.kept.data[k - 1] < found.kept.data[k]);
  }
  for (int i = 0; i < COUNT; i++) {
    const dvContact *a = &list.contacts.data[i];
    bool stood_for = false;
    for (int j = 0; j < COUNT && !stood_for; j++) {
      const dvContact *b = &list.contacts.data[j];
      double cosine = dv_vec3_dot(dv_vec3_load(a->normal), dv_vec3_load(b->normal));
      bool deeper = b->distance < a->distance || (b->distance == a->distance && j < i);
      stood_for = i != j && kept[j] && a->element[1] == b->element[1] && deeper && cosine > cos(apart);
    }
    assert_int_equal(kept[i], !stood_for);
  }
  print_message("%d contacts of %d balls: %zu are %g rad apart\n", COUNT, BALLS, found.kept.count, apart);
  list.model[1] = &mesh;   // no balls: all stay
  dv_doubles_drop(&found, &list);
  dv_doubles_thin(&found, &list, apart);
  assert_int_equal(found.kept.count, COUNT);
  dv_doubles_free(&found);
  dv_array_free(&list.contacts);
}

// --- odd ---------------------------------------------------------------------------------------------

static const char *const methods[] = {
    NEAR,
    "<NewProximityIntersection alarmDistance='0.2' contactDistance='0.1' useLineLine='1'/>",
    "<LocalMinDistance alarmDistance='0.2' contactDistance='0.1'/>",
    "<LMDNewProximityIntersection alarmDistance='0.2' contactDistance='0.1'/>",
    "<CCDTightInclusionIntersection alarmDistance='0.2' contactDistance='0.1'/>",
    "<DiscreteIntersection/>",
};

#define MODELS "<PointCollisionModel/><LineCollisionModel/><TriangleCollisionModel/>"

static dvScene *two_bodies(const char *method, const char *first, const char *second)
{
  char *text =
      dv_format("<Node dt='0.01' gravity='0 -1 0'><DefaultAnimationLoop/><CollisionPipeline/><BruteForceBroadPhase/>"
                "<BVHNarrowPhase/>%s<CollisionResponse response='PenalityContactForceField'/>"
                "<Node name='a'><EulerImplicitSolver/>" CG "%s<UniformMass totalMass='1'/>" MODELS "</Node>"
                "<Node name='b'><EulerImplicitSolver/>" CG "%s<UniformMass totalMass='1'/>" MODELS "</Node></Node>",
                method, first, second);
  dvScene *s = check_scene(text, 1);
  dv_free(text);
  return s;
}

#define BLOCK(shift)                                                                                    \
  "<RegularGridTopology n='4 4 4' min='0 0 0' max='1 1 1'/><MechanicalObject translation='" shift "'/>" \
  "<HexahedronFEMForceField youngModulus='3000' poissonRatio='0.3'/>"

// they part, or stay inside, but do not fly apart: penalty contacts at the borders push with bounded force
static void inside_each_other(void **state)
{
  DV_UNUSED(state);
  static const char *const shifts[] = {BLOCK("0 0 0"), BLOCK("0.3 0.2 0.1"), BLOCK("0.5 0 0")};
  for (size_t i = 0; i < DV_COUNT(methods); i++)
    for (size_t k = 0; k < DV_COUNT(shifts); k++) {
      dvScene *s = two_bodies(methods[i], BLOCK("0 0 0"), shifts[k]);
      for (int step = 0; step < 50; step++) {
        dvStatus status = dv_scene_step(s, 0);
        assert_true(status == DV_OK || status == DV_ERROR_DIVERGED);
        assert_true(is_finite(s) && dv_scene_contacts(s) < 20000);
        if (status != DV_OK) break;
      }
      check_close_scene(&s);
    }
}

// inverted, open, flat, folded onto itself, without area, all in one point
static void odd_surfaces(void **state)
{
  DV_UNUSED(state);
  static const char *const surfaces[] = {
      "<MeshTopology position='0 0.05 0  1 0.05 0  0 0.05 1  1 0.05 1' triangles='0 1 2  1 3 2'/><MechanicalObject/>",
      "<MeshTopology position='0 0.05 0  1 0.05 0  0 0.05 1  1 0.05 1' triangles='0 2 1  1 2 3'/><MechanicalObject/>",
      "<MeshTopology position='0 0.05 0  1 0.05 0  2 0.05 0  0 0.05 1' triangles='0 1 2  0 1 3  0 3 1'/>"
      "<MechanicalObject/>",
      "<MeshTopology position='0 0.05 0  0 0.05 0  0 0.05 0' triangles='0 1 2'/><MechanicalObject/>",
      "<MeshTopology position='0 0.05 0  1 0.05 0  0.5 0.05 1e-9' triangles='0 1 2  1 0 2'/><MechanicalObject/>",
      "<MeshTopology position='0 0.05 0  1e8 0.05 0  0 0.05 1e8' triangles='0 1 2'/><MechanicalObject/>",
  };
  for (size_t i = 0; i < DV_COUNT(methods); i++)
    for (size_t k = 0; k < DV_COUNT(surfaces); k++)
      for (size_t other = 0; other <= k; other++) {
        dvScene *s = two_bodies(methods[i], surfaces[k], surfaces[other]);
        for (int step = 0; step < 5; step++) {
          dvStatus status = dv_scene_step(s, 0);
          if (status != DV_OK && status != DV_ERROR_DIVERGED) print_error("method %zu, %zu on %zu\n", i, k, other);
          assert_true(status == DV_OK || status == DV_ERROR_DIVERGED);
          assert_true(is_finite(s));
          if (status != DV_OK) break;
        }
        check_close_scene(&s);
      }
}

// --- missing -----------------------------------------------------------------------------------------

// a pipeline that lacks a part says which, and the scene runs without contacts
static void parts_that_are_missing(void **state)
{
  DV_UNUSED(state);
  static const char *const parts[] = {"<BruteForceBroadPhase/>", "<BVHNarrowPhase/>", NEAR, "<CollisionResponse/>"};
  static const char *const says[] = {"no broad phase", "no narrow phase", "no intersection method",
                                     "no contact manager"};
  for (size_t lacking = 0; lacking < DV_COUNT(parts); lacking++) {
    dvText text = {0};
    dv_text_add(&text, "<Node gravity='0 0 0'><DefaultAnimationLoop/><CollisionPipeline/>");
    for (size_t i = 0; i < DV_COUNT(parts); i++)
      if (i != lacking) dv_text_add(&text, parts[i]);
    dv_text_add(&text, "<Node><MechanicalObject position='0 0 0'/><SphereCollisionModel radius='1'/></Node>"
                       "<Node><MechanicalObject position='1 0 0'/><SphereCollisionModel radius='1'/></Node></Node>");
    dvContext *context = dv_divan_create(1);
    Told told = {.part = says[lacking]};
    context->log.sink = listen;
    context->log.user = &told;
    dvScene *s = NULL;
    assert_int_equal(dv_scene_parse(context, "test.scn", text.text, text.length, &s), DV_OK);
    assert_int_equal(dv_scene_init(s), DV_OK);
    check_steps(s, 2);
    if (told.times != 1) print_error("'%s' was told %zu times\n", says[lacking], told.times);
    assert_int_equal(told.times, 1);
    assert_int_equal(dv_scene_contacts(s), 0);
    check_close_scene(&s);
    dv_text_free(&text);
  }
}

// models without a state, or without elements
static void models_without(void **state)
{
  DV_UNUSED(state);
  static const struct {
    const char *model, *says;
  } cases[] = {{"<SphereCollisionModel/>", "state"},
               {"<TriangleCollisionModel/>", "state"},
               {"<MechanicalObject position='0 0 0'/><TriangleCollisionModel/>", "topology"},
               {"<MechanicalObject position='0 0 0'/><LineCollisionModel/>", "topology"}};
  for (size_t i = 0; i < DV_COUNT(cases); i++) {
    char *text =
        dv_format("<Node><DefaultAnimationLoop/>" HEAD(NEAR, "PenalityContactForceField") "<Node>%s</Node></Node>",
                  cases[i].model);
    dvContext *context = dv_divan_create(1);
    Told told = {.part = cases[i].says};
    context->log.sink = listen;
    context->log.user = &told;
    dvScene *s = NULL;
    dvStatus status = dv_scene_parse(context, "test.scn", text, strlen(text), &s);
    if (status == DV_OK) status = dv_scene_init(s);
    if (!told.times) print_error("%s: nothing about '%s' was told\n", cases[i].model, cases[i].says);
    assert_true(told.times > 0);
    if (status == DV_OK) check_steps(s, 2);
    check_close_scene(&s);
    dv_free(text);
  }
}

// --- the same bits -----------------------------------------------------------------------------------

// Ten scenes that live at the same time, so that everything lies elsewhere in each, in 1, 2 and 3 threads. The most
// contacts of a step are returned.
static size_t ten_of(dvScene *(*open)(int threads), int steps)
{
  dvScene *s[10];
  for (int i = 0; i < 10; i++) s[i] = open(1 + i % 3);
  uint64_t hash = 0;
  size_t most = 0;
  for (int i = 0; i < 10; i++) {
    for (int step = 0; step < steps; step++) check_steps(s[i], 1), most = dv_max_size(most, dv_scene_contacts(s[i]));
    if (i == 0) hash = dv_scene_hash(s[i]);
    assert_true(dv_scene_hash(s[i]) == hash);
  }
  for (int i = 0; i < 10; i++) check_close_scene(&s[i]);
  return most;
}

static dvScene *open_balls(int threads) { return check_scene_file("scenes/collision/local_minima_new.scn", threads); }

// two cloths that fall on each other and on a floor
#define CLOTH(name, height, corner)                                                                                  \
  "<Node name='" name "'><EulerImplicitSolver rayleighMass='0.1'/><CGLinearSolver iterations='15' tolerance='1e-9' " \
  "threshold='1e-12'/><RegularGridTopology n='24 1 24' min='-1 " height " -1' max='1 " corner                        \
  " 1'/><MechanicalObject/>"                                                                                         \
  "<UniformMass totalMass='1'/><MeshSpringForceField linesStiffness='200' quadsStiffness='50'/>"                     \
  "<TriangleCollisionModel contactStiffness='20'/><PointCollisionModel contactStiffness='20'/></Node>"

static dvScene *open_cloths(const char *response, int threads)
{
  char *text = dv_format(
      "<Node dt='0.01' gravity='0 -10 0'><DefaultAnimationLoop/><CollisionPipeline depth='10'/><BruteForceBroadPhase/>"
      "<BVHNarrowPhase/><NewProximityIntersection alarmDistance='0.06' contactDistance='0.03'/><CollisionResponse "
      "response='%s'/>" CLOTH("under", "0.05", "0.05")
          CLOTH("over", "0.12", "0.12") "<Node name='floor'><MeshTopology "
                                        "position='-3 0 -3  -3 0 3  3 0 3  3 0 -3' triangles='0 1 2  0 2 "
                                        "3'/><MechanicalObject/><TriangleCollisionModel "
                                        "simulated='0' moving='0' contactStiffness='20'/></Node></Node>",
      response);
  dvScene *s = check_scene(text, threads);
  dv_free(text);
  return s;
}

static dvScene *open_pushed(int threads) { return open_cloths("PenalityContactForceField", threads); }
static dvScene *open_stuck(int threads) { return open_cloths("StickContactForceField", threads); }

static void ten_times(void **state)
{
  DV_UNUSED(state);
  assert_true(ten_of(open_balls, 80) >= 80);
  assert_true(ten_of(open_pushed, 30) >= 500);
  assert_true(ten_of(open_stuck, 15) >= 300);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(fifty_thousand),   cmocka_unit_test(too_many),
                                     cmocka_unit_test(point_by_point),   cmocka_unit_test(places),
                                     cmocka_unit_test(balls_in_a_crowd), cmocka_unit_test(inside_each_other),
                                     cmocka_unit_test(odd_surfaces),     cmocka_unit_test(parts_that_are_missing),
                                     cmocka_unit_test(models_without),   cmocka_unit_test(ten_times)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

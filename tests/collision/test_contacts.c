// Contacts in scenes: trees against all pairs, what a penalty contact does, what answers comes and goes without
// allocating, the same bits for any number of threads, messages about what is missing.
#include "collision/collision.h"
#include "support/check.h"
#include "support/count.h"
#include "support/scene.h"

#include <math.h>
#include <string.h>

// --- scenes ------------------------------------------------------------------------------------------

static const char pipeline[] =
    "<DefaultAnimationLoop/><CollisionPipeline depth='%d'/><BruteForceBroadPhase/><BVHNarrowPhase/>%s"
    "<CollisionResponse response='PenalityContactForceField'/>";

// a block of hexahedra that falls on a floor, with points, lines and triangles
static dvScene *falling_block(const char *method, int depth, int threads)
{
  char *head = dv_format(pipeline, depth, method);
  char *text = dv_format(
      "<Node dt='0.01' gravity='3 -10 2'>%s<Node name='block'><EulerImplicitSolver rayleighMass='0.1'/>"
      "<CGLinearSolver iterations='40' tolerance='1e-9' threshold='1e-20'/>"
      "<RegularGridTopology n='7 4 7' min='-1 0.4 -1' max='1 1.4 1'/><MechanicalObject name='x'/>"
      "<UniformMass totalMass='2'/><HexahedronFEMForceField youngModulus='3000' poissonRatio='0.3'/>"
      "<Node name='skin'><RegularGridTopology n='9 1 9' min='-1 0.4 -1' max='1 0.4 1'/><MechanicalObject name='x'/>"
      "<BarycentricMapping/><PointCollisionModel/><LineCollisionModel/><TriangleCollisionModel/></Node></Node>"
      "<Node name='floor'><RegularGridTopology n='12 1 12' min='-3 0 -3' max='3 0 3'/><MechanicalObject/>"
      "<PointCollisionModel simulated='0' moving='0' contactStiffness='50'/><LineCollisionModel simulated='0' "
      "moving='0' "
      "contactStiffness='50'/><TriangleCollisionModel simulated='0' moving='0' contactStiffness='50'/></Node></Node>",
      head);
  dvScene *s = check_scene(text, threads);
  dv_free(text);
  dv_free(head);
  return s;
}

static const char *const methods[] = {"<MinProximityIntersection alarmDistance='0.2' contactDistance='0.1'/>",
                                      "<NewProximityIntersection alarmDistance='0.2' contactDistance='0.1'/>",
                                      "<LocalMinDistance alarmDistance='0.2' contactDistance='0.1'/>"};

static const size_t fewest[] = {100, 100, 1};   // two sheets have few local minima

typedef struct Key {
  int32_t element[2];
  uint64_t id;
} Key;

static int by_key(const void *a, const void *b) { return memcmp(a, b, sizeof(Key)); }

// all contacts as sorted keys, one pair of models after the other
static size_t keys_of(const dvScene *s, Key *out, size_t room)
{
  size_t count = 0;
  dvTouch t;
  for (size_t i = 0; dv_scene_touch(s, i, &t); i++) {
    size_t first = count;
    for (size_t k = 0; k < t.count && count < room; k++) {
      memset(&out[count], 0, sizeof *out);
      memcpy(out[count].element, t.contacts[k].element, sizeof out->element);
      out[count++].id = t.contacts[k].id;
    }
    qsort(out + first, count - first, sizeof *out, by_key);
  }
  return count;
}

// --- tests -------------------------------------------------------------------------------------------

enum { ROOM = 20000 };
static Key shallow[ROOM], deep[ROOM];

static void copy(dvScene *a, dvScene *b, const char *path)
{
  dvState *from = dv_state(check_find(a, path)), *to = dv_state(check_find(b, path));
  memcpy(dv_state_write(to, DV_X), dv_state_read(from, DV_X), dv_state_scalars(from, DV_X) * sizeof(double));
  memcpy(dv_state_write(to, DV_V), dv_state_read(from, DV_V), dv_state_scalars(from, DV_V) * sizeof(double));
}

// a tree of one level tests all pairs
static void trees(void **state)
{
  DV_UNUSED(state);
  for (size_t i = 0; i < DV_COUNT(methods); i++) {
    dvScene *a = falling_block(methods[i], 0, 1), *b = falling_block(methods[i], 12, 1);
    size_t most = 0;
    for (int step = 0; step < 45; step++) {
      check_steps(a, 1);
      check_steps(b, 1);
      size_t n = keys_of(a, shallow, ROOM), m = keys_of(b, deep, ROOM);
      assert_int_equal(n, m);
      assert_memory_equal(shallow, deep, n * sizeof *shallow);
      if (n > most) most = n;
      copy(a, b, "block/x");   // sums in another order: the same state from here on
      copy(a, b, "block/skin/x");
    }
    assert_true(most >= fewest[i]);
    check_close_scene(&a);
    check_close_scene(&b);
  }
}

static void threads(void **state)
{
  DV_UNUSED(state);
  for (size_t i = 0; i < DV_COUNT(methods); i++) {
    uint64_t hash = 0;
    for (int n = 1; n <= 3; n++) {
      dvScene *s = falling_block(methods[i], 6, n);
      size_t most = 0;
      for (int step = 0; step < 60; step++) {
        check_steps(s, 1);
        most = dv_max_size(most, dv_scene_contacts(s));
      }
      assert_true(most >= fewest[i]);
      if (n == 1) hash = dv_scene_hash(s);
      assert_true(dv_scene_hash(s) == hash);
      check_close_scene(&s);
    }
  }
}

// contacts that change in every step allocate nothing, once there have been as many
static void warm(void **state)
{
  DV_UNUSED(state);
  dvScene *s = falling_block(methods[0], 6, 1);
  unsigned version = s->version;
  for (int round = 0; round < 6; round++) {   // until each object of the pool has been the largest
    check_steps(s, 240);
    dv_scene_reset(s);
    assert_int_equal(dv_scene_contacts(s), 0);
  }
  check_steps(s, 10);
  size_t before = check_allocations(), changes = 0, last = dv_scene_contacts(s);
  for (int i = 0; i < 200; i++) {
    check_steps(s, 1);
    changes += dv_scene_contacts(s) != last;
    last = dv_scene_contacts(s);
  }
  assert_true(changes > 3);
  assert_int_equal(check_allocations(), before);
  assert_int_equal(s->version, version);
  check_close_scene(&s);
}

// A ball between two that are held: k = k1 k2 / d, and it rests where weight and springs agree.
static void a_ball_at_rest(void **state)
{
  DV_UNUSED(state);
  char *head = dv_format(pipeline, 6, "<MinProximityIntersection alarmDistance='0.3' contactDistance='0.2'/>");
  char *text =
      dv_format("<Node dt='0.01' gravity='0 -10 0'>%s"
                "<Node name='ball'><EulerImplicitSolver rayleighMass='5'/><CGLinearSolver iterations='20' "
                "tolerance='1e-12' threshold='1e-20'/><MechanicalObject name='x' position='0 2.1 0'/>"
                "<UniformMass totalMass='3'/><SphereCollisionModel name='m' radius='1' contactStiffness='20'/></Node>"
                "<Node name='ground'><MechanicalObject position='0 0 0'/><SphereCollisionModel radius='1' "
                "simulated='0' moving='0' contactStiffness='40'/></Node></Node>",
                head);
  dvScene *s = check_scene(text, 1);
  check_steps(s, 2000);
  double d = 0.2 + 1 + 1, k = 20 * 40 / d;
  check_close(check_value(s, "ball/x", DV_X, 1), d - 3 * 10 / k, 1e-6);
  dvTouch t;
  assert_true(dv_scene_touch(s, 0, &t));
  assert_false(dv_scene_touch(s, 1, &t));
  assert_true(dv_scene_touch(s, 0, &t));
  assert_int_equal(t.count, 1);
  check_close(t.force, 30, 1e-4);
  check_close(fabs(t.contacts[0].normal[1]), 1, 1e-9);
  assert_int_equal(t.since, 0);
  assert_int_equal(((dvCollisionModel *)check_find(s, "ball/m"))->numberOfContacts, 1);
  check_close_scene(&s);
  dv_free(text);
  dv_free(head);
}

// two bodies under solvers of their own push each other with opposite forces, on points, frames and triangles
static void momentum(void **state)
{
  DV_UNUSED(state);
  static const char *const bodies[] = {
      "<MechanicalObject name='x' position='%g 0 0'/><UniformMass totalMass='1'/><SphereCollisionModel radius='1'/>",
      "<MechanicalObject name='x' template='Rigid3' position='%g 0 0 0 0 0 1'/><UniformMass totalMass='1'/>"
      "<SphereCollisionModel radius='1'/>"};
  char *head = dv_format(pipeline, 6, "<MinProximityIntersection alarmDistance='0.3' contactDistance='0.2'/>");
  for (int kind = 0; kind < 4; kind++) {
    char *a = dv_format(bodies[kind & 1], 0.0), *b = dv_format(bodies[kind >> 1], 1.9);
    char *text = dv_format("<Node dt='0.001' gravity='0 0 0'>%s<Node name='a'><EulerExplicitSolver/>%s</Node>"
                           "<Node name='b'><EulerExplicitSolver/>%s</Node></Node>",
                           head, a, b);
    dvScene *s = check_scene(text, 1);
    check_steps(s, 100);
    double v = check_value(s, "a/x", DV_V, 0), w = check_value(s, "b/x", DV_V, 0);
    assert_true(w > 0.1);
    check_close(v + w, 0, 1e-12);
    check_close_scene(&s);
    dv_free(text);
    dv_free(a);
    dv_free(b);
  }
  dv_free(head);
}

// Springs without memory: they are at rest where each step begins, so that dv (m + h2 k) = h m g - h2 k v.
static void what_sticks_creeps(void **state)
{
  DV_UNUSED(state);
  static const char *const solvers[] = {"<CGLinearSolver iterations='40' tolerance='1e-14' threshold='1e-30'/>",
                                        "<SparseLDLSolver/>"};
  for (size_t i = 0; i < DV_COUNT(solvers); i++) {
    char *text = dv_format(
        "<Node dt='0.01' gravity='0 -10 3'><DefaultAnimationLoop/><CollisionPipeline/><BruteForceBroadPhase/>"
        "<BVHNarrowPhase/><MinProximityIntersection alarmDistance='0.3' contactDistance='0.1'/>"
        "<CollisionResponse response='StickContactForceField'/><Node name='ball'><EulerImplicitSolver/>%s"
        "<MechanicalObject name='x' position='0 0 0'/><UniformMass totalMass='2'/><SphereCollisionModel radius='1' "
        "contactStiffness='3000'/></Node><Node><MechanicalObject position='2.1 0 0'/><SphereCollisionModel radius='1' "
        "simulated='0' moving='0' contactStiffness='2000'/></Node></Node>",
        solvers[i]);
    dvScene *s = check_scene(text, 1);
    const double h = 0.01, m = 2, k = 5000;
    double v[2] = {0, 0}, g[2] = {-10, 3};
    for (int step = 0; step < 5; step++) {
      check_steps(s, 1);
      assert_int_equal(dv_scene_contacts(s), 1);
      for (int axis = 0; axis < 2; axis++) {
        v[axis] += (h * m * g[axis] - h * h * k * v[axis]) / (m + h * h * k);
        check_close(check_value(s, "ball/x", DV_V, (size_t)axis + 1), v[axis], 1e-12);
      }
    }
    check_close_scene(&s);
    dv_free(text);
  }
}

// models that share a group, are switched off, or are both not simulated are not tested
static void who_is_tested(void **state)
{
  DV_UNUSED(state);
  static const struct {
    const char *first, *second;
    size_t contacts;
  } cases[] = {{"", "", 1},
               {"group='1 2'", "group='2'", 0},
               {"group='1'", "group='2'", 1},
               {"active='0'", "", 0},
               {"simulated='0'", "", 1},
               {"simulated='0'", "simulated='0'", 0},
               {"moving='0'", "moving='0'", 1},
               {"contactDistance='0.4'", "", 1}};
  char *head = dv_format(pipeline, 6, "<MinProximityIntersection alarmDistance='0.3' contactDistance='0.2'/>");
  for (size_t i = 0; i < DV_COUNT(cases); i++) {
    char *text = dv_format("<Node gravity='0 0 0'>%s<Node><MechanicalObject position='0 0 0'/><SphereCollisionModel "
                           "radius='1' %s/></Node><Node><MechanicalObject position='%g 0 0'/><SphereCollisionModel "
                           "radius='1' %s/></Node></Node>",
                           head, cases[i].first, i + 1 == DV_COUNT(cases) ? 2.6 : 2.2, cases[i].second);
    dvScene *s = check_scene(text, 1);
    check_steps(s, 1);
    if (dv_scene_contacts(s) != cases[i].contacts) print_error("%s | %s\n", cases[i].first, cases[i].second);
    assert_int_equal(dv_scene_contacts(s), cases[i].contacts);
    check_close_scene(&s);
    dv_free(text);
  }
  dv_free(head);
}

// what pushes a skinned surface carries the frames that blend it
static void on_a_skin(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene_file("scenes/collision/skinned.scn", 1);
  check_steps(s, 500);
  dvTouch t;
  assert_true(dv_scene_touch(s, 0, &t));
  check_close(t.force, 20, 1e-4);   // two frames of 1 kg
  for (size_t i = 0; i < 2; i++) {
    check_close(check_value(s, "Bar/frames", DV_X, 7 * i + 1), 0.25, 1e-3);
    for (size_t k = 0; k < 6; k++) check_close(check_value(s, "Bar/frames", DV_V, 6 * i + k), 0, 1e-4);
  }
  check_close_scene(&s);
}

// a push on one end of the bar: momentum of both frames, and their angular momentum, are those of the push
static void a_push_on_a_skin(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene(
      "<Node dt='0.001' gravity='0 0 0'><DefaultAnimationLoop/><CollisionPipeline/><BruteForceBroadPhase/>"
      "<BVHNarrowPhase/><MinProximityIntersection alarmDistance='0.1' contactDistance='0.05'/><CollisionResponse/>"
      "<Node name='bar'><EulerExplicitSolver/><MechanicalObject name='f' template='Rigid3' "
      "position='-1 0 0 0 0 0 1  1 0 0 0 0 0 1'/><UniformMass vertexMass='1 1 [0.1 0 0, 0 0.1 0, 0 0 0.1]'/>"
      "<Node><MechanicalObject position='0.9 0 0'/><SkinningMapping nbRef='2'/><SphereCollisionModel radius='0.1' "
      "contactStiffness='500'/></Node></Node>"
      "<Node name='ball'><EulerExplicitSolver/><MechanicalObject name='x' position='0.9 0.4 0' velocity='0 -1 0'/>"
      "<UniformMass totalMass='0.5'/><SphereCollisionModel radius='0.1' contactStiffness='500'/></Node></Node>",
      1);
  for (int step = 0; step < 600; step++) {
    check_steps(s, 1);
    double p = 0.5 * check_value(s, "ball/x", DV_V, 1), l = 0.9 * 0.5 * (check_value(s, "ball/x", DV_V, 1) + 1);
    for (size_t i = 0; i < 2; i++) {
      p += check_value(s, "bar/f", DV_V, 6 * i + 1);
      l += check_value(s, "bar/f", DV_X, 7 * i) * check_value(s, "bar/f", DV_V, 6 * i + 1) +
           0.1 * check_value(s, "bar/f", DV_V, 6 * i + 5);
    }
    check_close(p, -0.5, 1e-12);
    check_close(l, 0, 2e-3);   // the point goes along an arc while the ball goes straight
  }
  assert_true(check_value(s, "ball/x", DV_V, 1) > -0.5);        // it was pushed back
  assert_true(fabs(check_value(s, "bar/f", DV_V, 5)) > 1e-3);   // and turns the far frame, too
  check_close_scene(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_ball_at_rest),
                                     cmocka_unit_test(momentum),
                                     cmocka_unit_test(what_sticks_creeps),
                                     cmocka_unit_test(who_is_tested),
                                     cmocka_unit_test(trees),
                                     cmocka_unit_test(threads),
                                     cmocka_unit_test(on_a_skin),
                                     cmocka_unit_test(a_push_on_a_skin),
                                     cmocka_unit_test(warm)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

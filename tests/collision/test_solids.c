// Solids in scenes: they come to rest and gain no energy in ten seconds; what rays hit; what is found on its way; what
// a method has no test for is told once; rays that walk trees find what all triangles have; nothing is allocated.
#include "base/file.h"
#include "collision/collision.h"
#include "object/context.h"
#include "support/check.h"
#include "support/count.h"
#include "support/scene.h"

#include <math.h>
#include <string.h>

// --- rest --------------------------------------------------------------------------------------------

// kinetic and potential energy of the masses; of springs too
static double energy_of(dvScene *s, double *kinetic, bool springs)
{
  dvMech m = {.x = DV_X, .v = DV_V, .f = DV_F, .dx = DV_DX, .df = DV_DF, .dt = s->root->dt, .time = s->root->time};
  double potential = 0;
  memcpy(m.gravity, s->root->gravity, sizeof m.gravity);
  dv_mech_energy(s->plan, &m, kinetic, &potential);
  if (springs) return *kinetic + potential;
  potential = 0;
  for (size_t i = 0; i < s->plan->masses.count; i++) {
    dvObject *o = s->plan->masses.data[i].object;
    potential += ((const dvMassOps *)dv_ops(o, DV_ROLE_MASS))->potential(o, &m);
  }
  return *kinetic + potential;
}

static void rest(void **state)
{
  DV_UNUSED(state);
  static const struct {
    const char *scene;
    size_t contacts;
  } cases[] = {{"boxes", 4},    {"boxes_spheres", 3},    {"boxes_capsules", 4},     {"boxes_triangles", 4},
               {"capsules", 2}, {"capsules_spheres", 2}, {"capsules_triangles", 2}, {"cylinders_spheres", 4}};
  for (size_t i = 0; i < DV_COUNT(cases); i++) {
    char *path = dv_format("scenes/collision/%s.scn", cases[i].scene);
    dvScene *s = check_scene_file(path, 1);
    check_steps(s, 1);   // those that touch from the start have springs now
    double kinetic, first = energy_of(s, &kinetic, true), most = -INFINITY;
    for (int step = 1; step < 1000; step++) {
      check_steps(s, 1);
      most = dv_max(most, energy_of(s, &kinetic, false));
    }
    if (!(most <= first + 1e-6) || !(kinetic < 1e-8) || dv_scene_contacts(s) < cases[i].contacts)
      print_error("%s: energy from %g up to %g, kinetic %g at the end, %zu contacts\n", cases[i].scene, first, most,
                  kinetic, dv_scene_contacts(s));
    assert_true(most <= first + 1e-6);
    assert_true(kinetic < 1e-8);
    assert_true(dv_scene_contacts(s) >= cases[i].contacts);
    check_close_scene(&s);
    dv_free(path);
  }
}

// the force on the floor is the weight, wherever the patch lies
static void weight(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene_file("scenes/collision/boxes.scn", 1);
  check_steps(s, 1500);
  dvTouch t;
  assert_true(dv_scene_touch(s, 0, &t));
  assert_int_equal(t.count, 4);
  check_close(t.force, 10, 1e-3);
  for (size_t i = 0; i < t.count; i++) check_close(fabs(t.contacts[i].normal[1]), 1, 1e-6);
  check_close_scene(&s);
}

// --- what is hit -------------------------------------------------------------------------------------

static void rays(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene_file("scenes/collision/rays.scn", 1);
  check_steps(s, 1);
  static const struct {
    dvShape shape;
    double height;   // where it is hit; of a ball, where the ray is nearest to its centre
  } hits[] = {{DV_SHAPE_SPHERE, 0},
              {DV_SHAPE_TRIANGLE, 0},
              {DV_SHAPE_TETRAHEDRON, 0.6},
              {DV_SHAPE_BRICK, 0.7071067811865475},
              {DV_SHAPE_DISTANCE, 0.5}};
  dvTouch t;
  for (size_t i = 0; dv_scene_touch(s, i, &t); i++) {
    const dvContact *c = &t.contacts[0];
    assert_int_equal(t.count, 1);
    assert_int_equal(t.model[0]->shape, DV_SHAPE_RAY);
    assert_int_equal(t.model[1]->shape, hits[c->element[0]].shape);
    check_close(c->point[0][1], hits[c->element[0]].height, 1e-12);
    assert_true(t.since < 0);   // nothing answers
  }
  assert_int_equal(dv_scene_contacts(s), 5);
  check_close_scene(&s);
}

static size_t contacts_of_a_bullet(const char *method)
{
  char *text = dv_format(
      "<Node dt='0.01' gravity='0 0 0'><CollisionPipeline/><BruteForceDetection/>%s<CollisionResponse/>"
      "<Node name='bullet'><EulerExplicitSolver/><MechanicalObject position='0.1 1.3 0.2' velocity='0 -300 0'/>"
      "<UniformMass totalMass='1'/><PointCollisionModel/></Node>"
      "<Node><MeshTopology position='-4 0 -4  4 0 -4  0 0 4' triangles='0 2 1'/><MechanicalObject/>"
      "<TriangleCollisionModel simulated='0' moving='0'/></Node></Node>",
      method);
  dvScene *s = check_scene(text, 1);
  check_steps(s, 1);
  size_t count = dv_scene_contacts(s);
  check_close_scene(&s);
  dv_free(text);
  return count;
}

static void found_on_its_way(void **state)
{
  DV_UNUSED(state);
#define DISTANCES "alarmDistance='0.2' contactDistance='0.1'"
  assert_int_equal(contacts_of_a_bullet("<MinProximityIntersection " DISTANCES "/>"), 0);
  assert_int_equal(contacts_of_a_bullet("<CCDTightInclusionIntersection " DISTANCES "/>"), 0);
  assert_int_equal(
      contacts_of_a_bullet("<CCDTightInclusionIntersection continuousCollisionType='Inertia' " DISTANCES "/>"), 1);
}

// --- messages ----------------------------------------------------------------------------------------

static void count_lacking(void *user, const dvMessage *m)
{
  if (strstr(m->text, "has no test for")) ++*(size_t *)user;
}

static void told_once(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene("<Node gravity='0 0 0'><CollisionPipeline/><BruteForceDetection/>"
                           "<MinProximityIntersection alarmDistance='1' contactDistance='0.5'/><CollisionResponse/>"
                           "<Node><MechanicalObject template='Rigid3' position='0 0 0 0 0 0 1'/>"
                           "<CylinderCollisionModel/></Node>"
                           "<Node><MechanicalObject template='Rigid3' position='1 0 0 0 0 0 1'/>"
                           "<OBBCollisionModel/></Node></Node>",
                           1);
  size_t told = 0;
  dvLog *log = &s->root->base.context->log;
  dvLogSink sink = log->sink;
  void *user = log->user;
  log->sink = count_lacking;
  log->user = &told;
  check_steps(s, 5);
  assert_int_equal(told, 1);
  assert_int_equal(dv_scene_contacts(s), 0);
  log->sink = sink;
  log->user = user;
  check_close_scene(&s);
}

// --- trees and memory --------------------------------------------------------------------------------

// a ball of triangles, pushed into another one
static dvScene *traced_balls(int depth, int threads)
{
  dvText mesh = {0}, triangles = {0};
  enum { AROUND = 16, UP = 9 };
  for (int i = 0; i < UP; i++)
    for (int k = 0; k < AROUND; k++) {
      double a = M_PI * (i + 0.5) / UP, b = 2 * M_PI * (k + 0.5 * i) / AROUND;
      dv_text_printf(&mesh, "%.17g %.17g %.17g ", sin(a) * cos(b), cos(a), sin(a) * sin(b));
      int next = (k + 1) % AROUND, p = i * AROUND;
      if (i + 1 < UP)
        dv_text_printf(&triangles, "%d %d %d %d %d %d ", p + k, p + next, p + AROUND + k, p + next, p + AROUND + next,
                       p + AROUND + k);
    }
  for (int k = 1; k + 1 < AROUND; k++) {
    int low = (UP - 1) * AROUND;
    dv_text_printf(&triangles, "0 %d %d %d %d %d ", k + 1, k, low, low + k, low + k + 1);
  }
  char *text = dv_format(
      "<Node dt='0.01' gravity='0 0 0'><CollisionPipeline depth='%d'/><BruteForceBroadPhase/><RayTraceNarrowPhase/>"
      "<DiscreteIntersection/><CollisionResponse response='nullptr'/>"
      "<Node><MeshTopology name='m' position='%s' triangles='%s'/><MechanicalObject src='@m'/>"
      "<TriangleOctreeCollisionModel/></Node>"
      "<Node><MeshTopology name='m' position='%s' triangles='%s'/><MechanicalObject src='@m' translation='0.4 1.3 "
      "0.2'/>"
      "<TriangleOctreeCollisionModel/></Node></Node>",
      depth, mesh.text, triangles.text, mesh.text, triangles.text);
  dvScene *s = check_scene(text, threads);
  dv_free(text);
  dv_text_free(&mesh);
  dv_text_free(&triangles);
  return s;
}

static void traced_with_trees(void **state)
{
  DV_UNUSED(state);
  dvScene *all = traced_balls(0, 1), *tree = traced_balls(10, 2);
  check_steps(all, 1);
  check_steps(tree, 1);
  dvTouch a, b;
  size_t count = 0;
  for (size_t i = 0; dv_scene_touch(all, i, &a); i++) {
    assert_true(dv_scene_touch(tree, i, &b));
    assert_int_equal(a.count, b.count);
    assert_memory_equal(a.contacts, b.contacts, a.count * sizeof *a.contacts);
    for (size_t k = 0; k < a.count; k++) assert_true(a.contacts[k].distance < 0);
    count += a.count;
  }
  assert_true(count > 20);
  check_close_scene(&all);
  check_close_scene(&tree);
}

static void warm(void **state)
{
  DV_UNUSED(state);
  static const char *const scenes[] = {"boxes", "boxes_capsules", "boxes_triangles", "ray_traced", "continuous"};
  for (size_t i = 0; i < DV_COUNT(scenes); i++) {
    char *path = dv_format("scenes/collision/%s.scn", scenes[i]);
    dvScene *s = check_scene_file(path, 1);
    for (int round = 0; round < 10; round++) {   // until each object of the pool has been the largest
      check_steps(s, 105);
      dv_scene_reset(s);
    }
    check_steps(s, 2);
    size_t before = check_allocations();
    check_steps(s, 100);
    if (check_allocations() != before) print_error("%s allocates\n", path);
    assert_int_equal(check_allocations(), before);
    check_close_scene(&s);
    dv_free(path);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(rest),      cmocka_unit_test(weight),
                                     cmocka_unit_test(rays),      cmocka_unit_test(found_on_its_way),
                                     cmocka_unit_test(told_once), cmocka_unit_test(traced_with_trees),
                                     cmocka_unit_test(warm)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

// The hand of a haptic device in the viewer: what is drawn of it, its rates in words, and the mouse that leads it.
#include "support/check.h"

#include "haptic/driver.h"
#include "view/inside.h"
#include "view/looks.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// a ball on a spring in the hand above a wall: 20 mm below it
static const char scene[] =
    "<Node name='root' dt='0.02' gravity='0 0 0'><FreeMotionAnimationLoop/><LCPConstraintSolver tolerance='1e-9' "
    "maxIt='1000'/><CollisionPipeline/><BruteForceBroadPhase/><BVHNarrowPhase/><NewProximityIntersection "
    "alarmDistance='0.03' contactDistance='0.001'/><CollisionResponse response='FrictionContactConstraint'/>"
    "<GeomagicEmulator name='device' scale='0.01' maxForce='100' start='0 20 0' loop='steps'/>"
    "<Node name='tool'><EulerImplicitSolver rayleighMass='0' rayleighStiffness='0'/><SparseLDLSolver/>"
    "<MechanicalObject name='dofs' template='Rigid3' position='0 0.02 0 0 0 0 1'/>"
    "<UniformMass vertexMass='0.02 1 0.01 0 0 0 0.01 0 0 0 0.01'/><LinearSolverConstraintCorrection/>"
    "<VirtualCoupling stiffness='500' angularStiffness='10' driver='@../device'/>"
    "<LCPForceFeedback name='feel' activate='1' newtons='1' forceCoef='1'/>"
    "<Node name='tip'><MechanicalObject position='0 0 0'/><SphereCollisionModel radius='0.004'/><RigidMapping/></Node>"
    "</Node><Node name='wall'><MeshTopology position='-1 0 -1  1 0 -1  1 0 1  -1 0 1' triangles='0 2 1  0 3 2'/>"
    "<MechanicalObject position='-1 0 -1  1 0 -1  1 0 1  -1 0 1'/><TriangleCollisionModel simulated='0' moving='0'/>"
    "</Node></Node>";

typedef struct Fixture {
  dvSession *session;
  dvViewer viewer;
  char *directory, *file;
} Fixture;

static void on_send(void *user, dvViewer *to, const char *text, size_t length)
{
  DV_UNUSED(user), DV_UNUSED(to), DV_UNUSED(text), DV_UNUSED(length);
}

static json_t *ask(Fixture *f, const char *request)
{
  dvText reply = {0};
  dv_session_handle(f->session, &f->viewer, request, strlen(request), &reply);
  json_t *a = reply.length ? json_loads(reply.text, 0, NULL) : NULL;
  dv_text_free(&reply);
  return a;
}

static void run_steps(Fixture *f, int n)
{
  char *request = dv_format("{\"do\":\"step\",\"id\":1,\"count\":%d}", n);
  json_decref(ask(f, request));
  dv_free(request);
  for (int i = 0; i < n; i++) dv_session_advance(f->session);
}

static void open_fixture(Fixture *f)
{
  *f = (Fixture){.directory = check_mkdir()};
  f->file = check_write(f->directory, "hand.scn", scene);
  f->session = dv_session_create(&(dvSessionOptions){.scene = f->file, .threads = 1, .send = on_send, .user = f});
  assert_true(dv_session_join(f->session, &f->viewer));
  json_decref(ask(f, "{\"do\":\"hello\",\"id\":1}"));
}

static void close_fixture(Fixture *f)
{
  dv_session_leave(f->session, &f->viewer);
  dv_session_destroy(&f->session);
  dv_free(f->file);
  check_rmdir(f->directory);
}

static dvDriver *driver_of(Fixture *f)
{
  dvObject *o = dv_driver_find(f->session->scene);
  assert_non_null(o);
  return dv_driver(o);
}

static double number(const dvDrawArray *a, size_t i)
{
  float v;
  memcpy(&v, &a->data[i], sizeof v);
  return v;
}

// the mouse takes the ball, leads it into the wall and lets go
static void mouse(void **state)
{
  DV_UNUSED(state);
  Fixture f;
  open_fixture(&f);
  run_steps(&f, 2);
  json_t *a = ask(&f, "{\"do\":\"grab\",\"id\":1,\"origin\":[0,0.021,1],\"direction\":[0,0,-1]}");
  json_t *hit = json_object_get(a, "hit");
  assert_true(json_is_object(hit));
  assert_string_equal(json_string_value(json_object_get(hit, "path")), "/device");
  double z = json_number_value(json_array_get(json_object_get(hit, "point"), 2));
  assert_true(z > 0.003);   // on the ball, or on the box that shows its inertia
  json_decref(a);
  // 17 mm down and 30 mm aside: the ball would be 2 mm in the wall with its contact distance
  char *pull = dv_format("{\"do\":\"pull\",\"to\":[0.03,0.004,%.17g]}", z);
  assert_null(ask(&f, pull));
  dv_free(pull);
  run_steps(&f, 1);
  assert_true(driver_of(&f)->seen[0] < 0.028);   // as a hand goes, not at once
  run_steps(&f, 40);
  check_close(driver_of(&f)->seen[0], 0.03, 1e-5);
  check_close(driver_of(&f)->seen[1], 0.003, 1e-5);
  check_close(driver_of(&f)->handed.felt[1], 500 * 0.002, 0.01 * 500 * 0.002);
  json_decref(ask(&f, "{\"do\":\"release\",\"id\":1}"));
  run_steps(&f, 20);
  check_close(driver_of(&f)->seen[1], 0.003, 1e-5);   // it stays
  json_decref(ask(&f, "{\"do\":\"reset\",\"id\":1}"));
  run_steps(&f, 2);
  check_close(driver_of(&f)->seen[1], 0.02, 1e-9);
  // beside the ball there is no hand
  a = ask(&f, "{\"do\":\"grab\",\"id\":1,\"origin\":[0.5,0.5,1],\"direction\":[0,1,0]}");
  assert_true(json_is_null(json_object_get(a, "hit")));
  json_decref(a);
  close_fixture(&f);
}

// handle, the way to the tool and the force are drawn; rates stand in a label
static void sight(void **state)
{
  DV_UNUSED(state);
  Fixture f;
  open_fixture(&f);
  double at[3] = {0, 0.003, 0};
  run_steps(&f, 1);
  dv_emulator_lead(driver_of(&f)->haptic->device, at);
  run_steps(&f, 60);
  const dvDraw *d = &f.session->draw;
  dv_draw_follow(&f.session->draw, f.session->scene);
  dv_draw_refresh(&f.session->draw, 1u << DV_DRAW_VISUAL);
  int lines = 0, arrows = 0;
  for (size_t i = 0; i < d->list.count; i++) {
    const dvDrawable *a = &d->list.data[i];
    if (a->object != &driver_of(&f)->base) continue;
    const dvDrawArray *x = &d->arrays.data[a->positions];
    if (a->kind == DV_DRAW_LINES) {
      assert_int_equal(x->count, 24);   // four lines
      check_close(number(x, 19), 0.003, 1e-5);
      if (lines == 0) check_close(number(x, 23), 0.06, 1e-5);
      if (lines == 1) check_close(number(x, 22), 0.005, 1e-4);
      lines++;
    }
    if (a->kind == DV_DRAW_VECTORS) {
      check_close(number(x, 1), 0.005, 1e-4);   // at the tool, which lies on the wall
      check_close(number(&d->arrays.data[a->second], 1), 1, 0.01);
      arrows++;
    }
  }
  assert_int_equal(lines, 2);
  assert_int_equal(arrows, 1);
  json_t *labels = dv_looks_labels(f.session->scene), *looks = dv_looks(f.session->scene);
  assert_int_equal(json_array_size(labels), 1);
  assert_int_equal(json_array_size(json_object_get(looks, "labels")), 1);
  const char *text = json_string_value(json_array_get(labels, 0));
  assert_non_null(strstr(text, "device: 1.00 N, 1000 Hz in lock step, simulation "));
  json_decref(labels);
  json_decref(looks);
  assert_int_equal(dv_object_set(&driver_of(&f)->base, "drawHand", "0"), DV_OK);
  assert_null(dv_looks_labels(f.session->scene));
  close_fixture(&f);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(mouse), cmocka_unit_test(sight)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

// Procedures in the hands of somebody before the screen, by the requests that the page sends: the mouse takes every
// instrument, before the first step, while a recording plays and after a reset; and keys lead each procedure to its
// end.
#include "support/session.h"

#include "divan/divan.h"
#include "math/vec.h"

#include <math.h>
#include <stdlib.h>

static void request(Fixture *f, const char *text)   // those that are not answered
{
  dvText reply = {0};
  dv_session_handle(f->session, &f->viewer, text, strlen(text), &reply);
  dv_text_free(&reply);
}

static void run_steps(Fixture *f, int n)
{
  char *text = dv_format("{\"do\":\"step\",\"id\":1,\"count\":%d}", n);
  request(f, text);
  dv_free(text);
  for (int i = 0; i < n; i++) dv_session_advance(f->session);
}

static dvVec3 hand_of(Fixture *f, const char *path)
{
  size_t count;
  const double *x = divan_read(f->session->scene, path, "positionDevice", &count);
  assert_non_null(x);
  return dv_vec3_load(x);
}

// --- the mouse -------------------------------------------------------------------------------------

// a ray from outside onto a triangle of a visual model
static char *ray_onto(Fixture *f, const char *model)
{
  size_t count;
  const double *x = divan_read(f->session->scene, model, "position", &count);
  assert_non_null(x);
  const int32_t *t = divan_read_ints(f->session->scene, model, "triangles", &count);
  assert_true(t && count >= 3);
  dvVec3 a = dv_vec3_load(x + 3 * t[0]), b = dv_vec3_load(x + 3 * t[1]), c = dv_vec3_load(x + 3 * t[2]);
  dvVec3 n = dv_vec3_normalise(dv_vec3_cross(dv_vec3_sub(b, a), dv_vec3_sub(c, a)));
  dvVec3 o = dv_vec3_add_scaled(dv_vec3_scale(dv_vec3_add(a, dv_vec3_add(b, c)), 1.0 / 3), n, 1e-4);
  return dv_format("{\"do\":\"grab\",\"id\":1,\"origin\":[%.17g,%.17g,%.17g],\"direction\":[%.17g,%.17g,%.17g]}", o.x,
                   o.y, o.z, -n.x, -n.y, -n.z);
}

static void take(Fixture *f, const char *model, const char *device, const char *when)
{
  char *text = ray_onto(f, model);
  json_t *a = ask(f, text), *hit = json_object_get(a, "hit");
  const char *path = json_string_value(json_object_get(hit, "path"));
  if (!path || strcmp(path, device) != 0)
    fail_msg("%s %s: taken is %s, not %s", model, when, path ? path : "nothing", device);
  dvVec3 point, from = hand_of(f, device);
  double *xyz[] = {&point.x, &point.y, &point.z};
  for (size_t k = 0; k < 3; k++) *xyz[k] = json_number_value(json_array_get(json_object_get(hit, "point"), k));
  char *pull = dv_format("{\"do\":\"pull\",\"to\":[%.17g,%.17g,%.17g]}", point.x, point.y + 2e-4, point.z);
  request(f, pull);
  run_steps(f, 25);
  dvVec3 to = hand_of(f, device);
  check_close(to.y - from.y, 2e-4, 1e-6);
  check_close(to.x, from.x, 1e-9);
  json_decref(ask(f, "{\"do\":\"release\",\"id\":1}"));
  json_decref(a);
  dv_free(text), dv_free(pull);
}

static void the_mouse_takes_every_instrument(void **state)
{
  DV_UNUSED(state);
  static const char *const tools[][3] = {
      {"anatomy/liver/scene.scn", "/Tools/Look/look", "/right"},
      {"anatomy/abdomen/scene.scn", "/Body/Tools/Grasper/Bodies/Look/look", "/right"},
      {"anatomy/abdomen/scene.scn", "/Body/Tools/Laparoscope/Bodies/Look/look", "/left"},
      {"anatomy/resection/scene.scn", "/Tools/Cautery/Shaft/shaft", "/right"},
      {"anatomy/resection/scene.scn", "/Tools/Grasper/Look/look", "/left"},
      {"anatomy/resection/grid.scn", "/Tools/Cautery/Shaft/shaft", "/right"},
      {"anatomy/cataract/scene.scn", "/Eye/Needle/Bodies/Look/look", "/left"},
      {"anatomy/cataract/scene.scn", "/Eye/Forceps/Bodies/Look/look", "/right"},
  };
  for (size_t i = 0; i < DV_COUNT(tools); i++) {
    Fixture f;
    open_scene(&f, tools[i][0]);
    json_decref(ask(&f, "{\"do\":\"hello\",\"id\":1}"));
    take(&f, tools[i][1], tools[i][2], "before the first step");
    json_decref(ask(&f, "{\"do\":\"reset\",\"id\":1}"));
    take(&f, tools[i][1], tools[i][2], "after a reset");
    json_decref(ask(&f, "{\"do\":\"reset\",\"id\":1}"));
    run_steps(&f, 20);
    take(&f, tools[i][1], tools[i][2], "while the recording plays");
    close_scene(&f);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_mouse_takes_every_instrument),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

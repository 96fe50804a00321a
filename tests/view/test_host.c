// The session of a scene that a program runs by itself: it follows, touches and steps it, and never reads or frees it.
#include "support/check.h"

#include "base/clock.h"
#include "base/file.h"
#include "divan/divan.h"
#include "io/scene/scene_file.h"
#include "view/inside.h"

#include <string.h>

typedef struct Program {
  dvContext *context;
  dvScene *scene;
  dvSession *session;
  dvViewer viewer;
  int steps;   // made for the page
  bool fails;
} Program;

static bool step(void *user)
{
  Program *p = user;
  p->steps++;
  return !p->fails && dv_scene_step(p->scene, 0) == DV_OK;
}

static void open_program(Program *p, const char *name)
{
  char *path = dv_path_join(DIVAN_SOURCE_DIR "/scenes", name);
  *p = (Program){.context = dv_divan_create(1)};
  assert_int_equal(dv_scene_read(p->context, path, &p->scene), DV_OK);
  assert_int_equal(dv_scene_init(p->scene), DV_OK);
  dv_free(path);
  p->session = dv_session_create(&(dvSessionOptions){.scene = "program", .host = {p->scene, step, p}});
  assert_true(dv_session_ready(p->session));
  assert_true(dv_session_join(p->session, &p->viewer));
}

static json_t *ask(Program *p, const char *request)
{
  dvText reply = {0};
  dv_session_handle(p->session, &p->viewer, request, strlen(request), &reply);
  json_t *a = reply.length ? json_loads(reply.text, 0, NULL) : NULL;
  dv_text_free(&reply);
  assert_non_null(a);
  return a;
}

static void answer(Program *p, const char *request, const char *error)
{
  json_t *a = ask(p, request);
  const char *text = json_string_value(json_object_get(a, "error"));
  if (error ? !text || !strstr(text, error) : text != NULL)
    fail_msg("%s: '%s', expected '%s'", request, text ? text : "", error ? error : "");
  json_decref(a);
}

static void close_program(Program *p)
{
  dv_session_leave(p->session, &p->viewer);
  dv_session_destroy(&p->session);
  assert_int_equal(dv_scene_step(p->scene, 0), DV_OK);   // still whole
  dv_scene_destroy(&p->scene);
  dv_divan_destroy(&p->context);
}

static bool frame(Program *p)
{
  dvText out = {0};
  bool good = false;
  const double until = dv_now() + 5;   // no more than 60 a second
  while (!good && dv_now() < until) {
    dv_session_advance(p->session);
    good = dv_session_frame(p->session, &p->viewer, &out);
  }
  dv_text_free(&out);
  p->viewer.acked = p->viewer.frame;
  return good;
}

static void it_follows_the_program(void **state)
{
  DV_UNUSED(state);
  Program p;
  open_program(&p, "liver.scn");
  answer(&p, "{\"do\":\"hello\"}", NULL);
  answer(&p, "{\"do\":\"scene\"}", NULL);
  assert_true(frame(&p));
  for (int i = 0; i < 3; i++) {
    dv_scene_step(p.scene, 0);
    assert_true(frame(&p));
    assert_float_equal(p.viewer.time, p.scene->root->time, 0);
  }
  assert_int_equal(p.steps, 0);
  close_program(&p);
}

static void the_page_steps_as_the_program_does(void **state)
{
  DV_UNUSED(state);
  Program p;
  open_program(&p, "liver.scn");
  answer(&p, "{\"do\":\"hello\"}", NULL);
  answer(&p, "{\"do\":\"step\",\"count\":2}", NULL);
  dv_session_hold(p.session, true);   // the program is stepping
  dv_session_advance(p.session);
  assert_int_equal(p.steps, 0);
  dv_session_hold(p.session, false);
  dv_session_advance(p.session);
  dv_session_advance(p.session);
  dv_session_advance(p.session);
  assert_int_equal(p.steps, 2);
  assert_int_equal(p.scene->step, 2);
  p.fails = true;
  answer(&p, "{\"do\":\"animate\",\"on\":true}", NULL);
  dv_session_advance(p.session);
  assert_false(p.session->animating);
  answer(&p, "{\"do\":\"reset\"}", NULL);
  assert_int_equal(p.scene->step, 0);
  close_program(&p);
}

static void nothing_is_read_again(void **state)
{
  DV_UNUSED(state);
  Program p;
  open_program(&p, "liver.scn");
  answer(&p, "{\"do\":\"hello\"}", NULL);
  dvNode *root = p.scene->root;
  static const char *const readings[] = {
      "{\"do\":\"reload\"}",
      "{\"do\":\"compat\",\"mode\":\"sofa\"}",
      "{\"do\":\"skip-missing\",\"on\":true}",
      "{\"do\":\"open\",\"file\":\"" DIVAN_SOURCE_DIR "/scenes/liver.scn\"}",
      "{\"do\":\"drop\",\"name\":\"a.scn\",\"text\":\"<Node/>\"}",
      "{\"do\":\"add-node\",\"path\":\"/\",\"file\":\"liver.scn\"}",
      "{\"do\":\"remove\",\"path\":\"/Liver\"}",
      "{\"do\":\"set\",\"path\":\"/Liver/dofs\",\"field\":\"position\",\"text\":\"0 0 0\"}",
  };
  for (size_t i = 0; i < DV_COUNT(readings); i++) answer(&p, readings[i], "belongs to a running program");
  answer(&p, "{\"do\":\"save-node\",\"path\":\"/\",\"file\":\"x.scn\"}", "no file");
  answer(&p, "{\"do\":\"save-view\",\"view\":{}}", "no file");
  answer(&p, "{\"do\":\"set\",\"path\":\"/\",\"field\":\"gravity\",\"text\":\"0 0 -3\"}", NULL);
  assert_true(p.scene->root == root && p.session->scene == p.scene);
  assert_float_equal(root->gravity[2], -3, 0);
  dv_session_note(p.session, &(dvMessage){.level = DV_WARNING, .text = "from the program", .path = "/Liver"});
  assert_string_equal(p.session->news.data[p.session->news.count - 1].text, "from the program");
  close_program(&p);
}

static void strokes_are_undone(void **state)
{
  DV_UNUSED(state);
  Program p;
  open_program(&p, "liver.scn");
  answer(&p, "{\"do\":\"hello\"}", NULL);
  const uint64_t before = divan_hash(p.scene);
  answer(&p, "{\"do\":\"undo\"}", "nothing to undo");
  assert_true(dv_view_undo_keep(p.session, "a stroke"));
  dv_scene_step(p.scene, 0);
  assert_true(divan_hash(p.scene) != before);
  answer(&p, "{\"do\":\"undo\"}", NULL);
  assert_true(divan_hash(p.scene) == before);
  close_program(&p);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(it_follows_the_program),
      cmocka_unit_test(the_page_steps_as_the_program_does),
      cmocka_unit_test(nothing_is_read_again),
      cmocka_unit_test(strokes_are_undone),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

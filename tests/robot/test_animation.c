// AnimationEditor: keys are set and removed, frames between them lie on lines and turn evenly, the file is read as it
// was written, playing shows a frame after the other, and what is no animation is refused.
#include "support/check.h"
#include "support/scene.h"

#include "base/file.h"
#include "math/vec.h"

#include <string.h>
#include <unistd.h>

static dvScene *editor(const char *kind, const char *position, const char *rest)
{
  char *text = dv_format("<Node dt='0.02'><MechanicalObject name='dofs' template='%s' position='%s'/>"
                         "<AnimationEditor name='editor' %s/></Node>",
                         kind, position, rest);
  dvScene *s = check_scene(text, 1);
  dv_free(text);
  return s;
}

static void press(dvScene *s, int key) { dv_scene_send(s, &(dvEvent){.kind = DV_EVENT_KEY, .key = key}); }

static void put(dvScene *s, const double *x)
{
  dvState *state = dv_state(check_find(s, "dofs"));
  memcpy(dv_state_write(state, DV_X), x, dv_state_scalars(state, DV_X) * sizeof *x);
  dv_state_touch(state, DV_X);
}

static void go(dvScene *s, int frame)
{
  char text[16];
  dv_snprintf(text, sizeof text, "%d", frame);
  dvObject *o = check_find(s, "editor");
  assert_int_equal(dv_object_set(o, "cursor", text), DV_OK);
  assert_int_equal(o->cls->reinit(o), DV_OK);
}

static int cursor(dvScene *s) { return *(int32_t *)dv_object_field(check_find(s, "editor"), "cursor")->value; }
static const dvInts *keys(dvScene *s) { return dv_object_field(check_find(s, "editor"), "keyFrames")->value; }

static void check_point(dvScene *s, double x, double y, double z)
{
  const double expected[3] = {x, y, z};
  for (size_t k = 0; k < 3; k++) check_close(check_value(s, "dofs", DV_X, k), expected[k], 1e-12);
}

static void check_frame(dvScene *s, int frame, double x, double y, double z)
{
  go(s, frame);
  check_steps(s, 1);
  check_point(s, x, y, z);
}

static void frames_lie_between_keys(void **state)
{
  DV_UNUSED(state);
  dvScene *s = editor("Vec3", "0 0 0", "load='0'");
  go(s, 10);
  put(s, (double[]){1, 2, 3});
  press(s, 'A');
  go(s, 20);
  put(s, (double[]){1, 2, -7});
  press(s, 'A');
  assert_int_equal(keys(s)->count, 3);
  check_frame(s, 0, 0, 0, 0);
  check_frame(s, 5, 0.5, 1, 1.5);
  check_frame(s, 10, 1, 2, 3);
  check_frame(s, 13, 1, 2, 0);
  check_frame(s, 20, 1, 2, -7);
  check_frame(s, 30, 1, 2, -7);   // behind the last one there is nothing
  go(s, 5);                       // a key between two
  put(s, (double[]){0, 0, 5});
  press(s, 'A');
  check_frame(s, 7, 0.4, 0.8, 5 - 0.8);
  check_frame(s, 1, 0, 0, 1);
  go(s, 5);
  press(s, 'X');   // cut it, and paste it behind
  check_frame(s, 5, 0.5, 1, 1.5);
  go(s, 15);
  press(s, 'V');
  check_frame(s, 15, 0, 0, 5);
  go(s, 20);
  press(s, 'D');
  assert_int_equal(keys(s)->data[keys(s)->count - 1], 15);
  go(s, 0);
  press(s, 'D');   // the first one stays
  assert_int_equal(keys(s)->data[0], 0);
  press(s, 23), assert_int_equal(cursor(s), 10);
  press(s, 23), assert_int_equal(cursor(s), 15);
  press(s, 22), assert_int_equal(cursor(s), 10);
  press(s, 20), assert_int_equal(cursor(s), 11);
  press(s, 18), press(s, 18), assert_int_equal(cursor(s), 9);
  press(s, 17), assert_int_equal(cursor(s), 16);
  press(s, 16), press(s, 16), press(s, 16), assert_int_equal(cursor(s), 0);
  check_close_scene(&s);
}

static void frames_turn_evenly(void **state)
{
  DV_UNUSED(state);
  dvScene *s = editor("Rigid3", "0 0 0 0 0 0 1", "load='0'");
  dvQuat half = dv_quat_from_axis(dv_vec3(0, 0, 1), 2.0);
  go(s, 4);
  put(s, (double[]){4, 0, 0, half.x, half.y, half.z, half.w});
  press(s, 'A');
  check_frame(s, 1, 1, 0, 0);
  dvQuat quarter = dv_quat_from_axis(dv_vec3(0, 0, 1), 0.5);
  check_close(fabs(check_value(s, "dofs", DV_X, 5)), fabs(quarter.z), 1e-12);
  check_close(fabs(check_value(s, "dofs", DV_X, 6)), fabs(quarter.w), 1e-12);
  check_close_scene(&s);
}

static void files_are_read_as_they_were_written(void **state)
{
  DV_UNUSED(state);
  char *directory = check_mkdir(), *path = dv_path_join(directory, "keys.txt");
  char *rest = dv_format("load='0' filename='%s'", path),
       *again = dv_format("filename='%s' playing='1' frameTime='0.04'", path);
  dvScene *s = editor("Vec3", "0 0 0 1 1 1", rest);
  go(s, 3);
  put(s, (double[]){1. / 3, 0, 0, 1, 1, 4});
  press(s, 'A');
  press(s, 'W');
  dvScene *t = editor("Vec3", "5 5 5 6 6 6", again);
  assert_int_equal(keys(t)->count, 2);
  check_steps(t, 1);
  check_point(t, 0, 0, 0);   // shows where it is first
  double seen[8];
  for (int i = 0; i < 8; i++) {
    check_steps(t, 1);
    seen[i] = check_value(t, "dofs", DV_X, 5);
  }
  const double expected[8] = {1, 2, 2, 3, 3, 4, 4, 4};   // two steps for a frame; it stays at the last
  for (int i = 0; i < 8; i++) check_close(seen[i], expected[i], 1e-12);
  assert_true(check_value(t, "dofs", DV_X, 0) == 1. / 3);   // to the last digit
  assert_int_equal(cursor(t), 3);
  dv_scene_reset(t);
  assert_int_equal(cursor(t), 0);
  check_steps(t, 3);
  check_close(check_value(t, "dofs", DV_X, 5), 2, 1e-12);
  check_close_scene(&s), check_close_scene(&t);
  dv_free(rest), dv_free(again), dv_free(path);
  check_rmdir(directory);
}

// dx: the point that moves furthest goes by so much in a step
static void distances_are_kept(void **state)
{
  DV_UNUSED(state);
  dvScene *s = editor("Vec3", "0 0 0", "load='0' maxKeyFrame='1000'");
  go(s, 1000);
  put(s, (double[]){0, 0, 1});
  press(s, 'A');
  go(s, 0);
  dvObject *o = check_find(s, "editor");
  assert_int_equal(dv_object_set(o, "dx", "0.0123"), DV_OK);
  check_steps(s, 50);
  check_close(check_value(s, "dofs", DV_X, 2), 50 * 0.0123, 0.001 + 1e-9);
  check_steps(s, 100);
  check_close(check_value(s, "dofs", DV_X, 2), 1, 1e-12);   // the end
  assert_int_equal(dv_object_set(o, "dx", "-0.05"), DV_OK);
  check_steps(s, 10);
  check_close(check_value(s, "dofs", DV_X, 2), 0.5, 0.001 + 1e-9);
  assert_int_equal(dv_object_set(o, "maxKeyFrame", "2000"), DV_OK);
  go(s, 1900);   // from behind the end it goes back to it
  check_steps(s, 1);
  check_close(check_value(s, "dofs", DV_X, 2), 0.95, 0.001 + 1e-9);
  check_close_scene(&s);
}

static void the_scene_follows(void **state)
{
  DV_UNUSED(state);
  dvScene *s = check_scene_file("scenes/robot/animation.scn", 1);
  double most = 0;
  for (int i = 0; i < 140; i++) {
    check_steps(s, 1);
    if (i > 20)
      most = fmax(most, fabs(check_value(s, "goal/dofs", DV_X, 2) - check_value(s, "finger/tip/point", DV_X, 2)));
  }
  print_message("the tip is at most %.3g mm away from its key frames\n", 1000 * most);
  assert_true(most < 0.0015);
  assert_true(*(int32_t *)dv_object_field(check_find(s, "goal/editor"), "cursor")->value < 20);   // it has begun anew
  check_close_scene(&s);
}

static void what_is_no_animation_is_refused(void **state)
{
  DV_UNUSED(state);
  static const char good[] = "Type: Vec3d\nNumber of frame: 2\nNumber of effector: 1\nKeyFrames: 0 1\n0 0 0\n1 1 1\n";
  static const char *const bad[] = {
      "",
      "Type: Rigid3d\nNumber of frame: 2\nNumber of effector: 1\nKeyFrames: 0 1\n0 0 0\n1 1 1\n",
      "Type: Vec3d\nNumber of frame: x\n",
      "Type: Vec3d\nNumber of frame: -1\nNumber of effector: 1\nKeyFrames: 0\n",
      "Type: Vec3d\nNumber of frame: 2\nNumber of effector: 2\nKeyFrames: 0 1\n0 0 0\n1 1 1\n",
      "Type: Vec3d\nNumber of frame: 999999999999\nNumber of effector: 1\nKeyFrames: 0 1\n0 0 0\n1 1 1\n",
      "Type: Vec3d\nNumber of frame: 2\nNumber of effector: 1\nKeyFrames: 0 5\n0 0 0\n1 1 1\n",
      "Type: Vec3d\nNumber of frame: 2\nNumber of effector: 1\nKeyFrames: 1 0\n0 0 0\n1 1 1\n",
      "Type: Vec3d\nNumber of frame: 2\nNumber of effector: 1\nKeyFrames:\n0 0 0\n1 1 1\n",
      "Type: Vec3d\nNumber of frame: 2\nNumber of effector: 1\nKeyFrames: 0 1\n0 0 0\n1 1\n",
      "Type: Vec3d\nNumber of frame: 2\nNumber of effector: 1\nKeyFrames: 0 1\n0 0 0\n1 1 1 1\n",
      "Type: Vec3d\nNumber of frame: 2\nNumber of effector: 1\nKeyFrames: 0 1\n0 0 nan\n1 1 1\n",
  };
  char *directory = check_mkdir();
  for (size_t i = 0; i <= DV_COUNT(bad); i++) {
    const char *content = i < DV_COUNT(bad) ? bad[i] : good;
    char *path = check_write(directory, "keys.txt", content);
    char *text = dv_format("<Node><MechanicalObject position='0 0 0'/><AnimationEditor filename='%s'/></Node>", path);
    dvContext *context = dv_divan_create(1);
    dvScene *scene = NULL;
    dvStatus status = dv_scene_parse(context, "test.scn", text, strlen(text), &scene);
    if (status == DV_OK) status = dv_scene_init(scene);
    if ((status == DV_OK) != (content == good)) fail_msg("status %d for:\n%s", (int)status, content);
    dv_scene_destroy(&scene);
    dv_divan_destroy(&context);
    dv_free(text), dv_free(path);
  }
  check_rmdir(directory);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(frames_lie_between_keys),
                                     cmocka_unit_test(frames_turn_evenly),
                                     cmocka_unit_test(files_are_read_as_they_were_written),
                                     cmocka_unit_test(distances_are_kept),
                                     cmocka_unit_test(the_scene_follows),
                                     cmocka_unit_test(what_is_no_animation_is_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

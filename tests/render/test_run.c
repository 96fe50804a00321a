// divan run --picture and --video: files, sizes, cameras that move, and what is told when something is wrong.
#include "support/check.h"
#include "support/command.h"

#include "app/divan.h"
#include "base/file.h"
#include "io/mesh/image.h"
#include "io/scene/scene_file.h"
#include "view/looks.h"

#include <string.h>

static const char scene[] = DIVAN_SOURCE_DIR "/scenes/liver.scn";

static void check_size(const char *path, int width, int height)
{
  dvImage image = {0};
  char why[100];
  if (dv_image_measure(path, &image, why) == DV_OK) {
    assert_int_equal(image.width, width);
    assert_int_equal(image.height, height);
  } else {
    assert_true(dv_file_exists(path));   // a build that reads no pictures
  }
  dv_image_free(&image);
}

static void a_picture_of_the_size_that_was_asked_for(void **state)
{
  DV_UNUSED(state);
  char *directory = check_mkdir(), *path = dv_path_join(directory, "liver.png");
  check_command(0, "3 steps in", "%s run %s -n 3 --picture %s --size 120x90 --camera 20,10,1.2 --dark", DIVAN_BINARY,
                scene, path);
  check_size(path, 120, 90);
  check_command(0, "drawn without OpenGL, plainly",
                "DIVAN_RENDERER=plain %s run %s -n 0 --picture %s --size 64x48 2>&1", DIVAN_BINARY, scene, path);
  check_size(path, 64, 48);
  dv_free(path);
  check_rmdir(directory);
}

static void a_film_without_ffmpeg_is_a_series(void **state)
{
  DV_UNUSED(state);
  char *directory = check_mkdir(), *last;
  // 10 steps of 10 ms: a picture for each fourth step, 0, 4 and 8
  check_command(0, "the program ffmpeg is not there",
                "cd %s && PATH=/nonexistent %s run %s -n 10 --video film.webm --size 32x24 2>&1", directory,
                DIVAN_BINARY, scene);
  last = dv_path_join(directory, "film-00002.png");
  check_size(last, 32, 24);
  dv_free(last);
  last = dv_path_join(directory, "film-00003.png");
  assert_false(dv_file_exists(last));
  dv_free(last);
  // four times slower: one for each step; four times faster: one for each thirteenth or later
  check_command(0, "the program ffmpeg is not there",
                "cd %s && PATH=/nonexistent %s run %s -n 10 --video slow.webm --slow 4 --size 32x24 2>&1", directory,
                DIVAN_BINARY, scene);
  last = dv_path_join(directory, "slow-00010.png");
  check_size(last, 32, 24);
  dv_free(last);
  check_command(0, "the program ffmpeg is not there",
                "cd %s && PATH=/nonexistent %s run %s -n 20 --video fast.webm --slow 0.25 --size 32x24 2>&1", directory,
                DIVAN_BINARY, scene);
  last = dv_path_join(directory, "fast-00002.png");
  assert_false(dv_file_exists(last));
  dv_free(last);
  check_rmdir(directory);
}

static void mistakes_are_told_before_anything_is_computed(void **state)
{
  DV_UNUSED(state);
  static const struct {
    int status;
    const char *says, *arguments;
  } cases[] = {{2, "--size 12: it is WIDTHxHEIGHT", "--picture x.png --size 12"},
               {2, "at most 8192", "--picture x.png --size 9000x10"},
               {2, "--camera sideways: it is a side", "--picture x.png --camera sideways"},
               {2, "of: visual behavior", "--picture x.png --show visuals"},
               {2, "which are not there", "--dark"},
               {2, "--slow : it is for --video", "--picture x.png --slow 2"},
               {2, "--xray needs a number", "--picture x.png --xray much"},
               {4, "/nowhere/x.png", "--picture /nowhere/x.png"}};
  char *directory = check_mkdir();
  for (size_t i = 0; i < DV_COUNT(cases); i++)
    check_command(cases[i].status, cases[i].says, "cd %s && %s run %s -n 1 %s 2>&1", directory, DIVAN_BINARY, scene,
                  cases[i].arguments);
  check_rmdir(directory);
}

// a camera that turns about y in 2 s: after half a second it has turned by a right angle
static void a_camera_on_its_path(void **state)
{
  DV_UNUSED(state);
  static const char text[] =
      "<Node dt='0.1'><RecordedCamera rotationMode='1' startTime='0' endTime='2' rotationCenter='1 0 0' "
      "rotationStartPoint='1 3 5' rotationLookAt='1 0 0'/></Node>";
  dvContext *context = dv_divan_create(1);
  dvScene *s = NULL;
  assert_int_equal(dv_scene_parse(context, "test.scn", text, strlen(text), &s), DV_OK);
  dv_scene_init(s);
  for (int i = 0; i < 5; i++) assert_int_equal(dv_scene_step(s, 0.1), DV_OK);
  json_t *camera = dv_looks_camera(s);
  const double want[3] = {6, 3, 0};
  for (size_t k = 0; k < 3; k++)
    check_close(json_number_value(json_array_get(json_object_get(camera, "position"), k)), want[k], 1e-9);
  json_decref(camera);
  dv_scene_destroy(&s);
  // along three places: the curve goes through each of them
  static const char along[] =
      "<Node dt='0.1'><RecordedCamera navigationMode='1' startTime='0' endTime='1' lookAt='0 0 0' "
      "cameraPositions='0 0 4  1 2 3  5 0 0'/></Node>";
  assert_int_equal(dv_scene_parse(context, "test.scn", along, strlen(along), &s), DV_OK);
  dv_scene_init(s);
  for (int i = 0; i < 5; i++) assert_int_equal(dv_scene_step(s, 0.1), DV_OK);
  camera = dv_looks_camera(s);
  const double second[3] = {1, 2, 3};
  for (size_t k = 0; k < 3; k++)
    check_close(json_number_value(json_array_get(json_object_get(camera, "position"), k)), second[k], 1e-9);
  json_decref(camera);
  dv_scene_destroy(&s);
  dv_divan_destroy(&context);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_picture_of_the_size_that_was_asked_for),
      cmocka_unit_test(a_film_without_ffmpeg_is_a_series),
      cmocka_unit_test(mistakes_are_told_before_anything_is_computed),
      cmocka_unit_test(a_camera_on_its_path),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

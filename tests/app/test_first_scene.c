// The tutorial docs/first-scene.md: its scene is the one in scenes/, it bends as the text says, and the commands work
// as typed.
#include "support/check.h"
#include "support/command.h"

#include "base/file.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

// what stands in the last indented block of the text, without the indent; the caller frees it
static char *scene_of_text(const char *text)
{
  const char *at = strstr(text, "## The whole scene");
  assert_non_null(at);
  at = strstr(at, "\n    <Node");
  assert_non_null(at);
  dvText out = {0};
  for (at++; dv_starts_with(at, "    ");) {
    size_t n = strcspn(at, "\n") + 1;
    dv_text_add_n(&out, at + 4, n - 4);
    at += n;
  }
  return dv_text_take(&out);
}

static void the_text_and_the_file_are_one_scene(void **state)
{
  DV_UNUSED(state);
  char *text = dv_file_read(DIVAN_SOURCE_DIR "/docs/first-scene.md", NULL),
       *file = dv_file_read(DIVAN_SOURCE_DIR "/scenes/first-beam.scn", NULL);
  assert_non_null(text);
  assert_non_null(file);
  char *scene = scene_of_text(text), *begin = strstr(file, "<Node");   // behind the comment
  assert_string_equal(scene, begin);
  dv_free(scene), dv_free(text), dv_free(file);
}

// the number in a column of the last line of a .csv file
static double last_in_column(const char *path, const char *column)
{
  char *text = dv_file_read(path, NULL);
  assert_non_null(text);
  char *rest = text, *head = strsep(&rest, "\n"), *last = NULL;
  for (char *line; rest && (line = strsep(&rest, "\n")) && *line;) last = line;
  assert_non_null(last);
  double value = NAN;
  for (char *name; (name = strsep(&head, ",")) && isnan(value);) {
    char *number = strsep(&last, ",");
    if (number && dv_same(name, column)) value = strtod(number, NULL);
  }
  dv_free(text);
  return value;
}

// a slender beam under its weight: rho g A L^4 / 8EI from bending, w L^2 / 2kGA from shear; elements of this size are 5
// % too stiff
static void the_beam_bends_as_the_text_says(void **state)
{
  DV_UNUSED(state);
  char *directory = check_mkdir(), *curves = dv_format("%s/out/points_x.csv", directory);
  check_command(0, "no mistakes found", "%s check %s/scenes/first-beam.scn", DIVAN_BINARY, DIVAN_SOURCE_DIR);
  check_command(0, "150 steps", "%s run %s/scenes/first-beam.scn -n 150 --csv %s/out --every 10", DIVAN_BINARY,
                DIVAN_SOURCE_DIR, directory);
  double weight = 40 * 9.81, bending = weight / (8 * 5e6 * 0.2 * 0.2 * 0.2 * 0.2 / 12),
         shear = weight / (2 * 5.0 / 6 * 5e6 / 2.6 * 0.04);
  double sunk = 0.1 - last_in_column(curves, "y272");
  check_close(sunk, 0.0731, 0.0001);
  check_close(bending, 0.0736, 0.0001);
  check_close(sunk, bending + shear, 0.05 * (bending + shear));
  dv_free(curves);
  check_rmdir(directory);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_text_and_the_file_are_one_scene),
                                     cmocka_unit_test(the_beam_bends_as_the_text_says)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

// docs/soft-robots.md as a newcomer types it: the scene of its first step, with what the second, the third and the
// fifth add, runs and does what the page says.
#include "support/check.h"
#include "support/command.h"
#include "support/scene.h"

#include "base/file.h"

#include <string.h>
#include <unistd.h>

enum { PIECES = 4 };

// The indented lines of a section, without what stands behind their tags; a line with three dots begins the next piece.
static void read_section(const char *page, const char *head, const char *begin, dvText pieces[PIECES])
{
  const char *at = strstr(page, head), *end = at ? strstr(at + 1, "\n## ") : NULL;
  assert_non_null(at);
  if (!end) end = at + strlen(at);
  at = strstr(at, begin);
  assert_true(at && at < end);
  while (at > page && at[-1] != '\n') at--;
  for (int piece = 0; at < end && dv_starts_with(at, "    ");) {
    size_t length = strcspn(at, "\n"), used = length;
    while (used && at[used - 1] != '>') used--;   // the rest is prose
    if (memmem(at, length, "…", strlen("…"))) assert_true(++piece < PIECES);
    else dv_text_add_n(&pieces[piece], at + 4, used > 4 ? used - 4 : 0), dv_text_add(&pieces[piece], "\n");
    at += length + (at[length] == '\n');
  }
}

static void free_pieces(dvText pieces[PIECES])
{
  for (int i = 0; i < PIECES; i++) dv_text_free(&pieces[i]);
}

// `new` stands for `old`, which is there once, or before it
static void put(char **scene, const char *old, const char *new, bool before)
{
  const char *at = strstr(*scene, old);
  if (!at) fail_msg("the scene of the page has no %s", old);
  char *next = dv_format("%.*s%s%s", (int)(at - *scene), *scene, new, before ? at : at + strlen(old));
  dv_free(*scene);
  *scene = next;
}

static double real_of(dvScene *s, const char *path, const char *field)
{
  return *(const double *)dv_object_field(check_find(s, path), field)->value;
}

static void the_page_is_true(void **state)
{
  DV_UNUSED(state);
  dvText first[PIECES] = {0}, second[PIECES] = {0}, third[PIECES] = {0}, fifth[PIECES] = {0};
  char *page = dv_file_read(DIVAN_SOURCE_DIR "/docs/soft-robots.md", NULL);
  assert_non_null(page);
  read_section(page, "## 1. A body from an STL file", "<Node dt", first);
  read_section(page, "## 2. A cable that you pull", "<FreeMotion", second);
  read_section(page, "## 3. A goal instead of a value", "<QPInverse", third);
  read_section(page, "## 5. Contacts", "<CollisionPipeline", fifth);
  char *directory = check_mkdir();
  assert_int_equal(chdir(directory), 0);
  check_command(0, "474 points", "%s convert %s/scenes/robot/mesh/finger-surface.obj finger.stl", DIVAN_BINARY,
                DIVAN_SOURCE_DIR);
  check_command(0, "closed surface", "%s check finger.stl", DIVAN_BINARY);
  // it hangs a little and comes to rest
  char *scene = dv_strdup(first[0].text);
  dvScene *s = check_scene(scene, 1);
  check_steps(s, 200);
  const dvState *dofs = dv_state(check_find(s, "finger/dofs"));
  const double *v = dv_state_read(dofs, DV_V);
  for (size_t i = 0; i < dv_state_scalars(dofs, DV_V); i++) check_close(v[i], 0, 1e-4);
  check_close_scene(&s);
  // a cable with 3 N, or pulled in by 10 mm
  put(&scene, "<VisualStyle", second[0].text, true);
  put(&scene, "<Node name=\"look\">", second[1].text, true);
  s = check_scene(scene, 1);
  check_steps(s, 200);
  check_close(real_of(s, "finger/eyelets/cable", "force"), 3, 1e-9);
  assert_true(real_of(s, "finger/eyelets/cable", "displacement") > 0.001);
  check_close_scene(&s);
  char *pulled = dv_strdup(scene);
  put(&pulled, "valueType=\"force\" value=\"3\"", "valueType=\"displacement\" value=\"0.01\"", false);
  s = check_scene(pulled, 1);
  check_steps(s, 200);
  check_close(real_of(s, "finger/eyelets/cable", "displacement"), 0.01, 1e-6);
  check_close_scene(&s);
  dv_free(pulled);
  // a goal: the tip is there to the last digit
  put(&scene, "<BlockGaussSeidelConstraintSolver/>", third[0].text, false);
  const char *cable = strstr(scene, "<CableConstraint");
  char *line = dv_strndup(cable, strcspn(cable, "\n"));
  put(&scene, line, third[1].text, false);
  put(&scene, "<Node name=\"look\">", third[2].text, true);
  s = check_scene(scene, 1);
  check_steps(s, 200);
  check_close(check_value(s, "finger/tip/point", DV_X, 2), 0.03, 1e-12);
  assert_true(real_of(s, "finger/eyelets/cable", "force") > 1);
  check_close(real_of(s, "finger/eyelets/cable", "force"), 3.4866, 1e-4);
  check_close(real_of(s, "finger/eyelets/cable", "displacement"), 0.0116, 1e-4);
  check_close_scene(&s);
  // too weak: the nearest is held
  char *weak = dv_strdup(scene);
  put(&weak, "maxForce=\"20\"", "maxForce=\"1\"", false);
  s = check_scene(weak, 1);
  check_steps(s, 200);
  check_close(0.03 - check_value(s, "finger/tip/point", DV_X, 2), 0.0486, 1e-4);
  check_close(real_of(s, "finger/eyelets/cable", "force"), 1, 1e-9);
  check_close_scene(&s);
  dv_free(weak);
  // a ball in the way
  put(&scene, "<VisualStyle", fifth[0].text, true);
  put(&scene, "<Node name=\"look\">", fifth[1].text, true);
  s = check_scene(scene, 1);
  check_steps(s, 200);
  check_close(check_value(s, "finger/tip/point", DV_X, 2), 0.03, 1e-6);
  check_close(real_of(s, "finger/eyelets/cable", "force"), 4.57, 0.01);
  check_close(real_of(s, "inverse", "maxContactForces"), 0.29, 0.01);
  check_close_scene(&s);
  dv_free(line), dv_free(scene), dv_free(page);
  free_pieces(first), free_pieces(second), free_pieces(third), free_pieces(fifth);
  assert_int_equal(chdir("/"), 0);
  check_rmdir(directory);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_page_is_true)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

// A host with a decimal comma: whatever locale the program around has chosen, for itself or for one of its threads,
// numbers are read and written with a point.
#include "support/check.h"
#include "support/command.h"

#include "base/file.h"
#include "divan/divan.h"

#include <locale.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// the C library keeps the path of locales that it was told by LOCPATH
#pragma GCC visibility push(default)
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) { return "leak:argz_add_sep\n"; }
#pragma GCC visibility pop

static const char scene_text[] =
    "<Node name='root' dt='0.25' gravity='0 -1.5 0'><EulerImplicitSolver/><CGLinearSolver/>"
    "<MechanicalObject name='dofs' position='0.5 1.25 -2.75e-3'/><UniformMass totalMass='0.125'/>"
    "<WriteState filename='motion.txt'/><Monitor name='watch' ExportPositions='1'/></Node>";

static void step_and_look(void)
{
  char comma[8];
  snprintf(comma, sizeof comma, "%.1f", 0.5);
  assert_string_equal(comma, "0,5");   // the host does write commas
  dvContext *context = divan_create(1);
  dvScene *scene = divan_parse(context, scene_text, strlen(scene_text));
  assert_non_null(scene);
  assert_int_equal(divan_set(scene, "/dofs", "velocity", "1.5 0 0"), 0);
  assert_int_equal(divan_init(scene), 0);
  char *text = divan_get(scene, "/dofs", "position");
  assert_string_equal(text, "0.5 1.25 -0.00275");
  divan_free(text);
  assert_int_equal(divan_set(scene, "/dofs", "position", "0.75 1.123456789012345678901 0"), 0);
  check_close(divan_read(scene, "/dofs", "position", NULL)[0], 0.75, 0);
  check_close(divan_read(scene, "/dofs", "position", NULL)[1], 1.123456789012345678901, 0);
  for (int i = 0; i < 3; i++) assert_int_equal(divan_step(scene, 0), 0);
  divan_close(&scene);
  divan_destroy(&context);
  snprintf(comma, sizeof comma, "%.1f", 0.5);
  assert_string_equal(comma, "0,5");   // and goes on to do so
  static const char *const files[] = {"motion.txt", "watch_x.txt"};
  for (size_t i = 0; i < DV_COUNT(files); i++) {
    char *written = dv_file_read(files[i], NULL);
    assert_non_null(written);
    char *body = i ? strchr(written, '\n') : written;   // the headline has commas of its own
    assert_null(strchr(body, ','));
    assert_non_null(strstr(body, "0.25"));
    dv_free(written);
  }
}

// makes the locale when the system does not have it but can; NULL without
static const char *german(char *directory)
{
  static const char *const names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "nl_NL.UTF-8"};
  for (size_t i = 0; i < DV_COUNT(names); i++) {
    locale_t l = newlocale(LC_ALL_MASK, names[i], (locale_t)0);
    if (!l) continue;
    freelocale(l);
    return names[i];
  }
  char *out;
  int status = check_shell(&out, "localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8", directory);
  dv_free(out);
  if (status != 0) return NULL;
  setenv("LOCPATH", directory, 1);
  return "de_DE.UTF-8";
}

static void *in_its_own_locale(void *name)
{
  locale_t own = newlocale(LC_ALL_MASK, name, (locale_t)0);
  assert_non_null(own);
  uselocale(own);
  step_and_look();
  uselocale(LC_GLOBAL_LOCALE);
  freelocale(own);
  return NULL;
}

static void commas_of_the_host_do_not_matter(void **state)
{
  DV_UNUSED(state);
  char *directory = check_mkdir();
  const char *name = german(directory);
  if (!name) {
    check_rmdir(directory);
    print_message("there is no locale with a decimal comma, and none can be made: skipped\n");
    skip();
  }
  assert_int_equal(chdir(directory), 0);
  pthread_t thread;
  assert_int_equal(pthread_create(&thread, NULL, in_its_own_locale, (void *)name), 0);
  assert_int_equal(pthread_join(thread, NULL), 0);
  setenv("LC_ALL", name, 1);
  assert_non_null(setlocale(LC_ALL, ""));
  step_and_look();
  setlocale(LC_ALL, "C");
  assert_int_equal(chdir("/"), 0);
  check_rmdir(directory);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(commas_of_the_host_do_not_matter)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

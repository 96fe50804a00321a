// Every scene of scenes/ runs, gives the same bits for 1, 2 and 3 threads and from launch to launch, and has no
// mistakes.
#include "support/check.h"

#include "base/file.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

// runs the command and returns the first word behind `key` in what it prints; the caller frees it
static char *ask(const char *command, const char *key)
{
  FILE *p = popen(command, "r");
  assert_non_null(p);
  dvText all = {0};
  char buffer[4096];
  for (size_t n; (n = fread(buffer, 1, sizeof buffer, p)) > 0;) dv_text_add_n(&all, buffer, n);
  int status = pclose(p);
  dv_text_add(&all, "");
  const char *at = strstr(all.text, key);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || !at) {
    print_error("%s: status %d\n%s\n", command, WEXITSTATUS(status), all.text);
    fail();
  }
  at += strlen(key);
  char *word = dv_strndup(at, strcspn(at, " \n"));
  dv_text_free(&all);
  return word;
}

// scenes may write files: they run in a directory of their own
static void check_one(const char *path, int launches, int steps)
{
  char *directory = check_mkdir();
  char *first = NULL;
  for (int i = 0; i < launches; i++) {
    char *command = dv_format("cd %s && %s run %s -n %d --threads %d --hash --quiet 2>&1", directory, DIVAN_BINARY,
                              path, steps, 1 + (i + 1) % 3),
         *hash = ask(command, "hash ");
    if (!first) first = dv_strdup(hash);
    if (!dv_same(first, hash))
      print_error("%s: launch %d with %d threads gives another result\n", path, i, 1 + (i + 1) % 3);
    assert_string_equal(first, hash);
    dv_free(hash);
    dv_free(command);
  }
  dv_free(first);
  char *command = dv_format("cd %s && %s check %s 2>&1", directory, DIVAN_BINARY, path);
  dv_free(ask(command, "no mistakes"));
  dv_free(command);
  check_rmdir(directory);
}

static void check_path(const char *path, void *user)
{
  DV_UNUSED(user);
#ifdef DV_CHECKING   // that results repeat is seen without checks of memory
  check_one(path, 1, 3);
#else
  check_one(path, dv_ends_with_nocase(path, "/liver.scn") ? 10 : 3, 6);
#endif
}

static void all_scenes_run_and_repeat(void **state)
{
  DV_UNUSED(state);
  assert_true(check_each_scene("scenes", check_path, NULL) > 10);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(all_scenes_run_and_repeat)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

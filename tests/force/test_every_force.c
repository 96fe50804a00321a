// Every force of the registry goes through the harness of finite differences (support/fd.h): the sources of the tests
// are searched for a file that calls it and names the force. A force without one needs a reason here.
#include "app/divan.h"
#include "base/file.h"
#include "base/text.h"
#include "object/context.h"
#include "object/object.h"
#include "support/check.h"

#include <ctype.h>
#include <dirent.h>
#include <string.h>

static const struct {
  const char *name, *reason;
} excused[] = {
    {"", ""},   // none today
};

typedef DV_ARRAY(char *) Sources;

static void add_directory(Sources *sources, const char *path)
{
  DIR *d = opendir(path);
  assert_non_null(d);
  for (struct dirent *e = readdir(d); e; e = readdir(d)) {
    size_t length = strlen(e->d_name);
    if (strncmp(e->d_name, "test_", 5) != 0 || length < 3 || strcmp(e->d_name + length - 2, ".c") != 0) continue;
    char *file = dv_path_join(path, e->d_name), *text = dv_file_read(file, NULL);
    assert_non_null(text);
    if (strstr(text, "fd_check_")) dv_push(sources, text);
    else dv_free(text);
    dv_free(file);
  }
  closedir(d);
}

static bool part_of_a_name(char c) { return isalnum((unsigned char)c) || c == '_'; }

static bool names(const char *text, const char *word)
{
  size_t length = strlen(word);
  for (const char *at = strstr(text, word); at; at = strstr(at + 1, word))
    if ((at == text || !part_of_a_name(at[-1])) && !part_of_a_name(at[length])) return true;
  return false;
}

static const char *reason_of(const char *name)
{
  for (size_t i = 0; i < DV_COUNT(excused); i++)
    if (strcmp(excused[i].name, name) == 0) return excused[i].reason;
  return NULL;
}

static void every_force_has_a_row(void **state)
{
  DV_UNUSED(state);
  Sources sources = {0};
  static const char *const rooms[] = {"force", "control", "mapping"};
  for (size_t i = 0; i < DV_COUNT(rooms); i++) {
    char *path = dv_format("%s/tests/%s", DIVAN_SOURCE_DIR, rooms[i]);
    add_directory(&sources, path);
    dv_free(path);
  }
  assert_true(sources.count > 10);
  dvContext *context = dv_divan_create(1);
  size_t forces = 0, missing = 0;
  for (size_t i = 0; i < context->registry.classes.count; i++) {
    const dvClass *c = context->registry.classes.data[i];
    if (!c->ops[DV_ROLE_FORCE]) continue;
    bool found = reason_of(c->name) != NULL;
    for (size_t k = 0; k < sources.count && !found; k++) found = names(sources.data[k], c->name);
    if (!found) print_error("%s: no test puts it through the harness, and no reason is listed\n", c->name);
    forces++;
    missing += !found;
  }
  print_message("%zu forces, %zu without a row\n", forces, missing);
  assert_true(forces > 50);
  assert_int_equal(missing, 0);
  dv_divan_destroy(&context);
  for (size_t k = 0; k < sources.count; k++) dv_free(sources.data[k]);
  dv_array_free(&sources);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_force_has_a_row)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

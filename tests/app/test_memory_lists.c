// Every class says what it remembers, or stands in the list of those that remember nothing
// (tests/app/remembers_nothing.txt): whoever adds a class has to think about it. That the claims are true the scenes
// show (test_snapshots.c), of which nearly every class has one.
#include "support/check.h"

#include "app/divan.h"
#include "base/file.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

static bool is_listed(const char *list, const char *name)
{
  size_t n = strlen(name);
  for (const char *at = strstr(list, name); at; at = strstr(at + 1, name))
    if ((at == list || at[-1] == '\n') && (at[n] == '\n' || !at[n])) return true;
  return false;
}

static void every_class_says_what_it_remembers(void **state)
{
  DV_UNUSED(state);
  dvContext *c = dv_divan_create(1);
  size_t length;
  char *path = dv_path_join(DIVAN_SOURCE_DIR, "tests/app/remembers_nothing.txt"), *list = dv_file_read(path, &length);
  assert_non_null(list);
  int bad = 0, remembering = 0;
  for (size_t i = 0; i < c->registry.classes.count; i++) {
    const dvClass *cls = c->registry.classes.data[i];
    bool remembers = cls->memory_count > 0 || cls->remember, listed = is_listed(list, cls->name);
    remembering += remembers;
    if (remembers != listed) continue;
    if (listed) print_error("%s remembers something, but is in the list of those that do not\n", cls->name);
    else print_error("%s has no list of what it remembers; if that is nothing, add it to %s\n", cls->name, path);
    bad++;
  }
  for (const char *at = list; *at; at += strcspn(at, "\n") + 1) {
    char *name = dv_strndup(at, strcspn(at, "\n"));
    if (*name && !dv_registry_find(&c->registry, name)) print_error("there is no class %s\n", name), bad++;
    dv_free(name);
  }
  assert_int_equal(bad, 0);
  assert_true(remembering > 50);
  dv_free(path);
  dv_free(list);
  dv_divan_destroy(&c);
}

// an entry lies inside of its object, and none is listed twice
static void entries_lie_inside_of_their_objects(void **state)
{
  DV_UNUSED(state);
  dvContext *c = dv_divan_create(1);
  for (size_t i = 0; i < c->registry.classes.count; i++) {
    const dvClass *cls = c->registry.classes.data[i];
    for (int k = 0; k < cls->memory_count; k++) {
      const dvMemoryDesc *d = &cls->memory[k];
      assert_true(d->size > 0 && d->offset >= sizeof(dvObject) && d->offset < cls->size);
      if (d->kind == DV_MEMORY_NUMBERS) assert_true(d->offset + d->size <= cls->size);
      for (int j = 0; j < k; j++) assert_true(cls->memory[j].offset != d->offset);
    }
  }
  dv_divan_destroy(&c);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_class_says_what_it_remembers),
                                     cmocka_unit_test(entries_lie_inside_of_their_objects)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

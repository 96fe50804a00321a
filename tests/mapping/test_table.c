// The table of docs/mappings.md is the registry's: every mapping has its row with the pairs of types that it maps.
#include "support/check.h"

#include "app/divan.h"
#include "base/file.h"
#include "object/context.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

static void add_types(dvText *t, unsigned dofs)
{
  const char *separator = "";
  for (int k = 0; k < DV_DOF_COUNT; k++)
    if (dofs & (1u << k)) {
      const char *name = dv_dof((dvDofKind)k)->name;
      dv_text_printf(t, "%s%.*s", separator, (int)strlen(name) - 1, name);
      separator = " ";
    }
}

// "| RigidMapping | Rigid3 → Vec3 Rigid3; Rigid2 → Vec2 | moves points with … |"
static char *row_of(const dvClass *c)
{
  dvText t = {0};
  dv_text_printf(&t, "| %s | ", c->name);
  for (const dvDofPair *p = c->pairs; p && p->in; p++) {
    if (p != c->pairs) dv_text_add(&t, "; ");
    add_types(&t, p->in);
    if (p->in2) dv_text_add(&t, " and "), add_types(&t, p->in2);
    dv_text_add(&t, " → ");
    add_types(&t, p->out);
  }
  dv_text_printf(&t, "%s | %s |\n", c->pairs ? "" : "—", c->help);
  return dv_text_take(&t);
}

static void the_table_is_that_of_the_registry(void **state)
{
  (void)state;
  char *path = dv_path_join(DIVAN_SOURCE_DIR, "docs/mappings.md");
  size_t length;
  char *document = dv_file_read(path, &length);
  assert_non_null(document);
  dvContext *c = dv_divan_create(1);
  int missing = 0, mappings = 0, listed = 0;
  for (size_t i = 0; i < c->registry.classes.count; i++) {
    const dvClass *cls = c->registry.classes.data[i];
    if (!cls->ops[DV_ROLE_MAPPING]) continue;
    char *row = row_of(cls);
    mappings++;
    if (!strstr(document, row)) print_error("%s", row), missing++;
    dv_free(row);
  }
  for (const char *at = document; (at = strstr(at, "Mapping | ")); at++) listed++;
  listed += strstr(document, "BeamLinearMapping_mt | ") != NULL;
  if (missing) print_error("these %d rows are missing in docs/mappings.md\n", missing);
  assert_int_equal(missing, 0);
  assert_int_equal(listed, mappings);   // and no row too many
  dv_divan_destroy(&c);
  dv_free(document);
  dv_free(path);
}

static void add_scenes(dvText *all, const char *folder)
{
  char *directory = dv_path_join(DIVAN_SOURCE_DIR, folder);
  struct dirent **list;
  int n = scandir(directory, &list, NULL, alphasort);
  assert_true(n > 0);
  for (int i = 0; i < n; i++) {
    char *path = dv_path_join(directory, list[i]->d_name), *text = NULL;
    size_t length;
    if (dv_ends_with_nocase(path, ".scn")) text = dv_file_read(path, &length);
    if (text) dv_text_add(all, text);
    dv_free(text);
    dv_free(path);
    free(list[i]);
  }
  free(list);
  dv_free(directory);
}

// every mapping has a scene of its own, or stands in that of another name of the same kernel
static void every_mapping_has_a_scene(void **state)
{
  (void)state;
  int missing = 0;
  dvText all = {0};
  add_scenes(&all, "scenes/mapping");
  add_scenes(&all, "scenes/instrument");
  add_scenes(&all, "scenes/collision");
  add_scenes(&all, "scenes/fluid");
  dvContext *c = dv_divan_create(1);
  for (size_t i = 0; i < c->registry.classes.count; i++) {
    const dvClass *cls = c->registry.classes.data[i];
    if (!cls->ops[DV_ROLE_MAPPING]) continue;
    char *element = dv_format("<%s ", cls->name), *alone = dv_format("<%s/>", cls->name);
    if (!strstr(all.text, element) && !strstr(all.text, alone))
      print_error("no scene in scenes/mapping, instrument, collision or fluid has a %s\n", cls->name), missing++;
    dv_free(element);
    dv_free(alone);
  }
  assert_int_equal(missing, 0);
  dv_divan_destroy(&c);
  dv_text_free(&all);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_table_is_that_of_the_registry),
                                     cmocka_unit_test(every_mapping_has_a_scene)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

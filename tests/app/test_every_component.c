// Every component stands in some scene of scenes/: who looks for an example of a name finds one there (grep -r), and
// what runs all scenes runs all components.
#include "support/check.h"

#include "app/divan.h"
#include "base/file.h"
#include "object/context.h"

#include <ftw.h>
#include <string.h>

// Made by contact managers, not written in scenes.
static const char *const made[] = {"UnilateralLagrangianConstraint", "AugmentedLagrangianConstraint"};

static dvText all;

static int add_scene(const char *path, const struct stat *info, int kind, struct FTW *place)
{
  DV_UNUSED(info);
  DV_UNUSED(place);
  const bool scene = dv_ends_with_nocase(path, ".scn") || dv_ends_with_nocase(path, ".xml");   // which scenes include
  if (kind != FTW_F || !scene) return 0;
  char *text = dv_file_read(path, NULL);
  if (!text) return 1;
  dv_text_add(&all, text);
  dv_free(text);
  return 0;
}

static bool stands_there(const char *name)
{
  const size_t length = strlen(name);
  for (const char *at = all.text; (at = strstr(at, name)); at += length)
    if (at > all.text && at[-1] == '<' && strchr(" />\n", at[length])) return true;
  return false;
}

static bool is_made(const char *name)
{
  for (size_t i = 0; i < DV_COUNT(made); i++)
    if (strcmp(name, made[i]) == 0) return true;
  return false;
}

static void every_component_has_a_scene(void **state)
{
  DV_UNUSED(state);
  dvText missing = {0};
  dvContext *context = dv_divan_create(1);
  assert_int_equal(nftw(DIVAN_SOURCE_DIR "/scenes", add_scene, 16, FTW_PHYS), 0);
  assert_true(all.length > 0);
  for (size_t i = 0; i < context->registry.classes.count; i++) {
    const char *name = context->registry.classes.data[i]->name;
    if (!stands_there(name) && !is_made(name)) dv_text_printf(&missing, " %s", name);
  }
  if (missing.length) fail_msg("no scene in scenes/ has%s", missing.text);
  dv_text_free(&missing);
  dv_text_free(&all);
  dv_divan_destroy(&context);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_component_has_a_scene)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

// Every scene of tests/broken has one fault, named in its first comment: what `divan check` finds, what it proposes,
// and the repair. The fault is found, the proposal is made, and the repaired scene is clean.
#include "support/check.h"

#include "app/divan.h"
#include "app/lint.h"
#include "base/file.h"
#include "io/scene/scene_file.h"

#include <stdlib.h>
#include <string.h>

static dvText heard;
static void hear(void *user, const dvMessage *m)
{
  DV_UNUSED(user);
  if (m->level < DV_WARNING) return;
  dv_text_printf(&heard, "%s:%d: %s: %s\n    %s\n", m->place.file ? m->place.file : "", m->place.line,
                 m->path ? m->path : "", m->text, m->advice ? m->advice : "");
}

// errors and warnings of a scene; what they say is in `heard`
static int faults(const char *name, const char *text)
{
  dv_text_clear(&heard);
  dvContext *c = dv_divan_create(1);
  c->log.sink = hear;
  dvScene *s = NULL;
  dv_scene_parse(c, name, text, strlen(text), &s);
  if (s && dv_scene_init(s) == DV_OK) dv_scene_lint(s);
  int count = c->log.counts[DV_ERROR] + c->log.counts[DV_WARNING];
  dv_scene_destroy(&s);
  dv_divan_destroy(&c);
  return count;
}

// the value behind a key of the first comment, with its escapes undone; the caller frees it
static char *value_of(const char *text, const char *key)
{
  const char *start = strstr(text, key);
  assert_non_null(start);
  start += strlen(key);
  const char *end = start + strcspn(start, "\n");
  if (strncmp(end - 4, " -->", 4) == 0) end -= 4;
  dvText out = {0};
  dv_text_add(&out, "");
  for (const char *s = start; s < end;) {
    if (strncmp(s, "&lt;", 4) == 0) dv_text_add(&out, "<"), s += 4;
    else if (strncmp(s, "&gt;", 4) == 0) dv_text_add(&out, ">"), s += 4;
    else if (strncmp(s, "&amp;", 5) == 0) dv_text_add(&out, "&"), s += 5;
    else if (strncmp(s, "\\n", 2) == 0) dv_text_add(&out, "\n"), s += 2;
    else dv_text_add_n(&out, s++, 1);
  }
  return dv_text_take(&out);
}

static char *repaired(const char *scene, const char *fault, const char *repair, const char *missing_after)
{
  dvText out = {0};
  const char *at = *fault ? strstr(scene, fault) : strstr(scene, missing_after);
  assert_non_null(at);
  dv_text_add_n(&out, scene, (size_t)(at - scene));
  dv_text_add(&out, repair);
  dv_text_add(&out, at + strlen(fault));
  return dv_text_take(&out);
}

static void check_scene_file(const char *path)
{
  char *text = dv_file_read(path, NULL);
  assert_non_null(text);
  char *finds = value_of(text, "finds: "), *proposes = value_of(text, "proposes: "),
       *fault = value_of(text, "replace: "), *repair = value_of(text, "by: ");
  const char *scene = strstr(text, "-->\n") + 4;
  int count = faults(path, scene);
  if (count == 0 || !strstr(heard.text, finds) || !strstr(heard.text, proposes)) {
    print_error("%s: wanted '%s' with the proposal '%s', heard\n%s\n", path, finds, proposes,
                heard.text ? heard.text : "nothing");
    fail();
  }
  // something that was left out goes back in front of the end of its node's components
  char *clean =
      repaired(scene, fault, repair,
               strstr(scene, "    <FixedProjectiveConstraint") ? "    <FixedProjectiveConstraint" : "    <UniformMass");
  if (faults(path, clean) != 0) {
    print_error("%s: repaired, it still has\n%s\n", path, heard.text);
    fail();
  }
  dv_free(clean), dv_free(repair), dv_free(fault), dv_free(proposes), dv_free(finds), dv_free(text);
}

static void check_path(const char *path, void *user)
{
  DV_UNUSED(user);
  check_scene_file(path);
}

static void every_fault_is_found_and_its_repair_is_clean(void **state)
{
  DV_UNUSED(state);
  const int scenes = check_each_scene("tests/broken", check_path, NULL);
  dv_text_free(&heard);
  assert_true(scenes >= 100);
}

// what a scene is told to be absent must not exist
static void absent_components_are_absent(void **state)
{
  DV_UNUSED(state);
  dvContext *c = dv_divan_create(1);
  size_t names = 0;
  for (size_t i = 0; i < c->registry.absent.count; i++) {
    const char *at = c->registry.absent.data[i]->names, *word;
    size_t length;
    for (; dv_scan_word(&at, &word, &length); names++) {
      char *name = dv_strndup(word, length);
      if (dv_registry_find(&c->registry, name)) fail_msg("%s is said to be absent", name);
      assert_string_equal(dv_registry_absent_from(&c->registry, name), c->registry.absent.data[i]->module);
      dv_free(name);
    }
  }
  assert_true(names > 5);
  assert_null(dv_registry_absent_from(&c->registry, "MechanicalObject"));
  dv_divan_destroy(&c);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_fault_is_found_and_its_repair_is_clean),
                                     cmocka_unit_test(absent_components_are_absent)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

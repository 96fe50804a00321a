// Settings keep their fields; plugins, data directories and the collision pipeline say what they must.
#include "app/renames.h"
#include "control/settings/settings.h"
#include "support/check.h"
#include "support/scene.h"

#include <string.h>

typedef struct Load {
  dvContext *context;
  dvScene *scene;
  dvStatus status;
} Load;

static Load load(const char *text)
{
  Load l = {.context = dv_divan_create(1)};
  l.context->log.sink = NULL;   // the messages are expected
  l.status = dv_scene_parse(l.context, "test", text, strlen(text), &l.scene);
  if (l.status == DV_OK) l.status = dv_scene_init(l.scene);
  return l;
}

static void unload(Load *l)
{
  dv_scene_destroy(&l->scene);
  dv_divan_destroy(&l->context);
}

static void expect(const char *text, int warnings)
{
  Load l = load(text);
  assert_int_equal(l.status, DV_OK);
  assert_int_equal(l.context->log.counts[DV_WARNING], warnings);
  unload(&l);
}

static char *printed(const Load *l, const char *path, const char *field)
{
  dvText text = {0};
  dv_field_print(dv_object_field(check_find(l->scene, path), field), &text);
  return dv_text_take(&text);
}

static void check_printed(const Load *l, const char *path, const char *field, const char *wanted)
{
  char *text = printed(l, path, field);
  assert_string_equal(text, wanted);
  dv_free(text);
}

static void test_fields_are_kept(void **state)
{
  (void)state;
  Load l = load("<Node><VisualStyle name='style' displayFlags='showWireframe hideVisual'/>"
                "<InteractiveCamera name='camera' position='0 30 90' lookAt='0 30 0' fieldOfView='30'/>"
                "<SpotLight name='light' color='red' cutoff='25' position='1 2 3'/>"
                "<LocalMinDistance name='near' alarmDistance='0.3' contactDistance='0.2'/>"
                "<OglShader name='shader' vertFilename='a.vert'/></Node>");
  assert_int_equal(l.status, DV_OK);
  assert_int_equal(l.context->log.counts[DV_WARNING], 0);
  check_printed(&l, "style", "displayFlags", "showWireframe hideVisual");
  check_printed(&l, "camera", "position", "0 30 90");
  check_printed(&l, "camera", "zoomSpeed", "250");
  check_printed(&l, "light", "color", "1 0 0 1");
  check_printed(&l, "light", "exponent", "1");
  check_printed(&l, "near", "alarmDistance", "0.3");
  check_printed(&l, "near", "coneFactor", "0.5");
  check_printed(&l, "shader", "fileVertexShaders", "a.vert");
  unload(&l);
}

static void check_row(dvContext *c, const dvSettingRow *row)
{
  const dvClass *cls = dv_registry_find(&c->registry, row->name);
  assert_non_null(cls);
  assert_true(strlen(cls->help) > 5 && cls->module);
  dvObject *o = dv_object_create(c, cls, "", NULL);
  for (int k = 0; k < o->field_count; k++) {
    const dvFieldDesc *d = o->fields[k].desc;
    if (!*d->help) fail_msg("%s.%s has no help", row->name, d->name);
    for (int j = 0; j < k; j++)
      if (strcmp(d->name, o->fields[j].desc->name) == 0) fail_msg("%s has two fields %s", row->name, d->name);
  }
  dv_object_destroy(&o);
}

// every row makes an object, and has a sentence for it and for each of its fields
static void test_every_row(void **state)
{
  (void)state;
  static const dvSettingTable *const tables[] = {&dv_program_settings, &dv_viewer_settings, &dv_picture_settings,
                                                 &dv_shader_settings};
  dvContext *c = dv_divan_create(1);
  for (size_t t = 0; t < DV_COUNT(tables); t++) {
    assert_true(tables[t]->count > 0);
    for (size_t i = 0; i < tables[t]->count; i++) check_row(c, &tables[t]->rows[i]);
  }
  dv_divan_destroy(&c);
}

static void test_plugins(void **state)
{
  (void)state;
  expect("<Node><RequiredPlugin name='Sofa.Component.Visual'/><RequiredPlugin pluginName='SofaOpenglVisual "
         "SoftRobots'/></Node>",
         0);
  expect("<Node><RequiredPlugin pluginName='Sofa.Component.Mass NoSuchPlugin'/></Node>", 1);
  expect("<Node><RequiredPlugin name='NoSuchPlugin'/></Node>", 1);
  expect("<Node><RequiredPlugin name='any name' pluginName='Sofa.Component.Mass'/></Node>", 0);
  expect("<Node><RequiredPlugin pluginName='One Two'/></Node>", 2);
}

static void test_data_directories(void **state)
{
  (void)state;
  char *directory = check_mkdir();
  char *file = check_write(directory, "one.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  char *text =
      dv_format("<Node><OglModel name='m' filename='one.obj'/><AddDataRepository path='%s'/></Node>", directory);
  Load l = load(text);
  assert_int_equal(l.status, DV_OK);
  assert_int_equal(l.context->log.counts[DV_WARNING], 0);
  assert_int_equal(dv_state(check_find(l.scene, "m"))->count, 3);
  unload(&l);
  expect("<Node><AddDataRepository path='/no/such/directory'/></Node>", 1);
  dv_free(text);
  dv_free(file);
  check_rmdir(directory);
}

// a pipeline without what it needs says so, when there is something to find
static void test_pipeline_says_what_is_missing(void **state)
{
  (void)state;
  const char *one = "<MechanicalObject position='0 0 0'/><SphereCollisionModel/>";
  const char *rest = "<BruteForceBroadPhase/><BVHNarrowPhase/><MinProximityIntersection/>";
  char *single = dv_format("<Node><CollisionPipeline/><Node>%s</Node></Node>", one);
  char *pair = dv_format("<Node><CollisionPipeline/><Node>%s</Node><Node>%s</Node></Node>", one, one);
  char *unanswered = dv_format("<Node><CollisionPipeline/>%s<Node>%s</Node><Node>%s</Node></Node>", rest, one, one);
  char *complete = dv_format("<Node><CollisionPipeline/>%s<CollisionResponse/><Node>%s</Node><Node>%s</Node></Node>",
                             rest, one, one);
  char *without = dv_format("<Node><Node>%s</Node><Node>%s</Node></Node>", one, one);
  expect(single, 0);
  expect(pair, 1);
  expect(unanswered, 1);
  expect(complete, 0);
  expect(without, 0);
  expect("<Node><CollisionPipeline/><MechanicalObject/><SphereCollisionModel selfCollision='1'/></Node>", 1);
  dv_free(single);
  dv_free(pair);
  dv_free(unanswered);
  dv_free(complete);
  dv_free(without);
}

// what an old name stands for exists under one name only, and no name stands for itself
static void test_renames(void **state)
{
  (void)state;
  dvRegistry r = {0};
  dv_register_renames(&r);
  assert_true(r.renames.count > 50);
  for (size_t i = 0; i < r.renames.count; i++) {
    const dvRename *a = r.renames.data[i];
    assert_string_not_equal(a->old_name, a->name);
    assert_null(dv_registry_find_rename(&r, a->name));
    assert_ptr_equal(dv_registry_find_rename(&r, a->old_name), a);
  }
  assert_string_equal(dv_registry_find_rename(&r, "CGImplicit")->companion, "CGLinearSolver");
  dv_array_free(&r.renames);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_fields_are_kept),
      cmocka_unit_test(test_every_row),
      cmocka_unit_test(test_plugins),
      cmocka_unit_test(test_data_directories),
      cmocka_unit_test(test_pipeline_says_what_is_missing),
      cmocka_unit_test(test_renames),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

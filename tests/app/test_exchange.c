// Small components that hand values on: DataExchange, MeanComputation, MappedObject, MergeVisualModels,
// TextureInterpolation, PlasticMaterial, FileMessageHandlerComponent.
#include "support/check.h"

#include "base/file.h"
#include "base/text.h"
#include "divan/divan.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void silent(void *user, const divanMessage *m)
{
  DV_UNUSED(user);
  DV_UNUSED(m);
}

static dvScene *begin(dvContext *context, const char *text)
{
  divan_listen(context, silent, NULL);
  dvScene *scene = divan_parse(context, text, strlen(text));
  assert_non_null(scene);
  assert_int_equal(divan_init(scene), DIVAN_OK);
  return scene;
}

static const double *values(dvScene *scene, const char *path, const char *field, size_t count)
{
  size_t found;
  const double *x = divan_read(scene, path, field, &found);
  assert_non_null(x);
  assert_int_equal(found, count);
  return x;
}

static const char exchange[] =
    "<Node name='root' dt='0.1' gravity='0 -10 0'>"
    "<Node name='falling'><EulerExplicitSolver/><MechanicalObject name='dofs' position='0 0 0  1 0 0'/>"
    "<UniformMass totalMass='1'/></Node>"
    "<Node name='mean'><MechanicalObject name='a' position='9 9 9  9 9 9'/><MechanicalObject name='b' position='2 0 0  "
    "3 0 0'/><MeanComputation name='mean'/><MechanicalObject name='out' position='@mean.result' tags='MeanOutput'/>"
    "</Node><DataExchange template='vector&lt;Vec3d>' from='@falling/dofs.position' to='@mean/a.position'/></Node>";

// y = -0.1, -0.3 after one and two symplectic steps; the mean is taken before a step, the copy made after it
static void values_are_exchanged_after_steps(void **state)
{
  DV_UNUSED(state);
  dvContext *context = divan_create(1);
  dvScene *scene = begin(context, exchange);
  check_close(values(scene, "/mean/a", "position", 6)[1], 0, 0);
  check_close(values(scene, "/mean/mean", "result", 6)[0], 0.5 * (9 + 2), 1e-15);   // of the start, as the scene has it
  divan_step(scene, 0);
  check_close(values(scene, "/mean/a", "position", 6)[1], -0.1, 1e-15);
  check_close(values(scene, "/mean/mean", "result", 6)[1], 0, 1e-15);
  check_close(values(scene, "/mean/mean", "result", 6)[0], 1, 1e-15);
  divan_step(scene, 0);
  check_close(values(scene, "/mean/a", "position", 6)[1], -0.3, 1e-15);
  check_close(values(scene, "/mean/mean", "result", 6)[1], -0.05, 1e-15);
  check_close(values(scene, "/mean/out", "position", 6)[1], -0.05, 1e-15);
  check_close(values(scene, "/mean/out", "position", 6)[3], 2, 1e-15);
  divan_close(&scene);
  divan_destroy(&context);
}

// SOFA's mean m' = (m + sum) / 2 of two states at rest tends to twice the mean
static void mean_adds_as_sofa_does(void **state)
{
  DV_UNUSED(state);
  dvContext *context = divan_create(1);
  dvScene *scene = begin(context, "<Node name='root' compat='sofa'><MechanicalObject name='a' position='1 0 0'/>"
                                  "<MechanicalObject name='b' position='3 0 0'/><MeanComputation name='mean'/></Node>");
  const double expected[] = {3, 3.5, 3.75};
  check_close(values(scene, "/mean", "result", 3)[0], 2, 1e-15);
  for (int i = 0; i < 3; i++) {
    divan_step(scene, 0);
    check_close(values(scene, "/mean", "result", 3)[0], expected[i], 1e-15);
  }
  divan_close(&scene);
  divan_destroy(&context);
}

static void models_are_merged(void **state)
{
  DV_UNUSED(state);
  dvContext *context = divan_create(1);
  dvScene *scene =
      begin(context, "<Node name='root'><OglModel name='a' position='0 0 0 1 0 0 0 1 0' triangles='0 1 2'/>"
                     "<OglModel name='b' position='0 0 1 1 0 1 0 1 1 1 1 1' quads='0 1 3 2'/>"
                     "<Node name='m'><MergeVisualModels name='ab' nb='2' input1='@../a' input2='@../b'/>"
                     "</Node></Node>");
  char *quads = divan_get(scene, "/m/ab", "quads"), *triangles = divan_get(scene, "/m/ab", "triangles");
  assert_string_equal(quads, "3 4 6 5");
  assert_string_equal(triangles, "0 1 2");
  check_close(values(scene, "/m/ab", "position", 21)[20], 1, 0);
  divan_free(quads), divan_free(triangles);
  divan_close(&scene);
  divan_destroy(&context);
}

static void values_become_texture_coordinates(void **state)
{
  DV_UNUSED(state);
  dvContext *context = divan_create(1);
  dvScene *scene =
      begin(context, "<Node name='root'><TextureInterpolation template='Vec1' name='range' input_states='1 2 5'/>"
                     "<TextureInterpolation template='Vec1' name='manual' input_states='1 2 5' manual_scale='1' "
                     "max_value='10'/><TextureInterpolation template='Vec3' name='mean' input_states='1 2 3 4 5 6' "
                     "scalarField='0'/><TextureInterpolation template='Vec1' name='flat' "
                     "input_coordinates='1 7 3  2 7 5  1 7 4'/></Node>");
  static const struct {
    const char *path;
    size_t count;
    double uv[6];
  } wanted[] = {{"/range", 6, {0, 0, 0.25, 0, 1, 0}},
                {"/manual", 6, {0.1, 0, 0.2, 0, 0.5, 0}},
                {"/mean", 4, {0, 0, 1, 0}},
                {"/flat", 6, {0, 0, 1, 1, 0.5, 0}}};
  for (size_t i = 0; i < DV_COUNT(wanted); i++) {
    const double *uv = values(scene, wanted[i].path, "output_coordinates", wanted[i].count);
    for (size_t k = 0; k < wanted[i].count; k++) check_close(uv[k], wanted[i].uv[k], 1e-15);
  }
  divan_close(&scene);
  divan_destroy(&context);
}

static void mapped_objects_begin_where_the_state_above_is(void **state)
{
  DV_UNUSED(state);
  dvContext *context = divan_create(1);
  dvScene *scene = begin(context, "<Node name='root'><PlasticMaterial name='m' youngModulus='70'/><MechanicalObject "
                                  "template='Rigid3' position='1 2 3 0 0 0 1'/><Node name='n'><MappedObject "
                                  "name='points' template='Vec3'/></Node></Node>");
  check_close(values(scene, "/n/points", "position", 3)[2], 3, 0);
  char *young = divan_get(scene, "/m", "youngModulus");
  assert_string_equal(young, "70");
  divan_free(young);
  divan_close(&scene);
  divan_destroy(&context);
}

// nothing is written before the first step; then also what was told before
static void messages_go_to_a_file(void **state)
{
  DV_UNUSED(state);
  char folder[] = "/tmp/divan-messages-XXXXXX";
  assert_non_null(mkdtemp(folder));
  char *path = dv_path_join(folder, "messages.txt");
  char *text = dv_format("<Node name='root'><FileMessageHandlerComponent filename='%s'/><MechanicalObject "
                         "position='0 0 0' colour='red'/></Node>",
                         path);
  dvContext *context = divan_create(1);
  dvScene *scene = begin(context, text);
  assert_false(dv_file_exists(path));
  divan_step(scene, 0);
  divan_close(&scene);
  divan_destroy(&context);
  char *messages = dv_file_read(path, NULL);
  assert_non_null(messages);
  if (!strstr(messages, "warning") || !strstr(messages, "colour")) fail_msg("the file has: %s", messages);
  dv_free(messages), dv_free(text);
  unlink(path), rmdir(folder);
  dv_free(path);
}

static void bad_input_is_refused(void **state)
{
  DV_UNUSED(state);
  static const char *const wrong[] = {
      "<DataExchange from='@/a.position' to='@/b'/><MechanicalObject name='a'/>",
      "<DataExchange from='@a.position'/><MechanicalObject name='a'/>",
      "<DataExchange from='@a.position' to='@a.position'/><MechanicalObject name='a'/>",
      "<MeanComputation/>",
      "<MechanicalObject template='Rigid3'/><MeanComputation template='Vec3'/>",
      "<TextureInterpolation template='Vec1' name='t' input_states='1 2' manual_scale='1'/><OglModel "
      "texcoords='@t.output_coordinates' position='0 0 0'/>",
      "<MergeVisualModels/>",
      "<MergeVisualModels name='m' input1='@m'/>",
      "<FileMessageHandlerComponent/>",
  };
  for (size_t i = 0; i < DV_COUNT(wrong); i++) {
    dvContext *context = divan_create(1);
    divan_listen(context, silent, NULL);
    char *text = dv_format("<Node name='root'>%s</Node>", wrong[i]);
    dvScene *scene = divan_parse(context, text, strlen(text));
    if (scene && divan_init(scene) == DIVAN_OK) fail_msg("accepted: %s", wrong[i]);
    divan_close(&scene);
    divan_destroy(&context);
    dv_free(text);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(values_are_exchanged_after_steps),
                                     cmocka_unit_test(mean_adds_as_sofa_does),
                                     cmocka_unit_test(models_are_merged),
                                     cmocka_unit_test(values_become_texture_coordinates),
                                     cmocka_unit_test(mapped_objects_begin_where_the_state_above_is),
                                     cmocka_unit_test(messages_go_to_a_file),
                                     cmocka_unit_test(bad_input_is_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

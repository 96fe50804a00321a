// Rigid parts in a soft body: a bar with a rigid part stretches as its soft parts do, the stiffness of what stands on
// mapped points is in the matrix whole, rows that only measure change nothing, and parts that do not belong together
// are told.
#include "support/check.h"
#include "support/scene.h"

#include "base/file.h"

#include <string.h>

typedef struct Edit {
  const char *old, *new;
} Edit;

// the scene with some of its text replaced
static char *edited(const Edit *edits, size_t count)
{
  char *path = dv_format("%s/scenes/robot/rigid-part.scn", DIVAN_SOURCE_DIR), *text = dv_file_read(path, NULL);
  dv_free(path);
  assert_non_null(text);
  for (size_t i = 0; i < count; i++) {
    const char *at = strstr(text, edits[i].old);
    if (!at) fail_msg("%s does not stand in the scene", edits[i].old);
    char *next = dv_format("%.*s%s%s", (int)(at - text), text, edits[i].new, at + strlen(edits[i].old));
    dv_free(text);
    text = next;
  }
  return text;
}

static dvScene *bar(const Edit *edits, size_t count)
{
  char *text = edited(edits, count);
  dvScene *s = check_scene(text, 1);
  dv_free(text);
  return s;
}

// u = F L / (E A), L the soft cells alone
static void it_stretches_as_its_soft_parts_do(void **state)
{
  DV_UNUSED(state);
  static const Edit edits[] = {
      {"gravity=\"0 0 -9.81\"", "gravity=\"0 0 0\""},
      {"stiffness=\"50\"", "stiffness=\"0\""},
      {"<UniformMass", "<ConstantForceField indices=\"32-35\" totalForce=\"0.001 0 0\"/><UniformMass"}};
  dvScene *s = bar(edits, DV_COUNT(edits));
  check_steps(s, 800);
  const double modulus = 1e5, cell = 0.01, unit = 0.001 * cell / (modulus * cell * cell);   // of one cell
  check_close(check_value(s, "bar/all/points", DV_X, 3 * 32), 0.08 + 6 * unit, 1e-6 * unit);
  check_close(check_value(s, "bar/rigid/frame", DV_X, 0), 0.05 + 4 * unit, 1e-6 * unit);
  const dvReals *measured = dv_object_field(check_find(s, "bar/rigid/measured"), "delta")->value;
  assert_int_equal(measured->count, 6);
  check_close(measured->data[0], 4 * unit, 1e-6 * unit);
  for (int k = 1; k < 6; k++) check_close(measured->data[k], 0, 1e-6 * unit);
  check_close_scene(&s);
}

// a factorised matrix and products without one are the same system: nothing is missing, nothing counted twice
static void the_matrix_is_whole(void **state)
{
  DV_UNUSED(state);
  static const Edit both[] = {{"<FreeMotionAnimationLoop/>", "<DefaultAnimationLoop/>"},
                              {"<BlockGaussSeidelConstraintSolver tolerance=\"1e-9\"/>", ""},
                              {"<GenericConstraintCorrection/>", ""},
                              {"<PartialRigidificationConstraint name=\"measured\"/>", ""},
                              {"<SparseLDLSolver template=\"CompressedRowSparseMatrixd\"/>",
                               "<CGLinearSolver iterations=\"1000\" tolerance=\"1e-15\" threshold=\"1e-30\"/>"}};
  dvScene *direct = bar(both, DV_COUNT(both) - 1), *iterative = bar(both, DV_COUNT(both));
  check_steps(direct, 60), check_steps(iterative, 60);
  const double z = check_value(direct, "bar/all/points", DV_X, 3 * 32 + 2);
  assert_true(z < -0.02);   // it hangs
  for (size_t i = 0; i < 36 * 3; i++)
    check_close(check_value(direct, "bar/all/points", DV_X, i), check_value(iterative, "bar/all/points", DV_X, i),
                1e-9);
  check_close_scene(&direct), check_close_scene(&iterative);
}

// the pipe holds the bar up a little
static void a_pipe_stiffens(void **state)
{
  DV_UNUSED(state);
  static const Edit none[] = {{"stiffness=\"50\"", "stiffness=\"0\""}};
  dvScene *with = bar(NULL, 0), *without = bar(none, 1);
  check_steps(with, 400), check_steps(without, 400);
  double a = check_value(with, "bar/all/points", DV_X, 3 * 32 + 2),
         b = check_value(without, "bar/all/points", DV_X, 3 * 32 + 2);
  assert_true(a > b + 1e-5);
  check_close_scene(&with), check_close_scene(&without);
}

static void rows_that_measure_change_nothing(void **state)
{
  DV_UNUSED(state);
  static const Edit none[] = {{"<PartialRigidificationConstraint name=\"measured\"/>", ""}};
  dvScene *with = bar(NULL, 0), *without = bar(none, 1);
  check_steps(with, 50), check_steps(without, 50);
  for (size_t i = 0; i < 7; i++)
    check_close(check_value(with, "bar/rigid/frame", DV_X, i), check_value(without, "bar/rigid/frame", DV_X, i), 1e-15);
  check_close_scene(&with), check_close_scene(&without);
}

static void what_does_not_belong_together_is_told(void **state)
{
  DV_UNUSED(state);
  static const Edit bad[] = {
      {"rigidMapping=\"@rigid/held/mapping\" ", ""},
      {"rigidMapping=\"@rigid/held/mapping\"", "rigidMapping=\"@all/pipe/mapping\""},
      {"object2=\"@rigid/frame\"", "object2=\"@soft/points\""},
      {"mappedForceField=\"@all/fem\"", "mappedForceField=\"@all/pipe/springs\""},
      {"mappedForceField=\"@all/pipe/springs\"", "mappedForceField=\"@all/fem\""},
      {"barycentricMapping=\"@all/pipe/mapping\" ", ""},
      {"barycentricMapping=\"@all/pipe/mapping\"", "barycentricMapping=\"@nowhere\""},
  };
  for (size_t i = 0; i < DV_COUNT(bad); i++) {
    char *text = edited(&bad[i], 1);
    dvContext *context = dv_divan_create(1);
    dvScene *scene = NULL;
    dvStatus status = dv_scene_parse(context, "test.scn", text, strlen(text), &scene);
    if (status == DV_OK) status = dv_scene_init(scene);
    if (status == DV_OK) fail_msg("%s passed", bad[i].new);
    dv_scene_destroy(&scene);
    dv_divan_destroy(&context);
    dv_free(text);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(it_stretches_as_its_soft_parts_do),
                                     cmocka_unit_test(the_matrix_is_whole), cmocka_unit_test(a_pipe_stiffens),
                                     cmocka_unit_test(rows_that_measure_change_nothing),
                                     cmocka_unit_test(what_does_not_belong_together_is_told)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

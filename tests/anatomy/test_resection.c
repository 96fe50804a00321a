// Parts of cut tetrahedra and their volumes; beams that end where they are cut, also by a cut that does not go through;
// procedures: what a file says, steps, warnings, score, report, reset and restored snapshots; the resection to its end.
#include "support/check.h"
#include "support/scene.h"

#include "anatomy/procedure_file.h"
#include "base/file.h"
#include "divan/divan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// --- parts and vessels -----------------------------------------------------------------------------

// a bar of 6 x 1 x 1 with a line of beams along it, and another across; `blade` comes at 0.1 s
static dvScene *bar(dvContext *context, const char *directory, const char *blade)
{
  char *file = check_write(directory, "blade.txt", blade);
  char *text = dv_format(
      "<Node dt='0.02' gravity='0 0 0'><DefaultAnimationLoop/><Node name='Bar'><EulerImplicitSolver/><CGLinearSolver "
      "iterations='50' tolerance='1e-9' threshold='1e-30'/><RegularGridTopology name='grid' n='7 3 3' min='0 -0.5 "
      "-0.5' "
      "max='6 0.5 0.5'/><Node name='cells'><TetrahedronSetTopologyContainer name='all' position='@../grid.position'/>"
      "<TetrahedronSetTopologyModifier/><Hexa2TetraTopologicalMapping input='@../grid' output='@all'/></Node>"
      "<TetrahedronSetTopologyContainer name='tetrahedra' position='@grid.position' "
      "tetrahedra='@cells/all.tetrahedra'/>"
      "<TetrahedronSetTopologyModifier/><TetrahedronSetGeometryAlgorithms/><MechanicalObject name='dofs' "
      "topology='@tetrahedra'/><DiagonalMass massDensity='1' topology='@tetrahedra'/>"
      "<TetrahedralCorotationalFEMForceField topology='@tetrahedra' youngModulus='1000' poissonRatio='0.3' "
      "method='large'/><TopologicalChangeProcessor topology='@tetrahedra' filename='%s'/>"
      "<MeshParts name='parts' topology='@tetrahedra'/>"
      "<Node name='line'><MechanicalObject name='frames' template='Rigid3' position='0.3 0.1 0.2 0 0 0 1  1.7 0.1 0.2 "
      "0 0 "
      "0 1  3.2 0.1 0.2 0 0 0 1  4.6 0.1 0.2 0 0 0 1  5.8 0.1 0.2 0 0 0 1  4.6 -0.4 0.2 0 0 0.70710678 0.70710678'/>"
      "<EdgeSetTopologyContainer name='beams' edges='0 1 1 2 2 3 3 4 5 3'/><EdgeSetTopologyModifier/>"
      "<BarycentricMapping input='@../dofs' output='@frames'/><BeamFEMForceField radius='0.02 0.02 0.02 0.02 0.01' "
      "youngModulus='1e5' poissonRatio='0.3'/><VesselCutter name='cutter' "
      "organ='@../tetrahedra'/></Node></Node></Node>",
      file);
  dvScene *scene = divan_parse(context, text, strlen(text));
  assert_non_null(scene);
  assert_int_equal(divan_init(scene), DIVAN_OK);
  dv_free(text);
  dv_free(file);
  return scene;
}

static void steps(dvScene *scene, int n)
{
  for (int i = 0; i < n; i++) assert_int_equal(divan_step(scene, 0), DIVAN_OK);
}

static double real_of(dvScene *scene, const char *path, const char *field, size_t index)
{
  size_t count;
  const double *x = divan_read(scene, path, field, &count);
  assert_non_null(x);
  assert_true(index < count);
  return x[index];
}

static int int_of(dvScene *scene, const char *path, const char *field)
{
  char *text = divan_get(scene, path, field);
  assert_non_null(text);
  int value = (int)strtol(text, NULL, 10);
  divan_free(text);
  return value;
}

static const char through[] = "T= 0.1\n  SWEEP= 2\n2.43 9 -9  2.43 -9 -9  2.43 9 9  2.43 -9 9\n";
static const char half_way[] = "T= 0.1\n  SWEEP= 2\n2.43 9 -9  2.43 -0.2 -9  2.43 9 9  2.43 -0.2 9\n";

static void a_cut_parts_the_volume_and_the_beam(void **state)
{
  DV_UNUSED(state);
  char *d = check_mkdir();
  dvContext *context = divan_create(1);
  dvScene *scene = bar(context, d, through);
  assert_int_equal(int_of(scene, "/Bar/parts", "parts"), 1);
  check_close(real_of(scene, "/Bar/parts", "remaining", 0), 6, 1e-12);
  assert_int_equal(int_of(scene, "/Bar/line/cutter", "beams"), 5);
  steps(scene, 10);
  assert_int_equal(int_of(scene, "/Bar/parts", "parts"), 2);
  check_close(real_of(scene, "/Bar/parts", "remaining", 0), 6 - 2.43, 1e-9);   // the larger side
  check_close(real_of(scene, "/Bar/parts", "resected", 0), 2.43, 1e-9);
  check_close(real_of(scene, "/Bar/parts", "volumes", 1), 2.43, 1e-9);
  check_close(real_of(scene, "/Bar/parts", "removed", 0), 0, 1e-9);
  // of the five beams the one from 1.7 to 3.2 crosses the blade
  assert_int_equal(int_of(scene, "/Bar/line/cutter", "cut"), 1);
  size_t count;
  const int32_t *edges = divan_read_ints(scene, "/Bar/line/beams", "edges", &count);
  assert_int_equal(count, 8);
  for (size_t i = 0; i < count; i += 2) assert_false(edges[i] == 1 && edges[i + 1] == 2);
  divan_close(&scene);
  divan_destroy(&context);
  check_rmdir(d);
}

static void a_cut_half_way_ends_the_beam_too(void **state)
{
  DV_UNUSED(state);
  char *d = check_mkdir();
  dvContext *context = divan_create(1);
  dvScene *scene = bar(context, d, half_way);
  steps(scene, 10);
  assert_int_equal(int_of(scene, "/Bar/parts", "parts"), 1);
  check_close(real_of(scene, "/Bar/parts", "remaining", 0), 6, 1e-9);
  assert_int_equal(int_of(scene, "/Bar/line/cutter", "cut"), 1);
  assert_int_equal(int_of(scene, "/Bar/line/cutter", "beams"), 4);
  divan_close(&scene);
  divan_destroy(&context);
  check_rmdir(d);
}

static void reset_and_snapshots_bring_it_back(void **state)
{
  DV_UNUSED(state);
  char *d = check_mkdir();
  dvContext *context = divan_create(1);
  dvScene *scene = bar(context, d, through);
  steps(scene, 2);
  size_t length;
  void *before = divan_snapshot(scene, &length);
  steps(scene, 10);
  uint64_t hash = divan_hash(scene);
  assert_int_equal(divan_restore_snapshot(scene, before, length), DIVAN_OK);
  assert_int_equal(int_of(scene, "/Bar/parts", "parts"), 1);
  assert_int_equal(int_of(scene, "/Bar/line/cutter", "cut"), 0);
  check_close(real_of(scene, "/Bar/parts", "remaining", 0), 6, 1e-12);
  steps(scene, 10);
  assert_true(divan_hash(scene) == hash);
  divan_reset(scene);
  assert_int_equal(int_of(scene, "/Bar/parts", "parts"), 1);
  steps(scene, 12);
  assert_int_equal(int_of(scene, "/Bar/line/cutter", "cut"), 1);
  assert_true(divan_hash(scene) == hash);
  divan_free(before);
  divan_close(&scene);
  divan_destroy(&context);
  check_rmdir(d);
}

static void components_without_what_they_need_say_so(void **state)
{
  DV_UNUSED(state);
  static const char *const scenes[] = {
      "<Node><MeshParts/></Node>",
      "<Node><VesselCutter/></Node>",
      "<Node><Procedure/></Node>",
      "<Node><Procedure filename='nowhere.txt'/></Node>",
      "<Node><MechanicalObject position='0 0 0 1 0 0'/><MeshTopology edges='0 1'/><MeshParts/></Node>",
  };
  for (size_t i = 0; i < DV_COUNT(scenes); i++) {
    dvContext *context = divan_create(1);
    divan_listen(context, NULL, NULL);
    dvScene *scene = divan_parse(context, scenes[i], strlen(scenes[i]));
    assert_int_equal(divan_init(scene), DIVAN_INPUT);
    divan_close(&scene);
    divan_destroy(&context);
  }
}

// --- procedures ------------------------------------------------------------------------------------

static void mistakes_in_files_are_told(void **state)
{
  DV_UNUSED(state);
  static const struct {
    const char *text, *why;
    int line;
  } cases[] = {
      {"", "there is no step", 0},
      {"title A\nstp Do it\n", "did you mean 'step'", 2},
      {"step Do it\n", "has no 'until'", 1},
      {"step Do it\nuntil x > 1\n", "x", 1},
      {"until 1\n", "until belongs below a step", 1},
      {"step A\nuntil 1\nwarning B\nhint c\n", "hint belongs below a step", 4},
      {"step A\nuntil 1\nuntil 2\n", "a second until", 3},
      {"step\n", "what is to be done", 1},
      {"measure a\nstep A\nuntil 1\n", "a name and a field", 1},
      {"measure time /a.b\n", "cannot be the name", 1},
      {"measure a /a.b\nmeasure a /a.c\n", "two measures", 2},
      {"measure a /a\n", "names no field", 1},
      {"measure a /a.b[x]\n", "no place in a list", 1},
      {"step A\nuntil 1\nwarning B\nwhen 1\ncost much\n", "cost needs a number", 5},
      {"step A\nuntil 1\nscore 1 +\n", "1 +", 0},
  };
  for (size_t i = 0; i < DV_COUNT(cases); i++) {
    dvProcedure p;
    dvText why = {0};
    int line = -1;
    assert_int_equal(dv_procedure_read(&p, cases[i].text, &line, &why), DV_ERROR_INPUT);
    if (!strstr(why.text, cases[i].why) || line != cases[i].line)
      print_error("case %zu: line %d, '%s'\n", i, line, why.text);
    assert_non_null(strstr(why.text, cases[i].why));
    assert_int_equal(line, cases[i].line);
    dv_procedure_free(&p);
    dv_text_free(&why);
  }
}

// a point that falls: y = -5 t^2 about; one warning comes twice, since it goes away in between
static const char falling[] = "title Falling   # a comment\n"
                              "measure y /Ball/dofs.position[1]\n"
                              "measure count /Ball/dofs.position[99]\n"
                              "step Fall a metre\n  hint wait\n  until y < -1\n"
                              "step Fall ten\n until (y < -10) * (elapsed > 0.5)\n"
                              "warning Between one and two\n when (y < -1) * (y > -2) + (y < -8)*(y > -9)\n cost 2.5\n"
                              "warning Never, since there is no such number\n when count < 1\n cost 1000\n"
                              "score 100 - cost - warnings - steps\n";

static void a_procedure_is_followed(void **state)
{
  DV_UNUSED(state);
  char *d = check_mkdir(), *file = check_write(d, "fall.txt", falling);
  char *text = dv_format("<Node dt='0.01' gravity='0 -10 0'><DefaultAnimationLoop/><Node name='Ball'>"
                         "<EulerExplicitSolver/><MechanicalObject name='dofs'/><UniformMass totalMass='1'/></Node>"
                         "<Procedure name='game' filename='%s' reportFile='%s/report.txt'/></Node>",
                         file, d);
  dvContext *context = divan_create(1);
  divan_listen(context, NULL, NULL);
  dvScene *scene = divan_parse(context, text, strlen(text));
  assert_int_equal(divan_init(scene), DIVAN_OK);
  for (int round = 0; round < 2; round++) {
    char *say = divan_get(scene, "/game", "instruction");
    assert_string_equal(say, "Step 1 of 2: Fall a metre");
    divan_free(say);
    steps(scene, 46);   // y = -5 t (t + dt), -1 after 0.45 s
    assert_int_equal(int_of(scene, "/game", "step"), 2);
    assert_int_equal(int_of(scene, "/game", "warnings"), 1);
    check_close(real_of(scene, "/game", "score", 0), 100 - 2.5 - 1 - 1, 1e-12);
    steps(scene, 120);
    assert_int_equal(int_of(scene, "/game", "done"), 1);
    assert_int_equal(int_of(scene, "/game", "warnings"), 2);
    check_close(real_of(scene, "/game", "score", 0), 100 - 5 - 2 - 2, 1e-12);
    say = divan_get(scene, "/game", "report");
    assert_non_null(strstr(say, "Falling\n1. Fall a metre: done at 0.45 s\n2. Fall ten: done at 1.4"));
    assert_non_null(strstr(say, "warning: Between one and two: 2 times, cost 5"));
    assert_null(strstr(say, "Never"));
    assert_non_null(strstr(say, "score 91"));
    char *path = dv_format("%s/report.txt", d), *written = dv_file_read(path, NULL);
    assert_string_equal(written, say);
    dv_free(written);
    dv_free(path);
    divan_free(say);
    divan_reset(scene);
  }
  dv_free(text);
  divan_close(&scene);
  divan_destroy(&context);
  dv_free(file);
  check_rmdir(d);
}

static void the_resection_is_played_to_its_end(void **state)
{
  DV_UNUSED(state);
  uint64_t hash = 0;
  for (int threads = 1; threads <= 3; threads += 2) {
    dvContext *context = divan_create(threads);
    divan_listen(context, NULL, NULL);
    dvScene *scene = divan_load(context, DIVAN_SOURCE_DIR "/scenes/anatomy/resection/scene.scn");
    assert_int_equal(divan_init(scene), DIVAN_OK);
    double volume = real_of(scene, "/Body/liver/parts", "remaining", 0);
    steps(scene, 120);
    assert_int_equal(int_of(scene, "/game", "done"), 1);
    assert_int_equal(int_of(scene, "/game", "warnings"), 0);
    check_close(real_of(scene, "/Body/liver/parts", "remaining", 0) +
                    real_of(scene, "/Body/liver/parts", "resected", 0),
                volume, 1e-12 * volume);
    assert_true(real_of(scene, "/Body/liver/parts", "resected", 0) > 1e-4);
    assert_true(int_of(scene, "/Body/liver/portal/cutter", "cut") > 0);
    if (hash) assert_true(hash == divan_hash(scene));
    hash = divan_hash(scene);
    divan_close(&scene);
    divan_destroy(&context);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_cut_parts_the_volume_and_the_beam), cmocka_unit_test(a_cut_half_way_ends_the_beam_too),
      cmocka_unit_test(reset_and_snapshots_bring_it_back),   cmocka_unit_test(components_without_what_they_need_say_so),
      cmocka_unit_test(mistakes_in_files_are_told),          cmocka_unit_test(a_procedure_is_followed),
      cmocka_unit_test(the_resection_is_played_to_its_end),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

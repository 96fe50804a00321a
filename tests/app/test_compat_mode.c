// The switch for SOFA's mistakes: option, attribute, environment, fields that go before it, what is told, and that
// every case has its derivation.
#include "both.h"
#include "support/command.h"

#include "app/lint.h"
#include "base/file.h"
#include "divan/divan.h"

#include <ctype.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>

#define BODY(attributes)                                                                                      \
  "<Node " attributes " dt='0.01' gravity='0 -10 0'><BDFOdeSolver name='ode' order='2'/><CGLinearSolver "     \
  "iterations='50' tolerance='1e-14' threshold='1e-300'/><NewtonRaphsonSolver/><MechanicalObject name='mo'/>" \
  "<UniformMass totalMass='1'/></Node>"

static bool keeps_history(const dvScene *s)
{
  return *(const bool *)dv_object_field(check_find((dvScene *)s, "ode"), "keepHistory")->value;
}

// the mode of a scene read in a context that may have chosen one
static dvScene *read_in(dvContext *context, const char *text)
{
  dvScene *s = NULL;
  dv_scene_parse(context, "mode.scn", text, strlen(text), &s);
  dv_scene_init(s);
  return s;
}

static void the_choice_goes_before_the_scene_and_that_before_the_environment(void **state)
{
  DV_UNUSED(state);
  static const struct {
    const char *choice, *variable, *scene;
    bool right;
  } cases[] = {
      {NULL, NULL, BODY(""), true},
      {NULL, NULL, BODY("compat='sofa'"), false},
      {NULL, NULL, BODY("compat='SOFA'"), false},
      {NULL, NULL, BODY("compat='none'"), true},
      {NULL, "sofa", BODY(""), false},
      {NULL, "sofa", BODY("compat='none'"), true},
      {NULL, "none", BODY("compat='sofa'"), false},
      {"sofa", NULL, BODY(""), false},
      {"sofa", NULL, BODY("compat='none'"), false},
      {"none", "sofa", BODY("compat='sofa'"), true},
  };
  for (size_t i = 0; i < DV_COUNT(cases); i++) {
    if (cases[i].variable) setenv("DIVAN_COMPAT", cases[i].variable, 1);
    dvContext *c = dv_divan_create(1);
    if (cases[i].choice) assert_int_equal(divan_set_compat(c, cases[i].choice), DIVAN_OK);
    dvScene *s = read_in(c, cases[i].scene);
    assert_int_equal(c->log.worst, DV_OK);
    if (keeps_history(s) != cases[i].right) print_error("case %zu\n", i);
    assert_int_equal(keeps_history(s), cases[i].right);
    check_close_scene(&s);
    unsetenv("DIVAN_COMPAT");
  }
}

static void unknown_modes_are_refused(void **state)
{
  DV_UNUSED(state);
  dvContext *c = dv_divan_create(1);
  c->log.threshold = DV_ERROR + 1;
  assert_int_equal(divan_set_compat(c, "ansys"), DIVAN_USAGE);
  dvScene *s = NULL;
  const char *text = BODY("compat='ansys'");
  assert_int_equal(dv_scene_parse(c, "mode.scn", text, strlen(text), &s), DV_ERROR_INPUT);
  check_close_scene(&s);
  setenv("DIVAN_COMPAT", "ansys", 1);
  c = dv_divan_create(1);
  c->log.threshold = DV_ERROR + 1;
  text = BODY("");
  assert_int_equal(dv_scene_parse(c, "mode.scn", text, strlen(text), &s), DV_ERROR_INPUT);
  unsetenv("DIVAN_COMPAT");
  check_close_scene(&s);
}

// scenes of one context keep their modes, and what a host program builds has one too
static void scenes_side_by_side_keep_their_modes(void **state)
{
  DV_UNUSED(state);
  dvContext *c = divan_create(1);
  dvScene *one = read_in(c, BODY("compat='sofa'")), *two = read_in(c, BODY(""));
  dvObject *ode = check_find(one, "ode");
  assert_int_equal(ode->cls->init(ode), DV_OK);
  assert_false(keeps_history(one));
  assert_true(keeps_history(two));
  divan_close(&one);
  divan_close(&two);
  divan_set_compat(c, "sofa");
  dvScene *built = divan_new(c);
  assert_int_equal(divan_add(built, "/", "MechanicalObject", "mo"), DIVAN_OK);
  assert_int_equal(divan_set(built, "/mo", "rest_position", "1 0 0 2 0 0"), DIVAN_OK);
  assert_int_equal(divan_init(built), DIVAN_OK);
  check_close(divan_read(built, "/mo", "position", NULL)[3], 0, 0);
  divan_close(&built);
  divan_destroy(&c);
}

static void a_node_below_the_root_has_no_mode(void **state)
{
  DV_UNUSED(state);
  dvContext *c = dv_divan_create(1);
  c->log.threshold = DV_ERROR + 1;
  dvScene *s = read_in(c, "<Node><Node compat='sofa'><BDFOdeSolver name='ode' order='2'/><CGLinearSolver "
                          "iterations='9' tolerance='1e-9' threshold='1e-9'/><NewtonRaphsonSolver/>"
                          "<MechanicalObject/><UniformMass totalMass='1'/></Node></Node>");
  assert_int_equal(c->log.counts[DV_WARNING], 1);
  assert_true(*(const bool *)dv_object_field(check_find(s, "default2/ode"), "keepHistory")->value);
  check_close_scene(&s);
}

// a field that the scene sets stays and nothing is told of it
static void fields_go_before_the_mode(void **state)
{
  DV_UNUSED(state);
#define CUBE "<RegularGridTopology name='grid' n='2 2 2' min='0 0 0' max='1 1 1'/><MechanicalObject name='mo'/>"
  static const struct {
    const char *scene, *field;
    dvCompatId id;
  } cases[] = {
      {"<Node>" CUBE "<MeshMatrixMass name='c' exact='%d'/></Node>", "exact", DV_COMPAT_MESH_MATRIX_MASS},
      {"<Node>" CUBE "<HexahedralFEMForceField name='c' singlePrecision='%d'/></Node>", "singlePrecision",
       DV_COMPAT_HEXAHEDRAL_SINGLE},
      {"<Node><MechanicalObject name='mo' template='Rigid3'/><UniformMass name='c' gyroscopic='%d' vertexMass='1 1 [1 "
       "0 "
       "0,0 2 0,0 0 3]'/></Node>",
       "gyroscopic", DV_COMPAT_GYROSCOPIC},
      {"<Node><Node name='B'><MechanicalObject name='mo'/></Node><MechanicalObject name='mo'/>"
       "<AttachProjectiveConstraint name='c' object1='@mo' object2='@B/mo' indices1='0' indices2='0' "
       "holdSecond='%d'/></Node>",
       "holdSecond", DV_COMPAT_ATTACH_ROWS},
      {"<Node><BDFOdeSolver name='c' order='2' keepHistory='%d'/><CGLinearSolver iterations='9' tolerance='1e-9' "
       "threshold='1e-9'/><NewtonRaphsonSolver/><MechanicalObject/><UniformMass totalMass='1'/></Node>",
       "keepHistory", DV_COMPAT_BDF_HISTORY},
      {"<Node><MechanicalObject name='mo'/><Node name='D'><MechanicalObject template='Vec1'/>"
       "<DistanceFromTargetMapping name='c' indices='0' targetPositions='1 1 1' singlePrecision='%d'/></Node></Node>",
       "singlePrecision", DV_COMPAT_TARGET_SINGLE},
  };
  for (size_t i = 0; i < DV_COUNT(cases); i++)
    for (int value = 0; value < 2; value++)
      for (int sofa = 0; sofa < 2; sofa++) {
        char *text = dv_format(cases[i].scene, value);
        dvScene *s = sofa ? check_scene_as_sofa(text, 1) : check_scene(text, 1);
        const dvObject *c = check_find(s, strstr(text, "name='D'") ? "D/c" : "c");
        assert_int_equal(*(const bool *)dv_object_field(c, cases[i].field)->value, value);
        assert_false(dv_compat_touched(c, cases[i].id));
        check_close_scene(&s);
        dv_free(text);
      }
}

// --- attributes ----------------------------------------------------------------------------------

static double real_of(dvScene *s, const char *field)
{
  return *(const double *)dv_object_field(check_find(s, "ff"), field)->value;
}

#define SPRINGS(attributes)                                                                                 \
  "<Node><RegularGridTopology n='2 2 2' min='0 0 0' max='1 1 1'/><MechanicalObject/><MeshSpringForceField " \
  "name='ff' " attributes "/></Node>"

// `stiffness` stands for those of lines, triangles and more
static void a_single_field_goes_before_a_name_for_several(void **state)
{
  DV_UNUSED(state);
  static const char *const scenes[] = {
      SPRINGS("stiffness='50' linesStiffness='400' trianglesStiffness='400'"),
      SPRINGS("trianglesStiffness='400' linesStiffness='400' stiffness='50'"),
  };
  for (int i = 0; i < 2; i++) {
    Both b = open_both(scenes[i], "ff", DV_COMPAT_ATTRIBUTE_ORDER);
    check_close(real_of(b.mode[RIGHT], "linesStiffness"), 400, 0);
    check_close(real_of(b.mode[SOFA], "linesStiffness"), 50, 0);
    for (int mode = 0; mode < 2; mode++) {
      check_close(real_of(b.mode[mode], "trianglesStiffness"), 400, 0);
      check_close(real_of(b.mode[mode], "quadsStiffness"), 50, 0);
      b.mode[mode]->context->log.threshold = DV_ERROR + 1;
      b.mode[mode]->context->log.counts[DV_WARNING] = 0;
      dv_scene_lint(b.mode[mode]);
      assert_true(b.mode[mode]->context->log.counts[DV_WARNING] > 0);
    }
    close_both(&b);
  }
  // where both modes agree there is no case
  dvScene *s = check_scene(SPRINGS("stiffness='50' trianglesStiffness='400'"), 1);
  assert_false(dv_compat_touched(check_find(s, "ff"), DV_COMPAT_ATTRIBUTE_ORDER));
  check_close_scene(&s);
}

static void whole_numbers_may_have_an_exponent(void **state)
{
  DV_UNUSED(state);
  Both b = open_both("<Node><CGLinearSolver name='cg' iterations='1e4'/></Node>", "cg", DV_COMPAT_WHOLE_EXPONENT);
  assert_int_equal(*(const int32_t *)dv_object_field(check_find(b.mode[RIGHT], "cg"), "iterations")->value, 10000);
  assert_int_equal(*(const int32_t *)dv_object_field(check_find(b.mode[SOFA], "cg"), "iterations")->value, 1);
  close_both(&b);
}

// --- what is told --------------------------------------------------------------------------------

typedef struct Heard {
  int notes;
  char *last;
} Heard;

static void listen(void *user, const dvMessage *m)
{
  Heard *h = user;
  if (m->level != DV_NOTE) return;
  h->notes++;
  dv_free(h->last);
  h->last = dv_strdup(m->text);
}

static void each_case_is_told_once(void **state)
{
  DV_UNUSED(state);
  Both b =
      open_both("<Node><Node name='A'><MechanicalObject template='Rigid3'/><UniformMass name='m' vertexMass='1 1 [1 "
                "0 0,0 2 0,0 0 3]'/></Node><Node name='B'><MechanicalObject template='Rigid3'/><UniformMass "
                "vertexMass='1 1 [1 0 0,0 2 0,0 0 3]'/></Node></Node>",
                "A/m", DV_COMPAT_GYROSCOPIC);
  for (int mode = 0; mode < 2; mode++) {
    Heard h = {0};
    b.mode[mode]->context->log.sink = listen;
    b.mode[mode]->context->log.user = &h;
    b.mode[mode]->context->log.threshold = DV_NOTE;
    assert_int_equal(dv_scene_tell_compat(b.mode[mode], true), 1);
    assert_int_equal(h.notes, 1);
    const dvCompatCase *c = &dv_compat_cases[DV_COMPAT_GYROSCOPIC];
    char *wanted = mode == RIGHT ? dv_format("differs from SOFA on purpose (%s, 2 components): %s; --compat sofa for "
                                             "SOFA's: %s",
                                             c->name, c->right, c->wrong)
                                 : dv_format("as SOFA (%s, 2 components): %s; without --compat sofa: %s", c->name,
                                             c->wrong, c->right);
    assert_string_equal(h.last, wanted);
    dv_free(wanted);
    dv_free(h.last);
  }
  close_both(&b);
}

static void the_command_has_the_option(void **state)
{
  DV_UNUSED(state);
  char *directory = check_mkdir(), *plain = check_write(directory, "plain.scn", BODY("")),
       *sofa = check_write(directory, "sofa.scn", BODY("compat='sofa'")),
       *wrong = check_write(directory, "wrong.scn", BODY("compat='ansys'"));
  check_command(0, "differs from SOFA on purpose (bdf-history)", "%s run %s -n 1 2>&1", DIVAN_BINARY, plain);
  check_command(0, "as SOFA (bdf-history)", "%s run %s -n 1 --compat sofa 2>&1", DIVAN_BINARY, plain);
  check_command(0, "as SOFA (bdf-history)", "%s run %s -n 1 2>&1", DIVAN_BINARY, sofa);
  check_command(0, "differs from SOFA on purpose (bdf-history)", "%s check %s --compat none 2>&1", DIVAN_BINARY, sofa);
  check_command(0, "as SOFA (bdf-history)", "DIVAN_COMPAT=sofa %s check %s 2>&1", DIVAN_BINARY, plain);
  check_command(2, "there are none, sofa", "%s run %s -n 1 --compat ansys 2>&1", DIVAN_BINARY, plain);
  check_command(2, "--compat needs a value: --compat MODE", "%s run %s --compat 2>&1", DIVAN_BINARY, plain);
  check_command(4, "there are none, sofa", "%s run %s -n 1 2>&1", DIVAN_BINARY, wrong);
  check_command(4, "DIVAN_COMPAT", "DIVAN_COMPAT=ansys %s run %s -n 1 2>&1", DIVAN_BINARY, plain);
  check_command(0, "keepHistory (bool) = 1, 0 with compat sofa (bdf-history)", "%s info BDFOdeSolver", DIVAN_BINARY);
  check_command(0, "hexa-inertia:", "%s info HexahedronFEMForceFieldAndMass", DIVAN_BINARY);
  check_command(0, "compat=\"sofa\"", "%s convert %s %s/out.scn >/dev/null && cat %s/out.scn", DIVAN_BINARY, sofa,
                directory, directory);
  char *out = NULL;   // notes can be switched off
  assert_int_equal(check_shell(&out, "%s run %s -n 1 --quiet 2>&1", DIVAN_BINARY, plain), 0);
  assert_null(strstr(out, "SOFA"));
  free(out);
  dv_free(plain), dv_free(sofa), dv_free(wrong);
  check_rmdir(directory);
}

// --- the table -----------------------------------------------------------------------------------

// the row of the document: name, components, what is right, what SOFA does
static char *row_of(const dvCompatCase *c)
{
  dvText names = {0};
  const char *at = c->components, *word;
  for (size_t n; dv_scan_word(&at, &word, &n);) {
    if (names.length) dv_text_add(&names, ", ");
    dv_text_add_n(&names, word, n);
  }
  char *row = dv_format("\n| [%s](#%s) | %s | %s | %s | ", c->name, c->name, names.length ? names.text : "all",
                        c->right, c->wrong);
  dv_text_free(&names);
  return row;
}

static void every_case_is_complete_and_derived(void **state)
{
  DV_UNUSED(state);
  size_t length;
  char *path = dv_format("%s/docs/differences.md", DIVAN_SOURCE_DIR), *text = dv_file_read(path, &length);
  assert_non_null(text);
  dvContext *context = dv_divan_create(1);
  for (int i = 0; i < DV_COMPAT_COUNT; i++) {
    const dvCompatCase *c = &dv_compat_cases[i];
    assert_non_null(c->name);
    assert_true(c->components && c->since && c->wrong && c->right && *c->since && *c->wrong && *c->right);
    for (const char *s = c->name; *s; s++) assert_true(islower((unsigned char)*s) || *s == '-');
    char *heading = dv_format("\n### %s\n", c->name), *row = row_of(c);
    if (!strstr(text, heading)) print_error("docs/differences.md has no heading ### %s\n", c->name);
    assert_non_null(strstr(text, heading));
    if (!strstr(text, row)) print_error("the table of docs/differences.md has no row %s\n", row);
    assert_non_null(strstr(text, row));
    for (int k = 0; k < i; k++) assert_string_not_equal(c->name, dv_compat_cases[k].name);
    // a field belongs to components that have it, and its default is not SOFA's value
    const char *at = c->components, *word;
    for (size_t n; dv_scan_word(&at, &word, &n);) {
      char *name = dv_strndup(word, n);
      const dvClass *cls = dv_registry_find(&context->registry, name);
      if (!cls) print_error("%s: there is no %s\n", c->name, name);
      assert_non_null(cls);
      assert_string_equal(cls->name, name);
      dv_free(name);
      if (!c->field) continue;
      dvObject *sample = dv_object_create(context, cls, "", cls->dofs ? dv_dof(DV_VEC3) : NULL);
      assert_non_null(dv_object_field(sample, c->field));
      assert_string_not_equal(dv_object_field(sample, c->field)->desc->initial, c->sofa);
      dv_object_destroy(&sample);
    }
    dv_free(heading), dv_free(row);
  }
  // and there is no heading without a case
  for (const char *s = text; (s = strstr(s, "\n### ")); s++) {
    size_t n = strcspn(s + 5, "\n");
    bool found = false;
    for (int i = 0; i < DV_COMPAT_COUNT; i++)
      found = found || (strlen(dv_compat_cases[i].name) == n && strncmp(dv_compat_cases[i].name, s + 5, n) == 0);
    if (!found) print_error("### %.*s is no case of object/compat.c\n", (int)n, s + 5);
    assert_true(found);
  }
  dv_divan_destroy(&context);
  dv_free(text);
  dv_free(path);
}

// --- every case has a test -----------------------------------------------------------------------

static void note_cases(const char *path, bool *tested)
{
  char *text = dv_file_read(path, NULL);
  assert_non_null(text);
  for (int i = 0; i < DV_COMPAT_COUNT; i++) {
    char *id = dv_format("DV_COMPAT_%s", dv_compat_cases[i].name);
    for (char *c = id; *c; c++) *c = *c == '-' ? '_' : (char)toupper((unsigned char)*c);
    size_t n = strlen(id);
    for (const char *at = text; !tested[i] && (at = strstr(at, id)); at += n)
      tested[i] = !isalnum((unsigned char)at[n]) && at[n] != '_';
    dv_free(id);
  }
  dv_free(text);
}

// Tests name the case that they are about (open_both of app/both.h takes it, and opens the scene in both modes).
static void every_case_has_a_test(void **state)
{
  DV_UNUSED(state);
  bool tested[DV_COMPAT_COUNT] = {0};
  char *pattern = dv_format("%s/tests/*/test_*.c", DIVAN_SOURCE_DIR);
  glob_t found;
  assert_int_equal(glob(pattern, 0, NULL, &found), 0);
  for (size_t i = 0; i < found.gl_pathc; i++) note_cases(found.gl_pathv[i], tested);
  globfree(&found);
  dv_free(pattern);
  int missing = 0;
  for (int i = 0; i < DV_COMPAT_COUNT; i++)
    if (!tested[i]) print_error("%s has no test\n", dv_compat_cases[i].name), missing++;
  assert_int_equal(missing, 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_case_has_a_test),
      cmocka_unit_test(the_choice_goes_before_the_scene_and_that_before_the_environment),
      cmocka_unit_test(unknown_modes_are_refused),
      cmocka_unit_test(scenes_side_by_side_keep_their_modes),
      cmocka_unit_test(a_node_below_the_root_has_no_mode),
      cmocka_unit_test(fields_go_before_the_mode),
      cmocka_unit_test(a_single_field_goes_before_a_name_for_several),
      cmocka_unit_test(whole_numbers_may_have_an_exponent),
      cmocka_unit_test(each_case_is_told_once),
      cmocka_unit_test(the_command_has_the_option),
      cmocka_unit_test(every_case_is_complete_and_derived),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

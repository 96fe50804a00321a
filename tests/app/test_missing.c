// Scenes with components that do not exist: refused, or read without them; and warnings that count as errors.
#include "support/check.h"
#include "support/command.h"

#include "base/file.h"
#include "base/text.h"

#include <divan/divan.h>
#include <string.h>

static const char scene[] =
    "<Node name='root' dt='0.01'><DefaultAnimationLoop/>\n"
    "<EulerImplicitSolver/><CGLinearSolver iterations='20' tolerance='1e-9' threshold='1e-9'/>\n"
    "<Thingamajig name='thing'/>\n"
    "<Node name='a'><CudaVisualModel name='interp'/></Node>\n"
    "<Node name='b'><CudaVisualModel name='interp'/>\n"
    "<MechanicalObject name='dofs' position='0 0 0' velocity='@interp.speeds'/><UniformMass totalMass='1'/></Node>\n"
    "<Node name='c'><MechanicalObject/><IdentityMapping name='map' input='@../b/interp' output='@.'/>\n"
    "<IdentityMapping input='@map' output='@.'/></Node></Node>\n";

static char *directory;

static int set_up(void **state)
{
  DV_UNUSED(state);
  directory = check_mkdir();
  return 0;
}

static int tear_down(void **state)
{
  DV_UNUSED(state);
  check_rmdir(directory);
  return 0;
}

static char *written(const char *name, const char *text)
{
  char *path = dv_path_join(directory, name);
  FILE *f = fopen(path, "w");
  assert_non_null(f);
  assert_true(fputs(text, f) >= 0 && fclose(f) == 0);
  return path;
}

static int times(const char *text, const char *part)
{
  int n = 0;
  for (; (text = strstr(text, part)); text += strlen(part)) n++;
  return n;
}

static void each_name_is_told_once(void **state)
{
  DV_UNUSED(state);
  char *path = written("unknown.scn", scene), *out;
  assert_int_equal(check_shell(&out, "%s check %s 2>&1", DIVAN_BINARY, path), 3);
  assert_int_equal(times(out, "unknown component: CudaVisualModel\n    and 1 more like it\n"), 1);
  assert_int_equal(times(out, "unknown component: "), 2);
  assert_non_null(strstr(out, "unknown component: Thingamajig\n"));
  assert_non_null(strstr(out, "3 errors"));   // and that @map is no state
  dv_free(out), dv_free(path);
}

static void the_rest_runs_without_them(void **state)
{
  DV_UNUSED(state);
  static const char *const verbs[] = {"run -n 3", "check", "run -n 3 --quiet"};
  char *path = written("skipped.scn", scene), *out;
  for (size_t i = 0; i < DV_COUNT(verbs); i++) {
    assert_int_equal(check_shell(&out, "%s %s --skip-missing %s 2>&1", DIVAN_BINARY, verbs[i], path), 0);
    assert_int_equal(times(out, "left out: 2 x CudaVisualModel (SofaCUDA)\n"), 1);
    assert_int_equal(times(out, "left out: 1 x Thingamajig (unknown)\n"), 1);
    // what links to them, and what links to that
    assert_int_equal(times(out, "left out: 2 x IdentityMapping (it needs what was left out)\n"), 1);
    assert_int_equal(times(out, "velocity=\"@interp.speeds\" leads to no component: it keeps its default\n"), 1);
    assert_null(strstr(out, "error: "));
    dv_free(out);
  }
  // another mistake stays one
  char *bad = written("bad.scn", "<Node><Thingamajig/><MechanicalObject position='a b c'/></Node>");
  check_command(4, "left out: 1 x Thingamajig", "%s check --skip-missing %s", DIVAN_BINARY, bad);
  dv_free(bad), dv_free(path);
}

static void count_left_out(void *user, const divanMessage *m)
{
  if (m->level == 2 && strstr(m->text, "left out: ")) ++*(int *)user;
}

static void a_host_program_can_ask_for_it(void **state)
{
  DV_UNUSED(state);
  for (int skip = 0; skip < 2; skip++) {
    int count = 0;
    dvContext *c = divan_create(1);
    divan_listen(c, count_left_out, &count);
    divan_set_skip_missing(c, skip);
    dvScene *s = divan_parse(c, scene, strlen(scene));
    assert_int_equal(divan_init(s), skip ? DIVAN_OK : DIVAN_UNKNOWN_COMPONENT);
    assert_int_equal(count, skip ? 3 : 0);
    if (skip) assert_int_equal(divan_step(s, 0), DIVAN_OK);
    divan_close(&s);
    divan_destroy(&c);
  }
}

static void warnings_can_count_as_errors(void **state)
{
  DV_UNUSED(state);
  static const struct {
    const char *components, *told;
  } cases[] = {
      {"<MechanicalObject position='0 0 0  1 0'/><UniformMass/>", "do not make whole groups"},
      {"<MechanicalObject position='0 0 0'/><UniformMass totalMass='-1'/>", "is negative"},
      {"<MechanicalObject position='0 0 0'/><UniformMass totalMass='1'/><FixedProjectiveConstraint indices='7'/>",
       "entry 0 is 7"},
      {"<MechanicalObject position='0 0 0' velocity='@nobody.speeds'/><UniformMass totalMass='1'/>", "leads to no"},
      {"<MechanicalObject position='0 0 0' colour='red'/><UniformMass totalMass='1'/>",
       "has no field 'colour'; it is ignored"},
  };
  for (size_t i = 0; i < DV_COUNT(cases); i++) {
    char *text = dv_format("<Node><DefaultAnimationLoop/><EulerExplicitSolver/>%s</Node>", cases[i].components),
         *path = written("strict.scn", text);
    check_command(0, "warning: ", "%s run -n 1 %s", DIVAN_BINARY, path);
    check_command(0, cases[i].told, "%s run -n 1 %s", DIVAN_BINARY, path);
    check_command(4, cases[i].told, "%s run -n 1 --strict %s", DIVAN_BINARY, path);
    check_command(4, cases[i].told, "%s check --strict %s", DIVAN_BINARY, path);
    check_command(4, "error: ", "%s check --strict %s", DIVAN_BINARY, path);
    dv_free(text), dv_free(path);
  }
  check_command(0, "no mistakes found", "%s check --strict %s/scenes/liver.scn", DIVAN_BINARY, DIVAN_SOURCE_DIR);
  // what was asked for is no mistake
  char *path = written("both.scn", "<Node><Thingamajig/></Node>");
  check_command(0, "left out", "%s check --strict --skip-missing %s", DIVAN_BINARY, path);
  check_command(3, "unknown component: Thingamajig", "%s check --strict %s", DIVAN_BINARY, path);
  dv_free(path);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_name_is_told_once),
      cmocka_unit_test(the_rest_runs_without_them),
      cmocka_unit_test(a_host_program_can_ask_for_it),
      cmocka_unit_test(warnings_can_count_as_errors),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}

// The command: exit codes, messages, dumps, series, figures.
#include "support/check.h"
#include "support/command.h"

#include "base/file.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

static void check_run(int status, const char *contains, const char *arguments)
{
  check_command(status, contains, "%s %s", DIVAN_BINARY, arguments);
}

static void verbs_and_help(void **state)
{
  DV_UNUSED(state);
  check_run(2, "usage", "");
  check_run(0, "examples", "--help");
  check_run(0, "divan 0.", "--version");
  check_run(2, "did you mean 'run'", "rnu");
  check_run(0, "examples", "run --help");
  check_run(0, "example", "check --help");
  check_run(0, "example", "convert --help");
  check_run(2, "name a scene", "run");
  check_run(2, "needs a number", "run x.scn -n many");
  check_run(2, "unknown option", "run x.scn --fast");
  check_run(4, "cannot be read", "run nowhere.scn");
  check_run(0, "poissonRatio", "info TetrahedralCorotationalFEMForceField");
  check_run(0, "Vec3d", "info TetrahedralCorotationalFEMForceField");
  check_run(3, "did you mean UniformMass", "info UniformMas");
  check_run(0, "UniformMass", "list mass");
}

static void a_run_leaves_dumps_series_and_figures(void **state)
{
  DV_UNUSED(state);
  char *directory = check_mkdir(), *out;
  int status = check_shell(&out, DIVAN_BINARY " run %s/scenes/liver.scn -n 4 --threads 1 --hash --out %s/series --every 2 --dump-state %s/dump --dump-topology %s/topology --stats %s/stats.json",
                     DIVAN_SOURCE_DIR, directory, directory, directory, directory);
  if (status != 0) print_error("%s\n", out);
  assert_int_equal(status, 0);
  assert_non_null(strstr(out, "4 steps in"));
  assert_non_null(strstr(out, "hash "));
  const char *const files[] = {"series/mechanics.pvd", "series/visual.pvd", "series/mechanics_00002.vtu", "dump/states.json", "dump/0_dofs.txt",
                               "topology/topologies.json", "stats.json"};
  for (size_t i = 0; i < DV_COUNT(files); i++) {
    char *path = dv_path_join(directory, files[i]);
    if (!dv_file_exists(path)) print_error("%s is missing\n", files[i]);
    assert_true(dv_file_exists(path));
    dv_free(path);
  }
  char *path = dv_path_join(directory, "dump/states.json"), *json = dv_file_read(path, NULL);
  assert_non_null(strstr(json, "\"path\":\"/Liver/dofs\",\"name\":\"dofs\",\"template\":\"Vec3d\",\"mapped\":false,\"simulated\":true"));
  assert_non_null(strstr(json, "\"path\":\"/Liver/Spheres/centres\""));
  assert_non_null(strstr(json, "\"mapped\":true"));
  dv_free(json), dv_free(path);
  path = dv_path_join(directory, "stats.json"), json = dv_file_read(path, NULL);
  assert_non_null(strstr(json, "\"ms_per_step\":"));
  assert_non_null(strstr(json, "\"step/integrate/solve\""));
  dv_free(json), dv_free(path), dv_free(out);
  check_rmdir(directory);
}

static void mistakes_give_their_exit_code(void **state)
{
  DV_UNUSED(state);
  char *directory = check_mkdir();
  const struct {
    const char *scene;
    int status;
    const char *contains;
  } cases[] = {
      {"<Node><MecanicalObject/></Node>", 3, "unknown component: MecanicalObject"},
      {"<Node><MeshGmshLoader filename='mesh/nothing.msh'/></Node>", 4, "nothing.msh"},
      {"<Node><MeshGmshLoader filename='nothing.msh'/><Nonsense/></Node>", 3, "unknown component: Nonsense"},
      {"<Node><MechanicalObject position='@nobody.position'/></Node>", 4, "nobody"},
      {"<Node><MechanicalObject/><FixedProjectiveConstraint indices='0 7'/></Node>", 0, "7"},
      {"<Node><EulerImplicitSolver/><MechanicalObject/></Node>", 4, "linear solver"},
      {"<Node><include href='self.scn'/></Node>", 4, "includes itself"},
      {"<Node dt='1' gravity='0 0 0'><EulerExplicitSolver/><MechanicalObject position='0 0 0 1.5 0 0'/><UniformMass vertexMass='1'/>"
       "<SpringForceField spring='0 1 1e9 0 1'/></Node>", 5, "diverged in step"},
  };
  for (size_t i = 0; i < DV_COUNT(cases); i++) {
    char *path = check_write(directory, "self.scn", cases[i].scene), *arguments = dv_format("run %s -n 200", path);
    check_run(cases[i].status, cases[i].contains, arguments);
    dv_free(arguments);
    if (cases[i].status != 5) {
      arguments = dv_format("check %s", path);
      check_run(cases[i].status, cases[i].contains, arguments);
      dv_free(arguments);
    }
    dv_free(path);
  }
  check_rmdir(directory);
}

static void converting_twice_gives_the_same_bytes(void **state)
{
  DV_UNUSED(state);
  char *directory = check_mkdir(), *out;
  assert_int_equal(check_shell(&out, DIVAN_BINARY " convert %s/scenes/liver.scn %s/a.scn", DIVAN_SOURCE_DIR, directory), 0);
  dv_free(out);
  assert_int_equal(check_shell(&out, DIVAN_BINARY " convert %s/a.scn %s/b.scn", directory, directory), 0);
  dv_free(out);
  char *a = dv_path_join(directory, "a.scn"), *b = dv_path_join(directory, "b.scn");
  char *first = dv_file_read(a, NULL), *second = dv_file_read(b, NULL);
  assert_string_equal(first, second);
  dv_free(first), dv_free(second), dv_free(a), dv_free(b);
  check_rmdir(directory);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(verbs_and_help),
      cmocka_unit_test(a_run_leaves_dumps_series_and_figures),
      cmocka_unit_test(mistakes_give_their_exit_code),
      cmocka_unit_test(converting_twice_gives_the_same_bytes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

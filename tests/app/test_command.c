// The command: exit codes, messages, dumps, series, figures.
#include "support/check.h"
#include "support/command.h"

#include "base/file.h"
#include "base/text.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

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
  check_run(0, "example", "validate --help");
  check_run(2, "name a scene", "run");
  check_run(2, "needs a number", "run x.scn -n many");
  check_run(2, "-n needs a whole number, not 10.5", "run x.scn -n 10.5");
  check_run(2, "--every needs a whole number", "run x.scn --every 1.5");
  check_run(2, "unknown option", "run x.scn --fast");
  check_run(2, "did you mean '--steps'?", "run x.scn --step 3");
  check_run(4, "did you mean " DIVAN_SOURCE_DIR "/scenes/liver.scn?", "run " DIVAN_SOURCE_DIR "/scenes/livr.scn");
  check_run(4, "a scene begins with <Node>", "run " DIVAN_SOURCE_DIR "/scenes/mesh/organ.msh");
  check_run(0, "there is no such directory", "check " DIVAN_SOURCE_DIR "/scenes/liver.scn --data /nowhere");
  check_run(4, "cannot be read", "run nowhere.scn");
  check_run(0, "poissonRatio", "info TetrahedralCorotationalFEMForceField");
  check_run(0, "Vec3d", "info TetrahedralCorotationalFEMForceField");
  check_run(3, "did you mean UniformMass", "info UniformMas");
  check_run(0, "UniformMass", "list mass");
  check_run(3, "no component has 'xyzzy' in its name, role or help", "list xyzzy");
}

static void every_verb_reads_the_same_table(void **state)
{
  DV_UNUSED(state);
  static const char *const verbs[] = {"run",   "view",  "check",    "info",       "list",   "convert",
                                      "sweep", "bench", "validate", "new-plugin", "anatomy"};
  char *directory = check_mkdir();
  for (size_t i = 0; i < DV_COUNT(verbs); i++) {
    check_command(2, "unknown option '--unheard-of'\ntry `divan ", "cd %s && %s %s --unheard-of a", directory,
                  DIVAN_BINARY, verbs[i]);
    check_command(0, "\nexamples:\n  divan ", "%s %s --help", DIVAN_BINARY, verbs[i]);
    if (i >= 7) continue;   // those that make a context
    check_command(0, "  --plugin-path DIR ", "%s %s --help", DIVAN_BINARY, verbs[i]);
    check_command(2, "unknown option '--plugin-pth'; did you mean '--plugin-path'?", "%s %s a --plugin-pth b",
                  DIVAN_BINARY, verbs[i]);
    check_command(2, "--plugin needs a value: --plugin NAME", "%s %s a --plugin", DIVAN_BINARY, verbs[i]);
    check_command(2, "--compat 'sfa' is not known", "%s %s a --compat sfa", DIVAN_BINARY, verbs[i]);
    check_command(2, "--threads needs a number", "%s %s a --threads many", DIVAN_BINARY, verbs[i]);
  }
  check_run(2, "did you mean '--steps'?", "run x.scn --step=3");
  check_run(2, "--hash takes no value", "run x.scn --hash=1");
  check_run(2, "unexpected argument 'c'", "view a b c");   // a second file is compared, or played
  check_run(0, "0 steps in", "run " DIVAN_SOURCE_DIR "/scenes/liver.scn --steps=0 --threads=1");
  check_rmdir(directory);
}

static void a_run_leaves_dumps_series_and_figures(void **state)
{
  DV_UNUSED(state);
  char *directory = check_mkdir(), *out;
  int status = check_shell(&out,
                           DIVAN_BINARY " run %s/scenes/liver.scn -n 4 --threads 1 --hash --out %s/series --every 2 "
                                        "--dump-state %s/dump --dump-topology %s/topology --stats %s/stats.json",
                           DIVAN_SOURCE_DIR, directory, directory, directory, directory);
  if (status != 0) print_error("%s\n", out);
  assert_int_equal(status, 0);
  assert_non_null(strstr(out, "4 steps in"));
  assert_non_null(strstr(out, "hash "));
  const char *const files[] = {"series/mechanics.pvd",
                               "series/visual.pvd",
                               "series/mechanics_00002.vtu",
                               "dump/states.json",
                               "dump/0_dofs.txt",
                               "topology/topologies.json",
                               "stats.json"};
  for (size_t i = 0; i < DV_COUNT(files); i++) {
    char *path = dv_path_join(directory, files[i]);
    if (!dv_file_exists(path)) print_error("%s is missing\n", files[i]);
    assert_true(dv_file_exists(path));
    dv_free(path);
  }
  char *path = dv_path_join(directory, "dump/states.json"), *json = dv_file_read(path, NULL);
  assert_non_null(strstr(
      json, "\"path\":\"/Liver/dofs\",\"name\":\"dofs\",\"template\":\"Vec3d\",\"mapped\":false,\"simulated\":true"));
  assert_non_null(strstr(json, "\"path\":\"/Liver/Spheres/centres\""));
  assert_non_null(strstr(json, "\"mapped\":true"));
  dv_free(json), dv_free(path);
  path = dv_path_join(directory, "stats.json"), json = dv_file_read(path, NULL);
  assert_non_null(strstr(json, "\"ms_per_step\":"));
  assert_non_null(strstr(json, "\"step/integrate/solve\""));
  dv_free(json), dv_free(path), dv_free(out);
  check_rmdir(directory);
}

// a node without a topology of its own is listed with the one above, as by SOFA's recorder
// numbers as people write them
static void slips_in_numbers_get_advice(void **state)
{
  DV_UNUSED(state);
  static const struct {
    const char *scene, *advice;
  } cases[] = {
      {"<Node dt='0,01'/>", "write a point: dt=\"0.01\""},
      {"<Node><MechanicalObject/><UniformMass totalMass='1kg'/></Node>",
       "write the number alone: totalMass=\"1\"; its unit is kg"},
      {"<Node><MechanicalObject/><UniformMass totalMass='much'/></Node>", "the default is totalMass=\"1\""},
      {"<Node><Gravity g='0 1 0'/><MechanicalObject/></Node>", "`divan info Gravity` shows its fields"},
  };
  char *d = check_mkdir();
  for (size_t i = 0; i < DV_COUNT(cases); i++) {
    char *scene = check_write(d, "slip.scn", cases[i].scene);
    check_command(i == 3 ? 0 : 4, cases[i].advice, DIVAN_BINARY " check %s", scene);
    dv_free(scene);
  }
  check_rmdir(d);
}

// as SOFA has them: one point, the first
static void states_that_are_left_out_are_listed(void **state)
{
  DV_UNUSED(state);
  char *d = check_mkdir(), *out;
  char *scene = check_write(d, "left-out.scn",
                            "<Node><EulerImplicitSolver/><CGLinearSolver/><MechanicalObject name='a' position='1 2 3'/>"
                            "<UniformMass/><Node activated='0'><MechanicalObject name='b' position='4 5 6 7 8 9' "
                            "velocity='@/a.position'/><MechanicalObject name='c' template='Rigid3d'/></Node>"
                            "<Node><MechanicalObject name='d' position='7 7 7'/></Node></Node>");
  check_command(0, NULL, DIVAN_BINARY " run %s -n 0 --dump-state %s/dump", scene, d);
  int status = check_shell(&out, "cd %s/dump && cat states.json 1_b.txt 2_c.txt 3_d.txt", d);
  assert_int_equal(status, 0);
  if (!strstr(out, "\"name\":\"b\",\"template\":\"Vec3d\",\"mapped\":false,\"simulated\":true,\"size\":1,") ||
      !strstr(out, "X= 4 5 6\n  V= 1 2 3\n") || !strstr(out, "X= 0 0 0 0 0 0 1\n  V= 0 0 0 0 0 0\n") ||
      !strstr(out, "X= 7 7 7\n"))
    fail_msg("%s", out);
  dv_free(out), dv_free(scene);
  check_rmdir(d);
}

static void each_node_shows_the_topology_it_finds(void **state)
{
  DV_UNUSED(state);
  char *directory = check_mkdir(), *out;
  char *scene = check_write(directory, "nodes.scn",
                            "<Node><Node name='none'/><Node name='a'><MeshTopology name='t' position='0 0 0 1 0 0' "
                            "edges='0 1'/><Node name='b'/></Node></Node>");
  assert_int_equal(check_shell(&out, DIVAN_BINARY " run %s -n 1 --dump-topology %s/dump", scene, directory), 0);
  char *path = dv_path_join(directory, "dump/topologies.json"), *json = dv_file_read(path, NULL);
  assert_string_equal(
      json, "[\n {\"index\":0,\"path\":\"/a/t\",\"name\":\"t\",\"file\":\"0_t.txt\",\"elements\":\"0_t.json\"},"
            "\n {\"index\":1,\"path\":\"/a/t\",\"name\":\"t\",\"file\":\"0_t.txt\",\"elements\":\"0_t.json\"}\n]\n");
  dv_free(json), dv_free(path);
  path = dv_path_join(directory, "dump/0_t.txt"), json = dv_file_read(path, NULL);
  assert_string_equal(json, "0 1 0 0 0 0\n1 1 0 0 0 0\n");
  dv_free(json), dv_free(path), dv_free(scene), dv_free(out);
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
      {"<Node><MechanicalObject position='@nobody.position'/></Node>", 0,
       "leads to no component: it keeps its default"},
      {"<Node><MechanicalObject/><Node><MechanicalObject/><IdentityMapping input='@nobody'/></Node></Node>", 4,
       "nobody"},
      {"<Node><MechanicalObject/><FixedProjectiveConstraint indices='0 7'/></Node>", 0, "7"},
      {"<Node><EulerImplicitSolver/><MechanicalObject/></Node>", 4, "linear solver"},
      {"<Node><include href='self.scn'/></Node>", 4, "includes itself"},
      {"<Node dt='1' gravity='0 0 0'><EulerExplicitSolver/><MechanicalObject position='0 0 0 1.5 0 0'/><UniformMass "
       "vertexMass='1'/>"
       "<SpringForceField spring='0 1 1e9 0 1'/></Node>",
       5, "diverged in step"},
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

// ends with 0 only when patch tests, orders and laws hold
static void finite_elements_agree_with_theory(void **state)
{
  DV_UNUSED(state);
#ifdef DV_CHECKING   // what the others compute has tests of its own; under checks of memory they take minutes
  check_run(0, "Patch tests", "validate --quick patches");
#else
  check_run(0, "Patch tests", "validate --quick");
#endif
  check_run(2, "unknown option '--fast'", "validate --fast");
  check_run(2, "give one of them", "validate --quick --full");
  check_run(4, "truthCylinder-Deformed.obj", "validate --quick /nowhere");
}

// an explicit integrator beyond its limit: what, where, when, why, and the state before
static void divergence_is_explained(void **state)
{
  DV_UNUSED(state);
  char *directory = check_mkdir();
  char *path = check_write(directory, "wild.scn",
                           "<Node dt='1' gravity='0 0 0'><Node name='A'><EulerExplicitSolver/><MechanicalObject "
                           "name='dofs' position='0 0 0 1.5 0 0'/><UniformMass vertexMass='1'/>"
                           "<SpringForceField name='springs' spring='0 1 1e9 0 1'/>"
                           "<ConstantForceField name='push' totalForce='0 3 0'/></Node></Node>");
  char *out;
  assert_int_equal(check_shell(&out, DIVAN_BINARY " run %s -n 200 --last-good %s/good", path, directory), 5);
  static const char *const parts[] = {"wild.scn:1: error: /A/dofs: diverged in step ",
                                      "of point ",
                                      "came from /A/springs",
                                      "N from /A/push",
                                      "stability limit",
                                      "the state after step"};
  for (size_t i = 0; i < DV_COUNT(parts); i++) {
    if (!strstr(out, parts[i])) print_error("'%s' is missing in:\n%s\n", parts[i], out);
    assert_non_null(strstr(out, parts[i]));
  }
  dv_free(out);
  char *dump = dv_path_join(directory, "good/0_dofs.txt"), *text = dv_file_read(dump, NULL);
  assert_non_null(text);
  assert_null(strstr(text, "nan"));
  assert_null(strstr(text, "inf"));
  dv_free(text), dv_free(dump), dv_free(path);
  path = check_write(
      directory, "inverted.scn",
      "<Node dt='0.1' gravity='0 0 0'><EulerExplicitSolver/><MeshTopology position='0 0 0 1 0 0 0 1 0 0 0 1' "
      "tetrahedra='0 1 2 3'/>"
      "<MechanicalObject name='dofs' position='0 0 0 1 0 0 0 1 0 0 0 1' velocity='0 0 0 0 0 0 0 0 0 0 0 "
      "-1'/><UniformMass totalMass='1'/>"
      "<TetrahedronFEMForceField name='block' youngModulus='2e6' poissonRatio='0.3' method='small'/></Node>");
  check_command(5, "1 tetrahedron is inverted, the first is number 0", DIVAN_BINARY " run %s -n 2000", path);
  dv_free(path);
  check_rmdir(directory);
}

static void converting_twice_gives_the_same_bytes(void **state)
{
  DV_UNUSED(state);
  char *directory = check_mkdir(), *out;
  assert_int_equal(check_shell(&out, DIVAN_BINARY " convert %s/scenes/liver.scn %s/a.scn", DIVAN_SOURCE_DIR, directory),
                   0);
  dv_free(out);
  assert_int_equal(check_shell(&out, DIVAN_BINARY " convert %s/a.scn %s/b.scn", directory, directory), 0);
  dv_free(out);
  char *a = dv_path_join(directory, "a.scn"), *b = dv_path_join(directory, "b.scn");
  char *first = dv_file_read(a, NULL), *second = dv_file_read(b, NULL);
  assert_string_equal(first, second);
  dv_free(first), dv_free(second), dv_free(a), dv_free(b);
  check_rmdir(directory);
}

// what is found beside the scene is found from the new place too
static void converting_to_another_directory(void **state)
{
  DV_UNUSED(state);
  char *directory = check_mkdir();
  check_command(0, NULL, "mkdir %s/sub && %s convert %s/scenes/liver.scn %s/sub/a.scn", directory, DIVAN_BINARY,
                DIVAN_SOURCE_DIR, directory);
  check_command(0, "2 steps", "%s run %s/sub/a.scn -n 2", DIVAN_BINARY, directory);
  check_command(0, "<!--", "sed -n 2p %s/sub/a.scn", directory);
  dv_free(check_write(directory, "sheet.off", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n"));
  dv_free(check_write(directory, "part.scn", "<Node><MeshOffLoader filename='sheet.off'/></Node>"));
  dv_free(check_write(directory, "b.scn",
                      "<Node><include href='part.scn'/><MeshOffLoader filename='./sub/../sheet.off'/><WriteState "
                      "filename='sheet.off'/></Node>"));
  check_command(0, NULL, "cd %s && %s convert b.scn sub/b.scn", directory, DIVAN_BINARY);
  check_command(0, "2", "grep -c 'OffLoader.*filename=.../sheet.off' %s/sub/b.scn", directory);
  check_command(0, "<WriteState filename=\"sheet.off\"/>", "cat %s/sub/b.scn", directory);
  check_command(2, "would be overwritten", "cd %s && %s convert b.scn sub/../b.scn", directory, DIVAN_BINARY);
  check_command(0, NULL, "cd %s && %s convert b.scn b.scn --force", directory, DIVAN_BINARY);
  check_command(2, "'.xyz' is not a format that meshes are written in; there are .obj",
                "%s convert %s/sheet.off %s/x.xyz", DIVAN_BINARY, directory, directory);
  check_command(0, "warning: fibre: values are left out", "%s convert %s/scenes/heart/ventricle.vtk %s/v.msh 2>&1",
                DIVAN_BINARY, DIVAN_SOURCE_DIR, directory);
  check_command(0, "0", "%s convert %s/scenes/heart/ventricle.vtk %s/v.vtu 2>&1 | grep -c left || true", DIVAN_BINARY,
                DIVAN_SOURCE_DIR, directory);
  check_command(4, "/no/a.scn: error: cannot be written: No such file", "%s convert %s/b.scn %s/no/a.scn", DIVAN_BINARY,
                directory, directory);
  check_rmdir(directory);
}

// a shorter run leaves no frames of a longer one, and no file goes that the series did not write
static void a_series_replaces_an_earlier_one(void **state)
{
  DV_UNUSED(state);
  char *directory = check_mkdir();
  dv_free(check_write(directory, "mechanics_00099.vtu", "of somebody else"));
  check_command(0, "6 frames", DIVAN_BINARY " run " DIVAN_SOURCE_DIR "/scenes/liver.scn -n 5 --out %s", directory);
  check_command(0, "note: removed 12 files of an earlier series",
                DIVAN_BINARY " run " DIVAN_SOURCE_DIR "/scenes/liver.scn -n 1 --out %s", directory);
  check_command(0,
                "mechanics.pvd mechanics_00000.vtu mechanics_00001.vtu mechanics_00099.vtu visual.pvd visual_00000.vtu "
                "visual_00001.vtu\n",
                "cd %s && echo *", directory);
  check_rmdir(directory);
}

// a mesh file by itself, and the same elements in a scene
static void meshes_are_checked(void **state)
{
  DV_UNUSED(state);
  char *directory = check_mkdir();
  dv_free(check_write(directory, "turned.off", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n"));
  dv_free(check_write(directory, "bad.off", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 7\n"));
  dv_free(check_write(directory, "two.vtk",
                      "# vtk DataFile Version 3.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 5 double\n0 0 0 1 0 0 0 "
                      "1 0 0 0 1 0 0 -1\n"
                      "CELLS 3 15\n4 0 1 2 3\n4 0 1 2 4\n4 0 1 2 2\nCELL_TYPES 3\n10 10 10\nCELL_DATA 3\nSCALARS young "
                      "float\n1 2 3\n"));
  dv_free(check_write(directory, "two.scn",
                      "<Node><MeshVTKLoader name='l' filename='two.vtk'/><MeshTopology src='@l'/></Node>"));
  static const struct {
    int status;
    const char *file, *says;
  } cases[] = {{0, "turned.off", "3 points, 1 triangle\n"},
               {0, "turned.off", "turned.off: an open surface, its border has 3 edges; manifold"},
               {4, "bad.off", "bad.off:6: error: an element names point 7"},
               {0, "two.vtk", "values 'young' of cells, 1 each"},
               {0, "two.vtk", "two.vtk: warning: 1 volumes are turned inside out; the first is number 1"},
               {0, "two.vtk", "1 volumes name a point twice; the first is number 2"},
               {0, "two.scn", "1 of 3 tetrahedra have no size at rest; the first is number 2"},
               {0, "two.scn", "1 of 3 tetrahedra are turned inside out at rest; the first is number 1"}};
  for (size_t i = 0; i < DV_COUNT(cases); i++) {
    char *arguments = dv_format("check %s/%s", directory, cases[i].file);
    check_run(cases[i].status, cases[i].says, arguments);
    dv_free(arguments);
  }
  check_rmdir(directory);
}

// the numbers of the last line of a file; how many there are
static int last_line(const char *directory, const char *name, double *out, int limit)
{
  char *path = dv_path_join(directory, name), *text = dv_file_read(path, NULL);
  if (!text) print_error("%s is missing\n", path);
  assert_non_null(text);
  size_t n = strlen(text);
  assert_true(n > 1);
  text[n - 1] = 0;
  const char *at = strrchr(text, '\n') + 1;
  int count = 0;
  while (count < limit && dv_scan_real(&at, &out[count])) count += 1, at += *at == ',';
  dv_free(path);
  dv_free(text);
  return count;
}

// a falling point: x = -g h^2 n (n + 1) / 2 with implicit Euler, kinetic energy m v^2 / 2, potential -m g.x
static void curves_of_a_fall(void **state)
{
  DV_UNUSED(state);
  char *directory = check_mkdir();
  char *scene = check_write(
      directory, "fall.scn",
      "<Node dt='0.1' gravity='0 -10 0'><EulerImplicitSolver/><CGLinearSolver iterations='10' tolerance='1e-12' "
      "threshold='1e-30'/><MechanicalObject name='ball' position='0 0 0'/><UniformMass totalMass='2'/></Node>");
  for (int csv = 0; csv < 2; csv++) {
    char *arguments = dv_format("run %s -n 10 --%s %s/out", scene, csv ? "csv" : "gnuplot", directory),
         *out = dv_format("%s/out", directory);
    check_run(0, "10 steps", arguments);
    double values[8];
    assert_int_equal(last_line(out, csv ? "ball_x.csv" : "ball_x.txt", values, 8), 4);
    check_close(values[0], 1, 1e-12);
    check_close(values[2], -5.5, 1e-9);
    assert_int_equal(last_line(out, csv ? "ball_v.csv" : "ball_v.txt", values, 8), 4);
    check_close(values[2], -10, 1e-9);
    assert_int_equal(last_line(out, csv ? "ball_Energy.csv" : "ball_Energy.txt", values, 8), 4);
    check_close(values[1], 100, 1e-8);
    check_close(values[2], -110, 1e-8);
    check_close(values[3], -10, 1e-8);
    dv_free(arguments);
    dv_free(out);
  }
  dv_free(scene);
  check_rmdir(directory);
}

// only the points that were asked for; states without them are left out, and a list that means nothing is refused
static void curves_of_some_points(void **state)
{
  DV_UNUSED(state);
  char *directory = check_mkdir(), *out = dv_format("%s/out", directory);
  char *scene = check_write(
      directory, "two.scn",
      "<Node gravity='0 0 0'><Node name='a'><MechanicalObject name='five' position='0 0 0 1 0 0 2 0 0 3 0 0 4 0 0'/>"
      "</Node><Node name='b'><MechanicalObject name='one' position='7 0 0'/></Node></Node>");
  char *arguments = dv_format("run %s -n 1 --csv %s --csv-points 1,3-9", scene, out);
  double values[20];
  check_run(0, "1 step", arguments);
  assert_int_equal(last_line(out, "five_x.csv", values, 20), 10);
  check_close(values[1], 1, 0);
  check_close(values[4], 3, 0);
  check_close(values[7], 4, 0);
  char *none = dv_format("%s/one_x.csv", out);
  assert_false(dv_file_exists(none));
  static const char *const wrong[] = {"x", "3-1", "-1", "1:2", "100", ","};
  for (size_t i = 0; i < DV_COUNT(wrong); i++) {
    char *bad = dv_format("run %s -n 1 --csv %s --csv-points=%s", scene, out, wrong[i]);
    check_run(4, "--csv-points", bad);
    dv_free(bad);
  }
  dv_free(none), dv_free(arguments), dv_free(scene), dv_free(out);
  check_rmdir(directory);
}

// told before the first step, with the cause; nothing is left behind
static void places_that_cannot_be_written_are_told_first(void **state)
{
  DV_UNUSED(state);
  char *directory = check_mkdir(), *file = check_write(directory, "file", "x"),
       *scene = check_write(directory, "never.scn", "not a scene");
  static const char *const files[] = {"--stats", "--step-times", "--profile"};
  static const char *const directories[] = {"--out",        "--gnuplot",   "--csv",
                                            "--dump-state", "--last-good", "--dump-topology"};
  for (size_t i = 0; i < DV_COUNT(files); i++) {
    check_command(4, "/no/f: error: cannot be written: No such file or directory", DIVAN_BINARY " run %s %s %s/no/f",
                  scene, files[i], directory);
    check_command(4, ": error: cannot be written: Is a directory", DIVAN_BINARY " run %s %s %s", scene, files[i],
                  directory);
  }
  for (size_t i = 0; i < DV_COUNT(directories); i++) {
    check_command(4, "file: error: cannot be written: Not a directory", DIVAN_BINARY " run %s %s %s", scene,
                  directories[i], file);
    check_command(4, "file/a/b: error: cannot be written: Not a directory", DIVAN_BINARY " run %s %s %s/a/b", scene,
                  directories[i], file);
    check_command(4, "a scene begins with <Node>", DIVAN_BINARY " run %s %s %s/a/b", scene, directories[i], directory);
  }
  check_command(4, "/no/f: error: cannot be written: No such file or directory", DIVAN_BINARY " bench --html %s/no/f",
                directory);
  check_command(4, ": error: cannot be written: Is a directory", DIVAN_BINARY " bench --json %s", directory);
  check_command(0, "file never.scn", "cd %s && echo *", directory);   // nothing else
  dv_free(file), dv_free(scene);
  check_rmdir(directory);
}

// sends a signal to a run that has written its third frame; its exit status
static int end_by_signal(const char *directory, int number)
{
  char *scene = dv_path_join(DIVAN_SOURCE_DIR, "scenes/liver.scn"), *out = dv_path_join(directory, "out"),
       *frame = dv_path_join(out, "mechanics_00003.vtu");
  char *curves = dv_path_join(directory, "curves");
  pid_t child = fork();
  if (child == 0) {
    execl(DIVAN_BINARY, "divan", "run", scene, "-n", "1000000", "--quiet", "--out", out, "--csv", curves, (char *)NULL);
    _exit(127);
  }
  int status = 0;
  while (!dv_file_exists(frame) && waitpid(child, &status, WNOHANG) == 0) usleep(1000);
  kill(child, number);
  assert_int_equal(waitpid(child, &status, 0), child);
  dv_free(scene), dv_free(out), dv_free(frame), dv_free(curves);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void signals_end_with_all_written(void **state)
{
  DV_UNUSED(state);
  static const int signals[] = {SIGINT, SIGTERM};
  for (int i = 0; i < 2; i++) {
    char *directory = check_mkdir();
    assert_int_equal(end_by_signal(directory, signals[i]), 128 + signals[i]);
    char *path = dv_path_join(directory, "curves/dofs_x.csv"), *text = dv_file_read(path, NULL);
    assert_int_equal(text[strlen(text) - 1], '\n');
    dv_free(text), dv_free(path);
    path = dv_path_join(directory, "out/mechanics.pvd"), text = dv_file_read(path, NULL);
    assert_non_null(strstr(text, "</VTKFile>"));
    dv_free(text), dv_free(path);
    check_rmdir(directory);
  }
}

static void time_of_writing_is_told_apart(void **state)
{
  DV_UNUSED(state);
  char *directory = check_mkdir();
  check_command(0, "; writing files 0.",
                DIVAN_BINARY " run " DIVAN_SOURCE_DIR "/scenes/liver.scn -n 3 --csv %s/curves --stats %s/stats.json",
                directory, directory);
  char *path = dv_path_join(directory, "stats.json"), *text = dv_file_read(path, NULL),
       *at = text ? strstr(text, "\"writing_s\":") : NULL;
  assert_non_null(at);
  assert_true(strtod(at + strlen("\"writing_s\":"), NULL) > 0);
  dv_free(text), dv_free(path);
  check_rmdir(directory);
}

// others see the command lines of this user's programs: what opens the browser gets a file that only he can read
static void the_token_stands_in_no_command_line(void **state)
{
  DV_UNUSED(state);
  char *d = check_mkdir(), *out;
  dv_free(check_write(d, "xdg-open",
                      "#!/bin/sh\necho \"$*\" > $PLACE/line\nstat -c %a \"$1\" >> $PLACE/line\n"
                      "cp \"$1\" $PLACE/way.part\nmv $PLACE/way.part $PLACE/way\n"));
  int status =
      check_shell(&out,
                  "cd %s && chmod +x xdg-open && export PLACE=%s XDG_RUNTIME_DIR=%s DISPLAY=:99 PATH=%s:$PATH; "
                  "%s view %s/scenes/liver.scn --port 0 --token 0123456789secret >address 2>&1 & p=$!; "
                  "for i in $(seq 200); do test -e %s/way && break; sleep 0.05; done; kill $p; wait $p; "
                  "cd %s; cat way; grep -c secret line; tail -1 line; ls *.html | wc -l",
                  d, d, d, d, DIVAN_BINARY, DIVAN_SOURCE_DIR, d, d);
  DV_UNUSED(status);
  if (!strstr(out, "/0123456789secret/") || !strstr(out, "\n0\n600\n")) fail_msg("%s", out);
  dv_free(out);
  check_rmdir(d);
}

// of a directory its scene.scn is shown
static void a_directory_stands_for_its_scene(void **state)
{
  DV_UNUSED(state);
  char *d = check_mkdir(), *out;
  check_command(4, "there is no scene", "%s view %s --no-browser --port 0", DIVAN_BINARY, d);
  dv_free(check_write(d, "scene.scn", "<Node><DefaultAnimationLoop/></Node>"));
  check_shell(&out,
              "%s view %s --no-browser --port 0 >%s/address 2>&1 & p=$!; "
              "while kill -0 $p 2>/dev/null && ! test -s %s/address; do sleep 0.05; done; kill $p 2>/dev/null; "
              "wait $p; cat %s/address",
              DIVAN_BINARY, d, d, d, d);
  if (!strstr(out, "http://") && !strstr(out, "built without its viewer")) fail_msg("divan view %s told: %s", d, out);
  dv_free(out);
  check_rmdir(d);
}

// A scene that takes long to set up, at a terminal: its size is told, a line shows how far it is, and Ctrl-C ends it.
static void setting_up_is_shown_and_can_be_ended(const char *verb)
{
  char *d = check_mkdir(),
       *scene = check_write(d, "large.scn",
                            "<Node><EulerImplicitSolver/><CGLinearSolver iterations='9' tolerance='1e-9' "
                            "threshold='1e-30'/><RegularGridTopology n='200 200 200'/><MechanicalObject/>"
                            "<UniformMass totalMass='1'/><HexahedronFEMForceField youngModulus='1e3'/></Node>");
  int terminal = posix_openpt(O_RDWR | O_NOCTTY);
  assert_true(terminal >= 0 && grantpt(terminal) == 0 && unlockpt(terminal) == 0);
  pid_t child = fork();
  if (child == 0) {
    setsid();
    int side = open(ptsname(terminal), O_RDWR);   // becomes the terminal that Ctrl-C comes from
    dup2(side, 0), dup2(side, 1), dup2(side, 2);
    execl(DIVAN_BINARY, "divan", verb, scene, (char *)NULL);
    _exit(127);
  }
  dvText seen = {0};
  for (char part[512]; !seen.text || !strstr(seen.text, "setting up: component ");) {
    ssize_t n = read(terminal, part, sizeof part - 1);
    if (n <= 0) break;
    part[n] = 0;
    dv_text_printf(&seen, "%s", part);
  }
  assert_non_null(seen.text);
  if (!strstr(seen.text, "the grid has 8.00 million points") || !strstr(seen.text, "setting up: component "))
    fail_msg("divan %s: %s", verb, seen.text);
  assert_int_equal(write(terminal, "\003", 1), 1);
  int status = 0, waited = 0;
  while (waitpid(child, &status, WNOHANG) == 0 && waited++ < 5000) {
    char rest[512];
    struct pollfd ready = {.fd = terminal, .events = POLLIN};
    if (poll(&ready, 1, 1) > 0 && read(terminal, rest, sizeof rest) < 0) usleep(1000);
  }
  bool ended = waited <= 5000;
  if (!ended) kill(child, SIGKILL), waitpid(child, &status, 0);
  assert_true(ended);
  assert_true((WIFSIGNALED(status) && WTERMSIG(status) == SIGINT) ||
              (WIFEXITED(status) && WEXITSTATUS(status) == 128 + SIGINT));
  close(terminal);
  dv_text_free(&seen);
  dv_free(scene);
  check_rmdir(d);
}

static void a_long_set_up_is_told(void **state)
{
  DV_UNUSED(state);
  setting_up_is_shown_and_can_be_ended("run");
  setting_up_is_shown_and_can_be_ended("check");
  setting_up_is_shown_and_can_be_ended("view");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(verbs_and_help),
      cmocka_unit_test(every_verb_reads_the_same_table),
      cmocka_unit_test(a_run_leaves_dumps_series_and_figures),
      cmocka_unit_test(slips_in_numbers_get_advice),
      cmocka_unit_test(states_that_are_left_out_are_listed),
      cmocka_unit_test(each_node_shows_the_topology_it_finds),
      cmocka_unit_test(mistakes_give_their_exit_code),
      cmocka_unit_test(curves_of_a_fall),
      cmocka_unit_test(curves_of_some_points),
      cmocka_unit_test(divergence_is_explained),
      cmocka_unit_test(converting_twice_gives_the_same_bytes),
      cmocka_unit_test(converting_to_another_directory),
      cmocka_unit_test(a_series_replaces_an_earlier_one),
      cmocka_unit_test(meshes_are_checked),
      cmocka_unit_test(finite_elements_agree_with_theory),
      cmocka_unit_test(places_that_cannot_be_written_are_told_first),
      cmocka_unit_test(signals_end_with_all_written),
      cmocka_unit_test(time_of_writing_is_told_apart),
      cmocka_unit_test(the_token_stands_in_no_command_line),
      cmocka_unit_test(a_directory_stands_for_its_scene),
      cmocka_unit_test(a_long_set_up_is_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

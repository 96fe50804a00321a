// Who only looks at a scene harms nothing: `divan check`, `divan run -n 0` and a scene that is set up and closed leave
// every file as it is and make none. The first step writes.
#include "support/check.h"
#include "support/command.h"

#include "base/file.h"
#include "base/text.h"

#include <string.h>

static const char scene_text[] =
    "<Node name='root' dt='0.01'><EulerImplicitSolver/><CGLinearSolver/>"
    "<RegularGridTopology n='2 2 2' min='0 0 0' max='1 1 1'/><MechanicalObject name='dofs'/><UniformMass "
    "totalMass='1'/>"
    "<WriteState filename='motion.txt'/><WriteState filename='packed.gz'/><WriteState filename='deep/er/motion.txt'/>"
    "<WriteTopology filename='elements.txt'/>"
    "<Monitor name='watch' ExportPositions='1' fields='dofs.position'/>"
    "<VTKExporter filename='vtk' exportAtBegin='1' exportAtEnd='1'/>"
    "<MeshExporter filename='mesh' exportAtBegin='1' format='obj'/><STLExporter filename='stl' exportAtEnd='1'/>"
    "<BlenderExporter baseName='hair' simulationType='Hair' nbPtsByHair='4'/>"
    "<ClusteringEngine radius='1.5' useTopo='0' position='@dofs.position' outFile='clusters.txt'/></Node>";

static const char *const written[] = {
    "motion.txt", "packed.gz", "elements.txt", "watch_x.txt",          "watch_fields.txt",     "vtk_0.vtu",
    "mesh.obj",   "stl.stl",   "clusters.txt", "hair_000000_00.bphys", "hair_000001_00.bphys", "deep/er/motion.txt"};

static void looking_writes_nothing(void **state)
{
  DV_UNUSED(state);
  static const char *const looks[] = {"check", "run -n 0"};
  for (size_t k = 0; k < DV_COUNT(looks); k++) {
    char *directory = check_mkdir(), *file = check_write(directory, "scene.scn", scene_text), *out;
    dv_free(check_write(directory, "motion.txt", "precious"));
    dv_free(check_write(directory, "watch_x.txt", "precious"));
    check_command(0, NULL, "cd %s && %s %s scene.scn", directory, DIVAN_BINARY, looks[k]);
    assert_int_equal(check_shell(&out, "cd %s && ls -A && cat motion.txt watch_x.txt", directory), 0);
    assert_string_equal(out, "motion.txt\nscene.scn\nwatch_x.txt\npreciousprecious");
    dv_free(out);
    dv_free(file);
    check_rmdir(directory);
  }
}

static void the_first_step_writes(void **state)
{
  DV_UNUSED(state);
  char *directory = check_mkdir(), *file = check_write(directory, "scene.scn", scene_text), *out;
  dv_free(check_write(directory, "motion.txt", "precious and much longer than what is written now\n"));
  check_command(0, NULL, "cd %s && %s run -n 1 scene.scn", directory, DIVAN_BINARY);
  for (size_t i = 0; i < DV_COUNT(written); i++) {
    char *path = dv_path_join(directory, written[i]);
    if (!dv_file_exists(path)) print_error("%s is not there\n", written[i]);
    assert_true(dv_file_exists(path));
    dv_free(path);
  }
  assert_int_equal(check_shell(&out, "cat %s/motion.txt", directory), 0);
  assert_true(dv_starts_with(out, "T= 0\n"));
  assert_null(strstr(out, "precious"));
  dv_free(out);
  dv_free(file);
  check_rmdir(directory);
}

// what will not work is said before anything is computed
static void bad_places_are_told_at_once(void **state)
{
  DV_UNUSED(state);
  char *directory = check_mkdir(),
       *file = check_write(directory, "scene.scn", "<Node><MechanicalObject/><WriteState filename='sub/x'/></Node>");
  dv_free(check_write(directory, "sub", "no folder"));
  check_command(4, "cannot be written", "cd %s && %s check scene.scn", directory, DIVAN_BINARY);
  dv_free(file);
  check_rmdir(directory);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(looking_writes_nothing),
      cmocka_unit_test(the_first_step_writes),
      cmocka_unit_test(bad_places_are_told_at_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

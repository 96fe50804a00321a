// A full device: whatever cannot be written ends the program with status 4 and a message.
#include "support/check.h"
#include "support/command.h"

#include "base/file.h"

#include <unistd.h>

static const char scene_text[] =
    "<Node name='root' dt='0.01'><EulerImplicitSolver/><CGLinearSolver/><RegularGridTopology name='grid' n='2 2 2' "
    "min='0 0 0' max='1 1 1'/><MechanicalObject name='dofs'/><UniformMass totalMass='1'/></Node>";

static void lost_output_is_told(void **state)
{
  DV_UNUSED(state);
  if (access("/dev/full", W_OK) != 0) skip();
  static const char *const runs[] = {"run scene.scn -n 2 --stats /dev/full",
                                     "run scene.scn -n 2 --step-times /dev/full",
                                     "run scene.scn -n 2 --profile /dev/full",
                                     "run scene.scn -n 2 >/dev/full",
                                     "run scene.scn -n 2 --hash >/dev/full",
                                     "list >/dev/full",
                                     "info UniformMass >/dev/full",
                                     "check scene.scn >/dev/full",
                                     "convert scene.scn /dev/full"};
  char *directory = check_mkdir();
  dv_free(check_write(directory, "scene.scn", scene_text));
  for (size_t i = 0; i < DV_COUNT(runs); i++)
    check_command(4, "No space left", "cd %s && (%s %s)", directory, DIVAN_BINARY, runs[i]);
  check_rmdir(directory);
}

// files inside of directories: each name of a first run leads to the full device in the second
static void lost_files_are_told(void **state)
{
  DV_UNUSED(state);
  if (access("/dev/full", W_OK) != 0) skip();
  static const char *const options[] = {"--csv", "--gnuplot", "--dump-state", "--dump-topology", "--out"};
  char *directory = check_mkdir();
  dv_free(check_write(directory, "scene.scn", scene_text));
  for (size_t i = 0; i < DV_COUNT(options); i++) {
    check_command(0, NULL, "cd %s && rm -rf out && %s run scene.scn -n 2 %s out", directory, DIVAN_BINARY, options[i]);
    check_command(0, NULL, "cd %s/out && for f in *; do case $f in *.vtu) ;; *) ln -sf /dev/full $f;; esac; done",
                  directory);
    check_command(4, "No space left", "cd %s && %s run scene.scn -n 2 %s out", directory, DIVAN_BINARY, options[i]);
  }
  check_rmdir(directory);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(lost_output_is_told), cmocka_unit_test(lost_files_are_told)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

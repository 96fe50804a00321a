// Recordings by the command: written, played on after the program was killed, converted; what is refused.
#include "support/check.h"
#include "support/command.h"

#include "base/file.h"
#include "view/recording.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define SCENE DIVAN_SOURCE_DIR "/scenes/liver.scn"

static void runs_are_recorded_and_converted(void **state)
{
  (void)state;
  char *folder = check_mkdir();
  check_command(0, "11 frames", "%s run %s -n 10 --record %s/a.divr --record-field /Liver/dofs.force", DIVAN_BINARY,
                SCENE, folder);
  check_command(0, "6 frames", "%s run %s -n 10 --every 2 --record %s/b.divr", DIVAN_BINARY, SCENE, folder);
  check_command(0, "1 object that deform", "%s run %s -n 3 --export %s/c.glb", DIVAN_BINARY, SCENE, folder);
  check_command(0, NULL, "%s convert %s/a.divr %s/a.csv", DIVAN_BINARY, folder, folder);
  check_command(0, "11 frames", "%s convert %s/a.divr %s/a.glb", DIVAN_BINARY, folder, folder);
  check_command(0, "11 frames", "%s convert %s/a.divr %s/a.usda", DIVAN_BINARY, folder, folder);
  char *name = dv_path_join(folder, "a.csv"), *text = dv_file_read(name, NULL);
  size_t lines = 0;
  for (const char *c = text; *c; c++) lines += *c == '\n';
  assert_int_equal(lines, 12);
  assert_non_null(strstr(text, "\"/Liver/dofs.force[0]\""));
  assert_true(dv_starts_with(text, "time,step,\"/.kinetic energy\",\"/.potential energy\","));
  dv_free(text), dv_free(name);
  check_rmdir(folder);
}

static void what_cannot_be_is_told(void **state)
{
  (void)state;
  char *folder = check_mkdir(), *bad = check_write(folder, "bad.divr", "this is no recording, is it?");
  check_command(4, "no field of numbers /Liver/nothing.x",
                "%s run %s -n 1 --record %s/a.divr --record-field /Liver/nothing.x", DIVAN_BINARY, SCENE, folder);
  check_command(2, "--export writes .glb or .usda", "%s run %s -n 1 --export %s/a.fbx", DIVAN_BINARY, SCENE, folder);
  check_command(4, NULL, "%s run %s -n 1 --record /nowhere/at/all.divr", DIVAN_BINARY, SCENE);
  check_command(4, "this is no recording", "%s convert %s %s/a.glb", DIVAN_BINARY, bad, folder);
  check_command(2, "a recording is written as .glb, .usda or .csv", "%s convert %s %s/a.obj", DIVAN_BINARY, bad,
                folder);
  dv_free(bad);
  check_rmdir(folder);
}

// a program that is killed leaves the frames that it had finished
static void a_killed_run_leaves_its_frames(void **state)
{
  (void)state;
  char *folder = check_mkdir(), *path = dv_path_join(folder, "killed.divr");
  pid_t child = fork();
  if (child == 0) {
    if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr)) _exit(1);
    execl(DIVAN_BINARY, "divan", "run", SCENE, "-n", "1000000", "--record", path, (char *)NULL);
    _exit(1);
  }
  assert_true(child > 0);
  struct stat about = {0};
  int ended = 0;
  while (about.st_size < 400000 && waitpid(child, &ended, WNOHANG) == 0) {
    usleep(2000);
    stat(path, &about);
  }
  assert_int_equal(kill(child, SIGKILL), 0);
  waitpid(child, &ended, 0);
  assert_true(WIFSIGNALED(ended));
  dvText why = {0};
  dvRecording *r = dv_recording_open(path, &why);
  assert_non_null(r);
  assert_non_null(strstr(why.text, "not ended in order"));
  size_t frames = dv_recording_frames(r);
  assert_true(frames > 3);
  dv_text_clear(&why);
  for (size_t f = 0; f < frames; f++)
    if (!dv_recording_go(r, f, &why)) fail_msg("frame %zu of %zu: %s", f, frames, why.text);
  dv_recording_free(&r);
  check_command(0, "not ended in order", "%s convert %s %s/killed.csv", DIVAN_BINARY, path, folder);
  dv_text_free(&why);
  dv_free(path);
  check_rmdir(folder);
}

static void robots_are_run_and_converted(void **state)
{
  (void)state;
  char *folder = check_mkdir();
  check_command(0, "20 steps", "%s run %s/scenes/robot/arm.urdf -n 20", DIVAN_BINARY, DIVAN_SOURCE_DIR);
  check_command(0, NULL, "%s convert %s/scenes/robot/arm.urdf %s/arm.scn", DIVAN_BINARY, DIVAN_SOURCE_DIR, folder);
  char *one, *two;
  assert_int_equal(
      check_shell(&one, "%s run %s/scenes/robot/arm.urdf -n 50 -q --hash | grep hash", DIVAN_BINARY, DIVAN_SOURCE_DIR),
      0);
  assert_int_equal(check_shell(&two, "%s run %s/arm.scn -n 50 -q --hash | grep hash", DIVAN_BINARY, folder), 0);
  assert_string_equal(one, two);   // the scene is the robot
  dv_free(one), dv_free(two);
  check_rmdir(folder);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(runs_are_recorded_and_converted),
      cmocka_unit_test(what_cannot_be_is_told),
      cmocka_unit_test(a_killed_run_leaves_its_frames),
      cmocka_unit_test(robots_are_run_and_converted),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

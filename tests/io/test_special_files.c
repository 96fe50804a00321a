// Files that never end: whatever a scene names, only regular files of a limited size are read. A device is refused, a
// pipe does not make the program wait.
#include "support/check.h"
#include "support/command.h"

#include "base/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void refused(const char *path, const char *because)
{
  errno = 0;
  char *bytes = dv_file_read(path, NULL);
  assert_null(bytes);
  assert_non_null(strstr(dv_file_why(), because));
}

static void only_regular_files_are_read(void **state)
{
  DV_UNUSED(state);
  char *directory = check_mkdir(), *pipe = dv_path_join(directory, "pipe"),
       *file = check_write(directory, "five", "12345");
  assert_int_equal(mkfifo(pipe, 0600), 0);
  refused("/dev/zero", "no regular file");
  refused(pipe, "no regular file");
  refused(directory, "directory");
  refused("/nowhere/at/all", "No such file");
  refused(NULL, "No such file");
  size_t length = 0;
  char *bytes = dv_file_read(file, &length);
  assert_string_equal(bytes, "12345");
  assert_int_equal(length, 5);
  dv_free(bytes);
  bytes = dv_file_read("/proc/self/status", &length);   // does not tell its size
  assert_non_null(strstr(bytes, "VmHWM"));
  dv_free(bytes);
  dv_free(file), dv_free(pipe);
  check_rmdir(directory);
}

static void the_limit_can_be_raised(void **state)
{
  DV_UNUSED(state);
  char *directory = check_mkdir(), *file = check_write(directory, "five", "12345");
  setenv("DIVAN_FILE_LIMIT", "4", 1);
  refused(file, "DIVAN_FILE_LIMIT");
  refused("/proc/self/status", "DIVAN_FILE_LIMIT");
  setenv("DIVAN_FILE_LIMIT", "5", 1);
  char *bytes = dv_file_read(file, NULL);
  assert_non_null(bytes);
  dv_free(bytes);
  unsetenv("DIVAN_FILE_LIMIT");
  assert_int_equal(dv_file_limit(), 1 << 30);
  assert_int_equal(truncate(file, ((off_t)1 << 30) + 1), 0);   // it takes no room
  refused(file, "larger");
  setenv("DIVAN_FILE_LIMIT", "1e10", 1);
  assert_true(dv_file_limit() == 10000000000u);
  unsetenv("DIVAN_FILE_LIMIT");
  dv_free(file);
  check_rmdir(directory);
}

// every reader, with a file that never ends and with a pipe that nobody writes to
static void no_component_waits(void **state)
{
  DV_UNUSED(state);
  static const struct {
    int status;
    const char *body;
  } scenes[] = {
      {4, "<include href='%s'/>"},
      {4, "<Node name='a'><MechanicalObject name='s'/><ReadState filename='%s'/></Node>"},
      {4, "<MeshTopology/><ReadTopology filename='%s'/>"},
      {4, "<MeshTopology/><CompareTopology filename='%s'/>"},
      {4, "<MechanicalObject/><CompareState filename='%s'/>"},
      {0, "<MechanicalObject template='Rigid3'/><UniformMass filename='%s'/>"},
      {4, "<MechanicalObject/><DiagonalMass filename='%s'/>"},
      {4, "<VoxelGridLoader resolution='4 4 4' voxelSize='1 1 1' filename='%s'/>"},
      {4, "<SphereLoader filename='%s'/>"},
      {4, "<MeshOBJLoader filename='%s'/>"},
      {4, "<MeshTopology filename='%s'/>"},
      {4, "<MechanicalObject position='0 0 0'/><SphereCollisionModel fileSphere='%s'/>"},
      {4, "<SparseGridTopology n='2 2 2' fileTopology='%s'/>"},
      {0, "<OglModel texturename='%s' position='0 0 0'/><OglModel filename='%s'/>"},
      {4, "<ArticulatedHierarchyContainer filename='%s'/>"},
      {4, "<InputEventReader outputFilename='%s'/>"},
      {0, "<RequiredPlugin pluginName='%s'/>"},
  };
  char *directory = check_mkdir(), *pipe = dv_path_join(directory, "pipe");
  assert_int_equal(mkfifo(pipe, 0600), 0);
  const char *const names[] = {"/dev/zero", pipe};
  for (size_t i = 0; i < DV_COUNT(scenes); i++)
    for (size_t k = 0; k < DV_COUNT(names); k++) {
      dvText text = {0};
      dv_text_add(&text, "<Node name='root'>");
      for (const char *c = scenes[i].body; *c; c++)
        if (dv_starts_with(c, "%s")) dv_text_add(&text, names[k]), c++;
        else dv_text_add_n(&text, c, 1);
      dv_text_add(&text, "</Node>");
      char *file = check_write(directory, "scene.scn", text.text), *out;
      int status = check_shell(&out, "timeout 20 %s check %s", DIVAN_BINARY, file);
      if (status != scenes[i].status || !strstr(out, names[k]))
        print_error("status %d: %s\n%s\n", status, text.text, out);
      assert_int_equal(status, scenes[i].status);   // 124: it waits
      assert_non_null(strstr(out, names[k]));
      dv_free(out), dv_free(file), dv_text_free(&text);
    }
  dv_free(pipe);
  check_rmdir(directory);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(only_regular_files_are_read),
      cmocka_unit_test(the_limit_can_be_raised),
      cmocka_unit_test(no_component_waits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

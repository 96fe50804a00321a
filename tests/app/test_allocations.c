// A warmed step allocates nothing: the C library's allocator is wrapped and counts.
#include "support/check.h"
#include "support/count.h"
#include "support/scene.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct Exception {
  const char *scene, *why;
} Exception;

static const Exception exceptions[] = {
    {"BlenderExporter.scn", "writes a file in each step"},
    {"CompareState.scn", "reads a line of a file in each step"},
    {"DisplacementMatrixEngine.scn", "ValuesFromIndices shows its values as text too"},
    {"Distances.scn", "searches a graph anew when its target has moved; Monitor writes a line"},
    {"MechanicalStateController.scn", "Monitor writes a line, and events are read from a file"},
    {"MeshExporter.scn", "writes a file"},
    {"NearestPointROI.scn", "HausdorffDistance builds a tree of points that have moved"},
    {"OffSequenceLoader.scn", "reads a mesh in each step"},
    {"ReadState.scn", "reads lines of a file"},
    {"VTKExporter.scn", "writes files"},
    {"WriteState.scn", "writes lines to files"},
    {"topology_direct.scn", "its mesh changes every other step, and the factor with it"},
};

static const char *excuse_of(const char *scene)
{
  for (size_t i = 0; i < DV_COUNT(exceptions); i++)
    if (dv_same(exceptions[i].scene, scene)) return exceptions[i].why;
  return NULL;
}

// blocks of memory that ten steps of a scene ask for, after three of them
static size_t count_calls(const char *path, int threads)
{
  dvScene *s = check_scene_file(path, threads);
  assert_true(check_allocations() > 100);   // the counter counts
  check_steps(s, 3);
  size_t before = check_allocations();
  check_steps(s, 10);
  size_t asked = check_allocations() - before;
  check_close_scene(&s);
  return asked;
}

// the scenes of a directory; returns how many of them allocate without an excuse
static int check_directory(const char *directory, int threads, int *scenes)
{
  struct dirent **list;
  char *full = dv_format("%s/%s", DIVAN_SOURCE_DIR, directory);
  int count = scandir(full, &list, NULL, alphasort), bad = 0;
  for (int i = 0; i < count; i++) {
    const char *name = list[i]->d_name, *end = strrchr(name, '.');
    if (end && dv_same(end, ".scn")) {
      char *path = dv_format("%s/%s", directory, name);
      size_t asked = count_calls(path, threads);
      ++*scenes;
      if (asked > 0 && !excuse_of(name)) {
        print_error("%s, %d threads: %zu blocks of memory in ten warmed steps\n", path, threads, asked);
        bad++;
      }
      if (asked == 0 && excuse_of(name)) print_error("%s needs no excuse: %s\n", path, excuse_of(name)), bad++;
      dv_free(path);
    }
    free(list[i]);
  }
  free(list);
  dv_free(full);
  return bad;
}

// Every component has a scene. Some scenes write files: they run in a directory of their own.
static void a_warmed_step_allocates_nothing(void **state)
{
  DV_UNUSED(state);
  if (!COUNTING) skip();
  char *own = check_mkdir(), before[4096];
  assert_non_null(getcwd(before, sizeof before));
  assert_int_equal(chdir(own), 0);
  int scenes = 0, bad = 0;
  for (int threads = 1; threads <= 2; threads++) {
    bad += check_directory("scenes", threads, &scenes);
    bad += check_directory("scenes/mapping", threads, &scenes);
  }
  assert_int_equal(chdir(before), 0);
  check_rmdir(own);
  assert_true(scenes > 300);
  assert_int_equal(bad, 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_warmed_step_allocates_nothing)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

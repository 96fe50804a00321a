// Exporters and players: the files that the example scenes write read back as what the scene holds; a written motion
// played back is the same motion.
#include "support/check.h"

#include "support/scene.h"

#include "base/file.h"
#include "io/mesh/mesh.h"
#include "topology/topology.h"

#include <string.h>
#include <unistd.h>

// scenes write into the working directory: a scratch one
static char *enter(void)
{
  char *directory = check_mkdir();
  assert_int_equal(chdir(directory), 0);
  return directory;
}

static void leave(char *directory)
{
  assert_int_equal(chdir("/"), 0);
  check_rmdir(directory);
}

static dvMesh read_mesh(const char *path)
{
  dvMesh mesh;
  dvMeshError error = {0};
  if (dv_mesh_read(path, &mesh, &error) != DV_OK) {
    print_error("%s:%d: %s\n", path, error.line, error.text);
    fail();
  }
  return mesh;
}

static void vtk_series(void **state)
{
  DV_UNUSED(state);
  char *directory = enter();
  dvScene *scene = check_scene_file("scenes/VTKExporter.scn", 1);
  check_steps(scene, 10);
  dvMesh mesh = read_mesh("result/beam_2.vtu");
  assert_int_equal(mesh.hexahedra.count / 8, 16);
  dvState *s = dv_state(check_find(scene, "dofs"));
  assert_int_equal(dv_mesh_point_count(&mesh), s->count);
  for (size_t i = 0; i < 3 * s->count; i++) check_close(mesh.positions.data[i], dv_state_read(s, DV_X)[i], 0);
  dv_mesh_free(&mesh);
  check_close_scene(&scene);
  size_t n = 0;
  char *list = dv_file_read("result/beam.pvd", &n);
  assert_non_null(list);
  assert_non_null(strstr(list, "beam_0.vtu"));
  assert_non_null(strstr(list, "beam_2.vtu"));
  dv_free(list);
  leave(directory);
}

static void mesh_in_every_format(void **state)
{
  DV_UNUSED(state);
  char *directory = enter();
  dvScene *scene = check_scene_file("scenes/MeshExporter.scn", 1);
  check_steps(scene, 10);
  static const char *const names[] = {"result/bent00001.vtu", "result/bent00001.vtk",  "result/bent00001.gmsh",
                                      "result/bent00001.obj", "result/bent00001.node", "result/bent00001.mesh"};
  for (size_t i = 0; i < DV_COUNT(names); i++) {
    dvMesh mesh = read_mesh(names[i]);
    check_close(mesh.positions.data[3 * 44 + 1], check_value(scene, "dofs", DV_X, 3 * 44 + 1), 0);
    dv_mesh_free(&mesh);
  }
  assert_false(dv_file_exists("result/bent00001.stl"));   // only when asked for
  check_close_scene(&scene);
  scene = check_scene("<Node><RegularGridTopology n='3 3 2' min='0 0 0' max='1 1 1'/><MeshExporter filename='s' "
                      "format='stl' exportAtBegin='1'/></Node>",
                      1);
  check_steps(scene, 1);
  dvMesh surface = read_mesh("s.stl");
  assert_int_equal(dv_mesh_point_count(&surface), 18);
  dv_mesh_free(&surface);
  check_close_scene(&scene);
  leave(directory);
}

static void surfaces(void **state)
{
  DV_UNUSED(state);
  char *directory = enter();
  dvScene *scene = check_scene_file("scenes/STLExporter.scn", 1);
  assert_false(dv_file_exists("result/surface.stl"));
  check_steps(scene, 1);   // it begins
  dvMesh mesh = read_mesh("result/surface.stl");
  assert_int_equal(mesh.triangles.count / 3, 2 * dv_topology_count(dv_topology(check_find(scene, "grid")), DV_QUAD));
  dv_mesh_free(&mesh);
  check_close_scene(&scene);
  scene = check_scene_file("scenes/VisualModelOBJExporter.scn", 1);
  check_steps(scene, 3);
  assert_false(dv_file_exists("result/drawn.obj"));
  check_close_scene(&scene);
  mesh = read_mesh("result/drawn.obj");
  assert_true(mesh.quads.count > 0);
  dv_mesh_free(&mesh);
  leave(directory);
}

static const char beam[] =
    "<Node name='root' dt='0.01' gravity='0 -10 0'><DefaultAnimationLoop/>%s"
    "<MechanicalObject name='dofs' position='0 0 0 1 0 0 2 0 0' velocity='0 1 0 0 2 0 0.1 0.2 0.3'/>%s</Node>";

static void what_was_written_plays_back(void **state)
{
  DV_UNUSED(state);
  char *directory = enter();
  double x[20][9];
  for (int pass = 0; pass < 3; pass++) {
    char *file = dv_format("%s/motion.txt%s", directory, pass == 2 ? "" : ".gz");
    char *text = pass == 0 ? dv_format(beam, "<EulerExplicitSolver/>",
                                       "<UniformMass totalMass='1'/><WriteState filename='motion.txt.gz'/>")
                           : dv_format("<Node name='root' dt='0.01'><DefaultAnimationLoop/><MechanicalObject "
                                       "name='dofs' position='0 0 0 0 0 0 0 0 0'/>"
                                       "<ReadState filename='%s'/></Node>",
                                       file);
    if (pass == 2) {   // unpacked it is the same
      size_t n = 0;
      char *packed = dv_file_read("motion.txt.gz", &n), *plain = dv_mesh_unpack(packed, n, &n);
      assert_non_null(plain);
      dv_free(check_write(directory, "motion.txt", plain));
      dv_free(packed);
      dv_free(plain);
    }
    dvScene *scene = check_scene(text, 1);
    for (int i = 0; i < 20; i++) {
      check_steps(scene, 1);
      for (size_t k = 0; k < 9 && pass == 0; k++) x[i][k] = check_value(scene, "dofs", DV_X, k);
      // frame i is written at the beginning of step i, played at the beginning of step i
      for (size_t k = 0; k < 9 && pass && i; k++) check_close(check_value(scene, "dofs", DV_X, k), x[i - 1][k], 0);
    }
    check_close_scene(&scene);
    dv_free(text);
    dv_free(file);
  }
  leave(directory);
}

static void differences_are_summed_up(void **state)
{
  DV_UNUSED(state);
  char *directory = enter();
  dv_free(check_write(directory, "two.txt", "T= 0\n  X= 0 0 0 1 0 0\nT= 0.01\n  X= 0 3 4 1 0 0\n"));
  char *text = dv_format(
      "<Node name='root' dt='0.01'><DefaultAnimationLoop/><MechanicalObject name='dofs' position='0 0 0 1 0 0'/>"
      "<CompareState name='c' filename='%s/two.txt'/></Node>",
      directory);
  dvScene *scene = check_scene(text, 1);
  check_steps(scene, 5);
  check_close(*(double *)dv_object_field(check_find(scene, "c"), "totalErrorX")->value, 5, 1e-12);
  check_close_scene(&scene);
  dv_free(text);
  leave(directory);
}

static void example_scenes_of_players_run(void **state)
{
  DV_UNUSED(state);
  char *directory = enter();
  static const char *const names[] = {"scenes/WriteState.scn", "scenes/ReadState.scn", "scenes/CompareState.scn"};
  for (size_t i = 0; i < DV_COUNT(names); i++) {
    dvScene *scene = check_scene_file(names[i], 1);
    check_steps(scene, 20);
    if (i == 1) check_close(check_value(scene, "dofs", DV_X, 1), -0.1 * 0.18 * 0.18 * 50, 1e-6);
    check_close_scene(&scene);
  }
  assert_true(dv_file_exists("result/beam.txt.gz"));
  leave(directory);
}

// what was written compares equal; another mesh does not, and a reader hands the lists on
static void topologies_written_and_compared(void **state)
{
  DV_UNUSED(state);
  char *directory = enter();
  static const char *const names[2] = {"t.txt", "t.txt.gz"};
  for (int i = 0; i < 2; i++) {
    char *text = dv_format("<Node dt='0.1'><RegularGridTopology n='3 2 2' min='0 0 0' max='1 1 1'/><WriteTopology "
                           "filename='%s' time='0 0.1' period='1'/></Node>",
                           names[i]);
    dvScene *scene = check_scene(text, 1);
    check_steps(scene, 3);
    check_close_scene(&scene);
    dv_free(text);
    text = dv_format("<Node dt='0.1'><Node name='same'><RegularGridTopology n='3 2 2' min='0 0 0' max='1 1 "
                     "1'/><CompareTopology name='c' filename='%s'/></Node>"
                     "<Node name='other'><RegularGridTopology n='2 2 2' min='0 0 0' max='1 1 1'/><CompareTopology "
                     "name='c' filename='%s'/>"
                     "<ReadTopology name='r' filename='%s'/></Node></Node>",
                     names[i], names[i], names[i]);
    scene = check_scene(text, 1);
    check_steps(scene, 3);
    assert_int_equal(*(const int32_t *)dv_object_field(check_find(scene, "same/c"), "TotalError")->value, 0);
    // two frames: 31 edges instead of 18, 22 triangles instead of 12, 11 quads instead of 6, 2 hexahedra instead of 1
    assert_int_equal(*(const int32_t *)dv_object_field(check_find(scene, "other/c"), "EdgesError")->value, 26);
    assert_int_equal(*(const int32_t *)dv_object_field(check_find(scene, "other/c"), "QuadsError")->value, 10);
    assert_int_equal(*(const int32_t *)dv_object_field(check_find(scene, "other/c"), "TotalError")->value, 58);
    const dvInts *hexahedra = dv_object_field(check_find(scene, "other/r"), "hexahedra")->value;
    assert_int_equal(hexahedra->count, 16);
    check_close_scene(&scene);
    dv_free(text);
  }
  leave(directory);
}

// frames at 0, 0.25 and 0.5 s, again and again; the one that ends a round and the one that begins the next are at the
// same moment
static void frames_are_found_in_time(void **state)
{
  DV_UNUSED(state);
  char *directory = enter();
  static const char *const ends[] = {"\n", "\r\n", "\r"};
  for (int e = 0; e < 3; e++) {
    dvText file = {0};
    for (int k = 0; k < 3; k++) {
      dv_text_printf(&file, "T= %g%sT= nan%s  X= %d 0 0%s  Edges= 1%s", 0.25 * k, ends[e], ends[e], k, ends[e],
                     ends[e]);
      dv_text_printf(&file, "%d 9%s  Quads= 0%s%s", k, ends[e], ends[e], ends[e]);
    }
    dv_free(check_write(".", "both.txt", file.text));
    dv_text_free(&file);
    dvScene *scene = check_scene(
        "<Node dt='0.125'><MechanicalObject name='m' position='0 0 0'/><MeshTopology position='0 0 0'/>"
        "<ReadState filename='both.txt' loop='1'/><ReadTopology name='r' filename='both.txt' loop='1'/></Node>",
        1);
    const dvInts *edges = dv_object_field(check_find(scene, "r"), "edges")->value;
    for (int i = 0; i < 12; i++) {
      check_steps(scene, 1);   // the frame is that of its beginning
      check_close(check_value(scene, "m", DV_X, 0), i / 2 % 2, 0);
      assert_int_equal(edges->count, 2);
      assert_int_equal(edges->data[0], i / 2 % 2);
    }
    dv_scene_reset(scene);
    check_steps(scene, 1);
    check_close(check_value(scene, "m", DV_X, 0), 0, 0);
    check_close_scene(&scene);
  }
  leave(directory);
}

// Blender's cache: header, then positions and velocities in single precision, last point first
static void blender_frames(void **state)
{
  DV_UNUSED(state);
  char *directory = enter();
  dvScene *scene = check_scene("<Node dt='0.5' gravity='0 0 0'><EulerExplicitSolver/><MechanicalObject name='m' "
                               "position='1 2 3 4 5 6' velocity='0 1 0 2 0 0'/>"
                               "<UniformMass totalMass='1'/><BlenderExporter baseName='b' step='2'/>"
                               "<BlenderExporter baseName='hair' simulationType='3' nbPtsByHair='2' step='9'/></Node>",
                               1);
  check_steps(scene, 3);
  check_close_scene(&scene);
  size_t n;
  char *bytes = dv_file_read("b_000002_00.bphys", &n);   // the beginning of the third step
  assert_non_null(bytes);
  assert_int_equal(n, 20 + 2 * 24);
  assert_memory_equal(bytes, "BPHYSICS\0\0\0\0\2\0\0\0\6\0\0\0", 20);
  float wanted[12] = {6, 5, 6, 2, 0, 0, 1, 3, 3, 0, 1, 0};
  assert_memory_equal(bytes + 20, wanted, sizeof wanted);
  dv_free(bytes);
  bytes = dv_file_read("hair_000000_00.bphys", &n);
  assert_int_equal(n, 32);
  dv_free(bytes);
  bytes = dv_file_read("hair_000001_00.bphys", &n);
  assert_int_equal(n, 20 + 3 * 36);   // two points and one at the root
  dv_free(bytes);
  leave(directory);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(vtk_series),
      cmocka_unit_test(mesh_in_every_format),
      cmocka_unit_test(surfaces),
      cmocka_unit_test(what_was_written_plays_back),
      cmocka_unit_test(differences_are_summed_up),
      cmocka_unit_test(blender_frames),
      cmocka_unit_test(topologies_written_and_compared),
      cmocka_unit_test(frames_are_found_in_time),
      cmocka_unit_test(example_scenes_of_players_run),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
